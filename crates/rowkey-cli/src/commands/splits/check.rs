//! `rowkey split check KEY|FILE|TABLE`

use anyhow::{Context, bail};
use rowkey_core::Table;
use rowkey_core::escape::escape;
use rowkey_core::split::{self, Ranges, Share};
use rowkey_lab::route::Router;
use serde_json::{Value, json};

use super::live;
use super::spelled::{examples, number, spelled};
use super::subject::Subject;
use crate::args::SplitCheck;
use crate::key_text::KeyText;
use crate::output::{Output, Rows, cell, counted, key_json, number as right};
use crate::{Answer, input_argument, key_argument, table_argument};

/// A region of the data may have this much more than its fair share.
const UNEVEN: f64 = 1.25;

pub(super) fn run(arguments: &SplitCheck, store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    let offline = key_argument::is_key(&arguments.of) || table_argument::file(&arguments.of)?.is_some();
    let told = arguments.splits.is_some() || !arguments.at.is_empty() || arguments.splits_file.is_some();
    if !offline && !told {
        return live::run(arguments, store, output);
    }
    let subject = Subject::of(&arguments.of, store)?;
    let ranges = subject.ranges(&arguments.within)?;
    let splits = splits(arguments, &subject, &ranges)?;
    let shares = split::shares_within(subject.key(), &ranges, &splits);
    let data = match input_argument::some(&arguments.within.data) {
        Some(_) => Some(in_data(&subject, arguments, &splits)?),
        None => None,
    };
    let found = Found { subject: &subject, ranges: &ranges, splits: &splits, shares: &shares, data };
    found.print(KeyText::new(arguments.hex), output)?;
    Ok(if found.is_even() == Some(false) { Answer::No } else { Answer::Yes })
}

/// The split points that the arguments or the file give.
fn splits(arguments: &SplitCheck, subject: &Subject, ranges: &Ranges) -> anyhow::Result<Vec<Vec<u8>>> {
    let text = KeyText::new(arguments.hex);
    let mut points: Vec<Vec<u8>> = if let Some(splits) = &arguments.splits {
        algorithm(splits, text, subject, ranges)?
    } else if let Some(path) = &arguments.splits_file {
        input_argument::text(path)?
            .lines()
            .filter(|line| !line.is_empty())
            .map(|line| text.read_row(line))
            .collect::<Result<_, _>>()?
    } else if !arguments.at.is_empty() {
        arguments.at.iter().map(|key| text.read_row(key)).collect::<Result<_, _>>()?
    } else {
        match subject.table() {
            Some(table) if table.sampled_regions().is_some() && !arguments.within.data.is_empty() => {
                let sample = subject.sample(&arguments.within, "rows")?;
                split::from_sample(sample.keys, table.sampled_regions().unwrap_or(1))?.points
            }
            Some(table) if table.sampled_regions().is_some() => {
                bail!("{} is cut where sample data is; give some with --data", table.name)
            }
            Some(table) => table.split_points(),
            None => bail!(
                "where is the table cut? give --splits, --at or --splits-file, or a table file that says so"
            ),
        }
    };
    points.sort();
    if let Some(twice) = points.iter().zip(points.iter().skip(1)).find_map(|(a, b)| (a == b).then_some(a)) {
        bail!("the split point {} is given twice", text.show(twice));
    }
    Ok(points)
}

/// `hex 16`, `bytes 7 0000 ffff` and the like, or the points themselves.
fn algorithm(
    splits: &str,
    text: KeyText,
    subject: &Subject,
    ranges: &Ranges,
) -> anyhow::Result<Vec<Vec<u8>>> {
    let words: Vec<&str> = splits.split_whitespace().collect();
    Ok(match words.as_slice() {
        ["key", regions] => split::for_key_within(subject.key(), ranges, number(splits, regions)?)?,
        ["bytes", between, start, end] => split::bytes_split(
            &KeyText::Escaped.read(start)?,
            &KeyText::Escaped.read(end)?,
            number(splits, between)?,
        )?,
        ["salt"] => {
            let first = subject.key().value_steps().next().filter(|step| step.is_bucket());
            let count =
                first.and_then(|step| step.bucket_count()).context("the key does not begin with a salt")?;
            split::for_key(subject.key(), count)?
        }
        _ => spelled(splits, text)?.with_context(|| {
            format!(
                "--splits '{splits}' is not known; write points with commas between, {}, salt, 'key 16', or 'bytes COUNT START END'",
                examples()
            )
        })?,
    })
}

/// The share of each region in the data.
fn in_data(subject: &Subject, arguments: &SplitCheck, splits: &[Vec<u8>]) -> anyhow::Result<Vec<f64>> {
    let sample = subject.sample(&arguments.within, "rows")?;
    let counts = Router::new(splits).counts(sample.keys.iter().map(|(key, _)| key));
    let all = sample.keys.len().max(1) as f64;
    Ok(counts.into_iter().map(|count| count as f64 / all).collect())
}

struct Found<'f> {
    subject: &'f Subject,
    ranges: &'f Ranges,
    splits: &'f [Vec<u8>],
    shares: &'f [Share],
    data: Option<Vec<f64>>,
}

impl Found<'_> {
    /// By the key and by the data; `None` if neither tells.
    fn is_even(&self) -> Option<bool> {
        let fair = 1.0 / self.shares.len() as f64;
        let data =
            self.data.as_ref().map(|data| data.iter().all(|share| *share > 0.0 && *share <= UNEVEN * fair));
        match (split::is_even(self.shares), data) {
            // Records count more than what their types let expect.
            (_, Some(data)) => Some(data),
            (expected, None) => expected,
        }
    }

    fn unreachable(&self) -> usize {
        self.shares.iter().filter(|share| **share == Share::Unreachable).count()
    }

    fn bounds(&self, region: usize) -> (Option<&Vec<u8>>, Option<&Vec<u8>>) {
        (region.checked_sub(1).and_then(|at| self.splits.get(at)), self.splits.get(region))
    }

    fn print(&self, text: KeyText, output: &mut Output) -> anyhow::Result<()> {
        let mut header = vec!["region", "start", "end", "share"];
        if self.data.is_some() {
            header.push("in the data");
        }
        let mut rows = Rows::new(header);
        for (region, share) in self.shares.iter().enumerate() {
            let (start, end) = self.bounds(region);
            let shown = |key: Option<&Vec<u8>>| cell(key.map_or_else(String::new, |key| text.show(key)));
            let in_data = self.data.as_ref().and_then(|data| data.get(region));
            let cells = [right(region + 1), shown(start), shown(end), right(share_text(*share))];
            rows.add(cells.into_iter().chain(in_data.map(|share| right(percent(*share)))));
            output.object(|| {
                let key = |key: Option<&Vec<u8>>| key.map_or(Value::Null, |key| key_json(key));
                json!({
                    "region": region + 1,
                    "start": key(start),
                    "end": key(end),
                    "reachable": *share != Share::Unreachable,
                    "share": share.known(),
                    "at_most": if let Share::AtMost(share) = share { json!(share) } else { Value::Null },
                    "in_data": in_data,
                })
            })?;
        }
        output.rows(&rows)?;
        let (text, cure) = match self.is_even() {
            Some(false) => self.cure(),
            _ => (String::new(), Value::Null),
        };
        output.line(format!("{}\n{text}", self.verdict()).trim_end(), || {
            json!({
                "regions": self.shares.len(), "even": self.is_even(), "unreachable": self.unreachable(), "cure": cure
            })
        })?;
        Ok(())
    }

    fn verdict(&self) -> String {
        let regions = counted(self.shares.len(), "region");
        let assumed = split::assumed(self.subject.key()).map_or_else(String::new, |step| {
            format!("; `{}` is taken to use all of its digits evenly", step.label())
        });
        let seen: Vec<f64> = match &self.data {
            Some(data) => data.clone(),
            None => self.shares.iter().filter_map(|share| share.known()).collect(),
        };
        let largest = percent(seen.iter().copied().fold(0.0, f64::max));
        match self.is_even() {
            Some(true) => format!("even: {regions}, the fullest with {largest} of the rows{assumed}"),
            Some(false) => {
                let empty = seen.iter().filter(|share| **share == 0.0).count();
                format!(
                    "not even: of {regions} {empty} get nothing ({} no key can reach), the fullest gets {largest} (fair: {}){assumed}",
                    self.unreachable(),
                    percent(1.0 / self.shares.len() as f64)
                )
            }
            None => {
                format!("not known: how even {regions} are is not in the key; count records with --data DATA")
            }
        }
    }

    /// Better points and the command that prints them.
    fn cure(&self) -> (String, Value) {
        let regions = u32::try_from(self.shares.len()).unwrap_or(u32::MAX);
        let named = &self.subject.named;
        let by_key = self
            .data
            .is_none()
            .then(|| split::for_key_within(self.subject.key(), self.ranges, regions))
            .and_then(Result::ok);
        match by_key {
            Some(points) => {
                let shares = split::shares_within(self.subject.key(), self.ranges, &points);
                let most = shares.iter().filter_map(|share| share.known()).fold(0.0, f64::max);
                let listed: Vec<String> =
                    points.iter().take(15).map(|point| escape(point).to_string()).collect();
                let more = if points.len() > listed.len() { " …" } else { "" };
                let command = format!("rowkey split key --from {named} --regions {regions}");
                let text = format!(
                    "cure: cut at {}{more}\n      every region then gets something, the fullest {}\n      {command}",
                    listed.join(" "),
                    percent(most)
                );
                (text, json!({ "command": command, "fullest": most }))
            }
            None => {
                let command = format!("rowkey split sample --from {named} --data DATA --regions {regions}");
                (format!("cure: cut where the data is\n      {command}"), json!({ "command": command }))
            }
        }
    }
}

/// What a region gets, in words.
pub(super) fn share_text(share: Share) -> String {
    match share {
        Share::Unreachable => "0%, no key reaches it".to_owned(),
        Share::Known(share) => percent(share),
        Share::AtMost(share) if share >= 1.0 => "not known".to_owned(),
        Share::AtMost(share) => format!("at most {}", percent(share)),
    }
}

/// `43.75%`
pub(super) fn percent(share: f64) -> String {
    let rounded = (share * 10_000.0).round() / 100.0;
    format!("{rounded}%")
}

/// The shares that the key of a table lets expect, if it has a table file.
pub(super) fn expected(table: Option<&Table>, splits: &[Vec<u8>]) -> Vec<Share> {
    table.map_or_else(Vec::new, |table| split::shares(&table.key, splits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_rounded_to_two_digits() {
        assert_eq!([0.4375, 0.0, 1.0 / 3.0].map(percent), ["43.75%", "0%", "33.33%"]);
        assert_eq!(share_text(Share::AtMost(0.25)), "at most 25%");
    }
}

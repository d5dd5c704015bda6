//! `rowkey split hex|decimal|uniform|bytes|book-hex|key|salt|sample`

use anyhow::{Context, bail};
use rowkey_core::KeySchema;
use rowkey_core::escape::escape;
use rowkey_core::key::Step;
use rowkey_core::split::{self, Ranges, SampleSplits, Share};
use rowkey_lab::key_sample::KeySample;

use super::subject::Subject;
use super::{apply, print};
use crate::Answer;
use crate::args::{Points, SplitCommand as By};
use crate::key_text::KeyText;
use crate::output::{Output, counted, grouped};

pub(super) fn run(
    algorithm: &By,
    arguments: &Points,
    store: &str,
    output: &mut Output,
) -> anyhow::Result<Answer> {
    let subject = arguments.from.as_deref().map(|from| Subject::of(from, store)).transpose()?;
    let ranges = match &subject {
        Some(subject) => subject.ranges(&arguments.within)?,
        None => Ranges::new(),
    };
    let points = if matches!(algorithm, By::Sample(_)) {
        let subject = needed(&subject, "sample")?;
        let sample = subject.sample(&arguments.within, &arguments.weight)?;
        let splits =
            split::from_sample(sample.keys.iter().map(|(key, weight)| (key, *weight)), regions(arguments)?)?;
        tell_sample(&splits, &sample, regions(arguments)?, output);
        splits.points
    } else {
        let points = computed(algorithm, arguments, subject.as_ref(), &ranges)?;
        if let Some(subject) = &subject {
            tell_shares(subject, &ranges, &points, output);
        }
        points
    };
    if arguments.made.apply {
        let subject = needed(&subject, "--apply")?;
        return apply::run(subject, &points, arguments.made.dry_run, store, output);
    }
    print::points(
        &points,
        arguments.made.form,
        subject.as_ref().and_then(|subject| subject.table()),
        output,
    )?;
    Ok(Answer::Yes)
}

fn needed<'s>(subject: &'s Option<Subject>, what: &str) -> anyhow::Result<&'s Subject> {
    subject.as_ref().with_context(|| format!("{what} needs a key; name one, or a table file, with --from"))
}

fn regions(arguments: &Points) -> anyhow::Result<u32> {
    arguments.regions.context("into how many regions? say so with --regions N")
}

fn computed(
    algorithm: &By,
    arguments: &Points,
    subject: Option<&Subject>,
    ranges: &Ranges,
) -> anyhow::Result<Vec<Vec<u8>>> {
    let bounds = arguments.start.as_deref().zip(arguments.end.as_deref());
    let key =
        || subject.map(|subject| subject.key()).context("which key? name one, or a table file, with --from");
    Ok(match (algorithm, bounds) {
        (By::Hex(_), None) => split::hex(regions(arguments)?)?,
        (By::Hex(_), Some((start, end))) => split::digits_between(start, end, 16, regions(arguments)?)?,
        (By::Decimal(_), None) => split::decimal(regions(arguments)?)?,
        (By::Decimal(_), Some((start, end))) => split::digits_between(start, end, 10, regions(arguments)?)?,
        (By::Uniform(_), None) => split::uniform(regions(arguments)?)?,
        (By::BookHex(_), Some((start, end))) => split::book_hex(start, end, regions(arguments)?)?,
        (By::Bytes(_), Some((start, end))) => {
            let (start, end) = (KeyText::Escaped.read(start)?, KeyText::Escaped.read(end)?);
            let regions = regions(arguments)?;
            // HBase counts the bounds as keys: n between them make n + 3 regions.
            let between = regions
                .checked_sub(3)
                .context("`bytes` cuts at both bounds and between them; ask for 3 regions or more")?;
            split::bytes_split(&start, &end, between)?
        }
        (By::Bytes(_) | By::BookHex(_), None) => bail!("between which keys? give --start and --end"),
        (By::Key(_), None) => split::for_key_within(key()?, ranges, regions(arguments)?)?,
        (By::Salt(_), None) => match arguments.regions {
            Some(regions) => split::for_key_within(bucketed(key()?)?.0, ranges, regions)?,
            None => {
                let (key, buckets) = bucketed(key()?)?;
                split::for_key(key, buckets)?
            }
        },
        (By::Uniform(_) | By::Key(_) | By::Salt(_) | By::Sample(_) | By::Check(_), _) => {
            bail!("--start and --end belong to hex, decimal, book-hex and bytes; leave them out")
        }
    })
}

/// A key that begins with buckets, and how many there are.
fn bucketed(key: &KeySchema) -> anyhow::Result<(&KeySchema, u32)> {
    let first = key.steps().iter().find_map(|step| match step {
        Step::Value(step) => Some(step),
        Step::Literal(_) => None,
    });
    let count = first.filter(|step| step.is_bucket()).and_then(|step| step.bucket_count());
    let count = count.with_context(|| {
        format!(
            "{} does not begin with a salt or another bucket; use `rowkey split key`, or `split sample`",
            key.source()
        )
    })?;
    Ok((key, count))
}

/// What each region would get, on standard error.
fn tell_shares(subject: &Subject, ranges: &Ranges, points: &[Vec<u8>], output: &Output) {
    let shares = split::shares_within(subject.key(), ranges, points);
    let told = match split::is_even(&shares) {
        Some(true) => {
            let percent = |share: f64| format!("{:.2}%", share * 100.0);
            let known = shares.iter().filter_map(|share| share.known());
            let (least, most) =
                known.fold((1.0f64, 0.0f64), |(least, most), share| (least.min(share), most.max(share)));
            let assumed = split::assumed(subject.key())
                .map(|step| format!(", if `{}` uses all of its digits evenly", step.label()))
                .unwrap_or_default();
            let (least, most) = (percent(least), percent(most));
            let each = if least == most { least } else { format!("{least} to {most}") };
            format!("{}, each with {each} of the rows{assumed}", counted(shares.len(), "region"))
        }
        Some(false) => {
            let empty = shares.iter().filter(|share| **share == Share::Unreachable).count();
            format!(
                "these points do not fit the key: {empty} of {} can get no row; compare `rowkey split check` and `rowkey split key \
                 --from {} --regions {}`",
                counted(shares.len(), "region"),
                subject.named,
                shares.len()
            )
        }
        None => "how even the regions are is not known from the key; `rowkey split check --data DATA` counts"
            .to_owned(),
    };
    output.note(&told);
}

fn tell_sample(splits: &SampleSplits, sample: &KeySample, regions: u32, output: &Output) {
    let most = splits.shares.iter().copied().fold(0.0, f64::max) * 100.0;
    let least = splits.shares.iter().copied().fold(1.0, f64::min) * 100.0;
    output.note(&format!(
        "{}, each with {least:.2}% to {most:.2}% of the sample: {} of {} records, {} different keys",
        counted(splits.shares.len(), "region"),
        grouped(splits.keys as u64),
        grouped(sample.records),
        grouped(splits.distinct as u64)
    ));
    if splits.shares.len() < regions as usize {
        output
            .note(&format!("fewer than the {regions} regions asked for: there are not more different keys"));
    }
    for heavy in splits.heavy.iter().take(5) {
        let share = heavy.share * 100.0;
        output.note(&format!(
            "key {} alone has {share:.1}%, more than a region: no split point helps; a salt within it would",
            escape(&heavy.key)
        ));
    }
}

//! Rules on whether the key holds on the data.
//!
//! Rules over [`DataFacts`]; without data they have nothing to say.

use super::lead::bucket_count;
use crate::check::data::DataFacts;
use crate::check::rule::{Example, Rule};
use crate::check::salting::{BUCKETS, SKEW, respread};
use crate::check::subject::{Draft, Subject};
use crate::check::{Issue, Place, Severity};
use crate::key::FieldId;
use crate::remedy::Remedy;

/// Below this many sampled keys for each bucket or region, counts say little.
const ENOUGH: u64 = 20;
/// Of the last hundredth of the records, one region may have this share.
const LAST: f64 = 0.8;
/// Families whose numbers of rows differ by this factor.
const FAMILY_FACTOR: u64 = 10;
/// Keys are long from this mean on, in bytes, and from this length of a single one.
const LONG_MEAN: u64 = 64;
const LONG_KEY: u64 = 1024;

pub(crate) const DUPLICATE_KEYS: Rule = Rule {
    id: "duplicate-keys",
    summary: "Records of the data that have the same key: all but the last are overwritten.",
    story: "\
Two records with one key are one row. The later one replaces the earlier, cell by cell, without an error. The count is exact: it
compares 64-bit hashes of all keys, sorted outside of memory.",
    example: Example::Data("[user: u64][date(ts)]", "a user with two orders on one day", || DataFacts {
        records: 1000,
        duplicates: 12,
        duplicate_example: Some(("line 18".to_owned(), "line 431".to_owned())),
        ..DataFacts::default()
    }),
    check: duplicate_keys,
};

fn duplicate_keys(subject: &Subject<'_>) -> Vec<Issue> {
    let issue = |data: &DataFacts| {
        let (first, second) = data.duplicate_example.clone()?;
        let message = format!(
            "{} of {} records have the key of an earlier one and would replace it: {first} and {second}, for example",
            grouped(data.duplicates),
            grouped(data.records)
        );
        let cure = "add a field that tells them apart at the end of the key, such as a number that its writer counts up";
        Some(Draft::new(Place::Key, &DUPLICATE_KEYS, Severity::Error).because(message).cure(cure, None))
    };
    data(subject).filter(|data| data.duplicates > 0).and_then(issue).into_iter().collect()
}

pub(crate) const VALUES_MISFIT: Rule = Rule {
    id: "values-misfit",
    summary: "Records of the data that do not fit their fields, or have no key.",
    story: "\
A number past its type, a text with the delimiter in it, a null where none may be: such a record cannot be written. A load stops
at the first; this rule counts them all.",
    example: Example::Data("[id: u8][name]", "ids up to 300", || DataFacts {
        records: 955,
        refused: 45,
        refused_first: vec!["data.csv, line 258: field `id`: 256 does not fit u8, which holds 0 to 255".to_owned()],
        ..DataFacts::default()
    }),
    check: values_misfit,
};

fn values_misfit(subject: &Subject<'_>) -> Vec<Issue> {
    let issue = |data: &DataFacts| {
        let all = data.records + data.refused;
        let message = format!(
            "{} of {} records cannot be written; the first: {}",
            grouped(data.refused),
            grouped(all),
            data.refused_first.first().map_or("", String::as_str)
        );
        let cure = "give the field a type that holds its values, `?` where it may be empty, or mend the data";
        Draft::new(Place::Key, &VALUES_MISFIT, Severity::Warning).because(message).cure(cure, None)
    };
    data(subject).filter(|data| data.refused > 0).map(issue).into_iter().collect()
}

pub(crate) const STEPPED_BUCKETS: Rule = Rule {
    id: "stepped-buckets",
    summary: "Buckets that no record of the data ever falls into.",
    story: "\
A remainder spreads only what differs in it. Times in whole seconds are multiples of 1000 milliseconds, so `ts % 10` is always 0:
ten buckets, one region. Ids that go in steps of 31 all have the same 31-polynomial hash modulo 31.",
    example: Example::Data("[ts % 10][ts: timestamp]", "times in whole seconds", || DataFacts {
        records: 100_000,
        buckets: vec![100_000, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        multiples: vec![(FieldId(0), 1000)],
        ..DataFacts::default()
    }),
    check: stepped_buckets,
};

fn stepped_buckets(subject: &Subject<'_>) -> Vec<Issue> {
    let issue = |data: &DataFacts| {
        let part = subject.parts.first()?;
        let used = data.buckets.iter().filter(|count| **count > 0).count();
        let fields = part.step.fields();
        let steps = data.multiples.iter().filter(|(field, multiple)| *multiple > 1 && fields.contains(field));
        let steps: Vec<String> = steps
            .map(|(field, multiple)| {
                format!("`{}` is always a multiple of {}", subject.name(*field), grouped(*multiple))
            })
            .collect();
        let because = if steps.is_empty() { String::new() } else { format!(": {}", steps.join(", ")) };
        let message =
            format!("only {used} of {} values of `{}` ever come{because}", data.buckets.len(), part.text());
        Some(salted(subject, subject.at(part, &STEPPED_BUCKETS, Severity::Warning).because(message)))
    };
    data(subject).filter(|data| unused_buckets(data)).and_then(issue).into_iter().collect()
}

fn unused_buckets(data: &DataFacts) -> bool {
    is_enough(&data.buckets) && data.buckets.contains(&0)
}

pub(crate) const SKEW_OF_DATA: Rule = Rule {
    id: "skew",
    summary: "A bucket or region that gets more than twice its share of the data.",
    story: "\
A salt spreads keys as well as the values that it hashes: one user with half of all orders makes one bucket with half of all
rows, however many buckets there are. Measured on a sample of the keys of the data; the threshold is twice the mean.",
    example: Example::Data(
        "[salt(4, user)][user: u64][ts: timestamp]",
        "one user with two thirds of all records",
        || DataFacts { records: 1000, buckets: vec![110, 660, 120, 110], ..DataFacts::default() },
    ),
    check: skew,
};

fn skew(subject: &Subject<'_>) -> Vec<Issue> {
    let Some(data) = data(subject).filter(|data| !unused_buckets(data)) else { return Vec::new() };
    let (counts, noun) = match data.buckets.as_slice() {
        [] if data.own_regions => (&data.regions, "region"),
        _ => (&data.buckets, "bucket"),
    };
    let (all, most) = (counts.iter().sum::<u64>(), counts.iter().max().copied().unwrap_or(0));
    let mean = all as f64 / counts.len().max(1) as f64;
    if !is_enough(counts) || most as f64 <= SKEW * mean {
        return Vec::new();
    }
    let message = format!(
        "the busiest {noun} of {} gets {:.0}% of the records, {:.1} times the mean (threshold {SKEW:.0})",
        counts.len(),
        most as f64 / all as f64 * 100.0,
        most as f64 / mean
    );
    let draft = match subject.parts.first() {
        Some(part) => subject.at(part, &SKEW_OF_DATA, Severity::Warning),
        None => Draft::new(Place::Key, &SKEW_OF_DATA, Severity::Warning),
    };
    let draft = draft.because(message);
    vec![match noun {
        "bucket" => salted(subject, draft),
        _ if newest(data).is_some() => draft
            .cure("other cuts do not help, because new rows all go to one region: see rising-writes", None),
        _ => draft.cure(format!("cut the table at quantiles of the data: {}", Remedy::SplitSample), None),
    }]
}

/// Ends with the salt that spreads these records, in the place of the bucket that does not.
fn salted(subject: &Subject<'_>, draft: Draft) -> Issue {
    let first = subject.parts.first().map(|part| &part.expr);
    let regions = i128::try_from(subject.context.splits.len() + 1).unwrap_or(BUCKETS);
    let count = first.and_then(bucket_count).unwrap_or(if regions > 1 { regions } else { BUCKETS });
    match respread(subject, count) {
        Ok((made, Some(rewritten))) => {
            let names: Vec<String> =
                made.fields.iter().map(|id| format!("`{}`", subject.name(*id))).collect();
            draft.cure(
                format!("begin with a salt over what tells rows apart: {}", names.join(", ")),
                Some(rewritten),
            )
        }
        Ok((_, None)) => draft.cure("add a field that tells the records apart, and salt by it", None),
        Err(why) => draft.cure(why.text(), None),
    }
}

/// The share of the newest records that go to one region, if that is too much.
fn newest(data: &DataFacts) -> Option<f64> {
    let (all, most) = (data.last.iter().sum::<u64>(), data.last.iter().max().copied()?);
    let share = most as f64 / all.max(1) as f64;
    (data.last.len() >= 4 && share >= LAST).then_some(share)
}

pub(crate) const RISING_WRITES: Rule = Rule {
    id: "rising-writes",
    summary: "The newest records of the data all go to one region.",
    story: "\
What `rising-lead` says of a key by its types, this rule measures: in the order of the data, which region gets the last hundredth?
Where the table has no split points yet, the data before it is cut into 16 regions of one size. A spread key sends a
sixteenth to each; a rising one sends everything to the last, and that server does all the work.",
    example: Example::Data("[ts: timestamp][user: u64]", "a log in the order of time", || DataFacts {
        records: 1_000_000,
        last: [vec![0; 15], vec![655]].concat(),
        ..DataFacts::default()
    }),
    check: rising_writes,
};

fn rising_writes(subject: &Subject<'_>) -> Vec<Issue> {
    let issue = |data: &DataFacts| {
        let share = newest(data)?;
        let part = subject.parts.first()?;
        let message = format!(
            "monotonic prefix: of the last {} writes {:.0}% land in 1 of {} regions (threshold {:.0}%)",
            grouped((data.records / 100).max(1)),
            share * 100.0,
            data.last.len(),
            LAST * 100.0
        );
        Some(salted(subject, subject.at(part, &RISING_WRITES, Severity::Warning).because(message)))
    };
    data(subject).and_then(issue).into_iter().collect()
}

pub(crate) const LONG_KEYS: Rule = Rule {
    id: "long-keys",
    summary: "Texts of the data that make keys long.",
    story: "\
Every cell repeats its row key, so a key of 100 bytes in a row of five cells costs 500. What `length` guesses from types, this rule
measures.",
    example: Example::Data("[url]", "web addresses", || DataFacts {
        records: 1000,
        key_bytes: 91_000,
        longest_key: 1780,
        ..DataFacts::default()
    }),
    check: long_keys,
};

fn long_keys(subject: &Subject<'_>) -> Vec<Issue> {
    let issue = |data: &DataFacts| {
        let mean = data.key_bytes / data.records.max(1);
        if mean <= LONG_MEAN && data.longest_key <= LONG_KEY {
            return None;
        }
        let message = format!(
            "a key has {mean} bytes on average, the longest {} (thresholds {LONG_MEAN} and {LONG_KEY})",
            grouped(data.longest_key)
        );
        let cure = "put a hash of the long text into the key, such as md5(text).bytes(8), and the text into a column";
        Some(Draft::new(Place::Key, &LONG_KEYS, Severity::Hint).because(message).cure(cure, None))
    };
    data(subject).and_then(issue).into_iter().collect()
}

pub(crate) const FAMILY_CARDINALITY: Rule = Rule {
    id: "family-cardinality",
    summary: "Families of one table with very different numbers of rows.",
    story: "\
Regions are cut by the largest family. If one family has a value in every row and another in every hundredth, the small one is
spread thin over all regions, and reading all of it touches every one of them.",
    example: Example::Data(
        r#"
[table]
name = "t"
key = "[id]"
[fields]
id = "uuid"
name = "text?"
photo = "bytes?"
[families.d]
columns = { n = "name" }
[families.p]
columns = { p = "photo" }
"#,
        "few records with a photo",
        || DataFacts { records: 1000, families: vec![1000, 7], ..DataFacts::default() },
    ),
    check: family_cardinality,
};

fn family_cardinality(subject: &Subject<'_>) -> Vec<Issue> {
    let Some(data) = data(subject) else { return Vec::new() };
    let families = subject.context.families.iter().zip(&data.families);
    let with_columns = families
        .filter(|(family, _)| subject.context.columns.iter().any(|column| column.family == family.name));
    let with_columns: Vec<_> = with_columns.collect();
    let Some((largest, most)) = with_columns.iter().max_by_key(|(_, rows)| **rows) else { return Vec::new() };
    let small = with_columns.iter().filter(|(_, rows)| **rows * FAMILY_FACTOR <= **most && **most > 0);
    let issue = |(family, rows): &(&crate::table::FamilySpec, &u64)| {
        let message = format!(
            "family `{}` has a value in {} of {} records, family `{}` in {}: {FAMILY_FACTOR} times as many or more",
            family.name,
            grouped(**rows),
            grouped(data.records),
            largest.name,
            grouped(**most)
        );
        let place = Place::Setting(vec!["families".to_owned(), family.name.clone()]);
        Draft::new(place, &FAMILY_CARDINALITY, Severity::Warning)
            .because(message)
            .cure("keep it in a table of its own with the same key, or in the same family", None)
    };
    small.map(issue).collect()
}

fn data<'a>(subject: &Subject<'a>) -> Option<&'a DataFacts> {
    subject.context.data
}

/// Whether there are enough counts to say something about each.
fn is_enough(counts: &[u64]) -> bool {
    counts.len() > 1 && counts.iter().sum::<u64>() >= ENOUGH * counts.len() as u64
}

/// `1,234,567`
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

//! Do the regions of the table fit the buckets of the key?

use super::lead::{PLAIN, bucket_count};
use crate::check::expr::{call, digest, make_modulo, map, modulo, salt_of};
use crate::check::rule::{Example, Rule};
use crate::check::subject::{Part, Subject};
use crate::check::{Issue, Severity};
use crate::escape::escape;
use crate::key::{KeySchema, Step, ValueStep};
use crate::notation::{Expr, ExprKind};
use crate::span::Span;
use crate::types::Order;

/// A region may have this much more than its fair share.
const TOLERANCE: f64 = 1.25;
/// Above this many regions, shares are summed up.
const LISTED: usize = 12;

pub(crate) const SALT_SPLITS: Rule = Rule {
    id: "salt-splits",
    summary: "Split points that do not fit the values the key begins with.",
    story: "\
A pre-split table spreads load only if its split points lie between the values that keys begin with. Five buckets on four
regions give one region 40% of the rows. Hex text split as if every byte could occur (`Bytes.split` from `0` to `f`) fills only
3 of 10 regions, because there is nothing between `9` and `a`. The shares below are counted over all values of the first
part.",
    example: Example::File(
        r#"
[table]
name = "t"
key = "[id % 5: decimal(1)][id]"
splits = ["1", "2", "3"]
[fields]
id = "u64"
[families.d]
"#,
    ),
    check: salt_splits,
};

fn salt_splits(subject: &Subject<'_>) -> Vec<Issue> {
    unfit(subject).into_iter().collect()
}

fn unfit(subject: &Subject<'_>) -> Option<Issue> {
    let splits = &subject.context.splits;
    let first = subject.parts.first()?;
    if splits.is_empty() || wrong_case(subject).is_some() {
        return None;
    }
    let found = points(subject.key)?;
    let regions = shares(&found, splits);
    if is_even(&regions) {
        return None;
    }
    let what = match first.step.value_count() {
        Some(count) if count <= 1024 => format!("{count} values"),
        _ => "the values".to_owned(),
    };
    let message = format!("{what} of `{}` on {} regions: {}", first.text(), regions.len(), shown(&regions));
    let rewritten = with_count(&first.expr, regions.len())
        .and_then(|expr| subject.rewrite().replace(first, expr, first.suffix).finish())
        .filter(|source| {
            let points = subject.compile(source).and_then(|key| points(&key));
            points.is_some_and(|points| is_even(&shares(&points, splits)))
        });
    let cure = if first.step.is_bucket() {
        "use as many buckets as regions, or splits = \"salt\", which cuts between the buckets".to_owned()
    } else {
        format!("cut at {}", even_cuts(found, regions.len()))
    };
    Some(subject.at(first, &SALT_SPLITS, Severity::Warning).because(message).cure(cure, rewritten))
}

/// The first bytes that keys can have, evenly taken; `None` if the first part has no known values.
fn points(key: &KeySchema) -> Option<Vec<Vec<u8>>> {
    let (before, step) = match key.steps() {
        [Step::Value(step), ..] => (&[][..], step),
        [Step::Literal(before), Step::Value(step), ..] => (before.as_slice(), step),
        _ => return None,
    };
    let values = match step.bucket_count() {
        Some(count) if count <= 1 << 16 => {
            (0..count).filter_map(|number| step.bucket_bytes(number)).collect()
        }
        _ => digest_points(step)?,
    };
    Some(values.into_iter().map(|value| [before, &value].concat()).collect())
}

/// The first four hex digits, or two bytes, of a long digest, each followed by the middle of what can follow.
fn digest_points(step: &ValueStep) -> Option<Vec<Vec<u8>>> {
    let width = step.width?;
    if step.order() == Order::Descending || !step.is_digest() || width < 4 {
        return None;
    }
    let all = 0..=u16::MAX;
    Some(match step.hex_is_upper() {
        Some(is_upper) => all
            .map(|number| {
                let digits = format!("{number:04x}{}", "8".repeat(width - 4));
                if is_upper { digits.to_uppercase().into_bytes() } else { digits.into_bytes() }
            })
            .collect(),
        None => {
            all.map(|number| [number.to_be_bytes().as_slice(), &vec![0x80; width - 2]].concat()).collect()
        }
    })
}

/// The share of each region, as a fraction.
fn shares(points: &[Vec<u8>], splits: &[Vec<u8>]) -> Vec<f64> {
    let mut rows = vec![0u32; splits.len() + 1];
    for point in points {
        let region = splits.partition_point(|split| split <= point);
        if let Some(rows) = rows.get_mut(region) {
            *rows += 1;
        }
    }
    let all = f64::from(rows.iter().sum::<u32>().max(1));
    rows.into_iter().map(|rows| f64::from(rows) / all).collect()
}

fn is_even(regions: &[f64]) -> bool {
    let fair = 1.0 / f64::from(u32::try_from(regions.len()).unwrap_or(u32::MAX));
    regions.iter().all(|share| *share > 0.0 && *share <= TOLERANCE * fair)
}

fn shown(regions: &[f64]) -> String {
    if regions.len() <= LISTED {
        let all: Vec<String> =
            regions.iter().map(|share| format!("{}", (share * 10_000.0).round() / 100.0)).collect();
        return format!("they get {}% of the rows", all.join(" / "));
    }
    let fullest = regions.iter().copied().fold(0.0, f64::max);
    let empty = regions.iter().filter(|share| **share == 0.0).count();
    format!("the fullest gets {:.1}% of the rows, {empty} get none", fullest * 100.0)
}

/// Split points that cut the values into regions of one size.
fn even_cuts(mut points: Vec<Vec<u8>>, regions: usize) -> String {
    points.sort();
    let cut = |index: usize| points.get(index * points.len() / regions);
    let cuts = (1..regions.min(LISTED)).filter_map(cut);
    let all: Vec<String> = cuts.map(|key| escape(key.get(..4).unwrap_or(key)).to_string()).collect();
    let more = if regions > LISTED { ", and so on" } else { "" };
    format!("{}{more}", all.join(", "))
}

/// The same buckets in another number.
fn with_count(expr: &Expr, regions: usize) -> Option<Expr> {
    let count = i128::try_from(regions).ok().filter(|count| *count > 1)?;
    bucket_count(expr)?;
    if let Some((of, _)) = modulo(expr) {
        return Some(make_modulo(of.clone(), count));
    }
    let hashed = call(expr, "salt")?.get(1..)?.to_vec();
    Some(salt_of(Expr { span: Span::default(), kind: ExprKind::Number(count) }, hashed))
}

pub(crate) const CASE_HEX: Rule = Rule {
    id: "case-hex",
    summary: "Hex in one case in the key and in the other in the split points.",
    story: "\
`A` is byte 41, `a` is byte 61. A key that begins with upper-case hex never reaches the regions that lower-case split
points cut off, and the other way round: from `a` on everything is one region. Hashes in this notation are lower case, as
are the points that `rowkey split hex` prints.",
    example: Example::File(
        r#"
[table]
name = "t"
key = "[md5(id).upper().subStr(0,4)][id]"
splits = ["4", "8", "c"]
[fields]
id = "u64"
[families.d]
"#,
    ),
    check: case_hex,
};

fn case_hex(subject: &Subject<'_>) -> Vec<Issue> {
    let Some((first, is_upper, split)) = wrong_case(subject) else { return Vec::new() };
    let (own, other) = if is_upper { ("upper", "lower") } else { ("lower", "upper") };
    let message = format!(
        "`{}` is {own}-case hex, but the split point `{}` is {other} case: `{}` and what follows cut nothing",
        first.text(),
        escape(split),
        if is_upper { "a" } else { "A" }
    );
    let rewritten = is_upper.then(|| {
        let strip = |expr: &Expr| {
            call(expr, "upper").and_then(<[Expr]>::first).filter(|of| digest(of).is_some()).cloned()
        };
        let lower = map(&first.expr, &strip);
        subject.rewrite().replace(first, lower, first.suffix).finish()
    });
    let cure = format!("write the split points in {own} case, or the key in {other} case");
    let draft = subject.at(first, &CASE_HEX, Severity::Warning).because(message);
    vec![draft.cure(cure, rewritten.flatten())]
}

/// The first part if it is hex, whether in upper case, and the first split point in the other case.
fn wrong_case<'s>(subject: &'s Subject<'_>) -> Option<(&'s Part<'s>, bool, &'s [u8])> {
    let first = subject.parts.first().filter(|part| part.suffix.order == PLAIN.order)?;
    let is_upper = first.step.hex_is_upper()?;
    let before = match subject.key.steps() {
        [Step::Literal(before), ..] => before.as_slice(),
        _ => &[],
    };
    let wrong =
        |byte: &u8| if is_upper { (b'a'..=b'f').contains(byte) } else { (b'A'..=b'F').contains(byte) };
    let mut splits = subject.context.splits.iter().map(Vec::as_slice);
    let split = splits.find(|split| {
        let hex = split.strip_prefix(before).unwrap_or_default();
        hex.iter().all(u8::is_ascii_hexdigit) && hex.iter().any(wrong)
    })?;
    Some((first, is_upper, split))
}

//! Rules on whether the regions of the table fit the buckets of the key.

use super::lead::{PLAIN, bucket_count};
use crate::check::expr::{call, digest, make_modulo, map, modulo, salt_of};
use crate::check::rule::{Example, Rule};
use crate::check::subject::{Subject, ValuePart};
use crate::check::{Issue, Severity};
use crate::escape::escape;
use crate::key::{KeySchema, Step};
use crate::notation::{Expr, ExprKind};
use crate::remedy::Remedy;
use crate::span::Span;
use crate::split::{self, Share, is_even, shares};

/// Above this many regions, shares are summed up.
const LISTED: usize = 12;

pub(crate) const SALT_SPLITS: Rule = Rule {
    id: "salt-splits",
    summary: "Split points that do not fit the values the key begins with.",
    story: "\
A pre-split table spreads load only if its split points lie between the values that keys begin with. Five buckets on four
regions give one region 40% of the rows. Hex text split as if every byte could occur (`Bytes.split` from `0` to `f`) fills only
3 of 10 regions, because there is nothing between `9` and `a`. The shares below are computed from all values that keys can
begin with; `rowkey split check` shows them for every region.",
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
    if splits.is_empty() || wrong_case(subject).is_some() || fits(subject.key, splits) != Some(false) {
        return None;
    }
    let regions = shares(subject.key, splits);
    let what = match first.step.value_count() {
        Some(count) if count <= 1024 => format!("{count} values"),
        _ => "the values".to_owned(),
    };
    let message = format!("{what} of `{}` on {} regions: {}", first.text(), regions.len(), shown(&regions));
    let rewritten = with_count(&first.expr, regions.len())
        .and_then(|expr| subject.rewrite().replace(first, expr, first.suffix).finish())
        .filter(|source| subject.compile(source).is_some_and(|key| fits(&key, splits) == Some(true)));
    let cure = if first.step.is_bucket() {
        "use as many buckets as regions, or splits = \"salt\", which cuts between the buckets".to_owned()
    } else {
        better_cuts(subject.key, regions.len())
    };
    Some(subject.at(first, &SALT_SPLITS, Severity::Warning).because(message).cure(cure, rewritten))
}

/// Whether the regions are even; `None` if that is not known. Digits that are only taken to be even prove nothing but which
/// regions no key reaches.
fn fits(key: &KeySchema, splits: &[Vec<u8>]) -> Option<bool> {
    let regions = shares(key, splits);
    let assumed = split::assumed(key).is_some();
    is_even(&regions).filter(|even| *even || !assumed || regions.contains(&Share::Unreachable))
}

fn shown(regions: &[Share]) -> String {
    let percent = |share: f64| (share * 10_000.0).round() / 100.0;
    if regions.len() <= LISTED {
        let all = regions.iter().map(|share| match share {
            Share::Unreachable => "0".to_owned(),
            Share::Known(share) => percent(*share).to_string(),
            Share::AtMost(_) => "?".to_owned(),
        });
        return format!("they get {}% of the rows", all.collect::<Vec<_>>().join(" / "));
    }
    let known = regions.iter().filter_map(|share| share.known());
    let fullest = known.clone().fold(0.0, f64::max);
    let empty = known.filter(|share| *share == 0.0).count();
    format!("the fullest gets {:.1}% of the rows, {empty} get none", fullest * 100.0)
}

/// Where to cut instead.
fn better_cuts(key: &KeySchema, regions: usize) -> String {
    let points = u32::try_from(regions).ok().and_then(|regions| split::for_key(key, regions).ok());
    let Some(points) = points else {
        return format!("cut where the data is: {} finds the points", Remedy::SplitSample);
    };
    let all: Vec<String> = points.iter().take(LISTED - 1).map(|key| escape(key).to_string()).collect();
    let more = if points.len() > all.len() { ", and so on" } else { "" };
    format!("cut at {}{more}", all.join(", "))
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
fn wrong_case<'s>(subject: &'s Subject<'_>) -> Option<(&'s ValuePart<'s>, bool, &'s [u8])> {
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

//! Rules on whether the first bytes of the key spread the writes.

use crate::check::expr::{call, constant};
use crate::check::guess::{self, Likely};
use crate::check::range::follows;
use crate::check::rule::{Example, Rule};
use crate::check::salting::{BUCKETS, NoSalt, is_steady, salting};
use crate::check::subject::{Guess, Subject, ValuePart};
use crate::check::{Issue, Severity};
use crate::notation::{Expr, ExprKind, Suffix};
use crate::types::{Kind, Order};

pub(crate) const RISING_LEAD: Rule = Rule {
    id: "rising-lead",
    summary: "The key begins with something that only rises or only falls.",
    story: "\
A table is cut into regions by key. Where the key begins with the time, a counter, or a reversed time, each new row
sorts behind (or before) all others, so that one region takes every write while the other servers wait; after it
splits, its successor does. `Long.MAX_VALUE - ts` and `desc` only move the hot spot from the last region to the first.
Begin with what rows are looked up by, such as a user, or with a salt that a reader can compute.",
    example: Example::Key("[Long.MAX_VALUE - ts][film: u64]"),
    check: rising_lead,
};

fn rising_lead(subject: &Subject<'_>) -> Vec<Issue> {
    rising(subject).into_iter().collect()
}

/// The end of a table that takes every new row of a key that rises or falls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    /// The first region: each new key sorts before all others.
    First,
    /// The last region.
    Last,
}

/// Where the new rows of a key go, if they all go to one end, and what [`RISING_LEAD`] says about it.
pub(in crate::check) fn edge(subject: &Subject<'_>) -> Option<(Edge, Issue)> {
    let issue = rising(subject).filter(|issue| issue.severity >= Severity::Warning)?;
    let first = subject.parts.first()?;
    let (_, order) = follows(&first.expr)?;
    Some((edge_of(first, order), issue))
}

fn edge_of(first: &ValuePart<'_>, order: Order) -> Edge {
    let falls = (order == Order::Descending) != (first.suffix.order == Order::Descending);
    if falls { Edge::First } else { Edge::Last }
}

fn rising(subject: &Subject<'_>) -> Option<Issue> {
    let first = subject.parts.first()?;
    let (name, order) = follows(&first.expr)?;
    let (_, field_of) = subject.field(name)?;
    let is_reversed = order == Order::Descending && field_of.ty.kind() == Kind::Integer;
    let (guess, what, severity) = if field_of.ty.kind() == Kind::Time {
        (Guess(false), "a time", Severity::Warning)
    } else if is_reversed {
        // Numbers are taken from a maximum so that the newest comes first.
        (Guess(false), "reversed so that the newest comes first", Severity::Warning)
    } else {
        by_name(subject, name)?
    };
    let (direction, region) = match edge_of(first, order) {
        Edge::First => ("falls", "first"),
        Edge::Last => ("rises", "last"),
    };
    let regions = match subject.context.splits.len() {
        0 => format!("the {region} region takes every new row"),
        cuts => format!("the {region} of {} regions takes every new row", cuts + 1),
    };
    let by = guess.words();
    let message = format!("the key begins with `{name}`, which is {what}{by}: it {direction}, and {regions}");
    let draft = subject.at(first, &RISING_LEAD, severity).guess(guess).because(message);
    let count = if subject.context.splits.is_empty() { BUCKETS } else { regions_of(subject) };
    // A salt that stands further back only has to be moved, if it spreads rows.
    let own = subject.parts.iter().find(|part| is_salt(&part.expr));
    let own_fields = own.map(|part| part.step.fields()).unwrap_or_default();
    let made = match salting(subject, count, &own_fields) {
        Ok(made) => made,
        Err(why) => return Some(draft.cure(why.text(), None)),
    };
    let rewrite = own.map_or_else(|| subject.rewrite(), |part| subject.rewrite().remove(part));
    if let Some(part) = own.filter(|_| made.fields == own_fields) {
        let moved = rewrite.lead_with(part.expr.clone(), part.suffix).finish();
        return Some(draft.cure(format!("put `{}` first", part.text()), moved));
    }
    let cure = match entity(subject, name) {
        Some(entity) => format!(
            "begin with what rows are looked up by, such as `{entity}`, or with a salt, which costs {count} ranges for a \
             scan across all of them"
        ),
        None => format!("begin with a salt; a scan by `{name}` then reads {count} ranges"),
    };
    Some(draft.cure(cure, rewrite.lead_with(made.expr, PLAIN).finish()))
}

fn by_name(subject: &Subject<'_>, name: &str) -> Option<(Guess, &'static str, Severity)> {
    let (id, field) = subject.field(name)?;
    if !guess::may_be_time(field.ty) {
        return None;
    }
    let is_alone = match subject.context.identity {
        Some(identity) => identity == [id],
        None => subject.key.named_fields() == [id],
    };
    // Declared text may well be random; an inferred type says nothing.
    let severity = match field.ty.kind() {
        Kind::Text if !subject.is_inferred(name) => Severity::Hint,
        _ => Severity::Warning,
    };
    match guess::likely(name)? {
        Likely::Time => Some((Guess(true), "a time", Severity::Warning)),
        Likely::Counter => Some((Guess(true), "counted up", severity)),
        Likely::Event => Some((Guess(true), "given out in rising order", severity)),
        Likely::Thing if is_alone => Some((Guess(true), "given out in rising order", Severity::Hint)),
        Likely::Thing => None,
    }
}

/// A field that new rows do not order: what rows may be looked up by.
fn entity<'s>(subject: &Subject<'s>, lead: &str) -> Option<&'s str> {
    let steady = subject.key.named_fields().into_iter().filter(|id| is_steady(subject, *id));
    steady.map(|id| subject.name(id)).find(|name| *name != lead)
}

fn regions_of(subject: &Subject<'_>) -> i128 {
    i128::try_from(subject.context.splits.len() + 1).unwrap_or(BUCKETS).max(2)
}

pub(crate) const RANDOM_UNREADABLE: Rule = Rule {
    id: "random-unreadable",
    summary: "A random part before others: no reader can compute the key again.",
    story: "\
A random salt spreads writes, but the bucket of a row cannot be computed afterwards. A Get has to try all of them,
and a row that is written again lands in another bucket: `a-foo0003` and `c-foo0003` are then two rows of one record.
A salt that is computed from the record's fields spreads as well, and a Get finds its row.",
    example: Example::Key("[random(4)][user: u64][id: u64]"),
    check: random_unreadable,
};

fn random_unreadable(subject: &Subject<'_>) -> Vec<Issue> {
    let Some((_, before_last)) = subject.parts.split_last() else { return Vec::new() };
    let random = before_last.iter().filter(|part| part.step.is_random());
    random
        .map(|part| {
            let count = buckets(part);
            let message = format!(
                "no reader can compute `{}`: a Get has to try {count} keys, and a record that is written twice becomes \
                 two rows in {} of {count} cases",
                part.text(),
                count.saturating_sub(1),
            );
            let draft = subject.at(part, &RANDOM_UNREADABLE, Severity::Warning).because(message);
            match as_salt(subject, part) {
                Ok(salt) => {
                    let rewritten = salt.and_then(|expr| subject.rewrite().replace(part, expr, part.suffix).finish());
                    draft.cure("use a salt computed from fields", rewritten)
                }
                Err(why) => draft.cure(why.text(), None),
            }
        })
        .collect()
}

fn buckets(part: &ValuePart<'_>) -> u128 {
    part.step.value_count().unwrap_or(0)
}

/// The salt with the same buckets: it spreads as widely as the draw did.
fn as_salt(subject: &Subject<'_>, part: &ValuePart<'_>) -> Result<Option<Expr>, NoSalt> {
    let mut expr = salting(subject, BUCKETS, &[])?.expr;
    let drawn = call(&part.expr, "random").and_then(<[Expr]>::first);
    let ExprKind::Call(salt) = &mut expr.kind else { return Ok(None) };
    Ok(salt.arguments.first_mut().zip(drawn).map(|(buckets, drawn)| *buckets = drawn.clone()).map(|()| expr))
}

pub(crate) const SUFFIX_NO_SPREAD: Rule = Rule {
    id: "suffix-no-spread",
    summary: "A salt or random part at the end: it moves no row to another region.",
    story: "\
Regions are cut by the first bytes of the key. What stands at the end decides only among rows that are equal in all
that comes before, so it never takes load off a region. A random suffix has a price all the same: a Get cannot
compute it, and a record that is written again becomes a second row.",
    example: Example::Key("[user: u64][order: u64][random(100)]"),
    check: suffix_no_spread,
};

fn suffix_no_spread(subject: &Subject<'_>) -> Vec<Issue> {
    let Some((last, [_, ..])) = subject.parts.split_last() else { return Vec::new() };
    let draft = subject.at(last, &SUFFIX_NO_SPREAD, Severity::Warning);
    if last.step.is_random() {
        let message = format!(
            "`{}` stands at the end, where it moves no row to another region; it only makes a Get impossible and \
             writes a record again under another key",
            last.text()
        );
        return vec![draft.because(message).cure("leave it away", subject.rewrite().remove(last).finish())];
    }
    if is_salt(&last.expr) {
        let message = format!("`{}` stands at the end, where it moves no row to another region", last.text());
        let (draft, own) = (draft.because(message), last.step.fields());
        let rewrite = subject.rewrite().remove(last);
        return vec![match salting(subject, bucket_count(&last.expr).unwrap_or(BUCKETS), &own) {
            Ok(made) if made.fields == own => {
                draft.cure("put it first", rewrite.lead_with(last.expr.clone(), last.suffix).finish())
            }
            Ok(made) => draft.cure(
                format!("put a salt first, over what tells rows apart: `{}`", made.expr),
                rewrite.lead_with(made.expr, PLAIN).finish(),
            ),
            Err(why) => draft.cure(format!("leave it away: {}", why.text()), rewrite.finish()),
        }];
    }
    Vec::new()
}

fn is_salt(expr: &Expr) -> bool {
    ["salt", "phoenix_salt", "opentsdb_salt"].iter().any(|name| call(expr, name).is_some())
}

/// The number of buckets of `salt(n, …)`, `x % n` or `x.rem(n)`.
pub(in crate::check) fn bucket_count(expr: &Expr) -> Option<i128> {
    use crate::check::expr::{modulo, remainder};
    modulo(expr).or_else(|| remainder(expr)).map(|(_, count)| count).or_else(|| {
        let arguments = call(expr, "salt")?;
        arguments.first().and_then(constant)
    })
}

/// A suffix that says nothing.
pub(in crate::check) const PLAIN: Suffix =
    Suffix { ty: None, nulls: crate::types::Nulls::Refused, order: Order::Ascending };

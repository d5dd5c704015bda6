//! Do the first bytes of the key spread the writes?

use crate::check::expr::{call, constant, field, salt, salt_of};
use crate::check::guess::{self, Likely};
use crate::check::range::follows;
use crate::check::rule::{Example, Rule};
use crate::check::subject::{Guess, Part, Subject};
use crate::check::{Issue, Severity};
use crate::notation::{Expr, Suffix};
use crate::types::{Kind, Order};

/// How many buckets a cure proposes where the table does not say how many regions it has.
pub(super) const BUCKETS: i128 = 16;

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
    let falls = (order == Order::Descending) != (first.suffix.order == Order::Descending);
    let (direction, region) = if falls { ("falls", "first") } else { ("rises", "last") };
    let regions = match subject.context.splits.len() {
        0 => format!("the {region} region takes every new row"),
        cuts => format!("the {region} of {} regions takes every new row", cuts + 1),
    };
    let by = guess.words();
    let message = format!("the key begins with `{name}`, which is {what}{by}: it {direction}, and {regions}");
    let entity = entity(subject, name);
    let hashed = entity.unwrap_or(name);
    let count = if subject.context.splits.is_empty() { BUCKETS } else { regions_of(subject) };
    // A salt that stands further back only has to be moved.
    let own = subject.parts.iter().find(|part| is_salt(&part.expr));
    let rewritten = match own {
        Some(part) => subject.rewrite().remove(part).lead_with(part.expr.clone(), part.suffix),
        None => subject.rewrite().lead_with(salt(count, [field(hashed)]), PLAIN),
    };
    let rewritten = rewritten.finish();
    let cure = match (own, entity) {
        (Some(part), _) => format!("put `{}` first", part.text()),
        (None, Some(entity)) => format!(
            "begin with what rows are looked up by, such as `{entity}`, or with a salt, which costs {count} ranges for a \
             scan across all of them"
        ),
        (None, None) => format!("begin with a salt; a scan by `{name}` then reads {count} ranges"),
    };
    Some(subject.at(first, &RISING_LEAD, severity).guess(guess).because(message).cure(cure, rewritten))
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
    // Text that somebody declared may well be random; a type that nobody gave says nothing.
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

/// A field that new rows do not order: what a salt should keep together.
fn entity<'s>(subject: &Subject<'s>, lead: &str) -> Option<&'s str> {
    let named = subject.key.named_fields();
    let others = named.into_iter().map(|id| subject.name(id)).filter(|name| *name != lead);
    let (times, rest): (Vec<&str>, Vec<&str>) =
        others.partition(|name| subject.time(name) == Some(Guess(false)));
    rest.first().or(times.first()).copied()
}

fn regions_of(subject: &Subject<'_>) -> i128 {
    i128::try_from(subject.context.splits.len() + 1).unwrap_or(BUCKETS).max(2)
}

pub(crate) const RANDOM_UNREADABLE: Rule = Rule {
    id: "random-unreadable",
    summary: "A random part before others: no reader can compute the key again.",
    story: "\
A random salt spreads writes, but nobody can tell afterwards in which bucket a row is. A Get has to try all of them,
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
            let cure = "use a salt computed from fields";
            subject
                .at(part, &RANDOM_UNREADABLE, Severity::Warning)
                .because(message)
                .cure(cure, as_salt(subject, part).and_then(|expr| {
                    subject.rewrite().replace(part, expr, part.suffix).finish()
                }))
        })
        .collect()
}

fn buckets(part: &Part<'_>) -> u128 {
    part.step.value_count().unwrap_or(0)
}

/// The salt with the same buckets, over all fields: it spreads as widely as the draw did.
fn as_salt(subject: &Subject<'_>, part: &Part<'_>) -> Option<Expr> {
    let [drawn] = call(&part.expr, "random")? else { return None };
    let named = subject.key.named_fields();
    let fields: Vec<Expr> = named.into_iter().map(|id| field(subject.name(id))).collect();
    (!fields.is_empty()).then(|| salt_of(drawn.clone(), fields))
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
        let rewritten = subject.rewrite().remove(last).lead_with(last.expr.clone(), last.suffix).finish();
        return vec![draft.because(message).cure("put it first", rewritten)];
    }
    Vec::new()
}

fn is_salt(expr: &Expr) -> bool {
    ["salt", "phoenix_salt", "opentsdb_salt"].iter().any(|name| call(expr, name).is_some())
}

/// The number of buckets of `salt(n, …)`, `x % n` or `x.rem(n)`.
pub(super) fn bucket_count(expr: &Expr) -> Option<i128> {
    use crate::check::expr::{modulo, remainder};
    modulo(expr).or_else(|| remainder(expr)).map(|(_, count)| count).or_else(|| {
        let arguments = call(expr, "salt")?;
        arguments.first().and_then(constant)
    })
}

/// A suffix that says nothing.
pub(super) const PLAIN: Suffix =
    Suffix { ty: None, nulls: crate::types::Nulls::Refused, order: Order::Ascending };

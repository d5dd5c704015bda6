//! Rules on whether every record has a key of its own.

use crate::check::expr::{digest, field, from_long_max};
use crate::check::range::follows;
use crate::check::rule::{Example, Rule};
use crate::check::subject::{Draft, Guess, Subject, ValuePart};
use crate::check::{Issue, Place, Severity};
use crate::key::{Boundary, FieldId};
use crate::notation::Suffix;
use crate::types::{Kind, Type};

/// A digest of so many bytes is as good as the value itself.
const UNIQUE_DIGEST: usize = 12;

pub(crate) const UNIQUE: Rule = Rule {
    id: "unique",
    summary: "Two records can have the same key, and the later one replaces the earlier.",
    story: "\
Rows with equal keys are one row: the second record's columns replace the first one's. What makes a record unique
must therefore come back from the key. A short hash of it is not enough, a time alone is not (two records in the same
millisecond), and a random part only makes the loss rarer.",
    example: Example::Key("[random(4)][ts: timestamp]"),
    check: unique,
};

fn unique(subject: &Subject<'_>) -> Vec<Issue> {
    missing(subject).or_else(|| only_time(subject)).into_iter().collect()
}

/// Fields of the identity that the key does not hold.
fn missing(subject: &Subject<'_>) -> Option<Issue> {
    let named = subject.key.named_fields();
    let said = subject.context.identity;
    let identity = said.unwrap_or(&named);
    if named.is_empty() {
        let message = "the key holds no field, so most records share a key with another";
        let draft = Draft::new(Place::Key, &UNIQUE, Severity::Error).because(message);
        return Some(draft.cure("add the fields that make a record unique", None));
    }
    let lost: Vec<FieldId> = identity.iter().copied().filter(|id| !holds(subject, *id)).collect();
    let names: Vec<String> = lost.iter().map(|id| format!("`{}`", subject.name(*id))).collect();
    let first = *lost.first()?;
    let (list, part) =
        (names.join(", "), subject.parts.iter().find(|part| part.step.fields().contains(&first)));
    let severity = if said.is_some() { Severity::Error } else { Severity::Warning };
    let draft = match part {
        Some(part) => subject.at(part, &UNIQUE, severity),
        None => Draft::new(Place::Key, &UNIQUE, severity),
    };
    let reason = match part {
        Some(part) => match part.step.value_count() {
            Some(count) => format!("`{}` has only {count} values", part.text()),
            None => format!("`{}` is the same for many of its values", part.text()),
        },
        None => "it is not in the key".to_owned(),
    };
    let random = if subject.parts.iter().any(|part| part.step.is_random()) {
        "; a random part makes that rarer, not impossible"
    } else {
        ""
    };
    let message = format!("two records that differ only in {list} can have the same key: {reason}{random}");
    Some(draft.because(message).cure(format!("add {list} at the end"), appended(subject, &lost)))
}

/// Whether a field comes back from the key, or would if the ends of texts were clear: that is another rule.
fn holds(subject: &Subject<'_>, id: FieldId) -> bool {
    subject
        .parts
        .iter()
        .any(|part| part.step.node.source_field() == Some(id) || is_digest_of(subject, part, id))
}

/// Whether a part is a long digest of fields that can be told apart in it, this one among them.
fn is_digest_of(subject: &Subject<'_>, part: &ValuePart<'_>, id: FieldId) -> bool {
    let Some(hashed) = digest(&part.expr) else { return false };
    let bytes = part.step.width.unwrap_or(0) / if part.step.node.hex_case().is_some() { 2 } else { 1 };
    let fields: Option<Vec<_>> = hashed
        .iter()
        .map(|expr| crate::check::expr::name(expr).and_then(|name| subject.field(name)))
        .collect();
    let Some(fields) = fields else { return false };
    let open_ended = fields.iter().filter(|(_, field)| field.ty.width().is_none() || field.nullable).count();
    bytes >= UNIQUE_DIGEST && open_ended <= 1 && fields.iter().any(|(own, _)| *own == id)
}

fn appended(subject: &Subject<'_>, lost: &[FieldId]) -> Option<String> {
    let mut rewrite = subject.rewrite();
    if let Some(last) = subject.parts.last()
        && *last.step.boundary() == Boundary::KeyEnd
    {
        if last.step.ty().kind() != Kind::Text {
            return None;
        }
        rewrite = rewrite.retype(last, Type::Escaped);
    }
    let (last, before) = lost.split_last()?;
    for id in before {
        let text = subject.key.fields().get(*id).ty == Type::Text;
        let suffix = if text {
            crate::check::expr::with_type(Suffix::default(), Type::Escaped)
        } else {
            Suffix::default()
        };
        rewrite = rewrite.append(field(subject.name(*id)), suffix);
    }
    rewrite.append(field(subject.name(*last)), Suffix::default()).finish()
}

/// A key by itself that holds nothing but times.
fn only_time(subject: &Subject<'_>) -> Option<Issue> {
    if subject.context.identity.is_some() {
        return None;
    }
    let mut guess = Guess(false);
    for id in subject.key.named_fields() {
        let name = subject.name(id);
        let mut own = subject
            .parts
            .iter()
            .filter(|part| follows(&part.expr).is_some_and(|(followed, _)| followed == name))
            .peekable();
        let is_reversed = own.peek().is_some() && own.all(|part| from_long_max(&part.expr).is_some());
        match subject.time(name) {
            Some(Guess(false)) => {}
            _ if is_reversed => {}
            Some(by_name) => guess = by_name,
            None => return None,
        }
    }
    let name = subject.name(*subject.key.named_fields().first()?);
    let by = if guess.0 { " (a time by its name)" } else { "" };
    let message = match subject.parts.iter().find(|part| part.step.is_random()) {
        Some(random) => format!(
            "the key holds nothing but the time `{name}`{by}: of two records in the same millisecond one is lost, unless `{}` \
             happens to draw different values",
            random.text()
        ),
        None => format!(
            "the key holds nothing but the time `{name}`{by}: of two records in the same millisecond one is lost"
        ),
    };
    let draft = Draft::new(Place::Key, &UNIQUE, Severity::Warning).guess(guess).because(message);
    Some(
        draft.cure("add the fields that make a record unique, such as what it belongs to and a number", None),
    )
}

//! Rules on whether numbers and times sort as they should, in few bytes.

use crate::check::expr::{call, from_long_max, name, with_type};
use crate::check::guess::{self, Likely};
use crate::check::range::{may_be_negative, range, unsigned_for_digits};
use crate::check::rewrite::descending;
use crate::check::rule::{Example, Rule};
use crate::check::subject::{Guess, Subject, ValuePart};
use crate::check::{Issue, Severity};
use crate::key::Boundary;
use crate::notation::{Expr, ExprKind, Form, Suffix};
use crate::ordered::OrderedType;
use crate::types::{IntForm, IntType, Kind, Order, Type};

/// Milliseconds since 1970 have 13 digits from 2001 to 2286.
const DIGITS_OF_MILLIS: u16 = 13;

/// Fewer bytes than this are not worth a word.
const WORTH_SAVING: usize = 4;

pub(crate) const NEGATIVE: Rule = Rule {
    id: "negative",
    summary: "Numbers that may be negative, in a form in which negatives sort last.",
    story: "\
`short`, `int` and `long` are what HBase's `Bytes.toBytes` writes: two's complement, whose first bit is set for negative
numbers. In a key, -1 therefore sorts behind every positive number. `i16`, `i32` and `i64` flip that bit: same
width, right order. Keys are compared as unsigned bytes, not by ASCII, as is often written: bytes above 0x7F sort last and
are as good as any other. Keep `long` for numbers that are never negative or for tables that exist already.",
    example: Example::Key("[sensor: u32][celsius: int]"),
    check: negative,
};

fn negative(subject: &Subject<'_>) -> Vec<Issue> {
    let wrong = subject.parts.iter().filter_map(|part| match part.step.ty() {
        Type::Int(IntType { bytes, form: IntForm::TwosComplement }) => Some((part, bytes)),
        _ => None,
    });
    wrong
        .filter(|(part, _)| may_be_negative(&part.expr, subject.key.fields()))
        .map(|(part, bytes)| {
            let inferred = name(&part.expr).is_some_and(|name| subject.is_inferred(name));
            let severity = if inferred { Severity::Hint } else { Severity::Warning };
            let (text, old) = (part.text(), part.step.ty());
            let why = if inferred { " (inferred, because it is used in arithmetic)" } else { "" };
            let message =
                format!("`{text}` is {old}{why}: a negative number, if there is one, sorts behind all others");
            let new = signed(bytes);
            let cure = format!("{new} has the same {bytes} bytes and sorts by number; or an unsigned type, if none is negative");
            let rewritten = subject.rewrite().retype(part, new).finish();
            subject.at(part, &NEGATIVE, severity).because(message).cure(cure, rewritten)
        })
        .collect()
}

pub(crate) const REVERSE_TIME_UNIT: Rule = Rule {
    id: "reverse-time-unit",
    summary: "`Long.MAX_VALUE - x` of something that is no time in milliseconds.",
    story: "\
The idiom `Long.MAX_VALUE - ts` turns a time in milliseconds around, so that the newest row comes first. Of seconds or of a
small number it gives a key that sorts apart from those of milliseconds, and of a negative number none at all,
because the result is past `Long.MAX_VALUE`. The order `desc` turns any type around, in the type's own width.",
    example: Example::Key("[host: u32][Long.MAX_VALUE - t][t: u32]"),
    check: reverse_time_unit,
};

fn reverse_time_unit(subject: &Subject<'_>) -> Vec<Issue> {
    subject.parts.iter().filter_map(|part| reversed(subject, part)).collect()
}

fn reversed(subject: &Subject<'_>, part: &ValuePart<'_>) -> Option<Issue> {
    let inner = from_long_max(&part.expr)?;
    let fields = subject.key.fields();
    let own = name(inner).and_then(|name| subject.field(name)).map(|(_, field)| field.ty);
    let (min, max) = range(inner, fields).unwrap_or((i128::MIN, i128::MAX));
    let reason = match own {
        Some(ty)
            if ty.kind() == Kind::Time
                || ty.width() == Some(8)
                || max > 10_i128.pow(u32::from(DIGITS_OF_MILLIS) - 1) =>
        {
            return None;
        }
        Some(ty) => format!("`{inner}` is {ty}, which cannot hold milliseconds: its unit is another one"),
        None if min < 0 => {
            format!("`{inner}` can be negative, and then the result is past Long.MAX_VALUE and refused")
        }
        None => format!("`{inner}` is computed, so its unit is not that of a time in milliseconds"),
    };
    let severity = if own.is_none() && min >= 0 { Severity::Hint } else { Severity::Warning };
    let ty = own.unwrap_or_else(|| if min < 0 { signed(8) } else { unsigned(max) });
    let suffix = descending(with_type(Suffix { ty: None, ..part.full_suffix() }, ty));
    let rewritten = subject.rewrite().replace(part, inner.clone(), suffix).finish();
    let direction = if suffix.order == Order::Descending { " desc" } else { "" };
    let cure = format!(
        "write `{inner}: {ty}{direction}`, which turns it around in {} bytes",
        ty.width().unwrap_or(8)
    );
    Some(subject.at(part, &REVERSE_TIME_UNIT, severity).because(reason).cure(cure, rewritten))
}

fn signed(bytes: usize) -> Type {
    Type::int(bytes, IntForm::SignFlipped)
}

fn unsigned(max: i128) -> Type {
    let bytes = if max <= u32::MAX.into() { 4 } else { 8 };
    Type::int(bytes, IntForm::Unsigned)
}

pub(crate) const TEXT_NUMBER: Rule = Rule {
    id: "text-number",
    summary: "A number or time kept as text.",
    story: "\
As text a number takes a byte for each digit; a `u64` takes 8 for all of them, in a key that is repeated in every cell.
Without leading zeros it also sorts as text: `10` before `9`. Text is easier to read in HBase's shell, which is the
price to weigh; `rowkey` shows both.",
    example: Example::Key("[str(n)]"),
    check: text_number,
};

fn text_number(subject: &Subject<'_>) -> Vec<Issue> {
    subject.parts.iter().filter_map(|part| kept_as_text(subject, part)).collect()
}

fn kept_as_text(subject: &Subject<'_>, part: &ValuePart<'_>) -> Option<Issue> {
    let padded = call(&part.expr, "lpad").and_then(<[Expr]>::first).and_then(|text| call(text, "str"));
    let number = call(&part.expr, "str").or(padded).and_then(<[Expr]>::first);
    let text = part.text();
    if let Some(number) = number {
        let ty = number_type(subject, number);
        let bytes = ty.width().unwrap_or(8);
        let digits = part.step.width;
        if digits.is_some_and(|digits| digits < bytes + WORTH_SAVING) {
            return None;
        }
        let suffix = with_type(Suffix { ty: None, ..part.full_suffix() }, ty);
        let rewritten = subject.rewrite().replace(part, number.clone(), suffix).finish();
        let (severity, message) = match digits {
            Some(digits) => {
                (Severity::Hint, format!("`{text}` takes {digits} bytes where {ty} takes {bytes}"))
            }
            None => (
                Severity::Warning,
                format!(
                    "`{text}` sorts as text, 10 before 9, and takes a byte for each digit where {ty} takes {bytes} in all"
                ),
            ),
        };
        let cure = format!("keep it as {ty}");
        return Some(subject.at(part, &TEXT_NUMBER, severity).because(message).cure(cure, rewritten));
    }
    if let Type::Decimal(digits) = part.step.ty() {
        let (ty, digits) = (unsigned_for_digits(digits)?, usize::from(digits));
        let bytes = ty.width()?;
        let message =
            format!("`{text}` takes {digits} bytes as digits where {ty} takes {bytes}, in the same order");
        let rewritten = subject.rewrite().retype(part, ty).finish();
        let draft = subject.at(part, &TEXT_NUMBER, Severity::Hint).because(message);
        return (digits >= bytes + WORTH_SAVING).then(|| draft.cure(format!("keep it as {ty}"), rewritten));
    }
    named_time(subject, part)
}

/// A field without a type whose name says that it is a time.
fn named_time(subject: &Subject<'_>, part: &ValuePart<'_>) -> Option<Issue> {
    let ExprKind::Name(name) = &part.expr.kind else { return None };
    let (_, field) = subject.field(name)?;
    let is_day = ["date", "day", "hour"].iter().any(|word| name.to_lowercase().ends_with(word));
    let is_time = guess::likely(name) == Some(Likely::Time) && !is_day && subject.is_inferred(name);
    if !is_time || field.ty != Type::Text || subject.notation.form == Form::Colons {
        return None;
    }
    let message = format!(
        "`{name}`, by its name a time, is text here: {DIGITS_OF_MILLIS} bytes of digits where timestamp takes 8"
    );
    let rewritten = subject.rewrite().retype(part, Type::Timestamp).finish();
    let draft = subject.at(part, &TEXT_NUMBER, Severity::Hint).guess(Guess(true)).because(message);
    Some(draft.cure("give it the type timestamp, if it is one", rewritten))
}

/// The type that keeps a number in its own width and order.
fn number_type(subject: &Subject<'_>, number: &Expr) -> Type {
    let own = name(number).and_then(|name| subject.field(name)).map(|(_, field)| field.ty);
    match own {
        Some(ty) if ty.kind() == Kind::Time => Type::Timestamp,
        Some(ty @ Type::Int(IntType { form: IntForm::Unsigned | IntForm::SignFlipped, .. })) => ty,
        Some(Type::Int(IntType { bytes, .. })) => signed(bytes),
        _ => match range(number, subject.key.fields()) {
            Some((min, max)) if min >= 0 => unsigned(max),
            _ => signed(8),
        },
    }
}

pub(crate) const ORDERED_BYTES: Rule = Rule {
    id: "ordered-bytes",
    summary: "HBase's `ordered(bytes)` does not sort as bytes.",
    story: "\
HBase's `OrderedBytes` writes bytes of any length as seven bits a byte (blob-var), and despite its name that does
not keep their order: `ff` comes before `fe ff`. It is right for tables that HBase programs already share. As the last part,
plain `bytes` sort as they are and take less.",
    example: Example::Key("[tenant: u32][hash: ordered(bytes)]"),
    check: ordered_bytes,
};

fn ordered_bytes(subject: &Subject<'_>) -> Vec<Issue> {
    let found = subject.parts.iter().filter(|part| part.step.ty() == Type::Ordered(OrderedType::Bytes));
    found
        .map(|part| {
            let message = format!("`{}` does not sort as bytes: `ff` comes before `fe ff`", part.text());
            let draft = subject.at(part, &ORDERED_BYTES, Severity::Warning).because(message);
            draft.cure("put it last, as plain bytes", as_last_bytes(subject, part))
        })
        .collect()
}

fn as_last_bytes(subject: &Subject<'_>, part: &ValuePart<'_>) -> Option<String> {
    if part.suffix.order == Order::Descending {
        return None;
    }
    if subject.notation.parts.len() == part.index + 1 {
        return subject.rewrite().retype(part, Type::Bytes).finish();
    }
    let last = subject.parts.last()?;
    if *last.step.boundary() != Boundary::Own {
        return None;
    }
    let suffix = with_type(part.suffix, Type::Bytes);
    subject.rewrite().retype(part, Type::Bytes).remove(part).append(part.expr.clone(), suffix).finish()
}

//! Rules on where a text ends, and whether it sorts as text.

use crate::check::expr::{call, map, name, with_type};
use crate::check::rule::{Example, Rule};
use crate::check::subject::{Subject, ValuePart};
use crate::check::{Issue, Severity};
use crate::escape::escape;
use crate::key::{Boundary, Sorting};
use crate::notation::{Call, Expr, ExprKind, Suffix};
use crate::types::{Kind, Type};

pub(crate) const BOUNDARY: Rule = Rule {
    id: "boundary",
    summary: "Text before another part, without anything that ends it.",
    story: "\
Nothing tells where the text ends and the next part begins. `host1` followed by `2x` and `host12` followed by `x` are
the same bytes, so one record replaces the other; a scan of `host1` also reads the rows of `host12`; and neither the
text nor anything after it comes back from the key. The type `escaped` ends a text with two bytes that it cannot contain,
and keeps its order.",
    example: Example::Key("[host][event: escaped][ts: timestamp]"),
    check: boundary,
};

fn boundary(subject: &Subject<'_>) -> Vec<Issue> {
    let unclear = subject.parts.iter().filter(|part| *part.step.boundary() == Boundary::Unclear);
    unclear
        .map(|part| {
            let (text, is_text) = (part.text(), part.step.ty().kind() == Kind::Text);
            let message = format!(
                "nothing ends `{text}`: `host1` followed by `2x` and `host12` followed by `x` are the same key, and a \
                 scan of `host1` also reads `host12`"
            );
            let draft = subject.at(part, &BOUNDARY, Severity::Warning).because(message);
            if is_text {
                let rewritten = subject.rewrite().retype(part, Type::Escaped).finish();
                return draft.cure("end it with the type escaped, which costs two bytes", rewritten);
            }
            draft.cure("put the bytes last, or give them a fixed width", None)
        })
        .collect()
}

pub(crate) const DELIMITER_IN_TEXT: Rule = Rule {
    id: "delimiter-in-text",
    summary: "Text that ends at a delimiter cannot contain it.",
    story: "\
A delimiter ends the text before it, so a text that contains the delimiter has no key: rowkey refuses such a record, and a
program that does not look writes a key that means something else. That is fine for codes and numbers, and a
surprise for names. The type `escaped` takes any text.",
    example: Example::Key("[name]_[ts: timestamp]"),
    check: delimiter_in_text,
};

/// Plain text that a literal ends, with the literal.
fn delimited<'s>(subject: &'s Subject<'_>) -> impl Iterator<Item = (&'s ValuePart<'s>, &'s [u8])> {
    subject.parts.iter().filter_map(|part| match part.step.boundary() {
        Boundary::Literal(delimiter) => Some((part, delimiter.as_slice())),
        _ => None,
    })
}

fn delimiter_in_text(subject: &Subject<'_>) -> Vec<Issue> {
    delimited(subject)
        .filter(|(part, delimiter)| may_contain(&part.expr, delimiter))
        .map(|(part, delimiter)| {
            let message = format!(
                "`{}` ends at `{}`: a text that contains it is refused",
                part.text(),
                escape(delimiter)
            );
            let draft = subject.at(part, &DELIMITER_IN_TEXT, Severity::Hint).because(message);
            draft.cure(
                "the type escaped takes any text; it costs two bytes in place of the delimiter",
                escaped(subject, part),
            )
        })
        .collect()
}

fn escaped(subject: &Subject<'_>, part: &ValuePart<'_>) -> Option<String> {
    let is_text = part.step.ty().kind() == Kind::Text;
    is_text.then(|| subject.rewrite().escape(part).finish()).flatten()
}

/// Whether the expression can give a text with the delimiter in it.
fn may_contain(expr: &Expr, delimiter: &[u8]) -> bool {
    if call(expr, "str").is_some() {
        return delimiter.iter().all(|byte| byte.is_ascii_digit() || *byte == b'-');
    }
    match call(expr, "code") {
        Some(arguments) => codes(arguments)
            .any(|code| code.as_bytes().windows(delimiter.len().max(1)).any(|window| window == delimiter)),
        None => true,
    }
}

fn codes(arguments: &[Expr]) -> impl Iterator<Item = &str> {
    arguments.iter().filter_map(|argument| match &argument.kind {
        ExprKind::Mapping(_, code) => Some(code.as_str()),
        _ => None,
    })
}

pub(crate) const DELIMITER_REORDERS: Rule = Rule {
    id: "delimiter-reorders",
    summary: "Text before a delimiter does not sort as text.",
    story: "\
The delimiter's own byte takes part in the order. `host12_` sorts before `host1_`, because `2` is below `_`. Rows of one
host still lie together, so a query for one host is fine; a range of hosts, or hosts in order, is not. With the type
`escaped`, or the delimiter `[0x00]`, the order is that of the texts.",
    example: Example::Key("[host]_[ts: timestamp]"),
    check: delimiter_reorders,
};

fn delimiter_reorders(subject: &Subject<'_>) -> Vec<Issue> {
    delimited(subject)
        .filter(|(part, _)| matches!(part.step.sorting(), Sorting::Grouped(_)) && is_ordered_text(&part.expr))
        .map(|(part, delimiter)| {
            let (text, shown) = (part.text(), escape(delimiter).to_string());
            // A byte below the delimiter's first, so that the example is true.
            let longer = match delimiter.first() {
                Some(b'3'..) => "host12",
                Some(b'"'..) => "host1!",
                _ => r"host1\x00",
            };
            let message = format!(
                "rows are only grouped by `{text}`, not ordered: `{longer}{shown}` sorts before `host1{shown}`"
            );
            let draft = subject.at(part, &DELIMITER_REORDERS, Severity::Hint).because(message);
            draft.cure("the type escaped keeps the order of texts", escaped(subject, part))
        })
        .collect()
}

/// Whether the text would sort by a field if it had another end.
fn is_ordered_text(expr: &Expr) -> bool {
    name(expr).is_some()
}

pub(crate) const LOWER_EACH: Rule = Rule {
    id: "lower-each",
    summary: "Lower case by each character, where other programs look at the whole word.",
    story: "\
`lower_each` maps every character by itself, so `ΟΔΟΣ` becomes `οδοσ`. Unicode, Java and Python write a sigma that ends a word as
`ς`, and so does `lower`: `οδος`. A program that computes the key itself then looks for another row. Tables that rowkey made before
`lower` knew this keep the old rule, by the fingerprint that is stored with them, and are named here; for a new table use `lower`.",
    example: Example::Key("[lower_each(name): escaped][id: u64]"),
    check: lower_each,
};

fn lower_each(subject: &Subject<'_>) -> Vec<Issue> {
    let parts = subject.parts.iter().filter(|part| part.step.lowers_each(subject.key.fields()));
    parts
        .map(|part| {
            let message = format!(
                "`{}` maps each character by itself: `ΟΔΟΣ` becomes `οδοσ` here and `οδος` in Java, Python and `lower`",
                part.text()
            );
            let lower = map(&part.expr, &|expr| match &expr.kind {
                ExprKind::Call(call) if call.function == "lower_each" => {
                    let function = "lower".to_owned();
                    Some(Expr { span: expr.span, kind: ExprKind::Call(Call { function, ..call.clone() }) })
                }
                _ => None,
            });
            let rewritten = subject.rewrite().replace(part, lower, part.full_suffix()).finish();
            let draft = subject.at(part, &LOWER_EACH, Severity::Hint).because(message);
            draft.cure("for a new table use lower; a table that has rows keeps its rule", rewritten)
        })
        .collect()
}

pub(crate) const PAD_IN_TEXT: Rule = Rule {
    id: "pad-in-text",
    summary: "Text padded with a character that texts have themselves.",
    story: "\
`rpad(name, 'x', 20)` gives `ma` and `max` the same 20 bytes, so a padded text that ends in the pad cannot be told
from a shorter one: rowkey refuses it, other programs let one record replace the other. The order goes too: `ab` becomes
`abxx`, behind `abcx`. A pad must be a character that no text has, such as `~`; the type `escaped` needs none and keeps the
order.",
    example: Example::Key("[rpad(column1, 'x', 20)][column2]"),
    check: pad_in_text,
};

fn pad_in_text(subject: &Subject<'_>) -> Vec<Issue> {
    subject.parts.iter().filter_map(|part| padded(subject, part)).collect()
}

fn padded(subject: &Subject<'_>, part: &ValuePart<'_>) -> Option<Issue> {
    let (function, side) =
        if call(&part.expr, "rpad").is_some() { ("rpad", "ends") } else { ("lpad", "starts") };
    let [text, Expr { kind: ExprKind::Text(pad), .. }, ..] = call(&part.expr, function)? else { return None };
    if !pad.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return None;
    }
    let inner = call(text, "str").and_then(<[Expr]>::first);
    let draft = subject.at(part, &PAD_IN_TEXT, Severity::Warning);
    let Some(number) = inner else {
        let (a, b) = if function == "rpad" { (format!("ab{pad}"), "ab") } else { (format!("{pad}ab"), "ab") };
        let message = format!(
            "a text that {side} with the pad `{pad}` cannot be told from a shorter one: `{a}` and `{b}` would be the same \
             bytes, so one of them is refused"
        );
        let suffix = with_type(Suffix { ty: None, ..part.full_suffix() }, Type::Escaped);
        let rewritten = subject.rewrite().replace(part, text.clone(), suffix).finish();
        let cure = "the type escaped takes any text and keeps the order; or pad with a character that no text has, such as '~'";
        return Some(draft.because(message).cure(cure, rewritten));
    };
    if !pad.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let refused = if function == "lpad" { "0" } else { "10" };
    let message = format!("a number that {side} with the pad `{pad}` has no key, such as {refused}");
    let width = u16::try_from(part.step.width?).ok().filter(|width| *width <= 38)?;
    let suffix = with_type(Suffix { ty: None, ..part.full_suffix() }, Type::Decimal(width));
    let rewritten = subject.rewrite().replace(part, number.clone(), suffix).finish();
    Some(draft.because(message).cure("decimal(n) pads numbers with zeros and takes all of them", rewritten))
}

//! From text to tree.
//!
//! The text is cut into parts first ([`super::cut`]), so that a mistake in one part does not hide those in the others;
//! each bracket and each name after `where` is then parsed by itself ([`super::grammar`]).

use winnow::error::ErrMode;
use winnow::stream::{LocatingSlice, Stream};

use super::cut::{SourcePiece, cut};
use super::foreign;
use super::grammar::{self, Fault, Input};
use super::print::is_punctuation;
use super::tree::{Call, Definition, Expr, ExprKind, Form, Notation, Part, PartKind, Suffix};
use crate::escape::from_hex;
use crate::finding::{Finding, Problem};
use crate::span::Span;

/// The longest notation, in bytes.
pub const MAX_LENGTH: usize = 4096;

/// The deepest nesting of parentheses.
pub const MAX_DEPTH: usize = 64;

/// Reads a key.
///
/// # Errors
/// All findings, in the order of the text.
pub fn parse(source: &str) -> Result<Notation, Vec<Finding>> {
    let (notation, findings) = parse_what_can_be(source);
    if findings.is_empty() { Ok(notation) } else { Err(findings) }
}

/// The parts that could be read, and the findings about the others.
pub(crate) fn parse_what_can_be(source: &str) -> (Notation, Vec<Finding>) {
    let nothing = || Notation { form: Form::Brackets, parts: Vec::new(), names: Vec::new() };
    let whole = Span::new(0, source.len());
    if source.len() > MAX_LENGTH {
        let problem = Problem::KeyTooLong { length: source.len(), limit: MAX_LENGTH };
        return (nothing(), vec![Finding::new(whole, problem)]);
    }
    if depth(source) > MAX_DEPTH {
        return (nothing(), vec![Finding::new(whole, Problem::TooDeep { limit: MAX_DEPTH })]);
    }
    let cut = cut(source);
    let mut findings = Vec::new();
    let mut parts = Vec::new();
    if cut.has_brackets {
        for piece in cut.pieces {
            let part = match piece {
                Ok(SourcePiece::Literal(span)) => outer_literal(source, span),
                Ok(SourcePiece::Bracket(span)) => bracket(source, span),
                Err(finding) => Err(finding),
            };
            match part {
                Ok(part) => parts.push(part),
                Err(finding) => findings.push(finding),
            }
        }
    } else {
        match colons(source.get(..cut.parts_end).unwrap_or_default()) {
            Ok(found) => parts = found,
            Err(finding) => findings.push(finding),
        }
    }
    let names = match cut.names.map(|span| definitions(source, span)) {
        Some(Err(finding)) => {
            findings.push(finding);
            Vec::new()
        }
        Some(Ok(names)) => names,
        None => Vec::new(),
    };
    if parts.is_empty() && findings.is_empty() {
        findings.push(Finding::new(whole, Problem::EmptyKey));
    }
    let form = if cut.has_brackets { Form::Brackets } else { Form::Colons };
    (Notation { form, parts, names }, findings)
}

/// How deep parentheses are nested, outside quotes.
fn depth(source: &str) -> usize {
    let (mut depth, mut deepest, mut quoted) = (0usize, 0, false);
    for byte in source.bytes() {
        match byte {
            b'\'' => quoted = !quoted,
            b'(' if !quoted => depth += 1,
            b')' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

fn outer_literal(source: &str, span: Span) -> Result<Part, Finding> {
    let text = source.get(span.start..span.end).unwrap_or_default();
    let bytes = if text.starts_with('\'') {
        quoted(text).map_err(|problem| Finding::new(span, problem))?.into_bytes()
    } else if text.contains(char::is_whitespace) {
        if let Some(form) = foreign::word(text) {
            return Err(Finding::new(span, Problem::Foreign { found: text.to_owned(), form }));
        }
        let expected = "quotes around a literal with blanks".to_owned();
        return Err(Finding::new(span, Problem::Unexpected { expected, found: format!("`{text}`") }));
    } else {
        text.as_bytes().to_vec()
    };
    Ok(Part { span, kind: PartKind::Literal(bytes) })
}

/// The text of a literal in single quotes, where a quote inside is written twice.
fn quoted(text: &str) -> Result<String, Problem> {
    let closed = text.matches('\'').count().is_multiple_of(2);
    let inner = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')).unwrap_or("'");
    if !closed {
        return Err(Problem::UnclosedQuote);
    }
    if inner.is_empty() || inner.replace("''", "").contains('\'') {
        return Err(Problem::Unexpected {
            expected: "one text in quotes, with quotes inside written twice".to_owned(),
            found: text.to_owned(),
        });
    }
    Ok(inner.replace("''", "'"))
}

fn bracket(source: &str, span: Span) -> Result<Part, Finding> {
    let inner = source.get(span.start + 1..span.end - 1).unwrap_or_default();
    let text = inner.trim();
    let start = span.start + 1 + (inner.len() - inner.trim_start().len());
    let place = if text.is_empty() { span } else { Span::new(start, start + text.len()) };
    let literal = |bytes| Ok(Part { span, kind: PartKind::Literal(bytes) });
    let unexpected = |expected: &str, found: String| {
        Err(Finding::new(place, Problem::Unexpected { expected: expected.to_owned(), found }))
    };
    if text.is_empty() {
        return unexpected("a field, a function or a literal", "an empty bracket".to_owned());
    }
    if text.starts_with('\'') {
        return literal(quoted(text).map_err(|problem| Finding::new(place, problem))?.into_bytes());
    }
    if let Some(hex) = text.strip_prefix("0x") {
        return match from_hex(hex) {
            Some(bytes) if !bytes.is_empty() => literal(bytes),
            _ => unexpected("an even number of hex digits after 0x", format!("`{hex}`")),
        };
    }
    if text.bytes().all(is_punctuation) {
        return literal(text.as_bytes().to_vec());
    }
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Finding::new(place, Problem::BareNumber { number: text.to_owned() }));
    }
    let (expr, suffix) =
        grammar::body(&mut LocatingSlice::new(text)).map_err(|error| finding(error, text, start))?;
    let ty = suffix.ty.map(|(ty, place)| (ty, place.shifted(start)));
    Ok(Part { span, kind: PartKind::Expr(shifted(expr, start), Suffix { ty, ..suffix }) })
}

/// A key without brackets: expressions with a literal `:` between them.
fn colons(source: &str) -> Result<Vec<Part>, Finding> {
    let mut parts = Vec::new();
    if source.trim().is_empty() {
        return Ok(parts);
    }
    let mut input: Input<'_> = LocatingSlice::new(source);
    loop {
        let expr = grammar::between_colons(&mut input).map_err(|error| finding(error, source, 0))?;
        parts.push(Part { span: expr.span, kind: PartKind::Expr(expr, Suffix::default()) });
        let rest: &str = input.as_ref();
        if rest.is_empty() {
            return Ok(parts);
        }
        let at = source.len() - rest.len();
        if !rest.starts_with(':') {
            let fault =
                Fault { span: Span::new(at, at), problem: None, expected: "an operator, `:` or the end" };
            return Err(finding(ErrMode::Cut(fault), source, 0));
        }
        input.next_slice(1);
        parts.push(Part { span: Span::new(at, at + 1), kind: PartKind::Literal(b":".to_vec()) });
    }
}

/// `name = expr, name = expr`
fn definitions(source: &str, span: Span) -> Result<Vec<Definition>, Finding> {
    let text = source.get(span.start..span.end).unwrap_or_default();
    let mut input: Input<'_> = LocatingSlice::new(text);
    let mut names = Vec::new();
    loop {
        let parsed = grammar::definition(&mut input).map_err(|error| match error {
            ErrMode::Backtrack(fault) => {
                ErrMode::Cut(Fault { expected: "a name, `=` and what it stands for", ..fault })
            }
            other => other,
        });
        let (name, name_span, expr) = parsed.map_err(|error| finding(error, text, span.start))?;
        names.push(Definition { name, span: name_span.shifted(span.start), expr: shifted(expr, span.start) });
        let rest: &str = input.as_ref();
        if rest.is_empty() {
            return Ok(names);
        }
        let at = text.len() - rest.len();
        if !rest.starts_with(',') {
            let fault =
                Fault { span: Span::new(at, at), problem: None, expected: "an operator, `,` or the end" };
            return Err(finding(ErrMode::Cut(fault), text, span.start));
        }
        input.next_slice(1);
    }
}

/// The finding of a fault in `text`, which begins at `offset` of the source.
fn finding(error: ErrMode<Fault>, text: &str, offset: usize) -> Finding {
    let fault = match error {
        ErrMode::Backtrack(fault) | ErrMode::Cut(fault) => fault,
        ErrMode::Incomplete(_) => Fault { span: Span::default(), problem: None, expected: "more text" },
    };
    if let Some(problem) = fault.problem {
        return Finding::new(fault.span.shifted(offset), *problem);
    }
    let rest = text.get(fault.span.start..).unwrap_or_default();
    let word = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
    let first = rest.chars().next().map_or(0, char::len_utf8);
    let found = rest.get(..word.max(first)).unwrap_or_default();
    let span = Span::new(fault.span.start, fault.span.start + found.len()).shifted(offset);
    if let Some(form) = foreign::word(found) {
        return Finding::new(span, Problem::Foreign { found: found.to_owned(), form });
    }
    let shown = if found.is_empty() { "the end".to_owned() } else { format!("`{found}`") };
    let expected = if fault.expected.is_empty() { "something else" } else { fault.expected };
    Finding::new(span, Problem::Unexpected { expected: expected.to_owned(), found: shown })
}

/// The same tree in a text that begins `offset` bytes earlier.
fn shifted(expr: Expr, offset: usize) -> Expr {
    let boxed = |expr: Box<Expr>| Box::new(shifted(*expr, offset));
    let kind = match expr.kind {
        ExprKind::Call(call) => ExprKind::Call(Call {
            function_span: call.function_span.shifted(offset),
            arguments: call.arguments.into_iter().map(|argument| shifted(argument, offset)).collect(),
            ..call
        }),
        ExprKind::Binary(operator, left, right) => ExprKind::Binary(operator, boxed(left), boxed(right)),
        ExprKind::Typed(inner, ty) => ExprKind::Typed(boxed(inner), ty),
        leaf => leaf,
    };
    Expr { span: expr.span.shifted(offset), kind }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Nulls, Order, Type};

    fn kinds(source: &str) -> Vec<PartKind> {
        parse(source)
            .unwrap_or_else(|f| panic!("{source}: {f:?}"))
            .parts
            .into_iter()
            .map(|part| part.kind)
            .collect()
    }

    /// The first finding, with the text it points to.
    fn first(source: &str) -> (String, String) {
        let findings = parse(source).expect_err(source);
        let span = findings[0].span;
        (findings[0].problem.to_string(), source[span.start..span.end].to_owned())
    }

    #[test]
    fn literals_have_four_forms() {
        let bytes = |source| match &kinds(source)[..] {
            [PartKind::Literal(bytes)] => bytes.clone(),
            other => panic!("{source}: {other:?}"),
        };
        assert_eq!(bytes("[_]"), b"_");
        assert_eq!(bytes("['it''s a text']"), b"it's a text");
        assert_eq!(bytes("[ 0x00fF ]"), [0, 0xFF]);
        let outer = kinds("[a] - [b]");
        assert_eq!(outer[1], PartKind::Literal(b"-".to_vec()));
        assert_eq!(kinds("[a]'x [y'[b]")[1], PartKind::Literal(b"x [y".to_vec()));
    }

    #[test]
    fn a_part_has_an_expression_a_type_nulls_and_an_order() {
        let parsed = parse("[salt( 16 , user-id )][ts: u64? desc nulls last][name desc]").unwrap();
        let [salt, ts, name] = &parsed.parts[..] else { panic!("{parsed:?}") };
        assert!(matches!(&salt.kind, PartKind::Expr(Expr { kind: ExprKind::Call(call), .. }, _)
            if call.function == "salt" && call.arguments.len() == 2));
        let PartKind::Expr(field, suffix) = &ts.kind else { panic!("{ts:?}") };
        assert_eq!((&field.kind, field.span), (&ExprKind::Name("ts".to_owned()), Span::new(23, 25)));
        assert_eq!(suffix.ty, Type::from_name("u64").map(|ty| (ty, Span::new(27, 30))));
        assert_eq!((suffix.nulls, suffix.order), (Nulls::Last, Order::Descending));
        assert!(matches!(&name.kind, PartKind::Expr(_, Suffix { ty: None, order: Order::Descending, .. })));
    }

    #[test]
    fn operators_bind_as_in_arithmetic_and_print_back() {
        for (source, printed) in [
            ("[a + b * c]", "[a + b * c]"),
            ("[(a + b) * c]", "[(a + b) * c]"),
            ("[a - (b - c)]", "[a - (b - c)]"),
            ("[a - b - c]", "[a - b - c]"),
            ("[a%16: u8]", "[a % 16: u8]"),
            ("[long.max_value - ts]", "[Long.MAX_VALUE - ts]"),
            ("[md5(x).upper().subStr(0,4)]", "[md5(x).upper().subStr(0, 4)]"),
            ("[(a + b).rem(7)]", "[(a + b).rem(7)]"),
            ("[code(x,'it''s'='b')]", "[code(x, 'it''s'='b')]"),
            ("[reverse(n:decimal( 11 ))]", "[reverse(n: decimal(11))]"),
            ("md5(a).upper():b:c where b = a", "md5(a).upper():b:c where b = a"),
            ("[b][t] where b = t % 16, c = 7", "[b][t] where b = t % 16, c = 7"),
            ("[a]x [b]", "[a]['x'][b]"),
        ] {
            let tree = parse(source).unwrap_or_else(|findings| panic!("{source}: {findings:?}"));
            assert_eq!(tree.to_string(), printed, "{source}");
            assert_eq!(parse(printed).unwrap().to_string(), printed);
        }
    }

    #[test]
    fn mistakes_are_named_and_placed() {
        for (source, message, place) in [
            ("[user_id", "this bracket is never closed", "["),
            ("[a[b]", "this bracket is never closed", "["),
            ("a]", "this bracket was never opened", "]"),
            ("['abc]", "this quote is never closed", "['abc]"),
            ("[]", "expected a field, a function or a literal, found an empty bracket", "[]"),
            ("[7]", "`[7]` is neither a field nor a text", "7"),
            ("[ts: u46]", "there is no type `u46`", "u46"),
            ("[ts: ]", "expected a type, found the end", ""),
            ("[ts: fixed]", "the type `fixed` is written fixed(n) with n from 1 to 32767", "fixed"),
            ("[ts dsc]", "expected `: type`, `?`, `desc`, `nulls last` or `]`, found `dsc`", "dsc"),
            ("[ts nulls last]", "`nulls last` needs a nullable type, written with `?`", "nulls last"),
            ("[salt(16, a]", "expected `,` or `)`, found the end", ""),
            ("[a ts]", "expected `: type`, `?`, `desc`, `nulls last` or `]`, found `ts`", "ts"),
            ("[Long.MAX_VALUE-ts]", "a minus needs a blank on both sides", "-"),
            ("[ts -1]", "a minus needs a blank on both sides", "-"),
            ("[md5(x).]", "expected a method such as subStr(0,4), found the end", ""),
            ("[md5(x).upper]", "expected `(` and the arguments of the method, found the end", ""),
            ("[a + ]", "expected a field or a function, found the end", ""),
            ("[0x0]", "expected an even number of hex digits after 0x, found `0`", "0x0"),
            ("[a] x y [b]", "expected quotes around a literal with blanks, found `x y`", "x y"),
            ("[a] where", "expected a name, `=` and what it stands for, found the end", ""),
            ("[a] where b", "expected `=` and what the name stands for, found the end", ""),
            ("[a] where b = c d", "expected an operator, `,` or the end, found `d`", "d"),
            ("a:b c", "expected an operator, `:` or the end, found `c`", "c"),
            ("", "the key has no part", ""),
        ] {
            assert_eq!(first(source), (message.to_owned(), place.to_owned()), "{source}");
        }
    }

    #[test]
    fn every_part_is_looked_at() {
        assert_eq!(parse("[7][a: txt][b where c").expect_err("four mistakes").len(), 3);
    }

    #[test]
    fn no_text_can_exhaust_the_stack() {
        for source in
            ["(".repeat(2000), format!("[{}]", "a(".repeat(200)), "a+".repeat(1900), "[".repeat(5000)]
        {
            assert!(parse(&source).is_err());
        }
        assert!(parse(&format!("[{}a: long]", "a + ".repeat(900))).is_ok());
    }
}

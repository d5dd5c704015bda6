//! From text to tree.
//!
//! A first pass cuts the text into brackets and literals, so that a mistake in one part does not hide those in the
//! others; each bracket is then parsed by itself.

use winnow::ascii::multispace0;
use winnow::combinator::{cut_err, delimited, opt, preceded, separated};
use winnow::error::{ContextError, ErrMode, ParseError, StrContext, StrContextValue};
use winnow::prelude::*;
use winnow::stream::LocatingSlice;
use winnow::token::take_while;

use super::tree::{Argument, Expr, Notation, Part, PartKind, Suffix};
use crate::escape::from_hex;
use crate::finding::{Finding, Problem};
use crate::span::{Span, nearest};
use crate::types::{Order, Type};

/// Reads a key.
///
/// # Errors
/// All findings, in the order of the text.
pub fn parse(source: &str) -> Result<Notation, Vec<Finding>> {
    let mut parts = Vec::new();
    let mut findings = Vec::new();
    if !source.contains('[') && !source.trim().is_empty() && !source.contains(']') {
        let problem = Problem::NotYet { what: "a key without brackets".to_owned() };
        return Err(vec![Finding::new(Span::new(0, source.len()), problem)]);
    }
    for piece in cut(source) {
        let part = match piece {
            Ok(Piece::Literal(span)) => outer_literal(source, span),
            Ok(Piece::Bracket(span)) => bracket(source, span),
            Err(finding) => Err(vec![finding]),
        };
        match part {
            Ok(part) => parts.push(part),
            Err(found) => findings.extend(found),
        }
    }
    if parts.is_empty() && findings.is_empty() {
        findings.push(Finding::new(Span::new(0, source.len()), Problem::EmptyKey));
    }
    if findings.is_empty() { Ok(Notation { parts }) } else { Err(findings) }
}

/// A stretch of the source: a bracket with its brackets, or text between brackets without outer blanks.
enum Piece {
    Literal(Span),
    Bracket(Span),
}

fn cut(source: &str) -> Vec<Result<Piece, Finding>> {
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < source.len() {
        let rest = source.get(at..).unwrap_or_default();
        if rest.starts_with('[') {
            let (len, closed) = bracket_len(rest);
            let span = Span::new(at, at + len);
            pieces.push(closed.map(|()| Piece::Bracket(span)).map_err(|problem| match problem {
                Problem::UnclosedQuote => Finding::new(span, problem),
                _ => Finding::new(Span::new(at, at + 1), problem),
            }));
            at += len;
        } else if rest.starts_with(']') {
            pieces.push(Err(Finding::new(Span::new(at, at + 1), Problem::StrayBracket)));
            at += 1;
        } else {
            let len = literal_len(rest);
            let text = rest.get(..len).unwrap_or_default();
            if !text.trim().is_empty() {
                let start = at + (text.len() - text.trim_start().len());
                pieces.push(Ok(Piece::Literal(Span::new(start, start + text.trim().len()))));
            }
            at += len;
        }
    }
    pieces
}

/// The length up to and including the closing bracket, which does not count inside quotes.
fn bracket_len(text: &str) -> (usize, Result<(), Problem>) {
    let mut quoted = false;
    for (at, character) in text.char_indices() {
        match character {
            '\'' => quoted = !quoted,
            ']' if !quoted => return (at + 1, Ok(())),
            // A second opening bracket: the first one was forgotten, the second may be fine.
            '[' if !quoted && at > 0 => return (at, Err(Problem::UnclosedBracket)),
            _ => {}
        }
    }
    (text.len(), Err(if quoted { Problem::UnclosedQuote } else { Problem::UnclosedBracket }))
}

fn literal_len(text: &str) -> usize {
    let mut quoted = false;
    for (at, character) in text.char_indices() {
        match character {
            '\'' => quoted = !quoted,
            '[' | ']' if !quoted => return at,
            _ => {}
        }
    }
    text.len()
}

fn outer_literal(source: &str, span: Span) -> Result<Part, Vec<Finding>> {
    let text = source.get(span.start..span.end).unwrap_or_default();
    let fail = |problem| Err(vec![Finding::new(span, problem)]);
    if text == "where" || text.starts_with("where ") {
        return fail(Problem::NotYet { what: "`where` names".to_owned() });
    }
    let bytes = if text.starts_with('\'') {
        match quoted(text) {
            Ok(text) => text.into_bytes(),
            Err(problem) => return fail(problem),
        }
    } else if text.contains(char::is_whitespace) {
        return fail(Problem::Unexpected {
            expected: "quotes around a literal with blanks".to_owned(),
            found: format!("`{text}`"),
        });
    } else {
        text.as_bytes().to_vec()
    };
    Ok(Part { span, kind: PartKind::Literal(bytes) })
}

/// The text of a literal in single quotes, where a quote inside is written twice.
fn quoted(text: &str) -> Result<String, Problem> {
    let inner =
        text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')).ok_or(Problem::UnclosedQuote)?;
    if inner.replace("''", "").contains('\'') {
        return Err(Problem::Unexpected {
            expected: "one quoted text, with quotes inside written twice".to_owned(),
            found: text.to_owned(),
        });
    }
    Ok(inner.replace("''", "'"))
}

fn bracket(source: &str, span: Span) -> Result<Part, Vec<Finding>> {
    let inner = source.get(span.start + 1..span.end - 1).unwrap_or_default();
    let text = inner.trim();
    let text_start = span.start + 1 + (inner.len() - inner.trim_start().len());
    let text_span = Span::new(text_start, text_start + text.len());
    let fail = |problem| Err(vec![Finding::new(if text.is_empty() { span } else { text_span }, problem)]);
    let literal = |bytes| Ok(Part { span, kind: PartKind::Literal(bytes) });
    if text.is_empty() {
        return fail(Problem::Unexpected {
            expected: "a field, a function or a literal".to_owned(),
            found: "an empty bracket".to_owned(),
        });
    }
    if text.starts_with('\'') {
        return match quoted(text) {
            Ok(text) => literal(text.into_bytes()),
            Err(problem) => fail(problem),
        };
    }
    if let Some(hex) = text.strip_prefix("0x") {
        return match from_hex(hex) {
            Some(bytes) if !bytes.is_empty() => literal(bytes),
            _ => fail(Problem::Unexpected {
                expected: "an even number of hex digits after 0x".to_owned(),
                found: format!("`{hex}`"),
            }),
        };
    }
    if text.bytes().all(|byte| byte.is_ascii_punctuation() && byte != b'\'') {
        return literal(text.as_bytes().to_vec());
    }
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return fail(Problem::BareNumber { number: text.to_owned() });
    }
    match part_body.parse(LocatingSlice::new(text)) {
        Ok((expr, suffix)) => expr_part(expr, suffix, text_start, span),
        Err(error) => Err(vec![unexpected(&error, text, text_start)]),
    }
}

/// What the winnow parser leaves: names and places relative to the bracket's text.
type RawSuffix = (Option<(String, std::ops::Range<usize>)>, bool);

fn expr_part(
    expr: Expr,
    (ty, descending): RawSuffix,
    offset: usize,
    span: Span,
) -> Result<Part, Vec<Finding>> {
    let ty = match ty {
        None => None,
        Some((name, place)) => {
            let place = Span::from(place).shifted(offset);
            let Some(ty) = Type::from_name(&name) else {
                let nearest = nearest(&name, Type::names());
                return Err(vec![Finding::new(place, Problem::UnknownType { name, nearest })]);
            };
            Some((ty, place))
        }
    };
    let order = if descending { Order::Descending } else { Order::Ascending };
    Ok(Part { span, kind: PartKind::Expr(shifted(expr, offset), Suffix { ty, order }) })
}

fn shifted(expr: Expr, offset: usize) -> Expr {
    match expr {
        Expr::Field { name, span } => Expr::Field { name, span: span.shifted(offset) },
        Expr::Call { function, function_span, arguments, span } => Expr::Call {
            function,
            function_span: function_span.shifted(offset),
            arguments: arguments
                .into_iter()
                .map(|argument| match argument {
                    Argument::Number { digits, span } => {
                        Argument::Number { digits, span: span.shifted(offset) }
                    }
                    Argument::Expr(expr) => Argument::Expr(shifted(expr, offset)),
                })
                .collect(),
            span: span.shifted(offset),
        },
    }
}

fn unexpected(error: &ParseError<LocatingSlice<&str>, ContextError>, text: &str, offset: usize) -> Finding {
    let at = error.offset();
    let rest = text.get(at..).unwrap_or_default();
    let word_len = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
    let first_len = rest.chars().next().map_or(0, char::len_utf8);
    let found = rest.get(..word_len.max(first_len)).unwrap_or_default();
    let expected: Vec<String> = error
        .inner()
        .context()
        .filter_map(|context| match context {
            StrContext::Expected(what) => Some(what.to_string()),
            _ => None,
        })
        .collect();
    let expected =
        if expected.is_empty() { "`: type`, `desc` or `]`".to_owned() } else { expected.join(" or ") };
    let found_text = if found.is_empty() { "the end of the part".to_owned() } else { format!("`{found}`") };
    let span = Span::new(offset + at, offset + at + found.len());
    Finding::new(span, Problem::Unexpected { expected, found: found_text })
}

type Input<'a> = LocatingSlice<&'a str>;
type Parsed<T> = Result<T, ErrMode<ContextError>>;

fn expected(what: &'static str) -> StrContext {
    StrContext::Expected(StrContextValue::Description(what))
}

/// `expr [: type] [desc]`
fn part_body(input: &mut Input<'_>) -> Parsed<(Expr, RawSuffix)> {
    let expr = expr(input)?;
    multispace0(input)?;
    let ty = opt(preceded((':', multispace0), cut_err(name.context(expected("a type")).with_span())))
        .parse_next(input)?;
    multispace0(input)?;
    let descending = opt("desc").parse_next(input)?.is_some();
    multispace0(input)?;
    Ok((expr, (ty, descending)))
}

fn expr(input: &mut Input<'_>) -> Parsed<Expr> {
    let ((function, function_span), arguments, span) = {
        let mut call = (name.context(expected("a field or a function")).with_span(), opt(arguments));
        let ((name, arguments), span) = call.by_ref().with_span().parse_next(input)?;
        (name, arguments, span)
    };
    Ok(match arguments {
        None => Expr::Field { name: function, span: function_span.into() },
        Some(arguments) => {
            Expr::Call { function, function_span: function_span.into(), arguments, span: span.into() }
        }
    })
}

fn arguments(input: &mut Input<'_>) -> Parsed<Vec<Argument>> {
    delimited(
        ('(', multispace0),
        separated(0.., argument, (multispace0, ',', multispace0)),
        cut_err((multispace0, ')').context(expected("`,` or `)`"))),
    )
    .parse_next(input)
}

fn argument(input: &mut Input<'_>) -> Parsed<Argument> {
    let number = opt(take_while(1.., |c: char| c.is_ascii_digit()).with_span()).parse_next(input)?;
    match number {
        Some((digits, span)) => Ok(Argument::Number { digits: digits.to_owned(), span: Span::from(span) }),
        None => expr.context(expected("a number or a field")).map(Argument::Expr).parse_next(input),
    }
}

/// A letter or `_`, then letters, digits, `_` and inner `-`.
fn name(input: &mut Input<'_>) -> Parsed<String> {
    let text: &str = input.as_ref();
    let inner = |c: char| c.is_alphanumeric() || c == '_';
    let mut end = 0;
    for (at, character) in text.char_indices() {
        let follows = text.get(at + character.len_utf8()..).and_then(|rest| rest.chars().next());
        let belongs = match character {
            '-' => at > 0 && follows.is_some_and(|next| inner(next) || next == '-'),
            _ if at == 0 => character.is_alphabetic() || character == '_',
            _ => inner(character),
        };
        if !belongs {
            break;
        }
        end = at + character.len_utf8();
    }
    if end == 0 {
        return Err(ErrMode::Backtrack(ContextError::new()));
    }
    winnow::token::take(text.get(..end).unwrap_or_default().chars().count())
        .map(str::to_owned)
        .parse_next(input)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(source: &str) -> Vec<PartKind> {
        parse(source).unwrap().parts.into_iter().map(|part| part.kind).collect()
    }

    /// The first finding, with the text it points to.
    fn first(source: &str) -> (String, String) {
        let findings = parse(source).unwrap_err();
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
    fn a_part_has_an_expression_a_type_and_an_order() {
        let parsed = parse("[salt( 16 , user-id )][ts: u64 desc][name desc]").unwrap();
        let [salt, ts, name] = &parsed.parts[..] else { panic!("{parsed:?}") };
        assert!(matches!(&salt.kind, PartKind::Expr(Expr::Call { function, arguments, .. }, _)
            if function == "salt" && arguments.len() == 2));
        assert!(matches!(&ts.kind, PartKind::Expr(Expr::Field { name, span }, suffix)
            if name == "ts" && *span == Span::new(23, 25)
                && suffix.ty == Some((Type::from_name("u64").unwrap(), Span::new(27, 30)))
                && suffix.order == Order::Descending));
        assert!(matches!(&name.kind, PartKind::Expr(_, Suffix { ty: None, order: Order::Descending })));
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
            ("[ts: ]", "expected a type, found the end of the part", ""),
            ("[ts dsc]", "expected `: type`, `desc` or `]`, found `dsc`", "dsc"),
            ("[salt(16, a]", "expected `,` or `)`, found the end of the part", ""),
            ("[0x0]", "expected an even number of hex digits after 0x, found `0`", "0x0"),
            ("[a] x y [b]", "expected quotes around a literal with blanks, found `x y`", "x y"),
            ("", "the key has no part", ""),
        ] {
            assert_eq!(first(source), (message.to_owned(), place.to_owned()), "{source}");
        }
    }

    #[test]
    fn every_part_is_looked_at() {
        assert_eq!(parse("[7][a: txt][b").unwrap_err().len(), 3);
    }
}

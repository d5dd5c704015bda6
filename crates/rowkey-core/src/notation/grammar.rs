//! The grammar of expressions.
//!
//! ```text
//! body       = sum [":" type] ["?"] ["desc"] ["nulls last"]
//! sum        = product { ("+" | "-") product }          a minus has a blank on both sides
//! product    = postfix { ("*" | "/" | "%") postfix }
//! postfix    = primary { "." name arguments }
//! primary    = "Long.MAX_VALUE" | name arguments | name | number | text | "(" sum ")"
//! arguments  = "(" [argument { "," argument }] ")"
//! argument   = text "=" text | sum [":" type]
//! type       = name ["(" (number | name) ")"]
//! ```

use winnow::ascii::multispace0;
use winnow::error::{ErrMode, ParserError};
use winnow::prelude::*;
use winnow::stream::{LocatingSlice, Location, Stream};
use winnow::token::{take, take_while};

use super::tree::{Call, Expr, ExprKind, Operator, Suffix};
use crate::finding::Problem;
use crate::span::{Span, nearest};
use crate::types::{Nulls, Order, Type, TypeError};

pub(super) type Input<'a> = LocatingSlice<&'a str>;
type Parsed<T> = Result<T, ErrMode<Fault>>;

/// Where the grammar did not go on, and what is wrong if more is known than "something else was expected".
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) span: Span,
    pub(super) problem: Option<Box<Problem>>,
    pub(super) expected: &'static str,
}

impl<'a> ParserError<Input<'a>> for Fault {
    type Inner = Self;

    fn from_input(input: &Input<'a>) -> Self {
        let at = input.current_token_start();
        Self { span: Span::new(at, at), problem: None, expected: "" }
    }

    fn into_inner(self) -> Result<Self::Inner, Self> {
        Ok(self)
    }
}

/// Nothing else can be meant: the parse ends here.
fn fail<T>(span: Span, problem: Problem) -> Parsed<T> {
    Err(ErrMode::Cut(Fault { span, problem: Some(Box::new(problem)), expected: "" }))
}

fn expected<T>(input: &Input<'_>, what: &'static str) -> Parsed<T> {
    let at = input.current_token_start();
    Err(ErrMode::Cut(Fault { span: Span::new(at, at), problem: None, expected: what }))
}

fn blanks(input: &mut Input<'_>) -> Parsed<()> {
    multispace0.void().parse_next(input)
}

fn at(input: &Input<'_>) -> usize {
    input.current_token_start()
}

/// The end of what was consumed last, without the blanks behind it.
fn end(input: &Input<'_>) -> usize {
    input.previous_token_end()
}

fn rest<'a>(input: &Input<'a>) -> &'a str {
    input.as_ref()
}

/// Takes `text` if it comes next.
fn eat(input: &mut Input<'_>, text: &str) -> bool {
    if rest(input).starts_with(text) {
        input.next_slice(text.len());
        return true;
    }
    false
}

/// Takes `word` if it comes next as a whole word.
fn eat_word(input: &mut Input<'_>, word: &str) -> bool {
    let follows = rest(input).strip_prefix(word).map(|rest| rest.chars().next());
    let whole = follows.is_some_and(|next| !next.is_some_and(|c| c.is_alphanumeric() || c == '_'));
    whole && eat(input, word)
}

/// The whole of a bracket.
pub(super) fn body(input: &mut Input<'_>) -> Parsed<(Expr, Suffix)> {
    let expr = sum(input)?;
    let mut suffix = Suffix::default();
    blanks(input)?;
    if eat(input, ":") {
        blanks(input)?;
        suffix.ty = Some(ty(input)?);
    }
    if eat(input, "?") {
        suffix.nulls = Nulls::First;
    }
    blanks(input)?;
    if eat_word(input, "desc") {
        suffix.order = Order::Descending;
        blanks(input)?;
    }
    if eat_word(input, "nulls") {
        let start = end(input) - "nulls".len();
        blanks(input)?;
        if !eat_word(input, "last") {
            return expected(input, "`last` after `nulls`");
        }
        if suffix.nulls == Nulls::Refused {
            return fail(Span::new(start, end(input)), Problem::NullsWithoutQuestionMark);
        }
        suffix.nulls = Nulls::Last;
        blanks(input)?;
    }
    if !rest(input).is_empty() {
        return expected(input, "`: type`, `?`, `desc`, `nulls last` or `]`");
    }
    Ok((expr, suffix))
}

/// One of the expressions of a key without brackets: up to a `:` or the end.
pub(super) fn between_colons(input: &mut Input<'_>) -> Parsed<Expr> {
    blanks(input)?;
    let expr = sum(input)?;
    blanks(input)?;
    Ok(expr)
}

/// `name = expression`, up to a `,` or the end.
pub(super) fn definition(input: &mut Input<'_>) -> Parsed<(String, Span, Expr)> {
    blanks(input)?;
    let (name, span) = name(input)?;
    blanks(input)?;
    if !eat(input, "=") {
        return expected(input, "`=` and what the name stands for");
    }
    blanks(input)?;
    let expr = sum(input)?;
    blanks(input)?;
    Ok((name, span, expr))
}

pub(super) fn sum(input: &mut Input<'_>) -> Parsed<Expr> {
    let mut left = product(input)?;
    loop {
        let before = input.checkpoint();
        let blank_before = rest(input).starts_with(char::is_whitespace);
        blanks(input)?;
        let operator = match rest(input).chars().next() {
            Some('+') => Operator::Add,
            Some('-') => Operator::Subtract,
            _ => {
                input.reset(&before);
                return Ok(left);
            }
        };
        let sign = at(input);
        input.next_slice(1);
        let blank_after = rest(input).starts_with(char::is_whitespace);
        if operator == Operator::Subtract && !(blank_before && blank_after) {
            return fail(Span::new(sign, sign + 1), Problem::MinusWithoutBlanks);
        }
        blanks(input)?;
        left = binary(operator, left, product(input)?);
    }
}

fn product(input: &mut Input<'_>) -> Parsed<Expr> {
    let mut left = postfix(input)?;
    loop {
        let before = input.checkpoint();
        blanks(input)?;
        let operator = match rest(input).chars().next() {
            Some('*') => Operator::Multiply,
            Some('/') => Operator::Divide,
            Some('%') => Operator::Modulo,
            _ => {
                input.reset(&before);
                return Ok(left);
            }
        };
        input.next_slice(1);
        blanks(input)?;
        left = binary(operator, left, postfix(input)?);
    }
}

fn binary(operator: Operator, left: Expr, right: Expr) -> Expr {
    let span = Span::new(left.span.start, right.span.end);
    Expr { span, kind: ExprKind::Binary(operator, Box::new(left), Box::new(right)) }
}

fn postfix(input: &mut Input<'_>) -> Parsed<Expr> {
    let mut receiver = primary(input)?;
    while eat(input, ".") {
        let (function, function_span) = match name(input) {
            Ok(found) => found,
            Err(_) => return expected(input, "a method such as subStr(0,4)"),
        };
        if !rest(input).starts_with('(') {
            return expected(input, "`(` and the arguments of the method");
        }
        let mut arguments = arguments(input)?;
        let span = Span::new(receiver.span.start, end(input));
        arguments.insert(0, receiver);
        let call = Call { function, function_span, is_method: true, arguments };
        receiver = Expr { span, kind: ExprKind::Call(call) };
    }
    Ok(receiver)
}

fn primary(input: &mut Input<'_>) -> Parsed<Expr> {
    let start = at(input);
    let here = rest(input);
    if let Some(len) = long_max(here) {
        input.next_slice(len);
        let span = Span::new(start, end(input));
        // `Long.MAX_VALUE-ts` would read as a name with a minus in it.
        if rest(input).starts_with('-') {
            return fail(Span::new(end(input), end(input) + 1), Problem::MinusWithoutBlanks);
        }
        return Ok(Expr { span, kind: ExprKind::LongMax });
    }
    if here.starts_with('(') {
        input.next_slice(1);
        blanks(input)?;
        let inner = sum(input)?;
        blanks(input)?;
        return if eat(input, ")") { Ok(inner) } else { expected(input, "an operator or `)`") };
    }
    if here.starts_with('\'') {
        let text = text(input)?;
        return Ok(Expr { span: Span::new(start, end(input)), kind: ExprKind::Text(text) });
    }
    if here.starts_with(|c: char| c.is_ascii_digit()) {
        return number(input);
    }
    let Ok((name, span)) = name(input) else { return expected(input, "a field or a function") };
    if !rest(input).starts_with('(') {
        return Ok(Expr { span, kind: ExprKind::Name(name) });
    }
    let arguments = arguments(input)?;
    let call = Call { function: name, function_span: span, is_method: false, arguments };
    Ok(Expr { span: Span::new(start, end(input)), kind: ExprKind::Call(call) })
}

/// The length of `Long.MAX_VALUE` in any case, if it comes next.
fn long_max(text: &str) -> Option<usize> {
    const NAME: &str = "Long.MAX_VALUE";
    let start = text.get(..NAME.len())?;
    let next = text.get(NAME.len()..)?.chars().next();
    let ends = !next.is_some_and(|c| c.is_alphanumeric() || c == '_');
    (start.eq_ignore_ascii_case(NAME) && ends).then_some(NAME.len())
}

fn number(input: &mut Input<'_>) -> Parsed<Expr> {
    let start = at(input);
    let digits = take_while(1.., |c: char| c.is_ascii_digit()).parse_next(input)?;
    let span = Span::new(start, end(input));
    if rest(input).starts_with(|c: char| c.is_alphanumeric() || c == '_') {
        return expected(input, "an operator: a name cannot begin with a digit");
    }
    match digits.parse() {
        Ok(number) => Ok(Expr { span, kind: ExprKind::Number(number) }),
        Err(_) => fail(span, Problem::NumberTooLarge { number: digits.to_owned() }),
    }
}

/// A text in single quotes, where a quote inside is written twice.
fn text(input: &mut Input<'_>) -> Parsed<String> {
    let start = at(input);
    input.next_slice(1);
    let mut text = String::new();
    loop {
        let piece = take_while(0.., |c: char| c != '\'').parse_next(input)?;
        text.push_str(piece);
        if !eat(input, "'") {
            return fail(Span::new(start, end(input)), Problem::UnclosedQuote);
        }
        if !eat(input, "'") {
            return Ok(text);
        }
        text.push('\'');
    }
}

fn arguments(input: &mut Input<'_>) -> Parsed<Vec<Expr>> {
    input.next_slice(1);
    blanks(input)?;
    let mut arguments = Vec::new();
    if eat(input, ")") {
        return Ok(arguments);
    }
    loop {
        arguments.push(argument(input)?);
        blanks(input)?;
        if eat(input, ")") {
            return Ok(arguments);
        }
        if !eat(input, ",") {
            return expected(input, "`,` or `)`");
        }
        blanks(input)?;
    }
}

fn argument(input: &mut Input<'_>) -> Parsed<Expr> {
    let expr = sum(input)?;
    let before = input.checkpoint();
    blanks(input)?;
    if let ExprKind::Text(from) = &expr.kind
        && eat(input, "=")
    {
        blanks(input)?;
        if !rest(input).starts_with('\'') {
            return expected(input, "the code in single quotes");
        }
        let to = text(input)?;
        let span = Span::new(expr.span.start, end(input));
        return Ok(Expr { span, kind: ExprKind::Mapping(from.clone(), to) });
    }
    if eat(input, ":") {
        blanks(input)?;
        let (ty, place) = ty(input)?;
        let span = Span::new(expr.span.start, place.end);
        return Ok(Expr { span, kind: ExprKind::Typed(Box::new(expr), ty) });
    }
    input.reset(&before);
    Ok(expr)
}

fn ty(input: &mut Input<'_>) -> Parsed<(Type, Span)> {
    let Ok((name, name_span)) = name(input) else { return expected(input, "a type") };
    let mut argument = None;
    if eat(input, "(") {
        blanks(input)?;
        let text = take_while(0.., |c: char| c.is_alphanumeric() || c == '_').parse_next(input)?;
        argument = Some(text);
        blanks(input)?;
        if !eat(input, ")") {
            return expected(input, "`)`");
        }
    }
    let span = Span::new(name_span.start, end(input));
    match Type::from_parts(&name, argument) {
        Ok(ty) => Ok((ty, span)),
        Err(TypeError::Unknown) => {
            let nearest = nearest(&name, Type::names());
            fail(name_span, Problem::UnknownType { name, nearest })
        }
        Err(TypeError::Argument(form)) => fail(span, Problem::TypeArgument { name, form }),
    }
}

/// A letter or `_`, then letters, digits, `_` and inner `-`.
pub(super) fn name(input: &mut Input<'_>) -> Parsed<(String, Span)> {
    let text = rest(input);
    let start = at(input);
    let inner = |c: char| c.is_alphanumeric() || c == '_';
    let mut count = 0usize;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let belongs = match character {
            '-' => count > 0 && characters.peek().is_some_and(|&next| inner(next)),
            _ if count == 0 => character.is_alphabetic() || character == '_',
            _ => inner(character),
        };
        if !belongs {
            break;
        }
        count += 1;
    }
    if count == 0 {
        return Err(ErrMode::Backtrack(Fault::from_input(input)));
    }
    let name = take(count).map(str::to_owned).parse_next(input)?;
    Ok((name, Span::new(start, end(input))))
}

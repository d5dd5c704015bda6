//! From the text of a query to a condition over fields.

use sqlparser::ast::{
    BinaryOperator, Expr, OrderByExpr, OrderBySort, Spanned, UnaryOperator, Value as SqlValue,
};
use sqlparser::dialect::GenericDialect;
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Location, Token, TokenWithSpan, Tokenizer};

use super::like::LikePattern;
use super::predicate::{Comparison, Predicate};
use crate::finding::{Finding, Findings, MAX_FINDINGS, Problem};
use crate::key::{FieldId, Fields};
use crate::span::Span;
use crate::types::{Kind, Octets, Order, Type};
use crate::value::{Value, read};

/// A condition over fields, an order and a limit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Query {
    /// What must be true of a row.
    pub condition: Predicate,
    /// The order of the rows; empty for the key's own. Null is smaller than every value.
    pub order_by: Vec<(FieldId, Order)>,
    /// At most so many rows.
    pub limit: Option<usize>,
}

impl Query {
    /// Reads a query over `fields`. Nothing at all means every row.
    ///
    /// # Errors
    /// All findings about the text.
    pub fn parse(source: &str, fields: &Fields) -> Result<Self, Findings> {
        Self::parse_with(source, fields, &[])
    }

    /// As [`Query::parse`], with a value for each `?`, from left to right, in the form that [`crate::value::read`] takes.
    ///
    /// # Errors
    /// All findings about the text and the values.
    pub fn parse_with(source: &str, fields: &Fields, parameters: &[&str]) -> Result<Self, Findings> {
        Ok(Reader::run(source, fields, Given::Values(parameters.iter().copied()))?.query)
    }

    /// What each `?` of a query stands for, from left to right.
    ///
    /// # Errors
    /// All findings about the text.
    pub fn parameters(source: &str, fields: &Fields) -> Result<Vec<Parameter>, Findings> {
        match Reader::run(source, fields, Given::Roles(Vec::new()))?.given {
            Given::Roles(roles) => Ok(roles),
            Given::Values(_) | Given::Samples(..) => Ok(Vec::new()),
        }
    }

    /// The query twice, with values made up for each `?` that differ between the two, and what each `?` stands for, as written. So
    /// what differs is a `?`, and nothing else does.
    ///
    /// # Errors
    /// All findings about the text.
    pub(super) fn samples(source: &str, fields: &Fields) -> Result<([Self; 2], Placeholders), Findings> {
        let read = |sample| Reader::run(source, fields, Given::Samples(sample, Vec::new()));
        let (first, second) = (read(Sample::First)?, read(Sample::Second)?);
        let placeholders = match first.given {
            Given::Samples(_, placeholders) => placeholders,
            Given::Values(_) | Given::Roles(_) => Vec::new(),
        };
        Ok(([first.query, second.query], placeholders))
    }
}

/// The `?` of a query from left to right: what each stands for, and how it is written.
pub(super) type Placeholders = Vec<(Parameter, String)>;

/// Which of two values is made up for a `?`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sample {
    First,
    Second,
}

impl Sample {
    fn pick<T>(self, first: T, second: T) -> T {
        if self == Self::First { first } else { second }
    }

    fn text(self) -> String {
        self.pick("1", "2").to_owned()
    }

    fn value(self, ty: Type) -> Value<'static> {
        match ty.kind() {
            Kind::Integer => Value::Int(self.pick(1, 2)),
            Kind::Float if ty.is_single() => Value::Float32(self.pick(1.0, 2.0)),
            Kind::Float => Value::Float(self.pick(1.0, 2.0)),
            Kind::Text => Value::Text(self.text().into()),
            Kind::Bytes => Value::Bytes(self.text().into_bytes().into()),
            Kind::Time => Value::Time(self.pick(1, 2)),
            Kind::Octets(ty) => Value::Octets(Octets::of_number(ty, self.pick(1, 2))),
            Kind::Bool => Value::Bool(self.pick(false, true)),
            Kind::Numeric => read(&self.text(), ty).unwrap_or_default().into_owned(),
        }
    }
}

/// What a `?` stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parameter {
    /// A value that the field is compared with, by `=`, `<>` or `in`.
    Value(FieldId),
    /// The lower end of a range.
    Lower(FieldId),
    /// The upper end of a range.
    Upper(FieldId),
    /// A pattern behind `like`.
    Pattern(FieldId),
    /// The number of rows.
    Limit,
}

/// Values for the `?` of a query, or what they stand for.
enum Given<'a> {
    Values(std::iter::Copied<std::slice::Iter<'a, &'a str>>),
    Roles(Vec<Parameter>),
    Samples(Sample, Placeholders),
}

/// What stands in the place of a `?`.
enum Placed {
    Text(String),
    /// Its role was recorded; there is no value.
    Recorded,
    Sampled(Sample),
    Missing,
}

impl Given<'_> {
    fn take(&mut self, role: Parameter, written: &str) -> Placed {
        match self {
            Self::Values(values) => {
                values.next().map_or(Placed::Missing, |text| Placed::Text(text.to_owned()))
            }
            Self::Roles(roles) => {
                roles.push(role);
                Placed::Recorded
            }
            Self::Samples(sample, placeholders) => {
                placeholders.push((role, written.to_owned()));
                Placed::Sampled(*sample)
            }
        }
    }
}

/// The words that a query is built with; a field of such a name is written in double quotes.
const GRAMMAR: [Keyword; 16] = [
    Keyword::AND,
    Keyword::OR,
    Keyword::NOT,
    Keyword::BETWEEN,
    Keyword::IN,
    Keyword::LIKE,
    Keyword::ESCAPE,
    Keyword::IS,
    Keyword::NULL,
    Keyword::ORDER,
    Keyword::BY,
    Keyword::ASC,
    Keyword::DESC,
    Keyword::LIMIT,
    Keyword::TRUE,
    Keyword::FALSE,
];

/// Whether a word is one that queries are built with.
pub(super) fn is_grammar(word: &str) -> bool {
    let upper = word.to_ascii_uppercase();
    GRAMMAR.iter().any(|keyword| format!("{keyword:?}") == upper)
}

/// So deep may parentheses and `not` stand in each other; the SQL parser itself goes 50 deep.
pub const MAX_DEPTH: usize = 40;
/// So many `and` and `or` may a query have: the SQL parser makes a tree of them that is as deep as they are many.
pub const MAX_CONDITIONS: usize = 4096;
/// So many words of a condition follow each other without `and`, `or` or a comma, which makes the tree of one condition flat.
const MAX_WORDS: usize = 64;

/// What was read at one level of parentheses since the last `and`, `or` or comma.
#[derive(Default)]
struct Level {
    words: usize,
    nots: usize,
    /// `between` whose `and` has not come.
    betweens: usize,
}

/// The first token at which a query is deeper or longer than it may be.
fn too_much(tokens: &[TokenWithSpan]) -> Option<(&TokenWithSpan, Problem)> {
    let mut levels = vec![Level::default()];
    let (mut conditions, mut nots) = (1, 0);
    for token in tokens {
        let level = levels.last_mut()?;
        level.words += usize::from(!matches!(token.token, Token::Whitespace(_)));
        let keyword = match &token.token {
            Token::Word(word) => word.keyword,
            _ => Keyword::NoKeyword,
        };
        match (&token.token, keyword) {
            (_, Keyword::AND) if level.betweens > 0 => level.betweens -= 1,
            (_, Keyword::AND | Keyword::OR | Keyword::XOR) => {
                conditions += 1;
                nots -= level.nots;
                *level = Level::default();
            }
            (Token::Comma, _) => {
                nots -= level.nots;
                *level = Level::default();
            }
            (_, Keyword::BETWEEN) => level.betweens += 1,
            (_, Keyword::NOT) => {
                level.nots += 1;
                nots += 1;
            }
            (Token::LParen | Token::LBracket | Token::LBrace, _) => levels.push(Level::default()),
            (Token::RParen | Token::RBracket | Token::RBrace, _) if levels.len() > 1 => {
                nots -= levels.pop().map_or(0, |level| level.nots);
            }
            _ => {}
        }
        if levels.len() - 1 + nots > MAX_DEPTH {
            return Some((token, Problem::TooDeep { limit: MAX_DEPTH }));
        }
        if conditions > MAX_CONDITIONS {
            return Some((token, Problem::TooManyConditions { limit: MAX_CONDITIONS }));
        }
        if levels.last().is_some_and(|level| level.words > MAX_WORDS) {
            let expected = format!("`and`, `or` or a comma within {MAX_WORDS} words");
            return Some((token, Problem::Unexpected { expected, found: format!("`{}`", token.token) }));
        }
    }
    None
}

struct Reader<'a> {
    source: &'a str,
    fields: &'a Fields,
    given: Given<'a>,
    query: Query,
    findings: Vec<Finding>,
}

impl<'a> Reader<'a> {
    fn run(source: &'a str, fields: &'a Fields, given: Given<'a>) -> Result<Self, Findings> {
        let mut reader = Reader { source, fields, given, query: Query::default(), findings: Vec::new() };
        match reader.read() {
            Err(error) => {
                let finding = reader.sql_finding(&error);
                reader.findings.push(finding);
            }
            Ok(()) => {
                if let Given::Values(rest) = &reader.given
                    && rest.len() > 0
                {
                    let found = format!("{} more", rest.len());
                    let expected = "a value for each `?`".to_owned();
                    let end = Span::new(source.len(), source.len());
                    reader.findings.push(Finding::new(end, Problem::Unexpected { expected, found }));
                }
            }
        }
        if reader.findings.is_empty() {
            Ok(reader)
        } else {
            Err(Findings::new("query", source, reader.findings))
        }
    }

    fn read(&mut self) -> Result<(), ParserError> {
        let dialect = GenericDialect {};
        let tokens = self.tokens(&dialect)?;
        if let Some((token, problem)) = too_much(&tokens) {
            self.find(self.span(token.span), problem);
            return Ok(());
        }
        let mut parser = Parser::new(&dialect).with_tokens_with_locations(tokens);
        let condition_follows = match parser.peek_token().token {
            Token::EOF => false,
            Token::Word(word) => !matches!(word.keyword, Keyword::ORDER | Keyword::LIMIT),
            _ => true,
        };
        if condition_follows {
            let condition = parser.parse_expr()?;
            self.query.condition = self.condition(condition);
        }
        if parser.parse_keywords(&[Keyword::ORDER, Keyword::BY]) {
            for order in parser.parse_comma_separated(Parser::parse_order_by_expr)? {
                self.order(&order);
            }
        }
        if parser.parse_keyword(Keyword::LIMIT) {
            let limit = parser.parse_expr()?;
            let given = match &limit {
                Expr::Value(value) => match &value.value {
                    SqlValue::Number(digits, _) => Some(digits.clone()),
                    SqlValue::Placeholder(written) => match self.given.take(Parameter::Limit, written) {
                        Placed::Text(text) => Some(text),
                        Placed::Recorded => Some("1".to_owned()),
                        Placed::Sampled(sample) => Some(sample.text()),
                        Placed::Missing => None,
                    },
                    _ => None,
                },
                _ => None,
            };
            self.query.limit = given.and_then(|digits| digits.parse().ok());
            if self.query.limit.is_none() {
                self.unexpected(&limit, "a whole number after limit");
            }
        }
        let rest = parser.peek_token();
        if rest.token != Token::EOF {
            let found = format!("`{}`", rest.token);
            let expected = "`and`, `order by`, `limit` or the end".to_owned();
            self.find(self.span(rest.span), Problem::Unexpected { expected, found });
        }
        Ok(())
    }

    /// The tokens, with field names made plain words: `user`, `date` or `interval` mean something else in SQL, but
    /// here they are first of all names that people give to fields.
    fn tokens(&self, dialect: &GenericDialect) -> Result<Vec<TokenWithSpan>, ParserError> {
        let mut tokens = Tokenizer::new(dialect, self.source).tokenize_with_location()?;
        for token in &mut tokens {
            if let Token::Word(word) = &mut token.token
                && !GRAMMAR.contains(&word.keyword)
                && self.fields.id(&word.value).is_some()
            {
                word.keyword = Keyword::NoKeyword;
            }
        }
        Ok(tokens)
    }

    /// What it says; anything at all after a finding.
    fn condition(&mut self, expr: Expr) -> Predicate {
        match expr {
            Expr::Nested(inner) => self.condition(*inner),
            Expr::UnaryOp { op: UnaryOperator::Not, expr } => Predicate::Not(Box::new(self.condition(*expr))),
            Expr::BinaryOp { left, op: op @ (BinaryOperator::And | BinaryOperator::Or), right } => {
                self.chain(*left, &op, *right)
            }
            other => self.single(&other),
        }
    }

    /// `a and b and c`: a tree as deep as it is long, taken apart from its end without recursion.
    fn chain(&mut self, left: Expr, op: &BinaryOperator, right: Expr) -> Predicate {
        let (mut rest, mut sides) = (left, vec![right]);
        let first = loop {
            match rest {
                Expr::BinaryOp { left, op: same, right } if same == *op => {
                    sides.push(*right);
                    rest = *left;
                }
                first => break first,
            }
        };
        sides.push(first);
        let and = *op == BinaryOperator::And;
        let mut parts = Vec::with_capacity(sides.len());
        while let Some(side) = sides.pop() {
            match self.condition(side) {
                Predicate::And(inner) if and => parts.extend(inner),
                Predicate::Or(inner) if !and && !inner.is_empty() => parts.extend(inner),
                other => parts.push(other),
            }
        }
        if and { Predicate::And(parts) } else { Predicate::Or(parts) }
    }

    /// A condition without another one in it.
    fn single(&mut self, expr: &Expr) -> Predicate {
        let negated_if = |negated: bool, predicate: Predicate| {
            if negated { Predicate::Not(Box::new(predicate)) } else { predicate }
        };
        match expr {
            Expr::BinaryOp { op: BinaryOperator::Xor, .. } => {
                // Its tree may be deep: neither its text nor its place is asked for.
                self.find(Span::new(0, self.source.len()), Problem::NotYet { what: "`XOR`".to_owned() });
                Predicate::Unknown
            }
            Expr::BinaryOp { left, op, right } => match comparison(op) {
                Some(comparison) => self.comparison(left, comparison, right),
                None => self.not_yet(expr, &format!("`{op}`")),
            },
            Expr::Between { expr, negated, low, high } => {
                let low = self.comparison(expr, Comparison::GreaterOrEqual, low);
                let high = self.comparison(expr, Comparison::LessOrEqual, high);
                negated_if(*negated, Predicate::And(vec![low, high]))
            }
            Expr::InList { expr, list, negated } => negated_if(*negated, self.in_list(expr, list)),
            Expr::Like { negated, any: false, expr, pattern, escape_char } => {
                negated_if(*negated, self.like(expr, pattern, escape_char.as_deref()))
            }
            Expr::IsNull(inner) => {
                self.field(inner).map_or(Predicate::Unknown, |field| Predicate::IsNull { field })
            }
            Expr::IsNotNull(inner) => {
                let is_null =
                    self.field(inner).map_or(Predicate::Unknown, |field| Predicate::IsNull { field });
                Predicate::Not(Box::new(is_null))
            }
            Expr::Value(value) => match &value.value {
                SqlValue::Boolean(true) => Predicate::TRUE,
                SqlValue::Boolean(false) => Predicate::Or(Vec::new()),
                SqlValue::Null => Predicate::Unknown,
                _ => self.unexpected(expr, "a condition, such as `field = value`"),
            },
            Expr::Identifier(_) => {
                // `where paid` is short for `paid = true`.
                let Some(field) = self.field(expr) else { return Predicate::Unknown };
                if self.fields.get(field).ty.kind() == Kind::Bool {
                    return Predicate::Compare {
                        field,
                        comparison: Comparison::Equal,
                        value: Value::Bool(true),
                    };
                }
                self.unexpected(expr, "a condition: compare the field with a value")
            }
            other => self.not_yet(other, &format!("the condition `{other}`")),
        }
    }

    fn comparison(&mut self, left: &Expr, comparison: Comparison, right: &Expr) -> Predicate {
        let (field, comparison, literal) = match (left, right) {
            (Expr::Identifier(_), _) => (left, comparison, right),
            (_, Expr::Identifier(_)) => (right, comparison.mirrored(), left),
            _ => {
                // `user` and its like are functions to SQL; here they are fields that are not there.
                let word = left.to_string();
                if matches!(left, Expr::Function(_)) && word.chars().all(|c| c.is_alphanumeric() || c == '_')
                {
                    let problem = Problem::unknown_field(&word, self.fields);
                    self.find(self.span(left.span()), problem);
                    return Predicate::Unknown;
                }
                return self.unexpected(left, "a field on one side of the comparison");
            }
        };
        let Some(field) = self.field(field) else { return Predicate::Unknown };
        let role = match comparison {
            Comparison::Equal | Comparison::NotEqual => Parameter::Value(field),
            Comparison::Less | Comparison::LessOrEqual => Parameter::Upper(field),
            Comparison::Greater | Comparison::GreaterOrEqual => Parameter::Lower(field),
        };
        match self.literal(field, literal, role) {
            Some(value) if !value.is_null() => Predicate::Compare { field, comparison, value },
            _ => Predicate::Unknown,
        }
    }

    fn in_list(&mut self, expr: &Expr, list: &[Expr]) -> Predicate {
        let Some(field) = self.field(expr) else { return Predicate::Unknown };
        let read: Vec<Value<'static>> =
            list.iter().filter_map(|one| self.literal(field, one, Parameter::Value(field))).collect();
        let or_null = read.iter().any(Value::is_null);
        let values = read.into_iter().filter(|value| !value.is_null()).collect();
        Predicate::In { field, values, or_null }
    }

    fn like(&mut self, expr: &Expr, pattern: &Expr, escape: Option<&Expr>) -> Predicate {
        let Some(field) = self.field(expr) else { return Predicate::Unknown };
        let declared = self.fields.get(field);
        if declared.ty.kind() != Kind::Text {
            let expected = format!("a text field before `like`, but `{}` is {}", declared.name, declared.ty);
            return self.unexpected(expr, &expected);
        }
        let escape = match escape {
            None => None,
            Some(escape) => {
                let text = match escape {
                    Expr::Value(value) => match &value.value {
                        SqlValue::SingleQuotedString(text) => text.as_str(),
                        _ => "",
                    },
                    _ => "",
                };
                let mut characters = text.chars();
                match (characters.next(), characters.next()) {
                    (Some(only), None) => Some(only),
                    _ => return self.unexpected(escape, "one character in quotes after `escape`"),
                }
            }
        };
        let text = match pattern {
            Expr::Value(value) => match &value.value {
                SqlValue::SingleQuotedString(text) => Some(text.clone()),
                SqlValue::Null => return Predicate::Unknown,
                SqlValue::Placeholder(written) => match self.given.take(Parameter::Pattern(field), written) {
                    Placed::Text(text) => Some(text),
                    Placed::Sampled(sample) => Some(sample.text()),
                    Placed::Recorded => return Predicate::Unknown,
                    Placed::Missing => return self.unexpected(pattern, "a value for each `?`"),
                },
                _ => None,
            },
            _ => None,
        };
        match text.map(|text| LikePattern::parse(&text, escape)) {
            Some(Ok(pattern)) => Predicate::Like { field, pattern },
            Some(Err(_)) => self.unexpected(pattern, "`%`, `_` or itself behind the escape character"),
            None => self.unexpected(pattern, "a pattern in single quotes after `like`"),
        }
    }

    fn field(&mut self, expr: &Expr) -> Option<FieldId> {
        let Expr::Identifier(name) = expr else {
            self.unexpected(expr, "the name of a field");
            return None;
        };
        let id = self.fields.id(&name.value);
        if id.is_none() {
            let problem = Problem::unknown_field(&name.value, self.fields);
            self.find(self.span(name.span), problem);
        }
        id
    }

    fn literal(&mut self, field: FieldId, expr: &Expr, role: Parameter) -> Option<Value<'static>> {
        let (text, is_bare) = match expr {
            Expr::Value(value) => match &value.value {
                SqlValue::Number(digits, _) => (digits.clone(), true),
                SqlValue::SingleQuotedString(text) => (text.clone(), false),
                SqlValue::Boolean(bool) => (bool.to_string(), true),
                SqlValue::Null => return Some(Value::Null),
                SqlValue::Placeholder(written) => match self.given.take(role, written) {
                    Placed::Text(text) => (text, false),
                    Placed::Sampled(sample) => return Some(sample.value(self.fields.get(field).ty)),
                    Placed::Recorded => return None,
                    Placed::Missing => {
                        self.unexpected(expr, "a value for each `?`");
                        return None;
                    }
                },
                _ => {
                    self.unexpected(expr, "a number or a text in single quotes");
                    return None;
                }
            },
            Expr::UnaryOp { op: op @ (UnaryOperator::Minus | UnaryOperator::Plus), expr: inner }
                if matches!(&**inner, Expr::Value(_)) =>
            {
                (format!("{op}{inner}"), true)
            }
            _ => {
                self.unexpected(expr, "a value: a number or a text in single quotes");
                return None;
            }
        };
        let declared = self.fields.get(field);
        let problem = if is_bare && !declared.ty.kind().takes_numbers() {
            let expected = format!("a text in single quotes, because `{}` is {}", declared.name, declared.ty);
            Problem::Unexpected { expected, found: text }
        } else {
            match read(&text, declared.ty) {
                Ok(value) => return Some(value.into_owned()),
                Err(problem) => Problem::BadValue { field: declared.name.clone(), problem },
            }
        };
        self.find(self.span(expr.span()), problem);
        None
    }

    fn order(&mut self, order: &OrderByExpr) {
        if order.options.nulls_first.is_some() {
            self.not_yet(&order.expr, "`nulls first` or `nulls last`");
        }
        let direction = match &order.options.sort {
            None | Some(OrderBySort::Asc) => Order::Ascending,
            Some(OrderBySort::Desc) => Order::Descending,
            Some(OrderBySort::Using(_)) => {
                self.not_yet(&order.expr, "`using`");
                return;
            }
        };
        if let Some(field) = self.field(&order.expr) {
            self.query.order_by.push((field, direction));
        }
    }

    fn not_yet(&mut self, expr: &Expr, what: &str) -> Predicate {
        let span = self.span(expr.span());
        self.find(span, Problem::NotYet { what: what.to_owned() });
        Predicate::Unknown
    }

    fn unexpected(&mut self, expr: &Expr, expected: &str) -> Predicate {
        let problem = Problem::Unexpected { expected: expected.to_owned(), found: format!("`{expr}`") };
        self.find(self.span(expr.span()), problem);
        Predicate::Unknown
    }

    fn find(&mut self, span: Span, problem: Problem) {
        if self.findings.len() < MAX_FINDINGS {
            self.findings.push(Finding::new(span, problem));
        }
    }

    /// A place is looked up by walking to it, which is not worth it for a finding that is not kept.
    fn span(&self, span: sqlparser::tokenizer::Span) -> Span {
        if self.findings.len() >= MAX_FINDINGS {
            return Span::default();
        }
        Span::new(self.offset(span.start), self.offset(span.end))
    }

    /// The parser counts lines and characters from 1.
    fn offset(&self, location: Location) -> usize {
        let line = usize::try_from(location.line).unwrap_or(1).saturating_sub(1);
        let line_start: usize = self.source.split_inclusive('\n').take(line).map(str::len).sum();
        let rest = self.source.get(line_start..).unwrap_or_default();
        let column = usize::try_from(location.column).unwrap_or(1).saturating_sub(1);
        line_start + rest.chars().take(column).map(char::len_utf8).sum::<usize>()
    }

    /// The SQL parser gives its place only inside its message: `… at Line: 1, Column: 5`.
    fn sql_finding(&self, error: &ParserError) -> Finding {
        let message = match error {
            ParserError::TokenizerError(message) | ParserError::ParserError(message) => message.clone(),
            ParserError::RecursionLimitExceeded => {
                format!("the condition is nested more than {MAX_DEPTH} deep")
            }
        };
        let (text, place) = message.rsplit_once(" at Line: ").unwrap_or((&message, ""));
        let location = place.split_once(", Column: ").and_then(|(line, column)| {
            Some(Location { line: line.parse().ok()?, column: column.parse().ok()? })
        });
        let at = location.map_or(self.source.len(), |location| self.offset(location));
        let width = self.source.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        Finding::new(Span::new(at, at + width), Problem::Sql { message: text.replace(": ", " ") })
    }
}

fn comparison(op: &BinaryOperator) -> Option<Comparison> {
    Some(match op {
        BinaryOperator::Eq => Comparison::Equal,
        BinaryOperator::NotEq => Comparison::NotEqual,
        BinaryOperator::Lt => Comparison::Less,
        BinaryOperator::LtEq => Comparison::LessOrEqual,
        BinaryOperator::Gt => Comparison::Greater,
        BinaryOperator::GtEq => Comparison::GreaterOrEqual,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::KeySchema;

    fn fields() -> Fields {
        KeySchema::parse("[user: u64][ts: timestamp][date: u32][name]").unwrap().fields().clone()
    }

    fn problems(source: &str) -> Vec<String> {
        let findings = Query::parse(source, &fields()).unwrap_err();
        findings.to_string().lines().map(str::to_owned).collect()
    }

    fn compare(field: usize, comparison: Comparison, value: Value<'static>) -> Predicate {
        Predicate::Compare { field: FieldId(field), comparison, value }
    }

    #[test]
    fn a_query_has_a_condition_an_order_and_a_limit() {
        let text = "user = 7 and ('2025-01-01' <= ts and ts < 1735776000000) and name = 'it''s' \
                    order by ts desc, name limit 20";
        let query = Query::parse(text, &fields()).unwrap();
        assert_eq!(
            query.condition,
            Predicate::And(vec![
                compare(0, Comparison::Equal, Value::Int(7)),
                compare(1, Comparison::GreaterOrEqual, Value::Time(1_735_689_600_000)),
                compare(1, Comparison::Less, Value::Time(1_735_776_000_000)),
                compare(3, Comparison::Equal, Value::Text("it's".into())),
            ])
        );
        assert_eq!(query.order_by, [(FieldId(1), Order::Descending), (FieldId(3), Order::Ascending)]);
        assert_eq!(query.limit, Some(20));
    }

    #[test]
    fn every_question_mark_has_a_role() {
        use Parameter::{Limit, Lower, Pattern, Upper, Value};
        let [user, ts, date, name] = [0, 1, 2, 3].map(FieldId);
        for (text, expected) in [
            ("user = ? limit ?", vec![Value(user), Limit]),
            ("ts >= ? and ts<?", vec![Lower(ts), Upper(ts)]),
            ("ts not between ? and ? and user=?", vec![Lower(ts), Upper(ts), Value(user)]),
            ("? <= ts and (? = user or not ? > date)", vec![Lower(ts), Value(user), Upper(date)]),
            ("user in (?,7,?) and name like ?", vec![Value(user), Value(user), Pattern(name)]),
            ("name = '? x' and \"user\" <> ?", vec![Value(user)]),
            ("", vec![]),
        ] {
            assert_eq!(Query::parameters(text, &fields()).unwrap(), expected, "{text}");
        }
        assert!(Query::parameters("nothing = ?", &fields()).is_err());
        let like = Query::parse_with("name like ?", &fields(), &["a%"]).unwrap();
        assert_eq!(like, Query::parse("name like 'a%'", &fields()).unwrap());
    }

    #[test]
    fn every_clause_may_be_missing() {
        assert_eq!(Query::parse("", &fields()), Ok(Query::default()));
        assert_eq!(Query::parse("limit 3", &fields()).unwrap().limit, Some(3));
        assert_eq!(Query::parse("order by date", &fields()).unwrap().order_by.len(), 1);
        assert_eq!(
            Query::parse("ts > -5", &fields()).unwrap().condition,
            compare(1, Comparison::Greater, Value::Time(-5))
        );
    }

    #[test]
    fn conditions_of_every_form_print_as_they_are_read() {
        for text in [
            "user = 7 and date <> 8",
            "user in (1, 2, 3)",
            "user not in (1, null)",
            "name like 'a%' or name not like '%x_'",
            "name like '100!%' escape '!'",
            "name like 'a!b'",
            "not (user = 1 and (date = 2 or date = 3))",
            "name is null or ts is not null",
            "true and user = 1 or false",
        ] {
            let query = Query::parse(text, &fields()).unwrap();
            let printed = query.condition.to_sql(&fields());
            let again = Query::parse(&printed, &fields()).unwrap();
            assert_eq!(again.condition.pushed_down(), query.condition.pushed_down(), "{text}\n{printed}");
        }
        let between = Query::parse("date between 20250101 and 20250131", &fields()).unwrap();
        assert_eq!(between.condition.to_sql(&fields()), "date >= 20250101 and date <= 20250131");
    }

    #[test]
    fn question_marks_take_values() {
        let query =
            Query::parse_with("user = ? and name in (?, 'b') limit ?", &fields(), &["7", "it's", "20"])
                .unwrap();
        assert_eq!(query.condition.to_sql(&fields()), "user = 7 and name in ('it''s', 'b')");
        assert_eq!(query.limit, Some(20));
        let wrong = |parameters: &[&str]| {
            Query::parse_with("user = ?", &fields(), parameters).unwrap_err().to_string()
        };
        assert!(wrong(&[]).contains("expected a value for each `?`, found `?`"), "{}", wrong(&[]));
        assert!(wrong(&["1", "2"]).contains("expected a value for each `?`, found 1 more"));
        assert!(wrong(&["x"]).contains("`x` is not a whole number"));
    }

    #[test]
    fn mistakes_are_named_and_placed() {
        for (text, expected) in [
            ("usr = 7", "query:1:1: there is no field `usr`"),
            ("user = 7 and nam = 'x'", "query:1:14: there is no field `nam`"),
            ("user = x", "query:1:8: expected a value"),
            ("user = 'x'", "query:1:8: field `user`: `x` is not a whole number"),
            (
                "user = -1",
                "query:1:9: field `user`: -1 does not fit u64, which holds 0 to 18446744073709551615",
            ),
            ("name = 7", "query:1:8: expected a text in single quotes, because `name` is text, found 7"),
            ("user + 1", "query:1:1: `+` cannot be used yet"),
            ("name ilike 'a%'", "query:1:1: the condition `name ILIKE 'a%'` cannot be used yet"),
            (
                "user like 'a%'",
                "query:1:1: expected a text field before `like`, but `user` is u64, found `user`",
            ),
            (
                "name like 'a!b' escape '!'",
                "query:1:11: expected `%`, `_` or itself behind the escape character",
            ),
            ("name", "query:1:1: expected a condition: compare the field with a value"),
            ("user = 7 limit x", "query:1:16: expected a whole number after limit"),
            ("user = 7 user", "query:1:10: expected `and`, `order by`, `limit` or the end, found `user`"),
            ("user =", "query:1:7: "),
            ("name = 'x", "query:1:8: "),
            ("1 = 1", "query:1:1: expected a field on one side"),
            ("current_user = 7", "query:1:1: there is no field `current_user`"),
        ] {
            let found = problems(text);
            assert!(found[0].starts_with(expected), "{text}\n{}\n{expected}", found[0]);
        }
        assert_eq!(problems("a = 1 and b = 2 order by c limit d").len(), 4);
    }

    #[test]
    fn deep_and_long_conditions_have_limits_with_their_places() {
        let repeated = |open: &str, close: &str, times: usize| {
            format!("{}user = 1{}", open.repeat(times), close.repeat(times))
        };
        for (open, close) in [("(", ")"), ("not ", ""), ("not (", ")"), ("(not ", ")")] {
            let each = open.matches(['n', '(']).count();
            Query::parse(&repeated(open, close, MAX_DEPTH / each), &fields()).unwrap();
            for times in [MAX_DEPTH + 1, 6_000, 100_000] {
                let found = problems(&repeated(open, close, times));
                assert!(found[0].ends_with("nested more than 40 deep"), "{}", found[0]);
                assert_eq!(found.len(), 1);
            }
            assert!(Query::parse(&open.repeat(100_000), &fields()).is_err());
        }
        for operator in [" and ", " or ", " and user = 2 or "] {
            let chain = |count: usize| vec!["user = 1"; count].join(operator);
            let most = MAX_CONDITIONS / operator.matches(['a', 'o']).count().max(1);
            Query::parse(&chain(most), &fields()).unwrap();
            // An error at the end, too: what was read so far is dropped.
            assert!(Query::parse(&format!("{}{operator})", chain(most - 1)), &fields()).is_err());
            let found = problems(&chain(100_000));
            assert!(found[0].contains("more than 4096 conditions"), "{}", found[0]);
        }
        for repeated in
            [" + 1", " is null", " between 1 and 2", " in (1)", " xor user = 1 and user = 1", " || 'a'"]
        {
            assert!(Query::parse(&format!("user{}", repeated.repeat(100_000)), &fields()).is_err());
            assert!(Query::parse(&format!("user{}", repeated.repeat(1_000)), &fields()).is_err());
        }
        let list = format!("user in ({})", vec!["1"; 100_000].join(", "));
        Query::parse(&list, &fields()).unwrap();
        let unknown = format!("user in ({})", vec!["x"; 100_000].join(", "));
        assert_eq!(problems(&unknown).len(), 100);
    }

    #[test]
    fn conditions_are_true_false_or_unknown() {
        let record = [Value::Int(7), Value::Null, Value::Int(20), Value::Text("abc".into())];
        for (text, expected) in [
            ("user = 7", Some(true)),
            ("user <> 7", Some(false)),
            ("ts = 5", None),
            ("not ts = 5", None),
            ("ts is null", Some(true)),
            ("ts = 5 or user = 7", Some(true)),
            ("ts = 5 and user = 8", Some(false)),
            ("ts = 5 and user = 7", None),
            ("user = null", None),
            ("user in (8, null)", None),
            ("user not in (8, null)", None),
            ("user not in (7, null)", Some(false)),
            ("name like 'a%'", Some(true)),
            ("name not like '%b%'", Some(false)),
            ("false", Some(false)),
        ] {
            let query = Query::parse(text, &fields()).unwrap();
            assert_eq!(query.condition.matches(&record), expected, "{text}");
            assert_eq!(query.condition.pushed_down().matches(&record), expected, "{text}");
        }
        assert_eq!(Query::parse("user >= 0", &fields()).unwrap().condition.matches(&[]), None);
    }
}

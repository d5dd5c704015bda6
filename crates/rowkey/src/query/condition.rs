//! From the text of a query to conditions over fields.

use sqlparser::ast::{
    BinaryOperator, Expr, OrderByExpr, OrderBySort, Spanned, UnaryOperator, Value as SqlValue,
};
use sqlparser::dialect::GenericDialect;
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Location, Token, TokenWithSpan, Tokenizer};

use crate::finding::{Finding, Findings, Problem};
use crate::key::{FieldId, Fields};
use crate::span::Span;
use crate::types::{Kind, Order};
use crate::value::{Value, read};

/// Conditions that must all hold, an order and a limit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Query {
    /// All of these must hold.
    pub conditions: Vec<Condition>,
    /// The order of the rows; empty for the key's own.
    pub order_by: Vec<(FieldId, Order)>,
    /// At most so many rows.
    pub limit: Option<usize>,
}

/// A comparison of a field with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// The field.
    pub field: FieldId,
    /// How it must compare.
    pub comparison: Comparison,
    /// With what; never null.
    pub value: Value<'static>,
}

/// How a field must compare with a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Comparison {
    /// The comparison that holds when both sides change places.
    fn mirrored(self) -> Self {
        match self {
            Self::Equal => Self::Equal,
            Self::Less => Self::Greater,
            Self::LessOrEqual => Self::GreaterOrEqual,
            Self::Greater => Self::Less,
            Self::GreaterOrEqual => Self::LessOrEqual,
        }
    }
}

impl Condition {
    /// Whether a record meets it. A null meets nothing, as in SQL.
    pub fn matches(&self, record: &[Value<'_>]) -> bool {
        let order = record.get(self.field.0).and_then(|value| value.compare(&self.value));
        order.is_some_and(|order| match self.comparison {
            Comparison::Equal => order.is_eq(),
            Comparison::Less => order.is_lt(),
            Comparison::LessOrEqual => order.is_le(),
            Comparison::Greater => order.is_gt(),
            Comparison::GreaterOrEqual => order.is_ge(),
        })
    }
}

impl Query {
    /// Reads a query over `fields`. Nothing at all means every row.
    ///
    /// # Errors
    /// All findings about the text.
    pub fn parse(source: &str, fields: &Fields) -> Result<Self, Findings> {
        let mut reader = Reader { source, fields, query: Self::default(), findings: Vec::new() };
        if let Err(error) = reader.read() {
            let finding = reader.sql_finding(&error);
            reader.findings.push(finding);
        }
        if reader.findings.is_empty() {
            Ok(reader.query)
        } else {
            Err(Findings::new("query", source, reader.findings))
        }
    }
}

/// The words that a query is built with; a field of such a name is written in double quotes.
const GRAMMAR: [Keyword; 15] = [
    Keyword::AND,
    Keyword::OR,
    Keyword::NOT,
    Keyword::BETWEEN,
    Keyword::IN,
    Keyword::LIKE,
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

struct Reader<'a> {
    source: &'a str,
    fields: &'a Fields,
    query: Query,
    findings: Vec<Finding>,
}

impl Reader<'_> {
    fn read(&mut self) -> Result<(), ParserError> {
        let dialect = GenericDialect {};
        let tokens = self.tokens(&dialect)?;
        let mut parser = Parser::new(&dialect).with_tokens_with_locations(tokens);
        let condition_follows = match parser.peek_token().token {
            Token::EOF => false,
            Token::Word(word) => !matches!(word.keyword, Keyword::ORDER | Keyword::LIMIT),
            _ => true,
        };
        if condition_follows {
            let condition = parser.parse_expr()?;
            self.condition(&condition);
        }
        if parser.parse_keywords(&[Keyword::ORDER, Keyword::BY]) {
            for order in parser.parse_comma_separated(Parser::parse_order_by_expr)? {
                self.order(&order);
            }
        }
        if parser.parse_keyword(Keyword::LIMIT) {
            let limit = parser.parse_expr()?;
            match &limit {
                Expr::Value(value) if matches!(&value.value, SqlValue::Number(..)) => {
                    self.query.limit = limit.to_string().parse().ok();
                }
                _ => {}
            }
            if self.query.limit.is_none() {
                self.unexpected(&limit, "a whole number after limit");
            }
        }
        let rest = parser.peek_token();
        if rest.token != Token::EOF {
            let found = format!("`{}`", rest.token);
            let expected = "`and`, `order by`, `limit` or the end".to_owned();
            self.findings.push(Finding::new(self.span(rest.span), Problem::Unexpected { expected, found }));
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

    fn condition(&mut self, expr: &Expr) {
        match expr {
            Expr::Nested(inner) => self.condition(inner),
            Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
                self.condition(left);
                self.condition(right);
            }
            Expr::BinaryOp { left, op, right } => match comparison(op) {
                Some(comparison) => self.comparison(left, comparison, right),
                None => self.not_yet(expr, &format!("`{op}`")),
            },
            Expr::Between { expr, negated: false, low, high } => {
                self.comparison(expr, Comparison::GreaterOrEqual, low);
                self.comparison(expr, Comparison::LessOrEqual, high);
            }
            other => self.not_yet(other, &format!("the condition `{other}`")),
        }
    }

    fn comparison(&mut self, left: &Expr, comparison: Comparison, right: &Expr) {
        let (field, comparison, literal) = match (left, right) {
            (Expr::Identifier(_), _) => (left, comparison, right),
            (_, Expr::Identifier(_)) => (right, comparison.mirrored(), left),
            _ => return self.unexpected(left, "a field on one side of the comparison"),
        };
        let Some(field) = self.field(field) else { return };
        if let Some(value) = self.literal(field, literal) {
            self.query.conditions.push(Condition { field, comparison, value });
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
            self.findings.push(Finding::new(self.span(name.span), problem));
        }
        id
    }

    fn literal(&mut self, field: FieldId, expr: &Expr) -> Option<Value<'static>> {
        let (text, is_number) = match expr {
            Expr::Value(value) => match &value.value {
                SqlValue::Number(digits, _) => (digits.clone(), true),
                SqlValue::SingleQuotedString(text) => (text.clone(), false),
                SqlValue::Boolean(bool) => (bool.to_string(), false),
                SqlValue::Placeholder(_) => {
                    self.not_yet(expr, "a `?` to be given later");
                    return None;
                }
                _ => {
                    self.unexpected(expr, "a number or a text in single quotes");
                    return None;
                }
            },
            Expr::UnaryOp { op: UnaryOperator::Minus, expr: inner } if matches!(&**inner, Expr::Value(_)) => {
                (format!("-{inner}"), true)
            }
            _ => {
                self.unexpected(expr, "a value: a number or a text in single quotes");
                return None;
            }
        };
        let declared = self.fields.get(field);
        let problem = if is_number && declared.ty.kind() == Kind::Text {
            let expected = format!("a text in single quotes, because `{}` is {}", declared.name, declared.ty);
            Problem::Unexpected { expected, found: text }
        } else {
            match read(&text, declared.ty) {
                Ok(value) => return Some(value.into_owned()),
                Err(problem) => Problem::BadValue { field: declared.name.clone(), problem },
            }
        };
        self.findings.push(Finding::new(self.span(expr.span()), problem));
        None
    }

    fn order(&mut self, order: &OrderByExpr) {
        if order.options.nulls_first.is_some() {
            self.not_yet(&order.expr, "`nulls first` or `nulls last`");
        }
        let direction = match &order.options.sort {
            None | Some(OrderBySort::Asc) => Order::Ascending,
            Some(OrderBySort::Desc) => Order::Descending,
            Some(OrderBySort::Using(_)) => return self.not_yet(&order.expr, "`using`"),
        };
        if let Some(field) = self.field(&order.expr) {
            self.query.order_by.push((field, direction));
        }
    }

    fn not_yet(&mut self, expr: &Expr, what: &str) {
        let span = self.span(expr.span());
        self.findings.push(Finding::new(span, Problem::NotYet { what: what.to_owned() }));
    }

    fn unexpected(&mut self, expr: &Expr, expected: &str) {
        let problem = Problem::Unexpected { expected: expected.to_owned(), found: format!("`{expr}`") };
        self.findings.push(Finding::new(self.span(expr.span()), problem));
    }

    fn span(&self, span: sqlparser::tokenizer::Span) -> Span {
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
            ParserError::RecursionLimitExceeded => "the condition is nested too deeply".to_owned(),
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

    #[test]
    fn a_query_has_conditions_an_order_and_a_limit() {
        let text = "user = 7 and ('2025-01-01' <= ts and ts < 1735776000000) and name = 'it''s' \
                    order by ts desc, name limit 20";
        let query = Query::parse(text, &fields()).unwrap();
        let condition = |field, comparison, value| Condition { field: FieldId(field), comparison, value };
        assert_eq!(
            query.conditions,
            [
                condition(0, Comparison::Equal, Value::Int(7)),
                condition(1, Comparison::GreaterOrEqual, Value::Time(1_735_689_600_000)),
                condition(1, Comparison::Less, Value::Time(1_735_776_000_000)),
                condition(3, Comparison::Equal, Value::Text("it's".into())),
            ]
        );
        assert_eq!(query.order_by, [(FieldId(1), Order::Descending), (FieldId(3), Order::Ascending)]);
        assert_eq!(query.limit, Some(20));
    }

    #[test]
    fn every_clause_may_be_missing() {
        assert_eq!(Query::parse("", &fields()), Ok(Query::default()));
        assert_eq!(Query::parse("limit 3", &fields()).unwrap().limit, Some(3));
        assert_eq!(Query::parse("order by date", &fields()).unwrap().order_by.len(), 1);
        assert_eq!(
            Query::parse("date between 20250101 and 20250131", &fields()).unwrap().conditions.len(),
            2
        );
        assert_eq!(Query::parse("ts > -5", &fields()).unwrap().conditions[0].value, Value::Time(-5));
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
            ("user = 7 or user = 8", "query:1:1: `OR` cannot be used yet"),
            ("name like 'a%'", "query:1:1: the condition `name LIKE 'a%'` cannot be used yet"),
            ("user = 7 limit x", "query:1:16: expected a whole number after limit"),
            ("user = 7 user", "query:1:10: expected `and`, `order by`, `limit` or the end, found `user`"),
            ("user =", "query:1:7: "),
            ("name = 'x", "query:1:8: "),
            ("1 = 1", "query:1:1: expected a field on one side"),
        ] {
            let found = problems(text);
            assert!(found[0].starts_with(expected), "{text}\n{}\n{expected}", found[0]);
        }
        assert_eq!(problems("a = 1 and b = 2 order by c limit d").len(), 4);
    }

    #[test]
    fn null_meets_no_condition() {
        let query = Query::parse("user >= 0", &fields()).unwrap();
        assert!(query.conditions[0].matches(&[Value::Int(0)]));
        assert!(!query.conditions[0].matches(&[Value::Null]));
        assert!(!query.conditions[0].matches(&[]));
    }
}

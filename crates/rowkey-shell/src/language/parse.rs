//! Parses statements.

use rowkey_core::internal::{Lines, line_and_column};

use super::token::{Placed, Token, tokens};
use super::value::Value;
use crate::constants;

/// So deep may lists and hashes stand in each other, written or through variables. HBase's commands use three levels.
pub const MAX_DEPTH: usize = 64;

/// Something to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Statement {
    /// A command.
    Call(Call),
    /// A variable that gets a value.
    Assign(String, Argument),
}

/// A command with its arguments.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The variable that gets what the command returns.
    pub assign: Option<String>,
    /// The variable whose table is the first argument: `t.scan`.
    pub receiver: Option<String>,
    /// The command's name.
    pub command: String,
    /// Its arguments; pairs at the end are one hash.
    pub arguments: Vec<Argument>,
    /// The line, from 1, where it starts.
    pub line: usize,
}

/// An argument of a command.
#[derive(Debug, Clone, PartialEq)]
pub enum Argument {
    /// A literal: a text, a number, a list, a hash.
    Value(Value),
    /// What a variable holds.
    Variable(String),
    /// Several in order.
    List(Vec<Argument>),
    /// Several by name.
    Hash(Vec<(Argument, Argument)>),
}

/// Why a text is no statement.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseError {
    /// More lines may make it one.
    #[error("the statement is not complete: a quote or bracket is open, or a value is missing at the end")]
    Incomplete,
    /// A statement that is complete and not of the language.
    #[error("line {line}, column {column}: {problem}")]
    Wrong {
        /// The line, from 1.
        line: usize,
        /// The character in the line, from 1.
        column: usize,
        /// What is wrong.
        problem: String,
    },
}

impl ParseError {
    pub(super) fn at(source: &str, byte: usize, problem: String) -> Self {
        let (line, column) = line_and_column(source, byte);
        Self::Wrong { line, column, problem }
    }
}

/// Reads statements.
///
/// # Errors
/// [`ParseError::Incomplete`] if another line may complete it, otherwise the place and what is wrong.
pub fn parse(source: &str) -> Result<Vec<Statement>, ParseError> {
    let mut parser = Parser { source, lines: Lines::of(source), words: tokens(source)?, at: 0, depth: 0 };
    let mut statements = Vec::new();
    loop {
        while parser.take(&Token::End) {}
        if parser.peek().is_none() {
            return Ok(statements);
        }
        statements.push(parser.statement()?);
    }
}

struct Parser<'s> {
    source: &'s str,
    lines: Lines<'s>,
    words: Vec<Placed>,
    at: usize,
    /// The brackets that are open here.
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&Token> {
        self.words.get(self.at).map(|(_, token)| token)
    }

    fn take(&mut self, token: &Token) -> bool {
        let found = self.peek() == Some(token);
        self.at += usize::from(found);
        found
    }

    fn place(&self) -> usize {
        self.words.get(self.at).map_or(self.source.len(), |(at, _)| *at)
    }

    fn wrong<T>(&self, problem: impl Into<String>) -> Result<T, ParseError> {
        Err(ParseError::at(self.source, self.place(), problem.into()))
    }

    fn name(&mut self) -> Option<String> {
        let Some(Token::Name(name)) = self.peek() else { return None };
        let name = name.clone();
        self.at += 1;
        Some(name)
    }

    fn statement(&mut self) -> Result<Statement, ParseError> {
        let (line, _) = self.lines.place(self.place());
        let Some(first) = self.name() else {
            return self.wrong("a statement begins with a command, such as list, or with a variable");
        };
        if self.take(&Token::Equals) {
            if !matches!(self.peek(), Some(Token::Name(name)) if literal(name).is_none()) {
                let value = self.argument()?;
                self.end()?;
                return Ok(Statement::Assign(first, value));
            }
            let command = self.name().unwrap_or_default();
            return Ok(Statement::Call(self.call(Some(first), command, line)?));
        }
        Ok(Statement::Call(self.call(None, first, line)?))
    }

    fn call(&mut self, assign: Option<String>, first: String, line: usize) -> Result<Call, ParseError> {
        let (receiver, command) = if self.take(&Token::Dot) {
            match self.name() {
                Some(command) => (Some(first), command),
                None => return self.wrong("a command is missing behind the dot"),
            }
        } else {
            (None, first)
        };
        let in_brackets = self.take(&Token::Open('('));
        let mut arguments = Vec::new();
        // `explain scan 't'`: the command that is explained is its first argument.
        if command == "explain"
            && let Some(explained) = self.name()
        {
            arguments.push(Argument::Value(Value::Text(explained.into_bytes())));
        }
        let mut pairs = Vec::new();
        while !matches!(self.peek(), None | Some(Token::End | Token::Close(')'))) {
            let argument = self.argument()?;
            if self.take(&Token::Arrow) {
                pairs.push((argument, self.argument()?));
            } else if pairs.is_empty() {
                arguments.push(argument);
            } else {
                return self.wrong("an argument follows pairs of a hash; put the pairs last, or in {…}");
            }
            if !self.take(&Token::Comma) {
                break;
            }
        }
        if !pairs.is_empty() {
            arguments.push(Argument::Hash(pairs));
        }
        if in_brackets && !self.take(&Token::Close(')')) {
            return self.wrong("a comma or `)` is missing here");
        }
        self.end()?;
        Ok(Call { assign, receiver, command, arguments, line })
    }

    fn end(&mut self) -> Result<(), ParseError> {
        if self.take(&Token::End) || self.peek().is_none() {
            return Ok(());
        }
        self.wrong("the statement should end here; is a comma missing?")
    }

    fn argument(&mut self) -> Result<Argument, ParseError> {
        let Some(token) = self.peek().cloned() else { return Err(ParseError::Incomplete) };
        let value = match token {
            Token::Text(text) => Value::Text(text),
            Token::Int(number) => Value::Int(number),
            Token::Float(number) => Value::Float(number),
            Token::Name(name) => match literal(&name) {
                Some(value) => value,
                None => {
                    self.at += 1;
                    return Ok(Argument::Variable(name));
                }
            },
            Token::Constant(name) => match constants::value(&name) {
                Ok(text) => Value::from(text),
                Err(near) => {
                    let mean = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
                    return self.wrong(format!("there is no constant {name}{mean}; texts need quotes"));
                }
            },
            Token::Open('[') => {
                self.at += 1;
                let list = self.many(']', Self::argument)?;
                return Ok(Argument::List(list));
            }
            Token::Open('{') => {
                self.at += 1;
                let pairs = self.many('}', |parser| {
                    let key = parser.argument()?;
                    if !parser.take(&Token::Arrow) {
                        return parser.wrong("`=>` is missing behind the key of a hash");
                    }
                    Ok((key, parser.argument()?))
                })?;
                return Ok(Argument::Hash(pairs));
            }
            Token::End => return self.wrong("a value is missing here"),
            _ => return self.wrong("a text, number, list or hash should be here"),
        };
        self.at += 1;
        Ok(Argument::Value(value))
    }

    fn many<T>(
        &mut self,
        close: char,
        mut one: impl FnMut(&mut Self) -> Result<T, ParseError>,
    ) -> Result<Vec<T>, ParseError> {
        if self.depth == MAX_DEPTH {
            self.at -= 1;
            return self.wrong(format!("lists and hashes are nested more than {MAX_DEPTH} deep"));
        }
        self.depth += 1;
        let mut found = Vec::new();
        loop {
            if self.take(&Token::Close(close)) {
                self.depth -= 1;
                return Ok(found);
            }
            found.push(one(self)?);
            if !self.take(&Token::Comma) && self.peek() != Some(&Token::Close(close)) {
                return self.wrong(format!("a comma or `{close}` is missing here"));
            }
        }
    }
}

fn literal(name: &str) -> Option<Value> {
    Some(match name {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        "nil" => Value::Nil,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(source: &str) -> Call {
        let parsed = parse(source).unwrap();
        let [Statement::Call(call)] = parsed.as_slice() else { panic!("{source}: {parsed:?}") };
        call.clone()
    }

    fn values(call: &Call) -> Vec<String> {
        let show = |argument: &Argument| match argument {
            Argument::Value(value) => value.inspect(),
            other => format!("{other:?}"),
        };
        call.arguments.iter().map(show).collect()
    }

    #[test]
    fn texts_have_rubys_escapes() {
        let call = one(r#"put 't', 'it\'s \n', "a\x00\xffb\101\t\"\u00e9", "é""#);
        assert_eq!(values(&call), [r#""t""#, r#""it's \\n""#, r#""a\x00\xFFbA\t\"é""#, r#""é""#]);
    }

    #[test]
    fn pairs_at_the_end_are_one_hash_with_and_without_brackets() {
        let with = one("scan 't', {LIMIT => 5, 'x' => nil}").arguments;
        let without = one("scan('t', LIMIT => 5,\n 'x' => nil) # all").arguments;
        assert_eq!(with, without);
        assert_eq!(one("count 't', ENDROW => 'a'").arguments, one("count 't', STOPROW => 'a'").arguments);
    }

    #[test]
    fn statements_end_at_line_ends_and_semicolons_but_not_within_brackets() {
        let parsed =
            parse("list; exists 't'\ncreate 't',\n  {NAME => 'f',\n VERSIONS => 1_000}\n\n# no\n").unwrap();
        let names: Vec<(String, usize)> = parsed
            .iter()
            .map(|statement| match statement {
                Statement::Call(call) => (call.command.clone(), call.line),
                Statement::Assign(name, _) => (name.clone(), 0),
            })
            .collect();
        assert_eq!(names, [("list".into(), 1), ("exists".into(), 1), ("create".into(), 2)]);
    }

    #[test]
    fn variables_hold_tables_and_values() {
        let call = one("t = create 't', 'f'");
        assert_eq!((call.assign.as_deref(), call.command.as_str()), (Some("t"), "create"));
        let call = one("t.put 'r', 'f:a', x");
        assert_eq!((call.receiver.as_deref(), call.command.as_str()), (Some("t"), "put"));
        assert_eq!(call.arguments[2], Argument::Variable("x".into()));
        let assigned = parse("x = -5").unwrap();
        assert_eq!(assigned, [Statement::Assign("x".into(), Argument::Value(Value::Int(-5)))]);
        assert_eq!(values(&one("explain scan 't', 0x1f, -1.5")), [r#""scan""#, r#""t""#, "31", "-1.5"]);
    }

    #[test]
    fn what_may_go_on_is_not_wrong() {
        for source in
            ["create 't',", "create 't', {", "put 't', 'r", "put 't', \"r\\", "x =", "scan 't', LIMIT =>"]
        {
            assert_eq!(parse(source), Err(ParseError::Incomplete), "{source}");
        }
    }

    #[test]
    fn nesting_has_a_limit_with_its_place() {
        let nested = |open: &str, close: &str, depth: usize| {
            format!("put 't', {}1{}", open.repeat(depth), close.repeat(depth))
        };
        for (open, close) in [("[", "]"), ("{'a' => ", "}"), ("{[", "] => 1}")] {
            assert!(parse(&nested(open, close, MAX_DEPTH / open.matches(['[', '{']).count())).is_ok());
            for depth in [MAX_DEPTH + 1, 12_000, 100_000] {
                let error = parse(&nested(open, close, depth)).unwrap_err().to_string();
                assert!(error.contains("nested more than 64 deep"), "{error}");
                assert!(error.starts_with("line 1, column "), "{error}");
            }
        }
        assert!(parse(&format!("put {}", "[".repeat(100_000))).is_err());
    }

    #[test]
    fn what_is_wrong_is_placed() {
        let wrong = |source: &str| parse(source).unwrap_err().to_string();
        assert_eq!(
            wrong("list\nscan 't' 'u'"),
            "line 2, column 10: the statement should end here; is a comma missing?"
        );
        assert!(
            wrong("scan 't', LIMTI => 1").contains("did you mean LIMIT?"),
            "{}",
            wrong("scan 't', LIMTI => 1")
        );
        assert!(wrong("scan 't'}").contains("closes nothing"));
        assert!(wrong("scan ['t'}").contains("needs `]`"));
        assert!(wrong("put 't', \"#{x}\"").contains("#{…}"));
        assert!(wrong("put 't', \"\\xg\"").contains("not complete"));
        assert!(wrong("put 't', 99999999999999999999").contains("is no number"));
        assert!(wrong("'t'").contains("begins with a command"));
        assert!(wrong("put 't', +").contains("no meaning"));
    }
}

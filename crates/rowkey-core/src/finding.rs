//! Findings: what is wrong with a key or a table file, and where.
//!
//! Every reader of this crate collects all its findings instead of stopping at the first. A [`Finding`] is a
//! [`Problem`] with its facts and the place in the source text; how it looks on a screen is the program's matter.

use crate::disclosure::said;
use std::fmt;

use crate::key::Fields;
use crate::notation::foreign;
use crate::span::{Lines, Span, line_and_column, nearest};
use crate::types::Type;
use crate::value::ReadError;

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Where, in the source text.
    pub span: Span,
    /// What.
    pub problem: Problem,
}

impl Finding {
    /// A finding at a place.
    pub fn new(span: Span, problem: Problem) -> Self {
        Self { span, problem }
    }
}

/// So many findings about one text are kept: one with more is wrong as a whole.
pub const MAX_FINDINGS: usize = 100;

/// So many names are listed in a finding.
const MAX_NAMES: usize = 50;

/// What can be wrong with a key or a table file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The notation does not go on like this.
    #[error("expected {expected}, found {found}", found = said(found))]
    Unexpected {
        /// What could stand here.
        expected: String,
        /// What does.
        found: String,
    },
    /// A form of Java, Scala or prose, as articles about row keys use it, that the notation writes differently.
    #[error("`{found}` is not how the notation says it", found = said(found))]
    Foreign {
        /// What stands there.
        found: String,
        /// How it is written here.
        form: &'static str,
    },
    /// A `[` without its `]`.
    #[error("this bracket is never closed")]
    UnclosedBracket,
    /// A `]` without its `[`.
    #[error("this bracket was never opened")]
    StrayBracket,
    /// A quote without its second.
    #[error("this quote is never closed")]
    UnclosedQuote,
    /// Nothing at all.
    #[error("the key has no part")]
    EmptyKey,
    /// A number alone in brackets.
    #[error("`[{number}]` is neither a field nor a text", number = said(number))]
    BareNumber {
        /// The number as written.
        number: String,
    },
    /// A function that does not exist.
    #[error("there is no function `{name}`", name = said(name))]
    UnknownFunction {
        /// The name as written.
        name: String,
        /// A function with a name like it.
        nearest: Option<&'static str>,
    },
    /// A type that does not exist.
    #[error("there is no type `{name}`")]
    UnknownType {
        /// The name as written.
        name: String,
        /// A type with a name like it.
        nearest: Option<&'static str>,
    },
    /// A field that is not declared.
    #[error("there is no field `{name}`; the fields are {}", list(known), name = said(name))]
    UnknownField {
        /// The name as written.
        name: String,
        /// A field with a name like it.
        nearest: Option<String>,
        /// The declared fields, or the first of them and how many more there are.
        known: Vec<String>,
    },
    /// A key text past all measure.
    #[error("the key has {length} bytes; the notation takes at most {limit}")]
    KeyTooLong {
        /// Its length in bytes.
        length: usize,
        /// The most bytes that the notation of a key may have.
        limit: usize,
    },
    /// Parentheses in parentheses past all measure.
    #[error("parentheses are nested more than {limit} deep")]
    TooDeep {
        /// The deepest nesting allowed.
        limit: usize,
    },
    /// More conditions than a query may have.
    #[error("the query has more than {limit} conditions joined by `and` and `or`")]
    TooManyConditions {
        /// The most conditions that one query may have.
        limit: usize,
    },
    /// Names of names past all measure.
    #[error("written out, the names after `where` make more than {limit} nodes")]
    TooManyNodes {
        /// The most nodes of the expanded expressions.
        limit: usize,
    },
    /// A number past 128 bits.
    #[error("{number} is too large", number = said(number))]
    NumberTooLarge {
        /// Its digits as written.
        number: String,
    },
    /// `a-b` or `a -b`.
    #[error("a minus needs a blank on both sides")]
    MinusWithoutBlanks,
    /// `nulls last` without `?`.
    #[error("`nulls last` needs a nullable type, written with `?`")]
    NullsWithoutQuestionMark,
    /// A type without its argument, or with a wrong one.
    #[error("the type `{name}` is written {form}")]
    TypeArgument {
        /// The type's name, without an argument.
        name: String,
        /// The right form, such as `fixed(n)`.
        form: &'static str,
    },
    /// A name after `where` that is a field.
    #[error("`{name}` is a field; a name after `where` must be another")]
    NameIsField {
        /// The name, which is also a field's.
        name: String,
    },
    /// A name after `where` twice.
    #[error("the name `{name}` is given twice")]
    NameTwice {
        /// The name at its second definition.
        name: String,
    },
    /// A name used before it is given.
    #[error("the name `{name}` is given only after the name that uses it")]
    NameTooEarly {
        /// The name that is used before its definition.
        name: String,
    },
    /// A name in the expression that it stands for.
    #[error("the name `{name}` stands for itself")]
    NameOfItself {
        /// The name, which occurs in `expr`.
        name: String,
        /// The expression that it stands for, as written.
        expr: String,
    },
    /// A name for nothing.
    #[error("the name `{name}` is never used")]
    NameUnused {
        /// The name that no part and no other name uses.
        name: String,
    },
    /// Arguments that a function cannot work with.
    #[error("these are not the arguments of {function}: write {form}")]
    Arguments {
        /// The function's name, without parentheses.
        function: String,
        /// The right form, with all arguments.
        form: &'static str,
    },
    /// Too few or too many buckets.
    #[error("there are 2 to {limit} buckets, not {buckets}")]
    BucketCount {
        /// How many were asked for.
        buckets: String,
        /// The most there can be.
        limit: i128,
    },
    /// Letters that cannot be told apart, or only one.
    #[error("'{letters}' needs at least two letters, all different")]
    Letters {
        /// The letters as written between the quotes.
        letters: String,
    },
    /// A pad of several characters.
    #[error("'{pad}' cannot pad: it must be one ASCII character")]
    PadCharacter {
        /// The pad as written between the quotes.
        pad: String,
    },
    /// More characters than there are.
    #[error("`{of}` has only {width} characters")]
    SubStrTooLong {
        /// The expression that is cut, as written.
        of: String,
        /// The number of characters of each of its values.
        width: usize,
    },
    /// More bytes than a digest has.
    #[error("{function} has 1 to {len} bytes to take")]
    DigestBytes {
        /// The hash function's name.
        function: &'static str,
        /// The length of its digest in bytes.
        len: usize,
    },
    /// A text with two codes.
    #[error("`{text}` is given twice")]
    CodeTwice {
        /// The text that has two codes.
        text: String,
    },
    /// Letters that are no part of a date.
    #[error("'{pattern}' is no date: its letters are yyyy MM dd HH mm ss SSS")]
    DatePattern {
        /// The pattern as written between the quotes.
        pattern: String,
    },
    /// An expression of another kind.
    #[error("`{expr}` is {found}, where {needed} is needed")]
    WrongKind {
        /// The expression as written.
        expr: String,
        /// The kind of its values, such as "a whole number".
        found: &'static str,
        /// What is needed.
        needed: &'static str,
    },
    /// A hash of text over something else.
    #[error("{function} takes text, not {found}")]
    TextOnly {
        /// The function's name.
        function: String,
        /// What it was given.
        found: &'static str,
    },
    /// A random value that is not a part by itself.
    #[error("a random value must stand alone, as a part of its own")]
    RandomInside,
    /// A salt of what follows in the key, where nothing follows that could be computed again.
    #[error(
        "phoenix_row_salt(n) hashes the stored bytes of all parts behind it: it is the first part of a key, by itself, \
         without a type or direction, and before a field; no random part follows"
    )]
    RowSaltPlace,
    /// An integer expression without a type, so that its bytes are unknown.
    #[error("`{expr}` has no type of its own")]
    NeedsType {
        /// The expression as written.
        expr: String,
    },
    /// A divisor that may be zero.
    #[error("the right side of `{operator}` is a positive constant, not `{found}`")]
    NotAPositiveConstant {
        /// `%`, `/` or `rem`.
        operator: &'static str,
        /// What stands there.
        found: String,
    },
    /// A part that is the same for all records.
    #[error("`{expr}` names no field, so it is the same for every record; write a literal")]
    NoField {
        /// The expression as written.
        expr: String,
    },
    /// `?` on a type that has a null of its own.
    #[error("{ty} is null by itself and takes no `?`")]
    OrderedNull {
        /// The `ordered(T)` type, which has a null of its own.
        ty: Type,
    },
    /// `desc` on text without an end mark.
    #[error(
        "plain text cannot sort descending: a text and a longer one that starts with it would not change places"
    )]
    DescendingText {
        /// The expression of the part, as written.
        part: String,
    },
    /// One field with two types in a key without declarations.
    #[error("field `{field}` is {first} in an earlier part and {second} here")]
    TwoTypes {
        /// The field's name.
        field: String,
        /// Its type in an earlier part.
        first: Type,
        /// Its type here.
        second: Type,
    },
    /// A part's type that cannot hold the field.
    #[error("field `{field}` is declared {declared}, which does not fit {part}")]
    TypeDoesNotFit {
        /// The field's name.
        field: String,
        /// Its declared type.
        declared: Type,
        /// The type of the part.
        part: Type,
    },
    /// A part's type that cannot hold the expression.
    #[error("`{expr}` is {kind}, which does not fit {part}")]
    ExprDoesNotFit {
        /// The expression as written.
        expr: String,
        /// The kind of its values, such as "a whole number".
        kind: &'static str,
        /// The type of the part.
        part: Type,
    },
    /// Not TOML.
    #[error("{message}", message = said(message))]
    Toml {
        /// What the TOML reader says.
        message: String,
    },
    /// A setting that does not exist.
    #[error("there is no setting `{key}` in {section}")]
    UnknownKey {
        /// The setting's name.
        key: String,
        /// Its section of the file, such as `[table]`.
        section: String,
        /// A setting with a name like it.
        nearest: Option<String>,
        /// All settings of that part.
        known: Vec<String>,
    },
    /// A setting that must be there.
    #[error("{section} needs `{key}`")]
    MissingKey {
        /// The setting's name.
        key: &'static str,
        /// The section of the file that lacks it, such as `[table]`.
        section: String,
    },
    /// A value of another TOML type.
    #[error("`{key}` must be {expected}, not {found}")]
    WrongToml {
        /// The setting's name.
        key: String,
        /// The TOML type that it must have, such as "a string".
        expected: &'static str,
        /// The TOML type that it has.
        found: &'static str,
    },
    /// A value that the setting cannot take.
    #[error("`{key}` cannot be `{value}`", value = said(value))]
    BadSetting {
        /// The setting's name.
        key: String,
        /// Its value as written.
        value: String,
        /// What it can be.
        cure: String,
    },
    /// A field that neither the key nor a column keeps.
    #[error("field `{field}` would be lost: it does not come back from the key and no column holds it")]
    LostField {
        /// The field's name.
        field: String,
    },
    /// A field in two columns.
    #[error("field `{field}` is already in column `{first}`")]
    TwoColumns {
        /// The field's name.
        field: String,
        /// The column that holds it already, as `family:qualifier`.
        first: String,
    },
    /// An index table of a table whose key has a random part: no entry could lead to its row.
    #[error("the table's key has a random part, so no index row could lead to its row")]
    IndexOnRandom,
    /// Splits by salt for a key that does not begin with one.
    #[error("splits = \"salt\" needs a key that begins with salt(…)")]
    NoLeadingSalt,
    /// A query that is no SQL.
    #[error("{message}", message = said(message))]
    Sql {
        /// What the SQL parser says.
        message: String,
    },
    /// A value in a query that its field cannot have.
    #[error("field `{field}`: {problem}")]
    BadValue {
        /// The field's name.
        field: String,
        /// What is wrong with the value.
        problem: ReadError,
    },
    /// A setting of the contract that this version does not have yet.
    #[error("{what} cannot be used yet in this version", what = said(what))]
    NotYet {
        /// The construct as written, such as "`XOR`".
        what: String,
    },
}

impl Problem {
    /// A name that is none of the fields.
    pub(crate) fn unknown_field(name: &str, fields: &Fields) -> Self {
        let mut known: Vec<String> = fields.names().take(MAX_NAMES).map(str::to_owned).collect();
        if let more @ 1.. = fields.len().saturating_sub(MAX_NAMES) {
            known.push(format!("and {more} more"));
        }
        // Among very many names every one has a neighbour, and each finding would look at all of them.
        let nearest = nearest(name, fields.names().take(10 * MAX_NAMES)).map(str::to_owned);
        Self::UnknownField { name: name.to_owned(), nearest, known }
    }

    /// What to do about it, where there is something to say beyond the message.
    pub fn help(&self) -> Option<String> {
        let mean = |name: &str| format!("did you mean `{name}`?");
        match self {
            Self::UnclosedBracket => Some("close it with `]`".to_owned()),
            Self::UnclosedQuote => {
                Some("close it with `'`; a quote inside the text is written twice".to_owned())
            }
            Self::StrayBracket => Some("open the part with `[`, or remove the bracket".to_owned()),
            Self::EmptyKey => Some("write at least one part, such as [user_id]".to_owned()),
            Self::BareNumber { number } => {
                Some(format!("write ['{}'] for the text, or [0x…] for bytes", said(number)))
            }
            Self::Foreign { form, .. } => Some((*form).to_owned()),
            Self::UnknownFunction { name, nearest } => {
                foreign::function(name).map(str::to_owned).or_else(|| nearest.map(mean))
            }
            Self::NotAPositiveConstant { operator: "%", found } => Some(format!(
                "write the number itself for `{found}`, as in ts % 16; the bytes of every key depend on it"
            )),
            Self::NameOfItself { name, expr } => Some(format!(
                "leave the name away and write [{expr}] for the part [{name}], or [{name} desc] if its values shall fall along the keys"
            )),
            Self::MinusWithoutBlanks => Some("write `a - b`; without blanks, `a-b` is one name".to_owned()),
            Self::NeedsType { expr } => {
                Some(format!("write [{expr}: long], or the type whose bytes it should have"))
            }
            Self::NullsWithoutQuestionMark => Some("write, for example, [n: i64? nulls last]".to_owned()),
            Self::TooManyConditions { .. } => {
                Some("write `field in (…)` for many values of one field, or ask several queries".to_owned())
            }
            Self::NameUnused { .. } => Some("use it in a part, or remove it".to_owned()),
            Self::NameTooEarly { .. } => Some("give names before they are used".to_owned()),
            Self::OrderedNull { .. } => Some("remove the `?`".to_owned()),
            Self::UnknownType { nearest, .. } => Some(nearest.map_or_else(
                || format!("the types are {}", Type::names().collect::<Vec<_>>().join(", ")),
                mean,
            )),
            Self::UnknownField { nearest, .. } => nearest.as_deref().map(mean),
            Self::UnknownKey { nearest: Some(nearest), .. } => Some(mean(nearest)),
            Self::UnknownKey { known, .. } => Some(format!("the settings here are {}", list(known))),
            Self::DescendingText { part } => Some(format!("write [{part}: escaped desc]")),
            Self::TypeDoesNotFit { declared, .. } => Some(format!(
                "declare another type under [fields], or leave the part's type away to use {declared}"
            )),
            Self::LostField { field } => Some(format!(
                "add `{field}` to the columns of a family, or to the key in a form that comes back"
            )),
            Self::IndexOnRandom => Some(
                "use salt(…) over a field instead of random(…); it spreads as well and can be computed"
                    .to_owned(),
            ),
            Self::NoLeadingSalt => {
                Some("begin the key with [salt(16, …)], or list the split points".to_owned())
            }
            Self::BadSetting { cure, .. } => Some(cure.clone()),
            _ => None,
        }
    }
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// All findings about one source text. `Display` gives one line each, with line and column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Findings {
    /// Where the text came from: a file name, or `key`.
    pub origin: String,
    /// The whole text, which spans point into.
    pub source: String,
    /// What is wrong with it, at least one thing, in the order of the text.
    pub findings: Vec<Finding>,
}

impl Findings {
    /// Findings in the order of the text.
    pub fn new(origin: impl Into<String>, source: impl Into<String>, mut findings: Vec<Finding>) -> Self {
        findings.sort_by_key(|finding| finding.span.start);
        Self { origin: origin.into(), source: source.into(), findings }
    }

    /// One of them, in a line with its place and what to do.
    pub fn line(&self, finding: &Finding) -> String {
        self.line_at(finding, line_and_column(&self.source, finding.span.start))
    }

    fn line_at(&self, finding: &Finding, (line, column): (usize, usize)) -> String {
        let help = finding.problem.help().map_or_else(String::new, |help| format!("; {help}"));
        format!("{}:{line}:{column}: {}{help}", self.origin, finding.problem)
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = Lines::of(&self.source);
        for (index, finding) in self.findings.iter().enumerate() {
            let newline = if index == 0 { "" } else { "\n" };
            write!(f, "{newline}{}", self.line_at(finding, lines.place(finding.span.start)))?;
        }
        Ok(())
    }
}

impl std::error::Error for Findings {}

//! Finds the mistakes of a key that no single record shows.
//!
//! A key can be written correctly and still melt one server, lose rows or sort them wrongly. Each [`Rule`] looks for one
//! such mistake and reports an [`Issue`]: how bad it is ([`Severity`]), where ([`Place`]), why, with numbers, and what
//! to do ([`Cure`]), where possible as a whole rewritten key.
//!
//! Rules decide from types and facts. Where only a field's *name* speaks (`ts`, `seq`), the issue is a guess
//! and says so.
//!
//! **Laws** (`tests/check.rs`): a rewritten key compiles, and its issue is gone; renaming every field keeps all issues that
//! are not guesses; keys that are fine raise no warning.
//!
//! ```
//! use rowkey_core::check::{Context, Severity, check_key};
//! let key = rowkey_core::KeySchema::parse("[ts: timestamp desc][user: u64]").unwrap();
//! let issues = check_key(&key, &Context::default());
//! let worst = issues.first().unwrap();
//! assert_eq!((worst.rule.id, worst.severity), ("rising-lead", Severity::Warning));
//! assert_eq!(worst.cure.rewritten.as_deref(), Some("[salt(16)][ts: timestamp desc][user: u64]"));
//! ```
//!
//! Not here: mistakes that make a key or file unreadable, which are [`crate::Findings`]; reading the data: its figures come as [`DataFacts`].

mod data;
mod expr;
mod guess;
mod place;
mod range;
mod rewrite;
mod rule;
mod rules;
mod salting;
mod subject;

pub use data::DataFacts;
pub use place::Place;
pub use rule::{Example, RULES, Rule, markdown, rule};
pub use rules::lead::Edge;
pub use salting::{SaltSpread, salted};

use std::cmp::Reverse;

use crate::key::{FieldId, KeySchema};
use crate::table::{Column, FamilySpec, Index, NamedQuery, Table};
use subject::Subject;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// A price worth knowing.
    Hint,
    /// A likely mistake.
    Warning,
    /// It cannot work.
    Error,
}

impl Severity {
    /// The word for it: `hint`, `warning`, `error`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hint => "hint",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// Something that a rule has to say about a key or a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    /// The rule that reports it.
    pub rule: &'static Rule,
    /// How bad it is.
    pub severity: Severity,
    /// The part, field or setting that it is about.
    pub place: Place,
    /// The reason, with the facts.
    pub message: String,
    /// What to do.
    pub cure: Cure,
    /// Whether it is only guessed from a field's name.
    pub guess: bool,
}

/// What to do about an issue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cure {
    /// In words.
    pub text: String,
    /// The whole key with the cure applied, where that can be written down.
    pub rewritten: Option<String>,
}

/// What is known beside the key itself. The default is a key by itself: nothing else is known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Context<'a> {
    /// Whether the types of the fields are declared, rather than inferred from the key.
    pub declared: bool,
    /// The fields that make a record unique; `None` if the table file does not say.
    pub identity: Option<&'a [FieldId]>,
    /// The table's split points; empty if there are none, or if they depend on a sample.
    pub splits: Vec<Vec<u8>>,
    /// The queries that the table is made for.
    pub queries: &'a [NamedQuery],
    /// The column families of the table file.
    pub families: &'a [FamilySpec],
    /// Columns of fields that the key does not give back.
    pub columns: &'a [Column],
    /// Columns of fields that come back from the key too.
    pub copies: &'a [Column],
    /// The index tables, which may answer queries that the key does not.
    pub indexes: &'a [Index],
    /// What is known of the data.
    pub data: Option<&'a DataFacts>,
}

/// All issues of a key, the worst first, then from left to right.
pub fn check_key(key: &KeySchema, context: &Context<'_>) -> Vec<Issue> {
    let subject = Subject::new(key, context);
    let mut issues: Vec<Issue> = RULES.iter().flat_map(|rule| rule.issues(&subject)).collect();
    issues.sort_by_key(|issue| (Reverse(issue.severity), issue.place.order()));
    issues
}

/// Where the new rows of a table with these split points all go, if its key rises or falls, and the issue with its cure.
pub fn rising_edge(table: &Table, splits: Vec<Vec<u8>>) -> Option<(Edge, Issue)> {
    let context = Context { splits, ..context_of(table, None) };
    rules::lead::edge(&Subject::new(&table.key, &context))
}

/// All issues of a table: of its key, its queries, its families, and the keys of its index tables.
pub fn check_table(table: &Table) -> Vec<Issue> {
    check_table_over(table, None)
}

fn context_of<'a>(table: &'a Table, data: Option<&'a DataFacts>) -> Context<'a> {
    let named = table.key.named_fields();
    Context {
        declared: true,
        // All fields of the key are the default, which the file need not say.
        identity: Some(table.identity.as_slice()).filter(|identity| *identity != named.as_slice()),
        splits: table.split_points(),
        queries: &table.queries,
        families: &table.families,
        columns: &table.columns,
        copies: &table.copies,
        indexes: &table.indexes,
        data,
    }
}

/// As [`check_table`], and what the data shows beside.
pub fn check_table_over(table: &Table, data: Option<&DataFacts>) -> Vec<Issue> {
    let named = table.key.named_fields();
    let mut issues = check_key(&table.key, &context_of(table, data));
    for (number, index) in table.indexes.iter().enumerate() {
        // An index row leads to its row, so it holds all that the table's key is made of.
        let context = Context {
            declared: true,
            identity: Some(&named),
            data: data.and_then(|data| data.indexes.get(number)),
            ..Context::default()
        };
        issues.extend(check_key(&index.key, &context).into_iter().map(|issue| Issue {
            message: format!("index table `{}`: {}", index.name, issue.message),
            place: Place::Index(number, Box::new(issue.place)),
            ..issue
        }));
    }
    issues.sort_by_key(|issue| (Reverse(issue.severity), issue.place.order()));
    issues
}

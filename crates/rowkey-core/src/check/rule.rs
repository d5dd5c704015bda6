//! A rule: its id, its story and its check; the list of all rules.

use std::fmt::Write;

use super::data::DataFacts;
use super::rules::{bucket, data, identity, lead, number, phoenix, price, query, split, table, text};
use super::subject::Subject;
use super::{Context, Issue, check_key, check_table, check_table_over};
use crate::key::KeySchema;
use crate::span::nearest;
use crate::table::Table;

/// One kind of mistake.
pub struct Rule {
    /// Its name, which never changes: `rising-lead`.
    pub id: &'static str,
    /// What it looks for, in a line.
    pub summary: &'static str,
    /// Why that matters.
    pub story: &'static str,
    /// A key or table that makes the mistake.
    pub example: Example,
    /// Finds it.
    pub(super) check: fn(&Subject<'_>) -> Vec<Issue>,
}

/// What shows a mistake.
#[derive(Debug, Clone, Copy)]
pub enum Example {
    /// A key by itself.
    Key(&'static str),
    /// A whole table file.
    File(&'static str),
    /// A key or a whole table file, what the data is, and the facts about it.
    Data(&'static str, &'static str, fn() -> DataFacts),
}

/// All rules, in the order in which the guide tells them.
pub static RULES: [Rule; 37] = [
    identity::UNIQUE,
    query::ORDER,
    lead::RISING_LEAD,
    price::LENGTH,
    text::BOUNDARY,
    text::DELIMITER_IN_TEXT,
    text::DELIMITER_REORDERS,
    text::PAD_IN_TEXT,
    text::LOWER_EACH,
    number::NEGATIVE,
    bucket::NEGATIVE_REMAINDER,
    lead::RANDOM_UNREADABLE,
    lead::SUFFIX_NO_SPREAD,
    bucket::ADDED_SALT,
    price::REVERSE_LOSES_RANGE,
    price::HASH_LOSES_RANGE,
    price::DEAD_PART,
    number::REVERSE_TIME_UNIT,
    bucket::BUCKET_STEP,
    bucket::HASH_RESONANCE,
    phoenix::PHOENIX_SALT,
    split::SALT_SPLITS,
    split::CASE_HEX,
    number::TEXT_NUMBER,
    number::ORDERED_BYTES,
    table::LONG_NAME,
    table::FAMILY_COUNT,
    table::FAMILIES_TOGETHER,
    table::STORED_TWICE,
    table::VERSIONS,
    data::DUPLICATE_KEYS,
    data::VALUES_MISFIT,
    data::SKEW_OF_DATA,
    data::STEPPED_BUCKETS,
    data::RISING_WRITES,
    data::LONG_KEYS,
    data::FAMILY_CARDINALITY,
];

/// The rule of this name, or the nearest name.
///
/// # Errors
/// When there is none: the name that may have been meant.
pub fn rule(id: &str) -> Result<&'static Rule, Option<&'static str>> {
    RULES.iter().find(|rule| rule.id == id).ok_or_else(|| nearest(id, RULES.iter().map(|rule| rule.id)))
}

impl Rule {
    /// What it finds. A rewritten key that would not be rid of the issue is not offered.
    pub(super) fn issues(&self, subject: &Subject<'_>) -> Vec<Issue> {
        let mut issues = (self.check)(subject);
        let count = issues.len();
        // Facts are of the key that the data was read by; a rule over data proves its cure by other means.
        let context = Context { data: None, ..subject.context.clone() };
        for cure in issues.iter_mut().map(|issue| &mut issue.cure) {
            cure.rewritten = cure.rewritten.take().filter(|source| {
                let key = subject.compile(source);
                key.is_some_and(|key| (self.check)(&Subject::new(&key, &context)).len() < count)
            });
        }
        issues
    }

    /// What this rule has to say about its own example.
    pub fn shown(&self) -> Option<Issue> {
        let issues = match self.example {
            Example::Key(source) => check_key(&KeySchema::parse(source).ok()?, &Context::default()),
            Example::File(source) => check_table(&Table::parse("example", source).ok()?),
            Example::Data(source, _, facts) => {
                let facts = facts();
                match Table::parse("example", source) {
                    Ok(table) => check_table_over(&table, Some(&facts)),
                    Err(_) => {
                        let context = Context { data: Some(&facts), ..Context::default() };
                        check_key(&KeySchema::parse(source).ok()?, &context)
                    }
                }
            }
        };
        issues.into_iter().find(|issue| issue.rule == self)
    }

    /// Its page of the guide, in Markdown.
    pub fn explain(&self) -> String {
        let mut page = format!("## {}\n\n{}\n\n{}\n", self.id, self.summary, self.story);
        let (kind, source, over) = match self.example {
            Example::Key(source) => ("text", source, None),
            Example::File(source) => ("toml", source.trim(), None),
            Example::Data(source, over, _) => {
                (if source.contains("[table]") { "toml" } else { "text" }, source.trim(), Some(over))
            }
        };
        // Writing to a text does not fail.
        let _ = write!(page, "\n```{kind}\n{source}\n```\n");
        if let Some(over) = over {
            let _ = write!(page, "\nOver {over}, with `--data`:\n");
        }
        if let Some(issue) = self.shown() {
            let _ = write!(page, "\n{}: {}\n", issue.severity.name(), issue.message);
            let _ = write!(page, "\nCure: {}\n", issue.cure.text);
            if let Some(rewritten) = issue.cure.rewritten {
                let _ = write!(page, "\n```text\n{rewritten}\n```\n");
            }
        }
        page
    }
}

/// The guide to all rules, in Markdown: `docs/rules.md`.
pub fn markdown() -> String {
    let mut guide = String::from(
        "# The rules of `rowkey check`\n\n\
         A hint is a price worth knowing, a warning a likely mistake, an error cannot work. `rowkey check` ends with 1\n\
         from warnings on. An issue that only a field's name suggests is marked as a guess.\n\n\
         This page is made from the rules themselves (`tests/check.rs` compares); the answers below each example are\n\
         what the program says.\n\n| rule | looks for |\n| --- | --- |\n",
    );
    for rule in &RULES {
        let _ = writeln!(guide, "| [{0}](#{0}) | {1} |", rule.id, rule.summary);
    }
    for rule in &RULES {
        guide.push('\n');
        guide.push_str(&rule.explain());
    }
    guide
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Rule {}

impl std::fmt::Debug for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.id)
    }
}

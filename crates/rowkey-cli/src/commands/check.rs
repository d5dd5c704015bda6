//! `rowkey check KEY|FILE [--data DATA]`

use std::path::PathBuf;

use annotate_snippets::Level;
use rowkey_core::check::{
    Context, DataFacts, Issue, Place, RULES, Severity, check_key, check_table_over, rule,
};
use rowkey_core::table::FamilySpec;
use rowkey_core::{KeySchema, Table};
use rowkey_lab::sample::key_over;
use rowkey_lab::verdict::{Judged, Reading, facts};
use rowkey_ops::processors;
use serde_json::{Value, json};

use crate::args::Check;
use crate::output::{Annotated, Bar, Output, Painted, counted};
use crate::public::public;
use crate::{Answer, input_argument, key_argument, open_store, table_argument};

pub(crate) fn run(arguments: &Check, store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    if let Some(id) = &arguments.explain {
        return explain(id, output);
    }
    for id in &arguments.deny {
        known(id)?;
    }
    let argument = arguments.key.as_deref().unwrap_or_default();
    let (subject, facts) = match input_argument::some(&arguments.data) {
        None => (Subject::read(argument, store)?, None),
        Some(paths) => over_data(argument, paths, arguments, store, output)?,
    };
    let issues = subject.issues(facts.as_ref());
    let denied = |issue: &Issue| arguments.deny.iter().any(|id| id == issue.rule.id);
    for issue in &issues {
        if output.json {
            output.json_line(&issue_json(issue, &subject))?;
        } else {
            output.painted(&subject.shown(issue))?;
        }
    }
    output.note(&summary(&issues));
    let fails = issues.iter().any(|issue| issue.severity >= Severity::Warning || denied(issue));
    Ok(if fails { Answer::No } else { Answer::Yes })
}

/// What is checked, and the facts about it in the data.
fn over_data(
    argument: &str,
    paths: &[PathBuf],
    arguments: &Check,
    store: &str,
    output: &Output,
) -> anyhow::Result<(Subject, Option<DataFacts>)> {
    let mut input = input_argument::data(paths, &arguments.reading)?;
    let (format, label) = (input.format, input.label.clone());
    let (subject, source) = match key_argument::is_key(argument) {
        false => (Subject::read(argument, store)?, input.source()?),
        true => {
            let (guess, source) = input_argument::guessed(&mut input)?;
            let key = key_over(argument, &guess.fields)?;
            let named = key.named_fields().into_iter().map(|id| key.fields().get(id));
            let types: Vec<String> = named.map(|field| format!("{} {}", field.name, field.ty)).collect();
            output.note(&format!("types by {label}: {}", types.join(", ")));
            (Subject::Key(key), source)
        }
    };
    let (key, splits, families) = match &subject {
        Subject::Key(key) => (key, Vec::new(), Vec::new()),
        Subject::Table { table, .. } => {
            let of = |family: &FamilySpec| {
                let own = table.columns.iter().filter(|column| column.family == family.name);
                own.map(|column| column.field).collect::<Vec<_>>()
            };
            (&table.key, table.split_points(), table.families.iter().map(of).collect())
        }
    };
    let judged = Judged { key, splits: &splits, families: &families };
    let threads = processors();
    let reading = Reading { threads, ..Reading::default() };
    let bar = Bar::of(input.bytes());
    let facts = facts(source, (format, &label), judged, &reading, &mut |at| bar.show(at));
    bar.clear();
    let facts = facts?;
    if facts.records + facts.refused == 0 {
        output.note(&format!("{label} has no records: only the key itself is checked"));
    }
    Ok((subject, Some(facts)))
}

/// What is checked.
enum Subject {
    Key(KeySchema),
    Table { origin: String, table: Box<Table> },
}

impl Subject {
    fn read(argument: &str, store: &str) -> anyhow::Result<Self> {
        if key_argument::is_key(argument) {
            return Ok(Self::Key(KeySchema::parse(argument)?));
        }
        let table = match table_argument::file(argument)? {
            Some(table) => table,
            None => table_argument::described_table(argument, (store, &*open_store::open(store)?))?,
        };
        Ok(Self::Table { origin: argument.to_owned(), table: Box::new(table) })
    }

    /// The key that an issue is about, and the index table that it belongs to.
    fn key_of(&self, issue: &Issue) -> (&KeySchema, Option<&str>) {
        match (self, &issue.place) {
            (Self::Key(key), _) => (key, None),
            (Self::Table { table, .. }, Place::Index(number, _)) => match table.indexes.get(*number) {
                Some(index) => (&index.key, Some(&index.name)),
                None => (&table.key, None),
            },
            (Self::Table { table, .. }, _) => (&table.key, None),
        }
    }

    fn issues(&self, data: Option<&DataFacts>) -> Vec<Issue> {
        match self {
            // Over data, the fields have the types of the data.
            Self::Key(key) => {
                check_key(key, &Context { declared: data.is_some(), data, ..Context::default() })
            }
            Self::Table { table, .. } => check_table_over(table, data),
        }
    }

    /// An issue with its place underlined.
    fn shown(&self, issue: &Issue) -> Painted {
        let (origin, source, span) = match self {
            Self::Key(key) => ("key", key.source(), issue.place.in_key(key.source().len())),
            Self::Table { origin, table } => {
                (origin.as_str(), table.source.as_str(), issue.place.in_file(table))
            }
        };
        let mut remarks = vec![(Level::HELP, issue.cure.text.as_str())];
        if let Some(rewritten) = &issue.cure.rewritten {
            remarks.push((Level::HELP.with_name("write"), rewritten));
        }
        if issue.guess {
            remarks.push((Level::NOTE, "a guess: only the name of the field speaks for it, not its type"));
        }
        let level = match issue.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Hint => Level::NOTE.with_name("hint"),
        };
        let (id, title) = (Some(issue.rule.id), issue.message.as_str());
        Annotated { level, id, title, origin, source, span: span.unwrap_or_default(), remarks }.answer()
    }
}

fn issue_json(issue: &Issue, subject: &Subject) -> Value {
    let (key, index) = subject.key_of(issue);
    json!({
        "index": index,
        "rule": issue.rule.id,
        "severity": issue.severity.name(),
        "part": issue.place.label(),
        "span": issue.place.within().in_key(key.source().len()).map(|span| [span.start, span.end]),
        "message": issue.message,
        "cure": issue.cure.text,
        "rewritten": issue.cure.rewritten,
        "guess": issue.guess,
    })
}

fn summary(issues: &[Issue]) -> String {
    let count = |severity: Severity, noun: &str| {
        let count = issues.iter().filter(|issue| issue.severity == severity).count();
        (count > 0).then(|| counted(count, noun))
    };
    let all =
        [count(Severity::Error, "error"), count(Severity::Warning, "warning"), count(Severity::Hint, "hint")];
    let all: Vec<String> = all.into_iter().flatten().collect();
    match issues.first() {
        None => "nothing to report".to_owned(),
        Some(worst) => {
            format!("{}; more with: rowkey check --explain {}", all.join(", "), worst.rule.id)
        }
    }
}

fn explain(id: &str, output: &mut Output) -> anyhow::Result<Answer> {
    if !id.is_empty() {
        known(id)?;
    }
    for rule in RULES.iter().filter(|rule| id.is_empty() || rule.id == id) {
        let text = if id.is_empty() { format!("{:<20} {}", rule.id, rule.summary) } else { rule.explain() };
        output.line(text.trim_end(), || {
            json!({ "rule": rule.id, "summary": rule.summary, "story": rule.story, "page": rule.explain() })
        })?;
    }
    Ok(Answer::Yes)
}

/// Refuses a rule that does not exist.
fn known(id: &str) -> anyhow::Result<()> {
    if let Err(nearest) = rule(id) {
        let mean = nearest.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
        let all: Vec<&str> = RULES.iter().map(|rule| rule.id).collect();
        return Err(public(format!("there is no rule `{id}`{mean}\n  the rules are {}", all.join(", "))));
    }
    Ok(())
}

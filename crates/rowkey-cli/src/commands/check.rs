//! `rowkey check KEY|FILE [--data DATA]`

use std::path::PathBuf;

use annotate_snippets::Level;
use rowkey_core::KeySchema;
use rowkey_core::check::{
    Context, DataFacts, Issue, Place, RULES, Severity, check_key, check_table_over, rule,
};
use rowkey_lab::sample::key_over;
use rowkey_lab::verdict::{Judged, Reading, facts};
use rowkey_ops::processors;
use serde_json::{Value, json};

use crate::args::Check;
use crate::key_argument::{self, Named};
use crate::output::{Annotated, Bar, Output, Painted, counted};
use crate::public::public;
use crate::{Answer, input_argument};

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
        output.object(|| issue_json(issue, &subject))?;
        output.painted(&subject.shown(issue))?;
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
            (Subject { argument: argument.to_owned(), what: Named::Key(key) }, source)
        }
    };
    let judged = match subject.what.table() {
        None => Judged::of_key(subject.what.key()),
        Some(table) => Judged::of_table(table),
    };
    let reading = Reading { threads: processors(), ..Reading::default() };
    let facts =
        Bar::watching(input.bytes(), |watch| facts(source, (format, &label), &judged, &reading, watch))?;
    if facts.records + facts.refused == 0 {
        output.note(&format!("{label} has no records: only the key itself is checked"));
    }
    Ok((subject, Some(facts)))
}

/// What is checked.
struct Subject {
    argument: String,
    what: Named,
}

impl Subject {
    fn read(argument: &str, store: &str) -> anyhow::Result<Self> {
        Ok(Self { argument: argument.to_owned(), what: Named::of(argument, store)? })
    }

    /// The key that an issue is about, and the index table that it belongs to.
    fn key_of(&self, issue: &Issue) -> (&KeySchema, Option<&str>) {
        let index = match issue.place {
            Place::Index(number, _) => self.what.table().and_then(|table| table.indexes.get(number)),
            _ => None,
        };
        index.map_or((self.what.key(), None), |index| (&index.key, Some(&index.name)))
    }

    fn issues(&self, data: Option<&DataFacts>) -> Vec<Issue> {
        match &self.what {
            // Over data, the fields have the types of the data.
            Named::Key(key) => {
                check_key(key, &Context { declared: data.is_some(), data, ..Context::default() })
            }
            Named::Table(table) => check_table_over(table, data),
        }
    }

    /// An issue with its place underlined.
    fn shown(&self, issue: &Issue) -> Painted {
        let (origin, source, span) = match &self.what {
            Named::Key(key) => ("key", key.source(), issue.place.in_key(key.source().len())),
            Named::Table(table) => {
                (self.argument.as_str(), table.source.as_str(), issue.place.in_file(table))
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

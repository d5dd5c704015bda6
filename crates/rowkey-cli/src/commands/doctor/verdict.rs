//! The verdict on each check.

use serde_json::json;

use crate::output::{Output, counted};

/// How a thing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum State {
    Ok,
    Warning,
    Fault,
}

impl State {
    fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Fault => "fault",
        }
    }
}

/// One line of the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// What was looked at: a stable word.
    pub(crate) check: &'static str,
    pub(crate) state: State,
    /// What was seen, with the figure and its limit.
    pub(crate) seen: String,
    /// What to do.
    pub(crate) cure: Option<String>,
}

/// All lines, in the order in which they were found.
#[derive(Debug, Default)]
pub(crate) struct Verdicts {
    pub(crate) list: Vec<Verdict>,
}

impl Verdicts {
    pub(crate) fn ok(&mut self, check: &'static str, seen: impl Into<String>) {
        self.list.push(Verdict { check, state: State::Ok, seen: seen.into(), cure: None });
    }

    pub(crate) fn warn(&mut self, check: &'static str, seen: impl Into<String>, cure: impl Into<String>) {
        self.add(check, State::Warning, (seen.into(), cure.into()));
    }

    pub(crate) fn bad(&mut self, check: &'static str, seen: impl Into<String>, cure: impl Into<String>) {
        self.add(check, State::Fault, (seen.into(), cure.into()));
    }

    /// What was seen, and what to do about it.
    pub(crate) fn add(&mut self, check: &'static str, state: State, (seen, cure): (String, String)) {
        self.list.push(Verdict { check, state, seen, cure: Some(cure) });
    }

    /// An error as a fault: its messages say what to do behind a semicolon.
    pub(crate) fn fault(&mut self, check: &'static str, error: &(dyn std::error::Error + 'static)) {
        let mut causes = vec![error.to_string()];
        let mut cause = error.source();
        while let Some(error) = cause {
            causes.push(error.to_string());
            cause = error.source();
        }
        let mut cure = None;
        for message in &mut causes {
            if let Some((seen, todo)) = message.split_once("; ").map(|(a, b)| (a.to_owned(), b.to_owned())) {
                (*message, cure) = (seen, Some(todo));
            }
        }
        self.list.push(Verdict { check, state: State::Fault, seen: causes.join(": "), cure });
    }

    pub(crate) fn worst(&self) -> State {
        self.list.iter().map(|verdict| verdict.state).max().unwrap_or(State::Ok)
    }

    pub(crate) fn print(&self, output: &mut Output) -> anyhow::Result<()> {
        for Verdict { check, state, seen, cure } in &self.list {
            let mut text = format!("{:<8} {check:<9} {seen}", state.word());
            if let Some(cure) = cure {
                text.push_str(&format!("\n{:19}{cure}", ""));
            }
            output.line(
                &text,
                || json!({ "check": check, "state": state.word(), "seen": seen, "cure": cure }),
            )?;
        }
        let of = |state| self.list.iter().filter(|verdict| verdict.state == state).count();
        let bad = [(State::Fault, "fault"), (State::Warning, "warning")]
            .map(|(state, noun)| (of(state), noun))
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, noun)| counted(count, noun));
        let bad = bad.collect::<Vec<_>>().join(", ");
        output.note(if bad.is_empty() { "all is well" } else { &bad });
        Ok(())
    }
}

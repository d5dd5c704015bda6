//! How does a story run the program, and what does it answer?

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::{StoryError, Told};

/// What a run of the program printed, and how it ended.
#[derive(Debug, Clone)]
pub struct Answer {
    /// As it would be typed.
    pub command: String,
    /// The exit code; -1 for a signal.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Answer {
    /// The JSON objects of a run with `--json`.
    ///
    /// # Errors
    /// [`StoryError::Answer`] with the line that is no JSON.
    pub fn json(&self) -> Told<Vec<Value>> {
        let parsed = |line: &str| serde_json::from_str(line).map_err(|_| self.lacks(line, "JSON"));
        self.out.lines().map(parsed).collect()
    }

    /// That something needed is not in the answer.
    pub fn lacks(&self, line: &str, needed: &str) -> StoryError {
        StoryError::Answer { command: self.command.clone(), line: line.into(), needed: needed.into() }
    }

    /// Itself, if it ended with one of these codes.
    pub(crate) fn expect(self, codes: &[i32], expected: &'static str) -> Told<Self> {
        if codes.contains(&self.code) {
            return Ok(self);
        }
        let Self { command, code, out, err } = self;
        Err(StoryError::Exit { command, code, expected, out, err })
    }
}

/// Runs the program in a folder on a store.
pub(crate) fn run(program: &Path, folder: &Path, store: &str, arguments: &[&str]) -> Told<Answer> {
    let mut command = Command::new(program);
    // The local time of a shell's cells is nobody's business.
    command.args(arguments).current_dir(folder).env("ROWKEY_STORE", store).env("TZ", "UTC");
    let output = command
        .output()
        .map_err(|source| StoryError::Start { program: program.display().to_string(), source })?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok(Answer {
        command: typed(arguments),
        code: output.status.code().unwrap_or(-1),
        out: text(&output.stdout),
        err: text(&output.stderr),
    })
}

/// The command as a person would type it.
fn typed(arguments: &[&str]) -> String {
    let mut line = "rowkey".to_owned();
    for argument in arguments {
        line.push(' ');
        line.push_str(&quoted(argument));
    }
    line
}

/// A word for a POSIX shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,%+".contains(c);
    match (word.is_empty(), word.chars().all(plain), word.contains('\'')) {
        (false, true, _) => word.to_owned(),
        (_, _, false) => format!("'{word}'"),
        // Inside double quotes these four keep their meaning.
        _ => {
            let escaped = word
                .chars()
                .flat_map(|c| ['\\'].into_iter().filter(move |_| "\\$`\"".contains(c)).chain([c]));
            format!("\"{}\"", escaped.collect::<String>())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_written_for_a_shell() {
        let line = typed(&["query", "orders", "user_id = 7", "id = 'a'", r#"put 't', "\x00""#, ""]);
        assert_eq!(line, r#"rowkey query orders 'user_id = 7' "id = 'a'" "put 't', \"\\x00\"" ''"#);
    }
}

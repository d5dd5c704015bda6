//! How a command fails.

use std::error::Error;
use std::fmt;

/// The result of a command.
pub(crate) type Outcome = Result<(), Failure>;

/// The end of a command: what to say, and the exit code of the process.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    pub(crate) code: u8,
}

impl Failure {
    /// An error of ours: exit code 2, as everywhere in this project.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: 2 }
    }

    /// The failure of a program that we ran; its exit code becomes ours.
    pub(crate) fn of_program(message: impl Into<String>, code: Option<i32>) -> Self {
        // ended by a signal: no code of its own
        Self { message: message.into(), code: code.and_then(|code| u8::try_from(code).ok()).unwrap_or(2) }
    }

    /// `cannot ACTION: CAUSE`.
    pub(crate) fn cannot<E: fmt::Display>(action: &str) -> impl FnOnce(E) -> Self {
        let action = action.to_owned();
        move |cause| Self::new(format!("cannot {action}: {cause}"))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

// `Failure` is no `Error` itself, so that `?` may turn every error into one
impl<E: Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::new(error.to_string())
    }
}

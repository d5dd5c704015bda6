//! What does a story claim of what it measured?

use std::fmt;

use super::Stage;
use crate::Figure;
use crate::figure::Kind;

impl Stage {
    /// Claims something that was measured: it is shown, and if it does not hold, the story fails when it ends.
    pub fn claim(&mut self, what: &str, measured: impl fmt::Display, holds: bool) {
        let kind = if holds { Kind::Holds } else { Kind::Fails };
        let figure = Figure { what: what.to_owned(), measured: measured.to_string(), kind };
        self.say(&figure.to_string());
        self.figures.push(figure);
    }

    /// Claims that what was measured is exactly this.
    pub fn claim_is<T: fmt::Display + PartialEq>(&mut self, what: &str, measured: T, expected: T) {
        let holds = measured == expected;
        let shown = if holds { measured.to_string() } else { format!("{measured} instead of {expected}") };
        self.claim(what, shown, holds);
    }

    /// A rate: printed and among the figures, not on the page, and nothing fails by it.
    pub fn rate(&mut self, what: &str, measured: impl fmt::Display) {
        let figure = Figure { what: what.to_owned(), measured: measured.to_string(), kind: Kind::Rate };
        (self.voice)(&figure.to_string());
        self.figures.push(figure);
    }
}

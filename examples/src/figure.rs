//! What did a story measure?

use std::fmt;

/// One figure of a story.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    /// What was measured, in words.
    pub what: String,
    /// How much.
    pub measured: String,
    /// What becomes of it.
    pub kind: Kind,
}

/// Whether a figure can fail a story.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A claim that holds.
    Holds,
    /// A claim that does not.
    Fails,
    /// A rate, which depends on the machine and claims nothing.
    Rate,
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = match self.kind {
            Kind::Holds | Kind::Rate => "=>",
            Kind::Fails => "NOT SO:",
        };
        write!(f, "{mark} {}: {}", self.what, self.measured)
    }
}

//! What an answer was computed from.

use std::fmt;

/// What left the regions for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum By {
    /// Numbers: the store's endpoint worked on each region, and no row left it.
    Endpoint,
    /// Keys of rows, without their columns where the store can leave them out.
    Keys,
    /// Whole rows.
    Rows,
}

impl fmt::Display for By {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Endpoint => "endpoint",
            Self::Keys => "keys",
            Self::Rows => "rows",
        })
    }
}

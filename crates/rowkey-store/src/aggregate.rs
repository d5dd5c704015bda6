//! Aggregates that a store computes over the rows of a scan where they lie.

/// Something that is known of all rows of a scan together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Aggregate {
    /// How many rows there are.
    Rows,
    /// The sum of the numbers (8 bytes, two's complement, big-endian) in one column, in 64 bits that may overflow.
    Sum,
    /// The smallest of them.
    Min,
    /// The largest of them.
    Max,
}

/// The result of an [`Aggregate`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aggregated {
    /// The store, or this table of it, does not work that out.
    NotOffered,
    /// There was no value.
    Nothing,
    /// The count, sum, minimum or maximum.
    Number(i128),
}

impl Aggregated {
    /// The answer, if there is one.
    pub fn number(&self) -> Option<i128> {
        match self {
            Self::Number(number) => Some(*number),
            Self::NotOffered | Self::Nothing => None,
        }
    }
}

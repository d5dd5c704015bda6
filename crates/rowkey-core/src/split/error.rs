//! Errors of computing split points.

use crate::disclosure::said;
use crate::escape::escape;
use crate::remedy::Remedy;

/// The most regions that split points are computed for.
pub const MAX_REGIONS: u32 = 65_536;

/// Why split points cannot be computed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SplitError {
    /// A number of regions that no table has.
    #[error("cannot cut a table into {regions} regions; ask for 1 to {MAX_REGIONS}")]
    Regions {
        /// The number of regions asked for.
        regions: u32,
    },
    /// A range without keys in it.
    #[error("cannot split from {} to {}: the end must lie after the start", escape(start), escape(end))]
    Backwards {
        /// The first key of the range.
        start: Vec<u8>,
        /// The end of the range, not after `start`.
        end: Vec<u8>,
    },
    /// A bound of a number range that is no number.
    #[error("`{text}` is not a number of base {radix}; write digits only", text = said(text))]
    NotDigits {
        /// The bound as given.
        text: String,
        /// 10 or 16.
        radix: u8,
    },
    /// Fewer numbers than regions.
    #[error("there are fewer numbers from {start} to {end} than the {regions} regions asked for", start = said(start), end = said(end))]
    TooNarrow {
        /// The first number, in digits of the algorithm's base.
        start: String,
        /// The last number, in digits of the algorithm's base.
        end: String,
        /// The number of regions asked for.
        regions: u32,
    },
    /// A key whose values are known up to a part, and that is not enough.
    #[error(
        "cannot cut {key} into {regions} even regions: {known}, and which values `{part}` has is not known; give sample data \
         ({}){}",
        Remedy::SampleData,
        ranged(field)
    )]
    UnknownValues {
        /// The key as written.
        key: String,
        /// The part from which on nothing is known.
        part: String,
        /// Its field, if a range of its values would help.
        field: Option<String>,
        /// How many values the parts before it have, in words.
        known: String,
        /// What was asked for.
        regions: u32,
    },
    /// A key with too few values for so many regions of one size.
    #[error(
        "cannot cut {key} into {regions} even regions: its {values} values would leave one region with {largest:.1}% of the \
         rows; ask for a number of regions that {values} can be divided by, or for at most {}",
        values
    )]
    TooFewValues {
        /// The key as written.
        key: String,
        /// How many values its parts have.
        values: u128,
        /// What was asked for.
        regions: u32,
        /// The share of the fullest region, in percent.
        largest: f64,
    },
    /// A sample without keys, or without weight.
    #[error("the sample holds no key to cut at; give data with at least two different keys")]
    NoSample,
}

impl SplitError {
    /// What would help, if it is a setting or a function.
    pub fn remedy(&self) -> Option<Remedy> {
        matches!(self, Self::UnknownValues { .. }).then_some(Remedy::SampleData)
    }
}

fn ranged(field: &Option<String>) -> String {
    field.as_ref().map_or_else(String::new, |field| {
        format!(", or the range of the field's values ({} {field}=0..1000000)", Remedy::ValueRange)
    })
}

/// Refuses a number of regions that no table has.
pub(super) fn check_regions(regions: u32) -> Result<(), SplitError> {
    if (1..=MAX_REGIONS).contains(&regions) { Ok(()) } else { Err(SplitError::Regions { regions }) }
}

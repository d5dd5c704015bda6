//! Profiles the fields of the data.
//!
//! One pass over a file, a stream or a live table, on all cores, in memory that does not grow with the data. For each field:
//! how many values and nulls, how many different ones, how long, which come most often, how much each byte position tells
//! apart, whether values rise in the order of the data, which step they go in, and whether they identify a record.
//!
//! Every thread counts by itself (`tally`, `distinct`), which adds up in any order; what depends on the order of the data
//! (`order`, `hitters`) is joined batch by batch in that order. So the profile does not depend on the number of threads.
//!
//! **Laws** (`tests/profile.rs`): the figures that are called exact are those of a plain loop over the records; shuffled
//! data has the same figures, but for those of its order; distinct counts are within 3%.
//!
//! Not here: types of undescribed data ([`crate::sample::guess_fields`]); what a profile means for a key, which is
//! [`crate::verdict`].

mod cell;
mod distinct;
mod hitters;
mod look;
mod order;
mod run;
mod tally;

use rowkey_core::{Type, Value};

pub(crate) use cell::mix;
pub use distinct::DistinctCount;
pub use hitters::Hitter;
pub(crate) use look::BatchFacts;
pub use order::Trend;
pub(crate) use run::Worker;
pub use run::{Profiler, profile};
pub use tally::Lengths;
pub(crate) use tally::Stride;

use crate::sample::Refusals;

/// What is in the data.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// How many records.
    pub records: u64,
    /// What could not be read, and is not counted anywhere else.
    pub refused: Refusals,
    /// The fields, in the order of the data.
    pub fields: Vec<FieldProfile>,
    /// Pairs of fields, by their places, that identify a record together while neither does alone; nothing is said with
    /// more than six fields.
    pub identifying_pairs: Vec<(usize, usize, Identifies)>,
}

/// What is in one field.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldProfile {
    /// Its name.
    pub name: String,
    /// The type that its values were read as.
    pub ty: Type,
    /// Records that have a value.
    pub values: u64,
    /// Records that have none.
    pub nulls: u64,
    /// How many different values.
    pub distinct: DistinctCount,
    /// Lengths in bytes, for texts and bytes.
    pub lengths: Option<Lengths>,
    /// The values that come most often, the most frequent first.
    pub hitters: Vec<Hitter>,
    /// All values with their counts, if there are at most 64.
    pub all: Option<Vec<Hitter>>,
    /// How much too small the counts of `hitters` may be; 0 if they are exact.
    pub hitters_error: u64,
    /// Bits of entropy at each byte position, 0 to 8: of a text as it is (up to 32 bytes), of any other value as its bytes
    /// in a key of its type. A position that few texts reach counts those.
    pub entropy: Vec<f64>,
    /// The smallest and the largest value.
    pub bounds: Option<(Value<'static>, Value<'static>)>,
    /// How values go in the order of the data.
    pub trend: Trend,
    /// The share of values, of those behind another, that are not below the one before.
    pub rising: f64,
    /// Whether every value is a UUID or a digest in hexadecimal digits, all of one length.
    pub is_digest: bool,
    /// Whether every text is a whole number as numbers are written, so that nothing is lost by keeping it as one.
    pub is_whole_number: bool,
    /// What divides all differences between values: 1000 for times in whole seconds, or 60,000 for a measurement a minute.
    /// `None` for what is no whole number or time, and where all are the same.
    pub step: Option<u64>,
    /// What divides all values, too.
    pub multiple_of: Option<u64>,
    /// Whether it identifies a record.
    pub identifies: Identifies,
}

/// Whether values identify a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Identifies {
    /// Every record has its own.
    Yes,
    /// There are about as many as records, as far as the estimate tells.
    Likely,
    /// Some have none, or the same.
    No,
}

impl Identifies {
    /// The word for it: `yes`, `likely`, `no`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::Likely => "likely",
            Self::No => "no",
        }
    }
}

impl FieldProfile {
    /// All bits that the byte positions tell apart, together: at most so many bits can a field's values differ in.
    pub fn entropy_bits(&self) -> f64 {
        self.entropy.iter().sum()
    }
}

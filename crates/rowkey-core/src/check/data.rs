//! What rules need to know of the data.
//!
//! Counts only: `rowkey_lab::verdict` makes them from the data, and the rules of [`super::rules`] judge them, so
//! that a rule needs no data to be tested.

use super::SaltSpread;
use crate::key::FieldId;

/// Facts about records and the keys that they have.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DataFacts {
    /// Records that have a key.
    pub records: u64,
    /// Records that do not fit their fields, or have no key.
    pub refused: u64,
    /// The first of them: where each is and what is wrong with it.
    pub refused_first: Vec<String>,
    /// Records whose key an earlier record has.
    pub duplicates: u64,
    /// The places of two records with one key.
    pub duplicate_example: Option<(String, String)>,
    /// Bytes of all keys together.
    pub key_bytes: u64,
    /// Bytes of the longest key.
    pub longest_key: u64,
    /// How many of the sampled keys begin with each bucket of the first part; empty if that is no bucket.
    pub buckets: Vec<u64>,
    /// How many of the sampled keys belong to each region.
    pub regions: Vec<u64>,
    /// Whether these are the table's own regions; otherwise they are cut so that each has as many keys.
    pub own_regions: bool,
    /// How many of the sampled keys of the last hundredth of the data belong to each region; empty if there are too few.
    pub last: Vec<u64>,
    /// Fields of whole numbers and times, each with the largest number that divides all of its values.
    pub multiples: Vec<(FieldId, u64)>,
    /// How salts over fields of the key would spread the records; empty if there are too few.
    pub salts: Vec<SaltSpread>,
    /// For each family, how many records have a value in any of its columns.
    pub families: Vec<u64>,
    /// The same of the keys of each index table, in the order of the table file; records and refusals are told of the table only.
    pub indexes: Vec<DataFacts>,
}

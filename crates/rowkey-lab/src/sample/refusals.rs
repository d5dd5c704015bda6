//! The records that could not be read: how many, and the first of them.

use rowkey_ops::input::{BatchError, InputError};

/// The first ones that are kept.
const KEPT: usize = 5;

/// Records that are none, or do not fit their fields.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Refusals {
    /// How many.
    pub count: u64,
    /// The first few, in the order of the data: where each is, and what is wrong with it.
    pub first: Vec<String>,
}

impl Refusals {
    /// One more.
    pub fn add(&mut self, error: &dyn std::error::Error) {
        self.count += 1;
        if self.first.len() < KEPT {
            self.first.push(error.to_string());
        }
    }
}

/// The error of a reader that counts refused records instead of failing on them.
pub(crate) fn input_error(error: BatchError) -> InputError {
    match error {
        BatchError::Input(error) => error,
        other => unreachable!("nothing is written: {other}"),
    }
}

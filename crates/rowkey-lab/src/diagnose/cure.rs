//! The cure of a diagnosis.

use rowkey_core::KeySchema;
use rowkey_core::check::salted;

/// What to do.
#[derive(Debug, Clone, PartialEq)]
pub struct Cure {
    /// In words.
    pub text: String,
    /// What does or shows it.
    pub next: Next,
}

/// What to run next, with the same data.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Next {
    /// Simulate another key beside the design.
    Beside {
        /// The key to compare with, in the notation.
        key: String,
        /// The regions to cut both into.
        regions: usize,
    },
    /// Ask for the best key.
    Advise,
    /// Cut the table at quantiles of its data.
    Cut {
        /// The key of the table.
        key: String,
        /// How many regions it shall have.
        regions: usize,
    },
    /// Work out a cluster for a rate of writes.
    Size {
        /// Rows per second.
        rate: f64,
    },
}

/// As many buckets as regions, within reason.
fn buckets(regions: usize) -> usize {
    regions.clamp(4, 64)
}

pub(super) fn of_edge(key: &KeySchema, regions: usize) -> Cure {
    let text = "begin with what rows are looked up by, or with a salt, so that new rows go everywhere";
    with_salt(key, regions, text, "begin with what rows are looked up by")
}

pub(super) fn of_single_key(key: &KeySchema, regions: usize) -> Cure {
    let text = "salt by all fields, so that even one of them is spread; reading it back takes a range for each bucket";
    with_salt(key, regions, text, "spread it by a field that tells its rows apart")
}

pub(super) fn of_hot_range(key: &KeySchema, regions: usize) -> Cure {
    let text = match begins_with_bucket(key) {
        true => "the part in front does not spread these values: use a salt over what tells rows apart",
        false => "spread what is hot with a salt, or cut regions where the rows are",
    };
    with_salt(key, regions, text, "choose another key")
}

/// A salt in front, in the place of a bucket that does not spread; otherwise the advisor is asked.
fn with_salt(key: &KeySchema, regions: usize, text: &str, otherwise: &str) -> Cure {
    let regions = buckets(regions);
    match salted(key, regions, None) {
        Some(key) => Cure { text: text.to_owned(), next: Next::Beside { key, regions } },
        None => Cure { text: otherwise.to_owned(), next: Next::Advise },
    }
}

/// Whether the first part is a number of a bucket, meant to spread rows.
fn begins_with_bucket(key: &KeySchema) -> bool {
    key.value_steps().next().is_some_and(|step| step.is_bucket())
}

pub(super) fn of_idle_space(key: &KeySchema, regions: usize) -> Cure {
    if begins_with_bucket(key) {
        return of_hot_range(key, regions);
    }
    let next = Next::Cut { key: key.source().to_owned(), regions };
    Cure { text: "cut the table where its rows are".to_owned(), next }
}

pub(super) fn of_peaks(rate: f64) -> Cure {
    Cure {
        text: format!("size the cluster for the busiest time, {rate:.0} rows a second, not for the mean"),
        next: Next::Size { rate },
    }
}

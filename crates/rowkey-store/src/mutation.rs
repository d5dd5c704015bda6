//! Changes of one row.
//!
//! A [`Put`], a [`Delete`], an [`Increment`] or an [`Append`] changes the cells of one row, all of them or none;
//! [`RowMutations`] does several at once; [`CheckAndMutate`] does so if the row is as expected. Many of them, on
//! different rows, go to a store together as [`Operation`]s and come back as one [`Outcome`] each.
//!
//! ```
//! use rowkey_store::{Delete, Increment, Operation, Put};
//! let operations: [Operation; 3] = [
//!     Put::new("row1").cell("d", "a", "42").into(),
//!     Delete::row("row2").into(),
//!     Increment::new("row3").add("d", "count", 1).into(),
//! ];
//! assert_eq!(operations[2].row(), b"row3");
//! ```
//!
//! Times: where a mutation carries none ([`LATEST_TIMESTAMP`]), the store takes its clock's.

use crate::filter::{Comparator, CompareOp, Filter};
use crate::{Get, LATEST_TIMESTAMP, RowBatch, TimeRange};

/// One cell of a put.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PutCell {
    /// The column's family, which the table must have.
    pub family: Vec<u8>,
    /// The column's name within the family.
    pub qualifier: Vec<u8>,
    /// Milliseconds since 1970, or [`LATEST_TIMESTAMP`] for the time of the write.
    pub timestamp: i64,
    /// The bytes to store; may be empty.
    pub value: Vec<u8>,
}

/// Writes cells of one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Put {
    /// The row key, 1 to 32,767 bytes.
    pub row: Vec<u8>,
    /// The cells, at least one. Of two with the same column and timestamp the later one wins.
    pub cells: Vec<PutCell>,
}

impl Put {
    /// A put without cells yet.
    pub fn new(row: impl Into<Vec<u8>>) -> Self {
        Self { row: row.into(), cells: Vec::new() }
    }

    /// Adds a cell with the time of the write.
    #[must_use]
    pub fn cell(
        self,
        family: impl Into<Vec<u8>>,
        qualifier: impl Into<Vec<u8>>,
        value: impl Into<Vec<u8>>,
    ) -> Self {
        self.cell_at(family, qualifier, LATEST_TIMESTAMP, value)
    }

    /// Adds a cell with a timestamp.
    #[must_use]
    pub fn cell_at(
        mut self,
        family: impl Into<Vec<u8>>,
        qualifier: impl Into<Vec<u8>>,
        timestamp: i64,
        value: impl Into<Vec<u8>>,
    ) -> Self {
        let (family, qualifier, value) = (family.into(), qualifier.into(), value.into());
        self.cells.push(PutCell { family, qualifier, timestamp, value });
        self
    }
}

/// What a delete hides. Each becomes one marker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deletion {
    /// All columns of a family, all versions up to a timestamp; [`LATEST_TIMESTAMP`] is the time of the delete.
    Family {
        /// The family, which the table must have.
        family: Vec<u8>,
        /// The newest timestamp that it hides.
        timestamp: i64,
    },
    /// In all columns of a family, the version with exactly this timestamp.
    FamilyVersion {
        /// The family, which the table must have.
        family: Vec<u8>,
        /// The timestamp of the versions that it hides.
        timestamp: i64,
    },
    /// All versions of a column up to a timestamp; [`LATEST_TIMESTAMP`] is the time of the delete.
    Column {
        /// The family, which the table must have.
        family: Vec<u8>,
        /// The qualifier within the family.
        qualifier: Vec<u8>,
        /// The newest timestamp that it hides.
        timestamp: i64,
    },
    /// One version of a column: the one with this timestamp, or for [`LATEST_TIMESTAMP`] the newest there is, which
    /// the store has to look up. The same column twice hides the two newest.
    Version {
        /// The family, which the table must have.
        family: Vec<u8>,
        /// The qualifier within the family.
        qualifier: Vec<u8>,
        /// The timestamp of the version that it hides.
        timestamp: i64,
    },
}

impl Deletion {
    /// The family that it concerns.
    pub fn family(&self) -> &[u8] {
        match self {
            Self::Family { family, .. }
            | Self::FamilyVersion { family, .. }
            | Self::Column { family, .. }
            | Self::Version { family, .. } => family,
        }
    }

    /// Its timestamp.
    pub fn timestamp(&self) -> i64 {
        match self {
            Self::Family { timestamp, .. }
            | Self::FamilyVersion { timestamp, .. }
            | Self::Column { timestamp, .. }
            | Self::Version { timestamp, .. } => *timestamp,
        }
    }
}

/// Hides cells of one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delete {
    /// The row key, 1 to 32,767 bytes.
    pub row: Vec<u8>,
    /// The time of a delete of the whole row; [`LATEST_TIMESTAMP`] is the time of the delete.
    pub timestamp: i64,
    /// What it hides; if nothing is listed, every family up to `timestamp`.
    pub deletions: Vec<Deletion>,
}

impl Delete {
    /// Hides the whole row as of now: every family the table has.
    pub fn row(row: impl Into<Vec<u8>>) -> Self {
        Self::row_at(row, LATEST_TIMESTAMP)
    }

    /// Hides all cells of the row up to a timestamp.
    pub fn row_at(row: impl Into<Vec<u8>>, timestamp: i64) -> Self {
        Self { row: row.into(), timestamp, deletions: Vec::new() }
    }

    /// Also hides a family up to a timestamp.
    #[must_use]
    pub fn family_at(self, family: impl Into<Vec<u8>>, timestamp: i64) -> Self {
        self.and(Deletion::Family { family: family.into(), timestamp })
    }

    /// Also hides the versions of a family with exactly this timestamp.
    #[must_use]
    pub fn family_version(self, family: impl Into<Vec<u8>>, timestamp: i64) -> Self {
        self.and(Deletion::FamilyVersion { family: family.into(), timestamp })
    }

    /// Also hides all versions of a column up to a timestamp.
    #[must_use]
    pub fn column_at(
        self,
        family: impl Into<Vec<u8>>,
        qualifier: impl Into<Vec<u8>>,
        timestamp: i64,
    ) -> Self {
        self.and(Deletion::Column { family: family.into(), qualifier: qualifier.into(), timestamp })
    }

    /// Also hides one version of a column.
    #[must_use]
    pub fn version(self, family: impl Into<Vec<u8>>, qualifier: impl Into<Vec<u8>>, timestamp: i64) -> Self {
        self.and(Deletion::Version { family: family.into(), qualifier: qualifier.into(), timestamp })
    }

    fn and(mut self, deletion: Deletion) -> Self {
        self.deletions.push(deletion);
        self
    }
}

/// Adds to counters of one row: values of 8 bytes, two's complement, big-endian. A column that is not there counts
/// as 0; the sum wraps as Java's does. The answer is the row with its new values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Increment {
    /// The row key, 1 to 32,767 bytes.
    pub row: Vec<u8>,
    /// Family, qualifier and what is added, at least one.
    pub amounts: Vec<(Vec<u8>, Vec<u8>, i64)>,
    /// Only versions in this range count as the present value.
    pub time_range: TimeRange,
    /// The timestamp of values that were not there. The others get the time of the write, or one more than they had,
    /// whichever is later.
    pub timestamp: i64,
}

impl Increment {
    /// An increment of nothing yet.
    pub fn new(row: impl Into<Vec<u8>>) -> Self {
        Self { row: row.into(), amounts: Vec::new(), time_range: TimeRange::ALL, timestamp: LATEST_TIMESTAMP }
    }

    /// Also adds `amount` to a column.
    #[must_use]
    pub fn add(mut self, family: impl Into<Vec<u8>>, qualifier: impl Into<Vec<u8>>, amount: i64) -> Self {
        self.amounts.push((family.into(), qualifier.into(), amount));
        self
    }
}

/// Adds bytes to the end of values of one row. A column that is not there counts as empty. The answer is the row with
/// its new values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Append {
    /// The row key, 1 to 32,767 bytes.
    pub row: Vec<u8>,
    /// Family, qualifier and what is appended, at least one.
    pub values: Vec<(Vec<u8>, Vec<u8>, Vec<u8>)>,
    /// Only versions in this range count as the present value.
    pub time_range: TimeRange,
    /// The timestamp of values that were not there. The others get the time of the write, or one more than they had,
    /// whichever is later.
    pub timestamp: i64,
}

impl Append {
    /// An append of nothing yet.
    pub fn new(row: impl Into<Vec<u8>>) -> Self {
        Self { row: row.into(), values: Vec::new(), time_range: TimeRange::ALL, timestamp: LATEST_TIMESTAMP }
    }

    /// Also appends to a column.
    #[must_use]
    pub fn add(
        mut self,
        family: impl Into<Vec<u8>>,
        qualifier: impl Into<Vec<u8>>,
        value: impl Into<Vec<u8>>,
    ) -> Self {
        self.values.push((family.into(), qualifier.into(), value.into()));
        self
    }
}

/// One change of one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mutation {
    /// Write cells.
    Put(Put),
    /// Hide cells.
    Delete(Delete),
    /// Add to counters.
    Increment(Increment),
    /// Add to the end of values.
    Append(Append),
}

impl Mutation {
    /// The row that it changes.
    pub fn row(&self) -> &[u8] {
        match self {
            Self::Put(put) => &put.row,
            Self::Delete(delete) => &delete.row,
            Self::Increment(increment) => &increment.row,
            Self::Append(append) => &append.row,
        }
    }
}

/// Several changes of one row, done together: others see all of them or none.
///
/// A delete among them hides by its timestamp and not by its place in the list. Increments and appends read the row
/// as it was before the first of the changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowMutations {
    /// The row key; each of the changes must have the same.
    pub row: Vec<u8>,
    /// The changes, at least one.
    pub mutations: Vec<Mutation>,
}

/// What a [`CheckAndMutate`] expects of its row.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// The column has no cell, or its newest one is empty: HBase does not tell the two apart.
    Absent {
        /// The column's family.
        family: Vec<u8>,
        /// The column's qualifier.
        qualifier: Vec<u8>,
    },
    /// The newest value of the column against a comparator, the comparator on the left: `Less` holds if the comparator's
    /// value is less than the cell's. A column without a cell fulfils no comparison, but for a comparator without bytes,
    /// which is [`Condition::Absent`] (with `NotEqual`: its opposite).
    Value {
        /// The column's family.
        family: Vec<u8>,
        /// The column's qualifier.
        qualifier: Vec<u8>,
        /// How the two are compared.
        op: CompareOp,
        /// What the value is compared with.
        comparator: Comparator,
    },
    /// A get of the row with this filter finds a cell.
    Filter(Filter),
}

/// Changes a row if it is as expected. No other write to the row happens between the check and the change.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckAndMutate {
    /// The row key, 1 to 32,767 bytes.
    pub row: Vec<u8>,
    /// What is expected.
    pub condition: Condition,
    /// Only versions in this range count for the condition.
    pub time_range: TimeRange,
    /// What is done then; every change concerns `row`.
    pub mutations: Vec<Mutation>,
}

impl CheckAndMutate {
    /// Does `mutation` if the condition holds for its row.
    pub fn new(condition: Condition, mutation: impl Into<Mutation>) -> Self {
        let mutation = mutation.into();
        Self {
            row: mutation.row().to_vec(),
            condition,
            time_range: TimeRange::ALL,
            mutations: vec![mutation],
        }
    }
}

/// One item of a batch.
#[derive(Debug, Clone, PartialEq)]
pub enum Operation {
    /// Read a row.
    Get(Get),
    /// Change a row.
    Mutate(Mutation),
    /// Change a row by several mutations at once.
    MutateRow(RowMutations),
    /// Change a row if it is as expected.
    CheckAndMutate(CheckAndMutate),
}

impl Operation {
    /// The row that it concerns.
    pub fn row(&self) -> &[u8] {
        match self {
            Self::Get(get) => &get.row,
            Self::Mutate(mutation) => mutation.row(),
            Self::MutateRow(row) => &row.row,
            Self::CheckAndMutate(check) => &check.row,
        }
    }
}

/// What became of an [`Operation`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// `Some` for a check-and-mutate: whether the condition held, and so the changes were made.
    pub matched: Option<bool>,
    /// One row, or none: what a get found, or the new values of increments and appends.
    pub rows: RowBatch,
}

impl<M: Into<Mutation>> From<M> for Operation {
    fn from(mutation: M) -> Self {
        Self::Mutate(mutation.into())
    }
}

/// What is a change or an operation by itself.
macro_rules! made_of {
    ($($of:ident => $made:ident::$variant:ident;)*) => {$(
        impl From<$of> for $made {
            fn from(of: $of) -> Self {
                Self::$variant(of)
            }
        }
    )*};
}

made_of! {
    Put => Mutation::Put;
    Delete => Mutation::Delete;
    Increment => Mutation::Increment;
    Append => Mutation::Append;
    Get => Operation::Get;
    RowMutations => Operation::MutateRow;
    CheckAndMutate => Operation::CheckAndMutate;
}

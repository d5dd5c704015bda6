//! Verifies index tables.
//!
//! Compares both ways, streaming, and counts what differs; nothing is changed. Writers may go on meanwhile.

use std::sync::{Mutex, PoisonError};

use rowkey_core::Table;
use rowkey_store::Store;

use super::compare::{Comparison, Difference, DifferenceKind};
use super::error::IndexError;
use crate::create::OpenTable;

/// How to compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompareOptions {
    /// How many differences of each index are kept, with their keys.
    pub first: usize,
    /// Unverified entries younger than this belong to writers that may be at work, in milliseconds. 0 if there are none.
    pub min_age: i64,
}

impl Default for CompareOptions {
    fn default() -> Self {
        Self { first: 20, min_age: 0 }
    }
}

/// How far a comparison is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CompareProgress {
    /// Data rows that were compared.
    pub rows: u64,
    /// Entries that were compared, of all index tables.
    pub entries: u64,
}

/// What was found of one index table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexReport {
    /// The name of the index table.
    pub index: String,
    /// Data rows compared.
    pub rows: u64,
    /// Entries compared.
    pub entries: u64,
    /// Rows without entry.
    pub missing: u64,
    /// Verified entries with other copies than their rows.
    pub wrong_copies: u64,
    /// Entries without row.
    pub dangling: u64,
    /// Entries whose row has another.
    pub stale: u64,
    /// Entries that are right and not verified; harmless.
    pub unfinished: u64,
    /// Entries that lead nowhere (yet) and are too young to judge.
    pub in_flight: u64,
    /// The first few differences.
    pub first: Vec<Difference>,
}

impl IndexReport {
    /// How many differences there are.
    pub fn differences(&self) -> u64 {
        self.missing + self.wrong_copies + self.dangling + self.stale
    }

    pub(super) fn count(&mut self, difference: &Difference, keep: usize) {
        let astray = matches!(difference.kind, DifferenceKind::Dangling | DifferenceKind::Stale);
        let counter = match difference.kind {
            _ if astray && difference.young => &mut self.in_flight,
            DifferenceKind::Missing => &mut self.missing,
            DifferenceKind::WrongCopies => &mut self.wrong_copies,
            DifferenceKind::Dangling => &mut self.dangling,
            DifferenceKind::Stale => &mut self.stale,
            DifferenceKind::Unfinished => &mut self.unfinished,
        };
        *counter += 1;
        let counts = difference.kind != DifferenceKind::Unfinished && !(astray && difference.young);
        if counts && self.first.len() < keep {
            self.first.push(difference.clone());
        }
    }
}

/// Compares a table with its index tables; `chosen` are their numbers in the file.
///
/// # Errors
/// When the store fails, or a data row is of another schema.
pub fn verify(
    store: &dyn Store,
    table: &Table,
    open: &OpenTable,
    chosen: &[usize],
    options: CompareOptions,
    progress: &mut (dyn FnMut(CompareProgress) + Send),
) -> Result<Vec<IndexReport>, IndexError> {
    let comparison = Comparison::new(store, table, open, chosen, options.min_age);
    run(&comparison, options, progress, &mut |_, _| Ok(()))
}

/// What is done about the differences of a batch.
pub(super) type Act<'a> = dyn FnMut(usize, &[Difference]) -> Result<(), IndexError> + 'a;

/// Compares; `act` gets what each batch differs in, with the place of the index.
pub(super) fn run(
    comparison: &Comparison<'_>,
    options: CompareOptions,
    progress: &mut (dyn FnMut(CompareProgress) + Send),
    act: &mut Act<'_>,
) -> Result<Vec<IndexReport>, IndexError> {
    let name = |(_, name, _): &(usize, rowkey_store::TableName, _)| name.to_string();
    let mut reports: Vec<IndexReport> = comparison
        .indexes
        .iter()
        .map(|index| IndexReport { index: name(index), ..IndexReport::default() })
        .collect();
    let as_count = |rows: usize| u64::try_from(rows).unwrap_or(u64::MAX);
    let progress = Mutex::new((CompareProgress::default(), progress));
    let went_on = |rows: usize, entries: usize| {
        let (done, progress) = &mut *progress.lock().unwrap_or_else(PoisonError::into_inner);
        done.rows += as_count(rows);
        done.entries += as_count(entries);
        progress(*done);
    };
    comparison.run(&mut |rows| went_on(rows, 0), &mut |place, compared| {
        act(place, &compared.differences)?;
        if let Some(report) = reports.get_mut(place) {
            report.entries += as_count(compared.entries);
            compared.differences.iter().for_each(|difference| report.count(difference, options.first));
        }
        went_on(0, compared.entries);
        Ok(())
    })?;
    let (done, _) = progress.into_inner().unwrap_or_else(PoisonError::into_inner);
    reports.iter_mut().for_each(|report| report.rows = done.rows);
    Ok(reports)
}

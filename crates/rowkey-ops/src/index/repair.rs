//! Repairs what [`super::verify`] finds, while writers go on.
//!
//! A row whose entry is missing, wrong or unfinished is written through the same steps as a put, without a change of its
//! cells ([`super::IndexedWriter`]), so it can lose against a writer but never undo one. An entry that leads nowhere is
//! removed only if its mark is still the one that was seen before its data row was read; a writer that makes the entry
//! right again marks it first, and then it stays.

use rowkey_core::Table;
use rowkey_store::{CheckAndMutate, Delete, Operation, Store};

use super::compare::{Comparison, Difference, DifferenceKind};
use super::draft::mark_is;
use super::entry::mark_family;
use super::error::IndexError;
use super::verify::{CompareOptions, CompareProgress, IndexReport, run};
use super::writer::IndexedWriter;
use crate::create::OpenTable;

/// Compares as [`super::verify`] does and mends what differs; the reports say what was found. Entries that are
/// [in flight](IndexReport::in_flight) are left.
///
/// # Errors
/// When the store fails, or a data row is of another schema. What was mended before stays.
pub fn repair(
    store: &dyn Store,
    table: &Table,
    open: &OpenTable,
    chosen: &[usize],
    options: CompareOptions,
    progress: &mut (dyn FnMut(CompareProgress) + Send),
) -> Result<Vec<IndexReport>, IndexError> {
    let comparison = Comparison::new(store, table, open, chosen, options.min_age);
    run(&comparison, options, progress, &mut |place, differences| {
        let Some((nth, name, _)) = comparison.indexes.get(place) else { return Ok(()) };
        let of_row = |difference: &&Difference| {
            matches!(
                difference.kind,
                DifferenceKind::Missing | DifferenceKind::WrongCopies | DifferenceKind::Unfinished
            )
        };
        let rows: Vec<Vec<u8>> = differences.iter().filter(of_row).map(|d| d.row.clone()).collect();
        if !rows.is_empty() {
            IndexedWriter::new(store, table, open).only(&[*nth]).refresh(&rows)?;
        }
        let removals: Vec<Operation> = differences
            .iter()
            .filter(|difference| !of_row(difference) && !difference.young)
            .map(|difference| removal(table, difference))
            .collect();
        if !removals.is_empty() {
            for result in store.batch(name, &removals)? {
                // Where the mark is another by now, a writer is at the entry.
                result?;
            }
        }
        Ok(())
    })
}

/// Removes an entry if it is still as it was seen.
fn removal(table: &Table, difference: &Difference) -> Operation {
    let condition = mark_is(mark_family(table), difference.seen.as_deref());
    let delete = Delete::row_at(difference.entry.as_slice(), difference.newest);
    CheckAndMutate::new(condition, delete).into()
}

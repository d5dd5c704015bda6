//! Resolves index rows to records.
//!
//! An entry counts only if its data row, as it is now, has this very entry. A verified entry that has all that is asked
//! for is known to be right and needs no second read; every other one is looked up, many at a time, and dropped if its
//! data row is gone or has moved to another entry.
//!
//! Quirk: in a table with a time to live, a verified entry is looked up too when its row is about to go, so that clocks
//! that differ a little do not show a row that is gone.

use rowkey_core::key::FieldId;
use rowkey_core::{Table, Value};
use rowkey_store::{Get, RowBatch, RowView, Store};

use super::entry::Shape;
use super::error::IndexError;
use super::stamp::{State, now};
use crate::create::OpenTable;
use crate::record;

/// Data rows in one call.
const CHUNK: usize = 512;
/// How long before its end a row is looked up, in milliseconds.
const LIFE_MARGIN: i64 = 10 * 60 * 1000;

/// Which fields the caller wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needed<'a> {
    /// All of them, from the data row.
    All,
    /// These; others may be null.
    Fields(&'a [FieldId]),
}

/// A record that an entry leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The place of its entry among the index rows given.
    pub at: usize,
    /// The key of the data row.
    pub key: Vec<u8>,
    /// One value for each field of the table.
    pub values: Vec<Value<'static>>,
}

/// What index rows led to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Resolved {
    /// The records, in the order of the index rows.
    pub records: Vec<Found>,
    /// How many data rows were read.
    pub lookups: u64,
    /// How many entries did not count.
    pub dropped: u64,
}

/// The records of index rows, in their order. `index` is the number of the index in the table file; `rows` are whole rows of
/// its table.
///
/// # Errors
/// When the store fails, or a row is of another schema.
pub fn resolve(
    store: &dyn Store,
    table: &Table,
    open: &OpenTable,
    index: usize,
    rows: &RowBatch,
    needed: Needed<'_>,
) -> Result<Resolved, IndexError> {
    let mut resolved = Resolved::default();
    let Some(index) = table.indexes.get(index) else { return Ok(resolved) };
    let shape = Shape::new(table, index);
    let covers = match needed {
        Needed::All => false,
        Needed::Fields(fields) => fields.iter().all(|field| shape.fields.contains(field)),
    };
    let mut look_up = Vec::new();
    for (at, entry) in rows.rows().enumerate() {
        let (values, key) = shape.primary(entry.key())?;
        let known = if covers { trusted(&shape, entry, values)? } else { None };
        let is_known = known.is_some();
        let values = known.unwrap_or_default();
        resolved.records.push(Found { at, key, values });
        if !is_known {
            look_up.push(resolved.records.len() - 1);
        }
    }
    let mut wrong = Vec::new();
    for places in look_up.chunks(CHUNK) {
        let key = |place: &usize| resolved.records.get(*place).map(|found| found.key.clone());
        let gets: Vec<Get> = places.iter().filter_map(key).map(Get::new).collect();
        let mut data = RowBatch::new();
        let there = store.get_many(&open.name, &gets, &mut data)?;
        resolved.lookups += u64::try_from(gets.len()).unwrap_or(u64::MAX);
        let mut data = data.rows();
        for (&place, there) in places.iter().zip(there) {
            let row = if there { data.next() } else { None };
            let Some(found) = resolved.records.get_mut(place) else { continue };
            let entry = rows.row(found.at).map_or(&[][..], |entry| entry.key());
            match row.map(|row| current(&shape, entry, row)).transpose()?.flatten() {
                Some(values) => found.values = values,
                None => wrong.push(place),
            }
        }
    }
    resolved.dropped = u64::try_from(wrong.len()).unwrap_or(u64::MAX);
    let mut place = 0;
    let mut wrong = wrong.into_iter().peekable();
    resolved.records.retain(|_| {
        place += 1;
        wrong.next_if_eq(&(place - 1)).is_none()
    });
    Ok(resolved)
}

/// The values of an entry that is right without its data row.
fn trusted<'b>(
    shape: &Shape<'_>,
    entry: RowView<'b>,
    mut values: Vec<Value<'b>>,
) -> Result<Option<Vec<Value<'static>>>, IndexError> {
    let Some(found) = shape.mark(entry) else { return Ok(None) };
    let lifetime = shape.table.families.first().and_then(|family| family.ttl_seconds);
    let lives = lifetime.is_none_or(|seconds| {
        let end = found.mark.stamp.cells.saturating_add(i64::from(seconds) * 1000);
        now().saturating_add(LIFE_MARGIN) < end
    });
    if found.mark.state != State::Verified || !lives {
        return Ok(None);
    }
    shape.read_copies(entry, &found, &mut values)?;
    Ok(Some(values.into_iter().map(Value::into_owned).collect()))
}

/// The record of a data row, if it has this entry.
fn current(
    shape: &Shape<'_>,
    entry: &[u8],
    row: RowView<'_>,
) -> Result<Option<Vec<Value<'static>>>, IndexError> {
    let values = record::read(shape.table, row)?;
    // A record that cannot be in the index has no entry.
    let is_its = shape.key(row.key(), &values).is_ok_and(|key| key == entry);
    Ok(is_its.then(|| values.into_iter().map(Value::into_owned).collect()))
}

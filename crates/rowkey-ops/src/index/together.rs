//! Writes a row with its entries where a store changes several tables atomically.
//!
//! The rows are read, their entries worked out, and rows and entries written by one commit ([`rewrite_rows`](rowkey_store::RowStore::rewrite_rows)). Nobody changes
//! the rows in between, so there is nothing to announce, to look at again or to settle, and nothing to try again.

use rowkey_store::{RowBatch, RowView, TableName};

use super::draft::{Change, Item, replacement};
use super::error::IndexError;
use super::writer::{IndexedWriter, Written};

/// What the changes of some rows write: the rows, and the entries of each index table.
struct Rewritten<'w, 'a> {
    writer: &'w IndexedWriter<'a>,
    now: i64,
    rows: RowBatch,
    entries: Vec<RowBatch>,
    written: Written,
}

/// Does all changes; `None` if the store cannot, and nothing is done then.
pub(super) fn write(writer: &IndexedWriter<'_>, items: &[Item<'_>]) -> Result<Option<Written>, IndexError> {
    let Some(now) = writer.store.write_time() else { return Ok(None) };
    let tables: Vec<TableName> =
        std::iter::once(&writer.name).chain(writer.indexes.iter().map(|(name, _)| name)).cloned().collect();
    let keys: Vec<&[u8]> = items.iter().map(|item| item.key).collect();
    let (mut failed, mut written) = (None, Written::default());
    let offered = writer.store.rewrite_rows(&tables, &keys, &mut |before, there| {
        let entries = writer.indexes.iter().map(|_| RowBatch::new()).collect();
        let mut after =
            Rewritten { writer, now, rows: RowBatch::new(), entries, written: Written::default() };
        let mut rows = before.rows();
        for (item, there) in items.iter().zip(there) {
            let old = if *there { rows.next() } else { None };
            if let Err(error) = after.change(item, old) {
                failed = Some(error);
                return None;
            }
        }
        written = after.written;
        Some(std::iter::once(after.rows).chain(after.entries).collect())
    });
    match failed {
        Some(error) => Err(error),
        None => Ok(offered?.then_some(written)),
    }
}

impl Rewritten<'_, '_> {
    fn change(&mut self, item: &Item<'_>, old: Option<RowView<'_>>) -> Result<(), IndexError> {
        let (table, records) = (self.writer.table, &self.writer.records);
        match (item.change, old) {
            (Change::Put(new), old) => {
                self.written.replaced += u64::from(old.is_some());
                if !replacement(table, old, new, self.now, &mut self.rows) {
                    self.written.superseded += 1;
                    return Ok(());
                }
            }
            (Change::Delete | Change::Refresh, None) => {
                self.written.absent += 1;
                return Ok(());
            }
            (Change::Delete, Some(_)) => self.rows.begin_row(item.key),
            (Change::Refresh, Some(_)) => {}
        }
        self.written.rows += 1;
        let last = || self.rows.len().checked_sub(1).and_then(|last| self.rows.row(last));
        let new = match item.change {
            Change::Put(_) => last(),
            Change::Delete => None,
            Change::Refresh => old,
        };
        let had = old.map(|row| records.read(row)).transpose()?;
        let has = new.map(|row| records.read(row)).transpose()?;
        for ((_, shape), entries) in self.writer.indexes.iter().zip(&mut self.entries) {
            let made = has.as_ref().map(|record| shape.entry(item.key, record)).transpose()?;
            // A row of another program may have no key in the index, and so no entry.
            let left = had.as_ref().and_then(|record| shape.key(item.key, record).ok());
            if let Some(left) = left.filter(|left| made.as_ref() != Some(left)) {
                entries.begin_row(&left);
            }
            if let (Some(made), Some(row)) = (made, new) {
                shape.write_settled(&made, row, entries);
            }
        }
        Ok(())
    }
}

//! Does a request keep the rules of the data model?
//!
//! Checked before anything is sent, so that a batch with one bad row changes nothing. Families are checked
//! against the table as we last read it; before a family is refused the table is read again, because somebody
//! may have altered it.

use std::collections::BTreeSet;
use std::sync::Arc;

use rowkey_store::{Columns, RowBatch, StoreError, TableDescriptor, TableName, validate_row};

use crate::client::Client;
use crate::error::HBaseError;

impl Client {
    /// Refuses a batch that breaks a rule.
    pub(crate) async fn require_good_rows(
        &self,
        table: &TableName,
        rows: &RowBatch,
    ) -> Result<(), HBaseError> {
        self.require(table, &check_rows(rows)?).await
    }

    /// Refuses columns of families that the table does not have.
    pub(crate) async fn require_families(
        &self,
        table: &TableName,
        columns: &Columns,
    ) -> Result<(), HBaseError> {
        match columns {
            Columns::All => Ok(()),
            Columns::Only(columns) => {
                self.require(table, &columns.iter().map(|(family, _)| family.as_slice()).collect()).await
            }
        }
    }

    async fn require(&self, table: &TableName, families: &BTreeSet<&[u8]>) -> Result<(), HBaseError> {
        let has_all =
            |known: &TableDescriptor| families.iter().try_for_each(|family| known.require_family(family));
        if self.known_table(table).is_some_and(|known| has_all(&known).is_ok()) {
            return Ok(());
        }
        let read = self.read_table(table).await?;
        Ok(has_all(&read)?)
    }

    /// A failure in the words of the data model. When a server misses a family, the table has changed since we
    /// read it.
    pub(crate) async fn explain(&self, table: &TableName, failure: HBaseError) -> HBaseError {
        if !failure.is_remote("NoSuchColumnFamilyException") {
            return failure.about(table);
        }
        let missing = match &failure {
            HBaseError::Remote { message, .. } => family_in(message),
            _ => None,
        };
        match (missing, self.read_table(table).await) {
            (Some(family), Ok(known)) => match known.require_family(family.as_bytes()) {
                Err(unknown) => unknown.into(),
                Ok(()) => failure,
            },
            _ => failure,
        }
    }

    /// Reads a table's description from the master and remembers it.
    async fn read_table(&self, table: &TableName) -> Result<Arc<TableDescriptor>, HBaseError> {
        let read = Arc::new(self.describe(table).await?);
        self.remember_table(Arc::clone(&read));
        Ok(read)
    }
}

/// The families that the rows have, if every row is a good one.
fn check_rows(rows: &RowBatch) -> Result<BTreeSet<&[u8]>, StoreError> {
    let mut families: BTreeSet<&[u8]> = BTreeSet::new();
    for row in rows.rows() {
        validate_row(row.key())?;
        if row.cells().len() == 0 {
            return Err(StoreError::EmptyRow { row: row.key().to_vec() });
        }
        for cell in row.cells() {
            if cell.timestamp < 0 {
                return Err(StoreError::NegativeTimestamp {
                    row: row.key().to_vec(),
                    timestamp: cell.timestamp,
                });
            }
            families.insert(cell.family);
        }
    }
    Ok(families)
}

/// The family in `Column family e does not exist in region …`.
fn family_in(message: &str) -> Option<&str> {
    let (_, after) = message.split_once("olumn family ")?;
    after.split_whitespace().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_missing_family_is_read_from_the_message() {
        let message = "Column family e does not exist in region t,,1.abc. in table 't', {NAME => 'd'}";
        assert_eq!(family_in(message), Some("e"));
        assert_eq!(family_in("something else"), None);
    }

    #[test]
    fn a_bad_row_anywhere_is_found() {
        let mut batch = RowBatch::new();
        batch.begin_row(b"good");
        batch.cell(b"d", b"q", 0, b"v");
        batch.cell(b"a", b"q", i64::MAX, b"v");
        assert_eq!(check_rows(&batch).unwrap(), BTreeSet::from([&b"a"[..], b"d"]));
        batch.begin_row(b"bad");
        assert!(matches!(check_rows(&batch), Err(StoreError::EmptyRow { .. })));
        batch.cell(b"d", b"q", -1, b"v");
        assert!(matches!(check_rows(&batch), Err(StoreError::NegativeTimestamp { .. })));
        batch.pop_row();
        batch.begin_row(b"");
        assert!(matches!(check_rows(&batch), Err(StoreError::RowKeyLength { .. })));
    }
}

//! Validation of requests against the data model.
//!
//! The same rules for every store, so that both refuse alike and before anything is sent or written.

use crate::{
    CellKind, CheckAndMutate, Columns, Condition, Get, Mutation, Operation, RowBatch, RowMutations, Scan,
    StoreError, TableDescriptor, validate_row,
};

impl TableDescriptor {
    /// Checks rows that are to be written by [`crate::RowStore::put_batch`].
    ///
    /// # Errors
    /// [`StoreError::RowKeyLength`], [`StoreError::EmptyRow`], [`StoreError::UnknownFamily`],
    /// [`StoreError::NegativeTimestamp`], [`StoreError::MarkerInPut`].
    pub fn validate_rows(&self, rows: &RowBatch) -> Result<(), StoreError> {
        for row in rows.rows() {
            validate_row(row.key())?;
            require_cells(row.key(), row.cells().len())?;
            for cell in row.cells() {
                self.require_family(cell.family)?;
                require_timestamp(row.key(), cell.timestamp)?;
                if !matches!(cell.kind, CellKind::Put | CellKind::DeleteColumn) {
                    return Err(StoreError::MarkerInPut { row: row.key().to_vec(), kind: cell.kind });
                }
            }
        }
        Ok(())
    }

    /// Checks rows as [`crate::RowStore::rewrite_rows`] takes them: without cells a row goes.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn validate_rewrite(&self, rows: &RowBatch) -> Result<(), StoreError> {
        for row in rows.rows() {
            validate_row(row.key())?;
            for cell in row.cells() {
                self.require_family(cell.family)?;
                require_timestamp(row.key(), cell.timestamp)?;
                if cell.kind != CellKind::Put {
                    return Err(StoreError::MarkerInPut { row: row.key().to_vec(), kind: cell.kind });
                }
            }
        }
        Ok(())
    }

    /// Checks one item of a batch.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn validate_operation(&self, operation: &Operation) -> Result<(), StoreError> {
        match operation {
            Operation::Get(get) => self.validate_get(get),
            Operation::Mutate(mutation) => self.validate_mutation(mutation),
            Operation::MutateRow(RowMutations { row, mutations }) => self.validate_all(row, mutations),
            Operation::CheckAndMutate(check) => self.validate_check(check),
        }
    }

    /// Checks one mutation.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn validate_mutation(&self, mutation: &Mutation) -> Result<(), StoreError> {
        let row = mutation.row();
        validate_row(row)?;
        match mutation {
            Mutation::Put(put) => {
                require_cells(row, put.cells.len())?;
                for cell in &put.cells {
                    self.require_family(&cell.family)?;
                    require_timestamp(row, cell.timestamp)?;
                }
            }
            Mutation::Delete(delete) => {
                require_timestamp(row, delete.timestamp)?;
                for deletion in &delete.deletions {
                    self.require_family(deletion.family())?;
                    require_timestamp(row, deletion.timestamp())?;
                }
            }
            Mutation::Increment(increment) => {
                require_cells(row, increment.amounts.len())?;
                require_timestamp(row, increment.timestamp)?;
                increment.amounts.iter().try_for_each(|(family, ..)| self.require_family(family))?;
            }
            Mutation::Append(append) => {
                require_cells(row, append.values.len())?;
                require_timestamp(row, append.timestamp)?;
                append.values.iter().try_for_each(|(family, ..)| self.require_family(family))?;
            }
        }
        Ok(())
    }

    fn validate_all(&self, row: &[u8], mutations: &[Mutation]) -> Result<(), StoreError> {
        validate_row(row)?;
        require_cells(row, mutations.len())?;
        for mutation in mutations {
            self.validate_mutation(mutation)?;
            if mutation.row() != row {
                return Err(StoreError::OtherRow { row: row.to_vec(), other: mutation.row().to_vec() });
            }
        }
        Ok(())
    }

    fn validate_check(&self, check: &CheckAndMutate) -> Result<(), StoreError> {
        self.validate_all(&check.row, &check.mutations)?;
        match &check.condition {
            Condition::Absent { family, .. } => self.require_family(family),
            Condition::Value { family, comparator, .. } => {
                self.require_family(family)?;
                comparator.validate()
            }
            Condition::Filter(filter) => filter.validate(),
        }
    }

    /// Checks a get.
    ///
    /// # Errors
    /// [`StoreError::RowKeyLength`], [`StoreError::UnknownFamily`], [`StoreError::ZeroInRead`],
    /// [`StoreError::InvalidFilter`].
    pub fn validate_get(&self, get: &Get) -> Result<(), StoreError> {
        validate_row(&get.row)?;
        self.validate_columns(&get.columns)?;
        require_versions(get.versions)?;
        get.filter.as_ref().map_or(Ok(()), |filter| filter.validate())
    }

    /// Checks a scan.
    ///
    /// # Errors
    /// [`StoreError::UnknownFamily`], [`StoreError::ZeroInRead`], [`StoreError::InvalidFilter`],
    /// [`StoreError::PiecesWithRowFilter`], [`StoreError::ColumnsInRawScan`].
    pub fn validate_scan(&self, scan: &Scan) -> Result<(), StoreError> {
        self.validate_columns(&scan.columns)?;
        require_versions(scan.versions)?;
        if scan.cells_per_result == Some(0) {
            return Err(StoreError::ZeroInRead { what: "the number of cells per result" });
        }
        if let (true, Columns::Only(columns)) = (scan.raw, &scan.columns)
            && columns.iter().any(|(_, qualifier)| qualifier.is_some())
        {
            return Err(StoreError::ColumnsInRawScan);
        }
        let Some(filter) = &scan.filter else { return Ok(()) };
        filter.validate()?;
        match filter.judge_of_rows().filter(|_| scan.cells_per_result.is_some()) {
            Some(filter) => Err(StoreError::PiecesWithRowFilter { filter }),
            None => Ok(()),
        }
    }

    fn validate_columns(&self, columns: &Columns) -> Result<(), StoreError> {
        match columns {
            Columns::All => Ok(()),
            Columns::Only(columns) => columns.iter().try_for_each(|(family, _)| self.require_family(family)),
        }
    }
}

fn require_cells(row: &[u8], cells: usize) -> Result<(), StoreError> {
    if cells == 0 {
        return Err(StoreError::EmptyRow { row: row.to_vec() });
    }
    Ok(())
}

fn require_timestamp(row: &[u8], timestamp: i64) -> Result<(), StoreError> {
    if timestamp < 0 {
        return Err(StoreError::NegativeTimestamp { row: row.to_vec(), timestamp });
    }
    Ok(())
}

fn require_versions(versions: u32) -> Result<(), StoreError> {
    if versions == 0 {
        return Err(StoreError::ZeroInRead { what: "the number of versions" });
    }
    Ok(())
}

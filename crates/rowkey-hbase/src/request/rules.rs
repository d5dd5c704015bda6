//! Validation of requests before they are sent.
//!
//! Everything is checked first, so that a batch with one bad row changes nothing. Families are checked
//! against the table as we last read it; before a family is refused the table is read again, because it
//! may have been altered. A request that names no family needs no table to be checked.

use std::sync::Arc;

use rowkey_store::{
    CellView, Columns, Get, Mutation, Operation, RowBatch, StoreError, TableDescriptor, TableName,
};

use crate::client::HBaseClient;
use crate::error::HBaseError;

impl HBaseClient {
    /// Runs a check against the table as we know it.
    pub(crate) async fn require(
        &self,
        table: &TableName,
        check: impl Fn(&TableDescriptor) -> Result<(), StoreError>,
    ) -> Result<(), HBaseError> {
        let known = self.known_table(table).unwrap_or_else(|| Arc::new(nothing_known(table)));
        match check(&known) {
            Err(StoreError::UnknownFamily { .. }) => match self.table_of_rules(table).await? {
                Some(known) => Ok(check(&known)?),
                None => Ok(()),
            },
            other => Ok(other?),
        }
    }

    /// What is wrong with each operation of a batch.
    pub(crate) async fn refused(
        &self,
        table: &TableName,
        operations: &[Operation],
    ) -> Result<Vec<Option<StoreError>>, HBaseError> {
        let judge = |known: &TableDescriptor| -> Vec<Option<StoreError>> {
            operations.iter().map(|operation| known.validate_operation(operation).err()).collect()
        };
        let known = self.known_table(table).unwrap_or_else(|| Arc::new(nothing_known(table)));
        let refused = judge(&known);
        if refused.iter().any(|error| matches!(error, Some(StoreError::UnknownFamily { .. }))) {
            let is_unknown = |error: &StoreError| matches!(error, StoreError::UnknownFamily { .. });
            return Ok(match self.table_of_rules(table).await? {
                Some(known) => judge(&known),
                None => refused.into_iter().map(|error| error.filter(|error| !is_unknown(error))).collect(),
            });
        }
        Ok(refused)
    }

    /// The table as it is now; `None` if the user may use the table but not read its descriptor, which takes another right in HBase. Its servers
    /// then judge what is sent.
    async fn table_of_rules(&self, table: &TableName) -> Result<Option<Arc<TableDescriptor>>, HBaseError> {
        if self.is_closed_to_us(table) {
            return Ok(None);
        }
        match self.read_table(table).await {
            Ok(known) => Ok(Some(known)),
            Err(failure) if matches!(failure.inner(), HBaseError::AccessDenied { .. }) => {
                self.remember_closed(table);
                Ok(None)
            }
            Err(failure) => Err(failure),
        }
    }

    /// A failure in the words of the data model. When a server misses a family, the table has changed since we
    /// read it.
    pub(crate) async fn explain(&self, table: &TableName, failure: HBaseError) -> HBaseError {
        if !failure.is_remote("NoSuchColumnFamilyException") {
            return failure.about(table);
        }
        let missing = match failure.inner() {
            HBaseError::Remote { message, .. } => family_in(message).map(str::to_owned),
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

    /// The same for one operation of a batch.
    pub(crate) async fn explain_item(
        &self,
        table: &TableName,
        operation: Option<&Operation>,
        failure: HBaseError,
    ) -> HBaseError {
        let no_counter = matches!(failure.inner(), HBaseError::Remote { message, .. } if message.contains("Field is not a long"));
        match operation {
            Some(operation) if no_counter => self.not_a_counter(table, operation).await.unwrap_or(failure),
            _ => self.explain(table, failure).await,
        }
    }

    /// Which column of an increment has a value that is none. A server says only how long it is.
    async fn not_a_counter(&self, table: &TableName, operation: &Operation) -> Option<HBaseError> {
        let mutations: &[Mutation] = match operation {
            Operation::Mutate(mutation) => std::slice::from_ref(mutation),
            Operation::MutateRow(row) => &row.mutations,
            Operation::CheckAndMutate(check) => &check.mutations,
            Operation::Get(_) => &[],
        };
        let amounts = mutations.iter().filter_map(|mutation| match mutation {
            Mutation::Increment(increment) => Some(&increment.amounts),
            _ => None,
        });
        let columns =
            amounts.flatten().map(|(family, qualifier, _)| (family.clone(), Some(qualifier.clone())));
        let get = Get { columns: Columns::Only(columns.collect()), ..Get::new(operation.row()) };
        let mut batch = RowBatch::new();
        Box::pin(self.get(table, &get, &mut batch)).await.ok()?;
        let bad = |cell: &CellView<'_>| cell.value.len() != 8;
        let cell = batch.row(0).and_then(|row| row.cells().find(bad))?;
        Some(HBaseError::Rule(StoreError::NotACounter {
            row: operation.row().to_vec(),
            family: cell.family.to_vec(),
            qualifier: cell.qualifier.to_vec(),
            length: cell.value.len(),
        }))
    }

    /// Reads a table's description from the master and remembers it.
    pub(crate) async fn read_table(&self, table: &TableName) -> Result<Arc<TableDescriptor>, HBaseError> {
        let read = Arc::new(self.describe(table).await?);
        self.remember_table(Arc::clone(&read));
        Ok(read)
    }
}

/// A table of which we have read nothing yet: every family is unknown, and is looked up.
fn nothing_known(table: &TableName) -> TableDescriptor {
    TableDescriptor { name: table.clone(), families: Vec::new(), attributes: Default::default() }
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
}

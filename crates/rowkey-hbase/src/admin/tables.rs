//! Creating, describing, altering and dropping tables.

use rowkey_store::{
    StoreError, TableDescriptor, TableName, TruncateSplits, validate_families, validate_splits,
};

use crate::admin::descriptor;
use crate::client::Client;
use crate::error::HBaseError;
use crate::wire::messages::common::{TableNameProto, TableState};
use crate::wire::messages::master::{
    CreateTableRequest, GetTableDescriptorsRequest, GetTableDescriptorsResponse, GetTableNamesRequest,
    GetTableNamesResponse, ModifyTableRequest, TableRequest, TruncateTableRequest,
};

impl Client {
    /// Creates a table and waits until its regions are open.
    pub(crate) async fn create_table(
        &self,
        table: &TableDescriptor,
        splits: &[Vec<u8>],
    ) -> Result<(), HBaseError> {
        let name = &table.name;
        validate_families(name, &table.families)?;
        let request = CreateTableRequest {
            table_schema: descriptor::to_wire(table),
            split_keys: validate_splits(splits)?,
            nonce_group: Some(self.nonce_group()),
            nonce: Some(self.next_nonce()),
        };
        self.forget_table(name);
        self.run_procedure("CreateTable", &request, name).await
    }

    /// The table as the master knows it.
    pub(crate) async fn describe(&self, table: &TableName) -> Result<TableDescriptor, HBaseError> {
        let request = GetTableDescriptorsRequest {
            table_names: vec![TableNameProto::from(table)],
            include_sys_tables: Some(true),
        };
        let asked = self.ask_master("GetTableDescriptors", &request, &mut self.attempts()).await;
        let answer: GetTableDescriptorsResponse = asked.map_err(|failure| failure.about(table))?;
        match answer.table_schema.first() {
            Some(schema) => Ok(descriptor::from_wire(table, schema)),
            None => {
                self.forget_table(table);
                Err(StoreError::TableNotFound { table: table.clone() }.into())
            }
        }
    }

    /// The names of all tables but HBase's own, sorted.
    pub(crate) async fn list_tables(&self) -> Result<Vec<TableName>, HBaseError> {
        let request = GetTableNamesRequest { include_sys_tables: Some(false) };
        let answer: GetTableNamesResponse =
            self.ask_master("GetTableNames", &request, &mut self.attempts()).await?;
        let name = |name: &TableNameProto| {
            let text = [name.namespace.as_slice(), b":", &name.qualifier].concat();
            String::from_utf8(text).ok()?.parse::<TableName>().ok()
        };
        let mut names: Vec<TableName> = answer.table_names.iter().filter_map(name).collect();
        names.sort();
        Ok(names)
    }

    /// Makes a table as described, and waits until its regions are open again.
    pub(crate) async fn alter_table(&self, table: &TableDescriptor) -> Result<(), HBaseError> {
        let name = &table.name;
        validate_families(name, &table.families)?;
        let request = ModifyTableRequest {
            table_name: TableNameProto::from(name),
            table_schema: descriptor::to_wire(table),
            nonce_group: Some(self.nonce_group()),
            nonce: Some(self.next_nonce()),
        };
        let altered = self.run_procedure("ModifyTable", &request, name).await;
        self.forget_table(name);
        altered
    }

    /// Disables a table, if it is not disabled yet, and deletes it.
    pub(crate) async fn drop_table(&self, table: &TableName) -> Result<(), HBaseError> {
        self.disable_if_enabled(table).await?;
        let deleted = self.run_procedure("DeleteTable", &self.table_request(table), table).await;
        self.forget_table(table);
        deleted
    }

    /// Removes all rows of a table; it is enabled afterwards.
    pub(crate) async fn truncate_table(
        &self,
        table: &TableName,
        splits: TruncateSplits,
    ) -> Result<(), HBaseError> {
        self.disable_if_enabled(table).await?;
        let request = TruncateTableRequest {
            table_name: TableNameProto::from(table),
            preserve_splits: Some(splits == TruncateSplits::Keep),
            nonce_group: Some(self.nonce_group()),
            nonce: Some(self.next_nonce()),
        };
        let truncated = self.run_procedure("truncateTable", &request, table).await;
        self.forget_table(table);
        truncated
    }

    pub(crate) async fn enable_table(&self, table: &TableName) -> Result<(), HBaseError> {
        let enabled = self.run_procedure("EnableTable", &self.table_request(table), table).await;
        self.forget_table(table);
        enabled
    }

    pub(crate) async fn disable_table(&self, table: &TableName) -> Result<(), HBaseError> {
        let disabled = self.run_procedure("DisableTable", &self.table_request(table), table).await;
        self.forget_table(table);
        disabled
    }

    async fn disable_if_enabled(&self, table: &TableName) -> Result<(), HBaseError> {
        match self.disable_table(table).await {
            Err(HBaseError::Rule(StoreError::TableNotEnabled { .. })) => Ok(()),
            other => other,
        }
    }

    /// Whether a table takes reads and writes.
    pub(crate) async fn is_enabled(&self, table: &TableName) -> Result<bool, HBaseError> {
        let mut attempts = self.attempts();
        let state = loop {
            match attempts.bound(self.read_table_state(table)).await {
                Ok(state) => break state,
                Err(failure) => attempts.again(failure).await?,
            }
        };
        match state {
            Some(state) => Ok(state == TableState::ENABLED),
            None => Err(StoreError::TableNotFound { table: table.clone() }.into()),
        }
    }

    fn table_request(&self, table: &TableName) -> TableRequest {
        TableRequest {
            table_name: TableNameProto::from(table),
            nonce_group: Some(self.nonce_group()),
            nonce: Some(self.next_nonce()),
        }
    }
}

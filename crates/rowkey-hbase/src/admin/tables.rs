//! Creating, describing, altering and dropping tables.

use rowkey_store::{
    StoreError, TableDescriptor, TableName, TruncateSplits, validate_families, validate_splits,
};

use crate::admin::descriptor;
use crate::client::HBaseClient;
use crate::error::HBaseError;
use crate::wire::messages::common::{TableNameProto, TableState};
use crate::wire::messages::master::{
    CreateTableRequest, GetTableDescriptorsRequest, GetTableDescriptorsResponse, GetTableNamesRequest,
    GetTableNamesResponse, ModifyTableRequest, TableRequest, TruncateTableRequest,
};

impl HBaseClient {
    /// Creates a table and waits until its regions are open.
    pub async fn create_table(&self, table: &TableDescriptor, splits: &[Vec<u8>]) -> Result<(), HBaseError> {
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
    pub async fn describe(&self, table: &TableName) -> Result<TableDescriptor, HBaseError> {
        let request = GetTableDescriptorsRequest {
            table_names: vec![TableNameProto::from(table)],
            include_sys_tables: Some(true),
        };
        let answer: GetTableDescriptorsResponse =
            self.ask_about(table, "GetTableDescriptors", &request).await?;
        match answer.table_schema.first() {
            Some(schema) => Ok(descriptor::from_wire(table, schema)),
            None => {
                self.forget_table(table);
                Err(StoreError::TableNotFound { table: table.clone() }.into())
            }
        }
    }

    /// The names of all tables but HBase's own, sorted.
    pub async fn list_tables(&self) -> Result<Vec<TableName>, HBaseError> {
        let request = GetTableNamesRequest { include_sys_tables: Some(false) };
        let answer: GetTableNamesResponse =
            self.ask_master("GetTableNames", &request, &mut self.attempts()).await?;
        Ok(sorted_names(&answer.table_names))
    }

    /// Makes a table as described, and waits until its regions are open again.
    pub async fn alter_table(&self, table: &TableDescriptor) -> Result<(), HBaseError> {
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
    pub async fn drop_table(&self, table: &TableName) -> Result<(), HBaseError> {
        self.disable_if_enabled(table).await?;
        self.change_table("DeleteTable", table).await
    }

    /// Removes all rows of a table; it is enabled afterwards.
    pub async fn truncate_table(&self, table: &TableName, splits: TruncateSplits) -> Result<(), HBaseError> {
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

    /// Lets a table take reads and writes again.
    pub async fn enable_table(&self, table: &TableName) -> Result<(), HBaseError> {
        self.change_table("EnableTable", table).await
    }

    /// Lets a table take no reads and writes.
    pub async fn disable_table(&self, table: &TableName) -> Result<(), HBaseError> {
        self.change_table("DisableTable", table).await
    }

    async fn disable_if_enabled(&self, table: &TableName) -> Result<(), HBaseError> {
        match self.disable_table(table).await {
            Err(HBaseError::Rule(StoreError::TableNotEnabled { .. })) => Ok(()),
            other => other,
        }
    }

    /// Whether a table takes reads and writes.
    pub async fn is_enabled(&self, table: &TableName) -> Result<bool, HBaseError> {
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

    async fn change_table(&self, method: &'static str, table: &TableName) -> Result<(), HBaseError> {
        let request = TableRequest {
            table_name: TableNameProto::from(table),
            nonce_group: Some(self.nonce_group()),
            nonce: Some(self.next_nonce()),
        };
        let changed = self.run_procedure(method, &request, table).await;
        self.forget_table(table);
        changed
    }
}

pub(crate) fn sorted_names(names: &[TableNameProto]) -> Vec<TableName> {
    let name = |name: &TableNameProto| {
        let text = [name.namespace.as_slice(), b":", &name.qualifier].concat();
        String::from_utf8(text).ok()?.parse::<TableName>().ok()
    };
    let mut names: Vec<TableName> = names.iter().filter_map(name).collect();
    names.sort();
    names
}

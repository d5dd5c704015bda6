//! Snapshots, and tables made of them.

use rowkey_store::{Snapshot, SnapshotOptions, StoreError, TableName};

use crate::admin::namespaces::about_namespace;
use crate::client::HBaseClient;
use crate::error::HBaseError;
use crate::request::retry::Attempts;
use crate::wire::messages::master::{
    AboutSnapshotRequest, GetCompletedSnapshotsResponse, IsSnapshotDoneResponse, SnapshotDescription,
    SnapshotRequest, SnapshotResponse,
};
use crate::wire::messages::registry::Empty;

impl HBaseClient {
    /// Takes a snapshot of a table and waits until it is done.
    pub async fn snapshot(
        &self,
        table: &TableName,
        name: &str,
        options: &SnapshotOptions,
    ) -> Result<(), HBaseError> {
        // The master's answer does not tell a missing table from other failures.
        self.is_enabled(table).await?;
        let number = |number: Option<u64>| number.map(|number| i64::try_from(number).unwrap_or(i64::MAX));
        let snapshot = SnapshotDescription {
            table: Some(table.to_string()),
            kind: Some(if options.skip_flush {
                SnapshotDescription::SKIP_FLUSH
            } else {
                SnapshotDescription::FLUSH
            }),
            ttl: number(options.ttl_seconds),
            max_file_size: number(options.max_file_size),
            ..named(name)
        };
        let taken = async {
            let started: SnapshotResponse =
                self.ask_about(table, "Snapshot", &self.snapshot_request(snapshot.clone())).await?;
            match started.proc_id.and_then(|proc_id| u64::try_from(proc_id).ok()) {
                Some(proc_id) => self.end_of_procedure("Snapshot", Some(table), proc_id).await,
                None => self.end_of_snapshot(table, snapshot).await,
            }
        };
        taken.await.map_err(|failure| about_snapshot(failure, name))
    }

    /// Waits for a master that takes snapshots without a procedure.
    async fn end_of_snapshot(
        &self,
        table: &TableName,
        snapshot: SnapshotDescription,
    ) -> Result<(), HBaseError> {
        let mut attempts = Attempts::within(self.options().procedure_timeout);
        let request = AboutSnapshotRequest { snapshot };
        loop {
            let answer: IsSnapshotDoneResponse = self.ask_about(table, "IsSnapshotDone", &request).await?;
            if answer.done.unwrap_or(false) {
                return Ok(());
            }
            if !attempts.wait_at_most(std::time::Duration::from_millis(200)).await {
                let (method, table) = ("Snapshot", Some(table.clone()));
                return Err(HBaseError::ProcedureRuns { method, table, proc_id: None });
            }
        }
    }

    /// All snapshots, sorted by name.
    pub async fn list_snapshots(&self) -> Result<Vec<Snapshot>, HBaseError> {
        let answer: GetCompletedSnapshotsResponse =
            self.ask_master("GetCompletedSnapshots", &Empty {}, &mut self.attempts()).await?;
        let snapshot = |found: SnapshotDescription| {
            Some(Snapshot {
                table: found.table?.parse().ok()?,
                name: found.name,
                created: found.creation_time.unwrap_or(0),
                ttl_seconds: found.ttl.and_then(|ttl| u64::try_from(ttl).ok()).filter(|&ttl| ttl > 0),
            })
        };
        let mut snapshots: Vec<Snapshot> = answer.snapshots.into_iter().filter_map(snapshot).collect();
        snapshots.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(snapshots)
    }

    /// Makes a table of a snapshot. The master would take the name of one that is there for a restore.
    pub async fn clone_snapshot(&self, snapshot: &str, table: &TableName) -> Result<(), HBaseError> {
        match self.is_enabled(table).await {
            Ok(_) => Err(StoreError::TableExists { table: table.clone() }.into()),
            Err(HBaseError::Rule(StoreError::TableNotFound { .. })) => self.make_of(snapshot, table).await,
            Err(failure) => Err(failure),
        }
    }

    /// Makes the table of a snapshot what it was.
    pub async fn restore_snapshot(&self, name: &str) -> Result<(), HBaseError> {
        let found = self.list_snapshots().await?.into_iter().find(|snapshot| snapshot.name == name);
        let missing = || StoreError::SnapshotNotFound { snapshot: name.to_owned() };
        let table = found.ok_or_else(missing)?.table;
        let was_disabled = match self.disable_table(&table).await {
            Ok(()) | Err(HBaseError::Rule(StoreError::TableNotFound { .. })) => false,
            Err(HBaseError::Rule(StoreError::TableNotEnabled { .. })) => true,
            Err(failure) => return Err(failure),
        };
        let restored = self.make_of(name, &table).await;
        // After a failure too: the table served before. But a restore that still runs needs it disabled.
        let is_over = !matches!(restored, Err(HBaseError::ProcedureRuns { .. }));
        let back = match self.is_enabled(&table).await {
            Ok(false) if is_over && !was_disabled => self.enable_table(&table).await,
            known => known.map(drop),
        };
        // What failed first says more.
        restored.and(back)
    }

    async fn make_of(&self, snapshot: &str, table: &TableName) -> Result<(), HBaseError> {
        let description = SnapshotDescription { table: Some(table.to_string()), ..named(snapshot) };
        let made = self.run_procedure("RestoreSnapshot", &self.snapshot_request(description), table).await;
        self.forget_table(table);
        let made = made.map_err(|failure| about_snapshot(failure, snapshot));
        made.map_err(|failure| about_namespace(failure, table.namespace()))
    }

    /// Removes a snapshot.
    pub async fn delete_snapshot(&self, snapshot: &str) -> Result<(), HBaseError> {
        let request = AboutSnapshotRequest { snapshot: named(snapshot) };
        let deleted = self.ask_master("DeleteSnapshot", &request, &mut self.attempts()).await;
        deleted.map(|_: Empty| ()).map_err(|failure| about_snapshot(failure, snapshot))
    }

    fn snapshot_request(&self, snapshot: SnapshotDescription) -> SnapshotRequest {
        SnapshotRequest { snapshot, nonce_group: Some(self.nonce_group()), nonce: Some(self.next_nonce()) }
    }
}

fn named(name: &str) -> SnapshotDescription {
    SnapshotDescription { name: name.to_owned(), ..SnapshotDescription::default() }
}

/// The failure in the words of the data model, where it has some.
fn about_snapshot(failure: HBaseError, snapshot: &str) -> HBaseError {
    let snapshot = snapshot.to_owned();
    if failure.is_remote("SnapshotDoesNotExistException") {
        StoreError::SnapshotNotFound { snapshot }.into()
    } else if failure.is_remote("SnapshotExistsException") {
        StoreError::SnapshotExists { snapshot }.into()
    } else {
        failure
    }
}

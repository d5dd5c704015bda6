//! [`HBaseStore`]: the blocking store over the asynchronous client.
//!
//! The store owns a runtime with two threads. A call runs its future on the caller's own thread and the
//! connections on the runtime's; a scanner waits on a channel. The runtime lives as long as the store or any of
//! its scanners.
//!
//! Quirk: like everything that blocks, it must not be called on a thread of another tokio runtime; use that
//! runtime's `spawn_blocking`.

use std::sync::Arc;

use rowkey_core::escape::escape;
use rowkey_core::range::KeyRange;
use rowkey_store::{
    Admin, Aggregate, Aggregated, Chore, Get, Mutation, Namespace, Operation, Outcome, Region, RegionCounts,
    RowBatch, RowStore, Scan, Scanner, Snapshot, SnapshotOptions, Status, StoreError, TableDescriptor,
    TableName, TruncateSplits,
};
use tokio::runtime::Runtime;

use crate::admin::status::ClusterStatus;
use crate::client::HBaseClient;
use crate::client::figures::ClientFigures;
use crate::client::options::Options;
use crate::error::HBaseError;
use crate::registry::url::ClusterUrl;
use crate::request::endpoint::{Endpoint, RegionAnswer};
use crate::request::scan::RowStream;
use crate::security::Secured;
use crate::security::who::WhoAmI;

/// Tables of an HBase cluster.
#[derive(Debug)]
pub struct HBaseStore {
    client: Arc<HBaseClient>,
    threads: Arc<Threads>,
}

/// The runtime. Its end does not wait for tasks, because they hold nothing that must be finished.
#[derive(Debug)]
struct Threads {
    runtime: Option<Runtime>,
}

/// Tokio panics where it cannot start its two threads, so these are tried first.
fn can_start_threads() -> std::io::Result<()> {
    let (keep, kept) = std::sync::mpsc::channel::<()>();
    let kept = Arc::new(std::sync::Mutex::new(kept));
    let started: Vec<_> = (0..3)
        .map(|_| {
            let kept = Arc::clone(&kept);
            std::thread::Builder::new().spawn(move || drop(kept.lock().map(|kept| kept.recv())))
        })
        .collect();
    drop(keep);
    started.into_iter().try_for_each(|thread| thread.map(|thread| drop(thread.join())))
}

impl Threads {
    fn start() -> Result<Self, HBaseError> {
        can_start_threads().map_err(|source| HBaseError::Threads { source })?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("rowkey-hbase")
            .enable_all()
            .build()
            .map_err(|source| HBaseError::Threads { source })?;
        Ok(Self { runtime: Some(runtime) })
    }

    fn wait<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.as_ref().expect("it is taken only when dropped").block_on(work)
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl HBaseStore {
    /// Connects to the cluster at `hbase://…` or `hbase+rpc://…`, and reads from it once.
    ///
    /// # Errors
    /// A URL that is not one, a cluster that cannot be reached in about ten seconds, or one that asks for
    /// Kerberos.
    pub fn connect(url: &str) -> Result<Self, HBaseError> {
        let url: ClusterUrl = url.parse()?;
        let options = Options::from_url(&url);
        Self::connect_with(&url, options)
    }

    /// The same, with settings that no URL holds; user and timeout of the URL are not looked at.
    ///
    /// # Errors
    /// See [`HBaseStore::connect`].
    pub fn connect_with(url: &ClusterUrl, options: Options) -> Result<Self, HBaseError> {
        let threads = Arc::new(Threads::start()?);
        let client = threads.wait(HBaseClient::connect_with(url, options))?;
        Ok(Self { client, threads })
    }

    /// Waits for the client's work; `attempted` says in an error what it was.
    fn wait<T>(
        &self,
        work: impl Future<Output = Result<T, HBaseError>>,
        attempted: impl FnOnce() -> String,
    ) -> Result<T, StoreError> {
        self.threads.wait(work).map_err(|error| error.into_store(attempted))
    }

    /// Has the files of a table merged, without removing what deletes hide; waits for the end.
    ///
    /// # Errors
    /// [`StoreError::TableNotFound`], or a failure of the cluster.
    pub fn compact(&self, table: &TableName) -> Result<(), StoreError> {
        self.wait(self.client.compact(table), || format!("compact table `{table}`"))
    }

    /// Calls a coprocessor endpoint on every region that holds keys of `range`, all at once; the answers come in key
    /// order. `request` makes the message for a region from the part of the range that lies in it; it must concern this
    /// part only, because a region may be split or merged meanwhile.
    ///
    /// # Errors
    /// [`StoreError::TableNotFound`], a service that the regions do not have, or a failure of the cluster.
    pub fn call_endpoint(
        &self,
        table: &TableName,
        range: &KeyRange,
        endpoint: &Endpoint,
        request: impl Fn(&KeyRange) -> Vec<u8>,
    ) -> Result<Vec<RegionAnswer>, StoreError> {
        let Endpoint { service, method } = endpoint;
        let attempted = || format!("call {service}.{method} on the regions of table `{table}`");
        self.wait(self.client.call_endpoint(table, range, endpoint, request), attempted)
    }

    /// How many rows a scan would return, counted by the region servers (HBase's `AggregateImplementation`).
    ///
    /// # Errors
    /// What is wrong with the scan, a cluster without the endpoint, or a failure of the cluster.
    pub fn row_count(&self, table: &TableName, scan: &Scan) -> Result<u64, StoreError> {
        self.wait(self.client.row_count(table, scan), || format!("count the rows of table `{table}`"))
    }

    /// How often regions and connections were not where, or what, this store thought.
    pub fn figures(&self) -> ClientFigures {
        self.client.figures()
    }

    /// What is agreed on with the servers: who we are to them, and how the connections are protected.
    ///
    /// # Errors
    /// A failure of the cluster.
    pub fn secured(&self) -> Result<Secured, StoreError> {
        self.wait(self.client.secured(), || "ask how the connection is secured".to_owned())
    }

    /// Who we are in the cluster's own words; `None` if it has no `TokenProvider`, which would know.
    ///
    /// # Errors
    /// A failure of the cluster.
    pub fn who_am_i(&self) -> Result<Option<WhoAmI>, StoreError> {
        self.wait(self.client.who_am_i(), || "ask who we are".to_owned())
    }

    /// The servers and regions of the cluster with their figures, as the master knows them.
    ///
    /// # Errors
    /// A failure of the cluster.
    pub fn cluster_status(&self) -> Result<ClusterStatus, StoreError> {
        self.wait(self.client.cluster_status(), || "read the status of the cluster".to_owned())
    }
}

/// Methods that are the client's of the same names, and what each attempts, for an error.
macro_rules! calls {
    ($($name:ident($($argument:ident: $type:ty),*) -> $answer:ty: $words:literal $(, $word:expr)*;)+) => {$(
        fn $name(&self, $($argument: $type),*) -> Result<$answer, StoreError> {
            let work = self.client.$name($($argument),*);
            self.threads.wait(work).map_err(|error| error.into_store(|| format!($words $(, $word)*)))
        }
    )+};
}

impl RowStore for HBaseStore {
    calls! {
        put_batch(table: &TableName, rows: &RowBatch) -> (): "write {} rows to table `{table}`", rows.len();
        get(table: &TableName, get: &Get, into: &mut RowBatch) -> bool: "read row {} of table `{table}`", escape(&get.row);
        get_many(table: &TableName, gets: &[Get], into: &mut RowBatch) -> Vec<bool>: "read {} rows of table `{table}`", gets.len();
        aggregate(table: &TableName, scan: &Scan, what: Aggregate) -> Aggregated: "work out {what:?} of table `{table}`";
    }

    fn scan_many(&self, table: &TableName, scans: &[Scan]) -> Result<Vec<Box<dyn Scanner>>, StoreError> {
        let opened = self.client.scan_many(table, scans);
        let streams = self.wait(opened, || format!("open {} scans of table `{table}`", scans.len()))?;
        let scanner = |(rows, scan): (RowStream, &Scan)| -> Box<dyn Scanner> {
            let what = format!("scan {} of table `{table}`", scan.range);
            Box::new(HBaseScanner { rows, what, _threads: Arc::clone(&self.threads) })
        };
        Ok(streams.into_iter().zip(scans).map(scanner).collect())
    }

    fn reads_ahead(&self) -> bool {
        true
    }

    fn batch(
        &self,
        table: &TableName,
        operations: &[Operation],
    ) -> Result<Vec<Result<Outcome, StoreError>>, StoreError> {
        let attempted = || format!("do {} operations on table `{table}`", operations.len());
        let done = self.wait(self.client.batch(table, operations), attempted)?;
        let item = |(result, operation): (Result<Outcome, HBaseError>, &Operation)| {
            result.map_err(|error| {
                error.into_store(|| {
                    let (what, row) = (operation_name(operation), escape(operation.row()).to_string());
                    format!("{what} row {row} of table `{table}`")
                })
            })
        };
        Ok(done.into_iter().zip(operations).map(item).collect())
    }
}

impl Admin for HBaseStore {
    fn kind(&self) -> &'static str {
        "HBase"
    }

    fn status(&self) -> Result<Status, StoreError> {
        let ClusterStatus { version, backup_masters, servers, dead_servers, .. } = self.cluster_status()?;
        let regions = servers.iter().map(|server| server.regions.len()).sum();
        let servers = servers.into_iter().map(|server| server.server).collect();
        Ok(Status { version: Some(version), backup_masters, servers, dead_servers, regions })
    }

    calls! {
        id() -> Option<String>: "read the id of the cluster";

        create_table(table: &TableDescriptor, splits: &[Vec<u8>]) -> (): "create table `{}` with {} regions", table.name, splits.len() + 1;
        describe(table: &TableName) -> TableDescriptor: "describe table `{table}`";
        list_tables() -> Vec<TableName>: "list the tables";
        alter_table(table: &TableDescriptor) -> (): "alter table `{}`", table.name;
        drop_table(table: &TableName) -> (): "drop table `{table}`";
        truncate_table(table: &TableName, splits: TruncateSplits) -> (): "truncate table `{table}`";
        enable_table(table: &TableName) -> (): "enable table `{table}`";
        disable_table(table: &TableName) -> (): "disable table `{table}`";
        is_enabled(table: &TableName) -> bool: "tell whether table `{table}` is enabled";
        flush(table: &TableName) -> (): "flush table `{table}`";
        major_compact(table: &TableName) -> (): "compact table `{table}`";

        regions(table: &TableName) -> Vec<Region>: "list the regions of table `{table}`";
        split_region(table: &TableName, region: &str, at: Option<&[u8]>) -> (): "split region {region} of table `{table}`";
        merge_regions(table: &TableName, regions: &[String]) -> (): "merge {} regions of table `{table}`", regions.len();
        move_region(table: &TableName, region: &str, to: Option<&str>) -> (): "move region {region} of table `{table}`";

        create_namespace(namespace: &Namespace) -> (): "create namespace `{}`", namespace.name;
        drop_namespace(namespace: &str) -> (): "drop namespace `{namespace}`";
        list_namespaces() -> Vec<Namespace>: "list the namespaces";
        tables_of_namespace(namespace: &str) -> Vec<TableName>: "list the tables of namespace `{namespace}`";

        snapshot(table: &TableName, name: &str, options: &SnapshotOptions) -> (): "take snapshot `{name}` of table `{table}`";
        list_snapshots() -> Vec<Snapshot>: "list the snapshots";
        clone_snapshot(snapshot: &str, table: &TableName) -> (): "make table `{table}` of snapshot `{snapshot}`";
        restore_snapshot(snapshot: &str) -> (): "restore snapshot `{snapshot}`";
        delete_snapshot(snapshot: &str) -> (): "delete snapshot `{snapshot}`";

        switch(chore: Chore, on: bool) -> bool: "switch {chore}";
        is_on(chore: Chore) -> bool: "tell whether {chore} is on";
        balance(force: bool) -> bool: "run the balancer";
        normalize(tables: &[TableName]) -> bool: "run the normalizer";
    }
}

/// A word for an operation in an error.
fn operation_name(operation: &Operation) -> &'static str {
    match operation {
        Operation::Get(_) => "read",
        Operation::Mutate(Mutation::Put(_)) => "put",
        Operation::Mutate(Mutation::Delete(_)) => "delete from",
        Operation::Mutate(Mutation::Increment(_)) => "increment",
        Operation::Mutate(Mutation::Append(_)) => "append to",
        Operation::MutateRow(_) => "change",
        Operation::CheckAndMutate(_) => "check and change",
    }
}

struct HBaseScanner {
    rows: RowStream,
    what: String,
    /// The task that reads must not lose its threads when the store goes first.
    _threads: Arc<Threads>,
}

impl Scanner for HBaseScanner {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<bool, StoreError> {
        self.rows.blocking_next(batch).map_err(|error| error.into_store(|| self.what.clone()))
    }

    fn set_batch_rows(&mut self, rows: usize) {
        self.rows.set_batch_rows(rows);
    }

    fn counts(&self) -> Vec<RegionCounts> {
        self.rows.counts()
    }
}

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
    Admin, Aggregate, Aggregated, Get, Mutation, Operation, Outcome, Region, RegionCounts, RowBatch,
    RowStore, Scan, Scanner, Status, StoreError, TableDescriptor, TableName, TruncateSplits,
};
use tokio::runtime::Runtime;

use crate::admin::status::ClusterStatus;
use crate::client::Client;
use crate::client::figures::ClientFigures;
use crate::client::options::Options;
use crate::error::HBaseError;
use crate::registry::url::{ClusterUrl, HostPort};
use crate::request::endpoint::{Endpoint, RegionAnswer};
use crate::request::scan::RowStream;

/// Tables of an HBase cluster.
#[derive(Debug)]
pub struct HBaseStore {
    client: Arc<Client>,
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

    fn runtime(&self) -> &Runtime {
        self.runtime.as_ref().expect("it is taken only when dropped")
    }

    fn wait<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime().block_on(work)
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
        let client = threads.wait(Client::connect(url.registry.clone(), options))?;
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

    /// Moves a region, given by its name, to a server (`host:port`), or to one that the master chooses.
    ///
    /// # Errors
    /// [`StoreError::RegionNotFound`], a server that is not there, or a failure of the cluster.
    pub fn move_region(
        &self,
        table: &TableName,
        region: &str,
        to: Option<&HostPort>,
    ) -> Result<(), StoreError> {
        self.wait(self.client.move_region(table, region, to), || {
            format!("move region {region} of table `{table}`")
        })
    }

    /// Has the files of a table merged, without removing what deletes hide; waits for the end.
    ///
    /// # Errors
    /// [`StoreError::TableNotFound`], or a failure of the cluster.
    pub fn compact(&self, table: &TableName) -> Result<(), StoreError> {
        self.wait(self.client.compact(table, false), || format!("compact table `{table}`"))
    }

    /// Switches the balancer on or off; returns how it was.
    ///
    /// # Errors
    /// A failure of the cluster.
    pub fn switch_balancer(&self, on: bool) -> Result<bool, StoreError> {
        self.wait(self.client.switch_balancer(on), || "switch the balancer".to_owned())
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

    /// The sum of the numbers (8 bytes, big-endian) in one column; `None` without any.
    ///
    /// # Errors
    /// See [`HBaseStore::row_count`]; also a scan of more or less than one column.
    pub fn sum(&self, table: &TableName, scan: &Scan) -> Result<Option<i128>, StoreError> {
        self.wait(self.client.sum(table, scan), || format!("add a column of table `{table}`"))
    }

    /// The smallest number in one column.
    ///
    /// # Errors
    /// See [`HBaseStore::sum`].
    pub fn min(&self, table: &TableName, scan: &Scan) -> Result<Option<i64>, StoreError> {
        self.wait(self.client.min(table, scan), || format!("find the smallest number of table `{table}`"))
    }

    /// The largest number in one column.
    ///
    /// # Errors
    /// See [`HBaseStore::sum`].
    pub fn max(&self, table: &TableName, scan: &Scan) -> Result<Option<i64>, StoreError> {
        self.wait(self.client.max(table, scan), || format!("find the largest number of table `{table}`"))
    }

    /// The mean of the numbers in one column.
    ///
    /// # Errors
    /// See [`HBaseStore::sum`].
    pub fn avg(&self, table: &TableName, scan: &Scan) -> Result<Option<f64>, StoreError> {
        self.wait(self.client.avg(table, scan), || format!("find the mean of a column of table `{table}`"))
    }

    /// How often regions and connections were not where, or what, this store thought.
    pub fn figures(&self) -> ClientFigures {
        self.client.figures()
    }

    /// The servers and regions of the cluster with their figures, as the master knows them.
    ///
    /// # Errors
    /// A failure of the cluster.
    pub fn cluster_status(&self) -> Result<ClusterStatus, StoreError> {
        self.wait(self.client.cluster_status(), || "read the status of the cluster".to_owned())
    }
}

impl RowStore for HBaseStore {
    fn put_batch(&self, table: &TableName, rows: &RowBatch) -> Result<(), StoreError> {
        self.wait(self.client.put(table, rows), || format!("write {} rows to table `{table}`", rows.len()))
    }

    fn get(&self, table: &TableName, get: &Get, into: &mut RowBatch) -> Result<bool, StoreError> {
        self.wait(self.client.get(table, get, into), || {
            format!("read row {} of table `{table}`", escape(&get.row))
        })
    }

    fn scan_many(&self, table: &TableName, scans: &[Scan]) -> Result<Vec<Box<dyn Scanner>>, StoreError> {
        let checks = async {
            for scan in scans {
                self.client.require(table, |known| known.validate_scan(scan)).await?;
            }
            Ok(())
        };
        self.wait(checks, || format!("open {} scans of table `{table}`", scans.len()))?;
        let _on_our_threads = self.threads.runtime().enter();
        let streams = self.client.scan_many(table, scans);
        let scanner = |(rows, scan): (RowStream, &Scan)| -> Box<dyn Scanner> {
            let what = format!("scan {} of table `{table}`", scan.range);
            Box::new(HBaseScanner { rows, what, _threads: Arc::clone(&self.threads) })
        };
        Ok(streams.into_iter().zip(scans).map(scanner).collect())
    }

    fn reads_ahead(&self) -> bool {
        true
    }

    fn aggregate(&self, table: &TableName, scan: &Scan, what: Aggregate) -> Result<Aggregated, StoreError> {
        let client = &self.client;
        let work = async {
            let found = match what {
                Aggregate::Rows => client.row_count(table, scan).await.map(|rows| Some(i128::from(rows))),
                Aggregate::Sum => client.sum(table, scan).await,
                Aggregate::Min => client.min(table, scan).await.map(|found| found.map(i128::from)),
                Aggregate::Max => client.max(table, scan).await.map(|found| found.map(i128::from)),
                _ => return Ok(Aggregated::NotOffered),
            };
            match found {
                // What a server says that has no such endpoint on the region.
                Err(error) if error.is_remote("UnknownProtocolException") => Ok(Aggregated::NotOffered),
                found => Ok(found?.map_or(Aggregated::Nothing, Aggregated::Number)),
            }
        };
        self.wait(work, || format!("work out {what:?} of table `{table}`"))
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

    fn get_many(
        &self,
        table: &TableName,
        gets: &[Get],
        into: &mut RowBatch,
    ) -> Result<Vec<bool>, StoreError> {
        self.wait(self.client.get_many(table, gets, into), || {
            format!("read {} rows of table `{table}`", gets.len())
        })
    }
}

impl Admin for HBaseStore {
    fn kind(&self) -> &'static str {
        "HBase"
    }

    fn create_table(&self, table: &TableDescriptor, splits: &[Vec<u8>]) -> Result<(), StoreError> {
        self.wait(self.client.create_table(table, splits), || {
            format!("create table `{}` with {} regions", table.name, splits.len() + 1)
        })
    }

    fn describe(&self, table: &TableName) -> Result<TableDescriptor, StoreError> {
        self.wait(self.client.describe(table), || format!("describe table `{table}`"))
    }

    fn drop_table(&self, table: &TableName) -> Result<(), StoreError> {
        self.wait(self.client.drop_table(table), || format!("drop table `{table}`"))
    }

    fn id(&self) -> Result<Option<String>, StoreError> {
        self.wait(self.client.cluster_id(), || "read the id of the cluster".to_owned())
    }

    fn status(&self) -> Result<Status, StoreError> {
        let ClusterStatus { version, backup_masters, servers, dead_servers, .. } = self.cluster_status()?;
        let regions = servers.iter().map(|server| server.regions.len()).sum();
        let servers = servers.into_iter().map(|server| server.server).collect();
        Ok(Status { version: Some(version), backup_masters, servers, dead_servers, regions })
    }

    fn regions(&self, table: &TableName) -> Result<Vec<Region>, StoreError> {
        self.wait(self.client.regions(table), || format!("list the regions of table `{table}`"))
    }

    fn list_tables(&self) -> Result<Vec<TableName>, StoreError> {
        self.wait(self.client.list_tables(), || "list the tables".to_owned())
    }

    fn alter_table(&self, table: &TableDescriptor) -> Result<(), StoreError> {
        self.wait(self.client.alter_table(table), || format!("alter table `{}`", table.name))
    }

    fn truncate_table(&self, table: &TableName, splits: TruncateSplits) -> Result<(), StoreError> {
        self.wait(self.client.truncate_table(table, splits), || format!("truncate table `{table}`"))
    }

    fn enable_table(&self, table: &TableName) -> Result<(), StoreError> {
        self.wait(self.client.enable_table(table), || format!("enable table `{table}`"))
    }

    fn disable_table(&self, table: &TableName) -> Result<(), StoreError> {
        self.wait(self.client.disable_table(table), || format!("disable table `{table}`"))
    }

    fn is_enabled(&self, table: &TableName) -> Result<bool, StoreError> {
        self.wait(self.client.is_enabled(table), || format!("tell whether table `{table}` is enabled"))
    }

    fn split_region(&self, table: &TableName, region: &str, at: Option<&[u8]>) -> Result<(), StoreError> {
        self.wait(self.client.split_region(table, region, at), || {
            format!("split region {region} of table `{table}`")
        })
    }

    fn merge_regions(&self, table: &TableName, regions: &[String]) -> Result<(), StoreError> {
        self.wait(self.client.merge_regions(table, regions), || {
            format!("merge {} regions of table `{table}`", regions.len())
        })
    }

    fn flush(&self, table: &TableName) -> Result<(), StoreError> {
        self.wait(self.client.flush(table), || format!("flush table `{table}`"))
    }

    fn major_compact(&self, table: &TableName) -> Result<(), StoreError> {
        self.wait(self.client.compact(table, true), || format!("compact table `{table}`"))
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

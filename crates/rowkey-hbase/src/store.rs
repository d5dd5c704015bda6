//! How do blocking callers use the asynchronous client?
//!
//! The store owns a runtime with two threads. A call runs its future on the caller's own thread and the
//! connections on the runtime's; a scanner waits on a channel. The runtime lives as long as the store or any of
//! its scanners.
//!
//! Quirk: like everything that blocks, it must not be called on a thread of another tokio runtime; use that
//! runtime's `spawn_blocking`.

use std::sync::Arc;

use rowkey::escape::escape;
use rowkey_store::{
    Get, Mutation, Operation, Outcome, Region, RowBatch, Scan, Scanner, Store, StoreError, TableDescriptor,
    TableName, TruncateSplits,
};
use tokio::runtime::Runtime;

use crate::client::Client;
use crate::error::HBaseError;
use crate::options::Options;
use crate::scan::RowStream;
use crate::url::ClusterUrl;

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

impl Threads {
    fn start() -> Result<Self, HBaseError> {
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
}

impl Store for HBaseStore {
    fn create_table(&self, table: &TableDescriptor, splits: &[Vec<u8>]) -> Result<(), StoreError> {
        let made = self.threads.wait(self.client.create_table(table, splits));
        made.map_err(|error| {
            error.into_store(|| format!("create table `{}` with {} regions", table.name, splits.len() + 1))
        })
    }

    fn describe(&self, table: &TableName) -> Result<TableDescriptor, StoreError> {
        let found = self.threads.wait(self.client.describe(table));
        found.map_err(|error| error.into_store(|| format!("describe table `{table}`")))
    }

    fn drop_table(&self, table: &TableName) -> Result<(), StoreError> {
        let dropped = self.threads.wait(self.client.drop_table(table));
        dropped.map_err(|error| error.into_store(|| format!("drop table `{table}`")))
    }

    fn put_batch(&self, table: &TableName, rows: &RowBatch) -> Result<(), StoreError> {
        let written = self.threads.wait(self.client.put(table, rows));
        written.map_err(|error| error.into_store(|| format!("write {} rows to table `{table}`", rows.len())))
    }

    fn get(&self, table: &TableName, get: &Get, into: &mut RowBatch) -> Result<bool, StoreError> {
        let found = self.threads.wait(self.client.get(table, get, into));
        found
            .map_err(|error| error.into_store(|| format!("read row {} of table `{table}`", escape(&get.row))))
    }

    fn scan_many(&self, table: &TableName, scans: &[Scan]) -> Result<Vec<Box<dyn Scanner>>, StoreError> {
        let checked = self.threads.wait(async {
            for scan in scans {
                self.client.require(table, |known| known.validate_scan(scan)).await?;
            }
            Ok::<_, HBaseError>(())
        });
        checked
            .map_err(|error| error.into_store(|| format!("open {} scans of table `{table}`", scans.len())))?;
        let _on_our_threads = self.threads.runtime().enter();
        let streams = self.client.scan_many(table, scans);
        let scanner = |(rows, scan): (RowStream, &Scan)| -> Box<dyn Scanner> {
            let what = format!("scan {} of table `{table}`", scan.range);
            Box::new(HBaseScanner { rows, what, _threads: Arc::clone(&self.threads) })
        };
        Ok(streams.into_iter().zip(scans).map(scanner).collect())
    }

    fn regions(&self, table: &TableName) -> Result<Vec<Region>, StoreError> {
        let found = self.threads.wait(self.client.regions(table));
        found.map_err(|error| error.into_store(|| format!("list the regions of table `{table}`")))
    }

    fn list_tables(&self) -> Result<Vec<TableName>, StoreError> {
        Err(unsupported("list tables"))
    }

    fn alter_table(&self, _: &TableDescriptor) -> Result<(), StoreError> {
        Err(unsupported("alter tables"))
    }

    fn truncate_table(&self, _: &TableName, _: TruncateSplits) -> Result<(), StoreError> {
        Err(unsupported("truncate tables"))
    }

    fn enable_table(&self, _: &TableName) -> Result<(), StoreError> {
        Err(unsupported("enable tables"))
    }

    fn disable_table(&self, _: &TableName) -> Result<(), StoreError> {
        Err(unsupported("disable tables"))
    }

    fn is_enabled(&self, _: &TableName) -> Result<bool, StoreError> {
        Err(unsupported("tell whether tables are enabled"))
    }

    fn batch(
        &self,
        table: &TableName,
        operations: &[Operation],
    ) -> Result<Vec<Result<Outcome, StoreError>>, StoreError> {
        let done = self.threads.wait(self.client.batch(table, operations));
        let done = done.map_err(|error| {
            error.into_store(|| format!("do {} operations on table `{table}`", operations.len()))
        })?;
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
        let found = self.threads.wait(self.client.get_many(table, gets, into));
        found.map_err(|error| error.into_store(|| format!("read {} rows of table `{table}`", gets.len())))
    }

    fn split_region(&self, _: &TableName, _: &str, _: Option<&[u8]>) -> Result<(), StoreError> {
        Err(unsupported("split regions"))
    }

    fn merge_regions(&self, _: &TableName, _: &[String]) -> Result<(), StoreError> {
        Err(unsupported("merge regions"))
    }

    fn flush(&self, _: &TableName) -> Result<(), StoreError> {
        Err(unsupported("flush tables"))
    }

    fn major_compact(&self, _: &TableName) -> Result<(), StoreError> {
        Err(unsupported("compact tables"))
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

fn unsupported(operation: &'static str) -> StoreError {
    StoreError::Unsupported { operation, store: "the HBase client" }
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
}

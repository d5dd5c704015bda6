//! The asynchronous client.
//!
//! [`HBaseClient`] is the client behind [`crate::HBaseStore`], for programs that have a tokio runtime of their own. It is
//! cheap to clone, and all clones share connections and caches. A scan is a [`RowStream`], which reads ahead while
//! the caller works.
//!
//! Operations mean what they mean in [`rowkey_store::Store`], rules and defaults included; here they fail with an
//! [`HBaseError`], which knows servers, regions and attempts. A future may be dropped at any time; what its request had
//! already set going on a server happens nevertheless.
//!
//! ```no_run
//! use rowkey_hbase::HBaseClient;
//! use rowkey_store::{Get, Put, RowBatch, Scan};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let client = HBaseClient::connect("hbase://zk1:2181/hbase").await?;
//! let orders = "orders".parse()?;
//! client.run(&orders, &Put::new("user7").cell("d", "amount", "42").into()).await?;
//!
//! let mut row = RowBatch::new();
//! assert!(client.get(&orders, &Get::new("user7"), &mut row).await?);
//!
//! let mut rows = client.scan(&orders, &Scan::prefix(b"user")).await?;
//! let mut batch = RowBatch::new();
//! while rows.next(&mut batch).await? {
//!     println!("{batch:?}");
//! }
//! # Ok(())
//! # }
//! ```

use std::sync::Arc;

use rowkey_core::range::KeyRange;
use rowkey_store::{
    Get, Operation, Outcome, Region, RowBatch, Scan, TableDescriptor, TableName, TruncateSplits,
};

use crate::admin::status::ClusterStatus;
use crate::client::Client;
use crate::client::figures::ClientFigures;
use crate::client::options::Options;
use crate::error::HBaseError;
use crate::registry::url::{ClusterUrl, HostPort};
use crate::request::endpoint::{Endpoint, RegionAnswer};
use crate::request::scan::RowStream;

/// A client of an HBase cluster for asynchronous programs. Every method must run on a tokio runtime with I/O and time.
///
/// # Errors
/// Every method: [`HBaseError::Rule`] for what breaks a rule of the data model or names a table, family or region that is
/// not there; otherwise what went wrong on the way to, or in, the cluster, after retries.
#[derive(Debug, Clone)]
pub struct HBaseClient {
    client: Arc<Client>,
}

#[expect(clippy::missing_errors_doc, reason = "one section for all methods, on the type")]
impl HBaseClient {
    /// Connects to the cluster at `hbase://…` or `hbase+rpc://…`, and reads from it once.
    pub async fn connect(url: &str) -> Result<Self, HBaseError> {
        let url: ClusterUrl = url.parse()?;
        let options = Options::from_url(&url);
        Self::connect_with(&url, options).await
    }

    /// The same, with settings that no URL holds; user and timeout of the URL are not looked at.
    pub async fn connect_with(url: &ClusterUrl, options: Options) -> Result<Self, HBaseError> {
        Ok(Self { client: Client::connect(url.registry.clone(), options).await? })
    }

    /// Reads one row and adds it to the end of `into`; `false` if there is no such row.
    pub async fn get(&self, table: &TableName, get: &Get, into: &mut RowBatch) -> Result<bool, HBaseError> {
        self.client.get(table, get, into).await
    }

    /// Reads many rows, by one request for each server; those that are there go to the end of `into`, in order.
    pub async fn get_many(
        &self,
        table: &TableName,
        gets: &[Get],
        into: &mut RowBatch,
    ) -> Result<Vec<bool>, HBaseError> {
        self.client.get_many(table, gets, into).await
    }

    /// Opens a scan; its first rows are on their way.
    pub async fn scan(&self, table: &TableName, scan: &Scan) -> Result<RowStream, HBaseError> {
        let mut streams = self.scan_many(table, std::slice::from_ref(scan)).await?;
        streams.pop().ok_or(HBaseError::Closed)
    }

    /// Opens many scans at once.
    pub async fn scan_many(&self, table: &TableName, scans: &[Scan]) -> Result<Vec<RowStream>, HBaseError> {
        for scan in scans {
            self.client.require(table, |known| known.validate_scan(scan)).await?;
        }
        Ok(self.client.scan_many(table, scans))
    }

    /// Writes rows; when it returns they are durable.
    pub async fn put_batch(&self, table: &TableName, rows: &RowBatch) -> Result<(), HBaseError> {
        self.client.put(table, rows).await
    }

    /// Does one operation.
    pub async fn run(&self, table: &TableName, operation: &Operation) -> Result<Outcome, HBaseError> {
        let mut results = self.batch(table, std::slice::from_ref(operation)).await?;
        results.pop().unwrap_or(Err(HBaseError::Closed))
    }

    /// Does many operations; one result for each, in order.
    pub async fn batch(
        &self,
        table: &TableName,
        operations: &[Operation],
    ) -> Result<Vec<Result<Outcome, HBaseError>>, HBaseError> {
        self.client.batch(table, operations).await
    }

    /// Creates a table cut at `splits`.
    pub async fn create_table(&self, table: &TableDescriptor, splits: &[Vec<u8>]) -> Result<(), HBaseError> {
        self.client.create_table(table, splits).await
    }

    /// The table as it was created or last altered.
    pub async fn describe(&self, table: &TableName) -> Result<TableDescriptor, HBaseError> {
        self.client.describe(table).await
    }

    /// The names of all tables but HBase's own, sorted.
    pub async fn list_tables(&self) -> Result<Vec<TableName>, HBaseError> {
        self.client.list_tables().await
    }

    /// Makes an existing table as described.
    pub async fn alter_table(&self, table: &TableDescriptor) -> Result<(), HBaseError> {
        self.client.alter_table(table).await
    }

    /// Removes a table with all its rows.
    pub async fn drop_table(&self, table: &TableName) -> Result<(), HBaseError> {
        self.client.drop_table(table).await
    }

    /// Removes all rows of a table.
    pub async fn truncate_table(&self, table: &TableName, splits: TruncateSplits) -> Result<(), HBaseError> {
        self.client.truncate_table(table, splits).await
    }

    /// Lets a table take reads and writes again.
    pub async fn enable_table(&self, table: &TableName) -> Result<(), HBaseError> {
        self.client.enable_table(table).await
    }

    /// Lets a table take no reads and writes.
    pub async fn disable_table(&self, table: &TableName) -> Result<(), HBaseError> {
        self.client.disable_table(table).await
    }

    /// Whether a table takes reads and writes.
    pub async fn is_enabled(&self, table: &TableName) -> Result<bool, HBaseError> {
        self.client.is_enabled(table).await
    }

    /// The table's regions in key order, with their figures.
    pub async fn regions(&self, table: &TableName) -> Result<Vec<Region>, HBaseError> {
        self.client.regions(table).await
    }

    /// Cuts a region in two, at a key or in the middle of its keys.
    pub async fn split_region(
        &self,
        table: &TableName,
        region: &str,
        at: Option<&[u8]>,
    ) -> Result<(), HBaseError> {
        self.client.split_region(table, region, at).await
    }

    /// Makes one region of two or more neighbours.
    pub async fn merge_regions(&self, table: &TableName, regions: &[String]) -> Result<(), HBaseError> {
        self.client.merge_regions(table, regions).await
    }

    /// Moves a region to a server, or to one that the master chooses.
    pub async fn move_region(
        &self,
        table: &TableName,
        region: &str,
        to: Option<&HostPort>,
    ) -> Result<(), HBaseError> {
        self.client.move_region(table, region, to).await
    }

    /// Writes what waits in memory to files.
    pub async fn flush(&self, table: &TableName) -> Result<(), HBaseError> {
        self.client.flush(table).await
    }

    /// Has files merged, and waits for the end.
    pub async fn compact(&self, table: &TableName) -> Result<(), HBaseError> {
        self.client.compact(table, false).await
    }

    /// Removes what no read can see, and waits for the end.
    pub async fn major_compact(&self, table: &TableName) -> Result<(), HBaseError> {
        self.client.compact(table, true).await
    }

    /// Switches the balancer on or off; returns how it was.
    pub async fn switch_balancer(&self, on: bool) -> Result<bool, HBaseError> {
        self.client.switch_balancer(on).await
    }

    /// The servers and regions of the cluster with their figures.
    pub async fn cluster_status(&self) -> Result<ClusterStatus, HBaseError> {
        self.client.cluster_status().await
    }

    /// Calls a coprocessor endpoint on every region of a range; see [`crate::HBaseStore::call_endpoint`].
    pub async fn call_endpoint(
        &self,
        table: &TableName,
        range: &KeyRange,
        endpoint: &Endpoint,
        request: impl Fn(&KeyRange) -> Vec<u8> + Send + Sync,
    ) -> Result<Vec<RegionAnswer>, HBaseError> {
        self.client.call_endpoint(table, range, endpoint, request).await
    }

    /// How often regions and connections were not where, or what, this client thought.
    pub fn figures(&self) -> ClientFigures {
        self.client.figures()
    }

    /// How many rows a scan would return, counted by the region servers.
    pub async fn row_count(&self, table: &TableName, scan: &Scan) -> Result<u64, HBaseError> {
        self.client.row_count(table, scan).await
    }
}

//! What a client remembers of its cluster.
//!
//! Where `hbase:meta` and the master are, the regions it has met, the tables it has read about, and a pool of
//! connections. All of it is a memory that may be wrong; failures correct it.
//!
//! Each operation has a file of its own (`get`, `put`, `scan`, `admin`).

#![expect(clippy::missing_errors_doc, reason = "one section for all methods of the client, on the type")]

pub(crate) mod figures;
pub(crate) mod options;
pub(crate) mod store;

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use prost::Message;
use rowkey_store::{StoreError, TableDescriptor, TableName};

use crate::client::figures::{ClientFigures, Counted};
use crate::client::options::Options;
use crate::connection::dial::Dialer;
use crate::connection::pool::Pool;
use crate::connection::service::Service;
use crate::connection::{Call, Connection};
use crate::error::{HBaseError, Retry};
use crate::regions::meta::META_REGION;
use crate::regions::{RegionCache, RegionLocation, RegionPlace};
use crate::registry::url::{ClusterUrl, HostPort, RegistryAddress};
use crate::registry::{self, Office};
use crate::request::retry::Attempts;
use crate::security::Secured;
use crate::wire::messages::common::TableState;

/// A client of an HBase cluster for asynchronous programs, and the inside of [`crate::HBaseStore`].
///
/// Every method must run on a tokio runtime with I/O and time. A scan is a [`crate::RowStream`], which reads ahead while the caller
/// works. Tasks share a client, and with it its connections and caches, by clones of the [`Arc`].
///
/// Operations mean what they mean in [`rowkey_store::Store`], rules and defaults included; here they fail with an
/// [`HBaseError`], which knows servers, regions and attempts. A future may be dropped at any time; what its request had
/// already set going on a server happens nevertheless.
///
/// # Errors
/// Every method: [`HBaseError::Rule`] for what breaks a rule of the data model or names a table, family or region that is
/// not there; otherwise what went wrong on the way to, or in, the cluster, after retries.
///
/// ```no_run
/// use rowkey_hbase::HBaseClient;
/// use rowkey_store::{Get, Put, RowBatch, Scan};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let client = HBaseClient::connect("hbase://zk1:2181/hbase").await?;
/// let orders = "orders".parse()?;
/// client.run(&orders, &Put::new("user7").cell("d", "amount", "42").into()).await?;
///
/// let mut row = RowBatch::new();
/// assert!(client.get(&orders, &Get::new("user7"), &mut row).await?);
///
/// let mut rows = client.scan(&orders, &Scan::prefix(b"user")).await?;
/// let mut batch = RowBatch::new();
/// while rows.next(&mut batch).await? {
///     println!("{batch:?}");
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct HBaseClient {
    registry: RegistryAddress,
    options: Options,
    dialer: Dialer,
    pool: Pool,
    regions: RegionCache,
    offices: Mutex<Offices>,
    tables: Mutex<HashMap<TableName, Arc<TableDescriptor>>>,
    /// Tables that we may not look at, though perhaps read and write.
    closed: Mutex<HashSet<TableName>>,
    /// Held while `hbase:meta` is read, so that many callers cause one read.
    looking_up: tokio::sync::Mutex<()>,
    counted: Counted,
    /// Together with a nonce it names an increment or append for all servers.
    nonce_group: u64,
    next_nonce: AtomicU64,
}

#[derive(Debug, Default)]
struct Offices {
    meta: Option<Arc<RegionLocation>>,
    master: Option<HostPort>,
}

/// A number that is unique to this client; each `RandomState` has keys of its own.
fn random() -> u64 {
    RandomState::new().hash_one(0u8).max(1)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Only whole values are put in, so a panic elsewhere leaves nothing half done.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl HBaseClient {
    /// Connects to the cluster at `hbase://…` or `hbase+rpc://…`, and reads from it once.
    pub async fn connect(url: &str) -> Result<Arc<Self>, HBaseError> {
        let url: ClusterUrl = url.parse()?;
        let options = Options::from_url(&url);
        Self::connect_with(&url, options).await
    }

    /// The same, with settings that no URL holds; user and timeout of the URL are not looked at.
    pub async fn connect_with(url: &ClusterUrl, options: Options) -> Result<Arc<Self>, HBaseError> {
        Self::open(url.registry.clone(), options).await
    }

    /// Finds the cluster and reads from it once, so that a wrong address or a cluster that wants Kerberos is
    /// noticed now.
    async fn open(registry: RegistryAddress, options: Options) -> Result<Arc<Self>, HBaseError> {
        let client = Arc::new(Self {
            registry,
            dialer: Dialer::new(&options)?,
            options,
            pool: Pool::default(),
            regions: RegionCache::default(),
            offices: Mutex::default(),
            tables: Mutex::default(),
            closed: Mutex::default(),
            looking_up: tokio::sync::Mutex::default(),
            counted: Counted::default(),
            nonce_group: random(),
            next_nonce: AtomicU64::new(random()),
        });
        let mut attempts = Attempts::within(client.options.connect_timeout);
        loop {
            let read = async {
                let meta = client.meta_region().await?;
                attempts.bound(client.read_table_state(&meta.table)).await
            };
            match read.await {
                Ok(_) => return Ok(client),
                // A cluster that is starting answers, but not yet what it should.
                Err(failure @ (HBaseError::Remote { .. } | HBaseError::NotReady { .. })) => {
                    attempts.again(failure).await?;
                }
                Err(failure) => return Err(failure),
            }
        }
    }

    pub(crate) fn nonce_group(&self) -> u64 {
        self.nonce_group
    }

    /// A number that this client gives to one operation only; 0 would mean none.
    pub(crate) fn next_nonce(&self) -> u64 {
        self.next_nonce.fetch_add(1, Ordering::Relaxed).max(1)
    }

    pub(crate) fn options(&self) -> &Options {
        &self.options
    }

    pub(crate) fn attempts(&self) -> Attempts {
        Attempts::within(self.options.operation_timeout)
    }

    pub(crate) async fn connection(
        &self,
        server: &HostPort,
        service: Service,
    ) -> Result<Arc<Connection>, HBaseError> {
        self.pool.get(server, service, &self.options, &self.dialer).await
    }

    /// What is agreed on with the server of `hbase:meta`: who we are, and how the connection is protected.
    pub async fn secured(&self) -> Result<Secured, HBaseError> {
        let meta = self.meta_region().await?;
        let server = meta.server.as_ref().ok_or(HBaseError::NotReady { what: "server for hbase:meta" })?;
        Ok(self.connection(server, Service::Client).await?.secured().clone())
    }

    /// The region of `hbase:meta`.
    pub(crate) async fn meta_region(&self) -> Result<Arc<RegionLocation>, HBaseError> {
        if let Some(meta) = &lock(&self.offices).meta {
            return Ok(Arc::clone(meta));
        }
        let server = registry::find(
            &self.registry,
            Office::Meta,
            &self.options,
            &self.dialer,
            self.options.connect_timeout,
        )
        .await?;
        let meta = Arc::new(RegionLocation {
            table: "hbase:meta".parse().expect("a valid name"),
            name: META_REGION.to_vec(),
            start: Vec::new(),
            end: Vec::new(),
            server: Some(server),
        });
        lock(&self.offices).meta = Some(Arc::clone(&meta));
        Ok(meta)
    }

    /// The region at a place of a table, from memory or from `hbase:meta`. One attempt.
    pub(crate) async fn locate(
        &self,
        table: &TableName,
        place: &RegionPlace,
    ) -> Result<Arc<RegionLocation>, HBaseError> {
        if let Some(region) = self.regions.find(table, place) {
            return Ok(region);
        }
        self.look_up(table, place).await.map_err(|failure| match failure {
            HBaseError::Rule(_) | HBaseError::NoRegion { .. } => failure,
            failure => {
                let (table, key) = (table.clone(), place.key().to_vec());
                HBaseError::Lookup { table, key, source: Box::new(failure) }
            }
        })
    }

    async fn look_up(
        &self,
        table: &TableName,
        place: &RegionPlace,
    ) -> Result<Arc<RegionLocation>, HBaseError> {
        let _one_at_a_time = self.looking_up.lock().await;
        if let Some(region) = self.regions.find(table, place) {
            return Ok(region);
        }
        let state = self.read_table_state(table).await?;
        if state == Some(TableState::DISABLED) {
            return Err(StoreError::TableDisabled { table: table.clone() }.into());
        }
        let found = if self.regions.knows(table) {
            let region = self.read_region(table, place).await?;
            region.inspect(|region| self.remember(region))
        } else {
            let all = self.read_regions(table).await?;
            if !all.is_empty() {
                let assigned: Vec<_> = all.iter().filter(|region| region.server.is_some()).cloned().collect();
                self.regions.replace(table, &assigned);
            }
            all.into_iter().find(|region| place.is_in(region))
        };
        match found {
            Some(region) => Ok(region),
            None if state.is_none() => {
                self.forget_table(table);
                Err(StoreError::TableNotFound { table: table.clone() }.into())
            }
            None => Err(HBaseError::NoRegion { table: table.clone(), key: place.key().to_vec() }),
        }
    }

    fn remember(&self, region: &Arc<RegionLocation>) {
        if region.server.is_some() {
            self.regions.insert(Arc::clone(region));
        }
    }

    /// Corrects the memory after a failure on the way to a region or in it.
    pub(crate) fn note_failure(&self, region: &RegionLocation, failure: &HBaseError) {
        if !matches!(failure.retry(), Retry::Relocate | Retry::Reconnect) {
            return;
        }
        if failure.retry() == Retry::Reconnect {
            self.counted.connection_failures.fetch_add(1, Ordering::Relaxed);
        }
        // Also after a broken connection, though the server may well be there still: a tunnel accepts for a dead one.
        if region.name == META_REGION {
            lock(&self.offices).meta = None;
        } else {
            self.regions.remove(region);
        }
    }

    pub(crate) fn note_lost_scanner(&self) {
        self.counted.scanners_reopened.fetch_add(1, Ordering::Relaxed);
    }

    /// How often regions and connections were not where, or what, this client thought.
    pub fn figures(&self) -> ClientFigures {
        let connection_failures = self.counted.connection_failures.load(Ordering::Relaxed);
        let scanners_reopened = self.counted.scanners_reopened.load(Ordering::Relaxed);
        ClientFigures { relocations: self.regions.relocations(), connection_failures, scanners_reopened }
    }

    /// Runs something against a region, and notes a failure.
    pub(crate) async fn watching<T>(
        &self,
        region: &RegionLocation,
        work: impl Future<Output = Result<T, HBaseError>>,
    ) -> Result<T, HBaseError> {
        work.await.inspect_err(|failure| self.note_failure(region, failure))
    }

    /// Forgets where a region was, because it is no longer there.
    pub(crate) fn forget_region(&self, region: &RegionLocation) {
        self.regions.remove(region);
    }

    /// Forgets all about a table: it was dropped, made anew, or never there.
    pub(crate) fn forget_table(&self, table: &TableName) {
        self.regions.forget(table);
        lock(&self.tables).remove(table);
    }

    pub(crate) fn is_closed_to_us(&self, table: &TableName) -> bool {
        lock(&self.closed).contains(table)
    }

    pub(crate) fn remember_closed(&self, table: &TableName) {
        lock(&self.closed).insert(table.clone());
    }

    pub(crate) fn known_table(&self, table: &TableName) -> Option<Arc<TableDescriptor>> {
        lock(&self.tables).get(table).cloned()
    }

    pub(crate) fn remember_table(&self, table: Arc<TableDescriptor>) {
        lock(&self.tables).insert(table.name.clone(), table);
    }

    /// Asks the active master, again and again while that helps.
    pub(crate) async fn ask_master<R: Message + Default>(
        &self,
        method: &'static str,
        request: &impl Message,
        attempts: &mut Attempts,
    ) -> Result<R, HBaseError> {
        loop {
            let timeout = attempts.call_timeout(self.options.call_timeout);
            let outcome = async {
                let connection = self.connection(&self.master().await?, Service::Master).await?;
                connection.call::<R>(Call::new(method, request, timeout)).await
            };
            match attempts.bound(outcome).await {
                Ok((answer, _)) => return Ok(answer),
                Err(failure) => {
                    if failure.retry() == Retry::Reconnect {
                        lock(&self.offices).master = None;
                    }
                    attempts.again(failure).await?;
                }
            }
        }
    }

    /// The active master.
    pub(crate) async fn master(&self) -> Result<HostPort, HBaseError> {
        if let Some(master) = &lock(&self.offices).master {
            return Ok(master.clone());
        }
        let found = registry::find(
            &self.registry,
            Office::Master,
            &self.options,
            &self.dialer,
            self.options.connect_timeout,
        )
        .await?;
        lock(&self.offices).master = Some(found.clone());
        Ok(found)
    }
}

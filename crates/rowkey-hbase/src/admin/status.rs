//! The status of a cluster.
//!
//! The master collects what its region servers report every few seconds; the figures are as old as that.

use rowkey_core::escape::escape;

use crate::client::HBaseClient;
use crate::error::HBaseError;
use crate::registry::address;
use crate::registry::url::HostPort;
use crate::wire::messages::cluster::{self, GetClusterStatusRequest, GetClusterStatusResponse};

/// A cluster as its master sees it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ClusterStatus {
    /// The version of HBase that the master runs.
    pub version: String,
    /// The active master, as `host:port`; `None` while one is elected.
    pub master: Option<String>,
    /// Backup masters, as `host:port`.
    pub backup_masters: Vec<String>,
    /// The region servers that work.
    pub servers: Vec<ServerStatus>,
    /// Region servers that died and are known to have died.
    pub dead_servers: Vec<String>,
    /// Whether regions are moved to balance the load.
    pub balancer: bool,
    /// Regions that are on their way from one server to another.
    pub regions_in_transition: usize,
}

/// A region server.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ServerStatus {
    /// `host:port`.
    pub server: String,
    /// Requests per second, lately.
    pub requests_per_second: u64,
    /// Bytes of its heap in use.
    pub used_heap: u64,
    /// Bytes its heap may grow to.
    pub max_heap: u64,
    /// The regions it holds.
    pub regions: Vec<RegionStatus>,
    /// When it last reported, in milliseconds of its own clock; every three seconds unless told otherwise.
    pub reported_at: Option<u64>,
}

/// A region's figures.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RegionStatus {
    /// HBase's name for it, escaped.
    pub name: String,
    /// Read requests since it was opened.
    pub reads: u64,
    /// Write requests since it was opened.
    pub writes: u64,
    /// Bytes in files, in whole megabytes.
    pub files_size: u64,
    /// Bytes in memory, in whole megabytes.
    pub memory_size: u64,
    /// Column families.
    pub stores: u32,
    /// Files of all families together.
    pub store_files: u32,
    /// The share of its files' blocks that lie on its server's own disks, from 0 to 1.
    pub locality: f32,
}

impl HBaseClient {
    /// The cluster as its master sees it.
    pub async fn cluster_status(&self) -> Result<ClusterStatus, HBaseError> {
        Ok(from_wire(self.read_cluster_status().await?))
    }

    pub(crate) async fn read_cluster_status(&self) -> Result<cluster::ClusterStatus, HBaseError> {
        self.ask_for_status(Vec::new()).await
    }

    /// The id that the cluster gave itself when it was made.
    pub async fn id(&self) -> Result<Option<String>, HBaseError> {
        let status = self.ask_for_status(vec![GetClusterStatusRequest::ID]).await?;
        Ok(status.cluster_id.map(|id| id.cluster_id))
    }

    async fn ask_for_status(&self, options: Vec<i32>) -> Result<cluster::ClusterStatus, HBaseError> {
        let request = GetClusterStatusRequest { options };
        let answer: GetClusterStatusResponse =
            self.ask_master("GetClusterStatus", &request, &mut self.attempts()).await?;
        Ok(answer.cluster_status)
    }
}

fn from_wire(status: cluster::ClusterStatus) -> ClusterStatus {
    let name = |server| address(server).as_ref().map(HostPort::to_string);
    ClusterStatus {
        version: status.hbase_version.map(|version| version.version).unwrap_or_default(),
        master: status.master.as_ref().and_then(name),
        backup_masters: status.backup_masters.iter().filter_map(name).collect(),
        dead_servers: status.dead_servers.iter().filter_map(name).collect(),
        balancer: status.balancer_on.unwrap_or(false),
        regions_in_transition: status.regions_in_transition.len(),
        servers: status.live_servers.into_iter().map(server_from_wire).collect(),
    }
}

const MEGABYTE: u64 = 1 << 20;

fn server_from_wire(live: cluster::LiveServerInfo) -> ServerStatus {
    let load = live.server_load;
    let bytes = |megabytes: Option<u32>| u64::from(megabytes.unwrap_or(0)) * MEGABYTE;
    let region = |load: crate::wire::messages::server::RegionLoad| RegionStatus {
        name: escape(&load.region_specifier.value).to_string(),
        reads: load.read_requests_count.unwrap_or(0),
        writes: load.write_requests_count.unwrap_or(0),
        files_size: bytes(load.storefile_size_mb),
        memory_size: bytes(load.mem_store_size_mb),
        stores: load.stores.unwrap_or(0),
        store_files: load.storefiles.unwrap_or(0),
        locality: load.data_locality.unwrap_or(0.0),
    };
    ServerStatus {
        server: address(&live.server).map(|server| server.to_string()).unwrap_or_default(),
        requests_per_second: load.number_of_requests.unwrap_or(0),
        used_heap: bytes(load.used_heap_mb),
        max_heap: bytes(load.max_heap_mb),
        reported_at: load.report_end_time,
        regions: load.region_loads.into_iter().map(region).collect(),
    }
}

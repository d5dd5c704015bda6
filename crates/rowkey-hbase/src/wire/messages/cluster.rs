//! Which messages tell how the cluster is (HBase's MasterService)?

use super::common::ServerName;
use super::registry::Empty;
use super::server::RegionLoad;

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct GetClusterStatusRequest {
    /// What is asked for, of HBase's `Option`; everything if empty.
    #[prost(int32, repeated, packed = "false", tag = "1")]
    pub(crate) options: Vec<i32>,
}

impl GetClusterStatusRequest {
    /// `CLUSTER_ID`
    pub(crate) const ID: i32 = 1;
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct GetClusterStatusResponse {
    #[prost(message, required, tag = "1")]
    pub(crate) cluster_status: ClusterStatus,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ClusterStatus {
    #[prost(message, optional, tag = "1")]
    pub(crate) hbase_version: Option<HBaseVersion>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) live_servers: Vec<LiveServerInfo>,
    #[prost(message, repeated, tag = "3")]
    pub(crate) dead_servers: Vec<ServerName>,
    /// Only counted.
    #[prost(message, repeated, tag = "4")]
    pub(crate) regions_in_transition: Vec<Empty>,
    #[prost(message, optional, tag = "5")]
    pub(crate) cluster_id: Option<ClusterId>,
    #[prost(message, optional, tag = "7")]
    pub(crate) master: Option<ServerName>,
    #[prost(message, repeated, tag = "8")]
    pub(crate) backup_masters: Vec<ServerName>,
    #[prost(bool, optional, tag = "9")]
    pub(crate) balancer_on: Option<bool>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ClusterId {
    #[prost(string, required, tag = "1")]
    pub(crate) cluster_id: String,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct HBaseVersion {
    #[prost(string, required, tag = "1")]
    pub(crate) version: String,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct LiveServerInfo {
    #[prost(message, required, tag = "1")]
    pub(crate) server: ServerName,
    #[prost(message, required, tag = "2")]
    pub(crate) server_load: ServerLoad,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ServerLoad {
    #[prost(uint64, optional, tag = "1")]
    pub(crate) number_of_requests: Option<u64>,
    #[prost(uint32, optional, tag = "3")]
    pub(crate) used_heap_mb: Option<u32>,
    #[prost(uint32, optional, tag = "4")]
    pub(crate) max_heap_mb: Option<u32>,
    #[prost(message, repeated, tag = "5")]
    pub(crate) region_loads: Vec<RegionLoad>,
    /// When the server made this report, in milliseconds of its own clock.
    #[prost(uint64, optional, tag = "8")]
    pub(crate) report_end_time: Option<u64>,
}

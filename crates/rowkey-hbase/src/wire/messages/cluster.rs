//! Messages on the state of the cluster (HBase's MasterService).

use super::common::ServerName;
use super::registry::Empty;
use super::server::RegionLoad;

messages! {
    GetClusterStatusRequest {
        /// What is asked for, of HBase's `Option`; everything if empty.
        1: repeated(packed = "false") int32 options: Vec<i32>,
    }
}

impl GetClusterStatusRequest {
    /// `CLUSTER_ID`
    pub(crate) const ID: i32 = 1;
}

messages! {
    GetClusterStatusResponse {
        1: required message cluster_status: ClusterStatus,
    }

    ClusterStatus {
        1: optional message hbase_version: Option<HBaseVersion>,
        2: repeated message live_servers: Vec<LiveServerInfo>,
        3: repeated message dead_servers: Vec<ServerName>,
        /// Only counted.
        4: repeated message regions_in_transition: Vec<Empty>,
        5: optional message cluster_id: Option<ClusterId>,
        7: optional message master: Option<ServerName>,
        8: repeated message backup_masters: Vec<ServerName>,
        9: optional bool balancer_on: Option<bool>,
    }

    ClusterId {
        1: required string cluster_id: String,
    }

    HBaseVersion {
        1: required string version: String,
    }

    LiveServerInfo {
        1: required message server: ServerName,
        2: required message server_load: ServerLoad,
    }

    ServerLoad {
        1: optional uint64 number_of_requests: Option<u64>,
        3: optional uint32 used_heap_mb: Option<u32>,
        4: optional uint32 max_heap_mb: Option<u32>,
        5: repeated message region_loads: Vec<RegionLoad>,
        /// When the server made this report, in milliseconds of its own clock.
        8: optional uint64 report_end_time: Option<u64>,
    }
}

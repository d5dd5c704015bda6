//! Which messages work on single regions and tell how loaded they are (HBase's AdminService on region servers)?

use super::common::{RegionSpecifier, TableNameProto};

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct GetRegionLoadRequest {
    #[prost(message, optional, tag = "1")]
    pub(crate) table_name: Option<TableNameProto>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct GetRegionLoadResponse {
    #[prost(message, repeated, tag = "1")]
    pub(crate) region_loads: Vec<RegionLoad>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct RegionLoad {
    #[prost(message, required, tag = "1")]
    pub(crate) region_specifier: RegionSpecifier,
    #[prost(uint32, optional, tag = "2")]
    pub(crate) stores: Option<u32>,
    #[prost(uint32, optional, tag = "3")]
    pub(crate) storefiles: Option<u32>,
    #[prost(uint32, optional, tag = "5")]
    pub(crate) storefile_size_mb: Option<u32>,
    #[prost(uint32, optional, tag = "6")]
    pub(crate) mem_store_size_mb: Option<u32>,
    #[prost(uint64, optional, tag = "8")]
    pub(crate) read_requests_count: Option<u64>,
    #[prost(uint64, optional, tag = "9")]
    pub(crate) write_requests_count: Option<u64>,
    #[prost(float, optional, tag = "16")]
    pub(crate) data_locality: Option<f32>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct FlushRegionRequest {
    #[prost(message, required, tag = "1")]
    pub(crate) region: RegionSpecifier,
    #[prost(bool, optional, tag = "3")]
    pub(crate) write_flush_wal_marker: Option<bool>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct CompactRegionRequest {
    #[prost(message, required, tag = "1")]
    pub(crate) region: RegionSpecifier,
    #[prost(bool, optional, tag = "2")]
    pub(crate) major: Option<bool>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct GetRegionInfoRequest {
    #[prost(message, required, tag = "1")]
    pub(crate) region: RegionSpecifier,
    #[prost(bool, optional, tag = "2")]
    pub(crate) compaction_state: Option<bool>,
}

/// A compaction's state: 0 none, 1 minor, 2 major, 3 both.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct GetRegionInfoResponse {
    #[prost(int32, optional, tag = "2")]
    pub(crate) compaction_state: Option<i32>,
}

//! Which messages tell how loaded regions are (HBase's AdminService on region servers)?

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
    #[prost(uint32, optional, tag = "5")]
    pub(crate) storefile_size_mb: Option<u32>,
    #[prost(uint32, optional, tag = "6")]
    pub(crate) mem_store_size_mb: Option<u32>,
    #[prost(uint64, optional, tag = "8")]
    pub(crate) read_requests_count: Option<u64>,
    #[prost(uint64, optional, tag = "9")]
    pub(crate) write_requests_count: Option<u64>,
}

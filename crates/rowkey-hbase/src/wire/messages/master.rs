//! Which messages work on tables and regions (HBase's MasterService)?

use super::common::{RegionInfo, RegionSpecifier, ServerName, TableNameProto, TableSchema};

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct CreateTableRequest {
    #[prost(message, required, tag = "1")]
    pub(crate) table_schema: TableSchema,
    #[prost(bytes = "vec", repeated, tag = "2")]
    pub(crate) split_keys: Vec<Vec<u8>>,
    #[prost(uint64, optional, tag = "3")]
    pub(crate) nonce_group: Option<u64>,
    #[prost(uint64, optional, tag = "4")]
    pub(crate) nonce: Option<u64>,
}

/// Disable, enable and delete all take this.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct TableRequest {
    #[prost(message, required, tag = "1")]
    pub(crate) table_name: TableNameProto,
    #[prost(uint64, optional, tag = "2")]
    pub(crate) nonce_group: Option<u64>,
    #[prost(uint64, optional, tag = "3")]
    pub(crate) nonce: Option<u64>,
}

/// The answer to everything that the master does in the background.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ProcedureResponse {
    #[prost(uint64, optional, tag = "1")]
    pub(crate) proc_id: Option<u64>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct GetProcedureResultRequest {
    #[prost(uint64, required, tag = "1")]
    pub(crate) proc_id: u64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct GetProcedureResultResponse {
    #[prost(int32, required, tag = "1")]
    pub(crate) state: i32,
    #[prost(message, optional, tag = "5")]
    pub(crate) exception: Option<ForeignExceptionMessage>,
}

impl GetProcedureResultResponse {
    pub(crate) const NOT_FOUND: i32 = 0;
    pub(crate) const RUNNING: i32 = 1;
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ForeignExceptionMessage {
    #[prost(message, optional, tag = "2")]
    pub(crate) generic_exception: Option<GenericExceptionMessage>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct GenericExceptionMessage {
    #[prost(string, optional, tag = "1")]
    pub(crate) class_name: Option<String>,
    #[prost(string, optional, tag = "2")]
    pub(crate) message: Option<String>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct GetTableDescriptorsRequest {
    #[prost(message, repeated, tag = "1")]
    pub(crate) table_names: Vec<TableNameProto>,
    #[prost(bool, optional, tag = "3")]
    pub(crate) include_sys_tables: Option<bool>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct GetTableDescriptorsResponse {
    #[prost(message, repeated, tag = "1")]
    pub(crate) table_schema: Vec<TableSchema>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct GetTableNamesRequest {
    #[prost(bool, optional, tag = "2")]
    pub(crate) include_sys_tables: Option<bool>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct GetTableNamesResponse {
    #[prost(message, repeated, tag = "1")]
    pub(crate) table_names: Vec<TableNameProto>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ModifyTableRequest {
    #[prost(message, required, tag = "1")]
    pub(crate) table_name: TableNameProto,
    #[prost(message, required, tag = "2")]
    pub(crate) table_schema: TableSchema,
    #[prost(uint64, optional, tag = "3")]
    pub(crate) nonce_group: Option<u64>,
    #[prost(uint64, optional, tag = "4")]
    pub(crate) nonce: Option<u64>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct TruncateTableRequest {
    #[prost(message, required, tag = "1")]
    pub(crate) table_name: TableNameProto,
    #[prost(bool, optional, tag = "2")]
    pub(crate) preserve_splits: Option<bool>,
    #[prost(uint64, optional, tag = "3")]
    pub(crate) nonce_group: Option<u64>,
    #[prost(uint64, optional, tag = "4")]
    pub(crate) nonce: Option<u64>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct MoveRegionRequest {
    #[prost(message, required, tag = "1")]
    pub(crate) region: RegionSpecifier,
    #[prost(message, optional, tag = "2")]
    pub(crate) dest_server_name: Option<ServerName>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct SplitTableRegionRequest {
    #[prost(message, required, tag = "1")]
    pub(crate) region_info: RegionInfo,
    #[prost(bytes = "vec", optional, tag = "2")]
    pub(crate) split_row: Option<Vec<u8>>,
    #[prost(uint64, optional, tag = "3")]
    pub(crate) nonce_group: Option<u64>,
    #[prost(uint64, optional, tag = "4")]
    pub(crate) nonce: Option<u64>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct MergeTableRegionsRequest {
    #[prost(message, repeated, tag = "1")]
    pub(crate) region: Vec<RegionSpecifier>,
    #[prost(bool, optional, tag = "3")]
    pub(crate) forcible: Option<bool>,
    #[prost(uint64, optional, tag = "4")]
    pub(crate) nonce_group: Option<u64>,
    #[prost(uint64, optional, tag = "5")]
    pub(crate) nonce: Option<u64>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct RunCatalogScanResponse {
    #[prost(int32, optional, tag = "1")]
    pub(crate) scan_result: Option<i32>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct SetBalancerRunningRequest {
    #[prost(bool, required, tag = "1")]
    pub(crate) on: bool,
    #[prost(bool, optional, tag = "2")]
    pub(crate) synchronous: Option<bool>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct SetBalancerRunningResponse {
    #[prost(bool, optional, tag = "1")]
    pub(crate) prev_balance_value: Option<bool>,
}

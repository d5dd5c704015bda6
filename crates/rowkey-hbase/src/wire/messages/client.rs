//! Which messages read rows (HBase's ClientService)?

use super::common::{NameBytesPair, RegionSpecifier, TimeRange};
use super::filter::Filter;

/// A family and the qualifiers wanted of it; none means all.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Column {
    #[prost(bytes = "vec", required, tag = "1")]
    pub(crate) family: Vec<u8>,
    #[prost(bytes = "vec", repeated, tag = "2")]
    pub(crate) qualifier: Vec<Vec<u8>>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Get {
    #[prost(bytes = "vec", required, tag = "1")]
    pub(crate) row: Vec<u8>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) column: Vec<Column>,
    #[prost(message, optional, tag = "4")]
    pub(crate) filter: Option<Filter>,
    #[prost(message, optional, tag = "5")]
    pub(crate) time_range: Option<TimeRange>,
    #[prost(uint32, optional, tag = "6")]
    pub(crate) max_versions: Option<u32>,
    #[prost(bool, optional, tag = "14")]
    pub(crate) load_column_families_on_demand: Option<bool>,
}

/// A cell inside a message, where a server does not use the cell block.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct CellProto {
    #[prost(bytes = "vec", optional, tag = "2")]
    pub(crate) family: Option<Vec<u8>>,
    #[prost(bytes = "vec", optional, tag = "3")]
    pub(crate) qualifier: Option<Vec<u8>>,
    #[prost(uint64, optional, tag = "4")]
    pub(crate) timestamp: Option<u64>,
    #[prost(int32, optional, tag = "5")]
    pub(crate) cell_type: Option<i32>,
    #[prost(bytes = "vec", optional, tag = "6")]
    pub(crate) value: Option<Vec<u8>>,
}

/// A row's cells: here, or in the cell block and only counted here.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ResultProto {
    #[prost(message, repeated, tag = "1")]
    pub(crate) cell: Vec<CellProto>,
    #[prost(int32, optional, tag = "2")]
    pub(crate) associated_cell_count: Option<i32>,
    #[prost(bool, optional, tag = "5")]
    pub(crate) partial: Option<bool>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct GetRequest {
    #[prost(message, required, tag = "1")]
    pub(crate) region: RegionSpecifier,
    #[prost(message, required, tag = "2")]
    pub(crate) get: Get,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct GetResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) result: Option<ResultProto>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Scan {
    #[prost(message, repeated, tag = "1")]
    pub(crate) column: Vec<Column>,
    /// `_raw_` is one.
    #[prost(message, repeated, tag = "2")]
    pub(crate) attribute: Vec<NameBytesPair>,
    #[prost(bytes = "vec", optional, tag = "3")]
    pub(crate) start_row: Option<Vec<u8>>,
    #[prost(bytes = "vec", optional, tag = "4")]
    pub(crate) stop_row: Option<Vec<u8>>,
    #[prost(message, optional, tag = "5")]
    pub(crate) filter: Option<Filter>,
    #[prost(message, optional, tag = "6")]
    pub(crate) time_range: Option<TimeRange>,
    #[prost(uint32, optional, tag = "7")]
    pub(crate) max_versions: Option<u32>,
    /// Whether blocks that are read stay in the server's cache; true unless told.
    #[prost(bool, optional, tag = "8")]
    pub(crate) cache_blocks: Option<bool>,
    /// Cells per result.
    #[prost(uint32, optional, tag = "9")]
    pub(crate) batch_size: Option<u32>,
    #[prost(uint64, optional, tag = "10")]
    pub(crate) max_result_size: Option<u64>,
    #[prost(bool, optional, tag = "13")]
    pub(crate) load_column_families_on_demand: Option<bool>,
    #[prost(bool, optional, tag = "15")]
    pub(crate) reversed: Option<bool>,
    #[prost(uint32, optional, tag = "17")]
    pub(crate) caching: Option<u32>,
    #[prost(bool, optional, tag = "21")]
    pub(crate) include_start_row: Option<bool>,
    #[prost(bool, optional, tag = "22")]
    pub(crate) include_stop_row: Option<bool>,
}

/// Opens a region scanner (`scan` set), or asks an open one for more, or closes it.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ScanRequest {
    #[prost(message, optional, tag = "1")]
    pub(crate) region: Option<RegionSpecifier>,
    #[prost(message, optional, tag = "2")]
    pub(crate) scan: Option<Scan>,
    #[prost(uint64, optional, tag = "3")]
    pub(crate) scanner_id: Option<u64>,
    #[prost(uint32, optional, tag = "4")]
    pub(crate) number_of_rows: Option<u32>,
    #[prost(bool, optional, tag = "5")]
    pub(crate) close_scanner: Option<bool>,
    #[prost(uint64, optional, tag = "6")]
    pub(crate) next_call_seq: Option<u64>,
    #[prost(bool, optional, tag = "7")]
    pub(crate) client_handles_partials: Option<bool>,
    #[prost(bool, optional, tag = "8")]
    pub(crate) client_handles_heartbeats: Option<bool>,
    /// Whether the answer says how many rows the server read for it.
    #[prost(bool, optional, tag = "9")]
    pub(crate) track_scan_metrics: Option<bool>,
    /// Only keep the scanner; no rows.
    #[prost(bool, optional, tag = "10")]
    pub(crate) renew: Option<bool>,
    #[prost(uint32, optional, tag = "11")]
    pub(crate) limit_of_rows: Option<u32>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ScanResponse {
    #[prost(uint32, repeated, packed = "false", tag = "1")]
    pub(crate) cells_per_result: Vec<u32>,
    #[prost(uint64, optional, tag = "2")]
    pub(crate) scanner_id: Option<u64>,
    #[prost(bool, optional, tag = "3")]
    pub(crate) more_results: Option<bool>,
    /// How long the server keeps the scanner without hearing of us, in milliseconds.
    #[prost(uint32, optional, tag = "4")]
    pub(crate) ttl: Option<u32>,
    #[prost(bool, repeated, packed = "false", tag = "7")]
    pub(crate) partial_flag_per_result: Vec<bool>,
    #[prost(bool, optional, tag = "8")]
    pub(crate) more_results_in_region: Option<bool>,
    #[prost(message, optional, tag = "10")]
    pub(crate) scan_metrics: Option<ScanMetrics>,
}

/// What a server counted for one answer.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ScanMetrics {
    #[prost(message, repeated, tag = "1")]
    pub(crate) metrics: Vec<NameInt64Pair>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct NameInt64Pair {
    #[prost(string, optional, tag = "1")]
    pub(crate) name: Option<String>,
    #[prost(int64, optional, tag = "2")]
    pub(crate) value: Option<i64>,
}

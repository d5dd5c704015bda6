//! Messages that read rows (HBase's ClientService).

use super::common::{NameBytesPair, RegionSpecifier, TimeRange};
use super::filter::Filter;

messages! {
    /// A family and the qualifiers wanted of it; none means all.
    Column {
        1: required bytes family: Vec<u8>,
        2: repeated bytes qualifier: Vec<Vec<u8>>,
    }

    Get {
        1: required bytes row: Vec<u8>,
        2: repeated message column: Vec<Column>,
        4: optional message filter: Option<Filter>,
        5: optional message time_range: Option<TimeRange>,
        6: optional uint32 max_versions: Option<u32>,
        14: optional bool load_column_families_on_demand: Option<bool>,
    }

    /// A cell inside a message, where a server does not use the cell block.
    CellProto {
        2: optional bytes family: Option<Vec<u8>>,
        3: optional bytes qualifier: Option<Vec<u8>>,
        4: optional uint64 timestamp: Option<u64>,
        5: optional int32 cell_type: Option<i32>,
        6: optional bytes value: Option<Vec<u8>>,
    }

    /// A row's cells: here, or in the cell block and only counted here.
    ResultProto {
        1: repeated message cell: Vec<CellProto>,
        2: optional int32 associated_cell_count: Option<i32>,
        5: optional bool partial: Option<bool>,
    }

    GetRequest {
        1: required message region: RegionSpecifier,
        2: required message get: Get,
    }

    GetResponse {
        1: optional message result: Option<ResultProto>,
    }

    Scan {
        1: repeated message column: Vec<Column>,
        /// `_raw_` is one.
        2: repeated message attribute: Vec<NameBytesPair>,
        3: optional bytes start_row: Option<Vec<u8>>,
        4: optional bytes stop_row: Option<Vec<u8>>,
        5: optional message filter: Option<Filter>,
        6: optional message time_range: Option<TimeRange>,
        7: optional uint32 max_versions: Option<u32>,
        /// Whether blocks that are read stay in the server's cache; true unless told.
        8: optional bool cache_blocks: Option<bool>,
        /// Cells per result.
        9: optional uint32 batch_size: Option<u32>,
        10: optional uint64 max_result_size: Option<u64>,
        13: optional bool load_column_families_on_demand: Option<bool>,
        15: optional bool reversed: Option<bool>,
        17: optional uint32 caching: Option<u32>,
        21: optional bool include_start_row: Option<bool>,
        22: optional bool include_stop_row: Option<bool>,
    }

    /// Opens a region scanner (`scan` set), or asks an open one for more, or closes it.
    ScanRequest {
        1: optional message region: Option<RegionSpecifier>,
        2: optional message scan: Option<Scan>,
        3: optional uint64 scanner_id: Option<u64>,
        4: optional uint32 number_of_rows: Option<u32>,
        5: optional bool close_scanner: Option<bool>,
        6: optional uint64 next_call_seq: Option<u64>,
        7: optional bool client_handles_partials: Option<bool>,
        8: optional bool client_handles_heartbeats: Option<bool>,
        /// Whether the answer says how many rows the server read for it.
        9: optional bool track_scan_metrics: Option<bool>,
        /// Only keep the scanner; no rows.
        10: optional bool renew: Option<bool>,
        11: optional uint32 limit_of_rows: Option<u32>,
    }

    ScanResponse {
        1: repeated(packed = "false") uint32 cells_per_result: Vec<u32>,
        2: optional uint64 scanner_id: Option<u64>,
        3: optional bool more_results: Option<bool>,
        /// How long the server keeps the scanner without hearing of us, in milliseconds.
        4: optional uint32 ttl: Option<u32>,
        7: repeated(packed = "false") bool partial_flag_per_result: Vec<bool>,
        8: optional bool more_results_in_region: Option<bool>,
        10: optional message scan_metrics: Option<ScanMetrics>,
    }

    /// What a server counted for one answer.
    ScanMetrics {
        1: repeated message metrics: Vec<NameInt64Pair>,
    }

    NameInt64Pair {
        1: optional string name: Option<String>,
        2: optional int64 value: Option<i64>,
    }
}

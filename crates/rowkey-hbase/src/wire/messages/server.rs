//! Messages on single regions and their load (HBase's AdminService on region servers).

use super::common::{RegionSpecifier, TableNameProto};

messages! {
    GetRegionLoadRequest {
        1: optional message table_name: Option<TableNameProto>,
    }

    GetRegionLoadResponse {
        1: repeated message region_loads: Vec<RegionLoad>,
    }

    RegionLoad {
        1: required message region_specifier: RegionSpecifier,
        2: optional uint32 stores: Option<u32>,
        3: optional uint32 storefiles: Option<u32>,
        5: optional uint32 storefile_size_mb: Option<u32>,
        6: optional uint32 mem_store_size_mb: Option<u32>,
        8: optional uint64 read_requests_count: Option<u64>,
        9: optional uint64 write_requests_count: Option<u64>,
        16: optional float data_locality: Option<f32>,
    }

    FlushRegionRequest {
        1: required message region: RegionSpecifier,
        3: optional bool write_flush_wal_marker: Option<bool>,
    }

    CompactRegionRequest {
        1: required message region: RegionSpecifier,
        2: optional bool major: Option<bool>,
    }

    GetRegionInfoRequest {
        1: required message region: RegionSpecifier,
        2: optional bool compaction_state: Option<bool>,
    }

    /// A compaction's state: 0 none, 1 minor, 2 major, 3 both.
    GetRegionInfoResponse {
        2: optional int32 compaction_state: Option<i32>,
    }
}

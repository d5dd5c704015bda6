//! Messages on tables and regions (HBase's MasterService).

use super::common::{NameStringPair, RegionInfo, RegionSpecifier, ServerName, TableNameProto, TableSchema};

messages! {
    CreateTableRequest {
        1: required message table_schema: TableSchema,
        2: repeated bytes split_keys: Vec<Vec<u8>>,
        3: optional uint64 nonce_group: Option<u64>,
        4: optional uint64 nonce: Option<u64>,
    }

    /// Disable, enable and delete all take this.
    TableRequest {
        1: required message table_name: TableNameProto,
        2: optional uint64 nonce_group: Option<u64>,
        3: optional uint64 nonce: Option<u64>,
    }

    /// The answer to everything that the master does in the background.
    ProcedureResponse {
        1: optional uint64 proc_id: Option<u64>,
    }

    GetProcedureResultRequest {
        1: required uint64 proc_id: u64,
    }

    GetProcedureResultResponse {
        1: required int32 state: i32,
        5: optional message exception: Option<ForeignExceptionMessage>,
    }
}

impl GetProcedureResultResponse {
    pub(crate) const NOT_FOUND: i32 = 0;
    pub(crate) const RUNNING: i32 = 1;
}

messages! {
    ForeignExceptionMessage {
        2: optional message generic_exception: Option<GenericExceptionMessage>,
    }

    GenericExceptionMessage {
        1: optional string class_name: Option<String>,
        2: optional string message: Option<String>,
    }

    GetTableDescriptorsRequest {
        1: repeated message table_names: Vec<TableNameProto>,
        3: optional bool include_sys_tables: Option<bool>,
    }

    GetTableDescriptorsResponse {
        1: repeated message table_schema: Vec<TableSchema>,
    }

    GetTableNamesRequest {
        2: optional bool include_sys_tables: Option<bool>,
    }

    GetTableNamesResponse {
        1: repeated message table_names: Vec<TableNameProto>,
    }

    ModifyTableRequest {
        1: required message table_name: TableNameProto,
        2: required message table_schema: TableSchema,
        3: optional uint64 nonce_group: Option<u64>,
        4: optional uint64 nonce: Option<u64>,
    }

    TruncateTableRequest {
        1: required message table_name: TableNameProto,
        2: optional bool preserve_splits: Option<bool>,
        3: optional uint64 nonce_group: Option<u64>,
        4: optional uint64 nonce: Option<u64>,
    }

    MoveRegionRequest {
        1: required message region: RegionSpecifier,
        2: optional message dest_server_name: Option<ServerName>,
    }

    SplitTableRegionRequest {
        1: required message region_info: RegionInfo,
        2: optional bytes split_row: Option<Vec<u8>>,
        3: optional uint64 nonce_group: Option<u64>,
        4: optional uint64 nonce: Option<u64>,
    }

    MergeTableRegionsRequest {
        1: repeated message region: Vec<RegionSpecifier>,
        3: optional bool forcible: Option<bool>,
        4: optional uint64 nonce_group: Option<u64>,
        5: optional uint64 nonce: Option<u64>,
    }

    RunCatalogScanResponse {
        1: optional int32 scan_result: Option<i32>,
    }

    /// Switches the balancer or the normalizer, which knows no `synchronous`.
    SwitchRequest {
        1: required bool on: bool,
        2: optional bool synchronous: Option<bool>,
    }

    /// The answer of balancer and normalizer: whether it was on, is on, or ran.
    SwitchResponse {
        1: optional bool on: Option<bool>,
    }

    BalanceRequest {
        1: optional bool ignore_rit: Option<bool>,
    }

    NormalizeRequest {
        1: repeated message table_names: Vec<TableNameProto>,
    }

    NamespaceDescriptor {
        1: required bytes name: Vec<u8>,
        2: repeated message configuration: Vec<NameStringPair>,
    }

    CreateNamespaceRequest {
        1: required message namespace_descriptor: NamespaceDescriptor,
        2: optional uint64 nonce_group: Option<u64>,
        3: optional uint64 nonce: Option<u64>,
    }

    DeleteNamespaceRequest {
        1: required string namespace_name: String,
        2: optional uint64 nonce_group: Option<u64>,
        3: optional uint64 nonce: Option<u64>,
    }

    ListNamespaceDescriptorsResponse {
        1: repeated message namespace_descriptor: Vec<NamespaceDescriptor>,
    }

    ListTableNamesByNamespaceRequest {
        1: required string namespace_name: String,
    }

    ListTableNamesByNamespaceResponse {
        1: repeated message table_names: Vec<TableNameProto>,
    }

    SnapshotDescription {
        1: required string name: String,
        /// The table that the snapshot is of, or becomes.
        2: optional string table: Option<String>,
        /// In milliseconds since 1970.
        3: optional int64 creation_time: Option<i64>,
        4: optional int32 kind: Option<i32>,
        /// In seconds; 0 for ever.
        8: optional int64 ttl: Option<i64>,
        9: optional int64 max_file_size: Option<i64>,
    }

    /// Takes a snapshot, or makes a table of one.
    SnapshotRequest {
        1: required message snapshot: SnapshotDescription,
        2: optional uint64 nonce_group: Option<u64>,
        3: optional uint64 nonce: Option<u64>,
    }

    /// A master before 2.6 gives no number, and is asked whether the snapshot is done.
    SnapshotResponse {
        2: optional int64 proc_id: Option<i64>,
    }

    /// Asks about a snapshot, or deletes it.
    AboutSnapshotRequest {
        1: required message snapshot: SnapshotDescription,
    }

    IsSnapshotDoneResponse {
        1: optional bool done: Option<bool>,
    }

    GetCompletedSnapshotsResponse {
        1: repeated message snapshots: Vec<SnapshotDescription>,
    }
}

impl SnapshotDescription {
    pub(crate) const FLUSH: i32 = 1;
    pub(crate) const SKIP_FLUSH: i32 = 2;
}

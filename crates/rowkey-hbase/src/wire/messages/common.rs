//! Messages that appear inside many others.

messages! {
    /// A table's name.
    TableNameProto {
        1: required bytes namespace: Vec<u8>,
        2: required bytes qualifier: Vec<u8>,
    }
}

impl From<&rowkey_store::TableName> for TableNameProto {
    fn from(table: &rowkey_store::TableName) -> Self {
        Self {
            namespace: table.namespace().as_bytes().to_vec(),
            qualifier: table.qualifier().as_bytes().to_vec(),
        }
    }
}

messages! {
    NameStringPair {
        1: required string name: String,
        2: required string value: String,
    }

    NameBytesPair {
        1: required string name: String,
        2: optional bytes value: Option<Vec<u8>>,
    }

    BytesBytesPair {
        1: required bytes first: Vec<u8>,
        2: required bytes second: Vec<u8>,
    }

    TableSchema {
        1: optional message table_name: Option<TableNameProto>,
        2: repeated message attributes: Vec<BytesBytesPair>,
        3: repeated message column_families: Vec<ColumnFamilySchema>,
        4: repeated message configuration: Vec<NameStringPair>,
    }

    ColumnFamilySchema {
        1: required bytes name: Vec<u8>,
        2: repeated message attributes: Vec<BytesBytesPair>,
        3: repeated message configuration: Vec<NameStringPair>,
    }

    /// Timestamps from `from`, inclusive, to `to`, exclusive.
    TimeRange {
        1: optional uint64 from: Option<u64>,
        2: optional uint64 to: Option<u64>,
    }
}

impl TimeRange {
    /// `None` for all times, which needs no words on the wire.
    pub(crate) fn from_store(range: rowkey_store::TimeRange) -> Option<Self> {
        let time = |time: i64| u64::try_from(time).ok();
        (!range.is_all()).then(|| Self { from: time(range.min()), to: time(range.max()) })
    }
}

messages! {
    /// Whether a table is enabled: 0 enabled, 1 disabled, 2 disabling, 3 enabling.
    TableState {
        1: required int32 state: i32,
    }
}

impl TableState {
    pub(crate) const ENABLED: i32 = 0;
    pub(crate) const DISABLED: i32 = 1;
}

messages! {
    /// A region as `hbase:meta` describes it; an empty key is unbounded.
    RegionInfo {
        1: required uint64 region_id: u64,
        2: required message table_name: TableNameProto,
        3: optional bytes start_key: Option<Vec<u8>>,
        4: optional bytes end_key: Option<Vec<u8>>,
        5: optional bool offline: Option<bool>,
        6: optional bool split: Option<bool>,
        7: optional int32 replica_id: Option<i32>,
    }

    /// A region by its whole name or by the hash in it.
    RegionSpecifier {
        1: required int32 kind: i32,
        2: required bytes value: Vec<u8>,
    }
}

impl RegionSpecifier {
    /// The region of this whole name, `table,start,id.hash.`.
    pub(crate) fn named(name: &[u8]) -> Self {
        Self { kind: 1, value: name.to_vec() }
    }

    /// The region whose name has this hash in it.
    pub(crate) fn encoded(hash: &[u8]) -> Self {
        Self { kind: 2, value: hash.to_vec() }
    }
}

messages! {
    ServerName {
        1: required string host_name: String,
        2: optional uint32 port: Option<u32>,
        3: optional uint64 start_code: Option<u64>,
    }
}

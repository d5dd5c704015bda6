//! Which messages appear inside many others?

/// A table's name.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct TableNameProto {
    #[prost(bytes = "vec", required, tag = "1")]
    pub(crate) namespace: Vec<u8>,
    #[prost(bytes = "vec", required, tag = "2")]
    pub(crate) qualifier: Vec<u8>,
}

impl From<&rowkey_store::TableName> for TableNameProto {
    fn from(table: &rowkey_store::TableName) -> Self {
        Self {
            namespace: table.namespace().as_bytes().to_vec(),
            qualifier: table.qualifier().as_bytes().to_vec(),
        }
    }
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct NameStringPair {
    #[prost(string, required, tag = "1")]
    pub(crate) name: String,
    #[prost(string, required, tag = "2")]
    pub(crate) value: String,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct NameBytesPair {
    #[prost(string, required, tag = "1")]
    pub(crate) name: String,
    #[prost(bytes = "vec", optional, tag = "2")]
    pub(crate) value: Option<Vec<u8>>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct BytesBytesPair {
    #[prost(bytes = "vec", required, tag = "1")]
    pub(crate) first: Vec<u8>,
    #[prost(bytes = "vec", required, tag = "2")]
    pub(crate) second: Vec<u8>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct TableSchema {
    #[prost(message, optional, tag = "1")]
    pub(crate) table_name: Option<TableNameProto>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) attributes: Vec<BytesBytesPair>,
    #[prost(message, repeated, tag = "3")]
    pub(crate) column_families: Vec<ColumnFamilySchema>,
    #[prost(message, repeated, tag = "4")]
    pub(crate) configuration: Vec<NameStringPair>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ColumnFamilySchema {
    #[prost(bytes = "vec", required, tag = "1")]
    pub(crate) name: Vec<u8>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) attributes: Vec<BytesBytesPair>,
    #[prost(message, repeated, tag = "3")]
    pub(crate) configuration: Vec<NameStringPair>,
}

/// Timestamps from `from`, inclusive, to `to`, exclusive.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct TimeRange {
    #[prost(uint64, optional, tag = "1")]
    pub(crate) from: Option<u64>,
    #[prost(uint64, optional, tag = "2")]
    pub(crate) to: Option<u64>,
}

impl TimeRange {
    /// `None` for all times, which needs no words on the wire.
    pub(crate) fn from_store(range: rowkey_store::TimeRange) -> Option<Self> {
        let time = |time: i64| u64::try_from(time).ok();
        (!range.is_all()).then(|| Self { from: time(range.min()), to: time(range.max()) })
    }
}

/// Whether a table is enabled: 0 enabled, 1 disabled, 2 disabling, 3 enabling.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct TableState {
    #[prost(int32, required, tag = "1")]
    pub(crate) state: i32,
}

impl TableState {
    pub(crate) const ENABLED: i32 = 0;
    pub(crate) const DISABLED: i32 = 1;
}

/// A region as `hbase:meta` describes it; an empty key is unbounded.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct RegionInfo {
    #[prost(uint64, required, tag = "1")]
    pub(crate) region_id: u64,
    #[prost(message, required, tag = "2")]
    pub(crate) table_name: TableNameProto,
    #[prost(bytes = "vec", optional, tag = "3")]
    pub(crate) start_key: Option<Vec<u8>>,
    #[prost(bytes = "vec", optional, tag = "4")]
    pub(crate) end_key: Option<Vec<u8>>,
    #[prost(bool, optional, tag = "5")]
    pub(crate) offline: Option<bool>,
    #[prost(bool, optional, tag = "6")]
    pub(crate) split: Option<bool>,
    #[prost(int32, optional, tag = "7")]
    pub(crate) replica_id: Option<i32>,
}

/// A region by its whole name or by the hash in it.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct RegionSpecifier {
    #[prost(int32, required, tag = "1")]
    pub(crate) kind: i32,
    #[prost(bytes = "vec", required, tag = "2")]
    pub(crate) value: Vec<u8>,
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

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ServerName {
    #[prost(string, required, tag = "1")]
    pub(crate) host_name: String,
    #[prost(uint32, optional, tag = "2")]
    pub(crate) port: Option<u32>,
    #[prost(uint64, optional, tag = "3")]
    pub(crate) start_code: Option<u64>,
}

//! Which messages describe filters and comparators?
//!
//! A filter or comparator is a Java class by its name and the bytes that the class reads itself from; those bytes are
//! one of the other messages here.

use super::common::BytesBytesPair;

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Filter {
    #[prost(string, required, tag = "1")]
    pub(crate) name: String,
    #[prost(bytes = "vec", optional, tag = "2")]
    pub(crate) serialized_filter: Option<Vec<u8>>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Comparator {
    #[prost(string, required, tag = "1")]
    pub(crate) name: String,
    #[prost(bytes = "vec", optional, tag = "2")]
    pub(crate) serialized_comparator: Option<Vec<u8>>,
}

/// A value in a message of its own, as the comparators of bytes have it.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Comparable {
    #[prost(bytes = "vec", optional, tag = "1")]
    pub(crate) value: Option<Vec<u8>>,
}

/// Binary, binary prefix, long; and with an operator the bits.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct BytesComparator {
    #[prost(message, required, tag = "1")]
    pub(crate) comparable: Comparable,
    #[prost(int32, optional, tag = "2")]
    pub(crate) bitwise_op: Option<i32>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct RegexStringComparator {
    #[prost(string, required, tag = "1")]
    pub(crate) pattern: String,
    #[prost(int32, required, tag = "2")]
    pub(crate) pattern_flags: i32,
    #[prost(string, required, tag = "3")]
    pub(crate) charset: String,
    #[prost(string, optional, tag = "4")]
    pub(crate) engine: Option<String>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct SubstringComparator {
    #[prost(string, required, tag = "1")]
    pub(crate) substr: String,
}

/// What row, family, qualifier and value filters compare with.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct CompareFilter {
    #[prost(int32, required, tag = "1")]
    pub(crate) compare_op: i32,
    #[prost(message, optional, tag = "2")]
    pub(crate) comparator: Option<Comparator>,
}

/// Row, family, qualifier and value filters.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ComparingFilter {
    #[prost(message, required, tag = "1")]
    pub(crate) compare_filter: CompareFilter,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct SingleColumnValueFilter {
    #[prost(bytes = "vec", optional, tag = "1")]
    pub(crate) column_family: Option<Vec<u8>>,
    #[prost(bytes = "vec", optional, tag = "2")]
    pub(crate) column_qualifier: Option<Vec<u8>>,
    #[prost(int32, required, tag = "3")]
    pub(crate) compare_op: i32,
    #[prost(message, required, tag = "4")]
    pub(crate) comparator: Comparator,
    #[prost(bool, optional, tag = "5")]
    pub(crate) filter_if_missing: Option<bool>,
    #[prost(bool, optional, tag = "6")]
    pub(crate) latest_version_only: Option<bool>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct SingleColumnValueExcludeFilter {
    #[prost(message, required, tag = "1")]
    pub(crate) single_column_value_filter: SingleColumnValueFilter,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ColumnValueFilter {
    #[prost(bytes = "vec", required, tag = "1")]
    pub(crate) family: Vec<u8>,
    #[prost(bytes = "vec", required, tag = "2")]
    pub(crate) qualifier: Vec<u8>,
    #[prost(int32, required, tag = "3")]
    pub(crate) compare_op: i32,
    #[prost(message, required, tag = "4")]
    pub(crate) comparator: Comparator,
}

/// Prefix, column prefix and inclusive stop filters have one field of bytes.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct BytesFilter {
    #[prost(bytes = "vec", required, tag = "1")]
    pub(crate) bytes: Vec<u8>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct MultipleColumnPrefixFilter {
    #[prost(bytes = "vec", repeated, tag = "1")]
    pub(crate) sorted_prefixes: Vec<Vec<u8>>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ColumnRangeFilter {
    #[prost(bytes = "vec", optional, tag = "1")]
    pub(crate) min_column: Option<Vec<u8>>,
    #[prost(bool, optional, tag = "2")]
    pub(crate) min_column_inclusive: Option<bool>,
    #[prost(bytes = "vec", optional, tag = "3")]
    pub(crate) max_column: Option<Vec<u8>>,
    #[prost(bool, optional, tag = "4")]
    pub(crate) max_column_inclusive: Option<bool>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ColumnPaginationFilter {
    #[prost(int32, required, tag = "1")]
    pub(crate) limit: i32,
    #[prost(int32, optional, tag = "2")]
    pub(crate) offset: Option<i32>,
    #[prost(bytes = "vec", optional, tag = "3")]
    pub(crate) column_offset: Option<Vec<u8>>,
}

/// Page and column count filters have one number.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct CountFilter {
    #[prost(int64, required, tag = "1")]
    pub(crate) count: i64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct KeyOnlyFilter {
    #[prost(bool, required, tag = "1")]
    pub(crate) len_as_val: bool,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct RandomRowFilter {
    #[prost(float, required, tag = "1")]
    pub(crate) chance: f32,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct TimestampsFilter {
    #[prost(int64, repeated, packed = "true", tag = "1")]
    pub(crate) timestamps: Vec<i64>,
    #[prost(bool, optional, tag = "2")]
    pub(crate) can_hint: Option<bool>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct FuzzyRowFilter {
    /// Key and mask: 0 for a byte that must be so, 1 for any.
    #[prost(message, repeated, tag = "1")]
    pub(crate) fuzzy_keys_data: Vec<BytesBytesPair>,
    /// Without it servers from 2.6.1 on take a mask of zeros alone for one that is prepared already, and let all rows
    /// through.
    #[prost(bool, optional, tag = "2")]
    pub(crate) is_mask_v2: Option<bool>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct RowRange {
    #[prost(bytes = "vec", optional, tag = "1")]
    pub(crate) start_row: Option<Vec<u8>>,
    #[prost(bool, optional, tag = "2")]
    pub(crate) start_row_inclusive: Option<bool>,
    #[prost(bytes = "vec", optional, tag = "3")]
    pub(crate) stop_row: Option<Vec<u8>>,
    #[prost(bool, optional, tag = "4")]
    pub(crate) stop_row_inclusive: Option<bool>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct MultiRowRangeFilter {
    #[prost(message, repeated, tag = "1")]
    pub(crate) row_range_list: Vec<RowRange>,
}

/// While-match and skip filters hold another one.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct WrappingFilter {
    #[prost(message, required, tag = "1")]
    pub(crate) filter: Filter,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct FilterList {
    /// 1 for all, 2 for one.
    #[prost(int32, required, tag = "1")]
    pub(crate) operator: i32,
    #[prost(message, repeated, tag = "2")]
    pub(crate) filters: Vec<Filter>,
}

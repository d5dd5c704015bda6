//! Messages that describe filters and comparators.
//!
//! A filter or comparator is a Java class by its name and the bytes that the class reads itself from; those bytes are
//! one of the other messages here.

use super::common::BytesBytesPair;

messages! {
    Filter {
        1: required string name: String,
        2: optional bytes serialized_filter: Option<Vec<u8>>,
    }

    Comparator {
        1: required string name: String,
        2: optional bytes serialized_comparator: Option<Vec<u8>>,
    }

    /// A value in a message of its own, as the comparators of bytes have it.
    Comparable {
        1: optional bytes value: Option<Vec<u8>>,
    }

    /// Binary, binary prefix, long; and with an operator the bits.
    BytesComparator {
        1: required message comparable: Comparable,
        2: optional int32 bitwise_op: Option<i32>,
    }

    RegexStringComparator {
        1: required string pattern: String,
        2: required int32 pattern_flags: i32,
        3: required string charset: String,
        4: optional string engine: Option<String>,
    }

    SubstringComparator {
        1: required string substr: String,
    }

    /// What row, family, qualifier and value filters compare with.
    CompareFilter {
        1: required int32 compare_op: i32,
        2: optional message comparator: Option<Comparator>,
    }

    /// Row, family, qualifier and value filters.
    ComparingFilter {
        1: required message compare_filter: CompareFilter,
    }

    SingleColumnValueFilter {
        1: optional bytes column_family: Option<Vec<u8>>,
        2: optional bytes column_qualifier: Option<Vec<u8>>,
        3: required int32 compare_op: i32,
        4: required message comparator: Comparator,
        5: optional bool filter_if_missing: Option<bool>,
        6: optional bool latest_version_only: Option<bool>,
    }

    SingleColumnValueExcludeFilter {
        1: required message single_column_value_filter: SingleColumnValueFilter,
    }

    ColumnValueFilter {
        1: required bytes family: Vec<u8>,
        2: required bytes qualifier: Vec<u8>,
        3: required int32 compare_op: i32,
        4: required message comparator: Comparator,
    }

    /// Prefix, column prefix and inclusive stop filters have one field of bytes.
    BytesFilter {
        1: required bytes bytes: Vec<u8>,
    }

    MultipleColumnPrefixFilter {
        1: repeated bytes sorted_prefixes: Vec<Vec<u8>>,
    }

    ColumnRangeFilter {
        1: optional bytes min_column: Option<Vec<u8>>,
        2: optional bool min_column_inclusive: Option<bool>,
        3: optional bytes max_column: Option<Vec<u8>>,
        4: optional bool max_column_inclusive: Option<bool>,
    }

    ColumnPaginationFilter {
        1: required int32 limit: i32,
        2: optional int32 offset: Option<i32>,
        3: optional bytes column_offset: Option<Vec<u8>>,
    }

    /// Page and column count filters have one number.
    CountFilter {
        1: required int64 count: i64,
    }

    KeyOnlyFilter {
        1: required bool len_as_val: bool,
    }

    RandomRowFilter {
        1: required float chance: f32,
    }

    TimestampsFilter {
        1: repeated(packed = "true") int64 timestamps: Vec<i64>,
        2: optional bool can_hint: Option<bool>,
    }

    FuzzyRowFilter {
        /// Key and mask: 0 for a byte that must be so, 1 for any.
        1: repeated message fuzzy_keys_data: Vec<BytesBytesPair>,
        /// Without it servers from 2.6.1 on take a mask of zeros alone for one that is prepared already, and let all rows
        /// through.
        2: optional bool is_mask_v2: Option<bool>,
    }

    RowRange {
        1: optional bytes start_row: Option<Vec<u8>>,
        2: optional bool start_row_inclusive: Option<bool>,
        3: optional bytes stop_row: Option<Vec<u8>>,
        4: optional bool stop_row_inclusive: Option<bool>,
    }

    MultiRowRangeFilter {
        1: repeated message row_range_list: Vec<RowRange>,
    }

    /// While-match and skip filters hold another one.
    WrappingFilter {
        1: required message filter: Filter,
    }

    FilterList {
        /// 1 for all, 2 for one.
        1: required int32 operator: i32,
        2: repeated message filters: Vec<Filter>,
    }
}

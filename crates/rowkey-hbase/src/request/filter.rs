//! Filters and comparators on the wire.
//!
//! A filter is the name of HBase's class and the bytes from which that class reads itself. Masks of fuzzy rows travel as 0
//! (must be so) and 1 (any); the server turns them into its own form.
//!
//! **Law**: a filter means the same on both sides (the conformance suite, one case for each).

use std::ops::Bound;

use prost::Message;
use rowkey_core::range::KeyRange;
use rowkey_store::filter::{BitOp, Comparator, CompareOp, Filter, FuzzyKey, PageStart, SingleColumn};

use crate::wire::messages::common::BytesBytesPair;
use crate::wire::messages::filter as wire;

const PACKAGE: &str = "org.apache.hadoop.hbase.filter.";

/// Java's flags of a pattern: `.` matches line ends; letters match whatever their case, all of Unicode's.
const DOT_ALL: i32 = 32;
const CASE_INSENSITIVE: i32 = 2;
const UNICODE_CASE: i32 = 64;

/// HBase's number of an operator.
pub(crate) fn compare_op(op: CompareOp) -> i32 {
    match op {
        CompareOp::Less => 0,
        CompareOp::LessOrEqual => 1,
        CompareOp::Equal => 2,
        CompareOp::NotEqual => 3,
        CompareOp::GreaterOrEqual => 4,
        CompareOp::Greater => 5,
        CompareOp::NoOp => 6,
    }
}

/// A filter as a server reads it.
pub(crate) fn to_wire(filter: &Filter) -> wire::Filter {
    let bytes = match filter {
        Filter::Prefix(bytes) | Filter::ColumnPrefix(bytes) | Filter::InclusiveStop(bytes) => {
            wire::BytesFilter { bytes: bytes.clone() }.encode_to_vec()
        }
        Filter::Row(op, comparator)
        | Filter::Family(op, comparator)
        | Filter::Qualifier(op, comparator)
        | Filter::Value(op, comparator) => comparing(*op, comparator).encode_to_vec(),
        Filter::SingleColumnValue(column) => single_column(column).encode_to_vec(),
        Filter::SingleColumnValueExclude(column) => {
            wire::SingleColumnValueExcludeFilter { single_column_value_filter: single_column(column) }
                .encode_to_vec()
        }
        Filter::ColumnValue { family, qualifier, op, comparator } => wire::ColumnValueFilter {
            family: family.clone(),
            qualifier: qualifier.clone(),
            compare_op: compare_op(*op),
            comparator: comparator_to_wire(comparator),
        }
        .encode_to_vec(),
        Filter::MultipleColumnPrefix(prefixes) => {
            let mut sorted_prefixes = prefixes.clone();
            sorted_prefixes.sort();
            wire::MultipleColumnPrefixFilter { sorted_prefixes }.encode_to_vec()
        }
        Filter::ColumnRange { min, max } => column_range(min, max).encode_to_vec(),
        Filter::ColumnPagination { limit, start } => column_page(*limit, start).encode_to_vec(),
        Filter::ColumnCountGet(count) => {
            wire::CountFilter { count: i64::from(java_int(*count)) }.encode_to_vec()
        }
        Filter::Page(rows) => {
            wire::CountFilter { count: i64::try_from(*rows).unwrap_or(i64::MAX) }.encode_to_vec()
        }
        Filter::FirstKeyOnly => Vec::new(),
        Filter::KeyOnly { length_as_value } => {
            wire::KeyOnlyFilter { len_as_val: *length_as_value }.encode_to_vec()
        }
        Filter::RandomRow(chance) => wire::RandomRowFilter { chance: *chance }.encode_to_vec(),
        Filter::Timestamps { timestamps, can_hint } => {
            wire::TimestampsFilter { timestamps: timestamps.clone(), can_hint: Some(*can_hint) }
                .encode_to_vec()
        }
        Filter::FuzzyRow(keys) => {
            let fuzzy_keys_data = keys.iter().map(fuzzy_key).collect();
            wire::FuzzyRowFilter { fuzzy_keys_data, is_mask_v2: Some(true) }.encode_to_vec()
        }
        Filter::MultiRowRange(ranges) => {
            wire::MultiRowRangeFilter { row_range_list: ranges.iter().map(row_range).collect() }
                .encode_to_vec()
        }
        Filter::WhileMatch(inner) | Filter::Skip(inner) => {
            wire::WrappingFilter { filter: to_wire(inner) }.encode_to_vec()
        }
        Filter::All(filters) => list(1, filters).encode_to_vec(),
        Filter::One(filters) => list(2, filters).encode_to_vec(),
        // The enum may grow; a name without settings is then refused by the server, with its words.
        _ => Vec::new(),
    };
    wire::Filter { name: format!("{PACKAGE}{}", filter.name()), serialized_filter: Some(bytes) }
}

/// Java's numbers end at 2^31 - 1.
fn java_int(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

fn comparing(op: CompareOp, comparator: &Comparator) -> wire::ComparingFilter {
    let comparator = Some(comparator_to_wire(comparator));
    wire::ComparingFilter { compare_filter: wire::CompareFilter { compare_op: compare_op(op), comparator } }
}

fn single_column(column: &SingleColumn) -> wire::SingleColumnValueFilter {
    wire::SingleColumnValueFilter {
        column_family: Some(column.family.clone()),
        column_qualifier: Some(column.qualifier.clone()),
        compare_op: compare_op(column.op),
        comparator: comparator_to_wire(&column.comparator),
        filter_if_missing: Some(column.filter_if_missing),
        latest_version_only: Some(column.latest_version_only),
    }
}

fn column_range(min: &Bound<Vec<u8>>, max: &Bound<Vec<u8>>) -> wire::ColumnRangeFilter {
    let parts = |bound: &Bound<Vec<u8>>| match bound {
        Bound::Included(key) => (Some(key.clone()), Some(true)),
        Bound::Excluded(key) => (Some(key.clone()), Some(false)),
        Bound::Unbounded => (None, Some(true)),
    };
    let ((min_column, min_column_inclusive), (max_column, max_column_inclusive)) = (parts(min), parts(max));
    wire::ColumnRangeFilter { min_column, min_column_inclusive, max_column, max_column_inclusive }
}

fn column_page(limit: u32, start: &PageStart) -> wire::ColumnPaginationFilter {
    let (offset, column_offset) = match start {
        PageStart::Offset(offset) => (Some(java_int(*offset)), None),
        PageStart::Qualifier(qualifier) => (None, Some(qualifier.clone())),
    };
    wire::ColumnPaginationFilter { limit: java_int(limit), offset, column_offset }
}

fn fuzzy_key(fuzzy: &FuzzyKey) -> BytesBytesPair {
    BytesBytesPair { first: fuzzy.key.clone(), second: fuzzy.any.iter().map(|&any| u8::from(any)).collect() }
}

fn row_range(range: &KeyRange) -> wire::RowRange {
    // On the wire an empty row is unbounded.
    let parts = |bound: &Bound<Vec<u8>>| match bound {
        Bound::Included(key) => (key.clone(), true),
        Bound::Excluded(key) => (key.clone(), false),
        Bound::Unbounded => (Vec::new(), true),
    };
    let ((start, start_inclusive), (stop, stop_inclusive)) = (parts(&range.start), parts(&range.end));
    wire::RowRange {
        start_row: Some(start),
        start_row_inclusive: Some(start_inclusive),
        stop_row: Some(stop),
        stop_row_inclusive: Some(stop_inclusive),
    }
}

fn list(operator: i32, filters: &[Filter]) -> wire::FilterList {
    wire::FilterList { operator, filters: filters.iter().map(to_wire).collect() }
}

/// A comparator as a server reads it.
pub(crate) fn comparator_to_wire(comparator: &Comparator) -> wire::Comparator {
    let of_bytes = |value: &[u8], bitwise_op| {
        let comparable = wire::Comparable { value: Some(value.to_vec()) };
        wire::BytesComparator { comparable, bitwise_op }.encode_to_vec()
    };
    let (name, bytes) = match comparator {
        Comparator::Binary(value) => ("BinaryComparator", of_bytes(value, None)),
        Comparator::BinaryPrefix(value) => ("BinaryPrefixComparator", of_bytes(value, None)),
        Comparator::Long(value) => ("LongComparator", of_bytes(&value.to_be_bytes(), None)),
        Comparator::Bit { value, op } => {
            let op = match op {
                BitOp::And => 1,
                BitOp::Or => 2,
                BitOp::Xor => 3,
            };
            ("BitComparator", of_bytes(value, Some(op)))
        }
        Comparator::Null => ("NullComparator", Vec::new()),
        Comparator::Substring(text) => {
            ("SubstringComparator", wire::SubstringComparator { substr: text.clone() }.encode_to_vec())
        }
        Comparator::Regex { pattern, ignore_case } => {
            let case = if *ignore_case { CASE_INSENSITIVE | UNICODE_CASE } else { 0 };
            let regex = wire::RegexStringComparator {
                pattern: pattern.clone(),
                pattern_flags: DOT_ALL | case,
                charset: "UTF-8".to_owned(),
                engine: Some("JAVA".to_owned()),
            };
            ("RegexStringComparator", regex.encode_to_vec())
        }
    };
    wire::Comparator { name: format!("{PACKAGE}{name}"), serialized_comparator: Some(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_is_its_class_and_its_bytes() {
        let prefix = to_wire(&Filter::Prefix(b"ab".to_vec()));
        assert_eq!(prefix.name, "org.apache.hadoop.hbase.filter.PrefixFilter");
        assert_eq!(prefix.serialized_filter.as_deref(), Some(&b"\x0a\x02ab"[..]));

        let both = to_wire(&Filter::One(vec![Filter::FirstKeyOnly, Filter::Page(3)]));
        let bytes = both.serialized_filter.unwrap();
        let list = wire::FilterList::decode(bytes.as_slice()).unwrap();
        assert_eq!((both.name.as_str(), list.operator), ("org.apache.hadoop.hbase.filter.FilterList", 2));
        assert_eq!(list.filters[1].serialized_filter.as_deref(), Some(&b"\x08\x03"[..]));
    }

    #[test]
    fn a_comparator_is_its_class_and_its_bytes() {
        let long = comparator_to_wire(&Comparator::Long(-1));
        assert_eq!(long.name, "org.apache.hadoop.hbase.filter.LongComparator");
        let bytes = long.serialized_comparator.unwrap();
        assert_eq!(bytes, [&[10u8, 10, 10, 8][..], &[0xFF; 8]].concat());
    }
}

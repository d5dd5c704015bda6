//! Random filters.
//!
//! Left out are those in which HBase itself is known to be wrong or undecided: fuzzy rows backwards (HBASE-28634,
//! HBASE-30226, HBASE-30256), random rows, and, where a scan goes over a border of regions, filters that end a scan:
//! whether the next region is read depends on how the answers were cut. `docs/hbase-faults.md` has the whole list.

use std::ops::Bound;

use rowkey_store::Filter;
use rowkey_store::filter::{BitOp, Comparator, CompareOp, FuzzyKey, PageStart, SingleColumn};

use crate::random::Random;
use crate::words;

/// A filter without those that end a scan; `depth` is how many lists may stand in lists.
pub(crate) fn filter(random: &mut Random, rows: &[Vec<u8>], depth: usize) -> Filter {
    let kinds = if depth > 0 { 20 } else { 16 };
    match random.below(kinds) {
        0 => Filter::Prefix(words::key(random, rows)),
        1 => Filter::Row(op(random), comparator(random, rows)),
        2 => Filter::Family(op(random), Comparator::Binary(words::family(random))),
        3 => Filter::Qualifier(op(random), comparator(random, rows)),
        4 => Filter::Value(op(random), comparator(random, rows)),
        5 => Filter::SingleColumnValue(single_column(random, rows)),
        6 => Filter::SingleColumnValueExclude(single_column(random, rows)),
        7 => Filter::ColumnValue {
            family: words::family(random),
            qualifier: words::qualifier(random),
            op: op(random),
            comparator: comparator(random, rows),
        },
        8 => Filter::ColumnPrefix(words::qualifier(random)),
        9 => Filter::MultipleColumnPrefix({
            let count = 1 + random.below(2);
            random.distinct(&words::QUALIFIERS, count).into_iter().map(<[u8]>::to_vec).collect()
        }),
        10 => Filter::ColumnRange { min: column_bound(random), max: column_bound(random) },
        11 => Filter::ColumnPagination {
            limit: 1 + small(random, 3),
            start: if random.one_in(2) {
                PageStart::Offset(small(random, 4))
            } else {
                PageStart::Qualifier(words::qualifier(random))
            },
        },
        12 => Filter::FirstKeyOnly,
        13 => Filter::KeyOnly { length_as_value: random.one_in(2) },
        14 => Filter::Timestamps {
            timestamps: (0..=random.below(3)).map(|_| words::time(random)).collect(),
            can_hint: false,
        },
        15 => Filter::MultiRowRange(ranges(random, rows)),
        16 => Filter::Skip(Box::new(inner(random, rows, depth - 1))),
        17 | 18 => Filter::All(several(random, rows, depth - 1)),
        _ => Filter::One(several(random, rows, depth - 1)),
    }
}

/// A filter inside another that does not tell it the row's key; a filter of row ranges fails there.
fn inner(random: &mut Random, rows: &[Vec<u8>], depth: usize) -> Filter {
    loop {
        let filter = filter(random, rows, depth);
        if !format!("{filter:?}").contains("MultiRowRange") {
            return filter;
        }
    }
}

/// Whether HBase loses rows with it in a reverse scan: in a list of which one must pass, a hint is compared with rows
/// as if they rose; and row ranges that are open at one end are not found.
pub(crate) fn is_wrong_backwards(filter: &Filter) -> bool {
    match filter {
        Filter::One(filters) => {
            filters.iter().any(|filter| gives_hints(filter) || is_wrong_backwards(filter))
        }
        Filter::All(filters) => filters.iter().any(is_wrong_backwards),
        Filter::MultiRowRange(ranges) => {
            ranges.iter().any(|range| range.start == Bound::Unbounded || range.end == Bound::Unbounded)
        }
        Filter::Skip(inner) | Filter::WhileMatch(inner) => is_wrong_backwards(inner),
        _ => false,
    }
}

fn gives_hints(filter: &Filter) -> bool {
    match filter {
        Filter::One(filters) | Filter::All(filters) => filters.iter().any(gives_hints),
        Filter::Skip(inner) | Filter::WhileMatch(inner) => gives_hints(inner),
        Filter::ColumnPrefix(_)
        | Filter::MultipleColumnPrefix(_)
        | Filter::ColumnRange { .. }
        | Filter::ColumnPagination { .. }
        | Filter::MultiRowRange(_) => true,
        _ => false,
    }
}

/// A filter that ends a scan, for scans of one region.
pub(crate) fn ending(random: &mut Random, rows: &[Vec<u8>]) -> Filter {
    match random.below(3) {
        0 => Filter::Page(1 + u64::from(small(random, 9))),
        1 => Filter::InclusiveStop(words::key(random, rows)),
        _ => Filter::WhileMatch(Box::new(inner(random, rows, 0))),
    }
}

/// A filter for gets only; what it does to a scan is HBase's secret.
pub(crate) fn of_a_get(random: &mut Random, rows: &[Vec<u8>]) -> Filter {
    if random.one_in(8) { Filter::ColumnCountGet(1 + small(random, 5)) } else { filter(random, rows, 2) }
}

/// Patterns for row keys, for scans forward.
pub(crate) fn fuzzy(random: &mut Random, rows: &[Vec<u8>]) -> Filter {
    let mut keys = Vec::new();
    for _ in 0..=random.below(2) {
        let key = random.pick(rows).clone();
        let any = key.iter().map(|_| random.one_in(2)).collect();
        keys.push(FuzzyKey { key, any });
    }
    Filter::FuzzyRow(keys)
}

fn several(random: &mut Random, rows: &[Vec<u8>], depth: usize) -> Vec<Filter> {
    (0..=random.below(3)).map(|_| filter(random, rows, depth)).collect()
}

fn small(random: &mut Random, limit: usize) -> u32 {
    u32::try_from(random.below(limit)).expect("a small number")
}

fn op(random: &mut Random) -> CompareOp {
    *random.pick(&CompareOp::ALL[..6])
}

fn comparator(random: &mut Random, rows: &[Vec<u8>]) -> Comparator {
    let value = if random.one_in(3) { words::key(random, rows) } else { words::value(random) };
    let text = || "b".to_owned();
    match random.below(8) {
        0 => Comparator::BinaryPrefix(value),
        1 => Comparator::Substring(if random.one_in(2) { text() } else { "1".to_owned() }),
        2 => Comparator::Regex {
            pattern: (*random.pick(&["^a.c$", "z.z", "[12]+", "B"])).to_owned(),
            ignore_case: random.one_in(2),
        },
        3 => Comparator::Bit { value, op: *random.pick(&[BitOp::And, BitOp::Or, BitOp::Xor]) },
        _ => Comparator::Binary(value),
    }
}

fn single_column(random: &mut Random, rows: &[Vec<u8>]) -> SingleColumn {
    let (family, qualifier) = (words::family(random), words::qualifier(random));
    SingleColumn {
        filter_if_missing: random.one_in(2),
        latest_version_only: !random.one_in(3),
        ..SingleColumn::new(family, qualifier, op(random), comparator(random, rows))
    }
}

fn column_bound(random: &mut Random) -> Bound<Vec<u8>> {
    match random.below(4) {
        0 => Bound::Unbounded,
        1 => Bound::Excluded(words::qualifier(random)),
        _ => Bound::Included(words::qualifier(random)),
    }
}

fn ranges(random: &mut Random, rows: &[Vec<u8>]) -> Vec<rowkey_core::range::KeyRange> {
    let mut ranges: Vec<rowkey_core::range::KeyRange> = Vec::new();
    for _ in 0..=random.below(3) {
        let range = words::range(random, rows);
        // HBase merges ranges that overlap, and may take an end for included that is not.
        if !range.is_empty() && ranges.iter().all(|other| other.intersect(&range).is_empty()) {
            ranges.push(range);
        }
    }
    while ranges.is_empty() {
        ranges = Some(words::range(random, rows)).into_iter().filter(|range| !range.is_empty()).collect();
    }
    ranges
}

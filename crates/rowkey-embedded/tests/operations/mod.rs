//! Random operations over few rows, columns and times, so that they meet each other all the time.

use std::ops::Bound;

use proptest::prelude::*;
use proptest::sample::select;
use rowkey_core::range::KeyRange;
use rowkey_store::filter::{Comparator, CompareOp, FuzzyKey, PageStart, SingleColumn};
use rowkey_store::{
    Append, CheckAndMutate, Columns, Condition, Delete, Deletion, Direction, Filter, Get, Increment,
    LATEST_TIMESTAMP, Mutation, Operation, Put, PutCell, RowBatch, RowMutations, Scan, Store, TableName,
    TimeRange,
};

/// One step of a run.
#[derive(Debug, Clone)]
pub(crate) enum RunStep {
    Put(RowBatch),
    Batch(Vec<Operation>),
    Get(Vec<Get>),
    Scan(Scan),
    Tick(i64),
    Split(usize, Vec<u8>),
    Merge(usize, usize),
    Compact,
    /// Long after all that was written so far, the engine merges its files.
    MergeFilesLater,
    Flush,
    Truncate(bool),
    Reopen,
}

/// Whether anything is stored under a row key.
pub(crate) fn is_there(store: &dyn Store, table: &TableName, row: &[u8]) -> bool {
    let scan = Scan { raw: true, ..Scan::new(KeyRange::point(row)) };
    let mut scanner = store.scan(table, &scan).expect("a good scan");
    scanner.next_batch(&mut RowBatch::new()).expect("a good scan")
}

fn few(values: &'static [&'static [u8]]) -> impl Strategy<Value = Vec<u8>> + Clone {
    select(values).prop_map(<[u8]>::to_vec)
}

fn row() -> impl Strategy<Value = Vec<u8>> + Clone {
    few(&[b"\0", b"a", b"a\0", b"a\0\0b", b"aa", b"b", b"m", b"m\0", b"x", b"\xFF\xFF"])
}

fn qualifier() -> impl Strategy<Value = Vec<u8>> + Clone {
    few(&[b"", b"\0", b"p", b"p\0", b"q"])
}

fn family() -> impl Strategy<Value = Vec<u8>> + Clone {
    few(&[b"a", b"d", b"e"])
}

fn column() -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> + Clone {
    (family(), qualifier())
}

fn timestamp() -> impl Strategy<Value = i64> + Clone {
    prop_oneof![2 => Just(LATEST_TIMESTAMP), 5 => select(&[0i64, 5000, 7000, 8000, 9000][..])]
}

/// Short texts, and now and then a counter.
fn value() -> impl Strategy<Value = Vec<u8>> + Clone {
    prop_oneof![
        4 => few(&[b"", b"1", b"2", b"two", b"x\ny"]),
        1 => any::<i8>().prop_map(|number| i64::from(number).to_be_bytes().to_vec()),
    ]
}

fn put_of(row: Vec<u8>) -> impl Strategy<Value = Put> {
    let cell = (column(), timestamp(), value());
    prop::collection::vec(cell, 1..5).prop_map(move |cells| {
        let cell = |((family, qualifier), timestamp, value)| PutCell { family, qualifier, timestamp, value };
        Put { row: row.clone(), cells: cells.into_iter().map(cell).collect() }
    })
}

fn delete_of(row: Vec<u8>) -> impl Strategy<Value = Delete> {
    let deletion =
        (column(), timestamp(), 0..4).prop_map(|((family, qualifier), timestamp, kind)| match kind {
            0 => Deletion::Family { family, timestamp },
            1 => Deletion::FamilyVersion { family, timestamp },
            2 => Deletion::Column { family, qualifier, timestamp },
            _ => Deletion::Version { family, qualifier, timestamp },
        });
    (timestamp(), prop::collection::vec(deletion, 0..4)).prop_map(move |(timestamp, deletions)| Delete {
        row: row.clone(),
        timestamp,
        deletions,
    })
}

fn mutation_of(row: Vec<u8>) -> impl Strategy<Value = Mutation> {
    let (of_increment, of_append) = (row.clone(), row.clone());
    prop_oneof![
        4 => put_of(row.clone()).prop_map(Mutation::Put),
        3 => delete_of(row).prop_map(Mutation::Delete),
        1 => (prop::collection::vec((column(), any::<i8>()), 1..3), timestamp(), time_range()).prop_map(
            move |(amounts, timestamp, time_range)| {
                let amounts = amounts.into_iter().map(|((f, q), amount)| (f, q, i64::from(amount))).collect();
                Mutation::Increment(Increment { row: of_increment.clone(), amounts, time_range, timestamp })
            }
        ),
        1 => (prop::collection::vec((column(), value()), 1..3), timestamp(), time_range()).prop_map(
            move |(values, timestamp, time_range)| {
                let values = values.into_iter().map(|((f, q), value)| (f, q, value)).collect();
                Mutation::Append(Append { row: of_append.clone(), values, time_range, timestamp })
            }
        ),
    ]
}

fn operation() -> impl Strategy<Value = Operation> {
    let mutation = row().prop_flat_map(mutation_of);
    let row_mutations = row().prop_flat_map(|row| {
        prop::collection::vec(mutation_of(row.clone()), 1..3)
            .prop_map(move |mutations| RowMutations { row: row.clone(), mutations })
    });
    let condition = prop_oneof![
        1 => column().prop_map(|(family, qualifier)| Condition::Absent { family, qualifier }),
        3 => (column(), compare_op(), comparator()).prop_map(|((family, qualifier), op, comparator)| {
            Condition::Value { family, qualifier, op, comparator }
        }),
        1 => filter().prop_map(Condition::Filter),
    ];
    let check = (row(), condition, time_range()).prop_flat_map(|(row, condition, time_range)| {
        prop::collection::vec(mutation_of(row.clone()), 1..3).prop_map(move |mutations| CheckAndMutate {
            row: row.clone(),
            condition: condition.clone(),
            time_range,
            mutations,
        })
    });
    prop_oneof![
        6 => mutation.prop_map(Operation::Mutate),
        1 => row_mutations.prop_map(Operation::MutateRow),
        2 => check.prop_map(Operation::CheckAndMutate),
        1 => get().prop_map(Operation::Get),
    ]
}

fn columns() -> impl Strategy<Value = Columns> {
    let column = (family(), prop::option::weighted(0.8, qualifier()));
    prop_oneof![3 => Just(Columns::All), 2 => prop::collection::vec(column, 0..7).prop_map(Columns::Only)]
}

fn time_range() -> impl Strategy<Value = TimeRange> + Clone {
    let times = select(&[0i64, 1, 5000, 7001, 9000, 10_000, 12_000][..]);
    prop_oneof![
        3 => Just(TimeRange::ALL),
        1 => (times.clone(), times).prop_map(|(a, b)| TimeRange::new(a.min(b), a.max(b)).expect("in order")),
    ]
}

fn compare_op() -> impl Strategy<Value = CompareOp> + Clone {
    select(&CompareOp::ALL[..])
}

fn comparator() -> impl Strategy<Value = Comparator> + Clone {
    prop_oneof![
        4 => few(&[b"", b"1", b"a", b"d", b"p", b"two"]).prop_map(Comparator::Binary),
        2 => few(&[b"a", b"p", b"t"]).prop_map(Comparator::BinaryPrefix),
        1 => Just(Comparator::Substring("W".to_owned())),
        1 => Just(Comparator::Regex { pattern: "^[12apx]".to_owned(), ignore_case: false }),
        1 => any::<i8>().prop_map(|number| Comparator::Long(number.into())),
        1 => Just(Comparator::Null),
    ]
}

fn bound(values: impl Strategy<Value = Vec<u8>> + Clone) -> impl Strategy<Value = Bound<Vec<u8>>> {
    prop_oneof![
        Just(Bound::Unbounded),
        values.clone().prop_map(Bound::Included),
        values.prop_map(Bound::Excluded)
    ]
}

fn range() -> impl Strategy<Value = KeyRange> {
    (bound(row()), bound(row())).prop_map(|(start, end)| KeyRange { start, end })
}

/// Every filter but the random one.
pub(crate) fn filter() -> impl Strategy<Value = Filter> {
    let single = (column(), compare_op(), comparator(), any::<bool>(), any::<bool>()).prop_map(
        |((family, qualifier), op, comparator, filter_if_missing, latest_version_only)| SingleColumn {
            filter_if_missing,
            latest_version_only,
            ..SingleColumn::new(family, qualifier, op, comparator)
        },
    );
    let compare = (compare_op(), comparator());
    let fuzzy = prop::collection::vec((any::<bool>(), select(&b"a\0bmx"[..])), 1..4).prop_map(|bytes| {
        let (any, key) = bytes.into_iter().unzip();
        Filter::FuzzyRow(vec![FuzzyKey { key, any }])
    });
    let ranges = prop::collection::vec(range(), 1..3)
        .prop_filter("a range must hold a key", |ranges| ranges.iter().all(|range| !range.is_empty()));
    let leaf = prop_oneof![
        few(&[b"a", b"a\0", b"m", b"z"]).prop_map(Filter::Prefix),
        compare.clone().prop_map(|(op, comparator)| Filter::Row(op, comparator)),
        compare.clone().prop_map(|(op, comparator)| Filter::Family(op, comparator)),
        compare.clone().prop_map(|(op, comparator)| Filter::Qualifier(op, comparator)),
        compare.prop_map(|(op, comparator)| Filter::Value(op, comparator)),
        single.clone().prop_map(Filter::SingleColumnValue),
        single.prop_map(Filter::SingleColumnValueExclude),
        (column(), compare_op(), comparator()).prop_map(|((family, qualifier), op, comparator)| {
            Filter::ColumnValue { family, qualifier, op, comparator }
        }),
        qualifier().prop_map(Filter::ColumnPrefix),
        prop::collection::btree_set(qualifier(), 0..3)
            .prop_map(|prefixes| Filter::MultipleColumnPrefix(prefixes.into_iter().collect())),
        (bound(qualifier()), bound(qualifier())).prop_map(|(min, max)| Filter::ColumnRange { min, max }),
        (0u32..4, 0u32..3)
            .prop_map(|(limit, from)| Filter::ColumnPagination { limit, start: PageStart::Offset(from) }),
        (0u32..4, qualifier())
            .prop_map(|(limit, from)| Filter::ColumnPagination { limit, start: PageStart::Qualifier(from) }),
        (0u32..4).prop_map(Filter::ColumnCountGet),
        Just(Filter::FirstKeyOnly),
        any::<bool>().prop_map(|length_as_value| Filter::KeyOnly { length_as_value }),
        (0u64..4).prop_map(Filter::Page),
        row().prop_map(Filter::InclusiveStop),
        (prop::collection::vec(select(&[0i64, 5000, 8000, 10_000][..]), 0..3), any::<bool>())
            .prop_map(|(timestamps, can_hint)| Filter::Timestamps { timestamps, can_hint }),
        fuzzy,
        ranges.prop_map(Filter::MultiRowRange),
    ];
    leaf.prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|filter| Filter::WhileMatch(Box::new(filter))),
            inner.clone().prop_map(|filter| Filter::Skip(Box::new(filter))),
            prop::collection::vec(inner.clone(), 0..3).prop_map(Filter::All),
            prop::collection::vec(inner, 0..3).prop_map(Filter::One),
        ]
    })
}

fn get() -> impl Strategy<Value = Get> {
    (row(), columns(), 1u32..5, time_range(), prop::option::weighted(0.4, filter())).prop_map(
        |(row, columns, versions, time_range, filter)| Get { row, columns, versions, time_range, filter },
    )
}

fn scan() -> impl Strategy<Value = Scan> {
    let cells = (columns(), 1u32..5, time_range(), prop::option::weighted(0.5, filter()));
    let shape = (prop::option::of(0usize..6), prop::option::weighted(0.2, 1usize..4), 1usize..5);
    (range(), any::<bool>(), prop::bool::weighted(0.2), cells, shape).prop_map(
        |(
            range,
            reverse,
            raw,
            (columns, versions, time_range, filter),
            (limit, cells_per_result, batch_rows),
        )| {
            let direction = if reverse { Direction::Reverse } else { Direction::Forward };
            Scan {
                range,
                direction,
                columns,
                versions,
                time_range,
                filter,
                raw,
                limit,
                cells_per_result,
                batch_rows,
                ahead: !reverse,
                fills_cache: true,
                counts: false,
            }
        },
    )
}

/// One step.
pub(crate) fn step() -> impl Strategy<Value = RunStep> {
    let rows = prop::collection::vec(row().prop_flat_map(put_of), 1..5).prop_map(|puts| {
        let mut batch = RowBatch::new();
        for put in puts {
            batch.begin_row(&put.row);
            for cell in &put.cells {
                batch.cell(&cell.family, &cell.qualifier, cell.timestamp, &cell.value);
            }
        }
        batch
    });
    prop_oneof![
        6 => rows.prop_map(RunStep::Put),
        14 => prop::collection::vec(operation(), 1..5).prop_map(RunStep::Batch),
        6 => prop::collection::vec(get(), 1..4).prop_map(RunStep::Get),
        20 => scan().prop_map(RunStep::Scan),
        3 => select(&[1i64, 999, 1000][..]).prop_map(RunStep::Tick),
        2 => (0usize..8, row()).prop_map(|(nth, at)| RunStep::Split(nth, at)),
        2 => (0usize..8, 0usize..8).prop_map(|(nth, other)| RunStep::Merge(nth, other)),
        2 => Just(RunStep::Compact),
        1 => Just(RunStep::MergeFilesLater),
        1 => Just(RunStep::Flush),
        1 => any::<bool>().prop_map(RunStep::Truncate),
        1 => Just(RunStep::Reopen),
    ]
}

//! Random gets and scans.

use rowkey_store::{ALL_VERSIONS, Columns, Direction, Get, Scan, TimeRange};

use crate::filters;
use crate::random::Random;
use crate::words::{self, FAMILIES};

pub(crate) fn get(random: &mut Random, row: Vec<u8>, rows: &[Vec<u8>]) -> Get {
    Get {
        row,
        columns: columns(random, true),
        versions: versions(random),
        time_range: time_range(random),
        filter: random.one_in(2).then(|| filters::of_a_get(random, rows)),
    }
}

pub(crate) fn scan(random: &mut Random, rows: &[Vec<u8>]) -> Scan {
    let direction = if random.one_in(3) { Direction::Reverse } else { Direction::Forward };
    let raw = random.one_in(6);
    let mut scan = Scan {
        range: words::range(random, rows),
        direction,
        // HBase refuses columns in a raw scan, but not families.
        columns: columns(random, !raw),
        versions: versions(random),
        time_range: time_range(random),
        filter: None,
        raw,
        limit: random.one_in(3).then(|| random.below(30)),
        cells_per_result: random.one_in(5).then(|| 1 + random.below(4)),
        batch_rows: 1 + random.below(60),
        ahead: !random.one_in(2),
        fills_cache: !random.one_in(4),
        counts: false,
    };
    match random.below(8) {
        0..=3 => scan.filter = Some(filters::filter(random, rows, 2)),
        4 => {
            scan.filter = Some(filters::ending(random, rows));
            scan.range = scan.range.intersect(&words::region(random));
        }
        5 if direction == Direction::Forward => {
            scan.filter = Some(filters::fuzzy(random, rows));
            scan.limit = None;
        }
        _ => {}
    }
    if raw {
        // A family's markers have an empty qualifier, of which HBase counts every cell as a column.
        scan.filter = scan.filter.filter(|filter| !format!("{filter:?}").contains("ColumnPagination"));
    }
    if direction == Direction::Reverse {
        scan.filter = scan.filter.filter(|filter| !filters::is_wrong_backwards(filter));
    }
    scan
}

fn columns(random: &mut Random, qualifiers: bool) -> Columns {
    if !random.one_in(3) {
        return Columns::All;
    }
    let mut columns = Vec::new();
    for _ in 0..=random.below(3) {
        let family = random.pick(&FAMILIES).as_bytes().to_vec();
        let qualifier = (qualifiers && !random.one_in(3)).then(|| words::qualifier(random));
        columns.push((family, qualifier));
    }
    Columns::Only(columns)
}

fn versions(random: &mut Random) -> u32 {
    *random.pick(&[1, 1, 2, 3, ALL_VERSIONS])
}

pub(crate) fn time_range(random: &mut Random) -> TimeRange {
    if !random.one_in(4) {
        return TimeRange::ALL;
    }
    let (one, other) = (words::time(random), words::time(random));
    TimeRange::new(one.min(other), one.max(other)).expect("a good range")
}

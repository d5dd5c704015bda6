//! Does a scan see every row that was acknowledged before it began, once and in order?

use std::fmt;

use rowkey_core::range::KeyRange;
use rowkey_store::{Direction, RowBatch, Scan, Store, with_causes};

use crate::load;
use crate::pace::Pace;
use crate::scene::{Scene, in_time};

#[derive(Default)]
pub(crate) struct Scanned {
    scans: usize,
    rows: usize,
}

impl fmt::Display for Scanned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} whole scans in order meanwhile, of {} rows together", self.scans, self.rows)
    }
}

pub(crate) fn run(scene: &Scene, pace: &Pace) -> Scanned {
    let _alarm = pace.alarm();
    let mut scanned = Scanned::default();
    // The last one begins before the end, or it would meet no load.
    while !pace.is_over() || scanned.scans < 2 {
        let direction = if scanned.scans % 2 == 0 { Direction::Forward } else { Direction::Reverse };
        let before = pace.acknowledged();
        scanned.rows += check(scene, &scene.store, direction, &before);
        scanned.scans += 1;
    }
    scanned
}

/// Reads all, and gives the number of rows.
fn check(scene: &Scene, store: &dyn Store, direction: Direction, acknowledged: &[bool]) -> usize {
    let scan = Scan { batch_rows: 500, direction, ..Scan::new(KeyRange::all()) };
    let mut scanner =
        in_time("a scan", || store.scan_many(&scene.rows, &[scan])).expect("a good scan").remove(0);
    let mut seen = vec![false; acknowledged.len()];
    let (mut batch, mut last, mut rows) = (RowBatch::new(), Vec::new(), 0);
    let next = |scanner: &mut dyn rowkey_store::Scanner, batch: &mut RowBatch| {
        in_time("a batch of a scan", || scanner.next_batch(batch))
            .unwrap_or_else(|failure| panic!("{}", with_causes(&failure)))
    };
    while next(&mut *scanner, &mut batch) {
        for row in batch.rows() {
            let in_order = last.is_empty()
                || match direction {
                    Direction::Forward => last.as_slice() < row.key(),
                    Direction::Reverse => last.as_slice() > row.key(),
                };
            let shown = |key: &[u8]| String::from_utf8_lossy(key).into_owned();
            assert!(in_order, "{} after {}", shown(row.key()), shown(&last));
            let number = load::number(row.key()).filter(|&number| number < seen.len());
            let number = number.unwrap_or_else(|| panic!("nobody wrote {}", shown(row.key())));
            assert_eq!(row.value(b"d", b"v"), Some(load::value(number).as_slice()));
            seen[number] = true;
            last = row.key().to_vec();
            rows += 1;
        }
    }
    let lost: Vec<usize> = (0..seen.len()).filter(|&at| acknowledged[at] && !seen[at]).collect();
    assert!(
        lost.is_empty(),
        "{} acknowledged rows are missing, such as {:?}",
        lost.len(),
        &lost[..lost.len().min(5)]
    );
    rows
}

/// The truth, without proxies.
pub(crate) fn everything_is_there_once(scene: &Scene, rows: usize) {
    for direction in [Direction::Forward, Direction::Reverse] {
        assert_eq!(check(scene, &scene.admin, direction, &vec![true; rows]), rows);
    }
    let counted = scene.admin.row_count(&scene.rows, &Scan::new(KeyRange::all())).expect("servers count");
    assert_eq!(counted, rows as u64);
}

//! Which rows are loaded, and how?

use std::fmt;

use rowkey_store::{RowBatch, RowStore, with_causes};

use crate::pace::Pace;
use crate::scene::{REGIONS, Scene, in_time, names_everything};

pub(crate) const THREADS: usize = 4;
const BATCH: usize = 100;
/// How often a thread does an operation again that failed after all of the client's own attempts.
const PATIENCE: usize = 5;

/// Where row keys begin: a number of four hex digits.
const SPACE: usize = 0x1_0000;

/// The key of a row: neighbours in number are far apart in the table.
pub(crate) fn key(number: usize) -> Vec<u8> {
    format!("{:04x}-{number:08}", number.wrapping_mul(40_503) % SPACE).into_bytes()
}

/// The number in a key.
pub(crate) fn number(key: &[u8]) -> Option<usize> {
    std::str::from_utf8(key.get(5..)?).ok()?.parse().ok()
}

pub(crate) fn value(number: usize) -> Vec<u8> {
    format!("value of row {number}, and some bytes more so that a frame has a middle").into_bytes()
}

/// The key at a part of the key space, counted in regions.
pub(crate) fn border(regions: f64) -> Vec<u8> {
    format!("{:04x}", (regions * SPACE as f64 / REGIONS as f64) as usize).into_bytes()
}

pub(crate) fn splits() -> Vec<Vec<u8>> {
    (1..REGIONS).map(|region| border(region as f64)).collect()
}

#[derive(Default)]
pub(crate) struct Loaded {
    batches: usize,
    failed: usize,
}

impl std::ops::AddAssign for Loaded {
    fn add_assign(&mut self, other: Self) {
        self.batches += other.batches;
        self.failed += other.failed;
    }
}

impl fmt::Display for Loaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} batches, of which {} failed and were written again", self.batches, self.failed)
    }
}

pub(crate) fn run(scene: &Scene, pace: &Pace) -> Loaded {
    let _alarm = pace.alarm();
    let mut loaded = Loaded::default();
    let mut batch = RowBatch::new();
    loop {
        let rows = pace.take(BATCH);
        if rows.is_empty() {
            return loaded;
        }
        batch.clear();
        for row in rows.clone() {
            batch.begin_row(&key(row));
            batch.cell(b"d", b"v", 1, &value(row));
        }
        for again in 0.. {
            match in_time("a put", || scene.store.put_batch(&scene.rows, &batch)) {
                Ok(()) => break,
                Err(failure) => {
                    names_everything(&failure, scene);
                    assert!(again < PATIENCE, "{}", with_causes(&failure));
                    loaded.failed += 1;
                }
            }
        }
        loaded.batches += 1;
        pace.acknowledge(rows);
    }
}

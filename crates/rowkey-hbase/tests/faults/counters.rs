//! Does an increment or append whose answer was lost happen once?
//!
//! Servers know an operation that comes again by its nonce. They forget nonces when a region moves, for every client
//! alike, so the table of counters stays where it is; its connections are cut all the same.

use std::fmt;

use rowkey_store::{Append, Get, Increment, Operation, RowBatch, RowStore, with_causes};

use crate::pace::Pace;
use crate::scene::{Scene, in_time};

const COUNTERS: usize = 8;

#[derive(Default)]
pub(crate) struct Counted {
    /// Of each counter.
    acknowledged: [u64; COUNTERS],
}

impl fmt::Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: u64 = self.acknowledged.iter().sum();
        write!(f, "{all} increments and {all} appends acknowledged")
    }
}

fn rows(counter: usize) -> [String; 2] {
    [format!("n{counter}"), format!("l{counter}")]
}

pub(crate) fn run(scene: &Scene, pace: &Pace) -> Counted {
    let _alarm = pace.alarm();
    let mut counted = Counted::default();
    while !pace.is_over() {
        let mut operations: Vec<Operation> = Vec::new();
        for (counter, before) in counted.acknowledged.iter().enumerate() {
            let [number, list] = rows(counter);
            operations.push(Increment::new(number).add("d", "n", 1).into());
            operations.push(Append::new(list).add("d", "l", format!("{before},")).into());
        }
        let results = in_time("a batch", || scene.store.batch(&scene.counters, &operations))
            .unwrap_or_else(|failure| panic!("{}", with_causes(&failure)));
        for (at, result) in results.into_iter().enumerate() {
            let outcome = result.unwrap_or_else(|failure| panic!("{}", with_causes(&failure)));
            let row = outcome.rows.row(0).expect("the new value");
            let acknowledged = &mut counted.acknowledged[at / 2];
            if at % 2 == 0 {
                let now =
                    row.value(b"d", b"n").and_then(|value| value.try_into().ok()).map(u64::from_be_bytes);
                assert_eq!(now, Some(*acknowledged + 1), "an increment counted twice, or not");
            } else {
                *acknowledged += 1;
            }
        }
    }
    counted
}

pub(crate) fn every_acknowledged_one_counted_once(scene: &Scene, counted: &Counted) {
    assert!(counted.acknowledged[0] > 0, "the run was over before the first increment");
    for (counter, &acknowledged) in counted.acknowledged.iter().enumerate() {
        let mut found = RowBatch::new();
        for row in rows(counter) {
            assert!(scene.admin.get(&scene.counters, &Get::new(row), &mut found).expect("a good get"));
        }
        let value = |row: usize, qualifier: &[u8]| found.row(row).and_then(|row| row.value(b"d", qualifier));
        assert_eq!(value(0, b"n"), Some(&acknowledged.to_be_bytes()[..]));
        let list: String = (0..acknowledged).map(|number| format!("{number},")).collect();
        assert_eq!(value(1, b"l"), Some(list.as_bytes()));
    }
}

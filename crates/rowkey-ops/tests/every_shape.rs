//! Tables of all shapes of keys answer random queries as a filtered full scan does: on the model in memory and on the
//! embedded store. `tests/hbase.rs` has a smaller run on a real HBase, `rowkey/tests/plans` a larger one without a store.

use crate::shapes::{Dice, KEYS, Shape};
use rowkey_embedded::{Durability, EmbeddedStore, Options};
use rowkey_store::Store;
use rowkey_store::conformance::model::Model;

#[expect(clippy::print_stdout, reason = "how much was asked is part of the result")]
fn every_shape(store: &dyn Store, rounds: u64) {
    let (mut asked, mut answered) = (0, 0);
    for round in 0..rounds {
        for (number, key) in (0u64..).zip(KEYS) {
            let mut dice = Dice::new(round * 1000 + number);
            let records = dice.index(60);
            let shape = Shape::new(store, &format!("shape_{number}"), key, &mut dice, records);
            answered += shape.queries_give_what_a_filtered_scan_gives(&mut dice, 12);
            asked += 12;
            shape.drop_table();
        }
    }
    println!("{asked} queries over {} keys, {answered} with rows", KEYS.len());
    assert!(answered * 2 >= asked, "only {answered} of {asked} queries returned rows");
}

#[test]
fn on_the_model() {
    every_shape(&Model::default(), 4);
}

#[test]
fn on_the_embedded_store() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options::default().durability(Durability::Buffered);
    every_shape(&EmbeddedStore::open(folder.path(), options).unwrap(), 2);
}

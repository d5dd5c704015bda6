//! The laws of running a plan on a real HBase: its filters, its fuzzy rows, its endpoints, its regions.

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

mod laws;

use laws::{Draw, KEYS, fill};
use rowkey_hbase::HBaseStore;
use rowkey_ops::aggregate::{self, AggregateOptions, Figures};
use rowkey_ops::create;
use rowkey_store::{Aggregate, Aggregated, Scan};
use rowkey_testing::cluster;

fn with_hbase(what: &str, key: &str, seed: u64, law: impl FnOnce(&laws::Place<'_>, &mut Draw)) {
    let store = HBaseStore::connect(&cluster::shared().zookeeper_url).unwrap();
    let mut draw = Draw(seed);
    let name = format!("ops_{what}_{}_{seed}", std::process::id());
    let place = fill(&store, &name, key, &mut draw, 150);
    law(&place, &mut draw);
    create::drop(&store, &place.table).unwrap();
}

#[test]
fn rows_are_those_of_the_plan() {
    for (seed, key) in (1..).zip(KEYS) {
        with_hbase("rows", key, seed, |place, draw| place.rows_are_those_of_the_plan(draw, 12));
    }
}

#[test]
fn pages_joined_are_the_whole_while_regions_split() {
    for (seed, key) in (1..).zip(KEYS).take(4) {
        with_hbase("pages", key, seed, |place, draw| {
            let plan = place.plan("").1;
            let half = place.rows.len() / 2;
            let mut splits = 0;
            let joined = place.pages(&plan, half.max(1), || {
                splits += 1;
                place.split(draw);
            });
            assert_eq!(joined, place.expected(&plan));
            assert!(splits > 0);
        });
    }
}

#[test]
fn endpoints_and_scans_work_out_the_same() {
    with_hbase("figures", KEYS[0], 9, |place, _| {
        let answer = place.store.aggregate(&place.name, &Scan::prefix(b""), Aggregate::Rows).unwrap();
        assert_eq!(answer, Aggregated::Number(150), "the test cluster has the endpoint");
        let size = place.table.key.fields().id("size").unwrap();
        for text in ["", "host = 'host1'", "host = 'nobody'"] {
            let plan = place.plan(text).1;
            let mut expected = Figures::default();
            place.expected(&plan).iter().for_each(|row| expected.add(&row.values[size.0]));
            for endpoints in [true, false] {
                let options = AggregateOptions { endpoints, ..AggregateOptions::default() };
                let found =
                    aggregate::of_field(place.store, &place.name, &place.table, &plan, size, &options)
                        .unwrap();
                assert_eq!(found, expected, "{text}, endpoints: {endpoints}");
                let counted =
                    aggregate::count(place.store, &place.name, &place.table, &plan, &options).unwrap();
                assert_eq!(counted, expected.rows, "{text}, endpoints: {endpoints}");
            }
        }
    });
}

//! The laws of running a plan on a real HBase: its filters, its fuzzy rows, its endpoints, its regions.

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

use crate::articles;
use crate::laws::{self, Draw, KEYS, fill};
use crate::shapes;
use rowkey_core::query::{PlanOptions, plan_table};
use rowkey_embedded::{Durability, EmbeddedStore, Options};
use rowkey_hbase::HBaseStore;
use rowkey_ops::aggregate::{self, AggregateOptions, By, Figures};
use rowkey_ops::create;
use rowkey_ops::query::{self, Counters, QueryOptions};
use rowkey_store::{Aggregate, Aggregated, RegionCounts, Scan};
use rowkey_testing::cluster;

fn with_hbase(what: &str, key: &str, seed: u64, law: impl FnOnce(&laws::Fixture<'_>, &mut Draw)) {
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

/// What was read is what lies in the ranges of a plan, wherever rows are checked: at the servers, or here.
#[test]
fn both_stores_say_how_many_rows_a_plan_read() {
    let (key, seed, rows) = ("[salt(7, id)][host: escaped][ts desc][id]", 11, 400);
    let folder = rowkey_testing::folder::without_waiting();
    let embedded =
        EmbeddedStore::open(folder.path(), Options::default().durability(Durability::Buffered)).unwrap();
    let hbase = HBaseStore::connect(&cluster::shared().zookeeper_url).unwrap();
    let name = format!("ops_counts_{}", std::process::id());
    let here = fill(&embedded, &name, key, &mut Draw(seed), rows);
    let there = fill(&hbase, &name, key, &mut Draw(seed), rows);
    here.split(&mut Draw(3));
    there.split(&mut Draw(3));
    let mut left_out_by_servers = 0;
    for (text, read) in [
        // The servers leave every row out.
        ("note like '%nothing has this%'", Some(400)),
        ("size = 3", Some(400)),
        ("size >= 0", Some(400)),
        ("", Some(400)),
        ("host = 'host1' and note like 'red%'", None),
        ("host = 'host1' and ts >= 20000", None),
        ("host = 'nobody'", Some(0)),
    ] {
        let counted = |place: &laws::Fixture<'_>, server_filters| {
            let any_way = PlanOptions { full_scan: true, sort: true, ..PlanOptions::default() };
            let plan = plan_table(&place.table, &place.plan(text).0, &any_way).unwrap().plan;
            let options = QueryOptions { measure: true, server_filters, ..QueryOptions::default() };
            let mut found = query::run_with(place.store, &place.name, &place.table, &plan, &options).unwrap();
            found.by_ref().for_each(|row| drop(row.unwrap()));
            let (counters, regions) = (found.counters(), found.regions_read());
            let all = |of: fn(&RegionCounts) -> u64| regions.iter().map(of).sum::<u64>();
            assert_eq!(all(|region| region.read), counters.scanned, "{text}");
            assert_eq!(counters.scanned - counters.dropped_by_store, counters.read.rows, "{text}");
            counters
        };
        let (filtered, here, there) =
            (counted(&here, Some(true)), counted(&here, None), counted(&there, None));
        assert_eq!(
            (filtered.scanned, filtered.dropped_by_store),
            (there.scanned, there.dropped_by_store),
            "{text}"
        );
        assert_eq!(there.scanned, here.scanned, "{text}");
        assert_eq!(there.returned, here.returned, "{text}");
        let dropped = |counters: &Counters| counters.filtered + counters.dropped_by_store;
        assert_eq!(dropped(&there), dropped(&here), "{text}");
        assert!(read.is_none_or(|read| here.scanned == read), "{text}: {here:?}");
        left_out_by_servers += there.dropped_by_store;
    }
    assert!(left_out_by_servers >= 400, "{left_out_by_servers}: nothing was checked at the servers");
    create::drop(&hbase, &there.table).unwrap();
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
                let by = |without| if endpoints { By::Endpoint } else { without };
                let expected = (expected.clone(), by(By::Rows));
                assert_eq!(found, expected, "{text}, endpoints: {endpoints}");
                let counted =
                    aggregate::count(place.store, &place.name, &place.table, &plan, &options).unwrap();
                assert_eq!(counted, (expected.0.rows, by(By::Keys)), "{text}, endpoints: {endpoints}");
            }
        }
    });
}

#[test]
fn tables_of_many_shapes_answer_as_a_filtered_scan_does() {
    let store = HBaseStore::connect(&cluster::shared().zookeeper_url).unwrap();
    let (mut asked, mut answered) = (0, 0);
    // Every third shape, which takes in salts, nulls, skips, hashes and reversed texts.
    for (number, key) in (0u64..).zip(shapes::KEYS).step_by(3) {
        let mut dice = shapes::Dice::new(number);
        let name = format!("ops_shape_{number}_{}", std::process::id());
        let shape = shapes::Shape::new(&store, &name, key, &mut dice, 40);
        answered += shape.queries_give_what_a_filtered_scan_gives(&mut dice, 8);
        asked += 8;
        shape.drop_table();
    }
    println!("{asked} queries on HBase, {answered} with rows");
    assert!(answered * 2 >= asked, "only {answered} of {asked} queries returned rows");
}

#[test]
fn the_queries_of_the_articles() {
    let store = HBaseStore::connect(&cluster::shared().zookeeper_url).unwrap();
    let name = |what: &str| format!("ops_texts_{what}_{}", std::process::id());
    // `ROWKEY_SALTED_REGIONS=1000` for as many regions as in the text.
    let regions = std::env::var("ROWKEY_SALTED_REGIONS").ok().map_or(100, |text| text.parse().unwrap());
    articles::a_time_range_over_salted_regions(&store, &name("log"), regions, 5000);
    articles::a_users_newest_actions(&store, &name("actions"));
    articles::hosts_between(&store, &name("hosts"));
    articles::words_by_their_ends(&store, &name("words"));
    articles::orders_three_ways(&store, &name("orders"));
}

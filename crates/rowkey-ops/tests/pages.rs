//! The laws of running a plan, over random tables on the model in memory and on the embedded store: merging is sorting, pages
//! joined are the whole (also when regions are split between pages), filters at the server change nothing, a limit and a
//! cancellation read no more than a bound.

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

use std::collections::BTreeMap;

use crate::laws::{Draw, Fixture, KEYS, fill, query_text, table};
use proptest::prelude::*;
use rowkey_core::query::{Access, Plan, PlanOptions, Query, plan};
use rowkey_core::{Order, Table};
use rowkey_embedded::{Durability, EmbeddedStore, Options};
use rowkey_ops::query::{self, Cancel, QueryError, QueryOptions, TokenError};
use rowkey_store::conformance::model::Model;
use rowkey_store::{RowBatch, Store};

fn with_stores(seed: u64, law: impl Fn(&dyn Store, Draw)) {
    law(&Model::default(), Draw(seed));
    let folder = rowkey_testing::folder::without_waiting();
    let options = Options::default().durability(Durability::Buffered);
    law(&EmbeddedStore::open(folder.path(), options).unwrap(), Draw(seed));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rows_are_those_of_the_plan_and_of_the_condition(seed: u64) {
        with_stores(seed, |store, mut draw| {
            let key = draw.of(&KEYS);
            let count = draw.below(300);
            let place = fill(store, "events", key, &mut draw, count);
            place.rows_are_those_of_the_plan(&mut draw, 8);
        });
    }

    #[test]
    fn pages_joined_are_the_whole_while_regions_split(seed: u64) {
        with_stores(seed, |store, mut draw| {
            let key = draw.of(&KEYS);
            let place = fill(store, "events", key, &mut draw, 150);
            place.pages_joined_are_the_whole(&mut draw, 4);
        });
    }
}

/// The random queries come to every way of running a plan.
#[test]
fn every_way_of_running_a_plan_is_tried() {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut draw = Draw(1);
    let mut returned = 0;
    for _ in 0..40 {
        let store = Model::default();
        let key = draw.of(&KEYS);
        let place = fill(&store, "events", key, &mut draw, 100);
        for _ in 0..20 {
            let (_, plan) = place.plan(&query_text(&mut draw));
            let mut see = |what, holds: bool| *seen.entry(what).or_default() += usize::from(holds);
            let fan_outs = match &plan.access {
                Access::Ranges(fan_outs) => fan_outs.as_slice(),
                _ => &[],
            };
            see("gets", matches!(plan.access, Access::Gets(_)));
            see("several fan-outs", fan_outs.len() > 1);
            see("merge", fan_outs.iter().any(|fan_out| fan_out.ranges.len() > 1));
            see("skip", fan_outs.iter().any(|fan_out| fan_out.seek.is_some()));
            see("backwards", plan.direction == Order::Descending);
            see("residual", !plan.residual.is_true());
            see("limit behind a residual", plan.limit.is_some() && !plan.residual.is_true());
            see("limit in the ranges", plan.limit.is_some() && plan.residual.is_true());
            see("sort", !plan.sort.is_empty() && plan.limit.is_none());
            see("heap", !plan.sort.is_empty() && plan.limit.is_some());
            returned += usize::from(!place.expected(&plan).is_empty());
        }
    }
    println!("{seen:?}, {returned} of 800 return rows");
    let rare: Vec<_> = seen.iter().filter(|(_, count)| **count < 8).collect();
    assert!(rare.is_empty(), "hardly ever tried: {rare:?}");
    assert!(returned > 400, "{returned}");
}

fn embedded(key: &str, count: usize, test: impl FnOnce(&Fixture<'_>)) {
    let folder = tempfile::tempdir().unwrap();
    let options = Options::default().durability(Durability::Buffered);
    let store = EmbeddedStore::open(folder.path(), options).unwrap();
    test(&fill(&store, "events", key, &mut Draw(7), count));
}

#[test]
fn a_limit_reads_a_share_of_each_range_and_not_more() {
    embedded(KEYS[0], 3000, |place| {
        let (_, plan) = place.plan("limit 20");
        let mut rows = query::run(place.store, &place.name, &place.table, &plan).unwrap();
        assert_eq!(rows.by_ref().count(), 20);
        // Seven ranges, a share of three rows each and one more; a range that gave more was asked again.
        let read = rows.counters().read;
        assert!(read.rows <= 7 * 4 + 20 * 4, "{read:?}");
        assert_eq!(rows.counters().returned, 20);
    });
}

#[test]
fn a_cancelled_query_ends_with_an_error_and_reads_no_more() {
    embedded(KEYS[0], 3000, |place| {
        let (_, plan) = place.plan("");
        let cancel = Cancel::new();
        let options = QueryOptions { cancel: cancel.clone(), ..QueryOptions::default() };
        let mut rows = query::run_with(place.store, &place.name, &place.table, &plan, &options).unwrap();
        assert!(rows.next().unwrap().is_ok());
        cancel.cancel();
        assert!(matches!(rows.next(), Some(Err(QueryError::Cancelled))));
        assert!(rows.next().is_none());
        assert!(rows.counters().read.rows <= 7 * 16, "{:?}", rows.counters());
    });
}

#[test]
fn a_query_that_is_let_go_ends_its_threads_and_lets_go_of_the_store() {
    let folder = tempfile::tempdir().unwrap();
    for round in 0..3 {
        let options = Options::default().durability(Durability::Buffered);
        // A thread that still held a scanner would hold the folder's lock.
        let store = EmbeddedStore::open(folder.path(), options).unwrap();
        let place = fill(&store, &format!("events{round}"), KEYS[0], &mut Draw(7), 3000);
        let (_, plan) = place.plan("");
        let options = QueryOptions { memory: 1, threads: Some(3), ..QueryOptions::default() };
        let mut rows = query::run_with(place.store, &place.name, &place.table, &plan, &options).unwrap();
        assert_eq!(rows.by_ref().take(1500).filter(Result::is_ok).count(), 1500);
    }
}

#[test]
fn rows_ahead_stay_within_the_memory_that_they_may_take() {
    embedded(KEYS[1], 6000, |place| {
        let (_, plan) = place.plan("");
        let options = QueryOptions { memory: 1, threads: Some(2), ..QueryOptions::default() };
        let mut rows = query::run_with(place.store, &place.name, &place.table, &plan, &options).unwrap();
        for returned in 1..=3000u64 {
            rows.next().unwrap().unwrap();
            // At first sixteen rows of each range, whose size nobody knows; then one at hand and one ahead.
            let read = rows.rows_read();
            assert!(read <= returned + 60 * (16 + 2), "{read} rows read for {returned}");
        }
    });
}

#[test]
fn a_token_fits_its_table_its_schema_and_its_query_only() {
    embedded(KEYS[0], 50, |place| {
        let (_, plan) = place.plan("host = 'h' limit 2");
        let mut rows = query::run(place.store, &place.name, &place.table, &plan).unwrap();
        assert!(rows.next_page().is_none(), "nothing was returned yet");
        assert_eq!(rows.by_ref().count(), 2);
        let token = rows.next_page().unwrap();
        let refused = |table: &Table, text: &str, token: &str| {
            let query = Query::parse(text, table.key.fields()).unwrap();
            let options = PlanOptions { full_scan: true, ..PlanOptions::default() };
            let plan = plan_of(table, &query, &options);
            let options = QueryOptions { page: Some(token.to_owned()), ..QueryOptions::default() };
            match query::run_with(place.store, &place.name, table, &plan, &options) {
                Err(QueryError::Token(error)) => Some(error),
                Err(error) => panic!("{error}"),
                Ok(_) => None,
            }
        };
        let text = "host = 'h' limit 2";
        assert_eq!(refused(&place.table, text, &token), None);
        assert_eq!(refused(&place.table, "host = 'h' limit 9", &token), None, "pages may differ in size");
        assert_eq!(refused(&place.table, "host = 'host1' limit 2", &token), Some(TokenError::Query));
        assert_eq!(refused(&place.table, "host = 'h' order by ts limit 2", &token), Some(TokenError::Query));
        assert_eq!(refused(&table("events", KEYS[2]), text, &token), Some(TokenError::Schema));
        let other = table("others", KEYS[0]);
        assert_eq!(refused(&other, text, &token), Some(TokenError::Table));
        for damaged in ["", "x", &token[1..], &token[..token.len() - 1], &token.to_lowercase()] {
            assert_eq!(refused(&place.table, text, damaged), Some(TokenError::Damaged), "{damaged}");
        }
    });
}

fn plan_of(table: &Table, query: &Query, options: &PlanOptions) -> Plan {
    plan(&table.key, query, options).unwrap()
}

#[test]
fn rows_of_another_schema_are_named_or_counted() {
    embedded(KEYS[0], 50, |place| {
        let mut foreign = RowBatch::new();
        foreign.begin_row(b"\x03not ours");
        foreign.cell(b"d", b"l", 1, b"\x01");
        place.store.put_batch(&place.name, &foreign).unwrap();
        let (_, mut plan) = place.plan("");
        let error = place.run(&plan, &QueryOptions::default()).unwrap_err();
        assert!(error.to_string().contains(r"key \x03not ours"), "{error}");
        let options = QueryOptions { skip_undecodable: true, ..QueryOptions::default() };
        let mut rows = query::run_with(place.store, &place.name, &place.table, &plan, &options).unwrap();
        assert_eq!(rows.by_ref().map(Result::unwrap).count(), 50);
        assert_eq!(rows.counters().undecodable, 1);
        // A limit is of rows that are returned, whatever was left out before them.
        plan.limit = Some(50);
        assert_eq!(place.run(&plan, &options).unwrap().len(), 50);
    });
}

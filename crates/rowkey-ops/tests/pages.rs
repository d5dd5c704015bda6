//! The laws of running a plan, over random tables on the model in memory and on the embedded store: merging is sorting, pages
//! joined are the whole (also when regions are split between pages), filters at the server change nothing, a limit and a
//! cancellation read no more than a bound.

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

use std::cmp::Ordering;
use std::collections::BTreeMap;

use proptest::prelude::*;
use rowkey::query::{Access, Plan, PlanOptions, Query, plan};
use rowkey::{Order, Table, Value};
use rowkey_embedded::{Durability, EmbeddedStore, Options};
use rowkey_ops::query::{self, Cancel, QueryError, QueryOptions, Record, TokenError};
use rowkey_ops::record::RowWriter;
use rowkey_ops::{aggregate, create};
use rowkey_store::conformance::model::Model;
use rowkey_store::{RowBatch, Store, TableName};

const KEYS: [&str; 7] = [
    "[salt(7, id)][host: escaped][ts desc][id]",
    "[salt(60, id)][ts][host: escaped][id]",
    "[host: escaped][ts][id]",
    // Long runs of rows from one bucket.
    "[bucket][ts][host: escaped][id] where bucket = ts / 4000 % 16",
    "[random(5)][ts desc][host: escaped][id]",
    // Skipping over few values.
    "[level: u8][host: escaped][ts desc][id]",
    "[salt('abcd', host)][level: u8][ts: i64][host: escaped][id]",
];

const TABLE: &str = r#"
[table]
name = "events"
key = "KEY"

[fields]
host = "text"
ts = "timestamp"
id = "text"
level = "u8"
note = "text?"
size = "i64?"

[families.d]
columns = { LEVEL s = "size" }

[families.n]
columns = { n = "note" }
"#;

fn table(key: &str) -> Table {
    let level = if key.contains("level") { "" } else { r#"l = "level","# };
    let text = TABLE.replace("KEY", key).replace("LEVEL", level);
    Table::parse("events.toml", &text).unwrap_or_else(|findings| panic!("{findings}"))
}

/// Numbers that follow from a seed.
struct Draw(u64);

impl Draw {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % u64::try_from(count).unwrap()).unwrap()
    }

    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }
}

const HOSTS: [&str; 7] = ["host1", "host12", "host2", "h", "", "host1\0", "ü"];

fn record(draw: &mut Draw, number: usize) -> Vec<Value<'static>> {
    let note = match draw.below(3) {
        0 => Value::Null,
        _ => Value::Text(format!("{} {}", draw.of(&["red", "Red", "green"]), draw.below(9)).into()),
    };
    let size =
        if draw.below(4) == 0 { Value::Null } else { Value::Int(i128::try_from(draw.below(9)).unwrap() - 4) };
    vec![
        Value::Text(draw.of(&HOSTS).into()),
        Value::Time(i64::try_from(draw.below(40)).unwrap() * 1000),
        Value::Text(format!("e{number}").into()),
        Value::Int(i128::try_from(draw.below(5)).unwrap()),
        note,
        size,
    ]
}

fn condition(draw: &mut Draw) -> String {
    let host = draw.of(&["host1", "host12", "h", "ü", "nobody"]);
    let time = draw.below(40) * 1000;
    match draw.below(14) {
        0 => format!("host = '{host}'"),
        1 => format!("host = '{host}' and ts >= {time}"),
        2 => format!("ts > {time} and ts <= {}", time + 9000),
        3 => format!("level = {}", draw.below(5)),
        4 => format!("host in ('{host}', 'host2', 'h') and level > {}", draw.below(5)),
        5 => "note is null".to_owned(),
        6 => "note like 'red%' or note like '%een%'".to_owned(),
        7 => format!("note like '%{}%'", draw.of(&["ed", "RED", "n 3", "7"])),
        8 => format!("size >= {} and note <> 'red 1'", draw.below(5)),
        9 => format!("id = 'e{}'", draw.below(60)),
        10 => format!("not (host = '{host}') and size in (1, 2, -3)"),
        11 | 12 => {
            let numbers: Vec<String> = (0..9).map(|_| format!("'e{}'", draw.below(100))).collect();
            let times: Vec<String> = (0..20).map(|nth| (nth * 2000).to_string()).collect();
            let (ids, times) = (numbers.join(", "), times.join(", "));
            format!("level in (0, 2) and host in ('{host}', 'host2') and ts in ({times}) and id in ({ids})")
        }
        _ => String::new(),
    }
}

fn query_text(draw: &mut Draw) -> String {
    let order = draw.of(&[
        "",
        "",
        "",
        "order by ts",
        "order by ts desc",
        "order by host, ts desc",
        "order by host desc, ts",
        "order by note desc, level",
        "order by size, host",
    ]);
    let limit = match draw.below(3) {
        0 => format!(" limit {}", draw.below(30)),
        _ => String::new(),
    };
    format!("{} {order}{limit}", condition(draw))
}

/// A table with rows, and what is in it.
struct Place<'s> {
    store: &'s dyn Store,
    name: TableName,
    table: Table,
    rows: BTreeMap<Vec<u8>, Vec<Value<'static>>>,
}

fn fill<'s>(store: &'s dyn Store, key: &str, draw: &mut Draw, count: usize) -> Place<'s> {
    let table = table(key);
    let name: TableName = table.name.parse().unwrap();
    create::create(store, &table).unwrap();
    let (mut writer, mut batch) = (RowWriter::new(&table).cell_time(1), RowBatch::new());
    let mut rows = BTreeMap::new();
    for number in 0..count {
        let record = record(draw, number);
        writer.write(u64::try_from(number).unwrap(), &record, &mut batch).unwrap();
        let key = batch.rows().next_back().unwrap().key().to_vec();
        rows.insert(key, record);
    }
    if !batch.is_empty() {
        store.put_batch(&name, &batch).unwrap();
    }
    Place { store, name, table, rows }
}

impl Place<'_> {
    fn plan(&self, text: &str) -> (Query, Plan) {
        let query =
            Query::parse(text, self.table.key.fields()).unwrap_or_else(|findings| panic!("{findings}"));
        let options = PlanOptions { full_scan: true, sort: true, ..PlanOptions::default() };
        let plan = plan(&self.table.key, &query, &options).unwrap_or_else(|error| panic!("{text}: {error}"));
        (query, plan)
    }

    /// What the plan means, word by word: the rows of each fan-out, sorted, filtered, sorted again, cut.
    fn expected(&self, plan: &Plan) -> Vec<Record> {
        let mut found: Vec<(&Vec<u8>, &Vec<Value<'static>>)> = match &plan.access {
            Access::Nothing => Vec::new(),
            Access::Gets(keys) => keys.iter().filter_map(|key| self.rows.get_key_value(key)).collect(),
            Access::Ranges(fan_outs) => {
                let one = |fan_out: &rowkey::query::FanOut| {
                    let inside = |key: &Vec<u8>| fan_out.ranges.iter().any(|range| range.contains(key));
                    let mut rows: Vec<_> = self.rows.iter().filter(|(key, _)| inside(key)).collect();
                    let behind = |key: &Vec<u8>| key.get(fan_out.merge_from..).unwrap_or_default().to_vec();
                    rows.sort_by_key(|(key, _)| (behind(key), (*key).clone()));
                    if plan.direction == Order::Descending {
                        rows.reverse();
                    }
                    rows
                };
                fan_outs.iter().flat_map(one).collect()
            }
        };
        found.retain(|(_, values)| plan.residual.matches(values) == Some(true));
        if !plan.sort.is_empty() {
            found.sort_by(|a, b| {
                let orders = plan.sort.iter().map(|(field, order)| {
                    let (a, b) = (&a.1[field.0], &b.1[field.0]);
                    let rising = a.compare(b).unwrap_or_else(|| b.is_null().cmp(&a.is_null()));
                    if *order == Order::Descending { rising.reverse() } else { rising }
                });
                orders.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal).then(a.0.cmp(b.0))
            });
        }
        found.truncate(plan.limit.unwrap_or(usize::MAX));
        found.into_iter().map(|(key, values)| Record { key: key.clone(), values: values.clone() }).collect()
    }

    fn run(&self, plan: &Plan, options: &QueryOptions) -> Result<Vec<Record>, QueryError> {
        query::run_with(self.store, &self.name, &self.table, plan, options)?.collect()
    }

    /// Page after page, each planned anew; between two of them something happens to the table.
    fn pages(&self, plan: &Plan, rows: usize, mut between: impl FnMut()) -> Vec<Record> {
        let (mut all, mut token) = (Vec::new(), None);
        loop {
            let plan = Plan { limit: Some(rows), ..plan.clone() };
            let options = QueryOptions { page: token, ..QueryOptions::default() };
            let mut page = query::run_with(self.store, &self.name, &self.table, &plan, &options).unwrap();
            let before = all.len();
            all.extend(page.by_ref().map(Result::unwrap));
            assert!(all.len() - before <= rows);
            token = page.next_page();
            if token.is_none() {
                return all;
            }
            between();
        }
    }

    /// Cuts a region of the table at the key of one of its rows.
    fn split(&self, draw: &mut Draw) {
        let Some(at) = self.rows.keys().nth(draw.below(self.rows.len().max(1))) else { return };
        let regions = self.store.regions(&self.name).unwrap();
        let region = regions.iter().find(|region| region.range.contains(at)).unwrap();
        // A region that begins there already cannot be cut there.
        let _ = self.store.split_region(&self.name, &region.name, Some(at));
    }
}

fn with_stores(seed: u64, law: impl Fn(&dyn Store, Draw)) {
    law(&Model::default(), Draw(seed));
    let folder = tempfile::tempdir().unwrap();
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
            let place = fill(store, key, &mut draw, count);
            for _ in 0..8 {
                let text = query_text(&mut draw);
                let (query, plan) = place.plan(&text);
                let found = place.run(&plan, &QueryOptions::default()).unwrap();
                assert_eq!(found, place.expected(&plan), "{key}: {text}");
                if query.limit.is_none() {
                    let all = place.rows.values().filter(|row| query.condition.matches(row) == Some(true)).count();
                    assert_eq!(found.len(), all, "{key}: {text}");
                    let counted =
                        aggregate::count(store, &place.name, &place.table, &plan, &Default::default()).unwrap();
                    assert_eq!(counted, u64::try_from(all).unwrap(), "{key}: {text}");
                }
                // However it is run, the rows are the same.
                let options = QueryOptions {
                    server_filters: Some(true),
                    threads: Some(draw.below(3)),
                    memory: 1 << draw.below(20),
                    sort_memory: 1 << draw.below(16),
                    ..QueryOptions::default()
                };
                assert_eq!(place.run(&plan, &options).unwrap(), found, "{key}: {text} {options:?}");
            }
        });
    }

    #[test]
    fn pages_joined_are_the_whole_while_regions_split(seed: u64) {
        with_stores(seed, |store, mut draw| {
            let key = draw.of(&KEYS);
            let place = fill(store, key, &mut draw, 150);
            for _ in 0..4 {
                let text = query_text(&mut draw);
                let (_, plan) = place.plan(&text);
                let plan = Plan { limit: None, ..plan };
                let whole = place.expected(&plan);
                let rows = 1 + draw.below(40);
                let joined = place.pages(&plan, rows, || place.split(&mut draw));
                assert_eq!(joined, whole, "{key}: {text}, {rows} rows a page");
            }
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
        let place = fill(&store, key, &mut draw, 100);
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

fn embedded(key: &str, count: usize, test: impl FnOnce(&Place<'_>)) {
    let folder = tempfile::tempdir().unwrap();
    let options = Options::default().durability(Durability::Buffered);
    let store = EmbeddedStore::open(folder.path(), options).unwrap();
    test(&fill(&store, key, &mut Draw(7), count));
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
        assert_eq!(refused(&table(KEYS[2]), text, &token), Some(TokenError::Schema));
        let other = Table { name: "others".to_owned(), ..table(KEYS[0]) };
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
        let (_, plan) = place.plan("");
        let error = place.run(&plan, &QueryOptions::default()).unwrap_err();
        assert!(error.to_string().contains(r"key \x03not ours"), "{error}");
        let options = QueryOptions { skip_undecodable: true, ..QueryOptions::default() };
        let mut rows = query::run_with(place.store, &place.name, &place.table, &plan, &options).unwrap();
        assert_eq!(rows.by_ref().map(Result::unwrap).count(), 50);
        assert_eq!(rows.counters().undecodable, 1);
        // A limit is of rows that are returned, whatever was left out before them.
        let limited = Plan { limit: Some(50), ..plan };
        assert_eq!(place.run(&limited, &options).unwrap().len(), 50);
    });
}

//! Random tables and queries, and what their rows must be.

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

use std::cmp::Ordering;
use std::collections::BTreeMap;

use rowkey_core::query::{Access, Plan, PlanOptions, Predicate, Query, plan};
use rowkey_core::{Order, Table, Value};
use rowkey_ops::query::{self, QueryError, QueryOptions, Record};
use rowkey_ops::record::RowWriter;
use rowkey_ops::{aggregate, create};
use rowkey_store::{RowBatch, Store, TableName};

pub(crate) const KEYS: [&str; 7] = [
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
name = "NAME"
key = "KEY"

[fields]
host = "text"
ts = "timestamp"
id = "text"
level = "u8"
note = "text?"
size = "i64?"
weight = "i64"

[families.d]
columns = { LEVEL s = "size", w = "weight" }

[families.n]
columns = { n = "note" }
"#;

pub(crate) fn table(name: &str, key: &str) -> Table {
    let level = if key.contains("level") { "" } else { r#"l = "level","# };
    let text = TABLE.replace("NAME", name).replace("KEY", key).replace("LEVEL", level);
    Table::parse("events.toml", &text).unwrap_or_else(|findings| panic!("{findings}"))
}

/// Numbers that follow from a seed.
pub(crate) struct Draw(pub(crate) u64);

impl Draw {
    pub(crate) fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % u64::try_from(count).unwrap()).unwrap()
    }

    pub(crate) fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
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
        // Beside the sizes, in the same family and of the same width: an endpoint must not take one for the other.
        Value::Int(1 << 40),
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
        8 => {
            let size = i64::try_from(draw.below(9)).unwrap() - 4;
            format!("size {} {size} and note <> 'red 1'", draw.of(&[">=", "<"]))
        }
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

pub(crate) fn query_text(draw: &mut Draw) -> String {
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
pub(crate) struct Fixture<'s> {
    pub(crate) store: &'s dyn Store,
    pub(crate) name: TableName,
    pub(crate) table: Table,
    pub(crate) rows: BTreeMap<Vec<u8>, Vec<Value<'static>>>,
}

pub(crate) fn fill<'s>(
    store: &'s dyn Store,
    name: &str,
    key: &str,
    draw: &mut Draw,
    count: usize,
) -> Fixture<'s> {
    let table = table(name, key);
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
    Fixture { store, name, table, rows }
}

impl Fixture<'_> {
    pub(crate) fn plan(&self, text: &str) -> (Query, Plan) {
        let query =
            Query::parse(text, self.table.key.fields()).unwrap_or_else(|findings| panic!("{findings}"));
        let options = PlanOptions { full_scan: true, sort: true, ..PlanOptions::default() };
        let plan = plan(&self.table.key, &query, &options).unwrap_or_else(|error| panic!("{text}: {error}"));
        (query, plan)
    }

    /// What the plan means, word by word: the rows of each fan-out, sorted, filtered, sorted again, cut.
    pub(crate) fn expected(&self, plan: &Plan) -> Vec<Record> {
        let mut found: Vec<(&Vec<u8>, &Vec<Value<'static>>)> = match &plan.access {
            Access::Nothing => Vec::new(),
            Access::Gets(keys) => keys.iter().filter_map(|key| self.rows.get_key_value(key)).collect(),
            Access::Ranges(fan_outs) => {
                let one = |fan_out: &rowkey_core::query::FanOut| {
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

    pub(crate) fn run(&self, plan: &Plan, options: &QueryOptions) -> Result<Vec<Record>, QueryError> {
        query::run_with(self.store, &self.name, &self.table, plan, options)?.collect()
    }

    /// Page after page, each planned anew; between two of them something happens to the table.
    pub(crate) fn pages(&self, plan: &Plan, rows: usize, mut between: impl FnMut()) -> Vec<Record> {
        let (mut all, mut token) = (Vec::new(), None);
        let mut plan = plan.clone();
        plan.limit = Some(rows);
        loop {
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
    pub(crate) fn split(&self, draw: &mut Draw) {
        let Some(at) = self.rows.keys().nth(draw.below(self.rows.len().max(1))) else { return };
        let regions = self.store.regions(&self.name).unwrap();
        let region = regions.iter().find(|region| region.range.contains(at)).unwrap();
        // A region that begins there already cannot be cut there.
        let _ = self.store.split_region(&self.name, &region.name, Some(at));
    }

    /// Whatever is asked, and however it is run, the rows are those of the plan and of the condition.
    pub(crate) fn rows_are_those_of_the_plan(&self, draw: &mut Draw, queries: usize) {
        let key = self.table.key.source();
        for _ in 0..queries {
            let text = query_text(draw);
            let (query, mut plan) = self.plan(&text);
            let found = self.run(&plan, &QueryOptions::default()).unwrap();
            assert_eq!(found, self.expected(&plan), "{key}: {text}");
            if query.limit.is_none() {
                let all = self.rows.values().filter(|row| query.condition.matches(row) == Some(true)).count();
                assert_eq!(found.len(), all, "{key}: {text}");
                let counted =
                    aggregate::count(self.store, &self.name, &self.table, &plan, &Default::default());
                assert_eq!(counted.unwrap().0, u64::try_from(all).unwrap(), "{key}: {text}");
            }
            let options = QueryOptions {
                server_filters: Some(true),
                threads: Some(draw.below(3)),
                memory: 1 << draw.below(20),
                sort_memory: 1 << draw.below(16),
                ..QueryOptions::default()
            };
            // Whatever the planner would leave to a server: a filter never takes away too much.
            plan.pushed = match &plan.residual {
                Predicate::And(parts) => parts.clone(),
                one => vec![one.clone()],
            };
            assert_eq!(self.run(&plan, &options).unwrap(), found, "{key}: {text} {options:?}");
        }
    }

    /// Page by page, while regions are split.
    pub(crate) fn pages_joined_are_the_whole(&self, draw: &mut Draw, queries: usize) {
        for _ in 0..queries {
            let text = query_text(draw);
            let (_, mut plan) = self.plan(&text);
            plan.limit = None;
            let rows = 1 + draw.below(40);
            let joined = self.pages(&plan, rows, || self.split(draw));
            assert_eq!(
                joined,
                self.expected(&plan),
                "{}: {text}, {rows} rows a page",
                self.table.key.source()
            );
        }
    }
}

//! What does a store take for a range, a get and a jump, in rows of a scan?
//!
//! `cargo run --release -p rowkey-ops --example price_bench [--rows N] [--rounds N] [--store URL]` keeps rows of 100 bytes in
//! groups of 2,000, once under a key of fixed widths and once behind a text, and runs plans of each kind over them from text to
//! decoded records, in turns. The median over the rounds, less what the rows themselves take by a plain scan, is the price:
//! the figures of `Prices` in `crates/rowkey/src/query/price.rs`, in their order.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for people who measure")]

use std::time::Instant;

use rowkey::query::{Access, Plan, PlanOptions, Query, candidates};
use rowkey::{Table, Value};
use rowkey_embedded::EmbeddedStore;
use rowkey_hbase::HBaseStore;
use rowkey_ops::query;
use rowkey_store::{Family, RowBatch, Store, TableDescriptor, TableName};

/// As in the program.
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

const GROUP: usize = 2000;
const BATCH: usize = 2000;

/// A table and its name in the store.
struct Rows {
    table: Table,
    name: TableName,
    groups: usize,
}

impl Rows {
    fn load(store: &dyn Store, key: &str, field: &str, rows: usize) -> Self {
        let text = format!(
            "[table]\nname = \"rows\"\nkey = \"{key}\"\n[fields]\na = \"{field}\"\nb = \"u32\"\nv = \"bytes\"\n\
             [families.d]\ncolumns = {{ q = \"v\" }}\n"
        );
        let table = Table::parse("rows.toml", &text).unwrap();
        let name: TableName = format!("price_bench_{field}_{}", std::process::id()).parse().unwrap();
        let families = vec![Family::new("d")];
        let descriptor = TableDescriptor { name: name.clone(), families, attributes: Default::default() };
        store.create_table(&descriptor, &[]).unwrap();
        let (mut batch, groups) = (RowBatch::new(), rows.div_ceil(GROUP));
        for group in 0..groups {
            for nth in 0..GROUP {
                let record = [Self::value(field, group), Value::Int(nth as i128), Value::Null];
                let mut key = Vec::new();
                table.key.encode(&record, &mut key).unwrap();
                batch.begin_row(&key);
                batch.cell(b"d", b"q", 1, &[b'v'; 88]);
                if batch.len() == BATCH {
                    store.put_batch(&name, &batch).unwrap();
                    batch.clear();
                }
            }
        }
        store.put_batch(&name, &batch).unwrap();
        store.flush(&name).unwrap();
        store.major_compact(&name).unwrap();
        Self { table, name, groups }
    }

    fn value(field: &str, group: usize) -> Value<'static> {
        if field == "text" {
            Value::Text(format!("group{group:06}").into())
        } else {
            Value::Int(group as i128)
        }
    }

    /// The candidate of a condition that is of this kind.
    fn plan(&self, condition: &str, is: impl Fn(&Plan) -> bool) -> Plan {
        let query = Query::parse(condition, self.table.key.fields()).unwrap();
        let options = PlanOptions { full_scan: true, ..PlanOptions::default() };
        let all = candidates(&self.table.key, &query, &options).unwrap();
        all.into_iter().find(|plan| is(plan)).unwrap_or_else(|| panic!("no such plan for {condition}"))
    }

    /// Seconds that a plan takes, and the rows that came.
    fn time(&self, store: &dyn Store, plan: &Plan) -> (f64, usize) {
        let begin = Instant::now();
        let rows = query::run(store, &self.name, &self.table, plan).unwrap().map(Result::unwrap).count();
        (begin.elapsed().as_secs_f64(), rows)
    }
}

fn skips(plan: &Plan) -> bool {
    matches!(&plan.access, Access::Ranges(fan_outs) if fan_outs.len() == 1 && fan_outs[0].seek.is_some())
}

fn plain(plan: &Plan) -> bool {
    matches!(&plan.access, Access::Ranges(fan_outs) if fan_outs.iter().all(|fan_out| fan_out.seek.is_none()))
}

fn main() {
    let (mut rows, mut rounds, mut url) = (1_000_000, 5, None);
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments.next().unwrap_or_else(|| panic!("{name} needs a value"));
        match name.as_str() {
            "--rows" => rows = value.parse().unwrap(),
            "--rounds" => rounds = value.parse().unwrap(),
            "--store" => url = Some(value),
            other => panic!("{other} is not an option; see the top of this file"),
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let store: Box<dyn Store> = match &url {
        Some(url) => Box::new(HBaseStore::connect(url).unwrap()),
        None => Box::new(EmbeddedStore::open(folder.path(), rowkey_embedded::Options::default()).unwrap()),
    };
    let store = &*store;
    let fixed = Rows::load(store, "[a: u32][b: u32]", "u32", rows);
    let text = Rows::load(store, "[a: escaped][b: u32]", "text", rows);
    let groups = fixed.groups;
    let listed: Vec<String> = (0..groups).map(|group| group.to_string()).collect();
    let listed = listed.join(", ");
    let plans: [(&str, &Rows, Plan); 5] = [
        ("row of a scan", &fixed, fixed.plan("a >= 0", plain)),
        (
            "range",
            &fixed,
            fixed.plan(&format!("a in ({listed}) and b < 3"), |plan| {
                plain(plan) && plan.access.len() == groups
            }),
        ),
        (
            "get",
            &fixed,
            fixed.plan(&format!("a in ({listed}) and b = 5"), |plan| matches!(plan.access, Access::Gets(_))),
        ),
        ("jump", &text, text.plan("a >= 'group' and b = 1000", skips)),
        ("server jump", &fixed, fixed.plan(&format!("a < {groups} and b = 1000"), skips)),
    ];
    let mut times: Vec<Vec<f64>> = vec![Vec::new(); plans.len()];
    let mut found = vec![0; plans.len()];
    for _ in 0..rounds {
        for (nth, (_, rows, plan)) in plans.iter().enumerate() {
            let (time, rows) = rows.time(store, plan);
            times[nth].push(time);
            found[nth] = rows;
        }
    }
    let median = |times: &[f64]| {
        let mut sorted = times.to_vec();
        sorted.sort_by(f64::total_cmp);
        sorted[sorted.len() / 2]
    };
    let row = median(&times[0]) / found[0] as f64;
    println!("{} rows in {groups} groups; a row of a scan takes {:.2} µs", found[0], row * 1e6);
    for (nth, (name, ..)) in plans.iter().enumerate().skip(1) {
        let each = (median(&times[nth]) / row - found[nth] as f64) / groups as f64;
        println!("{name}: {each:.1} rows of a scan ({} rows came)", found[nth]);
    }
    if !store.reads_ahead() {
        println!(
            "there is no server here that jumps: the last two are the same, behind a text and behind a number"
        );
    }
    for rows in [&fixed, &text] {
        store.disable_table(&rows.name).unwrap();
        store.drop_table(&rows.name).unwrap();
    }
}

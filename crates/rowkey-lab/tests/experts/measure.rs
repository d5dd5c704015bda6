//! What a design does on the embedded store: rows, ranges, gets and jumps counted while real queries run, not modelled.
//!
//! The sample is loaded into a table that was cut before; the later records are written in steps, and in each the store's own
//! counts of its regions say how many writes the busiest server gets; then the queries of the set run through planner and
//! reader. The same records and queries for all designs, and the same counts in every run: nothing here reads ahead on threads.

use rowkey_core::query::{Access, PlanOptions, Prices, Query, Via, plan_table};
use rowkey_core::range::KeyRange;
use rowkey_core::{Order, Table};
use rowkey_embedded::{Durability, EmbeddedStore, Options};
use rowkey_ops::create::{self, OpenTable};
use rowkey_ops::index::{IndexError, IndexedWriter};
use rowkey_ops::query::{self, QueryOptions};
use rowkey_ops::record::RowWriter;
use rowkey_store::{Admin, RowBatch, RowStore, Scan, TableName};
use rowkey_testing::folder;

use super::counting::Counting;
use super::set::{Drawn, Record, SERVERS};

/// The later records are written in so many steps.
const STEPS: usize = 10;
const BATCH: usize = 1_000;

/// All that was counted of a design.
pub(crate) struct Counts {
    /// The table, then its index tables.
    pub(crate) tables: Vec<TableCounts>,
    /// What each query read, summed over its draws: one entry for each table that answered some of them.
    pub(crate) queries: Vec<Vec<QueryCounts>>,
    /// Records that were taken and are not there.
    pub(crate) lost: u64,
    /// Records that have no key.
    pub(crate) refused: u64,
}

#[derive(Default)]
pub(crate) struct TableCounts {
    /// Writes of the later records, and those of the busiest server in each step.
    pub(crate) writes: u64,
    pub(crate) busiest: u64,
    pub(crate) rows: u64,
    /// Bytes of all keys.
    pub(crate) key_bytes: u64,
}

#[derive(Default, PartialEq, Eq, Debug)]
pub(crate) struct QueryCounts {
    /// Which table answered: 0 is the table, 1 its first index table.
    pub(crate) by: usize,
    pub(crate) rows: u64,
    /// Of these, rows read against the order of keys.
    pub(crate) backwards: u64,
    pub(crate) ranges: u64,
    pub(crate) gets: u64,
    pub(crate) jumps: u64,
    /// Rows of the table that entries led to.
    pub(crate) lookups: u64,
    pub(crate) sorted: u64,
    pub(crate) returned: u64,
}

/// Loads, writes, asks.
pub(crate) fn measure(drawn: &Drawn, table: &Table) -> Counts {
    let folder = folder::without_waiting();
    let options = Options::default().durability(Durability::Buffered);
    let store = Counting::new(EmbeddedStore::open(folder.path(), options).expect("a store"));
    create::create_at(&store, table, &table.split_points()).unwrap_or_else(|error| panic!("{error}"));
    let open = create::open(&store, table).expect("the table is there");
    let mut writing = Writing { store: &store, table, open: &open, taken: 0, refused: 0 };
    writing.write(&drawn.sample);
    let names: Vec<TableName> =
        std::iter::once(&open.name).chain(open.indexes.iter().map(|index| &index.name)).cloned().collect();
    let mut tables: Vec<TableCounts> = names.iter().map(|_| TableCounts::default()).collect();
    for step in 0..STEPS {
        let at = |step: usize| step * drawn.later.len() / STEPS;
        let before: Vec<Vec<u64>> = names.iter().map(|name| region_writes(&store, name)).collect();
        writing.write(&drawn.later[at(step)..at(step + 1)]);
        for ((counts, name), before) in tables.iter_mut().zip(&names).zip(before) {
            counts.add_step(&before, &region_writes(&store, name));
        }
    }
    let (taken, refused) = (writing.taken, writing.refused);
    for (counts, name) in tables.iter_mut().zip(&names) {
        (counts.rows, counts.key_bytes) = contents(&store, name);
    }
    let ask_all = |queries: &Vec<Query>| {
        let mut all: Vec<QueryCounts> = Vec::new();
        for query in queries {
            let one = ask(&store, table, &open, query);
            match all.iter_mut().find(|counts| counts.by == one.by) {
                Some(counts) => counts.add(&one),
                None => all.push(one),
            }
        }
        all.sort_by_key(|counts| counts.by);
        all
    };
    let queries = drawn.queries.iter().map(ask_all).collect();
    Counts { lost: taken - tables[0].rows, refused, tables, queries }
}

struct Writing<'a> {
    store: &'a Counting<EmbeddedStore>,
    table: &'a Table,
    open: &'a OpenTable,
    taken: u64,
    refused: u64,
}

impl Writing<'_> {
    fn write(&mut self, records: &[Record]) {
        let indexed = IndexedWriter::new(self.store, self.table, self.open);
        for chunk in records.chunks(BATCH) {
            let (mut writer, mut batch) = (RowWriter::new(self.table), RowBatch::new());
            for record in chunk {
                match writer.write(0, record, &mut batch) {
                    Ok(()) => self.taken += 1,
                    Err(_) => self.refused += 1,
                }
            }
            if self.table.indexes.is_empty() {
                self.store.put_batch(&self.open.name, &batch).expect("the store works");
            } else if !put(&indexed, &batch) {
                // One of them has no entry: which?
                for row in batch.rows() {
                    let mut one = RowBatch::new();
                    one.push_row(row);
                    if !put(&indexed, &one) {
                        (self.taken, self.refused) = (self.taken - 1, self.refused + 1);
                    }
                }
            }
        }
    }
}

/// Whether the rows were taken.
fn put(writer: &IndexedWriter<'_>, rows: &RowBatch) -> bool {
    match writer.put(rows) {
        Ok(_) => true,
        Err(IndexError::Store(error)) => panic!("{error}"),
        Err(_) => false,
    }
}

fn region_writes(store: &Counting<EmbeddedStore>, name: &TableName) -> Vec<u64> {
    store.regions(name).expect("the table is there").iter().map(|region| region.writes).collect()
}

/// The rows of a table, and the bytes of their keys.
fn contents(store: &Counting<EmbeddedStore>, name: &TableName) -> (u64, u64) {
    let mut scanner = store.scan(name, &Scan::new(KeyRange::all())).expect("the table is there");
    let (mut rows, mut bytes, mut batch) = (0, 0, RowBatch::new());
    while scanner.next_batch(&mut batch).expect("the store works") {
        rows += batch.len() as u64;
        bytes += batch.rows().map(|row| row.key().len() as u64).sum::<u64>();
    }
    store.take();
    (rows, bytes)
}

/// Plans a query as a user's is planned, without knowledge of the data, and runs it.
fn ask(store: &Counting<EmbeddedStore>, table: &Table, open: &OpenTable, query: &Query) -> QueryCounts {
    let prices = Prices::EMBEDDED;
    let options = PlanOptions { full_scan: true, sort: true, columns: None, by: None, prices };
    let plan = plan_table(table, query, &options)
        .unwrap_or_else(|error| panic!("{}: {error}", table.key.source()))
        .plan;
    let options = QueryOptions { measure: true, threads: Some(0), ..QueryOptions::default() };
    let mut rows =
        query::run_with(store, &open.name, table, &plan, &options).unwrap_or_else(|error| panic!("{error}"));
    for record in rows.by_ref() {
        record.unwrap_or_else(|error| panic!("{}: {error}", table.key.source()));
    }
    let counters = rows.counters();
    drop(rows);
    let opened = store.take().scanners;
    let (planned, gets) = match &plan.access {
        Access::Nothing => (0, 0),
        Access::Gets(keys) => (0, keys.len() as u64),
        Access::Ranges(fan_outs) => {
            (fan_outs.iter().map(|fan_out| fan_out.ranges.len() as u64).sum::<u64>(), 0)
        }
    };
    let ranges = opened.min(planned);
    QueryCounts {
        by: match plan.via {
            Via::Primary => 0,
            Via::Index { index, .. } => index + 1,
        },
        rows: counters.scanned,
        backwards: if plan.direction == Order::Descending { counters.scanned } else { 0 },
        ranges,
        gets,
        // A skip scan opens a scanner for each range, and one more wherever it goes on.
        jumps: opened - ranges,
        lookups: counters.looked_up.rows,
        sorted: counters.sorted,
        returned: counters.returned,
    }
}

impl TableCounts {
    /// Adds what regions got in a step; they are assigned to servers round-robin, as HBase does with a new table.
    fn add_step(&mut self, before: &[u64], after: &[u64]) {
        let mut servers = [0; SERVERS];
        for (region, (before, after)) in before.iter().zip(after).enumerate() {
            servers[region % SERVERS] += after - before;
        }
        self.writes += servers.iter().sum::<u64>();
        self.busiest += servers.iter().max().copied().unwrap_or(0);
    }
}

impl QueryCounts {
    fn add(&mut self, other: &Self) {
        self.rows += other.rows;
        self.backwards += other.backwards;
        self.ranges += other.ranges;
        self.gets += other.gets;
        self.jumps += other.jumps;
        self.lookups += other.lookups;
        self.sorted += other.sorted;
        self.returned += other.returned;
    }
}

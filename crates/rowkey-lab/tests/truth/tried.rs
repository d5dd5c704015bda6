//! A design on HBase: its table, filled, and what is counted when it is asked.

use std::time::{Duration, Instant};

use rowkey_core::Table;
use rowkey_core::query::{Plan, PlanOptions, Prices, Query, plan_table};
use rowkey_core::table::Splits;
use rowkey_hbase::HBaseStore;
use rowkey_lab::simulate::{Cut, Data, Design, DrawnQueries, Options, Outcome, in_memory};
use rowkey_ops::create::{self, OpenTable};
use rowkey_ops::index::IndexedWriter;
use rowkey_ops::query::{QueryOptions, run_with};
use rowkey_ops::record::RowWriter;
use rowkey_store::{Admin, RowBatch, RowStore, Store, TableName};

use super::counting::{Counting, Requests};
use super::orders::{SEED, SERVERS};
use super::set::Record;

pub(crate) struct Tried<'s> {
    pub(crate) label: String,
    pub(crate) table: Table,
    store: &'s Counting<HBaseStore>,
    open: OpenTable,
    splits: Vec<Vec<u8>>,
    /// How long writing took so far.
    pub(crate) writing: Duration,
}

impl<'s> Tried<'s> {
    /// Creates the table, and takes the regions that it then has.
    pub(crate) fn create(store: &'s Counting<HBaseStore>, label: String, mut table: Table) -> Self {
        create::create_at(store, &table, &table.split_points()).unwrap_or_else(|error| panic!("{error}"));
        let open = create::open(store, &table).unwrap();
        let splits = starts(store, &open.name);
        for (index, open) in table.indexes.iter_mut().zip(&open.indexes) {
            index.splits = Splits::Keys(starts(store, &open.name));
        }
        Self { label, table, store, open, splits, writing: Duration::ZERO }
    }

    /// What the simulation says of it, with the regions that it has.
    pub(crate) fn predict(&self, data: &Data<'_>, asked: &DrawnQueries) -> Outcome {
        let options = Options {
            time: Some("ts".to_owned()),
            servers: SERVERS,
            seed: SEED,
            prices: Prices::HBASE,
            ..Options::default()
        };
        let design = Design::of_table(self.table.clone(), Cut::Keys(self.splits.clone()));
        in_memory(&[design], data, Some(asked), &options).unwrap().remove(0)
    }

    /// Writes records as a load does.
    pub(crate) fn write(&mut self, records: &[Record]) {
        let (mut writer, mut batch) = (RowWriter::new(&self.table), RowBatch::new());
        for record in records {
            writer.write(0, record, &mut batch).unwrap_or_else(|error| panic!("{error}"));
        }
        let start = Instant::now();
        match self.table.indexes.is_empty() {
            true => self.store.put_batch(&self.open.name, &batch).unwrap(),
            false => {
                let writer = IndexedWriter::new(self.store, &self.table, &self.open);
                writer.put(&batch).unwrap_or_else(|error| panic!("{error}"));
            }
        }
        self.writing += start.elapsed();
    }

    pub(crate) fn plan(&self, query: &Query) -> Plan {
        let options =
            PlanOptions { full_scan: true, sort: true, prices: Prices::HBASE, ..PlanOptions::default() };
        plan_table(&self.table, query, &options).unwrap_or_else(|error| panic!("{error}")).plan
    }

    /// Asks, and counts: what HBase was asked for, and the rows returned.
    pub(crate) fn count(&self, plan: &Plan) -> (Requests, usize) {
        self.store.take();
        let options = QueryOptions { measure: true, ..QueryOptions::default() };
        let rows = run_with(self.store, &self.open.name, &self.table, plan, &options).unwrap();
        let returned: Result<Vec<_>, _> = rows.collect();
        (self.store.take(), returned.unwrap_or_else(|error| panic!("{error}")).len())
    }

    /// How long it takes.
    pub(crate) fn time(&self, plan: &Plan) -> f64 {
        let start = Instant::now();
        let options = QueryOptions::default();
        let rows = run_with(&self.store.store, &self.open.name, &self.table, plan, &options).unwrap();
        rows.for_each(|record| drop(record.unwrap()));
        start.elapsed().as_secs_f64()
    }

    /// The writes of each region by HBase's own counters, table by table, once these have all of so many rows.
    pub(crate) fn writes(&self, rows: u64) -> Vec<Vec<u64>> {
        let names = std::iter::once(&self.open.name).chain(self.open.indexes.iter().map(|index| &index.name));
        let counted = |name: &TableName| {
            // Servers report every half second; the answer is there when all writes are.
            let until = Instant::now() + Duration::from_secs(60);
            loop {
                let regions = self.store.regions(name).unwrap();
                let writes: Vec<u64> = regions.iter().map(|region| region.writes).collect();
                let sum: u64 = writes.iter().sum();
                if sum >= rows {
                    return writes;
                }
                assert!(Instant::now() < until, "HBase counted {sum} of {rows} writes of {name}");
                std::thread::sleep(Duration::from_millis(200));
            }
        };
        names.map(counted).collect()
    }
}

impl Drop for Tried<'_> {
    fn drop(&mut self) {
        // The test may be failing; its tables go all the same.
        drop(create::drop(self.store, &self.table));
    }
}

/// Where the regions of a table begin, but the first.
fn starts(store: &dyn Store, name: &TableName) -> Vec<Vec<u8>> {
    store.regions(name).unwrap().iter().map(|region| region.range.first_key()).skip(1).collect()
}

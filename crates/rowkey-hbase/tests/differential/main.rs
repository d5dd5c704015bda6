//! Do the embedded store and HBase give the same answers?
//!
//! Random operations go to both, a batch at a time, each on a row of its own so that their order within the batch
//! does not matter; every outcome is compared, and so are scans in between. Times are explicit, because no two stores
//! have one clock, and both are compacted at the same points, because what is hidden may be gone after that.
//!
//! `ROWKEY_DIFFERENTIAL_OPERATIONS` says how many operations (default 4,000), `ROWKEY_DIFFERENTIAL_SEED` which ones:
//!
//! ```text
//! ROWKEY_DIFFERENTIAL_OPERATIONS=1000000 cargo test --release -p rowkey-hbase --test differential -- --nocapture
//! ```

#![expect(clippy::print_stdout, reason = "a difference is shown with all that led to it")]

mod answers;
mod changes;
mod filters;
mod random;
mod reads;
mod words;

use std::time::{Duration, Instant};

use random::Random;
use rowkey_embedded::{Durability, EmbeddedStore, Options};
use rowkey_hbase::HBaseStore;
use rowkey_store::{Admin, Chore, Operation, Scan, Store, TableName};

/// Operations between two compactions.
const COMPACT_AFTER: usize = 2500;
const BATCH: usize = 40;

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.replace('_', "").parse().ok()).unwrap_or(default)
}

/// Where the time goes, to be shown at the end.
#[derive(Default)]
struct Times {
    operations: Duration,
    scans: Duration,
    compactions: Duration,
}

struct Run<'a> {
    stores: [(&'static str, &'a dyn Store); 2],
    table: TableName,
    rows: Vec<Vec<u8>>,
    random: Random,
    differences: usize,
    times: [Times; 2],
    /// All changes so far of a row, to show how a difference came about.
    history: Vec<Operation>,
}

impl Run<'_> {
    fn batch(&mut self) -> usize {
        let rows = self.random.distinct(&self.rows, BATCH);
        let operations: Vec<Operation> =
            rows.iter().map(|row| changes::operation(&mut self.random, row, &self.rows)).collect();
        let [one, other] = [0, 1].map(|which| {
            let (name, store) = self.stores[which];
            let started = Instant::now();
            let done = store.batch(&self.table, &operations);
            self.times[which].operations += started.elapsed();
            done.unwrap_or_else(|error| panic!("{name}: {error:?}"))
        });
        for ((one, other), operation) in one.iter().zip(&other).zip(&operations) {
            let (one, other) = (answers::outcome(one), answers::outcome(other));
            if one != other {
                self.differ(&format!("{operation:?}"), &one, &other, operation.row());
            }
        }
        self.history
            .extend(operations.into_iter().filter(|operation| !matches!(operation, Operation::Get(_))));
        BATCH
    }

    fn scan(&mut self) {
        let scan = reads::scan(&mut self.random, &self.rows);
        self.compare_scan(&scan);
    }

    fn compare_scan(&mut self, scan: &Scan) {
        let [one, other] = [0, 1].map(|which| {
            let started = Instant::now();
            let answer = answers::scan(self.stores[which].1, &self.table, scan);
            self.times[which].scans += started.elapsed();
            answer
        });
        if one != other {
            let only_in = |one: &str, other: &str| {
                one.lines().find(|line| !other.lines().any(|known| known == *line)).map(str::to_owned)
            };
            let line = only_in(&other, &one).or_else(|| only_in(&one, &other));
            let line = line.unwrap_or_default();
            let row = line.split(" [").next().unwrap_or_default();
            let row = rowkey_core::escape::unescape(row).unwrap_or_default();
            self.differ(&format!("{scan:?}"), &one, &other, &row);
        }
    }

    fn differ(&mut self, what: &str, one: &str, other: &str, row: &[u8]) {
        self.differences += 1;
        if self.differences > 5 {
            return;
        }
        println!("--- difference {}: {what}", self.differences);
        for ((name, _), (this, that)) in self.stores.iter().zip([(one, other), (other, one)]) {
            println!("only {name}, of {} lines:", this.lines().count());
            this.lines()
                .filter(|line| !that.lines().any(|known| known == *line))
                .for_each(|line| println!("  {line}"));
        }
        println!("changes of row {} since the last compaction:", rowkey_core::escape::escape(row));
        for operation in self.history.iter().filter(|operation| operation.row() == row) {
            println!("  {operation:?}");
        }
    }

    fn compact(&mut self) {
        for (which, (name, store)) in self.stores.into_iter().enumerate() {
            let started = Instant::now();
            store.flush(&self.table).unwrap_or_else(|error| panic!("{name}: {error:?}"));
            store.major_compact(&self.table).unwrap_or_else(|error| panic!("{name}: {error:?}"));
            self.times[which].compactions += started.elapsed();
        }
        let all = Scan {
            raw: true,
            versions: rowkey_store::ALL_VERSIONS,
            ..Scan::new(rowkey_core::range::KeyRange::all())
        };
        self.compare_scan(&all);
        self.history.clear();
    }
}

/// The same operations to `local` and to HBase.
fn differ(local: (&'static str, &dyn Store)) {
    let operations = usize::try_from(number("ROWKEY_DIFFERENTIAL_OPERATIONS", 4000)).expect("a good number");
    let seed = number("ROWKEY_DIFFERENTIAL_SEED", 1);
    let hbase =
        HBaseStore::connect(&rowkey_testing::cluster::shared().zookeeper_url).expect("the cluster answers");
    let table: TableName =
        format!("differential_{}_{}", local.0, std::process::id()).parse().expect("a valid name");
    let stores = [local, ("hbase", &hbase as &dyn Store)];
    for (_, store) in stores {
        let splits: Vec<Vec<u8>> = words::SPLITS.iter().map(|split| split.to_vec()).collect();
        store.create_table(&words::table(table.clone()), &splits).expect("a new table");
    }
    let mut run = Run {
        stores,
        table,
        rows: words::rows(),
        random: Random::new(seed),
        differences: 0,
        times: Default::default(),
        history: Vec::new(),
    };
    // A region that is moved is flushed, and a flush removes what is hidden.
    let balanced = Admin::switch(&hbase, Chore::Balancer, false).expect("the cluster answers");
    let (started, mut done, mut compact_at) = (Instant::now(), 0, COMPACT_AFTER);
    while done < operations && run.differences == 0 {
        done += run.batch();
        for _ in 0..5 {
            run.scan();
            done += 1;
        }
        if done >= compact_at {
            run.compact();
            compact_at += COMPACT_AFTER;
        }
    }
    println!(
        "{done} operations with seed {seed} in {:.0} s: {} differences",
        started.elapsed().as_secs_f64(),
        run.differences
    );
    for ((name, _), times) in stores.iter().zip(&run.times) {
        let Times { operations, scans, compactions } = times;
        println!("{name}: operations {operations:.1?}, scans {scans:.1?}, compactions {compactions:.1?}");
    }
    let _ = Admin::switch(&hbase, Chore::Balancer, balanced);
    for (_, store) in stores {
        let _ = store.drop_table(&run.table);
    }
    assert_eq!(run.differences, 0, "repeat with ROWKEY_DIFFERENTIAL_SEED={seed}");
}

#[test]
fn the_embedded_store_and_hbase_give_the_same_answers() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let options = Options::default().durability(Durability::Buffered);
    let store = EmbeddedStore::open(folder.path(), options).expect("an empty folder");
    differ(("embedded", &store));
}

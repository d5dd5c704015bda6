//! Tables and cells in few words, for the cases.
//!
//! Cells are written as they are printed: `d:q@5=v` is family, qualifier, timestamp and value, `d:q@5/DeleteColumn` a
//! marker; without `@` a cell carries the time of the write.

use std::ops::Bound;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use rowkey_core::escape::escape;
use rowkey_core::range::KeyRange;

use crate::{
    Columns, Delete, Deletion, Direction, Family, Filter, Get, LATEST_TIMESTAMP, Operation, Outcome, Put,
    RowBatch, RowView, Scan, Store, StoreError, TableDescriptor, TableName, TimeRange,
};

/// A day, the time to live in the shared table, in milliseconds.
pub(crate) const DAY: i64 = 86_400_000;

static NEXT: AtomicU32 = AtomicU32::new(0);
static MAKING_SHARED: Mutex<()> = Mutex::new(());

/// The time by the clock of the machine, which is that of the store too.
pub(crate) fn now() -> i64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).expect("it is after 1970");
    i64::try_from(since_1970.as_millis()).expect("it is before the year 292,000,000")
}

fn number() -> u32 {
    NEXT.fetch_add(1, Ordering::Relaxed)
}

pub(crate) fn fresh_name() -> TableName {
    format!("conformance_{}_{}", std::process::id(), number()).parse().expect("the name is valid")
}

pub(crate) fn keys(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

/// A family with these versions.
pub(crate) fn family(name: &str, versions: u32) -> Family {
    Family { versions, ..Family::new(name) }
}

/// A new table's description.
pub(crate) fn descriptor(families: &[&str]) -> TableDescriptor {
    let families = families.iter().map(|&name| Family::new(name)).collect();
    TableDescriptor { name: fresh_name(), families, attributes: Default::default() }
}

/// Rows of one case: under a prefix of its own in the table that the cases share, or in a table of its own, which is
/// dropped at the end.
pub(crate) struct Rows<'a> {
    pub(crate) store: &'a dyn Store,
    pub(crate) table: TableName,
    prefix: String,
    is_own: bool,
}

impl<'a> Rows<'a> {
    /// Rows in the shared table. Families: `a` keeps 1 version, `d` 3; `t` keeps 3 for a day; `m` keeps 3 for a day, and
    /// the newest forever.
    pub(crate) fn shared(store: &'a dyn Store) -> Self {
        let table: TableName =
            format!("conformance_{}_shared", std::process::id()).parse().expect("the name is valid");
        let _one_at_a_time = MAKING_SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        if !store.table_exists(&table).expect("the store answers") {
            let day = Some(86_400);
            let families = vec![
                family("a", 1),
                family("d", 3),
                Family { ttl_seconds: day, ..family("t", 3) },
                Family { ttl_seconds: day, min_versions: 1, ..family("m", 3) },
            ];
            let shared = TableDescriptor { name: table.clone(), families, attributes: Default::default() };
            store.create_table(&shared, &[]).expect("the table is new and valid");
        }
        Self { store, table, prefix: format!("{:05}/", number()), is_own: false }
    }

    /// A table of the case's own, with these families of 3 versions each.
    pub(crate) fn own(store: &'a dyn Store, families: &[&str], splits: &[&str]) -> Self {
        let mut table = descriptor(families);
        table.families.iter_mut().for_each(|family| family.versions = 3);
        Self::of(store, &table, splits)
    }

    /// A table of the case's own, as described.
    pub(crate) fn of(store: &'a dyn Store, table: &TableDescriptor, splits: &[&str]) -> Self {
        store.create_table(table, &keys(splits)).expect("the table is new and valid");
        Self { store, table: table.name.clone(), prefix: String::new(), is_own: true }
    }

    pub(crate) fn key(&self, row: &str) -> Vec<u8> {
        format!("{}{row}", self.prefix).into_bytes()
    }

    /// A put of these cells.
    pub(crate) fn put_of(&self, row: &str, cells: &str) -> Put {
        cells.split_whitespace().fold(Put::new(self.key(row)), |put, text| {
            let (column, value) = text.split_once('=').expect("a cell has a value");
            let (family, qualifier, timestamp) = parse_column(column);
            put.cell_at(family, qualifier, timestamp, value)
        })
    }

    /// A delete of these markers; of the whole row if there are none.
    pub(crate) fn delete_of(&self, row: &str, markers: &str) -> Delete {
        let mut delete = Delete::row(self.key(row));
        for text in markers.split_whitespace() {
            let (column, kind) = text.split_once('/').expect("a marker has a kind");
            let (family, qualifier, timestamp) = parse_column(column);
            let (family, qualifier) = (family.into(), qualifier.into());
            delete.deletions.push(match kind {
                "DeleteFamily" => Deletion::Family { family, timestamp },
                "DeleteFamilyVersion" => Deletion::FamilyVersion { family, timestamp },
                "DeleteColumn" => Deletion::Column { family, qualifier, timestamp },
                "Delete" => Deletion::Version { family, qualifier, timestamp },
                other => panic!("no marker is called {other}"),
            });
        }
        delete
    }

    pub(crate) fn run(&self, operation: impl Into<Operation>) -> Result<Outcome, StoreError> {
        self.store.run(&self.table, &operation.into())
    }

    pub(crate) fn put(&self, row: &str, cells: &str) {
        self.run(self.put_of(row, cells)).expect("a good put");
    }

    pub(crate) fn delete(&self, row: &str, markers: &str) {
        self.run(self.delete_of(row, markers)).expect("a good delete");
    }

    /// Hides all cells of the row up to a time.
    pub(crate) fn delete_row(&self, row: &str, timestamp: i64) {
        self.run(Delete::row_at(self.key(row), timestamp)).expect("a good delete");
    }

    /// The newest versions of a row's cells.
    pub(crate) fn get(&self, row: &str) -> String {
        self.get_with(row, |get| get)
    }

    /// All versions of a row's cells.
    pub(crate) fn versions(&self, row: &str) -> String {
        self.get_with(row, |get| Get { versions: 100, ..get })
    }

    pub(crate) fn get_with(&self, row: &str, ask: impl FnOnce(Get) -> Get) -> String {
        let mut batch = RowBatch::new();
        let found =
            self.store.get(&self.table, &ask(Get::new(self.key(row))), &mut batch).expect("a good get");
        assert_eq!(found, !batch.is_empty());
        batch.rows().map(cells).collect()
    }

    /// The row's values without their timestamps.
    pub(crate) fn values(&self, row: &str) -> String {
        let mut batch = RowBatch::new();
        self.store.get(&self.table, &Get::new(self.key(row)), &mut batch).expect("a good get");
        without_times(&batch)
    }

    /// All rows of the case.
    pub(crate) fn scan(&self) -> String {
        self.scan_with(|scan| scan)
    }

    /// All rows of the case, as asked: `a d:q@5=v | b d:q@6=w`.
    pub(crate) fn scan_with(&self, ask: impl FnOnce(Scan) -> Scan) -> String {
        let found = self.scan_rows(&ask(Scan::prefix(self.prefix.as_bytes()))).expect("a good scan");
        let row = |row: RowView<'_>| {
            let key = row.key().strip_prefix(self.prefix.as_bytes()).unwrap_or(row.key());
            format!("{} {}", escape(key), cells(row))
        };
        found.rows().map(row).collect::<Vec<_>>().join(" | ")
    }

    /// What is stored, markers included.
    pub(crate) fn raw(&self) -> String {
        self.scan_with(|scan| Scan { raw: true, versions: 100, ..scan })
    }

    /// The keys of the rows that a filter lets through.
    pub(crate) fn rows_with(&self, filter: Filter) -> String {
        self.rows_of(|scan| Scan { filter: Some(filter), ..scan })
    }

    /// The rows and cells that a filter lets through.
    pub(crate) fn filtered(&self, filter: Filter) -> String {
        self.scan_with(|scan| Scan { filter: Some(filter), ..scan })
    }

    /// The same, backwards.
    pub(crate) fn filtered_back(&self, filter: Filter) -> String {
        self.scan_with(|scan| Scan { filter: Some(filter), direction: Direction::Reverse, ..scan })
    }

    /// The keys that a scan returns.
    pub(crate) fn rows_of(&self, ask: impl FnOnce(Scan) -> Scan) -> String {
        let found = self.scan_rows(&ask(Scan::prefix(self.prefix.as_bytes()))).expect("a good scan");
        let key = |row: RowView<'_>| {
            escape(row.key().strip_prefix(self.prefix.as_bytes()).unwrap_or(row.key())).to_string()
        };
        found.rows().map(key).collect::<Vec<_>>().join(" ")
    }

    pub(crate) fn scan_rows(&self, scan: &Scan) -> Result<RowBatch, StoreError> {
        let mut scanner = self.store.scan(&self.table, scan)?;
        let (mut all, mut batch) = (RowBatch::new(), RowBatch::new());
        while scanner.next_batch(&mut batch)? {
            assert!(!batch.is_empty(), "a batch without rows would look like the end");
            batch.rows().for_each(|row| all.push_row(row));
        }
        assert!(batch.is_empty(), "the batch after the last is empty");
        assert!(!scanner.next_batch(&mut batch)?, "the end stays the end");
        Ok(all)
    }

    /// The ranges of the regions.
    pub(crate) fn ranges(&self) -> String {
        let regions = self.store.regions(&self.table).expect("the table exists");
        regions.iter().map(|region| region.range.to_string()).collect::<Vec<_>>().join(" ")
    }

    /// The name of the region that starts at `start`.
    pub(crate) fn region(&self, start: &str) -> String {
        let starts = |range: &KeyRange| match &range.start {
            Bound::Unbounded => start.is_empty(),
            Bound::Included(key) | Bound::Excluded(key) => key == start.as_bytes(),
        };
        let regions = self.store.regions(&self.table).expect("the table exists");
        let found = regions.into_iter().find(|region| starts(&region.range));
        found.expect("there is such a region").name
    }
}

impl Drop for Rows<'_> {
    fn drop(&mut self) {
        if self.is_own {
            // A case that drops its table itself, or fails on the way, is judged by its own assertions.
            let _ = self.store.drop_table(&self.table);
        }
    }
}

fn parse_column(text: &str) -> (&str, &str, i64) {
    let (column, timestamp) = match text.split_once('@') {
        Some((column, timestamp)) => (column, timestamp.parse().expect("a timestamp is a number")),
        None => (text, LATEST_TIMESTAMP),
    };
    let (family, qualifier) = column.split_once(':').expect("a column has a family");
    (family, qualifier, timestamp)
}

fn cells(row: RowView<'_>) -> String {
    row.cells().map(|cell| format!("{cell:?}")).collect::<Vec<_>>().join(" ")
}

/// `d:q=v` for each cell.
pub(crate) fn without_times(batch: &RowBatch) -> String {
    let cells = batch.rows().flat_map(|row| row.cells());
    let cell = |cell: crate::CellView<'_>| {
        format!("{}:{}={}", escape(cell.family), escape(cell.qualifier), escape(cell.value))
    };
    cells.map(cell).collect::<Vec<_>>().join(" ")
}

/// Columns by their names: `d:q`, or `d` for a whole family.
pub(crate) fn only(columns: &str) -> Columns {
    let column = |text: &str| match text.split_once(':') {
        Some((family, qualifier)) => (family.as_bytes().to_vec(), Some(qualifier.as_bytes().to_vec())),
        None => (text.as_bytes().to_vec(), None),
    };
    Columns::Only(columns.split_whitespace().map(column).collect())
}

/// Timestamps from `min`, inclusive, to `max`, exclusive.
pub(crate) fn time(min: i64, max: i64) -> TimeRange {
    TimeRange::new(min, max).expect("a good range")
}

/// A range from one text, inclusive, to another, exclusive.
pub(crate) fn range(start: &str, end: &str) -> KeyRange {
    KeyRange::half_open(Some(start.as_bytes().to_vec()), Some(end.as_bytes().to_vec()))
}

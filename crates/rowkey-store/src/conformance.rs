//! Does a store answer as HBase does?
//!
//! One list of cases, each named after what HBase does, run on every store: the embedded one, a real HBase.
//! A store's test file is two lines:
//!
//! ```ignore
//! rowkey_store::conformance_suite!(|| my_store());
//! ```
//!
//! A case gets the store and a table name that nobody else uses, makes its table, and drops it when it is done.

use std::ops::Bound;
use std::sync::atomic::{AtomicU32, Ordering};

use rowkey::escape::escape;
use rowkey::range::KeyRange;

use crate::{
    Columns, Direction, Family, Get, LATEST_TIMESTAMP, MAX_ROW_LENGTH, RowBatch, Scan, Store, StoreError,
    TableDescriptor, TableName,
};

/// Makes one `#[test]` for each case. The argument is a function that returns something that derefs to a store.
#[macro_export]
macro_rules! conformance_suite {
    ($store:expr) => {
        $crate::conformance_suite!(@cases $store;
            create_keeps_families_and_attributes,
            creating_an_existing_table_is_refused,
            a_table_needs_a_family,
            split_points_must_differ_and_not_be_empty,
            unsorted_split_points_make_sorted_regions,
            a_dropped_table_is_gone_and_can_be_made_again,
            every_call_on_an_unknown_table_is_refused,
            a_row_comes_back_with_its_cells_in_order,
            a_missing_row_is_not_an_error,
            a_get_returns_only_the_columns_asked_for,
            an_unknown_family_is_refused_and_nothing_is_written,
            row_keys_have_1_to_32767_bytes,
            a_row_without_cells_is_refused,
            a_negative_timestamp_is_refused,
            the_newest_version_wins_whatever_the_order_of_writes,
            the_last_write_wins_at_the_same_timestamp,
            the_latest_timestamp_becomes_the_time_of_the_write,
            cells_past_their_time_to_live_are_hidden,
            values_may_be_empty_or_large,
            rows_sort_as_unsigned_bytes_across_regions,
            scan_bounds_are_inclusive_or_exclusive_as_asked,
            reverse_scan_is_the_forward_scan_backwards,
            a_limit_stops_a_scan_in_both_directions,
            a_scan_skips_rows_without_the_columns_asked_for,
            small_batches_lose_and_double_nothing,
            many_scans_at_once_read_their_own_ranges,
            an_empty_range_holds_no_rows,
        );
    };
    (@cases $store:expr; $($case:ident),+ $(,)?) => {
        $(
            #[test]
            fn $case() {
                let store = ($store)();
                $crate::conformance::$case(&*store);
            }
        )+
    };
}

/// A table of a case's own, dropped at the end.
struct Table<'a> {
    store: &'a dyn Store,
    name: TableName,
}

static NEXT_TABLE: AtomicU32 = AtomicU32::new(0);

fn fresh_name() -> TableName {
    let number = NEXT_TABLE.fetch_add(1, Ordering::Relaxed);
    format!("conformance_{}_{number}", std::process::id()).parse().expect("the name is valid")
}

fn descriptor(families: &[&str]) -> TableDescriptor {
    let families = families.iter().map(|&name| Family::new(name)).collect();
    TableDescriptor { name: fresh_name(), families, attributes: Default::default() }
}

fn keys(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

impl<'a> Table<'a> {
    fn create(store: &'a dyn Store, families: &[&str], splits: &[&str]) -> Self {
        Self::from(store, &descriptor(families), splits)
    }

    fn from(store: &'a dyn Store, table: &TableDescriptor, splits: &[&str]) -> Self {
        store.create_table(table, &keys(splits)).expect("the table is new and valid");
        Self { store, name: table.name.clone() }
    }

    /// Writes one cell a row, `d:q` = the row's key.
    fn put_rows(&self, rows: &[Vec<u8>]) {
        let mut batch = RowBatch::new();
        for row in rows {
            batch.begin_row(row);
            batch.cell(b"d", b"q", 1, row);
        }
        self.store.put_batch(&self.name, &batch).expect("the rows are valid");
    }

    fn put(&self, row: &[u8], cells: &[(&str, &str, i64, &str)]) -> Result<(), StoreError> {
        let mut batch = RowBatch::new();
        batch.begin_row(row);
        for (family, qualifier, timestamp, value) in cells {
            batch.cell(family.as_bytes(), qualifier.as_bytes(), *timestamp, value.as_bytes());
        }
        self.store.put_batch(&self.name, &batch)
    }

    fn get(&self, row: &[u8]) -> String {
        self.get_columns(row, Columns::All)
    }

    fn get_columns(&self, row: &[u8], columns: Columns) -> String {
        let mut batch = RowBatch::new();
        let get = Get { columns, ..Get::new(row) };
        let found = self.store.get(&self.name, &get, &mut batch).expect("a read of a good table works");
        assert_eq!(found, !batch.is_empty());
        format!("{batch:?}")
    }

    fn scan(&self, scan: &Scan) -> Vec<Vec<u8>> {
        let mut scanner = self.store.scan(&self.name, scan).expect("a scan of a good table opens");
        let mut batch = RowBatch::new();
        let mut found = Vec::new();
        while scanner.next_batch(&mut batch).expect("a scan of a good table goes on") {
            assert!(!batch.is_empty(), "a batch without rows would look like the end");
            found.extend(batch.rows().map(|row| row.key().to_vec()));
        }
        assert!(batch.is_empty(), "the batch after the last is empty");
        assert!(!scanner.next_batch(&mut batch).expect("the end stays the end"));
        found
    }

    fn scan_range(&self, start: Bound<&str>, end: Bound<&str>, direction: Direction) -> Vec<String> {
        let bytes = |bound: Bound<&str>| bound.map(|text| text.as_bytes().to_vec());
        let range = KeyRange { start: bytes(start), end: bytes(end) };
        let found = self.scan(&Scan { direction, ..Scan::new(range) });
        found.iter().map(|key| escape(key).to_string()).collect()
    }
}

impl Drop for Table<'_> {
    fn drop(&mut self) {
        // A case that drops its table itself, or fails on the way, is judged by its own assertions.
        let _ = self.store.drop_table(&self.name);
    }
}

/// What `describe` returns is what `create` was given.
pub fn create_keeps_families_and_attributes(store: &dyn Store) {
    let mut table = descriptor(&["a", "d"]);
    if let Some(family) = table.families.last_mut() {
        family.versions = 3;
        family.min_versions = 1;
        family.ttl_seconds = Some(86_400);
        family.attributes.insert("BLOCKSIZE".to_owned(), "32768".to_owned());
    }
    table.attributes.insert("ROWKEY".to_owned(), "[table]\nname = \"größe\"\n".to_owned());
    let made = Table::from(store, &table, &[]);
    let found = store.describe(&made.name).expect("the table exists");
    assert_eq!(found.name, table.name);
    assert_eq!(found.attributes.get("ROWKEY"), table.attributes.get("ROWKEY"));
    assert_eq!(found.families.len(), 2);
    for (found, given) in found.families.iter().zip(&table.families) {
        assert_eq!(
            (&found.name, found.versions, found.min_versions, found.ttl_seconds),
            (&given.name, given.versions, given.min_versions, given.ttl_seconds)
        );
    }
    assert_eq!(found.families[1].attributes.get("BLOCKSIZE").map(String::as_str), Some("32768"));
}

/// A second table of the same name is refused, and the first keeps its rows.
pub fn creating_an_existing_table_is_refused(store: &dyn Store) {
    let table = descriptor(&["d"]);
    let made = Table::from(store, &table, &[]);
    made.put(b"r", &[("d", "q", 1, "v")]).expect("a good row");
    let again = store.create_table(&table, &[]);
    assert!(matches!(again, Err(StoreError::TableExists { .. })), "{again:?}");
    assert_eq!(made.get(b"r"), "[r [d:q@1=v]]");
}

/// No family, no table.
pub fn a_table_needs_a_family(store: &dyn Store) {
    let table = descriptor(&[]);
    let made = store.create_table(&table, &[]);
    assert!(matches!(made, Err(StoreError::NoFamilies { .. })), "{made:?}");
    assert!(matches!(store.describe(&table.name), Err(StoreError::TableNotFound { .. })));
}

/// Refused split points leave no table behind.
pub fn split_points_must_differ_and_not_be_empty(store: &dyn Store) {
    let table = descriptor(&["d"]);
    let twice = store.create_table(&table, &keys(&["a", "b", "a"]));
    assert!(matches!(twice, Err(StoreError::DuplicateSplit { .. })), "{twice:?}");
    let empty = store.create_table(&table, &keys(&["", "b"]));
    assert!(matches!(empty, Err(StoreError::EmptySplit)), "{empty:?}");
    assert!(matches!(store.describe(&table.name), Err(StoreError::TableNotFound { .. })));
}

/// HBase sorts the split points it is given; n of them make n + 1 regions without gap or overlap.
pub fn unsorted_split_points_make_sorted_regions(store: &dyn Store) {
    let made = Table::create(store, &["d"], &["m", "c", "x"]);
    let regions = store.regions(&made.name).expect("the table exists");
    let ranges: Vec<String> = regions.iter().map(|region| region.range.to_string()).collect();
    assert_eq!(ranges, ["(-∞, c)", "[c, m)", "[m, x)", "[x, ∞)"]);
    let mut names: Vec<&str> = regions.iter().map(|region| region.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 4, "every region has a name of its own");
    assert!(names.iter().all(|name| name.starts_with(&format!("{},", made.name)) && name.ends_with('.')));
}

/// After a drop the name is free, and a new table of that name is empty.
pub fn a_dropped_table_is_gone_and_can_be_made_again(store: &dyn Store) {
    let table = descriptor(&["d"]);
    let first = Table::from(store, &table, &["m"]);
    first.put_rows(&keys(&["a", "z"]));
    store.drop_table(&first.name).expect("the table exists");
    assert!(matches!(store.describe(&first.name), Err(StoreError::TableNotFound { .. })));
    let second = Table::from(store, &table, &["m"]);
    assert_eq!(second.scan(&Scan::new(KeyRange::all())), Vec::<Vec<u8>>::new());
}

/// Each call says which table is missing.
pub fn every_call_on_an_unknown_table_is_refused(store: &dyn Store) {
    let name = fresh_name();
    let mut batch = RowBatch::new();
    batch.begin_row(b"r");
    batch.cell(b"d", b"q", 1, b"v");
    let errors = [
        store.describe(&name).err(),
        store.drop_table(&name).err(),
        store.put_batch(&name, &batch).err(),
        store.get(&name, &Get::new("r"), &mut RowBatch::new()).err(),
        first_batch(store, &name, &Scan::new(KeyRange::all())).err(),
        store.regions(&name).err(),
    ];
    for (call, error) in errors.iter().enumerate() {
        assert!(matches!(error, Some(StoreError::TableNotFound { .. })), "call {call}: {error:?}");
    }
}

/// A store may find out at the first batch that a scan cannot work.
fn first_batch(store: &dyn Store, table: &TableName, scan: &Scan) -> Result<RowBatch, StoreError> {
    let mut batch = RowBatch::new();
    store.scan(table, scan)?.next_batch(&mut batch)?;
    Ok(batch)
}

/// Cells come by family, then qualifier, in byte order, whatever the order of writing.
pub fn a_row_comes_back_with_its_cells_in_order(store: &dyn Store) {
    let made = Table::create(store, &["a", "d"], &[]);
    let cells =
        [("d", "z", 5, "1"), ("a", "b", 4, "2"), ("d", "", 3, "3"), ("d", "y", 2, ""), ("d", "ya", 2, "4")];
    made.put(b"r\x00\xff", &cells).expect("a good row");
    assert_eq!(made.get(b"r\x00\xff"), r"[r\x00\xFF [a:b@4=2, d:@3=3, d:y@2=, d:ya@2=4, d:z@5=1]]");
}

/// A row that does not exist is an answer.
pub fn a_missing_row_is_not_an_error(store: &dyn Store) {
    let made = Table::create(store, &["d"], &[]);
    made.put_rows(&keys(&["b"]));
    for missing in ["a", "b\0", "bb", "c"] {
        assert_eq!(made.get(missing.as_bytes()), "[]");
    }
}

/// Columns and whole families can be chosen.
pub fn a_get_returns_only_the_columns_asked_for(store: &dyn Store) {
    let made = Table::create(store, &["a", "d"], &[]);
    made.put(b"r", &[("a", "x", 1, "1"), ("a", "y", 1, "2"), ("d", "x", 1, "3"), ("d", "y", 1, "4")])
        .expect("a good row");
    let column = |family: &str, qualifier: Option<&str>| {
        (family.as_bytes().to_vec(), qualifier.map(|q| q.as_bytes().to_vec()))
    };
    let only = |columns: &[_]| made.get_columns(b"r", Columns::Only(columns.to_vec()));
    assert_eq!(only(&[column("a", Some("y"))]), "[r [a:y@1=2]]");
    assert_eq!(only(&[column("d", None), column("a", Some("x"))]), "[r [a:x@1=1, d:x@1=3, d:y@1=4]]");
    assert_eq!(only(&[column("a", Some("nothing"))]), "[]");
}

/// All rows of the batch are refused together.
pub fn an_unknown_family_is_refused_and_nothing_is_written(store: &dyn Store) {
    let made = Table::create(store, &["d"], &[]);
    let mut batch = RowBatch::new();
    batch.begin_row(b"good");
    batch.cell(b"d", b"q", 1, b"v");
    batch.begin_row(b"bad");
    batch.cell(b"e", b"q", 1, b"v");
    let refused = store.put_batch(&made.name, &batch);
    assert!(
        matches!(&refused, Err(StoreError::UnknownFamily { family, known, .. }) if family == "e" && known == &["d"]),
        "{refused:?}"
    );
    assert_eq!(made.get(b"good"), "[]");
    let columns = Columns::Only(vec![(b"e".to_vec(), None)]);
    let get = store.get(&made.name, &Get { columns: columns.clone(), ..Get::new("r") }, &mut RowBatch::new());
    assert!(matches!(get, Err(StoreError::UnknownFamily { .. })), "{get:?}");
    let scan = first_batch(store, &made.name, &Scan { columns, ..Scan::new(KeyRange::all()) });
    assert!(matches!(scan, Err(StoreError::UnknownFamily { .. })), "{scan:?}");
}

/// HBase keeps the length of a row key in a signed 16-bit number.
pub fn row_keys_have_1_to_32767_bytes(store: &dyn Store) {
    let made = Table::create(store, &["d"], &[]);
    for length in [0, MAX_ROW_LENGTH + 1] {
        let refused = made.put(&vec![b'x'; length], &[("d", "q", 1, "v")]);
        assert!(
            matches!(refused, Err(StoreError::RowKeyLength { length: l, .. }) if l == length),
            "{length}: {refused:?}"
        );
    }
    let zero_one: Vec<u8> = (0..MAX_ROW_LENGTH).map(|at| u8::from(at % 2 == 1)).collect();
    for longest in [vec![b'x'; MAX_ROW_LENGTH], vec![0; MAX_ROW_LENGTH], vec![0xFF; MAX_ROW_LENGTH], zero_one]
    {
        made.put(&longest, &[("d", "q", 1, "v")]).expect("the longest row key is fine");
        assert!(made.get(&longest).ends_with("[d:q@1=v]]"));
    }
}

/// A row exists only through its cells.
pub fn a_row_without_cells_is_refused(store: &dyn Store) {
    let made = Table::create(store, &["d"], &[]);
    let refused = made.put(b"r", &[]);
    assert!(matches!(refused, Err(StoreError::EmptyRow { .. })), "{refused:?}");
}

/// Timestamps start at 0.
pub fn a_negative_timestamp_is_refused(store: &dyn Store) {
    let made = Table::create(store, &["d"], &[]);
    let refused = made.put(b"r", &[("d", "q", -1, "v")]);
    assert!(matches!(refused, Err(StoreError::NegativeTimestamp { timestamp: -1, .. })), "{refused:?}");
    made.put(b"r", &[("d", "q", 0, "v")]).expect("0 is a timestamp");
    assert_eq!(made.get(b"r"), "[r [d:q@0=v]]");
}

/// Versions are ordered by timestamp, not by arrival.
pub fn the_newest_version_wins_whatever_the_order_of_writes(store: &dyn Store) {
    let mut table = descriptor(&["d"]);
    table.families[0].versions = 3;
    let made = Table::from(store, &table, &[]);
    for (time, value) in [(5, "five"), (9, "nine"), (7, "seven")] {
        made.put(b"r", &[("d", "q", time, value)]).expect("a good row");
    }
    assert_eq!(made.get(b"r"), "[r [d:q@9=nine]]");
}

/// The same coordinates name the same cell.
pub fn the_last_write_wins_at_the_same_timestamp(store: &dyn Store) {
    let made = Table::create(store, &["d"], &[]);
    made.put(b"r", &[("d", "q", 5, "first")]).expect("a good row");
    made.put(b"r", &[("d", "q", 5, "second")]).expect("a good row");
    assert_eq!(made.get(b"r"), "[r [d:q@5=second]]");
    let mut twice = RowBatch::new();
    for value in ["third", "fourth"] {
        twice.begin_row(b"r");
        twice.cell(b"d", b"q", 5, value.as_bytes());
    }
    store.put_batch(&made.name, &twice).expect("good rows");
    assert_eq!(made.get(b"r"), "[r [d:q@5=fourth]]");
}

/// A write without a timestamp gets the store's clock.
pub fn the_latest_timestamp_becomes_the_time_of_the_write(store: &dyn Store) {
    let made = Table::create(store, &["d"], &[]);
    made.put(b"r", &[("d", "q", 5, "old")]).expect("a good row");
    made.put(b"r", &[("d", "q", LATEST_TIMESTAMP, "new")]).expect("a good row");
    let mut batch = RowBatch::new();
    assert!(store.get(&made.name, &Get::new("r"), &mut batch).expect("a good get"));
    let row = batch.row(0).expect("the row was found");
    let cells: Vec<_> = row.cells().collect();
    let year_2020 = 1_577_836_800_000;
    assert!(
        matches!(&cells[..], [cell] if cell.value == b"new" && cell.timestamp > year_2020
        && cell.timestamp != LATEST_TIMESTAMP),
        "{cells:?}"
    );
}

/// A cell older than its family's time to live is not read.
pub fn cells_past_their_time_to_live_are_hidden(store: &dyn Store) {
    let mut table = descriptor(&["d", "e"]);
    table.families[0].ttl_seconds = Some(3600);
    let made = Table::from(store, &table, &[]);
    made.put(
        b"r",
        &[("d", "old", 1000, "gone"), ("d", "new", LATEST_TIMESTAMP, "here"), ("e", "old", 1000, "kept")],
    )
    .expect("a good row");
    made.put(b"s", &[("d", "old", 1000, "gone")]).expect("a good row");
    let seen = made.get(b"r");
    assert!(!seen.contains("gone") && seen.contains("=here") && seen.contains("e:old@1000=kept"), "{seen}");
    assert_eq!(made.get(b"s"), "[]");
    assert_eq!(made.scan(&Scan::new(KeyRange::all())), keys(&["r"]));
}

/// From no byte to a megabyte.
pub fn values_may_be_empty_or_large(store: &dyn Store) {
    let made = Table::create(store, &["d"], &[]);
    let large: Vec<u8> = (0..1 << 20).map(|i: u32| i.to_be_bytes()[3]).collect();
    let mut batch = RowBatch::new();
    batch.begin_row(b"r");
    batch.cell(b"d", b"empty", 1, b"");
    batch.cell(b"d", b"large", 1, &large);
    store.put_batch(&made.name, &batch).expect("a good row");
    let mut found = RowBatch::new();
    assert!(store.get(&made.name, &Get::new("r"), &mut found).expect("a good get"));
    assert!(found == batch, "the value came back changed");
}

/// Keys that a signed or a text comparison would put elsewhere, and keys that begin alike.
fn awkward_keys() -> Vec<Vec<u8>> {
    let mut rows: Vec<Vec<u8>> = vec![
        vec![0],
        vec![0, 0],
        vec![0, 0, 0],
        vec![0, 0, 1],
        vec![0, 1],
        vec![0, 0xFF],
        vec![1],
        vec![1, 0],
        b"a".to_vec(),
        b"a\0".to_vec(),
        b"a\0\0b".to_vec(),
        b"a\0b".to_vec(),
        b"a\x01".to_vec(),
        b"aa".to_vec(),
        vec![0x7F],
        vec![0x80],
        vec![0xFF],
        vec![0xFF, 0],
        vec![0xFF, 0xFF],
        vec![0xFF, 0xFF, 0xFF],
    ];
    rows.extend([126, 127, 128, 254, 255, 256, 300].iter().flat_map(|&zeros| {
        let run = [b"z".as_slice(), &vec![0; zeros]].concat();
        [run.clone(), [run.as_slice(), b"z"].concat()]
    }));
    rows
}

/// Row order is the order of unsigned bytes, over region borders too.
pub fn rows_sort_as_unsigned_bytes_across_regions(store: &dyn Store) {
    let made = Table::create(store, &["d"], &["\x01", "a\0", "aa", "z"]);
    let mut rows = awkward_keys();
    rows.reverse();
    made.put_rows(&rows);
    rows.sort();
    assert_eq!(made.scan(&Scan::new(KeyRange::all())), rows);
    for row in &rows {
        assert_ne!(made.get(row), "[]", "{}", escape(row));
    }
}

const LETTERS: [&str; 9] = ["a", "b", "c", "ca", "d", "e", "f", "g", "h"];

fn letters(store: &dyn Store) -> Table<'_> {
    let made = Table::create(store, &["d"], &["c", "e", "ea"]);
    made.put_rows(&keys(&LETTERS));
    made
}

/// Every pair of bounds over a table of four regions, against a filter by hand.
pub fn scan_bounds_are_inclusive_or_exclusive_as_asked(store: &dyn Store) {
    let made = letters(store);
    check_all_bounds(&made, Direction::Forward);
}

/// The same pairs, read backwards.
pub fn reverse_scan_is_the_forward_scan_backwards(store: &dyn Store) {
    let made = letters(store);
    check_all_bounds(&made, Direction::Reverse);

    let rows = {
        let mut rows = awkward_keys();
        made.put_rows(&rows);
        rows.extend(keys(&LETTERS));
        rows.sort();
        rows.dedup();
        rows.reverse();
        rows
    };
    let found = made.scan(&Scan { direction: Direction::Reverse, ..Scan::new(KeyRange::all()) });
    assert_eq!(found, rows);
}

fn check_all_bounds(made: &Table<'_>, direction: Direction) {
    let ends = |text: &'static str| [Bound::Included(text), Bound::Excluded(text)];
    let bounds: Vec<Bound<&str>> =
        ["b", "c", "cc", "e", "g"].into_iter().flat_map(ends).chain([Bound::Unbounded]).collect();
    for &start in &bounds {
        for &end in &bounds {
            let above = |key: &str| match start {
                Bound::Included(start) => key >= start,
                Bound::Excluded(start) => key > start,
                Bound::Unbounded => true,
            };
            let below = |key: &str| match end {
                Bound::Included(end) => key <= end,
                Bound::Excluded(end) => key < end,
                Bound::Unbounded => true,
            };
            let mut expected: Vec<&str> =
                LETTERS.into_iter().filter(|key| above(key) && below(key)).collect();
            if direction == Direction::Reverse {
                expected.reverse();
            }
            assert_eq!(made.scan_range(start, end, direction), expected, "{start:?} {end:?} {direction:?}");
        }
    }
}

/// A limit counts rows over all regions.
pub fn a_limit_stops_a_scan_in_both_directions(store: &dyn Store) {
    let made = letters(store);
    for limit in [0, 1, 2, 5, LETTERS.len(), 100] {
        let forward = made.scan(&Scan { limit: Some(limit), ..Scan::new(KeyRange::all()) });
        assert_eq!(forward, keys(&LETTERS[..limit.min(LETTERS.len())]), "limit {limit}");
        let scan = Scan { limit: Some(limit), direction: Direction::Reverse, ..Scan::new(KeyRange::all()) };
        let mut expected = keys(&LETTERS);
        expected.reverse();
        expected.truncate(limit);
        assert_eq!(made.scan(&scan), expected, "limit {limit}, reverse");
    }
}

/// A row without a matching cell does not exist for the scan, nor for its limit.
pub fn a_scan_skips_rows_without_the_columns_asked_for(store: &dyn Store) {
    let made = Table::create(store, &["a", "d"], &["m"]);
    for (row, family, qualifier) in
        [("b", "a", "x"), ("c", "d", "x"), ("k", "d", "y"), ("n", "a", "x"), ("p", "d", "x"), ("q", "d", "x")]
    {
        made.put(row.as_bytes(), &[(family, qualifier, 1, row)]).expect("a good row");
    }
    let only = |family: &str, qualifier: Option<&str>| {
        Columns::Only(vec![(family.as_bytes().to_vec(), qualifier.map(|q| q.as_bytes().to_vec()))])
    };
    let scan = |columns, limit| made.scan(&Scan { columns, limit, ..Scan::new(KeyRange::all()) });
    assert_eq!(scan(only("d", Some("x")), None), keys(&["c", "p", "q"]));
    assert_eq!(scan(only("d", None), None), keys(&["c", "k", "p", "q"]));
    assert_eq!(scan(only("d", Some("x")), Some(2)), keys(&["c", "p"]));
}

/// Batches are a matter of transport only.
pub fn small_batches_lose_and_double_nothing(store: &dyn Store) {
    let made = Table::create(store, &["d"], &["row-0100", "row-0333"]);
    let rows: Vec<Vec<u8>> = (0..500).map(|i| format!("row-{i:04}").into_bytes()).collect();
    made.put_rows(&rows);
    for batch_rows in [1, 7, 499, 500, 501] {
        let found = made.scan(&Scan { batch_rows, ..Scan::new(KeyRange::all()) });
        assert_eq!(found, rows, "batches of {batch_rows}");
    }
    let reverse = Scan { batch_rows: 7, direction: Direction::Reverse, ..Scan::new(KeyRange::all()) };
    assert!(made.scan(&reverse).iter().eq(rows.iter().rev()));
}

/// Scanners opened together are independent.
pub fn many_scans_at_once_read_their_own_ranges(store: &dyn Store) {
    let made = letters(store);
    let scans: Vec<Scan> =
        ["a", "c", "x", "h"].iter().map(|p| Scan::new(KeyRange::prefix(p.as_bytes()))).collect();
    let scanners = store.scan_many(&made.name, &scans).expect("good scans open");
    let mut found = Vec::new();
    for mut scanner in scanners {
        let mut batch = RowBatch::new();
        let mut rows = Vec::new();
        while scanner.next_batch(&mut batch).expect("good scans go on") {
            rows.extend(batch.rows().map(|row| row.key().to_vec()));
        }
        found.push(rows);
    }
    assert_eq!(found, [keys(&["a"]), keys(&["c", "ca"]), keys(&[]), keys(&["h"])]);
}

/// Bounds the wrong way round are an empty range, not an error.
pub fn an_empty_range_holds_no_rows(store: &dyn Store) {
    let made = letters(store);
    for direction in [Direction::Forward, Direction::Reverse] {
        for (start, end) in [
            (Bound::Included("e"), Bound::Excluded("c")),
            (Bound::Included("c"), Bound::Excluded("c")),
            (Bound::Excluded("c"), Bound::Included("c")),
            (Bound::Excluded("c"), Bound::Excluded("c")),
        ] {
            assert_eq!(made.scan_range(start, end, direction), Vec::<String>::new(), "{start:?} {end:?}");
        }
    }
}

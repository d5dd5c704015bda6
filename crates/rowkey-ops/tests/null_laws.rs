//! The law of nulls: whatever files are loaded, in whichever way and however often they are interrupted, the table is what a map
//! becomes that takes the records one by one. A null takes a value away; a field that a record does not mention keeps it.

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use rowkey_core::key::{Draw, Draws};
use rowkey_core::{KeyRange, Table, Value};
use rowkey_embedded::{Durability, EmbeddedStore, Options};
use rowkey_hbase::HBaseStore;
use rowkey_ops::load::{self, Data, LoadError, LoadOptions};
use rowkey_ops::{create, record};
use rowkey_store::{ALL_VERSIONS, RowBatch, RowStore, Scan, Store, TableName};
use rowkey_testing::cluster;

const TABLE: &str = r#"
[table]
name = "nulls"
key = "[k]"

[fields]
k = "text"
a = "i64?"
b = "text?"
pad = "text"

[families.d]
columns = { a = "a", b = "b", p = "pad" }
"#;

const INDEX: &str = "
[[index]]
name = \"nulls_by_a\"
key = \"[a][k]\"
columns = [\"b\"]
";

/// What a record says of a field.
#[derive(Debug, Clone)]
enum Said {
    Nothing,
    Null,
    Value(u32),
}

impl Said {
    fn draw(draws: &mut Draws, may_be_nothing: bool) -> Self {
        match draws.draw(5) {
            0 | 1 => Self::Null,
            2 if may_be_nothing => Self::Nothing,
            _ => Self::Value(draws.draw(1000)),
        }
    }

    fn apply(&self, to: &mut Option<u32>) {
        match self {
            Self::Nothing => {}
            Self::Null => *to = None,
            Self::Value(value) => *to = Some(*value),
        }
    }
}

type Map = BTreeMap<String, (Option<u32>, Option<u32>)>;

/// A file of records with a handful of keys, long enough that some make a chunk; the map takes the records.
fn file(draws: &mut Draws, json: bool, map: &mut Map) -> String {
    let length = [40, 30_000, 140_000][draws.draw(3) as usize];
    let without_a = !json && draws.draw(3) == 0;
    let mut text = match (json, without_a) {
        (true, _) => String::new(),
        (false, true) => "k,b,pad\n".to_owned(),
        (false, false) => "k,a,b,pad\n".to_owned(),
    };
    for _ in 0..6 + draws.draw(18) {
        let key = format!("k{}", draws.draw(4));
        let (a, b) = (Said::draw(draws, json), Said::draw(draws, json));
        let a = if without_a { Said::Nothing } else { a };
        let pad = "x".repeat(length);
        if json {
            let member = |name: &str, said: &Said, quote: &str| match said {
                Said::Nothing => String::new(),
                Said::Null => format!(",\"{name}\":null"),
                Said::Value(value) => format!(",\"{name}\":{quote}{value}{quote}"),
            };
            let (a, b) = (member("a", &a, ""), member("b", &b, "\""));
            text.push_str(&format!("{{\"k\":\"{key}\"{a}{b},\"pad\":\"{pad}\"}}\n"));
        } else {
            let cell = |said: &Said| match said {
                Said::Value(value) => value.to_string(),
                _ => String::new(),
            };
            let a = if without_a { String::new() } else { format!("{},", cell(&a)) };
            text.push_str(&format!("{key},{a}{},{pad}\n", cell(&b)));
        }
        let row = map.entry(key).or_default();
        a.apply(&mut row.0);
        b.apply(&mut row.1);
    }
    text
}

/// What is in the table.
fn rows(store: &dyn Store, table: &Table, name: &TableName) -> Map {
    let (mut batch, mut map) = (RowBatch::new(), Map::new());
    let mut scanner = store.scan(name, &Scan::new(KeyRange::all())).unwrap();
    while scanner.next_batch(&mut batch).unwrap() {
        for row in batch.rows() {
            let values = record::read(table, row).unwrap();
            let number = |value: &Value<'_>| match value {
                Value::Null => None,
                value => Some(value.to_string().parse().unwrap()),
            };
            map.insert(values[0].to_string(), (number(&values[1]), number(&values[2])));
        }
    }
    map
}

/// How often each thing happened, so that the law does not hold for want of cases.
#[derive(Debug, Default)]
struct Seen {
    kills: usize,
    in_bulk: usize,
    by_puts: usize,
}

/// Loads three files into one table and compares it after each.
fn law(store: &dyn Store, folder: &Path, source: &str, seed: u64, seen: &mut Seen) {
    let table = Table::parse("nulls.toml", source).unwrap();
    create::create(store, &table).unwrap();
    let open = create::open(store, &table).unwrap();
    let (mut draws, mut map) = (Draws::new(seed, 0), Map::new());
    for number in 0..3 {
        let json = draws.draw(3) > 0;
        let text = file(&mut draws, json, &mut map);
        let data = folder.join(format!("{seed}-{number}.{}", if json { "jsonl" } else { "csv" }));
        std::fs::write(&data, &text).unwrap();
        let bulk_from_bytes = if draws.draw(2) == 0 { 0 } else { u64::MAX };
        let options = LoadOptions { bulk_from_bytes, ..LoadOptions::new("here") };
        let run = |dies_after: Option<u32>| {
            let mut calls = 0;
            // After a chunk is written and before the checkpoint says so.
            let mut progress = |_| {
                calls += 1;
                assert!(dies_after.is_none_or(|dies| calls <= dies), "the process is killed");
            };
            load::run(store, &table, &open, &Data::File(data.clone()), &options, &mut progress)
        };
        for _ in 0..draws.draw(4) {
            let dies_after = Some(1 + draws.draw(6));
            seen.kills += usize::from(catch_unwind(AssertUnwindSafe(|| run(dies_after))).is_err());
        }
        match run(None).unwrap().in_bulk {
            true => seen.in_bulk += 1,
            false => seen.by_puts += 1,
        }
        assert_eq!(
            rows(store, &table, &open.name),
            map,
            "seed {seed}, file {number}:\n{}",
            text.replace("xx", "")
        );
        std::fs::remove_file(&data).unwrap();
    }
    for index in &open.indexes {
        let (mut entries, mut batch) = (0, RowBatch::new());
        let mut scanner = store.scan(&index.name, &Scan::new(KeyRange::all())).unwrap();
        while scanner.next_batch(&mut batch).unwrap() {
            entries += batch.len();
        }
        assert_eq!(entries, map.len(), "seed {seed}: an entry for each row");
    }
    create::drop(store, &table).unwrap();
}

fn cases() -> u64 {
    std::env::var("ROWKEY_NULL_CASES").map_or(24, |cases| cases.parse().unwrap())
}

#[test]
fn the_table_is_what_a_map_becomes_that_takes_the_records_one_by_one() {
    // The other tests of this process keep theirs.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !info.to_string().contains("the process is killed") {
            hook(info);
        }
    }));
    let folder = tempfile::tempdir().unwrap();
    let options = Options::default().durability(Durability::Buffered);
    let store = EmbeddedStore::open(&folder.path().join("store"), options).unwrap();
    let mut seen = Seen::default();
    for seed in 0..cases() {
        let indexed = format!("{TABLE}{INDEX}");
        law(&store, folder.path(), if seed % 4 == 3 { &indexed } else { TABLE }, seed, &mut seen);
    }
    assert!(seen.kills > 10 && seen.in_bulk > 5 && seen.by_puts > 5, "{seen:?}");
}

#[test]
fn the_same_on_hbase() {
    let store = HBaseStore::connect(&cluster::shared().zookeeper_url).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut seen = Seen::default();
    for seed in 1000..1004 {
        let own = format!("\"nulls_{}_{seed}", std::process::id());
        let source = if seed == 1000 { format!("{TABLE}{INDEX}") } else { TABLE.to_owned() };
        law(&store, folder.path(), &source.replace("\"nulls", &own), seed, &mut seen);
    }
    assert!(seen.kills > 0, "{seen:?}");
}

/// Loads JSON Lines into a table whose records say their times.
fn timed(store: &EmbeddedStore, folder: &Path, lines: &str, in_bulk: bool) -> Result<(), LoadError> {
    let source = TABLE
        .replace("key = \"[k]\"", "key = \"[k]\"\ncell_time = \"t\"")
        .replace("pad = \"text\"", "pad = \"text\"\nt = \"timestamp\"");
    let source = source.replace("p = \"pad\" }", "p = \"pad\", t = \"t\" }");
    let table = Table::parse("nulls.toml", &source).unwrap();
    if create::open(store, &table).is_err() {
        create::create(store, &table).unwrap();
    }
    let open = create::open(store, &table).unwrap();
    let data = folder.join("timed.jsonl");
    std::fs::write(&data, lines).unwrap();
    let bulk_from_bytes = if in_bulk { 0 } else { u64::MAX };
    let options = LoadOptions { bulk_from_bytes, restart: true, ..LoadOptions::new("here") };
    load::run(store, &table, &open, &Data::File(data), &options, &mut |_| {}).map(|_| ())
}

#[test]
fn with_times_of_their_own_a_value_after_a_null_of_its_time_is_refused() {
    let line = |time: u32, a: &str| format!("{{\"k\":\"k\",\"t\":{time},\"pad\":\"x\"{a}}}\n");
    let null = |time| line(time, ",\"a\":null");
    let value = |time, a: u32| line(time, &format!(",\"a\":{a}"));
    let values = |store: &EmbeddedStore| {
        let mut batch = RowBatch::new();
        let get = rowkey_store::Get { versions: ALL_VERSIONS, ..rowkey_store::Get::new("k") };
        store.get(&"nulls".parse().unwrap(), &get, &mut batch).unwrap();
        batch.row(0).unwrap().value(b"d", b"a").map(<[u8]>::to_vec)
    };
    for in_bulk in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let store = EmbeddedStore::open(&folder.path().join("store"), Options::default()).unwrap();
        let load = |lines: &str| timed(&store, folder.path(), lines, in_bulk);
        // In one file, and in one that comes after it.
        let refused = |outcome: Result<(), LoadError>| {
            let error = outcome.unwrap_err();
            assert!(matches!(&error, LoadError::ValueAfterNull { time: 5, .. }), "{error}");
            assert!(
                error.to_string().contains("field `a` has a value after a null at the same cell time, 5"),
                "{error}"
            );
            assert!(error.to_string().contains("give the record a later `t`"), "{error}");
        };
        refused(load(&(null(5) + &value(5, 1))));
        load(&(value(5, 1) + &null(5))).unwrap();
        assert_eq!(values(&store), None, "in bulk: {in_bulk}");
        match in_bulk {
            // Into an empty table no marker was written.
            true => load(&value(5, 2)).unwrap(),
            false => refused(load(&value(5, 2))),
        }
        // A later one is seen, and an earlier one is not to be seen.
        load(&value(6, 3)).unwrap();
        assert_eq!(values(&store).as_deref(), Some(&3_i64.to_be_bytes()[..]));
        load(&(value(4, 4) + &null(3))).unwrap();
        assert_eq!(values(&store).as_deref(), Some(&3_i64.to_be_bytes()[..]));
        load(&null(7)).unwrap();
        load(&value(6, 9)).unwrap();
        assert_eq!(values(&store), None);
    }
}

#[test]
fn a_bulk_load_into_an_empty_table_writes_no_markers() {
    let folder = tempfile::tempdir().unwrap();
    let store = EmbeddedStore::open(&folder.path().join("store"), Options::default()).unwrap();
    let table = Table::parse("nulls.toml", TABLE).unwrap();
    create::create(&store, &table).unwrap();
    let open = create::open(&store, &table).unwrap();
    let data = folder.path().join("data.csv");
    let options = LoadOptions { bulk_from_bytes: 0, ..LoadOptions::new("here") };
    let markers = |csv: &str| {
        std::fs::write(&data, csv).unwrap();
        let report =
            load::run(&store, &table, &open, &Data::File(data.clone()), &options, &mut |_| {}).unwrap();
        assert!(report.in_bulk);
        let scan = Scan { raw: true, versions: ALL_VERSIONS, ..Scan::new(KeyRange::all()) };
        let (mut scanner, mut batch, mut markers) =
            (store.scan(&open.name, &scan).unwrap(), RowBatch::new(), 0);
        while scanner.next_batch(&mut batch).unwrap() {
            markers += batch.rows().flat_map(|row| row.cells()).filter(|cell| cell.kind.is_marker()).count();
        }
        markers
    };
    assert_eq!(markers("k,a,b,pad\nx,1,,p\ny,,2,p\nx,,,p\n"), 0);
    assert_eq!(markers("k,a,b,pad\nx,1,,p\n"), 1);
}

//! Several files as one, and loads of them that stop anywhere.

use std::path::{Path, PathBuf};

use rowkey_core::Table as KeyTable;
use rowkey_embedded::{EmbeddedStore, Options};
use rowkey_ops::create;
use rowkey_ops::input::{InputOptions, expand};
use rowkey_ops::load::{self, Data, LoadError, LoadOptions};
use rowkey_ops::query::Cancel;
use rowkey_store::{RowBatch, Scan, Store};

use super::csv_files::pack;
use super::{in_batches, one_by_one};

#[test]
fn several_files_are_read_one_behind_the_other() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str, packing: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, pack(text.as_bytes(), packing)).unwrap();
        path
    };
    let first = write("b1.csv", "id,name\n1,x\n2,y\n", "");
    let second = write("b2.csv.gz", "name;id\nz;3\n", "gzip");
    let third = write("b3.csv.zst", "id\n4", "zstd");
    let key = KeyTable::parse("t", TABLE).unwrap();
    let fields = key.key.fields();
    let paths: [&Path; 3] = [&first, &second, &third];
    let found = one_by_one(&paths, &InputOptions::default(), fields).unwrap();
    let shown: Vec<String> = found.iter().map(|record| format!("{}:{}", record[0], record[1])).collect();
    assert_eq!(shown, ["1:x", "2:y", "3:z", "4:"]);
    assert_eq!(in_batches(&paths, &InputOptions::default(), fields).unwrap(), found);
    let pattern = folder.path().join("b*.csv*");
    assert_eq!(expand(&[pattern]).unwrap(), [first.clone(), second, third]);
    // A mistake is told with the file that has it, and its own line.
    let bad = write("bad.csv", "id,name\n1,x\nminus,y\n", "");
    for read in [one_by_one, in_batches] {
        let error = read(&[&first, &bad], &InputOptions::default(), fields).unwrap_err();
        assert!(error.contains("bad.csv, line 3: field `id`"), "{error}");
    }
    let json = write("c.jsonl", "{\"id\":1}\n", "");
    let error = one_by_one(&[&first, &json], &InputOptions::default(), fields).unwrap_err();
    assert!(error.contains("read files of one format together"), "{error}");
}

const TABLE: &str = "[table]\nname = \"t\"\nkey = \"[id]\"\n[fields]\nid = \"u64\"\nname = \"text?\"\n\
                     [families.d]\ncolumns = { n = \"name\" }\n";

/// All rows of the table, as bytes.
fn rows(store: &dyn Store) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut scanner =
        store.scan(&"t".parse().unwrap(), &Scan::new(rowkey_core::range::KeyRange::all())).unwrap();
    let (mut batch, mut rows) = (RowBatch::new(), Vec::new());
    while scanner.next_batch(&mut batch).unwrap() {
        for row in batch.rows() {
            rows.extend(row.cells().map(|cell| (row.key().to_vec(), cell.value.to_vec())));
        }
    }
    rows
}

/// Packed files, later ones with keys of earlier ones; the load is stopped behind every batch, and goes on.
#[test]
fn a_load_of_several_files_that_stops_anywhere_ends_with_every_record_once() {
    let folder = tempfile::tempdir().unwrap();
    let key = KeyTable::parse("t", TABLE).unwrap();
    let mut paths: Vec<PathBuf> = Vec::new();
    for (number, packing) in [(0_u64, "gzip"), (1, ""), (2, "zstd"), (3, "json")] {
        let record = |at: u64| (number * 4000 + at, format!("{number}-{at}"));
        let (name, text) = match packing {
            "json" => {
                let objects: Vec<String> = (0..6000)
                    .map(record)
                    .map(|(id, name)| format!("{{\"id\":{id},\n\"name\":\"{name}\"}}"))
                    .collect();
                ("3.json".to_owned(), format!("[{}]", objects.join(",\n")))
            }
            _ => {
                let lines: String =
                    (0..6000).map(record).map(|(id, name)| format!("{id};{name}\n")).collect();
                (format!("{number}.csv"), format!("id;name\n{lines}"))
            }
        };
        let path = folder.path().join(name);
        std::fs::write(&path, pack(text.as_bytes(), packing)).unwrap();
        paths.push(path);
    }
    let store = |name: &str| EmbeddedStore::open(&folder.path().join(name), Options::default()).unwrap();
    let load = |store: &EmbeddedStore, paths: &[PathBuf], stop: Option<u64>| {
        let open = create::open(store, &key).unwrap();
        let cancel = Cancel::new();
        let mut options = LoadOptions { cancel: cancel.clone(), ..LoadOptions::new("here") };
        options.asked.max_record = 1 << 20;
        // Behind the first batch that is more than the last time.
        let progress = &mut |at: load::LoadProgress| {
            if stop.is_some_and(|stop| at.position.rows > stop) {
                cancel.cancel();
            }
        };
        load::run(store, &key, &open, &Data::Files(paths.to_vec()), &options, progress)
    };
    let whole = store("whole");
    create::create(&whole, &key).unwrap();
    let report = load(&whole, &paths, None).unwrap();
    assert_eq!((report.rows, report.resumed_at), (24_000, None));
    let expected = rows(&whole);
    assert_eq!(expected.len(), 18_000, "later files replace rows of earlier ones");
    let checkpoints = || {
        std::fs::read_dir(folder.path())
            .unwrap()
            .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().ends_with(".rowkey-load"))
            .count()
    };
    assert_eq!(checkpoints(), 0);

    let stopped = store("stopped");
    create::create(&stopped, &key).unwrap();
    let (mut interrupted, mut loaded) = (0, 0);
    loop {
        match load(&stopped, &paths, Some(loaded)) {
            Err(LoadError::Interrupted { rows }) => {
                assert!(rows > loaded, "it goes on: {rows}");
                (interrupted, loaded) = (interrupted + 1, rows);
            }
            Ok(report) => {
                assert_eq!(report.rows, 24_000, "rows of files that were done before count");
                break;
            }
            Err(error) => panic!("{error}"),
        }
        assert!(interrupted < 200, "it goes on every time");
        assert!(checkpoints() > 0);
    }
    assert!(interrupted >= 4, "{interrupted} interruptions");
    assert_eq!(rows(&stopped), expected);
    assert_eq!(checkpoints(), 0);
}

/// A file that was packed anew, or is read in another way, does not go on as if nothing had happened.
#[test]
fn a_load_goes_on_only_with_the_same_file_read_the_same_way() {
    let folder = tempfile::tempdir().unwrap();
    let key = KeyTable::parse("t", TABLE).unwrap();
    let store = EmbeddedStore::open(&folder.path().join("store"), Options::default()).unwrap();
    create::create(&store, &key).unwrap();
    let path = folder.path().join("a.csv.gz");
    let write = |name: &str| {
        let lines: String = (0..50).map(|id| format!("{id},{name}{id}\n")).collect();
        std::fs::write(&path, pack(format!("id,name\n{lines}x,NA\n").as_bytes(), "gzip")).unwrap();
    };
    let load = |null: Option<&str>| {
        let mut options = LoadOptions::new("here");
        options.asked.dialect.nulls = null.map(|null| vec![null.to_owned()]);
        let open = create::open(&store, &key).unwrap();
        load::run(&store, &key, &open, &Data::File(path.clone()), &options, &mut |_| {})
    };
    write("a");
    let error = load(None).unwrap_err().to_string();
    assert!(error.contains("line 52"), "{error}");
    write("b");
    let error = load(None).unwrap_err().to_string();
    assert!(error.contains("was changed since the load was interrupted"), "{error}");
    write("a");
    // The same file, read with another null text: from the beginning.
    let error = load(Some("NA")).unwrap_err().to_string();
    assert!(error.contains("line 52"), "{error}");
}

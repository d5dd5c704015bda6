//! What a load accepts, refuses and remembers.

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

use std::path::PathBuf;

use rowkey::{KeyRange, Table};
use rowkey_embedded::{Durability, EmbeddedStore, Options};
use rowkey_ops::create;
use rowkey_ops::input::{InputError, LineProblem};
use rowkey_ops::load::{self, Checkpoint, Data, LoadError, LoadOptions, LoadReport};
use rowkey_store::{RowBatch, Scan, Store};

const TABLE: &str = r#"
[table]
name = "words"
key = "[salt(4, word)][word]|[n]"

[fields]
word = "text"
n = "u32"
note = "text"

[families.d]
versions = 10
columns = { n = "note" }
"#;

struct Place {
    folder: tempfile::TempDir,
    store: EmbeddedStore,
    table: Table,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let options = Options::default().durability(Durability::Buffered);
        let store = EmbeddedStore::open(&folder.path().join("store"), options).unwrap();
        let table = Table::parse("words.toml", TABLE).unwrap();
        create::create(&store, &table).unwrap();
        Self { folder, store, table }
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("words.csv")
    }

    fn load(&self, csv: &str) -> Result<LoadReport, LoadError> {
        std::fs::write(self.data(), csv).unwrap();
        self.load_again(false)
    }

    fn load_again(&self, restart: bool) -> Result<LoadReport, LoadError> {
        let open = create::open(&self.store, &self.table).unwrap();
        let options = LoadOptions { store_name: "here".to_owned(), restart, format: None };
        load::run(&self.store, &self.table, &open, &Data::File(self.data()), &options, &mut |_| {})
    }

    /// Every row with its cells' timestamps.
    fn rows(&self) -> Vec<(Vec<u8>, Vec<i64>)> {
        let name = "words".parse().unwrap();
        let mut scanner = self.store.scan(&name, &Scan::new(KeyRange::all())).unwrap();
        let (mut batch, mut rows) = (RowBatch::new(), Vec::new());
        while scanner.next_batch(&mut batch).unwrap() {
            rows.extend(
                batch
                    .rows()
                    .map(|row| (row.key().to_vec(), row.cells().map(|cell| cell.timestamp).collect())),
            );
        }
        rows
    }
}

fn problems(error: LoadError) -> (u64, Vec<LineProblem>) {
    match error {
        LoadError::Input(InputError::Line { line, problems, .. }) => (line, problems),
        other => panic!("{other}"),
    }
}

#[test]
fn columns_may_come_in_any_order_and_cells_may_be_quoted() {
    let place = Place::new();
    let report = place.load("n,note,word\n1,\"a, \"\"b\"\"\nc\",x\n2,,y\n").unwrap();
    assert_eq!((report.rows, report.resumed_at), (2, None));
    assert_eq!(place.rows().len(), 2);
    assert!(!Checkpoint::path(&place.data()).exists());
}

#[test]
fn everything_wrong_with_a_line_is_told_with_its_number() {
    let place = Place::new();
    let lines = |line: &str| format!("word,n,note\n\"two\nlines\",1,x\n\n{line}\n");
    let (line, found) = problems(place.load(&lines("a,minus,b")).unwrap_err());
    assert_eq!((line, found.len()), (5, 1), "a record over two lines and a blank line come before it");
    let (_, found) = problems(place.load(&lines("a,1")).unwrap_err());
    assert_eq!(found, [LineProblem::CellCount { expected: 3, found: 2 }]);
    let (line, found) = problems(place.load(&lines("a|b,1,x")).unwrap_err());
    assert_eq!(line, 5);
    assert!(found[0].to_string().contains("contains the delimiter `|`"), "{found:?}");
    std::fs::write(place.data(), b"word,n,note\nok,1,x\n\xFF,1,x\n").unwrap();
    let (line, found) = problems(place.load_again(true).unwrap_err());
    assert_eq!(line, 3);
    assert!(found[0].to_string().contains("not UTF-8"), "{found:?}");
}

#[test]
fn an_empty_file_has_no_header() {
    let place = Place::new();
    let error = place.load("").unwrap_err();
    assert!(error.to_string().contains("there is no column for `word`, `n`, `note`"), "{error}");
}

#[test]
fn a_resumed_load_writes_identical_cells() {
    let place = Place::new();
    let mut csv = String::from("word,n,note\n");
    for number in 0..20_000 {
        csv.push_str(&format!("word{number},{number},note {number}\n"));
    }
    let bad = format!("{csv}oops\n");
    let (line, _) = problems(place.load(&bad).unwrap_err());
    assert_eq!(line, 20_002);
    let time = place.rows()[0].1[0];

    let good = format!("{csv}last,1,x\n");
    let report = place.load(&good).unwrap();
    assert_eq!(report.rows, 20_001);
    let resumed = report.resumed_at.unwrap();
    assert_eq!((resumed.line, resumed.rows), (20_002, 20_000));
    let rows = place.rows();
    assert_eq!(rows.len(), 20_001);
    assert!(rows.iter().all(|(_, times)| times == &[time]), "one load, one time");
}

#[test]
fn a_checkpoint_holds_only_for_the_data_and_table_that_it_was_made_with() {
    let place = Place::new();
    let csv = "word,n,note\na,1,x\nb,2,y\noops\n";
    place.load(csv).unwrap_err();
    assert!(Checkpoint::path(&place.data()).exists());

    // Other data before the bad line: from the beginning.
    let report = place.load("word,n,note\nc,1,x\nb,2,y\nd,3,z\n").unwrap();
    assert_eq!((report.rows, report.resumed_at), (3, None));

    // The table was dropped and made again: from the beginning, or its rows would be missing.
    place.load(csv).unwrap_err();
    place.store.drop_table(&"words".parse().unwrap()).unwrap();
    create::create(&place.store, &place.table).unwrap();
    let report = place.load("word,n,note\na,1,x\nb,2,y\nd,3,z\n").unwrap();
    assert_eq!((report.rows, report.resumed_at), (3, None));
    assert_eq!(place.rows().len(), 3);

    // A broken checkpoint is as good as none.
    std::fs::write(Checkpoint::path(&place.data()), "{").unwrap();
    assert_eq!(place.load_again(false).unwrap().resumed_at, None);

    // And nobody who asks for a restart gets the middle.
    place.load(csv).unwrap_err();
    assert_eq!(problems(place.load_again(true).unwrap_err()).0, 4);
}

#[test]
fn a_record_without_columns_is_still_a_row() {
    let folder = tempfile::tempdir().unwrap();
    let store = EmbeddedStore::open(&folder.path().join("store"), Options::default()).unwrap();
    let source = "[table]\nname = \"seen\"\nkey = \"[word]\"\n[fields]\nword = \"text\"\n[families.d]\n";
    let table = Table::parse("seen.toml", source).unwrap();
    create::create(&store, &table).unwrap();
    let open = create::open(&store, &table).unwrap();
    let data = folder.path().join("seen.csv");
    std::fs::write(&data, "word\na\nb\n").unwrap();
    let options = LoadOptions { store_name: "here".to_owned(), restart: false, format: None };
    let report = load::run(&store, &table, &open, &Data::File(data), &options, &mut |_| {}).unwrap();
    assert_eq!(report.rows, 2);
    let mut batch = RowBatch::new();
    assert!(store.get(&open.name, &rowkey_store::Get::new("a"), &mut batch).unwrap());
    assert_eq!(batch.row(0).unwrap().value(b"d", b"_"), Some(&b""[..]));
}

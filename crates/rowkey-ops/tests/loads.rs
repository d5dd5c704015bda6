//! What a load accepts, refuses and remembers.

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

use std::path::PathBuf;

use rowkey_core::{KeyRange, Table};
use rowkey_embedded::{Durability, EmbeddedStore, Options};
use rowkey_ops::create;
use rowkey_ops::input::{Format, InputError, LineProblem, Records, Source};
use rowkey_ops::load::{self, BegunAnew, Checkpoint, Data, LoadError, LoadOptions, LoadReport};
use rowkey_ops::output_file::OutputError;
use rowkey_store::{Admin, Delete, Mutation, RowBatch, RowStore, Scan, TruncateSplits};

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

struct Fixture {
    folder: tempfile::TempDir,
    store: EmbeddedStore,
    table: Table,
}

impl Fixture {
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
        self.load_with(&LoadOptions { restart, ..LoadOptions::new("here") }, |_| {})
    }

    fn load_with(
        &self,
        options: &LoadOptions,
        mut progress: impl FnMut(load::LoadProgress),
    ) -> Result<LoadReport, LoadError> {
        let open = create::open(&self.store, &self.table).unwrap();
        load::run(&self.store, &self.table, &open, &Data::File(self.data()), options, &mut progress)
    }

    /// Options that leave bad records out, and put rows or load them in bulk.
    fn skipping(&self, in_bulk: bool) -> LoadOptions {
        LoadOptions {
            skip_bad: Some(self.folder.path().join("bad.jsonl")),
            bulk_from_bytes: if in_bulk { 0 } else { u64::MAX },
            // Little enough that sorting spills.
            sort_memory: 100_000,
            ..LoadOptions::new("here")
        }
    }

    /// The numbers of the lines that were left out.
    fn bad_lines(&self) -> Vec<u64> {
        let text = std::fs::read_to_string(self.folder.path().join("bad.jsonl")).unwrap();
        let line =
            |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["line"].as_u64().unwrap();
        text.lines().map(line).collect()
    }

    /// Every row with its values.
    fn values(&self) -> Vec<(Vec<u8>, Vec<Vec<u8>>)> {
        let name = "words".parse().unwrap();
        let scan = Scan { versions: 10, ..Scan::new(KeyRange::all()) };
        let mut scanner = self.store.scan(&name, &scan).unwrap();
        let (mut batch, mut rows) = (RowBatch::new(), Vec::new());
        while scanner.next_batch(&mut batch).unwrap() {
            rows.extend(batch.rows().map(|row| {
                (
                    row.key().to_vec(),
                    row.cells().map(|cell| [cell.qualifier, b"=", cell.value].concat()).collect(),
                )
            }));
        }
        rows
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
    let place = Fixture::new();
    let report = place.load("n,note,word\n1,\"a, \"\"b\"\"\nc\",x\n2,,y\n").unwrap();
    assert_eq!((report.rows, report.resumed_at), (2, None));
    assert_eq!(place.rows().len(), 2);
    assert!(!Checkpoint::path(&place.data()).exists());
}

#[test]
fn everything_wrong_with_a_line_is_told_with_its_number() {
    let place = Fixture::new();
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
    let place = Fixture::new();
    let error = place.load("").unwrap_err();
    assert!(error.to_string().contains("is empty: it has no fields and no records"), "{error}");
}

#[test]
fn a_resumed_load_writes_identical_cells() {
    let place = Fixture::new();
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
fn what_was_loaded_before_is_told_apart_in_the_progress() {
    let place = Fixture::new();
    place.load("word,n,note\na,1,x\noops\n").unwrap_err();
    std::fs::write(place.data(), "word,n,note\na,1,x\nb,2,y\n").unwrap();
    let mut told = Vec::new();
    place.load_with(&LoadOptions::new("here"), |at| told.push((at.position.rows, at.resumed))).unwrap();
    assert_eq!((told.first(), told.last()), (Some(&(1, true)), Some(&(2, false))), "{told:?}");
}

#[test]
fn a_checkpoint_holds_only_for_the_data_and_table_that_it_was_made_with() {
    let place = Fixture::new();
    let csv = "word,n,note\na,1,x\nb,2,y\noops\n";
    place.load(csv).unwrap_err();
    assert!(Checkpoint::path(&place.data()).exists());

    // Other data before the bad line: refused, because rows of the lines that are gone are in the table.
    let error = place.load("word,n,note\nc,1,x\nb,2,y\nd,3,z\n").unwrap_err();
    assert!(matches!(&error, LoadError::DataChanged { same: 0, .. }), "{error}");
    assert!(error.to_string().contains("`restart`"), "{error}");
    let report = place.load_again(true).unwrap();
    assert_eq!((report.rows, report.resumed_at, report.begun_anew), (3, None, None));

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

    // And a restart does not begin in the middle.
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
    let options = LoadOptions::new("here");
    let report = load::run(&store, &table, &open, &Data::File(data), &options, &mut |_| {}).unwrap();
    assert_eq!(report.rows, 2);
    let mut batch = RowBatch::new();
    assert!(store.get(&open.name, &rowkey_store::Get::new("a"), &mut batch).unwrap());
    assert_eq!(batch.row(0).unwrap().value(b"d", b"_"), Some(&b""[..]));
}

/// Lines with records that come again with other notes, quotes and blank lines, over several blocks.
fn lines(count: usize) -> String {
    let mut csv = String::from("word,n,note\n");
    for at in 0..count {
        let number = at * 7919 % (count * 2 / 3);
        match at % 50 {
            0 => csv.push_str(&format!("\"two\nlines {number}\",{number},\"note, {at}\"\n\n")),
            _ => csv.push_str(&format!("word{number},{number},note {at}\n")),
        }
    }
    csv
}

#[test]
fn all_cores_write_what_one_would() {
    let csv = lines(30_000);
    // One by one: what the rows are.
    let expected = {
        let place = Fixture::new();
        let source = Source::stream(std::io::Cursor::new(csv.clone().into_bytes()));
        let mut records = Records::open(source, Format::Csv, place.table.key.fields(), "data").unwrap();
        let mut writer = rowkey_ops::record::RowWriter::new(&place.table).cell_time(5);
        let mut rows = RowBatch::new();
        while records.next(|number, record| writer.write(number, record, &mut rows)).unwrap() {}
        place.store.put_batch(&"words".parse().unwrap(), &rows).unwrap();
        place.values()
    };
    assert_eq!(expected.len(), 20_000, "one in three comes again");
    for in_bulk in [false, true] {
        let place = Fixture::new();
        std::fs::write(place.data(), &csv).unwrap();
        let report = place.load_with(&place.skipping(in_bulk), |_| {}).unwrap();
        assert_eq!((report.rows, report.skipped, report.in_bulk), (30_000, 0, in_bulk));
        assert!(place.values() == expected, "in bulk: {in_bulk}");
        let writes: u64 =
            place.store.regions(&"words".parse().unwrap()).unwrap().iter().map(|region| region.writes).sum();
        assert_eq!(writes, 30_000);
    }
}

/// The process ends after rows and bad records are written and before the checkpoint says so.
#[test]
fn a_killed_load_goes_on_with_every_record_and_every_bad_one_once() {
    let mut csv = String::from("word,n,note\n");
    for at in 0..60_000 {
        match at % 1000 {
            17 => csv.push_str("oops\n"),
            18 => csv.push_str(&format!("word{at},minus,note\n")),
            _ => csv.push_str(&format!("word{at},{at},note {at}\n")),
        }
    }
    let expected: Vec<u64> =
        (0..60_000u64).filter(|at| matches!(at % 1000, 17 | 18)).map(|at| at + 2).collect();
    for in_bulk in [false, true] {
        let place = Fixture::new();
        std::fs::write(place.data(), &csv).unwrap();
        for dies_after in [1, 2, 4, 3] {
            let (mut calls, options) = (0, place.skipping(in_bulk));
            let killed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                place.load_with(&options, |_| {
                    calls += 1;
                    assert!(calls <= dies_after, "the process is killed");
                })
            }));
            assert!(killed.is_err());
        }
        assert_eq!(place.rows().is_empty(), in_bulk, "in bulk nothing is there before all is");
        let report = place.load_with(&place.skipping(in_bulk), |_| {}).unwrap();
        assert_eq!((report.rows, report.skipped, report.in_bulk), (59_880, 120, in_bulk));
        assert_eq!(report.resumed_at.is_some(), !in_bulk);
        assert_eq!(place.bad_lines(), expected, "in bulk: {in_bulk}");
        let rows = place.rows();
        assert_eq!(rows.len(), 59_880);
        assert!(rows.iter().all(|(_, times)| times == &rows[0].1), "one load, one time");
        assert!(!Checkpoint::path(&place.data()).exists());
    }
}

#[test]
fn a_bad_line_ends_a_bulk_load_with_the_rows_before_it() {
    let place = Fixture::new();
    let csv = lines(5_000);
    std::fs::write(place.data(), format!("{csv}oops\n")).unwrap();
    let options = LoadOptions { bulk_from_bytes: 0, ..LoadOptions::new("here") };
    let (_, found) = problems(place.load_with(&options, |_| {}).unwrap_err());
    assert_eq!(found, [LineProblem::CellCount { expected: 3, found: 1 }]);
    let time = place.rows()[0].1[0];
    std::fs::write(place.data(), format!("{csv}last,1,x\n")).unwrap();
    let report = place.load_with(&options, |_| {}).unwrap();
    assert_eq!((report.rows, report.resumed_at.unwrap().rows, report.in_bulk), (5_001, 5_000, false));
    assert!(place.rows().iter().all(|(_, times)| times == &[time]), "one load, one time");
}

#[test]
fn bad_records_are_kept_with_their_line_and_reason_and_nothing_is_overwritten() {
    let place = Fixture::new();
    let bad = place.folder.path().join("bad.jsonl");
    std::fs::write(place.data(), "word,n,note\na,1,x\n\"b\",minus,\"y, z\"\nc|d,2,x\ne,3,x\n").unwrap();
    let report = place.load_with(&place.skipping(false), |_| {}).unwrap();
    assert_eq!((report.rows, report.skipped), (2, 2));
    let text = std::fs::read_to_string(&bad).unwrap();
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["line"], 3);
    assert_eq!(lines[0]["record"], "b,minus,\"y, z\"");
    assert!(lines[0]["problems"][0].as_str().unwrap().contains("field `n`"), "{text}");
    assert!(lines[1]["problems"][0].as_str().unwrap().contains("contains the delimiter `|`"), "{text}");

    let error = place.load_with(&place.skipping(false), |_| {}).unwrap_err();
    assert!(matches!(&error, LoadError::SkipFileInUse { .. }), "{error}");
    assert_eq!(std::fs::read_to_string(&bad).unwrap(), text);
    let restarted = LoadOptions { restart: true, ..place.skipping(false) };
    assert_eq!(place.load_with(&restarted, |_| {}).unwrap().skipped, 2);
    assert_eq!(place.bad_lines(), [3, 4]);
    let nowhere = LoadOptions { skip_bad: Some(place.folder.path().join("no/bad")), ..place.skipping(false) };
    assert!(matches!(place.load_with(&nowhere, |_| {}).unwrap_err(), LoadError::SkipFile { .. }));
}

/// A load of these lines that stopped at a bad one behind them.
fn interrupted(place: &Fixture, csv: &str, in_bulk: bool) -> LoadOptions {
    let options =
        LoadOptions { bulk_from_bytes: if in_bulk { 0 } else { u64::MAX }, ..LoadOptions::new("here") };
    std::fs::write(place.data(), format!("{csv}oops\n")).unwrap();
    problems(place.load_with(&options, |_| {}).unwrap_err());
    options
}

#[test]
fn a_checkpoint_does_not_outlive_the_contents_of_the_table() {
    let name = "words".parse().unwrap();
    let truncate = |place: &Fixture, splits| place.store.truncate_table(&name, splits).unwrap();
    let lose_family = |place: &Fixture| {
        let whole = place.store.describe(&name).unwrap();
        let mut without = whole.clone();
        without.families[0].name = "e".to_owned();
        place.store.alter_table(&without).unwrap();
        place.store.alter_table(&whole).unwrap();
    };
    let delete = |place: &Fixture| {
        for (key, _) in place.rows() {
            place.store.mutate(&name, Mutation::Delete(Delete::row(key))).unwrap();
        }
    };
    let csv = lines(5_000);
    let rows = 3_400;
    type Ends<'a> = (&'a str, &'a dyn Fn(&Fixture), BegunAnew);
    let ends: [Ends<'_>; 4] = [
        ("truncate", &|place| truncate(place, TruncateSplits::Drop), BegunAnew::ContentsGone),
        ("truncate_preserve", &|place| truncate(place, TruncateSplits::Keep), BegunAnew::ContentsGone),
        ("a family lost", &lose_family, BegunAnew::ContentsGone),
        ("all rows deleted", &delete, BegunAnew::RowsGone),
    ];
    for in_bulk in [false, true] {
        for (how, end, reason) in ends {
            let place = Fixture::new();
            let options = interrupted(&place, &csv, in_bulk);
            assert_eq!(place.rows().len(), rows, "before: {how}");
            end(&place);
            assert_eq!(place.rows().len(), 0, "after: {how}");
            std::fs::write(place.data(), &csv).unwrap();
            let report = place.load_with(&options, |_| {}).unwrap();
            assert_eq!((report.rows, report.resumed_at), (5_000, None), "{how}, in bulk: {in_bulk}");
            assert_eq!(report.begun_anew, Some(reason), "{how}, in bulk: {in_bulk}");
            assert_eq!(place.rows().len(), rows, "{how}, in bulk: {in_bulk}");
        }
    }
}

#[test]
fn a_store_restored_to_an_older_state_gets_all_rows() {
    let place = Fixture::new();
    let csv = lines(5_000);
    let options = interrupted(&place, &csv, false);
    // The file beside the data says more than the store, whose own word counts.
    let path = Checkpoint::path(&place.data());
    let mut ahead: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    ahead["position"]["rows"] = 1_000_000.into();
    std::fs::write(&path, ahead.to_string()).unwrap();
    std::fs::write(place.data(), &csv).unwrap();
    let report = place.load_with(&options, |_| {}).unwrap();
    assert_eq!((report.rows, report.resumed_at.unwrap().rows), (5_000, 5_000));
}

#[test]
fn a_checkpoint_of_an_older_version_is_not_believed() {
    let place = Fixture::new();
    let csv = lines(5_000);
    let options = interrupted(&place, &csv, false);
    place.store.truncate_table(&"words".parse().unwrap(), TruncateSplits::Keep).unwrap();
    // As the version before this one wrote it (testdata/checkpoints), for this table.
    let path = Checkpoint::path(&place.data());
    let own: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let mut old: serde_json::Value =
        serde_json::from_str(include_str!("../../../testdata/checkpoints/load-form-1.json")).unwrap();
    old["table_id"] = own["table_id"].clone();
    assert_eq!((&old["table"], &old["store"]), (&"words".into(), &"here".into()));
    std::fs::write(&path, old.to_string()).unwrap();
    std::fs::write(place.data(), &csv).unwrap();
    let report = place.load_with(&options, |_| {}).unwrap();
    assert_eq!((report.resumed_at, report.begun_anew), (None, Some(BegunAnew::OlderCheckpoint)));
    assert_eq!(place.rows().len(), 3_400);
    assert!(!path.exists());
    // One of a version to come.
    let mut newer = own;
    newer["version"] = 99.into();
    std::fs::write(&path, newer.to_string()).unwrap();
    let report = place.load_with(&options, |_| {}).unwrap();
    assert_eq!((report.resumed_at, report.begun_anew), (None, Some(BegunAnew::NewerCheckpoint)));
}

#[test]
fn data_that_was_changed_anywhere_before_the_checkpoint_is_refused() {
    for in_bulk in [false, true] {
        let place = Fixture::new();
        let csv = lines(30_000);
        assert!(csv.len() > 500_000);
        let options = interrupted(&place, &csv, in_bulk);
        let read = std::fs::metadata(place.data()).unwrap().len() as usize - "oops\n".len();
        let before = place.rows();
        // The first byte, one behind the first 64 KiB, the last that was read; and a shorter file.
        for at in [0, 70_000, 400_000, read - 2] {
            let mut edited = format!("{csv}last,1,x\n").into_bytes();
            edited[at] = edited[at].wrapping_add(1);
            std::fs::write(place.data(), &edited).unwrap();
            match place.load_with(&options, |_| {}).unwrap_err() {
                LoadError::DataChanged { same, read: position, .. } => {
                    assert_eq!(position.byte as usize, read);
                    assert!(same as usize <= at, "{same} bytes are the same, and {at} was changed");
                    assert!(at < 300_000 || same > 0, "the place is told roughly");
                }
                other => panic!("{other}"),
            }
        }
        std::fs::write(place.data(), &csv[..read / 2]).unwrap();
        let error = place.load_with(&options, |_| {}).unwrap_err();
        assert!(matches!(error, LoadError::DataChanged { .. }), "{error}");
        assert_eq!(place.rows(), before, "nothing was written");
        // What comes behind may be anything.
        std::fs::write(place.data(), format!("{csv}last,1,x\n")).unwrap();
        let report = place.load_with(&options, |_| {}).unwrap();
        assert_eq!((report.rows, report.resumed_at.unwrap().rows), (30_001, 30_000));
    }
}

#[test]
fn the_data_is_not_overwritten_by_its_bad_records() {
    let place = Fixture::new();
    let csv = "word,n,note\na,1,x\noops\n";
    std::fs::write(place.data(), csv).unwrap();
    let table = place.folder.path().join("words.toml");
    std::fs::write(&table, TABLE).unwrap();
    let foreign = place.folder.path().join("letter.txt");
    std::fs::write(&foreign, "Dear reader,\n").unwrap();
    let (soft, hard) = (place.folder.path().join("soft"), place.folder.path().join("hard"));
    std::os::unix::fs::symlink(place.data(), &soft).unwrap();
    std::fs::hard_link(place.data(), &hard).unwrap();
    for restart in [false, true] {
        for path in [place.data(), table.clone(), soft.clone(), hard.clone(), foreign.clone()] {
            let options = LoadOptions {
                skip_bad: Some(path.clone()),
                inputs: vec![table.clone()],
                restart,
                ..LoadOptions::new("here")
            };
            let error = place.load_with(&options, |_| {}).unwrap_err();
            let is_foreign = matches!(&error, LoadError::SkipFileInUse { .. });
            let is_input = matches!(&error, LoadError::Output(OutputError::IsInput { .. }));
            assert!(if path == foreign { is_foreign } else { is_input }, "{}: {error}", path.display());
        }
    }
    assert_eq!(std::fs::read_to_string(place.data()).unwrap(), csv);
    assert_eq!(std::fs::read_to_string(&table).unwrap(), TABLE);
    assert_eq!(std::fs::read_to_string(&foreign).unwrap(), "Dear reader,\n");
}

#[test]
fn what_is_no_regular_file_is_refused_and_not_waited_for() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    let place = Fixture::new();
    let fifo =
        |path: &std::path::Path| mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    fifo(&place.data());
    let error = place.load_again(false).unwrap_err();
    assert!(matches!(&error, LoadError::NotAFile { .. }), "{error}");
    std::fs::remove_file(place.data()).unwrap();

    let (checkpoint, csv) = (Checkpoint::path(&place.data()), "word,n,note\na,1,x\n");
    fifo(&checkpoint);
    assert!(matches!(place.load(csv).unwrap_err(), LoadError::Checkpoint { .. }));
    std::fs::remove_file(&checkpoint).unwrap();
    // Not through a link, neither where it is nor where its draft would be.
    let victim = place.folder.path().join("victim");
    std::fs::write(&victim, "{}").unwrap();
    std::os::unix::fs::symlink(&victim, &checkpoint).unwrap();
    assert!(matches!(place.load(csv).unwrap_err(), LoadError::Checkpoint { .. }));
    std::fs::remove_file(&checkpoint).unwrap();
    let draft = place.folder.path().join("words.csv.rowkey-load.new");
    std::os::unix::fs::symlink(&victim, &draft).unwrap();
    place.load(csv).unwrap();
    assert_eq!(std::fs::read_to_string(&victim).unwrap(), "{}");
    std::fs::remove_file(&draft).unwrap();
    fifo(&draft);
    place.load(csv).unwrap();
    // A file of another program.
    std::fs::write(&checkpoint, "Dear reader,\n").unwrap();
    let error = place.load(csv).unwrap_err();
    assert!(matches!(&error, LoadError::Checkpoint { .. }), "{error}");
    assert_eq!(std::fs::read_to_string(&checkpoint).unwrap(), "Dear reader,\n");
}

/// A table that the first version made, whose `lower` maps each character by itself: by name and by file it goes on so.
#[test]
fn a_table_keeps_the_meaning_of_lower_that_it_was_made_with() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options::default().durability(Durability::Buffered);
    let store = EmbeddedStore::open(&folder.path().join("store"), options).unwrap();
    let file = "[table]\nname = \"t\"\nkey = \"[lower(a): escaped][a]\"\n[fields]\na = \"text\"\n[families.d]\n\
                [[index]]\nname = \"t_by\"\nkey = \"[reverse(lower(a)): escaped][a]\"\n";
    let parse = || Table::parse("t.toml", file).unwrap();
    let (mut first, new) = (parse(), parse());
    // The fingerprints that the first version stored.
    first.key = first.key.of_order("08c1ab1596b15049");
    let index = rowkey_core::KeySchema::parse("[reverse(lower_each(a)): escaped][a]").unwrap().fingerprint();
    first.indexes[0].key = first.indexes[0].key.clone().of_order(&index);
    assert_ne!(first.key.fingerprint(), new.key.fingerprint());
    create::create(&store, &first).unwrap();
    assert!(matches!(create::open(&store, &new), Err(create::TableError::OtherKey { .. })));
    let data = folder.path().join("words.csv");
    std::fs::write(&data, "a\nΟΔΟΣ\n").unwrap();
    for found in [
        create::as_made(&store, new.clone()).unwrap(),
        create::stored(&store, &"t".parse().unwrap()).unwrap(),
    ] {
        assert_eq!((&found.key, &found.indexes[0].key), (&first.key, &first.indexes[0].key));
        let open = create::open(&store, &found).unwrap();
        let options = LoadOptions { restart: true, ..LoadOptions::new("here") };
        load::run(&store, &found, &open, &Data::File(data.clone()), &options, &mut |_| {}).unwrap();
    }
    let mut rows = RowBatch::new();
    let mut scanner = store.scan(&"t".parse().unwrap(), &Scan::new(KeyRange::all())).unwrap();
    assert!(scanner.next_batch(&mut rows).unwrap());
    let keys: Vec<&str> = rows.rows().map(|row| std::str::from_utf8(row.key()).unwrap()).collect();
    assert_eq!(keys, ["οδοσ\0\u{1}ΟΔΟΣ"]);
    drop(scanner);
    create::drop(&store, &first).unwrap();
    create::create(&store, &new).unwrap();
    assert_eq!(create::as_made(&store, new.clone()).unwrap().key, new.key);
}

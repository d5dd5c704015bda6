//! The law of exports: a load of what was exported into an empty table gives the same rows, whatever the types, nulls and format.

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::same_record::texts;
use rowkey_core::key::{Draw, Draws};
use rowkey_core::query::{Plan, PlanOptions, Query, plan};
use rowkey_core::types::Kind;
use rowkey_core::value::read;
use rowkey_core::{FieldId, KeyRange, Table, Type, Value, column};
use rowkey_ops::create;
use rowkey_ops::export::{Export, ExportError, ExportFormat, ExportOptions, Folder, InFolder, Progress};
use rowkey_ops::input::Compression;
use rowkey_ops::load::{self, Data, LoadOptions};
use rowkey_ops::output_file::Existing;
use rowkey_ops::query::QueryError;
use rowkey_ops::record::RowWriter;
use rowkey_store::conformance::model::Model;
use rowkey_store::{Admin, RowBatch, RowStore, Scan, Store};

const FORMATS: [(ExportFormat, Compression, &str); 5] = [
    (ExportFormat::Csv, Compression::None, "csv"),
    (ExportFormat::Csv, Compression::Gzip, "csv.gz"),
    (ExportFormat::JsonLines, Compression::None, "jsonl"),
    (ExportFormat::JsonLines, Compression::Zstd, "jsonl.zst"),
    (ExportFormat::Parquet, Compression::None, "parquet"),
];

fn everything(table: &Table) -> Plan {
    let all = Query::parse("", table.key.fields()).unwrap();
    plan(&table.key, &all, &PlanOptions { full_scan: true, ..PlanOptions::default() }).unwrap()
}

fn options(table: &Table, format: ExportFormat, compression: Compression) -> ExportOptions {
    let fields: Vec<FieldId> = table.key.fields().iter().map(|(id, _)| id).collect();
    ExportOptions { compression, threads: 4, ..ExportOptions::new(format, fields) }
}

fn to_file(
    store: &dyn Store,
    table: &Table,
    path: &Path,
    options: &ExportOptions,
) -> Result<Progress, ExportError> {
    let (name, plan) = (table.name.parse().unwrap(), everything(table));
    let export = Export::new(store, &name, (table, &plan), options, &|_| {})?;
    export.to_file(path, Existing::Refuse, &[])
}

fn load(store: &dyn Store, table: &Table, files: &[PathBuf]) {
    let open = create::open(store, table).unwrap();
    let data = match files {
        [file] => Data::File(file.clone()),
        files => Data::Files(files.to_vec()),
    };
    load::run(store, table, &open, &data, &LoadOptions::new("here"), &mut |_| {}).unwrap();
}

/// Keys and cells, without the time of their writing.
fn cells(store: &dyn Store, table: &Table) -> Vec<(Vec<u8>, Vec<u8>, Vec<u8>)> {
    let (mut found, mut batch) = (Vec::new(), RowBatch::new());
    let mut scanner = store.scan(&table.name.parse().unwrap(), &Scan::new(KeyRange::all())).unwrap();
    while scanner.next_batch(&mut batch).unwrap() {
        for row in batch.rows() {
            found.extend(
                row.cells().map(|cell| (row.key().to_vec(), cell.qualifier.to_vec(), cell.value.to_vec())),
            );
        }
    }
    found
}

/// A table with a field of this type in its key, and two columns of each type, of which one can be null.
fn table_of_all_types(name: &str, key: Type) -> Table {
    let (mut fields, mut columns) = (String::new(), String::new());
    for (number, ty) in Type::all().enumerate() {
        let _ = write!(fields, "c{number} = \"{ty}\"\nn{number} = \"{ty}?\"\n");
        let _ = write!(columns, "c{number} = \"c{number}\", n{number} = \"n{number}\", ");
    }
    let text = format!(
        "[table]\nname = \"{name}\"\nkey = \"[salt(4, id)][id][k]\"\nsplits = \"salt\"\n[fields]\nid = \"u32\"\nk = \"{key}\"\n\
         {fields}[families.d]\ncolumns = {{ {} }}\n",
        columns.trim_end_matches(", ")
    );
    Table::parse(name, &text).unwrap_or_else(|findings| panic!("{findings}\n{text}"))
}

/// A random value that the field can have; empty texts where null would be another value only if they are wanted.
fn value(draws: &mut Draws, table: &Table, id: FieldId, empty: bool) -> Value<'static> {
    let field = table.key.fields().get(id);
    if field.nullable && draws.draw(3) == 0 {
        return Value::Null;
    }
    loop {
        let text = texts::text(draws, field.ty);
        match read(&text, field.ty) {
            Ok(value) if field.nullable && !empty && value.to_string().is_empty() => {}
            Ok(value) if column::encode(&value, field.ty, &mut Vec::new()).is_ok() => {
                return value.into_owned();
            }
            _ => {}
        }
    }
}

#[test]
fn what_was_exported_is_loaded_with_the_same_cells() {
    let (mut loaded, mut refused) = (0, 0);
    for (round, key) in (0u64..).zip(Type::all()) {
        let folder = tempfile::tempdir().unwrap();
        let store = Model::default();
        let table = table_of_all_types("t", key);
        create::create(&store, &table).unwrap();
        let mut draws = Draws::new(round, 0);
        let (mut writer, mut batch, mut both) = (RowWriter::new(&table), RowBatch::new(), false);
        // Many, because a key of whole seconds takes few of the times that are drawn.
        for number in 0..160u32 {
            let mut record: Vec<Value<'static>> = table
                .key
                .fields()
                .iter()
                .map(|(id, _)| value(&mut draws, &table, id, round % 4 == 0))
                .collect();
            record[table.key.fields().id("id").unwrap().0] = Value::Int(number.into());
            // A text that no key can have is in no table.
            if writer.write(number.into(), &record, &mut batch).is_ok() {
                both |= table.key.fields().iter().any(|(id, field)| {
                    field.nullable && !record[id.0].is_null() && record[id.0].to_string().is_empty()
                });
            }
        }
        assert!(batch.len() > 8, "{key}: {} rows", batch.len());
        store.put_batch(&"t".parse().unwrap(), &batch).unwrap();
        let expected = cells(&store, &table);
        for (format, compression, ending) in FORMATS {
            let file = folder.path().join(format!("rows.{ending}"));
            match to_file(&store, &table, &file, &options(&table, format, compression)) {
                Err(ExportError::EmptyCell { .. }) if both && format == ExportFormat::Csv => {
                    assert!(!file.exists());
                    refused += 1;
                    continue;
                }
                other => assert_eq!(other.unwrap().rows, batch.len() as u64),
            }
            assert!(!both || format != ExportFormat::Csv, "an empty text that is null afterwards");
            let copy = Table::parse("copy", &table.source.replace("\"t\"", "\"copy\"")).unwrap();
            create::create(&store, &copy).unwrap();
            load(&store, &copy, &[file]);
            let found = cells(&store, &copy);
            let first = expected.iter().zip(&found).find(|(a, b)| a != b);
            assert!(
                expected == found,
                "{key} by {ending}: {} and {} cells, {first:?}",
                expected.len(),
                found.len()
            );
            create::drop(&store, &copy).unwrap();
            loaded += 1;
        }
    }
    let types = Type::all().count();
    assert!(
        refused > 0 && loaded + refused == types * 5 && loaded >= types * 4,
        "{loaded} loaded, {refused} refused"
    );
}

const WORDS: &str = r#"
[table]
name = "words"
key = "[salt(4, word)][word: escaped][n]"
splits = "salt"

[fields]
word = "text"
n = "u32"
note = "text?"

[families.d]
columns = { n = "note" }
"#;

/// So many words, in all regions.
fn words(rows: u32) -> (Model, Table) {
    let (store, table) = (Model::default(), Table::parse("words", WORDS).unwrap());
    create::create(&store, &table).unwrap();
    let (mut writer, mut batch) = (RowWriter::new(&table), RowBatch::new());
    for n in 0..rows {
        let note = if n % 3 == 0 { Value::Null } else { Value::Text(format!("note {n}").into()) };
        let record = [Value::Text(format!("w{}", n % 97).into()), Value::Int(n.into()), note];
        writer.write(n.into(), &record, &mut batch).unwrap();
    }
    store.put_batch(&"words".parse().unwrap(), &batch).unwrap();
    (store, table)
}

fn to_folder(
    store: &dyn Store,
    table: &Table,
    folder: Folder<'_>,
    options: &ExportOptions,
) -> Result<InFolder, ExportError> {
    let (name, plan) = (table.name.parse().unwrap(), everything(table));
    Export::new(store, &name, (table, &plan), options, &|_| {})?.to_folder(folder, &|_, _| {})
}

/// The files of a folder by name, with what is in them.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found: Vec<(String, Vec<u8>)> = std::fs::read_dir(folder)
        .unwrap()
        .map(Result::unwrap)
        .map(|file| (file.file_name().into_string().unwrap(), std::fs::read(file.path()).unwrap()))
        .collect();
    found.sort();
    found
}

#[test]
fn one_file_has_the_rows_by_their_keys_with_any_memory() {
    let (store, table) = words(60_000);
    let folder = tempfile::tempdir().unwrap();
    let mut whole: Option<Vec<u8>> = None;
    for (number, (memory, threads)) in [(128 << 20, 4), (0, 4), (0, 1), (1 << 20, 16)].into_iter().enumerate()
    {
        let path = folder.path().join(format!("{number}.csv"));
        let options =
            ExportOptions { memory, threads, ..options(&table, ExportFormat::Csv, Compression::None) };
        assert_eq!(to_file(&store, &table, &path, &options).unwrap().rows, 60_000);
        let text = std::fs::read(path).unwrap();
        assert!(*whole.get_or_insert_with(|| text.clone()) == text, "memory {memory}, threads {threads}");
    }
    let parquet = folder.path().join("small-groups.parquet");
    let small = ExportOptions { memory: 0, ..options(&table, ExportFormat::Parquet, Compression::None) };
    to_file(&store, &table, &parquet, &small).unwrap();
    let copy = Table::parse("copy", &WORDS.replace("\"words\"", "\"copy\"")).unwrap();
    create::create(&store, &copy).unwrap();
    load(&store, &copy, &[parquet]);
    assert!(cells(&store, &copy) == cells(&store, &table));
}

#[test]
fn a_folder_goes_on_with_what_is_missing() {
    let place = tempfile::tempdir().unwrap();
    for (format, compression, ending) in FORMATS {
        let (store, table) = words(1000);
        let path = place.path().join(ending);
        let folder = Folder { path: &path, command: "export words", table: "1", anew: false };
        let options = options(&table, format, compression);
        let first = to_folder(&store, &table, folder, &options).unwrap();
        assert_eq!((first.progress.rows, first.written, first.kept), (1000, 4, 0));
        let whole = files(&path);
        assert_eq!(whole.len(), 5, "{:?}", whole.iter().map(|(name, _)| name).collect::<Vec<_>>());
        // As after a kill: one file is missing, another one was not whole.
        std::fs::remove_file(path.join(format!("part-00001.{ending}"))).unwrap();
        std::fs::remove_file(path.join(format!("part-00003.{ending}"))).unwrap();
        std::fs::write(path.join(format!("part-00003.{ending}.77-0.rowkey-draft")), "half").unwrap();
        // A region that is split meanwhile changes nothing.
        let name = "words".parse().unwrap();
        let region = store.regions(&name).unwrap().swap_remove(1);
        store.split_region(&name, &region.name, Some(b"\x01w5")).unwrap();
        let again = to_folder(&store, &table, folder, &options).unwrap();
        assert_eq!((again.written, again.kept), (2, 2));
        assert!(files(&path) == whole, "{ending}");
        let done = to_folder(&store, &table, folder, &options).unwrap();
        assert_eq!((done.written, done.kept, done.progress.rows), (0, 4, 0));

        let copy = Table::parse("copy", &WORDS.replace("\"words\"", "\"copy\"")).unwrap();
        create::create(&store, &copy).unwrap();
        let parts: Vec<PathBuf> = whole
            .iter()
            .filter(|(name, _)| name.starts_with("part-"))
            .map(|(name, _)| path.join(name))
            .collect();
        load(&store, &copy, &parts);
        assert!(cells(&store, &copy) == cells(&store, &table), "{ending}");
        create::drop(&store, &copy).unwrap();

        for other in [Folder { command: "export other", ..folder }, Folder { table: "2", ..folder }] {
            let error = to_folder(&store, &table, other, &options).unwrap_err();
            assert!(matches!(error, ExportError::Other { .. }), "{error}");
            assert!(files(&path) == whole);
        }
        let anew =
            to_folder(&store, &table, Folder { command: "export other", anew: true, ..folder }, &options)
                .unwrap();
        assert_eq!((anew.written, anew.kept, anew.progress.rows), (5, 0, 1000));
    }
    let (store, table) = words(10);
    let foreign = place.path().join("foreign");
    std::fs::create_dir(&foreign).unwrap();
    std::fs::write(foreign.join("letter.txt"), "Dear reader,").unwrap();
    for anew in [false, true] {
        let folder = Folder { path: &foreign, command: "", table: "", anew };
        let refused =
            to_folder(&store, &table, folder, &options(&table, ExportFormat::Csv, Compression::None));
        assert!(matches!(refused, Err(ExportError::NotEmpty { .. })));
    }
    assert_eq!(files(&foreign), [("letter.txt".to_owned(), b"Dear reader,".to_vec())]);
}

#[test]
fn no_rows_are_a_file_that_can_be_loaded() {
    let (store, table) = words(0);
    let place = tempfile::tempdir().unwrap();
    for (format, compression, ending) in FORMATS {
        let path = place.path().join(format!("none.{ending}"));
        assert_eq!(to_file(&store, &table, &path, &options(&table, format, compression)).unwrap().rows, 0);
        load(&store, &table, &[path]);
        assert!(cells(&store, &table).is_empty());
    }
}

#[test]
fn an_export_that_fails_leaves_nothing() {
    let (store, table) = words(5000);
    let place = tempfile::tempdir().unwrap();
    let mut row = RowBatch::new();
    row.begin_row(b"\x02no such key");
    row.cell(b"d", b"n", 1, b"x");
    store.put_batch(&"words".parse().unwrap(), &row).unwrap();
    let plain = options(&table, ExportFormat::Parquet, Compression::None);
    let path = place.path().join("words.parquet");
    let error = to_file(&store, &table, &path, &plain).unwrap_err();
    assert!(matches!(error, ExportError::Query(QueryError::Row(_))), "{error}");
    assert!(files(place.path()).is_empty());
    let skipping = ExportOptions { skip_undecodable: true, ..plain.clone() };
    let done = to_file(&store, &table, &path, &skipping).unwrap();
    assert_eq!((done.rows, done.undecodable), (5000, 1));
    assert!(matches!(to_file(&store, &table, &path, &skipping), Err(ExportError::Output(_))));

    // One of four regions fails, the others are kept.
    let folder = place.path().join("parts");
    let into = Folder { path: &folder, command: "export words", table: "1", anew: false };
    to_folder(&store, &table, into, &ExportOptions { threads: 1, ..plain.clone() }).unwrap_err();
    let names: Vec<String> = files(&folder).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["_rowkey-export.json", "part-00000.parquet", "part-00001.parquet"]);
    let rest = to_folder(&store, &table, into, &skipping).unwrap();
    assert_eq!((rest.written, rest.kept), (2, 2));

    plain.cancel.cancel();
    let error = to_file(&store, &table, &place.path().join("cancelled.parquet"), &plain).unwrap_err();
    assert!(matches!(error, ExportError::Query(QueryError::Cancelled)), "{error}");
    assert!(!place.path().join("cancelled.parquet").exists());
}

#[test]
fn csv_has_one_empty_cell_and_says_so() {
    let (store, table) = words(1);
    let place = tempfile::tempdir().unwrap();
    let record = [Value::Text("empty".into()), Value::Int(1), Value::Text("".into())];
    let mut batch = RowBatch::new();
    RowWriter::new(&table).write(0, &record, &mut batch).unwrap();
    store.put_batch(&"words".parse().unwrap(), &batch).unwrap();
    let csv = options(&table, ExportFormat::Csv, Compression::None);
    let path = place.path().join("words.csv");
    let error = to_file(&store, &table, &path, &csv).unwrap_err().to_string();
    assert!(
        error.contains("field `note`: an empty text is an empty cell of CSV, which is read back as null"),
        "{error}"
    );
    assert!(error.contains("`format` jsonl or parquet"), "{error}");
    to_file(&store, &table, &path, &ExportOptions { empty_cells: true, ..csv }).unwrap();
    assert_eq!(table.key.fields().get(FieldId(2)).ty.kind(), Kind::Text);
}

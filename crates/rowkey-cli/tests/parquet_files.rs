//! Records from Parquet on the command line, as they come from CSV and JSON Lines.

#![cfg(feature = "parquet")]
#![expect(clippy::unwrap_used, reason = "the helpers of a test may panic as the test may")]

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use crate::program::{Workplace, assert_error};
use parquet::data_type::{ByteArray, ByteArrayType, Int32Type};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

/// Columns `n` and `s`, which may be null.
fn write(path: &Path, rows: &[(i32, Option<&str>)]) {
    let schema = parse_message_type("message rows { required int32 n; optional binary s (utf8); }").unwrap();
    let file = File::create(path).unwrap();
    let mut writer = SerializedFileWriter::new(file, Arc::new(schema), Arc::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let numbers: Vec<i32> = rows.iter().map(|row| row.0).collect();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<Int32Type>().write_batch(&numbers, None, None).unwrap();
    column.close().unwrap();
    let levels: Vec<i16> = rows.iter().map(|row| i16::from(row.1.is_some())).collect();
    let texts: Vec<ByteArray> = rows.iter().filter_map(|row| row.1.map(ByteArray::from)).collect();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<ByteArrayType>().write_batch(&texts, Some(&levels), None).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
}

#[test]
fn records_come_from_parquet_by_name_or_by_format() {
    let place = Workplace::new("orders");
    for file in ["a.parquet", "a.data"] {
        write(&place.path(file), &[(1, Some("x")), (2, None)]);
    }
    place.write("a.csv", "n,s\n1,x\n2,\n");
    let expected = place.ok(&["encode", "[n: u8][s: text?]", "--from", "a.csv"]);
    assert_eq!(expected, "\\x01\\x01x\n\\x02\\x00\n");
    assert_eq!(place.ok(&["encode", "[n: u8][s: text?]", "--from", "a.parquet"]), expected);
    let by_format = ["encode", "[n: u8][s: text?]", "--from", "a.data", "--format", "parquet"];
    assert_eq!(place.ok(&by_format), expected);
}

#[test]
fn what_parquet_cannot_give_is_told() {
    let place = Workplace::new("orders");
    write(&place.path("a.parquet"), &[(300, Some("x")), (1, None)]);
    place.write("b.parquet", "n,s\n1,x\n");
    let encode = |key: &str, file: &str| place.run(&["encode", key, "--from", file, "--format", "parquet"]);
    let run = encode("[n: u8][s: text?]", "a.parquet");
    assert_error(&run, &["a.parquet, row 1", "field `n`", "300 does not fit u8, which holds 0 to 255"]);
    let run = encode("[n: text][s: text?]", "a.parquet");
    assert_error(&run, &["column `n` holds whole numbers", "cast the column to text"]);
    assert_error(&encode("[n: u8]", "a.parquet"), &["the columns: no field is called `s`"]);
    assert_error(&encode("[n: u8]", "b.parquet"), &["b.parquet cannot be read as Parquet"]);
    assert_error(&encode("[n: u8]", "-"), &["standard input cannot be read as Parquet", "save it to a file"]);
}

#[test]
fn a_parquet_file_that_changed_is_not_gone_on_with() {
    let place = Workplace::new("rows");
    let table = "[table]\nname = \"rows\"\nkey = \"[n]\"\n[fields]\nn = \"u8\"\ns = \"text\"\n[families.d]\ncolumns = { s = \"s\" }\n";
    place.write("rows.toml", table);
    place.ok(&["create", "rows.toml"]);
    let rows = |first: &'static str| {
        let rows = (0..=200).map(move |n| (n, Some(if n == 0 { first } else { "x" })));
        rows.chain([(300, Some("x"))]).collect::<Vec<_>>()
    };
    write(&place.path("a.parquet"), &rows("x"));
    assert_error(&place.run(&["load", "rows", "a.parquet"]), &["a.parquet, row 202", "201 rows before it"]);
    write(&place.path("a.parquet"), &rows("y"));
    let run = place.run(&["load", "rows", "a.parquet", "--skip-bad", "bad"]);
    assert_error(&run, &["a.parquet was changed since the load was interrupted", "--restart"]);
    write(&place.path("a.parquet"), &rows("x"));
    let run = place.run(&["load", "rows", "a.parquet", "--skip-bad", "bad"]);
    assert_eq!((run.code, run.out.as_str()), (0, "loaded 201 rows into rows\n"), "{run:?}");
    assert!(run.err.contains("resumed at line 202"), "{run:?}");
}

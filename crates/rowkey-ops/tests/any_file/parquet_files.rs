//! Parquet of every type, as pyarrow writes it.

use std::path::Path;

use rowkey_core::key::{Field, Fields};
use rowkey_core::types::Kind;
use rowkey_core::{Type, Value};
use rowkey_ops::input::InputOptions;
use rowkey_testing::python::with_pyarrow;
use serde_json::Value as Json;

use super::{Table, files, holds};

/// What is in a file.
fn written(path: &Path) -> (Table, bool) {
    let json: Json = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let fields: Vec<Field> = json["fields"]
        .as_array()
        .unwrap()
        .iter()
        .map(|field| Field {
            name: field["name"].as_str().unwrap().to_owned(),
            ty: Type::from_name(field["type"].as_str().unwrap()).unwrap(),
            nullable: field["nullable"].as_bool().unwrap(),
        })
        .collect();
    let value = |field: &Field, json: &Json| match (json.as_str(), field.ty.kind()) {
        (None, _) => Value::Null,
        (Some(text), Kind::Time) => Value::Time(text.parse().unwrap()),
        (Some(text), Kind::Bytes) => Value::Bytes(rowkey_core::escape::from_hex(text).unwrap().into()),
        (Some(text), Kind::Float) if field.ty.is_single() => Value::Float32(text.parse().unwrap()),
        (Some(text), Kind::Float) => Value::Float(text.parse().unwrap()),
        (Some(text), _) => rowkey_core::value::read(text, field.ty).unwrap().into_owned(),
    };
    let rows = json["rows"].as_array().unwrap().iter();
    let records = rows.map(|row| {
        fields.iter().zip(row.as_array().unwrap()).map(|(field, cell)| value(field, cell)).collect()
    });
    let records = records.collect();
    (Table { fields: Fields::new(fields), records }, json["refused"].as_bool().unwrap())
}

#[test]
fn parquet_of_pyarrow_is_read_exactly_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut python = with_pyarrow(&mut |line| println!("{line}")).expect("pip brings pyarrow");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/any_file/write_parquet.py");
    let output = python.arg(script).arg(folder.path()).arg(files().to_string()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let (mut exactly, mut refused) = (0, 0);
    for number in 0..files() {
        let (table, refuse) = written(&folder.path().join(format!("{number}.json")));
        let path = folder.path().join(format!("{number}.parquet"));
        let exact = holds(&path, &InputOptions::default(), &table)
            .unwrap_or_else(|wrong| panic!("file {number}: {wrong}"));
        let error = || super::one_by_one(&[&path], &InputOptions::default(), &table.fields).err();
        assert_eq!(exact, !refuse, "file {number}: {:?}", error());
        exactly += u64::from(exact);
        refused += u64::from(!exact);
    }
    assert!(exactly > refused, "{exactly} exactly, {refused} refused");
    println!("Parquet of pyarrow: {exactly} read exactly, {refused} refused as they must be, 0 changed");
}

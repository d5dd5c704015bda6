//! The law of files: a value that is read is the value that was written, or the file is refused.
//!
//! Files are generated from records that the test keeps: CSV (delimiter × quotes × line ends × byte order mark × null texts × encoding ×
//! packing × names of columns × layout of times), JSON (lines, arrays, pretty-printed, one behind another) and Parquet (as pyarrow
//! writes it, or else this crate's own writer). Each is read record by record and in batches. Half of the CSV and JSON files are told
//! how they are written, and must be read exactly; the others are guessed, and must be read exactly or be refused.
//!
//! 300 files of each; `ROWKEY_FILES=5000` for more.

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

mod csv_files;
mod draw;
mod json_files;
mod parquet_files;
mod several;

use std::path::Path;

use draw::Draw;
use rowkey_core::batch::Column;
use rowkey_core::key::{EncodeError, Field, Fields};
use rowkey_core::types::OctetsType;
use rowkey_core::{Type, Value};
use rowkey_ops::input::{BatchError, BatchSink, BatchWork, Batches, Input, InputOptions, Position, Records};

type Record = Vec<Value<'static>>;

/// Records and the fields that they have.
struct Table {
    fields: Fields,
    records: Vec<Record>,
}

fn files() -> u64 {
    std::env::var("ROWKEY_FILES").ok().and_then(|text| text.parse().ok()).unwrap_or(300)
}

impl Table {
    fn draw(draw: &mut Draw) -> Self {
        const TYPES: [&str; 7] = ["u64", "i64", "f64", "text", "bool", "timestamp", "ordered(numeric)"];
        let types = TYPES.iter().filter_map(|name| Type::from_name(name));
        let types: Vec<Type> = types.chain(OctetsType::ALL.map(Type::Octets)).collect();
        let count = 1 + draw.below(5);
        let fields: Vec<Field> = (0..count)
            .map(|at| Field {
                name: format!("{}{at}", draw.pick(&["a", "field_", "Ünï", "x-"])),
                ty: draw.pick(&types),
                nullable: draw.below(3) == 0,
            })
            .collect();
        let rows = draw.below(12);
        let records = (0..rows).map(|_| fields.iter().map(|field| draw.value(field)).collect()).collect();
        Self { fields: Fields::new(fields), records }
    }
}

/// The records of a file, one by one.
fn one_by_one(paths: &[&Path], asked: &InputOptions, fields: &Fields) -> Result<Vec<Record>, String> {
    let paths: Vec<_> = paths.iter().map(|path| path.to_path_buf()).collect();
    let input = Input::open(&paths, asked).map_err(|error| error.to_string())?;
    let source = input.source().map_err(|error| error.to_string())?;
    let mut records =
        Records::open(source, input.format, fields, &input.label).map_err(|error| error.to_string())?;
    let mut found = Vec::new();
    while records
        .next(|_, values| {
            found.push(values.iter().cloned().map(Value::into_owned).collect());
            Ok(())
        })
        .map_err(|error| error.to_string())?
    {}
    Ok(found)
}

/// The records of a file, in batches.
fn in_batches(paths: &[&Path], asked: &InputOptions, fields: &Fields) -> Result<Vec<Record>, String> {
    struct Work;
    impl BatchWork for Work {
        type Made = Vec<Record>;
        fn batch(&mut self, columns: &[Column<'_>]) -> Option<Vec<Record>> {
            let rows = columns.iter().map(Column::len).max().unwrap_or(0);
            let row = |row| columns.iter().map(|column| column.value(row).into_owned()).collect();
            Some((0..rows).map(row).collect())
        }
    }
    struct Sink(Vec<Record>);
    impl BatchSink<Vec<Record>> for Sink {
        fn made(&mut self, made: Vec<Record>, _: Position) -> std::io::Result<()> {
            self.0.extend(made);
            Ok(())
        }
        fn record(&mut self, values: &[Value<'_>]) -> Result<(), EncodeError> {
            self.0.push(values.iter().cloned().map(Value::into_owned).collect());
            Ok(())
        }
    }
    let paths: Vec<_> = paths.iter().map(|path| path.to_path_buf()).collect();
    let input = Input::open(&paths, asked).map_err(|error| error.to_string())?;
    let source = input.source().map_err(|error| error.to_string())?;
    let batches =
        Batches::open(source, input.format, fields, &input.label).map_err(|error| error.to_string())?;
    let mut sink = Sink(Vec::new());
    batches.run(2, || Work, &mut sink).map_err(|error: BatchError| error.to_string())?;
    Ok(sink.0)
}

/// Reads a file both ways, which must agree, and compares; `Ok(false)` if it was refused.
fn holds(path: &Path, asked: &InputOptions, table: &Table) -> Result<bool, String> {
    let (found, batched) =
        (one_by_one(&[path], asked, &table.fields), in_batches(&[path], asked, &table.fields));
    let shown = || {
        let text =
            String::from_utf8_lossy(&std::fs::read(path).unwrap()).chars().take(600).collect::<String>();
        let fields: Vec<String> = table
            .fields
            .iter()
            .map(|(_, field)| format!("{} {} {}", field.name, field.ty, field.nullable))
            .collect();
        format!("{fields:?}\n{asked:?}\n{text}\nexpected {:?}", table.records)
    };
    match (found, batched) {
        (Ok(found), Ok(batched)) if same(&found, &table.records) && same(&batched, &table.records) => {
            Ok(true)
        }
        (Err(_), Err(_)) => Ok(false),
        (found, batched) => Err(format!("{}\nfound {found:?}\nin batches {batched:?}", shown())),
    }
}

/// Equal values, with numbers bit by bit.
fn same(a: &[Record], b: &[Record]) -> bool {
    let equal = |a: &Value<'_>, b: &Value<'_>| match (a, b) {
        (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
        (Value::Null, Value::Null) => true,
        _ => a == b,
    };
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b)))
}

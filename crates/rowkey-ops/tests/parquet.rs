//! Parquet gives the same records as CSV and JSON Lines, and says what it cannot give.

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::basic::{Compression, Encoding, GzipLevel, ZstdLevel};
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FixedLenByteArray, FixedLenByteArrayType,
    FloatType, Int32Type, Int64Type, Int96, Int96Type,
};
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use rowkey_core::batch::{BatchEncoder, KeyBatch};
use rowkey_core::escape::to_hex;
use rowkey_core::key::EncodeError;
use rowkey_core::{KeyRange, KeySchema, Table, Value};
use rowkey_embedded::{Durability, EmbeddedStore, Options};
use rowkey_ops::create;
use rowkey_ops::input::{
    BatchError, BatchSink, BatchWork, Batches, DeclaredNulls, Format, InputError, Position, Records, Source,
    parquet_fields,
};
use rowkey_ops::load::{self, Checkpoint, Data, LoadError, LoadOptions, LoadReport};
use rowkey_store::{RowBatch, RowStore, Scan};

/// A column of one group of rows.
enum Column {
    Bool(Vec<Option<bool>>),
    Int32(Vec<Option<i32>>),
    Int64(Vec<Option<i64>>),
    Int96(Vec<Option<Int96>>),
    Float(Vec<Option<f32>>),
    Double(Vec<Option<f64>>),
    Bytes(Vec<Option<ByteArray>>),
    Fixed(Vec<Option<FixedLenByteArray>>),
}

fn bytes(text: impl AsRef<[u8]>) -> Option<ByteArray> {
    Some(ByteArray::from(text.as_ref().to_vec()))
}

fn fixed(text: impl AsRef<[u8]>) -> Option<FixedLenByteArray> {
    Some(ByteArray::from(text.as_ref().to_vec()).into())
}

fn write(path: &Path, columns: &str, groups: &[Vec<Column>], compression: Compression) {
    let properties = WriterProperties::builder().set_compression(compression);
    write_with(path, columns, groups, properties.build());
}

fn write_with(path: &Path, columns: &str, groups: &[Vec<Column>], properties: WriterProperties) {
    let schema = Arc::new(parse_message_type(&format!("message rows {{ {columns} }}")).unwrap());
    let file = File::create(path).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties)).unwrap();
    for group in groups {
        let mut rows = writer.next_row_group().unwrap();
        for column in group {
            match column {
                Column::Bool(values) => write_column::<BoolType>(&mut rows, values),
                Column::Int32(values) => write_column::<Int32Type>(&mut rows, values),
                Column::Int64(values) => write_column::<Int64Type>(&mut rows, values),
                Column::Int96(values) => write_column::<Int96Type>(&mut rows, values),
                Column::Float(values) => write_column::<FloatType>(&mut rows, values),
                Column::Double(values) => write_column::<DoubleType>(&mut rows, values),
                Column::Bytes(values) => write_column::<ByteArrayType>(&mut rows, values),
                Column::Fixed(values) => write_column::<FixedLenByteArrayType>(&mut rows, values),
            }
        }
        rows.close().unwrap();
    }
    writer.close().unwrap();
}

fn write_column<T: DataType>(rows: &mut SerializedRowGroupWriter<'_, File>, values: &[Option<T::T>]) {
    let mut column = rows.next_column().unwrap().unwrap();
    let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
    let values: Vec<T::T> = values.iter().flatten().cloned().collect();
    column.typed::<T>().write_batch(&values, Some(&levels), None).unwrap();
    column.close().unwrap();
}

/// The keys of all records of a file, in hex. They are read record by record and by all cores, which must agree.
fn keys(key: &str, path: &Path) -> Result<Vec<String>, InputError> {
    let key = KeySchema::parse(key).unwrap();
    let (mut sink, error) = one_by_one(&key, path);
    let found = std::mem::take(&mut sink.0);
    let batches = by_all_cores(&key, path);
    assert_eq!(batches.1, error.as_ref().map(ToString::to_string), "the same error");
    assert!(batches.0 == found, "the same keys before it");
    error.map_or(Ok(found), Err)
}

struct HexKeys<'k>(Vec<String>, &'k KeySchema, usize);

fn one_by_one<'k>(key: &'k KeySchema, path: &Path) -> (HexKeys<'k>, Option<InputError>) {
    let source = Source::file(File::open(path).unwrap());
    let mut sink = HexKeys(Vec::new(), key, 0);
    let mut records = match Records::open(source, Format::of(path), key.fields(), "data") {
        Ok(records) => records,
        Err(error) => return (sink, Some(error)),
    };
    loop {
        match records.next(|_, record| sink.record(record)) {
            Ok(true) => {}
            Ok(false) => return (sink, None),
            Err(error) => return (sink, Some(error)),
        }
    }
}

/// The keys, the error, and how many batches were read a column at a time.
fn by_all_cores(key: &KeySchema, path: &Path) -> (Vec<String>, Option<String>, usize) {
    let source = Source::file(File::open(path).unwrap());
    let mut sink = HexKeys(Vec::new(), key, 0);
    let run = Batches::open(source, Format::of(path), key.fields(), "data").map_err(BatchError::from);
    let run = run
        .and_then(|batches| batches.run(3, || Encoder(BatchEncoder::new(key), KeyBatch::new()), &mut sink));
    (sink.0, run.err().map(|error| error.to_string()), sink.2)
}

struct Encoder<'k>(BatchEncoder<'k>, KeyBatch);

impl BatchWork for Encoder<'_> {
    type Made = Vec<String>;

    fn batch(&mut self, columns: &[rowkey_core::batch::Column<'_>]) -> Option<Vec<String>> {
        self.0.encode(columns, &mut self.1).ok()?;
        Some(self.1.iter().map(to_hex).collect())
    }
}

impl BatchSink<Vec<String>> for HexKeys<'_> {
    fn made(&mut self, made: Vec<String>, _: Position) -> std::io::Result<()> {
        self.0.extend(made);
        self.2 += 1;
        Ok(())
    }

    fn record(&mut self, values: &[Value<'_>]) -> Result<(), EncodeError> {
        let mut bytes = Vec::new();
        self.1.encode(values, &mut bytes)?;
        self.0.push(to_hex(&bytes));
        Ok(())
    }
}

#[test]
fn groups_larger_than_a_part_are_read_by_all_cores_up_to_the_same_error() {
    let folder = Folder::new();
    let path = folder.path("large.parquet");
    let key = KeySchema::parse("[salt(4, n)][n: u64][t: timestamp][s: escaped?]").unwrap();
    let columns = "required int64 n; optional int64 t (timestamp(micros, true)); optional binary s (utf8);";
    // The first group is more than one part (131,072 rows); the second is less than a step.
    let (first, second) = (300_000_usize, 77_usize);
    for wrong in [None, Some(0), Some(8191), Some(131_072), Some(299_999), Some(first + second - 1)] {
        let group = |rows: std::ops::Range<usize>| {
            let n = rows.clone().map(|row| Some(if wrong == Some(row) { -1 } else { row as i64 * 7 }));
            let t = rows.clone().map(|row| Some(row as i64 * 1000));
            let s = rows.map(|row| {
                (row % 50_000 > 3).then(|| ByteArray::from(format!("s{}", row % 91).into_bytes()))
            });
            vec![Column::Int64(n.collect()), Column::Int64(t.collect()), Column::Bytes(s.collect())]
        };
        write(&path, columns, &[group(0..first), group(first..first + second)], Compression::SNAPPY);
        let (sink, error) = one_by_one(&key, &path);
        let (found, found_error, batches) = by_all_cores(&key, &path);
        assert_eq!(found_error, error.map(|error| error.to_string()), "{wrong:?}");
        assert!(found == sink.0, "{wrong:?}: {} keys, not {}", found.len(), sink.0.len());
        assert_eq!(found.len(), wrong.unwrap_or(first + second));
        assert_eq!(found_error.is_some(), wrong.is_some());
        // Whole steps before the wrong row, or all: 37 of the first group and one of the second.
        assert!(batches >= wrong.map_or(38, |wrong| wrong.min(first) / 8192), "{wrong:?}: {batches}");
    }
}

/// Texts without a dictionary, in pages of 100 rows, which are read as they lie in the file.
fn plain(version: WriterVersion) -> WriterProperties {
    let properties = WriterProperties::builder().set_writer_version(version).set_dictionary_enabled(false);
    let properties = properties.set_encoding(Encoding::PLAIN).set_write_batch_size(100);
    properties.set_data_page_row_count_limit(100).build()
}

#[test]
fn plain_pages_of_texts_give_the_same_as_one_by_one() {
    let folder = Folder::new();
    let path = folder.path("plain.parquet");
    let columns = "required binary a (utf8); optional binary b (utf8); optional binary c;";
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        // A null in a page of the second step, in the last page, or nowhere; and bytes that are no text.
        for (null, broken) in [
            (None, None),
            (Some(9_000), None),
            (Some(19_999), None),
            (None, Some(0)),
            (Some(50), Some(12_345)),
        ] {
            let a = (0..20_000).map(|row| {
                let text = format!("a{row}").into_bytes();
                bytes(if broken == Some(row) { vec![0xFF] } else { text })
            });
            let b = (0..20_000).map(|row| if null == Some(row) { None } else { bytes("é".repeat(row % 30)) });
            let c = (0..20_000).map(|row: u32| bytes(row.to_be_bytes()));
            let group = [a.collect(), b.collect(), c.collect()].map(Column::Bytes).into_iter().collect();
            write_with(&path, columns, &[group], plain(version));
            let found = keys("[a: escaped][b: escaped?][c: bytes]", &path);
            match broken {
                None => assert_eq!(found.unwrap().len(), 20_000),
                Some(row) => assert!(found.unwrap_err().to_string().contains(&format!("{}", row + 1))),
            }
        }
    }
}

#[test]
fn only_the_columns_asked_for_are_read() {
    let folder = Folder::new();
    let path = folder.path("wide.parquet");
    let columns = "required int64 n; required int64 x (timestamp(nanos, true)); required binary s (utf8);";
    let group = vec![
        Column::Int64(vec![Some(1), Some(2)]),
        // No whole milliseconds: an error if anybody looked.
        Column::Int64(vec![Some(1), Some(2)]),
        Column::Bytes(vec![bytes("a"), bytes("b")]),
    ];
    write(&path, columns, &[group], Compression::UNCOMPRESSED);
    let key = KeySchema::parse("[n: u64][s][x: timestamp]").unwrap();
    let only = [key.fields().id("n").unwrap(), key.fields().id("s").unwrap()];
    struct Seen(Vec<(usize, usize, usize)>);
    impl BatchWork for Seen {
        type Made = (usize, usize, usize);
        fn batch(&mut self, columns: &[rowkey_core::batch::Column<'_>]) -> Option<Self::Made> {
            Some((columns[0].len(), columns[1].len(), columns[2].len()))
        }
    }
    impl BatchSink<(usize, usize, usize)> for Seen {
        fn made(&mut self, made: (usize, usize, usize), _: Position) -> std::io::Result<()> {
            self.0.push(made);
            Ok(())
        }
        fn record(&mut self, _: &[Value<'_>]) -> Result<(), EncodeError> {
            panic!("read by columns")
        }
    }
    let open = || Source::file(File::open(&path).unwrap());
    let batches = Batches::open_only(open(), Format::Parquet, key.fields(), &only, "data").unwrap();
    let mut seen = Seen(Vec::new());
    batches.run(2, || Seen(Vec::new()), &mut seen).unwrap();
    assert_eq!(seen.0, [(2, 2, 0)]);
    let declared = parquet_fields(File::open(&path).unwrap(), "data").unwrap();
    let shown: Vec<String> =
        declared.iter().map(|field| format!("{} {}", field.name, field.ty.unwrap())).collect();
    assert_eq!(shown, ["n u64", "x timestamp", "s text"]);
    assert_eq!((declared[0].range, declared[0].nulls), (Some((1, 2)), DeclaredNulls::None));
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// What one column gives as the field `x` of this type.
    fn keys_of(&self, ty: &str, column: &str, values: Column) -> Result<Vec<String>, String> {
        let path = self.path("one.parquet");
        write(&path, column, &[vec![values]], Compression::UNCOMPRESSED);
        keys(&format!("[x: {ty}]"), &path).map_err(|error| error.to_string())
    }
}

#[test]
fn the_same_records_give_the_same_keys_whatever_they_are_written_in() {
    let folder = Folder::new();
    let key = "[n: u64][s: escaped?][f: f64][t: timestamp][b: bool][d: decimal(6)][u: uuid][x]";
    let (mut csv, mut lines) = (String::from("x,n,s,f,t,b,d,u\n"), String::new());
    // The first group is read in three turns, and some texts come again, which makes a dictionary.
    let groups: Vec<Vec<Column>> = [0..2500_u64, 2500..2501, 2501..4000]
        .map(|rows| {
            let mut columns = [vec![], vec![], vec![]];
            let [n, t, d] = &mut columns;
            let (mut x, mut s, mut f, mut b, mut u) = (vec![], vec![], vec![], vec![], vec![]);
            for row in rows {
                let number = row.wrapping_mul(0x9e37_79b9_7f4a_7c15);
                let text = (row % 3 > 0).then(|| format!("word {}", row % 7));
                let time = 1_700_000_000_000 + i64::try_from(row).unwrap() * 977;
                let uuid = format!("{number:032x}");
                let (json, cell) = match &text {
                    None => ("null".to_owned(), String::new()),
                    Some(text) => (format!("\"{text}\""), text.clone()),
                };
                let (float, bool, whole) = (row as f64 / 8.0, row % 2 == 0, row * 3);
                csv += &format!("é{row},{number},{cell},{float},{time},{bool},{whole},{uuid}\n");
                lines += &format!(
                    "{{\"n\":{number},\"s\":{json},\"f\":{float},\"t\":{time},\"b\":{bool},\"d\":{whole},\
                     \"u\":\"{uuid}\",\"x\":\"é{row}\"}}\n"
                );
                n.push(Some(number.cast_signed()));
                t.push(Some(time * 1000));
                d.push(Some(i64::try_from(whole).unwrap() * 100));
                x.push(bytes(format!("é{row}")));
                s.push(text.and_then(bytes));
                f.push(Some(float));
                b.push(Some(bool));
                u.push(fixed(rowkey_core::escape::from_hex(&uuid).unwrap()));
            }
            let [n, t, d] = columns.map(Column::Int64);
            vec![
                Column::Bytes(x),
                n,
                Column::Bytes(s),
                Column::Double(f),
                t,
                Column::Bool(b),
                d,
                Column::Fixed(u),
            ]
        })
        .into();
    let columns = "optional binary x (utf8); optional int64 n (integer(64, false)); optional binary s (utf8); \
                   optional double f; optional int64 t (timestamp(micros, true)); optional boolean b; \
                   optional int64 d (decimal(10, 2)); optional fixed_len_byte_array(16) u (uuid);";
    std::fs::write(folder.path("a.csv"), csv).unwrap();
    std::fs::write(folder.path("a.jsonl"), lines).unwrap();
    let expected = keys(key, &folder.path("a.csv")).unwrap();
    assert_eq!(expected.len(), 4000);
    assert!(keys(key, &folder.path("a.jsonl")).unwrap() == expected, "JSON Lines give other keys");
    for compression in [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::LZ4,
        Compression::LZ4_RAW,
        Compression::GZIP(GzipLevel::default()),
        Compression::ZSTD(ZstdLevel::default()),
    ] {
        let path = folder.path("a.parquet");
        write(&path, columns, &groups, compression);
        assert!(keys(key, &path).unwrap() == expected, "Parquet with {compression} gives other keys");
    }
}

#[test]
fn what_a_column_holds_becomes_a_value_of_the_field() {
    let folder = Folder::new();
    let one = |ty: &str, column: &str, values| folder.keys_of(ty, column, values).unwrap().concat();
    let int32 = |number| Column::Int32(vec![Some(number)]);
    let int64 = |number| Column::Int64(vec![Some(number)]);
    assert_eq!(one("u8", "optional int32 x (integer(8, false));", int32(200)), "c8");
    assert_eq!(one("u32", "optional int32 x (integer(32, false));", int32(-1)), "ffffffff");
    assert_eq!(one("u64", "optional int64 x (uint_64);", int64(-1)), "ffffffffffffffff");
    assert_eq!(one("long", "optional int32 x;", int32(-1)), "ffffffffffffffff");
    assert_eq!(
        one("f64", "optional int32 x;", int32(1)),
        one("f64", "optional float x;", Column::Float(vec![Some(1.0)]))
    );
    assert_eq!(
        one("ordered(numeric)", "optional int64 x;", int64(25)),
        one("ordered(numeric)", "optional binary x (utf8);", Column::Bytes(vec![bytes("25")]))
    );
    // The same moment in every form that there is.
    let moment = one("timestamp", "optional binary x (utf8);", Column::Bytes(vec![bytes("2024-05-24")]));
    let days = 19_867;
    let millis = i64::from(days) * 86_400_000;
    assert_eq!(one("timestamp", "optional int32 x (date);", int32(days)), moment);
    assert_eq!(one("timestamp", "optional int64 x;", int64(millis)), moment);
    for (unit, factor) in [("millis", 1), ("micros", 1000), ("nanos", 1_000_000)] {
        let column = format!("optional int64 x (timestamp({unit}, false));");
        assert_eq!(one("timestamp", &column, int64(millis * factor)), moment, "{unit}");
    }
    assert_eq!(one("timestamp", "optional int64 x (timestamp_micros);", int64(millis * 1000)), moment);
    let mut old = Int96::new();
    old.set_data(0, 0, 2_440_588 + days.cast_unsigned());
    assert_eq!(one("timestamp", "optional int96 x;", Column::Int96(vec![Some(old)])), moment);
    // Decimal numbers: 12.50 and 1200.
    let exact = one("ordered(numeric)", "optional binary x (utf8);", Column::Bytes(vec![bytes("12.5")]));
    assert_eq!(one("ordered(numeric)", "optional int32 x (decimal(9, 2));", int32(1250)), exact);
    let wide = Column::Fixed(vec![fixed([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 226])]);
    assert_eq!(one("ordered(numeric)", "optional fixed_len_byte_array(16) x (decimal(38, 2));", wide), exact);
    let whole = Column::Bytes(vec![bytes([0x01, 0xD4, 0xC0])]);
    assert_eq!(one("decimal(6)", "optional binary x (decimal(20, 2));", whole), to_hex(b"001200"));
    // Text and bytes.
    assert_eq!(one("bytes", "optional binary x;", Column::Bytes(vec![bytes(b"\xFF\x00")])), "ff00");
    assert_eq!(
        one("bytes", "optional fixed_len_byte_array(3) x;", Column::Fixed(vec![fixed("abc")])),
        to_hex(b"abc")
    );
    assert_eq!(one("text", "optional binary x;", Column::Bytes(vec![bytes("abc")])), to_hex(b"abc"));
    assert_eq!(one("u16", "optional binary x (enum);", Column::Bytes(vec![bytes("258")])), "0102");
    assert_eq!(one("bool", "optional boolean x;", Column::Bool(vec![Some(true)])), "01");
    assert_eq!(one("u8?", "optional int32 x;", Column::Int32(vec![None, Some(7), None])), "00010700");
    // A column that is always there has no marks of nulls.
    assert_eq!(one("u8", "required int32 x;", Column::Int32(vec![Some(1), Some(2)])), "0102");
}

#[test]
fn a_value_that_does_not_fit_is_told_with_its_row() {
    let folder = Folder::new();
    let cases = [
        (
            "timestamp",
            "optional int64 x (timestamp(micros, true));",
            Column::Int64(vec![Some(5000), Some(-1)]),
            "data, row 2: field `x`: -1 microseconds are not whole milliseconds, which times are kept in; truncate \
             the column",
        ),
        (
            "u8",
            "optional int32 x;",
            Column::Int32(vec![Some(255), Some(256)]),
            "data, row 2: field `x`: 256 does not fit u8, which holds 0 to 255",
        ),
        (
            "u8",
            "optional int32 x;",
            Column::Int32(vec![Some(1), None]),
            "data, row 2: field `x` is null; if it may be, give it the type u8?",
        ),
        (
            "i64",
            "optional int32 x (decimal(5, 2));",
            Column::Int32(vec![Some(1250)]),
            "data, row 1: field `x`: 12.5 is not a whole number; round the column, or give the field the type \
             ordered(numeric)",
        ),
        (
            "f64",
            "optional int64 x;",
            Column::Int64(vec![Some((1 << 53) + 1)]),
            "data, row 1: field `x`: 9007199254740993 is not exact in f64, whose nearest number is \
             9007199254740992",
        ),
        (
            "text",
            "optional binary x;",
            Column::Bytes(vec![bytes(b"a\xFF")]),
            "data, row 1: field `x`: `a\\xFF` is not UTF-8; give the field the type bytes",
        ),
        (
            "f64",
            "optional double x;",
            Column::Double(vec![Some(1.0), Some(f64::NAN)]),
            "data, row 2: field `x`: NaN is no number that a field can have",
        ),
        (
            "f32",
            "optional float x;",
            Column::Float(vec![Some(0.1), Some(f32::INFINITY)]),
            "data, row 2: field `x`: inf is no number that a field can have",
        ),
        (
            "f64",
            "optional double x;",
            Column::Double(vec![Some(f64::NEG_INFINITY)]),
            "data, row 1: field `x`: -inf is no number that a field can have",
        ),
        (
            "f32",
            "optional double x;",
            Column::Double(vec![Some(0.1), Some(1e39)]),
            "data, row 2: field `x`: 1e39 does not fit f32",
        ),
        (
            "u8",
            "optional binary x (utf8);",
            Column::Bytes(vec![bytes("seven")]),
            "data, row 1: field `x`: `seven` is not a whole number; write digits with an optional minus",
        ),
    ];
    for (ty, column, values, expected) in cases {
        let told = folder.keys_of(ty, column, values).unwrap_err();
        assert!(told.starts_with(expected), "{told}");
    }
}

#[test]
fn a_column_that_its_field_cannot_have_is_told_before_anything_is_read() {
    let folder = Folder::new();
    let path = folder.path("a.parquet");
    let columns = "optional int32 a; optional int64 b (timestamp(millis, true)); optional double c; \
                   optional group d (list) { repeated group list { optional int32 element; } } \
                   optional int32 e (time(millis, true));";
    write(&path, columns, &[], Compression::UNCOMPRESSED);
    let told = keys("[a: escaped][b: i64][c: u8][d: u8][e: u32]", &path).unwrap_err().to_string();
    let expected = [
        "data: column `a` holds whole numbers, which the field's type escaped cannot have; cast the column to text",
        "column `b` holds times in milliseconds, which the field's type i64 cannot have; declare the field as \
         timestamp, or cast the column to a number",
        "column `c` holds floating-point numbers, which the field's type u8 cannot have; cast the column, or give \
         the field a type that takes it",
        "column `d` holds a list, a map or a group, which the field's type u8 cannot have; write what is inside to \
         columns of their own",
        "column `e` holds times of day, which the field's type u32 cannot have; cast the column to text, a number or \
         a timestamp",
    ];
    assert_eq!(told, expected.join("; "));

    let told = keys("[a: u8][x: u8]", &path).unwrap_err().to_string();
    assert!(told.starts_with("data, the columns: no field is called `b`, `c`, `d`, `e`"), "{told}");
    assert!(told.contains("there is no column for `x`; the fields are a, x; `renames`"), "{told}");
}

#[test]
fn what_is_no_whole_file_is_told() {
    let folder = Folder::new();
    let path = folder.path("a.parquet");
    let rows = Column::Int32((0..100).map(Some).collect());
    write(&path, "optional int32 x;", &[vec![rows]], Compression::UNCOMPRESSED);
    let whole = std::fs::read(&path).unwrap();
    for length in [0, 3, 11, whole.len() / 2, whole.len() - 1] {
        std::fs::write(&path, &whole[..length]).unwrap();
        let told = keys("[x: u8]", &path).unwrap_err().to_string();
        assert!(told.starts_with("data cannot be read as Parquet: "), "{length}: {told}");
        assert!(told.ends_with("; is it a whole Parquet file?"), "{length}: {told}");
    }
    let key = KeySchema::parse("[x: u8]").unwrap();
    let stream = Source::stream(std::io::Cursor::new(whole));
    let told = Records::open(stream, Format::Parquet, key.fields(), "standard input").err().unwrap();
    assert_eq!(
        told.to_string(),
        "standard input cannot be read as Parquet, which says what is in it at its end; save it to a file and name \
         that"
    );
}

#[test]
fn broken_bytes_are_told_or_harmless() {
    let folder = Folder::new();
    let path = folder.path("a.parquet");
    let numbers = || Column::Int64((0..100).map(|row| (row % 9 > 0).then_some(row)).collect());
    let words = || Column::Bytes((0..100).map(|row| bytes(format!("word {}", row % 5))).collect());
    let columns = "optional int64 n; required binary s (utf8);";
    let groups = [vec![numbers(), words()]];
    let compressed = |compression| WriterProperties::builder().set_compression(compression).build();
    for (form, properties) in [
        ("as it is", compressed(Compression::UNCOMPRESSED)),
        ("compressed", compressed(Compression::ZSTD(ZstdLevel::default()))),
        ("plain", plain(WriterVersion::PARQUET_1_0)),
        ("plain, of the second version", plain(WriterVersion::PARQUET_2_0)),
    ] {
        write_with(&path, columns, &groups, properties);
        let whole = std::fs::read(&path).unwrap();
        let mut file = File::options().write(true).open(&path).unwrap();
        let mut put = |at: usize, byte: u8| {
            file.seek(SeekFrom::Start(at.try_into().unwrap())).unwrap();
            file.write_all(&[byte]).unwrap();
        };
        for (at, mask) in (0..whole.len()).flat_map(|at| [1, 0x80].map(|mask| (at, mask))) {
            put(at, whole[at] ^ mask);
            // A value may have changed, but no row is lost or made up, and no panic gets through.
            if let Ok(keys) = keys("[n: i64?][s: escaped]", &path) {
                assert_eq!(keys.len(), 100, "{form}: byte {at} ^ {mask}");
            }
            put(at, whole[at]);
        }
    }
}

const TABLE: &str = r#"
[table]
name = "words"
key = "[salt(4, word)][word]|[n]"

[fields]
word = "text"
n = "u32"

[families.d]
versions = 10
"#;

/// Two groups of rows; the first is larger than what a checkpoint compares, and `bad` is in the second.
fn write_words(path: &Path, bad: bool) {
    let words = |rows: std::ops::Range<i32>| {
        Column::Bytes(rows.map(|row| bytes(format!("word {}", row.wrapping_mul(0x0103_0507)))).collect())
    };
    let numbers = |rows: std::ops::Range<i32>| rows.map(Some).collect::<Vec<_>>();
    let mut last = numbers(8_000..10_000);
    if bad {
        last[1_500] = Some(-1);
    }
    let groups = [
        vec![words(0..8_000), Column::Int32(numbers(0..8_000))],
        vec![words(8_000..10_000), Column::Int32(last)],
    ];
    write(path, "optional binary word (utf8); optional int32 n;", &groups, Compression::UNCOMPRESSED);
}

#[test]
fn a_load_goes_on_behind_the_rows_that_it_took_and_only_with_the_same_file() {
    let folder = Folder::new();
    let options = Options::default().durability(Durability::Buffered);
    let store = EmbeddedStore::open(&folder.path("store"), options).unwrap();
    let table = Table::parse("words.toml", TABLE).unwrap();
    create::create(&store, &table).unwrap();
    let path = folder.path("words.parquet");
    let load = |restart: bool| -> Result<LoadReport, LoadError> {
        let open = create::open(&store, &table).unwrap();
        let options = LoadOptions { restart, ..LoadOptions::new("here") };
        let mut last = 0;
        load::run(&store, &table, &open, &Data::File(path.clone()), &options, &mut |progress| {
            assert!(last <= progress.position.byte && Some(progress.position.byte) <= progress.total_bytes);
            last = progress.position.byte;
        })
    };
    write_words(&path, true);
    for _ in 0..2 {
        // The second time it begins at the bad row, and ends there.
        let told = load(false).unwrap_err().to_string();
        assert!(told.contains("words.parquet, row 9501: field `n`: -1 does not fit u32"), "{told}");
        assert!(Checkpoint::path(&path).exists());
    }
    write_words(&path, false);
    // Where the mended value is in the file cannot be told from what was loaded.
    assert!(matches!(load(false), Err(LoadError::DataChanged { .. })));
    let report = load(true).unwrap();
    assert_eq!((report.rows, report.resumed_at), (10_000, None));
    assert!(!Checkpoint::path(&path).exists());

    let mut scanner = store.scan(&"words".parse().unwrap(), &Scan::new(KeyRange::all())).unwrap();
    let (mut batch, mut rows) = (RowBatch::new(), 0);
    while scanner.next_batch(&mut batch).unwrap() {
        rows += batch.rows().count();
    }
    assert_eq!(rows, 10_000);
}

//! Are the row keys of Phoenix's salted tables ours, byte for byte, the salt included?
//!
//! Random schemas of the types that the notation can write (the table of docs/formats/hashes-and-salts.md), random rows at
//! the edges of their ranges; Phoenix's own code is the oracle. `ROWKEY_PHOENIX_SCHEMAS=200` asks for more of them.

use rowkey_core::{KeySchema, Value};
use rowkey_testing::phoenix;
use rowkey_testing::random::Random;

/// Rows of each schema.
const ROWS: usize = 20;

/// A column of a primary key: its name, Phoenix's type and our parts for it, ascending and descending.
struct Column {
    name: String,
    sql: &'static str,
    descending: bool,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A whole number from the first to the second.
    Number(&'static str, i64, i64),
    /// A time in whole milliseconds, whether zeros for nanoseconds stand behind it, and SQL's function for it.
    Time(&'static str, bool, &'static str),
    Bool,
    Char(usize),
    Binary(usize),
    /// Ended by a zero byte, unless it is last.
    Varchar,
}

/// The last millisecond of the year 9998: both sides write it as text.
const LATEST: i64 = 253_370_764_799_999;

const TYPES: [(&str, Kind); 17] = [
    ("TINYINT", Kind::Number("i8", i8::MIN as i64, i8::MAX as i64)),
    ("SMALLINT", Kind::Number("i16", i16::MIN as i64, i16::MAX as i64)),
    ("INTEGER", Kind::Number("i32", i32::MIN as i64, i32::MAX as i64)),
    // Phoenix reads the least of all numbers as a decimal.
    ("BIGINT", Kind::Number("i64", i64::MIN + 1, i64::MAX)),
    ("UNSIGNED_TINYINT", Kind::Number("u8", 0, i8::MAX as i64)),
    ("UNSIGNED_SMALLINT", Kind::Number("u16", 0, i16::MAX as i64)),
    ("UNSIGNED_INT", Kind::Number("u32", 0, i32::MAX as i64)),
    ("UNSIGNED_LONG", Kind::Number("u64", 0, i64::MAX)),
    ("DATE", Kind::Time("timestamp", false, "TO_DATE")),
    ("TIME", Kind::Time("timestamp", false, "TO_TIME")),
    ("TIMESTAMP", Kind::Time("timestamp", true, "TO_TIMESTAMP")),
    ("UNSIGNED_DATE", Kind::Time("u64", false, "TO_DATE")),
    ("UNSIGNED_TIMESTAMP", Kind::Time("u64", true, "TO_TIMESTAMP")),
    ("BOOLEAN", Kind::Bool),
    ("CHAR(5)", Kind::Char(5)),
    ("BINARY(3)", Kind::Binary(3)),
    ("VARCHAR", Kind::Varchar),
];

fn below(random: &mut Random, count: usize) -> usize {
    usize::try_from(random.below(count as u64)).expect("a small number")
}

/// The columns of a key, and our notation for it.
fn schema(random: &mut Random) -> (Vec<Column>, u64, String) {
    let buckets = [2, 3, 4, 16, 31, 100, 256][below(random, 7)];
    let count = 1 + below(random, 5);
    let (mut columns, mut notation) = (Vec::new(), format!("[phoenix_row_salt({buckets})]"));
    for at in 0..count {
        let (sql, kind) = TYPES[below(random, TYPES.len())];
        let descending = below(random, 2) == 0;
        let (name, desc) = (format!("c{at}"), if descending { " desc" } else { "" });
        notation.push_str(&match kind {
            Kind::Number(ty, ..) => format!("[{name}: {ty}{desc}]"),
            Kind::Time(ty, false, _) => format!("[{name}: {ty}{desc}]"),
            Kind::Time(ty, true, _) if descending => format!("[{name}: {ty} desc][0xffffffff]"),
            Kind::Time(ty, true, _) => format!("[{name}: {ty}][0x00000000]"),
            Kind::Bool => format!("[{name}: bool{desc}]"),
            Kind::Char(width) => format!("[rpad({name}, ' ', {width}){desc}]"),
            Kind::Binary(width) => format!("[{name}: fixed({width}){desc}]"),
            Kind::Varchar if descending => format!("[{name}: text desc][0xff]"),
            Kind::Varchar if at + 1 < count => format!("[{name}][0x00]"),
            Kind::Varchar => format!("[{name}]"),
        });
        columns.push(Column { name, sql, descending, kind });
    }
    (columns, buckets, notation)
}

/// A value of ours, and as SQL.
fn value(random: &mut Random, kind: Kind) -> (Value<'static>, String) {
    match kind {
        Kind::Number(_, least, greatest) => {
            let any = random.next().cast_signed();
            let small = any % 100;
            let number = match below(random, 5) {
                0 => least,
                1 => greatest,
                2 => small,
                _ => any >> below(random, 63),
            };
            let number = number.clamp(least, greatest);
            (Value::Int(number.into()), number.to_string())
        }
        Kind::Time(_, _, function) => {
            let millis = i64::try_from(random.below(LATEST as u64)).expect("a time");
            let millis = [millis, 0, LATEST][below(random, 3)];
            let text = Value::Time(millis).to_string().replace('T', " ").replace('Z', "");
            (Value::Time(millis), format!("{function}('{text}')"))
        }
        Kind::Bool => {
            let is = below(random, 2) == 0;
            (Value::Bool(is), if is { "TRUE" } else { "FALSE" }.to_owned())
        }
        Kind::Binary(width) => {
            let bytes: Vec<u8> = (0..width).map(|_| [0, 1, 0x7f, 0x80, 0xff][below(random, 5)]).collect();
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            (Value::Bytes(bytes.into()), format!("X'{hex}'"))
        }
        Kind::Char(width) => text(random, width, &['a', 'Z', '0', '~', '!']),
        Kind::Varchar => text(random, 12, &['a', 'Z', '0', ' ', '~', '\u{1}', 'é', '用', '😀']),
    }
}

/// A text that is not empty, which Phoenix would take for null.
fn text(random: &mut Random, longest: usize, letters: &[char]) -> (Value<'static>, String) {
    let length = 1 + below(random, longest);
    let text: String = (0..length).map(|_| letters[below(random, letters.len())]).collect();
    let sql = format!("'{text}'");
    (Value::Text(text.into()), sql)
}

fn key_of(columns: &[Column], notation: &str) -> KeySchema {
    use rowkey_core::key::{Field, Fields};
    let ty = |kind| match kind {
        Kind::Number(ty, ..) => ty,
        Kind::Time(..) => "timestamp",
        Kind::Bool => "bool",
        Kind::Binary(_) => "bytes",
        Kind::Char(_) | Kind::Varchar => "text",
    };
    let fields = columns.iter().map(|column| Field {
        name: column.name.clone(),
        ty: rowkey_core::Type::from_name(ty(column.kind)).expect("a type"),
        nullable: false,
    });
    let fields = Fields::new(fields.collect());
    KeySchema::with_fields(notation, &fields).unwrap_or_else(|findings| panic!("{notation}: {findings:?}"))
}

#[test]
fn row_keys_of_salted_tables_are_those_of_phoenix() {
    let schemas = std::env::var("ROWKEY_PHOENIX_SCHEMAS").map_or(40, |count| count.parse().expect("a count"));
    let mut random = Random::new(19);
    let (mut statements, mut expected, mut about) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..schemas {
        let (columns, buckets, notation) = schema(&mut random);
        let key = key_of(&columns, &notation);
        let declared: Vec<String> =
            columns.iter().map(|column| format!("{} {} NOT NULL", column.name, column.sql)).collect();
        let order: Vec<String> = columns
            .iter()
            .map(|column| format!("{}{}", column.name, if column.descending { " DESC" } else { "" }))
            .collect();
        statements.push(format!(
            "CREATE TABLE t{number} ({}, v INTEGER CONSTRAINT pk PRIMARY KEY ({})) SALT_BUCKETS={buckets}",
            declared.join(", "),
            order.join(", ")
        ));
        for _ in 0..ROWS {
            let (record, sql): (Vec<Value<'static>>, Vec<String>) =
                columns.iter().map(|column| value(&mut random, column.kind)).unzip();
            let mut bytes = Vec::new();
            key.encode(&record, &mut bytes).unwrap_or_else(|error| panic!("{notation} {sql:?}: {error}"));
            // What Phoenix wrote comes back, and the salt is found to be right.
            let decoded = key.decode(&bytes).unwrap_or_else(|error| panic!("{notation} {sql:?}: {error}"));
            assert_eq!(decoded.values, record, "{notation}");
            let upsert = format!("UPSERT INTO t{number} VALUES ({}, 1)", sql.join(", "));
            about.push(format!(
                "{notation}\n{}\n{upsert}",
                statements.iter().rfind(|s| s.starts_with("CREATE")).expect("a table")
            ));
            statements.push(upsert);
            expected.push(bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
        }
    }
    let found = phoenix::row_keys(&statements).unwrap_or_else(|error| panic!("{error}"));
    let wrong: Vec<String> = found
        .iter()
        .zip(&expected)
        .zip(&about)
        .filter(|((found, expected), _)| found != expected)
        .map(|((found, expected), about)| format!("{about}\n  Phoenix {found}\n  ours    {expected}"))
        .collect();
    println!("{schemas} salted schemas, {} row keys, {} differ from Phoenix's", found.len(), wrong.len());
    assert_eq!(found.len(), expected.len());
    assert!(
        wrong.is_empty(),
        "{} of {} differ:\n{}",
        wrong.len(),
        found.len(),
        wrong[..wrong.len().min(5)].join("\n\n")
    );
}

//! The law of input: the same record by CSV, JSON Lines, Parquet, `field=value` and a literal of a query gives the same key and the
//! same cells, or the same refusal.
//!
//! Each case is a table of two types, one in the key and one in a column, and some records of random texts for them (`texts.rs`). What
//! `rowkey_core::value::read` makes of a text is what `field=value` gives; every other way is compared with it. Files are written in
//! `files.rs`, read record by record and by all cores.

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

mod files;
pub(crate) mod texts;

use std::collections::BTreeMap;

use rowkey_core::batch::Column as BatchColumn;
use rowkey_core::key::{Draw, Draws, EncodeError};
use rowkey_core::query::{Predicate, Query};
use rowkey_core::types::{Kind, Type};
use rowkey_core::value::read;
use rowkey_core::{Table, Value, column};
use rowkey_ops::input::{
    BatchError, BatchSink, BatchWork, Batches, Format, InputError, LineProblem, Position, Records, Refused,
    Source,
};

use files::{Native, Plant};

/// Records of a case.
const RECORDS: usize = 25;

/// A record as text: what stands for the field in the key, and for the one in a column.
#[derive(Debug, Clone)]
struct Texts {
    key: String,
    cell: String,
}

/// A key and a cell, or what is said of a refused record.
type Outcome = Result<(Vec<u8>, Vec<u8>), String>;

struct Case {
    table: Table,
    types: (Type, Type),
    records: Vec<Texts>,
    /// What each must give.
    expected: Vec<Outcome>,
}

impl Case {
    fn new(number: u64) -> Self {
        let mut draws = Draws::new(number, 0);
        // The types of the key in turn, those of the cell by lot.
        let all: Vec<Type> = Type::all().collect();
        let types @ (key, cell) =
            (all[number as usize % all.len()], all[draws.draw(all.len() as u32) as usize]);
        let file = format!(
            "[table]\nname = \"t\"\nkey = \"[id][k]\"\n[fields]\nid = \"u32\"\nk = \"{key}\"\nc = \"{cell}\"\n\
             [families.d]\ncolumns = {{ c = \"c\" }}\n"
        );
        let table = Table::parse("t.toml", &file).unwrap();
        let records: Vec<Texts> = (0..RECORDS)
            .map(|_| Texts { key: texts::text(&mut draws, types.0), cell: texts::text(&mut draws, types.1) })
            .collect();
        let expected = (0..).zip(&records).map(|(id, texts)| arguments(&table, id, texts)).collect();
        Self { table, types, records, expected }
    }

    /// The records for which the condition holds, with their numbers.
    fn only(&self, keep: impl Fn(usize) -> bool) -> Vec<(usize, &Texts)> {
        self.records.iter().enumerate().filter(|(id, _)| keep(*id)).collect()
    }
}

/// What `field=value` gives: each value by itself, and everything that is wrong with them.
fn arguments(table: &Table, id: usize, texts: &Texts) -> Outcome {
    let fields = table.key.fields();
    let of = |name: &str, text| {
        let field = fields.get(fields.id(name).unwrap());
        read(text, field.ty).map_err(|problem| format!("field `{name}`: {problem}"))
    };
    match (of("k", &texts.key), of("c", &texts.cell)) {
        (Ok(key), Ok(cell)) => {
            row(table, &[Value::Int(id as i128), key, cell]).map_err(|error| error.to_string())
        }
        (key, cell) => Err(key.err().into_iter().chain(cell.err()).collect::<Vec<_>>().join("; ")),
    }
}

/// The key and the cell of a record.
fn row(table: &Table, record: &[Value<'_>]) -> Result<(Vec<u8>, Vec<u8>), EncodeError> {
    let (mut key, mut cell) = (Vec::new(), Vec::new());
    table.key.encode(record, &mut key)?;
    let field = table.columns[0].field;
    // A value that no column has leaves no bytes; a load says so with the record's line.
    if column::encode(&record[field.0], table.key.fields().get(field).ty, &mut cell).is_err() {
        cell = b"none".to_vec();
    }
    Ok((key, cell))
}

/// What comes out of a file, record by record.
struct Found<'t>(&'t Table, Vec<Outcome>);

impl BatchWork for Found<'_> {
    type Made = Vec<Outcome>;

    fn batch(&mut self, columns: &[BatchColumn<'_>]) -> Option<Vec<Outcome>> {
        let rows = columns.first().map_or(0, BatchColumn::len);
        let record = |at| columns.iter().map(|column| column.value(at)).collect::<Vec<Value<'_>>>();
        (0..rows).map(|at| row(self.0, &record(at)).ok().map(Ok)).collect()
    }
}

impl BatchSink<Vec<Outcome>> for Found<'_> {
    fn made(&mut self, made: Vec<Outcome>, _: Position) -> std::io::Result<()> {
        self.1.extend(made);
        Ok(())
    }

    fn record(&mut self, values: &[Value<'_>]) -> Result<(), EncodeError> {
        self.1.push(Ok(row(self.0, values)?));
        Ok(())
    }

    fn refused(&mut self, record: Refused) -> Result<(), BatchError> {
        self.1.push(Err(said(&record.error)));
        Ok(())
    }
}

/// What is said of a record, without its place.
fn said(error: &InputError) -> String {
    match error {
        InputError::Line { problems, .. } | InputError::Row { problems, .. } => {
            // Only a cell of CSV can be said to mean null; otherwise the refusal is the same.
            let text = |problem: &LineProblem| match problem {
                LineProblem::LikelyNull { field, problem, .. } => format!("field `{field}`: {problem}"),
                other => other.to_string(),
            };
            problems.iter().map(text).collect::<Vec<_>>().join("; ")
        }
        other => panic!("{other}"),
    }
}

/// Reads a file in both ways, which must agree.
fn read_file(table: &Table, format: Format, source: impl Fn() -> Source) -> Result<Vec<Outcome>, String> {
    let mut records =
        Records::open(source(), format, table.key.fields(), "data").map_err(|error| error.to_string())?;
    let mut one_by_one = Found(table, Vec::new());
    loop {
        match records.next(|_, values| one_by_one.record(values)) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => {
                one_by_one.1.push(Err(said(&error)));
                records.skip();
            }
        }
    }
    let mut by_all = Found(table, Vec::new());
    let batches = Batches::open(source(), format, table.key.fields(), "data").unwrap();
    batches.run(1, || Found(table, Vec::new()), &mut by_all).unwrap();
    if by_all.1 != one_by_one.1 {
        return Err(format!("by all cores {:?}, one by one {:?}", by_all.1, one_by_one.1));
    }
    Ok(one_by_one.1)
}

/// How often each way was compared, by type.
#[derive(Default)]
struct Seen {
    records: u64,
    accepted: BTreeMap<String, u64>,
    refused: BTreeMap<String, u64>,
    json_numbers: u64,
    natives: BTreeMap<String, u64>,
    literals: u64,
}

/// Compares what each way gives with what the arguments give; says what differs.
fn differences(case: &Case, plant: Plant, seen: &mut Seen) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut compare = |way: &str, ids: &[usize], found: Result<Vec<Outcome>, String>, same_words: bool| {
        let found = match found {
            Ok(found) if found.len() == ids.len() => found,
            other => return wrong.push(format!("{way}: {other:?}")),
        };
        for (id, found) in ids.iter().zip(found) {
            let expected = &case.expected[*id];
            let same = match (expected, &found) {
                (Err(_), Err(_)) if !same_words => true,
                (expected, found) => expected == found,
            };
            if !same {
                let (types, texts) = (case.types, &case.records[*id]);
                wrong.push(format!(
                    "{way}, {} and {}, {texts:?}: {found:?}, not {expected:?}",
                    types.0, types.1
                ));
            }
        }
    };
    // All records, and those that nothing is wrong with, which are read by columns.
    for good_only in [false, true] {
        let chosen = case.only(|id| !good_only || case.expected[id].is_ok());
        let ids: Vec<usize> = chosen.iter().map(|(id, _)| *id).collect();
        let text = |text: String| move || Source::stream(std::io::Cursor::new(text.clone().into_bytes()));
        let csv = files::csv(&chosen);
        compare("CSV", &ids, read_file(&case.table, Format::Csv, text(csv)), true);
        let strings = files::json_strings(&chosen);
        compare("JSON strings", &ids, read_file(&case.table, Format::JsonLines, text(strings)), true);
        let (numbers, count) = files::json_numbers(&chosen, case.types, plant);
        seen.json_numbers += count;
        compare("JSON numbers", &ids, read_file(&case.table, Format::JsonLines, text(numbers)), true);
        let file = files::parquet_texts(&chosen);
        let open = || Source::file(file.reopen().unwrap());
        compare("Parquet texts", &ids, read_file(&case.table, Format::Parquet, open), true);
    }
    // Records that Parquet holds without text.
    for native in Native::of(case.types.0) {
        let chosen = case.only(|id| native.has(&case.records[id].key, case.types.0));
        if chosen.is_empty() {
            continue;
        }
        *seen.natives.entry(format!("{native:?}")).or_default() += chosen.len() as u64;
        let file = native.write(&chosen, case.types.0);
        let ids: Vec<usize> = chosen.iter().map(|(id, _)| *id).collect();
        let open = || Source::file(file.reopen().unwrap());
        compare(&format!("Parquet {native:?}"), &ids, read_file(&case.table, Format::Parquet, open), false);
    }
    for (id, texts) in case.records.iter().enumerate() {
        for literal in texts::literals(&texts.key, case.types.0) {
            seen.literals += 1;
            let found = compared_value(&case.table, &literal).map(|value| {
                let record =
                    [Value::Int(id as i128), value, read(&texts.cell, case.types.1).unwrap_or_default()];
                row(&case.table, &record).map(|(key, _)| key).map_err(|error| error.to_string())
            });
            let alone = read(&texts.key, case.types.0).map_err(|problem| format!("field `k`: {problem}"));
            let expected = alone.map(|value| {
                let record =
                    [Value::Int(id as i128), value, read(&texts.cell, case.types.1).unwrap_or_default()];
                row(&case.table, &record).map(|(key, _)| key).map_err(|error| error.to_string())
            });
            if found != expected {
                wrong.push(format!("{literal:?} as {}: {found:?}, not {expected:?}", case.types.0));
            }
        }
    }
    seen.records += case.records.len() as u64;
    for (texts, expected) in case.records.iter().zip(&case.expected) {
        for (text, ty) in [(&texts.key, case.types.0), (&texts.cell, case.types.1)] {
            let good = read(text, ty).is_ok() && expected.is_ok();
            let count = if good { &mut seen.accepted } else { &mut seen.refused };
            *count.entry(ty.to_string()).or_default() += 1;
        }
    }
    wrong
}

/// The value that a condition compares the field `k` with.
fn compared_value(table: &Table, literal: &texts::Literal) -> Result<Value<'static>, String> {
    let (text, parameters): (String, Vec<&str>) = match literal {
        texts::Literal::Sql(text) => (format!("k = {text}"), Vec::new()),
        texts::Literal::Parameter(text) => ("k = ?".to_owned(), vec![text]),
    };
    let query = Query::parse_with(&text, table.key.fields(), &parameters).map_err(|findings| {
        let said = findings.to_string();
        said.lines()
            .next()
            .and_then(|line| line.split_once("field `k`"))
            .map_or(said.clone(), |(_, rest)| format!("field `k`{rest}"))
    })?;
    match query.condition {
        Predicate::Compare { value, .. } => Ok(value),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_same_record_gives_the_same_key_and_cells_or_the_same_refusal() {
    let count: u64 = std::env::var("ROWKEY_SAME_RECORDS").map_or(3_400, |text| text.parse().unwrap());
    let mut seen = Seen::default();
    for number in 0..count.div_ceil(RECORDS as u64) {
        let case = Case::new(number);
        let wrong = differences(&case, Plant::Nothing, &mut seen);
        assert!(wrong.is_empty(), "case {number}: {} differences\n{}", wrong.len(), wrong.join("\n"));
    }
    for ty in Type::all().map(|ty| ty.to_string()) {
        let (accepted, refused) =
            (seen.accepted.get(&ty).copied().unwrap_or(0), seen.refused.get(&ty).copied().unwrap_or(0));
        // Every text is one, so only the other field can be wrong.
        assert!(accepted >= 20 && refused >= 5, "{ty}: {accepted} accepted, {refused} refused");
    }
    let natives: Vec<String> = Native::ALL.iter().map(|native| format!("{native:?}")).collect();
    for native in &natives {
        assert!(seen.natives.get(native).is_some_and(|count| *count >= 5), "{native}: {:?}", seen.natives);
    }
    assert!(
        seen.json_numbers >= count / 2 && seen.literals >= count,
        "{} {}",
        seen.json_numbers,
        seen.literals
    );
    let sum = |counts: &BTreeMap<String, u64>| counts.values().sum::<u64>();
    println!(
        "{} records: {} values accepted, {} refused; {} numbers of JSON, {} values of Parquet, {} literals",
        seen.records,
        sum(&seen.accepted),
        sum(&seen.refused),
        seen.json_numbers,
        sum(&seen.natives),
        seen.literals
    );
}

/// What the law is worth: an input that reads numbers by way of 64 bits, as JSON Lines once did, is noticed.
#[test]
fn a_number_that_goes_through_a_double_is_noticed() {
    let mut kinds = std::collections::BTreeSet::new();
    for number in 0..Type::all().count() as u64 * 2 {
        let case = Case::new(number);
        let wrong = differences(&case, Plant::Doubles, &mut Seen::default());
        if wrong.iter().any(|line| line.starts_with("JSON numbers")) {
            kinds.insert(format!("{:?}", case.types.0.kind()));
        }
    }
    let expected = [Kind::Float, Kind::Numeric].map(|kind| format!("{kind:?}"));
    assert!(expected.iter().all(|kind| kinds.contains(kind)), "{kinds:?}");
}

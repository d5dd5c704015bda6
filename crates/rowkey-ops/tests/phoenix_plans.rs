//! Do our plans read more rows than Phoenix's skip scan?
//!
//! Random keys, rows and conditions. Phoenix compiles each condition, and its own filter says which of the sorted rows it looks
//! at; ours are counted on the same rows. For every condition one of the candidates must read no more rows than Phoenix does.
//! `ROWKEY_PHOENIX_CONDITIONS=2000` for more than the usual 240.

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

use std::collections::BTreeSet;
use std::fmt::Write as _;

use rowkey_core::query::{Access, FanOut, Plan, PlanOptions, Prices, Query, SeekStep, candidates, plan};
use rowkey_core::{KeyRange, KeySchema, Order, Value};
use rowkey_testing::phoenix;
use rowkey_testing::random::Random;

/// Conditions on one key.
const CONDITIONS: usize = 40;
const ROWS: usize = 300;

/// A column of the key, in our words and in Phoenix's.
#[derive(Clone, Copy)]
enum Column {
    Number { ours: &'static str, phoenix: &'static str, least: i64, desc: bool },
    Letters { width: Option<usize> },
}

const COLUMNS: [Column; 8] = [
    Column::Number { ours: "u32", phoenix: "UNSIGNED_INT", least: 0, desc: false },
    Column::Number { ours: "u8", phoenix: "UNSIGNED_TINYINT", least: 0, desc: false },
    Column::Number { ours: "i32", phoenix: "INTEGER", least: -5, desc: false },
    Column::Number { ours: "i64", phoenix: "BIGINT", least: -5, desc: true },
    Column::Number { ours: "i16", phoenix: "SMALLINT", least: -5, desc: true },
    Column::Letters { width: Some(2) },
    Column::Letters { width: None },
    Column::Letters { width: None },
];

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

impl Column {
    /// As a part of our key.
    fn part(self, name: &str, last: bool) -> String {
        match self {
            Self::Number { ours, desc, .. } => format!("[{name}: {ours}{}]", if desc { " desc" } else { "" }),
            Self::Letters { width: Some(width) } => format!("[{name}: fixed({width})]"),
            Self::Letters { width: None } => format!("[{name}]{}", if last { "" } else { "[0x00]" }),
        }
    }

    fn phoenix_type(self) -> String {
        match self {
            Self::Number { phoenix, .. } => phoenix.to_owned(),
            Self::Letters { width: Some(width) } => format!("CHAR({width})"),
            Self::Letters { width: None } => "VARCHAR".to_owned(),
        }
    }

    fn is_desc(self) -> bool {
        matches!(self, Self::Number { desc: true, .. })
    }

    fn value(self, random: &mut Random) -> Value<'static> {
        match self {
            Self::Number { least, .. } => Value::Int(i128::from(least) + i128::from(random.below(12))),
            Self::Letters { width } => {
                let length = width.unwrap_or_else(|| 1 + index(random, 3));
                let text: String = (0..length).map(|_| ['a', 'b', 'c'][index(random, 3)]).collect();
                Value::Text(text.into())
            }
        }
    }

    /// A condition on it, or none.
    fn condition(self, name: &str, random: &mut Random) -> Option<String> {
        let mut value = || literal(&self.value(random));
        let (one, other) = (value(), value());
        let list = [value(), value(), value()];
        let text = match random.below(12) {
            0..=2 => return None,
            3..=5 => format!("{name} = {one}"),
            6 | 7 => format!("{name} in ({})", list[..2 + index(random, 2)].join(", ")),
            8 => format!("{name} >= {one}"),
            9 => format!("{name} < {one}"),
            10 if !matches!(self, Self::Number { .. }) && random.below(2) == 0 => {
                format!("{name} like '{}%'", ["a", "b", "ab"][index(random, 3)])
            }
            10 => format!("{name} > {one}"),
            _ => {
                let ordered = if self.less(&one, &other) { [one, other] } else { [other, one] };
                format!("{name} between {} and {}", ordered[0], ordered[1])
            }
        };
        Some(text)
    }

    fn less(self, one: &str, other: &str) -> bool {
        match self {
            Self::Number { .. } => one.parse::<i64>().unwrap() <= other.parse::<i64>().unwrap(),
            Self::Letters { .. } => one <= other,
        }
    }
}

fn index(random: &mut Random, below: usize) -> usize {
    usize::try_from(random.below(below as u64)).unwrap()
}

fn literal(value: &Value<'_>) -> String {
    match value {
        Value::Text(text) => format!("'{text}'"),
        other => other.to_string(),
    }
}

/// One key with rows, conditions and what Phoenix is told.
struct Case {
    key: KeySchema,
    rows: BTreeSet<Vec<u8>>,
    conditions: Vec<String>,
    sql: Vec<String>,
}

impl Case {
    fn new(number: usize) -> Self {
        let mut random = Random::new(1000 + number as u64);
        let columns: Vec<Column> =
            (0..2 + index(&mut random, 3)).map(|_| COLUMNS[index(&mut random, COLUMNS.len())]).collect();
        let names = &NAMES[..columns.len()];
        let last = columns.len() - 1;
        let parts = names.iter().zip(&columns).enumerate();
        let source: String = parts.map(|(at, (name, column))| column.part(name, at == last)).collect();
        let key = KeySchema::parse(&source).unwrap_or_else(|error| panic!("{source}: {error}"));

        let table = format!("T{number}");
        let fields: Vec<String> = names
            .iter()
            .zip(&columns)
            .map(|(name, column)| format!("{name} {} NOT NULL", column.phoenix_type()))
            .collect();
        let order: Vec<String> = names
            .iter()
            .zip(&columns)
            .map(|(name, column)| format!("{name}{}", if column.is_desc() { " DESC" } else { "" }))
            .collect();
        let mut sql = vec![format!(
            "CREATE TABLE {table} ({}, z VARCHAR CONSTRAINT pk PRIMARY KEY ({}))",
            fields.join(", "),
            order.join(", ")
        )];
        let mut rows = BTreeSet::new();
        for _ in 0..ROWS {
            let record: Vec<Value<'static>> =
                columns.iter().map(|column| column.value(&mut random)).collect();
            let mut bytes = Vec::new();
            key.encode(&record, &mut bytes).unwrap();
            if rows.insert(bytes) {
                let values: Vec<String> = record.iter().map(literal).collect();
                let values = values.join(", ");
                sql.push(format!("UPSERT INTO {table} ({}, z) VALUES ({values}, 'z')", names.join(", ")));
            }
        }
        let mut conditions = Vec::new();
        while conditions.len() < CONDITIONS {
            let all: Vec<String> = names
                .iter()
                .zip(&columns)
                .filter_map(|(name, column)| column.condition(name, &mut random))
                .collect();
            if !all.is_empty() {
                sql.push(format!("SELECT * FROM {table} WHERE {}", all.join(" AND ")));
                conditions.push(all.join(" and "));
            }
        }
        Self { key, rows, conditions, sql }
    }
}

/// The rows that a plan looks at.
fn rows_read(rows: &BTreeSet<Vec<u8>>, plan: &Plan) -> usize {
    match &plan.access {
        Access::Nothing => 0,
        Access::Gets(keys) => keys.iter().filter(|key| rows.contains(*key)).count(),
        Access::Ranges(fan_outs) => {
            let of = |fan_out: &FanOut| {
                fan_out.ranges.iter().map(|range| rows_of_range(rows, range, fan_out)).sum::<usize>()
            };
            fan_outs.iter().map(of).sum()
        }
    }
}

fn rows_of_range(rows: &BTreeSet<Vec<u8>>, range: &KeyRange, fan_out: &FanOut) -> usize {
    let mut read = 0;
    let mut from = range.first_key();
    while let Some(key) = rows.range(from..).find(|key| !range.is_after(key)) {
        if range.is_before(key) {
            break;
        }
        read += 1;
        from = rowkey_core::range::successor(key);
        match fan_out.seek.as_ref().map(|seek| seek.next(key, Order::Ascending)) {
            None | Some(SeekStep::Match) => {}
            Some(SeekStep::To(target)) => from = from.max(target),
            Some(SeekStep::Done) => break,
        }
    }
    read
}

/// How often ours is fewer, equal, more.
#[derive(Default)]
struct Beside([usize; 3]);

impl Beside {
    fn note(&mut self, ours: usize, theirs: usize) {
        self.0[match ours.cmp(&theirs) {
            std::cmp::Ordering::Less => 0,
            std::cmp::Ordering::Equal => 1,
            std::cmp::Ordering::Greater => 2,
        }] += 1;
    }
}

#[test]
fn a_candidate_reads_no_more_rows_than_phoenix() {
    let wanted = std::env::var("ROWKEY_PHOENIX_CONDITIONS").ok().and_then(|text| text.parse().ok());
    let keys = wanted.unwrap_or(240usize).div_ceil(CONDITIONS);
    let cases: Vec<Case> = (0..keys).map(Case::new).collect();
    let sql: Vec<String> = cases.iter().flat_map(|case| case.sql.iter().cloned()).collect();
    let theirs = phoenix::rows_read(&sql).unwrap();
    let mut theirs = theirs.into_iter();

    let (mut best, mut embedded, mut hbase) = (Beside::default(), Beside::default(), Beside::default());
    let (mut skipped, mut worse) = (0usize, String::new());
    for case in &cases {
        for condition in &case.conditions {
            let theirs = theirs.next().expect("an answer for each condition");
            let query = Query::parse(condition, case.key.fields()).unwrap();
            let options = |prices| PlanOptions { full_scan: true, prices, ..PlanOptions::default() };
            let all = candidates(&case.key, &query, &options(Prices::EMBEDDED)).unwrap();
            let fewest = all.iter().map(|plan| rows_read(&case.rows, plan)).min().unwrap();
            best.note(fewest, theirs);
            if fewest > theirs {
                let _ = writeln!(
                    worse,
                    "{} where {condition}: {fewest} rows, Phoenix {theirs}",
                    case.key.source()
                );
            }
            for (prices, beside) in [(Prices::EMBEDDED, &mut embedded), (Prices::HBASE, &mut hbase)] {
                let chosen = plan(&case.key, &query, &options(prices)).unwrap();
                beside.note(rows_read(&case.rows, &chosen), theirs);
            }
            skipped += usize::from(theirs < case.rows.len());
        }
    }
    let all = keys * CONDITIONS;
    println!("{all} conditions over {keys} keys; Phoenix reads a part of the table in {skipped}");
    for (name, Beside([fewer, equal, more])) in
        [("best candidate", &best), ("chosen in a folder", &embedded), ("chosen on HBase", &hbase)]
    {
        println!("{name}: {fewer} with fewer rows than Phoenix, {equal} with as many, {more} with more");
    }
    assert!(skipped * 2 > all, "only {skipped} of {all} conditions narrow anything");
    assert_eq!(best.0[2], 0, "{worse}");
}

//! Do our plans read more rows than Phoenix's skip scan?
//!
//! Random keys, rows and conditions. Phoenix compiles each condition, and its own filter says which of the sorted rows it looks
//! at; ours are counted on the same rows. For every condition one of the candidates must read no more rows than Phoenix does, and the
//! chosen one must cost the least, in a folder and on HBase, by what each is seen to read.
//! `ROWKEY_PHOENIX_CONDITIONS=2000` for more than the usual 240.

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

use std::collections::BTreeSet;
use std::fmt::Write as _;

use rowkey_core::query::{
    Access, FanOut, Plan, PlanOptions, Prices, Query, Sample, SeekStep, candidates, plan, plan_table,
};
use rowkey_core::{KeyRange, Order, Table, Value};
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

    /// As the type of our field.
    fn ty(self) -> &'static str {
        match self {
            Self::Number { ours, .. } => ours,
            Self::Letters { .. } => "text",
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
    table: Table,
    rows: BTreeSet<Vec<u8>>,
    /// The same rows, as records.
    sample: Sample,
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
        let types: String = names
            .iter()
            .zip(&columns)
            .map(|(name, column)| format!("{name} = \"{}\"\n", column.ty()))
            .collect();
        let file = format!("[table]\nname = \"t\"\nkey = \"{source}\"\n[fields]\n{types}[families.d]\n");
        let ours = Table::parse("t.toml", &file).unwrap_or_else(|error| panic!("{source}: {error}"));

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
        let (mut rows, mut sample) = (BTreeSet::new(), Sample::default());
        for _ in 0..ROWS {
            let record: Vec<Value<'static>> =
                columns.iter().map(|column| column.value(&mut random)).collect();
            let mut bytes = Vec::new();
            ours.key.encode(&record, &mut bytes).unwrap();
            if rows.insert(bytes) {
                let values: Vec<String> = record.iter().map(literal).collect();
                let values = values.join(", ");
                sql.push(format!("UPSERT INTO {table} ({}, z) VALUES ({values}, 'z')", names.join(", ")));
                sample.records.push(record);
            }
        }
        sample.rows = rows.len() as u64;
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
        Self { table: ours, rows, sample, conditions, sql }
    }

    /// The walks of a plan over its ranges.
    fn walked(&self, plan: &Plan) -> Vec<Walk> {
        let Access::Ranges(fan_outs) = &plan.access else { return Vec::new() };
        let of = |fan_out: &FanOut| {
            fan_out.ranges.iter().map(|range| walk(&self.rows, range, fan_out)).collect::<Vec<_>>()
        };
        fan_outs.iter().flat_map(of).collect()
    }

    /// The rows that a plan looks at.
    fn rows_read(&self, plan: &Plan) -> usize {
        match &plan.access {
            Access::Gets(keys) => keys.iter().filter(|key| self.rows.contains(*key)).count(),
            _ => self.walked(plan).iter().map(|walk| walk.matched + walk.jumped + walk.ended).sum(),
        }
    }

    /// What a plan costs by a list of prices, for all that it is seen to do: a range is one row at least.
    fn price(&self, plan: &Plan, prices: &Prices) -> f64 {
        let walked = self.walked(plan);
        let sum = |part: fn(&Walk) -> usize| walked.iter().map(part).sum::<usize>();
        let (ranges, matched, jumped) = (walked.len(), sum(|walk| walk.matched), sum(|walk| walk.jumped));
        let by_server = |fan_out: &FanOut| {
            let seek = fan_out.seek.as_ref().zip(fan_out.ranges.first());
            seek.is_none_or(|(seek, range)| seek.fuzzy(range).is_some())
        };
        let cost = match &plan.access {
            Access::Nothing => 0,
            Access::Gets(keys) => keys.len() * (1 + prices.get as usize),
            Access::Ranges(fan_outs) => {
                let at_server = prices.server_jump.filter(|_| fan_outs.iter().all(by_server));
                let jump = at_server.unwrap_or(prices.jump) as usize;
                matched.max(1) + ranges * prices.range as usize + jumped * (1 + jump)
            }
        };
        cost as f64
    }
}

/// Rows of a range that a plan looks at: those it takes, those from which it goes on elsewhere, and one at which it ends.
#[derive(Default)]
struct Walk {
    matched: usize,
    jumped: usize,
    ended: usize,
}

fn walk(rows: &BTreeSet<Vec<u8>>, range: &KeyRange, fan_out: &FanOut) -> Walk {
    let mut walk = Walk::default();
    let mut from = range.first_key();
    while let Some(key) = rows.range(from..).find(|key| !range.is_after(key)) {
        if range.is_before(key) {
            break;
        }
        from = rowkey_core::range::successor(key);
        match fan_out.seek.as_ref().map(|seek| seek.next(key, Order::Ascending)) {
            None | Some(SeekStep::Match) => walk.matched += 1,
            Some(SeekStep::To(target)) => {
                walk.jumped += 1;
                from = from.max(target);
            }
            Some(SeekStep::Done) => {
                walk.ended = 1;
                break;
            }
        }
    }
    walk
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
    let (mut skipped, mut worse, mut dearer, mut choices) = (0usize, String::new(), String::new(), 0usize);
    for case in &cases {
        for condition in &case.conditions {
            let theirs = theirs.next().expect("an answer for each condition");
            let (key, source) = (&case.table.key, case.table.key.source());
            let query = Query::parse(condition, key.fields()).unwrap();
            let options = |prices| PlanOptions { full_scan: true, prices, ..PlanOptions::default() };
            let all = candidates(key, &query, &options(Prices::EMBEDDED)).unwrap();
            let fewest = all.iter().map(|plan| case.rows_read(plan)).min().unwrap();
            best.note(fewest, theirs);
            if fewest > theirs {
                let _ = writeln!(worse, "{source} where {condition}: {fewest} rows, Phoenix {theirs}");
            }
            for (prices, beside) in [(Prices::EMBEDDED, &mut embedded), (Prices::HBASE, &mut hbase)] {
                let chosen = plan(key, &query, &options(prices)).unwrap();
                beside.note(case.rows_read(&chosen), theirs);

                let chosen = plan_table(&case.table, &query, &options(prices), Some(&case.sample)).unwrap();
                let price = case.price(&chosen.plan, &prices);
                let all = candidates(key, &query, &options(prices)).unwrap();
                let all: Vec<f64> = all.iter().map(|plan| case.price(plan, &prices)).collect();
                let least = all.iter().copied().fold(f64::INFINITY, f64::min);
                choices += usize::from(all.iter().any(|other| *other > least));
                if price > least || chosen.estimate.cost != price {
                    let estimate = chosen.estimate.cost;
                    let _ =
                        writeln!(dearer, "{source} where {condition}: {price}, told {estimate}, of {all:?}");
                }
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
    println!("the cheapest of several was chosen {choices} times");
    assert!(choices > all, "only {choices} choices between plans of different prices");
    assert!(dearer.is_empty(), "{dearer}");
}

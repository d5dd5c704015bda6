//! The law of one engine: what `advise` says of a design is what `simulate` says of its table file; and what `check` and `simulate` have against it
//! with these records, `advise` has against it too.

use proptest::prelude::*;
use rowkey_core::batch::{Column, ColumnBuffer};
use rowkey_core::check::{Severity, check_table_over};
use rowkey_core::key::{Draw, Draws};
use rowkey_core::table::NamedQuery;
use rowkey_core::{Table, Value};
use rowkey_lab::advise::{Options, Study};
use rowkey_lab::diagnose::diagnose_table;
use rowkey_lab::simulate::{self, Cut, Data, Design, Workload};
use rowkey_lab::verdict::{Judged, Reading, facts};
use rowkey_ops::input::{Format, Source};

use crate::drawn::{START, fields, int, text, zipf};

const FIELDS: [(&str, &str); 5] =
    [("user", "u64"), ("at", "timestamp"), ("id", "u64"), ("kind", "text"), ("size", "i64")];
const QUERIES: [&str; 8] = [
    "user = ?",
    "user = ? order by at desc limit 5",
    "user = ? and at >= ? and at < ?",
    "kind = ? order by at limit 10",
    "kind = ? and user = ?",
    "id = ?",
    "at >= ? and at < ? order by at",
    "size > ? limit 7",
];

/// Records of so many users and kinds, some of which are written far more often than others.
fn records(rows: u32, users: u32, kinds: u32, seed: u64) -> Vec<Vec<Value<'static>>> {
    let mut draws = Draws::new(seed, 1);
    let record = |row: u32| {
        let user = int(zipf(&mut draws, users));
        let at = Value::Time(START + i64::from(row) * 1_000 + i64::from(draws.draw(30_000)));
        let kind = text(format!("kind {}", zipf(&mut draws, kinds)));
        vec![user, at, int(5_000 + row), kind, int(draws.draw(1_000))]
    };
    (0..rows).map(record).collect()
}

/// The rules of `check` that warn of a table with these records.
fn warned(table: &Table, records: &[Vec<Value<'static>>]) -> Vec<String> {
    let mut csv: String = FIELDS.map(|(name, _)| name).join(",") + "\n";
    for record in records {
        csv += &(record.iter().map(ToString::to_string).collect::<Vec<_>>().join(",") + "\n");
    }
    let source = Source::stream(std::io::Cursor::new(csv.into_bytes()));
    let facts =
        facts(source, (Format::Csv, "t.csv"), &Judged::of_table(table), &Reading::default(), &mut |_| {})
            .expect("facts");
    assert_eq!((facts.records, facts.refused), (records.len() as u64, 0));
    let issues = check_table_over(table, Some(&facts)).into_iter();
    issues
        .filter(|issue| issue.severity >= Severity::Warning)
        .map(|issue| format!("rule {}", issue.rule.id))
        .collect()
}

fn question(text: &str, weight: u32) -> NamedQuery {
    let text = text.to_owned();
    NamedQuery { name: text.clone(), condition: text, weight, columns: None, window: None, limit: None }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(10) })]

    #[test]
    fn the_figures_of_a_design_are_those_of_its_table_file(
        rows in 120_u32..400,
        (users, kinds) in (2_u32..60, 1_u32..40),
        asked in prop::collection::btree_map(0..QUERIES.len(), 1_u32..100, 1..4),
        (servers, regions) in (1_usize..6, 2_usize..10),
        writes in 0.0_f64..1.0,
        seed in any::<u64>(),
    ) {
        let fields = fields(&FIELDS);
        let questions: Vec<NamedQuery> =
            asked.iter().map(|(query, weight)| question(QUERIES[*query], *weight)).collect();
        let options = Options {
            table: "t".to_owned(), servers, regions: Some(regions), writes, seed, draws: 4, threads: 1, ..Options::default()
        };
        let records = records(rows, users, kinds, seed);
        let study = Study::of_records("t", &fields, records, &questions, None, &options).expect("a study");
        let advice = study.advise(&options, &mut |_| true).expect("advice");
        prop_assert!(!advice.proposals.is_empty());

        // The records in the order in which they are written.
        let mut columns: Vec<ColumnBuffer> = fields.iter().map(|(_, field)| ColumnBuffer::new(field.ty)).collect();
        for record in &study.sample.records {
            for (column, value) in columns.iter_mut().zip(record) {
                column.push(value).expect("a value of the field's type");
            }
        }
        let columns: Vec<Column<'_>> = columns.iter().map(ColumnBuffer::column).collect();
        let data = Data { fields: &fields, columns: &columns, rows: study.sample.records.len() };
        for proposal in &advice.proposals {
            let table = Table::parse("t.toml", &proposal.file).expect("a table file");
            let mut warned = warned(&table, &study.sample.records);
            let asked = Workload { queries: table.queries.clone(), draws: 4 }.draw(&data, seed).expect("queries");
            let options = simulate::Options { time: Some("at".to_owned()), servers, ..simulate::Options::default() };
            let design = Design::of_table(table.clone(), Cut::Own);
            let outcome = simulate::in_memory(&[design], &data, Some(&asked), &options).expect("a simulation");
            let outcome = &outcome[0];
            let verdicts = diagnose_table(outcome, &table, Some(&data));
            warned.extend(verdicts.iter().filter(|own| own.name.is_bad()).map(|own| own.name.text().to_owned()));
            let own: Vec<&str> = proposal.warnings.iter().filter_map(|own| own.text.split(": ").next()).collect();
            prop_assert_eq!(own, warned, "{}: {:?}", &proposal.key, &proposal.warnings);
            prop_assert_eq!(outcome.rows, u64::from(rows), "{}: {:?}", &proposal.key, &outcome.refusal);
            prop_assert_eq!(proposal.figures.hot.usual, outcome.servers.mean_step, "{}", &proposal.key);
            prop_assert_eq!(proposal.figures.hot.worst, outcome.servers.worst(), "{}", &proposal.key);
            prop_assert_eq!(proposal.figures.key_bytes, outcome.key_bytes.mean, "{}", &proposal.key);
            let reads = &outcome.reads.as_ref().expect("queries were asked").queries;
            prop_assert_eq!(proposal.queries.len(), reads.len());
            let by: Vec<usize> = reads.iter().map(|read| read.by).collect();
            prop_assert_eq!(&proposal.cost.by, &by, "{}", &proposal.key);
            for (own, read) in proposal.queries.iter().zip(reads) {
                prop_assert_eq!(own, read, "{}", &proposal.key);
            }
        }
    }
}

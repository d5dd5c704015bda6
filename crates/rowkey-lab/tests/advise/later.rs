//! The law of later data: a design that is shown takes every record that comes after those it was made from, and keeps it apart.
//!
//! Later there are users that were not there before, kinds with other lengths and signs, larger ids, and times that many records share.

use std::collections::HashSet;

use proptest::prelude::*;
use rowkey_core::key::{Draw, Draws};
use rowkey_core::table::NamedQuery;
use rowkey_core::{Table, Value};
use rowkey_lab::advise::{Options, Study};

use crate::drawn::{START, fields, int, text, zipf};

/// What a record is: a user writes at most once in a millisecond.
const FIELDS: [(&str, &str); 5] =
    [("user", "u64"), ("at", "timestamp"), ("kind", "text"), ("size", "i64"), ("id", "u64")];
const QUERIES: [&str; 6] = [
    "user = ?",
    "user = ? order by at desc limit 5",
    "kind = ? order by at limit 10",
    "kind = ? and user = ?",
    "at >= ? and at < ? order by at",
    "user = ? and at >= ? and at < ?",
];

struct Shape {
    rows: u32,
    users: u32,
    kinds: u32,
    /// Milliseconds between two records: with few, times of different users collide.
    pace: i64,
    seed: u64,
}

/// Records in the order of their time: those that advice is made from, then twice as many later ones.
fn records(shape: &Shape) -> (Vec<Vec<Value<'static>>>, Vec<Vec<Value<'static>>>) {
    let mut draws = Draws::new(shape.seed, 1);
    let mut last = vec![START; 4 * shape.users as usize];
    let mut record = |row: u32, is_later: bool| {
        let users = if is_later { 4 * shape.users } else { shape.users };
        let user = zipf(&mut draws, users);
        // Later many write in the same moment.
        let pace = if is_later { 1 + shape.pace / 50 } else { shape.pace };
        let now =
            START + i64::from(row) * pace + if is_later { i64::from(shape.rows) * shape.pace } else { 0 };
        let at = &mut last[user as usize];
        *at = now.max(*at + 1);
        let kind = match draws.draw(4) {
            0 if is_later => format!("new_{}|a longer name than all before", draws.draw(9)),
            1 if is_later => String::from("k"),
            _ => format!("kind {}", zipf(&mut draws, shape.kinds)),
        };
        let id = if is_later { 9_000_000 + u64::from(row) * 3 } else { 5_000 + u64::from(row) };
        vec![int(user), Value::Time(*at), text(kind), int(i64::from(draws.draw(1_000)) - 500), int(id)]
    };
    let first = (0..shape.rows).map(|row| record(row, false)).collect();
    (first, (0..2 * shape.rows).map(|row| record(row, true)).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(16) })]

    #[test]
    fn later_records_are_neither_refused_nor_lost(
        rows in 120_u32..300,
        (users, kinds) in (2_u32..60, 1_u32..40),
        pace in prop::sample::select(vec![1_i64, 40, 1_000, 60_000]),
        asked in prop::collection::btree_map(0..QUERIES.len(), 1_u32..100, 1..4),
        numbered in any::<bool>(),
        declared in any::<bool>(),
        seed in any::<u64>(),
    ) {
        // With or without a field that numbers the records.
        let known = if numbered { FIELDS.len() } else { FIELDS.len() - 1 };
        let (mut before, mut later) = records(&Shape { rows, users, kinds, pace, seed });
        before.iter_mut().chain(&mut later).for_each(|record| record.truncate(known));
        let fields = fields(&FIELDS[..known]);
        let question = |(query, weight): (&usize, &u32)| {
            let text = QUERIES[*query].to_owned();
            NamedQuery { name: text.clone(), condition: text, weight: *weight, columns: None, window: None, limit: None }
        };
        let questions: Vec<NamedQuery> = asked.iter().map(question).collect();
        let identity = declared.then(|| vec!["user".to_owned(), "at".to_owned()]);
        let options = Options { table: "t".to_owned(), draws: 4, threads: 1, seed, identity, ..Options::default() };
        let study = Study::of_records("t", &fields, before.clone(), &questions, None, &options).expect("a study");
        let advice = study.advise(&options, &mut |_| true).expect("advice");
        for proposal in &advice.proposals {
            let table = Table::parse("t.toml", &proposal.file).expect("a table file");
            let mut keys = HashSet::new();
            for record in before.iter().chain(&later) {
                let mut key = Vec::new();
                let made = table.key.encode(record, &mut key);
                prop_assert!(made.is_ok(), "{} refuses {:?}: {:?}", &proposal.key, record, made);
                prop_assert!(keys.insert(key), "{} loses {:?}", &proposal.key, record);
                for index in &table.indexes {
                    let made = index.key.encode(record, &mut Vec::new());
                    prop_assert!(made.is_ok(), "{} refuses {:?}: {:?}", index.key.source(), record, made);
                }
            }
        }
    }
}

//! Facts of a key over data: those of a plain loop, whatever the threads; and the rules notice what they are for.

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

use std::collections::HashMap;
use std::io::Cursor;

use rowkey_core::check::{Context, DataFacts, Issue, check_key, check_table_over};
use rowkey_core::key::{Draw, Draws};
use rowkey_core::{FieldId, KeySchema, Table};
use rowkey_lab::sample::{guess_fields, key_over};
use rowkey_lab::verdict::{Judged, Reading, facts};
use rowkey_ops::input::{Format, Source};

fn over(key: &str, csv: &str, threads: usize) -> (KeySchema, DataFacts) {
    let source = Source::stream(Cursor::new(csv.to_owned().into_bytes()));
    let (guess, source) = guess_fields(source, Format::Csv, "data").unwrap();
    let key = key_over(key, &guess.fields).unwrap();
    let families: Vec<Vec<FieldId>> = key.fields().iter().map(|(id, _)| vec![id]).collect();
    let reading = Reading { threads, memory: 1 << 16, ..Reading::default() };
    let judged = Judged { families, ..Judged::of_key(&key) };
    let found = facts(source, (Format::Csv, "data"), &judged, &reading, &mut |_| {}).unwrap();
    (key, found)
}

fn issues(key: &str, csv: &str) -> Vec<Issue> {
    let (key, facts) = over(key, csv, 2);
    let context = Context { declared: true, data: Some(&facts), ..Context::default() };
    check_key(&key, &context)
}

#[track_caller]
fn assert_told(key: &str, csv: &str, rule: &str, words: &str) {
    let found = issues(key, csv);
    let told = found.iter().any(|issue| issue.rule.id == rule && issue.message.contains(words));
    let all: Vec<String> =
        found.iter().map(|issue| format!("{}: {}", issue.rule.id, issue.message)).collect();
    assert!(told, "no {rule} with `{words}` in\n{}", all.join("\n"));
}

#[track_caller]
fn assert_silent(key: &str, csv: &str, rule: &str) {
    let found = issues(key, csv);
    assert!(!found.iter().any(|issue| issue.rule.id == rule), "{rule}: {found:?}");
}

fn lines(count: u32, seed: u64) -> String {
    let mut draws = Draws::new(seed, 0);
    let mut csv = String::from("user,ts,note\n");
    for number in 0..count {
        let note = if draws.draw(3) == 0 { "" } else { "n" };
        let time = 1_700_000_000_000_u64 + u64::from(number) * 1000;
        csv += &format!("{},{time},{note}\n", draws.draw(500));
    }
    csv
}

#[test]
fn facts_are_those_of_a_plain_loop() {
    let csv = lines(30_000, 1);
    let (key, found) = over("[user][date(ts)]", &csv, 3);
    let mut seen = HashMap::new();
    let (mut duplicates, mut example, mut bytes, mut notes) = (0, None, 0, 0);
    for (line, text) in csv.lines().enumerate().skip(1) {
        let cells: Vec<&str> = text.split(',').collect();
        let read = |name: &str, cell| {
            rowkey_core::value::read(cell, key.fields().get(key.fields().id(name).unwrap()).ty).unwrap()
        };
        let mut out = Vec::new();
        key.encode(&[read("user", cells[0]), read("ts", cells[1]), rowkey_core::Value::Null], &mut out)
            .unwrap();
        bytes += out.len() as u64;
        notes += u64::from(!cells[2].is_empty());
        if let Some(first) = seen.get(&out) {
            duplicates += 1;
            example = example.or(Some((format!("line {first}"), format!("line {}", line + 1))));
        } else {
            seen.insert(out, line + 1);
        }
    }
    assert!(duplicates > 20_000, "{duplicates}");
    assert_eq!((found.records, found.refused, found.duplicates), (30_000, 0, duplicates));
    assert_eq!((found.key_bytes, found.families[2]), (bytes, notes));
    assert_eq!(found.duplicate_example, example);
    assert_eq!(
        found.multiples.iter().find(|(field, _)| field.0 == 1).map(|(_, multiple)| *multiple),
        Some(1000)
    );
    for threads in [1, 2] {
        assert_eq!(over("[user][date(ts)]", &csv, threads).1, found, "{threads} threads");
    }
    let issue = issues("[user][date(ts)]", &csv).remove(0);
    assert_eq!(issue.rule.id, "duplicate-keys");
}

#[test]
fn lines_are_right_where_cells_have_line_ends() {
    let csv = "id,note\n1,a\n2,\"b\nc\"\n\n3,d\n1,e\n";
    let found = over("[id]", csv, 1).1;
    let (first, second) = found.duplicate_example.unwrap();
    assert_eq!(found.duplicates, 1);
    assert!(first.starts_with("line 2") && second.starts_with("line "), "{first} {second}");
}

#[test]
fn a_rising_key_is_told_by_its_newest_records() {
    let csv = lines(40_000, 2);
    assert_told(
        "[ts][user]",
        &csv,
        "rising-writes",
        "monotonic prefix: of the last 400 writes 100% land in 1 of 16 regions",
    );
    assert_told("[ts desc][user]", &csv, "rising-writes", "100% land in 1 of 16 regions");
    assert_silent("[user][ts]", &csv, "rising-writes");
    assert_silent("[salt(16, user)][ts][user]", &csv, "rising-writes");
}

#[test]
fn steps_and_heavy_values_are_told() {
    let csv = lines(20_000, 3);
    assert_told(
        "[ts % 10][ts][user]",
        &csv,
        "stepped-buckets",
        "only 1 of 10 values of `ts % 10` ever come: `ts` is always a multiple of 1,000",
    );
    assert_silent("[ts / 1000 % 10][ts][user]", &csv, "stepped-buckets");
    assert_silent("[salt(10, ts)][ts][user]", &csv, "stepped-buckets");
    // Texts of two letters whose 31-polynomial is a multiple of 31 whatever the first letter is.
    let ids: String = (0..20_000).map(|n| format!("{}>,{n}\n", char::from(b'a' + (n % 26) as u8))).collect();
    assert_told(
        "[java_hash(id) % 31][id][n]",
        &format!("id,n\n{ids}"),
        "stepped-buckets",
        "only 1 of 31 values",
    );
    let celebrity: String = (0..20_000).map(|n| format!("{},{n}\n", if n % 3 > 0 { 7 } else { n })).collect();
    let celebrity = format!("user,n\n{celebrity}");
    assert_told("[salt(8, user)][user][n]", &celebrity, "skew", "times the mean (threshold 2)");
    assert_silent("[salt(8, n)][user][n]", &celebrity, "skew");
}

#[test]
fn what_does_not_fit_is_counted_and_long_keys_are_told() {
    let csv = "id,name\n1,a\n300,b\n2,c\n999,d\n";
    let (_, found) = over("[id: u8][name]", csv, 1);
    assert_eq!((found.records, found.refused), (2, 2));
    assert_told(
        "[id: u8][name]",
        csv,
        "values-misfit",
        "2 of 4 records cannot be written; the first: data, line 3: field `id`: 300 does not fit u8",
    );
    let long = format!("url\n{}\n{}\n", "x".repeat(100), "y".repeat(2000));
    assert_told("[url]", &long, "long-keys", "a key has 1050 bytes on average, the longest 2,000");
    let empty = over("[id]", "id\n", 2).1;
    assert_eq!((empty.records, empty.duplicates), (0, 0));
}

#[test]
fn random_parts_are_judged_too() {
    let csv = lines(5000, 4);
    let found = over("[random(4)][user][ts]", &csv, 2).1;
    assert_eq!((found.records, found.buckets.iter().sum::<u64>()), (5000, 5000));
    assert!(found.buckets.iter().all(|count| (1000..1500).contains(count)), "{:?}", found.buckets);
}

const INDEXED: &str = r#"[table]
name = "reads"
key = "[id]"
splits = "uniform 4"
[fields]
id = "u64"
seller = "text"
[families.d]
columns = { s = "seller" }
[[index]]
name = "by_seller"
key = "[seller: escaped][id]"
splits = ["d", "m", "t"]
"#;

fn of_table(csv: &str, threads: usize) -> (Table, DataFacts) {
    let table = Table::parse("reads.toml", INDEXED).unwrap();
    let source = Source::stream(Cursor::new(csv.to_owned().into_bytes()));
    let reading = Reading { threads, ..Reading::default() };
    let found =
        facts(source, (Format::Csv, "data"), &Judged::of_table(&table), &reading, &mut |_| {}).unwrap();
    (table, found)
}

#[test]
fn keys_of_index_tables_are_judged_too() {
    let mut csv = String::from("id,seller\n");
    for row in 0..2_000_u64 {
        // Of four sellers one has most records.
        let seller = ["Ann", "Eve", "Moe", "Zoe"][if row % 10 < 7 { 0 } else { row as usize % 4 }];
        csv += &format!("{},{seller}\n", row.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    }
    let (table, found) = of_table(&csv, 3);
    let index = found.indexes.first().unwrap();
    let lengths = found.records * 8 + found.records * (3 + 2);
    assert_eq!((index.records, index.key_bytes), (found.records, lengths));
    assert!(index.own_regions && index.regions.iter().sum::<u64>() == 2_000, "{index:?}");
    let told: Vec<String> =
        check_table_over(&table, Some(&found)).into_iter().map(|issue| issue.message).collect();
    let skewed = |message: &&String| {
        message.starts_with("index table `by_seller`: the busiest region of 4 gets")
            && message.contains("of the records")
    };
    assert_eq!(told.iter().filter(skewed).count(), 1, "{told:?}");
    assert!(!told.iter().any(|message| message.starts_with("the busiest region")), "{told:?}");
    assert_eq!(of_table(&csv, 1).1, found);
}

#[test]
fn a_record_that_an_index_table_refuses_cannot_be_written() {
    let long = "x".repeat(40_000);
    let (table, found) = of_table(&format!("id,seller\n1,Ann\n2,{long}\n3,Eve\n"), 2);
    assert_eq!((found.records, found.refused), (2, 1));
    let told = check_table_over(&table, Some(&found));
    let misfits = told.iter().filter(|issue| issue.rule.id == "values-misfit").count();
    assert_eq!(misfits, 1, "{told:?}");
}

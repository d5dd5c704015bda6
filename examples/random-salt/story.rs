//! A salt by chance, or one computed from the record?

use std::collections::BTreeMap;

use serde_json::Value;

use crate::{Stage, Told};

fn line(number: u64, words: &str) -> String {
    format!("foo{number:04},{words} {number}")
}

/// Loads the records, then all of them again with other words and in another order, as an update does.
fn write_twice(stage: &mut Stage, file: &str, table: &str) -> Told {
    stage.show(&["create", file])?;
    stage.show(&["load", table, "first.csv", "--seed", "1"])?;
    stage.show(&["load", table, "again.csv", "--seed", "2"])?;
    Ok(())
}

/// How many rows there are of each id.
fn copies(records: &[Value]) -> BTreeMap<&str, u64> {
    let mut copies = BTreeMap::new();
    for id in records.iter().filter_map(|record| record["id"].as_str()) {
        *copies.entry(id).or_default() += 1;
    }
    copies
}

pub(crate) fn story(stage: &mut Stage) -> Told {
    let count = stage.scaled(400, 9999);
    stage.write_csv("first.csv", "id,words", (1..=count).map(|number| line(number, "first")))?;
    stage.write_csv("again.csv", "id,words", (1..=count).rev().map(|number| line(number, "again")))?;

    let (file, table) = stage.table_file("random.toml", include_str!("random.toml"))?;
    write_twice(stage, &file, &table)?;
    let spread = stage.writes_by_region(&table, 2 * count)?;
    stage.claim("writes by region, letters by chance", &spread, spread.largest() < 0.30);
    let rows = stage.count(&table, "")?;
    let doubled = (rows - count) as f64 / count as f64;
    let shown = format!("{rows} of {count} records");
    stage.claim(
        "rows after every record was written twice, by chance",
        shown,
        (0.65..0.85).contains(&doubled),
    );
    let records = stage.records(&["query", &table, "", "--full-scan"])?;
    let twice =
        copies(&records).into_iter().find(|(_, rows)| *rows == 2).map_or("none", |(id, _)| id).to_owned();
    let found = stage.show(&["query", &table, &format!("id = '{twice}'")])?;
    let both = found.out.contains("first") && found.out.contains("again");
    stage.claim("the older words of a record that was written again", "still there, beside the newer", both);
    let reads = stage.reads(&[&table, &format!("id = '{twice}'")])?;
    stage.claim("one id of the letters by chance, by a query", reads, reads.gets == 4);
    let refused = stage.fails(&["get", &table, &format!("id={twice}")])?;
    stage.claim("one id of the letters by chance, by a Get", "refused", refused.err.contains("random"));

    let (file, table) = stage.table_file("table.toml", include_str!("table.toml"))?;
    write_twice(stage, &file, &table)?;
    let spread = stage.writes_by_region(&table, 2 * count)?;
    stage.claim("writes by region, letters by hash", &spread, spread.largest() < 0.32);
    let rows = stage.count(&table, "")?;
    stage.claim_is("rows after every record was written twice, by hash", rows, count);
    let found = stage.show(&["get", &table, &format!("id={twice}")])?;
    stage.claim(
        "one id of the letters by hash, by a Get",
        "the newer words",
        found.code == 0 && found.out.contains("again"),
    );
    let reads = stage.reads(&[&table, &format!("id = '{twice}'")])?;
    stage.claim("one id of the letters by hash, by a query", reads, (reads.read, reads.gets) == (1, 1));
    Ok(())
}

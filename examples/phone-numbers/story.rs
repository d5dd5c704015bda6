//! What does reversing phone numbers spread, and what does it lose?

use std::collections::BTreeSet;

use rowkey_testing::random::Random;

use crate::{Stage, Told};

/// Beginnings of mobile numbers; the first is handed out most.
const BEGINNINGS: [&str; 8] = ["138", "138", "138", "137", "139", "150", "151", "188"];
const AREA: &str = "phone like '13805%'";

/// Different numbers of eleven digits, in no order.
fn numbers(count: usize, seed: u64) -> Vec<String> {
    let mut random = Random::new(seed);
    let (mut seen, mut numbers) = (BTreeSet::new(), Vec::new());
    while numbers.len() < count {
        let beginning = BEGINNINGS[random.below(BEGINNINGS.len() as u64) as usize];
        let number = format!("{beginning}{:08}", random.below(100_000_000));
        if seen.insert(number.clone()) {
            numbers.push(number);
        }
    }
    numbers
}

pub(crate) fn story(stage: &mut Stage) -> Told {
    let count = stage.scaled(2000, 200_000);
    let new = numbers(count as usize, 2);
    for (path, numbers) in [("customers.csv", &numbers(count as usize, 1)), ("new.csv", &new)] {
        stage.write_csv(
            path,
            "phone,name",
            numbers.iter().map(|number| format!("{number},customer {number}")),
        )?;
    }
    let in_area = new.iter().filter(|number| number.starts_with("13805")).count() as u64;
    let example = new.first().map_or("", String::as_str);

    let (file, table) = stage.table_file("plain.toml", include_str!("plain.toml"))?;
    stage.show(&["create", &file])?;
    stage.show(&["load", &table, "new.csv"])?;
    let spread = stage.writes_by_region(&table, count)?;
    stage.claim("writes by region, numbers as they are", &spread, spread.largest() == 1.0);
    let reads = stage.reads(&[&table, AREA])?;
    let exact = (reads.returned, reads.read, reads.ranges) == (in_area, in_area, 1);
    stage.claim("numbers that begin with 13805, as they are", reads, exact);

    let (file, table) = stage.table_file("table.toml", include_str!("table.toml"))?;
    stage.show(&["create", &file])?;
    stage.show(&["load", &table, "new.csv"])?;
    let spread = stage.writes_by_region(&table, count)?;
    stage.claim("writes by region, numbers reversed", &spread, spread.largest() < 0.24);
    let found = stage.records(&["get", &table, &format!("phone={example}")])?;
    stage.claim("a Get of one number", format!("{} row", found.len()), found.len() == 1);
    let refused = stage.fails(&["query", &table, AREA])?;
    stage.claim(
        "numbers that begin with 13805, reversed",
        "only by reading everything",
        refused.err.contains("--full-scan"),
    );
    let reads = stage.reads(&[&table, AREA, "--full-scan"])?;
    stage.claim("what reading everything is", reads, (reads.returned, reads.read) == (in_area, count));

    let (file, table) = stage.table_file("sampled.toml", include_str!("sampled.toml"))?;
    stage.show(&["create", &file, "--data", "customers.csv"])?;
    stage.show(&["load", &table, "new.csv"])?;
    let spread = stage.writes_by_region(&table, count)?;
    stage.claim("writes by region, as they are, cut by a sample", &spread, spread.largest() < 0.24);
    let reads = stage.reads(&[&table, AREA])?;
    let exact = (reads.returned, reads.read, reads.ranges) == (in_area, in_area, 1);
    stage.claim("numbers that begin with 13805, cut by a sample", reads, exact);
    Ok(())
}

//! What does cutting a table beforehand give?

use std::fmt::Write;

use rowkey_testing::random::Random;

use crate::{Spread, Stage, Told};

/// 2025-01-01T00:00:00Z.
const START: u64 = 1_735_689_600_000;
/// As many requests as the table in the RowKey principles shows: 21, 22, 31 and 23.
const REQUESTS: u64 = 97;

pub(crate) fn story(stage: &mut Stage) -> Told {
    by_the_shell(stage)?;
    by_a_file(stage)
}

/// The statement of the RowKey principles, then its rows: a digit by chance and the time.
fn by_the_shell(stage: &mut Stage) -> Told {
    let table = stage.table("testtable");
    stage.shell(&format!("create '{table}', 'common', 'data', {{SPLITS => ['1', '2', '3']}}"))?;
    let splits = stage.shell(&format!("get_splits '{table}'"))?;
    stage.claim("split points", "3, so 4 regions", splits.ends_with("= 4\n1\n2\n3"));
    let (mut random, mut script) = (Random::new(11), String::new());
    for number in 0..REQUESTS {
        let row = format!("{}{}", random.below(4), START + number);
        let _ = writeln!(script, "put '{table}', '{row}', 'common:n', '{number}', 1");
    }
    stage.write("puts.txt", &script)?;
    stage.rowkey(&["shell", "puts.txt"])?;
    let spread = stage.writes_by_region(&table, REQUESTS)?;
    stage.say("start  end  requests");
    for ((start, end), requests) in [("", "1"), ("1", "2"), ("2", "3"), ("3", "")].into_iter().zip(&spread.0)
    {
        stage.say(&format!("{start:<5}  {end:<3}  {requests:>8}"));
    }
    stage.claim("regions with requests", spread.0.len() - spread.idle(), spread.idle() == 0);
    if stage.on_hbase() {
        let regions = stage.json(&["regions", &table])?;
        let mut servers: Vec<&str> = regions.iter().filter_map(|region| region["server"].as_str()).collect();
        servers.sort_unstable();
        servers.dedup();
        // How many there are is the cluster's business.
        stage.rate("servers that hold them", servers.len());
    }
    Ok(())
}

/// The same key through a table file; some events come in the same millisecond.
fn by_a_file(stage: &mut Stage) -> Told {
    let count = stage.scaled(2000, 200_000);
    let mut random = Random::new(12);
    let events = (0..count).map(|number| format!("{},event {number}", START + random.below(2 * count)));
    stage.write_csv("events.csv", "ts,words", events)?;
    let (file, table) = stage.table_file("table.toml", include_str!("table.toml"))?;
    let rules = stage.rules(&[&file, "--data", "events.csv"])?;
    let known = ["random-unreadable", "unique"].iter().all(|rule| rules.iter().any(|found| found == rule));
    stage.claim("check, of the principles' key", rules.join(", "), known);
    stage.show(&["create", &file])?;
    stage.show(&["load", &table, "events.csv", "--seed", "1"])?;
    let spread: Spread = stage.writes_by_region(&table, count)?;
    stage.claim("writes by region", &spread, spread.largest() < 0.30);
    let rows = stage.count(&table, "")?;
    stage.claim("events lost: the same millisecond and the same digit", count - rows, rows < count);
    Ok(())
}

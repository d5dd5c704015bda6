//! Where do older values go: into versions of a cell, or into rows of their own?

use crate::{Stage, Told};

/// 2025-01-01T00:00:00Z.
const START: u64 = 1_735_689_600_000;
const DAY: u64 = 86_400_000;
/// Every user changes the settings once a day.
const CHANGES: u64 = 30;

fn changes(users: u64) -> impl Iterator<Item = String> {
    (0..CHANGES).flat_map(move |day| {
        (1..=users).map(move |user| format!("{user},{},setting {day} of {user}", START + day * DAY + user))
    })
}

pub(crate) fn story(stage: &mut Stage) -> Told {
    let users = stage.scaled(20, 5000);
    stage.write_csv("changes.csv", "user,ts,setting", changes(users))?;
    as_versions(stage)?;
    as_rows(stage)?;
    range_of_the_text(stage)
}

fn as_versions(stage: &mut Stage) -> Told {
    let (file, table) = stage.table_file("versions.toml", include_str!("versions.toml"))?;
    stage.show(&["create", &file])?;
    stage.show(&["load", &table, "changes.csv"])?;
    let versions = stage.shell(&format!("get '{table}', '7000', {{COLUMN => 'd:s', VERSIONS => 100}}"))?;
    let readable = versions.matches("value=setting").count() as u64;
    stage.claim_is("changes of user 7 that can be read, of 30, as versions", readable, 3);
    let january_10 =
        format!("get '{table}', '7000', {{COLUMN => 'd:s', TIMERANGE => [0, {}]}}", START + 10 * DAY);
    let before = stage.shell(&january_10)?;
    stage.claim(
        "as versions: the setting of January 10, by a range of time",
        "seen by luck",
        before.contains("value=setting 9 of 7"),
    );
    let after = stage.shell(&format!("flush '{table}'; major_compact '{table}'; {january_10}"))?;
    stage.claim(
        "as versions: the setting of January 10, after a compaction",
        "gone",
        !after.contains("value="),
    );
    Ok(())
}

fn as_rows(stage: &mut Stage) -> Told {
    let (file, table) = stage.table_file("table.toml", include_str!("table.toml"))?;
    stage.show(&["create", &file])?;
    stage.show(&["load", &table, "changes.csv"])?;
    let rows = stage.count(&table, "user = 7")?;
    stage.claim_is("changes of user 7 that can be read, of 30, as rows", rows, CHANGES);
    let newest = "user = 7 limit 1";
    let found = stage.records(&["query", &table, newest])?;
    let setting = found.first().and_then(|record| record["setting"].as_str()).unwrap_or("none");
    stage.claim("the first row is the newest", setting, setting == "setting 29 of 7");
    let reads = stage.reads(&[&table, newest])?;
    stage.claim("what the newest reads", reads, (reads.read, reads.ranges) == (1, 1));
    let then = "user = 7 and ts < '2025-01-11' order by ts desc limit 1";
    let found = stage.records(&["query", &table, then])?;
    let setting = found.first().and_then(|record| record["setting"].as_str()).unwrap_or("none");
    stage.claim("as rows: the setting of January 10", setting, setting == "setting 9 of 7");
    let reads = stage.reads(&[&table, then])?;
    stage.claim("what the setting of January 10 reads", reads, (reads.read, reads.ranges) == (1, 1));
    Ok(())
}

/// Start and stop rows of the RowKey principles, with keys as text so that they can be seen.
fn range_of_the_text(stage: &mut Stage) -> Told {
    let table = stage.table("actions");
    let row = |time: u64| format!("7000{}", i64::MAX as u64 - time);
    let (begin, end) = (1000, 5000);
    stage.shell(&format!("create '{table}', 'd'"))?;
    let puts: Vec<String> =
        (1..=5).map(|time| format!("put '{table}', '{}', 'd:a', 'at {time}', 1", row(1000 * time))).collect();
    stage.shell(&puts.join("; "))?;
    let mut scanned = |what: &str, start: &str, stop: &str, expected: usize| -> Told {
        let scan = stage.shell(&format!("scan '{table}', {{STARTROW => '{start}', STOPROW => '{stop}'}}"))?;
        stage.claim_is(what, scan.matches("value=at").count(), expected);
        Ok(())
    };
    scanned(
        "all actions, as the principles have it: of 5 the oldest is missing",
        "7000000000000000",
        &row(begin),
        4,
    )?;
    scanned("from 1000 to 5000, as the principles have it", &row(begin), &row(end), 0)?;
    scanned("the other way round, and one key further", &row(end), &row(begin - 1), 5)
}

//! Does a remainder in front spread rows over the regions?

use rowkey_testing::random::Random;

use crate::{Spread, Stage, Told};

/// 2025-01-01T00:00:00Z.
const START: u64 = 1_735_689_600_000;

fn loaded(stage: &mut Stage, file: &str, table: &str, data: &str, rows: u64) -> Told<Spread> {
    stage.show(&["create", file])?;
    stage.show(&["load", table, data])?;
    stage.writes_by_region(table, rows)
}

pub(crate) fn story(stage: &mut Stage) -> Told {
    let count = stage.scaled(2000, 200_000);
    stage.write_csv("ids.csv", "id,words", (0..count).map(|id| format!("{id},row {id}")))?;
    let mut random = Random::new(9);
    // Log lines carry whole seconds, as most of them do.
    let logs =
        (0..count).map(|number| format!("{},{},line {number}", START + 1000 * number, random.below(3)));
    stage.write_csv("logs.csv", "ts,host,words", logs)?;
    of_ids(stage, count)?;
    of_times(stage, count)
}

fn of_ids(stage: &mut Stage, count: u64) -> Told {
    let added = stage.show(&["encode", "[id % 5 + id: decimal(8)]", "id=1234"])?;
    stage.claim(
        "mod 5 of a number plus the number",
        "1238: no bucket in front",
        added.out.contains("00001238"),
    );
    let (file, table) = stage.table_file("five.toml", include_str!("five.toml"))?;
    let spread = loaded(stage, &file, &table, "ids.csv", count)?;
    let as_counted = spread.0 == [count / 5, count / 5, count / 5, count / 5 * 2];
    stage.claim("id % 5 on regions cut at 1, 2, 3", &spread, as_counted);
    let (file, table) = stage.table_file("table.toml", include_str!("table.toml"))?;
    let spread = loaded(stage, &file, &table, "ids.csv", count)?;
    stage.claim("id % 4 on the same regions", &spread, spread.0 == [count / 4; 4]);
    let found = stage.records(&["get", &table, "id=1234"])?;
    stage.claim("a Get computes the bucket", format!("{} row", found.len()), found.len() == 1);
    Ok(())
}

fn of_times(stage: &mut Stage, count: u64) -> Told {
    let (time_file, by_time) = stage.table_file("time.toml", include_str!("time.toml"))?;
    let rules = stage.rules(&[&time_file])?;
    stage.claim("check, of ts % 10", rules.join(", "), rules.iter().any(|rule| rule == "bucket-step"));
    let spread = loaded(stage, &time_file, &by_time, "logs.csv", count)?;
    stage.claim("ts % 10 of whole seconds, on regions of two buckets", &spread, spread.share(0) == 1.0);
    let (file, salted) = stage.table_file("salted.toml", include_str!("salted.toml"))?;
    let spread = loaded(stage, &file, &salted, "logs.csv", count)?;
    stage.claim("salt(10, ts, host) on the same regions", &spread, spread.largest() < 0.24);
    let minute = "ts >= '2025-01-01 00:10:00' and ts < '2025-01-01 00:11:00'";
    let reads = stage.reads(&[&salted, minute])?;
    stage.claim("a minute's lines", reads, (reads.returned, reads.read, reads.ranges) == (60, 60, 10));
    Ok(())
}

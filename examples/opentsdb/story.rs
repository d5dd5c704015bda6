//! How does OpenTSDB keep a rising time from heating one region?

use crate::{Stage, Told};

/// 2025-01-01T00:00:00Z.
const START: u64 = 1_735_689_600_000;
const HOUR: u64 = 3_600_000;
/// Metric 1 is measured on every host, the other nineteen on a few.
const METRICS: u64 = 20;
const HOURS: u64 = 6;

/// One row for each metric, host and hour: OpenTSDB gathers the points of an hour in one row.
fn rows(hosts: u64) -> Vec<String> {
    let id = |number: u64| format!("\\x00\\x{:02X}\\x{:02X}", number / 256, number % 256);
    let mut lines = Vec::new();
    for hour in 0..HOURS {
        for metric in 1..=METRICS {
            let of = if metric == 1 { hosts } else { hosts / 20 };
            // The tag `host` has the id 1.
            lines.extend((0..of).map(|host| {
                format!("{},{},{}{},hour {hour}", id(metric), START + hour * HOUR, id(1), id(host))
            }));
        }
    }
    lines
}

pub(crate) fn story(stage: &mut Stage) -> Told {
    let hosts = stage.scaled(200, 20_000);
    let rows = rows(hosts);
    stage.write_csv("points.csv", "metric,base_time,tags,points", rows.iter().cloned())?;
    let count = rows.len() as u64;
    let template = stage.rowkey(&["new", "opentsdb"])?;
    let key = "[opentsdb_salt(20, metric, tags): u8][metric: fixed(3)][base_time: timestamp_s][tags]";
    let ours = include_str!("table.toml").contains(key) && template.out.contains(key);
    stage.claim("the key of the template", key, ours);
    let series = r"tags=\x00\x00\x01\x00\x00\x07";
    let (file, _) = stage.table_file("table.toml", include_str!("table.toml"))?;
    let encoded = stage.show(&[
        "encode",
        &file,
        r"metric=\x00\x00\x01",
        "base_time=2025-01-01 03:00:00",
        series,
        "--hex",
    ])?;
    stage.claim_is("bytes of a key", encoded.out.trim().len() / 2, 14);

    let plain = filled(stage, "unsalted.toml", include_str!("unsalted.toml"))?;
    let spread = stage.writes_by_region(&plain, count)?;
    stage.claim("writes by region, a metric that every host has", &spread, spread.largest() > 0.5);
    let salted = filled(stage, "table.toml", include_str!("table.toml"))?;
    let spread = stage.writes_by_region(&salted, count)?;
    let (most, fair) = (spread.0.iter().max().copied().unwrap_or(0), count / 20);
    stage.claim(
        "the busiest of 20 salted regions",
        format!("{most} writes, where {fair} would be fair"),
        most < 2 * fair,
    );

    let hours = r"metric = '\x00\x00\x01' and base_time >= '2025-01-01 02:00:00' and base_time < '2025-01-01 04:00:00'";
    let reads = stage.reads(&[&plain, hours])?;
    let all = 2 * hosts;
    stage.claim("two hours of it", reads, (reads.returned, reads.read, reads.ranges) == (all, all, 1));
    let reads = stage.reads(&[&salted, hours])?;
    stage.claim(
        "two hours of it, salted",
        reads,
        (reads.returned, reads.read, reads.ranges) == (all, all, 20),
    );
    let found =
        stage.records(&["query", &salted, &format!("{hours} limit 250"), "--columns", "base_time"])?;
    let times: Vec<String> = found.iter().map(|record| record["base_time"].to_string()).collect();
    stage.claim("salted rows come by time", times.len(), times.len() == 250 && times.is_sorted());

    let one = format!(r"{hours} and tags = '\x00\x00\x01\x00\x00\x07'");
    let reads = stage.reads(&[&salted, &one])?;
    stage.claim(
        "two hours of one series, salted",
        reads,
        reads.returned == 2 && reads.ranges == 1 && reads.read < all / 5,
    );
    Ok(())
}

fn filled(stage: &mut Stage, file: &str, text: &str) -> Told<String> {
    let (file, table) = stage.table_file(file, text)?;
    stage.create_and_load(&file, &table, "points.csv")?;
    Ok(table)
}

//! Which key suits log lines: the host first, the time first, or a bucket first?

use std::collections::BTreeSet;

use rowkey_testing::random::Random;

use crate::{Reads, Spread, Stage, Told};

/// 2025-01-05T00:00:00Z, the fifth day of the table.
const START: u64 = 1_736_035_200_000;
const DAY: u64 = 86_400_000;
const HOUR: u64 = 3_600_000;
/// The host that writes half of all lines.
const BUSY: &str = "host3";
const EVENTS: [&str; 3] = ["cpu", "disk", "net"];

struct Line {
    host: String,
    event: &'static str,
    ts: u64,
}

/// A day of ten hosts, at milliseconds; keys are unique.
fn lines(count: u64) -> Vec<Line> {
    let mut random = Random::new(16);
    let mut times = BTreeSet::new();
    while (times.len() as u64) < count {
        times.insert(START + random.below(DAY));
    }
    let line = |ts: u64| {
        let host = if random.below(2) == 0 { BUSY.to_owned() } else { format!("host{}", random.below(10)) };
        Line { host, event: EVENTS[random.below(3) as usize % 3], ts }
    };
    times.into_iter().map(line).collect()
}

/// What a design gives.
struct Design {
    spread: Spread,
    of_a_host: Reads,
    of_all: Reads,
}

impl Design {
    fn tried(stage: &mut Stage, file: &str, text: &str, count: u64, (one, all): (u64, u64)) -> Told<Self> {
        let (file, table) = stage.table_file(file, text)?;
        stage.create_and_load(&file, &table, "logs.csv")?;
        let spread = stage.writes_by_region(&table, count)?;
        stage.claim("writes by region", &spread, spread.0.len() == 5);
        let hours = "ts >= '2025-01-05 06:00:00' and ts < '2025-01-05 08:00:00'";
        let of_a_host = stage.reads(&[&table, &format!("host = 'host7' and event = 'cpu' and {hours}")])?;
        stage.claim("two hours of a host and event", of_a_host, of_a_host.returned == one);
        let of_all = stage.reads(&[&table, hours, "--full-scan"])?;
        stage.claim("two hours of all hosts", of_all, of_all.returned == all);
        Ok(Self { spread, of_a_host, of_all })
    }
}

pub(crate) fn story(stage: &mut Stage) -> Told {
    let count = stage.scaled(3000, 300_000);
    let lines = lines(count);
    let text = |line: &Line| format!("{},{},{},{}", line.host, line.event, line.ts, line.ts % 100);
    stage.write_csv("logs.csv", "host,event,ts,load", lines.iter().map(text))?;
    let within = |line: &&Line| (START + 6 * HOUR..START + 8 * HOUR).contains(&line.ts);
    let all = lines.iter().filter(within).count() as u64;
    let one =
        lines.iter().filter(within).filter(|line| line.host == "host7" && line.event == "cpu").count() as u64;

    let host = Design::tried(stage, "table.toml", include_str!("table.toml"), count, (one, all))?;
    let time = Design::tried(stage, "time.toml", include_str!("time.toml"), count, (one, all))?;
    let bucket = Design::tried(stage, "bucket.toml", include_str!("bucket.toml"), count, (one, all))?;

    stage.claim(
        "rows read for the host: by host, by time, by bucket",
        format!("{}, {}, {}", host.of_a_host.read, time.of_a_host.read, bucket.of_a_host.read),
        host.of_a_host.read == one && time.of_a_host.read == all && bucket.of_a_host.read == all,
    );
    stage.claim(
        "rows read for all hosts",
        format!("{}, {}, {}", host.of_all.read, time.of_all.read, bucket.of_all.read),
        host.of_all.read > all && time.of_all.read == all && bucket.of_all.read == all,
    );
    stage.claim(
        "the busiest of five regions",
        format!(
            "{:.0}, {:.0}, {:.0} %",
            100.0 * host.spread.largest(),
            100.0 * time.spread.largest(),
            100.0 * bucket.spread.largest()
        ),
        host.spread.largest() > 0.5 && time.spread.largest() == 1.0 && bucket.spread.largest() < 0.25,
    );
    Ok(())
}

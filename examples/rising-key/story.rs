//! Why does a rising key heat one region, and what does the cure cost?

use std::time::Instant;

use rowkey_testing::random::Random;
use serde_json::Value;

use crate::{Stage, Told};

/// 2025-01-01T00:00:00Z.
const START: u64 = 1_735_689_600_000;
const DAY: u64 = 86_400_000;
const HEADER: &str = "ts,event_id,words";
const HOUR: &str = "ts >= '2025-01-02 12:00:00' and ts < '2025-01-02 13:00:00'";

/// A day's events, as lines of CSV: time rises, with a little chance.
fn events(day: u64, count: u64) -> impl Iterator<Item = String> {
    let mut random = Random::new(day);
    (0..count).map(move |number| {
        let ts = START + day * DAY + number * DAY / count + random.below(DAY / count);
        format!("{ts},{id},event {id}", id = day * count + number)
    })
}

/// How many times the mean the busiest region takes, over all and in the worst hour, by a simulation.
fn hot_spots(design: Option<&Value>) -> (f64, f64) {
    let regions = design.map(|design| &design["regions"]);
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    regions.map_or((f64::NAN, f64::NAN), |regions| {
        (number(&regions["hot_spot"]), number(&regions["worst_step"]["hot_spot"]))
    })
}

/// Loads today's events, and says how many a second.
fn load(stage: &mut Stage, what: &str, table: &str, count: u64) -> Told {
    let started = Instant::now();
    stage.show(&["load", table, "today.csv"])?;
    let rows = count as f64 / started.elapsed().as_secs_f64();
    stage.rate(&format!("load, {what}"), format!("{rows:.0} rows/s"));
    Ok(())
}

/// So many programs load at once: one alone may not keep a server busy.
const WRITERS: usize = 4;

/// Loads today's events again, a share by each of several programs, and says how many a second.
fn load_at_once(stage: &mut Stage, what: &str, table: &str, count: u64) -> Told {
    let shares: Vec<String> = (0..WRITERS).map(|writer| format!("share-{writer}.csv")).collect();
    for (writer, share) in shares.iter().enumerate() {
        stage.write_csv(share, HEADER, events(1, count).skip(writer).step_by(WRITERS))?;
    }
    let commands: Vec<Vec<&str>> = shares.iter().map(|share| vec!["load", table, share]).collect();
    let started = Instant::now();
    stage.at_once(&commands)?;
    let rows = count as f64 / started.elapsed().as_secs_f64();
    stage.rate(&format!("load by {WRITERS} at once, {what}"), format!("{rows:.0} rows/s"));
    Ok(())
}

pub(crate) fn story(stage: &mut Stage) -> Told {
    let count = stage.scaled(2000, 500_000);
    stage.write_csv("yesterday.csv", HEADER, events(0, count))?;
    stage.write_csv("today.csv", HEADER, events(1, count))?;
    let (rising_file, rising) = stage.table_file("table.toml", include_str!("table.toml"))?;
    let (salted_file, salted) = stage.table_file("salted.toml", include_str!("salted.toml"))?;

    stage.show(&["create", &rising_file, "--data", "yesterday.csv"])?;
    load(stage, "time first", &rising, count)?;
    let spread = stage.writes_by_region(&rising, count)?;
    stage.claim("today's writes by region, time first", &spread, spread.share(3) == 1.0);
    stage.show(&["create", &salted_file])?;
    load(stage, "salted", &salted, count)?;
    let spread = stage.writes_by_region(&salted, count)?;
    stage.claim("today's writes by region, salted", &spread, spread.largest() < 0.30);

    // Cut by today's own records, which nobody has in the morning: as even as it can be, over all.
    let simulate = [
        "simulate",
        &rising_file,
        &salted_file,
        "--data",
        "today.csv",
        "--time",
        "ts",
        "--step",
        "1h",
        "--regions",
        "4",
    ];
    let designs = stage.json(&simulate)?;
    let (rising_all, rising_hour) = hot_spots(designs.first());
    let shown = format!("{rising_all:.1} × the mean over all, {rising_hour:.1} × in the worst hour");
    stage.claim("time first, cut by the data itself", shown, rising_all < 1.1 && rising_hour > 3.9);
    let (salted_all, salted_hour) = hot_spots(designs.get(1));
    let shown = format!("{salted_all:.1} × the mean over all, {salted_hour:.1} × in the worst hour");
    stage.claim("salted", shown, salted_all < 1.2 && salted_hour < 2.0);

    let (plain, spread) = (stage.reads(&[&rising, HOUR])?, stage.reads(&[&salted, HOUR])?);
    stage.claim("an hour's events, time first", plain, (plain.ranges, plain.read) == (1, plain.returned));
    stage.claim("an hour's events, salted", spread, (spread.ranges, spread.read) == (4, spread.returned));
    let (plain, spread) =
        (stage.records(&["query", &rising, HOUR])?, stage.records(&["query", &salted, HOUR])?);
    stage.claim("the same events in the same order", plain.len(), plain == spread && !plain.is_empty());

    // A folder has one writer.
    if stage.on_hbase() {
        load_at_once(stage, "time first", &rising, count)?;
        load_at_once(stage, "salted", &salted, count)?;
    }
    Ok(())
}

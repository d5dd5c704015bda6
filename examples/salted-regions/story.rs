//! Can a table of many salted regions be counted, read in order and read by one key?

use std::collections::HashSet;

use rowkey_testing::random::Random;

use crate::{Stage, StoryError, Told};

/// The row of the RowKey principles, and its salt without the sign that they forget.
const ROW: &str = "20150524002300_1232";
/// The first day of the events, 2015-05-20, and how many there are.
const FIRST_DAY: u64 = 20_150_520;
const DAYS: u64 = 8;

struct Event {
    day: u64,
    time: u64,
    number: u64,
    bytes: u64,
}

/// Events of eight days; no two have both time and number in common.
fn events(count: u64) -> Vec<Event> {
    let (mut random, mut known) = (Random::new(12), HashSet::new());
    let event = |number: u64| {
        let day = FIRST_DAY + random.below(DAYS);
        let (hour, minute, second) = (random.below(24), random.below(60), random.below(60));
        let time = day * 1_000_000 + hour * 10_000 + minute * 100 + second;
        Event { day, time, number: number % 10_000, bytes: random.below(1000) }
    };
    (0..).map(event).filter(|event| known.insert((event.time, event.number))).take(count as usize).collect()
}

pub(crate) fn story(stage: &mut Stage) -> Told {
    the_articles_salt(stage)?;
    let regions = stage.scaled(20, 1000);
    let count = stage.scaled(4000, 400_000);
    let events = events(count);
    let line = |event: &Event| format!("{},{},{},{}", event.time, event.number, event.day, event.bytes);
    stage.write_csv("events.csv", "time,number,day,bytes", events.iter().map(line))?;
    let file = include_str!("table.toml").replace("salt(20,", &format!("salt({regions},"));
    let (file, table) = stage.table_file("table.toml", &file)?;
    stage.create_and_load(&file, &table, "events.csv")?;
    let spread = stage.writes_by_region(&table, count)?;
    let (most, fair) = (spread.0.iter().max().copied().unwrap_or(0), count / regions);
    stage.claim(
        "writes of the busiest region",
        format!("{most}, where {fair} would be fair"),
        spread.0.len() as u64 == regions && spread.idle() == 0 && most < 2 * fair,
    );
    a_job_for_each_region(stage, &table, &events)?;
    a_range_and_a_row(stage, &table, &events, regions)
}

/// `hashCode() % 1000` as Java computes it, on the article's own row.
fn the_articles_salt(stage: &mut Stage) -> Told {
    let id = format!("id={ROW}");
    let key = "[java_hash(id).rem(1000): decimal(3)][id]";
    let rules = stage.rules(&[key])?;
    let told = rules.iter().any(|rule| rule == "negative-remainder");
    stage.claim("check, of hashCode() % 1000", rules.join(", "), told);
    let error = stage.fails(&["encode", key, &id])?;
    stage.claim("the salt of the principles' own row", -203, error.err.contains("-203 does not fit"));
    Ok(())
}

/// What the article's endpoint and MapReduce job do: each region works on its rows, the client adds up.
fn a_job_for_each_region(stage: &mut Stage, table: &str, events: &[Event]) -> Told {
    let answer = stage.show(&["count", table, "--group-by", "day", "--sum", "bytes", "--csv"])?;
    let mut sums = [(0_u64, 0_u64); DAYS as usize];
    for event in events {
        if let Some((rows, bytes)) = sums.get_mut(usize::try_from(event.day - FIRST_DAY).unwrap_or(0)) {
            (*rows, *bytes) = (*rows + 1, *bytes + event.bytes);
        }
    }
    let right = sums.iter().enumerate().all(|(day, (rows, bytes))| {
        let line = format!("{},{rows},{bytes}", FIRST_DAY + day as u64);
        answer.out.lines().any(|found| found == line)
    });
    stage.claim("rows and bytes of each day, added up over all regions", "as in the data", right);
    Ok(())
}

fn a_range_and_a_row(stage: &mut Stage, table: &str, events: &[Event], regions: u64) -> Told {
    // The article's range, "20150524000000" up to "20150525000000", which is a scan for each salt.
    let range = "time >= 20150524000000 and time < 20150525000000";
    let mut expected: Vec<(u64, u64)> = events
        .iter()
        .filter(|event| event.day == 20_150_524)
        .map(|event| (event.time, event.number))
        .collect();
    expected.sort_unstable();
    let reads = stage.reads(&[table, range])?;
    let rows = expected.len() as u64;
    let only_these = (reads.returned, reads.read, reads.ranges) == (rows, rows, regions);
    stage.claim("a day of all regions", reads, only_these);
    let found = stage.records(&["query", table, range, "--columns", "time,number"])?;
    let found: Vec<(u64, u64)> = found
        .iter()
        .filter_map(|record| Some((record["time"].as_u64()?, record["number"].as_u64()?)))
        .collect();
    stage.claim("its rows come by time, as if there were no salt", found.len(), found == expected);
    let Some((time, number)) = expected.first() else { return Err(no_events()) };
    let reads = stage.reads(&[table, &format!("time = {time} and number = {number}")])?;
    stage.claim("one row of it", reads, (reads.returned, reads.gets, reads.ranges) == (1, 1, 0));
    Ok(())
}

fn no_events() -> StoryError {
    StoryError::Claims { claims: vec!["there are events on 2015-05-24".to_owned()] }
}

//! For the newest first: a reverse scan, or a key that falls?

use std::time::{Duration, Instant};

use rowkey_store::{Direction, RowBatch, Scan, Store, TableName};
use rowkey_testing::random::Random;

use crate::{Stage, Told};

/// 2025-01-01T00:00:00Z.
const START: u64 = 1_735_689_600_000;
const HOSTS: u64 = 5;
const LATEST: &str = "host = 3 order by ts desc, line desc limit 20";

fn lines(count: u64) -> impl Iterator<Item = String> {
    let mut random = Random::new(3);
    (0..count).map(move |line| {
        format!("{},{},{line},line {line} {:016x}", random.below(HOSTS), START + 100 * line, random.next())
    })
}

pub(crate) fn story(stage: &mut Stage) -> Told {
    stage.write_csv("logs.csv", "host,ts,line,words", lines(stage.scaled(2000, 500_000)))?;
    let (rising_file, rising) = stage.table_file("table.toml", include_str!("table.toml"))?;
    let (falling_file, falling) = stage.table_file("falling.toml", include_str!("falling.toml"))?;
    let (small_file, small) = stage.table_file("small-blocks.toml", include_str!("small-blocks.toml"))?;
    for (file, table) in [(&rising_file, &rising), (&falling_file, &falling), (&small_file, &small)] {
        stage.show(&["create", file])?;
        stage.show(&["load", table, "logs.csv"])?;
    }
    let (backwards, forwards) =
        (stage.records(&["query", &rising, LATEST])?, stage.records(&["query", &falling, LATEST])?);
    let same = backwards == forwards && backwards.len() == 20;
    stage.claim("the newest 20 lines of a host, the same from both", backwards.len(), same);
    let (reverse, forward) = (stage.reads(&[&rising, LATEST])?, stage.reads(&[&falling, LATEST])?);
    stage.claim("by a reverse scan of the rising key", reverse, (reverse.read, reverse.ranges) == (20, 1));
    stage.claim("by a plain scan of the falling key", forward, (forward.read, forward.ranges) == (20, 1));
    let oldest = "host = 3 order by ts, line limit 20";
    let (forward, reverse) = (stage.reads(&[&rising, oldest])?, stage.reads(&[&falling, oldest])?);
    let turned = (reverse.read, reverse.ranges) == (20, 1) && forward == reverse;
    stage.claim("the oldest 20: now the falling key is the one to turn", reverse, turned);
    rates(stage, &rising, &falling, &small)
}

/// The rows of a host in full, and many short lists, by the library: no start of a process in between.
fn rates(stage: &mut Stage, rising: &str, falling: &str, small: &str) -> Told {
    let (rising, falling, small): (TableName, TableName, TableName) =
        (rising.parse()?, falling.parse()?, small.parse()?);
    let store = stage.store()?;
    for table in [&rising, &falling, &small] {
        store.flush(table)?;
    }
    let ways = [
        ("plain scan of the rising key", &rising, Direction::Forward),
        ("reverse scan of the rising key", &rising, Direction::Reverse),
        ("plain scan of the falling key", &falling, Direction::Forward),
        ("reverse scan of the rising key, blocks of 4 KB", &small, Direction::Reverse),
    ];
    let mut found = Vec::new();
    for (what, table, direction) in ways {
        let scan = Scan { direction, ..Scan::prefix(&3_u32.to_be_bytes()) };
        // The first reads what the other two then find in memory.
        read(&*store, table, &scan)?;
        let (rows, took) = read(&*store, table, &scan)?;
        stage.rate(what, format!("{:.0} rows/s", rows.len() as f64 / took.as_secs_f64()));
        let short = Scan { limit: Some(20), ..scan };
        let started = Instant::now();
        const LISTS: u32 = 100;
        for _ in 0..LISTS {
            read(&*store, table, &short)?;
        }
        let each = started.elapsed() / LISTS;
        stage.rate(&format!("{what}, 20 rows"), format!("{:.2} ms", each.as_secs_f64() * 1000.0));
        found.push(rows);
    }
    let [_, reverse, falling, small] = found.as_slice() else { return Ok(()) };
    let falling: Vec<u32> = falling.iter().map(|line| !line).collect();
    let same = *reverse == falling && reverse == small && !falling.is_empty();
    stage.claim("all lines of a host, the same from all three", reverse.len(), same);
    Ok(())
}

/// The last four bytes of every key, and how long it took.
fn read(store: &dyn Store, table: &TableName, scan: &Scan) -> Told<(Vec<u32>, Duration)> {
    let started = Instant::now();
    let (mut scanner, mut batch, mut lines) = (store.scan(table, scan)?, RowBatch::new(), Vec::new());
    while scanner.next_batch(&mut batch)? {
        lines.extend(batch.rows().filter_map(|row| row.key().last_chunk().copied()).map(u32::from_be_bytes));
    }
    Ok((lines, started.elapsed()))
}

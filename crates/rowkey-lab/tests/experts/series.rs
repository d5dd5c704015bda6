//! Sets in which the time leads: measurements, logs, ticks.

use rowkey_core::Value;
use rowkey_core::key::{Draw, Draws};

use super::set::Parameter::{Of, Past};
use super::set::{
    Expert, ExpertQuery, REGIONS, Record, SIZES, Set, Sizes, asked, copying, keeps, loses, refuses, thin,
};
use crate::drawn::{START, int, text, zipf};

pub(crate) const SETS: [Set; 6] = [IOT, WEB_LOGS, METRICS, TICKS, SAME_MILLISECOND, CONTRADICTORY];

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;

/// Meters report one after another, so that no two times of the sample are equal. Later all report together.
const IOT: Set = Set {
    name: "iot",
    fields: &[("meter", "u32"), ("ts", "timestamp"), ("value", "f64")],
    identity: &["meter", "ts"],
    is_declared: false,
    queries: &[
        asked(80, "meter = ? and ts >= ? and ts < ?", &[Of("meter"), Of("ts"), Past("ts", 2 * HOUR)]),
        asked(20, "meter = ? order by ts desc limit 10", &[Of("meter")]),
    ],
    writes: 0.5,
    regions: REGIONS,
    sizes: SIZES,
    generate: iot,
    experts: &[
        keeps("[meter][ts]"),
        keeps("[meter][ts desc]"),
        keeps("[salt(16, meter)][meter][ts desc]"),
        keeps("[salt(4, meter)][meter][ts desc]"),
        keeps("[md5(meter).bytes(2)][meter][ts desc]"),
        keeps("[reverse(meter: decimal(10))][ts desc]"),
        keeps("[ts][meter]"),
        keeps("[salt(4, meter)][ts][meter]"),
        keeps("[ts / 3600000: u32][meter][ts]"),
        keeps("[salt(16, meter, ts)][meter][ts]"),
        loses("[salt(4, ts)][ts desc]"),
    ],
};

fn iot(draws: &mut Draws, sizes: Sizes) -> Vec<Record> {
    const METERS: usize = 200;
    const QUARTER: i64 = 15 * MINUTE;
    let step = QUARTER / METERS as i64;
    let together = START + (sizes.sample as i64 * step / QUARTER + 1) * QUARTER;
    let record = |row: usize| {
        let (meter, at) = match row.checked_sub(sizes.sample) {
            None => (row * 37 % METERS, START + row as i64 * step + i64::from(draws.draw(4_000))),
            Some(later) => {
                let meters = METERS + 20;
                (later % meters, together + (later / meters) as i64 * QUARTER)
            }
        };
        let value = f64::from(draws.draw(1_000)) / 10.0;
        vec![int(100_000 + meter as i128 * 7), Value::Time(at), Value::Float(value)]
    };
    (0..sizes.all()).map(record).collect()
}

/// Three hosts; later one of them is gone and two others are there.
const WEB_LOGS: Set = Set {
    name: "web logs",
    fields: &[("host", "text"), ("ts", "timestamp"), ("seq", "u64"), ("path", "text"), ("status", "u16")],
    identity: &["host", "seq"],
    is_declared: true,
    queries: &[
        asked(70, "host = ? and ts >= ? and ts < ?", &[Of("host"), Of("ts"), Past("ts", 5 * MINUTE)]),
        asked(30, "ts >= ? and ts < ?", &[Of("ts"), Past("ts", 5 * MINUTE)]),
    ],
    writes: 0.5,
    regions: REGIONS,
    sizes: SIZES,
    generate: web_logs,
    experts: &[
        keeps("[host: escaped][ts][seq]"),
        keeps("[ts][host: escaped][seq]"),
        keeps("[salt(2, seq)][ts][host: escaped][seq]"),
        keeps("[salt(4, seq)][ts][host: escaped][seq]"),
        keeps("[salt(16, seq)][ts][host: escaped][seq]"),
        keeps("[salt(4, seq)][host: escaped][ts][seq]"),
        keeps("[salt(8, seq)][host: escaped][ts][seq]"),
        keeps("[salt(16, host)][host: escaped][ts][seq]"),
        keeps("[host: escaped][salt(4, seq)][ts][seq]"),
        keeps("[ts / 3600000: u32][host: escaped][ts][seq]"),
        keeps("[host: escaped][ts][seq]").with(&[copying("[salt(4, seq)][ts][host: escaped][seq]")]),
        keeps("[salt(4, seq)][ts][host: escaped][seq]").with(&[copying("[host: escaped][ts][seq]")]),
        keeps("[salt(4, seq)][host: escaped][ts][seq]")
            .with(&[copying("[salt(4, seq)][ts][host: escaped][seq]")]),
        refuses("[code(host, 'web-1'='a', 'web-2'='b', 'web-3'='c')][ts][seq]"),
        refuses("[host][_][ts][seq]"),
    ],
};

fn web_logs(draws: &mut Draws, sizes: Sizes) -> Vec<Record> {
    let (now, then) = (["web-1", "web-2", "web-3"], ["web-1", "web_5", "web-3", "web-4"]);
    let mut seq = std::collections::BTreeMap::new();
    let record = |row: usize| {
        let hosts = if row < sizes.sample { &now[..] } else { &then[..] };
        let host = hosts[draws.draw(hosts.len() as u32) as usize];
        let count = seq.entry(host).or_insert(0u32);
        *count += 1;
        let at = START + row as i64 * 5_000 + i64::from(draws.draw(5_000));
        let path = format!("/item/{}", zipf(draws, 500));
        let status = [200u16, 200, 200, 404, 500][draws.draw(5) as usize];
        vec![text(host), Value::Time(at), int(*count), text(path), int(status)]
    };
    (0..sizes.all()).map(record).collect()
}

/// All series report in the same second of each minute; later there are new hosts.
const METRICS: Set = Set {
    name: "metrics",
    fields: &[("metric", "text"), ("host", "text"), ("ts", "timestamp"), ("value", "f64")],
    identity: &["metric", "host", "ts"],
    is_declared: false,
    queries: &[
        asked(
            70,
            "metric = ? and host = ? and ts >= ? and ts < ?",
            &[Of("metric"), Of("host"), Of("ts"), Past("ts", 10 * MINUTE)],
        ),
        asked(30, "metric = ? and ts >= ? and ts < ?", &[Of("metric"), Of("ts"), Past("ts", 5 * MINUTE)]),
    ],
    writes: 0.5,
    regions: REGIONS,
    sizes: SIZES,
    generate: metrics,
    experts: &[
        keeps("[metric: escaped][host: escaped][ts]"),
        keeps("[metric: escaped][ts][host]"),
        keeps("[host: escaped][metric: escaped][ts]"),
        keeps("[salt(16, metric, host)][metric: escaped][host: escaped][ts]"),
        keeps("[salt(4, metric, host)][metric: escaped][host: escaped][ts]"),
        keeps("[salt(4, metric, host)][metric: escaped][ts][host]"),
        keeps("[salt(4, host)][metric: escaped][ts][host]"),
        keeps("[salt(16, metric)][metric: escaped][host: escaped][ts]"),
        keeps("[md5(metric, host).bytes(2)][metric: escaped][host: escaped][ts]"),
        keeps("[salt(4, metric, host)][metric: escaped][host: escaped][ts]")
            .with(&[copying("[salt(4, host)][metric: escaped][ts][host]")]),
        keeps("[salt(4, host)][metric: escaped][ts][host]")
            .with(&[copying("[salt(4, metric, host)][metric: escaped][host: escaped][ts]")]),
        keeps("[salt(4, host)][metric: escaped][ts][host]")
            .with(&[copying("[host: escaped][metric: escaped][ts]")]),
        keeps("[ts][metric: escaped][host]"),
        keeps("[metric: escaped][ts / 3600000: u32][host: escaped][ts]"),
        refuses("[metric][_][host][_][ts]"),
        loses("[metric: escaped][ts]"),
    ],
};

fn metrics(draws: &mut Draws, sizes: Sizes) -> Vec<Record> {
    const NAMES: [&str; 8] =
        ["cpu.user", "cpu.system", "mem.free", "disk.read", "disk.write", "net.in", "net.out", "load"];
    const HOSTS: usize = 20;
    let before = sizes.sample / (NAMES.len() * HOSTS);
    let record = |row: usize| {
        let (hosts, row, before) = match row.checked_sub(before * NAMES.len() * HOSTS) {
            None => (HOSTS, row, 0),
            Some(later) => (HOSTS + 5, later, before),
        };
        let (series, step) = (row % (NAMES.len() * hosts), before + row / (NAMES.len() * hosts));
        let (metric, host) = (NAMES[series % NAMES.len()], series / NAMES.len());
        let host = if host < HOSTS { format!("node-{host:02}") } else { format!("gpu_{}", host - HOSTS) };
        let value = f64::from(draws.draw(10_000)) / 100.0;
        vec![text(metric), text(host), Value::Time(START + step as i64 * MINUTE), Value::Float(value)]
    };
    (0..sizes.all()).map(record).collect()
}

/// Stock symbols of very different sizes; later one is traded more than all others, and ticks share a millisecond.
const TICKS: Set = Set {
    name: "ticks",
    fields: &[("symbol", "text"), ("ts", "timestamp"), ("seq", "u64"), ("price", "i64"), ("volume", "u32")],
    identity: &["symbol", "seq"],
    is_declared: true,
    queries: &[
        asked(70, "symbol = ? and ts >= ? and ts < ?", &[Of("symbol"), Of("ts"), Past("ts", MINUTE)]),
        asked(30, "symbol = ? order by ts desc limit 1", &[Of("symbol")]),
    ],
    writes: 0.5,
    regions: REGIONS,
    sizes: SIZES,
    generate: ticks,
    experts: &[
        keeps("[symbol: escaped][ts][seq]"),
        keeps("[symbol: escaped][ts desc][seq desc]"),
        keeps("[salt(16, symbol)][symbol: escaped][ts desc][seq]"),
        keeps("[salt(4, symbol)][symbol: escaped][ts desc][seq]"),
        keeps("[salt(4, symbol, seq)][symbol: escaped][ts desc][seq]"),
        keeps("[salt(16, symbol, seq)][symbol: escaped][ts desc][seq]"),
        keeps("[symbol: escaped][salt(4, seq)][ts desc][seq]"),
        keeps("[salt(2, seq)][symbol: escaped][ts desc][seq]"),
        keeps("[md5(symbol).bytes(2)][symbol: escaped][ts desc][seq]"),
        keeps("[ts][symbol: escaped][seq]"),
        keeps("[symbol: escaped][seq]"),
        refuses("[symbol][_][ts desc][seq]"),
        refuses("[symbol: fixed(4)][ts desc][seq]"),
        loses("[symbol: escaped][ts desc]"),
    ],
};

fn ticks(draws: &mut Draws, sizes: Sizes) -> Vec<Record> {
    let letter = |number: u32| char::from(b'A' + (number % 26) as u8);
    let name = |number: u32| -> String {
        [number * 7, number / 3, number * 11 + 4, number].map(letter).into_iter().collect()
    };
    let mut seq = std::collections::BTreeMap::new();
    let record = |row: usize| {
        let (symbol, at) = if row < sizes.sample {
            (name(zipf(draws, 60)), START + row as i64 * 40 + i64::from(draws.draw(40)))
        } else {
            let symbol = match draws.draw(10) {
                0..4 => "GME".to_owned(),
                4 => ["BRK.B", "RDS_A", "ABCDEF"][draws.draw(3) as usize].to_owned(),
                _ => name(zipf(draws, 60)),
            };
            (symbol, START + (row / 5 * 5) as i64 * 40)
        };
        let count = seq.entry(symbol.clone()).or_insert(0u32);
        *count += 1;
        let (price, volume) = (10_000 + draws.draw(500), 1 + draws.draw(1_000));
        vec![text(symbol), Value::Time(at), int(*count), int(price), int(volume)]
    };
    (0..sizes.all()).map(record).collect()
}

/// About twenty events in a millisecond, numbered; later there are milliseconds with hundreds.
const SAME_MILLISECOND: Set = Set {
    name: "same millisecond",
    fields: &[("ts", "timestamp"), ("seq", "u32"), ("source", "u32"), ("payload", "text")],
    identity: &["ts", "seq"],
    is_declared: true,
    queries: &[
        asked(60, "ts >= ? and ts < ?", &[Of("ts"), Past("ts", 200)]),
        asked(40, "source = ? order by ts desc limit 20", &[Of("source")]),
    ],
    writes: 0.5,
    regions: REGIONS,
    sizes: SIZES,
    generate: same_millisecond,
    experts: &[
        keeps("[ts][seq]"),
        keeps("[salt(4, seq)][ts][seq]"),
        keeps("[salt(4, ts, seq)][ts][seq]").with(&[copying("[source][ts desc][seq]")]),
        keeps("[salt(2, ts, seq)][ts][seq]").with(&[copying("[source][ts desc][seq]")]),
        keeps("[salt(4, ts, seq)][ts][seq]").with(&[thin("[source][ts desc][seq]")]),
        keeps("[salt(4, ts, seq)][ts][seq]").with(&[copying("[salt(4, source)][source][ts desc][seq]")]),
        keeps("[source][ts desc][seq]").with(&[copying("[salt(4, ts, seq)][ts][seq][source]")]),
        keeps("[source][ts desc][seq]").with(&[copying("[salt(2, ts, seq)][ts][seq][source]")]),
        keeps("[salt(4, source)][source][ts desc][seq]")
            .with(&[copying("[salt(4, ts, seq)][ts][seq][source]")]),
        keeps("[source][ts desc][seq]").with(&[thin("[salt(4, ts, seq)][ts][seq][source]")]),
        keeps("[source][ts desc][seq]"),
        keeps("[salt(16, source)][source][ts desc][seq]"),
        keeps("[salt(4, source)][ts][source][seq]"),
        refuses("[salt(4, ts, seq)][ts][seq: u8]"),
        loses("[source][ts desc]"),
        loses("[salt(4, ts)][ts][source]"),
    ],
};

fn same_millisecond(draws: &mut Draws, sizes: Sizes) -> Vec<Record> {
    let (mut at, mut seq, mut left) = (START, 0, 0);
    let record = |row: usize| {
        if left == 0 {
            at += 1 + i64::from(draws.draw(100));
            seq = 0;
            left = if row >= sizes.sample && draws.draw(10) == 0 { 400 } else { 10 + draws.draw(20) };
        }
        left -= 1;
        seq += 1;
        let payload = format!("event {}", draws.draw(1_000_000));
        vec![Value::Time(at), int(seq), int(1_000 + zipf(draws, 50)), text(payload)]
    };
    (0..sizes.all()).map(record).collect()
}

/// By time over everything and by user, with nine writes to a read.
const CONTRADICTORY: Set = Set {
    name: "contradictory",
    fields: &[("user", "u32"), ("ts", "timestamp"), ("event_id", "u64"), ("kind", "text")],
    identity: &["event_id"],
    is_declared: true,
    queries: &CONTRADICTORY_QUERIES,
    writes: 0.9,
    regions: REGIONS,
    sizes: SIZES,
    generate: contradictory,
    experts: &CONTRADICTORY_EXPERTS,
};

const CONTRADICTORY_QUERIES: [ExpertQuery; 2] = [
    asked(50, "ts >= ? and ts < ?", &[Of("ts"), Past("ts", MINUTE)]),
    asked(50, "user = ? order by ts desc limit 20", &[Of("user")]),
];

const CONTRADICTORY_EXPERTS: [Expert; 13] = [
    keeps("[ts][event_id]"),
    keeps("[salt(4, event_id)][ts][event_id]"),
    keeps("[salt(16, event_id)][ts][event_id]"),
    keeps("[user][ts desc][event_id]"),
    keeps("[salt(4, user)][user][ts desc][event_id]"),
    keeps("[user][ts desc][event_id]").with(&[copying("[salt(4, event_id)][ts][event_id][user]")]),
    keeps("[user][ts desc][event_id]").with(&[thin("[salt(4, event_id)][ts][event_id][user]")]),
    keeps("[user][ts desc][event_id]").with(&[copying("[salt(2, event_id)][ts][event_id][user]")]),
    keeps("[user][ts desc][event_id]").with(&[copying("[ts][event_id][user]")]),
    keeps("[salt(4, event_id)][ts][event_id]").with(&[copying("[user][ts desc][event_id]")]),
    keeps("[salt(4, event_id)][ts][event_id]").with(&[thin("[user][ts desc][event_id]")]),
    keeps("[salt(4, user)][ts / 3600000: u32][user][ts][event_id]"),
    loses("[user][ts / 60000: u32 desc]"),
];

fn contradictory(draws: &mut Draws, sizes: Sizes) -> Vec<Record> {
    let record = |row: usize| {
        // Users who come later have higher numbers.
        let newer = if row < sizes.sample { 0 } else { draws.draw(2) * 300 };
        let user = 1_000 + newer + zipf(draws, 500);
        let at = START + row as i64 * 1_000 + i64::from(draws.draw(900));
        let kind = ["view", "click", "buy"][zipf(draws, 3) as usize];
        vec![int(user), Value::Time(at), int(7_000_000 + row as i128), text(kind)]
    };
    (0..sizes.all()).map(record).collect()
}

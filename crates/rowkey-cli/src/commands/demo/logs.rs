//! Generated log lines of a web site.
//!
//! A day of them: twice as many at noon as at midnight, hosts of which some are busier, few warnings, fewer errors. Each host counts
//! its lines, so that host and number tell a line apart when two come in the same millisecond.

use std::io::{self, Write};

use rowkey_core::Value;
use rowkey_core::key::{Draw, Draws};

/// 2025-03-01T00:00:00Z.
const START: i64 = 1_740_787_200_000;
const DAY: f64 = 86_400_000.0;
const HOSTS: u32 = 60;
const PATHS: [&str; 8] =
    ["/", "/search", "/login", "/cart", "/checkout", "/api/orders", "/api/users", "/static/app.js"];

const HEADER: &str = "ts,host,seq,level,path,status,took";

pub(super) fn write(out: &mut impl Write, rows: u32, seed: u64) -> io::Result<()> {
    let mut lines_of = [0u32; HOSTS as usize];
    writeln!(out, "{HEADER}")?;
    for number in 0..rows {
        let draws = &mut Draws::new(seed, number.into());
        let ts = Value::Time(when(number, rows));
        let host = host(draws);
        let path = PATHS.get(draws.draw(PATHS.len() as u32) as usize).unwrap_or(&"/");
        let (level, status) = match draws.draw(100) {
            0 | 1 => ("ERROR", 500 + draws.draw(4)),
            2..10 => ("WARN", 404),
            _ => ("INFO", 200),
        };
        // The product of two draws: mostly quick, sometimes slow.
        let took = 1 + draws.draw(40) * draws.draw(40);
        if let Some(seq) = lines_of.get_mut(host as usize) {
            *seq += 1;
            writeln!(out, "{ts},web-{host:02},{seq},{level},{path},{status},{took}")?;
        }
    }
    Ok(())
}

/// The time of a line rises steeply at midnight and flatly at noon, where there are twice as many.
fn when(number: u32, rows: u32) -> i64 {
    let part = f64::from(number) / f64::from(rows);
    let of_day = 1.5 * part - 1.5 * part * part + part * part * part;
    START + (of_day * DAY) as i64
}

/// The larger of two draws: the last hosts are twice as busy as the mean.
fn host(draws: &mut Draws) -> u32 {
    draws.draw(HOSTS).max(draws.draw(HOSTS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn csv(rows: u32, seed: u64) -> Vec<String> {
        let mut out = Vec::new();
        write(&mut out, rows, seed).unwrap();
        String::from_utf8(out).unwrap().lines().map(str::to_owned).collect()
    }

    #[test]
    fn a_day_of_lines_in_the_order_of_time_each_with_a_number_of_its_host() {
        let lines = csv(10_000, 1);
        assert_eq!((lines.len(), lines[0].as_str()), (10_001, HEADER));
        let column = |at: usize| lines[1..].iter().map(move |line| line.split(',').nth(at).unwrap());
        assert!(column(0).is_sorted());
        assert!(column(0).all(|ts| ts.starts_with("2025-03-01T")));
        let own: HashSet<_> = column(1).zip(column(2)).collect();
        assert_eq!(own.len(), 10_000);
        let at_noon = column(0).filter(|ts| ts.contains("T12:")).count();
        let at_midnight = column(0).filter(|ts| ts.contains("T00:")).count();
        assert!((at_midnight * 17 / 10..at_midnight * 23 / 10).contains(&at_noon), "{at_noon} {at_midnight}");
    }

    #[test]
    fn the_same_seed_makes_the_same_lines() {
        assert_eq!(csv(500, 1), csv(500, 1));
        assert_ne!(csv(500, 1), csv(500, 2));
    }
}

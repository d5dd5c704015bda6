//! Compares the clocks of this machine and of the servers.
//!
//! A region server reports to the master every three seconds and says when, by its own clock; the master passes the last
//! report on. So a report is some seconds old where clocks agree, and the difference is known that well. It matters for
//! times to live, for rows that several programs write, and for the stamps of index tables. The limits are those that HBase's
//! master has for its region servers.

use super::verdict::{State, Verdicts};

/// How old a report may be: two intervals of `hbase.regionserver.msginterval`.
const REPORT: i64 = 6_000;
/// `hbase.master.warningclockskew`.
const WARNING: i64 = 10_000;
/// `hbase.master.maxclockskew`.
const FAULT: i64 = 30_000;

/// `reports` are servers with the time of their last report; all times in milliseconds since 1970.
pub(crate) fn judge(now: i64, reports: &[(String, i64)], verdicts: &mut Verdicts) {
    // How far a clock certainly is ahead of this one (above 0) or behind it (below 0).
    let difference = |reported: i64| (reported - now).max(0) + (reported - (now - REPORT)).min(0);
    let Some((server, reported)) = reports.iter().max_by_key(|(_, reported)| difference(*reported).abs())
    else {
        return;
    };
    let apart = difference(*reported);
    let state = match apart.abs() {
        0..WARNING => State::Ok,
        WARNING..FAULT => State::Warning,
        _ => State::Fault,
    };
    let compared = "last reports of the region servers beside this clock";
    if state == State::Ok {
        let seen = format!("less than {} s apart ({compared})", WARNING / 1000);
        return verdicts.ok("clock", seen);
    }
    let way = if apart > 0 { "ahead of" } else { "behind" };
    let limit = if state == State::Fault { FAULT } else { WARNING };
    let seen = format!(
        "{server} is at least {:.1} s {way} this machine, above {} s ({compared})",
        apart.abs() as f64 / 1000.0,
        limit / 1000
    );
    let cure = "let the same time servers set both clocks (chrony, ntpd); a server that stopped reporting looks the same";
    verdicts.add("clock", state, (seen, cure.to_owned()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_furthest_away_counts() {
        let judged = |reports: &[i64]| {
            let mut verdicts = Verdicts::default();
            let named: Vec<_> = reports.iter().enumerate().map(|(n, at)| (format!("s{n}"), *at)).collect();
            judge(1_000_000, &named, &mut verdicts);
            verdicts.list.first().map(|verdict| (verdict.state, verdict.seen.clone()))
        };
        assert_eq!(judged(&[]), None);
        assert_eq!(judged(&[999_000, 994_001]).map(|(state, _)| state), Some(State::Ok));
        // As old as a report may be, and not quite ten seconds more.
        assert_eq!(judged(&[984_001]).map(|(state, _)| state), Some(State::Ok));
        let (state, seen) = judged(&[999_000, 984_000]).unwrap();
        assert_eq!(
            (state, seen.starts_with("s1 is at least 10.0 s behind this machine, above 10 s")),
            (State::Warning, true),
            "{seen}"
        );
        let (state, seen) = judged(&[1_031_500, 999_000]).unwrap();
        assert_eq!(
            (state, seen.starts_with("s0 is at least 31.5 s ahead of this machine, above 30 s")),
            (State::Fault, true),
            "{seen}"
        );
    }
}

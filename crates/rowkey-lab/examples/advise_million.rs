//! How long does advice on a million records take?
//!
//! Writes orders of a shop as CSV into the folder for temporary files, asks five queries, and prints the time of each step.
//!
//! ```text
//! cargo run --release -p rowkey-lab --example advise_million
//! ```

#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

use std::io::Write;
use std::time::Instant;

use rowkey_lab::advise::{Asking, Data, Options, Study};
use rowkey_ops::input::{Format, Source};

const QUERIES: &str = "\
50 user_id = ? order by ts desc limit 20
20 seller = ? order by ts desc limit 20
15 order_id = ?
10 user_id = ? and ts >= ? and ts < ?
5 city = ? and ts >= ? and ts < ?
";

fn main() {
    let rows: u64 = std::env::args().nth(1).map_or(1_000_000, |rows| rows.parse().unwrap());
    let path = std::env::temp_dir().join(format!("rowkey-advise-{}.csv", std::process::id()));
    let mut out = std::io::BufWriter::new(std::fs::File::create(&path).unwrap());
    writeln!(out, "user_id,ts,order_id,seller,city,amount").unwrap();
    let mut state = 1u64;
    let mut below = |limit: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % limit
    };
    for row in 0..rows {
        // One user in a hundred has a tenth of the orders.
        let user = if below(10) == 0 { below(500) } else { below(50_000) };
        let (seller, city, amount) = (below(2_000), below(40), below(100_000));
        writeln!(out, "{user},{},o{row:09},shop{seller},city{city},{amount}", 1_735_689_600_000 + row * 137)
            .unwrap();
    }
    drop(out);
    let asking = Asking::parse("queries", QUERIES).unwrap();
    let open = || std::fs::File::open(&path).map(Source::file);
    let start = Instant::now();
    let (guess, _) = rowkey_lab::sample::guess_fields(open().unwrap(), Format::Csv, "orders.csv").unwrap();
    let questions = asking.queries;
    let data = Data { open: &open, format: Format::Csv, label: "orders.csv", threads: 2 };
    let options = Options::default();
    let study = Study::read(&data, &guess.fields, &questions, None, &options, &mut |_| true).unwrap();
    println!("{rows} records read twice: {:.1} s", start.elapsed().as_secs_f64());
    let advice = study.advise(&options, &mut |_| true).unwrap();
    println!("{} keys tried, advice after {:.1} s", advice.looked_at, start.elapsed().as_secs_f64());
    for proposal in &advice.proposals {
        println!("{} {:.1} {}", proposal.name, proposal.figures.total, proposal.key);
        proposal.indexes.iter().for_each(|index| println!("    {} {}", index.name, index.key));
    }
    advice.changes.iter().for_each(|change| println!("{}", change.text));
    std::fs::remove_file(&path).unwrap();
}

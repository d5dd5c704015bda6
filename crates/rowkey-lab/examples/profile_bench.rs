//! How quickly is data profiled, on one core and on all?
//!
//! `cargo run --release -p rowkey-lab --example profile_bench [RECORDS] [FOLDER]`
//!
//! Five-field CSV, beside the plain `csv` crate, which only finds the cells. Read the ratios.

#![expect(clippy::print_stdout, reason = "a benchmark prints")]

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use rowkey_core::key::{Draw, Draws};
use rowkey_lab::profile::profile;
use rowkey_lab::sample::guess_fields;
use rowkey_ops::input::{Format, Source};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let records: u64 = arguments.next().map_or(Ok(2_000_000), |text| text.parse())?;
    let folder = arguments.next().unwrap_or_else(|| std::env::temp_dir().display().to_string());
    let path = Path::new(&folder).join(format!("rowkey-profile-{records}.csv"));
    if !path.exists() {
        let mut csv = BufWriter::new(File::create(&path)?);
        writeln!(csv, "user,ts,order,seller,amount")?;
        for number in 0..records {
            let mut draws = Draws::new(1, number);
            let time = 1_700_000_000_000 + number * 137;
            let (user, seller, cents) = (draws.draw(1_000_000), draws.draw(5000), draws.draw(100_000));
            writeln!(csv, "{user},{time},o{number:010},seller{seller},{}", f64::from(cents) / 100.0)?;
        }
    }
    let all = std::thread::available_parallelism()?.get();
    for round in 0..3 {
        let start = Instant::now();
        let mut reader = csv::Reader::from_path(&path)?;
        let (mut record, mut cells) = (csv::StringRecord::new(), 0);
        while reader.read_record(&mut record)? {
            cells += record.len();
        }
        let plain = start.elapsed().as_secs_f64();
        println!("round {round}: csv crate alone {:>5.2} M/s ({cells} cells)", records as f64 / plain / 1e6);
        for threads in [1, all] {
            let (guess, source) = guess_fields(Source::file(File::open(&path)?), Format::Csv, "data")?;
            let start = Instant::now();
            let found = profile(source, (Format::Csv, "data"), &guess.fields, None, threads, &mut |_| {})?;
            let seconds = start.elapsed().as_secs_f64();
            assert_eq!(found.records, records, "every record was seen");
            println!(
                "  profile, {threads} threads {:>5.2} M/s, {:.2} of the csv crate's time",
                records as f64 / seconds / 1e6,
                seconds / plain
            );
        }
    }
    Ok(())
}

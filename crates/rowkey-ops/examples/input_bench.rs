//! How quickly do records become columns, from CSV, JSON Lines and Parquet?
//!
//! `cargo run --release -p rowkey-ops --features parquet --example input_bench [RECORDS] [FOLDER]`
//!
//! Writes the same records to three files, once, then reads each with one thread and with all, beside the plain `csv` crate
//! without any parsing of cells. Read the ratios; seconds differ from machine to machine.

#![expect(clippy::print_stdout, reason = "a benchmark prints")]

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use rowkey_core::batch::Column;
use rowkey_core::key::{Draw, Draws, EncodeError};
use rowkey_core::{KeySchema, Value};
use rowkey_ops::input::{BatchSink, BatchWork, Batches, Format, Position, Source};

type Failure = Box<dyn std::error::Error>;

struct Counter;

impl BatchWork for Counter {
    type Made = usize;

    fn batch(&mut self, columns: &[Column<'_>]) -> Option<usize> {
        columns.iter().map(Column::len).max()
    }
}

struct Total(u64);

impl BatchSink<usize> for Total {
    fn made(&mut self, made: usize, _after: Position) -> std::io::Result<()> {
        self.0 += made as u64;
        Ok(())
    }

    fn record(&mut self, _values: &[Value<'_>]) -> Result<(), EncodeError> {
        self.0 += 1;
        Ok(())
    }
}

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let records: u64 = arguments.next().map_or(Ok(2_000_000), |text| text.parse())?;
    let folder = arguments.next().unwrap_or_else(|| std::env::temp_dir().display().to_string());
    let path = |name: &str| Path::new(&folder).join(format!("rowkey-input-{records}.{name}"));
    let key = KeySchema::parse("[user: u64][ts: timestamp desc][order][seller: escaped][amount: f64]")?;
    if !path("parquet").exists() {
        write_text(&path("csv"), &path("jsonl"), records)?;
        write_parquet(&path("parquet"), records)?;
    }
    let all = std::thread::available_parallelism()?.get();
    println!("{records} records of five fields: {}", key.source());
    for round in 0..3 {
        let start = Instant::now();
        let mut reader = csv::Reader::from_path(path("csv"))?;
        let mut record = csv::StringRecord::new();
        let mut cells = 0;
        while reader.read_record(&mut record)? {
            cells += record.len();
        }
        let plain = start.elapsed().as_secs_f64();
        println!("round {round}: csv crate alone  {:>6.2} M/s ({cells} cells)", records as f64 / plain / 1e6);
        for (name, format) in
            [("csv", Format::Csv), ("jsonl", Format::JsonLines), ("parquet", Format::Parquet)]
        {
            for (threads, only) in [(1, false), (all, false), (all, true)] {
                let source = Source::file(File::open(path(name))?);
                let fields = key.fields();
                let three = ["user", "ts", "order"]
                    .into_iter()
                    .filter_map(|name| fields.id(name))
                    .collect::<Vec<_>>();
                let batches = match only {
                    false => Batches::open(source, format, fields, name)?,
                    true => Batches::open_only(source, format, fields, &three, name)?,
                };
                let (start, mut found) = (Instant::now(), Total(0));
                batches.run(threads, || Counter, &mut found)?;
                let seconds = start.elapsed().as_secs_f64();
                assert_eq!(found.0, records, "every record was read");
                println!(
                    "  {name:<8} {threads} threads, {} fields {:>6.2} M/s, {:.2} of the csv crate's time",
                    if only { 3 } else { 5 },
                    records as f64 / seconds / 1e6,
                    seconds / plain
                );
            }
        }
    }
    Ok(())
}

/// The record of a number: user, time, order, seller, amount.
fn record(number: u64) -> (u64, i64, String, String, f64) {
    let mut draws = Draws::new(1, number);
    let time = 1_700_000_000_000 + i64::try_from(number).unwrap_or(0) * 137;
    let (user, seller) = (draws.draw(1_000_000), draws.draw(5000));
    (
        user.into(),
        time,
        format!("o{number:010}"),
        format!("seller{seller}"),
        f64::from(draws.draw(100_000)) / 100.0,
    )
}

fn write_text(csv: &Path, lines: &Path, records: u64) -> Result<(), Failure> {
    let (mut csv, mut lines) = (BufWriter::new(File::create(csv)?), BufWriter::new(File::create(lines)?));
    writeln!(csv, "user,ts,order,seller,amount")?;
    for (user, ts, order, seller, amount) in (0..records).map(record) {
        writeln!(csv, "{user},{ts},{order},{seller},{amount}")?;
        writeln!(
            lines,
            "{{\"user\":{user},\"ts\":{ts},\"order\":\"{order}\",\"seller\":\"{seller}\",\"amount\":{amount}}}"
        )?;
    }
    Ok(())
}

fn write_parquet(path: &Path, records: u64) -> Result<(), Failure> {
    let columns = "message orders { optional int64 user; optional int64 ts (timestamp(millis, true)); \
                   optional binary order (utf8); optional binary seller (utf8); optional double amount; }";
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let schema = Arc::new(parse_message_type(columns)?);
    let mut writer = SerializedFileWriter::new(File::create(path)?, schema, Arc::new(properties))?;
    for first in (0..records).step_by(122_880) {
        let rows: Vec<_> = (first..records.min(first + 122_880)).map(record).collect();
        let present = vec![1_i16; rows.len()];
        let mut group = writer.next_row_group()?;
        let texts = |text: fn(&(u64, i64, String, String, f64)) -> &String| -> Vec<ByteArray> {
            rows.iter().map(|row| ByteArray::from(text(row).clone().into_bytes())).collect()
        };
        let users: Vec<i64> = rows.iter().map(|row| row.0.cast_signed()).collect();
        let times: Vec<i64> = rows.iter().map(|row| row.1).collect();
        let amounts: Vec<f64> = rows.iter().map(|row| row.4).collect();
        let (orders, sellers) = (texts(|row| &row.2), texts(|row| &row.3));
        for number in 0..5 {
            let Some(mut column) = group.next_column()? else { break };
            let levels = Some(present.as_slice());
            match number {
                0 => column.typed::<Int64Type>().write_batch(&users, levels, None)?,
                1 => column.typed::<Int64Type>().write_batch(&times, levels, None)?,
                2 => column.typed::<ByteArrayType>().write_batch(&orders, levels, None)?,
                3 => column.typed::<ByteArrayType>().write_batch(&sellers, levels, None)?,
                _ => column.typed::<DoubleType>().write_batch(&amounts, levels, None)?,
            };
            column.close()?;
        }
        group.close()?;
    }
    writer.close()?;
    Ok(())
}

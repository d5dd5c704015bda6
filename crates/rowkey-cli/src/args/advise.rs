//! Arguments of `rowkey advise`.

use std::path::PathBuf;

use clap::Args;

use super::{PriceList, Reading};

/// Find the best key, index tables, splits and families for your data and your queries
#[derive(Debug, Args)]
#[command(after_help = "\
FILE has the queries: a table file, whose own key is then compared with the others; a file with [[query]] and, if need be,
[fields]; or lines such as `80 user_id = ? order by ts desc limit 20`, with the weight first. Values for `?` are drawn from
the data. Without types in FILE they are guessed from the data. Without queries the answer is what the data alone says: what tells
records apart, what is in each field, which keys spread writes, and which queries to think of.

With ROWKEY_RECORD=FILE in the environment, query, count and delete append each query that they run to FILE, at most 50 a second and
10 MB. `--query-log FILE` reads it; of queries of several tables it takes those of --table.

Designs are compared by what they cost, in rows of a scan: how much busier than the mean the busiest server is when the data is
written in the order of its time, what each query reads, how long keys are, how many tables are written.

Example:
  rowkey advise --data orders.csv
  rowkey advise --data orders.csv --queries orders.toml
  rowkey advise --data orders.csv --queries queries.txt --write new.toml
  rowkey advise --data orders.csv --queries queries.txt --identity order_id --no-index
  rowkey advise --data orders.csv --query-log queries.log --rate 50000
  rowkey advise --data orders.csv --queries queries.txt --prices hbase
  rowkey advise --data orders.parquet --queries orders.toml --servers 10 --regions 40 --writes 90")]
pub(crate) struct Advise {
    /// Some of the records that the table will hold: a CSV, JSON or Parquet file, which is read twice; may be repeated
    #[arg(long, value_name = "DATA", required = true)]
    pub(crate) data: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) reading: Reading,

    /// The queries that the table is for; without them, what the data alone says
    #[arg(long, value_name = "FILE", group = "asked")]
    pub(crate) queries: Option<PathBuf>,

    /// A log of the queries instead, one per line with the values that were asked for: values become `?`, equal queries are counted, the
    /// counts are the weights. ROWKEY_RECORD=FILE makes one
    #[arg(long, value_name = "FILE", group = "asked")]
    pub(crate) query_log: Option<PathBuf>,

    /// The fields that make a record unique, with commas between them
    #[arg(long, value_name = "FIELDS", value_delimiter = ',')]
    pub(crate) identity: Vec<String>,

    /// A field that will never have other values than those of the data; may be repeated
    #[arg(long, value_name = "FIELD")]
    pub(crate) closed: Vec<String>,

    /// Propose no index tables
    #[arg(long)]
    pub(crate) no_index: bool,

    /// The most buckets that a salt may have
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1_024))]
    pub(crate) max_buckets: Option<u32>,

    /// How many servers there are
    #[arg(long, default_value_t = 4, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) servers: u32,

    /// How many regions the table is cut into; four for each server if left out, one if all rows have less than a megabyte
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) regions: Option<u32>,

    /// How many of 100 operations are writes
    #[arg(long, default_value_t = 50, value_name = "PERCENT", value_parser = clap::value_parser!(u32).range(0..=100))]
    pub(crate) writes: u32,

    /// How many records a second are written: says how many writes the busiest server takes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) rate: Option<u64>,

    /// How many rows the table will have, if not as many as the data
    #[arg(long, value_name = "N")]
    pub(crate) rows: Option<u64>,

    /// For how many years the table will grow as the data did
    #[arg(long, value_name = "N", conflicts_with = "rows", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) years: Option<u32>,

    /// The field that says when a record is written, where there are several
    #[arg(long, value_name = "FIELD")]
    pub(crate) time: Option<String>,

    /// The name of the table; that of the table file or of the data if left out
    #[arg(long, value_name = "NAME")]
    pub(crate) table: Option<String>,

    /// Write the table file of the recommended design
    #[arg(long, value_name = "FILE", requires = "asked")]
    pub(crate) write: Option<PathBuf>,

    /// The design to write, by its letter
    #[arg(long, value_name = "LETTER", requires = "write", default_value = "A")]
    pub(crate) design: String,

    /// Replace the file if it exists
    #[arg(long, requires = "write")]
    pub(crate) force: bool,

    #[command(flatten)]
    pub(crate) prices: PriceList,

    /// How many records each design is tried with
    #[arg(long, default_value_t = 20_000, value_name = "N", value_parser = clap::value_parser!(u32).range(100..=1_000_000))]
    pub(crate) sample: u32,

    /// Stop searching after so many seconds, with the best found so far
    #[arg(long, default_value_t = 60, value_name = "SECONDS")]
    pub(crate) time_limit: u64,

    /// Try every candidate instead of searching in stages; give it time
    #[arg(long)]
    pub(crate) exhaustive: bool,

    /// What is drawn by chance; the same seed gives the same advice
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
}

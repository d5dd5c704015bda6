//! Arguments of `rowkey simulate`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{PriceList, Reading};

/// Simulate designs of a key on data: which regions and servers get hot, when, and what queries read
#[derive(Debug, Args)]
#[command(after_help = "\
Every record is encoded by each design's key, routed to its region and counted by time step. Regions are those of the table
file, --splits, or --regions of them: where the key itself says (a salt, a hash), otherwise at quantiles of the data's keys,
the best possible with the data known in advance. They are assigned to the servers round-robin, as HBase does. The queries
of a table file are planned with values from the data. Without data, --traffic makes a day of it; the data of articles about
row keys (phones, messages, orders, logs-few, logs-many, salt1000, danmaku, stepped-ids) brings its own keys.

Example:
  rowkey simulate --traffic messages --records 100000
  rowkey simulate '[ts: timestamp]' '[salt(16, ts)][ts: timestamp]' --traffic zipf --heat
  rowkey simulate orders.toml --data orders.csv --time ts --servers 8 --png orders.png
  rowkey simulate '[order_id]' --data orders.csv --time ts --grow --row-bytes 900")]
pub(crate) struct Simulate {
    /// Keys, table files, or names of tables that rowkey made; several are shown side by side
    #[arg(value_name = "FILE|KEY")]
    pub(crate) designs: Vec<String>,

    /// The records: a CSV, JSON or Parquet file, or - for standard input; may be repeated
    #[arg(long, value_name = "DATA", conflicts_with = "traffic")]
    pub(crate) data: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) reading: Reading,

    /// Made-up records instead of data
    #[arg(long, value_name = "KIND")]
    pub(crate) traffic: Option<TrafficKind>,

    /// How many records to make up
    #[arg(long, value_name = "N", default_value_t = 1_000_000, requires = "traffic")]
    pub(crate) records: u64,

    /// The field that says when a record is written
    #[arg(long, value_name = "FIELD")]
    pub(crate) time: Option<String>,

    /// The length of a time step, such as 10s, 1m, 1h; as it fits the data if left out
    #[arg(long, value_name = "TIME", value_parser = rowkey_core::calendar::length)]
    pub(crate) step: Option<i64>,

    /// How many regions [default: those of the table file, 16 for a key]
    #[arg(long, value_name = "N", conflicts_with_all = ["splits", "grow"])]
    pub(crate) regions: Option<u32>,

    /// Where regions begin: keys as HBase prints them, with commas between; or hex N, decimal N, uniform N
    #[arg(long, value_name = "KEYS", conflicts_with = "grow")]
    pub(crate) splits: Option<String>,

    /// How many servers the regions are assigned to
    #[arg(long, value_name = "M", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) servers: u32,

    /// Begin with one region and split as HBase would
    #[arg(long)]
    pub(crate) grow: bool,

    /// With --grow: the bytes of a row [default: as in the data, 200 if made up]
    #[arg(long, value_name = "BYTES", requires = "grow")]
    pub(crate) row_bytes: Option<u64>,

    /// What random parts, made-up records and the values of queries are drawn from
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,

    /// Take the queries from this table file
    #[arg(long, value_name = "FILE")]
    pub(crate) queries: Option<PathBuf>,

    /// How many rows the table will have when queries are asked of it, if not as many as the data
    #[arg(long, value_name = "N")]
    pub(crate) rows: Option<u64>,

    /// For how many years the table will grow as the data did, by --time
    #[arg(long, value_name = "N", conflicts_with = "rows", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) years: Option<u32>,

    /// How many records queries are asked of
    #[arg(long, default_value_t = 20_000, value_name = "N", value_parser = clap::value_parser!(u32).range(100..=1_000_000))]
    pub(crate) sample: u32,

    #[command(flatten)]
    pub(crate) prices: PriceList,

    /// Show a heat map: regions by time
    #[arg(long)]
    pub(crate) heat: bool,

    /// Write the heat map as a picture; with several designs one file each
    #[arg(long, value_name = "FILE")]
    pub(crate) png: Option<PathBuf>,

    /// Write the heat map as SVG, with the count of every cell on pointing at it
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,

    /// Replace files that are no heat maps of rowkey
    #[arg(long)]
    pub(crate) force: bool,

    /// Heat maps by so many ranges of keys instead of regions
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1_500))]
    pub(crate) ranges: Option<u32>,

    /// Heat maps without the leading salt: what belongs together lies together
    #[arg(long)]
    pub(crate) folded: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TrafficKind {
    /// All day alike, by 10,000 users alike
    Steady,
    /// Five minutes of every hour ten times as many
    Bursts,
    /// By users of whom a few write the most
    Zipf,
    /// Nearly a third by one user
    Celebrity,
    /// At whole seconds, with ids that rise along
    Clock,
    /// Phone numbers as they are given out
    Phones,
    /// Messages with date, time and an id that rises
    Messages,
    /// Orders of users, a few of whom order most
    Orders,
    /// Log lines of three hosts
    LogsFew,
    /// Log lines of 2,000 hosts
    LogsMany,
    /// Log ids that begin with the time
    Salt1000,
    /// Comments on films, newest first
    Danmaku,
    /// Ids in steps of ten
    SteppedIds,
}

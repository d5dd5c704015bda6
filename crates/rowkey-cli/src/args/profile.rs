//! The arguments of `rowkey profile`.

use std::path::PathBuf;

use clap::Args;

use super::Reading;

/// Look at data: types, different values, lengths, what comes often, what rises, what identifies a record
#[derive(Debug, Args)]
#[command(after_help = "\
DATA is CSV, JSON or Parquet: files, patterns, a folder of Parquet files, - for standard input; or the name of a table in the
store. The first line of CSV names the fields. Types, and how the data is written, are guessed and told, unless --file says the
types or the data declares them. One pass, on all cores, in memory that does not grow with the data.

A live table is read region by region without filling the servers' caches; --share and --rate keep the load small.

Example:
  rowkey profile orders.csv
  zcat events.jsonl.gz | rowkey profile -
  rowkey profile orders --share 0.01 --rate 20000 --store hbase://zookeeper:2181/hbase")]
pub(crate) struct Profile {
    /// The data, or the name of a table
    #[arg(required = true)]
    pub(crate) data: Vec<String>,

    /// A table file that says the types of the fields, or that describes a table which rowkey did not make
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) reading: Reading,

    /// Of a live table, look at this share of the rows, from 0 to 1
    #[arg(long, default_value_t = 1.0)]
    pub(crate) share: f32,

    /// Of a live table, read at most so many rows per second
    #[arg(long, value_name = "ROWS")]
    pub(crate) rate: Option<u64>,
}

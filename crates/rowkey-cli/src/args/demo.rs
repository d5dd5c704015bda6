//! Arguments of `rowkey demo`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// See it all on made-up data: a key that melts one region, a better one found, created, loaded and queried
#[derive(Debug, Args)]
#[command(after_help = "\
Without SET the whole tour runs, by the commands that it shows: orders and logs are made, their first key is checked and
simulated, a better one is found, its table created, loaded, queried in order, and heat maps of before and after are
written. With SET only the data and its table file are made, for your own hands.

Example:
  rowkey demo
  rowkey demo orders
  rowkey demo logs --rows 1000000 --folder /tmp/logs")]
pub(crate) struct Demo {
    /// Write this data and its table file, and nothing else
    pub(crate) set: Option<DemoSet>,

    /// Where files go [default: the present folder for SET, ./rowkey-demo for the tour]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) folder: Option<PathBuf>,

    /// How many records of each set
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    pub(crate) rows: u32,

    /// What is drawn by chance; the same seed makes the same data
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,

    /// Replace what an earlier demo left there
    #[arg(long)]
    pub(crate) force: bool,
}

/// What can be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DemoSet {
    /// Orders of a shop, as TPC-H has them, in the order of time
    Orders,
    /// Log lines of a web site's hosts
    Logs,
}

impl DemoSet {
    pub(crate) const ALL: [Self; 2] = [Self::Orders, Self::Logs];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Orders => "orders",
            Self::Logs => "logs",
        }
    }
}

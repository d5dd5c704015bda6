//! Arguments of `rowkey calibrate`, and of commands that take prices.

use clap::{Args, ValueEnum};
use rowkey_core::query::Prices;

/// Measure what reading costs on your store, and plan by that from then on
#[derive(Debug, Args)]
#[command(after_help = "\
A plan is chosen by its price in rows of a scan: what a range, a row by its key or a jump takes, compared with the next row of a range. The
built-in prices were measured on other machines. This measures them on the store of --store, with scratch tables (rowkey_calibrate_fixed and
others, some 100 MB together) that it removes in the end, and keeps them: for a folder in its file PRICES, for a cluster in
$XDG_CONFIG_HOME/rowkey (or ~/.config/rowkey) under the cluster's id. query, count, delete, explain, simulate and advise use them; --no-config
ignores them. Other work on the machine or the cluster at the same time spoils the figures.

Example:
  rowkey calibrate --rows 20000 --dry-run
  rowkey calibrate --rows 20000 --rounds 3
  rowkey explain orders 'user_id in (7, 8)'
  rowkey calibrate --forget")]
pub(crate) struct Calibrate {
    /// How many rows each scratch table gets
    #[arg(long, value_name = "N", default_value_t = 400_000, value_parser = clap::value_parser!(u32).range(20_000..=20_000_000))]
    pub(crate) rows: u32,

    /// How often each price is measured; the median counts
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub(crate) rounds: u32,

    /// Measure and print, and keep nothing
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Measure nothing, and go back to the built-in prices
    #[arg(long, conflicts_with_all = ["dry_run", "rows", "rounds"])]
    pub(crate) forget: bool,
}

/// Prices for a table that may not be there yet.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct PriceList {
    /// Reckon with the built-in prices of this kind of store [default: the prices of --store]
    #[arg(long, value_name = "KIND")]
    pub(crate) prices: Option<BuiltIn>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum BuiltIn {
    /// A store in a folder
    Embedded,
    /// An HBase cluster
    Hbase,
}

impl BuiltIn {
    pub(crate) fn prices(self) -> Prices {
        match self {
            Self::Embedded => Prices::EMBEDDED,
            Self::Hbase => Prices::HBASE,
        }
    }
}

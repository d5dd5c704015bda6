//! Arguments of `rowkey doctor`.

use clap::Args;

use super::size::bytes;

/// See whether the store can be reached and used: format, space, servers, clocks, and the file of a table
#[derive(Debug, Args)]
#[command(after_help = "\
Nothing is changed but what every opening does, and no folder is made. Each line is ok, a warning or a fault, with the figure, its limit and what to do. Exit
code: 0 if all is well, 1 with warnings or faults, 2 if nothing could be looked at.

Example:
  rowkey doctor
  rowkey doctor orders
  rowkey doctor --deep
  rowkey doctor orders.toml --store hbase://zookeeper:2181/hbase --json")]
pub(crate) struct Doctor {
    /// A table to look at too: its name, or the table file that it should agree with
    pub(crate) table: Option<String>,

    /// Read all of the folder's store and compare it with its checksums: every file, every cell
    #[arg(long)]
    pub(crate) deep: bool,

    /// Warn if less space than this is free on the disk of the folder
    #[arg(long, value_name = "SIZE", default_value = "1GB", value_parser = bytes)]
    pub(crate) min_free: f64,
}

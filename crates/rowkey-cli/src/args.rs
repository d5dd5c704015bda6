//! Which commands and options are there?

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// Row keys for HBase: describe a key, make the pre-split table, load it and query it as if it were not salted.
#[derive(Debug, Parser)]
#[command(name = "rowkey", version, propagate_version = true, arg_required_else_help = true)]
#[command(after_help = "\
Example:
  rowkey create examples/orders/orders.toml
  rowkey load   examples/orders/orders.toml orders.csv
  rowkey query  orders \"user_id = 7 order by ts desc limit 20\"
  rowkey regions orders

Exit code: 0 done, 1 no row found, 2 an error.")]
pub(crate) struct Arguments {
    /// A folder, hbase://zookeeper:2181/hbase, or hbase+rpc://master:16000
    #[arg(long, global = true, env = "ROWKEY_STORE", default_value = "./rowkey-data", value_name = "URL")]
    pub(crate) store: String,

    /// Print one JSON object a line instead of tables
    #[arg(long, global = true)]
    pub(crate) json: bool,

    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Create(Create),
    Load(Load),
    Query(Query),
    Regions(Regions),
    Completions(Completions),
}

/// Create the table of a table file, cut at its split points
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  rowkey create examples/orders/orders.toml
  rowkey create examples/orders/orders.toml --store hbase://localhost:2181/hbase")]
pub(crate) struct Create {
    /// The table file
    pub(crate) file: PathBuf,

    /// Do nothing if the table is there already with the same key
    #[arg(long)]
    pub(crate) if_not_exists: bool,
}

/// Load CSV into a table; a load that was interrupted goes on where it stopped
#[derive(Debug, Args)]
#[command(after_help = "\
The first line of the CSV names the fields. Progress is kept in DATA.rowkey-load until the load is complete;
after a crash or a bad line, the same command goes on from there.

Example:
  rowkey load orders orders.csv
  zcat orders.csv.gz | rowkey load orders -")]
pub(crate) struct Load {
    /// A table file, or the name of a table that rowkey made
    pub(crate) table: String,

    /// The CSV file, or - for standard input
    pub(crate) data: PathBuf,

    /// Begin anew, even if an earlier load of this file stopped on the way
    #[arg(long)]
    pub(crate) restart: bool,
}

/// Query a table by conditions, order and limit
#[derive(Debug, Args)]
#[command(after_help = "\
A query is CONDITION [order by FIELD [desc], …] [limit N], where a condition is an `and` of comparisons
(= < <= > >= between) of a field with a number or a 'text'. Times are written as '2025-01-31',
'2025-01-31 12:00:00' (UTC), '2025-01-31T12:00:00Z' or milliseconds.

Example:
  rowkey query orders \"user_id = 7 and ts >= '2025-02-01' order by ts desc limit 20\"")]
pub(crate) struct Query {
    /// A table file, or the name of a table that rowkey made
    pub(crate) table: String,

    /// Condition, order and limit
    pub(crate) query: String,

    /// Allow a query that reads the whole table
    #[arg(long)]
    pub(crate) full_scan: bool,
}

/// Show the regions of a table with their ranges and request counts
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  rowkey regions orders
  rowkey regions orders --json | jq .writes")]
pub(crate) struct Regions {
    /// A table file, or the name of a table that rowkey made
    pub(crate) table: String,
}

/// Print completions for a shell
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  rowkey completions bash > ~/.local/share/bash-completion/completions/rowkey")]
pub(crate) struct Completions {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

//! The commands and options of `rowkey`.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

mod advise;
mod calibrate;
mod demo;
mod doctor;
mod export;
mod generate;
mod index;
mod live;
mod profile;
mod queries;
mod reading;
mod record_limit;
mod remember;
mod shell;
mod simulate;
mod size;
mod split;
mod tables;

pub(crate) use advise::Advise;
pub(crate) use calibrate::{Calibrate, PriceList};
pub(crate) use demo::{Demo, DemoSet};
pub(crate) use doctor::Doctor;
pub(crate) use export::{Export, OutputFormat};
pub(crate) use generate::{Conform, Generate};
pub(crate) use index::{HowToCompare, Index, IndexBuild, IndexCommand, OfIndexes};
pub(crate) use live::{Count, Delete, Get, Merge, OfTable, Regions, Scan, Shown};
pub(crate) use profile::Profile;
pub(crate) use queries::{Explain, Query, QueryArguments};
pub(crate) use reading::{Reading, quoted};
pub(crate) use record_limit::RecordLimit;
pub(crate) use remember::Remember;
pub(crate) use shell::Shell;
pub(crate) use simulate::{Simulate, TrafficKind};
pub(crate) use size::Size;
pub(crate) use split::{Cut, KeyForm, Points, Split, SplitCheck, SplitCommand, Within};
pub(crate) use tables::{Alter, Describe, Drop, List, Truncate};

/// Row keys for HBase: describe a key, make the pre-split table, load it and query it as if it were not salted.
#[derive(Debug, Parser)]
#[command(name = "rowkey", version, propagate_version = true, arg_required_else_help = true)]
#[command(after_help = "\
Example:
  rowkey new orders orders.toml
  rowkey check orders.toml
  rowkey encode '[md5(id).subStr(0,4)]-[id]' id=abc001
  rowkey create examples/orders/orders.toml
  rowkey load   examples/orders/orders.toml orders.csv
  rowkey query  orders \"user_id = 7 order by ts desc limit 20\"
  rowkey explain orders \"user_id = 7 and amount > 100\" --analyze
  rowkey count  orders
  rowkey regions orders

Exit code: 0 done, 1 no row found or a check with warnings, 2 an error, 130 interrupted by Ctrl-C,
143 by SIGTERM.")]
pub(crate) struct Arguments {
    /// A folder, hbase://zookeeper:2181/hbase, or hbase+rpc://master:16000
    #[arg(long, global = true, env = "ROWKEY_STORE", default_value = DEFAULT_STORE, value_name = "URL")]
    pub(crate) store: String,

    /// The cluster's configuration for clients in place of --store: hbase-site.xml, or the folder with it
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) conf: Option<PathBuf>,

    /// Print one JSON object per line instead of tables
    #[arg(long, global = true)]
    pub(crate) json: bool,

    /// Show names of fields and lengths instead of keys and values, for what is sent to others
    #[arg(long, global = true)]
    pub(crate) redact: bool,

    /// Ignore what is kept of stores beside their tables: prices of `rowkey calibrate`, table files of `rowkey remember`
    #[arg(long, global = true)]
    pub(crate) no_config: bool,

    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The store when neither `--store` nor `ROWKEY_STORE` names one.
pub(crate) const DEFAULT_STORE: &str = "./rowkey-data";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Demo(Demo),
    New(New),
    Check(Check),
    Encode(Encode),
    Decode(Decode),
    Create(Create),
    List(List),
    Describe(Describe),
    Alter(Alter),
    Remember(Remember),
    Truncate(Truncate),
    Drop(Drop),
    Load(Load),
    Export(Export),
    Get(Get),
    Scan(Scan),
    Query(Query),
    Explain(Explain),
    Count(Count),
    Delete(Delete),
    Index(Index),
    Regions(Regions),
    Split(Box<Split>),
    Size(Size),
    Merge(Merge),
    Profile(Profile),
    Simulate(Box<Simulate>),
    Advise(Box<Advise>),
    Calibrate(Calibrate),
    Generate(Generate),
    Conform(Conform),
    Shell(Shell),
    Doctor(Doctor),
    Completions(Completions),
    Man(Man),
}

/// Write a table file to begin with
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  rowkey new orders orders.toml
  rowkey new logs | less
  rowkey new --from orders.csv --write mine.toml")]
pub(crate) struct New {
    /// What the table is for
    #[arg(required_unless_present = "from")]
    pub(crate) template: Option<Template>,

    /// The file to write; to standard output if left out
    pub(crate) file: Option<PathBuf>,

    /// Make the file of data instead: types, nulls, what tells records apart, a key that spreads writes; may be repeated
    #[arg(long, value_name = "DATA", conflicts_with = "template")]
    pub(crate) from: Vec<PathBuf>,

    /// With --from: the file to write
    #[arg(long, value_name = "FILE", requires = "from")]
    pub(crate) write: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) reading: Reading,

    /// Replace the file if it exists
    #[arg(long)]
    pub(crate) force: bool,
}

/// Find the mistakes of a key: hot regions, lost rows, wrong order, wasted bytes
#[derive(Debug, Args)]
#[command(after_help = "\
Issues come the worst first, each with what to do and, where possible, the key rewritten so. A hint is a
price worth knowing, a warning a likely mistake, an error cannot work. Exit code: 0 without warnings, 1 with, 2 if the
key or file cannot be read.

With --data the key is judged on records, too: keys that come twice, values that do not fit, buckets and regions that get more
than their share, newest records that all go to one region. A key without a table file takes its types from the data.

Example:
  rowkey check '[ts: timestamp][user: u64]'
  rowkey check orders.toml --deny length
  rowkey check '[user_id][ts desc]' --data orders.csv
  rowkey check --explain rising-lead")]
pub(crate) struct Check {
    /// A key, a table file, or the name of a table that rowkey made
    #[arg(required_unless_present = "explain", value_name = "KEY|FILE")]
    pub(crate) key: Option<String>,

    /// Judge the key on a CSV, JSON or Parquet file, or on - (standard input); may be repeated
    #[arg(long, value_name = "DATA", conflicts_with = "explain")]
    pub(crate) data: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) reading: Reading,

    /// Tell the story of a rule; without a name, list all rules
    #[arg(long, value_name = "RULE", num_args = 0..=1, default_missing_value = "", conflicts_with = "key")]
    pub(crate) explain: Option<String>,

    /// Count an issue of this rule as a failure, even a hint; may be given several times
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    pub(crate) deny: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Template {
    /// A user's orders, newest first
    Orders,
    /// One row for each user, spread by a hash
    Users,
    /// Phone numbers, reversed
    Phone,
    /// Messages of conversations, newest first
    Messages,
    /// Log lines by host and time
    Logs,
    /// Measurements of sensors
    TimeSeries,
    /// A feed, newest first
    Feed,
    /// OpenTSDB's own row key
    Opentsdb,
    /// A salted table of Phoenix, byte for byte
    Phoenix,
}

impl Template {
    pub(crate) fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }
}

/// Turn records into row keys
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  rowkey encode '[md5(id).subStr(0,4)]-[id]' id=abc001
  rowkey encode examples/orders/orders.toml user_id=7 ts=2025-01-02 order_id=b
  rowkey encode '[salt(16, user)][user: u64]' user=7 --parts
  rowkey encode '[salt(16, user)][user: u64]' --from users.csv --hex")]
pub(crate) struct Encode {
    /// A key, a table file, or the name of a table that rowkey made
    pub(crate) key: String,

    /// The record's fields
    #[arg(value_name = "FIELD=VALUE")]
    pub(crate) values: Vec<String>,

    /// Read records from a CSV, JSON or Parquet file, or from - (standard input); may be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) reading: Reading,

    /// Print keys as hex instead of HBase's escaped form
    #[arg(long)]
    pub(crate) hex: bool,

    /// Show which bytes belong to which part, as a terminal does anyway
    #[arg(long, conflicts_with_all = ["hex", "from"])]
    pub(crate) parts: bool,

    /// What random parts are drawn from; the same seed draws the same
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
}

/// Turn row keys back into records
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  rowkey decode '[md5(id).subStr(0,4)]-[id]' 9bf0-abc001
  rowkey decode orders --from keys.txt --json
A key is written as HBase prints it (\\x00abc), or as hex with --hex.")]
pub(crate) struct Decode {
    /// A key, a table file, or the name of a table that rowkey made
    pub(crate) key: String,

    /// The row keys
    #[arg(value_name = "ROWKEY", allow_negative_numbers = true)]
    pub(crate) keys: Vec<String>,

    /// Read row keys from a file, one per line, or from - (standard input)
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) limit: RecordLimit,

    /// Row keys are written as hex
    #[arg(long)]
    pub(crate) hex: bool,

    /// Show which bytes belong to which part, as a terminal does for a single key anyway
    #[arg(long, conflicts_with = "from")]
    pub(crate) parts: bool,
}

/// Create the table of a table file, cut at its split points
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  rowkey create examples/orders/orders.toml
  rowkey create examples/orders/orders.toml --store hbase://zookeeper:2181/hbase
  rowkey create names.toml --data names.csv       # for a file with splits = \"sample 32\"")]
pub(crate) struct Create {
    /// The table file
    pub(crate) file: PathBuf,

    /// Do nothing if the table is there already with the same key
    #[arg(long)]
    pub(crate) if_not_exists: bool,

    /// Sample data for a file with `splits = "sample N"`: a CSV, JSON or Parquet file; may be repeated
    #[arg(long, value_name = "DATA")]
    pub(crate) data: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) reading: Reading,
}

/// Load CSV, JSON or Parquet into a table; a load that was interrupted goes on where it stopped
#[derive(Debug, Args)]
#[command(after_help = "\
The first line of CSV names the fields. What the data is (format, gzip or zstd, what stands between cells) is looked at and
told. Several files are loaded one after the other. Progress is kept in DATA.rowkey-load until the load is complete; after a
crash or a bad record, the same command goes on from there. A large
file for a table of the embedded store is sorted first (in the folder for temporary files) and appears all at once, unless
the table has rows of several families, or index tables. Rows that replaced one with the same key are counted where that is
cheap: small files on the embedded store, tables with index tables, bulk loads into empty tables.

Example:
  rowkey load orders orders.csv
  rowkey load orders orders.parquet --skip-bad bad.jsonl
  rowkey load orders 'orders*.csv' --null NA --ignore-columns
  zcat orders.csv.gz | rowkey load orders -")]
pub(crate) struct Load {
    #[command(flatten)]
    pub(crate) of: OfTable,

    /// CSV, JSON or Parquet files, patterns ('day-*.csv.gz'), a folder of Parquet files, or - for standard input
    #[arg(required = true)]
    pub(crate) data: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) reading: Reading,

    /// Begin anew, even if an earlier load of this file stopped on the way; FILE of --skip-bad is begun anew too
    #[arg(long)]
    pub(crate) restart: bool,

    /// Leave bad records out and write them to FILE, one JSON object per line with the line and the reason
    #[arg(long, value_name = "FILE")]
    pub(crate) skip_bad: Option<PathBuf>,

    /// What random parts are drawn from; the same seed draws the same, without one every load draws otherwise
    #[arg(long)]
    pub(crate) seed: Option<u64>,
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

/// Print the man page of the program or of a command, or write all of them to a folder
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  rowkey man | man -l -
  rowkey man query | man -l -
  rowkey man --out ~/.local/share/man/man1")]
pub(crate) struct Man {
    /// A command, such as query or split key
    #[arg(value_name = "COMMAND", conflicts_with = "out")]
    pub(crate) command: Vec<String>,

    /// Write rowkey.1, rowkey-query.1 and the others to this folder
    #[arg(long, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
}

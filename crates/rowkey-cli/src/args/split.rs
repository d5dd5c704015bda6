//! Arguments of `rowkey split`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::Reading;

/// Compute split points, check them, or cut regions of a table in two
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    arg_required_else_help = true
)]
#[command(after_help = "\
With an algorithm it prints split points; `split check` shows what each region of a table gets; with the name of a table it
cuts regions: at a key, which becomes the start of the second half, or in the middle of their rows.

Example:
  rowkey split key --from '[md5(id).subStr(0,4)]-[id]' --regions 16
  rowkey split check '[md5(id)]' --splits 'bytes 7 0000000000000000 ffffffffffffffff'
  rowkey split orders --at '\\x07\\x80' --at '\\x08\\x80' --dry-run
  rowkey split orders --at '\\x07\\x80'
  rowkey split orders --region 3ee10589e3ce948e0e276ddfa5bb3479")]
pub(crate) struct Split {
    #[command(subcommand)]
    pub(crate) command: Option<SplitCommand>,

    #[command(flatten)]
    pub(crate) cut: Cut,
}

/// Regions to be cut.
#[derive(Debug, Args)]
pub(crate) struct Cut {
    /// A table file, or the name of a table
    #[arg(required = true)]
    pub(crate) table: Option<String>,

    /// The table file that describes the rows, for a table that rowkey did not make
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,

    /// Where a region shall start; may be given several times
    #[arg(long, value_name = "KEY", required_unless_present = "region")]
    pub(crate) at: Vec<String>,

    /// A region to be cut in the middle, by its name in `regions`
    #[arg(long, value_name = "NAME", conflicts_with = "at")]
    pub(crate) region: Vec<String>,

    /// Keys are written and shown as hex
    #[arg(long)]
    pub(crate) hex: bool,

    /// Show what would be cut, and cut nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SplitCommand {
    /// HBase's `HexStringSplit`: eight hex digits in lower case
    Hex(Points),
    /// HBase's `DecimalStringSplit`: eight decimal digits
    Decimal(Points),
    /// HBase's `UniformSplit`: eight raw bytes
    Uniform(Points),
    /// HBase's `Bytes.split` between --start and --end, whatever the key can be
    Bytes(Points),
    /// The HBase book's `getHexSplits`: sixteen hex digits between --start and --end
    BookHex(Points),
    /// By the key itself: only bytes that it can have, every region the same
    Key(Points),
    /// One region for each bucket of the key's leading salt, or --regions of them
    Salt(Points),
    /// At quantiles of sample data
    Sample(Points),
    Check(SplitCheck),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Points are printed one per line, as HBase prints keys; that is also what HBase's shell reads from a SPLITS_FILE. With --from,
what each region would get is told on standard error.

Example:
  rowkey split hex --regions 16
  rowkey split key --from orders.toml --regions 16 --as shell
  rowkey split key --from '[user_id: u64]' --range user_id=0..5000000 --regions 8
  rowkey split sample --from '[name]' --data names.csv --regions 8
  rowkey split sample --from pages.toml --data pages.csv --weight requests=hits --regions 8 --apply")]
pub(crate) struct Points {
    /// How many regions
    #[arg(long, value_name = "N")]
    pub(crate) regions: Option<u32>,

    /// The key or table file that the points are for
    #[arg(long, value_name = "FILE|KEY")]
    pub(crate) from: Option<String>,

    /// Where the range begins; digits for hex, decimal and book-hex, an escaped key for bytes
    #[arg(long, value_name = "KEY", requires = "end")]
    pub(crate) start: Option<String>,

    /// Where the range ends
    #[arg(long, value_name = "KEY", requires = "start")]
    pub(crate) end: Option<String>,

    #[command(flatten)]
    pub(crate) within: Within,

    /// With sample data, what regions shall have the same amount of: rows, bytes, or requests=FIELD
    #[arg(long, value_name = "WHAT", default_value = "rows", requires = "data")]
    pub(crate) weight: String,

    #[command(flatten)]
    pub(crate) made: Made,
}

/// What is done with split points.
#[derive(Debug, Args)]
pub(crate) struct Made {
    /// How to print them
    #[arg(long = "as", value_name = "FORM", default_value = "escaped")]
    pub(crate) form: KeyForm,

    /// Create the table of the file, cut at the points; cut it there if it exists
    #[arg(long, requires = "from")]
    pub(crate) apply: bool,

    /// With --apply: show what would be done, and do nothing
    #[arg(long, requires = "apply")]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum KeyForm {
    /// One per line, as HBase prints keys
    Escaped,
    /// One per line, as hex
    Hex,
    /// A `create` command for HBase's shell
    Shell,
    /// A SPLITS_FILE for HBase's shell
    File,
    /// One JSON object per line
    Json,
}

/// What is known of the values of the key.
#[derive(Debug, Args)]
pub(crate) struct Within {
    /// The least and the greatest value of a number or time field, all between them equally often
    #[arg(long, value_name = "FIELD=LOW..HIGH")]
    pub(crate) range: Vec<String>,

    /// Sample records: a CSV, JSON or Parquet file, or - (standard input); may be repeated
    #[arg(long, value_name = "DATA")]
    pub(crate) data: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) reading: Reading,

    /// The most keys of the data that are kept as a sample
    #[arg(long, value_name = "N", default_value_t = 200_000, requires = "data")]
    pub(crate) sample: usize,

    /// What the sample is drawn from; the same seed draws the same
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
}

/// Show what each region gets: its share, and whether any key can reach it
#[derive(Debug, Args)]
#[command(after_help = "\
A key or table file is judged by what the key can be, and with --data by records too. A table of the store is judged by the
sizes and requests of its regions, with commands to split and merge. Exit code 1 if regions are not even.

Example:
  rowkey split check orders.toml
  rowkey split check '[md5(id)]' --splits 'hex 16'
  rowkey split check '[md5(id)]' --splits 'bytes 7 0000000000000000 ffffffffffffffff'
  rowkey split check '[name]' --splits g,n,t --data names.csv
  rowkey split check orders")]
pub(crate) struct SplitCheck {
    /// A key, a table file, or the name of a table
    #[arg(value_name = "KEY|FILE|TABLE")]
    pub(crate) of: String,

    /// Split points with commas between, or an algorithm: 'hex 16', 'decimal 10', 'uniform 8', salt, 'key 16', or 'bytes COUNT START END'
    #[arg(long, value_name = "SPLITS", conflicts_with_all = ["at", "splits_file"])]
    pub(crate) splits: Option<String>,

    /// A split point; may be given several times
    #[arg(long, value_name = "KEY", conflicts_with = "splits_file")]
    pub(crate) at: Vec<String>,

    /// Read split points from a file, one per line, or from - (standard input)
    #[arg(long, value_name = "FILE")]
    pub(crate) splits_file: Option<PathBuf>,

    /// Keys are written and shown as hex
    #[arg(long)]
    pub(crate) hex: bool,

    #[command(flatten)]
    pub(crate) within: Within,
}

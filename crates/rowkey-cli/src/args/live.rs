//! The commands that work on the rows and regions of a table.

use std::path::PathBuf;

use clap::Args;

use super::queries::condition;

/// Which table.
#[derive(Debug, Args)]
pub(crate) struct OfTable {
    /// A table file, or the name of a table
    pub(crate) table: String,

    /// The table file that describes the rows, for a table that rowkey did not make
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}

/// How rows are printed.
#[derive(Debug, Args)]
pub(crate) struct Shown {
    /// Print comma-separated values, the names in the first line
    #[arg(long)]
    pub(crate) csv: bool,

    /// Read and print keys as hex instead of HBase's escaped form
    #[arg(long)]
    pub(crate) hex: bool,

    /// Show only these fields, in this order
    #[arg(long, value_name = "FIELD", value_delimiter = ',')]
    pub(crate) columns: Vec<String>,

    /// Print all columns on long lines, even where the terminal is narrower
    #[arg(long, conflicts_with_all = ["vertical", "csv"])]
    pub(crate) wide: bool,

    /// Print each row as a block, one field a line
    #[arg(long, conflicts_with = "csv")]
    pub(crate) vertical: bool,
}

/// Read single rows by their keys
#[derive(Debug, Args)]
#[command(after_help = "\
A row is named by all fields of its key, or by the key itself as HBase prints it (\\x00abc). Exit code 1 if none is there.

Example:
  rowkey get orders user_id=7 ts=2025-01-02T00:00:00Z order_id=b
  rowkey get orders '\\x07\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x07\\x7F\\xFF\\xFEk\\xDB\\xB0\\x27\\xFFb' --json
  rowkey get orders --hex 0700000000000000077ffffe6bdbb027ff62")]
pub(crate) struct Get {
    #[command(flatten)]
    pub(crate) of: OfTable,

    /// The fields of one key, or keys
    #[arg(value_name = "FIELD=VALUE|KEY", allow_negative_numbers = true)]
    pub(crate) row: Vec<String>,

    /// A key, also one with = in it; may be given several times
    #[arg(long, value_name = "KEY")]
    pub(crate) key: Vec<String>,

    #[command(flatten)]
    pub(crate) shown: Shown,
}

/// Read rows in the order in which they are stored
#[derive(Debug, Args)]
#[command(after_help = "\
Keys are written as HBase prints them (\\x00abc), or as hex with --hex. With --reverse, reading begins at --start and goes
down to --stop. Use `query` for conditions, and for the order that a salted table would have without its salt.

Example:
  rowkey scan orders --limit 20
  rowkey scan orders --prefix '\\x07' --columns user_id,order_id --csv
  rowkey scan orders --raw-cells --versions 3 --limit 5")]
pub(crate) struct Scan {
    #[command(flatten)]
    pub(crate) of: OfTable,

    /// The first key, included
    #[arg(long, value_name = "KEY")]
    pub(crate) start: Option<String>,

    /// The key to stop at, not included
    #[arg(long, value_name = "KEY")]
    pub(crate) stop: Option<String>,

    /// Only keys that begin so
    #[arg(long, value_name = "KEY", conflicts_with_all = ["start", "stop"])]
    pub(crate) prefix: Option<String>,

    /// From the last key to the first
    #[arg(long)]
    pub(crate) reverse: bool,

    /// Stop after so many rows
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,

    /// Show cells as they are stored, without a table file
    #[arg(long)]
    pub(crate) raw_cells: bool,

    /// With --raw-cells: how many versions of each cell
    #[arg(long, value_name = "N", requires = "raw_cells", default_value_t = 1)]
    pub(crate) versions: u32,

    /// With --raw-cells: hidden cells and delete markers too
    #[arg(long, requires = "raw_cells")]
    pub(crate) deleted: bool,

    /// Leave out rows that the table file does not describe, and count them
    #[arg(long)]
    pub(crate) skip_undecodable: bool,

    #[command(flatten)]
    pub(crate) shown: Shown,
}

/// Count the rows of a table, or those that a condition holds for; sums and means of fields, for each value of another
#[derive(Debug, Args)]
#[command(after_help = "\
Regions are counted in parallel; on HBase by its own endpoint where the table has it, for a number of rows and for the figures
of one number field, not for groups. With --json, `by` says how: endpoint, keys or rows. Fields without a value count for no sum,
mean, smallest or largest value. Groups come in the order of their values, and must fit into memory.

Example:
  rowkey count orders
  rowkey count orders \"user_id = 7 and ts >= '2025-02-01'\"
  rowkey count orders 'user_id in (7, 8)' --sum amount --avg amount
  rowkey count orders --group-by user_id --max ts --csv
  rowkey count orders 'user_id in (7, 8)' --group-by user_id,seller --sum amount")]
pub(crate) struct Count {
    #[command(flatten)]
    pub(crate) of: OfTable,

    /// A condition as in `query`
    #[arg(allow_hyphen_values = true, value_parser = condition)]
    pub(crate) condition: Option<String>,

    /// Allow a condition that reads the whole table
    #[arg(long)]
    pub(crate) full_scan: bool,

    /// Count the rows of each value of this field, or of each combination of values of several
    #[arg(long, value_name = "FIELD", value_delimiter = ',')]
    pub(crate) group_by: Vec<String>,

    /// The most groups, those of each region counted by themselves; all must fit into memory
    #[arg(long, value_name = "N", default_value_t = 1_000_000, requires = "group_by")]
    pub(crate) max_groups: usize,

    /// Add up the numbers of these fields
    #[arg(long, value_name = "FIELD", value_delimiter = ',')]
    pub(crate) sum: Vec<String>,

    /// The mean of these fields
    #[arg(long, value_name = "FIELD", value_delimiter = ',')]
    pub(crate) avg: Vec<String>,

    /// The smallest value of these fields
    #[arg(long, value_name = "FIELD", value_delimiter = ',')]
    pub(crate) min: Vec<String>,

    /// The largest value of these fields
    #[arg(long, value_name = "FIELD", value_delimiter = ',')]
    pub(crate) max: Vec<String>,

    /// Print comma-separated values, the names in the first line
    #[arg(long)]
    pub(crate) csv: bool,
}

/// Delete rows by a condition or by their keys
#[derive(Debug, Args)]
#[command(after_help = "\
How the rows are found and how many there are is shown first; then it asks, unless told --yes. As in HBase, a row that is
written again with the time of the delete or an older one stays hidden until the next major compaction.

Example:
  rowkey delete orders \"user_id = 7 and ts < '2024-01-01'\" --dry-run
  rowkey delete orders \"user_id = 7 and ts < '2024-01-01'\" --yes
  rowkey delete orders --hex --key 0700000000000000077ffffe6bdbb027ff62 --yes")]
pub(crate) struct Delete {
    #[command(flatten)]
    pub(crate) of: OfTable,

    /// A condition as in `query`
    #[arg(required_unless_present = "key", conflicts_with = "key", allow_hyphen_values = true, value_parser = condition)]
    pub(crate) condition: Option<String>,

    /// A row's key; may be given several times
    #[arg(long, value_name = "KEY")]
    pub(crate) key: Vec<String>,

    /// Keys are written and shown as hex
    #[arg(long)]
    pub(crate) hex: bool,

    /// Allow a condition that reads the whole table
    #[arg(long)]
    pub(crate) full_scan: bool,

    /// Show what would be deleted, and delete nothing
    #[arg(long, conflicts_with = "yes")]
    pub(crate) dry_run: bool,

    /// Do not ask
    #[arg(long)]
    pub(crate) yes: bool,
}

/// Show the regions of a table: where they start and end, their size, where they are and how busy
#[derive(Debug, Args)]
#[command(after_help = "\
Start and end are shown as HBase prints them, and below as the fields that they stand for, as far as they go. With --ranges,
what each worker of a job reads: all of one region and one bucket of a salt, in logical order, with the server to run on.

Example:
  rowkey regions orders
  rowkey regions orders --ranges --json
  rowkey regions orders --json | jq .writes
  rowkey regions orders --csv > regions.csv")]
pub(crate) struct Regions {
    #[command(flatten)]
    pub(crate) of: OfTable,

    /// Show the ranges for the workers of a job, by what is behind the salt, with the values of fields at their borders
    #[arg(long)]
    pub(crate) ranges: bool,

    /// Print comma-separated values, the names in the first line
    #[arg(long)]
    pub(crate) csv: bool,

    /// Print keys as hex instead of HBase's escaped form
    #[arg(long)]
    pub(crate) hex: bool,
}

/// Make one region of neighbours
#[derive(Debug, Args)]
#[command(after_help = "\
Regions are named as in `regions`; or --at names the key at which one of them starts and that shall no longer be a border.

Example:
  rowkey merge orders --at '\\x07\\x80'
  rowkey merge orders 3f9d1c52a8b7e6400112233445566778 8899aabbccddeeff0123456789abcdef")]
pub(crate) struct Merge {
    #[command(flatten)]
    pub(crate) of: OfTable,

    /// Two or more regions that follow one another
    #[arg(value_name = "REGION", required_unless_present = "at", conflicts_with = "at")]
    pub(crate) regions: Vec<String>,

    /// The start of a region, which is merged with the one before
    #[arg(long, value_name = "KEY")]
    pub(crate) at: Option<String>,

    /// Keys are written and shown as hex
    #[arg(long)]
    pub(crate) hex: bool,

    /// Show what would be merged, and merge nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

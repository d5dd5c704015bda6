//! Arguments of `rowkey remember`.

use std::path::PathBuf;

use clap::Args;

/// Keep a table file for a table that rowkey did not make, so that --file need not be given again
#[derive(Debug, Args)]
#[command(after_help = "\
The first rows must be what the file says. It is copied: for a store in a folder into its folder table-files, for a cluster into
$XDG_CONFIG_HOME/rowkey (or ~/.config/rowkey), under the cluster's own id. The table itself is not changed, and --no-config
ignores the copy.

Example:
  rowkey shell -e \"create 'other', 'd'\"
  rowkey remember other pages.toml
  rowkey count other \"url like 'page1%'\"
  rowkey remember other --forget")]
pub(crate) struct Remember {
    /// The name of the table
    pub(crate) table: String,

    /// The table file that describes its rows
    #[arg(required_unless_present = "forget", conflicts_with = "forget")]
    pub(crate) file: Option<PathBuf>,

    /// Remove the copy that is kept
    #[arg(long)]
    pub(crate) forget: bool,

    /// Keep the file even if rows are not what it says
    #[arg(long, conflicts_with = "forget")]
    pub(crate) force: bool,
}

//! The commands that work on whole tables.

use clap::Args;

/// List the tables of the store
#[derive(Debug, Args)]
#[command(after_help = "\
A table that rowkey made is shown with its key, an index table with the table that it belongs to.

Example:
  rowkey list
  rowkey list --json")]
pub(crate) struct List {}

/// Show a table: its key, families, attributes and index tables
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  rowkey describe orders
  rowkey describe orders --toml > copy.toml")]
pub(crate) struct Describe {
    /// A table file, or the name of a table
    pub(crate) table: String,

    /// Print the table file that is stored with it, and nothing else
    #[arg(long, conflicts_with = "json")]
    pub(crate) toml: bool,
}

/// Remove a table with all its rows, and its index tables
#[derive(Debug, Args)]
#[command(after_help = "\
The table goes first: if something fails in between, index tables that are left belong to no table, and the next `create`
replaces them.

Example:
  rowkey drop orders --yes
  rowkey drop orders --yes --if-exists")]
pub(crate) struct Drop {
    /// A table file, or the name of a table
    pub(crate) table: String,

    /// Do not ask
    #[arg(long)]
    pub(crate) yes: bool,

    /// Do nothing if there is no such table
    #[arg(long)]
    pub(crate) if_exists: bool,
}

/// Remove all rows of a table and of its index tables; they stay cut where they are
#[derive(Debug, Args)]
#[command(after_help = "\
No program may write to the table meanwhile. Index tables are out of use until all rows are gone; if it is interrupted, the same
command goes on.

Example:
  rowkey truncate orders --yes")]
pub(crate) struct Truncate {
    /// A table file, or the name of a table
    pub(crate) table: String,

    /// Do not ask
    #[arg(long)]
    pub(crate) yes: bool,
}

/// Change a table to what its changed table file says: families and their settings, columns, queries, comments
#[derive(Debug, Args)]
#[command(after_help = "\
What differs is shown first, and what cannot be changed: the bytes of the key, types of fields, places of columns. If there is any
such thing, nothing is changed. Otherwise it asks, unless told --yes, and all changes are made at once.

Example:
  rowkey describe orders --toml > orders.toml     # then edit it
  rowkey alter orders.toml --dry-run
  rowkey alter orders --set MAX_FILESIZE=21474836480 --yes")]
pub(crate) struct Alter {
    /// The changed table file; or the name of a table, for --set and --unset
    pub(crate) table: String,

    /// Remove a family that is no longer in the file, with all its cells; may be repeated
    #[arg(long, value_name = "FAMILY")]
    pub(crate) drop_family: Vec<String>,

    /// Set an attribute of the table by HBase's name; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = attribute)]
    pub(crate) set: Vec<(String, String)>,

    /// Remove an attribute of the table; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) unset: Vec<String>,

    /// Show what would be changed, and change nothing
    #[arg(long, conflicts_with = "yes")]
    pub(crate) dry_run: bool,

    /// Do not ask
    #[arg(long)]
    pub(crate) yes: bool,
}

fn attribute(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err(format!("`{text}` sets nothing; write it as NAME=VALUE, such as MAX_FILESIZE=21474836480")),
    }
}

//! The `index` commands.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::quoted;

/// Build, compare and mend index tables
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  rowkey index build orders.toml
  rowkey index verify orders
  rowkey index repair orders")]
pub(crate) struct Index {
    #[command(subcommand)]
    pub(crate) command: IndexCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum IndexCommand {
    Build(IndexBuild),
    Verify(IndexCompare),
    Repair(IndexRepair),
}

/// Make the index rows of rows that are there already
///
/// With a table file that has more index tables than the table, these are made first. Rows are not changed, and programs may
/// write meanwhile, if they know the new file.
#[derive(Debug, Args)]
#[command(after_help = "\
Progress is kept in TABLE.rowkey-build until the build is complete; after a crash, the same command goes on from there.

Example:
  rowkey index build orders.toml
  rowkey index build orders orders_by_seller")]
pub(crate) struct IndexBuild {
    #[command(flatten)]
    pub(crate) of: OfIndexes,

    /// Begin anew, even if an earlier build stopped on the way
    #[arg(long)]
    pub(crate) restart: bool,

    /// Where to keep the checkpoint instead of TABLE.rowkey-build
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoint: Option<PathBuf>,
}

impl IndexBuild {
    /// The command that goes on, without `--restart`.
    pub(crate) fn words(&self, store: &str) -> String {
        let checkpoint = self.checkpoint.as_ref().map_or_else(String::new, |file| {
            format!(" --checkpoint {}", quoted(&file.display().to_string()))
        });
        format!("rowkey --store {} index build{}{checkpoint}", quoted(store), self.of.words())
    }
}

impl OfIndexes {
    /// The arguments, to be given again.
    pub(crate) fn words(&self) -> String {
        std::iter::once(&self.table).chain(&self.indexes).map(|name| format!(" {}", quoted(name))).collect()
    }
}

/// Compare a table with its index tables, both ways
#[derive(Debug, Args)]
#[command(after_help = "\
Missing: a row without index row. Dangling: an index row without row. Stale: an index row whose row has another one now.
Wrong copies: an index row with other columns than its row. What a crash can leave is dropped by reads; what other programs
did to one of the tables alone may show in them.
Exit code: 0 if nothing differs, 1 if something does.

Example:
  rowkey index verify orders
  rowkey index verify orders orders_by_seller --first 100 --json")]
pub(crate) struct IndexCompare {
    #[command(flatten)]
    pub(crate) of: OfIndexes,

    #[command(flatten)]
    pub(crate) how: HowToCompare,
}

/// Mend what `rowkey index verify` finds
#[derive(Debug, Args)]
#[command(after_help = "\
Rows are not changed; only index rows are, each only if it is still as it was when it was compared.

Example:
  rowkey index repair orders
  rowkey index repair orders orders_by_seller --json")]
pub(crate) struct IndexRepair {
    #[command(flatten)]
    pub(crate) of: OfIndexes,

    #[command(flatten)]
    pub(crate) how: HowToCompare,
}

/// Which index tables.
#[derive(Debug, Args)]
pub(crate) struct OfIndexes {
    /// A table file, or the name of a table that rowkey made
    pub(crate) table: String,

    /// The index tables; all of them if none is named
    #[arg(value_name = "INDEX")]
    pub(crate) indexes: Vec<String>,
}

/// How to compare.
#[derive(Debug, Args)]
pub(crate) struct HowToCompare {
    /// Name so many differences of each index table
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) first: usize,

    /// Leave alone index rows of writes that began less than so many seconds ago; 60 on a cluster, 0 in a folder
    #[arg(long, value_name = "SECONDS")]
    pub(crate) min_age: Option<u32>,

    /// Print keys as hex instead of HBase's escaped form
    #[arg(long)]
    pub(crate) hex: bool,
}

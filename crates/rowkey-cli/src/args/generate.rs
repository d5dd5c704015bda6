//! The key in other languages.

use std::path::PathBuf;

use clap::Args;

/// Write the key in Java, Go or Python: the same bytes, without rowkey at run time
#[derive(Debug, Args)]
#[command(after_help = "\
The code encodes records and decodes keys as rowkey does, refuses what rowkey refuses, and has the
columns, split points, index entries and queries of the table file; beside it stands a test with keys
that rowkey has made. Files that are as they were generated are replaced; one that was changed since is
kept, and nothing is written then.

Example:
  rowkey generate python examples/orders/orders.toml --out generated
  rowkey generate go examples/orders/orders.toml --out generated
  rowkey generate java examples/orders/orders.toml --out generated
  rowkey generate java examples/orders/orders.toml --out generated --check")]
pub(crate) struct Generate {
    /// java, go or python
    pub(crate) language: String,

    /// A table file, or the name of a table that rowkey made
    pub(crate) table: String,

    /// The folder to write to; it is made if it is not there
    #[arg(short, long, value_name = "FOLDER", default_value = ".")]
    pub(crate) out: PathBuf,

    /// Write nothing; exit 1 if a file is not there or not what the table file gives
    #[arg(long)]
    pub(crate) check: bool,

    /// Replace files that were changed since they were generated, or that something else wrote
    #[arg(long, conflicts_with = "check")]
    pub(crate) force: bool,

    /// Add a program that answers `rowkey conform`
    #[arg(long)]
    pub(crate) conform: bool,
}

/// Ask a program for keys and records, and compare its answers with rowkey's
#[derive(Debug, Args)]
#[command(after_help = "\
The program gets requests on its standard input, one JSON object per line, and answers each with a line
on its standard output: see docs/generate/conform.md. It may be written in any language, and need not be
generated. Exit code: 0 if every answer is right, 1 if one is not, 2 if the program could not be run.

Example:
  rowkey generate python examples/orders/orders.toml --out generated --conform
  rowkey conform examples/orders/orders.toml -- python3 generated/conform.py")]
pub(crate) struct Conform {
    /// A key, a table file, or the name of a table that rowkey made
    pub(crate) key: String,

    /// How many records are drawn; their keys are decoded, too, as they are and damaged
    #[arg(long, default_value_t = 1000, value_name = "N")]
    pub(crate) records: usize,

    /// Other records
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub(crate) seed: u64,

    /// The program and its arguments, behind `--`
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

//! Arguments of `rowkey export`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::reading::{Packing, quoted};
use super::{OfTable, QueryArguments};

/// Write the rows of a table or a query to a CSV, JSON Lines or Parquet file, or to a file for each region
#[derive(Debug, Args)]
#[command(after_help = "\
`load` reads what was exported, with the same values. A file is there whole or not at all. With --per-region a folder gets a file for
each region, several at a time; after a crash or Ctrl-C the same command goes on with those that are missing. It is no snapshot:
rows that are written meanwhile are in it or not.

Example:
  rowkey export orders --out copy.parquet
  rowkey export orders \"user_id = 7 order by ts desc\" --out seven.csv.gz --columns ts,amount
  rowkey export orders --out parts --per-region --format parquet
  rowkey export orders 'user_id in (7, 8)' --out - --format jsonl")]
pub(crate) struct Export {
    #[command(flatten)]
    pub(crate) of: OfTable,

    #[command(flatten)]
    pub(crate) asked: QueryArguments,

    /// The file to write, - for standard output, or with --per-region a folder
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,

    /// The format; otherwise by the ending of FILE
    #[arg(long)]
    pub(crate) format: Option<OutputFormat>,

    /// How CSV and JSON Lines are packed; otherwise by the ending of FILE
    #[arg(long, value_name = "HOW")]
    pub(crate) pack: Option<Packing>,

    /// Write only these fields, in this order
    #[arg(long, value_name = "FIELD", value_delimiter = ',')]
    pub(crate) columns: Vec<String>,

    /// Write a file for each region into the folder FILE: part-00000, part-00001, … in the order of keys
    #[arg(long)]
    pub(crate) per_region: bool,

    /// Leave out rows that the table file does not describe, and count them
    #[arg(long)]
    pub(crate) skip_undecodable: bool,

    /// Write nulls and empty texts both as empty cells of CSV, also where `load` takes one for the other
    #[arg(long)]
    pub(crate) empty_cells: bool,

    /// Replace a file that is there; with --per-region, begin the export in the folder anew
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// Comma-separated values, the names in the first line
    Csv,
    /// One JSON object per line
    Jsonl,
    /// Columns, packed with Snappy
    Parquet,
}

impl Export {
    /// The command, to be given again.
    pub(crate) fn words(&self, store: &str) -> String {
        let Self { of, asked, out, columns, .. } = self;
        let mut words = format!("rowkey --store {} export {}", quoted(store), quoted(&of.table));
        let mut add = |option: &str, value: Option<&str>| {
            words.push_str(&format!(
                " {option}{}",
                value.map_or(String::new(), |value| format!(" {}", quoted(value)))
            ));
        };
        if !asked.query.is_empty() {
            add(&quoted(&asked.query), None);
        }
        add("--out", Some(&out.display().to_string()));
        if let Some(file) = &of.file {
            add("--file", Some(&file.display().to_string()));
        }
        asked.parameters.iter().for_each(|value| add("--param", Some(value)));
        let name =
            |value: Option<clap::builder::PossibleValue>| value.map(|value| value.get_name().to_owned());
        if let Some(format) = self.format.and_then(|format| name(format.to_possible_value())) {
            add("--format", Some(&format));
        }
        if let Some(pack) = self.pack.and_then(|pack| name(pack.to_possible_value())) {
            add("--pack", Some(&pack));
        }
        if !columns.is_empty() {
            add("--columns", Some(&columns.join(",")));
        }
        let flags = [
            (asked.full_scan, "--full-scan"),
            (asked.sort, "--sort"),
            (self.per_region, "--per-region"),
            (self.skip_undecodable, "--skip-undecodable"),
            (self.empty_cells, "--empty-cells"),
        ];
        flags.into_iter().filter(|(given, _)| *given).for_each(|(_, flag)| add(flag, None));
        words
    }
}

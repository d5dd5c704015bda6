//! Arguments of `rowkey size`.

use std::path::PathBuf;

use clap::Args;

use super::Reading;

/// How large a table becomes: cells, rows, indexes, regions, servers, and what long names cost
#[derive(Debug, Args)]
#[command(after_help = "\
Lengths come from the types (texts have ten bytes) or, with --data, from records. The rule for servers is Lars Hofhansl's:
disk / heap = region size / memstore x replication x memstore fraction. KB, MB, GB are powers of 1024.

Example:
  rowkey size examples/orders/orders.toml --rows 1G
  rowkey size orders.toml --rows 500M --rate 20000 --data orders.csv
  rowkey size orders.toml --rows 1G --region-size 10GB --heap 16GB --compression 3")]
pub(crate) struct Size {
    /// The table file
    pub(crate) file: PathBuf,

    /// How many rows; k, M and G stand for thousands, millions and billions
    #[arg(long, value_name = "N", value_parser = count)]
    pub(crate) rows: u64,

    /// Rows written in a second
    #[arg(long, value_name = "R", value_parser = count)]
    pub(crate) rate: Option<u64>,

    /// Records to measure lengths on: a CSV, JSON or Parquet file, or - (standard input); may be repeated
    #[arg(long, value_name = "DATA")]
    pub(crate) data: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) reading: Reading,

    /// How many versions of a cell are kept, on average
    #[arg(long, value_name = "N", default_value_t = 1.0, value_parser = positive)]
    pub(crate) versions: f64,

    /// How many times smaller files are than their cells, by compression and encoding
    #[arg(long, value_name = "TIMES", default_value_t = 1.0, value_parser = positive)]
    pub(crate) compression: f64,

    /// How many copies the file system keeps
    #[arg(long, value_name = "N", default_value_t = 3.0, value_parser = positive)]
    pub(crate) replication: f64,

    /// The size to which a region grows
    #[arg(long, value_name = "SIZE", default_value = "20GB", value_parser = bytes)]
    pub(crate) region_size: f64,

    /// What a region keeps in memory before it is flushed
    #[arg(long, value_name = "SIZE", default_value = "128MB", value_parser = bytes)]
    pub(crate) memstore: f64,

    /// The part of the heap that memstores may have
    #[arg(long, value_name = "PART", default_value_t = 0.4, value_parser = positive)]
    pub(crate) memstore_fraction: f64,

    /// The heap of a region server
    #[arg(long, value_name = "SIZE", default_value = "32GB", value_parser = bytes)]
    pub(crate) heap: f64,
}

/// `1000`, `1_000`, `20k`, `500M`, `1G`
fn count(text: &str) -> Result<u64, String> {
    let wrong =
        || format!("`{text}` is no count; write a whole number above 0, such as 250000, 20k, 500M or 1G");
    let plain = text.replace(['_', ','], "");
    let (digits, times) = match plain.strip_suffix(['k', 'K', 'M', 'G']) {
        None => (plain.as_str(), 1),
        Some(digits) => (
            digits,
            if plain.ends_with(['k', 'K']) {
                1_000
            } else if plain.ends_with('M') {
                1_000_000
            } else {
                1_000_000_000
            },
        ),
    };
    let number: u64 = digits.parse().map_err(|_| wrong())?;
    number.checked_mul(times).filter(|number| *number > 0).ok_or_else(wrong)
}

/// `64KB`, `128MB`, `20GB`
pub(super) fn bytes(text: &str) -> Result<f64, String> {
    const UNITS: [(&str, f64); 4] =
        [("KB", 1024.0), ("MB", 1_048_576.0), ("GB", 1_073_741_824.0), ("TB", 1_099_511_627_776.0)];
    let found = UNITS.iter().find_map(|(unit, times)| Some((text.strip_suffix(unit)?.trim(), times)));
    let number = found.and_then(|(number, times)| Some(number.parse::<f64>().ok()? * times));
    number
        .filter(|bytes| bytes.is_finite() && *bytes >= 1.0)
        .ok_or_else(|| format!("`{text}` is no size; write a number and a unit, such as 128MB or 20GB"))
}

fn positive(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| format!("`{text}` is no number above 0"))
}

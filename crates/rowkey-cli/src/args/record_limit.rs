//! The longest record that a data file may have.

use clap::Args;
use rowkey_ops::input::Source;

/// A bound for one record, so that a quote that is never closed does not take all of the data for one.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct RecordLimit {
    /// The longest record of CSV or line of JSON Lines; a longer one ends the reading
    #[arg(long, value_name = "SIZE", default_value = USUAL, value_parser = size)]
    max_record: usize,
}

const USUAL: &str = "16MB";

impl RecordLimit {
    /// The option, to be given again; nothing if it is the usual.
    pub(super) fn words(self) -> String {
        if size(USUAL) == Ok(self.max_record) {
            return String::new();
        }
        #[expect(clippy::cast_precision_loss, reason = "a record is shorter than 2^53 bytes")]
        let kilobytes = self.max_record as f64 / 1024.0;
        format!(" --max-record {kilobytes}KB")
    }

    pub(crate) fn bytes(self) -> usize {
        self.max_record
    }

    pub(crate) fn of(self, source: Source) -> Source {
        source.max_record(self.max_record)
    }
}

/// `64KB`, `16MB`, `1GB`
fn size(text: &str) -> Result<usize, String> {
    let bytes = super::size::bytes(text)?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "at least 1, and saturated above"
    )]
    Ok(bytes as usize)
}

//! How far is a long work?

use std::cell::Cell;
use std::path::Path;

use indicatif::{ProgressBar, ProgressStyle};
use rowkey_ops::input::Position;

use super::counted_rows;

/// Progress through a file, on standard error, if that is a terminal.
pub(crate) struct Bar {
    bar: ProgressBar,
    rows: Cell<u64>,
}

impl Bar {
    /// A bar as long as the file; one that cannot be measured, as standard input, shows no share.
    pub(crate) fn new(file: &Path) -> Self {
        let length = std::fs::metadata(file).map_or(0, |file| file.len());
        let bar = ProgressBar::new(length);
        let style = "{elapsed_precise} {bar:30} {percent:>3}% {binary_bytes_per_sec}, {eta} left  {msg}";
        bar.set_style(ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self { bar, rows: Cell::new(0) }
    }

    /// Moves to a position.
    pub(crate) fn show(&self, at: Position) {
        self.bar.set_position(at.byte);
        if at.rows > 0 {
            self.bar.set_message(counted_rows(at.rows));
            self.rows.set(at.rows);
        }
    }

    /// Takes the bar away.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }

    /// Rows before the position shown last.
    pub(crate) fn rows(&self) -> u64 {
        self.rows.get()
    }
}

//! Progress bars of long work.

use std::cell::Cell;
use std::path::Path;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use rowkey_core::visible::visible;
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
        Self::of(std::fs::metadata(file).ok().map(|file| file.len()))
    }

    /// A bar for so many bytes; without a percentage if the total is unknown.
    pub(crate) fn of(bytes: Option<u64>) -> Self {
        let length = bytes.unwrap_or(0);
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

/// Work whose end is not known: what it is, how long it takes, and how far it is.
pub(crate) struct Spinner {
    bar: ProgressBar,
    what: &'static str,
}

impl Spinner {
    pub(crate) fn new(what: &'static str) -> Self {
        let bar = ProgressBar::new_spinner();
        let style = ProgressStyle::with_template("{elapsed_precise} {spinner} {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        bar.set_message(what);
        if !bar.is_hidden() {
            // The bar's own ticker panics where no thread can be had; without one it only moves when it is told something.
            let ticked = bar.clone();
            let tick = move || {
                while !ticked.is_finished() {
                    ticked.tick();
                    std::thread::sleep(Duration::from_millis(100));
                }
            };
            drop(std::thread::Builder::new().name("spinner".to_owned()).spawn(tick));
        }
        Self { bar, what }
    }

    /// So many rows are done.
    pub(crate) fn show(&self, rows: u64) {
        self.bar.set_message(format!("{}: {}", self.what, counted_rows(rows)));
    }

    /// This far.
    pub(crate) fn tell(&self, text: &str) {
        self.bar.set_message(format!("{}: {}", self.what, visible(text)));
    }

    /// Takes it away.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        self.clear();
    }
}

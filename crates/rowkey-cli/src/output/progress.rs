//! Progress bars of long work.

use std::cell::Cell;
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
    /// A bar for so many bytes; without a percentage if the total is unknown.
    fn of(bytes: Option<u64>) -> Self {
        Self::styled(bytes.map_or_else(ProgressBar::no_length, ProgressBar::new))
    }

    /// Does work on so many bytes beside a bar, which is away before anything is said about the work.
    pub(crate) fn during<T>(bytes: Option<u64>, work: impl FnOnce(&Self) -> T) -> T {
        let bar = Self::of(bytes);
        let done = work(&bar);
        bar.bar.finish_and_clear();
        done
    }

    /// The same for work that tells how far it is.
    pub(crate) fn watching<T>(bytes: Option<u64>, work: impl FnOnce(&mut dyn FnMut(Position)) -> T) -> T {
        Self::during(bytes, |bar| work(&mut |at| bar.show(at)))
    }

    fn styled(bar: ProgressBar) -> Self {
        let style = match bar.length() {
            Some(_) => "{elapsed_precise} {bar:30} {percent:>3}% {binary_bytes_per_sec}, {eta} left  {msg}",
            None => "{elapsed_precise} {spinner} {binary_bytes}, {binary_bytes_per_sec}  {msg}",
        };
        bar.set_style(ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self { bar, rows: Cell::new(0) }
    }

    /// Moves to a position that an earlier run reached: the time left is told by what comes after it.
    pub(crate) fn begin_at(&self, at: Position) {
        self.show(at);
        // The estimate takes the distance from the position that it saw last; moving alone may not let it see this one.
        self.bar.tick();
        self.bar.reset_eta();
    }

    /// Moves to a position.
    pub(crate) fn show(&self, at: Position) {
        self.bar.set_position(at.byte);
        if at.rows > 0 {
            self.bar.set_message(counted_rows(at.rows));
            self.rows.set(at.rows);
        }
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

    /// Does work beside it, which is away before anything is said about the work.
    pub(crate) fn during<T>(what: &'static str, work: impl FnOnce(&Self) -> T) -> T {
        work(&Self::new(what))
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

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex};

    use indicatif::{ProgressDrawTarget, TermLike};

    use super::*;

    /// All that was ever written to a terminal.
    #[derive(Debug, Clone, Default)]
    struct Written(Arc<Mutex<String>>);

    impl Written {
        fn text(&self) -> String {
            self.0.lock().unwrap().clone()
        }
    }

    impl TermLike for Written {
        fn width(&self) -> u16 {
            120
        }

        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn write_line(&self, text: &str) -> io::Result<()> {
            self.write_str(text)
        }

        fn write_str(&self, text: &str) -> io::Result<()> {
            self.0.lock().unwrap().push_str(text);
            Ok(())
        }

        fn clear_line(&self) -> io::Result<()> {
            Ok(())
        }

        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    /// A bar, and the terminal that it is on.
    fn bar(bytes: Option<u64>) -> (Bar, Written) {
        let screen = Written::default();
        let target = ProgressDrawTarget::term_like(Box::new(screen.clone()));
        (Bar::styled(ProgressBar::with_draw_target(bytes, target)), screen)
    }

    fn at(byte: u64, rows: u64) -> Position {
        Position { byte, rows, ..Position::default() }
    }

    #[test]
    fn a_position_that_was_reached_before_is_no_speed() {
        let (bar, _) = bar(Some(2_000_000_000));
        // More often than the bar draws: it must see each of them all the same.
        for file in 1..=1000 {
            bar.begin_at(at(file * 1_000_000, file));
        }
        std::thread::sleep(Duration::from_millis(2));
        bar.show(at(1_000_001_000, 1001));
        bar.bar.tick();
        let speed = bar.bar.per_sec();
        // Two milliseconds or more for a thousand bytes.
        assert!(speed > 0.0 && speed <= 1_000_000.0, "{speed}");
        assert!(bar.bar.eta() >= Duration::from_secs(900), "{:?}", bar.bar.eta());
        assert_eq!(bar.rows(), 1001);
    }

    #[test]
    fn a_bar_without_an_end_shows_no_share_and_no_time_left() {
        let (unknown, screen) = bar(None);
        unknown.show(at(3 << 20, 5000));
        unknown.bar.tick();
        let shown = screen.text();
        assert!(shown.contains("3.00 MiB") && shown.contains("5,000 rows"), "{shown}");
        assert!(!shown.contains('%') && !shown.contains("left"), "{shown}");
        let (known, screen) = bar(Some(6 << 20));
        known.show(at(3 << 20, 5000));
        known.bar.tick();
        let shown = screen.text();
        assert!(shown.contains("50%") && shown.contains("left"), "{shown}");
    }
}

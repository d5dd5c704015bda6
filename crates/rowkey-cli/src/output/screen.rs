//! The two streams of the program, and the only place that writes to them.
//!
//! **Law** (`tests/hostile_data.rs`): no byte from data, files or servers reaches a terminal or standard error unescaped. Commands
//! print through [`super::Output`], which ends here; they have no way around it. Text that has colours of our own is
//! [`Painted`], which only this module's neighbours make, from text that went through [`visible`](rowkey_core::visible) before.
//! What goes to a pipe or a file is data for programs and stays exact.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::borrow::Cow;
use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
use std::panic::PanicHookInfo;

use rowkey_core::escape::escape;
use rowkey_core::visible::visible_lines;

/// Text with style codes of our own.
pub(crate) struct Painted(pub(super) String);

/// Standard output.
pub(crate) struct Screen {
    out: BufWriter<Stdout>,
    /// How hidden characters are shown; `None` where no terminal is.
    shown: Option<fn(&str) -> Cow<'_, str>>,
    /// The beginning of a character whose other bytes have not come yet.
    begun: Vec<u8>,
}

impl Screen {
    /// Standard output; on a terminal hidden characters are shown so.
    pub(super) fn new(shown: fn(&str) -> Cow<'_, str>) -> Self {
        let out = BufWriter::with_capacity(1 << 16, io::stdout());
        Self { out, shown: is_terminal().then_some(shown), begun: Vec::new() }
    }

    pub(super) fn painted(&mut self, text: &Painted) -> io::Result<()> {
        self.out.write_all(text.0.as_bytes())
    }
}

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(shown) = self.shown else { return self.out.write(bytes) };
        let mut all = std::mem::take(&mut self.begun);
        all.extend_from_slice(bytes);
        let mut rest = all.as_slice();
        for chunk in all.utf8_chunks() {
            self.out.write_all(shown(chunk.valid()).as_bytes())?;
            rest = rest.get(chunk.valid().len()..).unwrap_or_default();
            let is_cut = chunk.invalid().len() == rest.len()
                && std::str::from_utf8(rest).is_err_and(|error| error.error_len().is_none());
            if is_cut {
                self.begun = rest.to_vec();
                break;
            }
            write!(self.out, "{}", escape(chunk.invalid()))?;
            rest = rest.get(chunk.invalid().len()..).unwrap_or_default();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let begun = std::mem::take(&mut self.begun);
        write!(self.out, "{}", escape(&begun))?;
        self.out.flush()
    }
}

/// Whether a person reads the answers.
pub(crate) fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Whether a person reads errors and notes.
pub(super) fn errors_are_on_a_terminal() -> bool {
    io::stderr().is_terminal()
}

/// Text to standard error, as it stands, on a terminal or not: logs are read on terminals, too.
pub(crate) fn tell(text: &str) {
    // Where even standard error is closed, nothing more can be told.
    let _ = io::stderr().write_all(visible_lines(text).as_bytes());
}

/// Whether `--redact` is given, asked before the arguments are understood, or when nothing can be asked any more.
pub(crate) fn is_redacted() -> bool {
    std::env::args_os().any(|argument| argument == "--redact")
}

/// A fault of the program itself, whose message may hold data.
pub(crate) fn tell_panic(fault: &PanicHookInfo<'_>) {
    let fault = match fault.location() {
        Some(place) if is_redacted() => format!("panicked at {place}"),
        _ if is_redacted() => "panicked".to_owned(),
        _ => fault.to_string(),
    };
    let trace = Backtrace::capture();
    let trace =
        if trace.status() == BacktraceStatus::Captured { format!("{trace}\n") } else { String::new() };
    tell(&format!("rowkey: {fault}\n{trace}this is a fault of rowkey itself; please report it\n"));
}

pub(super) fn tell_painted(text: &Painted) {
    let _ = io::stderr().write_all(text.0.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_cut_between_two_writes_stays_whole() {
        let mut screen = Screen::new(visible_lines);
        screen.shown = Some(visible_lines);
        let written = |screen: &Screen| String::from_utf8_lossy(screen.out.buffer()).into_owned();
        for byte in "Łó\u{202e}\u{1b}".bytes() {
            screen.write_all(&[byte]).expect("it is buffered");
        }
        assert_eq!(written(&screen), r"Łó\xE2\x80\xAE\x1B");
        screen.write_all(b"\xff\xe2\x80").expect("it is buffered");
        assert_eq!(written(&screen), r"Łó\xE2\x80\xAE\x1B\xFF");
        screen.write_all(b"a\xe2").expect("it is buffered");
        assert_eq!(written(&screen), r"Łó\xE2\x80\xAE\x1B\xFF\xE2\x80a");
        // Nothing of this is for the test's own output.
        let written = std::mem::replace(&mut screen.out, BufWriter::new(io::stdout()));
        let _ = written.into_parts();
        std::mem::take(&mut screen.begun);
    }
}

//! Records the queries that a program runs, for `rowkey advise --query-log`.
//!
//! One query per line with its values and its table, as `user_id = 7 limit 20 -- orders`. Several processes may append to one file: each line
//! is one write. A recording has an end: past [`MAX_BYTES`] nothing is added, and its last line says so. A process adds at most
//! [`MAX_PER_SECOND`] queries a second, and says how many it left out. Only a file that begins as a recording is appended to.
//!
//! **Law** (`crates/rowkey-cli/tests/recording.rs`): a recording of queries that were run is, for `advise`, the log of these queries.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rowkey_core::disclosure::Disclosure;
use rowkey_core::key::Fields;
use rowkey_core::query::Query;

use crate::output_file::{self, Existing, Links, OutputError, Readers, open_regular};

/// No recording becomes longer.
pub const MAX_BYTES: u64 = 10_000_000;
/// So many queries a second are recorded by one process.
pub const MAX_PER_SECOND: u32 = 50;
/// The first line of every recording.
const BEGIN: &str = "# rowkey recording 1: queries that were run, for `rowkey advise --query-log`\n";
/// The last line of one that is full.
const END: &str = "# rowkey recording ended: it is as long as a recording may be\n";

/// The time since a moment that stays the same, such as the start of the program.
pub type Clock = Box<dyn Fn() -> Duration + Send + Sync>;

/// A file that queries are added to.
pub struct Recording {
    path: PathBuf,
    shown: Disclosure,
    clock: Clock,
    max_bytes: u64,
    state: Mutex<State>,
}

struct State {
    file: File,
    ended: bool,
    second: u64,
    /// Queries of that second that were recorded.
    taken: u32,
    left_out: u64,
}

impl Recording {
    /// Begins a recording, or goes on with one. With values hidden, `?` stands for them.
    ///
    /// # Errors
    /// When the file is not a recording, or cannot be written.
    pub fn open(path: &Path, shown: Disclosure, clock: Clock) -> Result<Self, OutputError> {
        Self::with_limit(path, shown, clock, MAX_BYTES)
    }

    fn with_limit(path: &Path, shown: Disclosure, clock: Clock, max_bytes: u64) -> Result<Self, OutputError> {
        let begun = output_file::write_for(Readers::Owner, path, Existing::Refuse, &[], |out| {
            out.write_all(BEGIN.as_bytes())
        });
        match begun {
            Ok(()) | Err(OutputError::Exists { .. }) => {}
            Err(error) => return Err(error),
        }
        output_file::check(path, Existing::Own(|head| head.starts_with(BEGIN.as_bytes())), &[])?;
        let opened = open_regular(path, Links::Refused, OpenOptions::new().read(true).append(true));
        let file = opened.map_err(|source| OutputError::Write { path: path.to_owned(), source })?;
        let state = State { file, ended: false, second: 0, taken: 0, left_out: 0 };
        Ok(Self { path: path.to_owned(), shown, clock, max_bytes, state: Mutex::new(state) })
    }

    /// Adds a query over these fields of a table; `false` if it is left out: there were too many this second, the recording has ended, or the
    /// query asks for every row and so says nothing.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn add(&self, table: &str, query: &Query, fields: &Fields) -> Result<bool, OutputError> {
        let Some(text) = line(query, fields, self.shown) else { return Ok(false) };
        let second = (self.clock)().as_secs();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let added = state.add(&format!("{text} -- {table}\n"), second, self.max_bytes);
        added.map_err(|source| OutputError::Write { path: self.path.clone(), source })
    }
}

impl State {
    fn add(&mut self, line: &str, second: u64, max_bytes: u64) -> io::Result<bool> {
        if self.ended {
            return Ok(false);
        }
        if second != self.second {
            (self.second, self.taken) = (second, 0);
        }
        if self.taken >= MAX_PER_SECOND {
            self.left_out += 1;
            return Ok(false);
        }
        let mut text = String::new();
        if self.left_out > 0 {
            text = format!("# left out: {} more than {MAX_PER_SECOND} a second\n", self.left_out);
        }
        text.push_str(line);
        let length = self.file.metadata()?.len();
        // By another process, perhaps.
        self.ended = self.has_ended(length)?;
        if !self.ended && length + (text.len() + END.len()) as u64 > max_bytes {
            self.file.write_all(END.as_bytes())?;
            self.ended = true;
        }
        if self.ended {
            return Ok(false);
        }
        // One call, so that lines of other processes come before or behind it.
        self.file.write_all(text.as_bytes())?;
        (self.taken, self.left_out) = (self.taken + 1, 0);
        Ok(true)
    }

    /// Whether the last line says that the recording has ended.
    fn has_ended(&mut self, length: u64) -> io::Result<bool> {
        let mut last = Vec::new();
        self.file.seek(SeekFrom::Start(length.saturating_sub(END.len() as u64)))?;
        (&self.file).take(END.len() as u64).read_to_end(&mut last)?;
        Ok(last == END.as_bytes())
    }
}

/// The query in one line: with `?` where values must be hidden or would break the line; `None` if there is nothing to say.
fn line(query: &Query, fields: &Fields, shown: Disclosure) -> Option<String> {
    let is_line = |text: &String| !text.is_empty() && !text.contains(['\n', '\r']);
    let whole = (!shown.hides()).then(|| query.to_sql(fields));
    whole.filter(is_line).or_else(|| {
        let (text, _) = query.to_parameters(fields);
        // A pattern with an escape character holds its value.
        Some(text).filter(is_line).filter(|text| !(shown.hides() && text.contains('\'')))
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use rowkey_core::KeySchema;

    fn key() -> KeySchema {
        KeySchema::parse("[user: u64][name: escaped]").unwrap()
    }

    fn add(recording: &Recording, query: &str) -> bool {
        let key = key();
        let query = Query::parse(query, key.fields()).unwrap();
        recording.add("orders", &query, key.fields()).unwrap()
    }

    fn stopped() -> Clock {
        Box::new(|| Duration::ZERO)
    }

    #[test]
    fn queries_are_lines_with_their_values_or_without() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("queries.log");
        let open = Recording::open(&path, Disclosure::Whole, stopped()).unwrap();
        assert!(add(&open, "user=7 and name = 'O''Hara -- x' limit 5"));
        assert!(add(&open, "name = 'two\nlines'"));
        assert!(!add(&open, ""));
        let hidden = Recording::open(&path, Disclosure::Lengths, stopped()).unwrap();
        assert!(add(&hidden, "user = 7 order by name limit 3"));
        assert!(!add(&hidden, "name like 'secret!_%' escape '!'"));
        let lines = "user = 7 and name = 'O''Hara -- x' limit 5 -- orders\nname = ? -- orders\n\
                     user = ? order by name limit 3 -- orders\n";
        assert_eq!(std::fs::read_to_string(&path).unwrap(), format!("{BEGIN}{lines}"));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn so_many_a_second_and_no_more() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("queries.log");
        let time = Arc::new(AtomicU64::new(0));
        let clock = Arc::clone(&time);
        let clock: Clock = Box::new(move || Duration::from_millis(clock.load(Ordering::Relaxed)));
        let recording = Recording::open(&path, Disclosure::Whole, clock).unwrap();
        let added = |recording: &Recording| (0..70).filter(|_| add(recording, "user = 7")).count();
        assert_eq!(added(&recording), 50);
        time.store(999, Ordering::Relaxed);
        assert_eq!(added(&recording), 0);
        time.store(1000, Ordering::Relaxed);
        assert_eq!(added(&recording), 50);
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.matches("user = 7 -- orders\n").count(), 100);
        assert_eq!(text.matches("# left out: 90 more than 50 a second\n").count(), 1, "{text}");
    }

    /// Two that append to one file, as two processes do.
    #[test]
    fn a_full_recording_ends_once_and_stays_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("queries.log");
        let open = || Recording::with_limit(&path, Disclosure::Whole, stopped(), 400).unwrap();
        let (one, other) = (open(), open());
        let added = (0..40).filter(|nth| add(if nth % 2 == 0 { &one } else { &other }, "user = 7")).count();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.len() <= 400 && text.ends_with(END), "{text}");
        assert_eq!(text.matches(END).count(), 1);
        assert_eq!(text.matches("user = 7 -- orders\n").count(), added);
        assert!(added > 5, "{text}");
        assert!(!add(&open(), "user = 8"));
        let later = Recording::open(&path, Disclosure::Whole, stopped()).unwrap();
        assert!(!add(&later, "user = 8"), "what has ended stays ended, whatever the limit");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }

    #[test]
    fn a_file_of_somebody_else_is_not_added_to() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.txt");
        std::fs::write(&path, "user = 7\n").unwrap();
        let refused = Recording::open(&path, Disclosure::Whole, stopped());
        assert!(matches!(refused, Err(OutputError::Exists { .. })));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "user = 7\n");
        let refused = Recording::open(folder.path(), Disclosure::Whole, stopped());
        assert!(matches!(refused, Err(OutputError::NotAFile { .. })));
    }
}

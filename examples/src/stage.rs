//! What does a story run on?
//!
//! A temporary folder that looks like the root of this repository, with the story's table files under `examples/`, so that every
//! command on a page is one that a reader can type. The store is a folder beside them, or a cluster; there, tables get a suffix that
//! no other run has, which is left out of everything that is shown.
//!
//! A stage keeps three things: the transcript (commands, answers and claims, the same in every run of a scale), the figures, and
//! the tables to drop in the end.

use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::{fmt, thread, time};

use rowkey_embedded::EmbeddedStore;
use rowkey_hbase::HBaseStore;
use rowkey_store::{Store, StoreError, TableName};
use serde_json::Value;
use tempfile::TempDir;

use crate::figure::Kind;
use crate::program::{self, Answer};
use crate::reads::Reads;
use crate::spread::Spread;
use crate::{Figure, StoryError, Told, table_file};

/// How much data a story makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// As in the tests and on the pages: a second or two.
    Small,
    /// As much as it takes for rates to mean something.
    Full,
}

/// Where stories run.
#[derive(Debug, Clone)]
pub struct Setting {
    /// The program `rowkey`.
    pub program: PathBuf,
    /// The URL of a cluster; without one, a folder of the story's own.
    pub cluster: Option<String>,
    /// How much data.
    pub scale: Scale,
}

/// The folder of the embedded store: the program's default, so that no command needs `--store`.
const EMBEDDED: &str = "./rowkey-data";

/// What a story runs on.
pub struct Stage {
    lesson: &'static str,
    setting: Setting,
    folder: TempDir,
    suffix: String,
    tables: Vec<String>,
    transcript: String,
    figures: Vec<Figure>,
    voice: Box<dyn FnMut(&str)>,
}

impl Stage {
    /// An empty stage for a lesson; everything that happens on it is told to `voice`, line by line.
    pub(crate) fn new(lesson: &'static str, setting: &Setting, voice: Box<dyn FnMut(&str)>) -> Told<Self> {
        static RUNS: AtomicU32 = AtomicU32::new(0);
        let folder = match setting.scale {
            Scale::Small => rowkey_testing::folder::without_waiting(),
            // Rates on a disk are those of a disk.
            Scale::Full => {
                tempfile::tempdir().map_err(|source| cannot_write(&std::env::temp_dir(), source))?
            }
        };
        let suffix = match setting.cluster {
            None => String::new(),
            Some(_) => format!("_s{}x{}", std::process::id(), RUNS.fetch_add(1, Ordering::Relaxed)),
        };
        let (setting, transcript) = (setting.clone(), String::new());
        Ok(Self {
            lesson,
            setting,
            folder,
            suffix,
            tables: Vec::new(),
            transcript,
            figures: Vec::new(),
            voice,
        })
    }

    /// Whether the store is a real HBase.
    pub fn on_hbase(&self) -> bool {
        self.setting.cluster.is_some()
    }

    /// How many, by scale.
    pub fn scaled(&self, small: u64, full: u64) -> u64 {
        match self.setting.scale {
            Scale::Small => small,
            Scale::Full => full,
        }
    }

    /// A table's name in this run; it is dropped when the story ends.
    pub fn table(&mut self, name: &str) -> String {
        let whole = format!("{name}{}", self.suffix);
        if !self.tables.contains(&whole) {
            self.tables.push(whole.clone());
        }
        whole
    }

    /// Writes a table file of the lesson, `file_name` and its text, and gives its path and the table's name in this run.
    ///
    /// # Errors
    /// The folder cannot be written, or the file names no table.
    pub fn table_file(&mut self, file_name: &str, text: &str) -> Told<(String, String)> {
        let path = format!("examples/{}/{file_name}", self.lesson);
        let (names, text) = table_file::renamed(text, &self.suffix);
        let name = names.first().cloned().ok_or_else(|| StoryError::Nameless { path: path.clone() })?;
        self.tables.extend(names);
        self.write(&path, &text)?;
        Ok((path, name))
    }

    /// Writes a file into the folder.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&mut self, path: &str, text: &str) -> Told {
        let whole = self.folder.path().join(path);
        let written =
            whole.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&whole, text));
        written.map_err(|source| cannot_write(&whole, source))
    }

    /// Writes records as CSV: the names of the fields, then a line for each.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write_csv(&mut self, path: &str, header: &str, lines: impl IntoIterator<Item = String>) -> Told {
        let mut text = format!("{header}\n");
        for line in lines {
            text.push_str(&line);
            text.push('\n');
        }
        self.write(path, &text)
    }

    /// Runs the program; its command is shown, its answer is not. Exit code 1, a negative answer, is an answer.
    ///
    /// # Errors
    /// It cannot be started, or ends with an error.
    pub fn rowkey(&mut self, arguments: &[&str]) -> Told<Answer> {
        let answer = self.run(arguments)?.expect(&[0, 1], "0 or 1")?;
        self.show_command(&answer);
        Ok(answer)
    }

    /// Runs the program and shows what it answers, on standard output or, if there is nothing, on standard error. Only for
    /// answers that are the same in every run.
    ///
    /// # Errors
    /// As [`Stage::rowkey`].
    pub fn show(&mut self, arguments: &[&str]) -> Told<Answer> {
        let answer = self.rowkey(arguments)?;
        self.show_lines(if answer.out.is_empty() { &answer.err } else { &answer.out });
        Ok(answer)
    }

    /// Runs the program and shows the error that it must end with.
    ///
    /// # Errors
    /// It cannot be started, or ends without an error.
    pub fn fails(&mut self, arguments: &[&str]) -> Told<Answer> {
        let answer = self.run(arguments)?.expect(&[2], "2, an error,")?;
        self.show_command(&answer);
        self.show_lines(&answer.err);
        Ok(answer)
    }

    /// Runs the program with `--json` and gives the objects that it prints.
    ///
    /// # Errors
    /// As [`Stage::rowkey`], or a line is no JSON.
    pub fn json(&mut self, arguments: &[&str]) -> Told<Vec<Value>> {
        let arguments: Vec<&str> = ["--json"].into_iter().chain(arguments.iter().copied()).collect();
        self.rowkey(&arguments)?.json()
    }

    /// Runs statements of HBase's shell, `;` or a line end between them, and shows and gives what they print, without times.
    /// Cells that are shown need a time of their own.
    ///
    /// # Errors
    /// As [`Stage::rowkey`].
    pub fn shell(&mut self, statements: &str) -> Told<String> {
        let answer = self.rowkey(&["shell", "-e", statements])?;
        let timeless: Vec<&str> = answer.out.lines().filter(|line| !line.starts_with("Took ")).collect();
        let shown = timeless.join("\n");
        self.show_lines(&shown);
        Ok(shown)
    }

    /// The store itself, for what the program has no command for. One process owns a folder: drop it before the next command.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn store(&self) -> Told<Box<dyn Store>> {
        match &self.setting.cluster {
            Some(url) => Ok(Box::new(HBaseStore::connect(url)?)),
            None => {
                let folder = self.folder.path().join(EMBEDDED);
                Ok(Box::new(EmbeddedStore::open(&folder, rowkey_embedded::Options::default())?))
            }
        }
    }

    /// The number of rows that a condition finds; all of them if it is empty.
    ///
    /// # Errors
    /// As [`Stage::rowkey`], or the answer is no number.
    pub fn count(&mut self, table: &str, condition: &str) -> Told<u64> {
        let arguments = ["count", table, condition];
        let given = if condition.is_empty() { 2 } else { 3 };
        let answer = self.rowkey(arguments.get(..given).unwrap_or(&arguments))?;
        answer.out.trim().parse().map_err(|_| answer.lacks(&answer.out, "a number"))
    }

    /// The rules that `rowkey check` reports, for a key or file and what else is given.
    ///
    /// # Errors
    /// As [`Stage::json`].
    pub fn rules(&mut self, arguments: &[&str]) -> Told<Vec<String>> {
        let arguments: Vec<&str> = ["check"].into_iter().chain(arguments.iter().copied()).collect();
        let issues = self.json(&arguments)?;
        Ok(issues.iter().filter_map(|issue| issue["rule"].as_str()).map(str::to_owned).collect())
    }

    /// The records that a `query`, `scan` or `get` prints.
    ///
    /// # Errors
    /// As [`Stage::json`].
    pub fn records(&mut self, arguments: &[&str]) -> Told<Vec<Value>> {
        let answers = self.json(arguments)?;
        Ok(answers.into_iter().map(|mut answer| answer["record"].take()).collect())
    }

    /// What a query of a table reads, by `rowkey explain --analyze`.
    ///
    /// # Errors
    /// As [`Stage::rowkey`], or the answer lacks the figures.
    pub fn reads(&mut self, arguments: &[&str]) -> Told<Reads> {
        let arguments: Vec<&str> =
            ["--json", "explain"].into_iter().chain(arguments.iter().copied()).chain(["--analyze"]).collect();
        let answer = self.rowkey(&arguments)?;
        let explained = answer.json()?;
        let plan = explained.first().map(|answer| &answer["plan"]);
        plan.and_then(Reads::of).ok_or_else(|| answer.lacks(&answer.out, "rows returned and read"))
    }

    /// How many of `written` writes went to each region, by the store's own counters, in the order of the keys.
    ///
    /// # Errors
    /// As [`Stage::rowkey`], or the counters do not add up to `written`.
    pub fn writes_by_region(&mut self, table: &str, written: u64) -> Told<Spread> {
        const TRIES: u32 = 300;
        let arguments = ["--json", "regions", table];
        for attempt in 0.. {
            let answer = self.run(&arguments)?.expect(&[0], "0")?;
            let writes: Vec<u64> =
                answer.json()?.iter().map(|region| region["writes"].as_u64().unwrap_or(0)).collect();
            let counted = writes.iter().sum();
            if counted == written {
                self.show_command(&answer);
                return Ok(Spread(writes));
            }
            // The servers of HBase report their counters a moment later.
            if attempt == TRIES || !self.on_hbase() {
                return Err(StoryError::Counters { table: table.to_owned(), counted, written });
            }
            thread::sleep(time::Duration::from_millis(100));
        }
        unreachable!("the last attempt returns")
    }

    /// What the regions of a table take on disk, by the store itself, as soon as it is within `expected`. HBase tells it in megabytes,
    /// a moment after a flush; what it tells in the end may be something else.
    ///
    /// # Errors
    /// As [`Stage::rowkey`].
    pub fn region_bytes(&mut self, table: &str, expected: RangeInclusive<u64>) -> Told<u64> {
        const TRIES: u32 = 100;
        let arguments = ["--json", "regions", table];
        for attempt in 0.. {
            let answer = self.run(&arguments)?.expect(&[0], "0")?;
            let size = answer.json()?.iter().filter_map(|region| region["size"].as_u64()).sum();
            if expected.contains(&size) || attempt == TRIES || !self.on_hbase() {
                self.show_command(&answer);
                return Ok(size);
            }
            thread::sleep(time::Duration::from_millis(100));
        }
        unreachable!("the last attempt returns")
    }

    /// Claims something that was measured: it is shown, and if it does not hold, the story fails when it ends.
    pub fn claim(&mut self, what: &str, measured: impl fmt::Display, holds: bool) {
        let kind = if holds { Kind::Holds } else { Kind::Fails };
        let figure = Figure { what: what.to_owned(), measured: measured.to_string(), kind };
        self.say(&figure.to_string());
        self.figures.push(figure);
    }

    /// Claims that what was measured is exactly this.
    pub fn claim_is<T: fmt::Display + PartialEq>(&mut self, what: &str, measured: T, expected: T) {
        let holds = measured == expected;
        let shown = if holds { measured.to_string() } else { format!("{measured} instead of {expected}") };
        self.claim(what, shown, holds);
    }

    /// A rate: printed and among the figures, not on the page, and nothing fails by it.
    pub fn rate(&mut self, what: &str, measured: impl fmt::Display) {
        let figure = Figure { what: what.to_owned(), measured: measured.to_string(), kind: Kind::Rate };
        (self.voice)(&figure.to_string());
        self.figures.push(figure);
    }

    /// A line of the transcript for the reader.
    pub fn say(&mut self, line: &str) {
        let line = self.masked(line);
        (self.voice)(&line);
        self.transcript.push_str(&line);
        self.transcript.push('\n');
    }

    /// What was shown: the same in every run of a scale on a store.
    pub fn transcript(&self) -> &str {
        &self.transcript
    }

    /// What was measured.
    pub fn figures(&self) -> &[Figure] {
        &self.figures
    }

    /// Drops the tables; and fails if a claim does not hold.
    pub(crate) fn end(&mut self) -> Told {
        if let Some(cluster) = &self.setting.cluster {
            let store = HBaseStore::connect(cluster)?;
            for table in &self.tables {
                match store.drop_table(&table.parse::<TableName>()?) {
                    // A story may drop its tables, or never make one.
                    Ok(()) | Err(StoreError::TableNotFound { .. }) => {}
                    Err(error) => return Err(error.into()),
                }
            }
        }
        let failed = self.figures.iter().filter(|figure| figure.kind == Kind::Fails);
        let claims: Vec<String> =
            failed.map(|figure| format!("{}: {}", figure.what, figure.measured)).collect();
        if claims.is_empty() { Ok(()) } else { Err(StoryError::Claims { claims }) }
    }

    /// Leaves the folder for the reader, with its files and, unless it ran on a cluster, its store.
    pub fn keep(self) -> PathBuf {
        self.folder.keep()
    }

    fn run(&self, arguments: &[&str]) -> Told<Answer> {
        let store = self.setting.cluster.as_deref().unwrap_or(EMBEDDED);
        program::run(&self.setting.program, self.folder.path(), store, arguments)
    }

    fn show_command(&mut self, answer: &Answer) {
        let note = if answer.code == 0 { String::new() } else { format!("    # exit code {}", answer.code) };
        if !self.transcript.is_empty() {
            self.say("");
        }
        self.say(&format!("$ {}{note}", answer.command));
    }

    fn show_lines(&mut self, text: &str) {
        text.lines().for_each(|line| self.say(line.trim_end()));
    }

    fn masked(&self, line: &str) -> String {
        if self.suffix.is_empty() { line.to_owned() } else { line.replace(&self.suffix, "") }
    }
}

fn cannot_write(path: &Path, source: std::io::Error) -> StoryError {
    StoryError::Write { path: path.display().to_string(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stage(cluster: Option<String>) -> Stage {
        let setting = Setting { program: "no-such-program".into(), cluster, scale: Scale::Small };
        Stage::new("lesson", &setting, Box::new(|_| {})).unwrap()
    }

    #[test]
    fn a_claim_that_does_not_hold_fails_the_story_in_the_end_with_its_figure() {
        let mut stage = stage(None);
        stage.claim("even", "25 / 75 %", false);
        stage.claim_is("rows", 7, 8);
        stage.claim_is("regions", 4, 4);
        stage.rate("rows/s", 1000);
        let error = stage.end().unwrap_err().to_string();
        assert_eq!(error, "2 claims do not hold:\n  even: 25 / 75 %\n  rows: 7 instead of 8");
        assert_eq!(
            stage.transcript(),
            "NOT SO: even: 25 / 75 %\nNOT SO: rows: 7 instead of 8\n=> regions: 4\n"
        );
        assert_eq!(stage.figures().len(), 4);
    }

    #[test]
    fn names_of_a_cluster_are_the_runs_own_and_are_shown_without_it() {
        let cluster = || Some("hbase://nowhere".to_owned());
        let (mut one, mut other) = (stage(cluster()), stage(cluster()));
        let (path, table) = one.table_file("table.toml", "[table]\nname = \"orders\"\n").unwrap();
        assert_eq!(path, "examples/lesson/table.toml");
        assert_ne!(table, other.table("orders"));
        one.say(&format!("created {table}"));
        assert_eq!(one.transcript(), "created orders\n");
        assert!(matches!(one.table_file("t.toml", "[table]\n"), Err(StoryError::Nameless { .. })));
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let error = stage(None).rowkey(&["list"]).unwrap_err().to_string();
        assert_eq!(error, "could not start no-such-program; build it with `cargo build -p rowkey-cli`");
    }
}

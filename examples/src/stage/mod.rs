//! What does a story run on?
//!
//! A temporary folder that looks like the root of this repository, with the story's table files under `examples/`, so that every
//! command on a page is one that a reader can type. The store is a folder beside them, or a cluster; there, tables get a suffix that
//! no other run has, which is left out of everything that is shown.
//!
//! A stage keeps three things: the transcript (commands, answers and claims, the same in every run of a scale), the figures, and
//! the tables to drop in the end.

mod claims;
mod commands;
mod measure;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use rowkey_embedded::EmbeddedStore;
use rowkey_hbase::HBaseStore;
use rowkey_store::{Admin, Store, StoreError, TableName};
use tempfile::TempDir;

use crate::figure::Kind;
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

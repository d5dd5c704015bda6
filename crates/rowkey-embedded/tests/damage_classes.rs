//! Is damage to the files of a store ever silent?
//!
//! Stores of four kinds are written: killed with everything in the journal, killed with tables and a journal, closed, and killed with tables
//! that were loaded in bulk, alone and together as those of an index are. Each trial takes a copy of one, flips a bit, cuts a file off or deletes one, opens it and reads every cell. Each must end in one of these ways:
//!
//! - **refused**: an error that names the file, at the opening or when the damaged part is read; with the file put right again, everything is
//!   there
//! - **torn tail**: the last batch of a killed store is damaged; it is dropped, and the report of the opening says so
//! - **between batches**: the journal of a killed store was cut exactly behind a batch, which a crash could have done as well
//! - **no effect**: every cell is there; the byte has no meaning for reads, and a full check of the store finds it, or nothing reads the file
//!
//! `ROWKEY_TEST_DAMAGE=2000 cargo test --release -p rowkey-embedded --test damage_classes -- --nocapture` is the long run.

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

mod tables;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use rowkey_core::range::KeyRange;
use rowkey_embedded::{Durability, EmbeddedStore, Options};
use rowkey_store::{Admin, Delete, LATEST_TIMESTAMP, RowBatch, RowStore, Scan, Scanner, StoreError};
use tables::{chain, create, name, scan};
use tempfile::TempDir;

const FOLDER: &str = "ROWKEY_TEST_DAMAGE_FOLDER";
const KIND: &str = "ROWKEY_TEST_DAMAGE_KIND";
const TRIALS: &str = "ROWKEY_TEST_DAMAGE";
const KINDS: [&str; 4] =
    ["killed, journal", "killed, tables and journal", "closed", "killed, loaded in bulk"];
/// A table that is loaded in bulk, and two that get their contents together.
const LOADED: [&str; 3] = ["loaded", "rows", "entries"];
/// A store that was killed when its journal had two files.
const TWO_FILES: &str = "killed, two files of the journal";
const END: &[u8] = b"FJL\x03";

fn open(folder: &Path) -> Result<EmbeddedStore, StoreError> {
    // A clock that stands still: values of a cell differ by the numbers of their batches alone.
    let options = Options::default().durability(Durability::Buffered).clock(|| 1_700_000_000_000);
    EmbeddedStore::open(folder, options)
}

/// One write: rows over two families, most of them over older ones, and a delete from time to time.
fn change(store: &EmbeddedStore, at: usize) {
    if at % 5 == 4 {
        store.mutate(&name("t"), Delete::row_at(format!("r{}", at % 7), LATEST_TIMESTAMP).into()).unwrap();
        return;
    }
    let mut rows = RowBatch::new();
    for row in 0..4 {
        rows.begin_row(format!("r{}", (at + row) % 7).as_bytes());
        // Some are large enough to be compressed in the journal.
        let length = if at % 6 == 3 { 5_000 } else { 20 + 13 * at % 90 };
        let mut value = format!("{at}-{row}-").into_bytes();
        value.resize(length, b'a' + (at % 26) as u8);
        rows.cell(b"d", b"q", LATEST_TIMESTAMP, &value);
        rows.cell(b"e", format!("q{}", at % 3).as_bytes(), LATEST_TIMESTAMP, &value);
    }
    store.put_batch(&name("t"), &rows).unwrap();
}

/// Rows in one batch, as a bulk load takes them.
struct Sorted(Option<RowBatch>);

impl Scanner for Sorted {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<bool, StoreError> {
        *batch = self.0.take().unwrap_or_default();
        Ok(!batch.is_empty())
    }
}

/// Loads tables in bulk: one beside rows that it has, two together in the place of what they had.
fn load_in_bulk(store: &EmbeddedStore) {
    let rows = |lead: &str| {
        let mut rows = RowBatch::new();
        for row in 0..60 {
            rows.begin_row(format!("{lead}{row:02}").as_bytes());
            rows.cell(b"d", b"q", LATEST_TIMESTAMP, format!("{lead}{row}").repeat(9).as_bytes());
        }
        rows
    };
    let [loaded, together @ ..] = LOADED.map(|table| create(store, table, &["d"], &[]));
    store.put_batch(&loaded, &rows("a")).unwrap();
    store.bulk_load(&loaded, &mut Sorted(Some(rows("b")))).unwrap();
    together.iter().for_each(|table| store.put_batch(table, &rows("old")).unwrap());
    let replacing = store.replace_contents(&together, &[]).unwrap().unwrap();
    for table in &together {
        replacing.load(table, &mut Sorted(Some(rows(&table.to_string())))).unwrap();
    }
    replacing.finish().unwrap();
}

/// Writes a store of a kind; `told` hears of each acknowledged write.
fn write(folder: &Path, kind: &str, mut told: impl FnMut(&EmbeddedStore, usize)) -> EmbeddedStore {
    let mut store = open(folder).unwrap();
    create(&store, "t", &["d", "e"], &["r3"]);
    told(&store, 0);
    for at in 1..=16 {
        if kind != KINDS[0] && at == 7 {
            if kind == KINDS[3] {
                load_in_bulk(&store);
            }
            store.close().unwrap();
            store = open(folder).unwrap();
        }
        if kind != KINDS[0] && at == 11 {
            // The engine takes numbers for itself here.
            store.flush(&name("t")).unwrap();
        }
        change(&store, at);
        told(&store, at);
    }
    store
}

/// Not a test of its own: the process that writes a store and ends without closing it.
#[test]
fn child_that_writes_a_store() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let (folder, kind) = (Path::new(&folder), std::env::var(KIND).unwrap());
    if kind == TWO_FILES {
        std::mem::forget(write_two_files(folder));
        std::process::exit(0);
    }
    let store = write(folder, &kind, |_, at| {
        let journal = fs::read(folder.join("data/0.jnl")).unwrap();
        let end = journal.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        writeln!(std::io::stdout(), "\nend {at} {end}").unwrap();
    });
    if kind == KINDS[2] {
        store.close().unwrap();
    } else {
        std::mem::forget(store);
    }
    std::process::exit(0);
}

/// Every cell of all tables, those included that no read returns.
fn cells(store: &EmbeddedStore) -> Result<String, StoreError> {
    let all = Scan { raw: true, versions: u32::MAX, ..Scan::new(KeyRange::all()) };
    let mut tables = store.list_tables()?;
    // The one that every store has; where it is gone, the error says so.
    tables.retain(|table| *table != name("t"));
    tables.insert(0, name("t"));
    let cells = tables.iter().map(|table| Ok(format!("{table} {:?}", scan(store, table, &all)?)));
    cells.collect::<Result<Vec<_>, StoreError>>().map(|tables| tables.concat())
}

/// A store to take copies of.
struct Template {
    kind: &'static str,
    folder: TempDir,
    /// The cells after each write, and where the journal ended then; 0 if they are in tables.
    states: Vec<(String, u64)>,
    /// Files that the engine removes when it opens: nothing reads them.
    unused: Vec<PathBuf>,
}

fn fast_folder() -> TempDir {
    let shared_memory = Path::new("/dev/shm");
    if shared_memory.is_dir() { tempfile::tempdir_in(shared_memory) } else { tempfile::tempdir() }.unwrap()
}

/// A store that another process has written, and what that process said.
fn written_by_a_child(kind: &str) -> (TempDir, String) {
    let folder = fast_folder();
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child_that_writes_a_store", "--nocapture"])
        .env(FOLDER, folder.path())
        .env(KIND, kind)
        .output()
        .unwrap();
    assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stderr));
    (folder, String::from_utf8(child.stdout).unwrap())
}

fn journals(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder.join("data")).unwrap().map(|file| file.unwrap().path());
    let mut journals: Vec<PathBuf> =
        files.filter(|file| file.extension().is_some_and(|end| end == "jnl")).collect();
    journals.sort();
    journals
}

/// A table that stays in the journal, and one that fills it until a second file begins.
fn write_two_files(folder: &Path) -> EmbeddedStore {
    let store = open(folder).unwrap();
    let busy = create(&store, "busy", &["d"], &[]);
    create(&store, "t", &["d", "e"], &[]);
    change(&store, 1);
    let (mut value, mut lot) = (vec![0; 1 << 20], Lot(1));
    for at in 0.. {
        assert!(at < 1000, "the journal has one file after {at} MiB");
        if journals(folder).len() == 2 {
            break;
        }
        value.iter_mut().for_each(|byte| *byte = lot.below(256) as u8);
        let mut rows = RowBatch::new();
        rows.begin_row(format!("r{at:04}").as_bytes());
        rows.cell(b"d", b"q", LATEST_TIMESTAMP, &value);
        store.put_batch(&busy, &rows).unwrap();
    }
    change(&store, 2);
    store
}

#[test]
fn the_oldest_of_two_files_of_the_journal_is_missed() {
    let (folder, _) = written_by_a_child(TWO_FILES);
    let whole = {
        let copied = fast_folder();
        copy(folder.path(), copied.path());
        cells(&open(copied.path()).unwrap()).unwrap()
    };
    let oldest = &journals(folder.path())[0];
    let aside = oldest.with_extension("aside");
    fs::rename(oldest, &aside).unwrap();
    for _ in 0..2 {
        let message = chain(&open(folder.path()).unwrap_err());
        assert!(message.contains(oldest.file_name().unwrap().to_str().unwrap()), "{message}");
    }
    fs::rename(&aside, oldest).unwrap();
    assert_eq!(cells(&open(folder.path()).unwrap()).unwrap(), whole);
}

fn template(kind: &'static str) -> Template {
    let mut states = Vec::new();
    drop(write(fast_folder().path(), kind, |store, _| states.push((cells(store).unwrap(), 0))));
    let (folder, told) = written_by_a_child(kind);
    for line in told.lines().filter_map(|line| line.strip_prefix("end ")) {
        let (at, end) = line.split_once(' ').unwrap();
        states[at.parse::<usize>().unwrap()].1 = end.parse().unwrap();
    }
    if kind != KINDS[0] {
        // The close and the flush have put these into tables.
        states.iter_mut().take(11).for_each(|(_, end)| *end = 0);
    }
    // Some zeros behind the last batch are enough, instead of 64 MiB.
    let journal = File::options().write(true).open(folder.path().join("data/0.jnl")).unwrap();
    if kind != KINDS[2] {
        journal.set_len(states.last().unwrap().1 + 512).unwrap();
    }
    let mut template = Template { kind, folder, states, unused: Vec::new() };
    let copy = template.copy();
    let before = contents(copy.path());
    let store = template.opens_whole(copy.path()).unwrap();
    let after = contents(copy.path());
    template.unused = before.into_keys().filter(|file| !after.contains_key(file)).collect();
    assert!(store.verify(&mut |_| {}).unwrap().damage.is_empty());
    template
}

impl Template {
    fn last(&self) -> &(String, u64) {
        self.states.last().unwrap()
    }

    /// Opens a store with everything in it.
    fn opens_whole(&self, folder: &Path) -> Result<EmbeddedStore, String> {
        let store = open(folder).map_err(|error| chain(&error))?;
        let is_whole = cells(&store).map_err(|error| chain(&error))? == self.last().0;
        let torn = !store.opening().torn.is_empty();
        if is_whole && !torn { Ok(store) } else { Err(format!("cells are missing; torn: {torn}")) }
    }

    fn is_killed(&self) -> bool {
        self.kind != KINDS[2]
    }

    fn copy(&self) -> TempDir {
        let folder = fast_folder();
        copy(self.folder.path(), folder.path());
        folder
    }

    /// Where batches of the journal end.
    fn boundaries(&self) -> Vec<u64> {
        let journal = fs::read(self.folder.path().join("data/0.jnl")).unwrap();
        let ends = journal.windows(END.len()).enumerate().filter(|(_, bytes)| *bytes == END);
        ends.map(|(at, _)| (at + END.len()) as u64).collect()
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target)
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Every file with its content, but the one that says who has the folder.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for path in fs::read_dir(&next).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if !path.ends_with("LOCK") {
                found.insert(path.strip_prefix(folder).unwrap().to_owned(), fs::read(&path).unwrap());
            }
        }
    }
    found
}

#[derive(Debug, Clone)]
enum Damage {
    Flip { file: PathBuf, byte: u64, bit: u8 },
    Cut { file: PathBuf, length: u64 },
    Delete { file: PathBuf },
}

impl Damage {
    fn file(&self) -> &Path {
        match self {
            Self::Flip { file, .. } | Self::Cut { file, .. } | Self::Delete { file } => file,
        }
    }

    fn apply(&self, folder: &Path) {
        let path = folder.join(self.file());
        match self {
            Self::Flip { byte, bit, .. } => {
                let mut bytes = fs::read(&path).unwrap();
                bytes[usize::try_from(*byte).unwrap()] ^= 1 << bit;
                fs::write(path, bytes).unwrap();
            }
            Self::Cut { length, .. } => {
                File::options().write(true).open(path).unwrap().set_len(*length).unwrap()
            }
            Self::Delete { .. } => fs::remove_file(path).unwrap(),
        }
    }
}

/// Numbers that are the same in every run.
struct Lot(u64);

impl Lot {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit.max(1)
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[usize::try_from(self.below(of.len() as u64)).unwrap()]
    }

    fn damage(&mut self, template: &Template) -> Damage {
        let files: Vec<(PathBuf, u64)> = contents(template.folder.path())
            .into_iter()
            .map(|(file, bytes)| (file, bytes.len() as u64))
            .filter(|(_, length)| *length > 0)
            .collect();
        let journal = PathBuf::from("data/0.jnl");
        let boundaries = template.boundaries();
        let bit = self.below(8) as u8;
        match self.below(10) {
            // The parts of a batch that are not its rows: start, first item's header, end.
            0..=2 if template.is_killed() => {
                let batch = usize::try_from(self.below(boundaries.len() as u64)).unwrap();
                let start = if batch == 0 { 0 } else { boundaries[batch - 1] };
                let near =
                    [0, 1 + self.below(4), 5 + self.below(8), 5 + self.below(8), 13, 14 + self.below(20)];
                let byte = match self.below(8) as usize {
                    at @ 0..6 => start + near[at],
                    _ => boundaries[batch] - 1 - self.below(13),
                };
                Damage::Flip { file: journal, byte, bit }
            }
            3 if template.is_killed() => {
                Damage::Flip { file: journal, byte: self.below(template.last().1 + 512), bit }
            }
            4 if template.is_killed() => {
                let exact = self.below(4) == 0;
                let any = self.below(template.last().1);
                Damage::Cut { file: journal, length: if exact { *self.one(&boundaries) } else { any } }
            }
            5 => {
                let (file, length) = self.one(&files).clone();
                Damage::Cut { file, length: self.below(length) }
            }
            6 => Damage::Delete { file: self.one(&files).0.clone() },
            _ => {
                let (file, length) = self.one(&files).clone();
                // The ends of files say where the rest is.
                let byte = if self.below(3) == 0 {
                    length - 1 - self.below(length.min(64))
                } else {
                    self.below(length)
                };
                Damage::Flip { file, byte, bit }
            }
        }
    }
}

static PANICS: AtomicUsize = AtomicUsize::new(0);

/// What became of a trial.
fn class(template: &Template, damage: &Damage) -> Result<&'static str, String> {
    let folder = template.copy();
    damage.apply(folder.path());
    let panics = PANICS.load(Ordering::SeqCst);
    let refused = |error: &StoreError| {
        let message = chain(error);
        let named = ["data/", "MANIFEST", "FORMAT"].iter().any(|file| message.contains(file));
        if !named {
            return Err(format!("an error that names no file: {message}"));
        }
        // Nothing was given up: with the file as it was, everything is there.
        fs::copy(template.folder.path().join(damage.file()), folder.path().join(damage.file())).unwrap();
        let repaired = template.opens_whole(folder.path());
        repaired.map_err(|why| format!("{message}; put right, {why}")).map(|_| "refused")
    };
    let found = match open(folder.path()) {
        Err(error) => return refused(&error),
        Ok(store) => {
            let found = cells(&store);
            let torn = !store.opening().torn.is_empty();
            let deep = store.verify(&mut |_| {}).map_err(|error| chain(&error))?;
            (found, torn, !deep.damage.is_empty())
        }
    };
    if PANICS.load(Ordering::SeqCst) != panics {
        return Err("a thread has panicked".to_owned());
    }
    let (found, torn, deep) = found;
    let cells = match found {
        Ok(cells) => cells,
        Err(error @ StoreError::TableNotFound { .. }) => format!("{error}"),
        Err(error) => return refused(&error),
    };
    let is_journal = damage.file() == Path::new("data/0.jnl") && template.is_killed();
    let kept = |length: u64| template.states.iter().rev().find(|(_, end)| *end <= length);
    match damage {
        Damage::Cut { length, .. } if is_journal => {
            // Before the table's own record there is no table.
            // A batch that is whole while its note is not may be there or not: its write was not acknowledged yet.
            let last_kept = kept(*length);
            let next = template.states.iter().find(|(_, end)| end > length);
            let is_whole =
                |from: u64| template.boundaries().iter().any(|end| (from + 1..=*length).contains(end));
            let is_right = last_kept.is_none_or(|(expected, end)| {
                *expected == cells || (torn && is_whole(*end) && next.is_some_and(|(next, _)| *next == cells))
            });
            if !is_right {
                return Err("other cells than at the last whole batch".to_owned());
            }
            match torn {
                true => Ok("torn tail"),
                false if *length == 0 || template.boundaries().contains(length) => Ok("between batches"),
                false if *length >= template.last().1 => Ok("no effect"),
                false => Err("batches were dropped silently".to_owned()),
            }
        }
        Damage::Flip { byte, .. } if is_journal && torn => {
            let last = template.states.len() - 2;
            let is_last = *byte >= template.states[last].1;
            let is_right = template.states[last..].iter().any(|(state, _)| *state == cells);
            if is_last && is_right {
                Ok("torn tail")
            } else {
                Err("dropped more than the last batch".to_owned())
            }
        }
        _ if cells != template.last().0 => Err("other cells, silently".to_owned()),
        _ if deep => Ok("no effect"),
        _ if template.unused.iter().any(|unused| unused == damage.file()) => Ok("no effect"),
        _ => Err("no effect, and a full check does not find it".to_owned()),
    }
}

#[test]
fn damage_is_refused_or_reported_and_never_silent() {
    let trials = std::env::var(TRIALS).map_or(60, |trials| trials.parse().expect("a number"));
    std::panic::set_hook(Box::new(|panic| {
        PANICS.fetch_add(1, Ordering::SeqCst);
        eprintln!("{panic}");
    }));
    let templates = KINDS.map(template);
    let mut lot = Lot(7);
    let (mut counts, mut wrong) = (BTreeMap::<(&str, &str, &str), usize>::new(), Vec::new());
    for trial in 0..trials {
        let template = &templates[trial % templates.len()];
        let damage = lot.damage(template);
        let how = match damage {
            Damage::Flip { .. } => "flip",
            Damage::Cut { .. } => "cut",
            Damage::Delete { .. } => "delete",
        };
        match class(template, &damage) {
            Ok(class) => *counts.entry((template.kind, how, class)).or_default() += 1,
            Err(why) => wrong.push(format!("{}: {damage:?}: {why}", template.kind)),
        }
    }
    println!("| store | damage | outcome | trials |\n| --- | --- | --- | --- |");
    counts
        .iter()
        .for_each(|((store, how, class), count)| println!("| {store} | {how} | {class} | {count} |"));
    println!("silent, wrong or panicked: {} of {trials}", wrong.len());
    wrong.iter().for_each(|wrong| println!("{wrong}"));
    assert!(wrong.is_empty() && PANICS.load(Ordering::SeqCst) == 0);
    assert!(counts.len() >= 6, "too few kinds of damage were tried");
}

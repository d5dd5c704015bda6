//! Who may use a folder while another process holds it?

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::tables::{self, chain, create, dump, open};
use rowkey_core::range::KeyRange;
use rowkey_embedded::{EmbeddedStore, Options};
use rowkey_store::{Admin, RowBatch, RowStore, Scan, Scanner, StoreError};

const FOLDER: &str = "ROWKEY_TEST_OWNED_FOLDER";

/// Not a test of its own: the process that the tests below start, which holds the folder until it is killed.
#[test]
fn child_that_holds_a_folder() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let store = open(Path::new(&folder));
    create(&store, "t", &["d"], &[]);
    writeln!(std::io::stdout(), "\nready").unwrap();
    // Ends when the parent closes the pipe, or with a kill.
    let _ = std::io::stdin().read_line(&mut String::new());
}

fn start_owner(folder: &Path) -> Child {
    let mut child = Command::new(std::env::current_exe().expect("the test's own program"))
        .args(["--exact", "ownership::child_that_holds_a_folder", "--nocapture"])
        .env(FOLDER, folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the test's own program starts");
    let stdout = child.stdout.as_mut().expect("piped above");
    assert!(BufReader::new(stdout).lines().any(|line| line.is_ok_and(|line| line == "ready")));
    child
}

#[test]
fn a_second_process_is_told_the_firsts_id_and_a_kill_frees_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let mut owner = start_owner(folder.path());

    let refused = EmbeddedStore::open(folder.path(), Options::default()).unwrap_err();
    let message = chain(&refused);
    let expected = format!(
        "could not open the store in {0}: store folder {0} is in use by process {1}; stop it or use another folder",
        folder.path().display(),
        owner.id()
    );
    assert_eq!(message, expected);

    owner.kill().unwrap();
    owner.wait().unwrap();
    let store = open(folder.path());
    assert_eq!(dump(&store, &tables::name("t")), "[]");
}

/// A process goes on with its own folder, wherever that was moved to, and does nothing to the store that took its place.
#[test]
fn a_store_whose_folder_was_moved_away_says_so_and_leaves_its_successor_alone() {
    let parent = tempfile::tempdir().unwrap();
    let (folder, moved) = (parent.path().join("store"), parent.path().join("moved"));
    let row = |key: &str, value: &str| tables::rows(&[(key, &[("d", "q", 1, value)])]);
    let first = open(&folder);
    let table = create(&first, "t", &["d"], &[]);
    first.put_batch(&table, &row("a", "first")).unwrap();
    std::fs::rename(&folder, &moved).unwrap();
    let second = open(&folder);
    create(&second, "t", &["d"], &[]);
    second.put_batch(&table, &row("b", "second")).unwrap();
    // Reads are those of its own folder, and so is what its journal takes.
    assert_eq!(dump(&first, &table), "[a [d:q@1=first]]");
    let created = first.create_table(&tables::descriptor("u", &["d"]), &[]).unwrap_err();
    let closed = first.close().unwrap_err();
    for error in [created, closed] {
        let message = chain(&error);
        assert!(
            message.contains(&format!("store folder {} is no longer the one", folder.display())),
            "{message}"
        );
    }
    assert_eq!(dump(&second, &table), "[b [d:q@1=second]]");
    second.close().unwrap();
    for (folder, rows) in [(&folder, "[b [d:q@1=second]]"), (&moved, "[a [d:q@1=first]]")] {
        let store = open(folder);
        assert_eq!(dump(&store, &table), rows);
        assert!(store.verify(&mut |_| {}).unwrap().damage.is_empty());
    }
}

/// Rows of a kilobyte that no two stores share, enough to fill a memtable by twenty calls.
fn many(lead: &str, call: usize) -> RowBatch {
    let mut batch = RowBatch::new();
    for row in 0..500 {
        batch.begin_row(format!("{lead}{call:02}-{row:03}").as_bytes());
        batch.cell(b"d", b"q", 1, lead.repeat(1000).as_bytes());
    }
    batch
}

/// Rows in one batch, as a bulk load takes them.
struct Sorted(Option<RowBatch>);

impl Scanner for Sorted {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<bool, StoreError> {
        *batch = self.0.take().unwrap_or_default();
        Ok(!batch.is_empty())
    }
}

/// What fills memtables and goes past them makes files by name: they are made in the folder's own place, or not at all.
#[test]
fn writes_after_the_folder_was_moved_away_are_refused_or_kept_and_never_reach_its_successor() {
    let parent = tempfile::tempdir().unwrap();
    let (folder, moved) = (parent.path().join("store"), parent.path().join("moved"));
    let first = open(&folder);
    let table = create(&first, "t", &["d"], &[]);
    create(&first, "u", &["d"], &[]);
    first.put_batch(&table, &many("a", 0)).unwrap();
    std::fs::rename(&folder, &moved).unwrap();
    let second = open(&folder);
    create(&second, "t", &["d"], &[]);
    second.put_batch(&table, &many("x", 0)).unwrap();

    let mut acknowledged = 500;
    let mut refused = 0;
    let is_moved = |error: &StoreError| {
        let message = chain(error);
        assert!(
            message.contains(&format!("store folder {} is no longer the one", folder.display())),
            "{message}"
        );
    };
    for call in 1..40 {
        match first.put_batch(&table, &many("a", call)) {
            Ok(()) => acknowledged += 500,
            Err(error) => {
                is_moved(&error);
                refused += 1;
            }
        }
    }
    for bulk in ["t", "u"] {
        is_moved(&first.bulk_load(&tables::name(bulk), &mut Sorted(Some(many("b", 0)))).unwrap_err());
    }
    is_moved(&first.flush(&table).unwrap_err());
    is_moved(&first.major_compact(&table).unwrap_err());
    is_moved(&first.close().unwrap_err());
    assert!(acknowledged > 500 || refused > 0);

    second.put_batch(&table, &many("y", 0)).unwrap();
    second.flush(&table).unwrap();
    assert_eq!(second.bulk_load(&table, &mut Sorted(Some(many("z", 0)))).unwrap(), 500);
    second.close().unwrap();

    let count = |store: &EmbeddedStore, table: &str, lead: &str| {
        let rows = tables::scan(store, &tables::name(table), &Scan::new(KeyRange::all())).unwrap();
        rows.rows().filter(|row| row.key().starts_with(lead.as_bytes())).count()
    };
    let store = open(&folder);
    assert_eq!(["x", "y", "z", "a", "b"].map(|lead| count(&store, "t", lead)), [500, 500, 500, 0, 0]);
    assert!(store.verify(&mut |_| {}).unwrap().damage.is_empty());
    let store = open(&moved);
    assert!(store.opening().torn.is_empty());
    assert_eq!(["a", "b", "x", "y", "z"].map(|lead| count(&store, "t", lead)), [acknowledged, 0, 0, 0, 0]);
    assert_eq!(count(&store, "u", ""), 0);
    assert!(store.verify(&mut |_| {}).unwrap().damage.is_empty());
}

#[test]
fn a_second_store_in_one_process_is_refused_until_the_first_is_closed() {
    let folder = tempfile::tempdir().unwrap();
    let first = open(folder.path());
    let refused = EmbeddedStore::open(folder.path(), Options::default()).unwrap_err();
    assert!(chain(&refused).contains(&format!("in use by process {}", std::process::id())));
    first.close().unwrap();
    open(folder.path());
}

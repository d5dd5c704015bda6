//! Do several tables change in one moment, and only if no other write came between?

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::tables::{create, dump, name, open, rows, scan};
use rowkey_core::range::KeyRange;
use rowkey_store::{
    ALL_VERSIONS, Admin, Delete, Family, Mutation, RowBatch, RowStore, Scan, Scanner, Store, StoreError,
    TableDescriptor, TableName,
};

const FOLDER: &str = "ROWKEY_TEST_TOGETHER_FOLDER";

/// Batches that are ready.
struct Ready(Vec<RowBatch>);

impl Scanner for Ready {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<bool, StoreError> {
        *batch = if self.0.is_empty() { RowBatch::new() } else { self.0.remove(0) };
        Ok(!batch.is_empty())
    }
}

fn two_tables(store: &dyn Store) -> [TableName; 2] {
    [create(store, "a", &["d", "e"], &["m"]), create(store, "b", &["d"], &[])]
}

/// Everything of a row, hidden or not.
fn raw(store: &dyn Store, table: &TableName) -> usize {
    let all = Scan { raw: true, versions: ALL_VERSIONS, ..Scan::new(KeyRange::all()) };
    scan(store, table, &all).expect("a good table").cell_count()
}

#[test]
fn rows_are_rewritten_whole_and_nothing_of_them_stays() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    let names = two_tables(&store);
    let [a, b] = &names;
    store.put_batch(a, &rows(&[("x", &[("d", "q", 5, "old"), ("e", "q", 9, "kept?")])])).expect("a put");
    let delete = Mutation::from(Delete::row_at("x", 7));
    store.mutate(a, delete).expect("a delete");
    store.put_batch(b, &rows(&[("entry", &[("d", "_", 3, "v")])])).expect("a put");
    let done = store.rewrite_rows(&names, &[b"x", b"y"], &mut |before, there| {
        assert_eq!(there, [true, false]);
        assert_eq!(format!("{before:?}"), dump(&store, a));
        Some(vec![
            // Below the time of the delete marker, which goes.
            rows(&[("y", &[("d", "q", 4, "1")]), ("x", &[("d", "q", 2, "new")])]),
            rows(&[("entry", &[]), ("other", &[("d", "_", 4, "v")])]),
        ])
    });
    assert!(done.expect("it is offered"));
    assert_eq!((raw(&store, a), raw(&store, b)), (2, 1), "no older version and no marker is left");
    let expected = rows(&[("x", &[("d", "q", 2, "new")]), ("y", &[("d", "q", 4, "1")])]);
    assert_eq!(dump(&store, a), format!("{expected:?}"));
    assert_eq!(dump(&store, b), format!("{:?}", rows(&[("other", &[("d", "_", 4, "v")])])));
    drop(store);
    assert_eq!(dump(&open(folder.path()), a), format!("{expected:?}"));
}

#[test]
fn what_breaks_a_rule_or_is_not_wanted_changes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    let names = two_tables(&store);
    assert!(store.rewrite_rows(&names, &[b"x"], &mut |_, _| None).expect("it is offered"));
    let bad = store.rewrite_rows(&names, &[b"x"], &mut |_, _| {
        Some(vec![rows(&[("x", &[("d", "q", 1, "v")])]), rows(&[("x", &[("e", "q", 1, "v")])])])
    });
    assert!(matches!(bad, Err(StoreError::UnknownFamily { .. })), "{bad:?}");
    assert_eq!((raw(&store, &names[0]), raw(&store, &names[1])), (0, 0));
    let missing = [names[0].clone(), name("missing")];
    let missing = store.rewrite_rows(&missing, &[b"x"], &mut |_, _| panic!("nothing to work on"));
    assert!(matches!(missing, Err(StoreError::TableNotFound { .. })), "{missing:?}");
    // Where older versions stay, rows are not rewritten.
    let family = Family { versions: 3, ..Family::new("d") };
    let table = TableDescriptor { name: name("v"), families: vec![family], attributes: Default::default() };
    store.create_table(&table, &[]).expect("a new table");
    let kept = store.rewrite_rows(&[table.name], &[b"x"], &mut |_, _| panic!("nothing to work on"));
    assert!(!kept.expect("a good table"));
}

/// Each of many threads moves a count from one row to the next; none is lost.
#[test]
fn nobody_comes_between_the_read_and_the_write() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    let names = two_tables(&store);
    let add = |row: &[u8]| {
        let done = store.rewrite_rows(&names, &[row], &mut |before, _| {
            let count = before.row(0).and_then(|row| row.value(b"d", b"n")).map_or(0, |value| value[0]);
            let mut after = RowBatch::new();
            after.begin_row(row);
            after.cell(b"d", b"n", i64::from(count) + 1, &[count + 1]);
            Some(vec![after.clone(), after])
        });
        assert!(done.expect("it is offered"));
    };
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..40).for_each(|nth| add([b"x", b"y"][nth % 2])));
        }
        // Others take the locks of both tables the other way round.
        scope.spawn(|| {
            for nth in 0..100i64 {
                store.put_batch(&names[1], &rows(&[("z", &[("d", "q", nth, "v")])])).expect("a put");
                store.put_batch(&names[0], &rows(&[("z", &[("d", "q", nth, "v")])])).expect("a put");
            }
        });
    });
    for table in &names {
        let found = scan(&store, table, &Scan::new(KeyRange::all())).expect("a good table");
        let counts: Vec<u8> = found.rows().filter_map(|row| Some(row.value(b"d", b"n")?[0])).collect();
        assert_eq!(counts, [80, 80], "{table}");
    }
}

#[test]
fn new_contents_come_at_once_or_not_at_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    let names = two_tables(&store);
    let [a, b] = &names;
    let old = rows(&[("old", &[("d", "q", 1, "v")])]);
    names.iter().for_each(|name| store.put_batch(name, &old).expect("a put"));
    let new = |table: &str| rows(&[("n", &[("d", "q", 1, table)]), ("o", &[("d", "q", 1, table)])]);
    let begin = |watched: &[TableName]| {
        store.replace_contents(&names, watched).expect("good tables").expect("it is offered")
    };
    let load = |table: &TableName, rows: RowBatch| (table.clone(), Ready(vec![rows]));
    for (fails, before_end) in [(false, None), (true, Some(a)), (true, Some(b))] {
        let before = names.each_ref().map(|name| dump(&store, name));
        let replacement = begin(&[]);
        for (table, mut rows) in [load(a, new("a")), load(b, new("b"))] {
            assert_eq!(replacement.load(&table, &mut rows).expect("good rows"), 2);
        }
        assert_eq!(names.each_ref().map(|name| dump(&store, name)), before, "no reader sees it yet");
        if let Some(table) = before_end {
            store.put_batch(table, &old).expect("a put");
        }
        let before = names.each_ref().map(|name| dump(&store, name));
        let ended = replacement.finish();
        if fails {
            assert!(matches!(ended, Err(StoreError::ChangedMeanwhile { .. })), "{ended:?}");
            assert_eq!(names.each_ref().map(|name| dump(&store, name)), before, "everything is as it was");
        } else {
            ended.expect("no other write came between");
            assert_eq!(
                names.each_ref().map(|name| dump(&store, name)),
                ["a", "b"].map(|t| format!("{:?}", new(t)))
            );
        }
    }
    // A watched table keeps its contents, and a replacement that is given up leaves nothing.
    let watching = store.replace_contents(std::slice::from_ref(b), std::slice::from_ref(a));
    let watching = watching.expect("good tables").expect("it is offered");
    store.put_batch(a, &old).expect("a put");
    assert!(matches!(watching.finish(), Err(StoreError::ChangedMeanwhile { .. })));
    drop(begin(&[]));
    let before = names.each_ref().map(|name| dump(&store, name));
    drop(store);
    let store = open(folder.path());
    assert_eq!(names.each_ref().map(|name| dump(&store, name)), before);
}

/// Not a test of its own: gives both tables new contents, the same, until it is killed.
#[test]
fn child_that_replaces_until_it_is_killed() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let store = open(Path::new(&folder));
    let names = [name("a"), name("b")];
    for generation in 0.. {
        let text = format!("{generation}");
        let batch = |nth: usize| rows(&[(&format!("row{nth:04}"), &[("d", "g", 1, text.as_str())])]);
        let replacement = store.replace_contents(&names, &[]).expect("good tables").expect("it is offered");
        for table in &names {
            replacement.load(table, &mut Ready((0..40).map(batch).collect())).expect("good rows");
        }
        replacement.finish().expect("no other write comes between");
    }
}

#[test]
fn a_kill_leaves_all_tables_of_one_moment() {
    let folder = tempfile::tempdir().expect("a folder");
    let names = two_tables(&open(folder.path()));
    for kill in 0..6u64 {
        let mut child = Command::new(std::env::current_exe().expect("a program"))
            .args(["--exact", "together::child_that_replaces_until_it_is_killed"])
            .env(FOLDER, folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        std::thread::sleep(Duration::from_millis(60 + kill * 37));
        child.kill().expect("it works until it is killed");
        child.wait().expect("it ends");
        let store = open(folder.path());
        assert_eq!(dump(&store, &names[0]), dump(&store, &names[1]), "kill {kill}");
    }
}

//! Are index tables right after `kill -9`, whatever was under way?
//!
//! A child process puts, moves and deletes orders from several threads while others build and repair the index tables; it
//! is killed at a random moment. Then the folder is opened: every read through an index gives what a scan of the table
//! gives, in the state as it was left; what was acknowledged is there; verify counts what a comparison by brute force
//! counts; every third time repair mends it, and nothing is left. Rounds go on with the same folder, differences included.
//!
//! `ROWKEY_TEST_INDEX_KILLS=200 cargo test -p rowkey-ops --test it index_kill:: -- --nocapture` is the long run.

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::index_place::*;
use rowkey_core::Table;
use rowkey_embedded::{Durability, EmbeddedStore, Options};
use rowkey_ops::create::{self, OpenTable};
use rowkey_ops::index::{self, BuildOptions, CompareOptions, IndexedWriter};
use rowkey_store::{Admin, Delete, RowStore, Store};

const FOLDER: &str = "ROWKEY_TEST_INDEX_KILL_FOLDER";
const ROUND: &str = "ROWKEY_TEST_INDEX_KILL_ROUND";
const KILLS: &str = "ROWKEY_TEST_INDEX_KILLS";
const THREADS: usize = 3;
/// Orders of one thread; each is its own, so that the last acknowledged change is known.
const ORDERS: usize = 40;

fn open_store(folder: &Path) -> EmbeddedStore {
    EmbeddedStore::open(folder, Options::default().durability(Durability::Buffered)).unwrap()
}

/// SplitMix64.
fn random(state: &mut u64) -> usize {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    usize::try_from((mixed ^ (mixed >> 31)) >> 33).unwrap()
}

/// The record that a change with this number gives an order; `None` deletes it.
fn changed(thread: usize, nth: usize, number: usize) -> Option<Record> {
    let mut state = u64::try_from(number * 1000 + nth * 10 + thread).unwrap();
    if random(&mut state).is_multiple_of(5) {
        return None;
    }
    let seller = format!("seller{}", random(&mut state) % 4);
    let amount = [None, Some(1), Some(2)][random(&mut state) % 3];
    let note = format!("change {number}");
    let note = (!random(&mut state).is_multiple_of(3)).then_some(note.as_str());
    Some(order(i128::try_from(thread).unwrap(), &format!("o{nth}"), &seller, amount, note))
}

fn row_key(table: &Table, thread: usize, nth: usize) -> Vec<u8> {
    key(table, &order(i128::try_from(thread).unwrap(), &format!("o{nth}"), "", None, None))
}

/// Not a test of its own: the process that is killed.
#[test]
fn child_that_works_until_it_is_killed() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let round: usize = std::env::var(ROUND).unwrap().parse().unwrap();
    let store = open_store(Path::new(&folder));
    let table = table();
    if !store.table_exists(&"orders".parse().unwrap()).unwrap() {
        create::create(&store, &table).unwrap();
    }
    let open = create::open(&store, &table).unwrap();
    writeln!(std::io::stdout(), "\nready").unwrap();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (store, table, open) = (&store, &table, &open);
            scope.spawn(move || write(store, table, open, round, thread));
        }
        scope.spawn(|| {
            let checkpoint = Some(Path::new(&folder).with_extension("checkpoint"));
            let options = BuildOptions { checkpoint, ..BuildOptions::default() };
            loop {
                index::build(&store, &table, &open, &every(&table), &options, &mut |_| {}).unwrap();
            }
        });
        scope.spawn(|| {
            // Writers are at work: what is younger than they may take is theirs.
            let options = CompareOptions { first: 0, min_age: 60_000 };
            loop {
                index::repair(&store, &table, &open, &every(&table), options, &mut |_| {}).unwrap();
            }
        });
    });
}

/// Changes this thread's orders, some at a time, and says what is acknowledged.
fn write(store: &dyn Store, table: &Table, open: &OpenTable, round: usize, thread: usize) {
    let writer = IndexedWriter::new(store, table, open);
    let mut state = u64::try_from(round * 10 + thread).unwrap();
    for number in round * 1_000_000.. {
        let chosen: BTreeSet<usize> =
            (0..random(&mut state) % 6 + 1).map(|_| random(&mut state) % ORDERS).collect();
        let (mut puts, mut deletes) = (Vec::new(), Vec::new());
        for &nth in &chosen {
            match changed(thread, nth, number) {
                Some(record) => puts.push(record),
                None => deletes.push(row_key(table, thread, nth)),
            }
        }
        let mut line = String::new();
        let chosen = chosen.iter().map(|nth| format!(" {nth}")).collect::<String>();
        line.push_str(&format!("begin {thread} {number}{chosen}\n"));
        std::io::stdout().write_all(line.as_bytes()).unwrap();
        writer.put(&rows(table, &puts, None)).unwrap();
        writer.delete(&deletes).unwrap();
        std::io::stdout().write_all(format!("ack {thread} {number}{chosen}\n").as_bytes()).unwrap();
    }
}

/// For each order, the numbers of changes of which one must show: the last acknowledged, and those begun after it.
type Possible = BTreeMap<(usize, usize), Vec<Option<usize>>>;

fn work_and_kill(folder: &Path, round: usize, after: Duration, possible: &mut Possible) -> usize {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "index_kill::child_that_works_until_it_is_killed", "--nocapture"])
        .env(FOLDER, folder)
        .env(ROUND, round.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    let mut lines = stdout.lines().map(Result::unwrap);
    assert!(lines.any(|line| line == "ready"), "the child opens the store");
    let mut acknowledged = 0;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(after);
            child.kill().expect("the child works until it is killed");
        });
        for line in lines {
            let mut words = line.split(' ');
            let word = words.next().unwrap_or_default().to_owned();
            let numbers: Vec<usize> = words.filter_map(|word| word.parse().ok()).collect();
            let ([thread, number, orders @ ..], true) =
                (numbers.as_slice(), ["begin", "ack"].contains(&word.as_str()))
            else {
                continue;
            };
            for &nth in orders {
                let changes = possible.entry((*thread, nth)).or_insert_with(|| vec![None]);
                match word.as_str() {
                    "begin" => changes.push(Some(*number)),
                    _ => *changes = vec![Some(*number)],
                }
            }
            acknowledged += usize::from(word == "ack");
        }
    });
    child.wait().unwrap();
    acknowledged
}

/// What a round left behind.
#[derive(Debug, Default)]
struct Left {
    differences: u64,
    unfinished: u64,
}

/// Missing and surplus entries by brute force.
fn by_brute_force(store: &dyn Store, table: &Table, open: &OpenTable, nth: usize) -> (u64, u64) {
    let entry = |record: &Record| {
        let mut key = Vec::new();
        table.indexes[nth].key.encode(record, &mut key).unwrap();
        key
    };
    let expected: BTreeSet<Vec<u8>> =
        scanned(store, table, open).iter().map(|(_, record)| entry(record)).collect();
    let found: BTreeSet<Vec<u8>> =
        scan(store, &open.indexes[nth].name).rows().map(|row| row.key().to_vec()).collect();
    let count = |one: &BTreeSet<Vec<u8>>, other: &BTreeSet<Vec<u8>>| {
        u64::try_from(one.difference(other).count()).unwrap()
    };
    (count(&expected, &found), count(&found, &expected))
}

fn check(folder: &Path, round: usize, possible: &mut Possible) -> Left {
    let (store, table) = (open_store(folder), table());
    if !store.table_exists(&"orders".parse().unwrap()).unwrap() {
        return Left::default();
    }
    let open = create::open(&store, &table).unwrap();
    reads_agree(&store, &table, &open).unwrap();
    let records: BTreeMap<Vec<u8>, Record> = scanned(&store, &table, &open).into_iter().collect();
    for ((thread, nth), changes) in possible.iter_mut() {
        let found = records.get(&row_key(&table, *thread, *nth));
        let is_it = |change: &&Option<usize>| match change {
            Some(number) => changed(*thread, *nth, *number).as_ref() == found,
            None => found.is_none(),
        };
        let shown = changes.iter().rfind(is_it).copied();
        assert!(
            shown.is_some(),
            "order {nth} of {thread} is {found:?}, and changes {changes:?} are possible"
        );
        *changes = shown.into_iter().collect();
    }
    // What a stranger does must be found beside what the kill left.
    if round % 4 == 3
        && let Some(row) = scan(&store, &open.indexes[0].name).row(0)
    {
        let newest = row.cells().map(|cell| cell.timestamp).max().unwrap();
        store.mutate(&open.indexes[0].name, Delete::row_at(row.key(), newest).into()).unwrap();
    }
    let found = verify(&store, &table, &open);
    for (nth, report) in found.iter().enumerate() {
        let (missing, surplus) = by_brute_force(&store, &table, &open, nth);
        assert_eq!((report.missing, report.dangling + report.stale), (missing, surplus), "{report:?}");
        assert_eq!(u64::try_from(report.first.len()).unwrap(), report.differences(), "all are named");
        assert_eq!(report.wrong_copies, 0, "{report:?}");
    }
    if round % 3 == 2 || round % 4 == 3 {
        repair(&store, &table, &open);
        let left = verify(&store, &table, &open);
        assert!(is_clean(&left), "{left:?}");
        reads_agree(&store, &table, &open).unwrap();
        assert_eq!(scanned(&store, &table, &open).into_iter().collect::<BTreeMap<_, _>>(), records);
    }
    Left { differences: differences(&found), unfinished: found.iter().map(|report| report.unfinished).sum() }
}

#[test]
fn index_tables_survive_kills() {
    let kills = std::env::var(KILLS).ok().and_then(|text| text.parse::<usize>().ok()).unwrap_or(8);
    let mut state = u64::from(std::process::id());
    println!("{kills} kills, seed {state}");
    let (mut done, mut acknowledged, mut left) = (0, 0, Left::default());
    while done < kills {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("store");
        let mut possible = Possible::new();
        for round in 0..20.min(kills - done) {
            let after = Duration::from_millis(u64::try_from(random(&mut state) % 150).unwrap());
            acknowledged += work_and_kill(&place, round, after, &mut possible);
            let found = check(&place, round, &mut possible);
            left.differences += found.differences;
            left.unfinished += found.unfinished;
            done += 1;
        }
    }
    println!(
        "{done} kills, {acknowledged} batches acknowledged, 0 lost, 0 wrong reads; {} differences and {} unfinished entries \
         found and mended",
        left.differences, left.unfinished
    );
    assert!(acknowledged > 0, "something was acknowledged");
}

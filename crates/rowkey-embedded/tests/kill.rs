//! Is every acknowledged change there after `kill -9`, and no row torn?
//!
//! A child process changes a store from several threads: batches of rows over two families, rows changed by a put and a
//! delete together, increments; it prints a line when a change is acknowledged. It is killed at a random moment, in
//! the middle of whatever it was doing. Then the folder is opened: what was acknowledged must be there, and everything
//! that is there must be whole. Rounds go on with the same folder; from time to time it is a new one.
//!
//! `ROWKEY_TEST_KILLS=1000 cargo test --release -p rowkey-embedded --test it kill:: -- --nocapture` is the long run.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::tables::{self, create, name, scan};
use rowkey_core::range::KeyRange;
use rowkey_embedded::{Durability, EmbeddedStore, Options};
use rowkey_store::{
    Admin, Delete, Get, Increment, Mutation, Put, RowBatch, RowMutations, RowStore, Scan, StoreError,
};

const FOLDER: &str = "ROWKEY_TEST_KILL_FOLDER";
const ROUND: &str = "ROWKEY_TEST_KILL_ROUND";
const DURABILITY: &str = "ROWKEY_TEST_KILL_DURABILITY";
const KILLS: &str = "ROWKEY_TEST_KILLS";
const THREADS: usize = 4;
/// Rows of one batch.
const ROWS: usize = 5;

/// The value of a batch: all its rows and families have it, so that a mixture shows.
fn value(round: usize, thread: usize, number: usize) -> Vec<u8> {
    let mut value = format!("{round}-{thread}-{number}").into_bytes();
    value.resize(value.len() + (number * 37 + thread) % 800, b'x');
    value
}

fn row(round: usize, thread: usize, number: usize, nth: usize) -> String {
    format!("{round:05}-{thread}-{number:05}-{nth}")
}

/// Not a test of its own: the process that is killed.
#[test]
fn child_that_writes_until_it_is_killed() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let durability = match std::env::var(DURABILITY).as_deref() {
        Ok("buffered") => Durability::Buffered,
        Ok("group") => Durability::Group,
        _ => Durability::Sync,
    };
    let store = EmbeddedStore::open(Path::new(&folder), Options::default().durability(durability)).unwrap();
    let round: usize = std::env::var(ROUND).unwrap().parse().unwrap();
    match store.describe(&name("t")) {
        Err(StoreError::TableNotFound { .. }) => {
            drop(create(&store, "t", &["a", "d"], &["00002", "00005"]));
        }
        found => drop(found.unwrap()),
    }
    writeln!(std::io::stdout(), "\nready").unwrap();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let store = &store;
            scope.spawn(move || {
                for number in 0.. {
                    change(store, round, thread, number);
                    // One write call a line, so that a line is there whole or not at all.
                    std::io::stdout().write_all(format!("ack {thread} {number}\n").as_bytes()).unwrap();
                }
            });
        }
        // Splits, merges and compactions are cut short too.
        scope.spawn(|| {
            for at in 0.. {
                let regions = store.regions(&name("t")).unwrap();
                if regions.len() > 6 {
                    let names: Vec<String> = regions.into_iter().map(|region| region.name).collect();
                    store.merge_regions(&name("t"), &names).unwrap();
                } else {
                    let split = row(round, at % THREADS, at * 3, 0);
                    let last = &regions.last().unwrap().name;
                    let _ = store.split_region(&name("t"), last, Some(split.as_bytes()));
                }
                store.major_compact(&name("t")).unwrap();
                std::thread::sleep(Duration::from_millis(7));
            }
        });
    });
}

/// One change of one kind or the other. Each is whole.
fn change(store: &EmbeddedStore, round: usize, thread: usize, number: usize) {
    let value = value(round, thread, number);
    match number % 3 {
        0 => {
            let mut batch = RowBatch::new();
            for nth in 0..ROWS {
                batch.begin_row(row(round, thread, number, nth).as_bytes());
                batch.cell(b"a", b"q", 1, &value);
                batch.cell(b"d", b"q", 1, &value);
            }
            store.put_batch(&name("t"), &batch).expect("the store works");
        }
        1 => {
            // The row of this thread that changes all the time: the old cells are hidden and new ones written.
            let key = format!("changing-{thread}");
            let time = i64::try_from((round * 1_000_000 + number) * 2).expect("the store works");
            let mutations: Vec<Mutation> = vec![
                Delete::row_at(key.as_str(), time).into(),
                Put::new(key.as_str())
                    .cell_at("a", "q", time + 1, value.clone())
                    .cell_at("d", "q", time + 1, value)
                    .into(),
            ];
            store
                .mutate_row(&name("t"), RowMutations { row: key.into_bytes(), mutations })
                .expect("the store works");
        }
        _ => {
            let increment = Increment::new("counter").add("a", "n", 1).add("d", "n", 1);
            store.mutate(&name("t"), increment.into()).expect("the store works");
        }
    }
}

/// What the child acknowledged: the last number of each thread.
type Acknowledged = [Option<usize>; THREADS];

/// Starts the child, kills it after a while, and returns what it acknowledged.
fn write_and_kill(folder: &Path, round: usize, durability: &str, after: Duration) -> Acknowledged {
    let mut child = Command::new(std::env::current_exe().expect("the test's own program"))
        .args(["--exact", "kill::child_that_writes_until_it_is_killed", "--nocapture"])
        .env(FOLDER, folder)
        .env(ROUND, round.to_string())
        .env(DURABILITY, durability)
        .stdout(Stdio::piped())
        .spawn()
        .expect("the test's own program starts");
    let stdout = BufReader::new(child.stdout.take().expect("piped above"));
    let mut lines = stdout.lines().map(|line| line.expect("the child prints text"));
    let mut acknowledged = [None; THREADS];
    assert!(lines.any(|line| line == "ready"), "the child opens the store");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(after);
            child.kill().expect("the child runs until it is killed");
        });
        // Lines that were on their way when the kill came are acknowledgements too.
        for line in lines {
            let mut words = line.split(' ');
            let numbers = (
                words.next(),
                words.next().and_then(|w| w.parse().ok()),
                words.next().and_then(|w| w.parse().ok()),
            );
            if let (Some("ack"), Some::<usize>(thread), Some::<usize>(number)) = numbers {
                acknowledged[thread] = Some(number);
            }
        }
    });
    child.wait().expect("the child was started");
    acknowledged
}

/// What the rounds so far have acknowledged of the counter and the changing rows.
#[derive(Default)]
struct Expected {
    increments: u64,
    /// How many increments may have been made without an answer.
    uncertain: u64,
    changing: BTreeMap<usize, (usize, usize)>,
}

/// Checks everything and returns how many changes of this round were found.
fn check(folder: &Path, round: usize, acknowledged: &Acknowledged, expected: &mut Expected) -> usize {
    let store = tables::open(folder);
    let range = KeyRange::prefix(format!("{round:05}-").as_bytes());
    let found = scan(&store, &name("t"), &Scan::new(range)).expect("the store is whole");
    let mut batches: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for found in found.rows() {
        let key = String::from_utf8(found.key().to_vec()).expect("keys are text");
        let parts: Vec<usize> =
            key.split('-').map(|part| part.parse().expect("keys are as written")).collect();
        let wanted = value(round, parts[1], parts[2]);
        let cells: Vec<&[u8]> = found.cells().map(|cell| cell.value).collect();
        assert!(cells == [wanted.as_slice(), &wanted], "row {key} is torn");
        *batches.entry((parts[1], parts[2])).or_default() += 1;
    }
    for ((thread, number), rows) in &batches {
        assert_eq!(*rows, ROWS, "batch {number} of thread {thread} is torn");
    }
    for (thread, last) in acknowledged.iter().enumerate() {
        for number in 0..=last.map_or(0, |last| last) {
            if last.is_some() && number % 3 == 0 {
                assert!(batches.contains_key(&(thread, number)), "batch {number} of thread {thread} is lost");
            }
            if last.is_some() && number % 3 == 1 {
                expected.changing.insert(thread, (round, number));
            }
            if last.is_some() && number % 3 == 2 {
                expected.increments += 1;
            }
        }
        expected.uncertain += 1;
    }
    for (thread, &(last_round, number)) in &expected.changing {
        let mut row = RowBatch::new();
        assert!(
            store
                .get(&name("t"), &Get::new(format!("changing-{thread}")), &mut row)
                .expect("the store works"),
            "lost"
        );
        let row = row.row(0).expect("one row");
        let cells: Vec<&[u8]> = row.cells().map(|cell| cell.value).collect();
        assert!(cells.len() == 2 && cells[0] == cells[1], "the changing row of thread {thread} is torn");
        let is_it = |number: usize, round: usize| cells[0] == value(round, *thread, number);
        // The last one acknowledged, or one that was made and not yet answered, in this round or one before.
        let later =
            (last_round..=round).any(|round| (0..=number.max(10_000)).any(|number| is_it(number, round)));
        assert!(is_it(number, last_round) || later, "the changing row of thread {thread} is an old one");
    }
    let mut row = RowBatch::new();
    if store.get(&name("t"), &Get::new("counter"), &mut row).expect("the store works") {
        let row = row.row(0).expect("one row");
        let numbers: Vec<u64> =
            row.cells().map(|cell| u64::from_be_bytes(cell.value.try_into().expect("a counter"))).collect();
        assert!(numbers.len() == 2 && numbers[0] == numbers[1], "the counter is torn: {numbers:?}");
        let possible = expected.increments..=expected.increments + expected.uncertain;
        assert!(
            possible.contains(&numbers[0]),
            "the counter is {}, and {possible:?} is possible",
            numbers[0]
        );
    } else {
        assert_eq!(expected.increments, 0, "the counter is lost");
    }
    acknowledged.iter().flatten().map(|last| last + 1).sum()
}

/// SplitMix64, so that a run can be told from its seed.
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

#[expect(clippy::print_stdout, reason = "the long run is watched")]
fn kills(durability: &str, kills: usize) {
    let mut state = u64::from(std::process::id());
    println!("{durability}: {kills} kills, seed {state}");
    let (mut changes, mut done) = (0, 0);
    while done < kills {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut expected = Expected::default();
        for round in 0..20.min(kills - done) {
            let after = Duration::from_millis(random(&mut state) % 120);
            let acknowledged = write_and_kill(folder.path(), round, durability, after);
            changes += check(folder.path(), round, &acknowledged, &mut expected);
            done += 1;
        }
    }
    println!("{durability}: {done} kills, {changes} acknowledged changes, 0 lost, 0 torn");
    assert!(changes > 0, "something was acknowledged");
}

/// A third of the kills for each durability; a few unless `ROWKEY_TEST_KILLS` asks for more.
fn asked() -> usize {
    std::env::var(KILLS).ok().and_then(|text| text.parse::<usize>().ok()).unwrap_or(15).div_ceil(3)
}

#[test]
fn synced_changes_survive_kills() {
    kills("sync", asked());
}

#[test]
fn changes_synced_in_groups_survive_kills() {
    kills("group", asked());
}

#[test]
fn buffered_changes_survive_kills() {
    kills("buffered", asked());
}

//! The candidates that encode and decode keys.
//!
//! ```text
//! [salt: u8][user_id: u64][ts: i64 desc][order_id]
//!     1          8          8 (MAX - ts)   10 to 14 bytes
//! ```
//!
//! Every candidate of this layout must give the same bytes as the hand-written floor, the JVM's too; the formats of other
//! crates have bytes of their own, which must sort alike. This is asserted before anything is timed.
//!
//! To add a candidate: a call of [`Contest::same`] (or [`decode::Reading::rows`]) with its name and what it does with
//! the records. [`encode`], [`decode`] and [`md5`] say where rowkey's own stand.

mod decode;
mod encode;
mod md5;

use std::cell::RefCell;
use std::hint::black_box;

use rowkey_core::KeySchema;
use rowkey_core::batch::{BatchEncoder, Column, KeyBatch};
use rowkey_core::internal::fnv1a;

use crate::elsewhere::Elsewhere;
use crate::jvm;
use crate::ratio::{Report, Table};
use crate::records::Records;

/// What takes part, and how often.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    pub java: bool,
    pub rounds: usize,
}

/// Runs all tables and prints them.
///
/// # Errors
/// When the JVM cannot be started.
pub fn run(options: Options) -> Result<(), String> {
    let records = Records::new();
    let jvm = if options.java { Some(RefCell::new(jvm::start()?)) } else { None };
    let jvm = jvm.as_ref();
    println!(
        "{} records, {} rounds; a ratio is the median over rounds of candidate / first line\n",
        records.user_ids.len(),
        options.rounds
    );
    println!("{}", encode::given_salt(&records, jvm).run(options.rounds));
    println!("{}", encode::computed_salt(&records, jvm).run(options.rounds));
    println!("{}", decode::given_salt(&records, jvm).run(options.rounds));
    println!("{}", decode::computed_salt(&records).run(options.rounds));
    println!("{}", md5::table(&records, jvm).run(options.rounds));
    Ok(())
}

/// Keys, one after another, in one buffer that is used again.
#[derive(Default)]
pub struct Arena {
    /// The bytes of all keys.
    pub bytes: Vec<u8>,
    /// Where each key ends.
    pub ends: Vec<u32>,
}

impl Arena {
    /// Ends the key that was just written.
    #[inline]
    fn end_key(&mut self) {
        self.ends.push(self.bytes.len() as u32);
    }

    fn keys(&self) -> impl Iterator<Item = &[u8]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let key = &self.bytes[start..end as usize];
            start = end as usize;
            key
        })
    }

    fn to_vecs(&self) -> Vec<Vec<u8>> {
        self.keys().map(<[u8]>::to_vec).collect()
    }
}

/// A table of candidates that make keys, and the keys that they must make.
pub struct Contest<'a> {
    table: Table<'a>,
    expected: Vec<Vec<u8>>,
}

impl<'a> Contest<'a> {
    /// A table with its floor, whose keys are the right ones.
    pub fn new(title: impl Into<String>, floor: &str, mut make: impl FnMut(&mut Arena) + 'a) -> Self {
        let expected = made(&mut make);
        let mut contest = Self { table: Table::new(title, expected.len()), expected };
        contest.same(floor, make);
        contest
    }

    /// Adds a candidate that fills an empty arena with the same keys.
    pub fn same(&mut self, name: &str, mut make: impl FnMut(&mut Arena) + 'a) {
        let keys = made(&mut make);
        assert!(keys == self.expected, "`{name}` makes other keys than the floor");
        self.timed(name, &keys, make);
    }

    /// Adds a candidate of another format that fills an empty arena with keys that sort alike.
    pub fn alike(&mut self, name: &str, mut make: impl FnMut(&mut Arena) + 'a) {
        let keys = made(&mut make);
        self.assert_alike(name, &keys);
        self.timed(name, &keys, make);
    }

    fn timed(&mut self, name: &str, keys: &[Vec<u8>], mut make: impl FnMut(&mut Arena) + 'a) {
        let mut arena = Arena::default();
        self.table.here(name, bytes_per_key(keys), move || {
            arena.bytes.clear();
            arena.ends.clear();
            make(&mut arena);
            black_box(&mut arena);
        });
    }

    /// Adds a candidate that keeps its keys in its own way; `keys` is what a pass makes.
    pub fn own(&mut self, name: &str, keys: &[Vec<u8>], pass: impl FnMut() + 'a) {
        self.assert_alike(name, keys);
        self.table.here(name, bytes_per_key(keys), pass);
    }

    /// Adds rowkey's own batches: the same keys from columns.
    pub fn batch(&mut self, key: &'static KeySchema, columns: Vec<Column<'a>>) {
        let mut encoder = BatchEncoder::new(key);
        let mut keys = KeyBatch::new();
        encoder.encode(&columns, &mut keys).expect("every record has a key");
        let made: Vec<Vec<u8>> = keys.iter().map(<[u8]>::to_vec).collect();
        assert!(made == self.expected, "batches make other keys than the floor");
        self.table.here("rowkey, batch", bytes_per_key(&made), move || {
            encoder.encode(&columns, &mut keys).expect("every record has a key");
            black_box(&mut keys);
        });
    }

    /// Adds a candidate of the JVM that makes the same keys.
    pub fn in_java(&mut self, jvm: Option<&'a RefCell<Elsewhere>>, candidates: &[&'static str]) {
        let checksum = fnv1a(&self.expected.concat());
        let bytes = bytes_per_key(&self.expected);
        in_java(&mut self.table, jvm, candidates, checksum, bytes);
    }

    /// Lets all take their turns.
    pub fn run(self, rounds: usize) -> Report {
        self.table.run(rounds)
    }

    fn assert_alike(&self, name: &str, keys: &[Vec<u8>]) {
        assert!(order(keys) == order(&self.expected), "the keys of `{name}` do not sort like the floor's");
    }
}

fn in_java<'a>(
    table: &mut Table<'a>,
    jvm: Option<&'a RefCell<Elsewhere>>,
    candidates: &[&'static str],
    checksum: u64,
    bytes_per_key: f64,
) {
    for &candidate in jvm.map_or(&[][..], |_| candidates) {
        let Some(jvm) = jvm else { continue };
        let found = jvm.borrow_mut().warm(candidate);
        assert!(found == checksum, "`{candidate}` of the JVM makes other keys than the floor");
        let measure = move || jvm.borrow_mut().nanoseconds(candidate);
        table.elsewhere(&format!("Java: {candidate}"), bytes_per_key, measure);
    }
}

fn made(make: &mut impl FnMut(&mut Arena)) -> Vec<Vec<u8>> {
    let mut arena = Arena::default();
    make(&mut arena);
    arena.to_vecs()
}

/// The places of the keys, sorted by key.
fn order(keys: &[Vec<u8>]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..keys.len()).collect();
    places.sort_by_key(|&place| &keys[place]);
    places
}

fn bytes_per_key(keys: &[Vec<u8>]) -> f64 {
    keys.iter().map(Vec::len).sum::<usize>() as f64 / keys.len() as f64
}

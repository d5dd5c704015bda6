//! Counting the rows of one design.

use rowkey_core::Value;
use rowkey_core::batch::{BatchEncoder, Column, Seed, Values};
use rowkey_core::value::{TimeFormat, likely_unit};

use super::Options;
use super::grid::Grid;
use super::outcome::Load;
use crate::model::{CutTable, Encoded, pick};

/// Numbers below this are seconds since 1970, not milliseconds: as milliseconds they would be before March 1973.
const SECONDS: i128 = 100_000_000_000;

/// When a record is written, in milliseconds since 1970.
pub(crate) fn millis(value: &Value<'_>) -> Option<i64> {
    match value {
        Value::Time(millis) => Some(*millis),
        Value::Int(number) => of_number(i64::try_from(*number).ok()?),
        _ => None,
    }
}

/// A whole number as a time: in the unit in which it is a likely one, `20240524` as a date.
fn of_number(number: i64) -> Option<i64> {
    match likely_unit(number) {
        Some(unit) => TimeFormat::of(unit).truncating().read_number(number.into()).ok(),
        None if i128::from(number).abs() < SECONDS => number.checked_mul(1000),
        None => Some(number),
    }
}

/// What was counted of one part of a design.
#[derive(Debug)]
pub(crate) struct Tally {
    pub(crate) grid: Grid,
    pub(crate) folded: Option<Grid>,
    pub(crate) key_bytes: u64,
    pub(crate) longest: usize,
    pub(crate) rows: u64,
    pub(crate) refused: u64,
    pub(crate) refusal: Option<String>,
}

impl Tally {
    fn new(part: &CutTable<'_>, step: Option<i64>, grids: usize) -> Self {
        let folded = part.folded.as_ref().map(|folded| Grid::new(folded.ranges.regions(), step, grids));
        let grid = Grid::new(part.ranges.regions(), step, grids);
        Self { grid, folded, key_bytes: 0, longest: 0, rows: 0, refused: 0, refusal: None }
    }

    pub(crate) fn merge(&mut self, other: Self) {
        self.grid.merge(other.grid);
        if let (Some(own), Some(others)) = (&mut self.folded, other.folded) {
            own.merge(others);
        }
        self.key_bytes += other.key_bytes;
        self.longest = self.longest.max(other.longest);
        self.rows += other.rows;
        self.refused += other.refused;
        self.refusal = self.refusal.take().or(other.refusal);
    }
}

/// Counts the rows of some parts.
pub(crate) struct Counter<'p> {
    parts: Vec<PartCounter<'p>>,
    times: Vec<Option<i64>>,
    seed: u64,
}

/// When records are written.
#[derive(Clone, Copy)]
enum Times<'t> {
    All(&'t [i64]),
    Some(&'t [Option<i64>]),
}

impl Times<'_> {
    #[inline]
    fn of(self, row: usize) -> Option<i64> {
        match self {
            Self::All(times) => times.get(row).copied(),
            Self::Some(times) => times.get(row).copied().flatten(),
        }
    }
}

struct PartCounter<'p> {
    part: &'p CutTable<'p>,
    encoder: BatchEncoder<'p>,
    encoded: Encoded,
    tally: Tally,
    folded_key: Vec<u8>,
}

impl<'p> Counter<'p> {
    /// A counter; `counters` of them share the memory.
    pub(crate) fn new(parts: &'p [CutTable<'p>], options: &Options, counters: usize) -> Self {
        let folded = parts.iter().filter(|part| part.folded.is_some()).count();
        let grids = (parts.len() + folded) * counters;
        let parts = parts.iter().map(|part| PartCounter {
            part,
            encoder: BatchEncoder::new(part.key),
            encoded: Encoded::default(),
            tally: Tally::new(part, options.step, grids),
            folded_key: Vec::new(),
        });
        Self { parts: parts.collect(), times: Vec::new(), seed: options.seed }
    }

    /// Counts records, one column for each field of the data; `first` is the number of the first one.
    pub(crate) fn add(&mut self, columns: &[Column<'_>], time: Option<usize>, rows: usize, first: u64) {
        let times = match time.and_then(|place| columns.get(place)) {
            None => Times::Some(&[]),
            Some(column) => match (column.values(), column.nulls()) {
                // What nearly all data has: no value has to be asked what it is.
                (Values::Time(times), None) => Times::All(times),
                _ => {
                    self.times.clear();
                    self.times.extend((0..rows).map(|row| millis(&column.value(row))));
                    Times::Some(&self.times)
                }
            },
        };
        let seed = Seed { seed: self.seed, first_record: first };
        for PartCounter { part, encoder, encoded, tally, folded_key } in &mut self.parts {
            encoded.encode(part.key, encoder, &pick(&part.columns, columns), rows, seed);
            tally.add(part, encoded, times, folded_key);
        }
    }

    /// What was counted, part by part.
    pub(crate) fn into_tallies(self) -> Vec<Tally> {
        self.parts.into_iter().map(|part| part.tally).collect()
    }
}

impl Tally {
    fn add(&mut self, part: &CutTable<'_>, encoded: &Encoded, times: Times<'_>, folded_key: &mut Vec<u8>) {
        self.rows += encoded.keys.len() as u64;
        self.key_bytes += encoded.keys.byte_len() as u64;
        self.refused += encoded.refused;
        if self.refusal.is_none() {
            self.refusal.clone_from(&encoded.refusal);
        }
        let time_of = |place: usize| {
            let row = match &encoded.rows {
                Some(rows) => rows.get(place).map_or(place, |row| *row as usize),
                None => place,
            };
            times.of(row)
        };
        for (place, key) in encoded.keys.iter().enumerate() {
            self.longest = self.longest.max(key.len());
            self.grid.add(time_of(place), part.ranges.region(key) as u32);
        }
        if let (Some(grid), Some(folded)) = (&mut self.folded, &part.folded) {
            for (place, key) in encoded.keys.iter().enumerate() {
                folded.fold(key, folded_key);
                grid.add(time_of(place), folded.ranges.region(folded_key) as u32);
            }
        }
    }
}

/// How the keys of one table fall on its servers, by the times of their records.
pub(crate) fn load(
    part: &CutTable<'_>,
    keys: &Encoded,
    times: Option<&[Option<i64>]>,
    servers: usize,
) -> Load {
    let mut tally = Tally::new(part, None, 1);
    tally.add(part, keys, Times::Some(times.unwrap_or_default()), &mut Vec::new());
    let regions = tally.grid.finish(servers).grouped(&part.region_of, part.regions.regions());
    Load::of_servers(&regions.grouped(&part.server_of, servers))
}

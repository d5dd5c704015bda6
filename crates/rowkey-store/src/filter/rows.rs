//! Filters that look at row keys, or count rows.

use rowkey_core::range::KeyRange;

use super::FuzzyKey;
use super::running::{Compare, Hints, Judge, Verdict};
use crate::{CellView, Direction};

/// The verdict on every cell of a row that is out, or in.
fn whole(out: bool) -> Verdict {
    if out { Verdict::NextRow } else { Verdict::Include }
}

/// Rows whose key starts so; done when the scan has passed them.
pub(super) struct Prefix {
    prefix: Vec<u8>,
    direction: Direction,
    passed: bool,
    out: bool,
}

impl Prefix {
    pub(super) fn new(prefix: Vec<u8>, direction: Direction) -> Self {
        Self { prefix, direction, passed: false, out: true }
    }
}

impl Judge for Prefix {
    fn reset(&mut self) {
        self.out = true;
    }

    fn is_done(&self) -> bool {
        self.passed
    }

    fn rejects_key(&mut self, row: &[u8]) -> bool {
        if self.passed {
            return true;
        }
        let order = row.get(..self.prefix.len()).unwrap_or(row).cmp(&self.prefix);
        self.passed = match self.direction {
            Direction::Forward => order.is_gt(),
            Direction::Reverse => order.is_lt(),
        };
        self.out = order.is_ne();
        self.passed
    }

    fn judge(&mut self, _: &CellView<'_>) -> Verdict {
        whole(self.out)
    }

    fn rejects_row(&mut self) -> bool {
        self.out
    }
}

/// Rows whose key compares so.
pub(super) struct Row {
    compare: Compare,
    out: bool,
}

impl Row {
    pub(super) fn new(compare: Compare) -> Self {
        Self { compare, out: false }
    }
}

impl Judge for Row {
    fn reset(&mut self) {
        self.out = false;
    }

    fn rejects_key(&mut self, row: &[u8]) -> bool {
        self.out = !self.compare.holds(row);
        self.out
    }

    fn judge(&mut self, _: &CellView<'_>) -> Verdict {
        whole(self.out)
    }

    fn rejects_row(&mut self) -> bool {
        self.out
    }
}

/// The first so many rows.
pub(super) struct Page {
    size: u64,
    accepted: u64,
}

impl Page {
    pub(super) fn new(size: u64) -> Self {
        Self { size, accepted: 0 }
    }
}

impl Judge for Page {
    fn is_done(&self) -> bool {
        self.accepted >= self.size
    }

    fn rejects_key(&mut self, _: &[u8]) -> bool {
        self.is_done()
    }

    fn judges_rows(&self) -> bool {
        true
    }

    fn rejects_row(&mut self) -> bool {
        self.accepted += 1;
        self.accepted > self.size
    }
}

/// Rows up to and including one.
pub(super) struct InclusiveStop {
    stop: Vec<u8>,
    direction: Direction,
    done: bool,
}

impl InclusiveStop {
    pub(super) fn new(stop: Vec<u8>, direction: Direction) -> Self {
        Self { stop, direction, done: false }
    }
}

impl Judge for InclusiveStop {
    fn is_done(&self) -> bool {
        self.done
    }

    fn rejects_key(&mut self, row: &[u8]) -> bool {
        self.done = self.done
            || match self.direction {
                Direction::Forward => row > self.stop.as_slice(),
                Direction::Reverse => row < self.stop.as_slice(),
            };
        self.done
    }

    fn judge(&mut self, _: &CellView<'_>) -> Verdict {
        whole(self.done)
    }
}

/// Each row with some chance.
pub(super) struct RandomRow {
    /// Out of 2^32.
    chance: f64,
    state: u64,
    out: bool,
}

impl RandomRow {
    pub(super) fn new(chance: f32, seed: u64) -> Self {
        Self { chance: f64::from(chance) * 4_294_967_296.0, state: seed, out: false }
    }

    /// SplitMix64: a few lines, and good enough to draw rows.
    fn draw(&mut self) -> u32 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        u32::try_from((mixed ^ (mixed >> 31)) >> 32).unwrap_or(u32::MAX)
    }
}

impl Judge for RandomRow {
    fn reset(&mut self) {
        self.out = false;
    }

    fn rejects_key(&mut self, _: &[u8]) -> bool {
        self.out = f64::from(self.draw()) >= self.chance;
        self.out
    }

    fn judge(&mut self, _: &CellView<'_>) -> Verdict {
        whole(self.out)
    }

    fn judges_rows(&self) -> bool {
        true
    }

    fn rejects_row(&mut self) -> bool {
        self.out
    }
}

/// Rows that fit a pattern. A row shorter than the pattern fits if it fits as far as it goes.
pub(super) struct FuzzyRow {
    keys: Vec<FuzzyKey>,
    fits: bool,
    out: bool,
}

impl FuzzyRow {
    pub(super) fn new(keys: Vec<FuzzyKey>) -> Self {
        Self { keys, fits: false, out: false }
    }
}

impl Judge for FuzzyRow {
    fn hints(&self) -> Hints {
        Hints::Rows
    }

    fn reset(&mut self) {
        self.out = false;
    }

    fn see_row(&mut self, row: &[u8]) {
        let fits = |FuzzyKey { key, any }: &FuzzyKey| {
            key.iter().zip(any).zip(row).all(|((byte, any), given)| *any || byte == given)
        };
        // The cells are judged and not the key, as in HBase, so that a list of filters sees the same.
        self.fits = self.keys.iter().any(fits);
    }

    fn judge(&mut self, _: &CellView<'_>) -> Verdict {
        self.out = !self.fits;
        whole(self.out)
    }

    fn rejects_row(&mut self) -> bool {
        self.out
    }
}

/// Rows that lie in one of several ranges.
pub(super) struct MultiRowRange {
    ranges: Vec<KeyRange>,
    out: bool,
}

impl MultiRowRange {
    pub(super) fn new(ranges: Vec<KeyRange>) -> Self {
        Self { ranges, out: false }
    }
}

impl Judge for MultiRowRange {
    fn hints(&self) -> Hints {
        Hints::Rows
    }

    fn rejects_key(&mut self, row: &[u8]) -> bool {
        self.out = !self.ranges.iter().any(|range| range.contains(row));
        // Left to the cells, as HBase does.
        false
    }

    fn judge(&mut self, _: &CellView<'_>) -> Verdict {
        whole(self.out)
    }
}

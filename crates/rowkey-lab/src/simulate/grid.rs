//! Counts of rows per range of keys and time.
//!
//! Counts by time step and range, kept for the steps that occur, so that a stray record of 1970 costs one row and not fifty
//! years of them. Data need not be sorted by time. When there are too many steps, they are made coarser along a ladder
//! (milliseconds, seconds, minutes, hours, days …) of which every rung divides the next, so that nothing is lost but detail.
//!
//! **Law** (below): however the records are ordered and however the counting is divided among threads, the result is the
//! same; no record gets lost.

use std::collections::BTreeMap;

/// Lengths of steps in milliseconds, each a multiple of the one before.
const LADDER: [i64; 11] =
    [1, 10, 100, 1_000, 10_000, 60_000, 600_000, 3_600_000, 21_600_000, 86_400_000, 604_800_000];
/// The most steps of a result whose step length is chosen here.
const SHOWN: usize = 240;
/// The most steps of a result whose step length is given, if there is memory for them.
const SHOWN_IF_ASKED: usize = 1_440;
/// While counting there may be more, so that no thread makes its steps longer than the result's.
const MORE: usize = 60;
/// A step is made longer until it has so many rows for each server, or there are only a few steps.
const ROWS_PER_SERVER: u64 = 50;
const FEW_STEPS: usize = 12;
/// Cells of all grids of a simulation together, so that memory stays flat.
const CELLS: usize = 24 << 20;

/// Counts by step and range while they are being counted.
#[derive(Debug, Clone)]
pub(crate) struct Grid {
    /// What was asked for, if anything.
    asked: Option<i64>,
    step: i64,
    width: usize,
    limit: usize,
    /// The row of each step that occurs.
    steps: BTreeMap<i64, usize>,
    rows: Vec<Vec<u32>>,
    untimed: Vec<u64>,
    /// The step that was counted last: most records follow one of the same step.
    near: Near,
}

#[derive(Debug, Clone, Copy, Default)]
struct Near {
    from: i64,
    to: i64,
    row: usize,
}

impl Grid {
    /// A grid over so many ranges, with steps of `asked` milliseconds or as it fits; `grids` of them share the memory.
    pub(crate) fn new(width: usize, asked: Option<i64>, grids: usize) -> Self {
        let asked = asked.map(|step| step.max(1));
        let limit = (CELLS / width.max(1) / grids.max(1)).clamp(SHOWN, SHOWN_IF_ASKED) + MORE;
        Self {
            asked,
            step: asked.unwrap_or(LADDER.first().copied().unwrap_or(1)),
            width,
            limit,
            steps: BTreeMap::new(),
            rows: Vec::new(),
            untimed: vec![0; width],
            near: Near::default(),
        }
    }

    /// Counts a row.
    #[inline]
    pub(crate) fn add(&mut self, time: Option<i64>, range: u32) {
        let Some(time) = time else {
            self.untimed[range as usize] += 1;
            return;
        };
        if time < self.near.from || time >= self.near.to {
            self.find(time);
        }
        self.rows[self.near.row][range as usize] += 1;
    }

    /// Makes `near` the row of a time.
    fn find(&mut self, time: i64) {
        loop {
            let step = time.div_euclid(self.step);
            let known = self.steps.get(&step).copied();
            if known.is_none() && self.steps.len() >= self.limit {
                self.coarsen(next(self.step, self.asked));
                continue;
            }
            let row = known.unwrap_or_else(|| {
                self.rows.push(vec![0; self.width]);
                self.steps.insert(step, self.rows.len() - 1);
                self.rows.len() - 1
            });
            let from = step.saturating_mul(self.step);
            self.near = Near { from, to: from.saturating_add(self.step), row };
            return;
        }
    }

    /// Steps of this length, which is a multiple of the present one.
    fn coarsen(&mut self, step: i64) {
        let factor = step / self.step;
        let (mut steps, mut rows): (BTreeMap<i64, usize>, Vec<Vec<u32>>) = Default::default();
        for (old, row) in std::mem::take(&mut self.steps) {
            let counts = std::mem::take(&mut self.rows[row]);
            match steps.get(&old.div_euclid(factor)) {
                Some(row) => rows[*row].iter_mut().zip(counts).for_each(|(sum, count)| *sum += count),
                None => {
                    rows.push(counts);
                    steps.insert(old.div_euclid(factor), rows.len() - 1);
                }
            }
        }
        (self.steps, self.rows, self.step, self.near) = (steps, rows, step, Near::default());
    }

    /// Adds what another one counted.
    pub(crate) fn merge(&mut self, mut other: Self) {
        while self.step < other.step {
            self.coarsen(next(self.step, self.asked));
        }
        while other.step < self.step {
            other.coarsen(next(other.step, other.asked));
        }
        self.untimed.iter_mut().zip(&other.untimed).for_each(|(sum, count)| *sum += count);
        for (step, row) in &other.steps {
            let counts = &other.rows[*row];
            self.find(step.saturating_mul(other.step));
            // Room was found by making steps longer.
            if self.step > other.step {
                let rest = other.steps.range(step..).map(|(step, row)| (*step, *row)).collect();
                other.steps = rest;
                return self.merge(Self { untimed: vec![0; self.width], ..other });
            }
            self.rows[self.near.row].iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
    }

    /// The counts, with steps as long as is useful for so many servers.
    pub(crate) fn finish(mut self, servers: usize) -> Steps {
        let rows: u64 = self.rows.iter().flatten().map(|count| u64::from(*count)).sum();
        let enough = ROWS_PER_SERVER * servers as u64;
        loop {
            let steps = self.steps.len();
            let too_thin = steps > FEW_STEPS && rows / steps as u64 <= enough;
            let longer = match self.asked {
                Some(_) => steps > self.limit - MORE,
                None => steps > SHOWN || (too_thin && self.step < LADDER.last().copied().unwrap_or(1)),
            };
            if !longer {
                break;
            }
            self.coarsen(next(self.step, self.asked));
        }
        let starts = self.steps.keys().map(|step| step.saturating_mul(self.step)).collect();
        let counts = self.steps.values().map(|row| self.rows[*row].iter().copied().map(u64::from).collect());
        let counts = counts.collect();
        Steps { step: self.step, asked: self.asked, starts, counts, untimed: self.untimed }
    }
}

/// The next longer step.
fn next(step: i64, asked: Option<i64>) -> i64 {
    let rung = LADDER.iter().find(|rung| asked.is_none() && **rung > step);
    rung.copied().unwrap_or_else(|| step.saturating_mul(2))
}

/// Counts by step and range.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Steps {
    /// The length of a step in milliseconds.
    pub step: i64,
    /// The length that was asked for; a longer one was needed if it differs.
    pub asked: Option<i64>,
    /// When each step starts that has rows, in milliseconds since 1970.
    pub starts: Vec<i64>,
    /// The rows of each range, for each of these steps.
    pub counts: Vec<Vec<u64>>,
    /// The rows of each range that have no time.
    pub untimed: Vec<u64>,
}

impl Steps {
    /// The rows of each range, whenever they came.
    pub fn totals(&self) -> Vec<u64> {
        let mut totals = self.untimed.clone();
        for row in &self.counts {
            totals.iter_mut().zip(row).for_each(|(sum, count)| *sum += count);
        }
        totals
    }

    /// Both together; steps of one length, which is the longer one.
    pub(crate) fn plus(&self, other: &Self) -> Self {
        let step = self.step.max(other.step);
        let mut sum: BTreeMap<i64, Vec<u64>> = BTreeMap::new();
        for steps in [self, other] {
            for (start, counts) in steps.starts.iter().zip(&steps.counts) {
                let start = start.div_euclid(step.max(1)) * step;
                let row = sum.entry(start).or_insert_with(|| vec![0; counts.len()]);
                row.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
            }
        }
        let untimed = self.untimed.iter().zip(&other.untimed).map(|(a, b)| a + b).collect();
        let (starts, counts) = sum.into_iter().unzip();
        Self { step, asked: self.asked, starts, counts, untimed }
    }

    /// The same by another division: `to` says which one each range belongs to.
    pub fn grouped(&self, to: &[u32], groups: usize) -> Self {
        let group = |counts: &Vec<u64>| {
            let mut grouped = vec![0; groups];
            for (count, place) in counts.iter().zip(to) {
                grouped[*place as usize] += count;
            }
            grouped
        };
        let counts = self.counts.iter().map(group).collect();
        Self { counts, untimed: group(&self.untimed), starts: self.starts.clone(), ..*self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn counted(records: &[(Option<i64>, u32)], asked: Option<i64>) -> Grid {
        let mut grid = Grid::new(3, asked, 1);
        records.iter().for_each(|(time, range)| grid.add(*time, *range));
        grid
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn order_and_division_do_not_matter(
            span in prop::sample::select(vec![1_000i64, 90_000_000, 40_000_000_000_000]),
            asked in prop::sample::select(vec![None, Some(60_000i64)]),
            draws in prop::collection::vec((0.0..1.0f64, 0..3u32, any::<bool>()), 1..4000),
            cut in 0.0..1.0f64,
        ) {
            let records: Vec<(Option<i64>, u32)> = draws
                .iter()
                .map(|(at, range, known)| (known.then_some((at * span as f64) as i64), *range))
                .collect();
            let mut sorted = records.clone();
            sorted.sort();
            let whole = counted(&records, asked).finish(4);
            prop_assert_eq!(&counted(&sorted, asked).finish(4), &whole);
            let (left, right) = records.split_at((cut * records.len() as f64) as usize);
            let mut merged = counted(left, asked);
            merged.merge(counted(right, asked));
            prop_assert_eq!(&merged.finish(4), &whole);
            let sum: u64 = whole.totals().iter().sum();
            prop_assert_eq!(sum, records.len() as u64);
            prop_assert!(whole.starts.len() <= SHOWN_IF_ASKED);
        }
    }

    #[test]
    fn minutes_of_a_day_are_shown_in_steps_of_ten_and_as_asked() {
        let records: Vec<(Option<i64>, u32)> =
            (0..86_400 * 4).map(|quarter| (Some(quarter * 250), 0)).collect();
        let free = counted(&records, None).finish(4);
        assert_eq!((free.step, free.starts.len()), (600_000, 144));
        let asked = counted(&records, Some(60_000)).finish(4);
        assert_eq!((asked.step, asked.starts.len(), asked.counts[7][0]), (60_000, 1440, 240));
    }

    #[test]
    fn a_stray_time_costs_one_step() {
        let mut records: Vec<(Option<i64>, u32)> =
            (0..36_000).map(|second| (Some(1_700_000_000_000 + second * 1_000), 1)).collect();
        records.push((Some(-5), 2));
        let steps = counted(&records, None).finish(1);
        assert_eq!((steps.step, steps.starts.first()), (600_000, Some(&-600_000)));
        assert_eq!(steps.counts[0], [0, 0, 1]);
    }
}

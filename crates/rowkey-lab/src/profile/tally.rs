//! Counts of a field's values that do not depend on their order.
//!
//! Every thread has a tally of its own; added up they are the tally of all. **Law** (`tests/profile.rs`): in whatever order
//! and parts the records come, the sum is the same.

use super::cell::{Cell, Form, POSITIONS};
use super::distinct::Distinct;

/// Counts of one field.
#[derive(Debug, Clone)]
pub(super) struct Tally {
    form: Form,
    pub(super) values: u64,
    pub(super) nulls: u64,
    pub(super) distinct: Distinct,
    /// How often each byte stands at each position.
    histogram: Vec<[u64; 256]>,
    lengths: Option<(usize, usize, u64)>,
    step: Option<Stride>,
}

/// The largest number that divides all differences.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stride {
    /// Any value.
    base: i64,
    divisor: u64,
}

/// How long texts are, in bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lengths {
    /// The length of the shortest text.
    pub min: usize,
    /// On average.
    pub mean: f64,
    /// The length of the longest text.
    pub max: usize,
}

impl Tally {
    /// Nothing yet; `own_length` if values are as long as they are, as texts.
    pub(super) fn new(form: Form, own_length: bool) -> Self {
        let positions = if own_length { POSITIONS } else { form.width };
        Self {
            form,
            values: 0,
            nulls: 0,
            distinct: Distinct::default(),
            histogram: vec![[0; 256]; positions],
            lengths: None,
            step: None,
        }
    }

    /// Counts values; those that are new in their batch, by their hashes, are for [`Tally::distinct`].
    pub(super) fn add<C: Cell>(&mut self, cells: impl Iterator<Item = C>) {
        for cell in cells {
            self.values += 1;
            cell.count_bytes(self.form, &mut self.histogram);
            if let Some(length) = cell.length() {
                let (min, max, sum) = self.lengths.unwrap_or((length, length, 0));
                self.lengths = Some((min.min(length), max.max(length), sum + length as u64));
            }
            if let Some(number) = cell.number() {
                self.step = Some(Stride::with(self.step, number));
            }
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.values += other.values;
        self.nulls += other.nulls;
        self.distinct.merge(&other.distinct);
        for (own, others) in self.histogram.iter_mut().zip(&other.histogram) {
            own.iter_mut().zip(others).for_each(|(own, other)| *own += other);
        }
        self.lengths = match (self.lengths, other.lengths) {
            (Some((min, max, sum)), Some(others)) => {
                Some((min.min(others.0), max.max(others.1), sum + others.2))
            }
            (own, others) => own.or(others),
        };
        self.step = Stride::merged(self.step, other.step);
    }

    pub(super) fn lengths(&self) -> Option<Lengths> {
        let (min, max, sum) = self.lengths?;
        Some(Lengths { min, max, mean: sum as f64 / self.values.max(1) as f64 })
    }

    /// Whether all texts are of the length of a UUID or digest, and hexadecimal as far as bytes are counted.
    pub(super) fn is_digest(&self) -> bool {
        let Some((min, max, _)) = self.lengths else { return false };
        min == max
            && [24, 32, 36, 40, 64].contains(&min)
            && self.only(|byte| byte.is_ascii_hexdigit() || (byte == b'-' && min == 36))
    }

    /// Whether all texts are whole numbers without a leading zero.
    pub(super) fn is_whole_number(&self) -> bool {
        let Some((1.., max @ ..=18, _)) = self.lengths else { return false };
        let zeros = self.histogram.first().map_or(0, |counts| counts[usize::from(b'0')]);
        (zeros == 0 || max == 1) && self.only(|byte| byte.is_ascii_digit())
    }

    /// Whether nothing but such bytes stand at the positions that are counted.
    fn only(&self, is_one: impl Fn(u8) -> bool) -> bool {
        let there = |counts: &[u64; 256]| (0..=255u8).zip(counts).all(|(byte, n)| *n == 0 || is_one(byte));
        self.histogram.iter().all(there)
    }

    /// What divides all differences; `None` if there are none.
    pub(super) fn step(&self) -> Option<u64> {
        self.step.map(|step| step.divisor).filter(|divisor| *divisor > 0)
    }

    /// What divides all values and all differences; `None` if there is no value but zero.
    pub(super) fn multiple(&self) -> Option<u64> {
        self.step?.multiple()
    }

    /// Bits of entropy at each byte position, of the values that are so long.
    pub(super) fn entropy(&self) -> Vec<f64> {
        let bits = self.histogram.iter().map(|counts| {
            let all: u64 = counts.iter().sum();
            let share = |count: &u64| *count as f64 / all as f64;
            let bits: f64 =
                counts.iter().filter(|count| **count > 0).map(|c| -share(c) * share(c).log2()).sum();
            (all > 0).then_some(bits.max(0.0))
        });
        bits.map_while(|bits| bits).collect()
    }
}

impl Stride {
    /// The steps of these numbers.
    pub(crate) fn of(numbers: impl Iterator<Item = i64>) -> Option<Self> {
        numbers.fold(None, |step, number| Some(Self::with(step, number)))
    }

    /// The steps with one more number.
    #[inline]
    fn with(step: Option<Self>, number: i64) -> Self {
        let mut step = step.unwrap_or(Self { base: number, divisor: 0 });
        let difference = number.abs_diff(step.base);
        if step.divisor != 1
            && difference != 0
            && (step.divisor == 0 || !difference.is_multiple_of(step.divisor))
        {
            step.divisor = gcd(step.divisor, difference);
        }
        step
    }

    /// The steps of two lots of numbers together.
    pub(crate) fn merged(own: Option<Self>, other: Option<Self>) -> Option<Self> {
        match (own, other) {
            (Some(own), Some(other)) => {
                Some(Self::with(Some(Self { divisor: gcd(own.divisor, other.divisor), ..own }), other.base))
            }
            (own, other) => own.or(other),
        }
    }

    /// What divides all values and all differences; `None` if there is no value but zero.
    pub(crate) fn multiple(self) -> Option<u64> {
        Some(gcd(self.divisor, self.base.unsigned_abs())).filter(|divisor| *divisor > 0)
    }
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

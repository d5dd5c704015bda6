//! Cardinality: the number of distinct values.
//!
//! It is exact as long as there are few; from then on by HyperLogLog with 16,384 registers, whose standard error is 0.8%. It
//! is computed from the registers alone (Ertl's estimator, which needs no table and no switch between ranges), so the
//! figure is the same in whatever order and parts the values came.

use std::collections::HashSet;

/// So many are counted exactly, by their hashes.
const EXACT: usize = 4096;
const BITS: u32 = 14;
const REGISTERS: usize = 1 << BITS;

/// How many different values there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DistinctCount {
    /// How many.
    pub count: u64,
    /// Whether it is exact; otherwise it is about 1% off, rarely more than 3%.
    pub exact: bool,
}

/// Registers alone, for many values.
#[derive(Debug, Clone)]
pub(super) struct Registers(Vec<u8>);

impl Default for Registers {
    fn default() -> Self {
        Self(vec![0; REGISTERS])
    }
}

impl Registers {
    #[inline]
    pub(super) fn add(&mut self, hash: u64) {
        let rank = ((hash << BITS) | 1 << (BITS - 1)).leading_zeros() as u8 + 1;
        let register = &mut self.0[(hash >> (64 - BITS)) as usize];
        *register = rank.max(*register);
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(own, other)| *own = (*own).max(*other));
    }

    pub(super) fn estimate(&self) -> f64 {
        const RANKS: usize = 64 - BITS as usize;
        let mut counts = [0_u32; RANKS + 2];
        self.0.iter().for_each(|register| counts[usize::from(*register)] += 1);
        let all = REGISTERS as f64;
        let share = |rank: usize| f64::from(counts[rank]) / all;
        let mut sum = all * tau(1.0 - share(RANKS + 1));
        for rank in (1..=RANKS).rev() {
            sum = 0.5 * (sum + all * share(rank));
        }
        sum += all * sigma(share(0));
        all * all / (2.0 * std::f64::consts::LN_2 * sum)
    }
}

/// What empty registers add.
fn sigma(mut x: f64) -> f64 {
    if x >= 1.0 {
        return f64::INFINITY;
    }
    let (mut y, mut sum) = (1.0, x);
    loop {
        x *= x;
        let before = sum;
        sum += x * y;
        y += y;
        if sum <= before {
            return sum;
        }
    }
}

/// What full registers add.
fn tau(mut x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return 0.0;
    }
    let (mut y, mut sum) = (1.0, 1.0 - x);
    loop {
        x = x.sqrt();
        let before = sum;
        y *= 0.5;
        sum -= (1.0 - x) * (1.0 - x) * y;
        if sum >= before {
            return sum / 3.0;
        }
    }
}

/// Different values so far.
#[derive(Debug, Clone)]
pub(super) struct Distinct {
    exact: Option<HashSet<u64>>,
    registers: Registers,
}

impl Default for Distinct {
    fn default() -> Self {
        Self { exact: Some(HashSet::new()), registers: Registers::default() }
    }
}

impl Distinct {
    #[inline]
    pub(super) fn add(&mut self, hash: u64) {
        self.registers.add(hash);
        if let Some(exact) = &mut self.exact {
            exact.insert(hash);
            if exact.len() > EXACT {
                self.exact = None;
            }
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.registers.merge(&other.registers);
        self.exact = match (self.exact.take(), &other.exact) {
            (Some(mut own), Some(others)) => {
                own.extend(others);
                (own.len() <= EXACT).then_some(own)
            }
            _ => None,
        };
    }

    pub(super) fn count(&self) -> DistinctCount {
        match &self.exact {
            Some(exact) => DistinctCount { count: exact.len() as u64, exact: true },
            None => DistinctCount { count: self.registers.estimate().round() as u64, exact: false },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::cell::mix;

    #[test]
    fn few_are_exact_and_many_within_three_percent_in_any_order() {
        let mut total = Distinct::default();
        let (mut even, mut odd) = (Distinct::default(), Distinct::default());
        let mut seen = 0_u64;
        for goal in [0, 1, 100, 4096, 4097, 10_000, 100_000, 1_000_000] {
            while seen < goal {
                total.add(mix(seen));
                if seen.is_multiple_of(2) {
                    even.add(mix(seen))
                } else {
                    odd.add(mix(seen))
                }
                seen += 1;
            }
            let mut merged = odd.clone();
            merged.merge(&even);
            assert_eq!(merged.count(), total.count(), "parts give what the whole gives");
            let found = total.count();
            assert_eq!(found.exact, goal <= 4096);
            let error = (found.count as f64 - goal as f64).abs() / (goal as f64).max(1.0);
            assert!(error < if found.exact { 1e-9 } else { 0.03 }, "{goal}: {found:?}");
        }
    }
}

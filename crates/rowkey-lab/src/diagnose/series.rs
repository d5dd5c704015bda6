//! What writes do over time.

use crate::simulate::Steps;

/// Writes by region and step, with the empty steps between.
pub(super) struct Series {
    /// One row for each region.
    regions: Vec<Vec<f64>>,
    total: Vec<f64>,
}

/// Fewer steps than this say nothing.
const FEW: usize = 12;
/// More steps than this, most of them empty, are no series.
const MANY: i64 = 10_000;
/// Before a period's peak the correlation must have fallen this far below it.
const DIP: f64 = 0.2;
/// A change is one from this many times to once.
const TIMES: f64 = 2.0;

/// Where a series changes.
pub(super) struct Change {
    /// The first step behind the change.
    pub(super) at: usize,
    /// The mean before and from there on.
    pub(super) before: f64,
    pub(super) after: f64,
    /// How much of the variation it explains.
    pub(super) explained: f64,
}

impl Series {
    pub(super) fn of(steps: &Steps) -> Self {
        let none = Self { regions: Vec::new(), total: Vec::new() };
        let (Some(first), Some(last)) = (steps.starts.first(), steps.starts.last()) else { return none };
        let length = (last - first) / steps.step.max(1) + 1;
        if length > MANY {
            return none;
        }
        let length = length as usize;
        let mut regions = vec![vec![0.0; length]; steps.untimed.len()];
        let mut total = vec![0.0; length];
        for (start, counts) in steps.starts.iter().zip(&steps.counts) {
            let at = ((start - first) / steps.step.max(1)) as usize;
            regions.iter_mut().zip(counts).for_each(|(region, count)| region[at] = *count as f64);
            total[at] = counts.iter().sum::<u64>() as f64;
        }
        // The first and the last step are usually cut off by the data.
        Self { regions, total }
    }

    /// The distance after which the regions' writes come again, with the correlation.
    pub(super) fn period(&self, least: f64) -> Option<(usize, f64)> {
        let length = self.total.len();
        if length < FEW {
            return None;
        }
        let centred: Vec<Vec<f64>> = self
            .regions
            .iter()
            .map(|region| {
                let mean = region.iter().sum::<f64>() / length as f64;
                region.iter().map(|count| count - mean).collect()
            })
            .collect();
        let all: f64 = centred.iter().flatten().map(|value| value * value).sum();
        if all <= 0.0 {
            return None;
        }
        let at = |distance: usize| -> f64 {
            let together: f64 = centred
                .iter()
                .map(|region| {
                    region.iter().zip(region.iter().skip(distance)).map(|(a, b)| a * b).sum::<f64>()
                })
                .sum();
            // Fewer pairs further apart.
            together / all * length as f64 / (length - distance) as f64
        };
        let correlations: Vec<f64> = (0..=length / 3 + 1).map(at).collect();
        let value = |distance: usize| correlations.get(distance).copied().unwrap_or(f64::NEG_INFINITY);
        let mut lowest = 1.0f64;
        for distance in 1..=length / 3 {
            let here = value(distance);
            let is_peak = here >= value(distance - 1) && here >= value(distance + 1);
            if is_peak && here >= least && lowest <= here - DIP {
                return Some((distance, here));
            }
            lowest = lowest.min(here);
        }
        None
    }

    /// The step from which on there is at least twice or at most half of what was before.
    pub(super) fn change(&self, least: f64) -> Option<Change> {
        let length = self.total.len();
        if length < FEW {
            return None;
        }
        let sum: f64 = self.total.iter().sum();
        let mean = sum / length as f64;
        let variation: f64 = self.total.iter().map(|count| (count - mean).powi(2)).sum();
        let mut before = 0.0;
        let mut best: Option<Change> = None;
        for (place, count) in self.total.iter().enumerate() {
            let at = place + 1;
            before += count;
            if at < 3 || at + 3 > length {
                continue;
            }
            let (left, right) = (before / at as f64, (sum - before) / (length - at) as f64);
            let explained = at as f64 * (length - at) as f64 / length as f64 * (left - right).powi(2)
                / variation.max(1e-9);
            if best.as_ref().is_none_or(|best| best.explained < explained) {
                best = Some(Change { at, before: left, after: right, explained });
            }
        }
        best.filter(|change| {
            let (low, high) = (change.before.min(change.after), change.before.max(change.after));
            change.explained >= least && high >= TIMES * low.max(1.0)
        })
    }

    /// Writes a second in the busiest step.
    pub(super) fn peak_rate(&self, step: i64) -> f64 {
        self.total.iter().copied().fold(0.0, f64::max) * 1000.0 / step.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(counts: impl Iterator<Item = u64>) -> Series {
        let counts: Vec<Vec<u64>> = counts.map(|count| vec![count]).collect();
        let starts = (0..counts.len() as i64).map(|step| step * 10).collect();
        Series::of(&Steps { step: 10, asked: None, starts, counts, untimed: vec![0] })
    }

    #[test]
    fn periods_and_changes_are_found_where_they_are() {
        let bursts = series((0..48).map(|step| if step % 6 == 0 { 100 } else { 10 + step % 3 }));
        let (distance, correlation) = bursts.period(0.5).unwrap();
        assert_eq!(distance, 6);
        assert!(correlation > 0.9);
        assert!(bursts.change(0.6).is_none());
        let launch = series((0..40).map(|step| if step < 25 { 20 + step % 4 } else { 90 + step % 5 }));
        let change = launch.change(0.6).unwrap();
        assert_eq!((change.at, change.before.round(), change.after.round()), (25, 21.0, 92.0));
        assert!(launch.period(0.5).is_none());
        assert!((launch.peak_rate(10) - 9400.0).abs() < 1e-6);
        let steady = series((0..40).map(|step| 100 + step * 7 % 5));
        assert!(steady.change(0.6).is_none());
        assert!(series((0..5).map(|_| 1)).period(0.5).is_none());
    }
}

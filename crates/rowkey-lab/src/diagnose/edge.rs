//! Detects writes that move through the keys as time goes by.

use crate::simulate::Steps;

/// Spearman's rank correlation of where a row is written with when; `None` if there is only one place or one time.
pub(super) fn correlation(steps: &Steps) -> Option<f64> {
    let places: Vec<u64> = (0..steps.untimed.len())
        .map(|place| steps.counts.iter().filter_map(|row| row.get(place)).sum())
        .collect();
    let times: Vec<u64> = steps.counts.iter().map(|row| row.iter().sum()).collect();
    let (place_ranks, time_ranks) = (ranks(&places), ranks(&times));
    let all: f64 = times.iter().map(|rows| *rows as f64).sum();
    // Ranks of all rows have the same mean on both sides.
    let mean = all / 2.0;
    let spread = |ranks: &[f64], counts: &[u64]| -> f64 {
        ranks.iter().zip(counts).map(|(rank, rows)| *rows as f64 * (rank - mean).powi(2)).sum()
    };
    let (across, along) = (spread(&place_ranks, &places), spread(&time_ranks, &times));
    if across <= 0.0 || along <= 0.0 {
        return None;
    }
    let mut together = 0.0;
    for (row, time) in steps.counts.iter().zip(&time_ranks) {
        for (rows, place) in row.iter().zip(&place_ranks) {
            together += *rows as f64 * (time - mean) * (place - mean);
        }
    }
    Some(together / (across * along).sqrt())
}

/// The mean rank of the rows of each place.
fn ranks(counts: &[u64]) -> Vec<f64> {
    let mut before = 0.0;
    let rank = |rows: &u64| {
        let rank = before + *rows as f64 / 2.0;
        before += *rows as f64;
        rank
    };
    counts.iter().map(rank).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(counts: &[&[u64]]) -> Steps {
        Steps {
            step: 1,
            asked: None,
            starts: (0..counts.len() as i64).collect(),
            counts: counts.iter().map(|row| row.to_vec()).collect(),
            untimed: vec![0; counts[0].len()],
        }
    }

    #[test]
    fn rising_falling_neither_and_nothing_to_tell() {
        let near = |counts: &[&[u64]], expected: f64| {
            let rho = correlation(&steps(counts)).unwrap();
            assert!((rho - expected).abs() < 1e-9, "{rho} is not {expected}");
        };
        near(&[&[9, 0, 0], &[0, 9, 0], &[0, 0, 9]], 1.0);
        near(&[&[0, 0, 9], &[0, 9, 0], &[9, 0, 0]], -1.0);
        near(&[&[3, 3, 3], &[3, 3, 3]], 0.0);
        assert_eq!(correlation(&steps(&[&[5, 0], &[7, 0]])), None);
        assert_eq!(correlation(&steps(&[&[5, 5]])), None);
    }
}

//! Measures of how uneven counts are.

/// How often the largest count is the mean: 1 if all are alike, as many as there are if one has everything. 1 if there is
/// nothing to compare.
pub fn hot_spot(counts: &[u64]) -> f64 {
    let sum: u64 = counts.iter().sum();
    let most = counts.iter().copied().max().unwrap_or(0);
    if sum == 0 { 1.0 } else { ratio(most, sum) * counts.len() as f64 }
}

/// The Gini coefficient: 0 if all are alike, towards 1 if one has everything.
pub fn gini(counts: &[u64]) -> f64 {
    let mut sorted = counts.to_vec();
    sorted.sort_unstable();
    let sum: u64 = sorted.iter().sum();
    if sum == 0 {
        return 0.0;
    }
    let n = sorted.len() as f64;
    let weighted: f64 = (1..).zip(&sorted).map(|(rank, count)| f64::from(rank) * *count as f64).sum();
    2.0 * weighted / (n * sum as f64) - (n + 1.0) / n
}

/// The entropy of the shares over the largest that they could have: 1 if all are alike, 0 if one has everything. Where there
/// are fewer rows than counts, they cannot be more even than one each. Few rows that fall by chance look less even than what
/// they come from; that is corrected as Miller and Madow do.
pub fn evenness(counts: &[u64]) -> f64 {
    let sum: u64 = counts.iter().sum();
    let places = (counts.len() as u64).min(sum);
    if places < 2 {
        return 1.0;
    }
    let shares = counts.iter().filter(|count| **count > 0).map(|count| ratio(*count, sum));
    let entropy: f64 = shares.map(|share| -share * share.ln()).sum();
    let used = counts.iter().filter(|count| **count > 0).count() as f64;
    ((entropy + (used - 1.0) / (2.0 * sum as f64)) / (places as f64).ln()).min(1.0)
}

/// One of another; 0 of nothing.
pub fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alike_everything_and_between() {
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} is not {b}");
        for (counts, hot, gini_of, even) in [
            (&[5, 5, 5, 5][..], 1.0, 0.0, 1.0),
            (&[20, 0, 0, 0], 4.0, 0.75, 0.0),
            (&[10, 10, 0, 0], 2.0, 0.5, 0.5 + 1.0 / 40.0 / 4f64.ln()),
            (&[0, 0], 1.0, 0.0, 1.0),
            (&[7], 1.0, 0.0, 1.0),
        ] {
            near(hot_spot(counts), hot);
            near(gini(counts), gini_of);
            near(evenness(counts), even);
        }
        near(evenness(&[1, 1, 0, 0, 0, 0, 0, 0]), 1.0);
        near(ratio(1, 0), 0.0);
    }
}

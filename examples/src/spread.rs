//! How evenly do regions share the writes?

use std::fmt;

/// The writes of each region, in the order of the keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spread(pub Vec<u64>);

impl Spread {
    /// The share of the busiest region.
    pub fn largest(&self) -> f64 {
        (0..self.0.len()).map(|region| self.share(region)).fold(0.0, f64::max)
    }

    /// The share of a region, the first being 0.
    pub fn share(&self, region: usize) -> f64 {
        let all: u64 = self.0.iter().sum();
        self.0.get(region).map_or(0.0, |writes| *writes as f64 / all.max(1) as f64)
    }

    /// Regions without a single write.
    pub fn idle(&self) -> usize {
        self.0.iter().filter(|writes| **writes == 0).count()
    }
}

impl fmt::Display for Spread {
    /// `25 / 24 / 26 / 25 %`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shares: Vec<String> =
            (0..self.0.len()).map(|region| format!("{:.0}", 100.0 * self.share(region))).collect();
        write!(f, "{} %", shares.join(" / "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_all_writes() {
        let spread = Spread(vec![20, 0, 60]);
        assert_eq!((spread.largest(), spread.idle()), (0.75, 1));
        assert_eq!(spread.to_string(), "25 / 0 / 75 %");
        assert_eq!(Spread(vec![0, 0]).largest(), 0.0);
    }
}

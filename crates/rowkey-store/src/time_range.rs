//! The range of timestamps that a read asks for.

use crate::StoreError;

/// Timestamps from `min`, inclusive, to `max`, exclusive, in milliseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TimeRange {
    min: i64,
    max: i64,
}

impl TimeRange {
    /// Every timestamp.
    pub const ALL: Self = Self { min: 0, max: i64::MAX };

    /// From `min`, inclusive, to `max`, exclusive.
    ///
    /// # Errors
    /// [`StoreError::InvalidTimeRange`] if one is negative or the end comes before the start.
    pub fn new(min: i64, max: i64) -> Result<Self, StoreError> {
        if min < 0 || max < min {
            return Err(StoreError::InvalidTimeRange { min, max });
        }
        Ok(Self { min, max })
    }

    /// Exactly one timestamp.
    ///
    /// # Errors
    /// [`StoreError::InvalidTimeRange`] if it is negative.
    pub fn at(timestamp: i64) -> Result<Self, StoreError> {
        Self::new(timestamp, timestamp.saturating_add(1))
    }

    /// The first timestamp in it.
    pub fn min(&self) -> i64 {
        self.min
    }

    /// The first timestamp past it.
    pub fn max(&self) -> i64 {
        self.max
    }

    /// Whether it leaves nothing out.
    pub fn is_all(&self) -> bool {
        *self == Self::ALL
    }

    /// Whether a timestamp lies in it.
    pub fn contains(&self, timestamp: i64) -> bool {
        self.is_all() || (self.min <= timestamp && timestamp < self.max)
    }

    /// Whether a timestamp, and so every older version too, lies before it.
    pub fn is_after(&self, timestamp: i64) -> bool {
        timestamp < self.min
    }
}

impl Default for TimeRange {
    fn default() -> Self {
        Self::ALL
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_excluded_and_all_means_all() {
        let range = TimeRange::new(5, 9).unwrap();
        assert_eq!([4, 5, 8, 9].map(|at| range.contains(at)), [false, true, true, false]);
        assert!(range.is_after(4) && !range.is_after(5));
        assert!(TimeRange::ALL.contains(i64::MAX));
        assert!(TimeRange::at(7).unwrap().contains(7) && !TimeRange::at(7).unwrap().contains(8));
        for (min, max) in [(-1, 5), (5, 4), (5, -1)] {
            let refused = TimeRange::new(min, max);
            assert!(matches!(refused, Err(StoreError::InvalidTimeRange { .. })), "{refused:?}");
        }
    }
}

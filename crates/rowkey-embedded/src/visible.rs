//! What does a read see of a column's versions?
//!
//! The versions of a column come from the newest to the oldest. HBase counts them, stops at the number that the read
//! and the family allow, and hides a version past the family's time to live unless it is among the first
//! `min_versions`. A version is past its time when `timestamp < now - ttl`: at exactly `now - ttl` it is still there.
//! "Now" is the moment when the read began.
//!
//! Not here: delete markers, time ranges and filters, which come with the complete store; the order is in HBase's
//! `UserScanQueryMatcher`. Reads of several versions of named columns will need care: with `min_versions` above 0,
//! HBase's `ExplicitColumnTracker` returns one expired version more than its `ScanWildcardColumnTracker`. The newest
//! version, which is all that can be asked for today, is the same under both.

use rowkey_store::Family;

/// A time to live that HBase takes as forever (`HConstants.FOREVER`).
const FOREVER_SECONDS: u32 = i32::MAX as u32;

/// What a read that began at some moment may see of a family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Visibility {
    oldest_unexpired: i64,
    min_versions: u32,
    max_versions: u32,
}

/// What becomes of one version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The read returns it.
    Visible,
    /// Neither it nor any older one is returned.
    NoMore,
}

impl Visibility {
    /// For a read that began at `now` and asks for so many versions.
    pub(crate) fn new(family: &Family, now: i64, versions: u32) -> Self {
        let ttl = family.ttl_seconds.filter(|&seconds| seconds < FOREVER_SECONDS);
        Self {
            oldest_unexpired: ttl.map_or(i64::MIN, |seconds| now.saturating_sub(i64::from(seconds) * 1000)),
            min_versions: family.min_versions,
            max_versions: versions.min(family.versions),
        }
    }

    /// Judges the next older version of a column, the `nth` from 1.
    pub(crate) fn judge(&self, nth: u32, timestamp: i64) -> Verdict {
        let expired = timestamp < self.oldest_unexpired;
        if nth > self.max_versions || (nth > self.min_versions && expired) {
            Verdict::NoMore
        } else {
            Verdict::Visible
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The timestamps that a read at 1,000,000 sees of the versions 1,000,000, 990,000 and 1.
    fn seen(versions: u32, min_versions: u32, ttl_seconds: Option<u32>, asked: u32) -> Vec<i64> {
        let family = Family { versions, min_versions, ttl_seconds, ..Family::new("d") };
        let visibility = Visibility::new(&family, 1_000_000, asked);
        let judged = (1..).zip([1_000_000, 990_000, 1]);
        judged
            .take_while(|&(nth, timestamp)| visibility.judge(nth, timestamp) == Verdict::Visible)
            .map(|(_, timestamp)| timestamp)
            .collect()
    }

    #[test]
    fn the_read_and_the_family_limit_versions() {
        assert_eq!(seen(3, 0, None, 1), [1_000_000]);
        assert_eq!(seen(2, 0, None, 9), [1_000_000, 990_000]);
        assert_eq!(seen(3, 0, None, 3), [1_000_000, 990_000, 1]);
    }

    #[test]
    fn a_cell_lives_through_the_last_millisecond_of_its_time() {
        assert_eq!(seen(3, 0, Some(10), 3), [1_000_000, 990_000]);
        assert_eq!(seen(3, 0, Some(9), 3), [1_000_000]);
        let family = Family { ttl_seconds: Some(10), ..Family::new("d") };
        let at = |now| Visibility::new(&family, now, 1).judge(1, 990_000);
        assert_eq!((at(1_000_000), at(1_000_001)), (Verdict::Visible, Verdict::NoMore));
    }

    #[test]
    fn min_versions_outlive_their_time() {
        assert_eq!(seen(3, 2, Some(1), 3), [1_000_000, 990_000]);
        let family = Family { min_versions: 1, ttl_seconds: Some(1), ..Family::new("d") };
        assert_eq!(Visibility::new(&family, i64::MAX, 1).judge(1, 0), Verdict::Visible);
    }

    #[test]
    fn the_largest_time_to_live_is_forever() {
        assert_eq!(seen(3, 0, Some(FOREVER_SECONDS), 3).len(), 3);
        assert_eq!(Visibility::new(&Family::new("d"), i64::MAX, 1).judge(1, 0), Verdict::Visible);
    }
}

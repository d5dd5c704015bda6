//! The versions of a column that a read sees.
//!
//! The cells of a family come row by row, column by column, from the newest to the oldest, markers before puts of their
//! time; markers of the family come under its empty qualifier, before every other column. [`Sight`] takes them one by
//! one and says of each whether the read sees it, in HBase's order: markers, time to live, time range, columns (by the
//! caller), versions of the family. Filters, and the versions that the read asks for after them, come later, in
//! `read`.
//!
//! - A version is past its time when `timestamp < now - ttl`: at exactly `now - ttl` it is still there. "Now" is the
//!   moment when the read began. The newest `min_versions` stay.
//! - Columns asked for by name return one expired version more, behind those that live, if the family has
//!   `min_versions`: HBase's `ExplicitColumnTracker` notices that it is done one version later than its
//!   `ScanWildcardColumnTracker`.
//! - A raw scan sees everything in its time range, and counts puts only.

use rowkey_store::{CellKind, Family, TimeRange};

/// A time to live that HBase takes as forever (`HConstants.FOREVER`).
const FOREVER_SECONDS: u32 = i32::MAX as u32;

/// How long a family's cells live, in milliseconds; `None` if forever.
pub(crate) fn time_to_live(family: &Family) -> Option<i64> {
    family.ttl_seconds.filter(|&seconds| seconds < FOREVER_SECONDS).map(|seconds| i64::from(seconds) * 1000)
}

/// What a read that began at some moment may see of a family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Visibility {
    oldest_unexpired: i64,
    min_versions: u32,
    max_versions: u32,
    time_range: TimeRange,
    raw: bool,
    by_name: bool,
}

/// What a read asks for, as far as visibility is concerned.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReadScope {
    /// When the read began.
    pub(crate) now: i64,
    /// How many versions, at most, matter: without a filter those that the read asks for.
    pub(crate) versions: u32,
    pub(crate) time_range: TimeRange,
    pub(crate) raw: bool,
    /// Whether columns are asked for by name.
    pub(crate) by_name: bool,
}

/// What becomes of one cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The read sees it.
    Visible,
    /// The read sees it, and nothing more of its column.
    VisibleAndLast,
    /// It is hidden, or a marker.
    Hidden,
    /// Neither it nor any older one of its column is seen.
    NoMore,
}

impl Visibility {
    pub(crate) fn new(family: &Family, asked: ReadScope) -> Self {
        let ReadScope { now, versions, time_range, raw, by_name } = asked;
        let ttl = time_to_live(family).filter(|_| !raw);
        Self {
            oldest_unexpired: ttl.map_or(i64::MIN, |ttl| now.saturating_sub(ttl)),
            min_versions: family.min_versions,
            max_versions: if raw { versions } else { versions.min(family.versions) },
            time_range,
            raw,
            by_name,
        }
    }
}

/// The markers and versions seen so far in one row of one family.
#[derive(Debug, Default)]
pub(crate) struct Sight {
    /// The newest marker of the whole family.
    family: Option<i64>,
    /// Times hidden in all columns.
    family_versions: Vec<i64>,
    column: Option<i64>,
    version: Option<i64>,
    /// How many versions of the column were counted.
    nth: u32,
}

impl Sight {
    pub(crate) fn begin_row(&mut self) {
        self.family = None;
        self.family_versions.clear();
        self.begin_column();
    }

    pub(crate) fn begin_column(&mut self) {
        (self.column, self.version, self.nth) = (None, None, 0);
    }

    /// Takes a marker of the family, which counts whatever columns are asked for.
    pub(crate) fn take_family_marker(&mut self, timestamp: i64, kind: CellKind) {
        match kind {
            CellKind::DeleteFamily => self.family = self.family.max(Some(timestamp)),
            CellKind::DeleteFamilyVersion => self.family_versions.push(timestamp),
            _ => {}
        }
    }

    /// Judges the next cell of a column.
    pub(crate) fn judge(&mut self, rules: &Visibility, timestamp: i64, kind: CellKind) -> Verdict {
        if !rules.raw {
            match kind {
                CellKind::Put => {}
                CellKind::DeleteColumn => {
                    self.column = self.column.max(Some(timestamp));
                    return Verdict::Hidden;
                }
                CellKind::Delete => {
                    self.version = Some(timestamp);
                    return Verdict::Hidden;
                }
                CellKind::DeleteFamily | CellKind::DeleteFamilyVersion => return Verdict::Hidden,
            }
            if self.family.max(self.column) >= Some(timestamp) {
                return Verdict::NoMore;
            }
            if self.version == Some(timestamp) || self.family_versions.contains(&timestamp) {
                return Verdict::Hidden;
            }
        }
        let expired = timestamp < rules.oldest_unexpired;
        if expired && rules.min_versions == 0 || rules.time_range.is_after(timestamp) {
            return Verdict::NoMore;
        }
        if !rules.time_range.contains(timestamp) {
            return Verdict::Hidden;
        }
        self.nth += u32::from(kind == CellKind::Put);
        if rules.by_name {
            let last = self.nth >= rules.max_versions || (self.nth >= rules.min_versions && expired);
            return if last { Verdict::VisibleAndLast } else { Verdict::Visible };
        }
        if self.nth > rules.max_versions || (self.nth > rules.min_versions && expired) {
            Verdict::NoMore
        } else {
            Verdict::Visible
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(now: i64, versions: u32) -> ReadScope {
        ReadScope { now, versions, time_range: TimeRange::ALL, raw: false, by_name: false }
    }

    fn first(family: &Family, now: i64, timestamp: i64) -> Verdict {
        Sight::default().judge(&Visibility::new(family, asked(now, 1)), timestamp, CellKind::Put)
    }

    /// The timestamps that a read at 1,000,000 sees of the versions 1,000,000, 990,000 and 1.
    fn seen(versions: u32, min_versions: u32, ttl_seconds: Option<u32>, wanted: u32) -> Vec<i64> {
        let family = Family { versions, min_versions, ttl_seconds, ..Family::new("d") };
        let rules = Visibility::new(&family, asked(1_000_000, wanted));
        let mut sight = Sight::default();
        let visible = |timestamp: &i64| sight.judge(&rules, *timestamp, CellKind::Put) == Verdict::Visible;
        [1_000_000, 990_000, 1].into_iter().take_while(visible).collect()
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
        let at = |now| first(&family, now, 990_000);
        assert_eq!((at(1_000_000), at(1_000_001)), (Verdict::Visible, Verdict::NoMore));
    }

    #[test]
    fn min_versions_outlive_their_time() {
        assert_eq!(seen(3, 2, Some(1), 3), [1_000_000, 990_000]);
        let family = Family { min_versions: 1, ttl_seconds: Some(1), ..Family::new("d") };
        assert_eq!(first(&family, i64::MAX, 0), Verdict::Visible);
    }

    #[test]
    fn the_largest_time_to_live_is_forever() {
        assert_eq!(seen(3, 0, Some(FOREVER_SECONDS), 3).len(), 3);
        assert_eq!(first(&Family::new("d"), i64::MAX, 0), Verdict::Visible);
    }

    #[test]
    fn markers_hide_their_times() {
        let family = Family { versions: 9, ..Family::new("d") };
        let rules = Visibility::new(&family, asked(100, 9));
        let mut sight = Sight::default();
        sight.take_family_marker(3, CellKind::DeleteFamily);
        sight.take_family_marker(7, CellKind::DeleteFamilyVersion);
        let cells = [(9, CellKind::Put), (8, CellKind::Delete), (8, CellKind::Put), (7, CellKind::Put)];
        let verdicts = cells.map(|(time, kind)| sight.judge(&rules, time, kind));
        assert_eq!(verdicts, [Verdict::Visible, Verdict::Hidden, Verdict::Hidden, Verdict::Hidden]);
        assert_eq!(sight.judge(&rules, 5, CellKind::Put), Verdict::Visible);
        assert_eq!(sight.judge(&rules, 3, CellKind::Put), Verdict::NoMore);
        sight.begin_column();
        assert_eq!(sight.judge(&rules, 6, CellKind::DeleteColumn), Verdict::Hidden);
        assert_eq!(sight.judge(&rules, 6, CellKind::Put), Verdict::NoMore);
    }
}

//! The position of a scan: where it continues in the next region or after a failure.
//!
//! A scan walks from region to region, and after a failure it starts again after the last row it gave out. The
//! cursor is that place: the bound from which nothing was given out yet, and the bound at which the scan ends.
//! In a reverse scan both are mirrored, as in HBase: the scan starts at the range's end.
//!
//! **Law**: whatever happens between, `after_row` and `after_region` only move forward in the scan's direction,
//! so nothing is lost or doubled.

use std::ops::Bound;

use rowkey_core::range::KeyRange;
use rowkey_store::{Direction, MAX_ROW_LENGTH};

use crate::regions::{RegionLocation, RegionPlace};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cursor {
    direction: Direction,
    start: Bound<Vec<u8>>,
    stop: Bound<Vec<u8>>,
}

impl Cursor {
    /// The beginning of a scan; `None` if no row can lie in the range.
    pub(crate) fn new(range: &KeyRange, direction: Direction) -> Option<Self> {
        // The empty key is no row, and on the wire it means "unbounded", so it must not get there as a bound.
        let nothing_below = match &range.end {
            Bound::Included(end) | Bound::Excluded(end) => end.is_empty(),
            Bound::Unbounded => false,
        };
        if nothing_below || range.is_empty() {
            return None;
        }
        let low = match range.start.clone() {
            Bound::Included(key) | Bound::Excluded(key) if key.is_empty() => Bound::Unbounded,
            Bound::Included(key) if key.len() > MAX_ROW_LENGTH => Bound::Excluded(cut(key)),
            Bound::Excluded(key) if key.len() > MAX_ROW_LENGTH => Bound::Excluded(cut(key)),
            bound => bound,
        };
        let high = match range.end.clone() {
            Bound::Included(key) | Bound::Excluded(key) if key.len() > MAX_ROW_LENGTH => {
                Bound::Included(cut(key))
            }
            bound => bound,
        };
        Some(match direction {
            Direction::Forward => Self { direction, start: low, stop: high },
            Direction::Reverse => Self { direction, start: high, stop: low },
        })
    }

    /// A scan between two bounds that the caller vouches for: in `hbase:meta` keys are not sorted as bytes.
    pub(crate) fn between(start: Bound<Vec<u8>>, stop: Bound<Vec<u8>>, direction: Direction) -> Self {
        Self { direction, start, stop }
    }

    /// The region to read next.
    pub(crate) fn place(&self) -> RegionPlace {
        match (self.direction, &self.start) {
            (Direction::Forward, Bound::Unbounded) => RegionPlace::At(Vec::new()),
            (Direction::Reverse, Bound::Unbounded) => RegionPlace::Last,
            (Direction::Reverse, Bound::Excluded(key)) => RegionPlace::Before(key.clone()),
            (_, Bound::Included(key) | Bound::Excluded(key)) => RegionPlace::At(key.clone()),
        }
    }

    /// Start row and whether it is included, as on the wire.
    pub(crate) fn wire_start(&self) -> (&[u8], bool) {
        wire(&self.start, true)
    }

    /// Stop row and whether it is included, as on the wire.
    pub(crate) fn wire_stop(&self) -> (&[u8], bool) {
        wire(&self.stop, false)
    }

    /// This row has been given out.
    pub(crate) fn after_row(&mut self, row: &[u8]) {
        self.start = Bound::Excluded(row.to_vec());
    }

    /// Part of this row has been given out, and the row must be read again for the rest.
    pub(crate) fn within_row(&mut self, row: &[u8]) {
        self.start = Bound::Included(row.to_vec());
    }

    /// This region has been read to its end; `false` if no other can hold rows of the scan.
    pub(crate) fn after_region(&mut self, region: &RegionLocation) -> bool {
        match self.direction {
            Direction::Forward => {
                let end = &region.end;
                let done = end.is_empty()
                    || match &self.stop {
                        Bound::Unbounded => false,
                        Bound::Included(stop) => stop < end,
                        Bound::Excluded(stop) => stop <= end,
                    };
                self.start = Bound::Included(end.clone());
                !done
            }
            Direction::Reverse => {
                let start = &region.start;
                let done = start.is_empty()
                    || match &self.stop {
                        Bound::Unbounded => false,
                        Bound::Included(stop) | Bound::Excluded(stop) => start <= stop,
                    };
                self.start = Bound::Excluded(start.clone());
                !done
            }
        }
    }
}

fn wire(bound: &Bound<Vec<u8>>, unbounded_included: bool) -> (&[u8], bool) {
    match bound {
        Bound::Unbounded => (&[], unbounded_included),
        Bound::Included(key) => (key, true),
        Bound::Excluded(key) => (key, false),
    }
}

/// A key too long to be a row, cut to the longest: no row lies between the two.
fn cut(mut key: Vec<u8>) -> Vec<u8> {
    key.truncate(MAX_ROW_LENGTH);
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(start: &str, end: &str) -> RegionLocation {
        RegionLocation {
            table: "t".parse().unwrap(),
            name: Vec::new(),
            start: start.as_bytes().to_vec(),
            end: end.as_bytes().to_vec(),
            server: None,
        }
    }

    const REGIONS: [(&str, &str); 4] = [("", "c"), ("c", "e"), ("e", "ea"), ("ea", "")];

    /// The regions that a scan visits.
    fn visits(start: Bound<&str>, end: Bound<&str>, direction: Direction) -> Vec<&'static str> {
        let bytes = |bound: Bound<&str>| bound.map(|text| text.as_bytes().to_vec());
        let range = KeyRange { start: bytes(start), end: bytes(end) };
        let mut visited = Vec::new();
        let Some(mut cursor) = Cursor::new(&range, direction) else {
            return visited;
        };
        loop {
            let place = cursor.place();
            let (from, to) = REGIONS.into_iter().find(|(from, to)| place.is_in(&region(from, to))).unwrap();
            visited.push(from);
            if !cursor.after_region(&region(from, to)) {
                return visited;
            }
        }
    }

    #[test]
    fn a_scan_visits_the_regions_of_its_range_and_no_other() {
        use Bound::{Excluded, Included, Unbounded};
        for (start, end, expected) in [
            (Unbounded, Unbounded, vec!["", "c", "e", "ea"]),
            (Included("c"), Unbounded, vec!["c", "e", "ea"]),
            (Included("d"), Excluded("e"), vec!["c"]),
            (Included("d"), Included("e"), vec!["c", "e"]),
            (Included("ea"), Included("ea"), vec!["ea"]),
            (Unbounded, Excluded("b"), vec![""]),
            (Included(""), Excluded(""), vec![]),
            (Unbounded, Included(""), vec![]),
            (Excluded("c"), Included("c"), vec![]),
        ] {
            assert_eq!(visits(start, end, Direction::Forward), expected, "{start:?} {end:?}");
            let backwards: Vec<&str> = expected.into_iter().rev().collect();
            assert_eq!(visits(start, end, Direction::Reverse), backwards, "{start:?} {end:?}, reverse");
        }
    }

    #[test]
    fn a_restart_begins_after_the_last_row() {
        let mut forward = Cursor::new(&KeyRange::prefix(b"r"), Direction::Forward).unwrap();
        assert_eq!((forward.wire_start(), forward.wire_stop()), ((&b"r"[..], true), (&b"s"[..], false)));
        forward.after_row(b"r5");
        assert_eq!(forward.wire_start(), (&b"r5"[..], false));
        assert_eq!(forward.place(), RegionPlace::At(b"r5".to_vec()));

        let mut reverse = Cursor::new(&KeyRange::prefix(b"r"), Direction::Reverse).unwrap();
        assert_eq!((reverse.wire_start(), reverse.wire_stop()), ((&b"s"[..], false), (&b"r"[..], true)));
        assert_eq!(reverse.place(), RegionPlace::Before(b"s".to_vec()));
        reverse.after_row(b"r5");
        assert_eq!(reverse.place(), RegionPlace::Before(b"r5".to_vec()));
    }

    #[test]
    fn bounds_longer_than_a_row_key_are_cut_without_moving_a_row() {
        let longest = vec![7; MAX_ROW_LENGTH];
        let long = vec![7; MAX_ROW_LENGTH + 1];
        let after = Cursor::new(&KeyRange::half_open(Some(long.clone()), None), Direction::Forward).unwrap();
        assert_eq!(after.wire_start(), (longest.as_slice(), false));
        let up_to = Cursor::new(&KeyRange::half_open(None, Some(long)), Direction::Forward).unwrap();
        assert_eq!(up_to.wire_stop(), (longest.as_slice(), true));
    }
}

//! Plans the splits and merges of a live table.
//!
//! A region that has much more than its fair part of the bytes or of the requests is to be split; neighbours that are
//! together smaller than a region should be are to be merged, those that no key can reach above all. Everything is judged
//! by what the store tells of each region; nothing is read.
//!
//! A region that takes the writes because the key rises is never told to be split: all new rows would go to one of its halves,
//! as they went to the whole.
//!
//! Quirk: requests count since a region was opened, so a region that has just moved looks idle. A region that is hot
//! because of a single key is told to be split all the same: counts cannot tell.

use rowkey_core::check::Edge;
use rowkey_core::split::Share;
use rowkey_store::Region;

/// When a region is too large, too busy, or too small.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thresholds {
    /// Split a region with more than so many times the mean bytes.
    pub large: f64,
    /// Split a region with more than so many times the mean requests.
    pub busy: f64,
    /// Merge neighbours that together have at most so many times the mean bytes and requests.
    pub small: f64,
    /// Below so many bytes a table is too small to judge by bytes.
    pub enough_bytes: u64,
    /// Below so many requests a table is too quiet to judge by requests.
    pub enough_requests: u64,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self { large: 2.0, busy: 2.0, small: 0.5, enough_bytes: 1 << 20, enough_requests: 1000 }
    }
}

/// What to do with a region.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Cut it in the middle.
    Split {
        /// The region, by its place.
        region: usize,
        /// Why.
        because: Reason,
    },
    /// Leave it: it would be split, but the key rises, and one of the halves would take every new row.
    Keep {
        /// The region, by its place.
        region: usize,
        /// Why it would be split.
        because: Reason,
    },
    /// Make one of it and its neighbours.
    Merge {
        /// The first of them, by its place.
        first: usize,
        /// The last of them.
        last: usize,
        /// Why.
        because: Reason,
    },
}

/// Why a region is to be changed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reason {
    /// It has so many times the mean bytes.
    Bytes(f64),
    /// It has so many times the mean requests.
    Requests(f64),
    /// No key can lie in all of them but one.
    Unreachable,
}

/// What to split and what to merge; `expected` has what each region gets by the key, if the key is known, and `edge` is where
/// all new rows go, if the key rises or falls.
pub fn rebalance(
    regions: &[Region],
    expected: &[Share],
    edge: Option<Edge>,
    thresholds: &Thresholds,
) -> Vec<Change> {
    let writes: u64 = regions.iter().map(|region| region.writes).sum();
    let takes_new_rows = |at: usize| {
        let is_edge = match edge {
            None => return false,
            Some(Edge::First) => at == 0,
            Some(Edge::Last) => at + 1 == regions.len(),
        };
        // Split points past all rows leave the edge somewhere in the middle, where the writes are.
        let own = regions.get(at).map_or(0, |region| region.writes);
        is_edge || own as f64 * regions.len() as f64 > thresholds.busy * writes as f64
    };
    let bytes: Vec<u64> = regions.iter().map(|region| region.size.unwrap_or(0)).collect();
    let requests: Vec<u64> = regions.iter().map(|region| region.reads + region.writes).collect();
    let times = |values: &[u64], enough: u64| -> Option<Vec<f64>> {
        let sum: u64 = values.iter().sum();
        let mean = sum as f64 / values.len() as f64;
        (sum >= enough.max(1)).then(|| values.iter().map(|value| *value as f64 / mean).collect())
    };
    let bytes =
        times(&bytes, thresholds.enough_bytes).filter(|_| regions.iter().all(|region| region.size.is_some()));
    let requests = times(&requests, thresholds.enough_requests);
    let (bytes, requests) = (bytes.as_deref(), requests.as_deref());
    let at = |times: Option<&[f64]>, region: usize| times.map(|times| times[region]);
    let mut changes = Vec::new();
    for region in 0..regions.len() {
        let large = at(bytes, region).filter(|times| *times > thresholds.large).map(Reason::Bytes);
        let busy = at(requests, region).filter(|times| *times > thresholds.busy).map(Reason::Requests);
        if let Some(because) = large.or(busy) {
            changes.push(match takes_new_rows(region) {
                true => Change::Keep { region, because },
                false => Change::Split { region, because },
            });
        }
    }
    changes.extend(merges(regions.len(), expected, (bytes, requests), thresholds));
    changes
}

fn merges(
    regions: usize,
    expected: &[Share],
    (bytes, requests): (Option<&[f64]>, Option<&[f64]>),
    thresholds: &Thresholds,
) -> Vec<Change> {
    let unreachable = |region: usize| expected.get(region) == Some(&Share::Unreachable);
    let mut changes = Vec::new();
    let mut first = 0;
    while first + 1 < regions {
        // A run of regions of which at most one can be reached.
        let mut last = first;
        let mut reachable = usize::from(!unreachable(first));
        while last + 1 < regions && reachable + usize::from(!unreachable(last + 1)) <= 1 {
            last += 1;
            reachable += usize::from(!unreachable(last));
        }
        if last > first {
            changes.push(Change::Merge { first, last, because: Reason::Unreachable });
            first = last + 1;
            continue;
        }
        let [bytes, requests] = [bytes, requests].map(|of| of.map(|times| times[first] + times[first + 1]));
        let quiet = requests.is_none_or(|times| times <= thresholds.small);
        if let Some(times) = bytes.filter(|times| *times <= thresholds.small && quiet) {
            changes.push(Change::Merge { first, last: first + 1, because: Reason::Bytes(times) });
            first += 2;
            continue;
        }
        first += 1;
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;
    use rowkey_core::KeyRange;

    fn regions(sizes: &[u64], writes: &[u64]) -> Vec<Region> {
        let of = |(at, (size, writes)): (usize, (&u64, &u64))| Region {
            name: format!("t,{at},1.{at:032x}."),
            range: KeyRange::all(),
            server: None,
            size: Some(*size << 20),
            locality_percent: None,
            reads: 0,
            writes: *writes,
        };
        sizes.iter().zip(writes).enumerate().map(of).collect()
    }

    #[test]
    fn large_and_busy_regions_are_split_and_small_neighbours_merged() {
        let regions = regions(&[10, 70, 1, 1, 10, 10], &[1000, 1000, 10, 10, 9000, 1000]);
        let changes = rebalance(&regions, &[], None, &Thresholds::default());
        assert!(
            matches!(changes[0], Change::Split { region: 1, because: Reason::Bytes(times) } if times > 4.0)
        );
        assert!(
            matches!(changes[1], Change::Split { region: 4, because: Reason::Requests(times) } if times > 4.0)
        );
        assert!(matches!(changes[2], Change::Merge { first: 2, last: 3, because: Reason::Bytes(_) }));
        assert_eq!(changes.len(), 3);
    }

    #[test]
    fn a_region_that_takes_the_writes_of_a_rising_key_is_not_split() {
        let keep = |changes: Vec<Change>| {
            let kept = |change: &Change| match change {
                Change::Keep { region, .. } => Some(*region),
                _ => None,
            };
            assert!(!changes.iter().any(|change| matches!(change, Change::Split { .. })), "{changes:?}");
            changes.iter().find_map(kept)
        };
        let told = |regions: &[Region], edge| keep(rebalance(regions, &[], edge, &Thresholds::default()));
        let busy = regions(&[10, 10, 10, 10], &[0, 0, 0, 9000]);
        assert_eq!(told(&busy, Some(Edge::Last)), Some(3));
        let falls = regions(&[50, 5, 5, 5], &[0, 0, 0, 0]);
        assert_eq!(told(&falls, Some(Edge::First)), Some(0));
        // Cut points of next year: the writes are in the middle.
        let cut_ahead = regions(&[10, 10, 10, 10], &[0, 9000, 0, 0]);
        assert_eq!(told(&cut_ahead, Some(Edge::Last)), Some(1));
        // An old region that is large is none of its business.
        let old = regions(&[60, 5, 5, 5], &[0, 0, 0, 9000]);
        let changes = rebalance(&old, &[], Some(Edge::Last), &Thresholds::default());
        assert!(matches!(changes.first(), Some(Change::Split { region: 0, .. })), "{changes:?}");
        assert!(changes.iter().any(|change| matches!(change, Change::Keep { region: 3, .. })), "{changes:?}");
    }

    #[test]
    fn regions_that_no_key_reaches_are_merged_into_a_neighbour() {
        let regions = regions(&[10; 5], &[1000; 5]);
        let (no, yes) = (Share::Unreachable, Share::Known(0.5));
        let changes = rebalance(&regions, &[yes, no, no, yes, no], None, &Thresholds::default());
        assert_eq!(
            changes,
            [
                Change::Merge { first: 0, last: 2, because: Reason::Unreachable },
                Change::Merge { first: 3, last: 4, because: Reason::Unreachable }
            ]
        );
    }

    #[test]
    fn an_even_or_quiet_table_is_left_alone() {
        assert_eq!(rebalance(&regions(&[10; 4], &[500; 4]), &[], None, &Thresholds::default()), []);
        let mut quiet = regions(&[0, 0, 0], &[900, 0, 0]);
        assert_eq!(rebalance(&quiet, &[], None, &Thresholds::default()), []);
        quiet[1].size = None;
        assert_eq!(rebalance(&quiet, &[], None, &Thresholds::default()), []);
    }
}

//! The rest of a plan after a row, for the next page.
//!
//! The next page begins where the last one ended, by the last row's key alone, so that it does not matter what became of
//! regions, or of that row, in between.
//!
//! **Law** (`tests/plans.rs`): the rest of a plan behind each of its rows gives exactly the rows that come behind it.

use std::ops::Bound;

use super::piece::FanOut;
use super::plan::{Access, Plan};
use crate::range::{KeyRange, bound_key};
use crate::types::Order;

impl Plan {
    /// The plan for the rows behind the one with this key; the key must be one that the plan can return, and rows must
    /// come without sorting.
    #[must_use]
    pub fn after(&self, key: &[u8]) -> Self {
        let access = match &self.access {
            Access::Nothing => Access::Nothing,
            Access::Gets(keys) => {
                let place = keys.iter().position(|one| one == key);
                Access::Gets(keys.iter().skip(place.map_or(0, |place| place + 1)).cloned().collect())
            }
            Access::Ranges(fan_outs) => {
                let holds = |fan_out: &FanOut| fan_out.ranges.iter().any(|range| range.contains(key));
                let place = fan_outs.iter().position(holds);
                let mut rest: Vec<FanOut> = fan_outs.iter().skip(place.unwrap_or(0)).cloned().collect();
                if let (Some(_), Some(first)) = (place, rest.first_mut()) {
                    first.cut(key, self.direction);
                    rest.retain(|fan_out| !fan_out.ranges.is_empty());
                }
                Access::Ranges(rest)
            }
        };
        let access = if access.is_empty() { Access::Nothing } else { access };
        Self { access, ..self.clone() }
    }
}

impl FanOut {
    /// Leaves only what comes behind a row in the merged order.
    fn cut(&mut self, key: &[u8], direction: Order) {
        let behind = key.get(self.merge_from..).unwrap_or_default();
        for range in &mut self.ranges {
            // Rows that are equal behind the fixed bytes come by their whole keys.
            let mut own = fixed_bytes(range, self.merge_from);
            let prefix_order = own.as_slice().cmp(key.get(..self.merge_from).unwrap_or_default());
            own.extend_from_slice(behind);
            let rest = match direction {
                Order::Ascending if prefix_order.is_gt() => {
                    KeyRange { start: Bound::Included(own), end: Bound::Unbounded }
                }
                Order::Ascending => KeyRange { start: Bound::Excluded(own), end: Bound::Unbounded },
                Order::Descending if prefix_order.is_lt() => {
                    KeyRange { start: Bound::Unbounded, end: Bound::Included(own) }
                }
                Order::Descending => KeyRange { start: Bound::Unbounded, end: Bound::Excluded(own) },
            };
            *range = range.intersect(&rest);
        }
        self.ranges.retain(|range| !range.is_empty());
    }
}

/// The bytes with which all keys of a range of a fan-out begin.
fn fixed_bytes(range: &KeyRange, length: usize) -> Vec<u8> {
    bound_key(&range.start).and_then(|key| key.get(..length)).unwrap_or_default().to_vec()
}

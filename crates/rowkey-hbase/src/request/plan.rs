//! Requests of bounded size to one server, still as places in a batch: of rows that are put, or of operations.

use std::sync::Arc;

use crate::error::HBaseError;
use crate::regions::RegionLocation;

/// A request holds one item, or items of at most this many bytes together …
pub(crate) const MAX_BYTES: usize = 2 << 20;
/// … and at most this many of them.
const MAX_ITEMS: usize = 2000;

/// An item larger than this has no chance: HBase's default limit for a request, less room for its messages.
const MAX_ITEM_BYTES: usize = 255 << 20;

/// One request: items by their regions, within a region in the order of the batch.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) regions: Vec<(Arc<RegionLocation>, Vec<usize>)>,
    pub(crate) bytes: usize,
    items: usize,
}

impl Plan {
    pub(crate) fn has_room_for(&self, bytes: usize) -> bool {
        self.items == 0 || (self.items < MAX_ITEMS && self.bytes + bytes <= MAX_BYTES)
    }

    pub(crate) fn add(&mut self, region: &Arc<RegionLocation>, index: usize, bytes: usize) {
        self.items += 1;
        self.bytes += bytes;
        match self.regions.iter_mut().rev().find(|(known, _)| Arc::ptr_eq(known, region)) {
            Some((_, items)) => items.push(index),
            None => self.regions.push((Arc::clone(region), vec![index])),
        }
    }

    /// Adds an item to the last request of a server, or to a new one if that is full.
    pub(crate) fn add_to(plans: &mut Vec<Self>, region: &Arc<RegionLocation>, index: usize, bytes: usize) {
        match plans.last_mut().filter(|plan| plan.has_room_for(bytes)) {
            Some(plan) => plan.add(region, index, bytes),
            None => {
                let mut plan = Self::default();
                plan.add(region, index, bytes);
                plans.push(plan);
            }
        }
    }

    pub(crate) fn items(&self) -> impl Iterator<Item = usize> {
        self.regions.iter().flat_map(|(_, items)| items).copied()
    }
}

/// The bytes of an item of a row, if they can be sent at all.
pub(crate) fn require_size(row: &[u8], bytes: usize) -> Result<usize, HBaseError> {
    if bytes > MAX_ITEM_BYTES {
        let start = row.iter().take(32).copied().collect();
        return Err(HBaseError::RowTooLarge { start, bytes, limit: MAX_ITEM_BYTES });
    }
    Ok(bytes)
}

//! Counts of the rows that a store read for a scan.

/// What a store read in one region for a scan that asked it to count ([`crate::Scan::counts`]).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RegionCounts {
    /// Where the region starts; no bytes for a table's first.
    pub start: Vec<u8>,
    /// Rows that the store looked at, those that its filter left out included.
    pub read: u64,
    /// Of these, rows that its filter left out.
    pub filtered: u64,
}

impl RegionCounts {
    /// Adds counts to those of the same region.
    pub fn add(all: &mut Vec<Self>, more: &Self) {
        // Most counts are of the region that was counted last.
        match all.iter_mut().rfind(|counts| counts.start == more.start) {
            Some(counts) => {
                counts.read += more.read;
                counts.filtered += more.filtered;
            }
            None => all.push(more.clone()),
        }
    }
}

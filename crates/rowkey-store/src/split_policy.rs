//! When HBase splits a region by itself.
//!
//! By `SteppingSplitPolicy`, the default since HBase 2: the only region of a table on a server splits early, at twice the
//! size of a flush, so that a new table is soon spread; with more of them on the server a region splits when it is full.

use crate::TableDescriptor;

/// HBase's `hbase.hregion.memstore.flush.size`.
const FLUSH_SIZE: u64 = 128 << 20;
/// HBase's `hbase.hregion.max.filesize`.
const MAX_FILE_SIZE: u64 = 10 << 30;

/// The sizes by which a table's regions split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SplitPolicy {
    /// The size of a memstore that is flushed.
    pub flush_size: u64,
    /// The size of a region that is full.
    pub max_file_size: u64,
    /// Whether regions split by themselves at all.
    pub enabled: bool,
}

impl Default for SplitPolicy {
    /// HBase's own: 128 MB, 10 GB, enabled.
    fn default() -> Self {
        Self { flush_size: FLUSH_SIZE, max_file_size: MAX_FILE_SIZE, enabled: true }
    }
}

impl SplitPolicy {
    /// The policy that a table's attributes say.
    pub fn of(table: &TableDescriptor) -> Self {
        let attribute = |name: &str| table.attributes.get(name);
        let number =
            |name: &str| attribute(name).and_then(|text| text.parse::<u64>().ok()).filter(|size| *size > 0);
        let is_off = attribute("SPLIT_ENABLED").is_some_and(|text| text.eq_ignore_ascii_case("false"))
            || attribute("SPLIT_POLICY").is_some_and(|policy| policy.ends_with("DisabledRegionSplitPolicy"));
        Self {
            flush_size: number("MEMSTORE_FLUSHSIZE").unwrap_or(FLUSH_SIZE),
            max_file_size: number("MAX_FILESIZE").unwrap_or(MAX_FILE_SIZE),
            enabled: !is_off,
        }
    }

    /// The size past which a region splits where so many regions of its table are on one server; `None` if it never does.
    pub fn limit(&self, regions: usize) -> Option<u64> {
        let limit = match regions {
            1 => self.flush_size.saturating_mul(2),
            _ => self.max_file_size,
        };
        self.enabled.then_some(limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The figures of HBase's `SteppingSplitPolicy`.
    #[test]
    fn the_first_region_splits_early_and_others_late() {
        let mut table = TableDescriptor {
            name: "t".parse().unwrap(),
            families: Vec::new(),
            attributes: Default::default(),
        };
        let limit = |table: &TableDescriptor, regions| SplitPolicy::of(table).limit(regions);
        assert_eq!(
            [1, 2, 9].map(|regions| limit(&table, regions)),
            [Some(256 << 20), Some(10 << 30), Some(10 << 30)]
        );
        table.attributes.insert("MEMSTORE_FLUSHSIZE".to_owned(), "1000".to_owned());
        table.attributes.insert("MAX_FILESIZE".to_owned(), "5000".to_owned());
        assert_eq!([1, 2].map(|regions| limit(&table, regions)), [Some(2000), Some(5000)]);
        table.attributes.insert("SPLIT_ENABLED".to_owned(), "FALSE".to_owned());
        assert_eq!(limit(&table, 1), None);
    }
}

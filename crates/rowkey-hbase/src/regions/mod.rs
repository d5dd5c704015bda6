//! The cache of region locations.
//!
//! A cache per table, sorted by start key. What it says may be old; a server that no longer holds a region says
//! so, and then the entry goes. A region that is put in removes those that it overlaps, so splits and merges
//! leave nothing behind. What was taken out is compared with what comes in its place, so that the cache knows how often a
//! region really was elsewhere.
//!
//! Not here: asking `hbase:meta` (`meta`).

#![expect(clippy::missing_errors_doc, reason = "one section for all methods of the client, on the type")]

pub(crate) mod meta;
pub(crate) mod region_list;
#[cfg(test)]
pub(crate) mod relocation;

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rowkey_core::range::KeyRange;
use rowkey_store::TableName;

use crate::registry::url::HostPort;

/// A region and its server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RegionLocation {
    pub(crate) table: TableName,
    /// The region's whole name, `table,start,id.hash.`.
    pub(crate) name: Vec<u8>,
    /// The first key, empty in the first region, as on the wire.
    pub(crate) start: Vec<u8>,
    /// The first key past the region, empty in the last one, as on the wire.
    pub(crate) end: Vec<u8>,
    pub(crate) server: Option<HostPort>,
}

impl RegionLocation {
    fn contains(&self, key: &[u8]) -> bool {
        self.start.as_slice() <= key && (self.end.is_empty() || key < self.end.as_slice())
    }

    fn overlaps(&self, other: &Self) -> bool {
        let before = |a: &Self, b: &Self| !a.end.is_empty() && a.end <= b.start;
        !before(self, other) && !before(other, self)
    }

    /// The hash in its name.
    pub(crate) fn hash(&self) -> &[u8] {
        self.name.rsplit(|&byte| byte == b'.').nth(1).unwrap_or_default()
    }

    /// The number in its name: the time it was made.
    pub(crate) fn id(&self) -> Option<u64> {
        let last = self.name.rsplit(|&byte| byte == b',').next()?;
        let id = last.split(|&byte| byte == b'.').next()?;
        std::str::from_utf8(id).ok()?.parse().ok()
    }

    pub(crate) fn range(&self) -> KeyRange {
        let bounded = |key: &[u8]| (!key.is_empty()).then(|| key.to_vec());
        KeyRange::half_open(bounded(&self.start), bounded(&self.end))
    }
}

/// A place in a table's key order, for which there is one region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RegionPlace {
    /// The region that holds this key.
    At(Vec<u8>),
    /// The region that holds the keys just before this one.
    Before(Vec<u8>),
    /// The last region.
    Last,
}

impl RegionPlace {
    pub(crate) fn is_in(&self, region: &RegionLocation) -> bool {
        match self {
            Self::At(key) => region.contains(key),
            Self::Before(key) => region.start < *key && (region.end.is_empty() || *key <= region.end),
            Self::Last => region.end.is_empty(),
        }
    }

    /// A key to name in errors.
    pub(crate) fn key(&self) -> &[u8] {
        match self {
            Self::At(key) | Self::Before(key) => key,
            Self::Last => &[],
        }
    }
}

type ByStart = BTreeMap<Vec<u8>, Arc<RegionLocation>>;

/// The regions that we know.
#[derive(Debug, Default)]
pub(crate) struct RegionCache {
    tables: Mutex<HashMap<TableName, Known>>,
    relocations: AtomicU64,
}

/// The regions of one table.
#[derive(Debug, Default)]
struct Known {
    regions: ByStart,
    /// Regions that were not where we thought, until we learn what is there now.
    doubted: ByStart,
}

impl RegionCache {
    fn tables(&self) -> MutexGuard<'_, HashMap<TableName, Known>> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn find(&self, table: &TableName, place: &RegionPlace) -> Option<Arc<RegionLocation>> {
        let tables = self.tables();
        let regions = &tables.get(table)?.regions;
        let candidate = match place {
            RegionPlace::At(key) => {
                regions.range::<[u8], _>((Bound::Unbounded, Bound::Included(key.as_slice()))).next_back()
            }
            RegionPlace::Before(key) => {
                regions.range::<[u8], _>((Bound::Unbounded, Bound::Excluded(key.as_slice()))).next_back()
            }
            RegionPlace::Last => regions.iter().next_back(),
        };
        candidate.map(|(_, region)| region).filter(|region| place.is_in(region)).cloned()
    }

    /// Whether anything was ever known of the table.
    pub(crate) fn knows(&self, table: &TableName) -> bool {
        self.tables().contains_key(table)
    }

    pub(crate) fn insert(&self, region: Arc<RegionLocation>) {
        let mut tables = self.tables();
        let Known { regions, doubted } = tables.entry(region.table.clone()).or_default();
        let (settled, still_doubted): (ByStart, ByStart) =
            std::mem::take(doubted).into_iter().partition(|(_, old)| old.overlaps(&region));
        *doubted = still_doubted;
        if settled.values().any(|old| *old != region) {
            self.relocations.fetch_add(1, Ordering::Relaxed);
        }
        // What overlaps starts in the region, or is the one just before it.
        let before = regions
            .range::<[u8], _>((Bound::Unbounded, Bound::Excluded(region.start.as_slice())))
            .next_back();
        let inside = regions
            .range::<[u8], _>((Bound::Included(region.start.as_slice()), Bound::Unbounded))
            .take_while(|(_, other)| other.overlaps(&region));
        let gone: Vec<Vec<u8>> = before
            .into_iter()
            .chain(inside)
            .filter(|(_, other)| other.overlaps(&region))
            .map(|(start, _)| start.clone())
            .collect();
        for start in gone {
            regions.remove(&start);
        }
        regions.insert(region.start.clone(), region);
    }

    /// Replaces all that is known of a table.
    pub(crate) fn replace(&self, table: &TableName, regions: &[Arc<RegionLocation>]) {
        self.tables().insert(table.clone(), Known::default());
        for region in regions {
            self.insert(Arc::clone(region));
        }
    }

    /// Forgets one region, unless something newer took its place.
    pub(crate) fn remove(&self, region: &RegionLocation) {
        let mut tables = self.tables();
        if let Some(Known { regions, doubted }) = tables.get_mut(&region.table)
            && regions.get(&region.start).is_some_and(|known| **known == *region)
            && let Some(old) = regions.remove(&region.start)
        {
            doubted.insert(region.start.clone(), old);
        }
    }

    /// How often a region was found on another server, split or merged.
    pub(crate) fn relocations(&self) -> u64 {
        self.relocations.load(Ordering::Relaxed)
    }

    pub(crate) fn forget(&self, table: &TableName) {
        self.tables().remove(table);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> TableName {
        "t".parse().unwrap()
    }

    fn region(start: &str, end: &str) -> Arc<RegionLocation> {
        Arc::new(RegionLocation {
            table: table(),
            name: format!("t,{start},1.").into_bytes(),
            start: start.as_bytes().to_vec(),
            end: end.as_bytes().to_vec(),
            server: None,
        })
    }

    fn found(cache: &RegionCache, place: RegionPlace) -> Option<String> {
        cache.find(&table(), &place).map(|region| region.range().to_string())
    }

    fn at(key: &str) -> RegionPlace {
        RegionPlace::At(key.as_bytes().to_vec())
    }

    fn before(key: &str) -> RegionPlace {
        RegionPlace::Before(key.as_bytes().to_vec())
    }

    #[test]
    fn every_place_has_its_region() {
        let cache = RegionCache::default();
        cache.replace(&table(), &[region("", "c"), region("c", "m"), region("m", "")]);
        for (place, expected) in [
            (at(""), "(-∞, c)"),
            (at("b"), "(-∞, c)"),
            (at("c"), "[c, m)"),
            (at("lzz"), "[c, m)"),
            (at("m"), "[m, ∞)"),
            (at("zz"), "[m, ∞)"),
            (before("c"), "(-∞, c)"),
            (before("ca"), "[c, m)"),
            (before("m"), "[c, m)"),
            (before("z"), "[m, ∞)"),
            (RegionPlace::Last, "[m, ∞)"),
        ] {
            assert_eq!(found(&cache, place.clone()).as_deref(), Some(expected), "{place:?}");
        }
        assert_eq!(found(&cache, before("")), None);
    }

    #[test]
    fn a_relocation_is_a_region_found_elsewhere_or_cut_anew() {
        let cache = RegionCache::default();
        let first = region("", "m");
        cache.replace(&table(), &[Arc::clone(&first), region("m", "")]);
        // Doubted, and found where it was: a connection broke, nothing more.
        cache.remove(&first);
        cache.insert(Arc::clone(&first));
        assert_eq!(cache.relocations(), 0);
        // On another server.
        cache.remove(&first);
        let server = Some(HostPort { host: "other".to_owned(), port: 1 });
        let moved = Arc::new(RegionLocation { server, ..(*first).clone() });
        cache.insert(Arc::clone(&moved));
        assert_eq!(cache.relocations(), 1);
        // Split: both halves are one relocation, of which the first one found tells.
        cache.remove(&moved);
        cache.insert(region("g", "m"));
        cache.insert(region("", "g"));
        assert_eq!(cache.relocations(), 2);
        // Nothing was doubted before a merge is learnt of by chance.
        cache.insert(region("", ""));
        assert_eq!(cache.relocations(), 2);
    }

    #[test]
    fn a_gap_is_not_filled_by_a_neighbour() {
        let cache = RegionCache::default();
        cache.replace(&table(), &[region("", "c"), region("c", "m"), region("m", "")]);
        cache.remove(&region("c", "m"));
        assert_eq!(found(&cache, at("d")), None);
        assert_eq!(found(&cache, before("m")), None);
        assert_eq!(found(&cache, at("b")).as_deref(), Some("(-∞, c)"));
        cache.remove(&region("m", ""));
        assert_eq!(found(&cache, RegionPlace::Last), None);
        assert!(cache.knows(&table()));
        cache.forget(&table());
        assert!(!cache.knows(&table()));
    }

    #[test]
    fn a_new_region_removes_what_it_overlaps() {
        let cache = RegionCache::default();
        cache.replace(&table(), &[region("", "c"), region("c", "m"), region("m", "x"), region("x", "")]);
        cache.insert(region("c", "x"));
        assert_eq!(found(&cache, at("n")).as_deref(), Some("[c, x)"), "merged");
        cache.insert(region("g", "x"));
        assert_eq!(found(&cache, at("g")).as_deref(), Some("[g, x)"), "split");
        assert_eq!(found(&cache, at("c")), None, "the other half is not known yet");
        cache.insert(region("", ""));
        for key in ["", "b", "n", "z"] {
            assert_eq!(found(&cache, at(key)).as_deref(), Some("(-∞, ∞)"));
        }
    }
}

//! How often a family is flushed, and how large the files are.
//!
//! A region is flushed once its families together have `memstore` bytes in memory. Which of them are written then is the
//! flush policy's choice:
//!
//! - [`FlushPolicy::AllStores`], the rule of the reference-guide notes: all of them, however little they hold. A family with
//!   2% of the bytes writes files of 2% of a memstore, and compactions of many small files.
//! - [`FlushPolicy::AllLargeStores`], HBase's default since 2.0: those above `memstore / families`, but at least 16 MB
//!   (`hbase.hregion.percolumnfamilyflush.size.lower.bound.min`); if there is none, all of them.
//!
//! Each flush is gone through, so what is left in memory counts towards the next one. Not here: flushes by time (an edit
//! that is an hour old) and by the memory of the whole server.

/// Which families a flush writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlushPolicy {
    /// All of them.
    AllStores,
    /// The large ones, or all if none is large.
    AllLargeStores,
}

impl FlushPolicy {
    /// HBase's name for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::AllStores => "FlushAllStoresPolicy",
            Self::AllLargeStores => "FlushAllLargeStoresPolicy",
        }
    }
}

/// The least that makes a family large, whatever the memstore.
pub const LARGE: f64 = 16.0 * 1024.0 * 1024.0;

/// So many flushes of a region are gone through.
const FLUSHES: u32 = 1000;

/// What becomes of a family.
#[derive(Debug, Clone, PartialEq)]
pub struct FamilyFlushes {
    /// The name of the family.
    pub family: String,
    /// Of all flushes of the region, the share that writes a file of this family.
    pub share: f64,
    /// The mean size in memory of what such a flush writes, in bytes.
    pub bytes: f64,
}

/// Goes through flushes of a region whose families grow at these rates, in bytes for each row.
pub fn flushes(families: &[(&str, f64)], memstore: f64, policy: FlushPolicy) -> Vec<FamilyFlushes> {
    let rate: f64 = families.iter().map(|(_, rate)| rate).sum();
    let large = (memstore / families.len().max(1) as f64).max(LARGE);
    let mut held = vec![0.0; families.len()];
    let mut written = vec![(0u32, 0.0); families.len()];
    for _ in 0..FLUSHES {
        let room = (memstore - held.iter().sum::<f64>()).max(0.0);
        for (held, (_, own)) in held.iter_mut().zip(families) {
            *held += if rate > 0.0 { room * own / rate } else { 0.0 };
        }
        let all = policy == FlushPolicy::AllStores || !held.iter().any(|held| *held > large);
        for (held, (count, bytes)) in held.iter_mut().zip(&mut written) {
            if *held > 0.0 && (all || *held > large) {
                *count += 1;
                *bytes += *held;
                *held = 0.0;
            }
        }
    }
    let result = families.iter().zip(written).map(|((family, _), (count, bytes))| FamilyFlushes {
        family: (*family).to_owned(),
        share: f64::from(count) / f64::from(FLUSHES),
        bytes: if count == 0 { 0.0 } else { bytes / f64::from(count) },
    });
    result.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEMSTORE: f64 = 128.0 * 1024.0 * 1024.0;

    fn megabytes(found: &FamilyFlushes) -> f64 {
        (found.bytes / 1024.0 / 102.4).round() / 10.0
    }

    #[test]
    fn a_small_family_is_flushed_along_or_waits() {
        let families = [("d", 98.0), ("s", 2.0)];
        let all = flushes(&families, MEMSTORE, FlushPolicy::AllStores);
        assert_eq!((all[1].share, megabytes(&all[0]), megabytes(&all[1])), (1.0, 125.4, 2.6));
        let large = flushes(&families, MEMSTORE, FlushPolicy::AllLargeStores);
        assert!(large[0].share > 0.95, "{large:?}");
        // It waits until it is above half a memstore, or until it leaves so little room that nobody is.
        assert!(large[1].share < 0.05 && megabytes(&large[1]) > 60.0, "{large:?}");
    }

    #[test]
    fn one_family_is_flushed_whole_whatever_the_policy() {
        for policy in [FlushPolicy::AllStores, FlushPolicy::AllLargeStores] {
            let one = flushes(&[("d", 7.0)], MEMSTORE, policy);
            assert_eq!((one[0].share, one[0].bytes), (1.0, MEMSTORE));
        }
    }

    #[test]
    fn families_of_one_size_are_flushed_together() {
        let even = flushes(&[("a", 1.0), ("b", 1.0), ("c", 1.0)], MEMSTORE, FlushPolicy::AllLargeStores);
        assert!(even.iter().all(|family| family.share == 1.0 && megabytes(family) == 42.7), "{even:?}");
    }

    #[test]
    fn sixteen_megabytes_are_large_with_many_families() {
        let mut families = vec![("d", 100.0), ("e", 14.0)];
        families.extend(["f", "g", "h", "i", "j", "k", "l", "m"].map(|name| (name, 1.75)));
        let found = flushes(&families, MEMSTORE, FlushPolicy::AllLargeStores);
        assert!(found[0].share > 0.9, "{found:?}");
        // A tenth of the memstore would be 12.8 MB and let its 14 MB go with every flush; the bound is 16.
        assert!((0.3..0.7).contains(&found[1].share), "{found:?}");
    }
}

//! The disk, regions and servers that a table needs.
//!
//! The rules are Lars Hofhansl's on region server memory, as the HBase reference guide quotes them: heap bounds memstores,
//! memstores bound regions, regions bound disk.
//!
//! ```text
//!  regions a server can write to = heap × memstore fraction / memstore
//!  disk to heap                  = region size / memstore × replication × memstore fraction
//!                                = 20 GB / 128 MB × 3 × 0.4 = 192;   × 32 GB of heap = 6 TB a server
//! ```
//!
//! They hold for tables that are written everywhere; a server that is mostly read can hold more.

/// What the rules take for granted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rules {
    /// The size to which a region grows, in bytes (`hbase.hregion.max.filesize`).
    pub region: f64,
    /// What a region keeps in memory before it is flushed, in bytes (`hbase.hregion.memstore.flush.size`).
    pub memstore: f64,
    /// How many copies the file system keeps (`dfs.replication`).
    pub replication: f64,
    /// The part of the heap that memstores may have (`hbase.regionserver.global.memstore.size`).
    pub memstore_fraction: f64,
    /// The heap of a region server, in bytes.
    pub heap: f64,
}

const MEGABYTE: f64 = 1024.0 * 1024.0;
const GIGABYTE: f64 = 1024.0 * MEGABYTE;

impl Default for Rules {
    /// The figures of the text: regions of 20 GB, 128 MB memstores, 32 GB of heap, the rest HBase's defaults.
    fn default() -> Self {
        Self {
            region: 20.0 * GIGABYTE,
            memstore: 128.0 * MEGABYTE,
            replication: 3.0,
            memstore_fraction: 0.4,
            heap: 32.0 * GIGABYTE,
        }
    }
}

impl Rules {
    /// How many bytes of disk one byte of heap can serve.
    pub fn disk_to_heap(&self) -> f64 {
        self.region / self.memstore * self.replication * self.memstore_fraction
    }

    /// The disk that a server can serve, copies on other servers included, in bytes.
    pub fn disk_per_server(&self) -> f64 {
        self.disk_to_heap() * self.heap
    }

    /// How many regions a server can write to.
    pub fn regions_per_server(&self) -> f64 {
        self.heap * self.memstore_fraction / self.memstore
    }
}

/// What a table needs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cluster {
    /// The bytes of its files, compressed, one copy.
    pub stored: f64,
    /// With all copies.
    pub disk: f64,
    /// How many regions of full size it has.
    pub regions: f64,
    /// How many servers serve it.
    pub servers: f64,
}

impl Cluster {
    /// What a table needs that has so many bytes of files.
    pub fn of(stored: f64, rules: &Rules) -> Self {
        let (disk, regions) = (stored * rules.replication, (stored / rules.region).ceil().max(1.0));
        Self { stored, disk, regions, servers: (disk / rules.disk_per_server()).ceil().max(1.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figures_of_the_fourth_text() {
        let rules = Rules::default();
        assert!((rules.disk_to_heap() - 192.0).abs() < 1e-9);
        assert!((rules.disk_per_server() / GIGABYTE / 1024.0 - 6.0).abs() < 1e-9);
        let smaller = Rules { region: 10.0 * GIGABYTE, ..rules };
        assert!((smaller.disk_to_heap() - 96.0).abs() < 1e-9);
        assert!((rules.regions_per_server() - 102.4).abs() < 1e-9);
    }

    #[test]
    fn servers_follow_from_disk() {
        let rules = Rules::default();
        let cluster = Cluster::of(2.0 * 1024.0 * GIGABYTE, &rules);
        assert!((cluster.disk - 6.0 * 1024.0 * GIGABYTE).abs() < 1.0);
        assert_eq!((cluster.regions, cluster.servers), (103.0, 1.0));
        assert_eq!(Cluster::of(0.0, &rules).servers, 1.0);
    }
}

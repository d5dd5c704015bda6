//! The servers and regions of a store.

/// The servers of a store, and what they hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// The version of HBase that its master runs; `None` where there is no HBase.
    pub version: Option<String>,
    /// Backup masters, as `host:port`.
    pub backup_masters: Vec<String>,
    /// The servers that hold regions.
    pub servers: Vec<String>,
    /// Servers that died and are known to have died.
    pub dead_servers: Vec<String>,
    /// The regions on all servers, those of the store's own tables included.
    pub regions: usize,
}

//! The regions of a table.

use rowkey_core::range::KeyRange;

/// One region of a table: a range of keys that one server holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// HBase's name for it, `table,start,id.<md5>.`, escaped.
    pub name: String,
    /// Its keys: start inclusive, end exclusive.
    pub range: KeyRange,
    /// The server that holds it; `None` on the embedded store or while no server does.
    pub server: Option<String>,
    /// Roughly how many bytes it has on disk and in memory; `None` if the store cannot tell.
    pub size: Option<u64>,
    /// How much of its files lies on the disks of its own server, in percent; `None` if the store cannot tell.
    pub locality_percent: Option<u8>,
    /// Read requests since the region was opened.
    pub reads: u64,
    /// Write requests since the region was opened.
    pub writes: u64,
}

impl Region {
    /// The encoded part of `table,start,id.encoded.`: what HBase's logs call the region.
    pub fn encoded_name(&self) -> &str {
        self.name.trim_end_matches('.').rsplit('.').next().unwrap_or(&self.name)
    }
}

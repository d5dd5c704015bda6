//! Which store does `--store` name?

use std::path::Path;

use anyhow::Context;
use rowkey_embedded::EmbeddedStore;
use rowkey_hbase::HBaseStore;
use rowkey_store::Store;

/// Whether a store is a cluster; any other is a folder.
pub(crate) fn is_cluster(store: &str) -> bool {
    store.contains("://")
}

/// Opens the store: a URL with a scheme is a cluster, anything else a folder.
pub(crate) fn open(store: &str) -> anyhow::Result<Box<dyn Store>> {
    if is_cluster(store) {
        let cluster =
            HBaseStore::connect(store).with_context(|| format!("could not open the store {store}"))?;
        return Ok(Box::new(cluster));
    }
    let folder = Path::new(store);
    let embedded = EmbeddedStore::open(folder, rowkey_embedded::Options::default());
    Ok(Box::new(embedded.with_context(|| format!("could not open the store {store}"))?))
}

/// What names the store in a checkpoint: the same folder has the same name from everywhere.
pub(crate) fn name(store: &str) -> String {
    if is_cluster(store) {
        return store.to_owned();
    }
    std::fs::canonicalize(store).map_or_else(|_| store.to_owned(), |path| path.display().to_string())
}

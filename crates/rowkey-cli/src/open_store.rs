//! Which store does `--store` name?

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use anyhow::Context;
use rowkey::query::Prices;
use rowkey_embedded::EmbeddedStore;
use rowkey_hbase::{ClusterUrl, HBaseError, HBaseStore, Watcher};
use rowkey_store::Store;

use crate::output::Spinner;

/// Whether a store is a cluster; any other is a folder.
pub(crate) fn is_cluster(store: &str) -> bool {
    store.contains("://")
}

/// What reading costs there.
pub(crate) fn prices(store: &str) -> Prices {
    if is_cluster(store) { Prices::HBASE } else { Prices::EMBEDDED }
}

/// Opens the store: a URL with a scheme is a cluster, anything else a folder.
pub(crate) fn open(store: &str) -> anyhow::Result<Box<dyn Store>> {
    if is_cluster(store) {
        let cluster = connect(store).with_context(|| format!("could not open the store {store}"))?;
        return Ok(Box::new(cluster));
    }
    let folder = Path::new(store);
    let embedded = EmbeddedStore::open(folder, rowkey_embedded::Options::default());
    Ok(Box::new(embedded.with_context(|| format!("could not open the store {store}"))?))
}

/// A cluster whose long work shows on a terminal how far it is.
fn connect(url: &str) -> Result<HBaseStore, HBaseError> {
    let url: ClusterUrl = url.parse()?;
    let mut options = rowkey_hbase::Options::from_url(&url);
    let shown: Mutex<Option<Spinner>> = Mutex::default();
    options.watcher = Watcher::new(move |procedure| {
        let mut shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
        if procedure.ended {
            shown.take().inspect(Spinner::clear);
        } else {
            shown.get_or_insert_with(|| Spinner::new("master")).tell(&procedure.to_string());
        }
    });
    HBaseStore::connect_with(&url, options)
}

/// What names the store in a checkpoint: the same folder has the same name from everywhere.
pub(crate) fn name(store: &str) -> String {
    if is_cluster(store) {
        return store.to_owned();
    }
    std::fs::canonicalize(store).map_or_else(|_| store.to_owned(), |path| path.display().to_string())
}

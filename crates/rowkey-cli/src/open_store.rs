//! Which store does `--store` name?

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use rowkey_embedded::{EmbeddedStore, Opening, TornTail};
use rowkey_hbase::{ClusterUrl, HBaseError, HBaseStore, Watcher};
use rowkey_store::Store;

use crate::output::{self, Spinner, counted};
use crate::public::Publicly;

/// Whether a store is a cluster; any other is a folder.
pub(crate) fn is_cluster(store: &str) -> bool {
    store.contains("://")
}

/// Opens the store: a URL with a scheme is a cluster, anything else a folder.
pub(crate) fn open(store: &str) -> anyhow::Result<Box<dyn Store>> {
    if is_cluster(store) {
        let cluster = connect(store).publicly(|| format!("could not open the store {store}"))?;
        return Ok(Box::new(cluster));
    }
    let folder = Path::new(store);
    let embedded = EmbeddedStore::open(folder, rowkey_embedded::Options::default());
    let embedded = embedded.publicly(|| format!("could not open the store {store}"))?;
    for note in notes(embedded.opening()) {
        // Also beside JSON: what was dropped must be seen.
        output::tell(&format!("note: store {store}: {note}\n"));
    }
    Ok(Box::new(embedded))
}

/// What there is to say of a folder that was opened.
pub(crate) fn notes(opening: &Opening) -> Vec<String> {
    let torn = opening.torn.iter().map(|TornTail { file, offset, bytes, .. }| {
        format!(
            "{} of an unfinished write were dropped from {} at byte {offset}: the last process ended in the middle of it, or \
             they are damaged",
            counted(usize::try_from(*bytes).unwrap_or(usize::MAX), "byte"),
            file.display()
        )
    });
    let clock = opening.clock_ahead.map(|ahead| {
        format!(
            "its last write is {:.1} h ahead of this machine's clock, and writes go on from that time until the clock has passed it; \
             see that the clock is right",
            ahead as f64 / 3_600_000.0
        )
    });
    let tightened =
        opening.tightened.then(|| "other users of this machine can no longer read its folder".to_owned());
    torn.chain(clock).chain(tightened).collect()
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

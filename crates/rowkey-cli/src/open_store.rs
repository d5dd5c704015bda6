//! Which store does `--store` name?

use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rowkey_embedded::{EmbeddedError, EmbeddedStore, Opening, TornTail};
use rowkey_hbase::{ClusterUrl, HBaseError, HBaseStore, Wait, Watcher};
use rowkey_store::Store;

use crate::output::{self, Spinner, counted};
use crate::public::{Publicly, public};

/// Whether a store is a cluster; any other is a folder.
pub(crate) fn is_cluster(store: &str) -> bool {
    store.contains("://")
}

/// Opens a store that is there: a URL with a scheme is a cluster, anything else a folder.
pub(crate) fn open(store: &str) -> anyhow::Result<Box<dyn Store>> {
    existing(store)?.ok_or_else(|| {
        public(format!(
            "there is no store in {store}; `rowkey create FILE` makes one, --store names another: a folder, or \
             hbase://HOST:2181 for a cluster"
        ))
    })
}

/// As [`open`]; `None` if there is no such folder, or nothing in it.
pub(crate) fn existing(store: &str) -> anyhow::Result<Option<Box<dyn Store>>> {
    let Some(folder) = folder(store)? else { return open_cluster(store).map(Some) };
    let format = EmbeddedStore::format_of(folder).publicly(|| format!("could not open the store {store}"))?;
    format.map(|_| open_folder(folder, store)).transpose()
}

/// Opens a store, and makes the folder if it is not there: for commands that make tables.
pub(crate) fn open_or_make(store: &str) -> anyhow::Result<Box<dyn Store>> {
    match folder(store)? {
        Some(folder) => open_folder(folder, store),
        None => open_cluster(store),
    }
}

fn open_cluster(store: &str) -> anyhow::Result<Box<dyn Store>> {
    let cluster = connect(store).publicly(|| format!("could not open the store {store}"))?;
    Ok(Box::new(cluster))
}

fn open_folder(folder: &Path, store: &str) -> anyhow::Result<Box<dyn Store>> {
    let embedded = EmbeddedStore::open(folder, rowkey_embedded::Options::default());
    let embedded = embedded.publicly(|| format!("could not open the store {store}"))?;
    for note in notes(embedded.opening()) {
        // Also beside JSON: what was dropped must be seen.
        output::tell(&format!("note: store {store}: {note}\n"));
    }
    Ok(Box::new(embedded))
}

/// The folder of a store, `None` for a cluster. What is meant for a cluster and would become the name of a folder is refused.
fn folder(store: &str) -> anyhow::Result<Option<&Path>> {
    if is_cluster(store) {
        return Ok(None);
    }
    let folder = Path::new(store);
    match cluster_meant(store) {
        Some(url) if !folder.is_dir() => Err(public(format!(
            "the store {store} is neither a folder that is there nor the URL of a cluster; if the cluster is meant, say --store {url}"
        ))),
        _ => Ok(Some(folder)),
    }
}

/// The URL that `hbase:/host`, `hbase//host` or `host:2181` probably stands for.
fn cluster_meant(store: &str) -> Option<String> {
    for scheme in ["hbase+rpc", "hbase"] {
        if let Some(rest) = store.strip_prefix(scheme)
            && (rest.starts_with(':') || rest.starts_with("//"))
        {
            return Some(format!("{scheme}://{}", rest.trim_start_matches([':', '/'])));
        }
    }
    let hosts = store.split_once('/').map_or(store, |(hosts, _)| hosts);
    let is_port = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let has_port = hosts
        .split(',')
        .any(|host| host.rsplit_once(':').is_some_and(|(host, port)| !host.is_empty() && is_port(port)));
    has_port.then(|| format!("hbase://{store}"))
}

/// Refuses an output in the folder of a store, whichever store it is and by whatever links it is reached: what is in there is
/// the store's own.
pub(crate) fn refuse_inside(output: &Path) -> anyhow::Result<()> {
    match resolved(output).ancestors().find(|folder| is_store(folder)) {
        None => Ok(()),
        Some(store) => Err(public(format!(
            "{} is inside the store {}, where only the store itself writes; name a file or folder outside of it",
            output.display(),
            store.display()
        ))),
    }
}

fn is_store(folder: &Path) -> bool {
    match EmbeddedStore::format_of(folder) {
        Ok(format) => format.is_some(),
        Err(error) => matches!(error, EmbeddedError::NewerFormat { .. } | EmbeddedError::Missing { .. }),
    }
}

/// Where a path leads, through links as far as it exists, and from there by its words.
fn resolved(path: &Path) -> PathBuf {
    let mut at = PathBuf::new();
    for part in std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).components() {
        if part == Component::ParentDir {
            at.pop();
        } else {
            at.push(part);
            at = at.canonicalize().unwrap_or(at);
        }
    }
    at
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

/// A cluster whose long work shows on a terminal how far it is, and says everywhere what it waits for.
fn connect(url: &str) -> Result<HBaseStore, HBaseError> {
    let url: ClusterUrl = url.parse()?;
    let mut options = rowkey_hbase::Options::from_url(&url);
    let shown: Mutex<(Option<Spinner>, Option<Wait>)> = Mutex::default();
    options.watcher = Watcher::new(move |procedure| {
        let mut shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
        let (spinner, told) = &mut *shown;
        if procedure.waits_for.is_some() && procedure.waits_for != *told {
            spinner.take().inspect(Spinner::clear);
            output::tell(&format!("{procedure}\n"));
            *told = procedure.waits_for;
        }
        if procedure.ended {
            spinner.take().inspect(Spinner::clear);
        } else {
            spinner.get_or_insert_with(|| Spinner::new("master")).tell(&procedure.to_string());
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

#[cfg(test)]
mod tests {
    use super::cluster_meant;

    #[test]
    fn half_a_url_is_told_from_a_folder() {
        for (store, meant) in [
            ("localhost:2181", "hbase://localhost:2181"),
            ("zk1:2181,zk2:2181/hbase-secure", "hbase://zk1:2181,zk2:2181/hbase-secure"),
            ("hbase:/zk1", "hbase://zk1"),
            ("hbase//zk1:2181/hbase", "hbase://zk1:2181/hbase"),
            ("hbase:zk1", "hbase://zk1"),
            ("hbase+rpc:/master:16000", "hbase+rpc://master:16000"),
        ] {
            assert_eq!(cluster_meant(store).as_deref(), Some(meant), "{store}");
        }
        for folder in ["./rowkey-data", "hbase", "hbase/data", "/tmp/a:b", "C:\\data", "data:", ":1", "2181"]
        {
            assert_eq!(cluster_meant(folder), None, "{folder}");
        }
    }
}

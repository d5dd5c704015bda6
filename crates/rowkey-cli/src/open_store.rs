//! Opens the store that `--store` names.

use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rowkey::Error;
use rowkey::stores::{self, News, Opening};
use rowkey_store::Store;

use crate::output::{self, Spinner};
use crate::public::{Public, because, public};

/// Whether a store is a cluster; any other is a folder. What each kind of store is stands in [`stores`].
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
    opened(store, false)
}

/// Opens a store, and makes the folder if it is not there: for commands that make tables.
pub(crate) fn open_or_make(store: &str) -> anyhow::Result<Box<dyn Store>> {
    opened(store, true)?.ok_or_else(|| public(format!("there is no store in {store}")))
}

/// What is meant for a cluster and would become the name of a folder is refused.
fn opened(store: &str, make: bool) -> anyhow::Result<Option<Box<dyn Store>>> {
    if let Some(url) = cluster_meant(store)
        && !is_cluster(store)
        && !Path::new(store).is_dir()
    {
        return Err(public(format!(
            "the store {store} is neither a folder that is there nor the URL of a cluster; if the cluster is meant, say --store {url}"
        )));
    }
    let tell: Arc<dyn Fn(News) + Send + Sync> = Arc::new(listener(store));
    stores::open(store, Opening { make, tell: Some(tell) }).map_err(|error| match error {
        // Its cause marks the values in its message, for --redact.
        Error::Open { problem, .. } => because(format!("could not open the store {store}"), problem),
        error => because(format!("could not open the store {store}"), Public::from(error.to_string())),
    })
}

/// The URL that `hbase:/host`, `hbase//host` or `host:2181` probably stands for.
fn cluster_meant(store: &str) -> Option<String> {
    for (scheme, _) in stores::KINDS.iter().flat_map(|kind| kind.urls) {
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
    match resolved(output).ancestors().find(|folder| stores::is_store(folder)) {
        None => Ok(()),
        Some(store) => Err(public(format!(
            "{} is inside the store {}, where only the store itself writes; name a file or folder outside of it",
            output.display(),
            store.display()
        ))),
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

/// Notes are printed. Long work shows on a terminal how far it is, and says everywhere what it waits for.
fn listener(store: &str) -> impl Fn(News) + Send + Sync + 'static {
    let store = store.to_owned();
    let shown: Mutex<(Option<Spinner>, Option<String>)> = Mutex::default();
    move |news| {
        let (text, waits_for, ended) = match news {
            // Also beside JSON: what was dropped must be seen.
            News::Note(note) => return output::tell(&format!("note: store {store}: {note}\n")),
            News::Work { text, waits_for, ended } => (text, waits_for, ended),
            _ => return,
        };
        let mut shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
        let (spinner, told) = &mut *shown;
        if waits_for.is_some() && waits_for != *told {
            spinner.take().inspect(Spinner::clear);
            output::tell(&format!("{text}\n"));
            *told = waits_for;
        }
        if ended {
            spinner.take().inspect(Spinner::clear);
        } else {
            spinner.get_or_insert_with(|| Spinner::new("master")).tell(&text);
        }
    }
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

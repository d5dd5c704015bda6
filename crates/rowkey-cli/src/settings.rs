//! What is kept of a store beside its tables? Prices of reading, and table files for tables that rowkey did not make.
//!
//! For a store in a folder, the file `PRICES` in it. For a cluster, `clusters/ID/prices.json` in `$XDG_CONFIG_HOME/rowkey` or
//! `~/.config/rowkey`, where ID is what the cluster calls itself: several URLs may lead to it, and another cluster may take its place
//! behind one. A command that does not connect finds it by the URL that it was measured by, the newest if several were.
//!
//! Table files are in the folder `table-files` beside these, by the names of their tables.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use anyhow::Context;
use rowkey_core::query::Prices;
use rowkey_ops::calibrate::{Kept, Of};
use rowkey_store::{Store, TableName};

use crate::args::PriceList;
use crate::open_store::is_cluster;
use crate::public::public;

/// The file in the folder of a store.
const IN_FOLDER: &str = "PRICES";
/// The file in the settings of a cluster.
const OF_CLUSTER: &str = "prices.json";

/// The folder of table files, beside the prices.
const TABLE_FILES: &str = "table-files";

/// Whether `--no-config` was given.
static IGNORED: AtomicBool = AtomicBool::new(false);

/// Ignores what is kept, from now on.
pub(crate) fn ignore() {
    IGNORED.store(true, Ordering::Relaxed);
}

pub(crate) fn are_ignored() -> bool {
    IGNORED.load(Ordering::Relaxed)
}

/// Prices, and where they come from.
#[derive(Debug, Clone)]
pub(crate) struct Priced {
    pub(crate) prices: Prices,
    /// The file of measured ones; `None` if they are built in.
    pub(crate) measured: Option<PathBuf>,
}

impl Priced {
    /// One line where that must be said.
    pub(crate) fn told(&self) -> Option<String> {
        let file = self.measured.as_ref()?;
        Some(format!("prices: measured by `rowkey calibrate`, kept in {}", file.display()))
    }
}

/// The prices of a kind of store.
pub(crate) fn built_in(store: &str) -> Prices {
    rowkey::stores::kind_of(store).map_or(Prices::EMBEDDED, |kind| kind.prices)
}

/// What reading costs on a store, which need not be open.
pub(crate) fn prices(store: &str, opened: Option<&dyn Store>) -> anyhow::Result<Priced> {
    let built_in = built_in(store);
    let kept = if are_ignored() { None } else { kept(store, opened)? };
    Ok(match kept {
        Some((file, kept)) => Priced { prices: kept.prices(&built_in), measured: Some(file) },
        None => Priced { prices: built_in, measured: None },
    })
}

/// The same, unless a kind of store is named.
pub(crate) fn prices_or(list: PriceList, store: &str) -> anyhow::Result<Priced> {
    match list.prices {
        Some(kind) => Ok(Priced { prices: kind.prices(), measured: None }),
        None => prices(store, None),
    }
}

fn kept(store: &str, opened: Option<&dyn Store>) -> anyhow::Result<Option<(PathBuf, Kept)>> {
    if !is_cluster(store) {
        let file = Path::new(store).join(IN_FOLDER);
        return Ok(Kept::read(&file, &Of::Folder)?.map(|kept| (file, kept)));
    }
    let Some(clusters) = clusters().filter(|folder| folder.is_dir()) else { return Ok(None) };
    if let Some(opened) = opened {
        let id = id(opened)?;
        let file = clusters.join(&id).join(OF_CLUSTER);
        return Ok(Kept::read(&file, &Of::Cluster(&id))?.map(|kept| (file, kept)));
    }
    let mut newest: Option<(Option<SystemTime>, PathBuf, Kept)> = None;
    let entries = clusters.read_dir().with_context(|| format!("could not read {}", clusters.display()))?;
    for id in entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()) {
        let file = clusters.join(&id).join(OF_CLUSTER);
        let Some(kept) = Kept::read(&file, &Of::Cluster(&id))? else { continue };
        let time = file.metadata().and_then(|found| found.modified()).ok();
        let is_newer = newest.as_ref().is_none_or(|(before, ..)| time >= *before);
        if kept.url.as_deref() == Some(store) && is_newer {
            newest = Some((time, file, kept));
        }
    }
    Ok(newest.map(|(_, file, kept)| (file, kept)))
}

/// The file for the prices of an open store, and the id of a cluster.
pub(crate) fn place(store: &str, opened: &dyn Store) -> anyhow::Result<(PathBuf, Option<String>)> {
    if !is_cluster(store) {
        return Ok((Path::new(store).join(IN_FOLDER), None));
    }
    let id = id(opened)?;
    let clusters = clusters().ok_or_else(|| {
        public("there is no folder for the settings of a cluster; set HOME, or XDG_CONFIG_HOME to an absolute path")
    })?;
    Ok((clusters.join(&id).join(OF_CLUSTER), Some(id)))
}

/// The place for the file of a table that rowkey did not make.
pub(crate) fn table_file(store: &str, opened: &dyn Store, table: &TableName) -> anyhow::Result<PathBuf> {
    let (prices, _) = place(store, opened)?;
    // A namespace is divided from the name by a sign that not every system has in names of files.
    let name = format!("{}.toml", table.to_string().replace(':', "="));
    Ok(prices.with_file_name(TABLE_FILES).join(name))
}

/// The file that is kept for a table, if there is one and settings are not ignored.
pub(crate) fn remembered(store: &str, opened: &dyn Store, table: &TableName) -> Option<PathBuf> {
    // Without a place for settings, nothing is kept in it.
    let file = if are_ignored() { None } else { table_file(store, opened, table).ok() };
    file.filter(|file| file.is_file())
}

/// The file for the prices of a folder.
pub(crate) fn in_folder(store: &str) -> PathBuf {
    Path::new(store).join(IN_FOLDER)
}

/// Makes the folder of a settings file, for its owner alone.
pub(crate) fn make_folder(file: &Path) -> anyhow::Result<()> {
    let Some(folder) = file.parent() else { return Ok(()) };
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).with_context(|| format!("could not make the folder {}", folder.display()))
}

/// The id of a cluster, which becomes the name of a folder.
fn id(opened: &dyn Store) -> anyhow::Result<String> {
    let id = opened.id()?.unwrap_or_default();
    let fits = !id.is_empty() && id.len() <= 100 && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    if fits {
        return Ok(id);
    }
    Err(public(format!(
        "the cluster calls itself `{id}`, and prices are kept under an id of letters, digits and `-`; leave settings out with --no-config"
    )))
}

/// `$XDG_CONFIG_HOME/rowkey/clusters`, else below `$HOME/.config`; a path that is not absolute is not used, as the XDG rules say.
fn clusters() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let config = set("XDG_CONFIG_HOME").or_else(|| Some(set("HOME")?.join(".config")))?;
    Some(config.join("rowkey").join("clusters"))
}

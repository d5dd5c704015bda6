//! The stores that a place can name: one row of [`KINDS`] for each kind, and a file with what the row says.
//!
//! A place with `://` is the URL of a store elsewhere, any other is a folder. A new kind of store is a file beside `folder.rs`, a row of
//! [`KINDS`] and a feature of this crate.

mod cluster;
mod folder;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use rowkey_core::query::Prices;
use rowkey_store::Store;

use crate::Error;

/// Opens the store at a place; `None` if it is not there and is not to be made.
type Open = fn(&str, Opening) -> Result<Option<Box<dyn Store>>, Error>;

/// A kind of store.
pub struct Kind {
    /// What URLs of it begin with, before `://`, and how one looks; none for a folder.
    pub urls: &'static [(&'static str, &'static str)],
    /// What a range, a get and a jump cost beside a row that is read.
    pub prices: Prices,
    open: Open,
    /// Whether a folder of this machine belongs to such a store, which alone may write there.
    owns: fn(&Path) -> bool,
}

/// All kinds of stores. One whose feature is not there says so when it is opened.
pub const KINDS: &[Kind] = &[folder::KIND, cluster::KIND];

/// How a store is opened.
#[derive(Clone)]
pub struct Opening {
    /// Whether a store that is not there is made. A cluster is never made.
    pub make: bool,
    /// Hears what the store has to say beside its answers. It must not block.
    pub tell: Option<Arc<dyn Fn(News) + Send + Sync>>,
}

impl Default for Opening {
    fn default() -> Self {
        Self { make: true, tell: None }
    }
}

impl fmt::Debug for Opening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opening").field("make", &self.make).finish_non_exhaustive()
    }
}

/// What a store has to say beside its answers.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum News {
    /// Something that was noticed at the opening, which keeps nothing from working.
    Note(String),
    /// How far long work is, which servers of the store do.
    Work {
        /// What is done, and how much of it.
        text: String,
        /// What has to pass before it begins.
        waits_for: Option<String>,
        /// Whether it is over, well or not.
        ended: bool,
    },
}

/// The kind of the store at a place.
///
/// # Errors
/// [`Error::Scheme`] for a URL of none.
pub fn kind_of(place: &str) -> Result<&'static Kind, Error> {
    let scheme = place.split_once("://").map(|(scheme, _)| scheme);
    let is_its_own = |kind: &&Kind| match scheme {
        None => kind.urls.is_empty(),
        Some(scheme) => kind.urls.iter().any(|(known, _)| *known == scheme),
    };
    KINDS.iter().find(is_its_own).ok_or_else(|| Error::Scheme { place: place.to_owned() })
}

/// Opens the store at a place; `None` if it is not there and is not to be made.
///
/// # Errors
/// [`Error::Scheme`]; [`Error::Feature`]; [`Error::Open`] when a folder belongs to another process or is damaged, or a cluster cannot be
/// reached.
pub fn open(place: &str, opening: Opening) -> Result<Option<Box<dyn Store>>, Error> {
    (kind_of(place)?.open)(place, opening)
}

/// Whether a folder of this machine is a store, where only the store itself writes.
pub fn is_store(folder: &Path) -> bool {
    KINDS.iter().any(|kind| (kind.owns)(folder))
}

/// How URLs of stores look, with "or" between.
pub(crate) fn url_forms() -> String {
    let forms: Vec<&str> = KINDS.iter().flat_map(|kind| kind.urls).map(|(_, form)| *form).collect();
    forms.join(" or ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_of_the_kind_of_its_scheme() {
        let urls = |place: &str| kind_of(place).expect("a kind").urls.len();
        for folder in ["data", "./data", "/tmp/a:b", "hbase"] {
            assert_eq!(urls(folder), 0, "{folder}");
        }
        for cluster in ["hbase://zk1,zk2:2181/hbase", "hbase+rpc://master"] {
            assert_eq!(urls(cluster), 2, "{cluster}");
        }
        let unknown = kind_of("hbsae://zk/hbase").err().expect("no such scheme").to_string();
        assert_eq!(
            unknown,
            "`hbsae://zk/hbase` is not the URL of a store; write hbase://HOST:2181/hbase or hbase+rpc://MASTER:16000"
        );
    }
}

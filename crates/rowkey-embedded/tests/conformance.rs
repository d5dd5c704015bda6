//! The suite that every store passes, each case in a folder of its own.

use std::ops::Deref;

use rowkey_embedded::{EmbeddedStore, Options};
use rowkey_store::Store;
use tempfile::TempDir;

/// A store and its folder, dropped in that order.
struct Fresh {
    store: EmbeddedStore,
    _folder: TempDir,
}

impl Deref for Fresh {
    type Target = dyn Store;

    fn deref(&self) -> &Self::Target {
        &self.store
    }
}

fn fresh() -> Fresh {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = EmbeddedStore::open(folder.path(), Options::default()).expect("a new store");
    Fresh { store, _folder: folder }
}

rowkey_store::conformance_suite!(fresh);

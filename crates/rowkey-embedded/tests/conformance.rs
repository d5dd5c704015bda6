//! The suite that every store passes, on one store for all cases, as a program would have it: they run at the same time
//! and share a table.

use std::path::Path;
use std::sync::OnceLock;

use rowkey_embedded::{Durability, EmbeddedStore, Options};

fn store() -> &'static EmbeddedStore {
    static STORE: OnceLock<EmbeddedStore> = OnceLock::new();
    STORE.get_or_init(|| {
        // A store in a static is never dropped, so the folder is cleared by the next run.
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("embedded-conformance");
        match std::fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => panic!("{error}"),
            _ => {}
        }
        EmbeddedStore::open(&folder, Options::default().durability(Durability::Buffered))
            .expect("a new store")
    })
}

rowkey_store::conformance_suite!(store);

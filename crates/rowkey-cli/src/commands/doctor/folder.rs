//! Can the folder of the embedded store be opened?

use std::path::Path;

use rowkey_embedded::{EmbeddedStore, Options};
use rowkey_store::Store;

use super::space;
use super::verdict::Verdicts;
use crate::output::counted;

/// The store, if it is there and opens; a folder that is not there yet is not made.
pub(crate) fn examine(folder: &Path, min_free: f64, verdicts: &mut Verdicts) -> Option<Box<dyn Store>> {
    let shown = folder.display();
    let opened = match EmbeddedStore::format_of(folder) {
        Err(error) => {
            verdicts.fault("store", &error);
            None
        }
        Ok(None) => {
            verdicts.ok("store", format!("there is no store in {shown} yet; `rowkey create FILE` makes it"));
            None
        }
        Ok(Some(format)) => open(folder, format, verdicts),
    };
    space::examine(folder, min_free, verdicts);
    opened
}

fn open(folder: &Path, format: u32, verdicts: &mut Verdicts) -> Option<Box<dyn Store>> {
    let store = EmbeddedStore::open(folder, Options::default());
    let looked_at = store.and_then(|store| {
        let (tables, status) = (store.list_tables()?, store.status()?);
        Ok((store, tables.len(), status.regions))
    });
    match looked_at {
        Ok((store, tables, regions)) => {
            let (tables, regions) = (counted(tables, "table"), counted(regions, "region"));
            verdicts.ok(
                "store",
                format!("{}: a folder of format {format}, {tables}, {regions}", folder.display()),
            );
            Some(Box::new(store))
        }
        Err(error) => {
            verdicts.fault("store", &error);
            None
        }
    }
}

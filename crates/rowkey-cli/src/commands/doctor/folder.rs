//! Checks that the folder of the embedded store can be opened.

use std::path::Path;

use indicatif::BinaryBytes;
use rowkey_embedded::{EmbeddedStore, Options, Verified};
use rowkey_store::{Admin, Store};

use super::space;
use super::verdict::Verdicts;
use crate::args::Doctor;
use crate::output::{Spinner, counted};

/// The store, if it is there and opens; a folder that is not there yet is not made.
pub(crate) fn examine(folder: &Path, arguments: &Doctor, verdicts: &mut Verdicts) -> Option<Box<dyn Store>> {
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
    space::examine(folder, arguments.min_free, verdicts);
    let store = opened?;
    told(&store, folder, verdicts);
    if arguments.deep {
        verify(&store, verdicts);
    }
    Some(Box::new(store))
}

/// What was noticed at the opening.
fn told(store: &EmbeddedStore, folder: &Path, verdicts: &mut Verdicts) {
    for note in store.opening().notes() {
        let (seen, cure) = note.split_once("; ").unwrap_or((&note, "nothing is left to do"));
        verdicts.warn("opening", seen, cure);
    }
    if store.is_open_to_others() {
        let seen = format!("other users of this machine can look into {}", folder.display());
        verdicts.warn("access", seen, format!("chmod 700 {}", folder.display()));
    } else {
        verdicts.ok("access", "only its owner can read the folder");
    }
}

/// Reads everything.
fn verify(store: &EmbeddedStore, verdicts: &mut Verdicts) {
    let mut bytes = 0;
    let verified = Spinner::during("reading", |spinner| {
        store.verify(&mut |more| {
            bytes += more;
            spinner.tell(&BinaryBytes(bytes).to_string());
        })
    });
    match verified {
        Err(error) => verdicts.fault("deep", &error),
        Ok(Verified { files, bytes, cells, damage, .. }) => {
            damage.iter().for_each(|damage| verdicts.fault("deep", damage));
            if damage.is_empty() {
                let files = counted(files, "file");
                let cells = counted(cells, "cell");
                let seen = format!("{files}, {} and {cells} are as they were written", BinaryBytes(bytes));
                verdicts.ok("deep", seen);
            }
        }
    }
}

fn open(folder: &Path, format: u32, verdicts: &mut Verdicts) -> Option<EmbeddedStore> {
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
            Some(store)
        }
        Err(error) => {
            verdicts.fault("store", &error);
            None
        }
    }
}

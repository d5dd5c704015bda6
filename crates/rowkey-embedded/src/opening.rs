//! Checks and upgrades a folder before the engine opens it.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use fjall::{Database, Keyspace};
use rowkey_core::query::Figure;

use crate::catalogue::Catalogue;
use crate::disk::journal::{self, Journal};
use crate::disk::manifest::Manifest;
use crate::disk::tables::CURRENT;
use crate::disk::{self, NamedFolder, exists, io};
use crate::expiry::Expiry;
use crate::folder::Ground;
use crate::{EmbeddedError, Options, TornTail, engine};

/// What was noticed when a store was opened: nothing that keeps it from working.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Opening {
    /// What a process that ended in the middle of a write left at the end of the journal. It was cut off.
    pub torn: Vec<TornTail>,
    /// How many milliseconds the last time of a write is ahead of the machine's clock, if it is over an hour. Writes go
    /// on from that time until the machine's clock has passed it.
    pub clock_ahead: Option<i64>,
    /// The store was of an older format and could be read by other users of the machine; now it cannot.
    pub tightened: bool,
}

impl Opening {
    /// The same in words, each with its reason or what to do.
    pub fn notes(&self) -> Vec<String> {
        let torn = self.torn.iter().map(|TornTail { file, offset, bytes, .. }| {
            format!(
                "{} byte{} of an unfinished write were dropped from {} at byte {offset}: the last process ended in the middle of it, or \
                 they are damaged",
                Figure::Count(*bytes),
                if *bytes == 1 { "" } else { "s" },
                file.display()
            )
        });
        let clock = self.clock_ahead.map(|ahead| {
            format!(
                "its last write is {:.1} h ahead of this machine's clock, and writes go on from that time until the clock has passed it; \
                 see that the clock is right",
                ahead as f64 / 3_600_000.0
            )
        });
        let tightened =
            self.tightened.then(|| "other users of this machine can no longer read its folder".to_owned());
        torn.chain(clock).chain(tightened).collect()
    }
}

/// Looks at everything that the engine will read, and cuts torn tails off.
pub(crate) fn check(ground: &Ground, opening: &mut Opening) -> Result<Journal, EmbeddedError> {
    let data = ground.data();
    if !exists(&data.path.join("version"))? {
        return Ok(Journal::default()); // The engine is yet to make its folder.
    }
    checked(ground, Some(&ground.manifest()), opening)
}

fn checked(
    ground: &Ground,
    manifest: Option<&Manifest>,
    opening: &mut Opening,
) -> Result<Journal, EmbeddedError> {
    let data = ground.data();
    let mut journal = disk::check(&data, manifest)?;
    journal::cut(&data, &journal)?;
    opening.torn.append(&mut journal.torn);
    Ok(journal)
}

/// Makes a store of format 1 or 2 one of the present format: everything in its journal goes to tables, and the journal begins anew, with
/// notes.
pub(crate) fn upgrade(
    ground: &Ground,
    options: &Options,
    expiry: &Arc<Expiry>,
    opening: &mut Opening,
) -> Result<(), EmbeddedError> {
    let data = ground.data();
    let mut manifest = Manifest::default();
    if exists(&data.path.join("version"))? {
        checked(ground, None, opening)?;
        let aside = Aside::take(&data)?;
        let db = engine::open(&data.path, options, expiry)?;
        let names = db.list_keyspace_names();
        aside.judge(&db)?;
        let keyspaces: Result<Vec<Keyspace>, _> =
            names.iter().map(|name| db.keyspace(name, engine::keyspace_options)).collect();
        let keyspaces = keyspaces?;
        engine::flush(&db, &keyspaces)?;
        manifest.keyspaces = keyspaces.iter().map(|known| (known.id(), known.name().to_string())).collect();
    }
    ground.upgrade(manifest)?;
    opening.tightened = ground.tighten();
    Ok(())
}

/// Folders of keyspaces without the file `current`. The engine deletes them, as left from a table that was being made or dropped. An older
/// store does not say whether that is so, or whether the file was lost; so they are out of its way until the catalogue is read.
struct Aside {
    folders: Vec<(PathBuf, PathBuf)>,
}

impl Aside {
    fn take(data: &NamedFolder) -> Result<Self, EmbeddedError> {
        let keyspaces = data.join("keyspaces");
        let mut aside = Self { folders: Vec::new() };
        // A process that was killed here has left some.
        for entry in fs::read_dir(&data.path).map_err(io("read folder", &data.path))? {
            let name = entry.map_err(io("read folder", &data.path))?.file_name();
            if let Some(id) = name.to_str().and_then(|name| name.strip_prefix("aside-")) {
                let place = data.path.join(&name);
                fs::rename(&place, keyspaces.path.join(id)).map_err(io("move", &place))?;
            }
        }
        for id in disk::keyspace_ids(&keyspaces)? {
            let folder = keyspaces.path.join(id.to_string());
            if id > 0 && !exists(&folder.join(CURRENT))? {
                let place = data.path.join(format!("aside-{id}"));
                fs::rename(&folder, &place).map_err(io("move", &folder))?;
                aside.folders.push((folder, place));
            }
        }
        Ok(aside)
    }

    /// Removes the folders if no table needs them.
    fn judge(mut self, db: &Database) -> Result<(), EmbeddedError> {
        if self.folders.is_empty() {
            return Ok(());
        }
        Catalogue::look(db)?;
        for (_, place) in self.folders.drain(..) {
            fs::remove_dir_all(&place).map_err(io("remove folder", &place))?;
        }
        Ok(())
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        // After a failure everything is where it was.
        for (folder, place) in &self.folders {
            let _ = fs::rename(place, folder);
        }
    }
}

/// The same error, with the file that is damaged if the engine could not read one when it opened.
pub(crate) fn named(ground: &Ground, error: EmbeddedError) -> EmbeddedError {
    let keyspaces = ground.data().join("keyspaces");
    let ids = disk::keyspace_ids(&keyspaces).unwrap_or_default();
    disk::named(error, ids.into_iter().map(|id| keyspaces.join(id.to_string())))
}

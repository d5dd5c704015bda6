//! Verification of a whole store.
//!
//! A read checks the blocks that it needs. This reads everything else too: each file of each keyspace against the checksum in the engine's
//! list, each cell's key, and the catalogue.

use fjall::Readable;

use crate::EmbeddedError;
use crate::catalogue;
use crate::disk::tables::Version;
use crate::layout::cell;
use crate::store::Core;
use crate::table::OpenFamily;

/// What [`verify`](crate::EmbeddedStore::verify) has read, and what is wrong with it.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Verified {
    /// Files of keyspaces.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Cells of tables, those included that no read returns.
    pub cells: u64,
    /// What is damaged.
    pub damage: Vec<EmbeddedError>,
}

pub(crate) fn verify(core: &Core, read: &mut dyn FnMut(u64)) -> Result<Verified, EmbeddedError> {
    let mut verified = Verified::default();
    let manifest = core.ground().manifest();
    for id in manifest.expected().collect::<Vec<_>>() {
        verified.files_of(core, id, read);
    }
    if let Err(error) = core.catalogue.load() {
        verified.damage.push(error);
    }
    let tables: Vec<_> = core.all_tables();
    for table in &tables {
        let checked = table.families.iter().try_for_each(|open| verified.cells_of(core, open));
        // A file that is damaged was named above.
        if let Err(error @ EmbeddedError::DamagedKey { .. }) = checked {
            verified.damage.push(error);
        } else if let Err(error) = checked
            && verified.damage.is_empty()
        {
            verified.damage.push(error);
        }
    }
    let listed = |name: &str| manifest.keyspaces.values().any(|known| known == name);
    let unlisted = tables
        .iter()
        .flat_map(|table| table.families.iter().map(|open| open.keyspace.name().to_string()))
        .chain([catalogue::KEYSPACE.to_owned()])
        .filter(|name| !listed(name));
    verified.damage.extend(unlisted.map(|name| EmbeddedError::Missing {
        what: format!("keyspace {name} in {}", crate::disk::manifest::MANIFEST),
    }));
    Ok(verified)
}

impl Verified {
    fn files_of(&mut self, core: &Core, id: u64, read: &mut dyn FnMut(u64)) {
        let place = core.ground().data().join("keyspaces").join(id.to_string());
        let version = match Version::read(&place) {
            Ok(Some(version)) => version,
            // A table that was dropped meanwhile.
            Ok(None) => return,
            Err(error) => return self.damage.push(error),
        };
        for table in &version.tables {
            let mut bytes = 0;
            let checked = table.check_all(&place.join("tables"), &mut |more| {
                bytes += more;
                read(more);
            });
            self.files += 1;
            self.bytes += bytes;
            if let Err(error) = checked {
                // The engine may have merged the file into another meanwhile.
                let is_listed = Version::read(&place).is_ok_and(|now| {
                    now.is_some_and(|now| now.tables.iter().any(|known| known.number == table.number))
                });
                if is_listed {
                    self.damage.push(error);
                }
            }
        }
    }

    fn cells_of(&mut self, core: &Core, open: &OpenFamily) -> Result<(), EmbeddedError> {
        let snapshot = core.moments.latest(&core.db);
        for cell in snapshot.iter(&open.keyspace) {
            let (key, _) = cell.into_inner()?;
            let parsed = cell::row_end(&key).and_then(|row_end| cell::parse(&key, row_end));
            parsed.map_err(|damage| open.damaged(&key, damage))?;
            self.cells += 1;
        }
        Ok(())
    }
}

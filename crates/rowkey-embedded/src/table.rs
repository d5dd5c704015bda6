//! The state of an open table.
//!
//! Its descriptor, a keyspace for each family, and what outlives an alteration: its regions, the locks of its rows and
//! whether it is enabled. Keyspaces are named `table-<id>.<family>`, by the table's id and not its name; see
//! `catalogue`.
//!
//! A read or a write is inside the table; a change of the table waits until there is none inside, and leaves a new
//! [`Table`] in its place if its families have changed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use fjall::Keyspace;
use rowkey_store::{Family, TableDescriptor};

use crate::catalogue::{Catalogue, TableEntry};
use crate::disk;
use crate::engine::{self, Engine};
use crate::error::EmbeddedError;
use crate::expiry::Expiry;
use crate::layout::cell::KeyDamage;
use crate::regions::RegionMap;
use crate::row_locks::RowLocks;

/// A table with its keyspaces open.
pub(crate) struct Table {
    pub(crate) id: u64,
    pub(crate) descriptor: TableDescriptor,
    /// In byte order of their names, as cells come in a row.
    pub(crate) families: Vec<OpenFamily>,
    pub(crate) shared: Arc<Shared>,
    /// Whether an alteration has left another in its place.
    replaced: AtomicBool,
}

/// What a table keeps when its families change.
pub(crate) struct Shared {
    pub(crate) regions: RegionMap,
    pub(crate) row_locks: RowLocks,
    state: RwLock<State>,
    /// Held while regions are split or merged.
    pub(crate) changing_regions: std::sync::Mutex<()>,
}

/// Whether a table takes reads and writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Enabled,
    Disabled,
    /// Dropped or truncated: the name may belong to another table now.
    Gone,
}

/// A family with its keyspace.
pub(crate) struct OpenFamily {
    pub(crate) family: Family,
    pub(crate) keyspace: Keyspace,
    /// The family's name, to be shared with reads.
    pub(crate) name: Arc<str>,
    family_markers: Arc<FamilyMarkers>,
}

/// What is known of the markers of a whole family.
#[derive(Default)]
struct FamilyMarkers {
    /// Some may be there, or be there in a moment.
    possible: AtomicBool,
    /// The catalogue says so.
    noted: AtomicBool,
}

impl OpenFamily {
    /// Whether markers of the whole family may be there.
    pub(crate) fn may_have_family_markers(&self) -> bool {
        self.family_markers.possible.load(Ordering::Acquire)
    }

    /// Says that one is about to be written; `true` if the catalogue must be told with it.
    pub(crate) fn expect_family_marker(&self) -> bool {
        self.family_markers.possible.store(true, Ordering::Release);
        !self.family_markers.noted.load(Ordering::Acquire)
    }

    /// A key of its keyspace that is none of a cell.
    pub(crate) fn damaged(&self, key: &[u8], source: KeyDamage) -> EmbeddedError {
        EmbeddedError::DamagedKey { keyspace: self.keyspace.name().to_string(), key: key.to_vec(), source }
    }

    /// Says that the catalogue was told.
    pub(crate) fn family_marker_is_noted(&self) {
        self.family_markers.noted.store(true, Ordering::Release);
    }
}

impl Shared {
    /// Holds off changes of the table, and says whether it takes reads and writes.
    pub(crate) fn enter(&self) -> (State, RwLockReadGuard<'_, State>) {
        let guard = self.state.read().unwrap_or_else(PoisonError::into_inner);
        (*guard, guard)
    }

    /// Waits until no read or write is under way.
    pub(crate) fn change(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    /// Opens the keyspaces of a table that exists.
    pub(crate) fn open(db: &Engine, entry: TableEntry, expiry: &Expiry) -> Result<Self, EmbeddedError> {
        let table = Self::with_keyspaces(entry, |name| {
            if !db.keyspace_exists(name) {
                return Err(EmbeddedError::Missing { what: format!("keyspace {name}") });
            }
            Ok(db.keyspace(name, engine::keyspace_options)?)
        })?;
        table.note_times(expiry);
        Ok(table)
    }

    /// Tells how long the cells of its keyspaces live.
    pub(crate) fn note_times(&self, expiry: &Expiry) {
        self.families.iter().for_each(|open| expiry.note(open.keyspace.name(), &open.family));
    }

    /// Makes the keyspaces of a table that is being created; after a failure none is left.
    pub(crate) fn create(
        db: &Engine,
        entry: TableEntry,
        catalogue: &Catalogue,
        expiry: &Expiry,
    ) -> Result<Self, EmbeddedError> {
        let mut made = Vec::new();
        let table = Self::with_keyspaces(entry, |name| {
            let keyspace = engine::keyspace(db, name, catalogue.marks())?;
            made.push(keyspace.clone());
            Ok(keyspace)
        });
        if table.is_err() {
            // What cannot be removed now belongs to no table and is removed when the store is next opened.
            let delete = |keyspace| drop(engine::delete_keyspace(db, keyspace, catalogue.marks()));
            made.into_iter().for_each(delete);
        }
        table.inspect(|table| table.note_times(expiry))
    }

    fn with_keyspaces(
        entry: TableEntry,
        mut open: impl FnMut(&str) -> Result<Keyspace, EmbeddedError>,
    ) -> Result<Self, EmbeddedError> {
        let TableEntry { id, descriptor, enabled, regions, with_family_markers } = entry;
        let mut families = Vec::with_capacity(descriptor.families.len());
        for family in &descriptor.families {
            let keyspace = open(&keyspace_name(id, &family.name))?;
            let noted = with_family_markers.contains(&family.name);
            let family_markers =
                Arc::new(FamilyMarkers { possible: AtomicBool::new(noted), noted: AtomicBool::new(noted) });
            let name = Arc::from(family.name.as_str());
            families.push(OpenFamily { family: family.clone(), keyspace, name, family_markers });
        }
        sort(&mut families);
        let shared = Arc::new(Shared {
            regions: RegionMap::new(regions),
            row_locks: RowLocks::default(),
            state: RwLock::new(if enabled { State::Enabled } else { State::Disabled }),
            changing_regions: std::sync::Mutex::default(),
        });
        Ok(Self { id, descriptor, families, shared, replaced: AtomicBool::new(false) })
    }

    /// The same table with other settings; keyspaces of new families are made.
    pub(crate) fn altered(
        &self,
        db: &Engine,
        descriptor: &TableDescriptor,
        catalogue: &Catalogue,
    ) -> Result<Self, EmbeddedError> {
        let mut families = Vec::with_capacity(descriptor.families.len());
        for family in &descriptor.families {
            let open = match self.family(family.name.as_bytes()) {
                Some(known) => (known.keyspace.clone(), Arc::clone(&known.family_markers)),
                None => {
                    let name = keyspace_name(self.id, &family.name);
                    let keyspace = engine::keyspace(db, &name, catalogue.marks())?;
                    (keyspace, Arc::default())
                }
            };
            let (keyspace, family_markers) = open;
            let name = Arc::from(family.name.as_str());
            families.push(OpenFamily { family: family.clone(), keyspace, name, family_markers });
        }
        sort(&mut families);
        Ok(Self {
            id: self.id,
            descriptor: descriptor.clone(),
            families,
            shared: Arc::clone(&self.shared),
            replaced: AtomicBool::new(false),
        })
    }

    /// Marks it as replaced; the caller holds off reads and writes meanwhile.
    pub(crate) fn replace(&self) {
        self.replaced.store(true, Ordering::Release);
    }

    /// Whether another has taken its place.
    pub(crate) fn is_replaced(&self) -> bool {
        self.replaced.load(Ordering::Acquire)
    }

    /// Removes the keyspaces. Their files go when the last scanner over them does.
    pub(crate) fn delete_keyspaces(&self, db: &Engine, catalogue: &Catalogue) -> Result<(), EmbeddedError> {
        for family in &self.families {
            engine::delete_keyspace(db, family.keyspace.clone(), catalogue.marks())?;
        }
        Ok(())
    }

    /// The family of that name.
    pub(crate) fn family(&self, name: &[u8]) -> Option<&OpenFamily> {
        self.families.iter().find(|open| open.family.name.as_bytes() == name)
    }

    /// The same error, with the file that is damaged if the engine could not read one: it does not say which.
    pub(crate) fn named(&self, error: EmbeddedError) -> EmbeddedError {
        let places = self.families.iter().map(|open| disk::keyspace(&open.keyspace));
        disk::named(error, places)
    }

    /// Bytes on disk and in memory, of all families.
    pub(crate) fn size(&self) -> u64 {
        self.families.iter().map(|family| engine::size(&family.keyspace)).sum()
    }
}

fn sort(families: &mut [OpenFamily]) {
    families.sort_by(|a, b| a.family.name.as_bytes().cmp(b.family.name.as_bytes()));
}

pub(crate) fn keyspace_name(table: u64, family: &str) -> String {
    format!("table-{table}.{family}")
}

/// The table's id and the family in a keyspace's name; `None` for a keyspace that belongs to no table.
pub(crate) fn of_keyspace(name: &str) -> Option<(u64, &str)> {
    let (id, family) = name.strip_prefix("table-")?.split_once('.')?;
    Some((id.parse().ok()?, family))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_keyspace_tells_its_table() {
        assert_eq!(of_keyspace(&keyspace_name(17, "a.b-c")), Some((17, "a.b-c")));
        assert_eq!(of_keyspace("catalogue"), None);
    }
}

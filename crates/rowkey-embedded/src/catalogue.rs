//! The catalogue: the tables of the store, and how they are cut.
//!
//! One small keyspace, `catalogue`, with records in JSON:
//!
//! | key | value |
//! | --- | --- |
//! | `next-table-id` | the id of the next table, a number |
//! | `table:` id | `{"name", "families", "attributes", "enabled"}` |
//! | `region:` id start | `{"id"}`: a region of that table begins at `start`, and ends where the next begins |
//! | `counts:` id start | `{"reads", "writes", "bytes"}` of that region, as of the last close; may be missing |
//! | `note:` id name | bytes that belong to the table's present contents ([`rowkey_store::Admin::note`]) |
//! | `clock` | milliseconds since 1970: no write was given a later time (see `clock`) |
//! | `markers:` id family | `true`: that family has, or had, delete markers of whole families; written with the first |
//!
//! An id is 8 bytes, big-endian, and is never given again: it names the table's keyspaces, so that those of a dropped
//! table cannot be taken for those of a new one of the same name. All records of a table are written, and removed, in
//! one batch that is on disk before the call returns: that batch is what makes a table exist.

use std::collections::BTreeMap;

use fjall::{Database, Keyspace};
use rowkey_store::{Family, TableDescriptor};
use serde::{Deserialize, Serialize};

use crate::clock;
use crate::engine::{self, Batch, Engine, Insert, Marks};
use crate::error::RecordDamage;
use crate::regions::{Counts, RegionEntry};
use crate::table::keyspace_name;
use crate::{Durability, EmbeddedError};

/// The keyspace of the catalogue.
pub(crate) const KEYSPACE: &str = "catalogue";
const NEXT_TABLE_ID: &[u8] = b"next-table-id";
const TABLE: &[u8] = b"table:";
const REGION: &[u8] = b"region:";
const COUNTS: &[u8] = b"counts:";
const MARKERS: &[u8] = b"markers:";
const NOTE: &[u8] = b"note:";

/// A table as the catalogue knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TableEntry {
    pub(crate) id: u64,
    pub(crate) descriptor: TableDescriptor,
    pub(crate) enabled: bool,
    /// In key order.
    pub(crate) regions: Vec<RegionEntry>,
    /// The families that may have markers of the whole family.
    pub(crate) with_family_markers: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TableRecord {
    name: String,
    families: Vec<FamilyRecord>,
    attributes: BTreeMap<String, String>,
    /// Missing in format 1, where every table was enabled.
    #[serde(default = "enabled")]
    enabled: bool,
}

fn enabled() -> bool {
    true
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FamilyRecord {
    name: String,
    versions: u32,
    min_versions: u32,
    ttl_seconds: Option<u32>,
    attributes: BTreeMap<String, String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RegionRecord {
    id: i64,
}

/// The table whose place another takes in the same moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Instead {
    /// Its rows are given up, and its notes with them.
    Of(u64),
    /// The one in its place has its rows and others, and keeps its notes.
    Growing(u64),
}

/// The catalogue of an open store.
pub(crate) struct Catalogue {
    keyspace: Keyspace,
    marks: Marks,
}

impl Catalogue {
    /// Opens the catalogue, and makes it in a store that has no keyspace yet.
    pub(crate) fn open(db: &Engine) -> Result<Self, EmbeddedError> {
        let is_new = db.list_keyspace_names().iter().all(|name| &**name == KEYSPACE);
        if !is_new && !db.keyspace_exists(KEYSPACE) {
            return Err(EmbeddedError::Missing { what: format!("keyspace {KEYSPACE}") });
        }
        let keyspace = db.keyspace(KEYSPACE, engine::keyspace_options)?;
        db.set_catalogue(&keyspace)?;
        let catalogue = Self { marks: Marks::new(keyspace.clone()), keyspace };
        if catalogue.keyspace.get(NEXT_TABLE_ID)?.is_none() {
            if !is_new {
                return Err(EmbeddedError::Missing { what: "catalogue record next-table-id".to_owned() });
            }
            let mut batch = engine::batch(db, 1, Durability::Sync);
            batch.insert(&catalogue.keyspace, NEXT_TABLE_ID, to_json(NEXT_TABLE_ID, &1u64)?);
            batch.commit()?;
        }
        Ok(catalogue)
    }

    /// Reads the catalogue of an engine, without a change.
    ///
    /// # Errors
    /// A record does not decode, or the keyspace of a table is missing.
    pub(crate) fn look(db: &Database) -> Result<(), EmbeddedError> {
        let missing = |name: &str| EmbeddedError::Missing { what: format!("keyspace {name}") };
        if !db.keyspace_exists(KEYSPACE) {
            return Err(missing(KEYSPACE));
        }
        let keyspace = db.keyspace(KEYSPACE, engine::keyspace_options)?;
        let catalogue = Self { marks: Marks::new(keyspace.clone()), keyspace };
        for table in catalogue.load()? {
            let names = table.descriptor.families.iter().map(|family| keyspace_name(table.id, &family.name));
            if let Some(name) = names.into_iter().find(|name| !db.keyspace_exists(name)) {
                return Err(missing(&name));
            }
        }
        Ok(())
    }

    /// The time on record: no write was given a later one.
    pub(crate) fn clock(&self) -> Result<Option<i64>, EmbeddedError> {
        self.keyspace.get(clock::RECORD)?.map(|value| from_json(clock::RECORD, &value)).transpose()
    }

    /// The id for a table to be created.
    pub(crate) fn next_table_id(&self) -> Result<u64, EmbeddedError> {
        let value = self.keyspace.get(NEXT_TABLE_ID)?;
        let value = value
            .ok_or_else(|| EmbeddedError::Missing { what: "catalogue record next-table-id".to_owned() })?;
        from_json(NEXT_TABLE_ID, &value)
    }

    /// An id for a table that will be added later; no other table gets it.
    pub(crate) fn reserve_table_id(&self, db: &Engine) -> Result<u64, EmbeddedError> {
        let id = self.next_table_id()?;
        let mut batch = engine::batch(db, 1, Durability::Sync);
        batch.insert(&self.keyspace, NEXT_TABLE_ID, to_json(NEXT_TABLE_ID, &(id + 1))?);
        batch.commit()?;
        Ok(id)
    }

    /// All tables.
    pub(crate) fn load(&self) -> Result<Vec<TableEntry>, EmbeddedError> {
        let mut tables = Vec::new();
        for record in self.keyspace.prefix(TABLE) {
            let (key, value) = record.into_inner()?;
            let (id, rest) = split_key(&key, TABLE)?;
            if !rest.is_empty() {
                return Err(damaged(&key, RecordDamage::Key));
            }
            let record: TableRecord = from_json(&key, &value)?;
            let enabled = record.enabled;
            let descriptor = descriptor(record).map_err(|source| damaged(&key, source))?;
            let regions = self.load_regions(id)?;
            let with_family_markers = self.load_markers(id)?;
            tables.push(TableEntry { id, descriptor, enabled, regions, with_family_markers });
        }
        Ok(tables)
    }

    fn load_regions(&self, table: u64) -> Result<Vec<RegionEntry>, EmbeddedError> {
        let mut regions = Vec::new();
        for record in self.keyspace.prefix(key_of(REGION, table, &[])) {
            let (key, value) = record.into_inner()?;
            let (_, start) = split_key(&key, REGION)?;
            let RegionRecord { id } = from_json(&key, &value)?;
            let counts_key = key_of(COUNTS, table, start);
            let counts = match self.keyspace.get(&counts_key)? {
                Some(value) => from_json(&counts_key, &value)?,
                None => Counts::default(),
            };
            regions.push(RegionEntry { start: start.to_vec(), id, counts });
        }
        if regions.first().is_none_or(|region| !region.start.is_empty()) {
            return Err(EmbeddedError::Missing { what: format!("the first region of table {table}") });
        }
        Ok(regions)
    }

    fn load_markers(&self, table: u64) -> Result<Vec<String>, EmbeddedError> {
        let mut families = Vec::new();
        for record in self.keyspace.prefix(key_of(MARKERS, table, &[])) {
            let key = record.key()?;
            let (_, family) = split_key(&key, MARKERS)?;
            let family = String::from_utf8(family.to_vec());
            families.push(family.map_err(|_| damaged(&key, RecordDamage::Key))?);
        }
        Ok(families)
    }

    /// Makes a table exist, and in the same moment another one exist no more.
    pub(crate) fn add(
        &self,
        db: &Engine,
        table: &TableEntry,
        instead: Option<Instead>,
    ) -> Result<(), EmbeddedError> {
        self.add_all(db, &[(table, instead)])
    }

    /// The same for several tables, all in one moment.
    pub(crate) fn add_all(
        &self,
        db: &Engine,
        tables: &[(&TableEntry, Option<Instead>)],
    ) -> Result<(), EmbeddedError> {
        let records = tables.iter().map(|(table, _)| table.regions.len() + 2).sum();
        let mut batch = engine::batch(db, records, Durability::Sync);
        let mut next = self.next_table_id()?;
        for (table, instead) in tables {
            if let Some(Instead::Of(old) | Instead::Growing(old)) = instead {
                self.remove_from(&mut batch, *old)?;
            }
            if let Some(Instead::Growing(old)) = instead {
                for record in self.keyspace.prefix(key_of(NOTE, *old, &[])) {
                    let (key, note) = record.into_inner()?;
                    let (_, name) = split_key(&key, NOTE)?;
                    batch.insert(&self.keyspace, key_of(NOTE, table.id, name), note);
                }
            }
            // Ids may have been given out since this one was reserved.
            next = next.max(table.id + 1);
            self.put_table(&mut batch, table.id, &table.descriptor, table.enabled)?;
            for region in &table.regions {
                self.put_region(&mut batch, table.id, region)?;
            }
        }
        batch.insert(&self.keyspace, NEXT_TABLE_ID, to_json(NEXT_TABLE_ID, &next)?);
        batch.commit()
    }

    fn put_table(
        &self,
        batch: &mut Batch<'_>,
        id: u64,
        descriptor: &TableDescriptor,
        enabled: bool,
    ) -> Result<(), EmbeddedError> {
        let key = table_key(id);
        batch.insert(&self.keyspace, key.clone(), to_json(&key, &record(descriptor, enabled))?);
        Ok(())
    }

    fn put_region(
        &self,
        batch: &mut Batch<'_>,
        table: u64,
        RegionEntry { start, id, counts }: &RegionEntry,
    ) -> Result<(), EmbeddedError> {
        let key = key_of(REGION, table, start);
        batch.insert(&self.keyspace, key.clone(), to_json(&key, &RegionRecord { id: *id })?);
        let key = key_of(COUNTS, table, start);
        batch.insert(&self.keyspace, key.clone(), to_json(&key, counts)?);
        Ok(())
    }

    /// Changes what a table is. Families that it no longer has lose the record of their markers, and the table its notes,
    /// because cells are gone with them.
    pub(crate) fn change(
        &self,
        db: &Engine,
        id: u64,
        descriptor: &TableDescriptor,
        enabled: bool,
        gone: &[String],
    ) -> Result<(), EmbeddedError> {
        let mut batch = engine::batch(db, 1 + gone.len(), Durability::Sync);
        self.put_table(&mut batch, id, descriptor, enabled)?;
        for family in gone {
            batch.remove(&self.keyspace, key_of(MARKERS, id, family.as_bytes()));
        }
        if !gone.is_empty() {
            self.remove_all(&mut batch, NOTE, id)?;
        }
        batch.commit()
    }

    /// A note of a table's present contents.
    pub(crate) fn note(&self, table: u64, name: &str) -> Result<Option<Vec<u8>>, EmbeddedError> {
        let note = self.keyspace.get(key_of(NOTE, table, name.as_bytes()))?;
        Ok(note.map(|note| note.to_vec()))
    }

    /// Writes or removes a note. It is behind everything that was written before in the journal, so it is not waited for.
    pub(crate) fn set_note(
        &self,
        db: &Engine,
        table: u64,
        name: &str,
        note: Option<&[u8]>,
    ) -> Result<(), EmbeddedError> {
        let key = key_of(NOTE, table, name.as_bytes());
        let mut batch = engine::batch(db, 1, Durability::Buffered);
        match note {
            Some(note) => batch.insert(&self.keyspace, key, note),
            None => batch.remove(&self.keyspace, key),
        }
        batch.commit()
    }

    /// Puts new regions in the place of old ones.
    pub(crate) fn replace_regions(
        &self,
        db: &Engine,
        table: u64,
        old: &[RegionEntry],
        new: &[RegionEntry],
    ) -> Result<(), EmbeddedError> {
        let mut batch = engine::batch(db, 2 * (old.len() + new.len()), Durability::Sync);
        for RegionEntry { start, .. } in old {
            batch.remove(&self.keyspace, key_of(REGION, table, start));
            batch.remove(&self.keyspace, key_of(COUNTS, table, start));
        }
        for region in new {
            self.put_region(&mut batch, table, region)?;
        }
        batch.commit()
    }

    /// The note that a family may have markers of the whole family, for the batch that writes the first one.
    pub(crate) fn family_marker_note(&self, table: u64, family: &str) -> Insert {
        let key = key_of(MARKERS, table, family.as_bytes()).into();
        Insert { keyspace: self.keyspace.clone(), key, value: b"true".into() }
    }

    /// Keeps the counts of a table's regions.
    pub(crate) fn keep_counts(
        &self,
        db: &Engine,
        table: u64,
        counts: &[(Vec<u8>, Counts)],
    ) -> Result<(), EmbeddedError> {
        let mut batch = engine::batch(db, counts.len(), Durability::Buffered);
        for (start, counts) in counts {
            let key = key_of(COUNTS, table, start);
            batch.insert(&self.keyspace, key.clone(), to_json(&key, counts)?);
        }
        batch.commit()
    }

    /// Makes a table exist no more.
    pub(crate) fn remove(&self, db: &Engine, table: u64) -> Result<(), EmbeddedError> {
        let mut batch = engine::batch(db, 2, Durability::Sync);
        self.remove_from(&mut batch, table)?;
        batch.commit()
    }

    fn remove_from(&self, batch: &mut Batch<'_>, table: u64) -> Result<(), EmbeddedError> {
        batch.remove(&self.keyspace, table_key(table));
        [REGION, COUNTS, MARKERS, NOTE].iter().try_for_each(|kind| self.remove_all(batch, kind, table))
    }

    /// Removes all records of a kind that a table has.
    fn remove_all(&self, batch: &mut Batch<'_>, kind: &[u8], table: u64) -> Result<(), EmbeddedError> {
        for record in self.keyspace.prefix(key_of(kind, table, &[])) {
            batch.remove(&self.keyspace, record.key()?);
        }
        Ok(())
    }

    pub(crate) fn keyspace(&self) -> &Keyspace {
        &self.keyspace
    }

    /// What keyspaces are made and removed with.
    pub(crate) fn marks(&self) -> &Marks {
        &self.marks
    }
}

fn table_key(table: u64) -> Vec<u8> {
    [TABLE, &table.to_be_bytes()].concat()
}

/// The key of a record about the region that begins at `start`; an empty one is the prefix of all.
fn key_of(kind: &[u8], table: u64, start: &[u8]) -> Vec<u8> {
    [kind, &table.to_be_bytes(), start].concat()
}

/// The table id in a record's key, and what follows it.
fn split_key<'a>(key: &'a [u8], prefix: &[u8]) -> Result<(u64, &'a [u8]), EmbeddedError> {
    let parts = key.strip_prefix(prefix).and_then(|rest| rest.split_first_chunk::<8>());
    let (id, rest) = parts.ok_or_else(|| damaged(key, RecordDamage::Key))?;
    Ok((u64::from_be_bytes(*id), rest))
}

fn damaged(key: &[u8], source: RecordDamage) -> EmbeddedError {
    EmbeddedError::DamagedRecord { key: key.to_vec(), source }
}

fn from_json<T: for<'de> Deserialize<'de>>(key: &[u8], value: &[u8]) -> Result<T, EmbeddedError> {
    serde_json::from_slice(value).map_err(|error| damaged(key, error.into()))
}

fn to_json<T: Serialize>(key: &[u8], value: &T) -> Result<Vec<u8>, EmbeddedError> {
    serde_json::to_vec(value).map_err(|error| damaged(key, error.into()))
}

fn record(table: &TableDescriptor, enabled: bool) -> TableRecord {
    let family = |family: &Family| FamilyRecord {
        name: family.name.clone(),
        versions: family.versions,
        min_versions: family.min_versions,
        ttl_seconds: family.ttl_seconds,
        attributes: family.attributes.clone(),
    };
    TableRecord {
        name: table.name.to_string(),
        families: table.families.iter().map(family).collect(),
        attributes: table.attributes.clone(),
        enabled,
    }
}

fn descriptor(record: TableRecord) -> Result<TableDescriptor, RecordDamage> {
    let family = |family: FamilyRecord| Family {
        name: family.name,
        versions: family.versions,
        min_versions: family.min_versions,
        ttl_seconds: family.ttl_seconds,
        attributes: family.attributes,
    };
    Ok(TableDescriptor {
        name: record.name.parse()?,
        families: record.families.into_iter().map(family).collect(),
        attributes: record.attributes,
    })
}

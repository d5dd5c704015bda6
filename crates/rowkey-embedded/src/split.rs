//! Splits a region in two and merges two into one.
//!
//! Only the catalogue and the list of regions change; no row moves. A region splits by itself as HBase 2.6 does by
//! default ([`SplitPolicy`]): the only region of a table at twice the size of a memstore, any other at the
//! largest size of a file. Both sizes are settings of the table, by HBase's names.

use std::sync::PoisonError;

use fjall::Readable;
use rowkey_core::range::KeyRange;
use rowkey_store::{SplitPolicy, StoreError, validate_row};

use crate::layout::bounds::CellRange;
use crate::layout::cell;
use crate::regions::{Counts, Located, RegionEntry};
use crate::store::Core;
use crate::table::Table;
use crate::{EmbeddedError, engine};

/// So many keys are kept on the way through a region whose middle is looked for.
const KEYS: usize = 1024;

/// Splits the regions that have grown past their limit.
pub(crate) fn split_overgrown(core: &Core, table: &Table) -> Result<(), StoreError> {
    let policy = SplitPolicy::of(&table.descriptor);
    let at = |regions| policy.limit(regions).unwrap_or(u64::MAX);
    for (region, middle) in table.shared.regions.overgrown(at, || table.size()) {
        // Another writer does it already.
        let Ok(_changing) = table.shared.changing_regions.try_lock() else { return Ok(()) };
        let middle = match middle {
            Some(middle) => Some(middle),
            None => find_middle(core, table, &region).map_err(|error| during(table, error))?,
        };
        // A region of a single row cannot be split, however large it is.
        if let Some(at) = middle {
            divide(core, table, region, at).map_err(|error| during(table, error))?;
        }
    }
    Ok(())
}

/// The same until none is left: a table that was loaded at once may be too large for two regions as well.
pub(crate) fn split_all_overgrown(core: &Core, table: &Table) -> Result<(), StoreError> {
    let mut before = 0;
    while before != table.shared.regions.starts().len() {
        before = table.shared.regions.starts().len();
        split_overgrown(core, table)?;
    }
    Ok(())
}

fn during(table: &Table, error: EmbeddedError) -> StoreError {
    error.during(format!("split a region of table `{}`", table.descriptor.name))
}

/// Splits a region at a key, or in the middle of its keys.
pub(crate) fn split(core: &Core, table: &Table, region: &str, at: Option<&[u8]>) -> Result<(), StoreError> {
    let _changing = table.shared.changing_regions.lock().unwrap_or_else(PoisonError::into_inner);
    let name = &table.descriptor.name;
    let found = find(table, region)?;
    let at = match at {
        Some(at) => at.to_vec(),
        None => {
            let middle = find_middle(core, table, &found).map_err(|error| during(table, error))?;
            middle
                .ok_or_else(|| StoreError::NoSplitPoint { table: name.clone(), range: found.range.clone() })?
        }
    };
    if at.as_slice() <= found.entry.start.as_slice() || !found.range.contains(&at) {
        return Err(StoreError::SplitOutside { split: at, range: found.range });
    }
    validate_row(&at)?;
    divide(core, table, found, at).map_err(|error| during(table, error))
}

fn find(table: &Table, region: &str) -> Result<Located, StoreError> {
    let name = &table.descriptor.name;
    let found = table.shared.regions.find(name, region);
    found.ok_or_else(|| StoreError::RegionNotFound { table: name.clone(), region: region.to_owned() })
}

fn divide(core: &Core, table: &Table, parent: Located, at: Vec<u8>) -> Result<(), EmbeddedError> {
    let Counts { bytes, .. } = parent.entry.counts;
    let id = core.db.clock.now().max(parent.entry.id.saturating_add(1));
    let half = |bytes| Counts { bytes, ..Counts::default() };
    let daughters = vec![
        RegionEntry { start: parent.entry.start.clone(), id, counts: half(bytes / 2) },
        RegionEntry { start: at, id, counts: half(bytes - bytes / 2) },
    ];
    core.catalogue.replace_regions(&core.db, table.id, std::slice::from_ref(&parent.entry), &daughters)?;
    table.shared.regions.replace(&[parent], daughters);
    Ok(())
}

/// Makes one region of neighbours.
pub(crate) fn merge(core: &Core, table: &Table, regions: &[String]) -> Result<(), StoreError> {
    let _changing = table.shared.changing_regions.lock().unwrap_or_else(PoisonError::into_inner);
    let found: Result<Vec<Located>, StoreError> = regions.iter().map(|region| find(table, region)).collect();
    let mut found = found?;
    found.sort_by_key(|region| region.index);
    let are_neighbours =
        found.len() > 1 && found.iter().zip(found.iter().skip(1)).all(|(a, b)| a.index + 1 == b.index);
    let (true, Some(first)) = (are_neighbours, found.first()) else {
        let (table, regions) = (table.descriptor.name.clone(), regions.to_vec());
        return Err(StoreError::NotNeighbours { table, regions });
    };
    let newest = found.iter().map(|region| region.entry.id).max().unwrap_or(0);
    let bytes = found.iter().map(|region| region.entry.counts.bytes).sum();
    let merged = RegionEntry {
        start: first.entry.start.clone(),
        id: core.db.clock.now().max(newest.saturating_add(1)),
        counts: Counts { bytes, ..Counts::default() },
    };
    let old: Vec<RegionEntry> = found.iter().map(|region| region.entry.clone()).collect();
    core.catalogue
        .replace_regions(&core.db, table.id, &old, std::slice::from_ref(&merged))
        .map_err(|error| error.during(format!("merge regions of table `{}`", table.descriptor.name)))?;
    table.shared.regions.replace(&found, vec![merged]);
    Ok(())
}

/// The middle of a region's keys, by a walk through its largest family; `None` if it has fewer than two rows there.
fn find_middle(core: &Core, table: &Table, region: &Located) -> Result<Option<Vec<u8>>, EmbeddedError> {
    let largest = table.families.iter().max_by_key(|open| engine::size(&open.keyspace));
    let (Some(open), Some(cells)) = (largest, CellRange::of_rows(&region.range)) else { return Ok(None) };
    // Every so-many-th row is kept; when there are too many, every other one goes.
    let (mut keys, mut every, mut rows): (Vec<Vec<u8>>, usize, usize) = (Vec::new(), 1, 0);
    let mut last: Vec<u8> = Vec::new();
    for cell in core.moments.latest(&core.db).range::<&[u8], _>(&open.keyspace, cells.bounds()) {
        let key = cell.key()?;
        if !last.is_empty() && key.starts_with(&last) {
            continue;
        }
        let end = cell::row_end(&key).map_err(|source| EmbeddedError::DamagedKey {
            keyspace: open.keyspace.name().to_string(),
            key: key.to_vec(),
            source,
        })?;
        last = key.get(..end).unwrap_or_default().to_vec();
        if rows % every == 0 {
            keys.push(last.clone());
            if keys.len() > 2 * KEYS {
                let mut nth = 0;
                keys.retain(|_| {
                    nth += 1;
                    nth % 2 == 1
                });
                every *= 2;
            }
        }
        rows += 1;
    }
    let Some(packed) = keys.get(keys.len() / 2).filter(|_| keys.len() > 1) else { return Ok(None) };
    let mut row = Vec::new();
    cell::decode_row(packed, &mut row).map_err(|source| EmbeddedError::DamagedKey {
        keyspace: open.keyspace.name().to_string(),
        key: packed.clone(),
        source,
    })?;
    let inside =
        KeyRange { start: std::ops::Bound::Excluded(region.entry.start.clone()), ..region.range.clone() };
    Ok(inside.contains(&row).then_some(row))
}

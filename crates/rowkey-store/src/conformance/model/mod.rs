//! The model: a store that does nothing but follow the rules, one by one.
//!
//! Cells in one sorted map, answers worked out from the whole of a row: slow, short and plain, so that it can be the
//! oracle for the embedded store. It is a complete [`Store`](crate::Store), and it can be given a [`ModelFault`], to see that the
//! suite notices.
//!
//! Not for use: nothing is kept, everything is behind one lock.

mod fault;
mod read;
mod write;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use rowkey_core::escape::escape;
use rowkey_core::range::KeyRange;

pub use fault::{ModelFault, all_faults};

use crate::{
    Admin, CellKind, Get, Operation, Outcome, Region, RowBatch, RowStore, Scan, Scanner, StoreError,
    TableDescriptor, TableName, TruncateSplits, put_sorted, validate_families, validate_row, validate_splits,
};

/// Row, family, qualifier, falling timestamp, falling kind: the order of cells.
type CellOrder = (Vec<u8>, Vec<u8>, Vec<u8>, Reverse<i64>, Reverse<u8>);

/// A value, and how many cells were written before it.
type Stored = (Vec<u8>, u64);

type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// A store in memory.
pub struct Model {
    tables: Mutex<BTreeMap<TableName, Table>>,
    clock: Clock,
    fault: Option<ModelFault>,
}

#[derive(Clone)]
struct Table {
    descriptor: TableDescriptor,
    enabled: bool,
    regions: Vec<ModelRegion>,
    cells: BTreeMap<CellOrder, Stored>,
    written: u64,
    fault: Option<ModelFault>,
}

#[derive(Clone)]
struct ModelRegion {
    start: Vec<u8>,
    id: u64,
    reads: u64,
    writes: u64,
}

impl Default for Model {
    fn default() -> Self {
        Self::new(|| {
            let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX)
        })
    }
}

impl Model {
    /// A model with a clock of its own, in milliseconds since 1970.
    pub fn new(clock: impl Fn() -> i64 + Send + Sync + 'static) -> Self {
        Self { tables: Mutex::default(), clock: Arc::new(clock), fault: None }
    }

    /// A model that makes a mistake.
    pub fn with_fault(fault: ModelFault) -> Self {
        Self { fault: Some(fault), ..Self::default() }
    }

    /// Takes the puts of a family away that are older than this, as a store may do that merges its files; how many there were.
    ///
    /// # Errors
    /// [`StoreError::TableNotFound`].
    pub fn drop_puts_before(
        &self,
        table: &TableName,
        family: &str,
        timestamp: i64,
    ) -> Result<usize, StoreError> {
        self.with(table, |table| {
            let before = table.cells.len();
            table.cells.retain(|(_, of, _, Reverse(time), Reverse(kind)), _| {
                of != family.as_bytes() || *time >= timestamp || *kind != CellKind::Put.code()
            });
            Ok(before - table.cells.len())
        })
    }

    fn has(&self, fault: ModelFault) -> bool {
        self.fault == Some(fault)
    }

    fn tables(&self) -> MutexGuard<'_, BTreeMap<TableName, Table>> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something with a table.
    fn with<T>(
        &self,
        name: &TableName,
        work: impl FnOnce(&mut Table) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        match self.tables().get_mut(name) {
            Some(table) => work(table),
            None => Err(StoreError::TableNotFound { table: name.clone() }),
        }
    }

    /// The same with a table that must be enabled.
    fn with_enabled<T>(
        &self,
        name: &TableName,
        despite: ModelFault,
        work: impl FnOnce(&mut Table, i64) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let now = (self.clock)();
        self.with(name, |table| {
            if !table.enabled && !table.has(despite) {
                return Err(StoreError::TableDisabled { table: name.clone() });
            }
            work(table, now)
        })
    }
}

impl Table {
    fn has(&self, fault: ModelFault) -> bool {
        self.fault == Some(fault)
    }

    /// The ranges of the regions, in key order.
    fn ranges(&self) -> Vec<KeyRange> {
        let ends = self.regions.iter().skip(1).map(|region| Some(region.start.clone())).chain([None]);
        let some = |start: &Vec<u8>| (!start.is_empty()).then(|| start.clone());
        self.regions
            .iter()
            .zip(ends)
            .map(|(region, end)| KeyRange::half_open(some(&region.start), end))
            .collect()
    }

    fn region_of(&mut self, row: &[u8]) -> Option<&mut ModelRegion> {
        self.regions.iter_mut().rev().find(|region| region.start.as_slice() <= row)
    }

    fn region_name(&self, region: &ModelRegion) -> String {
        format!("{},{},{}.model.", self.descriptor.name, escape(&region.start), region.id)
    }

    fn position(&self, name: &str) -> Result<usize, StoreError> {
        let found = self.regions.iter().position(|region| self.region_name(region) == name);
        found.ok_or_else(|| StoreError::RegionNotFound {
            table: self.descriptor.name.clone(),
            region: name.to_owned(),
        })
    }

    fn new_region(&mut self, start: Vec<u8>) -> ModelRegion {
        self.written += 1;
        ModelRegion { start, id: self.written, reads: 0, writes: 0 }
    }

    fn regions_at(splits: Vec<Vec<u8>>) -> Vec<ModelRegion> {
        let starts = std::iter::once(Vec::new()).chain(splits);
        starts.map(|start| ModelRegion { start, id: 0, reads: 0, writes: 0 }).collect()
    }

    fn rows_in(&self, range: &KeyRange) -> Vec<Vec<u8>> {
        let mut rows: Vec<Vec<u8>> = self.cells.keys().map(|(row, ..)| row.clone()).collect();
        rows.dedup();
        rows.retain(|row| range.contains(row));
        rows
    }
}

impl RowStore for Model {
    fn put_batch(&self, table: &TableName, rows: &RowBatch) -> Result<(), StoreError> {
        self.with_enabled(table, ModelFault::DisabledTableWrites, |table, now| table.put_batch(rows, now))
    }

    fn bulk_load(&self, table: &TableName, rows: &mut dyn Scanner) -> Result<u64, StoreError> {
        if !self.has(ModelFault::BulkLoadUnsorted) {
            return put_sorted(self, table, rows);
        }
        let (mut batch, mut written) = (RowBatch::new(), 0);
        while rows.next_batch(&mut batch)? {
            self.put_batch(table, &batch)?;
            written += batch.len() as u64;
        }
        Ok(written)
    }

    fn batch(
        &self,
        table: &TableName,
        operations: &[Operation],
    ) -> Result<Vec<Result<Outcome, StoreError>>, StoreError> {
        let work = |table: &mut Table, now| Ok(table.batch(operations, now));
        self.with_enabled(table, ModelFault::DisabledTableWrites, work)
    }

    fn get(&self, table: &TableName, get: &Get, into: &mut RowBatch) -> Result<bool, StoreError> {
        if self.has(ModelFault::UnknownTableIsEmpty) && !self.tables().contains_key(table) {
            return Ok(false);
        }
        self.with_enabled(table, ModelFault::DisabledTableReads, |table, now| table.get(get, now, into))
    }

    fn get_many(
        &self,
        table: &TableName,
        gets: &[Get],
        into: &mut RowBatch,
    ) -> Result<Vec<bool>, StoreError> {
        let mut gets: Vec<&Get> = gets.iter().collect();
        if self.has(ModelFault::MultiGetSorted) {
            gets.sort_by(|a, b| a.row.cmp(&b.row));
        }
        if self.has(ModelFault::MultiGetSkipsRepeats) {
            gets.dedup_by(|a, b| a.row == b.row);
        }
        let before = into.len();
        let found: Result<Vec<bool>, StoreError> =
            gets.into_iter().map(|get| self.get(table, get, into)).collect();
        if found.is_err() {
            while into.len() > before {
                into.pop_row();
            }
        }
        found
    }

    fn scan_many(&self, table: &TableName, scans: &[Scan]) -> Result<Vec<Box<dyn Scanner>>, StoreError> {
        self.with_enabled(table, ModelFault::DisabledTableReads, |table, now| {
            let mut scanners: Vec<Box<dyn Scanner>> = Vec::new();
            for scan in scans {
                let of =
                    if table.has(ModelFault::OneScanForAll) { scans.first().unwrap_or(scan) } else { scan };
                let rows = table.scan(of, now)?;
                scanners.push(Box::new(ModelScanner { rows, at: 0, batch_rows: scan.batch_rows.max(1) }));
            }
            Ok(scanners)
        })
    }
}

impl Admin for Model {
    fn create_table(&self, table: &TableDescriptor, splits: &[Vec<u8>]) -> Result<(), StoreError> {
        let mut sorted = splits.to_vec();
        if !self.has(ModelFault::RulesNotChecked) {
            validate_families(&table.name, &table.families)?;
            sorted = validate_splits(splits)?;
            sorted.iter().try_for_each(|split| validate_row(split))?;
        }
        if self.has(ModelFault::SplitsNotSorted) {
            sorted = splits.to_vec();
        }
        let mut tables = self.tables();
        if tables.contains_key(&table.name) && !self.has(ModelFault::ExistingTableReplaced) {
            return Err(StoreError::TableExists { table: table.name.clone() });
        }
        let mut descriptor = table.clone();
        if self.has(ModelFault::AttributesForgotten) {
            descriptor.attributes.clear();
        }
        let regions = Table::regions_at(sorted);
        let made = Table {
            descriptor,
            enabled: true,
            regions,
            cells: BTreeMap::new(),
            written: 0,
            fault: self.fault,
        };
        tables.insert(table.name.clone(), made);
        Ok(())
    }

    fn describe(&self, table: &TableName) -> Result<TableDescriptor, StoreError> {
        self.with(table, |table| Ok(table.descriptor.clone()))
    }

    fn list_tables(&self) -> Result<Vec<TableName>, StoreError> {
        let skip = usize::from(self.has(ModelFault::ListIncomplete));
        Ok(self.tables().keys().skip(skip).cloned().collect())
    }

    fn alter_table(&self, table: &TableDescriptor) -> Result<(), StoreError> {
        if !self.has(ModelFault::RulesNotChecked) {
            validate_families(&table.name, &table.families)?;
        }
        self.with(&table.name, |known| {
            if known.has(ModelFault::AlterIgnored) {
                return Ok(());
            }
            known.descriptor = table.clone();
            if known.has(ModelFault::AlterDropsRows) {
                known.cells.clear();
            }
            if !known.has(ModelFault::DroppedFamilyKeepsCells) {
                known.cells.retain(|(_, family, ..), _| table.require_family(family).is_ok());
            }
            Ok(())
        })
    }

    fn drop_table(&self, table: &TableName) -> Result<(), StoreError> {
        if self.has(ModelFault::DropKeepsRows) {
            return self.with(table, |_| Ok(()));
        }
        match self.tables().remove(table) {
            Some(_) => Ok(()),
            None => Err(StoreError::TableNotFound { table: table.clone() }),
        }
    }

    fn truncate_table(&self, table: &TableName, splits: TruncateSplits) -> Result<(), StoreError> {
        self.with(table, |table| {
            if !table.has(ModelFault::TruncateKeepsRows) {
                table.cells.clear();
            }
            let drops = (splits == TruncateSplits::Drop && !table.has(ModelFault::TruncateNeverDropsSplits))
                || table.has(ModelFault::TruncateAlwaysDropsSplits);
            let starts = table.regions.iter().skip(1).map(|region| region.start.clone());
            table.regions = Table::regions_at(if drops { Vec::new() } else { starts.collect() });
            table.enabled |= !table.has(ModelFault::TruncateStaysDisabled);
            Ok(())
        })
    }

    fn enable_table(&self, table: &TableName) -> Result<(), StoreError> {
        self.with(table, |known| {
            if known.enabled && !known.has(ModelFault::EnableTwice) {
                return Err(StoreError::TableNotDisabled { table: table.clone() });
            }
            known.enabled = true;
            Ok(())
        })
    }

    fn disable_table(&self, table: &TableName) -> Result<(), StoreError> {
        self.with(table, |known| {
            if !known.enabled && !known.has(ModelFault::EnableTwice) {
                return Err(StoreError::TableNotEnabled { table: table.clone() });
            }
            known.enabled = false;
            Ok(())
        })
    }

    fn is_enabled(&self, table: &TableName) -> Result<bool, StoreError> {
        self.with(table, |table| Ok(table.enabled))
    }

    fn regions(&self, table: &TableName) -> Result<Vec<Region>, StoreError> {
        self.with(table, |table| {
            let region = |(region, range): (&ModelRegion, KeyRange)| Region {
                name: table.region_name(region),
                range,
                server: None,
                size: None,
                locality_percent: None,
                reads: region.reads,
                writes: region.writes,
            };
            Ok(table.regions.iter().zip(table.ranges()).map(region).collect())
        })
    }

    fn split_region(&self, table: &TableName, region: &str, at: Option<&[u8]>) -> Result<(), StoreError> {
        self.with(table, |table| {
            let index = table.position(region)?;
            let range = table.ranges().swap_remove(index);
            let rows = table.rows_in(&range);
            let at = match at {
                Some(at) => at.to_vec(),
                None => {
                    let half = if table.has(ModelFault::SplitAtFirstRow) { 1 } else { rows.len() / 2 };
                    let middle = rows.get(half).filter(|_| half > 0).cloned();
                    middle.ok_or_else(|| StoreError::NoSplitPoint {
                        table: table.descriptor.name.clone(),
                        range: range.clone(),
                    })?
                }
            };
            let start = table.regions.get(index).map(|region| region.start.clone()).unwrap_or_default();
            if (!range.contains(&at) || at == start) && !table.has(ModelFault::SplitAnywhere) {
                return Err(StoreError::SplitOutside { split: at, range });
            }
            validate_row(&at)?;
            if table.has(ModelFault::SplitIgnored) {
                return Ok(());
            }
            if table.has(ModelFault::SplitLosesRows) {
                let last = rows.last().cloned();
                table.cells.retain(|(row, ..), _| Some(row) != last.as_ref());
            }
            let daughters = [table.new_region(start), table.new_region(at)];
            let keeps_names = table.has(ModelFault::RegionNamesStay);
            let old = table.regions.splice(index..=index, daughters).next();
            if let (true, Some(old), Some(first)) = (keeps_names, old, table.regions.get_mut(index)) {
                first.id = old.id;
            }
            Ok(())
        })
    }

    fn merge_regions(&self, table: &TableName, regions: &[String]) -> Result<(), StoreError> {
        self.with(table, |table| {
            let found: Result<Vec<usize>, _> = regions.iter().map(|name| table.position(name)).collect();
            let mut found = found?;
            found.sort_unstable();
            let neighbours =
                found.len() > 1 && found.iter().zip(found.iter().skip(1)).all(|(a, b)| a + 1 == *b);
            if !neighbours && !table.has(ModelFault::MergeAnything) {
                let (table, regions) = (table.descriptor.name.clone(), regions.to_vec());
                return Err(StoreError::NotNeighbours { table, regions });
            }
            let (Some(&first), Some(&last)) = (found.first(), found.last()) else { return Ok(()) };
            if table.has(ModelFault::MergeIgnored) {
                return Ok(());
            }
            if table.has(ModelFault::MergeLosesRows) {
                let range = table.ranges().swap_remove(last);
                table.cells.retain(|(row, ..), _| !range.contains(row));
            }
            let start = table.regions.get(first).map(|region| region.start.clone()).unwrap_or_default();
            let merged = table.new_region(start);
            table.regions.splice(first..=last, [merged]);
            Ok(())
        })
    }

    fn flush(&self, table: &TableName) -> Result<(), StoreError> {
        self.with(table, |_| Ok(()))
    }

    fn major_compact(&self, table: &TableName) -> Result<(), StoreError> {
        let now = (self.clock)();
        self.with(table, |table| {
            table.major_compact(now);
            Ok(())
        })
    }
}

struct ModelScanner {
    rows: RowBatch,
    at: usize,
    batch_rows: usize,
}

impl Scanner for ModelScanner {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<bool, StoreError> {
        batch.clear();
        while let Some(row) = self.rows.row(self.at).filter(|_| batch.len() < self.batch_rows) {
            batch.push_row(row);
            self.at += 1;
        }
        Ok(!batch.is_empty())
    }
}

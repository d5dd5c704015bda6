//! The records that a plan returns, one after another.

use std::time::Instant;

use rowkey_core::query::{Plan, Via};
use rowkey_core::{Table, Value};
use rowkey_store::{RegionCounts, RowView, Store, TableName};

use super::counters::Counters;
use super::lookup::Lookup;
use super::reader::{ReadOptions, Reader};
use super::sorting::{InOrder, Placed, Sorting};
use super::{QueryError, QueryOptions, Record, page, server_filter, sort_key};
use crate::record::{self, RowError};

/// The rows of a query, one after another. Ends at the first error; dropping it ends everything that is under way.
pub struct Rows<'a> {
    table: &'a Table,
    /// As it was given, before a page token cut it.
    plan: Plan,
    options: QueryOptions,
    reader: Reader<'a>,
    lookup: Option<Lookup<'a>>,
    sorted: Option<InOrder>,
    /// Rows up to this place in the order asked for were on earlier pages.
    after: Option<Vec<u8>>,
    /// Where the row returned last stands: its key in the table that was read, or its place in the order asked for.
    last: Vec<u8>,
    left: Option<usize>,
    ended: bool,
    counters: Counters,
}

impl<'a> Rows<'a> {
    pub(super) fn new(
        store: &'a dyn Store,
        name: &TableName,
        table: &'a Table,
        plan: &Plan,
        options: &QueryOptions,
    ) -> Result<Self, QueryError> {
        let token = options.page.as_deref().map(|token| page::read(table, plan, token)).transpose()?;
        let sorts = !plan.sort.is_empty();
        let access = match &token {
            Some(last) if !sorts => plan.after(last).access,
            _ => plan.access.clone(),
        };
        // Every row that is read must count, or a limit in a range would end it too early.
        let limit = plan.limit.filter(|_| plan.residual.is_true() && !sorts);
        let (read_from, lookup) = match plan.via {
            Via::Primary => (name.clone(), None),
            Via::Index { index, covered } => {
                let settings = (limit, options.skip_undecodable);
                let lookup = Lookup::new(store, name, table, (index, covered), settings);
                let index = table.indexes.get(index).ok_or(QueryError::NoIndex { index })?;
                let index =
                    index.name.parse().map_err(|_| QueryError::IndexName { name: index.name.clone() })?;
                (index, Some(lookup))
            }
        };
        let filters = match (options.server_filters.unwrap_or_else(|| store.reads_ahead()), &lookup) {
            (false, _) => Vec::new(),
            (true, None) => server_filter::filters(table, &plan.pushed),
            (true, Some(_)) => server_filter::index_filters(table, &plan.pushed),
        };
        // Where the server checks everything, a batch of so many rows is as good as the limit.
        let checked = !filters.is_empty() && plan.checked_by_server();
        let read_options = ReadOptions {
            direction: plan.direction,
            // Index rows may turn out not to count, and rows that do not decode may be left out.
            limit: limit.filter(|_| lookup.is_none() && !options.skip_undecodable),
            expected: plan.limit.filter(|_| !sorts && (limit.is_some() || checked)),
            filters,
            memory: options.memory,
            threads: options.threads,
            counts: options.measure,
            cancel: options.cancel.clone(),
        };
        Ok(Self {
            table,
            plan: plan.clone(),
            options: options.clone(),
            reader: Reader::new(store, read_from, access, read_options),
            lookup,
            sorted: None,
            after: token.filter(|_| sorts),
            last: Vec::new(),
            left: plan.limit,
            ended: false,
            counters: Counters::default(),
        })
    }

    /// What was done so far.
    pub fn counters(&self) -> Counters {
        let mut counters = self.counters;
        let time = counters.read.time;
        counters.read = self.reader.read();
        counters.read.time = time;
        counters.dropped_by_store = self.regions_read().iter().map(|region| region.filtered).sum();
        counters.scanned = self.regions_read().iter().map(|region| region.read).sum();
        // Gets are not counted: each reads the row that it finds.
        counters.scanned = counters.scanned.max(counters.read.rows);
        counters
    }

    /// What the store read so far in each region, in the order of keys, if the query is measured ([`QueryOptions::measure`]) and reads by scans.
    pub fn regions_read(&self) -> Vec<RegionCounts> {
        let mut regions = self.reader.counts();
        regions.sort_by(|a, b| a.start.cmp(&b.start));
        regions
    }

    /// How many rows came from the store so far, those read ahead and those that the residual left out included.
    pub fn rows_read(&self) -> u64 {
        self.reader.read().rows
    }

    /// Whether the store checks rows itself, so that it may have read more than came.
    pub fn filtered_by_store(&self) -> bool {
        self.reader.is_filtered()
    }

    /// The text with which the next page begins, once the limit is reached; `None` if there are no more rows. Give it to
    /// [`QueryOptions::page`] with the same plan.
    pub fn next_page(&self) -> Option<String> {
        let full = self.left == Some(0) && self.counters.returned > 0;
        full.then(|| page::write(self.table, &self.plan, &self.last))
    }

    fn next_record(&mut self) -> Result<Option<Record>, QueryError> {
        if self.left == Some(0) {
            return Ok(None);
        }
        let found = if self.plan.sort.is_empty() { self.next_match()? } else { self.next_sorted()? };
        let Some((place, record)) = found else { return Ok(None) };
        self.last = place;
        self.left = self.left.map(|left| left - 1);
        self.counters.returned += 1;
        Ok(Some(record))
    }

    /// The next row that meets the residual, with its key in the table that was read.
    fn next_match(&mut self) -> Result<Option<(Vec<u8>, Record)>, QueryError> {
        loop {
            if self.options.cancel.is_cancelled() {
                return Err(QueryError::Cancelled);
            }
            let start = self.options.measure.then(Instant::now);
            let found = match &mut self.lookup {
                Some(lookup) => lookup.next(&mut self.reader, &mut self.counters)?.map(Ok),
                None => {
                    let more = self.reader.advance()?;
                    self.reader.row().filter(|_| more).map(|row| record(self.table, row))
                }
            };
            if let Some(start) = start {
                self.counters.read.time += start.elapsed();
            }
            let (place, found) = match found {
                None => return Ok(None),
                Some(Ok(found)) => found,
                Some(Err(_)) if self.options.skip_undecodable => {
                    self.counters.undecodable += 1;
                    continue;
                }
                Some(Err(error)) => return Err(error.into()),
            };
            if self.plan.residual.matches(&found.values) == Some(true) {
                return Ok(Some((place, found)));
            }
            self.counters.filtered += 1;
        }
    }

    /// The next row in the order asked for, with its place there. The first one takes all that are to be sorted.
    fn next_sorted(&mut self) -> Result<Option<(Vec<u8>, Record)>, QueryError> {
        if self.sorted.is_none() {
            let mut sorting = Sorting::new(self.left, self.options.sort_memory, &self.options.sort_folder);
            while let Some((_, record)) = self.next_match()? {
                let mut place = Vec::new();
                sort_key::write(&self.plan.sort, &record.values, &record.key, &mut place);
                if self.after.as_ref().is_none_or(|after| place > *after) {
                    self.counters.sorted += 1;
                    sorting.push(Placed { place, record })?;
                }
            }
            self.reader.close();
            self.counters.spilled_bytes = sorting.spilled_bytes();
            self.sorted = Some(sorting.finish()?);
        }
        if self.options.cancel.is_cancelled() {
            return Err(QueryError::Cancelled);
        }
        let next = self.sorted.as_mut().map(InOrder::next).transpose()?.flatten();
        Ok(next.map(|placed| (placed.place, placed.record)))
    }
}

fn record(table: &Table, row: RowView<'_>) -> Result<(Vec<u8>, Record), RowError> {
    let values = record::read(table, row)?.into_iter().map(Value::into_owned).collect();
    Ok((row.key().to_vec(), Record { key: row.key().to_vec(), values }))
}

impl Iterator for Rows<'_> {
    type Item = Result<Record, QueryError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let next = self.next_record().transpose();
        self.ended = !matches!(next, Some(Ok(_)));
        if self.ended || (self.left == Some(0) && self.plan.sort.is_empty()) {
            // Enough rows came: scanners and threads end now, not when the caller lets go.
            self.reader.close();
        }
        next
    }
}

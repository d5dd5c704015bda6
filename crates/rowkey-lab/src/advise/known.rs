//! What else is known of a design: its first field, the regions that reads touch, bytes read and stored.
//!
//! What MongoDB's `analyzeShardKey` prints for a shard key, from the same simulation as the figures.

use std::collections::{HashMap, HashSet};

use rowkey_core::key::{FieldId, Fields, Sorting, ValueStep};
use rowkey_core::{Table, Value};

use super::Study;
use super::identity::hash_in;
use super::proposal::{IndexProposal, Proposal};
use crate::model::Reading;
use crate::profile::{Profile, Profiler, Trend};
use crate::simulate::QueryCost;
use crate::simulate::reads::touches;
use crate::size::cell::key_value;
use crate::size::lengths::Measure;
use crate::size::row::RowSize;

/// Rows are measured on so many records.
const MEASURED: usize = 2_000;
/// A letter, the stamp of the write and the time of the row.
const MARK: usize = 1 + 8 + 8;

/// What is known of a design beside what it costs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Known {
    /// The first field of the key, behind a salt or hash.
    pub lead: Option<Lead>,
    /// Bytes of a row, uncompressed: of the table, then of each index table.
    pub row_bytes: Vec<f64>,
    /// Bytes that each query reads.
    pub read_bytes: Vec<f64>,
    /// The shares of writes that touch one region, several, and all of the table and its index tables.
    pub writes_touch: [f64; 3],
    /// Bytes of all rows and entries.
    pub storage: f64,
    /// Records of the sample that come again with the identity of one before, and how many of them have another key: such an update leaves
    /// the old row behind.
    pub again: usize,
    /// See `again`.
    pub moved: usize,
    /// The last records of the sample, which no identity or form was made from.
    pub later: Later,
}

/// What becomes of records that a design was not made from.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Later {
    /// How many there are.
    pub records: usize,
    /// How many of them have no key.
    pub refused: usize,
    /// How many have the key of another record.
    pub lost: usize,
    /// The share of them that goes to the busiest region.
    pub busiest: f64,
    /// What a read costs with as many rows as the data has, if the table will have more.
    pub read_today: Option<f64>,
}

/// The first field of a key. What values it has, [`Study::profile`] says.
#[derive(Debug, Clone, PartialEq)]
pub struct Lead {
    /// The first field of the key.
    pub field: FieldId,
    /// How its values go in the order of writes.
    pub trend: Trend,
    /// Whether keys rise with it: it stands first, and new values come at one end.
    pub rises: bool,
}

/// What is in the fields of some records.
pub(super) fn profile(fields: &Fields, records: &[Vec<Value<'static>>]) -> Profile {
    let mut profiler = Profiler::new(fields);
    records.iter().for_each(|record| profiler.record(record));
    profiler.finish()
}

impl Known {
    pub(super) fn of(proposal: &Proposal, table: &Table, study: &Study, profile: &Profile) -> Self {
        let mut measure = Measure::new(table);
        study.sample.records.iter().take(MEASURED).for_each(|record| measure.add(record));
        let row = RowSize::of(table, &measure.finish(), 1.0).bytes();
        let entry = |index: &IndexProposal| {
            let cell = key_value(0, 1, 1, 0) as f64 + index.bytes;
            (1 + index.columns.len()) as f64 * cell + MARK as f64 + index.copied
        };
        let mut row_bytes = vec![row];
        row_bytes.extend(proposal.indexes.iter().map(entry));
        let read = |query: &QueryCost| {
            let own = row_bytes.get(query.by).copied().unwrap_or(row);
            let Reading { rows, lookups, .. } = query.reading;
            (rows - lookups).max(0.0) * own + lookups * row
        };
        let read_bytes = proposal.queries.iter().map(read).collect();
        let storage = study.sample.rows as f64 * row_bytes.iter().sum::<f64>();
        let mut known =
            Self { lead: lead(table, profile), row_bytes, read_bytes, storage, ..proposal.known.clone() };
        let splits =
            proposal.indexes.iter().map(|index| index.splits.len()).sum::<usize>() + proposal.splits.len();
        let tables = 1 + proposal.indexes.len();
        // An update under another key deletes the old row, and its entries.
        let moved = known.moved as f64 / study.sample.records.len().max(1) as f64;
        known.writes_touch[touches(tables as f64, tables + splits)] += 1.0 - moved;
        known.writes_touch[touches(2.0 * tables as f64, tables + splits)] += moved;
        known
    }

    /// Only what becomes of records that come again, and of those that come last.
    pub(super) fn of_records(table: &Table, study: &Study) -> Self {
        let (mut known, splits) = (Self::default(), table.split_points());
        let (mut keys, mut last) = (HashSet::new(), HashMap::new());
        let mut regions = vec![0; splits.len() + 1];
        let before = study.sample.before().len();
        for (place, record) in study.sample.records.iter().enumerate() {
            let (is_later, mut key) = (usize::from(place >= before), Vec::new());
            known.later.records += is_later;
            if table.key.encode(record, &mut key).is_err() {
                known.later.refused += is_later;
                continue;
            }
            regions[splits.partition_point(|split| *split <= key)] += is_later;
            let is_new = keys.insert(key.clone());
            match last.insert(hash_in(record, &study.identity), key.clone()) {
                None => known.later.lost += if is_new { 0 } else { is_later },
                Some(before) => {
                    known.again += 1;
                    known.moved += usize::from(before != key);
                }
            }
        }
        let (most, all) = (regions.iter().max().copied().unwrap_or(0), regions.iter().sum::<usize>());
        known.later.busiest = most as f64 / all.max(1) as f64;
        known
    }
}

fn lead(table: &Table, profile: &Profile) -> Option<Lead> {
    let field = table.key.value_steps().find_map(ValueStep::recovers)?;
    let first = table.key.value_steps().next().map(ValueStep::sorting);
    let is_ordered =
        matches!(first, Some(Sorting::Ordered(own, _) | Sorting::Coarse(own, _)) if own == field);
    let trend = profile.fields.get(field.0)?.trend;
    Some(Lead { field, trend, rises: is_ordered && trend.is_one_sided() })
}

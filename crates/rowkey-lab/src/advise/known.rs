//! What else is known of a design: its first field, the regions that reads touch, bytes read and stored.
//!
//! What MongoDB's `analyzeShardKey` prints for a shard key, from the same simulation as the figures.

use std::collections::HashMap;

use rowkey_core::Table;
use rowkey_core::key::{FieldId, Sorting, ValueStep};

use super::Study;
use super::identity::hash_in;
use super::proposal::{IndexProposal, Proposal};
use crate::model::Reading;
use crate::profile::{Profile, Profiler, Trend};
use crate::simulate::QueryCost;
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
    /// Bytes of all rows and entries.
    pub storage: f64,
    /// Records of the sample that come again with the identity of one before, and how many of them have another key: such an update leaves
    /// the old row behind.
    pub again: usize,
    /// See `again`.
    pub moved: usize,
}

/// The first field of a key, as the sample has it.
#[derive(Debug, Clone, PartialEq)]
pub struct Lead {
    /// The field.
    pub field: FieldId,
    /// How many different values the sample has.
    pub distinct: u64,
    /// The share of the most frequent one.
    pub most_frequent: f64,
    /// How its values go in the order of writes.
    pub trend: Trend,
    /// Whether keys rise with it: it stands first, and new values come at one end.
    pub rises: bool,
}

/// The fields of the sample, looked at once for all designs.
pub(super) fn profile(study: &Study) -> Profile {
    let mut profiler = Profiler::new(&study.fields);
    study.sample.records.iter().for_each(|record| profiler.record(record));
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
        Self { lead: lead(table, profile), row_bytes, read_bytes, storage, ..proposal.known.clone() }
    }

    /// Only what becomes of records that come again.
    pub(super) fn of_updates(table: &Table, study: &Study) -> Self {
        let mut known = Self::default();
        if study.repeated == 0 {
            return known;
        }
        let mut last: HashMap<u64, Vec<u8>> = HashMap::new();
        for record in &study.sample.records {
            let mut key = Vec::new();
            if table.key.encode(record, &mut key).is_ok()
                && let Some(before) = last.insert(hash_in(record, &study.identity), key.clone())
            {
                known.again += 1;
                known.moved += usize::from(before != key);
            }
        }
        known
    }
}

fn lead(table: &Table, profile: &Profile) -> Option<Lead> {
    let field = table.key.value_steps().find_map(ValueStep::recovers)?;
    let first = table.key.value_steps().next().map(ValueStep::sorting);
    let is_ordered =
        matches!(first, Some(Sorting::Ordered(own, _) | Sorting::Coarse(own, _)) if own == field);
    let own = profile.fields.get(field.0)?;
    let most = own.hitters.first().map_or(0, |hitter| hitter.count);
    Some(Lead {
        field,
        distinct: own.distinct.count,
        most_frequent: most as f64 / own.values.max(1) as f64,
        trend: own.trend,
        rises: is_ordered && own.trend.is_one_sided(),
    })
}

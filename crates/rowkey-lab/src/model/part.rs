//! How the rows of a table fall into regions, and these to servers.

use rowkey_core::batch::{BatchEncoder, Column, KeyBatch, Seed};
use rowkey_core::key::{Draws, KeySchema, Step, ValueStep};
use rowkey_core::{Value, split};

use super::Data;
use crate::route::Router;
use crate::simulate::{Cut, Design, SimulateError};

/// A bucket is a region up to so many times the regions asked for.
const BUCKETS_PER_REGION: usize = 4;

/// The table of a design, or one of its index tables, ready to take rows.
#[derive(Debug, Clone)]
pub(crate) struct CutTable<'d> {
    pub(crate) key: &'d KeySchema,
    /// The column of the data for each field of the key.
    pub(crate) columns: Vec<Option<usize>>,
    pub(crate) regions: Router,
    /// The regions, cut finer where that was asked for.
    pub(crate) ranges: Router,
    /// The region of each range.
    pub(crate) region_of: Vec<u32>,
    /// The server of each region.
    pub(crate) server_of: Vec<u32>,
    pub(crate) folded: Option<Folded>,
}

/// The key without the salt, bucket or draw that it begins with.
#[derive(Debug, Clone)]
pub(crate) struct Folded {
    /// The bytes that are left out.
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) ranges: Router,
}

impl Folded {
    /// The key without them.
    pub(crate) fn fold(&self, key: &[u8], out: &mut Vec<u8>) {
        out.clear();
        out.extend_from_slice(key.get(..self.from).unwrap_or_default());
        out.extend_from_slice(key.get(self.to..).unwrap_or_default());
    }
}

/// How finely keys are looked at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fineness {
    /// So many ranges, or as many as there are regions.
    pub(crate) ranges: usize,
    /// Whether the folded key is counted too.
    pub(crate) folded: bool,
    pub(crate) servers: usize,
    pub(crate) seed: u64,
}

impl<'d> CutTable<'d> {
    /// A key over the fields of the data, and the keys of all records. Regions are cut by what the key says, or such that the first `past`
    /// records are even: what comes later was not known then.
    pub(crate) fn of_key(
        key: &'d KeySchema,
        data: &Data<'_>,
        (regions, past): (usize, usize),
        fine: Fineness,
    ) -> (Self, Encoded) {
        let columns = (0..key.fields().len()).map(Some).collect::<Vec<_>>();
        let sample = Encoded::of(key, &columns, data, fine.seed);
        // The borders of the buckets, if there are not far more than regions: within a bucket nothing is known to be even.
        let buckets =
            key.value_steps().next().filter(|first| first.is_bucket()).and_then(|first| first.bucket_count());
        let fits = |count: &usize| regions > 1 && *count <= regions * BUCKETS_PER_REGION;
        let buckets = buckets.map(|count| count as usize).filter(fits);
        let splits = by_key(key, buckets.unwrap_or(regions))
            .unwrap_or_else(|| quantiles(sample.keys.iter().take(past), regions));
        (Self::new(key, columns, &splits, &sample, fine, 0), sample)
    }

    /// The parts of a design: the table itself, then its index tables.
    pub(crate) fn of(
        design: &'d Design,
        data: &Data<'_>,
        fine: Fineness,
    ) -> Result<Vec<Self>, SimulateError> {
        let table = &design.table;
        let mut parts = Vec::with_capacity(table.indexes.len() + 1);
        let mut before = 0;
        let mut take = |key: &'d KeySchema, own: Vec<Vec<u8>>, cut: &Cut| {
            let columns = columns_of(design, key, data)?;
            let sample = Encoded::of(key, &columns, data, fine.seed);
            let splits = match cut {
                Cut::Own => own,
                Cut::Keys(keys) => keys.clone(),
                Cut::Regions(regions) => {
                    by_key(key, *regions).unwrap_or_else(|| quantiles(sample.keys.iter(), *regions))
                }
            };
            let part = Self::new(key, columns, &splits, &sample, fine, before);
            before += part.regions.regions();
            parts.push(part);
            Ok::<_, SimulateError>(())
        };
        take(&table.key, table.split_points(), &design.cut)?;
        for index in &table.indexes {
            let cut = match &design.cut {
                // The keys are those of the table.
                Cut::Keys(_) => &Cut::Own,
                other => other,
            };
            take(&index.key, index.split_points(), cut)?;
        }
        Ok(parts)
    }

    fn new(
        key: &'d KeySchema,
        columns: Vec<Option<usize>>,
        splits: &[Vec<u8>],
        sample: &Encoded,
        fine: Fineness,
        before: usize,
    ) -> Self {
        let regions = Router::new(splits);
        let mut borders = splits.to_vec();
        if fine.ranges > regions.regions() {
            borders.extend(quantiles(sample.keys.iter(), fine.ranges));
        }
        let ranges = Router::new(&borders);
        let region_of =
            (0..ranges.regions()).map(|range| regions.region(ranges.start(range)) as u32).collect();
        // Round robin, as HBase's balancer deals the regions of a new table.
        let server_of =
            (0..regions.regions()).map(|region| ((before + region) % fine.servers) as u32).collect();
        let folded = leading_bytes(key).filter(|_| fine.folded).map(|(from, to)| {
            let mut folded = Folded { from, to, ranges: Router::new(&[]) };
            let mut keys = KeyBatch::new();
            let mut out = Vec::new();
            for key in sample.keys.iter() {
                folded.fold(key, &mut out);
                // As many bytes as fit; they are a sample.
                let _ = keys.push(&out);
            }
            folded.ranges = Router::new(&quantiles(keys.iter(), fine.ranges.max(regions.regions())));
            folded
        });
        Self { key, columns, regions, ranges, region_of, server_of, folded }
    }
}

/// The part that a key begins with, and the bytes of a literal before it.
pub(crate) fn first_step(key: &KeySchema) -> Option<(usize, &ValueStep)> {
    match key.steps() {
        [Step::Value(step), ..] => Some((0, step)),
        [Step::Literal(before), Step::Value(step), ..] => Some((before.len(), step)),
        _ => None,
    }
}

/// The bytes of the salt, bucket or draw that a key begins with, behind a literal perhaps.
fn leading_bytes(key: &KeySchema) -> Option<(usize, usize)> {
    let (from, step) = first_step(key)?;
    Some((from, from + step.bucket_bytes(0)?.len()))
}

/// The column of the data for each field that a key uses.
fn columns_of(
    design: &Design,
    key: &KeySchema,
    data: &Data<'_>,
) -> Result<Vec<Option<usize>>, SimulateError> {
    let named = key.named_fields();
    let missing = |name: &str| SimulateError::MissingField {
        design: design.name.clone(),
        field: name.to_owned(),
        known: data.fields.names().collect::<Vec<_>>().join(", "),
    };
    key.fields()
        .iter()
        .map(|(id, field)| match data.fields.id(&field.name) {
            Some(column) => Ok(Some(column.0)),
            None if named.contains(&id) => Err(missing(&field.name)),
            None => Ok(None),
        })
        .collect()
}

/// The columns of a key's fields, in its order.
pub(crate) fn pick<'a>(columns: &[Option<usize>], data: &[Column<'a>]) -> Vec<Column<'a>> {
    let none = Column::new(rowkey_core::batch::Values::Any(&[]));
    let pick = |column: &Option<usize>| column.and_then(|place| data.get(place)).copied().unwrap_or(none);
    columns.iter().map(pick).collect()
}

/// The keys of records, and which records have none.
#[derive(Debug, Default)]
pub(crate) struct Encoded {
    pub(crate) keys: KeyBatch,
    /// The records of the keys; `None` if every record has one.
    pub(crate) rows: Option<Vec<u32>>,
    pub(crate) refused: u64,
    /// Why the first of them has none.
    pub(crate) refusal: Option<String>,
}

impl Encoded {
    pub(crate) fn of(key: &KeySchema, columns: &[Option<usize>], data: &Data<'_>, seed: u64) -> Self {
        let mut encoded = Self::default();
        let seed = Seed { seed, first_record: 0 };
        encoded.encode(key, &mut BatchEncoder::new(key), &pick(columns, data.columns), data.rows, seed);
        encoded
    }

    /// The keys of records; those that have none are counted and left out.
    pub(crate) fn encode(
        &mut self,
        key: &KeySchema,
        encoder: &mut BatchEncoder<'_>,
        columns: &[Column<'_>],
        rows: usize,
        seed: Seed,
    ) {
        (self.rows, self.refused) = (None, 0);
        if encoder.encode_with(columns, seed, &mut self.keys).is_ok() && self.keys.len() == rows {
            return;
        }
        self.keys.clear();
        let mut taken = Vec::new();
        let mut bytes = Vec::new();
        let mut record = vec![Value::Null; columns.len()];
        for row in 0..rows {
            record.iter_mut().zip(columns).for_each(|(slot, column)| *slot = column.value(row));
            bytes.clear();
            let mut draws = Draws::new(seed.seed, seed.first_record.wrapping_add(row as u64));
            match key.encode_with(&record, &mut draws, &mut bytes) {
                Ok(()) if self.keys.push(&bytes).is_ok() => taken.push(row as u32),
                Ok(()) => self.refused += 1,
                Err(error) => {
                    self.refused += 1;
                    self.refusal.get_or_insert_with(|| error.to_string());
                }
            }
        }
        self.rows = Some(taken);
    }
}

/// Split points by what a key says that begins with a salt, a bucket or a hash; `None` if a sample must decide, as for a
/// plain field, whose values are not known beforehand.
pub(crate) fn by_key(key: &KeySchema, regions: usize) -> Option<Vec<Vec<u8>>> {
    let first = key.value_steps().next()?;
    let asked = u32::try_from(regions).ok()?;
    if first.recovers().is_some() { None } else { split::for_key(key, asked).ok() }
}

/// Keys that cut the sample into so many parts of about the same number of keys; none if there is no sample.
pub(crate) fn quantiles<'k>(keys: impl Iterator<Item = &'k [u8]>, parts: usize) -> Vec<Vec<u8>> {
    let asked = u32::try_from(parts).unwrap_or(u32::MAX);
    split::from_sample(keys.map(|key| (key, 1)), asked).map(|splits| splits.points).unwrap_or_default()
}

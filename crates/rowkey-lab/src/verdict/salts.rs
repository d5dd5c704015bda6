//! How salts over fields of the key would spread the records.
//!
//! Every sampled record is put into the buckets of each candidate: one field each, the fields that the key begins with, and all
//! of them together. Windows of records that follow each other in the data are counted, because a salt that is even over a year
//! and hot in each hour does not spread writes.

use rowkey_core::check::SaltSpread;
use rowkey_core::{FieldId, KeySchema};

use crate::unique;

/// Buckets of a salt that a key without buckets and regions would get.
const BUCKETS: usize = 16;
/// More buckets than this are not measured.
const MOST: usize = 1 << 10;
/// Rows of a window for each bucket.
const ENOUGH: usize = 20;
/// Bytes of a bucket's number.
const WIDTH: usize = 2;

pub(super) struct Salts {
    sets: Vec<Vec<FieldId>>,
    buckets: usize,
    /// A key of nothing but the salts, one behind the other; `None` if there is none to measure.
    pub(super) key: Option<KeySchema>,
}

impl Salts {
    pub(super) fn of(key: &KeySchema, splits: &[Vec<u8>]) -> Self {
        let named = key.named_fields();
        let first = key.value_steps().next();
        let together = [first.map(|step| step.fields()).unwrap_or_default(), named.clone()];
        let together = together.into_iter().filter(|fields| fields.len() > 1);
        let sets = unique(named.iter().map(|id| vec![*id]).chain(together));
        let own = first.filter(|step| step.is_bucket()).and_then(|step| step.bucket_count()).unwrap_or(0);
        let buckets = BUCKETS.max(own as usize).max(splits.len() + 1).min(MOST);
        let part = |fields: &Vec<FieldId>| {
            let names: Vec<&str> = fields.iter().map(|id| key.fields().get(*id).name.as_str()).collect();
            format!("[salt({buckets}, {}): u16]", names.join(", "))
        };
        let source: String = sets.iter().map(part).collect();
        Self { key: KeySchema::with_fields(&source, key.fields()).ok(), sets, buckets }
    }

    /// The spread of each candidate over records in the order of the data; none if there are too few to tell.
    pub(super) fn spread<'s>(&self, records: impl ExactSizeIterator<Item = &'s [u8]>) -> Vec<SaltSpread> {
        let (window, count) = (ENOUGH * self.buckets, records.len());
        // What is left over at the end belongs to the last window.
        let windows = count / window;
        if windows == 0 || self.key.is_none() {
            return Vec::new();
        }
        let spread = |fields: &Vec<FieldId>| SaltSpread {
            fields: fields.clone(),
            buckets: self.buckets as u64,
            ..SaltSpread::default()
        };
        let mut spreads: Vec<SaltSpread> = self.sets.iter().map(spread).collect();
        let mut used = vec![vec![false; self.buckets]; self.sets.len()];
        let mut counts = vec![vec![0_u64; self.buckets]; self.sets.len()];
        for (number, record) in records.enumerate() {
            for ((bytes, counts), used) in record.chunks_exact(WIDTH).zip(&mut counts).zip(&mut used) {
                let bucket = bytes.first_chunk().map_or(0, |bytes| usize::from(u16::from_be_bytes(*bytes)));
                counts[bucket] += 1;
                used[bucket] = true;
            }
            let at = number + 1;
            if at == count || (at % window == 0 && at / window < windows) {
                for (spread, counts) in spreads.iter_mut().zip(&mut counts) {
                    spread.rows += counts.iter().sum::<u64>();
                    spread.busiest += counts.iter().max().copied().unwrap_or(0);
                    counts.fill(0);
                }
            }
        }
        for (spread, used) in spreads.iter_mut().zip(&used) {
            spread.used = used.iter().filter(|used| **used).count() as u64;
        }
        spreads
    }
}

//! Groups columns into families.
//!
//! A family is read as a whole. Columns that are read by the same queries stay together; a second family pays if queries read
//! much less by it. Queries say what they return with `columns`; those that do not say it read everything, and then one family
//! is best.

use rowkey_core::key::FieldId;

use super::facts::FieldFacts;
use crate::workload::{AskedQuery, Drawn};

/// What a cell takes beside its key and value: lengths, timestamp, type, the names of family and column.
const CELL: f64 = 24.0;
/// A second family must save this share of the bytes that queries read.
const WORTH: f64 = 0.25;
/// So many different sets of queries are told apart.
const MOST: usize = 8;

/// Columns in families.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Families {
    /// One or two lists of fields.
    pub groups: Vec<Vec<FieldId>>,
    /// The share of bytes that queries do not read because of the second one.
    pub saved: f64,
}

/// Puts columns into families; `key_bytes` are repeated in every cell.
pub(super) fn families(
    columns: &[FieldId],
    asked: &[AskedQuery],
    facts: &[FieldFacts],
    key_bytes: f64,
) -> Families {
    // Columns with the same readers, and their bytes.
    let mut alike: Vec<(Vec<bool>, Vec<FieldId>, f64)> = Vec::new();
    for field in columns {
        let readers: Vec<bool> = asked.iter().map(|query| query.returns(*field)).collect();
        let value = facts.get(field.0).map_or(8.0, FieldFacts::mean_bytes);
        let bytes = key_bytes + CELL + value;
        match alike.iter_mut().find(|(known, ..)| *known == readers) {
            Some((_, list, sum)) => {
                list.push(*field);
                *sum += bytes;
            }
            None => alike.push((readers, vec![*field], bytes)),
        }
    }
    let one = Families { groups: vec![columns.to_vec()], saved: 0.0 };
    if alike.len() < 2 || alike.len() > MOST {
        return one;
    }
    let rows = |query: &AskedQuery| {
        let returned = |drawn: &Drawn| drawn.matching.min(drawn.parsed.limit.unwrap_or(usize::MAX)) as f64;
        let mean = query.drawn.iter().map(returned).sum::<f64>() / query.drawn.len().max(1) as f64;
        query.share * mean
    };
    // What all queries read when the groups with a bit set are apart from the others.
    let cost = |apart: u32| -> f64 {
        let in_second = |place: usize| apart & (1 << place) != 0;
        let mut all = 0.0;
        for (number, query) in asked.iter().enumerate() {
            for second in [false, true] {
                let own = alike.iter().enumerate().filter(|(place, _)| in_second(*place) == second);
                let touched = own.clone().any(|(_, (readers, ..))| readers.get(number) == Some(&true));
                let bytes: f64 = own.map(|(_, (.., bytes))| bytes).sum();
                all += if touched { rows(query) * bytes } else { 0.0 };
            }
        }
        all
    };
    let together = cost(0);
    let best = (1u32..(1 << (alike.len() - 1))).min_by(|a, b| cost(*a).total_cmp(&cost(*b)));
    let Some(apart) = best.filter(|apart| together > 0.0 && cost(*apart) < together * (1.0 - WORTH)) else {
        return one;
    };
    let mut groups = vec![Vec::new(), Vec::new()];
    for (place, (_, list, _)) in alike.iter().enumerate() {
        groups[usize::from(apart & (1 << place) != 0)].extend(list);
    }
    groups.iter_mut().for_each(|group| group.sort_unstable());
    groups.sort();
    Families { groups, saved: 1.0 - cost(apart) / together }
}

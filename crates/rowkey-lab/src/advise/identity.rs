//! Which fields tell records apart?
//!
//! Sets of up to four fields that no two records of the sample share, smallest first; whether that holds for all
//! records is counted in a pass over the data ([`super::gather`]). A set that is only a time, or has a measured number in it, is
//! unique by luck and comes last.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hasher};

use rowkey::key::{FieldId, Fields};
use rowkey::types::{Kind, Type};

use super::facts::{FieldFacts, hash_into};
use super::sample::Sample;

/// A set has up to so many fields; one less where there are many to choose from.
const MOST: usize = 4;
/// Many fields to choose from.
const MANY: usize = 12;
/// So many sets are looked for in all records.
const SETS: usize = 24;

/// Sets of fields that tell all records of the sample apart, the likeliest first; `asked` are the fields of queries,
/// `wrong` are sets that do not tell all records apart.
pub(super) fn sets(
    sample: &Sample,
    fields: &Fields,
    facts: &[FieldFacts],
    asked: &[FieldId],
    wrong: &[Vec<FieldId>],
) -> Vec<Vec<FieldId>> {
    let usable: Vec<FieldId> = fields
        .iter()
        .filter(|(id, field)| {
            let constant = facts.get(id.0).is_some_and(FieldFacts::is_constant);
            let nulls = facts.get(id.0).is_some_and(|facts| facts.nulls > 0);
            !constant && !nulls && field.ty != Type::Bytes && field.ty.kind() != Kind::Float
        })
        .map(|(id, _)| id)
        .collect();
    let mut found: Vec<Vec<FieldId>> = Vec::new();
    let mut level: Vec<Vec<FieldId>> = vec![Vec::new()];
    for _ in 0..if usable.len() > MANY { MOST - 1 } else { MOST } {
        let mut next = Vec::new();
        for set in &level {
            let last = set.last().copied();
            for field in usable.iter().filter(|field| last.is_none_or(|last| last < **field)) {
                let longer: Vec<FieldId> = set.iter().copied().chain([*field]).collect();
                if found.iter().any(|smaller| smaller.iter().all(|field| longer.contains(field))) {
                    continue;
                }
                if !wrong.contains(&longer) && is_unique(sample, &longer) {
                    found.push(longer);
                } else {
                    next.push(longer);
                }
            }
        }
        level = next;
    }
    found.sort_by_key(|set| {
        let measured = set.iter().filter(|field| is_measured(**field, fields, asked)).count();
        let only_time = set.iter().all(|field| fields.get(*field).ty.kind() == Kind::Time);
        let unasked = set.iter().filter(|field| !asked.contains(field)).count();
        (only_time, measured, set.len(), unasked, set.clone())
    });
    found.truncate(SETS);
    found
}

/// A number that nobody asks for and whose name is no name of a number or id is likely an amount.
fn is_measured(field: FieldId, fields: &Fields, asked: &[FieldId]) -> bool {
    let field_of = fields.get(field);
    let name = field_of.name.to_ascii_lowercase();
    let named = ["id", "key", "no", "num", "number", "seq", "code", "uuid"];
    let is_named = name.split(['_', '-']).any(|word| named.contains(&word))
        || ["id", "key", "number"].iter().any(|end| name.ends_with(end));
    matches!(field_of.ty, Type::Int(_)) && !asked.contains(&field) && !is_named
}

fn is_unique(sample: &Sample, set: &[FieldId]) -> bool {
    let mut seen = HashSet::with_capacity(sample.records.len());
    sample.records.iter().all(|record| seen.insert(hash_in(record, set)))
}

/// How many records of the sample are like one before in these fields.
pub(super) fn repeated(sample: &Sample, set: &[FieldId]) -> usize {
    let mut seen = HashSet::with_capacity(sample.records.len());
    sample.records.iter().filter(|record| !seen.insert(hash_in(record, set))).count()
}

fn hash_in(record: &[rowkey::Value<'static>], set: &[FieldId]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for field in set {
        hash_into(record.get(field.0).unwrap_or(&rowkey::Value::Null), &mut hasher);
    }
    hasher.finish()
}

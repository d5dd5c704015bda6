//! The fields over which a proposed salt spreads rows.
//!
//! A salt spreads what differs in its fields from row to row: records of one day share a salt of the day, and three airports
//! fill three buckets of sixteen. So no cure hashes times alone, and none hashes a field that the data shows to be uneven:
//!
//! - with data, the first field whose salt was measured to be even ([`DataFacts::salts`]), otherwise all of them together;
//! - without, the fields that the key already hashes, otherwise what makes a record unique: the identity, or all fields.
//!
//! **Law** (`rowkey-lab`, `tests/cures.rs`): a key with such a salt passes `simulate` over the same data.

use super::expr::{field, salt};
use super::rules::lead::PLAIN;
use super::subject::{Subject, ValuePart};
use super::{Context, DataFacts};
use crate::key::{FieldId, KeySchema};
use crate::notation::Expr;
use crate::types::Type;

/// How many buckets a cure proposes where the table does not say how many regions it has.
pub(super) const BUCKETS: i128 = 16;
/// A bucket may have this many times the mean.
pub(super) const SKEW: f64 = 2.0;

/// How the rows of the data spread over the buckets of a salt.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SaltSpread {
    /// The fields that the salt hashes.
    pub fields: Vec<FieldId>,
    /// How many buckets it has.
    pub buckets: u64,
    /// How many of them get a row.
    pub used: u64,
    /// Rows that were counted, in windows of rows that follow each other in the data.
    pub rows: u64,
    /// Of these, rows in the busiest bucket of their window.
    pub busiest: u64,
}

impl SaltSpread {
    /// How many times the mean the busiest bucket of a window gets.
    pub fn times(&self) -> f64 {
        self.busiest as f64 * self.buckets as f64 / self.rows.max(1) as f64
    }

    /// Whether every bucket gets rows, and none more than twice its share.
    pub fn is_even(&self) -> bool {
        self.used == self.buckets && self.times() <= SKEW
    }
}

/// Why no field of a key can carry a salt.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum NoSalt {
    /// It holds nothing but times, and flags.
    OnlyTimes,
    /// The data is uneven in all of its fields together: the busiest bucket has so many times the mean.
    Uneven(f64),
}

impl NoSalt {
    /// What to do instead.
    pub(super) fn text(self) -> String {
        match self {
            Self::OnlyTimes => "no salt helps: the key holds nothing but times, and rows of one time would share a bucket; add \
                                what a row belongs to, such as a user or a device, and begin with it"
                .to_owned(),
            Self::Uneven(times) => format!(
                "no salt of this key's fields helps: over all of them together the busiest bucket gets {times:.1} times the mean; \
                 add a field that tells the records apart"
            ),
        }
    }
}

/// A salt, and what it hashes in words.
pub(super) struct Salting {
    pub(super) expr: Expr,
    pub(super) fields: Vec<FieldId>,
}

/// The salt that spreads the rows of a key; `own` are fields that the key hashes already, which it keeps where they do.
pub(super) fn salting(subject: &Subject<'_>, count: i128, own: &[FieldId]) -> Result<Salting, NoSalt> {
    let named = subject.key.named_fields();
    let fields = carriers(subject, &named, own)?;
    // `salt(n)` is over all fields.
    let hashed = if fields == named && fields.len() > 1 { Vec::new() } else { fields.clone() };
    let expr = salt(count, hashed.iter().map(|id| field(subject.name(*id))));
    Ok(Salting { expr, fields })
}

fn carriers(subject: &Subject<'_>, named: &[FieldId], own: &[FieldId]) -> Result<Vec<FieldId>, NoSalt> {
    let steady = |id: &FieldId| is_steady(subject, *id);
    let known = |fields: &[FieldId]| fields.iter().any(steady) && fields.iter().all(|id| named.contains(id));
    if !named.iter().any(steady) {
        return Err(NoSalt::OnlyTimes);
    }
    let Some(data) = subject.context.data.filter(|data| !data.salts.is_empty()) else {
        let said = subject.context.identity.unwrap_or_default();
        let chosen = [own, said, named].into_iter().find(|fields| known(fields));
        return Ok(chosen.unwrap_or(named).to_vec());
    };
    // The key's first field last: what rows are looked up by stays together where it can.
    let first = subject.parts.iter().find_map(|part| part.step.node.source_field());
    let (lead, rest): (Vec<FieldId>, Vec<FieldId>) =
        named.iter().copied().filter(steady).partition(|id| Some(*id) == first);
    let singles = rest.into_iter().chain(lead).map(|id| vec![id]);
    let candidates = [own.to_vec()].into_iter().chain(singles).chain([named.to_vec()]);
    let measured = |fields: &[FieldId]| {
        data.salts.iter().find(|salt| {
            salt.fields.len() == fields.len() && salt.fields.iter().all(|id| fields.contains(id))
        })
    };
    let even = |fields: &Vec<FieldId>| known(fields) && measured(fields).is_some_and(SaltSpread::is_even);
    let uneven = || NoSalt::Uneven(measured(named).map_or(0.0, SaltSpread::times));
    candidates.into_iter().find(even).ok_or_else(uneven)
}

/// Whether a field can tell rows of one moment apart: neither a time, by its type or its name, nor a flag.
pub(super) fn is_steady(subject: &Subject<'_>, id: FieldId) -> bool {
    subject.time(subject.name(id)).is_none() && subject.key.fields().get(id).ty != Type::Bool
}

/// The salt in the place of a part that hashes these: over the same, unless the part is to spread rows and they do not.
pub(super) fn salt_of_hash(
    subject: &Subject<'_>,
    part: &ValuePart<'_>,
    count: i128,
    hashed: &[Expr],
) -> Result<Expr, NoSalt> {
    let own = part.step.fields();
    let is_lead = subject.parts.first().is_some_and(|first| first.index == part.index);
    match is_lead.then(|| salting(subject, count, &own)).transpose()? {
        Some(made) if made.fields != own => Ok(made.expr),
        _ => Ok(salt(count, hashed.to_vec())),
    }
}

/// The key with a salt in front that spreads its rows, in the place of a bucket that does not.
pub(super) fn respread(subject: &Subject<'_>, count: i128) -> Result<(Salting, Option<String>), NoSalt> {
    let made = salting(subject, count, &[])?;
    let rewrite = subject.rewrite();
    let rewrite = match subject.parts.first().filter(|part| part.step.is_bucket()) {
        Some(part) => rewrite.replace(part, made.expr.clone(), PLAIN),
        None => rewrite.lead_with(made.expr.clone(), PLAIN),
    };
    let kept = |source: &String| {
        subject
            .compile(source)
            .is_some_and(|key| key.named_fields().len() == subject.key.named_fields().len())
    };
    let rewritten = rewrite.finish().filter(kept);
    Ok((made, rewritten))
}

/// The key with a salt of so many buckets in front that spreads its rows, in the place of a bucket that does not; `None` if no
/// field of the key can carry one.
pub fn salted(key: &KeySchema, buckets: usize, data: Option<&DataFacts>) -> Option<String> {
    let context = Context { declared: true, data, ..Context::default() };
    let subject = Subject::new(key, &context);
    respread(&subject, i128::try_from(buckets).ok()?).ok()?.1
}

//! Cardinality estimates for plans without statistics.
//!
//! A value is one of a thousand, a range between two bounds a twentieth of the rows, behind one bound a third. A skip scan goes
//! on once for each value of the parts before the last one that it looks at; times, floating-point numbers and UUIDs are
//! supposed to differ from row to row.

use std::ops::Bound;

use super::lists::Lists;
use super::seek::Seek;
use super::values::Interval;
use super::walk::Known;
use crate::key::{FieldId, Step, ValueStep};
use crate::types::Kind;

/// How many rows a table is supposed to have when nothing is known.
pub(super) const SUPPOSED_ROWS: f64 = 1_000_000.0;
/// How many values a field is supposed to have when nothing is known.
const SUPPOSED_VALUES: f64 = 1000.0;
/// Ranges of numbers are counted up to here.
const MOST_COUNTED: usize = 1024;

/// What a plan is supposed to read.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Guess {
    /// The share of the table's rows, those at which a skip scan only looks left out.
    pub(super) share: f64,
    /// How often a skip scan goes on.
    pub(super) jumps: f64,
}

impl Guess {
    pub(super) fn add(&mut self, other: Self) {
        self.share += other.share;
        self.jumps += other.jumps;
    }
}

impl Known<'_> {
    /// A guess at what ranges read that begin with so many prefixes and fix the steps before `stopped_at`, skipping or not.
    #[expect(clippy::cast_precision_loss, reason = "a guess")]
    pub(super) fn guess(&self, lists: &Lists, stopped_at: usize, heads: usize, seek: Option<&Seek>) -> Guess {
        let plain = self.share(lists, stopped_at).min(self.keys(stopped_at) / SUPPOSED_ROWS);
        let Some((last, before)) = seek.and_then(|seek| seek.slots().split_last()) else {
            return Guess { share: plain, jumps: 0.0 };
        };
        let steps = self.key.steps();
        let mut jumps = heads.max(1) as f64 * last.targets().max(1) as f64;
        for slot in before {
            let Some(Step::Value(step)) = steps.get(slot.first_step()) else { continue };
            jumps *= self.distinct(step);
        }
        let share = self.share(lists, last.first_step());
        Guess { share, jumps: jumps.min(SUPPOSED_ROWS * plain) }
    }

    /// How many keys there can be in ranges that end in the last part of the key, by what can be counted.
    #[expect(clippy::cast_precision_loss, reason = "a guess")]
    fn keys(&self, stopped_at: usize) -> f64 {
        let is_value = |step: &Step| matches!(step, Step::Value(_));
        if self.key.steps().iter().skip(stopped_at + 1).any(is_value) {
            return f64::INFINITY;
        }
        let count = |field: FieldId| self.set(field).counted(MOST_COUNTED).map(|values| values.len() as f64);
        let counts: Option<Vec<f64>> = self.key.named_fields().into_iter().map(count).collect();
        counts.map_or(f64::INFINITY, |counts| counts.into_iter().product())
    }

    /// How many values of a part the conditions leave.
    #[expect(clippy::cast_precision_loss, reason = "a guess")]
    fn distinct(&self, step: &ValueStep) -> f64 {
        let Some(field) = step.recovers().or_else(|| step.follows().map(|(field, ..)| field)) else {
            return few(step);
        };
        let set = self.set(field);
        if set.intervals.iter().all(|interval| interval.single().is_some()) {
            return (set.intervals.len() + usize::from(set.null)) as f64;
        }
        if let Some(counted) = set.counted(MOST_COUNTED) {
            return counted.len() as f64;
        }
        let differs = step.recovers().is_some()
            && match self.key.fields().get(field).ty.kind() {
                Kind::Time | Kind::Float => true,
                Kind::Octets(ty) => ty.identifies(),
                _ => false,
            };
        let values = if differs { SUPPOSED_ROWS } else { few(step) };
        (self.share_of_field(field, values) * values).max(1.0)
    }

    /// A guess at the share of the table's rows that the steps up to and including `stopped_at` leave, where nothing is
    /// known of the data: a value of a thousand, a twentieth between two bounds, a third behind one; of a bucket no less than
    /// one of so many, unless the fields that it is made of come later; all of a bucket whose every value is read.
    fn share(&self, lists: &Lists, stopped_at: usize) -> f64 {
        let up_to = self.key.steps().iter().take(stopped_at + 1);
        let values = up_to.filter_map(|step| match step {
            Step::Value(step) => Some(step),
            Step::Literal(_) => None,
        });
        let steps: Vec<&ValueStep> = values.collect();
        let mut seen: Vec<FieldId> = Vec::new();
        let mut share = 1.0;
        for step in &steps {
            let Some(field) = step.recovers().filter(|field| !seen.contains(field)) else { continue };
            seen.push(field);
            share *= self.share_of_field(field, few(step));
        }
        let narrows = |step: &&&ValueStep| {
            let bound = || step.fields().iter().all(|field| lists.bind(*field));
            step.recovers().is_none() && (step.bucket_count().is_none() || bound())
        };
        for step in steps.iter().filter(narrows) {
            let open: Vec<FieldId> =
                step.fields().into_iter().filter(|field| !seen.contains(field)).collect();
            let of_fields: f64 =
                open.iter().map(|field| self.share_of_field(*field, SUPPOSED_VALUES)).product();
            share *= of_fields.max(1.0 / few(step));
            seen.extend(open);
        }
        share
    }

    /// A guess at the share of the rows that the conditions on a field of so many values leave.
    fn share_of_field(&self, field: FieldId, values: f64) -> f64 {
        let set = self.set(field);
        let one = |interval: &Interval| match (&interval.lower, &interval.upper) {
            _ if interval.single().is_some() => 1.0 / values,
            (Bound::Unbounded, Bound::Unbounded) => 1.0,
            (Bound::Unbounded, _) | (_, Bound::Unbounded) => 1.0 / 3.0,
            _ => 1.0 / 20.0,
        };
        let null = if set.null && !set.has_all_values() { 1.0 / values } else { 0.0 };
        (set.intervals.iter().map(one).sum::<f64>() + null).min(1.0)
    }
}

/// How many values a part is supposed to have.
#[expect(clippy::cast_precision_loss, reason = "a guess")]
fn few(step: &ValueStep) -> f64 {
    step.few_values().map_or(SUPPOSED_VALUES, |count| (count as f64).min(SUPPOSED_VALUES))
}

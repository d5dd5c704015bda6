//! From what is known of each field to key ranges.
//!
//! The key is walked from left to right, once for each combination of the values that fields are bound to. A part whose
//! fields are all bound adds its bytes, be it a field, a salt or a hash; of a salt, bucket or hash prefix whose fields are
//! not bound, every value begins a range of its own; the first part with a range of values, or without a condition, ends
//! the walk. What the walk used up is exact; every other condition stays as a residual and is checked on each row.

use std::cell::OnceCell;
use std::ops::Bound;
use std::sync::Arc;

use super::conjunct::{self, Conjunct};
use super::piece::{Piece, Relative};
use super::plan::{MAX_FAN_OUT, PlanError, PlanOptions};
use super::seek::Seek;
use super::values::{Interval, ValueSet};
use crate::key::{Boundary, FieldId, KeySchema, Sorting, Step, ValueStep};
use crate::range::KeyRange;
use crate::value::Value;

/// More combinations of listed values than this are not walked one by one; the values further right stay as ranges.
const MAX_COMBINATIONS: usize = 16_384;
/// How many values a field is supposed to have when nothing is known.
const SUPPOSED_VALUES: f64 = 1000.0;

/// What is known of a query's fields.
pub(super) struct Known<'a> {
    pub(super) key: &'a KeySchema,
    pub(super) conjuncts: &'a [Conjunct],
    /// For each field, the values that a row may have.
    pub(super) sets: Vec<ValueSet>,
    pub(super) options: &'a PlanOptions,
    /// The key for skip scans, which keep it.
    shared: OnceCell<Arc<KeySchema>>,
}

/// Where the walk came to.
#[derive(Debug, Default)]
pub(super) struct Walked {
    pub(super) pieces: Vec<Piece>,
    /// The conjuncts, by place, that every row of the pieces meets.
    pub(super) used: Vec<usize>,
    /// The first step that the ranges do not fix.
    pub(super) stopped_at: usize,
    /// Whether a condition made the ranges smaller than the table.
    pub(super) narrowed: bool,
}

impl<'a> Known<'a> {
    pub(super) fn new(key: &'a KeySchema, conjuncts: &'a [Conjunct], options: &'a PlanOptions) -> Self {
        let sets = key.fields().iter().map(|(field, _)| conjunct::field_values(conjuncts, field)).collect();
        Self { key, conjuncts, sets, options, shared: OnceCell::new() }
    }

    /// Whether no row at all can match.
    pub(super) fn is_impossible(&self) -> bool {
        self.sets.iter().any(ValueSet::is_empty)
            || self.conjuncts.iter().any(|conjunct| {
                conjunct.field.is_none()
                    && conjunct.predicate.fields().is_empty()
                    && conjunct.predicate.matches(&[]) != Some(true)
            })
    }

    fn shared_key(&self) -> Arc<KeySchema> {
        Arc::clone(self.shared.get_or_init(|| Arc::new(self.key.clone())))
    }

    pub(super) fn set(&self, field: FieldId) -> &ValueSet {
        self.sets.get(field.0).expect("there is a set for each field")
    }

    /// Every combination of the listed values of the key's fields, from the left as far as there are not too many.
    fn combinations(&self) -> Vec<Vec<Option<Value<'static>>>> {
        let mut all = vec![vec![None; self.sets.len()]];
        for field in self.key.named_fields() {
            let Some(listed) = self.set(field).listed() else { continue };
            if all.len().saturating_mul(listed.len()) > MAX_COMBINATIONS {
                continue;
            }
            let with = |one: &Vec<Option<Value<'static>>>, value: &Value<'static>| {
                let mut next = one.clone();
                if let Some(slot) = next.get_mut(field.0) {
                    *slot = Some(value.clone());
                }
                next
            };
            all = all.iter().flat_map(|one| listed.iter().map(move |value| with(one, value))).collect();
        }
        all
    }

    /// A guess at the share of the table's rows that the steps up to and including `stopped_at` leave, where nothing is
    /// known of the data: a value of a thousand, a twentieth between two bounds, a third behind one; of a bucket no less than
    /// one of so many, unless the fields that it is made of come later.
    pub(super) fn share(&self, stopped_at: usize) -> f64 {
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
        for step in steps.iter().filter(|step| step.recovers().is_none()) {
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

    /// Walks the key; `None` if no key can match.
    pub(super) fn walk(&self) -> Result<Option<Walked>, PlanError> {
        if self.is_impossible() {
            return Ok(None);
        }
        let combinations = self.combinations();
        let mut all: Option<Walked> = None;
        for bound in &combinations {
            let mut walk = Walk::new(self, bound, combinations.len());
            let Some(pieces) = walk.run()? else { continue };
            let used = walk.used_conjuncts();
            match &mut all {
                None => {
                    let (stopped_at, narrowed) = (walk.stopped_at, walk.narrowed);
                    all = Some(Walked { pieces, used, stopped_at, narrowed });
                }
                Some(all) => {
                    all.pieces.extend(pieces);
                    all.used.retain(|conjunct| used.contains(conjunct));
                    all.stopped_at = all.stopped_at.min(walk.stopped_at);
                    all.narrowed &= walk.narrowed;
                }
            }
        }
        Ok(all)
    }
}

/// How many values a part is supposed to have.
#[expect(clippy::cast_precision_loss, reason = "a guess")]
fn few(step: &ValueStep) -> f64 {
    step.few_values().map_or(SUPPOSED_VALUES, |count| (count as f64).min(SUPPOSED_VALUES))
}

/// The way of one combination of values.
pub(super) struct Walk<'k> {
    pub(super) known: &'k Known<'k>,
    /// The fields that have one value here.
    bound: &'k [Option<Value<'static>>],
    /// The same as a record, with nulls for what is open.
    pub(super) record: Vec<Value<'static>>,
    combinations: usize,
    /// What the keys begin with: several, once a bucket is open.
    prefixes: Vec<Vec<u8>>,
    /// The same without salts, buckets and hashes: the order in which people see the rows.
    rank: Vec<u8>,
    /// The fields whose values the ranges hold exactly.
    exact: Vec<FieldId>,
    /// The conjuncts that a text prefix used up.
    pub(super) used: Vec<usize>,
    narrowed: bool,
    stopped_at: usize,
}

/// What the walk does after a part.
enum Next {
    /// The part's bytes are known: go on.
    On,
    /// The part ends the walk.
    Stop(Vec<Piece>),
    /// No key can match.
    Nothing,
}

impl<'k> Walk<'k> {
    fn new(known: &'k Known<'k>, bound: &'k [Option<Value<'static>>], combinations: usize) -> Self {
        Self {
            known,
            bound,
            record: bound.iter().map(|value| value.clone().unwrap_or_default()).collect(),
            combinations,
            prefixes: vec![Vec::new()],
            rank: Vec::new(),
            exact: Vec::new(),
            used: Vec::new(),
            narrowed: false,
            stopped_at: 0,
        }
    }

    fn run(&mut self) -> Result<Option<Vec<Piece>>, PlanError> {
        let steps = self.known.key.steps();
        for (index, step) in steps.iter().enumerate() {
            self.stopped_at = index;
            let next = match step {
                Step::Literal(bytes) => {
                    self.append(bytes);
                    self.rank.extend_from_slice(bytes);
                    Next::On
                }
                Step::Value(step) => self.value(index, step)?,
            };
            match next {
                Next::On => {}
                Next::Stop(pieces) => return Ok(Some(pieces)),
                Next::Nothing => return Ok(None),
            }
        }
        self.stopped_at = steps.len();
        Ok(Some(self.pieces(&[Relative::point(Vec::new())], None)))
    }

    /// The conjuncts that hold of every row of the pieces.
    fn used_conjuncts(&self) -> Vec<usize> {
        let all = self.known.conjuncts.iter().enumerate();
        all.filter(|(place, conjunct)| {
            let by_field = conjunct.exact && conjunct.field.is_some_and(|field| self.exact.contains(&field));
            by_field || self.used.contains(place)
        })
        .map(|(place, _)| place)
        .collect()
    }

    fn append(&mut self, bytes: &[u8]) {
        self.prefixes.iter_mut().for_each(|prefix| prefix.extend_from_slice(bytes));
    }

    fn is_bound(&self, field: FieldId) -> bool {
        self.bound.get(field.0).is_some_and(Option::is_some)
    }

    fn value(&mut self, index: usize, step: &ValueStep) -> Result<Next, PlanError> {
        if !step.is_random() && step.fields().iter().all(|field| self.is_bound(*field)) {
            return Ok(self.bound_step(step));
        }
        if let Some(bounds) = self.bounds(index, step) {
            self.narrowed = true;
            // Skipping over many values would cost more than reading on.
            let seek = self.seek(index).filter(Seek::skips_few);
            return Ok(Next::Stop(self.pieces(&bounds, seek)));
        }
        if let Some(count) = step.bucket_count() {
            return self.fan_out(index, step, count);
        }
        let seek = self.seek(index);
        self.narrowed |= seek.as_ref().is_some_and(Seek::skips_few);
        Ok(Next::Stop(self.pieces(&[Relative::prefix(Vec::new())], seek)))
    }

    /// A part of which every field is bound: its bytes are known.
    fn bound_step(&mut self, step: &ValueStep) -> Next {
        let mut bytes = Vec::new();
        // Values that have no bytes here (out of range, a delimiter inside) are in no row.
        if self.known.key.encode_step(step, &self.record, &mut bytes).is_err() {
            return Next::Nothing;
        }
        self.append(&bytes);
        self.narrowed = true;
        // Rows of several values are merged as if nothing spread them.
        if !(step.sorting() == Sorting::Lost && step.width.is_some()) {
            self.rank.extend_from_slice(&bytes);
        }
        if *step.boundary() == Boundary::Unclear {
            // Longer texts share this prefix: the conditions stay as residuals.
            return Next::Stop(self.pieces(&[Relative::prefix(Vec::new())], None));
        }
        self.mark_exact(step);
        Next::On
    }

    pub(super) fn mark_exact(&mut self, step: &ValueStep) {
        if let Some(field) = step.recovers()
            && !self.exact.contains(&field)
        {
            self.exact.push(field);
        }
    }

    /// Every value of a salt, bucket or hash prefix begins a range of its own.
    fn fan_out(&mut self, index: usize, step: &ValueStep, count: u32) -> Result<Next, PlanError> {
        let ranges = u64::from(count)
            .saturating_mul(u64::try_from(self.prefixes.len() * self.combinations).unwrap_or(u64::MAX));
        if ranges > u64::try_from(MAX_FAN_OUT).unwrap_or(u64::MAX) {
            // Rows in stored order are fine where no later condition could narrow the ranges.
            if self.known.options.full_scan || self.narrowed || !self.narrows_later(index + 1) {
                return Ok(Next::Stop(self.pieces(&[Relative::prefix(Vec::new())], None)));
            }
            let fields = step.fields();
            let names: Vec<&str> =
                fields.iter().map(|id| self.known.key.fields().get(*id).name.as_str()).collect();
            let part = step.label().to_owned();
            return Err(PlanError::FanOut { ranges, part, fields: names.join(", ") });
        }
        let old = std::mem::take(&mut self.prefixes);
        for prefix in &old {
            let all = (0..count).filter_map(|number| step.bucket_bytes(number));
            self.prefixes.extend(all.map(|bytes| [prefix.as_slice(), &bytes].concat()));
        }
        Ok(Next::On)
    }

    /// Whether a part further right has a condition.
    fn narrows_later(&self, from: usize) -> bool {
        let rest = self.known.key.steps().iter().skip(from);
        rest.filter_map(|step| match step {
            Step::Literal(_) => None,
            Step::Value(step) => Some(step),
        })
        .any(|step| step.fields().iter().any(|field| !self.known.set(*field).is_all()))
    }

    /// Bytes that follow every prefix, as ranges of keys.
    fn pieces(&self, bounds: &[Relative], seek: Option<Seek>) -> Vec<Piece> {
        let mut pieces = Vec::with_capacity(bounds.len() * self.prefixes.len());
        for bound in bounds {
            for prefix in &self.prefixes {
                let range = bound.behind(prefix).of_rows();
                if !range.is_empty() {
                    let (rank, ranks) = (self.rank.clone(), bound.behind(&self.rank));
                    pieces.push(Piece { range, rank, ranks, fixed: prefix.len(), seek: seek.clone() });
                }
            }
        }
        pieces
    }

    /// How to skip to the next key that can match, when a part without a condition stands before parts with one.
    fn seek(&self, index: usize) -> Option<Seek> {
        let steps = self.known.key.steps();
        let can_skip = |step: &Step| match step {
            Step::Literal(_) => true,
            Step::Value(step) => matches!(step.boundary(), Boundary::Own | Boundary::Literal(_)),
        };
        let mut probe = Walk {
            prefixes: vec![Vec::new()],
            rank: Vec::new(),
            exact: Vec::new(),
            used: Vec::new(),
            record: self.record.clone(),
            ..*self
        };
        let mut target: Vec<u8> = Vec::new();
        let mut begin = None;
        for (at, step) in steps.iter().enumerate().skip(index) {
            match (step, begin) {
                (Step::Literal(_), None) => {}
                (Step::Literal(bytes), Some(_)) => target.extend_from_slice(bytes),
                (Step::Value(value), _) => {
                    let bound =
                        !value.is_random() && value.fields().iter().all(|field| self.is_bound(*field));
                    if at == index {
                        // The part that is skipped.
                    } else if bound {
                        self.known.key.encode_step(value, &self.record, &mut target).ok()?;
                        begin.get_or_insert(at);
                        if *value.boundary() != Boundary::Unclear {
                            continue;
                        }
                    } else if let Some(bounds) = probe.bounds(at, value) {
                        let begin = begin.unwrap_or(at);
                        let targets = bounds.iter().map(|bound| bound.behind(&target)).collect();
                        return Seek::new(self.known.shared_key(), index..begin, self.fixed(), targets);
                    }
                    if begin.is_some() {
                        break;
                    }
                    if !can_skip(step) {
                        return None;
                    }
                }
            }
        }
        let whole = target.is_empty();
        let targets = vec![KeyRange::prefix(&target)];
        if whole { None } else { Seek::new(self.known.shared_key(), index..begin?, self.fixed(), targets) }
    }

    /// How many bytes every key of the ranges has before the part at which the walk stopped.
    fn fixed(&self) -> usize {
        self.prefixes.first().map_or(0, Vec::len)
    }
}

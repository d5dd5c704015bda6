//! From what is known of each field to key ranges.
//!
//! The key is walked from left to right, once for each combination of the values that fields are bound to. A part whose
//! fields are all bound adds its bytes, be it a field, a salt or a hash; of a salt, bucket or hash prefix whose fields are
//! not bound, every value begins a range of its own; the first part with a range of values, or without a condition, ends
//! the walk, and what is known of the parts behind it makes a skip scan ([`super::slots`]). What the walk used up is exact;
//! every other condition stays as a residual and is checked on each row.
//!
//! There are several ways to walk ([`super::lists`]): the more listed values are walked one by one, the more ranges there are,
//! and the fewer rows are read or skipped over. Ranges are counted before they are made.

use std::cell::OnceCell;
use std::sync::Arc;

use super::conjunct::{self, Conjunct};
use super::lists::Lists;
use super::piece::{RankedRange, Relative};
use super::plan::{MAX_FAN_OUT, MAX_GETS, PlanError, PlanOptions};
use super::seek::Seek;
use super::values::ValueSet;
use crate::key::{Boundary, FieldId, KeySchema, Sorting, Step, ValueStep};
use crate::value::Value;

/// More values than this are not gone through by all combinations together.
const MAX_LISTED: usize = 4 * MAX_GETS;

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
    pub(super) pieces: Vec<RankedRange>,
    /// The conjuncts, by place, that every row of the pieces meets.
    pub(super) used: Vec<usize>,
    /// The first step that the ranges do not fix.
    pub(super) stopped_at: usize,
    /// Whether a condition made the ranges smaller than the table.
    pub(super) narrowed: bool,
    /// Whether skipping does so.
    pub(super) narrowed_by_seek: bool,
    /// Whether ranges that are too many became one, which only skipping keeps small.
    pub(super) joined: bool,
    /// How many prefixes the ranges begin with.
    pub(super) heads: usize,
}

impl Walked {
    pub(super) fn is_gets(&self) -> bool {
        self.pieces.iter().all(|piece| piece.point().is_some())
    }
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

    pub(super) fn shared_key(&self) -> Arc<KeySchema> {
        Arc::clone(self.shared.get_or_init(|| Arc::new(self.key.clone())))
    }

    pub(super) fn set(&self, field: FieldId) -> &ValueSet {
        self.sets.get(field.0).expect("there is a set for each field")
    }

    /// Walks the key with some of the listed values one by one; `None` if no key can match.
    ///
    /// # Errors
    /// When there would be too many ranges.
    pub(super) fn walk(&self, lists: &Lists) -> Result<Option<Walked>, TooMany> {
        if self.is_impossible() {
            return Ok(None);
        }
        let count = lists.combinations().filter(|count| *count <= MAX_GETS).ok_or(TooMany::Lists)?;
        let mut all: Option<Walked> = None;
        let mut points = true;
        for number in 0..count {
            let bound = lists.combination(number, self.sets.len());
            let mut walk = Walk::new(self, &bound, count);
            let Some(pieces) = walk.run()? else { continue };
            let used = walk.used_conjuncts();
            let heads = walk.prefixes.len();
            points &= pieces.iter().all(|piece| piece.point().is_some());
            match &mut all {
                None => {
                    let Walk { stopped_at, narrowed, narrowed_by_seek, joined, .. } = walk;
                    let walked =
                        Walked { pieces, used, stopped_at, narrowed, narrowed_by_seek, joined, heads };
                    all = Some(walked);
                }
                Some(all) => {
                    all.pieces.extend(pieces);
                    all.used.retain(|conjunct| used.contains(conjunct));
                    all.stopped_at = all.stopped_at.min(walk.stopped_at);
                    all.narrowed &= walk.narrowed;
                    all.narrowed_by_seek &= walk.narrowed || walk.narrowed_by_seek;
                    all.joined |= walk.joined;
                    all.heads += heads;
                }
            }
            let most = if points { MAX_GETS } else { MAX_FAN_OUT };
            if all.as_ref().is_some_and(|all| all.pieces.len() > most) {
                return Err(TooMany::Lists);
            }
        }
        Ok(all)
    }
}

/// Why a walk was given up.
#[derive(Debug)]
pub(super) enum TooMany {
    /// Listed values make too many ranges; fewer of them may be walked one by one.
    Lists,
    /// A bucket has too many values.
    Buckets(PlanError),
}

/// The way of one combination of values.
pub(super) struct Walk<'k> {
    pub(super) known: &'k Known<'k>,
    /// The fields that have one value here.
    pub(super) bound: &'k [Option<Value<'static>>],
    /// The same as a record, with nulls for what is open.
    pub(super) record: Vec<Value<'static>>,
    combinations: usize,
    /// What the keys begin with: several, once a bucket is open.
    prefixes: Vec<Vec<u8>>,
    /// The same without salts, buckets and hashes: the order in which people see the rows.
    rank: Vec<u8>,
    /// The fields whose values the ranges hold exactly.
    pub(super) exact: Vec<FieldId>,
    /// The conjuncts that a text prefix used up.
    pub(super) used: Vec<usize>,
    narrowed: bool,
    narrowed_by_seek: bool,
    joined: bool,
    stopped_at: usize,
}

/// What the walk does after a part.
enum Next {
    /// The part's bytes are known: go on.
    On,
    /// The part ends the walk.
    Stop(Vec<RankedRange>),
    /// No key can match.
    Nothing,
}

impl<'k> Walk<'k> {
    pub(super) fn new(
        known: &'k Known<'k>,
        bound: &'k [Option<Value<'static>>],
        combinations: usize,
    ) -> Self {
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
            narrowed_by_seek: false,
            joined: false,
            stopped_at: 0,
        }
    }

    fn run(&mut self) -> Result<Option<Vec<RankedRange>>, TooMany> {
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

    pub(super) fn is_bound(&self, field: FieldId) -> bool {
        self.bound.get(field.0).is_some_and(Option::is_some)
    }

    fn value(&mut self, index: usize, step: &ValueStep) -> Result<Next, TooMany> {
        if !step.is_random() && step.fields().iter().all(|field| self.is_bound(*field)) {
            return Ok(self.bound_step(step));
        }
        if self.combinations > 1 && self.listed_from(index).saturating_mul(self.combinations) > MAX_LISTED {
            return Err(TooMany::Lists);
        }
        let (exact, used) = (self.exact.clone(), self.used.clone());
        if let Some(mut bounds) = self.bounds(index, step) {
            self.narrowed = true;
            let seek = self.seek(index, Some(&bounds));
            let ranges = bounds.len().saturating_mul(self.prefixes.len()).saturating_mul(self.combinations);
            let most = if bounds.iter().all(Relative::is_point) { MAX_GETS } else { MAX_FAN_OUT };
            if bounds.len() > 1 && ranges > most {
                // One range over all of them; the skip scan knows them one by one.
                (self.exact, self.used) = (exact, used);
                self.joined = true;
                bounds = Relative::hull(&bounds).into_iter().collect();
            }
            return Ok(Next::Stop(self.pieces(&bounds, seek)));
        }
        if let Some(count) = step.bucket_count() {
            return self.fan_out(index, step, count);
        }
        let seek = self.seek(index, None);
        self.narrowed_by_seek |= seek.as_ref().is_some_and(Seek::skips_few);
        Ok(Next::Stop(self.pieces(&[Relative::prefix(Vec::new())], seek)))
    }

    /// How many values and ranges the parts from here on have, which each combination goes through.
    fn listed_from(&self, index: usize) -> usize {
        let rest = self.known.key.steps().iter().skip(index);
        let fields = rest.flat_map(|step| match step {
            Step::Literal(_) => Vec::new(),
            Step::Value(step) => step.fields(),
        });
        let open = fields.filter(|field| !self.is_bound(*field));
        open.map(|field| self.known.set(field).intervals.len()).sum()
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
    fn fan_out(&mut self, index: usize, step: &ValueStep, count: u32) -> Result<Next, TooMany> {
        let ranges = u64::from(count)
            .saturating_mul(u64::try_from(self.prefixes.len() * self.combinations).unwrap_or(u64::MAX));
        if ranges > u64::try_from(MAX_FAN_OUT).unwrap_or(u64::MAX) {
            // Rows in stored order are fine where no later condition could narrow the ranges.
            if self.combinations == 1
                && (self.known.options.full_scan || self.narrowed || !self.narrows_later(index + 1))
            {
                return Ok(Next::Stop(self.pieces(&[Relative::prefix(Vec::new())], None)));
            }
            let fields = step.fields();
            let names: Vec<&str> =
                fields.iter().map(|id| self.known.key.fields().get(*id).name.as_str()).collect();
            let part = step.label().to_owned();
            return Err(TooMany::Buckets(PlanError::FanOut { ranges, part, fields: names.join(", ") }));
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
    fn pieces(&self, bounds: &[Relative], seek: Option<Seek>) -> Vec<RankedRange> {
        let mut pieces = Vec::with_capacity(bounds.len() * self.prefixes.len());
        for bound in bounds {
            for prefix in &self.prefixes {
                let range = bound.behind(prefix).of_rows();
                if !range.is_empty() {
                    let (rank, ranks) = (self.rank.clone(), bound.behind(&self.rank));
                    pieces.push(RankedRange { range, rank, ranks, fixed: prefix.len(), seek: seek.clone() });
                }
            }
        }
        pieces
    }

    /// The same walk before its first step.
    pub(super) fn blank(&self) -> Self {
        Self::new(self.known, self.bound, self.combinations)
    }

    /// How many bytes every key of the ranges has before the part at which the walk stopped.
    pub(super) fn fixed(&self) -> usize {
        self.prefixes.first().map_or(0, Vec::len)
    }
}

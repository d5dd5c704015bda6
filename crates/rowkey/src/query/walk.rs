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
use crate::ordered::OrderedType;
use crate::range::KeyRange;
use crate::types::{Nulls, Order, Type};
use crate::value::Value;

/// More combinations of listed values than this are not walked one by one; the values further right stay as ranges.
const MAX_COMBINATIONS: usize = 16_384;

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
    /// known of the data: a value of a thousand, a twentieth between two bounds, a third behind one.
    pub(super) fn share(&self, stopped_at: usize) -> f64 {
        let steps = self.key.steps().iter().take(stopped_at + 1);
        let mut seen: Vec<FieldId> = Vec::new();
        let mut share = 1.0;
        for step in steps {
            let Step::Value(step) = step else { continue };
            for field in step.fields() {
                if seen.contains(&field) {
                    continue;
                }
                seen.push(field);
                let set = self.set(field);
                #[expect(clippy::cast_precision_loss, reason = "a guess")]
                let values = step.few_values().map_or(1000.0, |count| (count as f64).min(1000.0));
                let one = |interval: &Interval| match (&interval.lower, &interval.upper) {
                    _ if interval.single().is_some() => 1.0 / values,
                    (Bound::Unbounded, Bound::Unbounded) => 1.0,
                    (Bound::Unbounded, _) | (_, Bound::Unbounded) => 1.0 / 3.0,
                    _ => 1.0 / 20.0,
                };
                let null = if set.null && !set.has_all_values() { 1.0 / values } else { 0.0 };
                share *= (set.intervals.iter().map(one).sum::<f64>() + null).min(1.0);
            }
        }
        share
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

/// The way of one combination of values.
struct Walk<'k> {
    known: &'k Known<'k>,
    /// The fields that have one value here.
    bound: &'k [Option<Value<'static>>],
    /// The same as a record, with nulls for what is open.
    record: Vec<Value<'static>>,
    combinations: usize,
    /// What the keys begin with: several, once a bucket is open.
    prefixes: Vec<Vec<u8>>,
    /// The same without salts, buckets and hashes: the order in which people see the rows.
    rank: Vec<u8>,
    /// The fields whose values the ranges hold exactly.
    exact: Vec<FieldId>,
    /// The conjuncts that a text prefix used up.
    used: Vec<usize>,
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

    fn mark_exact(&mut self, step: &ValueStep) {
        if let Some(field) = step.recovers()
            && !is_lossy(step, self.known)
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
                let range = bound.behind(prefix);
                if !range.is_empty() {
                    let (rank, ranks) = (self.rank.clone(), bound.behind(&self.rank));
                    pieces.push(Piece { range, rank, ranks, fixed: prefix.len(), seek: seek.clone() });
                }
            }
        }
        pieces
    }

    /// The bytes that a part can have, by all that is known; `None` if it can have any.
    fn bounds(&mut self, index: usize, step: &ValueStep) -> Option<Vec<Relative>> {
        self.step_bounds(index, step)
            .or_else(|| self.signed_bounds(step))
            .or_else(|| self.text_bounds(step))
            .or_else(|| self.delimited_bounds(step))
    }

    /// The bytes of a part that follows its field, between the bounds of the field's values; `None` if nothing is known
    /// of the field, or if a bound has no bytes under the part's type: the condition is then a residual.
    fn step_bounds(&mut self, index: usize, step: &ValueStep) -> Option<Vec<Relative>> {
        let (field, field_order, strict) = step.monotone()?;
        let finer = self.finer_steps(index, step);
        let strict = (strict || !finer.is_empty()) && !is_lossy(step, self.known);
        let set = fitted(self.known.set(field), step);
        if set.is_all() {
            return None;
        }
        if set.has_all_values() && !step.may_be_null() {
            // Every value that the part can hold is meant.
            if strict {
                self.mark_exact(step);
            }
            return None;
        }
        let falling = (field_order == Order::Descending) != (step.order() == Order::Descending);
        let mut bounds = Vec::with_capacity(set.intervals.len() + 1);
        if set.null && step.may_be_null() {
            bounds.push(self.null_bytes(step, field)?);
        }
        for Interval { lower, upper } in &set.intervals {
            let lower = self.bound_bytes(step, &finer, field, lower, strict)?;
            let upper = self.bound_bytes(step, &finer, field, upper, strict)?;
            let (first, last) = if falling { (upper, lower) } else { (lower, upper) };
            let last_step = finer.last().copied().unwrap_or(step);
            let whole_key = *last_step.boundary() == Boundary::KeyEnd;
            bounds.push(Relative::between(first, last, whole_key).within(&value_area(step)));
        }
        bounds.retain(|bound| !bound.is_empty());
        bounds.sort_by(Relative::compare);
        if strict {
            self.mark_exact(finer.last().copied().unwrap_or(step));
        }
        Some(bounds)
    }

    /// The parts right behind a part in steps, such as `date(ts)`, up to the one that has its field in full: their bytes
    /// rise and fall together.
    fn finer_steps(&self, index: usize, step: &ValueStep) -> Vec<&'k ValueStep> {
        let Sorting::Coarse(field, order) = step.sorting() else { return Vec::new() };
        let alone = |step: &ValueStep| !step.may_be_null() && step.width.is_some();
        let mut finer = Vec::new();
        if !alone(step) {
            return finer;
        }
        for next in self.known.key.steps().iter().skip(index + 1) {
            let Step::Value(next) = next else { return Vec::new() };
            match next.sorting() {
                Sorting::Coarse(own, direction) if (own, direction) == (field, order) && alone(next) => {
                    finer.push(next);
                }
                Sorting::Ordered(own, direction) if (own, direction) == (field, order) && alone(next) => {
                    finer.push(next);
                    return finer;
                }
                _ => return Vec::new(),
            }
        }
        Vec::new()
    }

    /// The bytes of a number in two's complement: those below zero and the others are each in order.
    fn signed_bounds(&mut self, step: &ValueStep) -> Option<Vec<Relative>> {
        let field = step.twos_complement_field()?;
        let set = fitted(self.known.set(field), step);
        if set.null || set.has_all_values() {
            return None;
        }
        let (least, greatest) = step.value_range()?;
        let of = |number: i128| step.value_of(number).map(Bound::Included);
        let mut bounds = Vec::new();
        for (from, to) in [(least, -1), (0, greatest)] {
            let half = ValueSet::between(of(from)?, of(to)?);
            for Interval { lower, upper } in set.intersect(&half).intervals {
                let lower = self.bound_bytes(step, &[], field, &lower, true)?;
                let upper = self.bound_bytes(step, &[], field, &upper, true)?;
                let falling = step.order() == Order::Descending;
                let (first, last) = if falling { (upper, lower) } else { (lower, upper) };
                let whole_key = *step.boundary() == Boundary::KeyEnd;
                bounds.push(Relative::between(first, last, whole_key).within(&value_area(step)));
            }
        }
        bounds.sort_by(Relative::compare);
        self.mark_exact(step);
        Some(bounds)
    }

    /// The bytes of a text before its delimiter, which do not sort as the texts do: of the texts that lie between two
    /// others, most do so with their delimiter too; the few that begin the upper one and end early come beside. What lies
    /// between and is none of them is for the residual.
    fn delimited_bounds(&self, step: &ValueStep) -> Option<Vec<Relative>> {
        let Boundary::Literal(delimiter) = step.boundary() else { return None };
        let field = step.field().filter(|_| step.ty() == Type::Text && step.nulls == Nulls::Refused)?;
        let set = self.known.set(field);
        if set.null || set.has_all_values() {
            return None;
        }
        let text = |bound: &Bound<Value<'static>>| match bound {
            Bound::Included(Value::Text(text)) | Bound::Excluded(Value::Text(text)) => {
                Some(text.as_bytes().to_vec())
            }
            _ => None,
        };
        let mut bounds = Vec::new();
        for Interval { lower, upper } in &set.intervals {
            let start = text(lower).map_or(Bound::Unbounded, Bound::Included);
            let Some(end) = text(upper) else {
                bounds.push(Relative::between(start, Bound::Unbounded, true));
                continue;
            };
            bounds.push(Relative::between(start, Bound::Excluded(end.clone()), true));
            if matches!(upper, Bound::Included(_)) {
                bounds.push(Relative::prefix([end.as_slice(), delimiter].concat()));
            }
            for length in 0..end.len() {
                let early = end.get(..length).unwrap_or_default();
                if text(lower).is_none_or(|lower| early >= lower.as_slice()) {
                    bounds.push(Relative::prefix([early, delimiter].concat()));
                }
            }
        }
        Some(Relative::disjoint(bounds))
    }

    /// What a null of the field is in the part.
    fn null_bytes(&self, step: &ValueStep, field: FieldId) -> Option<Relative> {
        let mut record = self.record.clone();
        *record.get_mut(field.0)? = Value::Null;
        let mut bytes = Vec::new();
        self.known.key.encode_step(step, &record, &mut bytes).ok()?;
        let whole_key = *step.boundary() == Boundary::KeyEnd;
        Some(if whole_key { Relative::point(bytes) } else { Relative::prefix(bytes) })
    }

    fn bound_bytes(
        &self,
        step: &ValueStep,
        finer: &[&ValueStep],
        field: FieldId,
        bound: &Bound<Value<'static>>,
        strict: bool,
    ) -> Option<Bound<Vec<u8>>> {
        let (Bound::Included(value) | Bound::Excluded(value)) = bound else { return Some(Bound::Unbounded) };
        let mut record = self.record.clone();
        *record.get_mut(field.0)? = value.clone();
        let mut bytes = Vec::new();
        for step in std::iter::once(&step).chain(finer) {
            self.known.key.encode_step(step, &record, &mut bytes).ok()?;
        }
        if let Boundary::Literal(end) = step.boundary() {
            // With its end, so that longer texts are no longer behind it.
            bytes.extend_from_slice(end);
        }
        // In steps, values beside the bound share its bytes.
        let included = matches!(bound, Bound::Included(_)) || !strict;
        Some(if included { Bound::Included(bytes) } else { Bound::Excluded(bytes) })
    }

    /// The bytes with which a part of text begins, by a `like`: of the field itself, or of its end in `reverse(field)`.
    fn text_bounds(&mut self, step: &ValueStep) -> Option<Vec<Relative>> {
        let (field, reversed) = step.text_of()?;
        let (place, text, exact) =
            self.known.conjuncts.iter().enumerate().find_map(|(place, conjunct)| {
                if reversed {
                    let (suffix, exact) = conjunct.suffix(field)?;
                    Some((place, suffix.chars().rev().collect::<String>(), exact))
                } else {
                    let (prefix, exact) = conjunct.prefix(field)?;
                    Some((place, prefix.to_owned(), exact))
                }
            })?;
        let bytes = step.text_start(&text)?;
        let clear = match step.boundary() {
            Boundary::Own | Boundary::KeyEnd => true,
            // A shorter text and its delimiter may look the same.
            Boundary::Literal(end) => !text.as_bytes().iter().any(|byte| end.first() == Some(byte)),
            Boundary::Unclear => false,
        };
        if exact && clear && step.recovers() == Some(field) {
            self.used.push(place);
        }
        Some(vec![Relative::prefix(bytes)])
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

/// Whether a part rounds: what comes back from it is then not what a condition compares with.
fn is_lossy(step: &ValueStep, known: &Known<'_>) -> bool {
    if !matches!(step.ty(), Type::F32 | Type::Ordered(OrderedType::F32)) {
        return false;
    }
    #[expect(clippy::cast_possible_truncation, reason = "whether the cast rounds is the question")]
    let rounds = |bound: &Bound<Value<'static>>| match bound {
        Bound::Included(Value::Float(number)) | Bound::Excluded(Value::Float(number)) => {
            f64::from(*number as f32) != *number
        }
        _ => false,
    };
    step.fields().first().is_some_and(|field| {
        let intervals = &known.set(*field).intervals;
        intervals.iter().any(|Interval { lower, upper }| rounds(lower) || rounds(upper))
    })
}

/// The values that the part can hold: bounds past its range are no bounds, and whole seconds lie at whole seconds.
fn fitted(set: &ValueSet, step: &ValueStep) -> ValueSet {
    if step.field().is_none() {
        return set.clone();
    }
    let mut fitted = ValueSet { null: set.null, intervals: Vec::with_capacity(set.intervals.len()) };
    for interval in &set.intervals {
        let lower = match &interval.lower {
            Bound::Included(Value::Time(millis)) if step.ty() == Type::TimestampS => millis
                .checked_add(999)
                .map_or(Bound::Unbounded, |up| Bound::Included(Value::Time(up.div_euclid(1000) * 1000))),
            bound => bound.clone(),
        };
        let upper = match &interval.upper {
            Bound::Included(Value::Time(millis)) if step.ty() == Type::TimestampS => millis
                .div_euclid(1000)
                .checked_mul(1000)
                .map_or(Bound::Unbounded, |down| Bound::Included(Value::Time(down))),
            bound => bound.clone(),
        };
        let Some((min, max)) = step.value_range() else {
            fitted.intervals.extend(Interval::new(lower, upper));
            continue;
        };
        let number = |bound: &Bound<Value<'static>>| match bound {
            Bound::Included(Value::Int(number)) => Some(*number),
            Bound::Included(Value::Time(millis)) => Some(i128::from(*millis)),
            _ => None,
        };
        let (low, high) = (number(&lower), number(&upper));
        if low.is_some_and(|low| low > max) || high.is_some_and(|high| high < min) {
            continue;
        }
        let lower = if low.is_some_and(|low| low <= min) { Bound::Unbounded } else { lower };
        let upper = if high.is_some_and(|high| high >= max) { Bound::Unbounded } else { upper };
        fitted.intervals.extend(Interval::new(lower, upper));
    }
    fitted
}

/// The bytes of a part that is not null.
fn value_area(step: &ValueStep) -> KeyRange {
    match (step.nulls, step.ty(), step.order()) {
        (Nulls::Refused, Type::Ordered(_), Order::Ascending) => {
            KeyRange::half_open(Some(vec![crate::ordered::NULL + 1]), None)
        }
        (Nulls::Refused, Type::Ordered(_), Order::Descending) => {
            KeyRange::half_open(None, Some(vec![!crate::ordered::NULL]))
        }
        _ => KeyRange::prefix(step.value_mark()),
    }
}

//! The bytes that a part can have, by what is known of its field.
//!
//! A part that follows its field turns ranges of values into ranges of bytes: with bounds swapped where it falls, wider
//! where it rounds or goes in steps, beside each other where its bytes have another order than its values.

use std::cmp::Ordering;
use std::ops::Bound;

use super::piece::Relative;
use super::values::{Interval, ValueSet};
use super::walk::Walk;
use crate::key::node::Side;
use crate::key::{Boundary, FieldId, Sorting, Step, ValueStep};
use crate::range::{KeyRange, prefix_end};
use crate::types::{Nulls, Order, Type};
use crate::value::Value;

/// Texts padded to more bytes than this have no ranges: there would be one for each length.
const MAX_PADDED: usize = 64;

impl<'k> Walk<'k> {
    /// The bytes that a part can have, by all that is known; `None` if it can have any.
    pub(super) fn bounds(&mut self, index: usize, step: &ValueStep) -> Option<Vec<Relative>> {
        self.step_bounds(index, step)
            .or_else(|| self.signed_bounds(step))
            .or_else(|| self.text_bounds(step))
            .or_else(|| self.delimited_bounds(step))
            .or_else(|| self.padded_bounds(step))
    }

    /// The bytes of a part that follows its field, between the bounds of the field's values; `None` if nothing is known
    /// of the field, or if a bound has no bytes under the part's type: the condition is then a residual.
    fn step_bounds(&mut self, index: usize, step: &ValueStep) -> Option<Vec<Relative>> {
        let (field, field_order, strict) = step.monotone()?;
        let finer = self.finer_steps(index, step);
        let strict = strict || !finer.is_empty();
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
    pub(super) fn finer_steps(&self, index: usize, step: &ValueStep) -> Vec<&'k ValueStep> {
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
        let of = |number: i128| Value::of_number(number, step.kind).map(Bound::Included);
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
        let plain =
            step.ty() == Type::Text && step.order() == Order::Ascending && step.nulls == Nulls::Refused;
        let field = step.field().filter(|_| plain)?;
        let set = self.known.set(field);
        if set.null || set.has_all_values() {
            return None;
        }
        let mut bounds = Vec::new();
        for Interval { lower, upper } in &set.intervals {
            let start = text_bytes(lower).map_or(Bound::Unbounded, Bound::Included);
            let Some(end) = text_bytes(upper) else {
                bounds.push(Relative::between(start, Bound::Unbounded, true));
                continue;
            };
            bounds.push(Relative::between(start, Bound::Excluded(end.clone()), true));
            if matches!(upper, Bound::Included(_)) {
                bounds.push(Relative::prefix([end.as_slice(), delimiter].concat()));
            }
            for length in 0..end.len() {
                let early = end.get(..length).unwrap_or_default();
                if text_bytes(lower).is_none_or(|lower| early >= lower.as_slice()) {
                    bounds.push(Relative::prefix([early, delimiter].concat()));
                }
            }
        }
        Some(Relative::disjoint(bounds))
    }

    /// The bytes of a padded text, which do not sort as the texts do; what lies between and is none of them is for the residual.
    ///
    /// Padded on the right, a text between two others lies between their bytes, unless it begins the upper one and ends early,
    /// where the pad may be greater than what follows: those few come beside. Padded on the left, texts of each length are in
    /// order among themselves, behind so many pads.
    fn padded_bounds(&self, step: &ValueStep) -> Option<Vec<Relative>> {
        let (field, side, pad, width) = step.padded().filter(|_| step.nulls == Nulls::Refused)?;
        let set = self.known.set(field);
        if set.null || set.has_all_values() || width > MAX_PADDED {
            return None;
        }
        let mut bounds: Vec<KeyRange> = Vec::new();
        for Interval { lower, upper } in &set.intervals {
            let (low, high) = (text_bytes(lower).unwrap_or_default(), text_bytes(upper));
            match side {
                Side::Right => {
                    bounds.push(KeyRange::half_open(Some(low.clone()), high.clone()));
                    let own = usize::from(matches!(upper, Bound::Included(_)));
                    let longest = high.as_ref().map_or(0, |high| (high.len() + own).min(width + 1));
                    for early in (0..longest).filter_map(|length| high.as_ref()?.get(..length)) {
                        if early >= low.as_slice() {
                            let mut padded = early.to_vec();
                            padded.resize(width, pad);
                            bounds.push(KeyRange::prefix(&padded));
                        }
                    }
                }
                Side::Left => {
                    for length in 0..=width {
                        let pads = vec![pad; width - length];
                        let behind = |text: &[u8]| [pads.as_slice(), text].concat();
                        // A text of this length is not above the beginning of the upper bound; further parts follow it.
                        let high = high.as_ref().map(|high| high.get(..length).unwrap_or(high));
                        let end = high.and_then(|high| prefix_end(&behind(high)));
                        let range = KeyRange::half_open(Some(behind(&low)), end);
                        bounds.push(range.intersect(&KeyRange::prefix(&pads)));
                    }
                }
            }
        }
        let bounds = KeyRange::disjoint(bounds);
        let bounds = match step.order() {
            Order::Ascending => bounds,
            Order::Descending => bounds.iter().map(complemented).collect(),
        };
        let relative = |range: KeyRange| Relative::between(range.start, range.end, true);
        Some(Relative::disjoint(bounds.into_iter().map(relative).collect()))
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
            Boundary::Literal(end) => !bytes.iter().any(|byte| end.first() == Some(byte)),
            Boundary::Unclear => false,
        };
        if exact && clear && step.recovers() == Some(field) {
            self.used.push(place);
        }
        Some(vec![Relative::prefix(bytes)])
    }
}

/// The bytes of a text bound.
fn text_bytes(bound: &Bound<Value<'static>>) -> Option<Vec<u8>> {
    match bound {
        Bound::Included(Value::Text(text)) | Bound::Excluded(Value::Text(text)) => {
            Some(text.as_bytes().to_vec())
        }
        _ => None,
    }
}

/// The complements of the values in a range, which begin with bytes of one width: what was behind comes before.
fn complemented(range: &KeyRange) -> KeyRange {
    let turned = |bytes: &[u8]| prefix_end(&bytes.iter().map(|byte| !byte).collect::<Vec<u8>>());
    let end = turned(&range.first_key());
    match &range.end {
        Bound::Unbounded => KeyRange::half_open(None, end),
        Bound::Excluded(last) | Bound::Included(last) => match turned(last) {
            Some(start) => KeyRange::half_open(Some(start), end),
            // Nothing lies behind bytes of FF: an empty range.
            None => KeyRange::half_open(Some(vec![0xFF]), Some(Vec::new())),
        },
    }
}

/// A bound of a field of 64 bits on a part of 32 bits: the nearest number that the part can hold, which is itself inside if it
/// lies on that side of the bound.
fn narrowed(bound: Bound<Value<'static>>, inside: Ordering) -> Bound<Value<'static>> {
    let (Bound::Included(Value::Float(number)) | Bound::Excluded(Value::Float(number))) = bound else {
        return bound;
    };
    #[expect(clippy::cast_possible_truncation, reason = "the nearest number of 32 bits")]
    let nearest = number as f32;
    match f64::from(nearest).partial_cmp(&number) {
        None | Some(Ordering::Equal) => bound,
        Some(side) if side == inside => Bound::Included(Value::Float32(nearest)),
        Some(_) => Bound::Excluded(Value::Float32(nearest)),
    }
}

/// The same bound by a text of so many bytes, where all texts have as many: a shorter one lies before all that begin with it.
fn of_width(bound: Bound<Value<'static>>, width: usize, is_upper: bool) -> Bound<Value<'static>> {
    let (Bound::Included(Value::Text(text)) | Bound::Excluded(Value::Text(text))) = &bound else {
        return bound;
    };
    let value = |text: String| Value::Text(text.into());
    match text.get(..width) {
        Some(same) if same.len() == text.len() => bound,
        Some(cut) if is_upper => Bound::Included(value(cut.to_owned())),
        Some(cut) => Bound::Excluded(value(cut.to_owned())),
        None if text.len() > width => bound,
        None => {
            let padded = value(format!("{text}{}", "\0".repeat(width - text.len())));
            if is_upper { Bound::Excluded(padded) } else { Bound::Included(padded) }
        }
    }
}

/// The values that the part can hold: bounds past its range are no bounds, whole seconds lie at whole seconds, and numbers of 32
/// bits at those.
fn fitted(set: &ValueSet, step: &ValueStep) -> ValueSet {
    if step.field().is_none() {
        return set.clone();
    }
    let mut fitted = ValueSet { null: set.null, intervals: Vec::with_capacity(set.intervals.len()) };
    for interval in &set.intervals {
        let apart = step.ty().step();
        let lower = match &interval.lower {
            Bound::Included(Value::Time(millis)) => millis
                .checked_add(apart - 1)
                .map_or(Bound::Unbounded, |up| Bound::Included(Value::Time(up.div_euclid(apart) * apart))),
            bound if step.ty().is_single() => narrowed(bound.clone(), Ordering::Greater),
            bound => bound.clone(),
        };
        let upper = match &interval.upper {
            Bound::Included(Value::Time(millis)) => millis
                .div_euclid(apart)
                .checked_mul(apart)
                .map_or(Bound::Unbounded, |down| Bound::Included(Value::Time(down))),
            bound if step.ty().is_single() => narrowed(bound.clone(), Ordering::Less),
            bound => bound.clone(),
        };
        let (lower, upper) = match step.ty() {
            Type::Fixed(width) => (of_width(lower, width.into(), false), of_width(upper, width.into(), true)),
            _ => (lower, upper),
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
pub(super) fn value_area(step: &ValueStep) -> KeyRange {
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

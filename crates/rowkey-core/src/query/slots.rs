//! What is known of the parts behind the one at which a walk stopped.
//!
//! Each part becomes a slot of a [`Seek`]: the bytes of its listed values, the ranges that conditions leave, or anything. Parts
//! that follow one another and are made of the same listed field, as a hash and the field itself, are one slot, so that only the
//! bytes are looked for that belong together.

use super::piece::Relative;
use super::seek::{Seek, Slot};
use super::walk::Walk;
use crate::key::{Boundary, FieldId, Step, ValueStep};
use crate::range::KeyRange;
use crate::value::Value;

/// More combinations of listed values than this are not made for one slot.
const MAX_TARGETS: usize = 1024;

impl Walk<'_> {
    /// How to skip to the next key that can match, from the part at `index` on, which has these bytes, or any.
    pub(super) fn seek(&self, index: usize, bounds: Option<&[Relative]>) -> Option<Seek> {
        let steps = self.known.key.steps();
        let mut slots: Vec<Slot> = Vec::new();
        let mut at = index;
        while let Some(step) = steps.get(at) {
            let (slot, next) = match step {
                Step::Literal(bytes) => (Slot::new(at..at + 1, vec![KeyRange::prefix(bytes)]), at + 1),
                Step::Value(value) => match bounds.filter(|_| at == index) {
                    Some(bounds) => (Slot::new(at..at + 1, ranges(bounds)), at + 1),
                    None => self.slot(at, value),
                },
            };
            slots.push(slot);
            at = next;
            let last = steps.get(at - 1);
            if let Some(Step::Value(last)) = last
                && !matches!(last.boundary(), Boundary::Own | Boundary::Literal(_))
            {
                // Where it ends, and what follows, cannot be told.
                break;
            }
        }
        let seek = Seek::new(self.known.shared_key(), self.fixed(), slots)?;
        // The ranges themselves say as much.
        let more = seek.slots().iter().skip(1).any(|slot| !slot.is_open());
        (more || bounds.is_some_and(|bounds| bounds.len() > 1)).then_some(seek)
    }

    /// The slot of the part at `at`, and the step behind it.
    fn slot(&self, at: usize, step: &ValueStep) -> (Slot, usize) {
        if let Some((targets, next)) = self.listed_targets(at, step) {
            return (Slot::new(at..next, targets), next);
        }
        let slot = match self.blank().bounds(at, step) {
            Some(bounds) => Slot::new(at..at + 1, ranges(&bounds)),
            None => Slot::open(at..at + 1),
        };
        (slot, at + 1)
    }

    /// The bytes of a part, and of those behind it that are made of the same fields, for every combination of listed values; the
    /// step behind them.
    fn listed_targets(&self, at: usize, step: &ValueStep) -> Option<(Vec<KeyRange>, usize)> {
        let mut lists: Vec<(FieldId, Vec<Value<'static>>)> = Vec::new();
        let mut run: Vec<&ValueStep> = Vec::new();
        let mut record = self.record.clone();
        for next in self.known.key.steps().iter().skip(at) {
            let Step::Value(next) = next else { break };
            let fields = next.fields();
            let shares = |field: &FieldId| run.iter().any(|step| step.fields().contains(field));
            if next.is_random() || (!run.is_empty() && !fields.iter().any(shares)) {
                break;
            }
            let mut own = Vec::new();
            for field in fields.into_iter().filter(|field| !self.is_bound(*field)) {
                if lists.iter().all(|(known, _)| *known != field) {
                    match self.known.set(field).listed() {
                        Some(values) => own.push((field, values)),
                        None if run.is_empty() => return None,
                        None => break,
                    }
                }
            }
            let known = |field: &FieldId| {
                self.is_bound(*field) || lists.iter().chain(&own).any(|(listed, _)| listed == field)
            };
            let combinations: usize =
                lists.iter().chain(&own).map(|(_, values)| values.len()).fold(1, usize::saturating_mul);
            if !next.fields().iter().all(known) || combinations > MAX_TARGETS {
                break;
            }
            lists.extend(own);
            run.push(next);
            if !matches!(next.boundary(), Boundary::Own) {
                break;
            }
        }
        let last = run
            .last()
            .copied()
            .filter(|_| run.first().is_some_and(|first| first.fields() == step.fields()))?;
        let combinations = lists.iter().map(|(_, values)| values.len()).product::<usize>();
        let mut targets = Vec::with_capacity(combinations);
        for number in 0..combinations {
            let mut number = number;
            for (field, values) in &lists {
                *record.get_mut(field.0)? = values.get(number % values.len())?.clone();
                number /= values.len();
            }
            let mut bytes = Vec::new();
            let encoded =
                run.iter().try_for_each(|step| self.known.key.encode_step(step, &record, &mut bytes));
            // Values that have no bytes here are in no row.
            if encoded.is_ok() {
                if let Boundary::Literal(end) = last.boundary() {
                    bytes.extend_from_slice(end);
                }
                let whole_key = *last.boundary() == Boundary::KeyEnd;
                targets.push(if whole_key { KeyRange::point(&bytes) } else { KeyRange::prefix(&bytes) });
            }
        }
        Some((targets, at + run.len()))
    }
}

fn ranges(bounds: &[Relative]) -> Vec<KeyRange> {
    bounds.iter().map(|bound| bound.behind(&[])).collect()
}

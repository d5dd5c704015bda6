//! Chooses the listed values that are walked one by one.
//!
//! Every combination of listed values makes ranges of its own, so there are as many as the lists are long, multiplied. The ways
//! to walk go from the finest (all lists that the beginning of the key needs, and small ranges of numbers as if they were lists)
//! to the coarsest (none; the skip scan knows the lists). Combinations are counted first and made one at a time.

use super::plan::{MAX_FAN_OUT, MAX_GETS};
use super::walk::Known;
use crate::key::{Boundary, FieldId, Step};
use crate::value::Value;

/// A range of more numbers than this is not taken for a list.
const MAX_COUNTED: usize = 256;

/// Fields and their values, of which every combination is walked.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Lists {
    fields: Vec<(FieldId, Vec<Value<'static>>)>,
    /// Whether a range of numbers is among them, which is worth it only where rows are read one by one.
    pub(super) counted: bool,
}

impl Lists {
    /// How many combinations there are; `None` if too many to count.
    pub(super) fn combinations(&self) -> Option<usize> {
        self.fields.iter().try_fold(1usize, |all, (_, values)| all.checked_mul(values.len()))
    }

    /// Whether each combination has a value of this field.
    pub(super) fn bind(&self, field: FieldId) -> bool {
        self.fields.iter().any(|(known, _)| *known == field)
    }

    /// The combination with this number, the last list running fastest: for each of so many fields its value, if it is listed.
    pub(super) fn combination(&self, mut number: usize, fields: usize) -> Vec<Option<Value<'static>>> {
        let mut bound = vec![None; fields];
        for (field, values) in self.fields.iter().rev() {
            if let Some(slot) = bound.get_mut(field.0) {
                *slot = values.get(number % values.len().max(1)).cloned();
            }
            number /= values.len().max(1);
        }
        bound
    }
}

impl Known<'_> {
    /// The ways to walk, the usual one first. The one that lists nothing but single values is always possible.
    pub(super) fn lists(&self) -> Vec<Lists> {
        let listed = |field| self.set(field).listed();
        let counted = |field| listed(field).or_else(|| self.set(field).counted(MAX_COUNTED));
        let needed = self.needed(listed);
        let singles = || {
            let fields = self.key.named_fields().into_iter();
            fields.filter_map(|field| Some((field, vec![self.set(field).single()?]))).collect::<Vec<_>>()
        };
        let with_singles = |lists: &[(FieldId, Vec<Value<'static>>)]| {
            let mut all = singles();
            all.extend(lists.iter().filter(|(_, values)| values.len() > 1).cloned());
            Lists { fields: all, counted: false }
        };
        let several: Vec<_> = needed.into_iter().filter(|(_, values)| values.len() != 1).collect();
        let mut ways = Vec::with_capacity(several.len() + 2);
        for count in (0..=several.len()).rev() {
            let (first, _) = several.split_at(count);
            let combinations =
                first.iter().try_fold(1usize, |all, (_, values)| all.checked_mul(values.len()));
            if combinations.is_some_and(|combinations| combinations <= MAX_GETS) {
                ways.push(with_singles(first));
            }
        }
        let by_number = with_singles(&self.needed(counted));
        if by_number.combinations().is_some_and(|combinations| combinations <= MAX_FAN_OUT)
            && !ways.contains(&by_number)
        {
            ways.push(Lists { counted: true, ..by_number });
        }
        ways
    }

    /// The fields with listed values that the key needs, from the left to the first part that has others.
    fn needed(
        &self,
        values: impl Fn(FieldId) -> Option<Vec<Value<'static>>>,
    ) -> Vec<(FieldId, Vec<Value<'static>>)> {
        let mut needed: Vec<(FieldId, Vec<Value<'static>>)> = Vec::new();
        for step in self.key.steps() {
            let Step::Value(step) = step else { continue };
            let lists: Option<Vec<_>> = step
                .fields()
                .into_iter()
                .filter(|field| needed.iter().all(|(known, _)| known != field))
                .map(|field| Some((field, values(field)?)))
                .collect();
            match lists.filter(|_| !step.is_random()) {
                Some(lists) => needed.extend(lists),
                None if step.bucket_count().is_some() => continue,
                None => break,
            }
            if *step.boundary() == Boundary::Unclear {
                break;
            }
        }
        needed
    }
}

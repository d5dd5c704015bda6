//! Which key comes next that can match, when a part in the middle is open?
//!
//! A skip scan: the parts before are fixed by the range, then come parts without a condition, then bytes that a condition
//! fixes. From the key of any row a [`Seek`] tells whether the row can match, or to which key to go on. It only saves
//! reading: what must be true of a row stays in the plan's residual.
//!
//! **Law** (`tests/plans.rs`): no key that matches lies between a key and the one that it is sent on to.

use std::fmt;
use std::ops::{Bound, Range};
use std::sync::Arc;

use crate::key::{KeySchema, Step, ValueStep};
use crate::range::{KeyRange, prefix_end, successor};
use crate::types::{Nulls, Order};

/// Skipping over more values than this is as slow as reading everything.
const FEW: u128 = 65_536;

/// How to skip keys that cannot match.
#[derive(Clone)]
pub struct Seek {
    key: Arc<KeySchema>,
    /// The steps that are skipped.
    steps: Range<usize>,
    /// How many bytes come before the skipped parts.
    from: usize,
    /// The bytes behind the skipped parts that can match, in order.
    targets: Vec<KeyRange>,
}

impl PartialEq for Seek {
    fn eq(&self, other: &Self) -> bool {
        (&self.steps, self.from, &self.targets) == (&other.steps, other.from, &other.targets)
    }
}

impl Eq for Seek {}

impl fmt::Debug for Seek {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let targets: Vec<String> = self.targets.iter().map(ToString::to_string).collect();
        write!(f, "skip {} behind byte {} to {}", self.labels().join(""), self.from, targets.join(" "))
    }
}

/// What to do at a row's key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SeekStep {
    /// The row can match.
    Match,
    /// Go on at this key; in falling order, at the first one below it.
    To(Vec<u8>),
    /// No further row can match.
    Done,
}

/// A key with open bytes, as HBase's `FuzzyRowFilter` takes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FuzzyPattern {
    /// The bytes; zero where they are open.
    pub bytes: Vec<u8>,
    /// Whether each byte is open.
    pub open: Vec<bool>,
}

impl Seek {
    pub(super) fn new(
        key: Arc<KeySchema>,
        steps: Range<usize>,
        from: usize,
        targets: Vec<KeyRange>,
    ) -> Option<Self> {
        let targets = KeyRange::disjoint(targets);
        if targets.is_empty() { None } else { Some(Self { key, steps, from, targets }) }
    }

    /// Both, where they skip the same parts.
    pub(super) fn or(mut self, other: Self) -> Option<Self> {
        if (&self.steps, self.from) != (&other.steps, other.from) {
            return None;
        }
        self.targets.extend(other.targets);
        Some(Self { targets: KeyRange::disjoint(self.targets), ..self })
    }

    fn skipped(&self) -> impl Iterator<Item = &ValueStep> {
        let steps = self.key.steps().get(self.steps.clone()).unwrap_or_default();
        steps.iter().filter_map(|step| match step {
            Step::Literal(_) => None,
            Step::Value(step) => Some(step),
        })
    }

    /// The parts that are skipped, as written.
    pub fn labels(&self) -> Vec<&str> {
        self.skipped().map(ValueStep::label).collect()
    }

    /// Whether the parts that are skipped are known to have few values.
    pub(super) fn skips_few(&self) -> bool {
        let count = |step: &ValueStep| step.few_values();
        self.skipped()
            .try_fold(1u128, |all, step| all.checked_mul(count(step)?))
            .is_some_and(|all| all <= FEW)
    }

    /// Where the skipped parts of a key end.
    fn skip_end(&self, key: &[u8]) -> Option<usize> {
        let steps = self.key.steps().get(self.steps.clone()).unwrap_or_default();
        steps.iter().try_fold(self.from, |at, step| match step {
            Step::Literal(bytes) => key.get(at..)?.starts_with(bytes).then_some(at + bytes.len()),
            Step::Value(step) => self.key.step_end(step, key, at),
        })
    }

    /// What to do at this key, reading rising or falling keys.
    pub fn next(&self, key: &[u8], direction: Order) -> SeekStep {
        // A key of another form is for the reader to complain about.
        let Some(end) = self.skip_end(key) else { return SeekStep::Match };
        let (head, rest) = key.split_at(end);
        if self.targets.iter().any(|target| target.contains(rest)) {
            return SeekStep::Match;
        }
        match direction {
            Order::Ascending => match self.targets.iter().find(|target| target.is_after(rest)) {
                Some(target) => SeekStep::To([head, &target.first_key()].concat()),
                None => prefix_end(head).map_or(SeekStep::Done, SeekStep::To),
            },
            Order::Descending => {
                let ahead = self.targets.iter().rev().find(|target| target.is_before(rest));
                match ahead.map(|target| &target.end) {
                    Some(Bound::Included(end)) => SeekStep::To([head, &successor(end)].concat()),
                    Some(Bound::Excluded(end)) => SeekStep::To([head, end].concat()),
                    // What has no end is not before anything.
                    Some(Bound::Unbounded) => SeekStep::Match,
                    None if head.is_empty() => SeekStep::Done,
                    None => SeekStep::To(head.to_vec()),
                }
            }
        }
    }

    /// The same as one pattern, where all widths are fixed and one run of bytes is wanted.
    pub fn fuzzy(&self, range: &KeyRange) -> Option<FuzzyPattern> {
        let [KeyRange { start: Bound::Included(target), end }] = self.targets.as_slice() else { return None };
        let whole_prefix = match end {
            Bound::Excluded(end) => prefix_end(target).as_ref() == Some(end),
            Bound::Unbounded => prefix_end(target).is_none(),
            Bound::Included(end) => end == target,
        };
        let (Bound::Included(first) | Bound::Excluded(first)) = &range.start else {
            return (self.from == 0 && whole_prefix).then(|| self.pattern(&[], target)).flatten();
        };
        if whole_prefix { self.pattern(first.get(..self.from)?, target) } else { None }
    }

    fn pattern(&self, head: &[u8], target: &[u8]) -> Option<FuzzyPattern> {
        let mut pattern = FuzzyPattern { bytes: head.to_vec(), open: vec![false; head.len()] };
        for step in self.key.steps().get(self.steps.clone())? {
            match step {
                Step::Literal(bytes) => {
                    pattern.bytes.extend_from_slice(bytes);
                    pattern.open.resize(pattern.bytes.len(), false);
                }
                Step::Value(step) => {
                    let width = step.width.filter(|_| step.nulls == Nulls::Refused)?;
                    pattern.bytes.resize(pattern.bytes.len() + width, 0);
                    pattern.open.resize(pattern.bytes.len(), true);
                }
            }
        }
        pattern.bytes.extend_from_slice(target);
        pattern.open.resize(pattern.bytes.len(), false);
        Some(pattern)
    }
}

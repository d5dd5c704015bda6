//! The next key that can match, when parts in the middle are open or have several values.
//!
//! A skip scan: the parts before are fixed by the range; each part behind them has the bytes that conditions leave it, or any.
//! From the key of any row a [`Seek`] tells whether the row can match, or to which key to go on. It only saves reading: what
//! must be true of a row stays in the plan's residual.
//!
//! **Law** (`tests/plans`): no key that matches lies between a key and the one that it is sent on to. Where widths are fixed,
//! that key is the next one that can match (`tests/phoenix_plans.rs` counts the rows beside Phoenix's `SkipScanFilter`).

use std::fmt;
use std::ops::{Bound, Range};
use std::sync::Arc;

use crate::key::{KeySchema, Step, ValueStep};
use crate::range::{KeyRange, prefix_end, successor};
use crate::types::{Nulls, Order};

mod fuzzy;

pub use fuzzy::FuzzyPattern;

/// Skipping over more values than this is as slow as reading everything.
const FEW: u128 = 65_536;

/// How to skip keys that cannot match.
#[derive(Clone)]
pub struct Seek {
    key: Arc<KeySchema>,
    /// How many bytes come before the first slot.
    from: usize,
    slots: Vec<Slot>,
}

/// Steps of the key that follow one another, and the bytes that can match there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Slot {
    steps: Range<usize>,
    /// Where the key can go on from here, sorted and apart from each other; `None` if anywhere. Shared by all ranges of a plan.
    targets: Option<Arc<[KeyRange]>>,
    /// The bytes that it takes, where that is always the same; known once it belongs to a [`Seek`].
    width: Option<usize>,
}

impl Slot {
    pub(super) fn open(steps: Range<usize>) -> Self {
        Self { steps, targets: None, width: None }
    }

    /// A slot with these targets; without any it is open, because a plan that reads nothing is made elsewhere.
    pub(super) fn new(steps: Range<usize>, targets: Vec<KeyRange>) -> Self {
        let targets = KeyRange::disjoint(targets);
        let targets = Some(targets).filter(|targets| !targets.is_empty()).map(Arc::from);
        Self { steps, targets, width: None }
    }

    pub(super) fn is_open(&self) -> bool {
        self.targets.is_none()
    }

    /// The step that it begins with.
    pub(super) fn first_step(&self) -> usize {
        self.steps.start
    }

    pub(super) fn targets(&self) -> usize {
        self.targets.as_ref().map_or(0, |targets| targets.len())
    }

    /// The first target that does not lie wholly before `rest`.
    fn next(&self, rest: &[u8]) -> Reach<'_> {
        let Some(targets) = &self.targets else { return Reach::Inside };
        match targets.get(targets.partition_point(|target| target.is_before(rest))) {
            None => Reach::Behind,
            Some(target) if target.is_after(rest) => Reach::Before(target),
            Some(_) => Reach::Inside,
        }
    }
}

/// Where bytes lie among the targets of a slot.
enum Reach<'s> {
    Inside,
    Before(&'s KeyRange),
    Behind,
}

/// The last value of a slot below a bound.
enum Last {
    /// The value, and what must follow it must lie below the rest of the bound, if there is one.
    Value(Vec<u8>, Option<Vec<u8>>),
    Nothing,
    Unknown,
}

impl PartialEq for Seek {
    fn eq(&self, other: &Self) -> bool {
        (self.from, &self.slots) == (other.from, &other.slots)
    }
}

impl Eq for Seek {}

impl fmt::Debug for Seek {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "skip behind byte {}", self.from)?;
        for slot in &self.slots {
            match &slot.targets {
                None => f.write_str(" any")?,
                Some(targets) => {
                    let targets: Vec<String> = targets.iter().map(ToString::to_string).collect();
                    write!(f, " {{{}}}", targets.join(" "))?;
                }
            }
        }
        Ok(())
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

impl Seek {
    /// Slots from the first one on, without those at the end that say nothing; `None` if none is left.
    pub(super) fn new(key: Arc<KeySchema>, from: usize, mut slots: Vec<Slot>) -> Option<Self> {
        let says = |slot: &Slot| {
            let mut steps = key.steps().get(slot.steps.clone()).unwrap_or_default().iter();
            !slot.is_open() && steps.any(|step| matches!(step, Step::Value(_)))
        };
        slots.truncate(slots.iter().rposition(says)? + 1);
        slots.iter_mut().for_each(|slot| slot.width = width(&key, &slot.steps));
        Some(Self { key, from, slots })
    }

    /// Everything that either lets through, where they are about the same parts.
    pub(super) fn or(&self, other: &Self) -> Option<Self> {
        let same = self.from == other.from && self.slots.len() == other.slots.len();
        let pairs = || self.slots.iter().zip(&other.slots);
        if !same || pairs().any(|(a, b)| a.steps != b.steps) {
            return None;
        }
        let either = |(a, b): (&Slot, &Slot)| match (&a.targets, &b.targets) {
            (Some(own), Some(others)) if own != others => {
                Slot::new(a.steps.clone(), own.iter().chain(others.iter()).cloned().collect())
            }
            (Some(_), Some(_)) => a.clone(),
            _ => Slot::open(a.steps.clone()),
        };
        Self::new(Arc::clone(&self.key), self.from, pairs().map(either).collect())
    }

    pub(super) fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// The same by its first slots only.
    pub(super) fn first_slots(&self, count: usize) -> Option<Self> {
        Self::new(Arc::clone(&self.key), self.from, self.slots.get(..count)?.to_vec())
    }

    fn values(&self, slot: &Slot) -> impl Iterator<Item = &ValueStep> {
        let steps = self.key.steps().get(slot.steps.clone()).unwrap_or_default();
        steps.iter().filter_map(|step| match step {
            Step::Literal(_) => None,
            Step::Value(step) => Some(step),
        })
    }

    /// The parts that are skipped, as written: those before the last one that have several values.
    pub fn labels(&self) -> Vec<&str> {
        let several = |slot: &&Slot| match slot.targets.as_deref() {
            Some([only]) => !is_prefix(only),
            _ => true,
        };
        let before = self.slots.len().saturating_sub(usize::from(self.slots.len() > 1));
        let skipped = self.slots.iter().take(before).filter(several);
        skipped.flat_map(|slot| self.values(slot)).map(ValueStep::label).collect()
    }

    /// Whether the open parts at its beginning are known to have few values.
    pub(super) fn skips_few(&self) -> bool {
        let open = self.slots.iter().take_while(|slot| slot.is_open() || self.values(slot).next().is_none());
        open.flat_map(|slot| self.values(slot))
            .try_fold(1u128, |all, step| all.checked_mul(step.few_values()?))
            .is_some_and(|all| all <= FEW)
    }

    /// Where a slot that begins at `at` ends in a key.
    fn end(&self, slot: &Slot, key: &[u8], at: usize) -> Option<usize> {
        if let Some(width) = slot.width {
            return Some(at + width).filter(|end| *end <= key.len());
        }
        let steps = self.key.steps().get(slot.steps.clone())?;
        steps.iter().try_fold(at, |at, step| match step {
            Step::Literal(bytes) => key.get(at..)?.starts_with(bytes).then_some(at + bytes.len()),
            Step::Value(step) => self.key.step_end(step, key, at),
        })
    }

    /// What to do at this key, reading rising or falling keys.
    pub fn next(&self, key: &[u8], direction: Order) -> SeekStep {
        let mut at = self.from;
        for (place, slot) in self.slots.iter().enumerate() {
            // A key of another form is for the reader to complain about.
            let Some(rest) = key.get(at..) else { return SeekStep::Match };
            if !matches!(slot.next(rest), Reach::Inside) {
                let next = match direction {
                    Order::Ascending => self.ceiling(key.to_vec(), (place, at)),
                    Order::Descending => {
                        let (head, below) = key.split_at_checked(self.from).unwrap_or((key, &[]));
                        self.floor(head, Some(below.to_vec()))
                    }
                };
                return next.map_or(SeekStep::Done, SeekStep::To);
            }
            let Some(end) = self.end(slot, key, at) else { return SeekStep::Match };
            at = end;
        }
        SeekStep::Match
    }

    /// The same range without the keys at its ends that cannot match.
    pub(super) fn within(&self, range: &KeyRange) -> KeyRange {
        let start = range.first_key();
        let Some(head) = start.get(..self.from).map(<[u8]>::to_vec) else { return range.clone() };
        let below = behind(range);
        let below = below.as_deref().and_then(|end| end.strip_prefix(head.as_slice())).map(<[u8]>::to_vec);
        match (self.ceiling(start, (0, self.from)), self.floor(&head, below)) {
            (Some(start), Some(end)) => {
                // Past the longest key there is nothing to leave out, and the bytes would only be copied at every jump.
                let end = Some(end).filter(|end| end.len() <= crate::key::MAX_KEY_LENGTH);
                KeyRange::half_open(Some(start), end).intersect(range)
            }
            _ => KeyRange::half_open(None, Some(Vec::new())),
        }
    }

    /// The smallest key from `key` on that can match, as far as it can be told; `None` if there is none. The slots before the given one, which
    /// begins at that byte, match.
    fn ceiling(&self, mut key: Vec<u8>, (mut first, mut at): (usize, usize)) -> Option<Vec<u8>> {
        'keys: loop {
            for slot in self.slots.get(first..)? {
                match slot.next(key.get(at..)?) {
                    Reach::Inside => {}
                    Reach::Before(target) => {
                        key.truncate(at);
                        match &target.start {
                            Bound::Included(start) => key.extend_from_slice(start),
                            Bound::Excluded(_) | Bound::Unbounded => key.extend(target.first_key()),
                        }
                    }
                    Reach::Behind => {
                        key = prefix_end(key.get(..at)?).filter(|next| next.len() > self.from)?;
                        (first, at) = (0, self.from);
                        continue 'keys;
                    }
                }
                if let Some(width) = slot.width
                    && key.len() < at + width
                {
                    key.resize(at + width, 0);
                }
                match self.end(slot, &key, at) {
                    Some(end) => at = end,
                    None => return Some(key),
                }
            }
            return Some(key);
        }
    }

    /// The key below which the greatest key lies that begins with `head`, goes on below a bound and can match, as far as it can
    /// be told; `None` if there is none.
    fn floor(&self, head: &[u8], mut below: Option<Vec<u8>>) -> Option<Vec<u8>> {
        let mut head = head.to_vec();
        let under = |head: &[u8], end: Option<Vec<u8>>| match end {
            Some(end) => Some([head, &end].concat()),
            // Behind bytes of FF alone there is nothing: one byte more than the longest key says so.
            None => prefix_end(head).or_else(|| Some(vec![0xFF; crate::key::MAX_KEY_LENGTH + 1])),
        };
        for (place, slot) in self.slots.iter().enumerate() {
            let end = match &slot.targets {
                None => below,
                Some(targets) => {
                    let begins_below = |target: &KeyRange| {
                        below.as_ref().is_none_or(|below| target.first_key().as_slice() < below.as_slice())
                    };
                    match targets.get(..targets.partition_point(begins_below)).and_then(<[_]>::last) {
                        None => return self.below(&head),
                        Some(target) => lesser(behind(target), below),
                    }
                }
            };
            if place + 1 == self.slots.len() {
                return under(&head, end);
            }
            match self.last_value(slot, end.as_deref()) {
                Last::Value(value, rest) => {
                    head.extend(value);
                    below = rest;
                }
                Last::Nothing => return self.below(&head),
                Last::Unknown => return under(&head, end),
            }
        }
        under(&head, below)
    }

    /// The key below which the greatest key before `head` lies that can match.
    fn below(&self, head: &[u8]) -> Option<Vec<u8>> {
        let (fixed, below) = head.split_at_checked(self.from).filter(|(_, below)| !below.is_empty())?;
        self.floor(fixed, Some(below.to_vec()))
    }

    /// The last value that a slot can have where its bytes, and what follows, lie below a bound.
    fn last_value(&self, slot: &Slot, end: Option<&[u8]>) -> Last {
        if let Some(width) = slot.width {
            return match end {
                None => Last::Value(vec![0xFF; width], None),
                Some(end) => match end.split_at_checked(width).filter(|(_, rest)| !rest.is_empty()) {
                    Some((value, rest)) => Last::Value(value.to_vec(), Some(rest.to_vec())),
                    None => {
                        let mut value = end.to_vec();
                        value.resize(width, 0);
                        if decrement(&mut value) { Last::Value(value, None) } else { Last::Nothing }
                    }
                },
            };
        }
        let Some(end) = end else { return Last::Unknown };
        // The bound is most often the end of a prefix, which holds the value and perhaps its delimiter.
        let mut prefix = end.to_vec();
        match prefix.last_mut() {
            Some(last) if *last > 0 => *last -= 1,
            _ => return Last::Unknown,
        }
        match self.end(slot, &prefix, 0).and_then(|at| Some((prefix.get(..at)?, end.get(at..)?))) {
            Some((value, rest)) => {
                let rest = (value.len() < prefix.len()).then(|| rest.to_vec());
                Last::Value(value.to_vec(), rest)
            }
            None => Last::Unknown,
        }
    }
}

/// The bytes that steps take, where that is always the same.
fn width(key: &KeySchema, steps: &Range<usize>) -> Option<usize> {
    let width = |step: &Step| match step {
        Step::Literal(bytes) => Some(bytes.len()),
        Step::Value(step) => step.width.filter(|_| step.nulls == Nulls::Refused),
    };
    key.steps().get(steps.clone())?.iter().map(width).sum()
}

/// Whether a target is all that begins with some bytes.
fn is_prefix(target: &KeyRange) -> bool {
    match (&target.start, &target.end) {
        (Bound::Included(start), Bound::Excluded(end)) => prefix_end(start).as_ref() == Some(end),
        (Bound::Included(start), Bound::Unbounded) => prefix_end(start).is_none(),
        (Bound::Included(start), Bound::Included(end)) => start == end,
        _ => false,
    }
}

/// The first key behind a range.
fn behind(range: &KeyRange) -> Option<Vec<u8>> {
    match &range.end {
        Bound::Included(end) => Some(successor(end)),
        Bound::Excluded(end) => Some(end.clone()),
        Bound::Unbounded => None,
    }
}

/// The lesser of two bounds, of which none is no bound.
fn lesser(a: Option<Vec<u8>>, b: Option<Vec<u8>>) -> Option<Vec<u8>> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (one, None) | (None, one) => one,
    }
}

/// The next smaller number of as many bytes; false if there is none.
fn decrement(bytes: &mut [u8]) -> bool {
    for byte in bytes.iter_mut().rev() {
        if *byte > 0 {
            *byte -= 1;
            return true;
        }
        *byte = 0xFF;
    }
    false
}

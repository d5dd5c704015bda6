//! HBase's fuzzy patterns that let through what a [`Seek`] does.

use std::ops::Bound;

use super::{Seek, Slot, is_prefix};
use crate::range::KeyRange;

/// A server tries all patterns on each row, so more than this cost more than they save.
const MAX_PATTERNS: usize = 32;

/// A key with open bytes, as HBase's `FuzzyRowFilter` takes it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FuzzyPattern {
    /// The bytes; zero where they are open.
    pub bytes: Vec<u8>,
    /// Whether each byte is open.
    pub open: Vec<bool>,
}

impl FuzzyPattern {
    fn fix(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.open.resize(self.bytes.len(), false);
    }

    fn leave_open(&mut self, width: usize) {
        self.bytes.resize(self.bytes.len() + width, 0);
        self.open.resize(self.bytes.len(), true);
    }
}

impl Seek {
    /// Patterns that let through every row of a range that can match, where widths are fixed: a part with a range of values is
    /// open in them. `None` if there is none that fixes a byte.
    pub fn fuzzy(&self, range: &KeyRange) -> Option<Vec<FuzzyPattern>> {
        let head = match &range.start {
            Bound::Included(first) | Bound::Excluded(first) => first.get(..self.from)?,
            Bound::Unbounded if self.from == 0 => &[],
            Bound::Unbounded => return None,
        };
        let mut patterns = vec![FuzzyPattern::default()];
        patterns.iter_mut().for_each(|pattern| pattern.fix(head));
        let mut fixes = false;
        for slot in &self.slots {
            let width = slot.width;
            let Some(values) =
                single_values(slot).filter(|values| patterns.len() * values.len() <= MAX_PATTERNS)
            else {
                match width {
                    Some(width) => patterns.iter_mut().for_each(|pattern| pattern.leave_open(width)),
                    // What stands behind has no place of its own.
                    None => break,
                }
                continue;
            };
            let with = |pattern: &FuzzyPattern, value: &[u8]| {
                let mut pattern = pattern.clone();
                // Without what belongs to the parts behind; a beginning leaves the rest of its part open.
                let own = self.end(slot, value, 0).and_then(|end| value.get(..end)).unwrap_or(value);
                pattern.fix(own);
                pattern.leave_open(width.map_or(0, |width| width.saturating_sub(own.len())));
                pattern
            };
            let all = |pattern| values.iter().map(move |value| with(pattern, value));
            patterns = patterns.iter().flat_map(all).collect();
            fixes |= self.values(slot).next().is_some();
            if width.is_none() && values.iter().any(|value| self.end(slot, value, 0).is_none()) {
                break;
            }
        }
        for pattern in &mut patterns {
            let fixed = pattern.open.iter().rposition(|open| !open).map_or(0, |last| last + 1);
            pattern.bytes.truncate(fixed);
            pattern.open.truncate(fixed);
        }
        fixes.then_some(patterns)
    }
}

/// The bytes of a slot's targets, if each is all that begins so.
fn single_values(slot: &Slot) -> Option<Vec<&[u8]>> {
    slot.targets.as_ref()?.iter().map(single_value).collect()
}

fn single_value(target: &KeyRange) -> Option<&[u8]> {
    match &target.start {
        Bound::Included(start) if is_prefix(target) => Some(start),
        _ => None,
    }
}

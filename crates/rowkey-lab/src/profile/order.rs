//! Whether values rise or fall, in the order of the data.
//!
//! Two looks. Neighbours: how often the next value is larger, smaller or the same. Lateness: how many values are below the
//! highest one before them, which stays small where times come in a little late, and is near 1 for a saw-tooth, though
//! its neighbours mostly rise.
//!
//! A batch is looked at by itself; batches are then joined in their order. Lateness against earlier batches is measured on
//! a few values of each batch.

use std::cmp::Ordering;

use rowkey_core::Value;

use super::cell::Cell;

/// Every so many-th value of a batch is compared with the batches before.
const STRIDE: usize = 64;

/// How values go, in the order of the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trend {
    /// No two values to compare.
    Unknown,
    /// All the same.
    Constant,
    /// Never smaller than the one before.
    Rising,
    /// At most one in twenty is below the highest before it.
    MostlyRising,
    /// Never larger than the one before.
    Falling,
    /// At most one in twenty is above the lowest before it.
    MostlyFalling,
    /// Neither.
    Neither,
}

impl Trend {
    /// The words for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Constant => "constant",
            Self::Rising => "rising",
            Self::MostlyRising => "mostly rising",
            Self::Falling => "falling",
            Self::MostlyFalling => "mostly falling",
            Self::Neither => "neither",
        }
    }

    /// Whether new values come at one end.
    pub fn is_one_sided(self) -> bool {
        matches!(self, Self::Rising | Self::MostlyRising | Self::Falling | Self::MostlyFalling)
    }
}

/// The order of values of one batch, or of several.
#[derive(Debug, Clone, Default)]
pub(super) struct Order {
    values: u64,
    ups: u64,
    downs: u64,
    equal: u64,
    /// Values below the highest, and above the lowest, before them.
    below: f64,
    above: f64,
    ends: Option<Ends>,
    strided: Vec<Value<'static>>,
}

#[derive(Debug, Clone)]
struct Ends {
    first: Value<'static>,
    last: Value<'static>,
    least: Value<'static>,
    most: Value<'static>,
}

impl Order {
    /// The order of the values of a batch.
    pub(super) fn of<C: Cell>(mut cells: impl Iterator<Item = C>) -> Self {
        let Some(first) = cells.next() else { return Self::default() };
        let (mut last, mut least, mut most) = (first, first, first);
        let (mut values, mut ups, mut downs, mut equal, mut below, mut above) =
            (1_u64, 0, 0, 0, 0_u64, 0_u64);
        let mut strided = vec![first.value()];
        for cell in cells {
            match cell.compare(last) {
                Ordering::Greater => ups += 1,
                Ordering::Less => downs += 1,
                Ordering::Equal => equal += 1,
            }
            match cell.compare(most) {
                Ordering::Less => below += 1,
                _ => most = cell,
            }
            match cell.compare(least) {
                Ordering::Greater => above += 1,
                _ => least = cell,
            }
            if values.is_multiple_of(STRIDE as u64) {
                strided.push(cell.value());
            }
            last = cell;
            values += 1;
        }
        let [first, last, least, most] = [first, last, least, most].map(Cell::value);
        let ends = Some(Ends { first, last, least, most });
        let (below, above) = (below as f64, above as f64);
        Self { values, ups, downs, equal, below, above, ends, strided }
    }

    /// Goes on with the next batch.
    pub(super) fn join(&mut self, next: &Self) {
        let Some(then) = &next.ends else { return };
        let Some(own) = &mut self.ends else {
            *self = Self { strided: Vec::new(), ..next.clone() };
            return;
        };
        match then.first.total_cmp(&own.last) {
            Ordering::Greater => self.ups += 1,
            Ordering::Less => self.downs += 1,
            Ordering::Equal => self.equal += 1,
        }
        let share = |side: Ordering, edge: &Value<'_>| {
            let found = next.strided.iter().filter(|value| value.total_cmp(edge) == side).count();
            next.values as f64 * found as f64 / next.strided.len().max(1) as f64
        };
        self.below += next.below.max(share(Ordering::Less, &own.most));
        self.above += next.above.max(share(Ordering::Greater, &own.least));
        if then.least.total_cmp(&own.least).is_lt() {
            own.least.clone_from(&then.least);
        }
        if then.most.total_cmp(&own.most).is_gt() {
            own.most.clone_from(&then.most);
        }
        own.last.clone_from(&then.last);
        self.values += next.values;
        self.ups += next.ups;
        self.downs += next.downs;
        self.equal += next.equal;
    }

    pub(super) fn trend(&self) -> Trend {
        let few = self.values as f64 / 20.0;
        match (self.ups, self.downs) {
            _ if self.values < 2 => Trend::Unknown,
            (0, 0) => Trend::Constant,
            (_, 0) => Trend::Rising,
            (0, _) => Trend::Falling,
            _ if self.below <= few => Trend::MostlyRising,
            _ if self.above <= few => Trend::MostlyFalling,
            _ => Trend::Neither,
        }
    }

    /// The share of values behind another that are not below it.
    pub(super) fn rising(&self) -> f64 {
        let followed = self.ups + self.downs + self.equal;
        if followed == 0 { 0.0 } else { (self.ups + self.equal) as f64 / followed as f64 }
    }

    /// Whether every value is larger than the one before, or every one smaller: no two are the same.
    pub(super) fn is_strict(&self) -> bool {
        self.equal == 0 && (self.ups == 0 || self.downs == 0)
    }

    /// The smallest and the largest value.
    pub(super) fn bounds(&self) -> Option<(Value<'static>, Value<'static>)> {
        self.ends.as_ref().map(|ends| (ends.least.clone(), ends.most.clone()))
    }
}

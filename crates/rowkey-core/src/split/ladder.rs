//! The values that a part can have, in the order of their bytes.
//!
//! A ladder has a rung for each value: the lowest bytes first, all of one width. Splitting evenly is choosing rungs at
//! equal distances; the share below a key is the number of rungs below it. Rungs are computed, not kept: eight bytes have
//! 2^64 of them.
//!
//! Parts that follow a field have a rung for each value **of the field**: `date(ts)` has the same bytes on all rungs of a day, so
//! that a day of which the range has one hour counts as one hour. Parts of one field that follow one another (`[date(ts)][ts]`)
//! are one ladder: their bytes together rise with the field.

use crate::codec;
use crate::key::{FieldId, KeySchema, Step, ValueStep};
use crate::types::{IntForm, IntType, Order, Type};
use crate::value::Value;

/// Whether the values of a ladder come equally often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spread {
    /// Each as often as any other.
    Even,
    /// Taken to be even, as HBase's own tools take it: the digits of a `decimal(n)`.
    Assumed,
    /// It is only known that there are no others.
    Unknown,
}

impl Spread {
    pub(super) fn is_even(self) -> bool {
        self != Self::Unknown
    }
}

/// The values of a part, or of a stretch of one, in the order of their bytes.
#[derive(Debug, Clone)]
pub(super) struct Ladder<'k> {
    /// How many rungs there are, 2^64 at most.
    pub(super) count: u128,
    /// How many of them differ, as far as it was counted.
    pub(super) distinct: u128,
    /// How many bytes each value has.
    pub(super) width: usize,
    pub(super) spread: Spread,
    rungs: Rungs<'k>,
}

#[derive(Debug, Clone)]
enum Rungs<'k> {
    Listed(Vec<Vec<u8>>),
    /// Every text of `width` characters of an alphabet in ascending order.
    Digits(Vec<u8>),
    /// The numbers from the first to the second, as a type writes them.
    Numbers(Type, Order, i128, i128),
    Field(OfField<'k>),
}

/// Parts that follow a field whose values lie in a range.
#[derive(Debug, Clone)]
struct OfField<'k> {
    key: &'k KeySchema,
    /// The parts, and the literals between them.
    steps: &'k [Step],
    field: FieldId,
    /// The value of the lowest rung.
    first: i128,
    /// From one rung to the next; negative where the bytes fall as the value rises.
    pace: i128,
}

impl<'k> Ladder<'k> {
    /// These values, each once, whatever their order; `None` if they are not of one width.
    pub(super) fn listed(mut values: Vec<Vec<u8>>, spread: Spread) -> Option<Self> {
        values.sort();
        values.dedup();
        let width = values.first()?.len();
        let same = values.iter().all(|value| value.len() == width);
        let count = values.len() as u128;
        same.then_some(Self { count, distinct: count, width, spread, rungs: Rungs::Listed(values) })
    }

    /// Digits of an alphabet; as many ladders as it takes for none to have more than 2^64 rungs.
    pub(super) fn digits(alphabet: &[u8], order: Order, width: usize, spread: Spread) -> Vec<Self> {
        let mut letters = alphabet.to_vec();
        if order == Order::Descending {
            codec::complement(&mut letters, 0);
        }
        letters.sort_unstable();
        let base = letters.len() as u128;
        let fits = |width: usize| power(base, width).is_some_and(|count| count <= 1 << 64);
        let longest = (1..=width).take_while(|width| fits(*width)).last().unwrap_or(1);
        let mut ladders = Vec::new();
        let mut left = width;
        while left > 0 {
            let width = left.min(longest);
            let count = power(base, width).unwrap_or(1);
            let rungs = Rungs::Digits(letters.clone());
            ladders.push(Self { count, distinct: count, width, spread, rungs });
            left -= width;
        }
        ladders
    }

    /// The numbers that both the range and the type hold; `None` if there is none, or the type's width is not fixed.
    pub(super) fn numbers(ty: Type, order: Order, range: (i128, i128), spread: Spread) -> Option<Self> {
        let (min, max) = ty.integer_range()?;
        let (low, high) = (range.0.max(min), range.1.min(max));
        let count = high.checked_sub(low)?.checked_add(1).and_then(|count| u128::try_from(count).ok())?;
        let width = ty.width()?;
        let rungs = Rungs::Numbers(ty, order, low, high);
        (1..=1 << 64).contains(&count).then_some(Self { count, distinct: count, width, spread, rungs })
    }

    /// The values of parts that follow a field, for all values of the field in a range; `None` if they do not all follow
    /// it in one direction, or have no bytes for some of them.
    pub(super) fn of_field(key: &'k KeySchema, steps: &'k [Step], (low, high): (i128, i128)) -> Option<Self> {
        let values =
            || steps.iter().filter_map(|step| if let Step::Value(step) = step { Some(step) } else { None });
        let direction = |step: &ValueStep| {
            let (field, order, _) = step.follows()?;
            Some((field, (order == Order::Descending) != (step.order() == Order::Descending)))
        };
        let (field, falls) = direction(values().next()?)?;
        if !values().all(|step| direction(step) == Some((field, falls))) {
            return None;
        }
        let whole = values().map(|step| step.ty().step()).max().unwrap_or(1).into();
        let low = low.checked_add(whole - 1)?.div_euclid(whole) * whole;
        let count = u128::try_from(high.checked_sub(low)?.div_euclid(whole)).ok()?.checked_add(1)?;
        let last = low.checked_add(i128::try_from(count - 1).ok()?.checked_mul(whole)?)?;
        let (first, pace) = if falls { (last, -whole) } else { (low, whole) };
        let of = OfField { key, steps, field, first, pace };
        let (lowest, highest) = (of.value(0)?, of.value(count - 1)?);
        // Negative numbers of a two's complement sort behind the others: a range of both is not in order.
        let in_order = values().all(|step| match step.ty() {
            Type::Int(IntType { form: IntForm::TwosComplement, .. }) => {
                let sign = |rung| Some(of.step_bytes(step, rung)?.first()? & 0x80);
                sign(0).is_some_and(|first| sign(count - 1) == Some(first))
            }
            _ => true,
        });
        let width = lowest.len();
        let fits = width == highest.len() && lowest <= highest && in_order && count <= 1 << 64;
        let ladder = Self { count, distinct: count, width, spread: Spread::Even, rungs: Rungs::Field(of) };
        // A part that differs for every value of the field leaves nothing to count.
        let strict = values().any(|step| step.follows().is_some_and(|(.., strict)| strict));
        let distinct = if !fits || strict { count } else { ladder.count_distinct() };
        fits.then_some(Self { distinct, ..ladder })
    }

    /// How many values differ: few where `date(ts)` has one text for all times of a day. Many are not counted to the end.
    fn count_distinct(&self) -> u128 {
        const FEW: u128 = 65_536;
        let (mut at, mut distinct) = (0, 0);
        while at < self.count && distinct < FEW {
            at = self.first_past(&self.value(at));
            distinct += 1;
        }
        if at < self.count { self.count } else { distinct }
    }

    pub(super) fn with_spread(self, spread: Spread) -> Self {
        Self { spread, ..self }
    }

    /// The bytes of a rung; of the highest for a number past it.
    pub(super) fn value(&self, index: u128) -> Vec<u8> {
        let index = index.min(self.count - 1);
        match &self.rungs {
            Rungs::Listed(values) => {
                usize::try_from(index).ok().and_then(|index| values.get(index)).cloned().unwrap_or_default()
            }
            Rungs::Digits(letters) => {
                let base = letters.len() as u128;
                let mut rest = index;
                let mut value: Vec<u8> = (0..self.width)
                    .map(|_| {
                        let letter = letters.get((rest % base) as usize).copied().unwrap_or_default();
                        rest /= base;
                        letter
                    })
                    .collect();
                value.reverse();
                value
            }
            Rungs::Numbers(ty, order, low, high) => {
                let mut bytes = Vec::with_capacity(self.width);
                let number = Value::Int(number(*ty, *order, (*low, *high), index));
                // Both ends fit the type, so everything between does.
                let _ = codec::encode(&number, *ty, *order, &mut bytes);
                bytes
            }
            Rungs::Field(of) => of.value(index).unwrap_or_default(),
        }
    }

    /// The first rung at or above `key`; the number of rungs if there is none.
    pub(super) fn first_from(&self, key: &[u8]) -> u128 {
        self.partition(|value| value < key)
    }

    /// The first rung above `value`, which has the ladder's width.
    pub(super) fn first_past(&self, value: &[u8]) -> u128 {
        self.partition(|rung| rung <= value)
    }

    fn partition(&self, before: impl Fn(&[u8]) -> bool) -> u128 {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low + (high - low) / 2;
            if before(&self.value(middle)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

/// The number of a rung among the numbers of a range.
fn number(ty: Type, order: Order, (low, high): (i128, i128), index: u128) -> i128 {
    // The count is 2^64 at most.
    let index = index as i128;
    let index = if order == Order::Descending { high - low - index } else { index };
    let wraps = matches!(ty, Type::Int(IntType { form: IntForm::TwosComplement, .. })) && low < 0;
    if !wraps || high < 0 {
        return low + index;
    }
    let from_zero = high + 1;
    if index < from_zero { index } else { low + index - from_zero }
}

impl OfField<'_> {
    /// The bytes of all parts.
    fn value(&self, index: u128) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        for step in self.steps {
            match step {
                Step::Literal(literal) => bytes.extend_from_slice(literal),
                Step::Value(step) => bytes.extend(self.step_bytes(step, index)?),
            }
        }
        Some(bytes)
    }

    fn step_bytes(&self, step: &ValueStep, index: u128) -> Option<Vec<u8>> {
        let number = self.first.checked_add(i128::try_from(index).ok()?.checked_mul(self.pace)?)?;
        let value = Value::of_number(number, self.key.fields().get(self.field).ty.kind())?;
        let mut record = vec![Value::Null; self.key.fields().len()];
        *record.get_mut(self.field.0)? = value;
        let mut bytes = Vec::new();
        self.key.encode_step(step, &record, &mut bytes).ok()?;
        Some(bytes)
    }
}

fn power(base: u128, exponent: usize) -> Option<u128> {
    u32::try_from(exponent).ok().and_then(|exponent| base.checked_pow(exponent))
}

//! The bytes of whole numbers, by a form that is chosen once per type.
//!
//! The integer types and `timestamp` differ in three figures only. A number is first counted from the type's smallest
//! one, `off = n - min`; it fits if `off <= span`. Its bytes are then the last `width` bytes of `off ^ flip`, big-endian:
//!
//! | form | min | flip |
//! | --- | --- | --- |
//! | unsigned | 0 | 0 |
//! | sign flipped | smallest | 0: counting from the smallest number is flipping the sign bit |
//! | two's complement | smallest | the sign bit |
//! | any of them descending | as above | all bits of the above |

use crate::types::{IntForm, Order, Type};

/// The figures of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NumberForm {
    min: i64,
    /// The same, wide enough to count with any number.
    wide_min: i128,
    span: u64,
    flip: u64,
    /// What turns a number that fits into its bytes at once.
    mask: u64,
    /// 1, 2, 4 or 8.
    width: u32,
    /// The bits of a 64-bit word that are not its own.
    unused: u32,
    /// Whether it takes times and nothing else.
    time: bool,
}

impl NumberForm {
    /// The figures of an integer type or of `timestamp`; `None` for other types.
    pub(crate) fn of(ty: Type, order: Order) -> Option<Self> {
        let (width, form, time) = match ty {
            Type::Int(int) => (u32::try_from(int.bytes).ok()?, int.form, false),
            Type::Timestamp => (8, IntForm::SignFlipped, true),
            _ => return None,
        };
        let bits = width * 8;
        let smallest = i64::MIN >> (64 - bits);
        let (min, flip) = match form {
            IntForm::Unsigned => (0, 0),
            IntForm::SignFlipped => (smallest, 0),
            IntForm::TwosComplement => (smallest, 1 << (bits - 1)),
        };
        let flip = if order == Order::Descending { !flip } else { flip };
        let sign = if min < 0 { 1 << (bits - 1) } else { 0 };
        Some(Self {
            min,
            wide_min: min.into(),
            mask: flip ^ sign,
            span: u64::MAX >> (64 - bits),
            flip,
            width,
            unused: 64 - bits,
            time,
        })
    }

    /// How many bytes it has.
    pub(crate) fn width(self) -> usize {
        self.width as usize
    }

    /// Whether it takes times and nothing else.
    pub(crate) fn is_time(self) -> bool {
        self.time
    }

    /// Whether it takes negative numbers.
    pub(crate) fn is_signed(self) -> bool {
        self.min < 0
    }

    /// What turns the last bytes of a number that fits into its bytes in a key, and back.
    pub(crate) fn mask(self) -> u64 {
        self.mask
    }

    /// The bytes of a number, first byte highest; only the first [`NumberForm::width`] count. `None` if it does not fit.
    #[inline]
    pub(crate) fn bytes(self, number: i128) -> Option<[u8; 8]> {
        let off = number.wrapping_sub(self.wide_min).cast_unsigned();
        if off > self.span.into() {
            return None;
        }
        Some(((off as u64 ^ self.flip) << self.unused).to_be_bytes())
    }

    /// The number of bytes that start with its own.
    #[inline]
    pub(crate) fn number(self, bytes: [u8; 8]) -> i128 {
        i128::from(self.off(bytes)) + self.wide_min
    }

    #[inline]
    fn off(self, bytes: [u8; 8]) -> u64 {
        (u64::from_be_bytes(bytes) ^ (self.flip << self.unused)) >> self.unused
    }

    /// Whether all numbers of a column fit.
    pub(crate) fn fit_signed(self, numbers: &[i64]) -> bool {
        // Counting wraps for a number below the smallest one, and past the largest off there is.
        let span = self.span.min(i64::MAX.abs_diff(self.min));
        if span == u64::MAX {
            return true;
        }
        // A span is all ones, so bits above it are what does not fit.
        numbers.iter().fold(0, |bits, n| bits | n.wrapping_sub(self.min).cast_unsigned()) <= span
    }

    /// As [`NumberForm::fit_signed`].
    pub(crate) fn fit_unsigned(self, numbers: &[u64]) -> bool {
        let max = self.span.wrapping_add(self.min.cast_unsigned());
        max == u64::MAX || numbers.iter().fold(0, |bits, n| bits | n) <= max
    }

    /// What the bytes of a number that fits hold, as a big-endian word of [`NumberForm::width`] bytes.
    #[inline]
    pub(crate) fn word_of_signed(self, number: i64) -> u64 {
        self.word_of_unsigned(number.cast_unsigned())
    }

    /// As [`NumberForm::word_of_signed`].
    #[inline]
    pub(crate) fn word_of_unsigned(self, number: u64) -> u64 {
        // In the bytes that count, counting from the smallest number is flipping the sign bit.
        number ^ self.mask
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NAMES: [&str; 12] =
        ["u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "short", "int", "long", "timestamp"];

    /// A number near the ends of the types as often as anywhere.
    fn numbers() -> impl Strategy<Value = i128> {
        let ends = (0u32..65, -2i128..3, any::<bool>())
            .prop_map(|(bits, near, minus)| (if minus { -1i128 } else { 1 } << bits) + near);
        prop_oneof![ends, any::<i64>().prop_map(i128::from), any::<u64>().prop_map(i128::from)]
    }

    proptest! {
        #[test]
        fn the_figures_give_the_bytes_of_the_type(
            name in prop::sample::select(&NAMES[..]), number in numbers(), desc: bool,
        ) {
            let ty = Type::from_name(name).expect("a type");
            let order = if desc { Order::Descending } else { Order::Ascending };
            let form = NumberForm::of(ty, order).expect("a number");
            // By the table of `codec`, in another way.
            let (min, max) = ty.integer_range().unwrap_or((i64::MIN.into(), i64::MAX.into()));
            let fits = (min..=max).contains(&number);
            let mut expected = number.to_be_bytes()[16 - form.width()..].to_vec();
            if name.starts_with('i') && name != "int" || form.is_time() {
                expected[0] ^= 0x80;
            }
            if desc {
                expected.iter_mut().for_each(|byte| *byte = !*byte);
            }
            let bytes = form.bytes(number);
            prop_assert_eq!(bytes.is_some(), fits);
            if let Ok(signed) = i64::try_from(number) {
                prop_assert_eq!(form.fit_signed(&[0, signed, 0]), fits);
            }
            if let Ok(unsigned) = u64::try_from(number) {
                prop_assert_eq!(form.fit_unsigned(&[0, unsigned, 0]), fits);
            }
            let Some(bytes) = bytes else { return Ok(()) };
            prop_assert_eq!(&bytes[..form.width()], &expected[..]);
            prop_assert_eq!(form.number(bytes), number);
            let word = u64::from_be_bytes(bytes) >> (64 - 8 * form.width());
            let low = |word: u64| word << (64 - 8 * form.width());
            if let Ok(signed) = i64::try_from(number) {
                prop_assert_eq!(low(form.word_of_signed(signed)), low(word));
            }
            if let Ok(unsigned) = u64::try_from(number) {
                prop_assert_eq!(low(form.word_of_unsigned(unsigned)), low(word));
            }
        }
    }
}

//! What the profile looks at in one value.
//!
//! Its order, its hash, the number it is, and its bytes: of a text the text itself, of anything else the bytes that a key
//! would have of the field's type.

use std::cmp::Ordering;

use rowkey_core::Value;
use rowkey_core::types::{IntForm, Kind, Octets, Type};
use xxhash_rust::xxh3::xxh3_64;

/// Byte positions of a text that are counted.
pub(super) const POSITIONS: usize = 32;

/// A word with every bit of it spread over all others.
#[inline]
pub(crate) fn mix(mut word: u64) -> u64 {
    word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// A value that a profile can look at.
pub(super) trait Cell: Copy {
    fn compare(self, other: Self) -> Ordering;
    fn hash(self) -> u64;
    /// The value, owned, for the report.
    fn value(self) -> Value<'static>;
    /// The number it is, if steps between values mean something.
    #[inline]
    fn number(self) -> Option<i64> {
        None
    }
    /// Its bytes, the first of them first.
    fn count_bytes(self, form: Form, histogram: &mut [[u64; 256]]);
    /// Its length, if that is its own.
    #[inline]
    fn length(self) -> Option<usize> {
        None
    }
}

/// Which bytes a number has in a key.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    pub(super) width: usize,
    flip: bool,
}

impl Form {
    pub(super) fn of(ty: Type) -> Self {
        match ty {
            Type::Int(int) => Self { width: int.bytes, flip: int.form == IntForm::SignFlipped },
            Type::Bool => Self { width: 1, flip: false },
            Type::Octets(ty) => Self { width: ty.width(), flip: false },
            Type::F64 | Type::F32 => Self { width: 8, flip: false },
            // Times, and numbers whose digits or headers are in the key: eight bytes.
            _ => Self { width: 8, flip: true },
        }
    }
}

#[inline]
fn count_word(word: u64, width: usize, histogram: &mut [[u64; 256]]) {
    let bytes = word.to_be_bytes();
    let bytes = bytes.get(8 - width.min(8)..).unwrap_or_default();
    for (counts, byte) in histogram.iter_mut().zip(bytes) {
        counts[usize::from(*byte)] += 1;
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Signed(pub(super) i64);
#[derive(Debug, Clone, Copy)]
pub(super) struct Time(pub(super) i64);
#[derive(Debug, Clone, Copy)]
pub(super) struct Unsigned(pub(super) u64);
/// A number, and whether it is shown as one of 32 bits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Float(pub(super) f64, pub(super) bool);
#[derive(Debug, Clone, Copy)]
pub(super) struct Bool(pub(super) bool);
/// Bytes of a text, or of something else that is bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slice<'a>(pub(super) &'a [u8], pub(super) Kind);

macro_rules! whole_number {
    ($name:ident, $value:expr, $number:expr, $word:expr) => {
        impl Cell for $name {
            #[inline]
            fn compare(self, other: Self) -> Ordering {
                self.0.cmp(&other.0)
            }
            #[inline]
            fn hash(self) -> u64 {
                mix(self.0 as u64)
            }
            fn value(self) -> Value<'static> {
                $value(self.0)
            }
            #[inline]
            fn number(self) -> Option<i64> {
                $number(self.0)
            }
            #[inline]
            fn count_bytes(self, form: Form, histogram: &mut [[u64; 256]]) {
                let sign = if form.flip { 1 << (8 * form.width.min(8) - 1) } else { 0 };
                count_word($word(self.0) ^ sign, form.width, histogram);
            }
        }
    };
}

whole_number!(Signed, |n: i64| Value::Int(n.into()), Some, |n: i64| n.cast_unsigned());
whole_number!(Time, Value::Time, Some, |n: i64| n.cast_unsigned());
whole_number!(Unsigned, |n: u64| Value::Int(n.into()), |n: u64| i64::try_from(n).ok(), |n: u64| n);
whole_number!(Bool, Value::Bool, |_: bool| None, u64::from);

impl Cell for Float {
    #[inline]
    fn compare(self, other: Self) -> Ordering {
        // 0 and -0 are one number.
        (self.0 + 0.0).total_cmp(&(other.0 + 0.0))
    }

    #[inline]
    fn hash(self) -> u64 {
        mix((self.0 + 0.0).to_bits())
    }

    fn value(self) -> Value<'static> {
        if self.1 { Value::Float32(self.0 as f32) } else { Value::Float(self.0) }
    }

    #[inline]
    fn count_bytes(self, form: Form, histogram: &mut [[u64; 256]]) {
        // Negative numbers complemented, the others with the sign bit set: the order of the bytes is that of the numbers.
        let bits = self.0.to_bits();
        let word = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
        count_word(word, form.width, histogram);
    }
}

impl Cell for Slice<'_> {
    #[inline]
    fn compare(self, other: Self) -> Ordering {
        self.0.cmp(other.0)
    }

    #[inline]
    fn hash(self) -> u64 {
        xxh3_64(self.0)
    }

    fn value(self) -> Value<'static> {
        match (self.1, std::str::from_utf8(self.0)) {
            (Kind::Text, Ok(text)) => Value::Text(text.to_owned().into()),
            (Kind::Octets(ty), _) => Octets::new(ty, self.0).map(Value::Octets).unwrap_or_default(),
            _ => Value::Bytes(self.0.to_vec().into()),
        }
    }

    #[inline]
    fn count_bytes(self, _form: Form, histogram: &mut [[u64; 256]]) {
        for (counts, byte) in histogram.iter_mut().zip(self.0) {
            counts[usize::from(*byte)] += 1;
        }
    }

    #[inline]
    fn length(self) -> Option<usize> {
        (!matches!(self.1, Kind::Octets(_))).then_some(self.0.len())
    }
}

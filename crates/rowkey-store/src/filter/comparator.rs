//! Comparators: how a filter compares a value.

use std::cmp::Ordering;

/// How a cell's part and the comparator's value must relate: the cell's part stands on the left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CompareOp {
    /// The cell's part is less than the comparator's value.
    Less,
    /// Less or equal.
    LessOrEqual,
    /// Equal.
    Equal,
    /// Not equal.
    NotEqual,
    /// Greater or equal.
    GreaterOrEqual,
    /// Greater.
    Greater,
    /// Nothing is let through, as in HBase.
    NoOp,
}

impl CompareOp {
    /// Every operator.
    pub const ALL: [Self; 7] = [
        Self::Less,
        Self::LessOrEqual,
        Self::Equal,
        Self::NotEqual,
        Self::GreaterOrEqual,
        Self::Greater,
        Self::NoOp,
    ];
}

/// What a [`Comparator::Bit`] does to the bits of both values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BitOp {
    /// Both set.
    And,
    /// One set.
    Or,
    /// Exactly one set.
    Xor,
}

/// What a cell's row, family, qualifier or value is compared with.
///
/// `Substring`, `Regex`, `Bit` and `Null` know only "the same" and "not the same": of the operators,
/// [`CompareOp::Equal`] and [`CompareOp::NotEqual`] make sense with them. In an order, what is not the same counts as
/// below the comparator.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Comparator {
    /// Unsigned bytes.
    Binary(Vec<u8>),
    /// The first bytes only: as many as this value has.
    BinaryPrefix(Vec<u8>),
    /// Contains a text, whatever the case of letters.
    Substring(String),
    /// A regular expression that matches anywhere, with `.` matching line ends. HBase takes Java's syntax; the embedded
    /// store takes what Java and Rust's `regex` share, and refuses the rest (look-around, back references).
    Regex {
        /// The regular expression, without delimiters.
        pattern: String,
        /// Whether letters match whatever their case.
        ignore_case: bool,
    },
    /// The bits of two values of equal length give a result that is not all zero.
    Bit {
        /// The comparator's bits.
        value: Vec<u8>,
        /// What is done with the bits.
        op: BitOp,
    },
    /// No value at all. A cell always has one, so nothing is the same as this.
    Null,
    /// A number of 8 bytes, two's complement, big-endian. A value of another length is a mistake, which HBase answers
    /// with an error or a wrong number; the embedded store takes it as not the same, and below.
    Long(i64),
}

impl CompareOp {
    /// Whether the operator holds for the order of its left side to its right.
    pub fn holds(self, left_to_right: Ordering) -> bool {
        match self {
            Self::Less => left_to_right.is_lt(),
            Self::LessOrEqual => left_to_right.is_le(),
            Self::Equal => left_to_right.is_eq(),
            Self::NotEqual => left_to_right.is_ne(),
            Self::GreaterOrEqual => left_to_right.is_ge(),
            Self::Greater => left_to_right.is_gt(),
            Self::NoOp => false,
        }
    }
}

/// What knows only "the same" and "not the same": the comparator is above what is not the same.
pub(super) fn same(is_same: bool) -> Ordering {
    if is_same { Ordering::Equal } else { Ordering::Greater }
}

impl Comparator {
    /// The order of the comparator to a part of a cell. A pattern that cannot be compiled is not the same as anything.
    pub fn compare(&self, part: &[u8]) -> Ordering {
        match self {
            Self::Binary(value) => value.as_slice().cmp(part),
            Self::BinaryPrefix(value) => value.as_slice().cmp(part.get(..value.len()).unwrap_or(part)),
            Self::Substring(text) => {
                same(String::from_utf8_lossy(part).to_lowercase().contains(&text.to_lowercase()))
            }
            Self::Regex { pattern, ignore_case } => same(
                super::validate::regex(pattern, *ignore_case)
                    .is_ok_and(|regex| regex.is_match(&String::from_utf8_lossy(part))),
            ),
            Self::Bit { value, op } => {
                let bit = |(a, b): (&u8, &u8)| match op {
                    BitOp::And => a & b,
                    BitOp::Or => a | b,
                    BitOp::Xor => a ^ b,
                };
                same(value.len() == part.len() && value.iter().zip(part).map(bit).any(|bits| bits != 0))
            }
            Self::Null => Ordering::Greater,
            Self::Long(value) => match <[u8; 8]>::try_from(part) {
                Ok(bytes) => value.cmp(&i64::from_be_bytes(bytes)),
                Err(_) => Ordering::Greater,
            },
        }
    }

    /// Whether it has bytes to compare with; without any, a check of a value is one for absence.
    pub fn has_bytes(&self) -> bool {
        match self {
            Self::Binary(value) | Self::BinaryPrefix(value) | Self::Bit { value, .. } => !value.is_empty(),
            Self::Substring(text) => !text.is_empty(),
            Self::Regex { pattern, .. } => !pattern.is_empty(),
            Self::Null => false,
            Self::Long(_) => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each operator lets through the cells whose part stands so to the comparator's value.
    #[test]
    fn the_cell_stands_on_the_left() {
        let holds =
            |op: CompareOp, part: &[u8]| op.holds(Comparator::Binary(b"m".to_vec()).compare(part).reverse());
        let table = [
            (CompareOp::Less, [true, false, false]),
            (CompareOp::LessOrEqual, [true, true, false]),
            (CompareOp::Equal, [false, true, false]),
            (CompareOp::NotEqual, [true, false, true]),
            (CompareOp::GreaterOrEqual, [false, true, true]),
            (CompareOp::Greater, [false, false, true]),
            (CompareOp::NoOp, [false, false, false]),
        ];
        for (op, expected) in table {
            assert_eq!([b"a", b"m", b"z"].map(|part| holds(op, part)), expected, "{op:?}");
        }
    }

    #[test]
    fn comparators_know_the_same_and_some_an_order() {
        use Ordering::{Equal, Greater, Less};
        let regex =
            |pattern: &str, ignore_case| Comparator::Regex { pattern: pattern.to_owned(), ignore_case };
        let bit = |value: &[u8], op| Comparator::Bit { value: value.to_vec(), op };
        for (comparator, part, expected) in [
            (Comparator::BinaryPrefix(b"ab".to_vec()), &b"abc"[..], Equal),
            (Comparator::BinaryPrefix(b"ab".to_vec()), b"ac", Less),
            (Comparator::BinaryPrefix(b"ab".to_vec()), b"a", Greater),
            (Comparator::Substring("Lo".to_owned()), b"heLLO", Equal),
            (Comparator::Substring("Lo".to_owned()), b"hell", Greater),
            (regex("^h.*o$", false), b"hell\no", Equal),
            (regex("^H", false), b"hello", Greater),
            (regex("^H", true), b"hello", Equal),
            (bit(&[0b0101], BitOp::And), &[0b1000], Greater),
            (bit(&[0b0101], BitOp::And), &[0b0100], Equal),
            (bit(&[0b0101], BitOp::Xor), &[0b0101], Greater),
            (bit(&[0], BitOp::Or), &[0], Greater),
            (bit(&[1, 1], BitOp::Or), &[1], Greater),
            (Comparator::Null, b"", Greater),
            (Comparator::Long(-1), &[0; 8], Less),
            (Comparator::Long(5), &[0, 0, 0, 0, 0, 0, 0, 5], Equal),
            (Comparator::Long(5), &[5], Greater),
        ] {
            assert_eq!(comparator.compare(part), expected, "{comparator:?} {part:?}");
        }
    }
}

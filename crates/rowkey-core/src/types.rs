//! The types of fields, and the values that fit them.
//!
//! A type plays two parts: declared for a field (`[fields]` of the table file) it says which values the field
//! takes; written on a part of the key (`[name: escaped]`) it says which bytes they become there. A part's type
//! must fit the field's: integers fit integers and `decimal`, text fits text, times fit times and 64-bit integers.

mod octets;

use std::fmt;

pub use octets::{Octets, OctetsType};

use crate::ordered::OrderedType;

/// A type of the notation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Type {
    /// An integer of a fixed width.
    Int(IntType),
    /// A 32-bit floating-point number.
    F32,
    /// A 64-bit floating-point number.
    F64,
    /// A whole number as n ASCII digits.
    Decimal(u16),
    /// Text as it is: UTF-8 without an end mark.
    Text,
    /// Bytes as they are, without an end mark.
    Bytes,
    /// Text, or bytes, of exactly n bytes.
    Fixed(u16),
    /// Text with an end mark, safe before any other part.
    Escaped,
    /// A time in milliseconds.
    Timestamp,
    /// A time in whole seconds.
    TimestampS,
    /// A fixed number of bytes with a text form of their own, such as a UUID.
    Octets(OctetsType),
    /// True or false.
    Bool,
    /// One of HBase's `OrderedBytes` encodings.
    Ordered(OrderedType),
}

/// Width and byte form of an integer type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct IntType {
    /// 1, 2, 4 or 8.
    pub bytes: usize,
    /// How negative numbers are kept.
    pub form: IntForm,
}

/// How an integer's sign is kept in a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IntForm {
    /// No negative numbers.
    Unsigned,
    /// Two's complement with the sign bit flipped, so that negative numbers sort first.
    SignFlipped,
    /// Two's complement as HBase's `Bytes.toBytes` writes it; negative numbers sort last.
    TwosComplement,
}

/// What values of a type are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Whole numbers.
    Integer,
    /// Floating-point numbers.
    Float,
    /// Exact decimal numbers.
    Numeric,
    /// Unicode text.
    Text,
    /// Bytes.
    Bytes,
    /// Points in time.
    Time,
    /// Values of one type of a fixed number of bytes, such as UUIDs.
    Octets(OctetsType),
    /// True or false.
    Bool,
}

impl Kind {
    /// What a value is, such as "a whole number".
    pub fn words(self) -> &'static str {
        match self {
            Self::Integer => "a whole number",
            Self::Float => "a floating-point number",
            Self::Numeric => "a decimal number",
            Self::Text => "text",
            Self::Bytes => "bytes",
            Self::Time => "a time",
            Self::Octets(ty) => ty.words(),
            Self::Bool => "true or false",
        }
    }

    /// Whether a value may be written as a number of JSON or SQL; others need quotes.
    pub fn takes_numbers(self) -> bool {
        !matches!(self, Self::Text | Self::Bytes | Self::Octets(_))
    }
}

/// The types that are a plain name, but for those of [`OctetsType`]; the others take an argument.
const NAMES: [(&str, Type); 17] = [
    ("u8", Type::int(1, IntForm::Unsigned)),
    ("u16", Type::int(2, IntForm::Unsigned)),
    ("u32", Type::int(4, IntForm::Unsigned)),
    ("u64", Type::int(8, IntForm::Unsigned)),
    ("i8", Type::int(1, IntForm::SignFlipped)),
    ("i16", Type::int(2, IntForm::SignFlipped)),
    ("i32", Type::int(4, IntForm::SignFlipped)),
    ("i64", Type::int(8, IntForm::SignFlipped)),
    ("short", Type::int(2, IntForm::TwosComplement)),
    ("int", Type::int(4, IntForm::TwosComplement)),
    ("long", Type::int(8, IntForm::TwosComplement)),
    ("f32", Type::F32),
    ("f64", Type::F64),
    ("text", Type::Text),
    ("bytes", Type::Bytes),
    ("escaped", Type::Escaped),
    ("timestamp", Type::Timestamp),
];

/// As [`NAMES`], those that errors list behind the types of [`OctetsType`].
const LAST_NAMES: [(&str, Type); 2] = [("bool", Type::Bool), ("timestamp_s", Type::TimestampS)];

/// Arguments for the types that take one, for [`Type::all`].
const WITH_ARGUMENTS: [Type; 6] = [
    Type::Fixed(3),
    Type::Fixed(8),
    Type::Decimal(3),
    Type::Decimal(18),
    Type::Decimal(19),
    Type::Decimal(38),
];

/// Why a type as written is none.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TypeError {
    /// No type has this name.
    Unknown,
    /// The name needs an argument, or takes none, or another; what it looks like is said.
    Argument(&'static str),
}

impl Type {
    /// An integer type of 1, 2, 4 or 8 bytes.
    pub const fn int(bytes: usize, form: IntForm) -> Self {
        Self::Int(IntType { bytes, form })
    }

    /// `long`: HBase's own 8-byte integers.
    pub const LONG: Self = Self::int(8, IntForm::TwosComplement);
    /// `uuid`
    pub const UUID: Self = Self::Octets(OctetsType::Uuid);
    /// `u8`
    pub const U8: Self = Self::int(1, IntForm::Unsigned);
    /// `u16`
    pub const U16: Self = Self::int(2, IntForm::Unsigned);
    /// `u32`
    pub const U32: Self = Self::int(4, IntForm::Unsigned);

    /// The type of a name and, in parentheses, an argument.
    ///
    /// # Errors
    /// When there is no such type.
    pub fn from_parts(name: &str, argument: Option<&str>) -> Result<Self, TypeError> {
        let width = |form, max: u16| {
            let digits = argument.filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
            let number = digits.and_then(|text| text.parse::<u16>().ok());
            number.filter(|number| (1..=max).contains(number)).ok_or(TypeError::Argument(form))
        };
        match name {
            "fixed" => width("fixed(n) with n from 1 to 32767", 32_767).map(Self::Fixed),
            "decimal" => width("decimal(n) with n from 1 to 38", 38).map(Self::Decimal),
            "ordered" => {
                let form = "ordered(T) with T one of i8, i16, i32, i64, f32, f64, numeric, text, bytes";
                argument.and_then(OrderedType::from_name).map(Self::Ordered).ok_or(TypeError::Argument(form))
            }
            _ => {
                let (_, ty) = plain_types().find(|(known, _)| *known == name).ok_or(TypeError::Unknown)?;
                if argument.is_none() { Ok(ty) } else { Err(TypeError::Argument("no argument")) }
            }
        }
    }

    /// The type written as one text, such as `u64` or `ordered(i64)`.
    ///
    /// # Errors
    /// When there is no such type.
    pub fn from_text(text: &str) -> Result<Self, TypeError> {
        match text.split_once('(') {
            None => Self::from_parts(text.trim(), None),
            Some((name, rest)) => {
                let argument = rest.trim_end().strip_suffix(')').ok_or(TypeError::Unknown)?;
                Self::from_parts(name.trim(), Some(argument.trim()))
            }
        }
    }

    /// The type of this name; for tests and examples.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::from_text(name).ok()
    }

    /// The names of all types, as people write them.
    pub fn names() -> impl Iterator<Item = &'static str> {
        plain_types().map(|(name, _)| name).chain(["fixed", "decimal", "ordered"])
    }

    /// Every type, those that take an argument with several: what laws go through.
    pub fn all() -> impl Iterator<Item = Self> {
        let ordered = OrderedType::ALL.map(Self::Ordered);
        plain_types().map(|(_, ty)| ty).chain(WITH_ARGUMENTS).chain(ordered)
    }

    /// What its values are.
    pub fn kind(self) -> Kind {
        match self {
            Self::Int(_) | Self::Decimal(_) => Kind::Integer,
            Self::F32 | Self::F64 => Kind::Float,
            Self::Text | Self::Escaped | Self::Fixed(_) => Kind::Text,
            Self::Bytes => Kind::Bytes,
            Self::Timestamp | Self::TimestampS => Kind::Time,
            Self::Octets(ty) => Kind::Octets(ty),
            Self::Bool => Kind::Bool,
            Self::Ordered(ty) => ty.plain().map_or(Kind::Numeric, Self::kind),
        }
    }

    /// Whether a part of this type can hold values of a field or expression of type `value`; each value's range is
    /// checked when encoding.
    pub fn fits(self, value: Self) -> bool {
        match (self.kind(), value.kind()) {
            (Kind::Integer, Kind::Time) => self.is_wide_integer(),
            (Kind::Numeric, Kind::Integer) => true,
            // Exactly n bytes, whether they are text or not.
            (Kind::Text, Kind::Bytes) => matches!(self, Self::Fixed(_)),
            (own, other) => own == other,
        }
    }

    /// Whether its values are floating-point numbers of 32 bits.
    pub fn is_single(self) -> bool {
        matches!(self, Self::F32 | Self::Ordered(OrderedType::F32))
    }

    /// How many milliseconds lie between two neighbouring times of the type; 1 if it holds no times.
    pub fn step(self) -> i64 {
        if self == Self::TimestampS { 1000 } else { 1 }
    }

    /// The integers whose bytes its values have in a key: those of an integer type itself, and the steps of times.
    pub(crate) fn integer(self) -> Option<IntType> {
        match self {
            Self::Int(int) => Some(int),
            Self::Timestamp => Some(IntType { bytes: 8, form: IntForm::SignFlipped }),
            Self::TimestampS => Some(IntType { bytes: 4, form: IntForm::Unsigned }),
            _ => None,
        }
    }

    fn is_wide_integer(self) -> bool {
        matches!(self, Self::Int(IntType { bytes: 8, .. }) | Self::Ordered(OrderedType::I64))
    }

    /// How many bytes every value takes in a key, if that is always the same.
    pub fn width(self) -> Option<usize> {
        match self {
            Self::Int(_) | Self::Timestamp | Self::TimestampS => self.integer().map(|int| int.bytes),
            Self::F32 => Some(4),
            Self::F64 => Some(8),
            Self::Decimal(width) | Self::Fixed(width) => Some(width.into()),
            Self::Octets(ty) => Some(ty.width()),
            Self::Bool => Some(1),
            Self::Text | Self::Bytes | Self::Escaped | Self::Ordered(_) => None,
        }
    }

    /// Whether a reader finds the end of a value by its own bytes: a fixed width or an end mark.
    pub fn ends_itself(self) -> bool {
        !matches!(self, Self::Text | Self::Bytes)
    }

    /// Whether the bytes of its values, by themselves, sort as the values do.
    pub fn is_ordered(self) -> bool {
        match self {
            Self::Int(int) => int.form != IntForm::TwosComplement,
            // HBase's blob-var puts `ff` before `fe ff`.
            Self::Ordered(ty) => ty != OrderedType::Bytes,
            _ => true,
        }
    }

    /// The smallest and the largest integer of the type, if it holds integers.
    #[inline]
    pub fn integer_range(self) -> Option<(i128, i128)> {
        match self {
            Self::Int(int) => Some(int.range()),
            Self::Decimal(width) => {
                Some((0, 10i128.checked_pow(width.into()).map_or(i128::MAX, |end| end - 1)))
            }
            Self::Ordered(ty) => ty.integer_range(),
            _ => None,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(width) => write!(f, "fixed({width})"),
            Self::Decimal(width) => write!(f, "decimal({width})"),
            Self::Ordered(inner) => write!(f, "{inner}"),
            plain => {
                let (name, _) =
                    plain_types().find(|(_, ty)| ty == plain).expect("every plain type is in a table");
                f.write_str(name)
            }
        }
    }
}

/// The types that are a plain name, in the order in which errors list them.
fn plain_types() -> impl Iterator<Item = (&'static str, Type)> {
    let octets = OctetsType::ALL.map(|ty| (ty.name(), Type::Octets(ty)));
    NAMES.into_iter().chain(octets).chain(LAST_NAMES)
}

impl IntType {
    /// The smallest and the largest number of this type.
    #[inline]
    pub fn range(self) -> (i128, i128) {
        let bits = self.bytes * 8;
        match self.form {
            IntForm::Unsigned => (0, (1 << bits) - 1),
            IntForm::SignFlipped | IntForm::TwosComplement => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        }
    }
}

/// The direction in which a part sorts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Order {
    /// Small values first.
    #[default]
    Ascending,
    /// Large values first.
    Descending,
}

impl Order {
    /// The other direction.
    pub fn reversed(self) -> Self {
        match self {
            Self::Ascending => Self::Descending,
            Self::Descending => Self::Ascending,
        }
    }
}

/// Whether a part or field may be null, and where its nulls sort.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Nulls {
    /// Null is an error.
    #[default]
    Refused,
    /// 00 for null, 01 before a value: nulls sort first, whatever the direction.
    First,
    /// 01 before a value, 02 for null: nulls sort last, whatever the direction.
    Last,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_prints_back() {
        for ty in Type::all() {
            assert_eq!(Type::from_text(&ty.to_string()), Ok(ty));
        }
    }

    #[test]
    fn arguments_are_checked() {
        for bad in [
            "fixed",
            "fixed(0)",
            "fixed(40000)",
            "fixed(x)",
            "decimal(39)",
            "ordered(u8)",
            "u8(1)",
            "ordered",
        ] {
            assert!(matches!(Type::from_text(bad), Err(TypeError::Argument(_))), "{bad}");
        }
        for bad in ["", "u46", "fixed(3", "txt"] {
            assert_eq!(Type::from_text(bad), Err(TypeError::Unknown), "{bad}");
        }
    }

    #[test]
    fn ranges_are_those_of_the_machine_integers() {
        let range = |name: &str| Type::from_name(name).and_then(Type::integer_range).unwrap();
        assert_eq!(range("u64"), (0, u64::MAX.into()));
        assert_eq!(range("i64"), (i64::MIN.into(), i64::MAX.into()));
        assert_eq!(range("i8"), (-128, 127));
        assert_eq!(range("short"), (i16::MIN.into(), i16::MAX.into()));
        assert_eq!(range("decimal(3)"), (0, 999));
        assert_eq!(range("ordered(i16)"), (i16::MIN.into(), i16::MAX.into()));
    }

    #[test]
    fn times_fit_times_and_wide_integers_only() {
        let ty = |name| Type::from_name(name).unwrap();
        assert!(ty("u64").fits(ty("timestamp")) && ty("long").fits(ty("timestamp")));
        assert!(ty("timestamp_s").fits(ty("timestamp")) && ty("ordered(i64)").fits(ty("timestamp")));
        assert!(!ty("u32").fits(ty("timestamp")) && !ty("timestamp").fits(ty("u64")));
        assert!(ty("escaped").fits(ty("text")) && !ty("text").fits(ty("u64")));
        assert!(ty("decimal(3)").fits(ty("u64")) && !ty("f64").fits(ty("u64")));
        assert!(ty("fixed(3)").fits(ty("bytes")) && !ty("escaped").fits(ty("bytes")));
        assert!(ty("ordered(numeric)").fits(ty("u64")) && !ty("u64").fits(ty("ordered(numeric)")));
    }
}

//! Which types does a field have, and which values fit them?
//!
//! A type plays two parts: declared for a field (`[fields]` of the table file) it says which values the field
//! takes; written on a part of the key (`[name: escaped]`) it says which bytes they become there. A part's type
//! must fit the field's: integers fit integers, text fits text.
//!
//! The first types of the notation's full table are here; the rest come with the keys' own issue.

use std::fmt;

/// A type of the notation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Type {
    /// An integer of a fixed width.
    Int(IntType),
    /// Text as it is: UTF-8 without an end mark.
    Text,
    /// Text with an end mark, safe before any other part.
    Escaped,
    /// A time in milliseconds.
    Timestamp,
    /// True or false.
    Bool,
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
    /// Unicode text.
    Text,
    /// Points in time.
    Time,
    /// True or false.
    Bool,
}

const fn int(bytes: usize, form: IntForm) -> Type {
    Type::Int(IntType { bytes, form })
}

/// Every type by name.
const NAMES: [(&str, Type); 15] = [
    ("u8", int(1, IntForm::Unsigned)),
    ("u16", int(2, IntForm::Unsigned)),
    ("u32", int(4, IntForm::Unsigned)),
    ("u64", int(8, IntForm::Unsigned)),
    ("i8", int(1, IntForm::SignFlipped)),
    ("i16", int(2, IntForm::SignFlipped)),
    ("i32", int(4, IntForm::SignFlipped)),
    ("i64", int(8, IntForm::SignFlipped)),
    ("short", int(2, IntForm::TwosComplement)),
    ("int", int(4, IntForm::TwosComplement)),
    ("long", int(8, IntForm::TwosComplement)),
    ("text", Type::Text),
    ("escaped", Type::Escaped),
    ("timestamp", Type::Timestamp),
    ("bool", Type::Bool),
];

impl Type {
    /// The type of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        NAMES.iter().find(|(known, _)| *known == name).map(|(_, ty)| *ty)
    }

    /// The names of all types.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|(name, _)| *name)
    }

    /// What its values are.
    pub fn kind(self) -> Kind {
        match self {
            Self::Int(_) => Kind::Integer,
            Self::Text | Self::Escaped => Kind::Text,
            Self::Timestamp => Kind::Time,
            Self::Bool => Kind::Bool,
        }
    }

    /// Whether a part of this type can hold a field of type `field`; each value's range is checked when encoding.
    pub fn fits(self, field: Self) -> bool {
        let wide = |ty| matches!(ty, Self::Int(IntType { bytes: 8, .. }));
        self.kind() == field.kind() || (field.kind() == Kind::Time && wide(self))
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|(_, ty)| ty == self).map(|(name, _)| *name);
        f.write_str(name.expect("every type has a name in the table"))
    }
}

impl IntType {
    /// The smallest and the largest number of this type.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_names_one_type_and_prints_back() {
        for name in Type::names() {
            assert_eq!(Type::from_name(name).unwrap().to_string(), name);
        }
    }

    #[test]
    fn ranges_are_those_of_the_machine_integers() {
        let range = |name: &str| match Type::from_name(name) {
            Some(Type::Int(int)) => int.range(),
            _ => panic!("{name} is an integer type"),
        };
        assert_eq!(range("u64"), (0, u64::MAX.into()));
        assert_eq!(range("i64"), (i64::MIN.into(), i64::MAX.into()));
        assert_eq!(range("i8"), (-128, 127));
        assert_eq!(range("short"), (i16::MIN.into(), i16::MAX.into()));
    }

    #[test]
    fn times_fit_times_and_wide_integers_only() {
        let ty = |name| Type::from_name(name).unwrap();
        assert!(ty("u64").fits(ty("timestamp")) && ty("long").fits(ty("timestamp")));
        assert!(!ty("u32").fits(ty("timestamp")) && !ty("timestamp").fits(ty("u64")));
        assert!(ty("escaped").fits(ty("text")) && !ty("text").fits(ty("u64")));
    }
}

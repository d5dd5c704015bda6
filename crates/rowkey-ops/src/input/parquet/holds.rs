//! What a column of a Parquet file holds, and the fields that can have it.

use std::fmt;

use ::parquet::basic::{ConvertedType, LogicalType, Repetition, TimeUnit, Type as Physical};
use ::parquet::schema::types::Type as Schema;
use rowkey_core::types::{Kind, OctetsType};

/// What the values of a column are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Holds {
    Bool,
    Signed,
    Unsigned,
    Float,
    /// Decimal numbers with so many digits behind the point.
    Decimal(u32),
    Text,
    Bytes,
    Uuid,
    /// Days.
    Date,
    Time(Unit),
    /// Nulls only, so that its writer could not tell.
    Nothing,
    /// A list, a map or a group.
    Nested,
    /// What no field can have.
    Other(String),
}

/// The unit of a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Milliseconds,
    Microseconds,
    Nanoseconds,
}

impl Unit {
    pub(super) fn in_a_millisecond(self) -> i64 {
        match self {
            Self::Milliseconds => 1,
            Self::Microseconds => 1_000,
            Self::Nanoseconds => 1_000_000,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Milliseconds => "milliseconds",
            Self::Microseconds => "microseconds",
            Self::Nanoseconds => "nanoseconds",
        }
    }

    fn of(unit: &TimeUnit) -> Self {
        match unit {
            TimeUnit::MILLIS => Self::Milliseconds,
            TimeUnit::MICROS => Self::Microseconds,
            TimeUnit::NANOS => Self::Nanoseconds,
        }
    }
}

impl Holds {
    /// What a column of this type holds.
    pub(super) fn of(column: &Schema) -> Self {
        let info = column.get_basic_info();
        let Schema::PrimitiveType { physical_type, scale, type_length, .. } = column else {
            return Self::Nested;
        };
        if info.has_repetition() && info.repetition() == Repetition::REPEATED {
            return Self::Nested;
        }
        if let Some(logical) = info.logical_type_ref() {
            return Self::of_logical(logical);
        }
        // Files of older writers; newer ones say both.
        match info.converted_type() {
            ConvertedType::NONE => Self::of_physical(*physical_type, *type_length),
            ConvertedType::UTF8 | ConvertedType::ENUM | ConvertedType::JSON => Self::Text,
            ConvertedType::INT_8 | ConvertedType::INT_16 | ConvertedType::INT_32 | ConvertedType::INT_64 => {
                Self::Signed
            }
            ConvertedType::UINT_8
            | ConvertedType::UINT_16
            | ConvertedType::UINT_32
            | ConvertedType::UINT_64 => Self::Unsigned,
            ConvertedType::DECIMAL => Self::Decimal(u32::try_from(*scale).unwrap_or(0)),
            ConvertedType::DATE => Self::Date,
            ConvertedType::TIMESTAMP_MILLIS => Self::Time(Unit::Milliseconds),
            ConvertedType::TIMESTAMP_MICROS => Self::Time(Unit::Microseconds),
            other => Self::Other(format!("values of the type {other}")),
        }
    }

    fn of_logical(logical: &LogicalType) -> Self {
        match logical {
            LogicalType::String | LogicalType::Enum | LogicalType::Json => Self::Text,
            LogicalType::Integer(int) if int.is_signed => Self::Signed,
            LogicalType::Integer(_) => Self::Unsigned,
            LogicalType::Decimal(decimal) => Self::Decimal(u32::try_from(decimal.scale).unwrap_or(0)),
            LogicalType::Date => Self::Date,
            LogicalType::Timestamp(timestamp) => Self::Time(Unit::of(&timestamp.unit)),
            LogicalType::Uuid => Self::Uuid,
            LogicalType::Bson => Self::Bytes,
            LogicalType::Unknown => Self::Nothing,
            LogicalType::Map | LogicalType::List => Self::Nested,
            LogicalType::Time(_) => Self::Other("times of day".to_owned()),
            LogicalType::Float16 => Self::Other("floating-point numbers of 16 bits".to_owned()),
            other => Self::Other(format!("values of the type {other:?}")),
        }
    }

    fn of_physical(physical: Physical, length: i32) -> Self {
        match physical {
            Physical::BOOLEAN => Self::Bool,
            Physical::INT32 | Physical::INT64 => Self::Signed,
            // Times of Hive, Impala and older Sparks.
            Physical::INT96 => Self::Time(Unit::Nanoseconds),
            Physical::FLOAT | Physical::DOUBLE => Self::Float,
            Physical::FIXED_LEN_BYTE_ARRAY if length == 16 => Self::Uuid,
            Physical::BYTE_ARRAY | Physical::FIXED_LEN_BYTE_ARRAY => Self::Bytes,
        }
    }

    /// What to do when a field of this kind cannot have it; `None` if it can.
    pub(super) fn misfit(&self, kind: Kind) -> Option<&'static str> {
        match (self, kind) {
            (Self::Nested, _) => Some("write what is inside to columns of their own"),
            (Self::Other(_), _) => Some("cast the column to text, a number or a timestamp"),
            // As everywhere, a text is read by the field's type.
            (Self::Text | Self::Nothing, _) => None,
            (Self::Bool, Kind::Bool) => None,
            (Self::Signed | Self::Unsigned, Kind::Integer | Kind::Numeric | Kind::Float | Kind::Time) => None,
            (Self::Float, Kind::Float) => None,
            (Self::Decimal(_), Kind::Integer | Kind::Numeric) => None,
            (Self::Date | Self::Time(_), Kind::Time) => None,
            (Self::Bytes, Kind::Bytes | Kind::Text) => None,
            (Self::Uuid, Kind::Octets(OctetsType::Uuid) | Kind::Bytes | Kind::Text) => None,
            (Self::Date | Self::Time(_), Kind::Integer) => {
                Some("declare the field as timestamp, or cast the column to a number")
            }
            (_, Kind::Text) => Some("cast the column to text"),
            _ => Some("cast the column, or give the field a type that takes it"),
        }
    }
}

impl fmt::Display for Holds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool => f.write_str("true and false"),
            Self::Signed => f.write_str("whole numbers"),
            Self::Unsigned => f.write_str("unsigned whole numbers"),
            Self::Float => f.write_str("floating-point numbers"),
            Self::Decimal(places) => write!(f, "decimal numbers with {places} places"),
            Self::Text => f.write_str("text"),
            Self::Bytes => f.write_str("bytes"),
            Self::Uuid => f.write_str("sixteen bytes or UUIDs"),
            Self::Date => f.write_str("dates"),
            Self::Time(unit) => write!(f, "times in {}", unit.name()),
            Self::Nothing => f.write_str("nulls only"),
            Self::Nested => f.write_str("a list, a map or a group"),
            Self::Other(what) => f.write_str(what),
        }
    }
}

//! The fields of a record in Go.

use rowkey_core::lowered::{Back, Codec, LoweredStep, OnNull};
use rowkey_core::ordered::OrderedType;
use rowkey_core::types::{IntForm, Kind, OctetsType};
use rowkey_core::{FieldId, Type};

use super::naming;
use crate::Design;

/// A field of `Record`.
#[derive(Debug, Clone)]
pub(super) struct GoField {
    /// In the table file.
    pub(super) source: String,
    /// In Go.
    pub(super) name: String,
    pub(super) ty: GoType,
    /// As declared.
    pub(super) declared: Type,
    /// Whether it can be null.
    pub(super) nullable: bool,
}

/// What a value is in Go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GoType {
    /// `int8` to `uint64`: bits and whether it is unsigned.
    Int(usize, bool),
    Big,
    F32,
    F64,
    Decimal,
    Text,
    Bytes,
    Uuid,
    /// An address: an array of so many bytes.
    Array(usize),
    Bool,
}

impl GoType {
    pub(super) fn of(ty: Type) -> Self {
        match ty {
            Type::Int(int) => Self::Int(int.bytes * 8, int.form == IntForm::Unsigned),
            Type::Timestamp | Type::TimestampS => Self::Int(64, false),
            Type::Decimal(digits) if digits <= 18 => Self::Int(64, false),
            Type::Decimal(_) => Self::Big,
            Type::F32 => Self::F32,
            Type::F64 => Self::F64,
            Type::Text | Type::Escaped | Type::Fixed(_) => Self::Text,
            Type::Bytes => Self::Bytes,
            Type::Octets(OctetsType::Uuid) => Self::Uuid,
            Type::Octets(own) => Self::Array(own.width()),
            Type::Bool => Self::Bool,
            Type::Ordered(own) => match own {
                OrderedType::I8 => Self::Int(8, false),
                OrderedType::I16 => Self::Int(16, false),
                OrderedType::I32 => Self::Int(32, false),
                OrderedType::I64 => Self::Int(64, false),
                OrderedType::F32 => Self::F32,
                OrderedType::F64 => Self::F64,
                OrderedType::Numeric => Self::Decimal,
                OrderedType::Text => Self::Text,
                OrderedType::Bytes => Self::Bytes,
            },
        }
    }

    pub(super) fn name(self) -> String {
        match self {
            Self::Int(bits, true) => format!("uint{bits}"),
            Self::Int(bits, false) => format!("int{bits}"),
            Self::Big => "*big.Int".to_owned(),
            Self::F32 => "float32".to_owned(),
            Self::F64 => "float64".to_owned(),
            Self::Decimal => "Decimal".to_owned(),
            Self::Text => "string".to_owned(),
            Self::Bytes => "[]byte".to_owned(),
            Self::Uuid => "UUID".to_owned(),
            Self::Array(bytes) => format!("[{bytes}]byte"),
            Self::Bool => "bool".to_owned(),
        }
    }

    /// Whether `nil` is a value of the type itself.
    pub(super) fn has_nil(self) -> bool {
        matches!(self, Self::Big | Self::Bytes)
    }

    /// What the type holds, of whole numbers.
    pub(super) fn range(self) -> Option<(i128, i128)> {
        match self {
            Self::Int(bits, true) => Some((0, (1 << bits) - 1)),
            Self::Int(bits, false) => Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1)),
            _ => None,
        }
    }
}

impl GoField {
    /// The type in `Record`.
    pub(super) fn type_name(&self) -> String {
        if self.is_pointer() { format!("*{}", self.ty.name()) } else { self.ty.name() }
    }

    /// Whether it is a pointer to its value.
    pub(super) fn is_pointer(&self) -> bool {
        self.nullable && !self.ty.has_nil()
    }

    /// Whether it may be nil, which is null: a wide number always may.
    pub(super) fn may_be_nil(&self) -> bool {
        self.nullable || self.ty == GoType::Big
    }

    /// What is said of it.
    pub(super) fn comment(&self) -> String {
        let what = match (self.declared.kind(), self.ty) {
            (Kind::Time, _) => "milliseconds since 1970-01-01T00:00:00Z",
            (Kind::Octets(OctetsType::Ipv4 | OctetsType::Ipv6), _) => {
                "an address; see net/netip for its text"
            }
            (Kind::Integer, GoType::Big) => "a whole number",
            _ => "",
        };
        let null = if self.nullable { "nil is null" } else { "" };
        let said = [what, null].into_iter().filter(|said| !said.is_empty()).collect::<Vec<_>>().join("; ");
        let tail = if said.is_empty() { String::new() } else { format!(": {said}") };
        format!("{} is the field `{}`, {}{tail}.", self.name, self.source, self.declared)
    }
}

/// The fields of a table's records.
pub(super) fn fields(design: &Design, taken: &[String]) -> Vec<GoField> {
    let names = naming::fields(design.fields().iter().map(|field| field.name.as_str()), taken);
    let codecs: Vec<&Codec> =
        [&design.codec].into_iter().chain(design.indexes.iter().map(|index| &index.codec)).collect();
    let fields = design.fields().iter().zip(names).enumerate();
    let field = |(place, (field, name)): (usize, (&rowkey_core::lowered::CodecField, String))| GoField {
        source: field.name.clone(),
        name,
        ty: GoType::of(field.ty),
        declared: field.ty,
        nullable: field.nullable || codecs.iter().any(|codec| comes_back_null(codec, FieldId(place))),
    };
    fields.map(field).collect()
}

/// Whether decoding can give null for a field.
fn comes_back_null(codec: &Codec, field: FieldId) -> bool {
    codec.steps.iter().any(|step| match step {
        LoweredStep::Value(value) => {
            let is_own =
                matches!(&value.back, Back::Field(id) | Back::Undo { field: id, .. } if *id == field);
            is_own && !matches!(value.on_null, OnNull::Refused(_))
        }
        LoweredStep::Literal(_) => false,
    })
}

//! Forms are the types that the core's codec knows, ascending; their bytes are its business.

use rowkey_core::Type;
use rowkey_core::lowered::Form;
use rowkey_core::ordered::OrderedType;

/// The type of a form.
pub(crate) fn type_of(form: Form) -> Type {
    match form {
        Form::Integer { bytes, sign, .. } => Type::int(bytes, sign),
        Form::Seconds => Type::TimestampS,
        Form::Digits(digits) => Type::Decimal(u16::try_from(digits).expect("at most 38")),
        Form::Float(4) => Type::F32,
        Form::Float(_) => Type::F64,
        Form::Bool => Type::Bool,
        Form::Octets(own) => Type::Octets(own),
        Form::Plain { is_text: true } => Type::Text,
        Form::Plain { is_text: false } => Type::Bytes,
        Form::Fixed { bytes, .. } => Type::Fixed(u16::try_from(bytes).expect("a short text")),
        Form::Escaped => Type::Escaped,
        Form::OrderedInteger { bytes: 1, .. } => Type::Ordered(OrderedType::I8),
        Form::OrderedInteger { bytes: 2, .. } => Type::Ordered(OrderedType::I16),
        Form::OrderedInteger { bytes: 4, .. } => Type::Ordered(OrderedType::I32),
        Form::OrderedInteger { .. } => Type::Ordered(OrderedType::I64),
        Form::OrderedFloat(4) => Type::Ordered(OrderedType::F32),
        Form::OrderedFloat(_) => Type::Ordered(OrderedType::F64),
        Form::OrderedNumeric { .. } => Type::Ordered(OrderedType::Numeric),
        Form::OrderedText => Type::Ordered(OrderedType::Text),
        Form::OrderedBytes => Type::Ordered(OrderedType::Bytes),
    }
}

//! The one word of each refusal.

use crate::codec::{BytesError, ValueError};
use crate::key::{DecodeError, EncodeError, PartError};
use crate::ordered::{OrderedError, OrderedValueError};

impl EncodeError {
    /// The word that programs in every language have for it ([`crate::lowered`]).
    pub fn word(&self) -> &'static str {
        match self {
            Self::Value { problem, .. } => of_value(problem),
            Self::Part { problem, .. } => of_part(problem),
            Self::DelimiterInText { .. } => "delimiter_inside",
            Self::EmptyKey => "empty_key",
            Self::TooLong { .. } => "key_too_long",
            Self::BatchFull => "batch_full",
        }
    }

    /// The field or part that is refused: `ts` or `[date(ts)]`.
    pub fn place(&self) -> Option<&str> {
        match self {
            Self::Value { field, .. } => Some(field),
            Self::Part { part, .. } | Self::DelimiterInText { part, .. } => Some(part),
            Self::EmptyKey | Self::TooLong { .. } | Self::BatchFull => None,
        }
    }
}

impl DecodeError {
    /// The word that programs in every language have for it ([`crate::lowered`]).
    pub fn word(&self) -> &'static str {
        match self {
            Self::EmptyKey => "empty_key",
            Self::Value { problem, .. } => of_bytes(problem),
            Self::Literal { .. } => "no_literal",
            Self::Derived { .. } => "wrong_part",
            Self::Impossible { .. } => "impossible",
            Self::TooShort { .. } => "too_short",
            Self::TooLong { .. } => "trailing_bytes",
            Self::TwoValues { .. } => "two_values",
        }
    }

    /// The field or part that is refused.
    pub fn place(&self) -> Option<&str> {
        match self {
            Self::TwoValues { field, .. } => Some(field),
            Self::Value { part, .. }
            | Self::Derived { part, .. }
            | Self::Impossible { part, .. }
            | Self::TooShort { part, .. } => Some(part),
            Self::EmptyKey | Self::Literal { .. } | Self::TooLong { .. } => None,
        }
    }
}

fn of_value(problem: &ValueError) -> &'static str {
    match problem {
        ValueError::Null => "null",
        ValueError::WrongKind { .. } => "wrong_kind",
        ValueError::OutOfRange { .. } => "out_of_range",
        ValueError::Width { .. } => "wrong_length",
        ValueError::NotANumber | ValueError::Ordered(OrderedValueError::NotANumber { .. }) => "not_a_number",
        ValueError::NotExact { .. } => "not_exact",
        ValueError::NotWholeSeconds { .. } => "not_whole_seconds",
        ValueError::Ordered(OrderedValueError::NegativeZero { .. }) => "negative_zero",
        ValueError::Ordered(OrderedValueError::ZeroInText { .. }) => "zero_byte",
    }
}

fn of_part(problem: &PartError) -> &'static str {
    match problem {
        PartError::Value(problem) => of_value(problem),
        PartError::ReverseRange { .. } => "reverse_range",
        PartError::Overflow => "overflow",
        PartError::UnknownCode { .. } => "not_in_code",
        PartError::TooShort { .. } => "too_few_characters",
        PartError::TooLongToPad { .. } => "too_long_to_pad",
        PartError::PadInText { .. } => "pad_in_text",
        PartError::DateRange { .. } => "date_range",
        PartError::NoGenerator => "no_generator",
    }
}

fn of_bytes(problem: &BytesError) -> &'static str {
    match problem {
        BytesError::TooShort { .. } | BytesError::Ordered(OrderedError::TooShort { .. }) => "too_short",
        BytesError::NoTerminator | BytesError::Ordered(OrderedError::NoEnd { .. }) => "no_end",
        BytesError::BadEscape { .. } => "bad_escape",
        BytesError::NotUtf8 { .. } | BytesError::Ordered(OrderedError::NotUtf8 { .. }) => "not_utf8",
        BytesError::NotABool { .. } => "not_a_bool",
        BytesError::NotADigit { .. } => "not_a_digit",
        BytesError::OddFloat
        | BytesError::Ordered(OrderedError::NotANumber { .. } | OrderedError::NegativeZero { .. }) => {
            "odd_float"
        }
        BytesError::NotANullMark { .. } => "not_a_null_mark",
        BytesError::Ordered(OrderedError::WrongHeader { .. }) => "wrong_header",
        BytesError::Ordered(OrderedError::NotCanonical { .. }) => "not_canonical",
        BytesError::Ordered(OrderedError::Decimal(_)) => "out_of_range",
    }
}

//! Values of records that are drawn from a seed.

use rowkey_core::key::{Draw, Draws, Field, Fields};
use rowkey_core::{Type, Value};

/// The time of the first record: 2025-01-01.
pub(crate) const START: i64 = 1_735_689_600_000;

/// Fields by name and type, none of them nullable.
pub(crate) fn fields(declared: &[(&str, &str)]) -> Fields {
    let field = |(name, ty): &(&str, &str)| Field {
        name: (*name).to_owned(),
        ty: Type::from_name(ty).expect("a type"),
        nullable: false,
    };
    Fields::new(declared.iter().map(field).collect())
}

/// A number below `limit` of which small ones are much more frequent than large ones.
pub(crate) fn zipf(draws: &mut Draws, limit: u32) -> u32 {
    let a = draws.draw(limit.max(1));
    draws.draw(a + 1)
}

pub(crate) fn text(value: impl Into<String>) -> Value<'static> {
    Value::Text(value.into().into())
}

pub(crate) fn int(value: impl Into<i128>) -> Value<'static> {
    Value::Int(value.into())
}

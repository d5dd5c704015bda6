//! Values as the kit writes them: always JSON strings, or null, so that no language loses digits.
//!
//! | kind | text |
//! | --- | --- |
//! | whole numbers | decimal digits with an optional minus |
//! | times | milliseconds since 1970, in decimal |
//! | floating-point numbers | decimal, shortest that reads back; `NaN`, `inf`, `-inf` |
//! | exact decimals | decimal without exponent |
//! | text | itself |
//! | bytes, UUIDs, addresses | hex |
//! | bool | `true`, `false` |

use rowkey_core::escape::{from_hex, to_hex};
use rowkey_core::types::{Kind, Octets};
use rowkey_core::{Type, Value};
use serde_json::Value as Json;

/// A value as JSON.
pub fn json(value: &Value<'_>) -> Json {
    let text = match value {
        Value::Null => return Json::Null,
        Value::Int(number) => number.to_string(),
        Value::Time(millis) => millis.to_string(),
        Value::Bytes(bytes) => to_hex(bytes),
        Value::Octets(octets) => to_hex(octets.as_bytes()),
        Value::Text(text) => text.to_string(),
        Value::Float(_) | Value::Float32(_) | Value::Numeric(_) | Value::Bool(_) => value.to_string(),
    };
    Json::String(text)
}

/// The value of a type that JSON stands for; `None` if it stands for none.
pub fn value(json: &Json, ty: Type) -> Option<Value<'static>> {
    let text = match json {
        Json::Null => return Some(Value::Null),
        Json::String(text) => text.as_str(),
        _ => return None,
    };
    Some(match ty.kind() {
        Kind::Integer => Value::Int(text.parse().ok()?),
        Kind::Time => Value::Time(text.parse().ok()?),
        Kind::Float if ty.is_single() => Value::Float32(text.parse().ok()?),
        Kind::Float => Value::Float(text.parse().ok()?),
        Kind::Numeric => Value::Numeric(text.parse().ok()?),
        Kind::Text => Value::Text(text.to_owned().into()),
        Kind::Bytes => Value::Bytes(from_hex(text)?.into()),
        Kind::Octets(own) => Value::Octets(Octets::new(own, &from_hex(text)?)?),
        Kind::Bool => Value::Bool(text.parse().ok()?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::Values;

    #[test]
    fn every_value_comes_back() {
        let mut values = Values::new(7);
        for ty in Type::all() {
            for _ in 0..200 {
                let drawn = values.value(ty);
                assert_eq!(value(&json(&drawn), ty), Some(drawn), "{ty}");
            }
        }
    }
}

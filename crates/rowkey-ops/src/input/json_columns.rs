//! From lines of JSON straight to columns.
//!
//! What [`super::json_lines`] does record by record makes a tree of every object. Here each value goes into its column as the
//! parser meets it. Objects of one file mostly name their fields in one order, so the next name is compared with the one that came
//! next the last time.
//!
//! Anything that is not as it should be (a name that is unknown or comes twice, a value that does not fit, a field that is
//! missing) ends it with `None`; then the lines are read one by one, and what is wrong is told there. `tests/batches.rs`
//! holds both to the same records and errors.

use std::fmt;

use rowkey_core::batch::ColumnBuffer;
use rowkey_core::types::Kind;
use rowkey_core::{FieldId, Value};
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};

use super::fields::FieldColumn;
use super::json_lines::{Member, Members};
use super::json_value::JsonValue;
use super::left_out::LeftOut;

/// Adds the records of whole lines to columns, one for each field; `None` if there is anything wrong with one.
pub(super) fn fill(
    lines: &[u8],
    members: &Members,
    columns: &mut [ColumnBuffer],
    left_out: &mut LeftOut,
) -> Option<()> {
    let lines = std::str::from_utf8(lines).ok()?;
    let fields = members.columns.iter().map(|field| Known { field, kind: field.ty.kind(), seen: 0 });
    let mut record = Record { members, fields: fields.collect(), next: Vec::new(), number: 0 };
    for line in lines.split('\n').filter(|line| !line.trim_ascii().is_empty()) {
        record.number += 1;
        let mut parser = serde_json::Deserializer::from_str(line);
        Object { record: &mut record, columns }.deserialize(&mut parser).ok()?;
        parser.end().ok()?;
        for (at, (field, column)) in record.fields.iter().zip(columns.iter_mut()).enumerate() {
            if field.field.wanted && field.seen != record.number {
                column.push(&Value::Null).ok().filter(|()| field.field.nullable)?;
                left_out.add(record.number - 1, FieldId(at));
            }
        }
    }
    Some(())
}

struct Known<'f> {
    field: &'f FieldColumn,
    kind: Kind,
    /// The number of the last record that has it.
    seen: usize,
}

struct Record<'f> {
    members: &'f Members,
    fields: Vec<Known<'f>>,
    /// The name and field at each place of the record before; no field for a member that is left out.
    next: Vec<(String, Option<usize>)>,
    /// Records from 1 on.
    number: usize,
}

impl Record<'_> {
    /// The field of a name that is the `place`th of its record, if it has one; `None` if it is unknown.
    fn find(&mut self, place: usize, name: &str) -> Option<Option<usize>> {
        if let Some((known, field)) = self.next.get(place)
            && known == name
        {
            return Some(*field);
        }
        let field = match self.members.find(name) {
            Member::Field(FieldId(at)) => Some(at),
            Member::Ignored => None,
            Member::Unknown => return None,
        };
        self.next.truncate(place);
        // Only where the places before are known, too.
        if self.next.len() == place {
            self.next.push((name.to_owned(), field));
        }
        Some(field)
    }
}

/// An object whose values go into columns.
struct Object<'r, 'f, 'c> {
    record: &'r mut Record<'f>,
    columns: &'c mut [ColumnBuffer],
}

impl<'de> DeserializeSeed<'de> for Object<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Object<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object of the fields")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        let mut place = 0;
        while let Some(field) = object.next_key_seed(Name { record: self.record, place })? {
            place += 1;
            let Some(field) = field else {
                object.next_value::<IgnoredAny>()?;
                continue;
            };
            let number = self.record.number;
            let found = self.record.fields.get_mut(field).zip(self.columns.get_mut(FieldId(field).0));
            let Some((known, column)) = found.filter(|(known, _)| known.seen != number) else {
                return Err(Error::custom("a field that comes twice"));
            };
            known.seen = number;
            if known.field.wanted {
                object.next_value_seed(Cell { known, column })?;
            } else {
                object.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

/// The name of a field.
struct Name<'r, 'f> {
    record: &'r mut Record<'f>,
    place: usize,
}

impl<'de> DeserializeSeed<'de> for Name<'_, '_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<usize>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_, '_> {
    type Value = Option<usize>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the name of a field")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Option<usize>, E> {
        self.record.find(self.place, name).ok_or_else(|| E::custom("no field"))
    }
}

/// A value that goes into the column of its field.
struct Cell<'k, 'f, 'c> {
    known: &'k Known<'f>,
    column: &'c mut ColumnBuffer,
}

impl<'de> DeserializeSeed<'de> for Cell<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let Self { known, column } = self;
        let added = match JsonValue::deserialize(deserializer)? {
            JsonValue::Null => column.push(&Value::Null).ok().filter(|()| known.field.nullable),
            JsonValue::Bool(value) => {
                let fits = known.kind == Kind::Bool;
                column.push(&Value::Bool(value)).ok().filter(|()| fits)
            }
            JsonValue::Text(text) => known.field.add_text(&text, column),
            JsonValue::Number(text) if known.kind.takes_numbers() => known.field.add_text(text, column),
            JsonValue::Number(_) | JsonValue::Array | JsonValue::Object => None,
        };
        added.ok_or_else(|| D::Error::custom("a value that does not fit its field"))
    }
}

//! From lines of JSON straight to columns.
//!
//! What [`super::json_lines`] does record by record makes a tree of every object. Here each value goes into its column as the
//! parser meets it. Objects of one file mostly name their fields in one order, so the next name is compared with the one that came
//! next the last time.
//!
//! Anything that is not as it should be (a name nobody knows or that comes twice, a value that does not fit, a field that is
//! missing) ends it with `None`; then the lines are read one by one, and what is wrong is told there. `tests/batches.rs`
//! holds both to the same records and errors.

use std::fmt;

use rowkey::batch::ColumnBuffer;
use rowkey::key::Fields;
use rowkey::types::Kind;
use rowkey::{FieldId, Value};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};

use super::fields::Wanted;
use super::left_out::LeftOut;

/// Adds the records of whole lines to columns, one for each field; `None` if there is anything wrong with one.
pub(super) fn fill(
    lines: &[u8],
    (fields, wanted): (&Fields, &Wanted),
    columns: &mut [ColumnBuffer],
    left_out: &mut LeftOut,
) -> Option<()> {
    let lines = std::str::from_utf8(lines).ok()?;
    let fields = fields.iter().map(|(id, field)| Known {
        name: field.name.as_str(),
        kind: field.ty.kind(),
        nullable: field.nullable,
        wanted: wanted.has(id),
        seen: 0,
    });
    let mut record = Record { fields: fields.collect(), next: Vec::new(), number: 0 };
    for line in lines.split('\n').filter(|line| !line.trim_ascii().is_empty()) {
        record.number += 1;
        let mut parser = serde_json::Deserializer::from_str(line);
        Object { record: &mut record, columns }.deserialize(&mut parser).ok()?;
        parser.end().ok()?;
        for (at, (field, column)) in record.fields.iter().zip(columns.iter_mut()).enumerate() {
            if field.wanted && field.seen != record.number {
                column.push(&Value::Null).ok().filter(|()| field.nullable)?;
                left_out.add(record.number - 1, FieldId(at));
            }
        }
    }
    Some(())
}

struct Known<'f> {
    name: &'f str,
    kind: Kind,
    nullable: bool,
    wanted: bool,
    /// The number of the last record that has it.
    seen: usize,
}

struct Record<'f> {
    fields: Vec<Known<'f>>,
    /// The field at each place of the record before.
    next: Vec<usize>,
    /// Records from 1 on.
    number: usize,
}

impl Record<'_> {
    /// The field of a name that is the `place`th of its record.
    fn find(&mut self, place: usize, name: &str) -> Option<usize> {
        if let Some(field) = self.next.get(place).copied()
            && self.fields.get(field).is_some_and(|field| field.name == name)
        {
            return Some(field);
        }
        let field = self.fields.iter().position(|field| field.name == name)?;
        self.next.truncate(place);
        // Only where the places before are known, too.
        if self.next.len() == place {
            self.next.push(field);
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
            let number = self.record.number;
            let found = self.record.fields.get_mut(field).zip(self.columns.get_mut(FieldId(field).0));
            let Some((known, column)) = found.filter(|(known, _)| known.seen != number) else {
                return Err(Error::custom("a field that comes twice"));
            };
            known.seen = number;
            if known.wanted {
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
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_, '_> {
    type Value = usize;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the name of a field")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<usize, E> {
        self.record.find(self.place, name).ok_or_else(|| E::custom("no field"))
    }
}

/// A value that goes into the column of its field.
struct Cell<'k, 'f, 'c> {
    known: &'k Known<'f>,
    column: &'c mut ColumnBuffer,
}

impl Cell<'_, '_, '_> {
    fn added<E: Error>(added: Option<()>) -> Result<(), E> {
        added.ok_or_else(|| E::custom("a value that does not fit its field"))
    }
}

impl<'de> DeserializeSeed<'de> for Cell<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Visitor<'_> for Cell<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value of the field")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Self::added(self.column.push(&Value::Null).ok().filter(|()| self.known.nullable))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        let fits = self.known.kind == Kind::Bool;
        Self::added(self.column.push(&Value::Bool(value)).ok().filter(|()| fits))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        Self::added(self.column.push_read(text))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<(), E> {
        let fits = self.known.kind == Kind::Float;
        Self::added(self.column.push(&Value::Float(number)).ok().filter(|()| fits))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<(), E> {
        Self::added(match self.known.kind {
            Kind::Integer | Kind::Time => self.column.extend_i64(&[number]).ok(),
            Kind::Float => self.column.push(&Value::Float(number as f64)).ok(),
            Kind::Numeric => self.column.push_read(&number.to_string()),
            _ => None,
        })
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<(), E> {
        Self::added(match self.known.kind {
            Kind::Integer | Kind::Time => self.column.extend_u64(&[number]).ok(),
            Kind::Float => self.column.push(&Value::Float(number as f64)).ok(),
            Kind::Numeric => self.column.push_read(&number.to_string()),
            _ => None,
        })
    }
}

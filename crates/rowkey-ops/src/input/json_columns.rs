//! From lines of JSON straight to columns.
//!
//! What [`super::json_lines`] does record by record makes a list of every object's members. Here each value goes into its column as
//! the parser meets it. Objects of one file mostly name their fields in one order, so the next name is compared with the one that came
//! next the last time.
//!
//! Anything that is not as it should be (a name that is unknown or comes twice, a value that does not fit, a field that is
//! missing) ends it with `None`; then the lines are read one by one, and what is wrong is told there. `tests/batches.rs`
//! holds both to the same records and errors.

use rowkey_core::batch::ColumnBuffer;
use rowkey_core::{FieldId, Value};

use super::fields::FieldColumn;
use super::json_lines::{Member, Members, value};
use super::json_value::{JsonValue, Seen, each_member};
use super::left_out::LeftOut;

/// Adds the records of whole lines to columns, one for each field; `None` if there is anything wrong with one.
pub(super) fn fill(
    lines: &[u8],
    members: &Members,
    columns: &mut [ColumnBuffer],
    left_out: &mut LeftOut,
) -> Option<()> {
    let lines = std::str::from_utf8(lines).ok()?;
    let fields = members.columns.iter().map(|field| Known { field, seen: 0 });
    let mut record = Record { members, fields: fields.collect(), next: Vec::new(), number: 0 };
    for line in lines.split('\n').filter(|line| !line.trim_ascii().is_empty()) {
        record.number += 1;
        let mut places = 0..;
        // The error is worded by the reader that takes the lines one by one.
        let mut add = |name: &str, value: &Seen<'_>| record.add(places.next()?, name, value, columns);
        each_member(line, |name, value| add(&name, &value).ok_or_else(String::new)).ok()?;
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
    /// Adds the value of a member, the `place`th of its record, to the column of its field.
    fn add(&mut self, place: usize, name: &str, json: &Seen<'_>, columns: &mut [ColumnBuffer]) -> Option<()> {
        let Some(at) = self.find(place, name)? else { return Some(()) };
        let (known, column) = self.fields.get_mut(at).zip(columns.get_mut(at))?;
        if known.seen == self.number {
            return None;
        }
        known.seen = self.number;
        let field = known.field;
        if !field.wanted {
            return Some(());
        }
        let read;
        let json = match json {
            Seen::Read(value) => value,
            Seen::Text(text) => {
                read = JsonValue::of(text).ok()?;
                &read
            }
        };
        match json {
            JsonValue::Text(text) => field.add_text(text, column),
            JsonValue::Number(text) if field.ty.kind().takes_numbers() => field.add_text(text, column),
            JsonValue::Null if !field.nullable => None,
            other => column.push(&value(other, field).ok()?).ok(),
        }
    }

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

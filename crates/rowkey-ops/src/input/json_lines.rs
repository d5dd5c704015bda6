//! Records from JSON Lines.

use std::io::{BufRead, BufReader};

use rowkey::batch::ColumnBuffer;
use rowkey::key::{Field, Fields};
use rowkey::span::nearest;
use rowkey::types::Kind;
use rowkey::value::read;
use rowkey::{FieldId, Value};
use serde_json::{Map, Value as Json};

use super::cut::{CutText, Cutter, bad_record};
use super::error::LineProblem;
use super::fields::Wanted;
use super::{BadLine, Format, LeftOut, Position, Source, Take, json_columns};

pub(super) struct JsonLinesInput {
    reader: BufReader<CutText>,
    line: Vec<u8>,
    fields: Fields,
    wanted: Wanted,
    after: Position,
}

impl JsonLinesInput {
    pub(super) fn open(source: Source, (fields, wanted): (&Fields, &Wanted)) -> Self {
        let after = Position { line: 1, ..Position::default() };
        let (fields, wanted) = (fields.clone(), wanted.clone());
        Self { reader: lines(source, after), line: Vec::new(), fields, wanted, after }
    }

    pub(super) fn resume(&mut self, source: Source, at: Position) {
        self.reader = lines(source, at);
        self.after = at;
    }

    /// Adds the records of whole lines to columns; `None` if there is anything wrong with one.
    pub(super) fn fill(
        &self,
        lines: &[u8],
        columns: &mut [ColumnBuffer],
        left_out: &mut LeftOut,
    ) -> Option<()> {
        json_columns::fill(lines, (&self.fields, &self.wanted), columns, left_out)
    }

    /// Where the reader is.
    pub(super) fn position(&self) -> Position {
        self.after
    }

    /// The line that was read last.
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(self.line.trim_ascii_end()).into_owned()
    }

    /// The position behind the next record, which `take` takes; `None` at the end. Blank lines are skipped.
    pub(super) fn next(&mut self, take: &mut Take<'_>) -> Result<Option<Position>, BadLine> {
        loop {
            let line = self.after.line;
            let syntax = |message: String| (line, vec![LineProblem::Syntax { message }]);
            self.line.clear();
            let length = self.reader.read_until(b'\n', &mut self.line).map_err(|error| {
                let (line, problem) = bad_record(&error, line);
                (line, vec![problem])
            })?;
            if length == 0 {
                return Ok(None);
            }
            let after = Position {
                byte: self.after.byte + u64::try_from(length).unwrap_or(0),
                line: line + 1,
                rows: 0,
            };
            self.after = after;
            if self.line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let object: Map<String, Json> = serde_json::from_slice(&self.line)
                .map_err(|error| syntax(format!("not a JSON object: {error}")))?;
            let values = record(&self.fields, &self.wanted, &object).map_err(|problems| (line, problems))?;
            let left_out = self.fields.iter().filter(|(_, field)| !object.contains_key(&field.name));
            let left_out: Vec<FieldId> = left_out.map(|(id, _)| id).collect();
            take(&values, &left_out).map_err(|problem| (line, vec![problem.into()]))?;
            return Ok(Some(after));
        }
    }
}

fn lines(source: Source, at: Position) -> BufReader<CutText> {
    BufReader::new(CutText::new(Cutter::at(source, Format::JsonLines, at)))
}

/// The values of an object; everything that is wrong with it at once.
fn record<'o>(
    fields: &Fields,
    wanted: &Wanted,
    object: &'o Map<String, Json>,
) -> Result<Vec<Value<'o>>, Vec<LineProblem>> {
    let mut values = vec![Value::Null; fields.len()];
    let mut problems = Vec::new();
    for (name, json) in object {
        match fields.id(name) {
            None => {
                let nearest = nearest(name, fields.names()).map(str::to_owned);
                problems.push(LineProblem::UnknownField { name: name.clone(), nearest });
            }
            Some(field) if !wanted.has(field) => {}
            Some(FieldId(at)) => match (value(json, fields.get(FieldId(at))), values.get_mut(at)) {
                (Ok(value), Some(slot)) => *slot = value,
                (Err(problem), _) => problems.push(problem),
                (Ok(_), None) => {}
            },
        }
    }
    for (id, field) in fields.iter().filter(|(id, _)| wanted.has(*id)) {
        let is_null = values.get(id.0).is_none_or(Value::is_null);
        let reported = object.get(&field.name).is_some_and(|json| !json.is_null());
        if is_null && !reported && !field.nullable {
            problems.push(LineProblem::MissingField { field: field.name.clone() });
        }
    }
    if problems.is_empty() { Ok(values) } else { Err(problems) }
}

fn value<'o>(json: &'o Json, field: &Field) -> Result<Value<'o>, LineProblem> {
    let wrong = |found| Err(LineProblem::JsonType { field: field.name.clone(), found, ty: field.ty });
    let cell = |text: &'o str| {
        read(text, field.ty).map_err(|problem| LineProblem::Cell { field: field.name.clone(), problem })
    };
    match (json, field.ty.kind()) {
        (Json::Null, _) => Ok(Value::Null),
        (Json::String(text), _) => cell(text),
        (Json::Bool(bool), Kind::Bool) => Ok(Value::Bool(*bool)),
        (Json::Bool(_), _) => wrong("true or false"),
        (Json::Number(number), Kind::Float) => Ok(Value::Float(number.as_f64().unwrap_or(f64::NAN))),
        (Json::Number(number), Kind::Integer | Kind::Time | Kind::Numeric) => {
            let text = number.to_string();
            let read = read(&text, field.ty).map(Value::into_owned);
            read.map_err(|problem| LineProblem::Cell { field: field.name.clone(), problem })
        }
        (Json::Number(_), _) => wrong("a number"),
        (Json::Array(_), _) => wrong("an array"),
        (Json::Object(_), _) => wrong("an object"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rowkey::KeySchema;

    fn read_all(lines: &str) -> Result<Vec<Vec<String>>, BadLine> {
        let key = KeySchema::parse("[n: u64][s: escaped?][f: f64][t: timestamp][b: bool]").expect("a key");
        let source = Source::stream(std::io::Cursor::new(lines.to_owned().into_bytes()));
        let mut input = JsonLinesInput::open(source, (key.fields(), &Wanted::ALL));
        let mut found = Vec::new();
        loop {
            let next = input.next(&mut |values, _| {
                found.push(values.iter().map(ToString::to_string).collect());
                Ok(())
            })?;
            if next.is_none() {
                return Ok(found);
            }
        }
    }

    #[test]
    fn objects_are_typed_by_the_fields() {
        let lines = "{\"n\":18446744073709551615,\"s\":\"a\",\"f\":1,\"t\":0,\"b\":true}\n\n\
                     {\"b\":\"0\",\"t\":\"2025-01-01\",\"f\":\"-0.5\",\"n\":\"7\",\"s\":null}";
        let found = read_all(lines).expect("two records");
        assert_eq!(found[0], ["18446744073709551615", "a", "1", "1970-01-01T00:00:00.000Z", "true"]);
        assert_eq!(found[1], ["7", "", "-0.5", "2025-01-01T00:00:00.000Z", "false"]);
    }

    #[test]
    fn everything_wrong_with_an_object_is_told() {
        let (line, problems) =
            read_all("\n{\"n\":-1,\"s\":7,\"f\":[],\"x\":1,\"b\":true}").expect_err("five mistakes");
        assert_eq!((line, problems.len()), (2, 5), "{problems:?}");
        let (line, problems) = read_all("{\"n\":1").expect_err("no object");
        assert_eq!(line, 1);
        assert!(problems[0].to_string().starts_with("not a JSON object"), "{problems:?}");
    }
}

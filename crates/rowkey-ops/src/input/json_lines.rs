//! Records from JSON Lines.

use std::io::{BufRead, BufReader};

use rowkey::batch::ColumnBuffer;
use rowkey::key::{Field, Fields};
use rowkey::span::nearest;
use rowkey::types::Kind;
use rowkey::value::read;
use rowkey::{FieldId, Value};

use super::cut::{CutText, Cutter, bad_record};
use super::error::LineProblem;
use super::fields::Wanted;
use super::json_value::{JsonObject, JsonValue};
use super::{BadLine, Format, LeftOut, Position, Source, Take, json_columns};

/// What some programs write before the first line, in UTF-8.
pub(super) const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

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
            let is_first = self.after.byte == 0;
            self.after = after;
            let text = self.line.strip_prefix(BYTE_ORDER_MARK).filter(|_| is_first).unwrap_or(&self.line);
            if text.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let object = JsonObject::read(text).map_err(syntax)?;
            let values = record(&self.fields, &self.wanted, &object).map_err(|problems| (line, problems))?;
            let names = object.names();
            let left_out = self.fields.iter().filter(|(_, field)| !names.contains(field.name.as_str()));
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
    object: &'o JsonObject<'o>,
) -> Result<Vec<Value<'o>>, Vec<LineProblem>> {
    let mut values = vec![Value::Null; fields.len()];
    let mut problems = Vec::new();
    if let Some(name) = object.twice() {
        problems.push(LineProblem::Twice { field: name.to_owned() });
    }
    let JsonObject(members) = object;
    for (name, json) in members {
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
        let has_value =
            |(name, json): &(String, JsonValue<'_>)| *name == field.name && *json != JsonValue::Null;
        let reported = members.iter().any(has_value);
        if is_null && !reported && !field.nullable {
            problems.push(LineProblem::MissingField { field: field.name.clone() });
        }
    }
    if problems.is_empty() { Ok(values) } else { Err(problems) }
}

fn value<'o>(json: &'o JsonValue<'o>, field: &Field) -> Result<Value<'o>, LineProblem> {
    let wrong = |found| Err(LineProblem::JsonType { field: field.name.clone(), found, ty: field.ty });
    let cell = |text: &'o str| {
        read(text, field.ty).map_err(|problem| LineProblem::Cell { field: field.name.clone(), problem })
    };
    match json {
        JsonValue::Null => Ok(Value::Null),
        JsonValue::Text(text) => cell(text),
        JsonValue::Bool(bool) if field.ty.kind() == Kind::Bool => Ok(Value::Bool(*bool)),
        JsonValue::Bool(_) => wrong("true or false"),
        JsonValue::Number(text) if takes_numbers(field.ty.kind()) => cell(text),
        JsonValue::Number(_) => wrong("a number"),
        JsonValue::Array => wrong("an array"),
        JsonValue::Object => wrong("an object"),
    }
}

/// Whether values of a kind may be written as numbers of JSON; their text is read as any other.
pub(super) fn takes_numbers(kind: Kind) -> bool {
    !matches!(kind, Kind::Text | Kind::Bytes | Kind::Uuid)
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
    fn a_byte_order_mark_is_taken_before_the_first_line_only() {
        let line = r#"{"n":1,"s":"a","f":1,"t":0,"b":true}"#;
        let found = read_all(&format!("\u{feff}{line}\n{line}\n")).expect("two records");
        assert_eq!(found.len(), 2);
        let (at, problems) = read_all(&format!("{line}\n\u{feff}{line}\n")).expect_err("a mark inside");
        assert_eq!((at, problems.len()), (2, 1), "{problems:?}");
        assert_eq!(read_all("\u{feff}\n").expect("nothing"), Vec::<Vec<String>>::new());
    }

    #[test]
    fn a_number_is_read_as_the_same_text_in_any_input() {
        let line = |f: &str| read_all(&format!(r#"{{"n":1,"s":"a","f":{f},"t":0,"b":1}}"#));
        assert_eq!(line("-1.4718583457250971e-07").expect("a record")[0][2], "-0.00000014718583457250971");
        let problem = |f: &str| line(f).expect_err("refused").1[0].to_string();
        assert!(
            problem("9007199254740993").contains("is not exact in f64"),
            "{}",
            problem("9007199254740993")
        );
        assert!(problem("1e999").contains("does not fit f64"), "{}", problem("1e999"));
        let twice = read_all(r#"{"n":1,"s":"a","f":1,"t":0,"b":true,"n":2}"#).expect_err("twice").1;
        assert_eq!(twice[0].to_string(), "field `n` comes twice in the object; leave one of them out");
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

//! Records from JSON Lines.

use std::io::{BufRead, BufReader};

use std::sync::Arc;

use rowkey_core::batch::ColumnBuffer;
use rowkey_core::internal::nearest;
use rowkey_core::key::Fields;
use rowkey_core::types::Kind;
use rowkey_core::{FieldId, Value};

use super::cut::{CutText, Cutter, bad_record};
use super::dialect::Dialect;
use super::error::{InputError, LineProblem};
use super::fields::{FieldColumn, Wanted};
use super::json_value::{JsonObject, JsonValue};
use super::names::field_name;
use super::{BadLine, Format, LeftOut, Position, RecordReader, Source, Take, json_columns};

/// What some programs write before the first line, in UTF-8.
pub(super) const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

pub(super) struct JsonLinesInput {
    reader: BufReader<CutText>,
    line: Vec<u8>,
    members: Members,
    after: Position,
}

/// Which field is a member of an object for?
pub(super) struct Members {
    fields: Fields,
    dialect: Arc<Dialect>,
    /// What is read of each field, and how.
    pub(super) columns: Vec<FieldColumn>,
}

/// What a member is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Member {
    Field(FieldId),
    /// It is left out.
    Ignored,
    Unknown,
}

impl Members {
    fn new(
        (fields, wanted): (&Fields, &Wanted),
        dialect: Arc<Dialect>,
        label: &str,
    ) -> Result<Self, InputError> {
        let times = dialect.times(fields, label)?;
        let columns = fields.iter().zip(times).map(|((field, declared), time)| FieldColumn {
            field,
            name: declared.name.clone(),
            ty: declared.ty,
            nullable: declared.nullable,
            wanted: wanted.has(field),
            nulls: Arc::default(),
            is_usual: wanted.has(field) && time.is_none(),
            time,
        });
        Ok(Self { columns: columns.collect(), fields: fields.clone(), dialect })
    }

    /// What a member of this name is for: the field that it was renamed to, that it names, or that it names but for blanks and signs.
    pub(super) fn find(&self, name: &str) -> Member {
        let renamed = self.dialect.renames.iter().any(|(old, _)| old == name);
        let field = self.fields.id(name).filter(|_| !renamed);
        let stated = if field.is_some() { name.to_owned() } else { field_name(name, &self.dialect) };
        let field = field.or_else(|| self.fields.id(&stated));
        match field {
            _ if self.dialect.ignores(name, &stated, field.is_some()) => Member::Ignored,
            Some(field) => Member::Field(field),
            None => Member::Unknown,
        }
    }
}

impl JsonLinesInput {
    pub(super) fn open(source: Source, fields: (&Fields, &Wanted), label: &str) -> Result<Self, InputError> {
        let after = Position { line: 1, ..Position::default() };
        let members = Members::new(fields, source.dialect.clone(), label)?;
        Ok(Self { reader: lines(source, after), line: Vec::new(), members, after })
    }
}

impl RecordReader for JsonLinesInput {
    fn resume(&mut self, source: Source, at: Position) {
        self.reader = lines(source, at);
        self.after = at;
    }

    fn fill(&self, lines: &[u8], columns: &mut [ColumnBuffer], left_out: &mut LeftOut) -> Option<()> {
        json_columns::fill(lines, &self.members, columns, left_out)
    }

    fn position(&self) -> Position {
        self.after
    }

    fn text(&self) -> Option<String> {
        Some(String::from_utf8_lossy(self.line.trim_ascii_end()).into_owned())
    }

    /// Every object says itself which it has.
    fn absent(&self) -> &[FieldId] {
        &[]
    }

    /// Blank lines are skipped.
    fn next(&mut self, take: &mut Take<'_>) -> Result<Option<Position>, BadLine> {
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
            let (values, left_out) = record(&self.members, &object).map_err(|problems| (line, problems))?;
            take(&values, &left_out).map_err(|problem| (line, vec![problem.into()]))?;
            return Ok(Some(after));
        }
    }
}

fn lines(source: Source, at: Position) -> BufReader<CutText> {
    BufReader::new(CutText::new(Cutter::at(source, Format::JsonLines, at)))
}

/// The values of an object, and the fields that it leaves out; everything that is wrong with it at once.
fn record<'o>(
    members: &Members,
    object: &'o JsonObject<'o>,
) -> Result<(Vec<Value<'o>>, Vec<FieldId>), Vec<LineProblem>> {
    let mut values = vec![Value::Null; members.columns.len()];
    // Whether each field is there, and whether it has a value.
    let mut seen = vec![(false, false); members.columns.len()];
    let mut problems = Vec::new();
    let twice = object.twice();
    problems.extend(twice.map(|name| LineProblem::Twice { field: name.to_owned() }));
    for (name, json) in &object.0 {
        let at = match members.find(name) {
            Member::Field(FieldId(at)) => at,
            Member::Ignored => continue,
            Member::Unknown => {
                let nearest = nearest(name, members.fields.names()).map(str::to_owned);
                problems.push(LineProblem::UnknownField { name: name.clone(), nearest });
                continue;
            }
        };
        let (Some(column), Some((there, has_value)), Some(slot)) =
            (members.columns.get(at), seen.get_mut(at), values.get_mut(at))
        else {
            continue;
        };
        if std::mem::replace(there, true) && twice.is_none() {
            problems.push(LineProblem::Twice { field: column.name.clone() });
        }
        *has_value |= *json != JsonValue::Null;
        if column.wanted {
            match value(json, column) {
                Ok(value) => *slot = value,
                Err(problem) => problems.push(problem),
            }
        }
    }
    let columns = || members.columns.iter().zip(&seen);
    let missing =
        columns().filter(|(column, (_, has_value))| column.wanted && !column.nullable && !has_value);
    problems.extend(missing.map(|(column, _)| LineProblem::MissingField { field: column.name.clone() }));
    let left_out = columns().filter(|(_, (there, _))| !there).map(|(column, _)| column.field).collect();
    if problems.is_empty() { Ok((values, left_out)) } else { Err(problems) }
}

/// The value of a member as the field's.
pub(super) fn value<'o>(json: &'o JsonValue<'o>, field: &FieldColumn) -> Result<Value<'o>, LineProblem> {
    let wrong = |found| Err(LineProblem::JsonType { field: field.name.clone(), found, ty: field.ty });
    match json {
        JsonValue::Null => Ok(Value::Null),
        JsonValue::Text(text) => field.read_text(text),
        JsonValue::Bool(bool) if field.ty.kind() == Kind::Bool => Ok(Value::Bool(*bool)),
        JsonValue::Bool(_) => wrong("true or false"),
        JsonValue::Number(text) if field.ty.kind().takes_numbers() => field.read_text(text),
        JsonValue::Number(_) => wrong("a number"),
        JsonValue::Array => wrong("an array"),
        JsonValue::Object => wrong("an object"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rowkey_core::KeySchema;

    fn read_all(lines: &str) -> Result<Vec<Vec<String>>, BadLine> {
        let key = KeySchema::parse("[n: u64][s: escaped?][f: f64][t: timestamp][b: bool]").expect("a key");
        let source = Source::stream(std::io::Cursor::new(lines.to_owned().into_bytes()));
        let mut input = JsonLinesInput::open(source, (key.fields(), &Wanted::ALL), "data").expect("fields");
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

//! Which fields does data have that nobody described?
//!
//! The beginning of the data is looked at and, where it is a file, some places all over it, so that a column that changes
//! later is mostly seen. Parquet declares its own types. Data from a pipe is read once: what was looked at is handed
//! back in front of the rest.
//!
//! Quirk: a guess is a guess. Values that were not looked at may not fit; whoever reads on counts those.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};

use csv::ReaderBuilder;
use rowkey::Type;
use rowkey::key::{Field, Fields};
use rowkey_ops::input::{
    DeclaredNulls, Format, InputError, JsonObject, JsonValue, LineProblem, Source, SourceBytes, parquet_fields,
};

use super::shape::{Shape, Sure, are_likely_times};

/// So much of the beginning is looked at: 10,000 records and more, unless they are very long.
const BEGINNING: u64 = 4 << 20;
/// Places in the rest of a file, and how much is looked at in each.
const PLACES: u64 = 15;
const PLACE: u64 = 64 << 10;

/// What data seems to be made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guess {
    /// Names and types, in the order of the data.
    pub fields: Fields,
    /// How each type was found.
    pub evidence: Vec<Evidence>,
    /// How many records were looked at; 0 for Parquet, which declares its types.
    pub looked_at: u64,
}

/// Why a field is thought to have its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// How sure it is.
    pub sure: Sure,
    /// Values looked at.
    pub values: u64,
    /// Nulls and empty cells among them.
    pub nulls: u64,
    /// Whether it can be read at all; not if it is a list or an object.
    pub readable: bool,
}

/// Data whose fields cannot be guessed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GuessError {
    /// Not even names.
    #[error("{data} is empty, so it has no fields; give data with {}", if *.csv { "a first line of names" } else { "at least one record" })]
    Empty {
        /// The data.
        data: String,
        /// Whether it is CSV.
        csv: bool,
    },
    /// A first line that is a record.
    #[error(
        "{data}, line 1: `{name}` {why}; does the data have no first line of names? Add one, such as `id,time,…`"
    )]
    NoNames {
        /// The data.
        data: String,
        /// What stands for a name.
        name: String,
        /// Why it is none.
        why: &'static str,
    },
    /// Data that cannot be read.
    #[error(transparent)]
    Input(#[from] InputError),
}

/// The fields of data without a description, and the data again, from its beginning.
///
/// # Errors
/// When it has no names, or cannot be read.
pub fn guess_fields(source: Source, format: Format, label: &str) -> Result<(Guess, Source), GuessError> {
    if format == Format::Parquet {
        return of_parquet(source, label);
    }
    let Parts { parts, whole, source } =
        read_parts(source).map_err(|error| GuessError::Input(unreadable(&error, label)))?;
    let mut looked = match format {
        Format::Csv => Looked::csv(&parts, whole, label)?,
        _ => Looked::json_lines(&parts, whole, label)?,
    };
    let evidence = looked.columns.iter().map(|(_, shape)| {
        let readable = shape.nested == 0;
        Evidence { sure: shape.ty().1, values: shape.values, nulls: shape.nulls, readable }
    });
    let evidence = evidence.collect();
    let fields = looked.columns.drain(..).map(|(name, shape)| {
        let nullable = shape.nulls > 0 || shape.values == 0;
        Field { name, ty: shape.ty().0, nullable }
    });
    let guess = Guess { fields: Fields::new(fields.collect()), evidence, looked_at: looked.records };
    Ok((guess, source))
}

fn of_parquet(source: Source, label: &str) -> Result<(Guess, Source), GuessError> {
    let Source { bytes: SourceBytes::File(file), max_record } = source else {
        return Err(InputError::NotAFile { data: label.to_owned() }.into());
    };
    let again = file.try_clone().map_err(|error| unreadable(&error, label))?;
    let (mut fields, mut evidence) = (Vec::new(), Vec::new());
    for declared in parquet_fields(again, label)? {
        let numbers = declared.ty.is_some_and(|ty| ty.integer_range().is_some());
        let times = numbers && declared.range.is_some_and(are_likely_times);
        let (ty, sure) = match declared.ty {
            Some(_) if times => (Type::Timestamp, Sure::Likely),
            ty => (ty.unwrap_or(Type::Text), Sure::Declared),
        };
        let nullable = declared.nulls != DeclaredNulls::None;
        fields.push(Field { name: declared.name, ty, nullable });
        evidence.push(Evidence { sure, values: 0, nulls: 0, readable: declared.ty.is_some() });
    }
    let source = Source::file(file).max_record(max_record);
    Ok((Guess { fields: Fields::new(fields), evidence, looked_at: 0 }, source))
}

/// Parts of the data to look at.
struct Parts {
    parts: Vec<Vec<u8>>,
    /// Whether the first part is all there is.
    whole: bool,
    /// The data from its beginning.
    source: Source,
}

fn read_parts(source: Source) -> io::Result<Parts> {
    let mut beginning = Vec::new();
    let max_record = source.max_record;
    match source.bytes {
        SourceBytes::File(mut file) if is_seekable(&file) => {
            let length = file.seek(SeekFrom::End(0))?;
            let mut parts = vec![part(&mut file, 0, BEGINNING)?];
            for place in (1..=PLACES).filter(|_| length > BEGINNING + PLACES * PLACE) {
                let at = BEGINNING + (length - BEGINNING - PLACE) / PLACES * place;
                parts.push(part(&mut file, at, PLACE)?);
            }
            file.seek(SeekFrom::Start(0))?;
            Ok(Parts { parts, whole: length <= BEGINNING, source: Source::file(file).max_record(max_record) })
        }
        bytes => {
            let mut stream = Source { bytes, max_record };
            stream.by_ref().take(BEGINNING).read_to_end(&mut beginning)?;
            let whole = u64::try_from(beginning.len()).is_ok_and(|length| length < BEGINNING);
            let source = Cursor::new(beginning.clone()).chain(stream);
            let source = Source::stream(source).max_record(max_record);
            Ok(Parts { parts: vec![beginning], whole, source })
        }
    }
}

/// A file may be a pipe with a name.
fn is_seekable(file: &File) -> bool {
    file.metadata().is_ok_and(|metadata| metadata.is_file())
}

fn part(file: &mut File, at: u64, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(at))?;
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Columns by name, with what was seen of each.
#[derive(Default)]
struct Looked {
    columns: Vec<(String, Shape)>,
    records: u64,
}

impl Looked {
    fn csv(parts: &[Vec<u8>], whole: bool, label: &str) -> Result<Self, GuessError> {
        let [first, rest @ ..] = parts else { return Ok(Self::default()) };
        let mut reader = ReaderBuilder::new().flexible(true).from_reader(first.as_slice());
        let names = reader.byte_headers().cloned().unwrap_or_default();
        if names.is_empty() {
            return Err(GuessError::Empty { data: label.to_owned(), csv: true });
        }
        let mut looked = Self::default();
        for name in &names {
            looked.name(name, label)?;
        }
        looked.cells(reader, whole);
        for part in rest {
            // The part begins in the middle of a record.
            let begin = part.iter().position(|&byte| byte == b'\n').map_or(part.len(), |end| end + 1);
            let lines = part.get(begin..).unwrap_or_default();
            let reader = ReaderBuilder::new().flexible(true).has_headers(false).from_reader(lines);
            looked.cells(reader, false);
        }
        Ok(looked)
    }

    /// A name of the first line.
    fn name(&mut self, name: &[u8], label: &str) -> Result<(), GuessError> {
        let data = label.to_owned();
        let Ok(text) = std::str::from_utf8(name) else {
            let message = "the names are not UTF-8 text; is it a CSV file?".to_owned();
            return Err(
                InputError::Line { data, line: 1, problems: vec![LineProblem::Syntax { message }] }.into()
            );
        };
        let mut shape = Shape::default();
        shape.text(text);
        let why = match shape.ty() {
            (_, Sure::NoValue) => "is empty and no name",
            (Type::Text, _) if text.chars().any(char::is_control) => "holds control characters",
            (Type::Text, _) if self.columns.iter().any(|(known, _)| known == text) => "comes twice",
            (Type::Text | Type::Bool, _) => {
                self.columns.push((text.to_owned(), Shape::default()));
                return Ok(());
            }
            _ => "is a value and no name",
        };
        let name = text.chars().take(40).flat_map(char::escape_debug).collect();
        Err(GuessError::NoNames { data, name, why })
    }

    /// Looks at lines; the last one may be torn. Lines of another number of cells are not for this module to judge.
    fn cells(&mut self, mut reader: csv::Reader<&[u8]>, whole: bool) {
        let (mut record, mut ahead) = (csv::ByteRecord::new(), csv::ByteRecord::new());
        let mut is_one = reader.read_byte_record(&mut record).unwrap_or(false);
        while is_one {
            is_one = reader.read_byte_record(&mut ahead).unwrap_or(false);
            if (is_one || whole) && record.len() == self.columns.len() {
                self.records += 1;
                for ((_, shape), cell) in self.columns.iter_mut().zip(&record) {
                    if let Ok(text) = std::str::from_utf8(cell) {
                        shape.text(text);
                    }
                }
            }
            std::mem::swap(&mut record, &mut ahead);
        }
    }

    fn json_lines(parts: &[Vec<u8>], whole: bool, label: &str) -> Result<Self, GuessError> {
        let mut looked = Self::default();
        for (number, part) in parts.iter().enumerate() {
            let begin = match number {
                0 => 0,
                _ => part.iter().position(|&byte| byte == b'\n').map_or(part.len(), |end| end + 1),
            };
            let part = part.strip_prefix("\u{feff}".as_bytes()).filter(|_| number == 0).unwrap_or(part);
            let mut lines = part.get(begin..).unwrap_or_default().split(|&byte| byte == b'\n').peekable();
            while let Some(line) = lines.next() {
                let torn = lines.peek().is_none() && !(whole && number == 0);
                if torn || line.iter().all(u8::is_ascii_whitespace) {
                    continue;
                }
                match JsonObject::read(line) {
                    Ok(object) => looked.object(&object),
                    // One that is not even the first is counted by whoever reads on.
                    Err(message) if looked.records == 0 => {
                        let problems = vec![LineProblem::Syntax { message }];
                        return Err(InputError::Line { data: label.to_owned(), line: 1, problems }.into());
                    }
                    Err(_) => {}
                }
            }
        }
        if looked.records == 0 {
            return Err(GuessError::Empty { data: label.to_owned(), csv: false });
        }
        // A field that an object leaves out is null there.
        for (_, shape) in &mut looked.columns {
            shape.nulls = looked.records.saturating_sub(shape.values + shape.nested);
        }
        Ok(looked)
    }

    fn object(&mut self, JsonObject(members): &JsonObject<'_>) {
        self.records += 1;
        for (name, value) in members {
            let at = self.columns.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
                self.columns.push((name.clone(), Shape::default()));
                self.columns.len() - 1
            });
            let Some((_, shape)) = self.columns.get_mut(at) else { continue };
            match value {
                JsonValue::Null => {}
                JsonValue::Bool(_) => shape.json_bool(),
                JsonValue::Number(text) => shape.json_number(text),
                JsonValue::Text(text) if text.is_empty() => shape.json_empty(),
                JsonValue::Text(text) => shape.text(text),
                JsonValue::Array | JsonValue::Object => shape.nested += 1,
            }
        }
    }
}

fn unreadable(error: &io::Error, label: &str) -> InputError {
    let problems = vec![LineProblem::Unreadable { message: error.to_string() }];
    InputError::Line { data: label.to_owned(), line: 1, problems }
}

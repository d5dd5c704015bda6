//! Field names and types of undescribed data, guessed from some of its records.
//!
//! The beginning of the data is looked at and, where it is a file, some places all over it, so that a column that changes
//! later is mostly seen. Parquet declares its own types. Data from a pipe is read once: what was looked at is handed
//! back in front of the rest.
//!
//! What else is guessed: texts that mean null (`NA` in a column that otherwise holds numbers or times), and times in seconds, microseconds,
//! nanoseconds or as `20240524`, in columns that are called as times are. The data that is handed back is read so; [`Guess::said`] tells.
//!
//! Quirk: a guess is a guess. Values that were not looked at may not fit; later readers count those.

use rowkey_core::disclosure::said;
use rowkey_core::remedy::Remedy;
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};

use csv::ReaderBuilder;
use rowkey_core::Type;
use rowkey_core::key::{Field, Fields};
use rowkey_core::value::{TimeFormat, TimeUnit};
use rowkey_ops::input::{
    DeclaredField, DeclaredNulls, Dialect, Format, Ignored, InputError, JsonObject, JsonValue, LineProblem,
    Source, SourceBytes, Stream, USUAL_NULLS, field_name, field_names, parquet_fields,
};

use super::shape::{Shape, Sure};

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
    /// How the records are written, as far as it was said or guessed.
    pub dialect: Dialect,
    /// What was guessed of how they are written, with the options that say otherwise.
    pub said: Vec<String>,
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
        /// The name of the data: a path, or `standard input`.
        data: String,
        /// Whether it is CSV.
        csv: bool,
    },
    /// A first line that is a record.
    #[error(
        "{data}, line 1: `{name}` {why}; does the data have no first line of names? Add one, such as `id,time,…`", name = said(name))]
    NoNames {
        /// The name of the data: a path, or `standard input`.
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
    let mut dialect = Dialect::clone(&source.dialect);
    if format == Format::Parquet {
        let looked = Looked::parquet(&source, label, &dialect)?;
        let renamed = looked.renamed(&dialect);
        let (mut guess, source) = looked.guess(source, dialect, Vec::new());
        guess.said.extend(renamed);
        return Ok((guess, source));
    }
    let unreadable = |error: io::Error| {
        GuessError::Input(in_line_1(label, LineProblem::Unreadable { message: error.to_string() }))
    };
    let Parts { parts, whole, source } = read_parts(source.as_lines(format)).map_err(unreadable)?;
    let look = |dialect: &Dialect| match format {
        Format::Csv => Looked::csv(&parts, whole, label, dialect),
        _ => Looked::json_lines(&parts, whole, label, dialect),
    };
    let (mut looked, mut said) = (look(&dialect)?, Vec::new());
    let nulls = if dialect.nulls.is_none() { looked.likely_nulls() } else { Vec::new() };
    if !nulls.is_empty() {
        let quoted = nulls.iter().map(|null| format!("`{}`", self::said(null)));
        let options: Vec<String> = nulls.iter().map(|text| format!("{} '{text}'", Remedy::Null)).collect();
        said.push(format!(
            "{} {} read as null (guessed; {} says so to load, {} '' says otherwise)",
            first_few(quoted.collect()),
            if nulls.len() == 1 { "is" } else { "are" },
            options.join(" "),
            Remedy::Null
        ));
        dialect.nulls = Some(nulls);
        looked = look(&dialect)?;
    }
    said.extend(looked.renamed(&dialect));
    Ok(looked.guess(source, dialect, said))
}

/// Has times of a field read in their unit, and tells it.
fn time_said(name: &str, unit: TimeUnit, dialect: &mut Dialect) -> Option<String> {
    if dialect.times.usual.as_ref().and_then(TimeFormat::unit) == Some(unit) {
        return None;
    }
    dialect.times.guessed.push((name.to_owned(), TimeFormat::of(unit)));
    let (name, words, unit) = (said(name), unit.words(), unit.name());
    Some(format!(
        "`{name}` is read as {words} (guessed; {} {name}={unit} says so to load, {name}=ms otherwise)",
        Remedy::TimeFormat
    ))
}

/// Five of them, and how many more there are.
fn first_few(mut all: Vec<String>) -> String {
    let more = all.len().saturating_sub(5);
    all.truncate(5);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", all.join(", "))
}

/// Parts of the data to look at.
struct Parts {
    parts: Vec<Vec<u8>>,
    /// Whether the first part is all there is.
    whole: bool,
    /// The data from its beginning.
    source: Source,
}

fn read_parts(mut source: Source) -> io::Result<Parts> {
    if let SourceBytes::File(file) = &mut source.bytes
        // A file may be a pipe with a name.
        && file.metadata().is_ok_and(|metadata| metadata.is_file())
    {
        let length = file.seek(SeekFrom::End(0))?;
        let mut parts = vec![part(file, 0, BEGINNING)?];
        for place in (1..=PLACES).filter(|_| length > BEGINNING + PLACES * PLACE) {
            let at = BEGINNING + (length - BEGINNING - PLACE) / PLACES * place;
            let mut part = part(file, at, PLACE)?;
            // It begins in the middle of a record.
            let begin = part.iter().position(|&byte| byte == b'\n').map_or(part.len(), |end| end + 1);
            parts.push(part.split_off(begin));
        }
        file.seek(SeekFrom::Start(0))?;
        return Ok(Parts { parts, whole: length <= BEGINNING, source });
    }
    let mut beginning = Vec::new();
    source.by_ref().take(BEGINNING).read_to_end(&mut beginning)?;
    let whole = u64::try_from(beginning.len()).is_ok_and(|length| length < BEGINNING);
    let read = Cursor::new(beginning.clone());
    let bytes: Stream = match std::mem::replace(&mut source.bytes, SourceBytes::Stream(Box::new(io::empty())))
    {
        SourceBytes::File(file) => Box::new(read.chain(file)),
        SourceBytes::Stream(stream) => Box::new(read.chain(stream)),
    };
    Ok(Parts { parts: vec![beginning], whole, source: source.again(SourceBytes::Stream(bytes)) })
}

fn part(file: &mut File, at: u64, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(at))?;
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A column of the data.
struct Column {
    /// As the data calls it.
    own: String,
    /// As a field.
    name: String,
    shape: Shape,
    /// Whether it is left out.
    ignored: bool,
    /// What the data itself says of it.
    declared: Option<DeclaredField>,
    /// The cells that usually mean null, and what the others are.
    nulls: HashSet<&'static str>,
    rest: Shape,
}

impl Column {
    fn new(own: &str, name: String, dialect: &Dialect) -> Self {
        let shape = Shape::with_times(dialect.times.usual.clone());
        let is_it = |ignored: &String| ignored == own || *ignored == name;
        let ignored = matches!(&dialect.ignored, Ignored::These(names) if names.iter().any(is_it));
        let (own, rest, nulls) = (own.to_owned(), shape.clone(), HashSet::new());
        Self { own, name, shape, ignored, declared: None, nulls, rest }
    }
}

/// Columns by name, with what was seen of each.
#[derive(Default)]
struct Looked {
    columns: Vec<Column>,
    records: u64,
}

impl Looked {
    fn parquet(source: &Source, label: &str, dialect: &Dialect) -> Result<Self, GuessError> {
        let again = match &source.bytes {
            SourceBytes::File(file) => file
                .try_clone()
                .map_err(|error| in_line_1(label, LineProblem::Unreadable { message: error.to_string() }))?,
            SourceBytes::Stream(_) => return Err(InputError::NotAFile { data: label.to_owned() }.into()),
        };
        let declared = parquet_fields(again, label)?;
        let names = field_names(declared.iter().map(|field| field.name.as_str()), dialect, None);
        let column = |(declared, name): (DeclaredField, String)| {
            let mut column = Column::new(&declared.name, name, dialect);
            let is_integer = declared.ty.is_some_and(|ty| ty.integer_range().is_some());
            if let Some((min, max)) = declared.range.filter(|_| is_integer) {
                [min, max].iter().for_each(|number| column.shape.json_number(&number.to_string()));
            }
            Column { declared: Some(declared), ..column }
        };
        Ok(Self { columns: declared.into_iter().zip(names).map(column).collect(), records: 0 })
    }

    /// The fields, and how the data is read.
    fn guess(self, source: Source, mut dialect: Dialect, mut said: Vec<String>) -> (Guess, Source) {
        let (mut fields, mut evidence) = (Vec::new(), Vec::new());
        for Column { name, shape, declared, .. } in self.columns.into_iter().filter(|own| !own.ignored) {
            let (mut ty, mut sure) = shape.ty();
            if let Some(declared) = declared.as_ref().filter(|_| sure != Sure::Likely) {
                (ty, sure) = (declared.ty.unwrap_or(Type::Text), Sure::Declared);
            }
            if dialect.times.of.iter().any(|(field, _)| *field == name) {
                (ty, sure) = (Type::Timestamp, Sure::Declared);
            } else if let Some(unit) = shape.likely_unit(&name) {
                (ty, sure) = (Type::Timestamp, Sure::Likely);
                said.extend(time_said(&name, unit, &mut dialect));
            }
            let (nullable, values, nulls, readable) = match declared {
                Some(declared) => (declared.nulls != DeclaredNulls::None, 0, 0, declared.ty.is_some()),
                None => {
                    let Shape { values, nulls, nested, .. } = shape;
                    (nulls > 0 || values == 0, values, nulls, nested == 0)
                }
            };
            fields.push(Field { name, ty, nullable });
            evidence.push(Evidence { sure, values, nulls, readable });
        }
        let source = source.dialect(dialect.clone());
        (Guess { fields: Fields::new(fields), evidence, looked_at: self.records, dialect, said }, source)
    }

    fn csv(parts: &[Vec<u8>], whole: bool, label: &str, dialect: &Dialect) -> Result<Self, GuessError> {
        let reader = |number: usize| {
            let part = parts.get(number).map(Vec::as_slice).unwrap_or_default();
            let mut builder = ReaderBuilder::new();
            builder.flexible(true).delimiter(dialect.delimiter()).has_headers(number == 0).from_reader(part)
        };
        let names = reader(0).byte_headers().cloned().unwrap_or_default();
        if names.is_empty() {
            return Err(GuessError::Empty { data: label.to_owned(), csv: true });
        }
        let names: Vec<&str> =
            names.iter().map(|name| name_of(name, dialect, label)).collect::<Result<_, _>>()?;
        if names.iter().all(|name| name.trim().is_empty()) {
            let (data, name) = (label.to_owned(), String::new());
            return Err(GuessError::NoNames { data, name, why: "is empty and no name" });
        }
        let own = field_names(names.iter().copied(), dialect, None).into_iter().zip(names);
        let columns = own.map(|(name, own)| Column::new(own, name, dialect)).collect();
        let mut looked = Self { columns, records: 0 };
        (0..parts.len()).for_each(|number| looked.cells(reader(number), whole, dialect));
        Ok(looked)
    }

    /// Texts that seem to mean null: in some column everything else is something better than text.
    fn likely_nulls(&self) -> Vec<String> {
        let likely = |null: &&&str| {
            self.columns.iter().any(|Column { nulls, rest, shape, .. }| {
                let is_better = rest.values > 0 && rest.ty().0 != Type::Text;
                nulls.contains(**null) && is_better && shape.ty().0 == Type::Text
            })
        };
        USUAL_NULLS.iter().filter(likely).map(|null| (*null).to_owned()).collect()
    }

    /// What columns are called that keys could not name.
    fn renamed(&self, dialect: &Dialect) -> Option<String> {
        let asked = |own: &String| dialect.renames.iter().any(|(old, _)| old == own);
        let renamed = self.columns.iter().filter(|column| column.own != column.name && !column.ignored);
        let renamed: Vec<String> = renamed
            .filter(|column| !asked(&column.own))
            .map(|column| format!("`{}` is the field {}", said(&column.own), said(&column.name)))
            .collect();
        (!renamed.is_empty()).then(|| {
            format!("column {} ({} 'COLUMN=FIELD' says otherwise)", first_few(renamed), Remedy::Rename)
        })
    }

    /// Looks at lines; the last one may be torn. Lines of another number of cells are not for this module to judge.
    fn cells(&mut self, mut reader: csv::Reader<&[u8]>, whole: bool, dialect: &Dialect) {
        let (mut record, mut ahead) = (csv::ByteRecord::new(), csv::ByteRecord::new());
        let mut is_one = reader.read_byte_record(&mut record).unwrap_or(false);
        while is_one {
            is_one = reader.read_byte_record(&mut ahead).unwrap_or(false);
            if (is_one || whole) && record.len() == self.columns.len() {
                self.records += 1;
                for (column, cell) in self.columns.iter_mut().zip(&record) {
                    let Ok(text) = std::str::from_utf8(cell) else { continue };
                    if dialect.nulls().iter().any(|null| null == text) {
                        column.shape.nulls += 1;
                        continue;
                    }
                    column.shape.text(text);
                    match USUAL_NULLS.iter().find(|null| **null == text) {
                        Some(null) => drop(column.nulls.insert(null)),
                        None if dialect.nulls.is_none() => column.rest.text(text),
                        None => {}
                    }
                }
            }
            std::mem::swap(&mut record, &mut ahead);
        }
    }

    fn json_lines(
        parts: &[Vec<u8>],
        whole: bool,
        label: &str,
        dialect: &Dialect,
    ) -> Result<Self, GuessError> {
        let mut looked = Self::default();
        for (number, part) in parts.iter().enumerate() {
            let part = part.strip_prefix("\u{feff}".as_bytes()).filter(|_| number == 0).unwrap_or(part);
            let mut lines = part.split(|&byte| byte == b'\n').peekable();
            while let Some(line) = lines.next() {
                let torn = lines.peek().is_none() && !whole;
                if torn || line.iter().all(u8::is_ascii_whitespace) {
                    continue;
                }
                match JsonObject::read(line) {
                    Ok(object) => looked.object(&object, dialect),
                    // One that is not even the first is counted by later readers.
                    Err(message) if looked.records == 0 => {
                        return Err(in_line_1(label, LineProblem::Syntax { message }).into());
                    }
                    Err(_) => {}
                }
            }
        }
        if looked.records == 0 {
            return Err(GuessError::Empty { data: label.to_owned(), csv: false });
        }
        // A field that an object leaves out is null there.
        for Column { shape, .. } in &mut looked.columns {
            shape.nulls = looked.records.saturating_sub(shape.values + shape.nested);
        }
        Ok(looked)
    }

    fn object(&mut self, JsonObject(members): &JsonObject<'_>, dialect: &Dialect) {
        self.records += 1;
        for (own, value) in members {
            let at = self.columns.iter().position(|known| known.own == *own);
            let name = || field_name(own, dialect);
            // Two members that would be one field are for the reader to refuse.
            let at = at.or_else(|| self.columns.iter().position(|known| known.name == name()));
            let at = at.unwrap_or_else(|| {
                self.columns.push(Column::new(own, name(), dialect));
                self.columns.len() - 1
            });
            let shape = &mut self.columns[at].shape;
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

/// A name of the first line.
fn name_of<'n>(name: &'n [u8], dialect: &Dialect, label: &str) -> Result<&'n str, GuessError> {
    let Ok(text) = std::str::from_utf8(name) else {
        let message = "the names are not UTF-8 text; is it a CSV file?".to_owned();
        return Err(in_line_1(label, LineProblem::Syntax { message }).into());
    };
    let mut shape = Shape::default();
    shape.text(text);
    let renamed = dialect.renames.iter().any(|(old, _)| old == text);
    let why = match shape.ty() {
        (Type::Text, _) if text.chars().any(char::is_control) => "holds control characters",
        (Type::Text | Type::Bool, _) => return Ok(text),
        _ if renamed => return Ok(text),
        _ => "is a value and no name",
    };
    let name = text.chars().take(40).flat_map(char::escape_debug).collect();
    Err(GuessError::NoNames { data: label.to_owned(), name, why })
}

fn in_line_1(label: &str, problem: LineProblem) -> InputError {
    InputError::Line { data: label.to_owned(), line: 1, problems: vec![problem] }
}

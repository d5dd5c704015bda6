//! Which fields does data have that nobody described?
//!
//! The beginning of the data is looked at and, where it is a file, some places all over it, so that a column that changes
//! later is mostly seen. Parquet declares its own types. Data from a pipe is read once: what was looked at is handed
//! back in front of the rest.
//!
//! What else is guessed: texts that mean null (`NA` in a column that otherwise holds numbers or times), and times in seconds, microseconds,
//! nanoseconds or as `20240524`, in columns that are called as times are. The data that is handed back is read so; [`Guess::said`] tells.
//!
//! Quirk: a guess is a guess. Values that were not looked at may not fit; whoever reads on counts those.

use rowkey::disclosure::said;
use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};

use csv::ReaderBuilder;
use rowkey::Type;
use rowkey::key::{Field, Fields};
use rowkey::value::{TimeFormat, TimeUnit, likely_unit};
use rowkey_ops::input::{
    DeclaredNulls, Dialect, Format, Ignored, InputError, JsonObject, JsonValue, LineProblem, Source,
    SourceBytes, Stream, USUAL_NULLS, field_name, field_names, parquet_fields,
};

use super::shape::{Shape, Sure, are_likely_times, is_name_of_time};

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
        /// The data.
        data: String,
        /// Whether it is CSV.
        csv: bool,
    },
    /// A first line that is a record.
    #[error(
        "{data}, line 1: `{name}` {why}; does the data have no first line of names? Add one, such as `id,time,…`", name = said(name))]
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
        read_parts(source.as_lines(format)).map_err(|error| GuessError::Input(unreadable(&error, label)))?;
    let mut dialect = Dialect::clone(&source.dialect);
    let mut said = Vec::new();
    let looked = match format {
        Format::Csv => {
            let looked = Looked::csv(&parts, whole, label, &dialect)?;
            let nulls = if dialect.nulls.is_none() { looked.likely_nulls() } else { Vec::new() };
            match nulls.is_empty() {
                true => looked,
                false => {
                    let options: Vec<String> = nulls.iter().map(|text| format!("--null '{text}'")).collect();
                    said.push(format!(
                        "{} read as null (guessed; {} says so to load, --null '' says otherwise)",
                        listed(&nulls, "is", "are"),
                        options.join(" ")
                    ));
                    dialect.nulls = Some(nulls);
                    Looked::csv(&parts, whole, label, &dialect)?
                }
            }
        }
        _ => Looked::json_lines(&parts, whole, label, &dialect)?,
    };
    said.extend(looked.renamed(&dialect));
    let (mut fields, mut evidence) = (Vec::new(), Vec::new());
    for Column { name, shape, .. } in looked.columns.into_iter().filter(|column| !column.ignored) {
        let (mut ty, mut sure) = shape.ty();
        if dialect.times.of.iter().any(|(field, _)| *field == name) {
            (ty, sure) = (Type::Timestamp, Sure::Declared);
        } else if let Some(unit) = shape.likely_unit(&name) {
            (ty, sure) = (Type::Timestamp, Sure::Likely);
            said.extend(time_said(&name, unit, &mut dialect));
        }
        let nullable = shape.nulls > 0 || shape.values == 0;
        fields.push(Field { name, ty, nullable });
        let readable = shape.nested == 0;
        evidence.push(Evidence { sure, values: shape.values, nulls: shape.nulls, readable });
    }
    let source = source.dialect(dialect.clone());
    Ok((Guess { fields: Fields::new(fields), evidence, looked_at: looked.records, dialect, said }, source))
}

/// Has times of a field read in their unit, and tells it.
fn time_said(name: &str, unit: TimeUnit, dialect: &mut Dialect) -> Option<String> {
    if dialect.times.usual.as_ref().and_then(TimeFormat::unit) == Some(unit) {
        return None;
    }
    dialect.times.guessed.push((name.to_owned(), TimeFormat::of(unit)));
    Some(format!(
        "`{}` is read as {} (guessed; --time-format {}={} says so to load, {}=ms otherwise)",
        said(name),
        unit.words(),
        said(name),
        unit.name(),
        said(name),
    ))
}

/// `a`, `b` and 3 more
fn listed(names: &[String], one: &str, several: &str) -> String {
    let shown: Vec<String> = names.iter().take(5).map(|name| format!("`{}`", said(name))).collect();
    let more = names.len().saturating_sub(5);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more} {}", shown.join(", "), if names.len() == 1 { one } else { several })
}

fn of_parquet(source: Source, label: &str) -> Result<(Guess, Source), GuessError> {
    let again = match &source.bytes {
        SourceBytes::File(file) => file.try_clone().map_err(|error| unreadable(&error, label))?,
        SourceBytes::Stream(_) => return Err(InputError::NotAFile { data: label.to_owned() }.into()),
    };
    let mut dialect = Dialect::clone(&source.dialect);
    let declared = parquet_fields(again, label)?;
    let names = field_names(declared.iter().map(|field| field.name.as_str()), &dialect, None);
    let mut looked = Looked::default();
    let (mut fields, mut evidence, mut said) = (Vec::new(), Vec::new(), Vec::new());
    for (declared, name) in declared.into_iter().zip(names) {
        let ignored = is_ignored(&dialect, &declared.name, &name);
        looked.columns.push(Column {
            own: declared.name,
            name: name.clone(),
            shape: Shape::default(),
            ignored,
        });
        if ignored {
            continue;
        }
        let range = declared.range.filter(|_| declared.ty.is_some_and(|ty| ty.integer_range().is_some()));
        let unit =
            range.and_then(|(min, max)| likely_unit(min).filter(|unit| likely_unit(max) == Some(*unit)));
        let unit = unit.filter(|unit| {
            let said = dialect.times.usual.as_ref().and_then(TimeFormat::unit);
            said == Some(*unit) || (said.is_none() && is_name_of_time(&name))
        });
        let (ty, sure) = match declared.ty {
            _ if dialect.times.of.iter().any(|(field, _)| *field == name) => {
                (Type::Timestamp, Sure::Declared)
            }
            Some(_) if range.is_some_and(are_likely_times) => (Type::Timestamp, Sure::Likely),
            Some(_) if let Some(unit) = unit => {
                said.extend(time_said(&name, unit, &mut dialect));
                (Type::Timestamp, Sure::Likely)
            }
            ty => (ty.unwrap_or(Type::Text), Sure::Declared),
        };
        let nullable = declared.nulls != DeclaredNulls::None;
        fields.push(Field { name, ty, nullable });
        evidence.push(Evidence { sure, values: 0, nulls: 0, readable: declared.ty.is_some() });
    }
    said.extend(looked.renamed(&dialect));
    let source = source.dialect(dialect.clone());
    Ok((Guess { fields: Fields::new(fields), evidence, looked_at: 0, dialect, said }, source))
}

fn is_ignored(dialect: &Dialect, column: &str, field: &str) -> bool {
    matches!(&dialect.ignored, Ignored::These(names) if names.iter().any(|name| name == column || name == field))
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
        && is_seekable(file)
    {
        let length = file.seek(SeekFrom::End(0))?;
        let mut parts = vec![part(file, 0, BEGINNING)?];
        for place in (1..=PLACES).filter(|_| length > BEGINNING + PLACES * PLACE) {
            let at = BEGINNING + (length - BEGINNING - PLACE) / PLACES * place;
            parts.push(part(file, at, PLACE)?);
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

/// A column of the data.
struct Column {
    /// As the data calls it.
    own: String,
    /// As a field.
    name: String,
    shape: Shape,
    /// Whether it is left out.
    ignored: bool,
}

/// Columns by name, with what was seen of each.
#[derive(Default)]
struct Looked {
    columns: Vec<Column>,
    records: u64,
    /// For each text that usually means null, in columns that hold something else than text besides: how often it was seen.
    nulls: Vec<(Vec<u64>, Shape)>,
}

impl Looked {
    fn csv(parts: &[Vec<u8>], whole: bool, label: &str, dialect: &Dialect) -> Result<Self, GuessError> {
        let [first, rest @ ..] = parts else { return Ok(Self::default()) };
        let builder = || {
            let mut builder = ReaderBuilder::new();
            builder.flexible(true).delimiter(dialect.delimiter());
            builder
        };
        let mut reader = builder().from_reader(first.as_slice());
        let names = reader.byte_headers().cloned().unwrap_or_default();
        if names.is_empty() {
            return Err(GuessError::Empty { data: label.to_owned(), csv: true });
        }
        let mut looked = Self::default();
        let names: Vec<&str> =
            names.iter().map(|name| looked.name(name, dialect, label)).collect::<Result<_, _>>()?;
        if names.iter().all(|name| name.trim().is_empty()) {
            let (data, name) = (label.to_owned(), String::new());
            return Err(GuessError::NoNames { data, name, why: "is empty and no name" });
        }
        for (name, own) in field_names(names.iter().copied(), dialect, None).into_iter().zip(names) {
            let shape = Shape::with_times(dialect.times.usual.clone());
            let ignored = is_ignored(dialect, own, &name);
            looked.columns.push(Column { own: own.to_owned(), name, shape, ignored });
        }
        looked.cells(reader, whole, dialect);
        for part in rest {
            // The part begins in the middle of a record.
            let begin = part.iter().position(|&byte| byte == b'\n').map_or(part.len(), |end| end + 1);
            let lines = part.get(begin..).unwrap_or_default();
            let reader = builder().has_headers(false).from_reader(lines);
            looked.cells(reader, false, dialect);
        }
        Ok(looked)
    }

    /// A name of the first line.
    fn name<'n>(&mut self, name: &'n [u8], dialect: &Dialect, label: &str) -> Result<&'n str, GuessError> {
        let data = label.to_owned();
        let Ok(text) = std::str::from_utf8(name) else {
            let message = "the names are not UTF-8 text; is it a CSV file?".to_owned();
            return Err(
                InputError::Line { data, line: 1, problems: vec![LineProblem::Syntax { message }] }.into()
            );
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
        Err(GuessError::NoNames { data, name, why })
    }

    /// Texts that seem to mean null: in some column everything else is something better than text.
    fn likely_nulls(&self) -> Vec<String> {
        let likely = |at: usize| {
            self.nulls.iter().zip(&self.columns).any(|((seen, rest), column)| {
                seen.get(at).is_some_and(|count| *count > 0)
                    && rest.values > 0
                    && rest.ty().0 != Type::Text
                    && column.shape.ty().0 == Type::Text
            })
        };
        let texts = USUAL_NULLS.iter().enumerate().filter(|(at, _)| likely(*at));
        texts.map(|(_, text)| (*text).to_owned()).collect()
    }

    /// What columns are called that keys could not name.
    fn renamed(&self, dialect: &Dialect) -> Option<String> {
        let asked = |own: &String| dialect.renames.iter().any(|(old, _)| old == own);
        let renamed = self.columns.iter().filter(|column| column.own != column.name && !column.ignored);
        let renamed: Vec<&Column> = renamed.filter(|column| !asked(&column.own)).collect();
        let shown: Vec<String> = renamed
            .iter()
            .take(5)
            .map(|column| format!("`{}` is the field {}", said(&column.own), said(&column.name)))
            .collect();
        let more = renamed.len().saturating_sub(5);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        (!shown.is_empty())
            .then(|| format!("column {}{more} (--rename 'COLUMN=FIELD' says otherwise)", shown.join(", ")))
    }

    /// Looks at lines; the last one may be torn. Lines of another number of cells are not for this module to judge.
    fn cells(&mut self, mut reader: csv::Reader<&[u8]>, whole: bool, dialect: &Dialect) {
        if self.nulls.is_empty() {
            let none = || (vec![0; USUAL_NULLS.len()], Shape::with_times(dialect.times.usual.clone()));
            self.nulls = self.columns.iter().map(|_| none()).collect();
        }
        let (mut record, mut ahead) = (csv::ByteRecord::new(), csv::ByteRecord::new());
        let mut is_one = reader.read_byte_record(&mut record).unwrap_or(false);
        while is_one {
            is_one = reader.read_byte_record(&mut ahead).unwrap_or(false);
            if (is_one || whole) && record.len() == self.columns.len() {
                self.records += 1;
                let columns = self.columns.iter_mut().zip(&mut self.nulls);
                for ((column, (nulls, rest)), cell) in columns.zip(&record) {
                    let Ok(text) = std::str::from_utf8(cell) else { continue };
                    if dialect.nulls().iter().any(|null| null == text) {
                        column.shape.nulls += 1;
                        continue;
                    }
                    column.shape.text(text);
                    match USUAL_NULLS.iter().position(|null| *null == text).and_then(|at| nulls.get_mut(at)) {
                        Some(count) => *count += 1,
                        None if dialect.nulls.is_none() => rest.text(text),
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
                    Ok(object) => looked.object(&object, dialect),
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
                let name = name();
                let (shape, ignored) =
                    (Shape::with_times(dialect.times.usual.clone()), is_ignored(dialect, own, &name));
                self.columns.push(Column { own: own.clone(), name, shape, ignored });
                self.columns.len() - 1
            });
            let Some(Column { shape, .. }) = self.columns.get_mut(at) else { continue };
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

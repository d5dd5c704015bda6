//! Why a record could not be read.

use rowkey_core::disclosure::said;
use rowkey_core::key::EncodeError;
use rowkey_core::remedy::Remedy;
use rowkey_core::types::Type;
use rowkey_core::value::ReadError;

/// Data that cannot be read as records.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// The columns are not the fields.
    #[error(
        "{data}, {place}: {}; the fields are {}{}",
        header_problems(unknown, missing, twice),
        names(fields, str::to_owned),
        header_cure(unknown, missing, twice)
    )]
    Header {
        /// The name of the data: a path, or `standard input`.
        data: String,
        /// Where the columns are named.
        place: &'static str,
        /// Columns that are no field.
        unknown: Vec<String>,
        /// Fields without a column.
        missing: Vec<String>,
        /// Columns that come twice.
        twice: Vec<String>,
        /// The names of the table's fields.
        fields: Vec<String>,
    },
    /// A line that is no record.
    #[error("{data}, line {line}: {}", join(problems))]
    Line {
        /// The name of the data: a path, or `standard input`.
        data: String,
        /// The line, from 1.
        line: u64,
        /// Everything that is wrong with it.
        problems: Vec<LineProblem>,
    },
    /// A row of Parquet that is no record.
    #[error("{data}, row {row}: {}", join(problems))]
    Row {
        /// The name of the data: a path, or `standard input`.
        data: String,
        /// The row, from 1.
        row: u64,
        /// Everything that is wrong with it.
        problems: Vec<LineProblem>,
    },
    /// An object of JSON that is no record.
    #[error("{data}, object {object}: {}", join(problems))]
    Object {
        /// The name of the data: a path, or `standard input`.
        data: String,
        /// The object, from 1.
        object: u64,
        /// Everything that is wrong with it.
        problems: Vec<LineProblem>,
    },
    /// Data that cannot be opened.
    #[error("could not read {data}: {message}", message = said(message))]
    Open {
        /// The name of the data: a path, or `standard input`.
        data: String,
        /// Why.
        message: String,
    },
    /// Nothing at all.
    #[error(
        "{data} is empty: it has no fields and no records; CSV begins with a line of names, JSON with an object"
    )]
    Empty {
        /// The name of the data: a path, or `standard input`.
        data: String,
    },
    /// A folder without Parquet files.
    #[error(
        "{data} is a folder, and has no Parquet files; name its files, as with '{}/*.csv'",
        data.trim_end_matches('/')
    )]
    Folder {
        /// The path of the folder.
        data: String,
    },
    /// A pattern that fits nothing.
    #[error("no file is called {pattern}; `*` is any text and `?` any character of a file's name")]
    NoFiles {
        /// The pattern as given, with `*` or `?`.
        pattern: String,
    },
    /// A format that is known and not read.
    #[error("{data} is {what}, which is not read here; {cure}")]
    NotRead {
        /// The name of the data: a path, or `standard input`.
        data: String,
        /// Its format: `Avro`, `compressed with xz`.
        what: String,
        /// What to do.
        cure: &'static str,
    },
    /// Files of two formats.
    #[error(
        "{data} is {format}, and {first} is {first_format}; read files of one format together, the others apart"
    )]
    OtherFormat {
        /// The path of the file that differs.
        data: String,
        /// The format of that data.
        format: &'static str,
        /// The path of the first file.
        first: String,
        /// The format of the first file.
        first_format: &'static str,
    },
    /// A setting that only CSV has a use for.
    #[error(
        "{setting} is for CSV, and {data} is {format}, which says that itself; leave it out, or add {} csv",
        Remedy::Format
    )]
    OnlyCsv {
        /// The name of the data: a path, or `standard input`.
        data: String,
        /// The format of that data.
        format: &'static str,
        /// The setting to leave out.
        setting: Remedy,
    },
    /// A way to write times that is said of a field without times.
    #[error(
        "{data}: {} is said of `{field}`, {}",
        Remedy::TimeFormat,
        ty.as_ref().map_or("which is no field".to_owned(), |ty| format!("a field of type {ty}; give it the type timestamp, or leave the option out"))
    )]
    NoTimeField {
        /// The name of the data: a path, or `standard input`.
        data: String,
        /// The field's name.
        field: String,
        /// Its type, if there is one.
        ty: Option<String>,
    },
    /// Columns to rename or leave out that are not there.
    #[error("{data}, {place}: {setting} names {}, which is no column; the columns are {}", names(unknown, |name| format!("`{}`", said(name))), names(columns, |name| format!("`{}`", said(name))))]
    NoColumn {
        /// The name of the data: a path, or `standard input`.
        data: String,
        /// Where the columns are named.
        place: &'static str,
        /// The setting that names them.
        setting: Remedy,
        /// What is no column.
        unknown: Vec<String>,
        /// The columns that the data has.
        columns: Vec<String>,
    },
    /// Columns of Parquet that their fields cannot have.
    #[error("{data}: {}", join(problems))]
    Columns {
        /// The name of the data: a path, or `standard input`.
        data: String,
        /// Each of them.
        problems: Vec<ColumnProblem>,
    },
    /// Not a Parquet file, or a broken one.
    #[error("{data} cannot be read as Parquet: {message}; is it a whole Parquet file?", message = said(message))]
    Parquet {
        /// The name of the data: a path, or `standard input`.
        data: String,
        /// What the reader says.
        message: String,
    },
    /// Parquet that comes from a pipe.
    #[error(
        "{data} cannot be read as Parquet, which says what is in it at its end; save it to a file and name that"
    )]
    NotAFile {
        /// The name of the data: a path, or `standard input`.
        data: String,
    },
    /// Parquet, without the code to read it.
    #[error(
        "{data} is Parquet, and this rowkey was built without it; build it with the feature `parquet`, or convert the \
         data to CSV"
    )]
    NoParquet {
        /// The name of the data: a path, or `standard input`.
        data: String,
    },
    /// No thread could be started to read the data with.
    #[error(
        "could not start a thread to read {data}: {message}; the limits of the process are too low (ulimit -u, ulimit -v)"
    )]
    Threads {
        /// The name of the data: a path, or `standard input`.
        data: String,
        /// What the system says.
        message: String,
    },
}

impl InputError {
    /// Data that could not be opened or read, and why.
    pub(super) fn open(data: impl ToString, why: impl ToString) -> Self {
        Self::Open { data: data.to_string(), message: why.to_string() }
    }

    /// What would help, if it is a setting or a function.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::Line { problems, .. } | Self::Row { problems, .. } | Self::Object { problems, .. } => {
                problems.iter().find_map(LineProblem::remedy)
            }
            Self::Header { unknown, missing, twice, .. } => header_remedy(unknown, missing, twice),
            Self::OnlyCsv { setting, .. } | Self::NoColumn { setting, .. } => Some(*setting),
            Self::NoTimeField { .. } => Some(Remedy::TimeFormat),
            _ => None,
        }
    }

    /// Whether it is about one record only, so that those behind it can be read.
    pub fn is_of_one_record(&self) -> bool {
        match self {
            Self::Line { problems, .. } | Self::Row { problems, .. } | Self::Object { problems, .. } => {
                !problems.iter().any(LineProblem::ends_reading)
            }
            _ => false,
        }
    }
}

/// A column of Parquet that its field cannot have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("column `{column}` holds {holds}, which the field's type {ty} cannot have; {cure}")]
pub struct ColumnProblem {
    /// The column, and the field.
    pub column: String,
    /// What it holds.
    pub holds: String,
    /// The field's type.
    pub ty: Type,
    /// What to do.
    pub cure: &'static str,
}

/// What is wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LineProblem {
    /// Too few or too many cells.
    #[error(
        "it has {found} cells where the first line has {expected}; a cell with the sign between cells in it is written in quotes, and \
         {} says which sign that is",
        Remedy::Delimiter
    )]
    CellCount {
        /// What the first line has.
        expected: u64,
        /// What it has.
        found: u64,
    },
    /// Not CSV or JSON in UTF-8.
    #[error("{message}", message = said(message))]
    Syntax {
        /// What the reader says.
        message: String,
    },
    /// Data that cannot be read on from here.
    #[error("the data cannot be read: {message}", message = said(message))]
    Unreadable {
        /// What the reader or the system says.
        message: String,
    },
    /// A quote that is opened in this line and not closed.
    #[error(
        "a quote opens a cell here, and nothing closes it {}; close it, or write a quote inside a quoted cell twice{}",
        within.map_or("before the end of the data".to_owned(), |limit| format!("within {limit} bytes")),
        within.map_or(String::new(), |_| format!(", or allow longer records with {}", Remedy::MaxRecord))
    )]
    OpenQuote {
        /// The longest record, if the data goes on behind it.
        within: Option<usize>,
    },
    /// A record that is too long.
    #[error(
        "the record is longer than {limit} bytes; does it have line ends, and is it the format that was asked for? allow \
         longer records with {}",
        Remedy::MaxRecord
    )]
    LongRecord {
        /// The longest record allowed, in bytes.
        limit: usize,
    },
    /// A carriage return alone.
    #[error(
        "there is a carriage return without a line feed behind it; lines end in LF or CRLF: convert others first, as \
         with `tr '\\r' '\\n'`, or put a cell that holds one in quotes"
    )]
    LoneReturn,
    /// A value that its field cannot have.
    #[error("field `{field}`: {problem}")]
    Cell {
        /// The field's name.
        field: String,
        /// What is wrong.
        problem: ReadError,
    },
    /// A cell that its field cannot have, and that means null in the data of many programs.
    #[error("field `{field}`: {problem}; if `{null}` means null, say {} '{null}'", Remedy::Null)]
    LikelyNull {
        /// The field's name.
        field: String,
        /// What is wrong.
        problem: ReadError,
        /// The text of the cell, one of [`USUAL_NULLS`].
        null: &'static str,
    },
    /// A JSON value of another type than the field's.
    #[error("field `{field}`: {found} is not {ty}{}", if *found == "a number" { "; write it in quotes" } else { "" })]
    JsonType {
        /// The field's name.
        field: String,
        /// What it is.
        found: &'static str,
        /// The field's type.
        ty: Type,
    },
    /// A JSON key that is no field.
    #[error("there is no field `{name}`{}", nearest.as_ref().map_or(String::new(), |name| format!("; did you mean `{name}`?")), name = said(name))]
    UnknownField {
        /// The key of the JSON object.
        name: String,
        /// A field with a name like it.
        nearest: Option<String>,
    },
    /// A JSON key that comes twice.
    #[error("field `{field}` comes twice in the object; leave one of them out")]
    Twice {
        /// The field's name.
        field: String,
    },
    /// A field that is not there and cannot be null.
    #[error("field `{field}` is missing, and it cannot be null")]
    MissingField {
        /// The field's name.
        field: String,
    },
    /// A null for a field that cannot be null.
    #[error("field `{field}` is null; if it may be, give it the type {ty}?")]
    Null {
        /// The field's name.
        field: String,
        /// The field's type.
        ty: Type,
    },
    /// A value in Parquet that the field cannot have.
    #[error("field `{field}`: {value} {reason}", value = said(value))]
    Misfit {
        /// The field's name.
        field: String,
        /// The value, as text.
        value: String,
        /// Why, and what to do.
        reason: String,
    },
    /// A record that has no key or no bytes.
    #[error(transparent)]
    Encode(#[from] EncodeError),
}

impl LineProblem {
    /// What would help, if it is a setting or a function.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::CellCount { .. } => Some(Remedy::Delimiter),
            Self::OpenQuote { within: Some(_) } | Self::LongRecord { .. } => Some(Remedy::MaxRecord),
            Self::Cell { problem, .. } => problem.remedy(),
            Self::LikelyNull { .. } => Some(Remedy::Null),
            _ => None,
        }
    }

    /// Whether nothing behind it can be read: where the next record begins is not known.
    fn ends_reading(&self) -> bool {
        matches!(
            self,
            Self::Unreadable { .. } | Self::OpenQuote { .. } | Self::LongRecord { .. } | Self::LoneReturn
        )
    }
}

/// Texts that mean null in the data of many programs.
pub const USUAL_NULLS: [&str; 10] = ["NA", "N/A", "n/a", "NULL", "null", "NaN", "nan", "None", "\\N", "-"];

fn join<P: ToString>(problems: &[P]) -> String {
    problems.iter().map(P::to_string).collect::<Vec<_>>().join("; ")
}

/// More names than this are counted: a file that is no CSV may have millions.
const NAMES_SHOWN: usize = 20;
const NAME_SHOWN: usize = 100;

fn names(names: &[String], shown: impl Fn(&str) -> String) -> String {
    let mut all: Vec<String> = names.iter().take(NAMES_SHOWN).map(|name| shown(name)).collect();
    if names.len() > NAMES_SHOWN {
        all.push(format!("and {} more", names.len() - NAMES_SHOWN));
    }
    all.join(", ")
}

fn header_problems(unknown: &[String], missing: &[String], twice: &[String]) -> String {
    let of_data = |name: &str| match name.char_indices().nth(NAME_SHOWN) {
        Some((end, _)) => format!("`{}…`", said(name.get(..end).unwrap_or_default())),
        None => format!("`{}`", said(name)),
    };
    let mut problems = Vec::new();
    if !unknown.is_empty() {
        problems.push(format!("no field is called {}", names(unknown, of_data)));
    }
    if !missing.is_empty() {
        problems.push(format!("there is no column for {}", names(missing, |name| format!("`{name}`"))));
    }
    if !twice.is_empty() {
        problems.push(format!("the column {} comes twice", names(twice, of_data)));
    }
    problems.join("; ")
}

/// The sign between cells that was taken for a part of the only name.
fn likely_delimiter(unknown: &[String], missing: &[String]) -> Option<char> {
    let ([only], false) = (unknown, missing.is_empty()) else { return None };
    [';', '\t', '|', ','].into_iter().find(|sign| only.contains(*sign))
}

fn header_remedy(unknown: &[String], missing: &[String], twice: &[String]) -> Option<Remedy> {
    if likely_delimiter(unknown, missing).is_some() {
        return Some(Remedy::Delimiter);
    }
    match (unknown.is_empty() && twice.is_empty(), missing.is_empty()) {
        (true, _) => None,
        (false, true) => Some(Remedy::IgnoreColumns),
        (false, false) => Some(Remedy::Rename),
    }
}

/// What data can say about columns that are no fields.
fn header_cure(unknown: &[String], missing: &[String], twice: &[String]) -> String {
    if let Some(sign) = likely_delimiter(unknown, missing) {
        let sign = if sign == '\t' { "tab".to_owned() } else { format!("'{sign}'") };
        return format!("; is {sign} what stands between cells? Then say {} {sign}", Remedy::Delimiter);
    }
    let ignore = format!("{} leaves columns out that are no fields", Remedy::IgnoreColumns);
    match header_remedy(unknown, missing, twice) {
        None => String::new(),
        Some(Remedy::Rename) => {
            format!("; {} COLUMN=FIELD says which column a field has, {ignore}", Remedy::Rename)
        }
        Some(_) => format!("; {ignore}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_of_any_size_gives_a_short_error() {
        let unknown: Vec<String> = (0..100_000).map(|at| format!("{at}{}", "x".repeat(300))).collect();
        let (fields, missing, twice) = (vec!["a".to_owned()], Vec::new(), Vec::new());
        let error =
            InputError::Header { data: "f.csv".into(), place: "line 1", unknown, missing, twice, fields };
        let text = error.to_string();
        assert!(text.len() < 4096 && text.contains("and 99980 more; the fields are a"), "{text}");
    }
}

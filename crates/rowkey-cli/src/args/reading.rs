//! What can be said about how data is written; the same for every command that reads data.

use clap::{Args, ValueEnum};
use rowkey_core::value::TimeFormat;
use rowkey_ops::input::{Compression, Dialect, Format, Ignored, InputOptions, Times};

use super::RecordLimit;

const HEADING: &str = "How the data is written (guessed if left out)";

/// How the data is written.
#[derive(Debug, Clone, Args)]
pub(crate) struct Reading {
    /// The format of the data: CSV, an object per line, objects in any layout, Parquet
    #[arg(long, help_heading = HEADING)]
    pub(crate) format: Option<InputFormat>,

    /// How the data is packed
    #[arg(long, value_name = "HOW", help_heading = HEADING)]
    unpack: Option<Packing>,

    /// What stands between cells of CSV: one character, or tab
    #[arg(long, value_name = "SIGN", value_parser = delimiter, help_heading = HEADING)]
    delimiter: Option<u8>,

    /// A cell of CSV that means null, besides empty ones; may be repeated, '' for none
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, help_heading = HEADING)]
    null: Vec<String>,

    /// The field that a column is for; may be repeated
    #[arg(long, value_name = "COLUMN=FIELD", value_parser = pair, help_heading = HEADING)]
    rename: Vec<(String, String)>,

    /// Leave out columns that are no field, or those that are named
    #[arg(long, value_name = "=COLUMNS", num_args = 0..=1, require_equals = true, value_delimiter = ',', help_heading = HEADING)]
    ignore_columns: Option<Vec<String>>,

    /// How times are written, in all fields or in one: s, ms, us, ns, a pattern as '%d/%m/%Y %H:%M', or as yyyyMMdd; may be repeated
    #[arg(long, value_name = "[FIELD=]FORMAT", value_parser = time_format, help_heading = HEADING)]
    time_format: Vec<(Option<String>, TimeFormat)>,

    /// How far times without an offset of their own are ahead of UTC, as +02:00
    #[arg(long, value_name = "OFFSET", allow_hyphen_values = true, value_parser = zone, help_heading = HEADING)]
    time_zone: Option<String>,

    /// Cut what is finer than a millisecond off times, instead of refusing them
    #[arg(long, help_heading = HEADING)]
    truncate_times: bool,

    #[command(flatten)]
    pub(crate) limit: RecordLimit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum InputFormat {
    Csv,
    Jsonl,
    Json,
    Parquet,
}

impl From<InputFormat> for Format {
    fn from(format: InputFormat) -> Self {
        match format {
            InputFormat::Csv => Self::Csv,
            InputFormat::Jsonl => Self::JsonLines,
            InputFormat::Json => Self::Json,
            InputFormat::Parquet => Self::Parquet,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Packing {
    None,
    Gzip,
    Zstd,
}

impl From<Packing> for Compression {
    fn from(packing: Packing) -> Self {
        match packing {
            Packing::None => Self::None,
            Packing::Gzip => Self::Gzip,
            Packing::Zstd => Self::Zstd,
        }
    }
}

/// An argument as a shell wants it.
pub(crate) fn quoted(argument: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-/+:,@%".contains(c);
    let is_plain = argument.chars().all(plain) && !argument.is_empty();
    if is_plain { argument.to_owned() } else { format!("'{}'", argument.replace('\'', "'\\''")) }
}

impl Reading {
    /// What was said.
    pub(crate) fn asked(&self) -> InputOptions {
        let nulls = (!self.null.is_empty())
            .then(|| self.null.iter().filter(|text| !text.is_empty()).cloned().collect());
        let ignored = match &self.ignore_columns {
            None => Ignored::Nothing,
            Some(names) if names.is_empty() => Ignored::NoFields,
            Some(names) => Ignored::These(names.clone()),
        };
        let (delimiter, renames) = (self.delimiter, self.rename.clone());
        let dialect = Dialect { delimiter, nulls, renames, ignored, times: self.times() };
        let compression = self.unpack.map(Into::into);
        InputOptions {
            format: self.format.map(Into::into),
            compression,
            dialect,
            max_record: self.limit.bytes(),
        }
    }

    fn times(&self) -> Times {
        let finish = |format: TimeFormat| {
            // The offset was seen to be one when it was given.
            let zoned = self.time_zone.as_ref().and_then(|zone| format.clone().zone(zone).ok());
            let format = zoned.unwrap_or(format);
            if self.truncate_times { format.truncating() } else { format }
        };
        let mut times = Times::default();
        for (field, format) in &self.time_format {
            match field {
                None => times.usual = Some(finish(format.clone())),
                Some(field) => times.of.push((field.clone(), finish(format.clone()))),
            }
        }
        if times.usual.is_none() && (self.time_zone.is_some() || self.truncate_times) {
            times.usual = Some(finish(TimeFormat::default()));
        }
        times
    }

    /// The options, to be given again.
    pub(crate) fn words(&self) -> String {
        let mut words = String::new();
        let mut add = |option: &str, value: &str| {
            words.push_str(&format!(" {option} {}", quoted(value)));
        };
        let name =
            |value: Option<clap::builder::PossibleValue>| value.map(|value| value.get_name().to_owned());
        if let Some(format) = self.format.and_then(|format| name(format.to_possible_value())) {
            add("--format", &format);
        }
        if let Some(packing) = self.unpack.and_then(|packing| name(packing.to_possible_value())) {
            add("--unpack", &packing);
        }
        if let Some(sign) = self.delimiter {
            add("--delimiter", &if sign == b'\t' { "tab".to_owned() } else { char::from(sign).to_string() });
        }
        self.null.iter().for_each(|text| add("--null", text));
        self.rename.iter().for_each(|(old, new)| add("--rename", &format!("{old}={new}")));
        for (field, format) in &self.time_format {
            let field = field.as_ref().map_or(String::new(), |field| format!("{field}="));
            add("--time-format", &format!("{field}{}", format.name()));
        }
        self.time_zone.iter().for_each(|zone| add("--time-zone", zone));
        if self.truncate_times {
            words.push_str(" --truncate-times");
        }
        match &self.ignore_columns {
            None => {}
            Some(names) if names.is_empty() => words.push_str(" --ignore-columns"),
            Some(names) => {
                words.push_str(&format!(" {}", quoted(&format!("--ignore-columns={}", names.join(",")))));
            }
        }
        words.push_str(&self.limit.words());
        words
    }
}

fn delimiter(text: &str) -> Result<u8, String> {
    let wrong =
        || format!("`{text}` cannot stand between cells; write one character, such as ';' or '|', or tab");
    match text {
        "tab" | "\\t" | "\t" => Ok(b'\t'),
        _ => match text.as_bytes() {
            [b'"' | b'\n' | b'\r' | 0x80..] => Err(wrong()),
            [sign] => Ok(*sign),
            _ => Err(wrong()),
        },
    }
}

fn pair(text: &str) -> Result<(String, String), String> {
    match text.rsplit_once('=') {
        Some((column, field)) if !field.is_empty() => Ok((column.to_owned(), field.to_owned())),
        _ => Err(format!(
            "`{text}` renames nothing; write it as 'COLUMN=FIELD', such as 'Airport Name=airport'"
        )),
    }
}

/// A pattern may hold `=`, a field's name does not.
fn time_format(text: &str) -> Result<(Option<String>, TimeFormat), String> {
    match text.split_once('=') {
        Some((field, format)) if !field.contains('%') => {
            Ok((Some(field.to_owned()), TimeFormat::parse(format)?))
        }
        _ => Ok((None, TimeFormat::parse(text)?)),
    }
}

fn zone(text: &str) -> Result<String, String> {
    TimeFormat::default().zone(text).map(|_| text.to_owned())
}

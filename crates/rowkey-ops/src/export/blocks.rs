//! From records to pieces of a file: text that is packed by itself, or columns of Parquet.
//!
//! A piece is about a megabyte, so that several threads make some at the same time and memory stays bounded. Packed pieces joined are a
//! packed file: gzip and zstd both say so.

use std::fmt::Write as _;
use std::io::{self, Write};

use rowkey_core::key::Fields;
use rowkey_core::types::Kind;
use rowkey_core::{FieldId, Type, Value};
use serde_json::Value as Json;

use super::{ExportError, ExportFormat};
use crate::input::Compression;

/// A block is full with so many bytes.
pub(super) const BLOCK: usize = 1 << 20;

/// A field that is written.
pub(super) struct Column {
    id: FieldId,
    pub(super) name: String,
    pub(super) ty: Type,
    nullable: bool,
}

/// How records are written.
pub(super) struct Encoder {
    columns: Vec<Column>,
    format: ExportFormat,
    compression: Compression,
    empty_cells: bool,
}

/// Records on their way to a piece.
pub(super) struct Block {
    pub(super) rows: u64,
    body: Body,
    /// The text of a value.
    text: String,
}

enum Body {
    Csv(Box<csv::Writer<Vec<u8>>>),
    JsonLines(Vec<u8>),
    #[cfg(feature = "parquet")]
    Parquet(super::parquet::Columns),
}

/// What a file is made of.
pub(super) enum FilePiece {
    Text(Vec<u8>),
    #[cfg(feature = "parquet")]
    Parquet(super::parquet::Columns),
}

impl Encoder {
    /// Writes these fields, in this order.
    pub(super) fn new(
        fields: &Fields,
        chosen: &[FieldId],
        (format, compression): (ExportFormat, Compression),
        empty_cells: bool,
    ) -> Result<Self, ExportError> {
        if format == ExportFormat::Parquet && compression != Compression::None {
            return Err(ExportError::PackedParquet);
        }
        if format == ExportFormat::Parquet && !cfg!(feature = "parquet") {
            return Err(ExportError::NotBuilt { what: "parquet" });
        }
        if compression == Compression::Zstd && !cfg!(feature = "zstd") {
            return Err(ExportError::NotBuilt { what: "zstd" });
        }
        let column = |id: &FieldId| {
            let field = fields.get(*id);
            Column { id: *id, name: field.name.clone(), ty: field.ty, nullable: field.nullable }
        };
        Ok(Self { columns: chosen.iter().map(column).collect(), format, compression, empty_cells })
    }

    #[cfg(feature = "parquet")]
    pub(super) fn columns(&self) -> &[Column] {
        &self.columns
    }

    pub(super) fn format(&self) -> ExportFormat {
        self.format
    }

    /// What a file begins with.
    pub(super) fn head(&self) -> io::Result<Vec<u8>> {
        if self.format != ExportFormat::Csv {
            return Ok(Vec::new());
        }
        let mut line = csv::Writer::from_writer(Vec::new());
        line.write_record(self.columns.iter().map(|column| &column.name))?;
        self.pack(line.into_inner().map_err(|error| error.into_error())?)
    }

    /// What a file of text has that would have nothing: a reader takes an empty file for a mistake.
    pub(super) fn nothing(&self) -> io::Result<Vec<u8>> {
        self.pack(b"\n".to_vec())
    }

    pub(super) fn block(&self) -> Block {
        let body = match self.format {
            ExportFormat::Csv => Body::Csv(Box::new(csv::Writer::from_writer(Vec::new()))),
            ExportFormat::JsonLines => Body::JsonLines(Vec::new()),
            #[cfg(feature = "parquet")]
            ExportFormat::Parquet => Body::Parquet(super::parquet::Columns::new(&self.columns)),
            #[cfg(not(feature = "parquet"))]
            ExportFormat::Parquet => Body::JsonLines(Vec::new()),
        };
        Block { rows: 0, body, text: String::new() }
    }

    /// Adds the record of a row; one value for each field of the table.
    pub(super) fn add(&self, block: &mut Block, key: &[u8], record: &[Value<'_>]) -> Result<(), ExportError> {
        let values = self.columns.iter().map(|column| {
            let value = record.get(column.id.0).unwrap_or(&Value::Null);
            (column, value)
        });
        let text = &mut block.text;
        match &mut block.body {
            Body::Csv(csv) => {
                for (column, value) in values {
                    text.clear();
                    let _ = write!(text, "{value}");
                    if text.is_empty() && !self.empty_cells {
                        column.refuse_another_empty_value(key, value)?;
                    }
                    csv.write_field(&*text).map_err(io::Error::from)?;
                }
                csv.write_record(None::<&[u8]>).map_err(io::Error::from)?;
            }
            Body::JsonLines(lines) => {
                for (at, (column, value)) in values.enumerate() {
                    lines.push(if at == 0 { b'{' } else { b',' });
                    json_text(lines, &column.name)?;
                    lines.push(b':');
                    json(lines, value, text)?;
                }
                lines.extend_from_slice(b"}\n");
            }
            #[cfg(feature = "parquet")]
            Body::Parquet(columns) => {
                for (at, (column, value)) in values.enumerate() {
                    let misfit = || ExportError::Misfit { row: key.to_vec(), field: column.name.clone() };
                    columns.add(at, value).ok_or_else(misfit)?;
                }
            }
        }
        block.rows += 1;
        Ok(())
    }

    /// The piece that a block became.
    pub(super) fn piece(&self, block: Block) -> io::Result<FilePiece> {
        Ok(match block.body {
            Body::Csv(csv) => {
                FilePiece::Text(self.pack(csv.into_inner().map_err(|error| error.into_error())?)?)
            }
            Body::JsonLines(lines) => FilePiece::Text(self.pack(lines)?),
            #[cfg(feature = "parquet")]
            Body::Parquet(columns) => FilePiece::Parquet(columns),
        })
    }

    fn pack(&self, text: Vec<u8>) -> io::Result<Vec<u8>> {
        match self.compression {
            Compression::None => Ok(text),
            Compression::Gzip => {
                let packed = Vec::with_capacity(text.len() / 4);
                let mut gzip = flate2::write::GzEncoder::new(packed, flate2::Compression::default());
                gzip.write_all(&text)?;
                gzip.finish()
            }
            #[cfg(feature = "zstd")]
            Compression::Zstd => zstd::stream::encode_all(text.as_slice(), zstd::DEFAULT_COMPRESSION_LEVEL),
            #[cfg(not(feature = "zstd"))]
            Compression::Zstd => Err(io::Error::other("built without zstd")),
        }
    }
}

impl Block {
    pub(super) fn is_full(&self) -> bool {
        let bytes = match &self.body {
            Body::Csv(csv) => csv.get_ref().len(),
            Body::JsonLines(lines) => lines.len(),
            #[cfg(feature = "parquet")]
            Body::Parquet(columns) => columns.bytes(),
        };
        bytes >= BLOCK
    }
}

impl Column {
    /// Refuses an empty cell that would be read as another value than it was.
    fn refuse_another_empty_value(&self, row: &[u8], value: &Value<'_>) -> Result<(), ExportError> {
        let takes_empty = matches!(self.ty.kind(), Kind::Text | Kind::Bytes);
        let (value, read) = match (value, self.nullable) {
            (Value::Null, false) if takes_empty => ("null", "an empty text"),
            (Value::Null, _) | (_, false) => return Ok(()),
            (_, true) => ("an empty text", "null"),
        };
        Err(ExportError::EmptyCell { row: row.to_vec(), field: self.name.clone(), value, read })
    }
}

fn json_text(out: &mut Vec<u8>, text: &str) -> io::Result<()> {
    Ok(serde_json::to_writer(out, text)?)
}

/// A value as JSON has it, or as the text that is read back.
fn json(out: &mut Vec<u8>, value: &Value<'_>, text: &mut String) -> io::Result<()> {
    match value {
        Value::Text(text) => json_text(out, text),
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Float32(_) => {
            Ok(serde_json::to_writer(out, &json_value(value))?)
        }
        other => {
            text.clear();
            let _ = write!(text, "{other}");
            json_text(out, text)
        }
    }
}

/// Numbers, booleans and null as JSON has them; everything else as the text that rowkey reads back.
pub fn json_value(value: &Value<'_>) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(bool) => Json::Bool(*bool),
        Value::Int(number) => match (i64::try_from(*number), u64::try_from(*number)) {
            (Ok(number), _) => number.into(),
            (_, Ok(number)) => number.into(),
            _ => number.to_string().into(),
        },
        Value::Float(number) if number.is_finite() => (*number).into(),
        // The number of 64 bits with the same text, which is what is printed.
        Value::Float32(number) if number.is_finite() => {
            number.to_string().parse().map_or(Json::Null, f64::into)
        }
        other => other.to_string().into(),
    }
}

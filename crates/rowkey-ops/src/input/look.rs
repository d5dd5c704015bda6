//! Recognises the format of data by its first bytes.
//!
//! - **Compression** and **Parquet** by how they begin, whatever the file is called.
//! - **JSON**, if the first character is a brace, or a bracket with an object behind it: lines if the first line is a whole object,
//!   otherwise objects over several lines. Anything else is CSV, unless the name says JSON or Parquet, which then do not hold up.
//! - **What stands between cells**: the sign of `, ; tab |` by which the first records all have as many cells as the first line, and more
//!   than one; a comma if it does, otherwise the one that gives the most. A file called `.tsv` has tabs.
//!
//! What the caller asked for is taken without a look. What is known and cannot be read (xz, zip, UTF-16, …) is refused with its cure.

use rowkey_core::remedy::Remedy;
use std::io::Read;
use std::path::Path;

use super::compressed::Compression;
use super::dialect::{Dialect, InputOptions};
use super::error::InputError;
use super::json_value::JsonObject;
use super::{Format, Source};

/// So much of the beginning is looked at.
pub(super) const HEAD: usize = 64 << 10;
/// So many records say what stands between cells.
const RECORDS: usize = 50;
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// What data was found to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Look {
    pub(crate) compression: Compression,
    pub(crate) format: Format,
    /// What stands between cells of CSV.
    pub(super) delimiter: u8,
    /// What was guessed and is not the usual, in words.
    pub(super) guessed: Vec<String>,
    /// The settings that say otherwise.
    pub(super) settings: Vec<Remedy>,
}

impl Look {
    /// Looks at the beginning of data.
    pub(crate) fn at(
        head: &[u8],
        name: Option<&Path>,
        asked: &InputOptions,
        label: &str,
    ) -> Result<Self, InputError> {
        let (mut guessed, mut settings) = (Vec::new(), Vec::new());
        let compression = asked.compression.unwrap_or_else(|| Compression::of(head));
        if asked.compression.is_none() && compression != Compression::None {
            guessed.push(compression.name().to_owned());
            settings.push(Remedy::Unpack);
        }
        let unpacked;
        let head = match compression {
            Compression::None => head,
            _ => {
                unpacked = beginning(compression, head, label)?;
                unpacked.as_slice()
            }
        };
        if asked.format.is_none() {
            refuse(head, label)?;
        }
        let text = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head);
        let by_name = name.map(|name| Format::of(&without_packing(name)));
        let format = asked.format.unwrap_or_else(|| format(text, by_name));
        if asked.format.is_none() && format != by_name.unwrap_or(Format::Csv) {
            guessed.push(format.words().to_owned());
            settings.push(Remedy::Format);
        }
        if format == Format::Parquet && compression != Compression::None {
            let what = "compressed Parquet".to_owned();
            let cure = "unpack it first (gzip -d, zstd -d): Parquet says what is in it at its end";
            return Err(InputError::NotRead { data: label.to_owned(), what, cure });
        }
        let tsv = name.is_some_and(|name| without_packing(name).extension().is_some_and(|own| own == "tsv"));
        let delimiter = match asked.dialect.delimiter {
            Some(delimiter) => delimiter,
            None if format == Format::Csv => delimiter(text, tsv),
            None => b',',
        };
        if asked.dialect.delimiter.is_none() && delimiter != b',' {
            guessed.push(format!("CSV with {} between cells", shown(delimiter)));
            settings.push(Remedy::Delimiter);
        }
        Ok(Self { compression, format, delimiter, guessed, settings })
    }
}

impl Look {
    /// What was asked for, and found.
    pub(crate) fn dialect(&self, asked: &InputOptions) -> Dialect {
        Dialect { delimiter: Some(self.delimiter), ..asked.dialect.clone() }
    }

    /// The unpacked bytes of a file, JSON as an object per line.
    pub(crate) fn source(&self, file: std::fs::File) -> std::io::Result<Source> {
        Ok(Source::stream(self.compression.unpack(file)?).as_lines(self.format))
    }
}

/// A delimiter in words.
pub(super) fn shown(delimiter: u8) -> String {
    match delimiter {
        b'\t' => "tabs".to_owned(),
        other => format!("`{}`", char::from(other).escape_debug()),
    }
}

/// The name without what says how it is packed: `a.csv.gz` is `a.csv`.
fn without_packing(name: &Path) -> std::path::PathBuf {
    let packed = name
        .extension()
        .and_then(|own| own.to_str())
        .is_some_and(|own| ["gz", "zst", "zstd", "gzip"].iter().any(|known| own.eq_ignore_ascii_case(known)));
    if packed { name.with_extension("") } else { name.to_owned() }
}

/// The unpacked beginning of packed data.
fn beginning(compression: Compression, head: &[u8], label: &str) -> Result<Vec<u8>, InputError> {
    let failed = |error: std::io::Error| InputError::open(label, error);
    let mut unpacked = Vec::new();
    let mut stream = compression.unpack(std::io::Cursor::new(head.to_vec())).map_err(failed)?;
    let mut piece = vec![0; 4096];
    while unpacked.len() < HEAD {
        match stream.read(&mut piece) {
            Ok(0) => break,
            Ok(read) => unpacked.extend_from_slice(piece.get(..read).unwrap_or_default()),
            // The head may end anywhere. If nothing can be had of it, it is not what it seems.
            Err(error) if unpacked.is_empty() => return Err(failed(error)),
            Err(_) => break,
        }
    }
    Ok(unpacked)
}

/// Refuses what is known and cannot be read.
fn refuse(head: &[u8], label: &str) -> Result<(), InputError> {
    let (what, cure) = match head {
        [b'P', b'K', 3, 4, ..] => (
            "a zip file or a workbook of Excel",
            "unpack it, or save the sheet as CSV: `unzip -p FILE | rowkey … -`",
        ),
        [0xFD, b'7', b'z', b'X', b'Z', 0, ..] => {
            ("compressed with xz", "unpack it on the way: `xz -dc FILE | rowkey … -`")
        }
        [b'B', b'Z', b'h', b'1'..=b'9', ..] => {
            ("compressed with bzip2", "unpack it on the way: `bzip2 -dc FILE | rowkey … -`")
        }
        [0x04, 0x22, 0x4D, 0x18, ..] => {
            ("compressed with lz4", "unpack it on the way: `lz4 -dc FILE | rowkey … -`")
        }
        [b'O', b'R', b'C', ..] => ("ORC", "convert it to Parquet"),
        [b'O', b'b', b'j', 1, ..] => ("Avro", "convert it to Parquet or JSON Lines"),
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => {
            ("UTF-16", "convert it on the way: `iconv -f UTF-16 -t UTF-8 FILE | rowkey … -`")
        }
        [b'S', b'Q', b'L', b'i', b't', b'e', ..] => ("a database of SQLite", "export the table as CSV"),
        _ => return Ok(()),
    };
    Err(InputError::NotRead { data: label.to_owned(), what: what.to_owned(), cure })
}

fn format(text: &[u8], by_name: Option<Format>) -> Format {
    if text.starts_with(b"PAR1") {
        return Format::Parquet;
    }
    let trimmed = text.trim_ascii_start();
    match trimmed {
        [b'[', rest @ ..] if matches!(rest.trim_ascii_start(), [] | [b'{' | b']', ..]) => Format::Json,
        [b'{', rest @ ..] if matches!(rest.trim_ascii_start(), [] | [b'"' | b'}', ..]) => {
            let mut lines = trimmed.split(|byte| *byte == b'\n').map(|line| line.trim_ascii());
            match (JsonObject::read(lines.next().unwrap_or_default()), lines.next()) {
                // A line of its own, also if it is a bad one or longer than what was looked at.
                (Ok(_), _) | (Err(_), None) => Format::JsonLines,
                (Err(_), Some(next)) if next.starts_with(b"{") => Format::JsonLines,
                // The object goes on in the next line.
                (Err(_), Some(_)) => Format::Json,
            }
        }
        _ => by_name.unwrap_or(Format::Csv),
    }
}

/// What stands between cells.
fn delimiter(text: &[u8], tsv: bool) -> u8 {
    const SIGNS: [u8; 4] = *b",;\t|";
    if tsv {
        return b'\t';
    }
    // The last record may be cut off.
    let whole = match memchr::memrchr(b'\n', text) {
        Some(end) if text.len() >= HEAD => text.get(..=end).unwrap_or_default(),
        _ => text,
    };
    let mut best = (b',', 1);
    for sign in SIGNS {
        let cells = cells(whole, sign);
        match cells {
            Some(cells) if cells > 1 && sign == b',' => return sign,
            Some(cells) if cells > best.1 => best = (sign, cells),
            _ => {}
        }
    }
    if best.1 > 1 {
        return best.0;
    }
    // No sign gives every record as many cells: the one that the names have, if there is only one.
    let first = whole.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let mut has = SIGNS.into_iter().filter(|sign| first.contains(sign));
    match (has.next(), has.next()) {
        (Some(only), None) => only,
        _ => b',',
    }
}

/// How many cells the first line has, if the first records all have as many.
fn cells(text: &[u8], delimiter: u8) -> Option<usize> {
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(text);
    let (mut record, mut cells) = (csv::ByteRecord::new(), None);
    for _ in 0..RECORDS {
        match reader.read_byte_record(&mut record) {
            Ok(true) if *cells.get_or_insert(record.len()) == record.len() => {}
            Ok(false) => break,
            _ => return None,
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(text: &[u8], name: &str) -> Result<Look, InputError> {
        Look::at(text, Some(Path::new(name)), &InputOptions::default(), "data")
    }

    #[test]
    fn the_beginning_says_the_format() {
        for (text, name, format) in [
            ("a,b\n1,2\n", "x.csv", Format::Csv),
            ("", "x.csv", Format::Csv),
            ("{\"a\":1}\n{\"a\":2}\n", "-", Format::JsonLines),
            ("{\"a\":1}", "x.csv", Format::JsonLines),
            ("\u{feff}{\"a\":1}\n", "x", Format::JsonLines),
            ("{\n  \"a\": 1\n}\n", "x.json", Format::Json),
            ("{\"a\": 1,\n \"b\": 2}\n", "x.json", Format::Json),
            ("[{\"a\":1}]", "x.json", Format::Json),
            ("[\n\n{\"a\":1}]", "-", Format::Json),
            ("[]", "x.json", Format::Json),
            ("[id],[name]\n1,2\n", "x.csv", Format::Csv),
            ("{bad}\n{\"a\":1}\n", "x.jsonl", Format::JsonLines),
            ("{\"a\":1\n{\"a\":1}\n", "x.jsonl", Format::JsonLines),
            ("{x},b\n1,2\n", "x.csv", Format::Csv),
            ("PAR1....", "x", Format::Parquet),
            ("not", "x.parquet", Format::Parquet),
        ] {
            assert_eq!(look(text.as_bytes(), name).unwrap().format, format, "{text:?}");
        }
    }

    #[test]
    fn the_sign_between_cells_gives_all_records_as_many() {
        for (text, sign) in [
            ("a,b\n1,2\n", b','),
            ("a;b\n1,5;2\n3,7;4\n", b';'),
            ("a\tb\n1\t2\n", b'\t'),
            ("a|b|c\n1|2|3\n", b'|'),
            ("a;b", b';'),
            ("a\n1;2\n", b','),
            ("name, first;age\nx, y;7\nz;8\n", b';'),
            ("a,b;c\n1,2;3\n", b','),
            ("\"a;b\",c\n\"1;2\",3\n", b','),
            ("\"a,b\";c\n\"1,2\";3\n", b';'),
            ("", b','),
            ("a;b\n1;2;3\n", b';'),
        ] {
            assert_eq!(look(text.as_bytes(), "x.csv").unwrap().delimiter, sign, "{text:?}");
        }
        assert_eq!(look(b"a,b\n", "x.tsv.gz").unwrap().delimiter, b'\t');
        let told = look(b"a;b\n1;2\n", "x.csv").unwrap();
        assert_eq!(
            (told.guessed.concat(), told.settings),
            ("CSV with `;` between cells".to_owned(), vec![Remedy::Delimiter])
        );
        assert!(look(b"a,b\n1,2\n", "x.csv").unwrap().guessed.is_empty());
    }

    #[test]
    fn what_cannot_be_read_is_refused_with_its_cure() {
        for (head, words) in [
            (&b"PK\x03\x04"[..], "zip"),
            (b"\xFD7zXZ\0", "xz -dc"),
            (b"BZh9", "bzip2 -dc"),
            (b"\xFF\xFEa\0", "iconv -f UTF-16"),
            (b"Obj\x01", "Avro"),
        ] {
            let error = look(head, "x.csv").unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
        let error = look(b"\x1F\x8Bxx", "x.csv").unwrap_err().to_string();
        assert!(error.contains("gzip data"), "{error}");
    }
}

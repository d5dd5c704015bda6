//! The files of a data argument: one, several, those of a pattern, a folder of Parquet, or standard input.
//!
//! Each is looked at by itself ([`super::look`]); all must have one format. They are read one behind the other, in the order in which they
//! are named, those of a pattern or folder by name. Messages name the file and its own line.

use rowkey_core::remedy::Remedy;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::compressed::Compression;
use super::dialect::{Dialect, InputOptions};
use super::error::InputError;
use super::look::{HEAD, Look};
use super::{Format, Source, SourceBytes, Stream};

const NO_FILE: &str = "no file is named";

/// Data to be read, once or, if it is files, as often as needed.
pub struct Input {
    /// The format of all of it.
    pub format: Format,
    /// What it is called in messages.
    pub label: String,
    parts: Vec<DataPart>,
    /// Standard input or a pipe, until it is read.
    stream: Mutex<Option<Stream>>,
    /// Whether it is one of these.
    once: bool,
    dialect: Dialect,
    max_record: usize,
    said: Option<String>,
}

/// One of several files.
#[derive(Debug, Clone)]
pub(super) struct DataPart {
    path: PathBuf,
    pub(super) label: String,
    pub(super) look: Look,
}

impl Input {
    /// Looks at data: files, patterns with `*` and `?`, a folder of Parquet files, or `-` for standard input.
    ///
    /// # Errors
    /// When there is none, or it cannot be read, or is nothing that can.
    pub fn open(paths: &[PathBuf], asked: &InputOptions) -> Result<Self, InputError> {
        let standard_input = Path::new("-");
        let mut stream = None;
        let parts: Vec<DataPart> = match paths {
            [path] if path == standard_input || is_pipe(path) => {
                let (label, bytes): (String, Stream) = match path == standard_input {
                    true => ("standard input".to_owned(), Box::new(std::io::stdin())),
                    false => (path.display().to_string(), Box::new(opened(path)?)),
                };
                let (look, bytes) = look_at_stream(bytes, asked, &label)?;
                stream = Some(bytes);
                vec![DataPart { path: path.clone(), label, look }]
            }
            _ if paths.iter().any(|path| path == standard_input || is_pipe(path)) => {
                let why = "it cannot be read together with files; give one of both";
                return Err(InputError::open("a pipe", why));
            }
            _ => {
                let files = expand(paths)?.into_iter().map(|path| DataPart::look(path, asked));
                files.collect::<Result<_, _>>()?
            }
        };
        let Some(first) = parts.first() else {
            return Err(InputError::open("the data", NO_FILE));
        };
        let format = first.look.format;
        if let Some(other) = parts.iter().find(|part| part.look.format != format) {
            return Err(InputError::OtherFormat {
                data: other.label.clone(),
                format: other.look.format.words(),
                first: first.label.clone(),
                first_format: format.words(),
            });
        }
        let label = match parts.len() {
            1 => first.label.clone(),
            more => format!("{} and {} more", first.label, more - 1),
        };
        let said = said(&parts);
        let (dialect, max_record) = (asked.dialect.clone(), asked.max_record);
        if format != Format::Csv && (dialect.delimiter.is_some() || !dialect.nulls().is_empty()) {
            let setting = if dialect.delimiter.is_some() { Remedy::Delimiter } else { Remedy::Null };
            return Err(InputError::OnlyCsv { data: label, format: format.words(), setting });
        }
        let once = stream.is_some();
        Ok(Self { format, label, parts, stream: Mutex::new(stream), once, dialect, max_record, said })
    }

    /// What was guessed and is not the usual, with the settings that say otherwise.
    pub fn said(&self) -> Option<&str> {
        self.said.as_deref()
    }

    /// Whether it can be read again.
    pub fn is_files(&self) -> bool {
        !self.once
    }

    /// The paths of the files that are read, in order; none for a stream.
    pub fn files(&self) -> Vec<PathBuf> {
        self.parts.iter().filter(|_| !self.once).map(|part| part.path.clone()).collect()
    }

    /// How the records are written.
    pub fn dialect(&self) -> &Dialect {
        &self.dialect
    }

    /// Says more of how the records are written, as far as it was guessed.
    pub fn set_dialect(&mut self, dialect: Dialect) {
        self.dialect = dialect;
    }

    /// The bytes of all files, if they are plain text whose places are bytes of the files.
    pub fn bytes(&self) -> Option<u64> {
        let plain = |part: &DataPart| part.look.compression == Compression::None;
        if !self.is_files() || !self.parts.iter().all(plain) || self.format == Format::Json {
            return None;
        }
        self.parts.iter().map(|part| std::fs::metadata(&part.path).ok().map(|file| file.len())).sum()
    }

    /// The records, from the first file on.
    ///
    /// # Errors
    /// When a file cannot be opened, or standard input was read before.
    pub fn source(&self) -> Result<Source, InputError> {
        let mut parts: VecDeque<DataPart> = self.parts.iter().cloned().collect();
        let first = parts.pop_front().ok_or_else(|| InputError::open(&self.label, NO_FILE))?;
        let dialect = Dialect { delimiter: Some(first.look.delimiter), ..self.dialect.clone() };
        let bytes = match self.once {
            false => first.bytes()?,
            true => {
                let stream = self.stream.lock().ok().and_then(|mut stream| stream.take());
                let why = "it can be read only once; save it to a file and name that";
                SourceBytes::Stream(stream.ok_or_else(|| InputError::open(&self.label, why))?)
            }
        };
        let mut source = Source { then: parts, ..Source::new(bytes) };
        source.dialect = Arc::new(dialect);
        source.max_record = self.max_record;
        Ok(source)
    }
}

impl DataPart {
    fn look(path: PathBuf, asked: &InputOptions) -> Result<Self, InputError> {
        let label = path.display().to_string();
        let file = opened(&path)?;
        if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
            return Err(InputError::Folder { data: label });
        }
        let look = look_at_file(&file, &path, asked)?;
        Ok(Self { path, label, look })
    }

    /// The unpacked bytes of the file.
    fn bytes(&self) -> Result<SourceBytes, InputError> {
        let failed = |error: std::io::Error| InputError::open(&self.label, error);
        let file = opened(&self.path)?;
        Ok(match self.look.compression {
            Compression::None => SourceBytes::File(file),
            packed => SourceBytes::Stream(packed.unpack(file).map_err(failed)?),
        })
    }

    /// The records of the file, read as those of another.
    pub(super) fn source(&self, dialect: &Dialect, max_record: usize) -> Result<Source, InputError> {
        let dialect = Dialect { delimiter: Some(self.look.delimiter), ..dialect.clone() };
        let mut source = Source::new(self.bytes()?).max_record(max_record);
        source.dialect = Arc::new(dialect);
        Ok(source)
    }
}

fn opened(path: &Path) -> Result<File, InputError> {
    File::open(path).map_err(|error| InputError::open(path.display(), error))
}

/// Whether it is there, and neither a file nor a folder.
fn is_pipe(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

/// What a file is.
///
/// # Errors
/// When it is empty, or cannot be read, or is nothing that can.
pub(crate) fn look_at_file(file: &File, path: &Path, asked: &InputOptions) -> Result<Look, InputError> {
    let label = path.display().to_string();
    let head = head(&mut &*file).and_then(|head| {
        use std::io::Seek;
        (&mut &*file).rewind()?;
        Ok(head)
    });
    let head = head.map_err(|error| InputError::open(&label, error))?;
    if head.is_empty() {
        return Err(InputError::Empty { data: label });
    }
    Look::at(&head, Some(path), asked, &label)
}

/// What bytes are that come once, and the bytes, unpacked.
///
/// # Errors
/// As [`look_at_file`].
fn look_at_stream(
    mut stream: Stream,
    asked: &InputOptions,
    label: &str,
) -> Result<(Look, Stream), InputError> {
    let failed = |error: std::io::Error| InputError::open(label, error);
    let head = head(&mut stream).map_err(failed)?;
    if head.is_empty() && asked.format != Some(Format::Parquet) {
        return Err(InputError::Empty { data: label.to_owned() });
    }
    let look = Look::at(&head, None, asked, label)?;
    if look.format == Format::Parquet {
        return Err(InputError::NotAFile { data: label.to_owned() });
    }
    let whole = Cursor::new(head).chain(stream);
    let bytes = match look.compression {
        Compression::None => Box::new(whole) as Stream,
        packed => packed.unpack(whole).map_err(failed)?,
    };
    Ok((look, bytes))
}

fn head(bytes: &mut dyn Read) -> std::io::Result<Vec<u8>> {
    let mut head = Vec::new();
    bytes.take(HEAD as u64).read_to_end(&mut head)?;
    Ok(head)
}

/// What was guessed of all files.
fn said(parts: &[DataPart]) -> Option<String> {
    let mut told: Vec<(String, &[Remedy])> = Vec::new();
    for part in parts.iter().filter(|part| !part.look.guessed.is_empty()) {
        let text = part.look.guessed.join(", ");
        if !told.iter().any(|(known, _)| known.ends_with(&text)) {
            told.push((format!("{} is read as {text}", part.label), &part.look.settings));
        }
    }
    let mut settings: Vec<String> =
        told.iter().flat_map(|(_, settings)| settings.iter().map(Remedy::to_string)).collect();
    settings.sort_unstable();
    settings.dedup();
    let text: Vec<String> = told.into_iter().map(|(text, _)| text).collect();
    let say = if settings.len() == 1 { "says" } else { "say" };
    (!text.is_empty())
        .then(|| format!("{} (guessed; {} {say} otherwise)", text.join("; "), settings.join(" and ")))
}

/// The files that paths name: themselves, those of a pattern, the Parquet files of a folder.
///
/// # Errors
/// When a pattern or a folder names none.
pub fn expand(paths: &[PathBuf]) -> Result<Vec<PathBuf>, InputError> {
    let mut files = Vec::new();
    for path in paths {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() {
            files.extend(of_folder(path)?);
        } else if name.contains(['*', '?']) && !path.exists() {
            let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
            let found = names_in(folder)?.into_iter().filter(|own| fits(name, own) && !own.starts_with('.'));
            let found = found.map(|own| path.with_file_name(own)).filter(|path| !path.is_dir());
            let found: Vec<PathBuf> = found.collect();
            if found.is_empty() {
                return Err(InputError::NoFiles { pattern: path.display().to_string() });
            }
            files.extend(found);
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}

/// The Parquet files of a folder, as other programs write them in parts.
fn of_folder(folder: &Path) -> Result<Vec<PathBuf>, InputError> {
    let names = names_in(folder)?;
    let data = folder.display().to_string();
    // A column in the names of folders would be lost.
    if let Some(name) = names.iter().find(|name| name.contains('=') && folder.join(name).is_dir()) {
        let what = format!("a folder whose folders have values in their names (`{name}`)");
        let cure = "those columns are not in the files; write the data to files that have all columns";
        return Err(InputError::NotRead { data, what, cure });
    }
    let is_parquet = |name: &String| name.ends_with(".parquet") && !name.starts_with(['.', '_']);
    let files: Vec<PathBuf> = names.into_iter().filter(is_parquet).map(|name| folder.join(name)).collect();
    if files.is_empty() { Err(InputError::Folder { data }) } else { Ok(files) }
}

/// The names in a folder, sorted.
fn names_in(folder: &Path) -> Result<Vec<String>, InputError> {
    let failed = |error: std::io::Error| InputError::open(folder.display(), error);
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        // A name that is no text fits no pattern.
        names.extend(entry.map_err(failed)?.file_name().into_string().ok());
    }
    names.sort_unstable();
    Ok(names)
}

/// Whether a name fits a pattern, in which `*` is any text and `?` any character.
fn fits(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut of, mut star) = (0, 0, None);
    while of < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, of));
                at += 1;
            }
            Some(sign) if *sign == '?' || name.get(of) == Some(sign) => (at, of) = (at + 1, of + 1),
            _ => {
                // The last star takes one character more.
                let Some((star_at, taken)) = star else { return false };
                star = Some((star_at, taken + 1));
                (at, of) = (star_at + 1, taken + 1);
            }
        }
    }
    pattern.get(at..).unwrap_or_default().iter().all(|sign| *sign == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_names() {
        for (pattern, name, expected) in [
            ("*.csv", "a.csv", true),
            ("*.csv", "a.csv.gz", false),
            ("a?.csv*", "a1.csv.gz", true),
            ("a*b*c", "aXbbYc", true),
            ("a*b*c", "aXc", false),
            ("?", "é", true),
            ("*", "", true),
            ("", "a", false),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
    }
}

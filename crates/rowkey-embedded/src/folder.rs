//! Is this folder a store, may it become one, and of which format is it?
//!
//! ```text
//! FORMAT   one line, "rowkey store format 2"; written first, so that a folder with data always has it
//! LOCK     the owner's process id (see `lock`)
//! data/    the engine's files
//! ```
//!
//! A folder that is not ours, or of a newer format, is refused before anything in it is touched.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::EmbeddedError;
use crate::lock::{FolderLock, LOCK_FILE};

/// The format that this version writes, and the newest that it reads.
///
/// Format 1 had puts only, and tables that were always enabled; a folder of format 1 becomes one of format 2 when it is
/// opened, by a new line in `FORMAT` alone.
pub const FORMAT_VERSION: u32 = 2;

const FORMAT_FILE: &str = "FORMAT";
const FORMAT_DRAFT: &str = "FORMAT.tmp";
const FORMAT_PREFIX: &str = "rowkey store format ";
const DATA: &str = "data";

/// A folder that this process owns and whose format it knows.
pub(crate) struct Folder {
    pub(crate) data: PathBuf,
    pub(crate) lock: FolderLock,
}

impl Folder {
    /// Takes a store's folder, or makes one of a folder that is new or empty.
    pub(crate) fn claim(folder: &Path) -> Result<Self, EmbeddedError> {
        check(folder)?;
        fs::create_dir_all(folder).map_err(io("create folder", folder))?;
        let lock = FolderLock::acquire(folder)?;
        // Somebody may have made a store of it between the check and the lock.
        if check(folder)? != Some(FORMAT_VERSION) {
            write_format(folder)?;
        }
        let data = folder.join(DATA);
        clear_unfinished(&data)?;
        Ok(Self { data, lock })
    }
}

/// The folder's format; `None` if it may become a store.
pub(crate) fn check(folder: &Path) -> Result<Option<u32>, EmbeddedError> {
    let file = folder.join(FORMAT_FILE);
    match fs::read(&file) {
        Ok(content) => return parse_format(folder, &file, &content).map(Some),
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(io("read", &file)(error)),
    }
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(io("read folder", folder)(error)),
    };
    for entry in entries {
        let name = entry.map_err(io("read folder", folder))?.file_name();
        if name != OsStr::new(LOCK_FILE) && name != OsStr::new(FORMAT_DRAFT) {
            let example = name.to_string_lossy().into_owned();
            return Err(EmbeddedError::ForeignFolder { folder: folder.to_owned(), example });
        }
    }
    Ok(None)
}

fn parse_format(folder: &Path, file: &Path, content: &[u8]) -> Result<u32, EmbeddedError> {
    let text = String::from_utf8_lossy(content);
    let version = text.strip_prefix(FORMAT_PREFIX).and_then(|rest| rest.trim_end().parse::<u32>().ok());
    match version {
        Some(found) if found > FORMAT_VERSION => {
            Err(EmbeddedError::NewerFormat { folder: folder.to_owned(), found })
        }
        Some(found) if found > 0 => Ok(found),
        _ => Err(EmbeddedError::UnreadableFormat {
            file: file.to_owned(),
            content: text.chars().take(40).collect(),
        }),
    }
}

/// Written beside and renamed, so that the file is there whole or not at all.
fn write_format(folder: &Path) -> Result<(), EmbeddedError> {
    let (draft, file) = (folder.join(FORMAT_DRAFT), folder.join(FORMAT_FILE));
    let mut out = File::create(&draft).map_err(io("write", &draft))?;
    writeln!(out, "{FORMAT_PREFIX}{FORMAT_VERSION}").map_err(io("write", &draft))?;
    out.sync_all().map_err(io("write", &draft))?;
    fs::rename(&draft, &file).map_err(io("write", &file))?;
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(io("write", folder))
}

/// The engine writes its `version` file last when it makes its folder. Without that file and without a single
/// keyspace, its making was cut short, nothing was ever stored, and it starts again. Without that file but with
/// keyspaces, something was lost, and starting again would hide it.
fn clear_unfinished(data: &Path) -> Result<(), EmbeddedError> {
    let exists = |path: &Path| path.try_exists().map_err(io("read", path));
    if !exists(data)? || exists(&data.join("version"))? {
        return Ok(());
    }
    let keyspaces = data.join("keyspaces");
    if exists(&keyspaces)? {
        let mut entries = fs::read_dir(&keyspaces).map_err(io("read folder", &keyspaces))?;
        if entries.next().is_some() {
            return Err(EmbeddedError::Missing { what: format!("file {DATA}/version") });
        }
    }
    fs::remove_dir_all(data).map_err(io("remove folder", data))
}

fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> EmbeddedError + use<> {
    let path = path.to_owned();
    move |source| EmbeddedError::Io { action, path, source }
}

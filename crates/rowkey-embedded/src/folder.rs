//! The folder of a store: recognised, created, its format read, watched for being replaced.
//!
//! ```text
//! FORMAT     one line, "rowkey store format 3"; a folder with data always has it
//! MANIFEST   which keyspaces and files there are (see `disk::manifest`)
//! LOCK       the owner's process id (see `lock`)
//! data/      the engine's files
//! ```
//!
//! A folder that is not ours, or of a newer format, is refused before anything in it is touched.
//!
//! The engine knows its files by name. If the folder is moved while the store is open and another one takes its place, these names
//! are those of the other's files. So on Linux all names go by way of the handle of the folder, wherever it is moved to; and before
//! anything is written that goes by a name, [`Ground::still_ours`] looks whether the folder is where it was.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::EmbeddedError;
use crate::disk::manifest::{self, Manifest};
use crate::disk::{NamedFolder, exists, io};
use crate::lock::{FolderLock, LOCK_FILE};

/// The format that this version writes, and the newest that it reads.
///
/// Format 1 had puts only, and tables that were always enabled; formats 1 and 2 had no manifest, and no notes in the journal. A folder
/// of theirs becomes one of format 3 when it is opened.
pub const FORMAT_VERSION: u32 = 3;

const FORMAT_FILE: &str = "FORMAT";
const FORMAT_DRAFT: &str = "FORMAT.tmp";
const FORMAT_PREFIX: &str = "rowkey store format ";
const DATA: &str = "data";

/// A folder that this process owns and whose format it knows.
pub(crate) struct Ground {
    /// As the caller named it.
    folder: PathBuf,
    /// The lock file by that name, also for a process that has since changed its working directory.
    lock_path: PathBuf,
    /// The same folder, wherever it is moved to; `handle` keeps it open.
    path: PathBuf,
    _handle: Option<File>,
    manifest: Mutex<Manifest>,
    lock: FolderLock,
}

/// What a folder was before it was claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    New,
    Current,
    /// Of an older format.
    Old,
}

impl Ground {
    /// Takes a store's folder, or makes one of a folder that is new or empty.
    pub(crate) fn claim(folder: &Path) -> Result<(Self, Found), EmbeddedError> {
        check(folder)?;
        fs::create_dir_all(folder).map_err(io("create folder", folder))?;
        let lock = FolderLock::acquire(folder)?;
        // Another process may have made a store of it between the check and the lock.
        let format = check(folder)?;
        let (path, handle) = by_handle(folder);
        let manifest = match format {
            None => {
                access::tighten(folder);
                let manifest = Manifest::default();
                // On disk with the format.
                manifest.write(&path, false)?;
                write_format(&path)?;
                manifest
            }
            Some(FORMAT_VERSION) => match Manifest::read(&path, manifest::MANIFEST)? {
                Some(manifest) => manifest,
                None => unfinished_upgrade(&path)?,
            },
            Some(_) if exists(&path.join(manifest::MANIFEST))? => {
                let what = format!("names an older format than {}", manifest::MANIFEST);
                return Err(EmbeddedError::DamagedFile { file: FORMAT_FILE.into(), what });
            }
            Some(_) => Manifest::default(),
        };
        let found = match format {
            None => Found::New,
            Some(FORMAT_VERSION) => Found::Current,
            Some(_) => Found::Old,
        };
        clear_unfinished(&path.join(DATA), &manifest)?;
        let lock_path = std::path::absolute(folder.join(LOCK_FILE)).map_err(io("find", folder))?;
        let (folder, manifest) = (folder.to_owned(), Mutex::new(manifest));
        Ok((Self { folder, lock_path, path, _handle: handle, manifest, lock }, found))
    }

    /// Where the engine's files are.
    pub(crate) fn data(&self) -> NamedFolder {
        NamedFolder::data(self.path.join(DATA))
    }

    pub(crate) fn manifest(&self) -> Manifest {
        self.look(Manifest::clone)
    }

    /// Looks at the manifest while nothing changes it.
    pub(crate) fn look<T>(&self, look: impl FnOnce(&Manifest) -> T) -> T {
        look(&self.manifest.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes the manifest, on disk too. What is added may be gone after a power cut, which leaves a lower bound; what is removed may not come
    /// back.
    pub(crate) fn record(&self, change: impl FnOnce(&mut Manifest)) -> Result<(), EmbeddedError> {
        self.still_ours()?;
        let mut manifest = self.manifest.lock().unwrap_or_else(PoisonError::into_inner);
        let mut changed = manifest.clone();
        change(&mut changed);
        if changed != *manifest {
            let is_less = manifest.keyspaces.keys().any(|known| !changed.keyspaces.contains_key(known));
            changed.write(&self.path, is_less)?;
            *manifest = changed;
        }
        Ok(())
    }

    /// Records a clean close: the engine is closed, and everything is in tables.
    pub(crate) fn close(&self) -> Result<(), EmbeddedError> {
        self.still_ours()?;
        let mut manifest = self.manifest.lock().unwrap_or_else(PoisonError::into_inner);
        let mut closed = manifest.clone();
        closed.close(&self.data())?;
        if closed != *manifest {
            // A power cut may bring the one before back, which is true as well.
            closed.write(&self.path, false)?;
            *manifest = closed;
        }
        Ok(())
    }

    /// Makes a store of the present format of one that is older: its engine is closed, and everything is in tables.
    pub(crate) fn upgrade(&self, mut manifest: Manifest) -> Result<(), EmbeddedError> {
        if exists(&self.data().path)? {
            manifest.close(&self.data())?;
        }
        // Whatever a crash leaves of this is one of the two formats: see `unfinished_upgrade`.
        manifest.draft(&self.path)?;
        write_format(&self.path)?;
        Manifest::put_in_place(&self.path, true)?;
        *self.manifest.lock().unwrap_or_else(PoisonError::into_inner) = manifest;
        Ok(())
    }

    /// Whether the folder of this name is still the one that was opened.
    pub(crate) fn still_ours(&self) -> Result<(), EmbeddedError> {
        if self.lock.is_at(&self.lock_path) {
            return Ok(());
        }
        Err(EmbeddedError::Moved { folder: self.folder.clone() })
    }

    /// Takes the right to look into the folder from other users; `false` if they had none.
    pub(crate) fn tighten(&self) -> bool {
        access::tighten(&self.path)
    }
}

/// Names that lead to this folder also when it is moved.
fn by_handle(folder: &Path) -> (PathBuf, Option<File>) {
    #[cfg(target_os = "linux")]
    {
        use std::os::fd::AsRawFd;
        if let Ok(handle) = File::open(folder) {
            let path = PathBuf::from(format!("/proc/self/fd/{}", handle.as_raw_fd()));
            let same = |file: &str| {
                let id = |path: &Path| identity(&fs::metadata(path.join(file)).ok()?);
                id(&path).is_some() && id(&path) == id(folder)
            };
            if same(LOCK_FILE) {
                return (path, Some(handle));
            }
        }
    }
    (folder.to_owned(), None)
}

/// Between its two renames, an upgrade leaves the new format and a draft of the manifest.
fn unfinished_upgrade(path: &Path) -> Result<Manifest, EmbeddedError> {
    let missing = || EmbeddedError::Missing { what: format!("file {}", manifest::MANIFEST) };
    let manifest = Manifest::read(path, manifest::DRAFT)?.ok_or_else(missing)?;
    Manifest::put_in_place(path, true)?;
    Ok(manifest)
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
    let unfinished = [LOCK_FILE, FORMAT_DRAFT, manifest::MANIFEST, manifest::DRAFT].map(OsStr::new);
    for entry in entries {
        let name = entry.map_err(io("read folder", folder))?.file_name();
        if name == OsStr::new(DATA) && exists(&folder.join(manifest::MANIFEST))? {
            return Err(EmbeddedError::Missing { what: format!("file {FORMAT_FILE}") });
        }
        if !unfinished.contains(&name.as_os_str()) {
            let example = name.to_string_lossy().into_owned();
            return Err(EmbeddedError::ForeignFolder { folder: folder.to_owned(), example });
        }
    }
    Ok(None)
}

fn parse_format(folder: &Path, file: &Path, content: &[u8]) -> Result<u32, EmbeddedError> {
    let text = String::from_utf8_lossy(content);
    let line = text.strip_prefix(FORMAT_PREFIX).and_then(|rest| rest.strip_suffix('\n'));
    let version = line.and_then(|number| number.parse::<u32>().ok());
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
    let mut out = create_private(&draft).map_err(io("write", &draft))?;
    writeln!(out, "{FORMAT_PREFIX}{FORMAT_VERSION}").map_err(io("write", &draft))?;
    out.sync_all().map_err(io("write", &draft))?;
    fs::rename(&draft, &file).map_err(io("write", &file))?;
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(io("write", folder))
}

/// The engine writes its `version` file last when it makes its folder. Without that file and without a single
/// keyspace, its making was cut short, nothing was ever stored, and it starts again. Without that file but with
/// keyspaces, something was lost, and starting again would hide it.
fn clear_unfinished(data: &Path, manifest: &Manifest) -> Result<(), EmbeddedError> {
    let missing = |what: &str| Err(EmbeddedError::Missing { what: format!("{what}{DATA}/version") });
    if !exists(data)? {
        return if manifest.keyspaces.is_empty() { Ok(()) } else { missing("folder ") };
    }
    if exists(&data.join("version"))? {
        return Ok(());
    }
    let keyspaces = data.join("keyspaces");
    if !manifest.keyspaces.is_empty() {
        return missing("file ");
    }
    if exists(&keyspaces)? {
        let mut entries = fs::read_dir(&keyspaces).map_err(io("read folder", &keyspaces))?;
        if entries.next().is_some() {
            return missing("file ");
        }
    }
    fs::remove_dir_all(data).map_err(io("remove folder", data))
}

/// Creates a file that only its owner can read, or empties the one that is there.
pub(crate) fn create_private(path: &Path) -> std::io::Result<File> {
    access::options().write(true).create(true).truncate(true).open(path)
}

pub(crate) use access::{identity, is_open_to_others, options as private};

#[cfg(unix)]
mod access {
    use std::fs::{self, Metadata, OpenOptions, Permissions};
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
    use std::path::Path;

    pub(crate) fn options() -> OpenOptions {
        let mut options = OpenOptions::new();
        options.mode(0o600);
        options
    }

    pub(crate) fn identity(file: &Metadata) -> Option<(u64, u64)> {
        Some((file.dev(), file.ino()))
    }

    pub(crate) fn is_open_to_others(folder: &Path) -> bool {
        fs::metadata(folder).is_ok_and(|folder| folder.mode() & 0o077 != 0)
    }

    /// Takes every right from other users; `false` if they had none, or another user owns the folder.
    pub(super) fn tighten(folder: &Path) -> bool {
        let Ok(mode) = fs::metadata(folder).map(|folder| folder.mode()) else { return false };
        mode & 0o077 != 0 && fs::set_permissions(folder, Permissions::from_mode(mode & 0o700)).is_ok()
    }
}

#[cfg(not(unix))]
mod access {
    use std::fs::{Metadata, OpenOptions};
    use std::path::Path;

    pub(crate) fn options() -> OpenOptions {
        OpenOptions::new()
    }

    pub(crate) fn identity(_: &Metadata) -> Option<(u64, u64)> {
        None
    }

    pub(crate) fn is_open_to_others(_: &Path) -> bool {
        false
    }

    pub(super) fn tighten(_: &Path) -> bool {
        false
    }
}

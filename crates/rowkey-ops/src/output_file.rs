//! Files that rowkey writes: never an input, never a file that it did not write, whole or not at all.
//!
//! An output is written to a draft beside it and then renamed. The draft is created exclusively, so a symbolic link or a FIFO
//! in its place is not followed or opened. Renaming replaces a link and leaves what the link points to alone.
//!
//! **Law** (below, and `tests/output_files.rs` of the program): whatever an output is called, no byte of an input changes, and
//! of another existing file only if the caller says that it may be replaced.

use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// What may become of a file that is there already.
#[derive(Debug, Clone, Copy)]
pub enum Existing {
    /// It stays, and the output is refused.
    Refuse,
    /// It is replaced if this recognises its first [`HEAD`] bytes as written by rowkey.
    Own(fn(&[u8]) -> bool),
    /// It is replaced.
    Replace,
}

/// Who may read a new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readers {
    /// Every user that the umask allows.
    Umask,
    /// Its owner alone.
    Owner,
}

/// How much of an existing file is read to recognise it.
pub const HEAD: u64 = 4096;

/// Why a file was not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// It is the same file as an input, perhaps by way of a link.
    #[error("{} is the same file as the input {}; name another file for the output", path.display(), input.display())]
    IsInput {
        /// The file that was to be written.
        path: PathBuf,
        /// The input, as it was named.
        input: PathBuf,
    },
    /// There is such a file.
    #[error("{} exists and was not written by this command; move it away, or name another file", path.display())]
    Exists {
        /// The file that was to be written.
        path: PathBuf,
    },
    /// It is a folder, FIFO, socket, device or symbolic link.
    #[error("{} is {kind}, and must be a regular file; move it away, or name another file", path.display())]
    NotAFile {
        /// The file that was to be written.
        path: PathBuf,
        /// What it is, with its article.
        kind: &'static str,
    },
    /// It cannot be written.
    #[error("could not write {}", path.display())]
    Write {
        /// The file that was to be written.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
}

/// Sees whether a file may be written, before the work that it is for.
///
/// # Errors
/// As [`write()`].
pub fn check(path: &Path, existing: Existing, inputs: &[&Path]) -> Result<(), OutputError> {
    replaced(path, existing, inputs).map(|_| ())
}

/// Writes a file by what `fill` does; after an error what was there is still there. A file that is replaced hands on its
/// permissions.
///
/// # Errors
/// When the file is an input or may not be replaced, or cannot be written.
pub fn write(
    path: &Path,
    existing: Existing,
    inputs: &[&Path],
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), OutputError> {
    write_for(Readers::Umask, path, existing, inputs, fill)
}

/// As [`write()`], with the permissions that `readers` says.
///
/// # Errors
/// As [`write()`].
pub fn write_for(
    readers: Readers,
    path: &Path,
    existing: Existing,
    inputs: &[&Path],
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), OutputError> {
    let replaced = replaced(path, existing, inputs)?;
    let failed = |source| OutputError::Write { path: path.to_owned(), source };
    let (draft, file) = Draft::beside(path, readers).map_err(failed)?;
    let mut out = BufWriter::with_capacity(1 << 16, file);
    let filled = fill(&mut out).and_then(|()| out.flush());
    let filled = filled.and_then(|()| match &replaced {
        Some(old) => out.get_ref().set_permissions(old.permissions()),
        None => Ok(()),
    });
    drop(out);
    filled.map_err(failed)?;
    let placed = if replaced.is_some() { fs::rename(&draft.0, path) } else { draft.place_new(path) };
    placed.map_err(|source| match source.kind() {
        ErrorKind::AlreadyExists => OutputError::Exists { path: path.to_owned() },
        _ => failed(source),
    })
}

/// Removes a file that [`write()`] would replace; `false` if there is none.
///
/// # Errors
/// When the file may not be replaced, or cannot be removed.
pub fn remove(path: &Path, existing: Existing) -> Result<bool, OutputError> {
    if replaced(path, existing, &[])?.is_none() {
        return Ok(false);
    }
    fs::remove_file(path).map_err(|source| OutputError::Write { path: path.to_owned(), source })?;
    Ok(true)
}

/// The file that the output replaces, if it may.
fn replaced(path: &Path, existing: Existing, inputs: &[&Path]) -> Result<Option<Metadata>, OutputError> {
    let own = |path: &Path| path.to_owned();
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(OutputError::Write { path: own(path), source }),
    };
    // Through links, for it is what they lead to that must not be an input.
    if let Ok(target) = fs::metadata(path) {
        for input in inputs {
            if fs::metadata(input).is_ok_and(|input| is_same_file(&target, &input)) {
                return Err(OutputError::IsInput { path: own(path), input: own(input) });
            }
        }
        if !target.is_file() {
            return Err(OutputError::NotAFile { path: own(path), kind: kind(&target) });
        }
    }
    let may_be_replaced = match existing {
        Existing::Refuse => false,
        Existing::Own(is_own) => found.is_file() && head(path).is_ok_and(|head| is_own(&head)),
        Existing::Replace => true,
    };
    if may_be_replaced { Ok(Some(found)) } else { Err(OutputError::Exists { path: own(path) }) }
}

fn head(path: &Path) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    open_regular(path, Links::Refused, OpenOptions::new().read(true))?.take(HEAD).read_to_end(&mut head)?;
    Ok(head)
}

/// A file on its way to its name; what is left of it goes when it is dropped.
struct Draft(PathBuf);

/// Drafts that are being written.
static DRAFTS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

impl Draft {
    fn beside(path: &Path, readers: Readers) -> io::Result<(Self, File)> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        if readers == Readers::Owner {
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        }
        let mut number = 0;
        loop {
            let mut name: OsString = path.as_os_str().to_owned();
            name.push(format!(".{}-{number}.rowkey-draft", std::process::id()));
            let name = PathBuf::from(name);
            match options.open(&name) {
                Ok(file) => {
                    DRAFTS.lock().unwrap_or_else(PoisonError::into_inner).push(name.clone());
                    return Ok((Self(name), file));
                }
                // Of an earlier process with this id, or not ours at all.
                Err(error) if error.kind() == ErrorKind::AlreadyExists && number < 1000 => number += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// Gives it a name that no file has.
    fn place_new(&self, path: &Path) -> io::Result<()> {
        match fs::hard_link(&self.0, path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(error),
            // A file system without hard links.
            Err(_) => fs::rename(&self.0, path),
            Ok(()) => Ok(()),
        }
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
        DRAFTS.lock().unwrap_or_else(PoisonError::into_inner).retain(|draft| *draft != self.0);
    }
}

/// Removes the drafts of outputs that are being written, for a process that is about to end in their middle.
pub fn remove_drafts() {
    for draft in DRAFTS.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
        let _ = fs::remove_file(draft);
    }
}

/// Whether a symbolic link is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Links {
    Followed,
    Refused,
}

/// Opens a regular file; anything else is refused, and a FIFO without a writer is not waited for.
pub(crate) fn open_regular(path: &Path, links: Links, options: &mut OpenOptions) -> io::Result<File> {
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        let links = if links == Links::Refused { OFlags::NOFOLLOW } else { OFlags::empty() };
        options.custom_flags((links | OFlags::NONBLOCK).bits().cast_signed());
    }
    if links == Links::Refused && fs::symlink_metadata(path)?.is_symlink() {
        return Err(not_regular("a symbolic link"));
    }
    // A socket cannot be opened at all; its kind is the better answer.
    let file = options.open(path).map_err(|error| match fs::metadata(path) {
        Ok(found) if !found.is_file() => not_regular(kind(&found)),
        _ => error,
    })?;
    let found = file.metadata()?;
    if found.is_file() { Ok(file) } else { Err(not_regular(kind(&found))) }
}

fn not_regular(kind: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, format!("it is {kind}, and must be a regular file"))
}

/// The bytes of a file that rowkey keeps beside others, such as a checkpoint; `None` if there is none.
pub(crate) fn read_own(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    match open_regular(path, Links::Refused, OpenOptions::new().read(true)) {
        Ok(mut file) => file.read_to_end(&mut bytes).map(|_| Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Removes such a file, if it is there.
pub(crate) fn remove_own(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Whether two paths led to one file.
#[cfg(unix)]
pub(crate) fn is_same_file(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

/// Whether two paths led to one file; elsewhere than on Unix the nearest answer.
#[cfg(not(unix))]
pub(crate) fn is_same_file(a: &Metadata, b: &Metadata) -> bool {
    (a.len(), a.modified().ok(), a.created().ok()) == (b.len(), b.modified().ok(), b.created().ok())
}

pub(crate) fn kind(found: &Metadata) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let kind = found.file_type();
        if kind.is_fifo() {
            return "a FIFO";
        }
        if kind.is_socket() {
            return "a socket";
        }
        if kind.is_char_device() || kind.is_block_device() {
            return "a device";
        }
    }
    if found.is_dir() { "a folder" } else { "no regular file" }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    const OWN: Existing = Existing::Own(|head| head.starts_with(b"own"));
    const FOREIGN: &[u8] = b"Dear reader,\n";

    /// What the name of an output can lead to, and whether each of [`OWN`] and [`Existing::Replace`] lets it go.
    type Case = (&'static str, fn(&Path, &Path) -> io::Result<()>, bool, bool);
    const CASES: [Case; 8] = [
        ("an own file", |at, _| fs::write(at, "own 1"), true, true),
        ("another file", |at, _| fs::write(at, FOREIGN), false, true),
        ("an empty file", |at, _| fs::write(at, ""), false, true),
        ("a link to a file", |at, _| std::os::unix::fs::symlink("victim", at), false, true),
        ("a link to an input", |at, input| std::os::unix::fs::symlink(input, at), false, false),
        ("a link to nothing", |at, _| std::os::unix::fs::symlink("nothing", at), false, true),
        ("an input", |at, input| fs::hard_link(input, at), false, false),
        ("a folder", |at, _| fs::create_dir(at), false, false),
    ];

    #[test]
    fn no_input_and_no_file_of_another_changes_unless_the_caller_says_so() {
        for (what, make, own, replace) in CASES {
            for (existing, may) in [(Existing::Refuse, false), (OWN, own), (Existing::Replace, replace)] {
                let folder = tempfile::tempdir().unwrap();
                let [at, input, victim] = ["out", "input", "victim"].map(|name| folder.path().join(name));
                // An input that looks like one of our outputs is an input all the same.
                fs::write(&input, "own input").unwrap();
                fs::write(&victim, FOREIGN).unwrap();
                make(&at, &input).unwrap();
                let before = (fs::symlink_metadata(&at).unwrap().file_type(), fs::read(&at).ok());
                let names = || fs::read_dir(folder.path()).unwrap().count();
                let files = names();
                assert_eq!(check(&at, existing, &[&input]).is_ok(), may, "{what}, {existing:?}");
                let written = write(&at, existing, &[&input], |out| out.write_all(b"own 2"));
                assert_eq!(written.is_ok(), may, "{what}, {existing:?}");
                if may {
                    assert_eq!(fs::read(&at).unwrap(), b"own 2");
                    assert!(fs::symlink_metadata(&at).unwrap().is_file());
                } else {
                    let after = (fs::symlink_metadata(&at).unwrap().file_type(), fs::read(&at).ok());
                    assert_eq!(after, before, "{what}, {existing:?}");
                }
                assert_eq!(fs::read(&input).unwrap(), b"own input");
                assert_eq!(fs::read(&victim).unwrap(), FOREIGN);
                assert_eq!(names(), files, "a draft is left: {what}, {existing:?}");
            }
        }
    }

    #[test]
    fn what_may_be_replaced_may_be_removed_and_nothing_else() {
        for (what, make, own, _) in CASES {
            let folder = tempfile::tempdir().unwrap();
            let [at, input] = ["out", "input"].map(|name| folder.path().join(name));
            fs::write(&input, FOREIGN).unwrap();
            assert!(!remove(&at, OWN).unwrap());
            make(&at, &input).unwrap();
            assert_eq!(remove(&at, OWN).ok(), own.then_some(true), "{what}");
            assert_eq!(fs::symlink_metadata(&at).is_ok(), !own, "{what}");
            assert_eq!(fs::read(&input).unwrap(), FOREIGN);
        }
    }
}

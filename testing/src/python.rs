//! Python with packages that the tests ask as a judge from outside.

use std::path::Path;
use std::process::Command;

use crate::registry_tool::run;
use crate::{Result, cache};

/// Python with pyarrow: the system's, if it has it, or one that finds it in the cache, where pip puts it once.
///
/// # Errors
///
/// [`crate::Error::ToolMissing`] without Python, [`crate::Error::Command`] with what pip said after three attempts.
pub fn with_pyarrow(progress: &mut dyn FnMut(&str)) -> Result<Command> {
    let mut own = Command::new("python3");
    if own.args(["-c", "import pyarrow"]).output().is_ok_and(|output| output.status.success()) {
        return Ok(Command::new("python3"));
    }
    with_package("pyarrow-1", "pyarrow", progress)
}

/// Python with happybase, the usual client of HBase's Thrift server.
///
/// # Errors
///
/// As [`with_pyarrow`].
pub fn with_happybase(progress: &mut dyn FnMut(&str)) -> Result<Command> {
    with_package("happybase-1", "happybase==1.3.0", progress)
}

/// Python with black, which formats Python: `python3 -m black`.
///
/// # Errors
///
/// As [`with_pyarrow`].
pub fn with_black(progress: &mut dyn FnMut(&str)) -> Result<Command> {
    with_package("black-1", "black>=24", progress)
}

/// Python with mypy, which checks types: `python3 -m mypy`.
///
/// # Errors
///
/// As [`with_pyarrow`].
pub fn with_mypy(progress: &mut dyn FnMut(&str)) -> Result<Command> {
    with_package("mypy-1", "mypy>=1.8", progress)
}

/// Python that finds a package in the cache, where pip puts it once.
fn with_package(name: &str, package: &str, progress: &mut dyn FnMut(&str)) -> Result<Command> {
    let modules = cache::folder()?.join(name);
    cache::ensure(&modules, progress, |folder, progress| {
        progress(&format!("fetching {package} by pip, once on this machine"));
        run("python3", &["-m", "pip", "install", "--quiet", "--target", ".", package], folder)
    })?;
    Ok(at(&modules))
}

fn at(modules: &Path) -> Command {
    let mut python = Command::new("python3");
    python.env("PYTHONPATH", modules);
    python
}

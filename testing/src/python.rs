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
    let modules = cache::folder()?.join("pyarrow-1");
    cache::ensure(&modules, progress, |folder, progress| {
        progress("fetching pyarrow by pip, 50 MB, once on this machine");
        run("python3", &["-m", "pip", "install", "--quiet", "--target", ".", "pyarrow"], folder)
    })?;
    Ok(at(&modules))
}

fn at(modules: &Path) -> Command {
    let mut python = Command::new("python3");
    python.env("PYTHONPATH", modules);
    python
}

//! The workspace and its cargo.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Failure, Outcome};

/// The folder of the workspace's `Cargo.toml`.
pub(crate) fn root() -> &'static Path {
    let manifest_dir = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest_dir.parent().unwrap_or(manifest_dir)
}

/// The folder that cargo builds into.
pub(crate) fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) if !folder.is_empty() => root().join(folder),
        _ => root().join("target"),
    }
}

/// A path as a person would type it in the root of the workspace.
pub(crate) fn typed(path: &Path) -> &str {
    path.strip_prefix(root()).unwrap_or(path).to_str().unwrap_or("?")
}

/// A program that runs in the root of the workspace.
pub(crate) fn program(name: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(name);
    command.current_dir(root());
    command
}

/// The cargo that started us, otherwise the one on `PATH`.
pub(crate) fn cargo() -> Command {
    program(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// The release build of the program, made anew if it has to be.
pub(crate) fn release_build() -> Result<PathBuf, Failure> {
    let mut build = cargo();
    build.args(["build", "--release", "--locked", "--package", "rowkey-cli"]);
    succeed(build)?;
    Ok(target().join("release").join("rowkey"))
}

/// Runs a program that must succeed.
pub(crate) fn succeed(mut command: Command) -> Outcome {
    let name = Path::new(command.get_program()).file_stem().unwrap_or_default().to_owned();
    let words =
        std::iter::once(name.as_os_str()).chain(command.get_args()).map(|word| word.to_string_lossy());
    let line = words.collect::<Vec<_>>().join(" ");
    // What was printed before comes first.
    io::stdout().flush()?;
    let status = command.status().map_err(Failure::cannot(&format!("run `{line}`")))?;
    match status.success() {
        true => Ok(()),
        false => Err(Failure::of_program(format!("`{line}` failed"), status.code())),
    }
}

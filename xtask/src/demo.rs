//! What does a first look at rowkey show? The tour of `rowkey demo`, from a fresh clone.

use crate::{Failure, Outcome, workspace};

/// Builds `rowkey` with all optimisations and runs its demo anew in a folder beside the build.
pub(crate) fn run(args: &[String]) -> Outcome {
    // Told before a build of minutes.
    let unknown = match args {
        [] => None,
        [option, _] if option == "--rows" => None,
        [option] if option.starts_with("--rows=") => None,
        [other, ..] => Some(other),
    };
    if let Some(unknown) = unknown {
        return Err(Failure::new(format!(
            "`cargo xtask demo` takes `--rows NUMBER` only, but got `{unknown}`; `rowkey demo --help` has more"
        )));
    }
    println!("building rowkey (release)");
    let status = workspace::cargo()
        .args(["build", "--release", "--package", "rowkey-cli"])
        .status()
        .map_err(Failure::cannot("run cargo"))?;
    if !status.success() {
        return Err(Failure::of_program(
            "`cargo build --release --package rowkey-cli` failed",
            status.code(),
        ));
    }
    let folder = workspace::target().join("demo");
    let program = workspace::target().join("release").join("rowkey");
    let status = workspace::program(&program)
        .args(["demo", "--force", "--folder", workspace::typed(&folder)])
        .args(args)
        .status()
        .map_err(Failure::cannot(&format!("run {}", program.display())))?;
    if status.success() { Ok(()) } else { Err(Failure::of_program("`rowkey demo` failed", status.code())) }
}

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
    let mut demo = workspace::program(workspace::release_build()?);
    let folder = workspace::target().join("demo");
    demo.args(["demo", "--force", "--folder", workspace::typed(&folder)]).args(args);
    workspace::succeed(demo)
}

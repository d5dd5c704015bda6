//! Compiles each crate alone, without features and with each of them.
//!
//! In the workspace the features of all crates are switched on together, so a `#[cfg]` that is missing is only seen here.

use std::fs;

use crate::{Failure, Outcome, workspace};

/// Checks the crates that are named, or all.
pub(crate) fn run(packages: &[String]) -> Outcome {
    let mut known: Vec<String> = fs::read_dir(workspace::root().join("crates"))?
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<std::io::Result<_>>()?;
    known.sort();
    if let Some(unknown) = packages.iter().find(|package| !known.contains(package)) {
        return Err(Failure::new(format!("there is no crate `{unknown}`; there are {}", known.join(", "))));
    }
    for package in known.iter().filter(|known| packages.is_empty() || packages.contains(known)) {
        let manifest = workspace::root().join("crates").join(package).join("Cargo.toml");
        let manifest = fs::read_to_string(&manifest)
            .map_err(Failure::cannot(&format!("read {}", manifest.display())))?;
        for feature in std::iter::once("").chain(features(&manifest)) {
            let mut check = workspace::cargo();
            check.args(["check", "--quiet", "--package", package, "--no-default-features"]);
            check.args(["--features", feature]);
            println!("{package} {}", if feature.is_empty() { "without features" } else { feature });
            workspace::succeed(check)?;
        }
    }
    Ok(())
}

/// The features of a manifest, but for the default ones.
fn features(manifest: &str) -> impl Iterator<Item = &str> {
    let table = manifest.split_once("\n[features]\n").map_or("", |(_, rest)| rest);
    let lines = table.lines().take_while(|line| !line.starts_with('['));
    lines.filter_map(|line| Some(line.split_once(" = ")?.0)).filter(|feature| *feature != "default")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_read_from_a_manifest() {
        let manifest = "[package]\nname = \"a\"\n\n[features]\ndefault = [\"b\"]\nb = []  # for c\nd = [\"dep:e\"]\n\n[lints]\nx = 1\n";
        assert_eq!(features(manifest).collect::<Vec<_>>(), ["b", "d"]);
        assert_eq!(features("[package]\nname = \"a\"\n").count(), 0);
    }
}

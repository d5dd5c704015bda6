//! Makes a release archive.
//!
//! An archive `rowkey-VERSION-TARGET.tar.gz` in `target/dist`, beside it its SHA-256 sum. In it are the stripped program, the man pages and
//! completions that this very program prints, the licences, a list of its dependencies with the names of theirs, the README and the change log, and the sum of
//! every file.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest, Sha256};

use crate::{Failure, Outcome, workspace};

/// Shells and what a completion is called for each of them.
const COMPLETIONS: [(&str, &str); 5] = [
    ("bash", "rowkey.bash"),
    ("zsh", "_rowkey"),
    ("fish", "rowkey.fish"),
    ("elvish", "rowkey.elv"),
    ("powershell", "_rowkey.ps1"),
];
/// Files of the repository that go along.
const FILES: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];
/// The sums of the files in the archive.
const SUMS: &str = "SHA256SUMS";

/// `cargo xtask dist [--debug-build]`; a debug build is quick, for tries of the packing.
pub(crate) fn run(args: &[String]) -> Outcome {
    let program = match args {
        [] => workspace::release_build()?,
        [option] if option == "--debug-build" => {
            let mut build = workspace::cargo();
            build.args(["build", "--locked", "--package", "rowkey-cli"]);
            workspace::succeed(build)?;
            workspace::target().join("debug").join("rowkey")
        }
        [other, ..] => {
            return Err(Failure::new(format!(
                "`cargo xtask dist` takes `--debug-build` only, but got `{other}`"
            )));
        }
    };
    let name = format!("rowkey-{}-{}", env!("CARGO_PKG_VERSION"), host()?);
    let archive = pack(&program, &name, &third_parties()?, &workspace::target().join("dist"))?;
    println!("{}", workspace::typed(&archive));
    Ok(())
}

/// Puts an archive of this name together in a folder.
fn pack(program: &Path, name: &str, third_parties: &str, out: &Path) -> Result<PathBuf, Failure> {
    let folder = out.join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let (man, completions) = (folder.join("man"), folder.join("completions"));
    fs::create_dir_all(&completions)?;
    fs::copy(program, folder.join("rowkey")).map_err(Failure::cannot("copy the program"))?;
    for file in FILES {
        fs::copy(workspace::root().join(file), folder.join(file))?;
    }
    fs::write(folder.join("LICENSES-THIRD-PARTY"), third_parties)?;
    said(Command::new(program).arg("man").arg("--out").arg(&man))?;
    for (shell, file) in COMPLETIONS {
        fs::write(completions.join(file), said(Command::new(program).args(["completions", shell]))?)?;
    }
    fs::write(folder.join(SUMS), sums(&folder)?)?;
    let archive = out.join(format!("{name}.tar.gz"));
    said(Command::new("tar").arg("czf").arg(&archive).arg("-C").arg(out).arg(name))?;
    let sum = format!("{}  {name}.tar.gz\n", sum(&archive)?);
    fs::write(out.join(format!("{name}.tar.gz.sha256")), sum)?;
    Ok(archive)
}

/// The sum of every file in a folder, as `sha256sum --check` reads them.
fn sums(folder: &Path) -> Result<String, Failure> {
    let mut lines = String::new();
    for file in files(folder)? {
        let name = file.strip_prefix(folder).unwrap_or(&file).display();
        lines.push_str(&format!("{}  {name}\n", sum(&file)?));
    }
    Ok(lines)
}

fn sum(file: &Path) -> Result<String, Failure> {
    let digest = Sha256::digest(fs::read(file)?);
    Ok(digest.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The files in a folder and those below it, sorted.
fn files(folder: &Path) -> Result<BTreeSet<PathBuf>, Failure> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        match path.is_dir() {
            true => found.extend(files(&path)?),
            false => drop(found.insert(path)),
        }
    }
    Ok(found)
}

/// What a program prints that must succeed.
fn said(command: &mut Command) -> Result<Vec<u8>, Failure> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(Failure::cannot(&format!("run {name}")))?;
    match output.status.success() {
        true => Ok(output.stdout),
        false => {
            let error = String::from_utf8_lossy(&output.stderr).into_owned();
            Err(Failure::of_program(format!("{name} failed: {}", error.trim()), output.status.code()))
        }
    }
}

/// The target that this machine builds for, as rustc calls it.
fn host() -> Result<String, Failure> {
    let version = String::from_utf8_lossy(&said(workspace::program("rustc").arg("-vV"))?).into_owned();
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| Failure::new("rustc does not say which target it builds for"))
}

/// The crates in the program and the licence of each, one per line.
fn third_parties() -> Result<String, Failure> {
    let mut tree = workspace::cargo();
    tree.args(["tree", "--locked", "--package", "rowkey-cli", "--edges", "normal", "--prefix", "none"]);
    let tree = said(tree.args(["--format", "{p}: {l}"]))?;
    let tree = String::from_utf8_lossy(&tree).into_owned();
    // Ours stand there with their folder; a crate that was listed before, with a star.
    let theirs = tree.lines().filter(|line| !line.contains(&*workspace::root().to_string_lossy()));
    let theirs: BTreeSet<&str> = theirs.map(|line| line.trim_end_matches(" (*)")).collect();
    Ok(theirs.into_iter().map(|line| format!("{line}\n")).collect())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// A program that prints its arguments and, for `man --out FOLDER`, writes a page.
    const STAND_IN: &str =
        "#!/bin/sh\n[ \"$1\" = man ] && mkdir -p \"$3\" && echo page > \"$3/rowkey.1\"\necho \"$*\"\n";

    #[test]
    fn an_archive_has_the_program_with_its_pages_completions_licences_and_sums() {
        let place = tempfile::tempdir().unwrap();
        let program = place.path().join("program");
        fs::write(&program, STAND_IN).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let archive = pack(&program, "rowkey-1.2.3-here", "serde v1: MIT\n", place.path()).unwrap();
        assert_eq!(archive, place.path().join("rowkey-1.2.3-here.tar.gz"));
        let list = said(Command::new("tar").arg("tzf").arg(&archive)).unwrap();
        let list = String::from_utf8(list).unwrap();
        let inside: BTreeSet<&str> = list
            .lines()
            .filter_map(|line| line.strip_prefix("rowkey-1.2.3-here/"))
            .filter(|name| !name.is_empty() && !name.ends_with('/'))
            .collect();
        let expected = [
            "CHANGELOG.md",
            "LICENSE-APACHE",
            "LICENSE-MIT",
            "LICENSES-THIRD-PARTY",
            "README.md",
            "SHA256SUMS",
            "completions/_rowkey",
            "completions/_rowkey.ps1",
            "completions/rowkey.bash",
            "completions/rowkey.elv",
            "completions/rowkey.fish",
            "man/rowkey.1",
            "rowkey",
        ];
        assert_eq!(inside, BTreeSet::from(expected));
        let folder = place.path().join("rowkey-1.2.3-here");
        let fish = fs::read_to_string(folder.join("completions/rowkey.fish")).unwrap();
        assert_eq!(fish, "completions fish\n");
        let sums = fs::read_to_string(folder.join(SUMS)).unwrap();
        assert_eq!(sums.lines().count(), expected.len() - 1);
        // The sum of "page\n".
        let page = "362a07bbb5c74b982bed644b9f7e298837d7a3a232c964d039bb7e49ebea825f  man/rowkey.1\n";
        assert!(sums.contains(page), "{sums}");
        let outer = fs::read_to_string(place.path().join("rowkey-1.2.3-here.tar.gz.sha256")).unwrap();
        assert_eq!(outer, format!("{}  rowkey-1.2.3-here.tar.gz\n", sum(&archive).unwrap()));
    }
}

//! Fetches HBase's jars.
//!
//! From Maven, once, into the cache folder (`ROWKEY_CACHE`, else `$XDG_CACHE_HOME/rowkey`, else
//! `$HOME/.cache/rowkey`). What to bring, and the version, is said by `testing/hbase/pom.xml` and nowhere else.
//! The folder's name holds a digest of that file, so a changed list is a new folder and running clusters keep theirs.
//!
//! Quirk: registries answer bursts with "too many requests". Maven then fails; we pause and call it again, and it
//! goes on where it stopped, because what it has stays in Maven's own repository.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use std::{fs, thread};

use crate::{Error, Result, cache};

const POM: &str = include_str!("../hbase/pom.xml");
const HBASEWD: &str = include_str!("../hbasewd/pom.xml");
const ATTEMPTS: u32 = 5;
const PAUSES: [Duration; ATTEMPTS as usize - 1] =
    [Duration::from_secs(5), Duration::from_secs(15), Duration::from_secs(30), Duration::from_secs(60)];

/// HBase's jars on this machine.
#[derive(Debug, Clone)]
pub struct Artifacts {
    /// The version of HBase, from the POM.
    pub version: String,
    /// The folder with the jars.
    pub lib: PathBuf,
}

impl Artifacts {
    /// The jars as one entry of a Java class path.
    pub fn class_path_entry(&self) -> PathBuf {
        self.lib.join("*")
    }
}

/// The version of HBase that the tests run on.
pub fn version() -> &'static str {
    version_of(POM)
}

fn version_of(pom: &str) -> &str {
    let after = pom.split_once("<hbase.version>").map_or("", |(_, after)| after);
    after.split_once('<').map_or("", |(version, _)| version)
}

/// Gives the jars, from the cache or from Maven; `progress` gets a line now and then.
///
/// # Errors
///
/// [`Error::ToolMissing`] without `mvn`, [`Error::Fetch`] with Maven's own words after five attempts.
pub fn fetch(progress: &mut dyn FnMut(&str)) -> Result<Artifacts> {
    fetch_version(version(), progress)
}

/// The same for another version of HBase; without what only some versions have, the endpoints to call.
///
/// # Errors
///
/// As [`fetch`].
pub fn fetch_version(version: &str, progress: &mut dyn FnMut(&str)) -> Result<Artifacts> {
    let (version, pom) = (version.to_owned(), pom(version));
    let lib = cache::folder()?.join(format!("hbase-{version}")).join(format!("lib-{}", cache::digest(&pom)));
    cache::ensure(&lib, progress, |folder, progress| {
        progress(&format!(
            "fetching HBase {version} with Maven, about 150 jars and 105 MB, once on this machine"
        ));
        download(&version, &pom, folder, progress)
    })?;
    Ok(Artifacts { version, lib })
}

/// The jar of HBaseWD alone, from the cache or from Maven.
///
/// # Errors
///
/// As [`fetch`].
pub fn fetch_hbasewd(progress: &mut dyn FnMut(&str)) -> Result<Artifacts> {
    fetch_pom("hbasewd-0.1.0-hbase", HBASEWD, progress)
}

/// The jars that a POM names, kept under `name`; the version is the one of its property `hbase.version`, if it has one.
///
/// # Errors
///
/// As [`fetch`].
pub(crate) fn fetch_pom(name: &str, pom: &str, progress: &mut dyn FnMut(&str)) -> Result<Artifacts> {
    let version = version_of(pom).to_owned();
    let named = format!("{name}-{version}");
    let named = named.trim_end_matches('-');
    let lib = cache::folder()?.join(named).join(format!("lib-{}", cache::digest(pom)));
    cache::ensure(&lib, progress, |folder, progress| {
        progress(&format!("fetching {named} with Maven, once on this machine"));
        download(&version, pom, folder, progress)
    })?;
    Ok(Artifacts { version, lib })
}

/// The POM of a version. The tests' own is as it stands in the file.
fn pom(wanted: &str) -> String {
    if wanted == version() {
        return POM.to_owned();
    }
    let mut pom =
        POM.replace(&format!("<hbase.version>{}<", version()), &format!("<hbase.version>{wanted}<"));
    if let (Some(from), Some(to)) = (pom.find("<!-- optional -->"), pom.find("<!-- /optional -->")) {
        pom.replace_range(from..to, "");
    }
    pom
}

fn download(version: &str, text: &str, lib: &Path, progress: &mut dyn FnMut(&str)) -> Result<()> {
    // a copy of the POM, so that Maven never writes into the work tree
    let project = tempfile::tempdir().map_err(Error::io("create a folder in", &std::env::temp_dir()))?;
    let pom = project.path().join("pom.xml");
    fs::write(&pom, text).map_err(Error::io("write", &pom))?;

    for attempt in 1.. {
        let mut maven = Command::new("mvn");
        maven.args(["--batch-mode", "--no-transfer-progress", "--file"]).arg(&pom);
        if attempt > 1 {
            // Maven remembers a failed download and would not ask again
            maven.arg("--update-snapshots");
        }
        maven.arg("dependency:copy-dependencies").arg("-DincludeScope=runtime");
        maven.arg(format!("-DoutputDirectory={}", lib.display()));
        let output = maven.output().map_err(|source| match source.kind() {
            std::io::ErrorKind::NotFound => Error::ToolMissing {
                tool: "mvn".into(),
                purpose: "fetch HBase for the tests",
                cure: "install Maven 3.6 or newer and put it on PATH",
            },
            _ => Error::io("run", Path::new("mvn"))(source),
        })?;
        if output.status.success() {
            break;
        }
        let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        let Some(pause) = PAUSES.get(attempt as usize - 1) else {
            return Err(Error::Fetch {
                version: version.into(),
                attempts: ATTEMPTS,
                output: last_lines(&text, 40),
            });
        };
        let reason = text.lines().find(|line| line.starts_with("[ERROR]")).unwrap_or("no reason given");
        progress(&format!(
            "attempt {attempt} of {ATTEMPTS} failed, next in {} s: {}",
            pause.as_secs(),
            reason.chars().take(300).collect::<String>()
        ));
        thread::sleep(*pause);
    }
    Ok(())
}

/// The last `count` lines of a text.
pub(crate) fn last_lines(text: &str, count: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(count)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_read_from_the_pom() {
        let parts: Vec<&str> = version().split('.').collect();
        assert_eq!(parts.len(), 3, "{}", version());
        assert!(parts.iter().all(|part| part.parse::<u32>().is_ok()), "{}", version());
    }

    #[test]
    fn another_version_comes_without_what_is_optional() {
        let other = pom("2.4.18");
        assert!(other.contains("<hbase.version>2.4.18<") && other.contains("hbase-server"), "{other}");
        assert!(!other.contains("hbase-endpoint") && pom(version()).contains("hbase-endpoint"), "{other}");
    }

    #[test]
    fn last_lines_keeps_the_end() {
        assert_eq!(last_lines("a\nb\nc\n", 2), "b\nc");
        assert_eq!(last_lines("a", 2), "a");
    }
}

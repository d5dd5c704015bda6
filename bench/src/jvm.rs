//! Runs HBase's own code in its turn.
//!
//! A JVM with HBase's jars runs `java/KeyBench.java` beside this process, as [`Elsewhere`] says.

use std::process::Command;

use rowkey_testing::artifacts;

use crate::elsewhere::Elsewhere;

/// HBase reaches into the JDK; from Java 16 on that must be allowed.
pub const OPENED: [&str; 4] = [
    "--add-opens=java.base/java.lang=ALL-UNNAMED",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
    "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
];

/// One thread makes keys: the simple collector serves it best.
pub const SMALL: [&str; 2] = ["-Xmx512m", "-XX:+UseSerialGC"];

const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/java/KeyBench.java");

/// The JVM of `JAVA_HOME`, as every Java tool has it, else of `PATH`.
pub fn java() -> std::path::PathBuf {
    tool("java")
}

/// A program of the JDK.
pub fn tool(name: &str) -> std::path::PathBuf {
    match std::env::var_os("JAVA_HOME").filter(|home| !home.is_empty()) {
        Some(home) => std::path::Path::new(&home).join("bin").join(name),
        None => name.into(),
    }
}

/// Starts a JVM with the jars that the tests' HBase has.
///
/// # Errors
/// Without Java or Maven.
pub fn start() -> Result<Elsewhere, String> {
    let cannot = |problem: &dyn std::fmt::Display| {
        format!("cannot run HBase's own code: {problem}; leave it out with --no-java")
    };
    let jars = artifacts::fetch(&mut |line| eprintln!("{line}")).map_err(|problem| cannot(&problem))?;
    let mut command = Command::new(java());
    command.args(OPENED).args(SMALL).arg("-cp").arg(jars.class_path_entry()).arg(PROGRAM);
    Elsewhere::start("the JVM", &mut command).map_err(|problem| cannot(&problem))
}

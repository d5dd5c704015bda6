//! Runs a Java program with HBase's jars.
//!
//! The programs are in `testing/java/`, one file and one class each. They are compiled once into the cache, under a
//! digest of the source, so a changed program is a new folder. Standard output is the program's answer; logging
//! goes to standard error, warnings only.

use std::ffi::{OsStr, OsString};
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

use crate::artifacts::{self, Artifacts, last_lines};
use crate::{Error, Result, cache};

/// One of our Java programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Program {
    class: &'static str,
    source: &'static str,
}

/// `ReadBack HOST:PORT TABLE [--regions | --raw]`: what HBase's own client finds in a table.
///
/// One line a cell in scan order, all versions: `rowHex family qualifierHex timestamp valueHex`, where a value
/// without bytes is `-`. With `--raw` hidden cells and delete markers too, each with its type behind it. With `--regions` one line a region: `startHex endHex`, where an open end is `-`.
pub const READ_BACK: Program = Program { class: "ReadBack", source: include_str!("../java/ReadBack.java") };

/// `WriteRows HOST:PORT TABLE`: rows, versions and delete markers written by HBase's own client; what exactly is
/// said in the program and expected by `crates/rowkey-hbase/tests/interop.rs`.
pub const WRITE_ROWS: Program =
    Program { class: "WriteRows", source: include_str!("../java/WriteRows.java") };

/// `CellSizes ROW FAMILY QUALIFIER VALUE COUNT BLOCK`: the bytes that HBase takes for so many cells with parts of these
/// lengths: of one `KeyValue`, of all in a memstore, of a file of them; the blocks of the file and the bytes of their index.
/// One number a line.
pub const CELL_SIZES: Program =
    Program { class: "CellSizes", source: include_str!("../java/CellSizes.java") };

/// The key distribution centre of [`crate::kdc`].
pub(crate) const KDC: Program = Program { class: "Kdc", source: include_str!("../java/Kdc.java") };

pub(crate) const CLUSTER: Program =
    Program { class: "Cluster", source: include_str!("../java/Cluster.java") };

const FORMAT: &str = include_str!("../java-format/pom.xml");

/// HBase reaches into the JDK; from Java 16 on that must be allowed.
const OPEN_PACKAGES: [&str; 7] = [
    "java.lang",
    "java.lang.reflect",
    "java.net",
    "java.nio",
    "java.util",
    "java.util.concurrent",
    "sun.nio.ch",
];

/// Without a configuration on the class path HBase's servers fail silently.
const WARNINGS_TO_STANDARD_ERROR: &str = "\
log4j.rootLogger=WARN,ERR
log4j.logger.org.apache.hadoop.util.NativeCodeLoader=ERROR
log4j.appender.ERR=org.apache.log4j.ConsoleAppender
log4j.appender.ERR.target=System.err
log4j.appender.ERR.layout=org.apache.log4j.PatternLayout
log4j.appender.ERR.layout.ConversionPattern=%p %c{1}: %m%n
";

/// Runs a program to its end and gives its standard output.
///
/// # Errors
///
/// [`Error::Program`] with its standard error when it ends with anything but 0; all errors of
/// [`artifacts::fetch`]; [`Error::ToolMissing`] without a JDK.
pub fn run(program: Program, args: &[&str]) -> Result<String> {
    run_with(&artifacts::fetch(&mut |_| {})?, program, args, "")
}

/// The same with a folder before everything else on the class path, for `hbase-site.xml`, and options of the JVM.
///
/// # Errors
///
/// As [`run`].
pub fn run_configured(folder: &Path, options: &[String], program: Program, args: &[&str]) -> Result<String> {
    let artifacts = artifacts::fetch(&mut |_| {})?;
    let classes = compile(&artifacts, program, &mut |_| {})?;
    let mut java = plain_command_with(&artifacts, &[folder, &classes])?;
    java.args(options)
        .args(["-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", program.class])
        .args(args);
    to_its_end(java, program, args)
}

/// The same with other jars than HBase's own, and with `input` as the program's standard input.
pub(crate) fn run_with(
    artifacts: &Artifacts,
    program: Program,
    args: &[&str],
    input: &str,
) -> Result<String> {
    let mut java = command(artifacts, program, &mut |_| {})?;
    // a short program: the quick compiler and the simple collector start soonest
    java.args(["-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", program.class]).args(args);
    // from a file: a pipe that nobody empties yet would hold the writer up
    let mut given = tempfile::tempfile().map_err(Error::io("create a file in", &std::env::temp_dir()))?;
    let written = given.write_all(input.as_bytes()).and_then(|()| given.rewind());
    written.map_err(Error::io("write a file in", &std::env::temp_dir()))?;
    java.stdin(given);
    to_its_end(java, program, args)
}

fn to_its_end(mut java: Command, program: Program, args: &[&str]) -> Result<String> {
    let output = java.output().map_err(|source| missing("java", source))?;
    if !output.status.success() {
        return Err(Error::Program {
            program: program.class,
            args: args.iter().map(ToString::to_string).collect(),
            status: output.status.to_string(),
            output: last_lines(&String::from_utf8_lossy(&output.stderr), 40),
        });
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// `java` with class path and JDK options; the caller adds options, then [`Program::class`] and arguments.
pub(crate) fn command(
    artifacts: &Artifacts,
    program: Program,
    progress: &mut dyn FnMut(&str),
) -> Result<Command> {
    let classes = compile(artifacts, program, progress)?;
    plain_command(artifacts, &classes)
}

/// The same with the jars of both.
pub(crate) fn command_beside(first: &Artifacts, second: &Artifacts, program: Program) -> Result<Command> {
    let path = class_path(&[&first.class_path_entry(), &second.class_path_entry()])?;
    let classes = compile_with(second, program, &path, &mut |_| {})?;
    with_class_path(&class_path(&[&classes, &first.class_path_entry(), &second.class_path_entry()])?)
}

/// `java` with a folder of classes before HBase's jars on its class path; the caller adds the class and its arguments.
///
/// # Errors
///
/// All errors of [`artifacts::fetch`].
pub fn with_classes(classes: &Path) -> Result<Command> {
    plain_command(&artifacts::fetch(&mut |_| {})?, classes)
}

/// The formatter of Java that Google publishes, which reaches into the compiler; the caller adds options and files. It needs a JDK 17.
///
/// # Errors
///
/// As [`artifacts::fetch`].
pub fn google_java_format() -> Result<Command> {
    let jar = artifacts::fetch_pom("google-java-format-1.28.0", FORMAT, &mut |_| {})?;
    let mut command = Command::new(tool("java"));
    for package in ["api", "code", "file", "parser", "tree", "util"] {
        command.arg("--add-exports").arg(format!("jdk.compiler/com.sun.tools.javac.{package}=ALL-UNNAMED"));
    }
    command.arg("-cp").arg(jar.class_path_entry()).arg("com.google.googlejavaformat.java.Main");
    Ok(command)
}

/// `java` with a folder before the jars on its class path, and what HBase needs of the JDK.
pub(crate) fn plain_command(artifacts: &Artifacts, first: &Path) -> Result<Command> {
    plain_command_with(artifacts, &[first])
}

fn plain_command_with(artifacts: &Artifacts, first: &[&Path]) -> Result<Command> {
    let jars = artifacts.class_path_entry();
    with_class_path(&class_path(&[first, &[&jars]].concat())?)
}

fn with_class_path(path: &OsStr) -> Result<Command> {
    let mut command = Command::new(tool("java"));
    for package in OPEN_PACKAGES {
        command.arg("--add-opens").arg(format!("java.base/{package}=ALL-UNNAMED"));
    }
    command.args(["--add-exports", "java.base/jdk.internal.misc=ALL-UNNAMED"]);
    command.arg("-cp").arg(path);
    Ok(command)
}

impl Program {
    /// A program of one class, with its source.
    pub const fn new(class: &'static str, source: &'static str) -> Self {
        Self { class, source }
    }

    pub(crate) fn class(self) -> &'static str {
        self.class
    }
}

fn compile(artifacts: &Artifacts, program: Program, progress: &mut dyn FnMut(&str)) -> Result<PathBuf> {
    compile_with(artifacts, program, artifacts.class_path_entry().as_os_str(), progress)
}

/// The folder of the classes stands beside the jars.
fn compile_with(
    artifacts: &Artifacts,
    program: Program,
    class_path: &OsStr,
    progress: &mut dyn FnMut(&str),
) -> Result<PathBuf> {
    let digest = cache::digest(&[program.source, WARNINGS_TO_STANDARD_ERROR].concat());
    let classes = artifacts.lib.with_file_name(format!("classes-{}-{digest}", program.class));
    cache::ensure(&classes, progress, |folder, _| {
        let sources = tempfile::tempdir().map_err(Error::io("create a folder in", &std::env::temp_dir()))?;
        let source = sources.path().join(format!("{}.java", program.class));
        fs::write(&source, program.source).map_err(Error::io("write", &source))?;
        let logging = folder.join("log4j.properties");
        fs::write(&logging, WARNINGS_TO_STANDARD_ERROR).map_err(Error::io("write", &logging))?;
        let output = Command::new(tool("javac"))
            // class files of 11, so that the cache serves every JDK from 11 on
            .args(["--release", "11", "-encoding", "UTF-8", "-proc:none", "-nowarn", "-d"])
            .arg(folder)
            .arg("-cp")
            .arg(class_path)
            .arg(&source)
            .output()
            .map_err(|source| missing("javac", source))?;
        if !output.status.success() {
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(Error::Compile { program: program.class, output: text });
        }
        Ok(())
    })?;
    Ok(classes)
}

/// The JDK of `JAVA_HOME`, as every Java tool has it, else of `PATH`.
fn tool(name: &str) -> PathBuf {
    match std::env::var_os("JAVA_HOME") {
        Some(home) if !home.is_empty() => Path::new(&home).join("bin").join(name),
        _ => PathBuf::from(name),
    }
}

pub(crate) fn missing(name: &str, source: io::Error) -> Error {
    let tool = tool(name);
    if source.kind() == io::ErrorKind::NotFound {
        return Error::ToolMissing {
            tool: tool.display().to_string(),
            purpose: "run HBase for the tests",
            cure: "install a JDK, 11 or newer (tried with 17), and put it on PATH or name it in JAVA_HOME",
        };
    }
    Error::io("run", &tool)(source)
}

fn class_path(entries: &[&Path]) -> Result<OsString> {
    std::env::join_paths(entries).map_err(|source| {
        let path = entries.first().copied().unwrap_or(Path::new(""));
        Error::io("put on a class path", path)(io::Error::other(source))
    })
}

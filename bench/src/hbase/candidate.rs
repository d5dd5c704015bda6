//! One turn of a client, and what it cost.
//!
//! A client is a process that reads a job a line from its standard input and answers with two numbers: the operations done,
//! and a proof of them (rows found, bytes read). Time is taken here; processor time and the peak of memory are the
//! kernel's (`/proc`), with everything that belongs to the process, collectors and compilers of a virtual machine too.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use rowkey_testing::artifacts;

use super::{COUNTERS, ROWS};
use crate::jvm::{OPENED, java};

const JAVA_PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/java/ClientBench.java");
const GO_FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/go");

/// Processor time is counted in hundredths of a second on every Linux of today.
const TICKS: f64 = 100.0;

pub struct Candidate {
    pub name: &'static str,
    child: Child,
    /// Taken away at the end, which tells the program to end.
    jobs: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

/// One job done.
#[derive(Debug, Clone, Copy)]
pub struct Turn {
    pub operations: u64,
    pub proof: u64,
    pub seconds: f64,
    pub cpu_seconds: f64,
}

impl Turn {
    pub fn rate(&self) -> f64 {
        self.operations as f64 / self.seconds
    }

    /// Microseconds of processor time for an operation.
    pub fn cpu(&self) -> f64 {
        self.cpu_seconds * 1e6 / self.operations as f64
    }
}

impl Candidate {
    /// This program again, as a client; `via` says where servers are reached.
    pub fn ours(name: &'static str, url: &str, via: &[(String, String)]) -> Result<Self, String> {
        let program = std::env::current_exe().map_err(|problem| format!("cannot find myself: {problem}"))?;
        let via = via.iter().map(|(server, address)| format!("{server}={address}"));
        Self::start(name, Command::new(program).args(["hbase-client", url, ROWS, COUNTERS]).args(via))
    }

    pub fn java(zookeeper: &str) -> Result<Self, String> {
        let jars =
            artifacts::fetch(&mut |line| eprintln!("{line}")).map_err(|problem| problem.to_string())?;
        let mut command = Command::new(java());
        command.args(OPENED).args(["-Xmx1g", "-cp"]).arg(jars.class_path_entry());
        Self::start("Java", command.arg(JAVA_PROGRAM).args([zookeeper, ROWS, COUNTERS]))
    }

    /// Builds and starts the Go program; the error says why there is none.
    pub fn go(zookeeper: &str) -> Result<Self, String> {
        let said = |problem: &dyn std::fmt::Display| problem.to_string();
        let folder = tempfile::tempdir().map_err(|problem| said(&problem))?;
        let (program, modules) = (folder.path().join("clientbench"), folder.path().join("go.mod"));
        let source = Path::new(GO_FOLDER);
        // Go writes what it resolves beside this file, and so not into the work tree.
        let mut text = fs::read_to_string(source.join("go.mod")).map_err(|problem| said(&problem))?;
        if let Some(copy) = std::env::var_os("ROWKEY_GOHBASE") {
            let _ = writeln!(text, "replace github.com/tsuna/gohbase => {}", Path::new(&copy).display());
        }
        fs::write(&modules, text).map_err(|problem| said(&problem))?;
        let mut build = Command::new("go");
        build.current_dir(source).args(["build", "-mod=mod"]).arg(format!("-modfile={}", modules.display()));
        let built = build.arg("-o").arg(&program).arg(".").output();
        let built = built.map_err(|problem| format!("`go` does not run: {problem}"))?;
        if !built.status.success() {
            let words = String::from_utf8_lossy(&built.stderr);
            let last = words.lines().last().unwrap_or_default().trim();
            return Err(format!(
                "`go build` failed: {last}; ROWKEY_GOHBASE names a copy of it, if there is one"
            ));
        }
        // Once it runs, its file is not needed any more.
        Self::start("gohbase", Command::new(&program).args([zookeeper, ROWS, COUNTERS]))
    }

    fn start(name: &'static str, command: &mut Command) -> Result<Self, String> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .map_err(|problem| format!("cannot start {name}: {problem}"))?;
        let jobs = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().expect("piped above"));
        let mut candidate = Self { name, child, jobs, answers };
        candidate.answer()?;
        Ok(candidate)
    }

    fn answer(&mut self) -> Result<String, String> {
        let mut line = String::new();
        match self.answers.read_line(&mut line) {
            Ok(bytes) if bytes > 0 => Ok(line),
            other => Err(format!("{} has ended without an answer: {other:?}", self.name)),
        }
    }

    /// Does a job.
    pub fn turn(&mut self, job: &str) -> Result<Turn, String> {
        let (cpu, started) = (self.cpu_seconds()?, Instant::now());
        let jobs = self.jobs.as_mut().expect("taken only at the end");
        writeln!(jobs, "{job}").and_then(|()| jobs.flush()).map_err(|problem| problem.to_string())?;
        let line = self.answer()?;
        let seconds = started.elapsed().as_secs_f64();
        let cpu_seconds = self.cpu_seconds()? - cpu;
        let mut numbers = line.split_whitespace().map(str::parse);
        match (numbers.next(), numbers.next()) {
            (Some(Ok(operations)), Some(Ok(proof))) => Ok(Turn { operations, proof, seconds, cpu_seconds }),
            _ => Err(format!("{} answered `{job}` with `{}`", self.name, line.trim())),
        }
    }

    fn proc(&self, file: &str) -> Result<String, String> {
        let path = format!("/proc/{}/{file}", self.child.id());
        fs::read_to_string(&path).map_err(|problem| format!("cannot read {path}: {problem}"))
    }

    /// User and system time of all its threads.
    fn cpu_seconds(&self) -> Result<f64, String> {
        let stat = self.proc("stat")?;
        // The name in parentheses may hold blanks; after it, these are fields 12 and 13.
        let after = stat.rsplit_once(')').map_or("", |(_, after)| after);
        let ticks: f64 =
            after.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<f64>().ok()).sum();
        Ok(ticks / TICKS)
    }

    /// The most memory it has had, in megabytes.
    pub fn peak_megabytes(&self) -> f64 {
        let status = self.proc("status").unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = peak.and_then(|rest| rest.split_whitespace().next()?.parse::<f64>().ok());
        kilobytes.unwrap_or(f64::NAN) / 1024.0
    }
}

impl Drop for Candidate {
    fn drop(&mut self) {
        self.jobs = None;
        // It ends by itself; if not, nothing is lost.
        let _ = self.child.wait();
    }
}

//! Runs HBase's own code in its turn.
//!
//! A JVM with HBase's jars runs `java/KeyBench.java` beside this process. It waits for the name of a candidate on its
//! standard input, does a millisecond of that work, and answers with a line of JSON; between turns it sleeps.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use rowkey_testing::artifacts;
use serde::Deserialize;

/// Turns before the first that counts: the JVM compiles what runs often.
const WARM_UP: usize = 200;

/// HBase reaches into the JDK; from Java 16 on that must be allowed.
pub const OPENED: [&str; 4] = [
    "--add-opens=java.base/java.lang=ALL-UNNAMED",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
    "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
];

const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/java/KeyBench.java");

/// The JVM of `JAVA_HOME`, as every Java tool has it, else of `PATH`.
pub fn java() -> std::path::PathBuf {
    match std::env::var_os("JAVA_HOME").filter(|home| !home.is_empty()) {
        Some(home) => std::path::Path::new(&home).join("bin").join("java"),
        None => "java".into(),
    }
}

/// A running JVM.
pub struct Jvm {
    child: Child,
    /// Taken away at the end, which tells the program to end.
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

#[derive(Deserialize)]
struct Answer {
    ns_per_key: f64,
    /// A 64-bit number in hex.
    checksum: String,
}

impl Jvm {
    /// Starts a JVM with the jars that the tests' HBase has.
    ///
    /// # Errors
    /// Without Java or Maven.
    pub fn start() -> Result<Self, String> {
        let cannot = |problem: &dyn std::fmt::Display| {
            format!("cannot run HBase's own code: {problem}; leave it out with --no-java")
        };
        let jars = artifacts::fetch(&mut |line| eprintln!("{line}")).map_err(|problem| cannot(&problem))?;
        let mut child = Command::new(java())
            .args(OPENED)
            // One thread makes keys: the simple collector serves it best.
            .args(["-Xmx512m", "-XX:+UseSerialGC", "-cp"])
            .arg(jars.class_path_entry())
            .arg(PROGRAM)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .map_err(|problem| cannot(&problem))?;
        let questions = child.stdin.take();
        let answers = child.stdout.take().expect("piped above");
        Ok(Self { child, questions, answers: BufReader::new(answers) })
    }

    /// Lets a candidate run until it is compiled; the checksum of what it made.
    pub fn warm(&mut self, candidate: &str) -> u64 {
        let checksum = (0..WARM_UP).map(|_| self.ask(candidate).checksum).last().unwrap_or_default();
        u64::from_str_radix(&checksum, 16).expect("KeyBench prints checksums in hex")
    }

    /// One turn: nanoseconds for a key.
    pub fn nanoseconds(&mut self, candidate: &str) -> f64 {
        self.ask(candidate).ns_per_key
    }

    fn ask(&mut self, candidate: &str) -> Answer {
        let questions = self.questions.as_mut().expect("taken only at the end");
        let mut line = String::new();
        let asked = writeln!(questions, "{candidate}").and_then(|()| questions.flush());
        let answered = asked.and_then(|()| self.answers.read_line(&mut line));
        match answered.map(|_| serde_json::from_str(&line)) {
            Ok(Ok(answer)) => answer,
            problem => panic!("the JVM has no answer about `{candidate}`, but `{line}`: {:?}", problem.err()),
        }
    }
}

impl Drop for Jvm {
    fn drop(&mut self) {
        self.questions = None;
        // It ends by itself; if not, nothing is lost.
        let _ = self.child.wait();
    }
}

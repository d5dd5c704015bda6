//! How does a candidate in another process take its turn?
//!
//! The process waits for the name of a candidate on its standard input, does some milliseconds of that work, and answers with a line of
//! JSON; between turns it sleeps.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde::Deserialize;

/// Turns before the first that counts: a JVM compiles what runs often.
const WARM_UP: usize = 200;

/// A running process.
pub struct Elsewhere {
    /// In words.
    name: &'static str,
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

impl Elsewhere {
    /// Starts it.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start(name: &'static str, command: &mut Command) -> Result<Self, String> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .map_err(|problem| format!("cannot start {name}: {problem}"))?;
        let questions = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().expect("piped above"));
        Ok(Self { name, child, questions, answers })
    }

    /// Lets a candidate run until it is compiled; the checksum of what it made.
    pub fn warm(&mut self, candidate: &str) -> u64 {
        let checksum = (0..WARM_UP).map(|_| self.ask(candidate).checksum).last().unwrap_or_default();
        u64::from_str_radix(&checksum, 16).expect("checksums are printed in hex")
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
            problem => {
                panic!("{} has no answer about `{candidate}`, but `{line}`: {:?}", self.name, problem.err())
            }
        }
    }
}

impl Drop for Elsewhere {
    fn drop(&mut self) {
        self.questions = None;
        // It ends by itself; if not, nothing is lost.
        let _ = self.child.wait();
    }
}

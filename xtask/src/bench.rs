//! How quick are rowkey's keys, beside code written by hand, other crates and HBase's own, and its HBase client beside others?
//!
//! The answer is a program of its own workspace in `bench/`, because its rivals would slow every other build.

use std::io::{self, Write};

use crate::{Failure, Outcome, workspace};

const SUBJECTS: [&str; 2] = ["keys", "hbase"];

/// Builds the benchmark with all optimisations and runs it; further arguments go to it.
pub(crate) fn run(args: &[String]) -> Outcome {
    match args.first().map(String::as_str) {
        Some(subject) if SUBJECTS.contains(&subject) => {}
        other => {
            let got = other.map_or("none".into(), |other| format!("`{other}`"));
            let subjects = SUBJECTS.join(", ");
            return Err(Failure::new(format!(
                "`cargo xtask bench` needs a subject ({subjects}), but got {got}"
            )));
        }
    }
    let mut bench = workspace::cargo();
    bench.args(["run", "--release", "--locked", "--manifest-path", "bench/Cargo.toml", "--target-dir"]);
    bench.arg(workspace::target()).arg("--").args(args);
    io::stdout().flush()?;
    let status = bench.status().map_err(Failure::cannot("run cargo"))?;
    if status.success() { Ok(()) } else { Err(Failure::of_program("the benchmark failed", status.code())) }
}

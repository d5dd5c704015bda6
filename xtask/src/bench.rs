//! How quick are rowkey's keys, beside code written by hand, other crates and HBase's own, its HBase client beside others, and the code
//! that it generates beside code by hand?
//!
//! The answer is a program of its own workspace in `bench/`, because its rivals would slow every other build.

use std::process::Command;

use crate::{Outcome, workspace};

/// Keys and their rivals; further arguments go to the benchmark.
pub(crate) fn keys(args: &[String]) -> Outcome {
    run("keys", args)
}

/// The client and its rivals.
pub(crate) fn hbase(args: &[String]) -> Outcome {
    run("hbase", args)
}

/// Generated code and what someone writes by hand.
pub(crate) fn generate(args: &[String]) -> Outcome {
    run("generate", args)
}

/// What it compares.
pub(crate) const SUBJECTS: [&str; 3] = ["keys", "hbase", "generate"];

/// Builds the benchmark with all optimisations.
pub(crate) fn build() -> Outcome {
    workspace::succeed(cargo("build"))
}

/// Builds it and runs it.
fn run(subject: &str, args: &[String]) -> Outcome {
    let mut bench = cargo("run");
    bench.arg("--").arg(subject).args(args);
    workspace::succeed(bench)
}

fn cargo(what: &str) -> Command {
    let mut bench = workspace::cargo();
    bench.args([what, "--release", "--locked", "--manifest-path", "bench/Cargo.toml", "--target-dir"]);
    bench.arg(workspace::target());
    bench
}

//! How quick are rowkey's keys, beside code written by hand, other crates and HBase's own, its HBase client beside others, and the code
//! that it generates beside code by hand?
//!
//! The answer is a program of its own workspace in `bench/`, because its rivals would slow every other build.

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

/// Builds the benchmark with all optimisations and runs it.
fn run(subject: &str, args: &[String]) -> Outcome {
    let mut bench = workspace::cargo();
    bench.args(["run", "--release", "--locked", "--manifest-path", "bench/Cargo.toml", "--target-dir"]);
    bench.arg(workspace::target()).arg("--").arg(subject).args(args);
    workspace::succeed(bench)
}

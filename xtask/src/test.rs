//! Is everything right? One command from a fresh clone to the answer.
//!
//! The cluster starts in the background at the very beginning, because its jars download while cargo compiles. Each
//! test runs in one stage only: `--lib --bins` and `--doc` among the unit tests, the files under `tests/` after them; both use
//! the one cluster.

use std::process::Command;
use std::sync::mpsc::{self, Receiver};
use std::thread;

use rowkey_testing::cluster::{Cluster, Options};

use crate::recipes::{Recipe, long_runs};
use crate::stages::Stages;
use crate::{Failure, Outcome, features, workspace};

/// All crates; the library for users also with its client for clusters.
const EVERYTHING: &[&str] = &["--workspace", "--features", "rowkey/hbase"];

/// Runs all stages up to the first that fails, then shows where the time went.
pub(crate) fn run(args: &[String]) -> Outcome {
    let full = args.iter().any(|arg| arg == "--full");
    if let Some(unknown) = args.iter().find(|arg| *arg != "--full") {
        return Err(Failure::new(format!("`cargo xtask test` takes `--full` only, but got `{unknown}`")));
    }
    let long_runs: Vec<_> = long_runs().filter(|_| full).collect();
    let mut stages = Stages::new(8 + long_runs.len());
    let outcome = run_stages(&mut stages, &long_runs);
    println!("{}", stages.table());
    outcome
}

fn run_stages(stages: &mut Stages, long_runs: &[(&'static Recipe, u64)]) -> Outcome {
    let mut cluster = Background::start();
    stages.run("format", 1, || {
        need_component("fmt", "rustfmt")?;
        cargo(&["fmt", "--all", "--check"])?;
        // a workspace of its own; checking its format compiles nothing
        cargo(&["fmt", "--manifest-path", "bench/Cargo.toml", "--check"])
    })?;
    cluster.fail_early()?;
    stages.run("clippy", 5, || {
        need_component("clippy", "clippy")?;
        cargo(&[&["clippy", "--all-targets"][..], EVERYTHING, &["--", "-D", "warnings"]].concat())
    })?;
    cluster.fail_early()?;
    // A workspace of its own, with its rivals; that it compiles is all that a machine shared by many can tell.
    stages.run("benchmarks compile", 3, || {
        cargo(&["clippy", "--manifest-path", "bench/Cargo.toml", "--", "-D", "warnings"])
    })?;
    cluster.fail_early()?;
    // Those that others depend on; `cargo xtask features` has all crates.
    stages.run("features", 3, || features::run(&["rowkey".to_owned(), "rowkey-ops".to_owned()]))?;
    cluster.fail_early()?;
    stages.run("build", 9, || cargo(&[&["build", "--all-targets"][..], EVERYTHING].concat()))?;
    cluster.fail_early()?;
    let cluster = cluster.wait()?;
    let tests = stages
        .run("unit tests", 5, || {
            cargo_on(&cluster, &[&["test", "--lib", "--bins"][..], EVERYTHING].concat())?;
            cargo_on(&cluster, &[&["test", "--doc"][..], EVERYTHING].concat())
        })
        .and_then(|()| {
            let integration = &[&["test", "--test", "*"][..], EVERYTHING].concat();
            stages.run("integration tests", 12, || cargo_on(&cluster, integration))?;
            long_runs.iter().try_for_each(|(run, minutes)| {
                println!("{}", run.lines.first().copied().unwrap_or_default());
                stages.run(run.name, *minutes, || run_command(on(&cluster, run.command())))
            })
        });
    if tests.is_err() {
        let log = workspace::target().join("hbase-cluster.log");
        cluster.copy_log(&log)?;
        println!("[hbase] its log is kept in {}", workspace::typed(&log));
    }
    cluster.stop()?;
    tests?;
    stages.run("documentation", 2, || {
        let mut doc = workspace::cargo();
        doc.args(["doc", "--no-deps", "--workspace", "--all-features"]).env("RUSTDOCFLAGS", "-D warnings");
        run_command(doc)
    })
}

/// A cluster that starts while something else is done.
struct Background {
    started: Receiver<rowkey_testing::Result<Cluster>>,
    ready: Option<Cluster>,
}

impl Background {
    fn start() -> Self {
        let (send, started) = mpsc::channel();
        thread::spawn(move || {
            let cluster = Cluster::start_with(&Options::default(), &mut |line| println!("[hbase] {line}"));
            // The receiver is gone if a stage has failed meanwhile; the cluster is then dropped, which ends it.
            let _ = send.send(cluster);
        });
        Self { started, ready: None }
    }

    /// Without a cluster the run fails in the end; better now than after ten minutes of compiling.
    fn fail_early(&mut self) -> Outcome {
        if let Ok(cluster) = self.started.try_recv() {
            self.ready = Some(cluster?);
        }
        Ok(())
    }

    fn wait(self) -> Result<Cluster, Failure> {
        match self.ready {
            Some(cluster) => Ok(cluster),
            None => Ok(self.started.recv().map_err(Failure::cannot("start the cluster"))??),
        }
    }
}

fn cargo(args: &[&str]) -> Outcome {
    let mut command = workspace::cargo();
    command.args(args);
    run_command(command)
}

/// Cargo with the addresses of a cluster, so that tests do not start one each.
fn cargo_on(cluster: &Cluster, args: &[&str]) -> Outcome {
    let mut command = workspace::cargo();
    command.args(args);
    run_command(on(cluster, command))
}

fn on(cluster: &Cluster, mut command: Command) -> Command {
    command.env("ROWKEY_TEST_HBASE", &cluster.zookeeper_url);
    command.env("ROWKEY_TEST_HBASE_RPC", &cluster.rpc_url);
    command
}

fn run_command(command: Command) -> Outcome {
    let words: Vec<_> = command.get_args().map(|arg| arg.to_string_lossy()).collect();
    println!("$ cargo {}", words.join(" "));
    workspace::succeed(command)
}

/// A minimal toolchain lacks rustfmt and clippy; rustup can bring them.
fn need_component(subcommand: &str, component: &str) -> Outcome {
    let present =
        || workspace::cargo().args([subcommand, "--version"]).output().is_ok_and(|out| out.status.success());
    if present() {
        return Ok(());
    }
    println!("`cargo {subcommand}` is missing; trying `rustup component add {component}`");
    // its own message is on the screen, and what counts is whether the component is there now
    let _ = workspace::program("rustup").args(["component", "add", component]).status();
    if present() {
        return Ok(());
    }
    Err(Failure::new(format!(
        "cannot run `cargo {subcommand}`: the component `{component}` is missing and rustup could not add it; \
         install it with the package manager that brought cargo"
    )))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A file of tests that its crate's `tests/main.rs` does not name would not be compiled, and no test would fail.
    #[test]
    fn no_file_of_tests_is_forgotten() {
        for package in
            fs::read_dir(workspace::root().join("crates")).unwrap().map(|found| found.unwrap().path())
        {
            let tests = package.join("tests");
            let Ok(main) = fs::read_to_string(tests.join("main.rs")) else { continue };
            let manifest = fs::read_to_string(package.join("Cargo.toml")).unwrap();
            for file in fs::read_dir(&tests).unwrap().map(|found| found.unwrap().path()) {
                let name = file.file_stem().unwrap().to_str().unwrap();
                let is_known = name == "main"
                    || main.contains(&format!("mod {name};\n"))
                    || manifest.contains(&format!("name = \"{name}\"\npath = \"tests/{name}"));
                assert!(is_known, "{} is run by no test; add `mod {name};` to tests/main.rs", file.display());
            }
        }
    }
}

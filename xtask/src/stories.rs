//! Is it true what the texts about row keys say? Runs the stories under `examples/`.

use rowkey_testing::cluster::{Cluster, Options};

use crate::{Failure, Outcome, workspace};

/// Builds the program and runs stories; `--hbase` is for us, the rest is the stories' own.
pub(crate) fn run(args: &[String]) -> Outcome {
    let (hbase, rest): (Vec<&String>, Vec<&String>) = args.iter().partition(|arg| *arg == "--hbase");
    let full = rest.iter().any(|arg| *arg == "--full");
    // Rates of a debug build mean nothing.
    let profile = if full { "release" } else { "dev" };
    let cargo = |args: &[&str]| {
        let mut command = workspace::cargo();
        command.args(args).args(["--profile", profile]);
        command
    };
    let status =
        cargo(&["build", "--package", "rowkey-cli"]).status().map_err(Failure::cannot("run cargo"))?;
    if !status.success() {
        return Err(Failure::of_program("`cargo build --package rowkey-cli` failed", status.code()));
    }
    let program = workspace::target().join(if full { "release" } else { "debug" }).join("rowkey");
    let mut stories = cargo(&["run", "--quiet", "--package", "rowkey-stories"]);
    stories.arg("--").arg("--program").arg(&program).args(&rest);
    let cluster = match hbase.is_empty() {
        true => None,
        false => Some(Cluster::start_with(&Options::default(), &mut |line| println!("[hbase] {line}"))?),
    };
    if let Some(cluster) = &cluster {
        stories.args(["--store", &cluster.zookeeper_url]);
    }
    let status = stories.status().map_err(Failure::cannot("run the stories"))?;
    if let Some(cluster) = cluster {
        cluster.stop()?;
    }
    match status.code() {
        Some(0) => Ok(()),
        Some(1) => Err(Failure::of_program("a claim of a story does not hold", status.code())),
        code => Err(Failure::of_program("the stories could not be run", code)),
    }
}

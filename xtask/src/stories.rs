//! Runs the stories under `examples/`: what articles about row keys teach, measured.

use rowkey_testing::cluster::{Cluster, Options};

use crate::{Failure, Outcome, workspace};

/// Builds the program and runs stories; `--hbase` is for us, the rest is the stories' own.
pub(crate) fn run(args: &[String]) -> Outcome {
    let (hbase, rest): (Vec<&String>, Vec<&String>) = args.iter().partition(|arg| *arg == "--hbase");
    // Rates of a debug build mean nothing.
    let (profile, folder) =
        if rest.iter().any(|arg| *arg == "--full") { ("release", "release") } else { ("dev", "debug") };
    // Both at once: alone, each would compile what they share with other features.
    let build = ["build", "--profile", profile, "--package", "rowkey-cli", "--package", "rowkey-stories"];
    let mut cargo = workspace::cargo();
    cargo.args(build);
    workspace::succeed(cargo)?;
    let built = |name: &str| workspace::target().join(folder).join(name);
    let mut stories = workspace::program(built("rowkey-stories"));
    stories.arg("--program").arg(built("rowkey")).args(&rest);
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

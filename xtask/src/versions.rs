//! Runs the smoke test on the versions of HBase that the client supports.
//!
//! One cluster after the other, and on each the smoke test of `rowkey-hbase`. Versions are those whose server can be had
//! from Maven: the tests' own, the newest of every older line, and the preview of HBase 3.

use rowkey_testing::artifacts;
use rowkey_testing::cluster::{Cluster, Options};

use crate::{Failure, Outcome, workspace};

/// The newest of each line whose `hbase-server` resolves with all that it needs, beside the tests' own. HBase 3 has no
/// release yet.
const OTHERS: [&str; 4] = ["3.0.0-alpha-4", "2.6.4", "2.5.8", "2.4.18"];

/// Tries every version, or those named.
pub(crate) fn run(args: &[String]) -> Outcome {
    let mut versions: Vec<&str> = args.iter().map(String::as_str).collect();
    if let Some(unknown) =
        versions.iter().find(|version| !version.starts_with(|first: char| first.is_ascii_digit()))
    {
        return Err(Failure::new(format!(
            "`cargo xtask versions` takes versions as 2.5.8, but got `{unknown}`"
        )));
    }
    if versions.is_empty() {
        versions = std::iter::once(artifacts::version()).chain(OTHERS).collect();
    }
    let mut failed = Vec::new();
    for version in &versions {
        match smoke(version) {
            Ok(()) => println!("HBase {version}: create, load, scan and drop work"),
            Err(failure) => {
                println!("HBase {version}: {failure}");
                failed.push(*version);
            }
        }
    }
    if failed.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!("failed on {}", failed.join(", "))))
}

fn smoke(version: &str) -> Outcome {
    let options = Options { region_servers: 2, heap_mb: 1024, ..Options::default() };
    let cluster = Cluster::start_version(version, &options, &mut |line| println!("[hbase] {line}"))?;
    let mut test = workspace::cargo();
    test.args(["test", "--quiet", "-p", "rowkey-hbase", "--test", "smoke", "--", "--nocapture"]);
    test.env("ROWKEY_TEST_HBASE", &cluster.zookeeper_url);
    test.env("ROWKEY_TEST_HBASE_RPC", &cluster.rpc_url);
    let status = test.status().map_err(Failure::cannot("run the smoke test"))?;
    if !status.success() {
        let log = workspace::target().join(format!("hbase-{version}.log"));
        cluster.copy_log(&log)?;
        return Err(Failure::of_program(
            format!("the smoke test failed; the servers' log is {}", workspace::typed(&log)),
            status.code(),
        ));
    }
    cluster.stop()?;
    Ok(())
}

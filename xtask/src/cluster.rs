//! Starts a cluster for a developer.

use std::io::{self, Read};

use rowkey_testing::cluster::{Cluster, Options};

use crate::{Failure, Outcome};

/// Starts a cluster, prints its addresses and keeps it until standard input closes or Ctrl-C.
pub(crate) fn run(args: &[String]) -> Outcome {
    let options = match args {
        [] => Options::default(),
        [hdfs] if hdfs == "--hdfs" => Options { on_hdfs: true, ..Options::default() },
        [.., unknown] => {
            let reason = format!("`cargo xtask cluster` takes `--hdfs` or nothing, but got `{unknown}`");
            return Err(Failure::new(reason));
        }
    };
    // standard output holds only what a shell can read: `. <(cargo xtask cluster)` and the like
    let cluster = Cluster::start_with(&options, &mut |line| eprintln!("{line}"))?;
    println!("export ROWKEY_TEST_HBASE={}", cluster.zookeeper_url);
    println!("export ROWKEY_TEST_HBASE_RPC={}", cluster.rpc_url);
    eprintln!(
        "running until Ctrl-C or the end of standard input; with these two variables set, `cargo test` uses it"
    );

    let mut ignored = [0; 1024];
    while io::stdin().read(&mut ignored)? > 0 {}
    cluster.stop()?;
    eprintln!("stopped, data deleted");
    Ok(())
}

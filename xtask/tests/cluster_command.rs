//! Does `cargo xtask cluster` give a cluster, and does nothing stay behind however it ends?

#![expect(clippy::unwrap_used, reason = "the helpers of a test may panic as the test may")]

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

struct Running {
    child: Child,
    _stdout: BufReader<ChildStdout>,
    zookeeper: SocketAddr,
    master: SocketAddr,
}

/// All temporary files of the command go to `folder`, where we can count them.
fn start(folder: &Path) -> Running {
    let mut child = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .arg("cluster")
        .env("TMPDIR", folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut address = |before: &str, after: &str| {
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let address = line.trim_end().strip_prefix(before).unwrap().strip_suffix(after).unwrap();
        address.parse::<SocketAddr>().unwrap()
    };
    let zookeeper = address("export ROWKEY_TEST_HBASE=hbase://", "/hbase");
    let master = address("export ROWKEY_TEST_HBASE_RPC=hbase+rpc://", "");
    Running { child, _stdout: stdout, zookeeper, master }
}

fn answers(address: SocketAddr) -> bool {
    TcpStream::connect_timeout(&address, Duration::from_secs(5)).is_ok()
}

fn assert_nothing_is_left(running: &Running, folder: &Path) {
    let left = || fs::read_dir(folder).unwrap().count();
    let limit = Instant::now() + Duration::from_secs(30);
    while answers(running.zookeeper) || answers(running.master) || left() > 0 {
        assert!(Instant::now() < limit, "after 30 s the cluster answers, or {} files are left", left());
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn the_end_of_standard_input_ends_the_cluster() {
    let folder = tempfile::tempdir().unwrap();
    let mut running = start(folder.path());
    assert!(running.zookeeper.ip().is_loopback() && running.master.ip().is_loopback());
    assert!(answers(running.zookeeper) && answers(running.master));
    drop(running.child.stdin.take());
    assert!(running.child.wait().unwrap().success());
    assert_nothing_is_left(&running, folder.path());
}

#[test]
fn a_killed_parent_leaves_no_jvm_and_no_data() {
    let folder = tempfile::tempdir().unwrap();
    let mut running = start(folder.path());
    assert!(answers(running.zookeeper) && answers(running.master));
    // SIGKILL: no destructor of ours runs
    running.child.kill().unwrap();
    running.child.wait().unwrap();
    assert_nothing_is_left(&running, folder.path());
}

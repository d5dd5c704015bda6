//! How does a Python program reach the test's HBase?
//!
//! Through HBase's own Thrift server, which `testing/java/ThriftGateway.java` runs in a JVM of its own on a free port. Its jars are a few
//! more than the cluster's (`testing/thrift/pom.xml`). Like the cluster's, the JVM ends with the process that started it.

use crate::artifacts;
use crate::java::{self, Program};
use crate::process::Process;
use crate::{Error, Result};

const POM: &str = include_str!("../thrift/pom.xml");

const GATEWAY: Program = Program::new("ThriftGateway", include_str!("../java/ThriftGateway.java"));

/// A running gateway; dropping it ends it.
#[derive(Debug)]
pub struct Gateway {
    /// `HOST:PORT` where it takes connections.
    pub address: String,
    _process: Process,
}

impl Gateway {
    /// Starts a gateway to the cluster whose ZooKeeper is at `HOST:PORT`, and returns when it takes connections.
    ///
    /// # Errors
    ///
    /// [`Error::Start`] if it is not ready within 180 s; all errors of [`artifacts::fetch`].
    pub fn start(zookeeper: &str) -> Result<Self> {
        let hbase = artifacts::fetch(&mut |_| {})?;
        let thrift = artifacts::fetch_pom("thrift-of-hbase", POM, &mut |_| {})?;
        let mut command = java::command_beside(&hbase, &thrift, GATEWAY)?;
        command.args(["-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", GATEWAY.class(), zookeeper]);
        let mut process = Process::spawn(&mut command)?;
        match process.wait_until_ready() {
            Ok(address) => Ok(Self { address, _process: process }),
            Err(reason) => Err(Error::Start { reason, log: "its own words stand above".to_owned() }),
        }
    }
}

//! Starts a real HBase cluster for a test, and stops it afterwards.
//!
//! [`Cluster::start`] runs `testing/java/Cluster.java`: ZooKeeper, a master and the region servers in one JVM, on
//! free ports of the loopback address, with its data in a temporary folder. [`shared`] is what tests call: one
//! cluster for all of them.
//!
//! **The law**: no JVM outlives the process that started it. The JVM holds the reading end of a pipe and ends when
//! the pipe closes, which the kernel does for us whatever happens to this process; `kill -9` too.
//!
//! Not here: table names. A shared cluster is shared, so every test takes a name of its own.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::OnceLock;
use std::time::Instant;

use tempfile::TempDir;

use crate::artifacts::{self, last_lines};
use crate::process::Process;
use crate::{Error, Result, java};

const LOG: &str = "cluster.log";
const STANDARD_ERROR: &str = "stderr.log";

/// How large a cluster is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Region servers, at least 1.
    pub region_servers: u32,
    /// The heap of the one JVM, in MB.
    pub heap_mb: u32,
    /// Whether its data lies in an HDFS of one data node, which it then syncs as it promises, rather than in a plain folder, where
    /// HBase hands writes to the system and no more.
    pub on_hdfs: bool,
    /// Settings of HBase beside ours, such as `hbase.client.scanner.timeout.period` and `6000`.
    pub settings: Vec<(String, String)>,
    /// Options of the JVM beside ours.
    pub java_options: Vec<String>,
}

impl Default for Options {
    /// Three region servers in 2,048 MB, not secured.
    fn default() -> Self {
        Self {
            region_servers: 3,
            heap_mb: 2048,
            on_hdfs: false,
            settings: Vec::new(),
            java_options: Vec::new(),
        }
    }
}

/// Where a running cluster answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoints {
    /// Through ZooKeeper: `hbase://127.0.0.1:PORT/hbase`.
    pub zookeeper_url: String,
    /// Through the master's own registry: `hbase+rpc://HOST:PORT`.
    pub rpc_url: String,
}

impl Endpoints {
    /// `HOST:PORT` of ZooKeeper, as [`java::READ_BACK`] takes it.
    pub fn zookeeper_address(&self) -> &str {
        let address = self.zookeeper_url.trim_start_matches("hbase://");
        address.split_once('/').map_or(address, |(address, _)| address)
    }
}

/// A running cluster; dropping it ends it and deletes its data.
#[derive(Debug)]
pub struct Cluster {
    /// Through ZooKeeper: `hbase://127.0.0.1:PORT/hbase`.
    pub zookeeper_url: String,
    /// Through the master's own registry: `hbase+rpc://HOST:PORT`.
    pub rpc_url: String,
    process: Process,
    folder: TempDir,
}

impl Cluster {
    /// Starts a cluster and returns when every region server is online.
    ///
    /// # Errors
    ///
    /// [`Error::Start`] with the last lines of the log if it is not ready within 180 s; all errors of
    /// [`artifacts::fetch`].
    pub fn start(options: &Options) -> Result<Self> {
        Self::start_with(options, &mut |_| {})
    }

    /// The same, with a line of progress now and then.
    ///
    /// # Errors
    ///
    /// As [`Cluster::start`].
    pub fn start_with(options: &Options, progress: &mut dyn FnMut(&str)) -> Result<Self> {
        Self::start_version(artifacts::version(), options, progress)
    }

    /// The same with another version of HBase.
    ///
    /// # Errors
    ///
    /// As [`Cluster::start`].
    pub fn start_version(version: &str, options: &Options, progress: &mut dyn FnMut(&str)) -> Result<Self> {
        if options.region_servers == 0 {
            let reason = "region_servers is 0; at least 1 is needed to hold hbase:meta".to_owned();
            return Err(Error::Start { reason, log: String::new() });
        }
        let artifacts = artifacts::fetch_version(version, progress)?;
        let folder = tempfile::Builder::new()
            .prefix("rowkey-hbase-")
            .tempdir()
            .map_err(Error::io("create a folder for the cluster in", &std::env::temp_dir()))?;
        let mut command = java::command(&artifacts, java::CLUSTER, progress)?;
        progress(&format!(
            "starting HBase {} with {} region servers",
            artifacts.version, options.region_servers
        ));
        let started = Instant::now();

        let logging = folder.path().join("log4j.properties");
        fs::write(&logging, log_to(&folder.path().join(LOG))).map_err(Error::io("write", &logging))?;
        let errors = folder.path().join(STANDARD_ERROR);
        let errors = fs::File::create(&errors).map_err(Error::io("create", &errors))?;
        if options.on_hdfs {
            // Its nodes look for the files of their web pages among the classes; they need not find any.
            for node in ["hdfs", "datanode"] {
                let pages = folder.path().join("webapps").join(node);
                fs::create_dir_all(&pages).map_err(Error::io("create", &pages))?;
            }
            command.arg(format!("-Xbootclasspath/a:{}", folder.path().display()));
        }
        command
            .args(&options.java_options)
            .arg(format!("-Xmx{}m", options.heap_mb))
            .arg(format!("-Dlog4j.configuration=file:{}", logging.display()))
            .arg(format!("-Djava.io.tmpdir={}", folder.path().display()))
            .arg(java::CLUSTER.class())
            .arg(folder.path())
            .arg(options.region_servers.to_string())
            .arg(if options.on_hdfs { "hdfs" } else { "folder" })
            .args(options.settings.iter().map(|(key, value)| format!("{key}={value}")))
            // crash reports belong to the data
            .current_dir(folder.path())
            .stderr(errors);
        let mut process = Process::spawn(&mut command)?;
        let ready = process.wait_until_ready();
        let addresses = ready.and_then(|said| {
            addresses(&said).ok_or_else(|| format!("it is ready, but says `{said}` and no addresses"))
        });
        match addresses {
            Ok((zookeeper, master)) => {
                progress(&format!("HBase is ready after {:.0} s", started.elapsed().as_secs_f64()));
                let zookeeper_url = format!("hbase://{zookeeper}/hbase");
                Ok(Self { zookeeper_url, rpc_url: format!("hbase+rpc://{master}"), process, folder })
            }
            Err(reason) => Err(Error::Start { reason, log: last_words(folder.path()) }),
        }
    }

    /// Where it answers.
    pub fn endpoints(&self) -> Endpoints {
        Endpoints { zookeeper_url: self.zookeeper_url.clone(), rpc_url: self.rpc_url.clone() }
    }

    /// Stops a region server, `HOST:PORT`, as an operator would, and returns when it has gone; its regions go to the others.
    ///
    /// # Errors
    ///
    /// [`Error::Command`] if no live server has this address.
    pub fn stop_region_server(&self, address: &str) -> Result<()> {
        self.command(&format!("stop {address}")).map(drop)
    }

    /// Starts another region server and gives its address, `HOST:PORT`.
    ///
    /// # Errors
    ///
    /// [`Error::Command`] if it does not come up.
    pub fn start_region_server(&self) -> Result<String> {
        let answer = self.command("start")?;
        Ok(answer.trim_start_matches("STARTED ").to_owned())
    }

    fn command(&self, command: &str) -> Result<String> {
        self.process.ask(command).map_err(|reason| Error::Command { command: command.to_owned(), reason })
    }

    /// Copies the servers' log to `file`; the log itself is deleted with the cluster.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if it cannot be copied.
    pub fn copy_log(&self, file: &Path) -> Result<()> {
        fs::copy(self.folder.path().join(LOG), file)
            .map_err(Error::io("copy the log of the cluster to", file))?;
        Ok(())
    }

    /// Ends the cluster and deletes its data; dropping does the same but cannot report.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if the process or the folder does not go away.
    pub fn stop(self) -> Result<()> {
        let Self { process, folder, .. } = self;
        drop(process);
        let path = folder.path().to_owned();
        // the JVM deletes it too, and usually was first
        match folder.close() {
            Err(source) if path.exists() => {
                Err(Error::io("delete the data of the cluster in", &path)(source))
            }
            _ => Ok(()),
        }
    }
}

/// Those of ZooKeeper and the master.
fn addresses(said: &str) -> Option<(String, String)> {
    let (zookeeper, master) = said.strip_prefix("zookeeper=")?.split_once(" master=")?;
    Some((zookeeper.to_owned(), master.to_owned()))
}

fn log_to(file: &Path) -> String {
    format!(
        "log4j.rootLogger=INFO,FILE
log4j.logger.org.apache.zookeeper=WARN
log4j.appender.FILE=org.apache.log4j.RollingFileAppender
log4j.appender.FILE.File={}
log4j.appender.FILE.MaxFileSize=20MB
log4j.appender.FILE.MaxBackupIndex=1
log4j.appender.FILE.layout=org.apache.log4j.PatternLayout
log4j.appender.FILE.layout.ConversionPattern=%d{{ISO8601}} %p [%t] %c{{1}}: %m%n
",
        file.display()
    )
}

/// The end of the log and of standard error, where the JVM itself complains.
fn last_words(folder: &Path) -> String {
    let end = |name: &str, count| {
        let bytes = fs::read(folder.join(name)).unwrap_or_default();
        last_lines(&String::from_utf8_lossy(&bytes), count)
    };
    format!("{}\n{}", end(LOG, 40), end(STANDARD_ERROR, 20))
}

/// The cluster of this run: the one named by `ROWKEY_TEST_HBASE` and `ROWKEY_TEST_HBASE_RPC` (`cargo xtask test`
/// sets them), otherwise one that this process starts at the first call and that ends with it.
///
/// # Panics
///
/// When there is no cluster to be had, with the reason; a test cannot go on then.
pub fn shared() -> &'static Endpoints {
    static SHARED: OnceLock<(Endpoints, Option<Cluster>)> = OnceLock::new();
    let (endpoints, _) = SHARED.get_or_init(|| {
        let set = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        match (set("ROWKEY_TEST_HBASE"), set("ROWKEY_TEST_HBASE_RPC")) {
            (Some(zookeeper_url), Some(rpc_url)) => return (Endpoints { zookeeper_url, rpc_url }, None),
            (None, None) => {}
            _ => {
                panic!("set both ROWKEY_TEST_HBASE and ROWKEY_TEST_HBASE_RPC, or neither to start a cluster")
            }
        }
        // to the real standard error: the test harness would keep it back, and a first download takes a minute
        let mut tell = |line: &str| {
            let _ = writeln!(io::stderr(), "{line}");
        };
        match Cluster::start_with(&Options::default(), &mut tell) {
            Ok(cluster) => (cluster.endpoints(), Some(cluster)),
            Err(error) => panic!("{error}"),
        }
    });
    endpoints
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_gives_both_addresses() {
        let both = addresses("zookeeper=127.0.0.1:2181 master=127.0.0.1:16000");
        assert_eq!(both, Some(("127.0.0.1:2181".into(), "127.0.0.1:16000".into())));
        assert_eq!(addresses("anything else"), None);
    }

    #[test]
    fn the_zookeeper_address_comes_out_of_the_url() {
        let endpoints =
            Endpoints { zookeeper_url: "hbase://127.0.0.1:2181/hbase".into(), rpc_url: String::new() };
        assert_eq!(endpoints.zookeeper_address(), "127.0.0.1:2181");
    }
}

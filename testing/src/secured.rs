//! How does a test get a cluster that asks who you are?
//!
//! One cluster for all ways in: Kerberos under every protection, with and without TLS (clients show a certificate), and an access controller whose
//! superuser is `admin`. Its servers are `hbase/localhost`.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::cluster::{Cluster, Options};
use crate::kdc::{Kdc, REALM};
use crate::{Error, Result};

const CA: &str = include_str!("../../testdata/tls/ca.pem");
const SERVER: &str = concat!(
    include_str!("../../testdata/tls/server.cert.pem"),
    include_str!("../../testdata/tls/server.key.pem")
);
const CLIENT: &str = concat!(
    include_str!("../../testdata/tls/client.cert.pem"),
    include_str!("../../testdata/tls/client.key.pem")
);

/// A running cluster with its key distribution centre.
#[derive(Debug)]
pub struct Secured {
    /// The cluster.
    pub cluster: Cluster,
    /// Who hands out its tickets.
    pub kdc: Kdc,
    /// The keytab of `admin`, who may do everything.
    pub admin: PathBuf,
    /// The keytab of `guest`, who may do nothing until somebody grants it.
    pub guest: PathBuf,
    /// The PEM file of the authority that signed the servers' certificate.
    pub ca: PathBuf,
    /// A PEM file with a client's certificate and key.
    pub client: PathBuf,
}

impl Secured {
    /// Starts both.
    ///
    /// # Errors
    ///
    /// As [`Cluster::start`] and [`Kdc::start`].
    pub fn start(progress: &mut dyn FnMut(&str)) -> Result<Self> {
        let kdc = Kdc::start(progress)?;
        let servers = kdc.keytab("hbase/localhost")?;
        let (admin, guest) = (kdc.keytab("admin")?, kdc.keytab("guest")?);
        let write = |name: &str, text: &str| {
            let file = kdc.folder().join(name);
            fs::write(&file, text).map_err(Error::io("write", &file)).map(|()| file)
        };
        let (ca, server, client) =
            (write("ca.pem", CA)?, write("server.pem", SERVER)?, write("client.pem", CLIENT)?);
        let mut settings = common(&ca, &server);
        let access = "org.apache.hadoop.hbase.security.access.AccessController";
        let tokens = "org.apache.hadoop.hbase.security.token.TokenProvider";
        let endpoint = "org.apache.hadoop.hbase.coprocessor.AggregateImplementation";
        for (key, value) in [
            // the names that principals and certificates hold
            ("hbase.master.hostname", "localhost".to_owned()),
            ("hbase.unsafe.regionserver.hostname", "localhost".to_owned()),
            ("hbase.master.keytab.file", servers.display().to_string()),
            ("hbase.regionserver.keytab.file", servers.display().to_string()),
            // without it nobody looks whether one user may speak for another
            ("hadoop.security.authorization", "true".to_owned()),
            ("hbase.security.authorization", "true".to_owned()),
            ("hbase.superuser", "admin".to_owned()),
            ("hbase.coprocessor.master.classes", access.to_owned()),
            ("hbase.coprocessor.regionserver.classes", access.to_owned()),
            ("hbase.coprocessor.region.classes", format!("{access},{tokens},{endpoint}")),
            ("hbase.server.netty.tls.enabled", "true".to_owned()),
        ] {
            settings.push((key.to_owned(), value));
        }
        let options = Options { settings, java_options: java_options(&kdc.conf()), ..Options::default() };
        let cluster = Cluster::start_with(&options, progress)?;
        Ok(Self { cluster, kdc, admin, guest, ca, client })
    }

    /// Settings of a URL with which `admin` comes in by Kerberos.
    pub fn kerberos(&self) -> String {
        let (keytab, conf) = (self.admin.display(), self.kdc.conf());
        format!("auth=kerberos&principal=admin&keytab={keytab}&krb5conf={}", conf.display())
    }

    /// Settings of a URL for TLS.
    pub fn tls(&self) -> String {
        format!("tls=true&ca={}&cert={}", self.ca.display(), self.client.display())
    }

    /// Writes `hbase-site.xml`, as a client of the cluster has it, into a folder; Java's client then comes in as `admin`, by the
    /// `core-site.xml` that it also wants.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if it cannot be written.
    pub fn write_site(&self, folder: &Path, protection: &str, more: &[(&str, &str)]) -> Result<()> {
        let zookeeper = self.cluster.endpoints();
        let (host, port) = zookeeper.zookeeper_address().split_once(':').unwrap_or_default();
        let mut settings = common(&self.ca, &self.client);
        settings.retain(|(key, _)| key != "hbase.rpc.protection" && key != "hbase.client.netty.tls.enabled");
        for (key, value) in [
            ("hbase.zookeeper.quorum", host),
            ("hbase.zookeeper.property.clientPort", port),
            ("hbase.rpc.protection", protection),
            ("hbase.client.keytab.principal", &format!("admin@{REALM}")),
            ("hbase.client.keytab.file", &self.admin.display().to_string()),
        ] {
            settings.push((key.to_owned(), value.to_owned()));
        }
        settings.extend(more.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())));
        let property = |(key, value): &(String, String)| {
            format!("  <property>\n    <name>{key}</name>\n    <value>{value}</value>\n  </property>\n")
        };
        let text: String = settings.iter().map(property).collect();
        let text = format!("<?xml version=\"1.0\"?>\n<configuration>\n{text}</configuration>\n");
        for name in ["hbase-site.xml", "core-site.xml"] {
            let file = folder.join(name);
            fs::write(&file, &text).map_err(Error::io("write", &file))?;
        }
        Ok(())
    }

    /// Options of a JVM whose client comes in by Kerberos.
    pub fn java_options(&self) -> Vec<String> {
        java_options(&self.kdc.conf())
    }
}

/// What servers and clients have in common.
fn common(ca: &Path, own: &Path) -> Vec<(String, String)> {
    let servers = format!("hbase/localhost@{REALM}");
    [
        ("hbase.security.authentication", "kerberos".to_owned()),
        ("hadoop.security.authentication", "kerberos".to_owned()),
        ("hbase.master.kerberos.principal", servers.clone()),
        ("hbase.regionserver.kerberos.principal", servers),
        ("hbase.rpc.protection", "authentication,integrity,privacy".to_owned()),
        ("hbase.client.netty.tls.enabled", "true".to_owned()),
        ("hbase.rpc.tls.keystore.location", own.display().to_string()),
        ("hbase.rpc.tls.keystore.type", "PEM".to_owned()),
        ("hbase.rpc.tls.truststore.location", ca.display().to_string()),
        ("hbase.rpc.tls.truststore.type", "PEM".to_owned()),
    ]
    .map(|(key, value)| (key.to_owned(), value))
    .to_vec()
}

/// Hadoop reaches into the JDK for Kerberos.
fn java_options(conf: &Path) -> Vec<String> {
    let classes = "java.security.jgss/sun.security.krb5=ALL-UNNAMED";
    let mut options = vec![format!("-Djava.security.krb5.conf={}", conf.display())];
    for allow in ["--add-exports", "--add-opens"] {
        options.extend([allow.to_owned(), classes.to_owned()]);
    }
    options
}

/// The secured cluster of this process, started at the first call.
///
/// # Panics
///
/// When there is none to be had, with the reason.
pub fn shared() -> &'static Secured {
    static SHARED: OnceLock<Secured> = OnceLock::new();
    SHARED.get_or_init(|| {
        let mut tell = |line: &str| {
            let _ = writeln!(io::stderr(), "{line}");
        };
        Secured::start(&mut tell).unwrap_or_else(|error| panic!("{error}"))
    })
}

//! How does a test get tickets of Kerberos?
//!
//! [`Kdc::start`] runs `testing/java/Kdc.java`, Apache Kerby (by `testing/kerby/pom.xml`), which needs no package of the system, no
//! root and no file in `/etc`. Its folder has `krb5.conf` and the keytabs; all of it goes with the process.

use std::fs;
use std::path::{Path, PathBuf};

use crate::process::Process;
use crate::{Error, Result, artifacts, java};

const POM: &str = include_str!("../kerby/pom.xml");

/// The realm of all principals.
pub const REALM: &str = "ROWKEY.TEST";

/// A running key distribution centre.
#[derive(Debug)]
pub struct Kdc {
    process: Process,
    folder: PathBuf,
    port: u16,
}

impl Kdc {
    /// Starts one on a free port of the loopback address.
    ///
    /// # Errors
    ///
    /// [`Error::Start`] if it does not answer; all errors of [`artifacts::fetch`].
    pub fn start(progress: &mut dyn FnMut(&str)) -> Result<Self> {
        let artifacts = artifacts::fetch_pom("kerby-2.0.3", POM, progress)?;
        let folder = tempfile::Builder::new()
            .prefix("rowkey-kdc-")
            .tempdir()
            .map_err(Error::io("create a folder for the KDC in", &std::env::temp_dir()))?;
        let mut command = java::command(&artifacts, java::KDC, progress)?;
        command.args(["-Xmx128m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", java::KDC.class()]);
        command.arg(folder.path()).arg(REALM).stderr(std::process::Stdio::null());
        let mut process = Process::spawn(&mut command)?;
        let port = process.wait_for(|line| line.strip_prefix("KDC ")?.parse().ok());
        let port = port.map_err(|reason| Error::Start { reason, log: String::new() })?;
        // The process deletes it, whatever ends this one.
        let kdc = Self { process, folder: folder.keep(), port };
        kdc.configuration("krb5.conf", "1d")?;
        Ok(kdc)
    }

    /// `krb5.conf` of this realm.
    pub fn conf(&self) -> PathBuf {
        self.folder.join("krb5.conf")
    }

    /// Another, in which tickets are asked for a time such as `60s`.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if it cannot be written.
    pub fn configuration(&self, name: &str, ticket_life: &str) -> Result<PathBuf> {
        let file = self.folder.join(name);
        let text = format!(
            "[libdefaults]
  default_realm = {REALM}
  dns_lookup_realm = false
  dns_lookup_kdc = false
  dns_canonicalize_hostname = false
  rdns = false
  udp_preference_limit = 1
  ticket_lifetime = {ticket_life}
  forwardable = true
[realms]
  {REALM} = {{
    kdc = 127.0.0.1:{}
  }}
[domain_realm]
  localhost = {REALM}
",
            self.port
        );
        fs::write(&file, text).map_err(Error::io("write", &file))?;
        Ok(file)
    }

    /// Makes a principal such as `anna` or `hbase/localhost`, and gives a keytab with its key.
    ///
    /// # Errors
    ///
    /// [`Error::Command`] if it cannot be made, because it is there.
    pub fn keytab(&self, principal: &str) -> Result<PathBuf> {
        let file = self.folder.join(format!("{}.keytab", principal.replace('/', "_")));
        let command = format!("principal {principal} {}", file.display());
        self.process.ask(&command).map_err(|reason| Error::Command { command, reason })?;
        Ok(file)
    }

    /// Where its files are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

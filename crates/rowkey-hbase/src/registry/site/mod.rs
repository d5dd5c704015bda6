//! What does `hbase-site.xml`, the configuration that clients of a cluster have, say as a URL?
//!
//! | property | becomes |
//! | --- | --- |
//! | `hbase.zookeeper.quorum`, `hbase.zookeeper.property.clientPort`, `zookeeper.znode.parent` | `hbase://HOST:PORT,…/PARENT` |
//! | `hbase.client.registry.impl` with `Rpc` in it, and `hbase.client.bootstrap.servers` or `hbase.masters` | `hbase+rpc://HOST:PORT,…` |
//! | `hbase.security.authentication` | `auth` |
//! | `hbase.regionserver.kerberos.principal`, `hbase.master.kerberos.principal` | `service`, `masterservice` |
//! | `hbase.client.keytab.principal`, `hbase.client.keytab.file` | `principal`, `keytab` |
//! | `hbase.rpc.protection` | `protection` |
//! | `hbase.ipc.client.fallback-to-simple-auth-allowed` | `fallback` |
//! | `hbase.client.netty.tls.enabled` | `tls` |
//! | `hbase.rpc.tls.truststore.location`, `hbase.rpc.tls.keystore.location` | `ca`, `cert`, if they are PEM files |
//! | `hbase.client.operation.timeout`, `hbase.rpc.timeout` | `timeout`, `calltimeout` |
//!
//! A URL is what everybody can read, print and change, so that is what comes out.
//!
//! Not here: how often something is tried again (`hbase.client.retries.number`): here the time decides, not a count. Passwords of
//! key stores are not looked at.

mod xml;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Why a configuration cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SiteError {
    /// It cannot be read.
    #[error("could not read the cluster's configuration {}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// Why not.
        #[source]
        source: io::Error,
    },
    /// It is no such file.
    #[error("{} is not a configuration of Hadoop, line {line}: {what}", file.display())]
    Form {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong there.
        what: &'static str,
    },
    /// A property that is needed is not there.
    #[error("{} has no property `{name}`, so where the cluster is cannot be told", file.display())]
    Missing {
        /// The file.
        file: PathBuf,
        /// The property.
        name: &'static str,
    },
    /// A property whose value does not fit.
    #[error("property `{name}` in {} is `{value}`, and {expected} is needed", file.display())]
    Value {
        /// The file.
        file: PathBuf,
        /// The property.
        name: &'static str,
        /// Its value.
        value: String,
        /// What fits.
        expected: &'static str,
    },
}

/// The URL of the cluster of which `file` is the configuration; a folder stands for the `hbase-site.xml` in it.
///
/// # Errors
/// A file that cannot be read or is none, or one that does not say where the cluster is.
pub fn url_of_site(file: &Path) -> Result<String, SiteError> {
    let file = if file.is_dir() { file.join("hbase-site.xml") } else { file.to_owned() };
    let text = fs::read(&file).map_err(|source| SiteError::Read { file: file.clone(), source })?;
    let text = String::from_utf8_lossy(&text);
    let properties = xml::properties(&text).map_err(|wrong| SiteError::Form {
        file: file.clone(),
        line: wrong.line,
        what: wrong.what,
    })?;
    Site { file, properties }.url()
}

struct Site {
    file: PathBuf,
    properties: BTreeMap<String, String>,
}

impl Site {
    /// A property with a value, in which `${other}` stands for another.
    fn get(&self, name: &str) -> Option<String> {
        let mut value = self.properties.get(name)?.trim().to_owned();
        // As often as Hadoop does, so that a circle comes to an end.
        for _ in 0..20 {
            let found = value.match_indices("${").find_map(|(start, _)| {
                let end = start + value[start..].find('}')?;
                let other = self.properties.get(&value[start + 2..end])?;
                Some((start..=end, other.trim().to_owned()))
            });
            let Some((place, other)) = found else { break };
            value.replace_range(place, &other);
            if value.len() > 64 << 10 {
                break;
            }
        }
        (!value.is_empty()).then_some(value)
    }

    fn is_true(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| value.eq_ignore_ascii_case("true"))
    }

    fn url(&self) -> Result<String, SiteError> {
        let mut settings = Vec::new();
        let mut set = |name: &str, value: Option<String>| {
            settings.extend(value.map(|value| format!("{name}={}", escaped(&value))));
        };
        if self.get("hbase.security.authentication").is_some_and(|how| how.eq_ignore_ascii_case("kerberos")) {
            set("auth", Some("kerberos".to_owned()));
            set("service", self.get("hbase.regionserver.kerberos.principal"));
            set("masterservice", self.get("hbase.master.kerberos.principal"));
            set("principal", self.get("hbase.client.keytab.principal"));
            set("keytab", self.get("hbase.client.keytab.file"));
            set("protection", self.get("hbase.rpc.protection"));
            let fallback = self.is_true("hbase.ipc.client.fallback-to-simple-auth-allowed");
            set("fallback", fallback.then(|| "simple".to_owned()));
        }
        if self.is_true("hbase.client.netty.tls.enabled") {
            set("tls", Some("true".to_owned()));
            set("ca", self.get("hbase.rpc.tls.truststore.location"));
            set("cert", self.get("hbase.rpc.tls.keystore.location"));
        }
        set("timeout", self.millis("hbase.client.operation.timeout")?);
        set("calltimeout", self.millis("hbase.rpc.timeout")?);
        let place = self.place()?;
        let settings = settings.join("&");
        Ok(if settings.is_empty() { place } else { format!("{place}?{settings}") })
    }

    fn place(&self) -> Result<String, SiteError> {
        let by_masters = self.get("hbase.client.registry.impl").is_some_and(|class| class.contains("Rpc"));
        let missing = |name| SiteError::Missing { file: self.file.clone(), name };
        let list = |hosts: String| hosts.split_whitespace().collect::<String>();
        if by_masters {
            let masters = self.get("hbase.client.bootstrap.servers").or_else(|| self.get("hbase.masters"));
            return Ok(format!("hbase+rpc://{}", list(masters.ok_or_else(|| missing("hbase.masters"))?)));
        }
        let name = "hbase.zookeeper.quorum";
        let quorum = list(self.get(name).ok_or_else(|| missing(name))?);
        let port = self.get("hbase.zookeeper.property.clientPort").unwrap_or_else(|| "2181".to_owned());
        let has_port =
            |host: &str| host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        let hosts: Vec<String> = quorum
            .split(',')
            .filter(|host| !host.is_empty())
            .map(|host| if has_port(host) { host.to_owned() } else { format!("{host}:{port}") })
            .collect();
        let parent = self.get("zookeeper.znode.parent").unwrap_or_else(|| "/hbase".to_owned());
        Ok(format!("hbase://{}{parent}", hosts.join(",")))
    }

    fn millis(&self, name: &'static str) -> Result<Option<String>, SiteError> {
        let Some(value) = self.get(name) else { return Ok(None) };
        match value.parse::<u32>() {
            Ok(millis) if millis > 0 => Ok(Some(format!("{millis}ms"))),
            _ => {
                let expected = "a number of milliseconds";
                Err(SiteError::Value { file: self.file.clone(), name, value, expected })
            }
        }
    }
}

/// A value as a URL takes it.
fn escaped(value: &str) -> String {
    let mut text = String::new();
    for letter in value.chars() {
        match letter {
            '%' | '&' | '#' | '?' | ' ' => text.push_str(&format!("%{:02X}", u32::from(letter))),
            other => text.push(other),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::url::ClusterUrl;
    use crate::security::kerberos::Protection;

    fn site(properties: &[(&str, &str)]) -> Result<String, SiteError> {
        let property = |(name, value): &(&str, &str)| {
            format!("<property><name>{name}</name><value>{value}</value></property>")
        };
        let text: String = properties.iter().map(property).collect();
        let properties = xml::properties(&format!("<configuration>{text}</configuration>")).unwrap();
        Site { file: "hbase-site.xml".into(), properties }.url()
    }

    #[test]
    fn a_plain_cluster_is_where_its_quorum_is() {
        let url = |properties: &[(&str, &str)]| site(properties).unwrap();
        assert_eq!(url(&[("hbase.zookeeper.quorum", "a,b")]), "hbase://a:2181,b:2181/hbase");
        assert_eq!(
            url(&[
                ("hbase.zookeeper.quorum", "a:1, b"),
                ("hbase.zookeeper.property.clientPort", "2222"),
                ("zookeeper.znode.parent", "/hbase-${who}"),
                ("who", "secure"),
                ("hbase.client.operation.timeout", "30000"),
            ]),
            "hbase://a:1,b:2222/hbase-secure?timeout=30000ms"
        );
        assert_eq!(
            url(&[
                ("hbase.client.registry.impl", "org.apache.hadoop.hbase.client.RpcConnectionRegistry"),
                ("hbase.masters", "m1:16000,m2:16000"),
            ]),
            "hbase+rpc://m1:16000,m2:16000"
        );
    }

    #[test]
    fn a_secured_cluster_is_read_whole() {
        let url = site(&[
            ("hbase.zookeeper.quorum", "a"),
            ("hbase.security.authentication", "Kerberos"),
            ("hbase.regionserver.kerberos.principal", "hbase/_HOST@HERE"),
            ("hbase.master.kerberos.principal", "master/_HOST@HERE"),
            ("hbase.rpc.protection", "privacy, integrity"),
            ("hbase.client.netty.tls.enabled", "true"),
            ("hbase.rpc.tls.truststore.location", "/etc/my ca&x.pem"),
            ("hbase.rpc.tls.truststore.password", "geheim"),
            ("hbase.rpc.timeout", "5000"),
        ]);
        let url = url.unwrap();
        assert!(!url.contains("geheim"), "{url}");
        let parsed: ClusterUrl = url.parse().unwrap();
        let kerberos = parsed.kerberos.unwrap();
        assert_eq!(
            (kerberos.service.as_str(), kerberos.master_service.as_deref()),
            ("hbase/_HOST@HERE", Some("master/_HOST@HERE"))
        );
        assert_eq!(kerberos.protection, [Protection::Privacy, Protection::Integrity]);
        assert!(!kerberos.fallback_to_simple);
        assert_eq!(parsed.tls.unwrap().ca, Some("/etc/my ca&x.pem".into()));
        assert_eq!(parsed.call_timeout, Some(std::time::Duration::from_secs(5)));
    }

    #[test]
    fn what_is_missing_or_does_not_fit_is_named() {
        let words = |properties: &[(&str, &str)]| site(properties).unwrap_err().to_string();
        assert_eq!(
            words(&[("hbase.rootdir", "hdfs://x")]),
            "hbase-site.xml has no property `hbase.zookeeper.quorum`, so where the cluster is cannot be told"
        );
        assert_eq!(
            words(&[("hbase.zookeeper.quorum", "a"), ("hbase.rpc.timeout", "5s")]),
            "property `hbase.rpc.timeout` in hbase-site.xml is `5s`, and a number of milliseconds is needed"
        );
        // Cyclic variables end here; unknown ones stay as they are written.
        let url = site(&[("hbase.zookeeper.quorum", "a${b}"), ("b", "${b}${c}")]).unwrap();
        assert!(url.starts_with("hbase://a${b}"), "{url}");
    }
}

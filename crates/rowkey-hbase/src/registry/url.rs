//! Where is the cluster, by its URL?
//!
//! ```text
//! hbase://host1:2181,host2:2181/hbase?user=NAME&timeout=30s    through ZooKeeper
//! hbase+rpc://master1:16000,master2:16000?user=NAME            through the masters themselves
//! …?tls=true&ca=FILE&cert=FILE&key=FILE                        servers that speak TLS
//! …?auth=kerberos&principal=NAME@REALM&keytab=FILE             servers that want Kerberos
//! ```
//!
//! Ports default to 2181 and 16000, the parent znode to `/hbase`. An IPv6 address stands in brackets.

use std::fmt;
use std::time::Duration;

use crate::registry::url_security::{SETTINGS, SecuritySettings};
use crate::security::kerberos::Kerberos;
use crate::security::tls::Tls;

/// A host name or address, and a port.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostPort {
    /// A host name, an IPv4 address, or an IPv6 address without brackets.
    pub host: String,
    /// The TCP port.
    pub port: u16,
}

impl fmt::Display for HostPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

/// Who knows where the servers are.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RegistryAddress {
    /// A ZooKeeper quorum.
    ZooKeeper {
        /// Its members.
        hosts: Vec<HostPort>,
        /// The znode under which HBase keeps its own, such as `/hbase`.
        parent: String,
    },
    /// The masters, which answer themselves since HBase 2.3.
    Masters {
        /// The masters, active or not.
        hosts: Vec<HostPort>,
    },
}

impl RegistryAddress {
    pub(crate) fn hosts(&self) -> &[HostPort] {
        match self {
            Self::ZooKeeper { hosts, .. } | Self::Masters { hosts } => hosts,
        }
    }
}

/// A cluster's URL, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterUrl {
    /// Who knows where the servers are.
    pub registry: RegistryAddress,
    /// `user=`: the name to give to the servers.
    pub user: Option<String>,
    /// `timeout=`: how long one operation may take, retries included.
    pub timeout: Option<Duration>,
    /// `calltimeout=`: how long one answer may take.
    pub call_timeout: Option<Duration>,
    /// `tls=`, `ca=`, `cert=`, `key=`: TLS to the servers of HBase.
    pub tls: Option<Tls>,
    /// `auth=`, `principal=`, `keytab=`, `cache=`, `krb5conf=`, `service=`, `protection=`, `fallback=`: Kerberos to the
    /// servers of HBase.
    pub kerberos: Option<Kerberos>,
}

/// A text that is not the URL of a cluster.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UrlError {
    /// Neither of the two schemes.
    #[error(
        "`{url}` is not the URL of an HBase cluster; write hbase://HOST:2181/hbase or hbase+rpc://MASTER:16000"
    )]
    Scheme {
        /// The URL as given.
        url: String,
    },
    /// No host, or an empty one in the list.
    #[error("`{url}` names no host between `//` and the path; write hbase://HOST1,HOST2/hbase")]
    Host {
        /// The URL as given.
        url: String,
    },
    /// A port that is not a number from 1 to 65535.
    #[error("port `{port}` of host `{host}` is not a number from 1 to 65535")]
    Port {
        /// The host before the colon.
        host: String,
        /// What stands after its colon.
        port: String,
    },
    /// A path where there is none.
    #[error("hbase+rpc:// takes no path, but `{path}` is one; the parent znode belongs to hbase://")]
    Path {
        /// The path in the URL.
        path: String,
    },
    /// An unknown option after `?`.
    #[error("`{key}` is not a setting of an HBase URL; there are user, timeout, calltimeout, {}", SETTINGS.join(", "))]
    Key {
        /// The name of the option.
        key: String,
    },
    /// A value after `?` that does not fit its key.
    #[error("`{value}` does not fit `{key}=`; write {expected}")]
    Value {
        /// The name of the option.
        key: &'static str,
        /// The value as given.
        value: String,
        /// The form that is expected.
        expected: &'static str,
    },
}

impl std::str::FromStr for ClusterUrl {
    type Err = UrlError;

    fn from_str(url: &str) -> Result<Self, UrlError> {
        let (scheme, rest) = url.split_once("://").ok_or_else(|| UrlError::Scheme { url: url.to_owned() })?;
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (hosts, path) = match rest.find('/') {
            Some(slash) => rest.split_at(slash),
            None => (rest, ""),
        };
        let hosts = |default_port| {
            hosts
                .split(',')
                .map(|host| parse_host(url, host.trim(), default_port))
                .collect::<Result<Vec<_>, _>>()
        };
        let path = path.trim_end_matches('/');
        let registry = match scheme {
            "hbase" => RegistryAddress::ZooKeeper {
                hosts: hosts(2181)?,
                parent: if path.is_empty() { "/hbase".to_owned() } else { path.to_owned() },
            },
            "hbase+rpc" if path.is_empty() => RegistryAddress::Masters { hosts: hosts(16000)? },
            "hbase+rpc" => return Err(UrlError::Path { path: path.to_owned() }),
            _ => return Err(UrlError::Scheme { url: url.to_owned() }),
        };
        let mut parsed =
            Self { registry, user: None, timeout: None, call_timeout: None, tls: None, kerberos: None };
        let mut settings = SecuritySettings::default();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            match key {
                "user" if value.is_empty() => {
                    let value = value.to_owned();
                    return Err(UrlError::Value { key: "user", value, expected: "a name, as in user=anna" });
                }
                "user" => parsed.user = Some(value.to_owned()),
                "timeout" => parsed.timeout = Some(parse_timeout("timeout", value)?),
                "calltimeout" => parsed.call_timeout = Some(parse_timeout("calltimeout", value)?),
                _ if settings.take(key, value)? => {}
                _ => return Err(UrlError::Key { key: key.to_owned() }),
            }
        }
        (parsed.tls, parsed.kerberos) = settings.wanted(parsed.user.is_some())?;
        Ok(parsed)
    }
}

fn parse_host(url: &str, text: &str, default_port: u16) -> Result<HostPort, UrlError> {
    let no_host = || UrlError::Host { url: url.to_owned() };
    let (host, port) = match text.strip_prefix('[') {
        Some(bracketed) => {
            let (host, after) = bracketed.split_once(']').ok_or_else(no_host)?;
            (host, after.strip_prefix(':'))
        }
        None => match text.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (text, None),
        },
    };
    if host.is_empty() {
        return Err(no_host());
    }
    let port = match port {
        None => default_port,
        Some(port) => match port.parse() {
            Ok(number) if number > 0 => number,
            _ => return Err(UrlError::Port { host: host.to_owned(), port: port.to_owned() }),
        },
    };
    Ok(HostPort { host: host.to_owned(), port })
}

fn parse_timeout(key: &'static str, text: &str) -> Result<Duration, UrlError> {
    let (number, unit) = match text.strip_suffix("ms") {
        Some(number) => (number, Duration::from_millis(1)),
        None => (text.strip_suffix('s').unwrap_or(text), Duration::from_secs(1)),
    };
    match number.parse::<u32>() {
        Ok(number) if number > 0 => Ok(unit * number),
        _ => Err(UrlError::Value {
            key,
            value: text.to_owned(),
            expected: "seconds or milliseconds, 30s or 1500ms",
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(host: &str, port: u16) -> HostPort {
        HostPort { host: host.to_owned(), port }
    }

    #[test]
    fn zookeeper_urls_have_hosts_ports_and_a_parent() {
        let url: ClusterUrl = "hbase://a:1,b, [::1]:3/x/y/?user=anna&timeout=1500ms".parse().unwrap();
        let hosts = vec![host("a", 1), host("b", 2181), host("::1", 3)];
        assert_eq!(url.registry, RegistryAddress::ZooKeeper { hosts, parent: "/x/y".to_owned() });
        assert_eq!((url.user.as_deref(), url.timeout), (Some("anna"), Some(Duration::from_millis(1500))));
        assert_eq!(host("::1", 3).to_string(), "[::1]:3");

        for short in ["hbase://a", "hbase://a/", "hbase://a?", "hbase://a/hbase"] {
            let url: ClusterUrl = short.parse().unwrap();
            let parent = "/hbase".to_owned();
            assert_eq!(
                url.registry,
                RegistryAddress::ZooKeeper { hosts: vec![host("a", 2181)], parent },
                "{short}"
            );
        }
    }

    #[test]
    fn master_urls_have_no_path() {
        let url: ClusterUrl = "hbase+rpc://m1,m2:16001?timeout=30s".parse().unwrap();
        assert_eq!(
            url.registry,
            RegistryAddress::Masters { hosts: vec![host("m1", 16000), host("m2", 16001)] }
        );
        assert_eq!(url.timeout, Some(Duration::from_secs(30)));
        assert!(matches!("hbase+rpc://m1/hbase".parse::<ClusterUrl>(), Err(UrlError::Path { .. })));
    }

    #[test]
    fn a_bad_url_says_which_part_is_bad() {
        let error = |url: &str| url.parse::<ClusterUrl>().unwrap_err().to_string();
        for scheme in ["http://a", "a:2181", "./data"] {
            assert!(
                error(scheme).starts_with(&format!("`{scheme}` is not the URL of an HBase cluster")),
                "{scheme}"
            );
        }
        assert_eq!(error("hbase://a:99999"), "port `99999` of host `a` is not a number from 1 to 65535");
        assert_eq!(error("hbase://a:zk"), "port `zk` of host `a` is not a number from 1 to 65535");
        assert_eq!(
            error("hbase://a?usr=x"),
            "`usr` is not a setting of an HBase URL; there are user, timeout, calltimeout, tls, ca, cert, key, auth, principal, \
             keytab, cache, krb5conf, service, masterservice, protection, fallback"
        );
        for no_host in ["hbase://", "hbase:///hbase", "hbase://a,,b", "hbase://:2181"] {
            assert!(error(no_host).contains("names no host"), "{no_host}");
        }
        for value in ["hbase://a?timeout=soon", "hbase://a?timeout=0", "hbase://a?user="] {
            assert!(error(value).contains("does not fit"), "{value}");
        }
    }
}

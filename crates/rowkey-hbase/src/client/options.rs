//! Options of the client: timeouts, user name, addresses of servers.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::admin::watcher::Watcher;
use crate::registry::url::{ClusterUrl, HostPort};
use crate::security::kerberos::Kerberos;
use crate::security::tls::Tls;

/// Settings of a client.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Options {
    /// The user's name for simple authentication. Default: the environment's `USER`, else `rowkey`.
    pub user: String,
    /// How long the first contact may take, over all hosts of the URL. Default: 10 s.
    pub connect_timeout: Duration,
    /// How long one answer may take. Default: 20 s.
    pub call_timeout: Duration,
    /// How long an operation may take, retries included; a scan has this long for each batch. Default: 60 s.
    pub operation_timeout: Duration,
    /// How long the master may take to create or drop a table. Default: 300 s.
    pub procedure_timeout: Duration,
    /// Where a server that announces itself as the key is reached: behind a tunnel, a forwarded port of a container, or a
    /// proxy. Servers that are not here are reached where they say. Errors and figures keep the announced address.
    /// Default: none.
    pub addresses: BTreeMap<HostPort, HostPort>,
    /// TLS to all servers of the cluster; ZooKeeper is asked without. Default: none.
    pub tls: Option<Tls>,
    /// Kerberos to all servers of the cluster; ZooKeeper is asked without. Default: none.
    pub kerberos: Option<Kerberos>,
    /// The callback for the progress of long work of the master, such as creating a table. Default: none.
    pub watcher: Watcher,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            user: std::env::var("USER")
                .ok()
                .filter(|user| !user.is_empty())
                .unwrap_or_else(|| "rowkey".to_owned()),
            connect_timeout: Duration::from_secs(10),
            call_timeout: Duration::from_secs(20),
            operation_timeout: Duration::from_secs(60),
            procedure_timeout: Duration::from_secs(300),
            addresses: BTreeMap::new(),
            tls: None,
            kerberos: None,
            watcher: Watcher::default(),
        }
    }
}

impl Options {
    /// Where to knock for a server that announces itself as `server`.
    pub(crate) fn address_of<'a>(&'a self, server: &'a HostPort) -> &'a HostPort {
        self.addresses.get(server).unwrap_or(server)
    }

    /// The defaults with what the URL says.
    pub fn from_url(url: &ClusterUrl) -> Self {
        let mut options = Self::default();
        if let Some(user) = &url.user {
            options.user.clone_from(user);
        }
        options.tls.clone_from(&url.tls);
        options.kerberos.clone_from(&url.kerberos);
        if let Some(timeout) = url.timeout {
            options.operation_timeout = timeout;
            options.call_timeout = options.call_timeout.min(timeout);
            options.connect_timeout = options.connect_timeout.min(timeout);
        }
        if let Some(timeout) = url.call_timeout {
            options.call_timeout = timeout.min(options.operation_timeout);
        }
        options
    }
}

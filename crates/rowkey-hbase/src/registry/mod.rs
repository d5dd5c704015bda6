//! Which servers hold `hbase:meta` and the master's office?
//!
//! Two ways to ask, one answer: ZooKeeper's znodes, or the masters themselves.

pub(crate) mod site;
pub(crate) mod url;
mod url_security;
pub(crate) mod zookeeper;

use std::time::Duration;

use prost::Message;

use crate::client::options::Options;
use crate::connection::dial::Dialer;
use crate::connection::service::Service;
use crate::connection::{Call, Connection};
use crate::error::HBaseError;
use crate::registry::url::{HostPort, RegistryAddress};
use crate::wire::messages::common::ServerName;
use crate::wire::messages::registry::{
    Empty, GetActiveMasterResponse, GetMetaRegionLocationsResponse, ServerZnode,
};

/// What can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Office {
    /// The active master.
    Master,
    /// The server that holds `hbase:meta`.
    Meta,
}

impl Office {
    fn znode(self) -> &'static str {
        match self {
            Self::Master => "master",
            Self::Meta => "meta-region-server",
        }
    }

    fn missing(self) -> HBaseError {
        let what = match self {
            Self::Master => "active master",
            Self::Meta => "server for hbase:meta",
        };
        HBaseError::NotReady { what }
    }
}

/// Asks one host after another until one knows; all of them together take no longer than `limit`.
pub(crate) async fn find(
    registry: &RegistryAddress,
    office: Office,
    options: &Options,
    dialer: &Dialer,
    limit: Duration,
) -> Result<HostPort, HBaseError> {
    let hosts = registry.hosts();
    let each = limit / u32::try_from(hosts.len().max(1)).unwrap_or(u32::MAX);
    let mut last = None;
    for host in hosts {
        let found = match registry {
            RegistryAddress::ZooKeeper { parent, .. } => ask_zookeeper(host, parent, office, each).await,
            RegistryAddress::Masters { .. } => ask_master(host, office, options, dialer, each).await,
        };
        match found {
            Ok(server) => return Ok(server),
            // Every member of a quorum has the same znodes.
            Err(missing @ HBaseError::ZnodeMissing { .. }) => return Err(missing),
            Err(error) => last = Some(error),
        }
    }
    let error = last.unwrap_or_else(|| office.missing());
    if hosts.len() <= 1 {
        return Err(error);
    }
    let hosts = hosts.iter().map(HostPort::to_string).collect::<Vec<_>>().join(", ");
    Err(HBaseError::NoRegistry { hosts, source: Box::new(error) })
}

async fn ask_zookeeper(
    host: &HostPort,
    parent: &str,
    office: Office,
    limit: Duration,
) -> Result<HostPort, HBaseError> {
    let path = format!("{parent}/{}", office.znode());
    let data = zookeeper::read(host, &path, limit).await?;
    let server = zookeeper::strip_header(&data).and_then(|message| ServerZnode::decode(message).ok());
    let server = server.and_then(|znode| address(&znode.server));
    server.ok_or_else(|| {
        HBaseError::protocol(
            host,
            "ZooKeeper with an HBase",
            format!("znode {path} does not hold a server's name"),
        )
    })
}

async fn ask_master(
    host: &HostPort,
    office: Office,
    options: &Options,
    dialer: &Dialer,
    limit: Duration,
) -> Result<HostPort, HBaseError> {
    let connection =
        Connection::open(host, options.address_of(host), Service::ClientMeta, dialer, limit).await?;
    let server = match office {
        Office::Master => {
            let (answer, _) = connection
                .call::<GetActiveMasterResponse>(Call::new("GetActiveMaster", &Empty {}, limit))
                .await?;
            answer.server_name
        }
        Office::Meta => {
            let (answer, _) = connection
                .call::<GetMetaRegionLocationsResponse>(Call::new("GetMetaRegionLocations", &Empty {}, limit))
                .await?;
            let mut locations = answer.meta_locations.into_iter();
            let primary = locations.find(|location| location.region_info.replica_id.unwrap_or(0) == 0);
            primary.and_then(|location| location.server_name)
        }
    };
    server.as_ref().and_then(address).ok_or_else(|| office.missing())
}

/// The address of a server by its name on the wire.
pub(crate) fn address(server: &ServerName) -> Option<HostPort> {
    let port = u16::try_from(server.port?).ok().filter(|&port| port > 0)?;
    (!server.host_name.is_empty()).then(|| HostPort { host: server.host_name.clone(), port })
}

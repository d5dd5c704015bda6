//! Checks that the whole cluster can be reached and is healthy.

use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rowkey_core::Value;
use rowkey_hbase::{ClusterStatus, ClusterUrl, HBaseStore};
use rowkey_store::Store;

use super::clock;
use super::verdict::{State, Verdicts};
use crate::output::counted;

/// Series of versions that `cargo xtask versions` has tried.
const TRIED: [&str; 4] = ["2.4.", "2.5.", "2.6.", "3.0.0-alpha-4"];

/// How long a server may take to answer a connection.
const PATIENCE: Duration = Duration::from_secs(5);

/// The store, if it answers.
pub(crate) fn examine(url: &str, verdicts: &mut Verdicts) -> anyhow::Result<Option<Box<dyn Store>>> {
    // A wrong URL is a mistake in the command.
    url.parse::<ClusterUrl>()?;
    let store = match HBaseStore::connect(url) {
        Ok(store) => store,
        Err(error) => {
            verdicts.fault("store", &error);
            return Ok(None);
        }
    };
    login(&store, verdicts);
    match store.cluster_status() {
        Ok(status) => {
            judge(url, &status, verdicts);
            reach(&status, verdicts);
            let reported = |at: u64| i64::try_from(at).ok();
            let reports = status
                .servers
                .iter()
                .filter_map(|server| Some((server.server.clone(), server.reported_at.and_then(reported)?)));
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
            clock::judge(i64::try_from(now).unwrap_or(i64::MAX), &reports.collect::<Vec<_>>(), verdicts);
        }
        // The registry answers, the master does not.
        Err(error) => verdicts.fault("master", &error),
    }
    Ok(Some(Box::new(store)))
}

/// Who we are to a secured cluster, and how the bytes are protected. One that believes any name has nothing to tell.
fn login(store: &HBaseStore, verdicts: &mut Verdicts) {
    let secured = match store.secured() {
        Ok(secured) if secured.protection.is_some() || secured.tls.is_some() => secured,
        Ok(_) => return,
        Err(error) => return verdicts.fault("login", &error),
    };
    let mut seen = secured.user;
    match store.who_am_i() {
        Ok(Some(who)) if !who.by.is_empty() => {
            seen = format!("{seen} ({} to the cluster, by {})", who.user, who.by)
        }
        Ok(_) => {}
        Err(error) => verdicts.fault("login", &error),
    }
    if let Some(protection) = secured.protection {
        seen = format!("{seen}; protection is {protection}");
    }
    if let Some(version) = secured.tls {
        seen = format!("{seen}; TLS {version}");
    }
    if let Some(ends) = secured.ticket_ends {
        seen = format!("{seen}; the ticket ends at {}", Value::Time(ends));
    }
    verdicts.ok("login", seen);
}

/// What the master says.
fn judge(url: &str, status: &ClusterStatus, verdicts: &mut Verdicts) {
    let master = status.master.as_deref().unwrap_or("unknown");
    let backups = counted(status.backup_masters.len(), "master");
    verdicts.ok("store", format!("{url}: answered by the master {master}, {backups} waiting"));

    let version = &status.version;
    if TRIED.iter().any(|series| version.starts_with(series)) {
        verdicts.ok("version", format!("HBase {version}"));
    } else {
        let seen =
            format!("HBase {version}, which rowkey was not tried on (2.4, 2.5, 2.6 and 3.0.0-alpha-4 were)");
        verdicts.warn("version", seen, "try it on a copy first: create, load, count, drop");
    }

    let regions: usize = status.servers.iter().map(|server| server.regions.len()).sum();
    let seen = format!(
        "{} with {}, {} known to be dead",
        counted(status.servers.len(), "region server"),
        counted(regions, "region"),
        status.dead_servers.len()
    );
    if status.dead_servers.is_empty() && !status.servers.is_empty() {
        verdicts.ok("servers", seen);
    } else {
        let state = if status.servers.is_empty() { State::Fault } else { State::Warning };
        let seen = format!("{seen} ({})", status.dead_servers.join(", "));
        let cure = "start them again, or clear them in HBase's shell: clear_deadservers".to_owned();
        verdicts.add("servers", state, (seen, cure));
    }

    let moving = status.regions_in_transition;
    if moving == 0 {
        verdicts.ok("regions", "none in transition");
    } else {
        let seen =
            format!("{} in transition: no server holds them for the moment", counted(moving, "region"));
        verdicts.warn("regions", seen, "look again in a minute; if it stays, read the master's log");
    }

    if status.balancer {
        verdicts.ok("balancer", "on");
    } else {
        let seen = "off: regions of a new or split table stay where they are";
        verdicts.warn("balancer", seen, "in HBase's shell: balance_switch true");
    }
}

/// Clients talk to every region server themselves, by the name that it has given to the master.
fn reach(status: &ClusterStatus, verdicts: &mut Verdicts) {
    let mut reached = 0;
    for server in status.servers.iter().map(|server| &server.server) {
        let addresses = server.to_socket_addrs().map(|found| found.collect::<Vec<_>>());
        let connected = addresses.and_then(|addresses| {
            let mut last = std::io::Error::other("the name has no address");
            for address in addresses {
                match TcpStream::connect_timeout(&address, PATIENCE) {
                    Ok(_) => return Ok(()),
                    Err(error) => last = error,
                }
            }
            Err(last)
        });
        match connected {
            Ok(()) => reached += 1,
            Err(error) => verdicts.bad(
                "reach",
                format!("region server {server} cannot be reached from here: {error}"),
                "clients talk to region servers directly: make its name resolve here and open its port",
            ),
        }
    }
    if reached == status.servers.len() {
        verdicts.ok("reach", format!("{} can be reached from here", counted(reached, "region server")));
    }
}

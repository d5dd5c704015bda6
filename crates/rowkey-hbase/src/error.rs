//! Why the cluster refused or failed, and whether a retry can succeed.

use rowkey_core::disclosure::said;
use std::error::Error;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rowkey_core::escape::escape;
use rowkey_store::{StoreError, TableName};

use crate::registry::url::{HostPort, UrlError};
use crate::remote::{self, AccessScope, Denied, RemoteException};
use crate::security::kerberos::problem::{KerberosProblem, WrapProblem};
use crate::security::tls::problem::{TlsFileProblem, TlsProblem};

/// What to do after a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Retry {
    /// Ask the same server again, a little later.
    RetryHere,
    /// Look up the region's server, then ask that one.
    Relocate,
    /// Open a new connection, and look up the active master or meta server.
    Reconnect,
    /// The answer will not change.
    GiveUp,
}

/// A failure on the way to or inside a cluster.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HBaseError {
    /// The URL is not one.
    #[error(transparent)]
    Url(#[from] UrlError),

    /// The request breaks a rule of the data model, or names a table or family that is not there.
    #[error(transparent)]
    Rule(#[from] StoreError),

    /// No server answers at an address.
    #[error("could not reach {role} at {address}; is it running, and is the address right?")]
    Unreachable {
        /// Who should be there: ZooKeeper, a master, a region server.
        role: &'static str,
        /// The address that was tried.
        address: HostPort,
        /// Why not.
        #[source]
        source: io::Error,
    },

    /// No server answers where a region should be.
    #[error("could not reach {server}, which held region {region} when we last heard", region = said(region))]
    RegionUnreachable {
        /// The region's name.
        region: String,
        /// The server that held it when it was last looked up.
        server: HostPort,
        /// Why not.
        #[source]
        source: io::Error,
    },

    /// None of several addresses answered; the source is the last one's failure.
    #[error("none of {hosts} could be asked for the cluster")]
    NoRegistry {
        /// The addresses that were tried, with commas between.
        hosts: String,
        /// What the last one said.
        #[source]
        source: Box<HBaseError>,
    },

    /// A znode that HBase should have written is not there.
    #[error(
        "znode {path} is missing in ZooKeeper at {address}: is the parent znode right? is the master up?"
    )]
    ZnodeMissing {
        /// The path of the znode.
        path: String,
        /// The ZooKeeper asked.
        address: HostPort,
    },

    /// ZooKeeper refused a read.
    #[error("ZooKeeper at {address} refused to read {path} with code {code}")]
    ZooKeeper {
        /// The ZooKeeper asked.
        address: HostPort,
        /// The path of the znode.
        path: String,
        /// ZooKeeper's own number for the reason.
        code: i32,
    },

    /// The masters do not know an active master, or no server for `hbase:meta`.
    #[error("the cluster has no {what} at the moment; is it still starting?")]
    NotReady {
        /// What is missing.
        what: &'static str,
    },

    /// Bytes that an HBase (or ZooKeeper) server would not send.
    #[error("{address} does not answer like {role}; is this the right port?")]
    Protocol {
        /// The address that answered.
        address: HostPort,
        /// Who should be there.
        role: &'static str,
        /// What was wrong with the bytes.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },

    /// The server wants Kerberos or a token.
    #[error(
        "{server} asks for authentication ({message}); set `auth=kerberos` in the cluster's URL, with `keytab=` and \
         `principal=` if you do not log in with `kinit`", message = said(message))]
    Security {
        /// The server that asked for authentication.
        server: HostPort,
        /// The message of the server.
        message: String,
    },

    /// Something that the build of this library does not have.
    #[error("this program was built without {what}; build `rowkey-hbase` with its feature `{feature}`")]
    LeftOut {
        /// What is missing.
        what: &'static str,
        /// The feature of the crate that brings it.
        feature: &'static str,
    },

    /// No TLS with a server.
    #[error("could not agree on TLS with {server}")]
    Tls {
        /// The server.
        server: HostPort,
        /// Why not, and what to do about it.
        #[source]
        problem: TlsProblem,
    },

    /// A file with certificates or keys cannot be used.
    #[error("could not use {} for TLS (`{setting}=`)", file.display())]
    TlsFile {
        /// What it was to be: `ca`, `cert` or `key`.
        setting: &'static str,
        /// The file.
        file: PathBuf,
        /// Why not, and what to do about it.
        #[source]
        source: TlsFileProblem,
    },

    /// TLS without anybody to believe.
    #[error("this system believes no authority; name the PEM file of one with `ca=` in the cluster's URL")]
    NoAuthorities,

    /// The server does not know who we are, or we do not know it.
    #[error("could not log in to {server}")]
    Kerberos {
        /// The server.
        server: HostPort,
        /// Why not, and what to do about it.
        #[source]
        problem: KerberosProblem,
    },

    /// A wrapped stream that something stands in.
    #[error("what came from {server} cannot be believed, and the connection was ended")]
    Tampered {
        /// The server at the other end.
        server: HostPort,
        /// What was wrong with it.
        #[source]
        source: WrapProblem,
    },

    /// TLS could not be set up on this machine.
    #[error("could not set up TLS")]
    TlsSetup {
        /// Why not.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },

    /// The server knows who we are, and that we may not do this.
    #[error(
        "{user} may not {right} {scope}; an administrator can grant it in HBase's shell: {}",
        grant(user, right, scope)
    )]
    AccessDenied {
        /// The server that refused.
        server: HostPort,
        /// Who we are to it.
        user: String,
        /// The right that is missing: `READ`, `WRITE`, `EXEC`, `CREATE` or `ADMIN`.
        right: String,
        /// What it is missing for, such as a table.
        scope: AccessScope,
    },

    /// A connection broke with calls on it.
    #[error("the connection to {server} broke before the answer{} came", of(region))]
    ConnectionLost {
        /// The server at the other end.
        server: HostPort,
        /// The region asked, if the call was for one.
        region: Option<String>,
        /// How it broke.
        #[source]
        source: Arc<dyn Error + Send + Sync>,
    },

    /// No answer in time.
    #[error("{server} did not answer {method}{} within {} ms", of(region), waited.as_millis())]
    Timeout {
        /// The server that was called.
        server: HostPort,
        /// The name of the remote procedure, such as `Get`.
        method: &'static str,
        /// The region asked, if the call was for one.
        region: Option<String>,
        /// The time limit that passed.
        waited: Duration,
    },

    /// The server answered with an exception.
    #[error("{server} answered {}{}: {message}", remote::short(class), of(region), message = said(message))]
    Remote {
        /// The server that threw it.
        server: HostPort,
        /// The region asked, if the call was for one.
        region: Option<String>,
        /// The Java class of the exception.
        class: String,
        /// The first line of what it says.
        message: String,
        /// Whether the server said that asking again is useless.
        do_not_retry: bool,
    },

    /// `hbase:meta` has no region that holds a key.
    #[error(
        "hbase:meta lists no region of table `{table}` for key {}; a split or merge may be under way",
        escape(key)
    )]
    NoRegion {
        /// The table that was looked up.
        table: TableName,
        /// The row key that no region holds.
        key: Vec<u8>,
    },

    /// `hbase:meta` could not be read.
    #[error("could not look up the region of table `{table}` that holds key {}", escape(key))]
    Lookup {
        /// The table that was looked up.
        table: TableName,
        /// The key; empty for the first region or the last.
        key: Vec<u8>,
        /// What the read of `hbase:meta` met.
        #[source]
        source: Box<HBaseError>,
    },

    /// No server holds a region.
    #[error("no server holds region {region} at the moment", region = said(region))]
    NotAssigned {
        /// The region's name.
        region: String,
    },

    /// The time for an operation is over, and every attempt failed; the source is the last one's failure.
    #[error("gave up after {attempts} attempts in {} ms", waited.as_millis())]
    GaveUp {
        /// The number of attempts, at least 1.
        attempts: u32,
        /// How long they took together.
        waited: Duration,
        /// What the last one met.
        #[source]
        source: Box<HBaseError>,
    },

    /// The time for an operation was over while an attempt was under way.
    #[error("no answer to attempt {attempts} when the time of {} ms was over", waited.as_millis())]
    Deadline {
        /// Which attempt it was.
        attempts: u32,
        /// How long the operation took.
        waited: Duration,
        /// What the attempt before it met.
        #[source]
        last: Option<Arc<HBaseError>>,
    },

    /// A single row that is larger than any request may be.
    #[error("row {} has {bytes} bytes, and a request to HBase has at most {limit}", escape(start))]
    RowTooLarge {
        /// The first bytes of the row's key.
        start: Vec<u8>,
        /// The size of its cells in bytes.
        bytes: usize,
        /// HBase's default limit of a request, in bytes.
        limit: usize,
    },

    /// The master still works on something when the time for it is over.
    #[error(
        "{method}{}{} still runs, and the time for it is over; it may yet end well",
        table.as_ref().map(|table| format!(" of table `{table}`")).unwrap_or_default(),
        proc_id.map(|proc_id| format!(" (procedure {proc_id})")).unwrap_or_default()
    )]
    ProcedureRuns {
        /// What the master does.
        method: &'static str,
        /// The table that the master works on; `None` for a namespace.
        table: Option<TableName>,
        /// The number of the procedure; `None` if the master gives none.
        proc_id: Option<u64>,
    },

    /// A region whose name has no number in it.
    #[error("the name of region {region} is not one that HBase gives", region = said(region))]
    RegionName {
        /// The name as given.
        region: String,
    },

    /// Files are still being rewritten when the time for it is over.
    #[error("table `{table}` is still being compacted, and the time for it is over; it goes on by itself")]
    CompactionRuns {
        /// The table that is compacted.
        table: TableName,
    },

    /// Numbers of no column, or of several, are to be put together.
    #[error("an aggregate needs exactly one column; name a family and a qualifier")]
    AggregateColumns,

    /// A coprocessor answered with something that its interface does not have.
    #[error("endpoint {service} of region {region} gave an answer that does not decode", region = said(region))]
    Endpoint {
        /// The coprocessor service that was called.
        service: String,
        /// The region it ran on.
        region: String,
        /// What was wrong with the answer.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },

    /// A failure that several operations of a batch met together.
    #[error(transparent)]
    Shared(Arc<HBaseError>),

    /// The client was closed while it worked.
    #[error("the client was closed before the work was done")]
    Closed,

    /// The client could not start its threads.
    #[error("could not start the threads of the HBase client")]
    Threads {
        /// Why not.
        #[source]
        source: io::Error,
    },
}

fn grant(user: &str, right: &str, scope: &AccessScope) -> String {
    // Rights are granted to the name without its realm, and by their first letter, X for EXEC.
    let name = user.split(['@', '/']).next().unwrap_or(user);
    let letter = if right == "EXEC" { "X" } else { right.get(..1).unwrap_or_default() };
    match scope {
        AccessScope::Cluster => format!("grant '{name}', '{letter}'"),
        AccessScope::Namespace(namespace) => format!("grant '{name}', '{letter}', '@{namespace}'"),
        AccessScope::Table(table) => format!("grant '{name}', '{letter}', '{table}'"),
    }
}

fn of(region: &Option<String>) -> String {
    region.as_ref().map(|region| format!(" for region {}", said(region))).unwrap_or_default()
}

impl HBaseError {
    /// Whether and where to ask again.
    pub fn retry(&self) -> Retry {
        match self {
            Self::Remote { class, do_not_retry, .. } => remote::retry(class, *do_not_retry),
            Self::Shared(failure) => failure.retry(),
            Self::Lookup { source, .. } => source.retry(),
            // A KDC that is restarted is there again when the next ticket is needed.
            Self::Kerberos { problem: KerberosProblem::KdcDown { .. }, .. } => Retry::Reconnect,
            Self::NoRegion { .. } | Self::NotAssigned { .. } => Retry::Relocate,
            Self::Unreachable { .. }
            | Self::RegionUnreachable { .. }
            | Self::NoRegistry { .. }
            | Self::ZnodeMissing { .. }
            | Self::NotReady { .. }
            | Self::ConnectionLost { .. }
            | Self::Tampered { .. }
            | Self::Timeout { .. } => Retry::Reconnect,
            Self::Url(_)
            | Self::Rule(_)
            | Self::ZooKeeper { .. }
            | Self::Protocol { .. }
            | Self::Security { .. }
            | Self::AccessDenied { .. }
            | Self::LeftOut { .. }
            | Self::Tls { .. }
            | Self::Kerberos { .. }
            | Self::TlsFile { .. }
            | Self::NoAuthorities
            | Self::TlsSetup { .. }
            | Self::GaveUp { .. }
            | Self::Deadline { .. }
            | Self::RowTooLarge { .. }
            | Self::ProcedureRuns { .. }
            | Self::RegionName { .. }
            | Self::CompactionRuns { .. }
            | Self::AggregateColumns
            | Self::Endpoint { .. }
            | Self::Closed
            | Self::Threads { .. } => Retry::GiveUp,
        }
    }

    pub(crate) fn remote(server: &HostPort, region: Option<&[u8]>, exception: RemoteException) -> Self {
        if let Some(Denied { user, right, scope }) = remote::denied(&exception) {
            return Self::AccessDenied { server: server.clone(), user, right, scope };
        }
        Self::Remote {
            server: server.clone(),
            region: region.map(|name| escape(name).to_string()),
            class: exception.class,
            message: exception.message,
            do_not_retry: exception.do_not_retry,
        }
    }

    pub(crate) fn protocol(
        address: &HostPort,
        role: &'static str,
        source: impl Into<Box<dyn Error + Send + Sync>>,
    ) -> Self {
        Self::Protocol { address: address.clone(), role, source: source.into() }
    }

    /// Whether it is about the table, missing or asleep, and so true for every operation on it.
    pub(crate) fn concerns_table(&self) -> bool {
        matches!(self, Self::Rule(StoreError::TableNotFound { .. } | StoreError::TableDisabled { .. }))
    }

    /// Whether a server answered with an exception of this class.
    pub(crate) fn is_remote(&self, short_class: &str) -> bool {
        matches!(self.inner(), Self::Remote { class, .. } if remote::short(class) == short_class)
    }

    /// The message of a server's exception; empty for any other failure.
    pub(crate) fn remote_words(&self) -> &str {
        match self.inner() {
            Self::Remote { message, .. } => message,
            _ => "",
        }
    }

    /// The failure itself, where several operations share it or it was met on the way.
    pub(crate) fn inner(&self) -> &Self {
        match self {
            Self::Shared(failure) => failure.inner(),
            Self::Lookup { source, .. } => source.inner(),
            other => other,
        }
    }

    /// The same failure in the words of the data model, where it has some.
    pub(crate) fn about(self, table: &TableName) -> Self {
        let table = table.clone();
        if self.is_remote("TableNotFoundException") {
            Self::Rule(StoreError::TableNotFound { table })
        } else if self.is_remote("TableExistsException") {
            Self::Rule(StoreError::TableExists { table })
        } else if self.is_remote("TableNotEnabledException") {
            Self::Rule(StoreError::TableNotEnabled { table })
        } else if self.is_remote("TableNotDisabledException") {
            Self::Rule(StoreError::TableNotDisabled { table })
        } else {
            self
        }
    }

    /// The failure as the store trait reports it.
    pub(crate) fn into_store(self, attempted: impl FnOnce() -> String) -> StoreError {
        match self {
            Self::Rule(rule) => rule,
            other => StoreError::backend(attempted(), other),
        }
    }
}

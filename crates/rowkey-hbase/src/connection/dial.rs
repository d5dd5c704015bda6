//! Opening a connection, layer by layer.
//!
//! ```text
//! TCP | TLS, if wanted | Kerberos, if wanted | the connection's header | calls
//! ```
//!
//! Only what comes out at the end, two halves of a stream, is seen by the rest of [`super`].

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::client::options::Options;
use crate::connection::service::{Service, greeting};
use crate::error::HBaseError;
use crate::registry::url::HostPort;
#[cfg(feature = "tls")]
use crate::security::tls::Connector;
use crate::security::tls::problem::TlsProblem;
use crate::security::{Secured, hello};
#[cfg(feature = "kerberos")]
use crate::{
    connection::service::header,
    security::kerberos::{
        Protection,
        handshake::{self, Agreed, Failure, Known},
        login::Login,
        wrap::{Opening, Sealing},
    },
};

/// How long the last word of a server that has hung up may take; it is usually here already.
const LAST_WORD: Duration = Duration::from_millis(500);

/// The half that is read.
pub(super) type Reading = Box<dyn AsyncRead + Send + Unpin>;
/// The half that is written.
pub(super) type Writing = Box<dyn AsyncWrite + Send + Unpin>;

/// How a client opens connections.
#[derive(Debug)]
pub(crate) struct Dialer {
    user: String,
    #[cfg(feature = "tls")]
    tls: Option<Arc<Connector>>,
    #[cfg(feature = "kerberos")]
    kerberos: Option<Arc<Login>>,
}

/// A connection that has introduced itself.
pub(super) struct Dialed {
    pub(super) read: Reading,
    pub(super) write: Writing,
    pub(super) medium: Medium,
    pub(super) secured: Secured,
}

/// What is below the calls, and so what a failure below them can mean.
#[derive(Debug, Clone)]
pub(super) enum Medium {
    /// Nothing; the address is where to ask whether there should be something.
    Plain(HostPort),
    #[cfg(feature = "tls")]
    Tls(Arc<Connector>),
}

impl Medium {
    pub(super) fn is_plain(&self) -> bool {
        matches!(self, Self::Plain(_))
    }

    /// What is wrong with TLS, if it is that; `heard`: whether the server ever said something.
    pub(super) async fn problem(&self, error: &io::Error, heard: bool) -> Option<TlsProblem> {
        match self {
            Self::Plain(address) if !heard && is_hang_up(error) && hello::is_answered(address).await => {
                Some(TlsProblem::Wanted)
            }
            Self::Plain(_) => None,
            #[cfg(feature = "tls")]
            Self::Tls(connector) => connector.problem_later(error),
        }
    }
}

fn is_hang_up(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionReset, UnexpectedEof};
    matches!(error.kind(), BrokenPipe | ConnectionReset | UnexpectedEof)
}

impl Dialer {
    /// Reads the files that the options name.
    pub(crate) fn new(options: &Options) -> Result<Self, HBaseError> {
        #[cfg(not(feature = "tls"))]
        if options.tls.is_some() {
            return Err(HBaseError::LeftOut { what: "TLS", feature: "tls" });
        }
        #[cfg(not(feature = "kerberos"))]
        if options.kerberos.is_some() {
            return Err(HBaseError::LeftOut { what: "Kerberos", feature: "kerberos" });
        }
        Ok(Self {
            user: options.user.clone(),
            #[cfg(feature = "tls")]
            tls: options.tls.as_ref().map(Connector::new).transpose()?.map(Arc::new),
            #[cfg(feature = "kerberos")]
            kerberos: options.kerberos.as_ref().map(|settings| Arc::new(Login::new(settings))),
        })
    }

    /// Connects to a server where it can be reached, and introduces itself.
    pub(super) async fn dial(
        &self,
        server: &HostPort,
        address: &HostPort,
        service: Service,
        limit: Duration,
    ) -> Result<Dialed, HBaseError> {
        #[cfg(feature = "kerberos")]
        let ticket = self.ticket(server, service).await?;
        let unreachable =
            |source| HBaseError::Unreachable { role: service.role(), address: server.clone(), source };
        let opening = async {
            let stream =
                TcpStream::connect((address.host.as_str(), address.port)).await.map_err(unreachable)?;
            stream.set_nodelay(true).map_err(unreachable)?;
            let mut dialed = self.below(server, address, stream).await?;
            let first = greeting(service, &self.user);
            #[cfg(feature = "kerberos")]
            let first = match ticket {
                Some((login, ticket)) => dialed.log_in(server, service, &login, &ticket).await?,
                None => first,
            };
            match send(&mut dialed.write, &first).await {
                Ok(()) => Ok(dialed),
                Err(error) => Err(dialed.hung_up(server, error, false).await),
            }
        };
        timeout(limit, opening).await.unwrap_or_else(|_| Err(unreachable(io::ErrorKind::TimedOut.into())))
    }

    /// The stream on which everything else is said.
    async fn below(
        &self,
        server: &HostPort,
        address: &HostPort,
        stream: TcpStream,
    ) -> Result<Dialed, HBaseError> {
        let secured = Secured { user: self.user.clone(), protection: None, ticket_ends: None, tls: None };
        #[cfg(feature = "tls")]
        if let Some(connector) = &self.tls {
            let stream = connector.connect(&server.host, stream).await;
            let stream = stream.map_err(|problem| HBaseError::Tls { server: server.clone(), problem })?;
            let secured = Secured { tls: Some(Connector::version(&stream)), ..secured };
            let (read, write) = tokio::io::split(stream);
            let medium = Medium::Tls(Arc::clone(connector));
            return Ok(Dialed { read: Box::new(read), write: Box::new(write), medium, secured });
        }
        #[cfg(not(feature = "tls"))]
        let _ = server;
        let (read, write) = stream.into_split();
        let medium = Medium::Plain(address.clone());
        Ok(Dialed { read: Box::new(read), write: Box::new(write), medium, secured })
    }

    /// Under Kerberos, a ticket for a server. Files and the KDC are asked beside the runtime's tasks.
    #[cfg(feature = "kerberos")]
    async fn ticket(
        &self,
        server: &HostPort,
        service: Service,
    ) -> Result<Option<(Arc<Login>, Arc<krb5::Credentials>)>, HBaseError> {
        let Some(login) = &self.kerberos else { return Ok(None) };
        let settings = login.settings();
        let principal = match (service, &settings.master_service) {
            (Service::Master | Service::ClientMeta, Some(masters)) => masters.clone(),
            _ => settings.service.clone(),
        };
        let (asking, host) = (Arc::clone(login), server.host.clone());
        let ticket = tokio::task::spawn_blocking(move || asking.ticket(&principal, &host)).await;
        match ticket {
            Ok(Ok(ticket)) => Ok(Some((Arc::clone(login), ticket))),
            Ok(Err(problem)) => Err(HBaseError::Kerberos { server: server.clone(), problem }),
            // The runtime is going down.
            Err(_) => Err(HBaseError::Closed),
        }
    }
}

/// TLS and wrapping keep what they are given until they are told to send it.
async fn send(write: &mut Writing, bytes: &[u8]) -> io::Result<()> {
    write.write_all(bytes).await?;
    write.flush().await
}

impl Dialed {
    /// What it means that the server hung up; `heard`: whether it had said something. A last word of it, why it did, may be there to be
    /// read although nothing can be written any more.
    async fn hung_up(&mut self, server: &HostPort, error: io::Error, heard: bool) -> HBaseError {
        let last = timeout(LAST_WORD, self.read.read(&mut [0])).await;
        let said = match &last {
            Ok(Err(said)) => said,
            _ => &error,
        };
        let server = server.clone();
        match self.medium.problem(said, heard).await {
            Some(problem) => HBaseError::Tls { server, problem },
            None => HBaseError::ConnectionLost { server, region: None, source: Arc::new(error) },
        }
    }

    #[cfg(feature = "kerberos")]
    /// Introduces us; gives what is to be said next.
    async fn log_in(
        &mut self,
        server: &HostPort,
        service: Service,
        login: &Login,
        ticket: &krb5::Credentials,
    ) -> Result<Vec<u8>, HBaseError> {
        let mut stream = tokio::io::join(&mut self.read, &mut self.write);
        let agreed = handshake::agree(&mut stream, ticket, login.settings()).await;
        let Known { user, protection, sealer, opener, room } = match agreed {
            Ok(Agreed::Known(known)) => *known,
            // The server has skipped the preamble with the token.
            Ok(Agreed::Simple) => return Ok(header(service, &self.secured.user)),
            Err(Failure::Problem(problem)) => {
                return Err(HBaseError::Kerberos { server: server.clone(), problem });
            }
            Err(Failure::Stream { error, heard }) => return Err(self.hung_up(server, error, heard).await),
        };
        if protection != Protection::Authentication {
            let read = std::mem::replace(&mut self.read, Box::new(tokio::io::empty()));
            let write = std::mem::replace(&mut self.write, Box::new(tokio::io::sink()));
            self.read = Box::new(Opening::new(read, opener));
            self.write = Box::new(Sealing::new(write, sealer, room));
        }
        let first = header(service, &user);
        self.secured.user = user;
        self.secured.protection = Some(protection);
        self.secured.ticket_ends = Some(ticket.endtime.saturating_mul(1000));
        Ok(first)
    }
}

//! The exchange of tokens at the start of a connection.
//!
//! ```text
//! we      HBas 00 51 | length:4 token (AP-REQ)
//! server  status:4 = 0 | length:4 token (AP-REP)        status 1: class and message, each with its length, and the end
//! we      length:4 = 0                                  0 and length -88: the server is not secured and goes on in the plain
//! server  status:4 = 0 | length:4 token (layers:1 room:3)
//! we      length:4 token (layer:1 room:3)
//! ```
//!
//! Layers are bits: 1 authentication, 2 integrity, 4 privacy. Nothing answers our choice; the connection's header follows it.

use std::io;
use std::sync::Arc;

use bytes::BytesMut;
use krb5::initiator::{
    GSS_C_CONF_FLAG, GSS_C_INTEG_FLAG, GSS_C_MUTUAL_FLAG, GSS_C_REPLAY_FLAG, GSS_C_SEQUENCE_FLAG,
};
use krb5::{ClientError, Credentials, InitiatorContext};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::problem::KerberosProblem;
use super::wrap::{self, Opener, Sealer};
use super::{Kerberos, Protection};
use crate::security::hello;
use crate::wire::frame::KERBEROS_PREAMBLE;

/// No token, class or message of a server is longer.
const LIMIT: usize = 256 << 10;
/// Where the length of a token should be: the server is not secured.
const SWITCH_TO_SIMPLE: i32 = -88;
/// How much we take in one token, as Java's client says; servers send more, and it is taken.
const ROOM: [u8; 3] = [1, 0, 0];

/// What both sides have agreed on.
pub(crate) enum Agreed {
    /// No Kerberos at all, which the caller has allowed.
    Simple,
    /// Each knows the other.
    Known(Box<Known>),
}

/// Who we are, and how bytes are protected.
pub(crate) struct Known {
    pub(crate) user: String,
    pub(crate) protection: Protection,
    pub(crate) sealer: Sealer,
    pub(crate) opener: Opener,
    /// How much the server takes in one token.
    pub(crate) room: usize,
}

/// Why there is no agreement.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The stream broke; whether the server had said something before.
    Stream {
        error: io::Error,
        heard: bool,
    },
    Problem(KerberosProblem),
}

impl From<KerberosProblem> for Failure {
    fn from(problem: KerberosProblem) -> Self {
        Self::Problem(problem)
    }
}

/// Introduces us to a server with a ticket for it.
pub(crate) async fn agree(
    stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
    ticket: &Credentials,
    settings: &Kerberos,
) -> Result<Agreed, Failure> {
    let service = ticket.server.to_string();
    let flags =
        GSS_C_MUTUAL_FLAG | GSS_C_REPLAY_FLAG | GSS_C_SEQUENCE_FLAG | GSS_C_CONF_FLAG | GSS_C_INTEG_FLAG;
    let (mut context, token) = InitiatorContext::new(ticket, flags).map_err(made)?;
    let mut talk = Talk { stream, buffer: BytesMut::new(), heard: false };

    talk.send(&KERBEROS_PREAMBLE, &token).await?;
    let token = match talk.receive().await? {
        Reply::Token(token) => token,
        Reply::Simple if settings.fallback_to_simple => return Ok(Agreed::Simple),
        Reply::Simple => return Err(KerberosProblem::NotSecured.into()),
        Reply::Refused { message } => return Err(KerberosProblem::TicketRefused { service, message }.into()),
    };
    context.step(&token).map_err(|error| match error {
        ClientError::Kdc { code: 37, .. } => KerberosProblem::ClockSkew,
        ClientError::Kdc { .. } => {
            KerberosProblem::TicketRefused { service: service.clone(), message: error.to_string() }
        }
        other => KerberosProblem::NotProven { service: service.clone(), source: Arc::new(other) },
    })?;
    talk.send(&[], &[]).await?;

    let (mut sealer, mut opener) = wrap::both(&context).map_err(made)?;
    let offer = match talk.receive().await? {
        Reply::Token(token) => token,
        Reply::Simple => return Err(KerberosProblem::Foreign { what: "it changes its mind" }.into()),
        Reply::Refused { message } => return Err(KerberosProblem::TicketRefused { service, message }.into()),
    };
    let offer = opener
        .open(&offer)
        .map_err(|error| KerberosProblem::NotProven { service, source: Arc::new(error) })?;
    let (protection, room) = choose(&offer, &settings.protection)?;
    let choice = sealer.seal(&[&[protection.layer()][..], &ROOM].concat())?;
    talk.send(&[], &choice).await?;
    if !talk.buffer.is_empty() {
        return Err(KerberosProblem::Foreign { what: "it speaks before it is asked" }.into());
    }
    sealer.protect(protection);
    opener.protect(protection);
    let user = ticket.client.to_string();
    Ok(Agreed::Known(Box::new(Known { user, protection, sealer, opener, room })))
}

fn made(error: ClientError) -> Failure {
    Failure::Problem(KerberosProblem::Token(Arc::new(error)))
}

/// Our protection among those that a server offers, and how much it takes in one token.
fn choose(offer: &[u8], accepted: &[Protection]) -> Result<(Protection, usize), KerberosProblem> {
    let &[layers, first, second, third] = offer else {
        return Err(KerberosProblem::Foreign { what: "its offer of protections is not 4 bytes" });
    };
    let is_offered = |protection: &Protection| layers & protection.layer() != 0;
    let room = u32::from_be_bytes([0, first, second, third]) as usize;
    match accepted.iter().copied().find(is_offered) {
        Some(protection) => Ok((protection, room)),
        None => Err(KerberosProblem::NoCommonProtection {
            offered: Protection::ALL.into_iter().filter(is_offered).collect(),
            accepted: accepted.to_vec(),
        }),
    }
}

/// What a server answers to a token.
#[derive(Debug, PartialEq, Eq)]
enum Reply {
    Token(Vec<u8>),
    Simple,
    Refused { message: String },
}

/// The reply at the front of what came, and its length; `None` if bytes are missing.
fn decode(bytes: &[u8]) -> Result<Option<(Reply, usize)>, KerberosProblem> {
    let Some((status, rest)) = bytes.split_first_chunk::<4>() else { return Ok(None) };
    match i32::from_be_bytes(*status) {
        0 => {
            let Some((length, rest)) = rest.split_first_chunk::<4>() else { return Ok(None) };
            let length = i32::from_be_bytes(*length);
            if length == SWITCH_TO_SIMPLE {
                return Ok(Some((Reply::Simple, 8)));
            }
            let length = bounded(length, "its token has no length that one can have")?;
            Ok(rest.get(..length).map(|token| (Reply::Token(token.to_vec()), 8 + length)))
        }
        1 => {
            let Some((_class, after)) = text(rest)? else { return Ok(None) };
            let Some((message, after)) = text(after)? else { return Ok(None) };
            let message = String::from_utf8_lossy(message);
            let message = message.lines().next().unwrap_or_default().to_owned();
            Ok(Some((Reply::Refused { message }, bytes.len() - after.len())))
        }
        _ if hello::looks_like_tls(status) => {
            Err(KerberosProblem::Foreign { what: "it is one of TLS, which `tls=true` speaks" })
        }
        _ => Err(KerberosProblem::Foreign { what: "its status is neither 0 nor 1" }),
    }
}

/// A text and what follows it; `None` if bytes are missing.
type Counted<'a> = Option<(&'a [u8], &'a [u8])>;

/// A text with its length before it.
fn text(bytes: &[u8]) -> Result<Counted<'_>, KerberosProblem> {
    let Some((length, rest)) = bytes.split_first_chunk::<4>() else { return Ok(None) };
    let length = bounded(i32::from_be_bytes(*length), "its refusal has no length that one can have")?;
    Ok(rest.split_at_checked(length))
}

fn bounded(length: i32, what: &'static str) -> Result<usize, KerberosProblem> {
    usize::try_from(length).ok().filter(|length| *length <= LIMIT).ok_or(KerberosProblem::Foreign { what })
}

/// A stream on which tokens go to and fro.
struct Talk<'a, S> {
    stream: &'a mut S,
    buffer: BytesMut,
    heard: bool,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Talk<'_, S> {
    async fn send(&mut self, before: &[u8], token: &[u8]) -> Result<(), Failure> {
        let length = u32::try_from(token.len()).unwrap_or(u32::MAX).to_be_bytes();
        let sent = self.stream.write_all(&[before, &length, token].concat()).await;
        let sent = match sent {
            Ok(()) => self.stream.flush().await,
            failed => failed,
        };
        sent.map_err(|error| Failure::Stream { error, heard: self.heard })
    }

    async fn receive(&mut self) -> Result<Reply, Failure> {
        loop {
            if let Some((reply, length)) = decode(&self.buffer)? {
                drop(self.buffer.split_to(length));
                return Ok(reply);
            }
            let read = self.stream.read_buf(&mut self.buffer).await;
            let heard = self.heard;
            match read {
                Ok(0) => {
                    let error = io::ErrorKind::UnexpectedEof.into();
                    return Err(Failure::Stream { error, heard });
                }
                Ok(_) => self.heard = true,
                Err(error) => return Err(Failure::Stream { error, heard }),
            }
        }
    }
}

#[cfg(test)]
mod tests;

//! Wrapped streams: what a connection sends and receives under `integrity` and `privacy`.
//!
//! ```text
//! length:4 | token of RFC 4121, which is header:16 | sealed bytes
//! ```
//!
//! What is unwrapped is a stream: a token may hold half a frame, or several. Tokens are numbered, and here is where the numbers
//! are looked at.
//!
//! **Law**: bytes come out only if they are the next that the other side has sealed (`tests`).

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf, BufMut, Bytes, BytesMut};
use krb5::InitiatorContext;
use krb5::token::{ContextKey, FLAG_SEALED, PerMessageTokens};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::Protection;
use super::problem::{KerberosProblem, WrapProblem};
use crate::wire::frame::MAX_FRAME;

/// The longest token that we accept: the longest answer, and what sealing adds to it.
const LIMIT: usize = MAX_FRAME + 1024;
/// What one token holds at most of what we send, whatever the other side would take.
const PORTION: usize = 60 << 10;

/// Seals what is sent.
pub(crate) struct Sealer {
    tokens: PerMessageTokens<ContextKey>,
    private: bool,
    next: u64,
}

/// Opens what comes.
pub(crate) struct Opener {
    tokens: PerMessageTokens<ContextKey>,
    private: bool,
    next: u64,
}

/// Both, for a context whose first tokens were about the protection, and so without privacy.
pub(super) fn both(context: &InitiatorContext) -> Result<(Sealer, Opener), krb5::ClientError> {
    let sealer = Sealer { tokens: context.per_message_tokens()?, private: false, next: context.send_seq() };
    let opener = Opener {
        tokens: context.per_message_tokens()?,
        private: false,
        next: context.recv_seq().unwrap_or(0),
    };
    Ok((sealer, opener))
}

impl Sealer {
    pub(super) fn protect(&mut self, protection: Protection) {
        self.private = protection == Protection::Privacy;
    }

    pub(super) fn seal(&mut self, bytes: &[u8]) -> Result<Vec<u8>, KerberosProblem> {
        let number = self.next;
        self.next = number.wrapping_add(1);
        let sealed = match self.private {
            true => self.tokens.emit_wrap(number, bytes),
            false => self.tokens.emit_wrap_unsealed(number, bytes, 0),
        };
        sealed.map_err(|error| KerberosProblem::Token(std::sync::Arc::new(error)))
    }
}

impl Opener {
    pub(super) fn protect(&mut self, protection: Protection) {
        self.private = protection == Protection::Privacy;
    }

    /// The bytes of the next token.
    pub(super) fn open(&mut self, token: &[u8]) -> Result<Vec<u8>, WrapProblem> {
        let opened = match self.private {
            true => self.tokens.unwrap(token),
            // The offer of protections may come sealed; it is genuine either way.
            false if token.get(2).is_some_and(|flags| flags & FLAG_SEALED != 0) => self.tokens.unwrap(token),
            false => self.tokens.verify_wrap_unsealed(token),
        };
        let opened = opened.map_err(|error| WrapProblem::Changed { what: error.to_string() })?;
        if opened.seq != self.next {
            return Err(WrapProblem::Order { expected: self.next, got: opened.seq });
        }
        self.next = self.next.wrapping_add(1);
        Ok(opened.message)
    }
}

/// Cuts the next whole token from the front of `buffer`; `None` if bytes are missing, and then there is room for some.
pub(super) fn cut(buffer: &mut BytesMut) -> Result<Option<Bytes>, WrapProblem> {
    let Some(&start) = buffer.first_chunk::<4>() else { return Ok(None) };
    let length = u32::from_be_bytes(start) as usize;
    if length > LIMIT {
        return Err(WrapProblem::TooLong { length, limit: LIMIT });
    }
    if buffer.len() < 4 + length {
        // A claimed length is not believed: memory grows with the bytes that really arrive.
        buffer.reserve((4 + length - buffer.len()).min(4 << 20));
        return Ok(None);
    }
    buffer.advance(4);
    Ok(Some(buffer.split_to(length).freeze()))
}

/// A stream that is opened while it is read.
pub(crate) struct Opening<R> {
    inner: R,
    opener: Opener,
    sealed: BytesMut,
    opened: Bytes,
    portion: Box<[u8]>,
}

impl<R> Opening<R> {
    pub(crate) fn new(inner: R, opener: Opener) -> Self {
        let portion = vec![0; 64 << 10].into_boxed_slice();
        Self { inner, opener, sealed: BytesMut::new(), opened: Bytes::new(), portion }
    }
}

fn broken(problem: WrapProblem) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, problem)
}

impl<R: AsyncRead + Unpin> AsyncRead for Opening<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        loop {
            if !this.opened.is_empty() {
                let some = this.opened.len().min(into.remaining());
                into.put_slice(&this.opened.split_to(some));
                return Poll::Ready(Ok(()));
            }
            if let Some(token) = cut(&mut this.sealed).map_err(broken)? {
                // An empty token is allowed, and says nothing.
                this.opened = this.opener.open(&token).map_err(broken)?.into();
                continue;
            }
            let mut portion = ReadBuf::new(&mut this.portion);
            ready!(Pin::new(&mut this.inner).poll_read(context, &mut portion))?;
            match portion.filled() {
                [] if this.sealed.is_empty() => return Poll::Ready(Ok(())),
                [] => return Poll::Ready(Err(broken(WrapProblem::CutOff))),
                some => this.sealed.put_slice(some),
            }
        }
    }
}

/// A stream that is sealed while it is written.
pub(crate) struct Sealing<W> {
    inner: W,
    sealer: Sealer,
    portion: usize,
    pending: BytesMut,
}

impl<W> Sealing<W> {
    /// `room`: how much the other side takes in one token, as it said.
    pub(crate) fn new(inner: W, sealer: Sealer, room: usize) -> Self {
        // What sealing adds is below 100 bytes. A server that offers no room means that it does not care.
        let portion = room.saturating_sub(100).clamp(1 << 10, PORTION);
        Self { inner, sealer, portion, pending: BytesMut::new() }
    }
}

impl<W: AsyncWrite + Unpin> Sealing<W> {
    fn poll_drain(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.pending.is_empty() {
            let written = ready!(Pin::new(&mut self.inner).poll_write(context, &self.pending))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.pending.advance(written);
        }
        Poll::Ready(Ok(()))
    }
}

impl<W: AsyncWrite + Unpin> AsyncWrite for Sealing<W> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        // One token at a time, so that no more is kept than one.
        ready!(self.poll_drain(context))?;
        let some = bytes.len().min(self.portion);
        if some == 0 {
            return Poll::Ready(Ok(0));
        }
        let token = self.sealer.seal(&bytes[..some]).map_err(io::Error::other)?;
        let length = u32::try_from(token.len()).map_err(io::Error::other)?;
        self.pending.put_u32(length);
        self.pending.put_slice(&token);
        match self.poll_drain(context) {
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            // What is left goes with the next write or flush.
            _ => Poll::Ready(Ok(some)),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_drain(context))?;
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_drain(context))?;
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests;

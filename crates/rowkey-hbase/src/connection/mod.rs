//! One connection to a server, shared by many calls.
//!
//! A call takes a number, puts its request into a queue and waits for the answer with its number. One task writes
//! the queue to the socket; another reads answers and hands them out, in whatever order they come. When the
//! connection breaks, every waiting call fails with the reason, and so does every later one: the pool opens
//! another connection.
//!
//! Bytes in flight are bounded: a call waits until the requests without an answer leave room for its own.
//!
//! Not here: which server to ask, and asking again.

pub(crate) mod dial;
pub(crate) mod pool;
pub(crate) mod service;

use std::collections::HashMap;
use std::error::Error;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use prost::Message;
use rowkey_core::escape::escape;
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufWriter};
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::task::AbortHandle;
use tokio::time::{Instant, timeout_at};

use crate::connection::dial::{Dialed, Dialer, Medium, Reading, Writing};
use crate::connection::service::Service;
use crate::error::HBaseError;
use crate::registry::url::HostPort;
use crate::remote::RemoteException;
use crate::security::kerberos::problem::WrapProblem;
use crate::security::tls::problem::TlsProblem;
use crate::security::{Secured, hello};
use crate::wire::frame::{self, FrameError, MAX_FRAME, Payload};

/// Request bytes that may wait for their answers at once.
const IN_FLIGHT: u32 = 32 << 20;
/// What a call counts at least, so that no more than 256 wait at once: a server's own queue is short, too.
const LEAST_COST: u32 = IN_FLIGHT / 256;
/// The call number of an answer that concerns the whole connection.
const NO_CALL: u32 = u32::MAX;

/// One question to a server.
#[derive(Debug)]
pub(crate) struct Call<'a, Q> {
    method: &'static str,
    parameter: &'a Q,
    cells: Bytes,
    region: Option<&'a [u8]>,
    timeout: Duration,
}

impl<'a, Q: Message> Call<'a, Q> {
    pub(crate) fn new(method: &'static str, parameter: &'a Q, timeout: Duration) -> Self {
        Self { method, parameter, cells: Bytes::new(), region: None, timeout }
    }

    /// The region that the call is for, to be named in errors.
    pub(crate) fn region(self, name: &'a [u8]) -> Self {
        Self { region: Some(name), ..self }
    }

    fn region_name(&self) -> Option<String> {
        self.region.map(|name| escape(name).to_string())
    }

    /// The cells that go beside the parameter.
    pub(crate) fn cells(self, cells: Bytes) -> Self {
        Self { cells, ..self }
    }
}

/// A connection to one service of one server.
#[derive(Debug)]
pub(crate) struct Connection {
    shared: Arc<Shared>,
    requests: mpsc::Sender<Request>,
    budget: Semaphore,
    next_call: AtomicU32,
    tasks: [AbortHandle; 2],
    secured: Secured,
}

#[derive(Debug)]
struct Request {
    head: BytesMut,
    cells: Bytes,
}

/// What the callers and the two tasks have in common.
#[derive(Debug)]
struct Shared {
    server: HostPort,
    role: &'static str,
    medium: Medium,
    /// Whether we have said who we are, and proved it.
    logged_in: bool,
    /// Whether anything at all came from the server.
    heard: AtomicBool,
    state: Mutex<State>,
    /// Answers read so far, to tell a slow call from a dead connection.
    answers: AtomicU64,
}

#[derive(Debug)]
enum State {
    Open(HashMap<u32, oneshot::Sender<Result<Payload, Failure>>>),
    Broken(Break),
}

/// Why a single call failed.
#[derive(Debug)]
enum Failure {
    Exception(RemoteException),
    Break(Break),
}

/// Why a connection is no longer one.
#[derive(Debug, Clone)]
enum Break {
    Lost(Arc<dyn Error + Send + Sync>),
    Foreign(Arc<dyn Error + Send + Sync>),
    Tls(TlsProblem),
    Tampered(WrapProblem),
    Refused(RemoteException),
}

impl Connection {
    /// Connects to a server where it can be reached, and introduces itself.
    pub(crate) async fn open(
        server: &HostPort,
        address: &HostPort,
        service: Service,
        dialer: &Dialer,
        limit: Duration,
    ) -> Result<Self, HBaseError> {
        let Dialed { read, write, medium, secured } = dialer.dial(server, address, service, limit).await?;
        let shared = Arc::new(Shared {
            server: server.clone(),
            role: service.role(),
            medium,
            logged_in: secured.protection.is_some(),
            heard: AtomicBool::new(false),
            state: Mutex::new(State::Open(HashMap::new())),
            answers: AtomicU64::new(0),
        });
        let (requests, queue) = mpsc::channel(64);
        let reader = tokio::spawn(read_answers(read, Arc::clone(&shared)));
        let writer = tokio::spawn(write_requests(write, queue, Arc::clone(&shared)));
        Ok(Self {
            shared,
            requests,
            budget: Semaphore::new(IN_FLIGHT as usize),
            next_call: AtomicU32::new(0),
            tasks: [reader.abort_handle(), writer.abort_handle()],
            secured,
        })
    }

    /// The server at the other end.
    pub(crate) fn server(&self) -> &HostPort {
        &self.shared.server
    }

    /// What was agreed on with it.
    pub(crate) fn secured(&self) -> &Secured {
        &self.secured
    }

    /// Whether calls still have a chance.
    pub(crate) fn is_open(&self) -> bool {
        matches!(*self.shared.state(), State::Open(_))
    }

    /// Asks and waits for the answer: its message, and the cells beside it.
    pub(crate) async fn call<R: Message + Default>(
        &self,
        call: Call<'_, impl Message>,
    ) -> Result<(R, Bytes), HBaseError> {
        let payload = self.exchange(&call).await?;
        let message = R::decode(payload.message).map_err(|error| self.misread(error))?;
        Ok((message, payload.cells))
    }

    /// An answer that is not what it should be.
    pub(crate) fn misread(&self, error: impl Into<Box<dyn Error + Send + Sync>>) -> HBaseError {
        HBaseError::protocol(self.server(), self.shared.role, error)
    }

    /// The same, with the message as it came.
    pub(crate) async fn exchange(&self, call: &Call<'_, impl Message>) -> Result<Payload, HBaseError> {
        let deadline = Instant::now() + call.timeout;
        let timed_out = || HBaseError::Timeout {
            server: self.server().clone(),
            method: call.method,
            region: call.region_name(),
            waited: call.timeout,
        };
        let id = self.next_call.fetch_add(1, Ordering::Relaxed) & (NO_CALL >> 1);
        let timeout_ms = u32::try_from(call.timeout.as_millis()).unwrap_or(u32::MAX);
        let head = frame::encode_request(id, call.method, timeout_ms, call.parameter, call.cells.len());
        let cost =
            u32::try_from(head.len() + call.cells.len()).unwrap_or(u32::MAX).clamp(LEAST_COST, IN_FLIGHT);
        let _permit = match timeout_at(deadline, self.budget.acquire_many(cost)).await {
            Ok(permit) => permit.map_err(|_| HBaseError::Closed)?,
            Err(_) => return Err(timed_out()),
        };

        let answers_before = self.shared.answers.load(Ordering::Relaxed);
        let lost = |reason: &Break| self.shared.error(reason, call.region_name());
        let answer = self.shared.expect_answer(id).map_err(|reason| lost(&reason))?;
        let _forget = Forget { shared: &self.shared, id };
        let request = Request { head, cells: call.cells.clone() };
        let sent_and_answered = async {
            // A closed queue means a broken connection, and then the answer is the reason.
            let _ = self.requests.send(request).await;
            answer.await
        };
        match timeout_at(deadline, sent_and_answered).await {
            Ok(Ok(Ok(payload))) => Ok(payload),
            Ok(Ok(Err(Failure::Exception(exception)))) => {
                Err(HBaseError::remote(self.server(), call.region, exception))
            }
            Ok(Ok(Err(Failure::Break(reason)))) => Err(lost(&reason)),
            Ok(Err(_)) => Err(HBaseError::Closed),
            Err(_) => {
                if self.shared.answers.load(Ordering::Relaxed) == answers_before {
                    // Nothing came at all: the connection may be dead without knowing it.
                    self.shared.fail(Break::Lost(Arc::new(io::Error::from(io::ErrorKind::TimedOut))));
                }
                Err(timed_out())
            }
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.tasks.iter().for_each(AbortHandle::abort);
    }
}

/// Removes a call from the list of waiting ones, also when the caller stops waiting.
struct Forget<'a> {
    shared: &'a Shared,
    id: u32,
}

impl Drop for Forget<'_> {
    fn drop(&mut self) {
        if let State::Open(waiting) = &mut *self.shared.state() {
            waiting.remove(&self.id);
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // No code panics while it holds the lock; were it so, the map would still be a map.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn expect_answer(&self, id: u32) -> Result<oneshot::Receiver<Result<Payload, Failure>>, Break> {
        let (sender, receiver) = oneshot::channel();
        match &mut *self.state() {
            State::Open(waiting) => waiting.insert(id, sender),
            State::Broken(reason) => return Err(reason.clone()),
        };
        Ok(receiver)
    }

    fn answer(&self, response: frame::Response) {
        self.answers.fetch_add(1, Ordering::Relaxed);
        let id = response.call_id;
        let outcome = response.outcome.map_err(RemoteException::from);
        let outcome = match outcome {
            Err(exception) if id == NO_CALL => return self.fail(Break::Refused(exception)),
            other => other.map_err(Failure::Exception),
        };
        let waiting = match &mut *self.state() {
            State::Open(waiting) => waiting.remove(&id),
            State::Broken(_) => None,
        };
        // A call without a waiting caller has timed out.
        if let Some(sender) = waiting {
            let _ = sender.send(outcome);
        }
    }

    /// Ends the connection; the first reason stays.
    fn fail(&self, reason: Break) {
        let mut state = self.state();
        if let State::Open(waiting) = &mut *state {
            for (_, sender) in waiting.drain() {
                let _ = sender.send(Err(Failure::Break(reason.clone())));
            }
            *state = State::Broken(reason);
        }
    }

    /// What it means that the stream ended or failed.
    async fn hung_up(&self, error: io::Error) -> Break {
        if let Some(problem) = error.get_ref().and_then(|inner| inner.downcast_ref::<WrapProblem>()) {
            return Break::Tampered(problem.clone());
        }
        let heard = self.heard.load(Ordering::Relaxed);
        match self.medium.problem(&error, heard).await {
            Some(problem) => Break::Tls(problem),
            // The TLS library explains at length what an end without farewell may mean.
            None if error.kind() == io::ErrorKind::UnexpectedEof => {
                Break::Lost(Arc::new(io::Error::from(io::ErrorKind::UnexpectedEof)))
            }
            None => Break::Lost(Arc::new(error)),
        }
    }

    fn error(&self, reason: &Break, region: Option<String>) -> HBaseError {
        let server = self.server.clone();
        match reason {
            Break::Lost(source) => HBaseError::ConnectionLost { server, region, source: Arc::clone(source) },
            Break::Foreign(source) => HBaseError::protocol(&server, self.role, Arc::clone(source)),
            Break::Tls(problem) => HBaseError::Tls { server, problem: problem.clone() },
            Break::Tampered(source) => HBaseError::Tampered { server, source: source.clone() },
            Break::Refused(exception) if !self.logged_in && wants_authentication(exception) => {
                HBaseError::Security { server, message: exception.message.clone() }
            }
            Break::Refused(exception) => HBaseError::remote(&server, None, exception.clone()),
        }
    }
}

fn wants_authentication(exception: &RemoteException) -> bool {
    matches!(exception.short_class(), "AccessDeniedException" | "BadAuthException")
        || ["SASL", "Kerberos", "uthentication"].iter().any(|word| exception.message.contains(word))
}

async fn write_requests(write: Writing, mut queue: mpsc::Receiver<Request>, shared: Arc<Shared>) {
    let mut write = BufWriter::with_capacity(64 << 10, write);
    let written: io::Result<()> = async {
        while let Some(request) = queue.recv().await {
            write.write_all(&request.head).await?;
            write.write_all(&request.cells).await?;
            if queue.is_empty() {
                write.flush().await?;
            }
        }
        Ok(())
    }
    .await;
    if let Err(error) = written {
        // The reader may be about to learn why the server hung up, and it may have to ask.
        let heard = shared.heard.load(Ordering::Relaxed);
        tokio::time::sleep(if heard { Duration::from_millis(100) } else { 2 * hello::PATIENCE }).await;
        shared.fail(Break::Lost(Arc::new(error)));
    }
}

async fn read_answers(mut read: Reading, shared: Arc<Shared>) {
    let mut buffer = BytesMut::with_capacity(64 << 10);
    let reason = loop {
        match frame::decode_frame(&mut buffer, MAX_FRAME) {
            Ok(Some(frame)) => match frame::decode_response(frame) {
                Ok(response) => shared.answer(response),
                Err(error) => break Break::Foreign(Arc::new(error)),
            },
            Err(FrameError::TooLarge { start, .. })
                if shared.medium.is_plain() && hello::looks_like_tls(&start) =>
            {
                break Break::Tls(TlsProblem::Wanted);
            }
            Err(error) => break Break::Foreign(Arc::new(error)),
            Ok(None) => {
                buffer.reserve(16 << 10);
                match read.read_buf(&mut buffer).await {
                    Ok(0) => break shared.hung_up(io::ErrorKind::UnexpectedEof.into()).await,
                    Ok(_) => shared.heard.store(true, Ordering::Relaxed),
                    Err(error) => break shared.hung_up(error).await,
                }
            }
        }
    };
    shared.fail(reason);
}

#[cfg(test)]
mod tests;

//! The pool of connections to servers.
//!
//! One for each server and service, opened at first use and again when it is broken. Callers that need the same
//! one at the same time wait for one opening.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::client::options::Options;
use crate::connection::Connection;
use crate::connection::dial::Dialer;
use crate::connection::service::Service;
use crate::error::HBaseError;
use crate::registry::url::HostPort;

/// How long opening a connection may take; a server that is there answers in milliseconds.
const OPEN_LIMIT: Duration = Duration::from_secs(5);

type Slot = Arc<tokio::sync::Mutex<Option<Arc<Connection>>>>;

#[derive(Debug, Default)]
pub(crate) struct Pool {
    slots: Mutex<HashMap<HostPort, HashMap<Service, Slot>>>,
}

impl Pool {
    /// An open connection.
    pub(crate) async fn get(
        &self,
        server: &HostPort,
        service: Service,
        options: &Options,
        dialer: &Dialer,
    ) -> Result<Arc<Connection>, HBaseError> {
        let slot = {
            let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
            match slots.get(server).and_then(|of_server| of_server.get(&service)) {
                Some(slot) => Arc::clone(slot),
                None => Arc::clone(slots.entry(server.clone()).or_default().entry(service).or_default()),
            }
        };
        let mut slot = slot.lock().await;
        if let Some(connection) = slot.as_ref().filter(|connection| connection.is_open()) {
            return Ok(Arc::clone(connection));
        }
        *slot = None;
        let limit = OPEN_LIMIT.min(options.call_timeout);
        let connection = Connection::open(server, options.address_of(server), service, dialer, limit);
        let connection = Arc::new(connection.await?);
        *slot = Some(Arc::clone(&connection));
        Ok(connection)
    }
}

//! Counters of a client: relocations, connection failures, reopened scanners.

use std::sync::atomic::AtomicU64;

/// What a client met since it was made. Not failures of operations: those that were tried again and went well are here too.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClientFigures {
    /// Regions found on another server than remembered, split, or merged.
    pub relocations: u64,
    /// Requests to a region that met a server out of reach, a connection that broke, or silence.
    pub connection_failures: u64,
    /// Scanners that a server had lost, or that were lost with a connection, so that a scan opened another.
    pub scanners_reopened: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Counted {
    pub(crate) connection_failures: AtomicU64,
    pub(crate) scanners_reopened: AtomicU64,
}

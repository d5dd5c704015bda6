//! A scanner of one region.
//!
//! The first request opens a scanner on the server and brings its first rows; each further one brings more. The
//! server closes the scanner at the end of the region or at the limit; a reader that stops earlier closes it.
//!
//! Not here: what comes after the region (`scan`), and putting rows together (`rows`).

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use crate::connection::{Call, Connection};
use crate::error::HBaseError;
use crate::regions::RegionLocation;
use crate::request::cursor::Cursor;
use crate::wire::messages::client::{Scan, ScanRequest, ScanResponse};
use crate::wire::messages::common::RegionSpecifier;
use crate::wire::{frame::Payload, scan_response};

/// What is the same for all regions of a scan.
#[derive(Debug, Clone)]
pub(crate) struct ScanSettings {
    /// All but where it starts and stops.
    pub(crate) scan: Scan,
    /// Results in one answer.
    pub(crate) batch_rows: u32,
    /// Whether rows are cut into several results.
    pub(crate) in_pieces: bool,
    /// Whether the server says how many rows it reads.
    pub(crate) counts: bool,
}

/// An answer with what it means for the scan.
#[derive(Debug)]
pub(crate) struct ScanPiece {
    pub(crate) response: ScanResponse,
    pub(crate) cells: Bytes,
}

impl ScanPiece {
    /// Whether this region has more.
    pub(crate) fn more_in_region(&self) -> bool {
        self.more_in_scan() && self.response.more_results_in_region.unwrap_or(false)
    }

    /// The rows that the server read for it, and of these the ones that its filter left out.
    pub(crate) fn rows_read(&self) -> (u64, u64) {
        let metrics = self.response.scan_metrics.iter().flat_map(|counted| &counted.metrics);
        let counted = |wanted: &str| {
            let mut metrics = metrics.clone();
            let found = metrics.find(|pair| pair.name.as_deref() == Some(wanted));
            found.and_then(|pair| pair.value).and_then(|value| u64::try_from(value).ok())
        };
        // A server that does not count has at least read what it sent.
        let sent = self.response.cells_per_result.len();
        let read = counted("ROWS_SCANNED").unwrap_or_else(|| u64::try_from(sent).unwrap_or(u64::MAX));
        (read, counted("ROWS_FILTERED").unwrap_or(0))
    }

    /// Whether the scan may have more; `false` when its limit is reached.
    pub(crate) fn more_in_scan(&self) -> bool {
        self.response.more_results.unwrap_or(true)
    }
}

/// A scanner on a region's server.
#[derive(Debug)]
pub(crate) struct RegionScanner {
    connection: Arc<Connection>,
    region: Arc<RegionLocation>,
    /// The server's number for it, once it is open.
    id: Option<u64>,
    next_call: u64,
    /// How long the server keeps it for us.
    lease: Duration,
}

/// HBase's default, until a server tells.
const LEASE: Duration = Duration::from_secs(60);

impl RegionScanner {
    pub(crate) fn new(connection: Arc<Connection>, region: Arc<RegionLocation>) -> Self {
        Self { connection, region, id: None, next_call: 0, lease: LEASE }
    }

    pub(crate) fn region(&self) -> &Arc<RegionLocation> {
        &self.region
    }

    pub(crate) fn connection(&self) -> &Arc<Connection> {
        &self.connection
    }

    /// The next rows, at most `limit` of them if that is given.
    pub(crate) async fn next(
        &mut self,
        settings: &ScanSettings,
        cursor: &Cursor,
        limit: Option<usize>,
        timeout: Duration,
    ) -> Result<ScanPiece, HBaseError> {
        let limit = limit.map(|limit| u32::try_from(limit).unwrap_or(u32::MAX));
        // A limit counts rows, and several results may be one row.
        let most_results = limit.filter(|_| !settings.in_pieces).unwrap_or(u32::MAX);
        let mut request = ScanRequest {
            number_of_rows: Some(most_results.min(settings.batch_rows)),
            client_handles_partials: Some(true),
            client_handles_heartbeats: Some(true),
            limit_of_rows: limit,
            track_scan_metrics: settings.counts.then_some(true),
            ..ScanRequest::default()
        };
        match self.id {
            Some(id) => {
                request.scanner_id = Some(id);
                request.next_call_seq = Some(self.next_call);
                self.next_call += 1;
            }
            None => {
                request.region = Some(RegionSpecifier::named(&self.region.name));
                request.scan = Some(wire_scan(settings, cursor));
            }
        }
        let call = Call::new("Scan", &request, timeout).region(&self.region.name);
        let Payload { message, cells } = self.connection.exchange(&call).await?;
        let response = scan_response::decode(&message).map_err(|error| self.connection.misread(error))?;
        if self.id.is_none() {
            self.id = response.scanner_id;
        }
        if let Some(ttl) = response.ttl.filter(|&ttl| ttl > 0) {
            self.lease = Duration::from_millis(u64::from(ttl));
        }
        let piece = ScanPiece { response, cells };
        if !piece.more_in_region() {
            self.id = None;
        } else if self.id.is_none() {
            return Err(self.connection.misread("a scanner without a number"));
        }
        Ok(piece)
    }

    /// How often the scanner's lease is renewed while the caller asks for no rows.
    pub(crate) fn renew_after(&self) -> Duration {
        self.lease / 3
    }

    /// Asks the server to keep the scanner.
    pub(crate) async fn renew(&self, timeout: Duration) -> Result<(), HBaseError> {
        if let Some(id) = self.id {
            let request = ScanRequest {
                scanner_id: Some(id),
                number_of_rows: Some(0),
                renew: Some(true),
                ..ScanRequest::default()
            };
            let call = Call::new("Scan", &request, timeout).region(&self.region.name);
            self.connection.call::<ScanResponse>(call).await?;
        }
        Ok(())
    }

    /// Closes the scanner on the server. Best effort: its lease would expire anyway.
    pub(crate) async fn close(self, timeout: Duration) {
        if let Some(id) = self.id {
            let request = ScanRequest {
                scanner_id: Some(id),
                number_of_rows: Some(0),
                close_scanner: Some(true),
                ..ScanRequest::default()
            };
            let _ = self.connection.call::<ScanResponse>(Call::new("Scan", &request, timeout)).await;
        }
    }
}

fn wire_scan(settings: &ScanSettings, cursor: &Cursor) -> Scan {
    let (start, include_start) = cursor.wire_start();
    let (stop, include_stop) = cursor.wire_stop();
    Scan {
        start_row: Some(start.to_vec()),
        stop_row: Some(stop.to_vec()),
        caching: Some(settings.batch_rows),
        include_start_row: Some(include_start),
        include_stop_row: Some(include_stop),
        ..settings.scan.clone()
    }
}

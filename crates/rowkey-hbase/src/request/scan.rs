//! Range scans over region borders and failures.
//!
//! Each scan is a task of its own. It opens a scanner in one region after another, puts rows together and sends
//! them through a channel that holds one batch, so the next batch is on its way while the caller works on this
//! one. A scan that does not read ahead ([`Scan::ahead`]) fetches its first batch at once, and each further one when it is asked
//! for. After a failure it opens a new scanner after the last whole row that it sent. When the caller goes
//! away, the task closes the server's scanner and ends.
//!
//! The parts without a network have files of their own: where to go on (`cursor`), what is a whole row (`rows`).

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rowkey_store::{Direction, RegionCounts, RowBatch, Scan, TableName};
use tokio::sync::{Semaphore, mpsc};
use tokio::time::timeout;

use crate::client::HBaseClient;
use crate::error::HBaseError;
use crate::request::columns::wire_columns;
use crate::request::cursor::Cursor;
use crate::request::filter;
use crate::request::region_scanner::{RegionScanner, ScanPiece, ScanSettings};
use crate::request::retry::Attempts;
use crate::request::rows::{Rows, RowsPlace};
use crate::wire::messages::client;
use crate::wire::messages::common::{NameBytesPair, TimeRange};

/// Bytes after which a server ends an answer, as HBase's own client asks for …
const MOST_ANSWER: u64 = 2 << 20;
/// … and fewer when many scans run at once, because each holds up to three answers in memory.
const BYTES_OF_ALL_ANSWERS: u64 = 64 << 20;
const LEAST_ANSWER: u64 = 128 << 10;
/// A server can read a family only after a filter on another one has let the row through. It then refuses reverse
/// scans, and returns rows that a `SingleColumnValueExcludeFilter` should have left out.
pub(crate) const ALL_FAMILIES_AT_ONCE: bool = false;
/// A number of rows is a signed 32-bit number in Java.
const MOST_ROWS: u32 = i32::MAX as u32;

/// Rows of one scan, batch by batch, read ahead while the caller works. Dropping it ends the scan.
#[derive(Debug)]
pub struct RowStream {
    receiver: mpsc::Receiver<Delivery>,
    spare: Spare,
    counts: Counts,
    /// Of a scan that does not read ahead: what further batches are asked for by.
    asking: Option<Arc<Asking>>,
    has_batch: bool,
    ended: bool,
}

/// How further batches are asked for.
#[derive(Debug)]
struct Asking {
    /// A permit for each batch.
    batches: Semaphore,
    rows: AtomicU32,
}

#[derive(Debug)]
enum Delivery {
    Batch(RowBatch),
    /// Said, not implied: a channel that just closes is a task that died.
    End,
    Failed(HBaseError),
}

/// A batch that the caller has read, on its way back to be filled again.
type Spare = Arc<Mutex<RowBatch>>;

/// What the servers read so far, by region.
type Counts = Arc<Mutex<Vec<RegionCounts>>>;

impl RowStream {
    /// The next rows, exchanged for `batch`; `false`, and an empty batch, at the end.
    ///
    /// # Errors
    /// A failure of the cluster, after retries. The scan has ended then.
    pub async fn next(&mut self, batch: &mut RowBatch) -> Result<bool, HBaseError> {
        batch.clear();
        if self.ended {
            return Ok(false);
        }
        self.ask();
        let delivery = self.receiver.recv().await;
        self.accept(delivery, batch)
    }

    /// The same for threads outside the runtime.
    pub(crate) fn blocking_next(&mut self, batch: &mut RowBatch) -> Result<bool, HBaseError> {
        batch.clear();
        if self.ended {
            return Ok(false);
        }
        self.ask();
        let delivery = self.receiver.blocking_recv();
        self.accept(delivery, batch)
    }

    /// So many rows in the next batch, if it is not under way already.
    pub(crate) fn set_batch_rows(&self, rows: usize) {
        if let Some(asking) = self.asking.as_ref().filter(|_| self.has_batch) {
            asking.rows.store(wire_rows(rows), Ordering::Relaxed);
        }
    }

    /// Asks for a batch; the first was asked for by the scan.
    fn ask(&self) {
        if let Some(asking) = self.asking.as_ref().filter(|_| self.has_batch) {
            asking.batches.add_permits(1);
        }
    }

    /// What the servers read so far, region by region, if the scan asked for it ([`Scan::counts`]).
    pub fn counts(&self) -> Vec<RegionCounts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn accept(&mut self, delivery: Option<Delivery>, batch: &mut RowBatch) -> Result<bool, HBaseError> {
        match delivery {
            Some(Delivery::Batch(rows)) => {
                self.has_batch = true;
                let read = std::mem::replace(batch, rows);
                *self.spare.lock().unwrap_or_else(PoisonError::into_inner) = read;
                Ok(true)
            }
            Some(Delivery::End) => {
                self.ended = true;
                Ok(false)
            }
            Some(Delivery::Failed(failure)) => {
                self.ended = true;
                Err(failure)
            }
            None => {
                self.ended = true;
                Err(HBaseError::Closed)
            }
        }
    }
}

impl Drop for RowStream {
    fn drop(&mut self) {
        // No more batches are wanted.
        self.asking.iter().for_each(|asking| asking.batches.close());
    }
}

impl HBaseClient {
    /// Opens a scan; its first rows are on their way when this returns.
    pub async fn scan(self: &Arc<Self>, table: &TableName, scan: &Scan) -> Result<RowStream, HBaseError> {
        let mut streams = self.scan_many(table, std::slice::from_ref(scan)).await?;
        streams.pop().ok_or(HBaseError::Closed)
    }

    /// Opens many scans at once.
    pub async fn scan_many(
        self: &Arc<Self>,
        table: &TableName,
        scans: &[Scan],
    ) -> Result<Vec<RowStream>, HBaseError> {
        for scan in scans {
            self.require(table, |known| known.validate_scan(scan)).await?;
        }
        Ok(self.start_scans(table, scans))
    }

    /// The same for scans that keep the rules.
    pub(crate) fn start_scans(self: &Arc<Self>, table: &TableName, scans: &[Scan]) -> Vec<RowStream> {
        let share = BYTES_OF_ALL_ANSWERS / u64::try_from(scans.len().max(1)).unwrap_or(u64::MAX);
        let max_result_size = share.clamp(LEAST_ANSWER, MOST_ANSWER);
        scans.iter().map(|scan| self.start_scan(table, scan, max_result_size)).collect()
    }

    fn start_scan(self: &Arc<Self>, table: &TableName, scan: &Scan, max_result_size: u64) -> RowStream {
        let (sender, receiver) = mpsc::channel(1);
        let (spare, counts) = (Spare::default(), Counts::default());
        let batch_rows = wire_rows(scan.batch_rows);
        let asking = (!scan.ahead)
            .then(|| Arc::new(Asking { batches: Semaphore::new(0), rows: AtomicU32::new(batch_rows) }));
        let task = ScanTask {
            client: Arc::clone(self),
            table: table.clone(),
            settings: ScanSettings {
                scan: to_wire(scan, max_result_size),
                batch_rows,
                in_pieces: scan.cells_per_result.is_some(),
                counts: scan.counts,
            },
            remaining: scan.limit,
            rows: scan.cells_per_result.map_or_else(Rows::whole, Rows::in_pieces),
            scanner: None,
            sender,
            spare: Arc::clone(&spare),
            counts: Arc::clone(&counts),
            asking: asking.clone(),
            owed: batch_rows,
            given: 0,
        };
        let cursor = match wire_columns(&scan.columns) {
            Some(_) => Cursor::new(&scan.range, scan.direction),
            None => None,
        };
        tokio::spawn(task.run(cursor));
        RowStream { receiver, spare, counts, asking, has_batch: false, ended: false }
    }
}

struct ScanTask {
    client: Arc<HBaseClient>,
    table: TableName,
    settings: ScanSettings,
    /// Rows that are not given out to their end yet; `None` is all.
    remaining: Option<usize>,
    rows: Rows,
    scanner: Option<RegionScanner>,
    sender: mpsc::Sender<Delivery>,
    spare: Spare,
    counts: Counts,
    asking: Option<Arc<Asking>>,
    /// Rows of the batch asked for that have not come yet: a server may end an answer before it has all of them.
    owed: u32,
    /// Answers given out since the last request; each was taken by a call that asks for one more.
    given: u32,
}

/// The caller has dropped its end.
struct Gone;

impl ScanTask {
    async fn run(mut self, cursor: Option<Cursor>) {
        let outcome = match cursor {
            Some(cursor) => self.read(cursor).await,
            None => Ok(Ok(())),
        };
        let last = match outcome {
            Ok(Ok(())) => Some(Delivery::End),
            Ok(Err(Gone)) => None,
            Err(failure) => Some(Delivery::Failed(failure)),
        };
        if let Some(last) = last {
            let _ = self.sender.send(last).await;
        }
        if let Some(scanner) = self.scanner.take() {
            scanner.close(self.client.options().call_timeout).await;
        }
    }

    async fn read(&mut self, mut cursor: Cursor) -> Result<Result<(), Gone>, HBaseError> {
        while self.remaining != Some(0) {
            if let Err(gone) = self.wait_until_asked().await {
                return Ok(Err(gone));
            }
            let piece = self.next_piece(&cursor).await?;
            let region_is_done = !piece.more_in_region();
            if region_is_done {
                self.rows.close_row();
            }
            if let Err(gone) = self.deliver(&mut cursor).await {
                return Ok(Err(gone));
            }
            if !piece.more_in_scan() {
                break;
            }
            if region_is_done {
                let region = self.scanner.take().map(|scanner| Arc::clone(scanner.region()));
                if !region.is_some_and(|region| cursor.after_region(&region)) {
                    break;
                }
            }
        }
        Ok(Ok(()))
    }

    /// Of a scan that does not read ahead: waits until a batch is wanted; meanwhile the server keeps the scanner.
    async fn wait_until_asked(&mut self) -> Result<(), Gone> {
        let Some(asking) = self.asking.clone().filter(|_| self.owed == 0) else { return Ok(()) };
        loop {
            let lease = self.scanner.as_ref().map_or(Duration::MAX, RegionScanner::renew_after);
            match timeout(lease, asking.batches.acquire_many(self.given)).await {
                Ok(Ok(permit)) => {
                    permit.forget();
                    (self.owed, self.given) = (asking.rows.load(Ordering::Relaxed), 0);
                    self.settings.batch_rows = self.owed;
                    return Ok(());
                }
                Ok(Err(_)) => return Err(Gone),
                Err(_) => self.renew().await,
            }
        }
    }

    /// Renews the lease of the server's scanner. If that fails, the next request for rows tells.
    async fn renew(&self) {
        if let Some(scanner) = &self.scanner {
            drop(scanner.renew(self.client.options().call_timeout).await);
        }
    }

    /// The next answer, its rows added to what is there; tries until the time for it is over.
    async fn next_piece(&mut self, cursor: &Cursor) -> Result<ScanPiece, HBaseError> {
        let mut attempts = self.client.attempts();
        loop {
            let failure = match attempts.bound(self.try_piece(cursor, &attempts)).await {
                Ok(piece) => return Ok(piece),
                Err(failure) => failure,
            };
            // The next attempt reads the open row again, with a new scanner.
            self.rows.start_again();
            if let Some(scanner) = self.scanner.take() {
                self.client.note_failure(scanner.region(), &failure);
                self.client.note_lost_scanner();
                let timeout = self.client.options().call_timeout;
                tokio::spawn(scanner.close(timeout));
            }
            attempts.again(self.client.explain(&self.table, failure).await).await?;
        }
    }

    async fn try_piece(&mut self, cursor: &Cursor, attempts: &Attempts) -> Result<ScanPiece, HBaseError> {
        if self.scanner.is_none() {
            let region = self.client.locate(&self.table, &cursor.place()).await?;
            let opened = self.client.connection_to(&region).await;
            let connection = opened.inspect_err(|failure| self.client.note_failure(&region, failure))?;
            self.scanner = Some(RegionScanner::new(connection, region));
        }
        let scanner = self.scanner.as_mut().expect("it was opened above");
        let timeout = attempts.call_timeout(self.client.options().call_timeout);
        let piece = scanner.next(&self.settings, cursor, self.remaining, timeout).await?;
        if self.settings.counts {
            let (read, filtered) = piece.rows_read();
            let counts = RegionCounts { start: scanner.region().start.clone(), read, filtered };
            RegionCounts::add(&mut self.counts.lock().unwrap_or_else(PoisonError::into_inner), &counts);
        }
        self.rows.add(&piece.response, &piece.cells).map_err(|error| scanner.connection().misread(error))?;
        Ok(piece)
    }

    /// Sends what is whole, if there is any, and moves the cursor behind it.
    async fn deliver(&mut self, cursor: &mut Cursor) -> Result<(), Gone> {
        let empty = std::mem::take(&mut *self.spare.lock().unwrap_or_else(PoisonError::into_inner));
        let whole = self.rows.take(self.remaining.unwrap_or(usize::MAX), empty);
        let completed = self.rows.completed();
        if let Some(remaining) = &mut self.remaining {
            *remaining = remaining.saturating_sub(completed);
        }
        match self.rows.place() {
            Some(RowsPlace::After(row)) => cursor.after_row(row),
            Some(RowsPlace::Within(row)) => cursor.within_row(row),
            None => {}
        }
        if whole.is_empty() {
            return Ok(());
        }
        if self.asking.is_some() {
            self.given += 1;
            self.owed = self.owed.saturating_sub(u32::try_from(whole.len()).unwrap_or(u32::MAX));
            self.settings.batch_rows = self.owed.max(1);
        }
        self.send(whole).await
    }

    /// Waits until the caller takes the rows, and renews the scanner's lease meanwhile.
    async fn send(&mut self, rows: RowBatch) -> Result<(), Gone> {
        let sender = self.sender.clone();
        loop {
            let Some(scanner) = &self.scanner else {
                return sender.send(Delivery::Batch(rows)).await.map_err(|_| Gone);
            };
            match timeout(scanner.renew_after(), sender.reserve()).await {
                Ok(Ok(place)) => {
                    place.send(Delivery::Batch(rows));
                    return Ok(());
                }
                Ok(Err(_)) => return Err(Gone),
                Err(_) => self.renew().await,
            }
        }
    }
}

/// A number of rows as a server takes it.
fn wire_rows(rows: usize) -> u32 {
    u32::try_from(rows.max(1)).unwrap_or(MOST_ROWS).min(MOST_ROWS)
}

/// A scan as a server reads it, but for where it starts and stops.
pub(crate) fn to_wire(scan: &Scan, max_result_size: u64) -> client::Scan {
    let raw = NameBytesPair { name: "_raw_".to_owned(), value: Some(vec![0xFF]) };
    client::Scan {
        column: wire_columns(&scan.columns).unwrap_or_default(),
        attribute: scan.raw.then_some(raw).into_iter().collect(),
        filter: scan.filter.as_ref().map(filter::to_wire),
        time_range: TimeRange::from_store(scan.time_range),
        max_versions: Some(scan.versions),
        cache_blocks: Some(scan.fills_cache),
        batch_size: scan
            .cells_per_result
            .map(|cells| u32::try_from(cells).unwrap_or(MOST_ROWS).min(MOST_ROWS)),
        max_result_size: Some(max_result_size),
        load_column_families_on_demand: Some(ALL_FAMILIES_AT_ONCE),
        reversed: Some(scan.direction == Direction::Reverse),
        ..client::Scan::default()
    }
}

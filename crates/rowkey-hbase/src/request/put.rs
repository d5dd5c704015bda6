//! Puts of many rows.
//!
//! Rows are grouped by server and region and sent as `Multi` requests of bounded size, to all servers at once
//! and to each server one after another. Every row has an answer of its own; rows that failed are looked up again
//! and sent again.
//!
//! **Law**: of two rows with the same key, the later one in the batch wins. So when a row is sent again, later
//! rows with its key are sent again too, even if they were written; writing a row twice is harmless.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use rowkey_store::{RowBatch, RowView, TableName};
use tokio::task::JoinSet;

use crate::client::HBaseClient;
use crate::connection::Call;
use crate::error::HBaseError;
use crate::regions::{RegionLocation, RegionPlace};
use crate::registry::url::HostPort;
use crate::remote::RemoteException;
use crate::request::plan::{Plan, require_size};
use crate::request::retry::Attempts;
use crate::wire::cell_block::{self, Cell};
use crate::wire::messages::common::RegionSpecifier;
use crate::wire::messages::multi::{Action, MultiRequest, MultiResponse, MutationProto, RegionAction};

/// One request to one server: its regions with their rows, and the cells of all of them in the same order.
#[derive(Debug)]
struct Chunk {
    regions: Vec<(Arc<RegionLocation>, Vec<usize>)>,
    request: MultiRequest,
    cells: Bytes,
}

/// Rows that were not written, and why.
#[derive(Debug, Default)]
struct Failed {
    rows: Vec<usize>,
    causes: Vec<(Arc<RegionLocation>, HBaseError)>,
}

impl HBaseClient {
    /// Writes all rows; when it returns they are in the log of their servers.
    pub async fn put_batch(self: &Arc<Self>, table: &TableName, rows: &RowBatch) -> Result<(), HBaseError> {
        if rows.is_empty() {
            return self.locate_retrying(table).await;
        }
        self.require(table, |known| known.validate_rows(rows)).await?;
        let mut attempts = self.attempts();
        let mut to_send: Vec<usize> = (0..rows.len()).collect();
        loop {
            let failure = match self.send_round(table, rows, &to_send, &attempts).await {
                Ok(failed) if failed.rows.is_empty() => return Ok(()),
                Ok(failed) => {
                    to_send = with_later_rows_of_the_same_key(rows, failed.rows);
                    for (region, cause) in &failed.causes {
                        self.note_failure(region, cause);
                    }
                    worst(failed.causes)
                }
                // Some row could not even be placed, and nothing was sent.
                Err(failure) => failure,
            };
            attempts.again(self.explain(table, failure).await).await?;
        }
    }

    /// An empty batch writes nothing, but an unknown table is still an error.
    pub(crate) async fn locate_retrying(&self, table: &TableName) -> Result<(), HBaseError> {
        let mut attempts = self.attempts();
        while let Err(failure) = self.locate(table, &RegionPlace::At(Vec::new())).await {
            attempts.again(failure).await?;
        }
        Ok(())
    }

    async fn send_round(
        self: &Arc<Self>,
        table: &TableName,
        rows: &RowBatch,
        to_send: &[usize],
        attempts: &Attempts,
    ) -> Result<Failed, HBaseError> {
        let mut servers = JoinSet::new();
        let groups = attempts.bound(self.group(table, rows, to_send)).await?;
        let timeout = attempts.call_timeout(self.options().call_timeout);
        for (_, plans) in groups {
            let chunks = plans.iter().map(|plan| Chunk::encode(plan, rows)).collect();
            servers.spawn(Arc::clone(self).send_chunks(chunks, timeout));
        }
        let mut failed = Failed::default();
        while let Some(outcome) = servers.join_next().await {
            let of_server = outcome.map_err(|_| HBaseError::Closed)?;
            failed.rows.extend(of_server.rows);
            failed.causes.extend(of_server.causes);
        }
        Ok(failed)
    }

    /// The requests for each server; within a region, rows in the order of the batch.
    async fn group(
        &self,
        table: &TableName,
        rows: &RowBatch,
        to_send: &[usize],
    ) -> Result<BTreeMap<Option<HostPort>, Vec<Plan>>, HBaseError> {
        let mut servers: BTreeMap<Option<HostPort>, Vec<Plan>> = BTreeMap::new();
        let mut last: Option<Arc<RegionLocation>> = None;
        for &index in to_send {
            let row = rows.row(index).expect("the index came from this batch");
            let place = RegionPlace::At(row.key().to_vec());
            // Loads come sorted more often than not.
            let region = match last.take().filter(|region| place.is_in(region)) {
                Some(region) => region,
                None => self.locate(table, &place).await?,
            };
            let plans = servers.entry(region.server.clone()).or_default();
            Plan::add_to(plans, &region, index, row_bytes(row)?);
            last = Some(region);
        }
        Ok(servers)
    }

    /// Sends one request after another; after a request that failed as a whole the others are not tried.
    async fn send_chunks(self: Arc<Self>, chunks: Vec<Chunk>, timeout: Duration) -> Failed {
        let mut failed = Failed::default();
        let mut chunks = chunks.into_iter();
        while let Some(chunk) = chunks.next() {
            let whole = chunk.indexes();
            let mut regions = chunk.region_list();
            if let Err(cause) = self.send_chunk(chunk, timeout, &mut failed).await {
                failed.rows.extend(whole);
                for chunk in chunks.by_ref() {
                    failed.rows.extend(chunk.indexes());
                    regions.extend(chunk.region_list());
                }
                // All of them were on this server: a dead one must not be found out region by region.
                let cause = Arc::new(cause);
                let shared = |region| (region, HBaseError::Shared(Arc::clone(&cause)));
                failed.causes.extend(regions.into_iter().map(shared));
            }
        }
        failed
    }

    async fn send_chunk(
        &self,
        chunk: Chunk,
        timeout: Duration,
        failed: &mut Failed,
    ) -> Result<(), HBaseError> {
        let Some((first_region, _)) = chunk.regions.first() else {
            return Ok(());
        };
        let connection = self.connection_to(first_region).await?;
        let call = Call::new("Multi", &chunk.request, timeout).region(&first_region.name).cells(chunk.cells);
        let (answer, _) = connection.call::<MultiResponse>(call).await?;
        collect(connection.server(), &chunk.regions, answer, failed)
    }
}

fn cells<'a>(row: RowView<'a>) -> impl ExactSizeIterator<Item = Cell<'a>> {
    row.cells().map(move |cell| Cell {
        row: row.key(),
        family: cell.family,
        qualifier: cell.qualifier,
        timestamp: cell.timestamp,
        kind: cell.kind.code(),
        value: cell.value,
    })
}

/// The kind of mutation that a cell travels in.
fn mutate_type(cell: &Cell<'_>) -> i32 {
    if cell.kind == cell_block::PUT { MutationProto::PUT } else { MutationProto::DELETE }
}

/// The bytes of a row's cells on the wire.
fn row_bytes(row: RowView<'_>) -> Result<usize, HBaseError> {
    require_size(row.key(), cells(row).map(|cell| cell_block::encoded_len(&cell)).sum())
}

impl Chunk {
    /// Cells are matched to rows by their order alone, so they are written region by region. A row with markers is a put
    /// and a delete, and so has two answers.
    fn encode(plan: &Plan, rows: &RowBatch) -> Self {
        let mut block = Vec::with_capacity(plan.bytes);
        let mut region_action = Vec::with_capacity(plan.regions.len());
        let mut regions = Vec::with_capacity(plan.regions.len());
        for (region, indexes) in &plan.regions {
            let (mut action, mut acted) =
                (Vec::with_capacity(indexes.len()), Vec::with_capacity(indexes.len()));
            for &index in indexes {
                let row = rows.row(index).expect("the index came from this batch");
                for kind in [MutationProto::PUT, MutationProto::DELETE] {
                    let mut count = 0;
                    for cell in cells(row).filter(|cell| mutate_type(cell) == kind) {
                        cell_block::encode(&cell, &mut block);
                        count += 1;
                    }
                    if count == 0 {
                        continue;
                    }
                    let mutation = MutationProto {
                        mutate_type: Some(kind),
                        associated_cell_count: Some(count),
                        ..MutationProto::default()
                    };
                    action.push(Action {
                        index: u32::try_from(acted.len()).ok(),
                        mutation: Some(mutation),
                        get: None,
                    });
                    acted.push(index);
                }
            }
            regions.push((Arc::clone(region), acted));
            region_action.push(RegionAction {
                region: RegionSpecifier::named(&region.name),
                action,
                ..RegionAction::default()
            });
        }
        Self { regions, request: MultiRequest { region_action, nonce_group: None }, cells: block.into() }
    }

    fn region_list(&self) -> Vec<Arc<RegionLocation>> {
        self.regions.iter().map(|(region, _)| Arc::clone(region)).collect()
    }

    fn indexes(&self) -> Vec<usize> {
        self.regions.iter().flat_map(|(_, rows)| rows.iter().copied()).collect()
    }
}

/// Reads the answer for each row; a row without an answer has failed.
fn collect(
    server: &HostPort,
    regions: &[(Arc<RegionLocation>, Vec<usize>)],
    answer: MultiResponse,
    failed: &mut Failed,
) -> Result<(), HBaseError> {
    if answer.region_action_result.len() != regions.len() {
        let what = format!("{} answers for {} regions", answer.region_action_result.len(), regions.len());
        return Err(HBaseError::protocol(server, "an HBase region server", what));
    }
    for ((region, rows), result) in regions.iter().zip(answer.region_action_result) {
        let mut fail = |rows: &mut dyn Iterator<Item = usize>, exception: RemoteException| {
            failed.rows.extend(rows);
            failed
                .causes
                .push((Arc::clone(region), HBaseError::remote(server, Some(&region.name), exception)));
        };
        if let Some(exception) = result.exception {
            fail(&mut rows.iter().copied(), exception.into());
            continue;
        }
        let mut unanswered: BTreeMap<usize, usize> = rows.iter().copied().enumerate().collect();
        for answer in result.result_or_exception {
            let number = answer.index.map_or(usize::MAX, |index| index as usize);
            if let (Some(index), Some(exception)) = (unanswered.remove(&number), answer.exception) {
                fail(&mut std::iter::once(index), exception.into());
            }
        }
        if !unanswered.is_empty() {
            let exception = RemoteException::new("no answer for some rows".to_owned(), "", false);
            fail(&mut unanswered.into_values(), exception);
        }
    }
    Ok(())
}

/// The failed rows and every later row with one of their keys, in the order of the batch.
fn with_later_rows_of_the_same_key(rows: &RowBatch, failed: Vec<usize>) -> Vec<usize> {
    let mut first: HashMap<&[u8], usize> = HashMap::new();
    for index in failed {
        if let Some(row) = rows.row(index) {
            first.entry(row.key()).and_modify(|known| *known = index.min(*known)).or_insert(index);
        }
    }
    let again = |index: usize, key: &[u8]| first.get(key).is_some_and(|&first| index >= first);
    rows.rows().enumerate().filter(|(index, row)| again(*index, row.key())).map(|(index, _)| index).collect()
}

/// The cause to report: one that makes trying again useless, if there is any.
fn worst(causes: Vec<(Arc<RegionLocation>, HBaseError)>) -> HBaseError {
    let hopeless = |error: &HBaseError| error.retry() == crate::error::Retry::GiveUp;
    let mut causes: Vec<HBaseError> = causes.into_iter().map(|(_, cause)| cause).collect();
    causes.sort_by_key(|cause| !hopeless(cause));
    causes.into_iter().next().unwrap_or(HBaseError::Closed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::plan::MAX_BYTES;
    use crate::wire::messages::common::NameBytesPair;
    use crate::wire::messages::multi::{RegionActionResult, ResultOrException};

    fn region(name: &str) -> Arc<RegionLocation> {
        Arc::new(RegionLocation {
            table: "t".parse().unwrap(),
            name: name.as_bytes().to_vec(),
            start: Vec::new(),
            end: Vec::new(),
            server: None,
        })
    }

    fn batch(keys: &[&str]) -> RowBatch {
        let mut batch = RowBatch::new();
        for key in keys {
            batch.begin_row(key.as_bytes());
            batch.cell(b"d", b"q", 1, b"v");
        }
        batch
    }

    #[test]
    fn later_rows_of_a_failed_key_are_sent_again() {
        let rows = batch(&["a", "b", "a", "c", "a", "b"]);
        assert_eq!(with_later_rows_of_the_same_key(&rows, vec![2]), [2, 4]);
        assert_eq!(with_later_rows_of_the_same_key(&rows, vec![5, 0]), [0, 2, 4, 5]);
        assert_eq!(with_later_rows_of_the_same_key(&rows, vec![]), Vec::<usize>::new());
    }

    #[test]
    fn rows_are_sent_region_by_region_in_the_order_of_the_batch() {
        let rows = batch(&["a", "z", "b", "y"]);
        let (low, high) = (region("low"), region("high"));
        let mut plan = Plan::default();
        for (index, region) in [&low, &high, &low, &high].into_iter().enumerate() {
            let bytes = row_bytes(rows.row(index).unwrap()).unwrap();
            assert!(plan.has_room_for(bytes));
            plan.add(region, index, bytes);
        }
        assert!(!plan.has_room_for(MAX_BYTES));
        let bytes = plan.bytes;
        let chunk = Chunk::encode(&plan, &rows);
        assert_eq!((chunk.indexes(), chunk.cells.len()), (vec![0, 2, 1, 3], bytes));
        let mut reader = cell_block::CellReader::new(&chunk.cells);
        for key in ["a", "b", "z", "y"] {
            assert_eq!(reader.next_cell().unwrap().row, key.as_bytes());
        }
        let actions: Vec<usize> =
            chunk.request.region_action.iter().map(|region| region.action.len()).collect();
        assert_eq!(actions, [2, 2]);
    }

    #[test]
    fn every_row_is_answered_or_failed() {
        let server = HostPort { host: "h".to_owned(), port: 1 };
        let regions = [(region("one"), vec![10, 11, 12]), (region("two"), vec![20, 21])];
        let exception = || NameBytesPair {
            name: "x.NotServingRegionException".to_owned(),
            value: Some(b"gone".to_vec()),
        };
        let answer = |index, exception| ResultOrException { index: Some(index), result: None, exception };
        let response = MultiResponse {
            region_action_result: vec![
                RegionActionResult {
                    result_or_exception: vec![answer(2, None), answer(0, Some(exception()))],
                    ..RegionActionResult::default()
                },
                RegionActionResult { exception: Some(exception()), ..RegionActionResult::default() },
            ],
        };
        let mut failed = Failed::default();
        collect(&server, &regions, response, &mut failed).unwrap();
        failed.rows.sort_unstable();
        assert_eq!(failed.rows, [10, 11, 20, 21]);
        assert_eq!(failed.causes.len(), 3);

        let short = MultiResponse { region_action_result: vec![] };
        assert!(collect(&server, &regions, short, &mut failed).is_err());
    }
}

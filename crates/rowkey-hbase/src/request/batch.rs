//! Sends many operations to their servers, and gives each its result.
//!
//! Operations are grouped by server and region and sent as `Multi` requests of bounded size, to all servers at once
//! and to each server one after another. A server does the changes of a request that depend on what is there one by one, and waits for
//! its log after each; so those go in several lanes at once, and their waits are shared. Each has an answer of its own; those that failed are looked up and sent
//! again while that helps. Increments and appends keep their nonce, so that one whose answer was lost is not done
//! twice.
//!
//! **Law**: every operation has exactly one result, its own.
//!
//! Quirk: a check-and-mutate of puts and deletes has no nonce in HBase. If its answer is lost and it is sent again, it
//! meets its own work, and may say that the condition does not hold.

mod request;
mod response;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use rowkey_store::{Get, Operation, Outcome, RowBatch, TableName};
use tokio::task::JoinSet;

use crate::client::HBaseClient;
use crate::connection::Call;
use crate::error::{HBaseError, Retry};
use crate::regions::{RegionLocation, RegionPlace};
use crate::registry::url::HostPort;
use crate::request::columns::wire_columns;
use crate::request::mutation;
use crate::request::plan::{Plan, require_size};
use crate::request::retry::Attempts;
use crate::wire::messages::multi::MultiResponse;
use request::Chunk;

/// So many requests with conditional changes are under way to one server; HBase has 30 handlers by default.
const LANES: usize = 12;
/// So many conditional changes follow one another in a lane.
const IN_LANE: usize = 16;

/// What one operation came to, with its place in the batch.
type Answer = (usize, Result<Outcome, HBaseError>);

/// The operations of a batch, shared by the tasks that send them.
#[derive(Debug)]
struct Work {
    operations: Vec<Operation>,
    /// One for each operation, the same at every attempt.
    nonces: Vec<u64>,
}

/// The state of a batch between attempts.
struct Progress {
    results: Vec<Option<Result<Outcome, HBaseError>>>,
    to_send: Vec<usize>,
}

impl HBaseClient {
    /// Does one operation.
    pub async fn run(
        self: &Arc<Self>,
        table: &TableName,
        operation: &Operation,
    ) -> Result<Outcome, HBaseError> {
        let mut results = self.batch(table, std::slice::from_ref(operation)).await?;
        results.pop().unwrap_or(Err(HBaseError::Closed))
    }

    /// Does many operations; one result for each, in order.
    pub async fn batch(
        self: &Arc<Self>,
        table: &TableName,
        operations: &[Operation],
    ) -> Result<Vec<Result<Outcome, HBaseError>>, HBaseError> {
        if let [operation] = operations
            && let Some(result) = self.alone(table, operation).await
        {
            return match result {
                Err(failure) if failure.concerns_table() => Err(failure),
                result => Ok(vec![result]),
            };
        }
        let mut results: Vec<Option<Result<Outcome, HBaseError>>> = Vec::with_capacity(operations.len());
        for (refused, operation) in self.refused(table, operations).await?.into_iter().zip(operations) {
            results.push(match refused {
                Some(error) => Some(Err(error.into())),
                // Columns of no family at all would mean all on the wire.
                None if asks_for_nothing(operation) => Some(Ok(Outcome::default())),
                None => None,
            });
        }
        let to_send: Vec<usize> =
            (0..results.len()).filter(|&at| matches!(results.get(at), Some(None))).collect();
        if to_send.is_empty() {
            self.locate_retrying(table).await?;
        }
        let nonces = operations.iter().map(|_| self.next_nonce()).collect();
        let work = Arc::new(Work { operations: operations.to_vec(), nonces });
        let mut progress = Progress { results, to_send };
        let mut attempts = self.attempts();
        while !progress.to_send.is_empty() {
            self.attempt(table, &work, &mut progress, &mut attempts).await?;
        }
        // Every place was filled above; a missing one would be a task that died.
        Ok(progress.results.into_iter().map(|result| result.unwrap_or(Err(HBaseError::Closed))).collect())
    }

    /// Reads many rows; those that are there go to the end of `into`, in order.
    pub async fn get_many(
        self: &Arc<Self>,
        table: &TableName,
        gets: &[Get],
        into: &mut RowBatch,
    ) -> Result<Vec<bool>, HBaseError> {
        let operations: Vec<Operation> = gets.iter().cloned().map(Operation::Get).collect();
        let outcomes: Vec<Outcome> =
            self.batch(table, &operations).await?.into_iter().collect::<Result<_, _>>()?;
        let mut found = Vec::with_capacity(outcomes.len());
        for outcome in outcomes {
            found.push(!outcome.rows.is_empty());
            outcome.rows.rows().for_each(|row| into.push_row(row));
        }
        Ok(found)
    }

    /// Sends what is to be sent, once, and waits before the next attempt if one is needed.
    async fn attempt(
        self: &Arc<Self>,
        table: &TableName,
        work: &Arc<Work>,
        progress: &mut Progress,
        attempts: &mut Attempts,
    ) -> Result<(), HBaseError> {
        let sent = std::mem::take(&mut progress.to_send);
        let mut failed: Vec<(usize, HBaseError)> = Vec::new();
        for (at, answer) in self.send_operations(table, work, &sent, attempts).await {
            match answer {
                Ok(outcome) => progress.set(at, Ok(outcome)),
                Err(failure) => failed.push((at, failure)),
            }
        }
        let moved_on = failed.len() < sent.len();
        let mut hopeful: Vec<(usize, HBaseError)> = Vec::new();
        for (at, failure) in failed {
            let failure = self.explain_item(table, work.operations.get(at), failure).await;
            match failure {
                failure if failure.concerns_table() => return Err(failure),
                failure if failure.retry() == Retry::GiveUp => progress.set(at, Err(failure)),
                failure => hopeful.push((at, failure)),
            }
        }
        // An answer that would have been too large holds as much as fits, and the rest is asked for at once.
        let cut =
            moved_on && hopeful.iter().all(|(_, failure)| failure.is_remote("MultiActionResultTooLarge"));
        if hopeful.is_empty() || (cut && !attempts.is_over()) || attempts.wait().await {
            progress.to_send = hopeful.iter().map(|(at, _)| *at).collect();
            progress.to_send.sort_unstable();
            if let Some((_, failure)) = hopeful.into_iter().next() {
                attempts.remember(failure);
            }
        } else {
            for (at, failure) in hopeful {
                progress.set(at, Err(attempts.gave_up(failure)));
            }
        }
        Ok(())
    }

    async fn send_operations(
        self: &Arc<Self>,
        table: &TableName,
        work: &Arc<Work>,
        to_send: &[usize],
        attempts: &Attempts,
    ) -> Vec<Answer> {
        let mut answers = Vec::with_capacity(to_send.len());
        let groups = self.place_operations(table, work, to_send, attempts, &mut answers).await;
        let timeout = attempts.call_timeout(self.options().call_timeout);
        let mut servers = JoinSet::new();
        for (_, plans) in groups {
            servers.spawn(Arc::clone(self).send_plans(Arc::clone(work), plans, timeout));
        }
        while let Some(of_server) = servers.join_next().await {
            answers.extend(of_server.unwrap_or_default());
        }
        answers
    }

    /// The requests for each server and lane. An operation that cannot be placed is answered with the reason.
    async fn place_operations(
        &self,
        table: &TableName,
        work: &Work,
        to_send: &[usize],
        attempts: &Attempts,
        answers: &mut Vec<Answer>,
    ) -> BTreeMap<(Option<HostPort>, usize), Vec<Plan>> {
        let mut servers: BTreeMap<(Option<HostPort>, usize), Vec<Plan>> = BTreeMap::new();
        let mut conditional: BTreeMap<Option<HostPort>, usize> = BTreeMap::new();
        let mut last: Option<Arc<RegionLocation>> = None;
        let mut lost: Option<Arc<HBaseError>> = None;
        for &at in to_send {
            let Some(operation) = work.operations.get(at) else { continue };
            let bytes = match operation_bytes(operation) {
                Ok(bytes) => bytes,
                Err(too_large) => {
                    answers.push((at, Err(too_large)));
                    continue;
                }
            };
            // After one failed look-up the others of this attempt would fail alike, each after its own wait.
            if let Some(failure) = &lost {
                answers.push((at, Err(HBaseError::Shared(Arc::clone(failure)))));
                continue;
            }
            let place = RegionPlace::At(operation.row().to_vec());
            let region = match last.take().filter(|region| place.is_in(region)) {
                Some(region) => Ok(region),
                None => attempts.bound(self.locate(table, &place)).await,
            };
            match region {
                Ok(region) => {
                    let lane = if request::is_atomic(operation) {
                        let nth = conditional.entry(region.server.clone()).or_default();
                        *nth += 1;
                        1 + (*nth - 1) / IN_LANE % LANES
                    } else {
                        0
                    };
                    let plans = servers.entry((region.server.clone(), lane)).or_default();
                    Plan::add_to(plans, &region, at, bytes);
                    last = Some(region);
                }
                Err(failure @ HBaseError::Rule(_)) => answers.push((at, Err(failure))),
                Err(failure) => {
                    let failure = Arc::new(failure);
                    answers.push((at, Err(HBaseError::Shared(Arc::clone(&failure)))));
                    lost = Some(failure);
                }
            }
        }
        servers
    }

    /// Sends one request after another; after a request that failed as a whole the others are not tried.
    async fn send_plans(
        self: Arc<Self>,
        work: Arc<Work>,
        plans: Vec<Plan>,
        timeout: Duration,
    ) -> Vec<Answer> {
        let mut answers = Vec::new();
        let mut broken: Option<Arc<HBaseError>> = None;
        for plan in plans {
            let failure = match &broken {
                Some(failure) => Arc::clone(failure),
                None => {
                    let chunk = request::encode(&plan, &work, self.nonce_group());
                    match self.send_request(&work, chunk, timeout, &mut answers).await {
                        Ok(()) => continue,
                        Err(failure) => {
                            plan.regions.iter().for_each(|(region, _)| self.note_failure(region, &failure));
                            Arc::new(failure)
                        }
                    }
                }
            };
            answers.extend(plan.items().map(|at| (at, Err(HBaseError::Shared(Arc::clone(&failure))))));
            broken = Some(failure);
        }
        answers
    }

    async fn send_request(
        &self,
        work: &Work,
        chunk: Chunk,
        timeout: Duration,
        answers: &mut Vec<Answer>,
    ) -> Result<(), HBaseError> {
        let Some(first_region) = chunk.actions.first().map(|action| Arc::clone(&action.region)) else {
            return Ok(());
        };
        let connection = self.connection_to(&first_region).await?;
        let call = Call::new("Multi", &chunk.request, timeout).region(&first_region.name).cells(chunk.cells);
        let (answer, cells) = connection.call::<MultiResponse>(call).await?;
        let collected = response::collect(connection.server(), work, &chunk.actions, answer, &cells)?;
        for (region, (at, answer)) in collected {
            if let Err(failure) = &answer {
                self.note_failure(&region, failure);
            }
            answers.push((at, answer));
        }
        Ok(())
    }
}

/// The bytes of an operation on the wire.
pub(crate) fn operation_bytes(operation: &Operation) -> Result<usize, HBaseError> {
    require_size(operation.row(), mutation::wire_len(operation))
}

fn asks_for_nothing(operation: &Operation) -> bool {
    matches!(operation, Operation::Get(get) if wire_columns(&get.columns).is_none())
}

impl Progress {
    fn set(&mut self, at: usize, result: Result<Outcome, HBaseError>) {
        if let Some(place) = self.results.get_mut(at) {
            *place = Some(result);
        }
    }
}

//! Decodes the response of a `Multi` request: one result per operation.
//!
//! Region actions are answered in their order. Within one, answers carry the number of their action and may come in any
//! order; cells in the cell block follow the order of the answers. An operation without an answer has failed.

use std::collections::BTreeMap;
use std::sync::Arc;

use rowkey_store::{Operation, Outcome};

use super::request::Sent;
use super::{Answer, Work};
use crate::error::HBaseError;
use crate::regions::RegionLocation;
use crate::registry::url::HostPort;
use crate::remote::RemoteException;
use crate::request::results;
use crate::wire::cell_block::CellReader;
use crate::wire::messages::common::NameBytesPair;
use crate::wire::messages::multi::{MultiResponse, RegionActionResult};

const ROLE: &str = "an HBase region server";

/// Every operation of a request with its result, and the region that it was sent to.
pub(super) fn collect(
    server: &HostPort,
    work: &Work,
    actions: &[Sent],
    answer: MultiResponse,
    cells: &[u8],
) -> Result<Vec<(Arc<RegionLocation>, Answer)>, HBaseError> {
    if answer.region_action_result.len() != actions.len() {
        let what = format!("{} answers for {} actions", answer.region_action_result.len(), actions.len());
        return Err(HBaseError::protocol(server, ROLE, what));
    }
    let mut reader = Reader { server, work, cells: CellReader::new(cells), collected: Vec::new() };
    for (sent, result) in actions.iter().zip(answer.region_action_result) {
        reader.action(sent, result)?;
    }
    Ok(reader.collected)
}

struct Reader<'a> {
    server: &'a HostPort,
    work: &'a Work,
    cells: CellReader<'a>,
    collected: Vec<(Arc<RegionLocation>, Answer)>,
}

impl Reader<'_> {
    fn action(&mut self, sent: &Sent, result: RegionActionResult) -> Result<(), HBaseError> {
        if let Some(exception) = result.exception {
            for &at in &sent.items {
                self.fail(sent, at, exception.clone());
            }
            return Ok(());
        }
        let operation = sent.items.first().and_then(|&at| self.work.operations.get(at));
        let atomic = matches!(operation, Some(Operation::MutateRow(_) | Operation::CheckAndMutate(_)));
        if atomic {
            return self.atomic(sent, result);
        }
        let mut unanswered: BTreeMap<usize, usize> = sent.items.iter().copied().enumerate().collect();
        for answer in result.result_or_exception {
            let number = answer.index.map_or(usize::MAX, |index| index as usize);
            let Some(at) = unanswered.remove(&number) else { continue };
            match (answer.exception, answer.result) {
                (Some(exception), _) => self.fail(sent, at, exception),
                (None, result) => {
                    let mut outcome = Outcome::default();
                    if let Some(result) = result {
                        self.add_row(at, &result, &mut outcome)?;
                    }
                    self.collected.push((Arc::clone(&sent.region), (at, Ok(outcome))));
                }
            }
        }
        for at in unanswered.into_values() {
            self.fail(sent, at, no_answer());
        }
        Ok(())
    }

    /// The results of all mutations of the row stand in the first answer.
    fn atomic(&mut self, sent: &Sent, result: RegionActionResult) -> Result<(), HBaseError> {
        let Some(&at) = sent.items.first() else { return Ok(()) };
        let conditional = matches!(self.work.operations.get(at), Some(Operation::CheckAndMutate(_)));
        let mut outcome = Outcome::default();
        if conditional {
            let Some(processed) = result.processed else {
                self.fail(sent, at, no_answer());
                return Ok(());
            };
            outcome.matched = Some(processed);
        }
        for answer in result.result_or_exception {
            if let Some(exception) = answer.exception {
                self.fail(sent, at, exception);
                return Ok(());
            }
            if let Some(result) = answer.result {
                self.add_row(at, &result, &mut outcome)?;
            }
        }
        self.collected.push((Arc::clone(&sent.region), (at, Ok(outcome))));
        Ok(())
    }

    fn add_row(
        &mut self,
        at: usize,
        result: &crate::wire::messages::client::ResultProto,
        outcome: &mut Outcome,
    ) -> Result<(), HBaseError> {
        let row = self.work.operations.get(at).map(Operation::row).unwrap_or_default();
        let added = results::add_row(row, result, &mut self.cells, &mut outcome.rows);
        added.map(drop).map_err(|error| HBaseError::protocol(self.server, ROLE, error))
    }

    fn fail(&mut self, sent: &Sent, at: usize, exception: NameBytesPair) {
        let exception = RemoteException::from(exception);
        let failure = HBaseError::remote(self.server, Some(&sent.region.name), exception);
        self.collected.push((Arc::clone(&sent.region), (at, Err(failure))));
    }
}

fn no_answer() -> NameBytesPair {
    NameBytesPair { name: "no answer for one of the operations".to_owned(), value: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::messages::client::ResultProto;
    use crate::wire::messages::multi::ResultOrException;
    use rowkey_store::Get;

    #[test]
    fn every_operation_is_answered_or_failed() {
        let server = HostPort { host: "h".to_owned(), port: 1 };
        let region = Arc::new(RegionLocation {
            table: "t".parse().unwrap(),
            name: b"t,,1.a.".to_vec(),
            start: Vec::new(),
            end: Vec::new(),
            server: None,
        });
        let operations: Vec<Operation> = (0..5).map(|at| Get::new([b'a' + at]).into()).collect();
        let work = Work { nonces: vec![0; 5], operations };
        let actions = [
            Sent { region: Arc::clone(&region), items: vec![2, 0, 1] },
            Sent { region: Arc::clone(&region), items: vec![3, 4] },
        ];
        let mut block = Vec::new();
        for row in [b"a", b"c"] {
            let cell = crate::wire::cell_block::Cell {
                row,
                family: b"d",
                qualifier: b"",
                timestamp: 1,
                kind: 4,
                value: row,
            };
            crate::wire::cell_block::encode(&cell, &mut block);
        }
        let exception = || NameBytesPair { name: "x.NotServingRegionException".to_owned(), value: None };
        let row = || ResultProto { associated_cell_count: Some(1), ..Default::default() };
        let answer = |index| ResultOrException { index: Some(index), result: Some(row()), exception: None };
        let response = MultiResponse {
            region_action_result: vec![
                RegionActionResult { result_or_exception: vec![answer(1), answer(0)], ..Default::default() },
                RegionActionResult { exception: Some(exception()), ..Default::default() },
            ],
        };
        let collected = collect(&server, &work, &actions, response, &block).unwrap();
        let mut seen: Vec<(usize, String)> = collected
            .into_iter()
            .map(|(_, (at, answer))| {
                (at, answer.map_or("failed".to_owned(), |outcome| format!("{:?}", outcome.rows)))
            })
            .collect();
        seen.sort();
        let seen: Vec<&str> = seen.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(seen, ["[a [d:@1=a]]", "failed", "[c [d:@1=c]]", "failed", "failed"]);

        let short = MultiResponse { region_action_result: vec![] };
        assert!(collect(&server, &work, &actions, short, &[]).is_err());
    }
}

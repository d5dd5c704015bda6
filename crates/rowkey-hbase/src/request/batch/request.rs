//! Encodes operations as a `Multi` request.
//!
//! A request has a list of region actions. Gets and single mutations of a region share one; a change of a row by
//! several mutations, or under a condition, is one of its own. Cells are matched to mutations by their order alone, so
//! they are written in the order of the actions.

use std::sync::Arc;

use bytes::Bytes;
use rowkey_store::{Get, Mutation, Operation};

use super::Work;
use crate::regions::RegionLocation;
use crate::request::get;
use crate::request::mutation;
use crate::request::plan::Plan;
use crate::wire::messages::common::RegionSpecifier;
use crate::wire::messages::multi::{Action, Condition, MultiRequest, RegionAction};

/// One region action and the operations in it, by their index.
#[derive(Debug)]
pub(super) struct Sent {
    pub(super) region: Arc<RegionLocation>,
    pub(super) items: Vec<usize>,
}

/// One request to one server.
#[derive(Debug)]
pub(super) struct Chunk {
    pub(super) actions: Vec<Sent>,
    pub(super) request: MultiRequest,
    pub(super) cells: Bytes,
}

/// Whether an operation has a region action of its own.
pub(super) fn is_atomic(operation: &Operation) -> bool {
    matches!(operation, Operation::MutateRow(_) | Operation::CheckAndMutate(_))
}

/// A region's gets and single mutations in one action, each of its other operations in one of its own.
pub(super) fn encode(plan: &Plan, work: &Work, nonce_group: u64) -> Chunk {
    let mut writer = Writer { work, block: Vec::with_capacity(plan.bytes) };
    let (mut actions, mut region_action) = (Vec::new(), Vec::new());
    for (region, items) in &plan.regions {
        let (atomic, plain): (Vec<usize>, Vec<usize>) =
            items.iter().partition(|at| work.operations.get(**at).is_some_and(is_atomic));
        let mut push = |items: Vec<usize>, action: RegionAction| {
            actions.push(Sent { region: Arc::clone(region), items });
            region_action.push(action);
        };
        if !plain.is_empty() {
            let action = writer.plain(region, &plain);
            push(plain, action);
        }
        for at in atomic {
            push(vec![at], writer.atomic(region, at));
        }
    }
    let request = MultiRequest { region_action, nonce_group: Some(nonce_group) };
    Chunk { actions, request, cells: writer.block.into() }
}

struct Writer<'a> {
    work: &'a Work,
    block: Vec<u8>,
}

impl Writer<'_> {
    fn plain(&mut self, region: &RegionLocation, items: &[usize]) -> RegionAction {
        let mut action = Vec::with_capacity(items.len());
        for (number, &at) in items.iter().enumerate() {
            let index = u32::try_from(number).ok();
            match self.work.operations.get(at) {
                Some(Operation::Mutate(mutation)) => action.push(self.mutation(index, mutation, at)),
                Some(Operation::Get(get)) => action.push(read(index, get)),
                _ => {}
            }
        }
        RegionAction { region: RegionSpecifier::named(&region.name), action, ..Default::default() }
    }

    fn atomic(&mut self, region: &RegionLocation, at: usize) -> RegionAction {
        let (condition, mutations): (Option<Condition>, &[Mutation]) = match self.work.operations.get(at) {
            Some(Operation::MutateRow(row)) => (None, &row.mutations),
            Some(Operation::CheckAndMutate(check)) => (Some(mutation::condition(check)), &check.mutations),
            _ => (None, &[]),
        };
        let mut action = Vec::with_capacity(mutations.len());
        for (number, mutation) in mutations.iter().enumerate() {
            action.push(self.mutation(u32::try_from(number).ok(), mutation, at));
        }
        RegionAction {
            region: RegionSpecifier::named(&region.name),
            // With a single mutation the condition alone makes it atomic.
            atomic: (condition.is_none() || mutations.len() > 1).then_some(true),
            action,
            condition,
        }
    }

    fn mutation(&mut self, index: Option<u32>, mutation: &Mutation, at: usize) -> Action {
        let nonce = self.work.nonces.get(at).copied().unwrap_or(0);
        Action { index, mutation: Some(mutation::encode(mutation, nonce, &mut self.block)), get: None }
    }
}

fn read(index: Option<u32>, wanted: &Get) -> Action {
    // Columns of no family at all were sorted out before.
    Action { index, mutation: None, get: Some(get::to_wire(wanted)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rowkey_store::Condition as Expected;
    use rowkey_store::{CheckAndMutate, Delete, Increment, Put, RowMutations};

    fn region(name: &str) -> Arc<RegionLocation> {
        Arc::new(RegionLocation {
            table: "t".parse().unwrap(),
            name: name.as_bytes().to_vec(),
            start: Vec::new(),
            end: Vec::new(),
            server: None,
        })
    }

    #[test]
    fn atomic_operations_have_region_actions_of_their_own() {
        let put = |row: &str| Put::new(row).cell_at("d", "q", 1, "v");
        let absent = Expected::Absent { family: b"d".to_vec(), qualifier: b"q".to_vec() };
        let row =
            RowMutations { row: b"c".to_vec(), mutations: vec![put("c").into(), Delete::row("c").into()] };
        let operations = vec![
            put("a").into(),
            row.into(),
            Get::new("b").into(),
            CheckAndMutate::new(absent, put("d")).into(),
            Increment::new("z").add("d", "n", 1).into(),
        ];
        let work = Work { nonces: vec![1, 2, 3, 4, 5], operations };
        let (low, high) = (region("low"), region("high"));
        let mut plan = Plan::default();
        for (at, operation) in work.operations.iter().enumerate() {
            let region = if at == 4 { &high } else { &low };
            plan.add(region, at, mutation::wire_len(operation));
        }
        let chunk = encode(&plan, &work, 9);
        let items: Vec<Vec<usize>> = chunk.actions.iter().map(|sent| sent.items.clone()).collect();
        assert_eq!(items, [vec![0, 2], vec![1], vec![3], vec![4]]);
        let atomic: Vec<_> = chunk
            .request
            .region_action
            .iter()
            .map(|action| (action.atomic, action.condition.is_some()))
            .collect();
        assert_eq!(atomic, [(None, false), (Some(true), false), (None, true), (None, false)]);
        assert_eq!(plan.items().collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
        let mut reader = crate::wire::cell_block::CellReader::new(&chunk.cells);
        for row in ["a", "c", "d", "z"] {
            assert_eq!(reader.next_cell().unwrap().row, row.as_bytes());
        }
    }
}

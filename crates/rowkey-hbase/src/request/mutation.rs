//! Mutations of one row on the wire.
//!
//! A mutation is a short message, with its cells in the cell block. A delete of the whole row has no cells: the server makes one
//! marker for each family it knows. Increments and appends carry a nonce, by which a server that sees one again
//! knows that it is done.

use rowkey_store::filter::{Comparator, CompareOp, Filter, SingleColumn};
use rowkey_store::{
    Append, CellKind, CheckAndMutate, Condition, Delete, Deletion, Increment, LATEST_TIMESTAMP, Mutation,
    Operation, Put, RowMutations,
};

use crate::request::filter;
use crate::wire::cell_block::{self, Cell};
use crate::wire::messages::common::TimeRange;
use crate::wire::messages::multi::{self, MutationProto};

/// Adds a mutation's cells to `block` and returns its message.
pub(crate) fn encode(mutation: &Mutation, nonce: u64, block: &mut Vec<u8>) -> MutationProto {
    let count = visit_cells(mutation, |cell| cell_block::encode(&cell, block));
    let mut message =
        MutationProto { associated_cell_count: i32::try_from(count).ok(), ..Default::default() };
    message.mutate_type = Some(match mutation {
        Mutation::Put(_) => MutationProto::PUT,
        Mutation::Delete(delete) => {
            message.row = Some(delete.row.clone());
            message.timestamp =
                u64::try_from(delete.timestamp).ok().filter(|_| delete.timestamp != LATEST_TIMESTAMP);
            MutationProto::DELETE
        }
        Mutation::Increment(increment) => {
            message.nonce = Some(nonce);
            message.time_range = TimeRange::from_store(increment.time_range);
            MutationProto::INCREMENT
        }
        Mutation::Append(append) => {
            message.nonce = Some(nonce);
            message.time_range = TimeRange::from_store(append.time_range);
            MutationProto::APPEND
        }
    });
    message
}

/// The bytes of an operation on the wire, roughly.
pub(crate) fn wire_len(operation: &Operation) -> usize {
    let of = |mutation: &Mutation| {
        let mut bytes = mutation.row().len() + 24;
        visit_cells(mutation, |cell| bytes += cell_block::encoded_len(&cell));
        bytes
    };
    let mutations =
        |row: &[u8], mutations: &[Mutation]| row.len() + 64 + mutations.iter().map(of).sum::<usize>();
    match operation {
        Operation::Get(get) => get.row.len() + 64,
        Operation::Mutate(mutation) => of(mutation),
        Operation::MutateRow(RowMutations { row, mutations: all }) => mutations(row, all),
        Operation::CheckAndMutate(check) => mutations(&check.row, &check.mutations),
    }
}

/// Shows every cell of a mutation, and says how many there are.
fn visit_cells(mutation: &Mutation, mut visit: impl FnMut(Cell<'_>)) -> usize {
    let put = CellKind::Put.code();
    match mutation {
        Mutation::Put(Put { row, cells }) => {
            for cell in cells {
                visit(Cell {
                    row,
                    family: &cell.family,
                    qualifier: &cell.qualifier,
                    timestamp: cell.timestamp,
                    kind: put,
                    value: &cell.value,
                });
            }
            cells.len()
        }
        Mutation::Delete(Delete { row, deletions, .. }) => {
            for deletion in deletions {
                let (kind, qualifier): (_, &[u8]) = match deletion {
                    Deletion::Family { .. } => (CellKind::DeleteFamily, &[]),
                    Deletion::FamilyVersion { .. } => (CellKind::DeleteFamilyVersion, &[]),
                    Deletion::Column { qualifier, .. } => (CellKind::DeleteColumn, qualifier),
                    Deletion::Version { qualifier, .. } => (CellKind::Delete, qualifier),
                };
                let (family, timestamp) = (deletion.family(), deletion.timestamp());
                visit(Cell { row, family, qualifier, timestamp, kind: kind.code(), value: &[] });
            }
            deletions.len()
        }
        Mutation::Increment(Increment { row, amounts, timestamp, .. }) => {
            for (family, qualifier, amount) in amounts {
                let value = &amount.to_be_bytes();
                visit(Cell { row, family, qualifier, timestamp: *timestamp, kind: put, value });
            }
            amounts.len()
        }
        Mutation::Append(Append { row, values, timestamp, .. }) => {
            for (family, qualifier, value) in values {
                visit(Cell { row, family, qualifier, timestamp: *timestamp, kind: put, value });
            }
            values.len()
        }
    }
}

/// What a check-and-mutate expects, as a server reads it.
///
/// HBase compares a column only with bytes: of any other comparator a server takes the bytes and compares those. So
/// other comparators go as a filter on the column, with the operator turned round, because in a filter the cell stands on
/// the left.
pub(crate) fn condition(check: &CheckAndMutate) -> multi::Condition {
    let time_range = TimeRange::from_store(check.time_range);
    let mut wire = multi::Condition { row: check.row.clone(), time_range, ..Default::default() };
    let mut compare = |family: &[u8], qualifier: &[u8], op, value: &[u8]| {
        wire.family = Some(family.to_vec());
        wire.qualifier = Some(qualifier.to_vec());
        wire.compare_type = Some(filter::compare_op(op));
        wire.comparator = Some(filter::comparator_to_wire(&Comparator::Binary(value.to_vec())));
    };
    match &check.condition {
        Condition::Absent { family, qualifier } => compare(family, qualifier, CompareOp::Equal, &[]),
        Condition::Value { family, qualifier, op, comparator: Comparator::Binary(value) } => {
            compare(family, qualifier, *op, value);
        }
        // Without bytes it asks whether there is a value, as HBase has it.
        Condition::Value { family, qualifier, op, comparator: Comparator::Null } => {
            compare(family, qualifier, *op, &[]);
        }
        Condition::Value { family, qualifier, op, comparator } => {
            let column = SingleColumn {
                filter_if_missing: true,
                ..SingleColumn::new(family.clone(), qualifier.clone(), turned_round(*op), comparator.clone())
            };
            wire.filter = Some(filter::to_wire(&Filter::SingleColumnValue(column)));
        }
        Condition::Filter(condition) => wire.filter = Some(filter::to_wire(condition)),
    }
    wire
}

fn turned_round(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Less => CompareOp::Greater,
        CompareOp::LessOrEqual => CompareOp::GreaterOrEqual,
        CompareOp::GreaterOrEqual => CompareOp::LessOrEqual,
        CompareOp::Greater => CompareOp::Less,
        CompareOp::Equal | CompareOp::NotEqual | CompareOp::NoOp => op,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::cell_block::CellReader;

    fn cells(mutation: impl Into<Mutation>) -> (MutationProto, Vec<String>) {
        let mut block = Vec::new();
        let message = encode(&mutation.into(), 7, &mut block);
        let mut reader = CellReader::new(&block);
        let count = message.associated_cell_count.unwrap();
        let cells = (0..count).map(|_| {
            let cell = reader.next_cell().unwrap();
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            format!(
                "{}:{}@{}/{}={}",
                text(cell.family),
                text(cell.qualifier),
                cell.timestamp,
                cell.kind,
                text(cell.value)
            )
        });
        (message.clone(), cells.collect())
    }

    #[test]
    fn each_deletion_is_a_marker() {
        let delete = Delete::row("r")
            .family_at("d", 5)
            .family_version("d", 6)
            .column_at("d", "q", 7)
            .version("d", "q", 8);
        let (message, cells) = cells(delete);
        assert_eq!(cells, ["d:@5/14=", "d:@6/10=", "d:q@7/12=", "d:q@8/8="]);
        assert_eq!(message.mutate_type, Some(MutationProto::DELETE));
    }

    #[test]
    fn a_whole_row_is_deleted_without_cells() {
        let (message, none) = cells(Delete::row_at("r", 9));
        assert!(none.is_empty());
        assert_eq!((message.row.as_deref(), message.timestamp), (Some(&b"r"[..]), Some(9)));
        assert_eq!(cells(Delete::row("r")).0.timestamp, None);
    }

    #[test]
    fn increments_and_appends_carry_a_nonce() {
        let (message, cells_of) = cells(Increment::new("r").add("d", "n", 1));
        assert_eq!((message.nonce, cells_of.len()), (Some(7), 1));
        assert_eq!(cells(Append::new("r").add("d", "n", "x")).0.nonce, Some(7));
        assert_eq!(
            cells(Put::new("r").cell_at("d", "q", 3, "v")),
            (cells(Put::new("r").cell_at("d", "q", 3, "v")).0, vec!["d:q@3/4=v".to_owned()])
        );
    }
}

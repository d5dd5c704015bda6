//! A row as the result of a get or a mutation.
//!
//! Its cells stand in the cell block, counted in the message, or, where a server changed a row atomically, in the
//! message itself.

use rowkey_store::{CellKind, CellView, RowBatch};

use crate::wire::cell_block::{CellBlockError, CellReader};
use crate::wire::messages::client::ResultProto;

/// Adds a row to the end of `into`, if it has cells; `false` otherwise. After an error `into` is as it was.
pub(crate) fn add_row(
    row: &[u8],
    result: &ResultProto,
    cells: &mut CellReader<'_>,
    into: &mut RowBatch,
) -> Result<bool, CellBlockError> {
    let count = result.associated_cell_count.unwrap_or(0).max(0);
    if count == 0 && result.cell.is_empty() {
        return Ok(false);
    }
    into.begin_row(row);
    let added = (|| {
        for cell in &result.cell {
            let bytes = |part: &Option<Vec<u8>>| part.clone().unwrap_or_default();
            let (family, qualifier, value) =
                (bytes(&cell.family), bytes(&cell.qualifier), bytes(&cell.value));
            let code = cell.cell_type.and_then(|code| u8::try_from(code).ok());
            into.push_cell(CellView {
                family: &family,
                qualifier: &qualifier,
                timestamp: cell.timestamp.and_then(|time| i64::try_from(time).ok()).unwrap_or(0),
                kind: code.and_then(CellKind::from_code).unwrap_or(CellKind::Put),
                value: &value,
            });
        }
        for _ in 0..count {
            let cell = cells.next_cell()?;
            into.push_cell(cell.view()?);
        }
        Ok(true)
    })();
    if added.is_err() {
        into.pop_row();
    }
    added
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::cell_block::{Cell, encode};
    use crate::wire::messages::client::CellProto;

    #[test]
    fn cells_come_from_the_block_or_from_the_message() {
        let mut block = Vec::new();
        encode(
            &Cell { row: b"r", family: b"d", qualifier: b"q", timestamp: 1, kind: 4, value: b"v" },
            &mut block,
        );
        let mut reader = CellReader::new(&block);
        let mut batch = RowBatch::new();
        let counted = ResultProto { associated_cell_count: Some(1), ..Default::default() };
        assert!(add_row(b"r", &counted, &mut reader, &mut batch).unwrap());
        let inline = CellProto {
            family: Some(b"d".to_vec()),
            qualifier: Some(b"n".to_vec()),
            timestamp: Some(5),
            cell_type: Some(4),
            value: Some(b"w".to_vec()),
        };
        let inline = ResultProto { cell: vec![inline], ..Default::default() };
        assert!(add_row(b"s", &inline, &mut reader, &mut batch).unwrap());
        assert!(!add_row(b"t", &ResultProto::default(), &mut reader, &mut batch).unwrap());
        assert!(add_row(b"u", &counted, &mut reader, &mut batch).is_err(), "the block is used up");
        assert_eq!(format!("{batch:?}"), "[r [d:q@1=v], s [d:n@5=w]]");
    }
}

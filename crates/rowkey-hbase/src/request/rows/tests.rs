use super::*;
use crate::wire::cell_block::{PUT, encode};

/// An answer of pieces: row, the first of its cells, number of cells, whether the row may go on.
fn answer(pieces: &[(&str, u8, u32, bool)]) -> (ScanResponse, Vec<u8>) {
    let mut block = Vec::new();
    for &(row, first, count, _) in pieces {
        for at in 0..count {
            let qualifier = [first + u8::try_from(at).unwrap()];
            let cell = Cell {
                row: row.as_bytes(),
                family: b"d",
                qualifier: &qualifier,
                timestamp: 1,
                kind: PUT,
                value: b"",
            };
            encode(&cell, &mut block);
        }
    }
    let response = ScanResponse {
        cells_per_result: pieces.iter().map(|piece| piece.2).collect(),
        partial_flag_per_result: pieces.iter().map(|piece| piece.3).collect(),
        ..ScanResponse::default()
    };
    (response, block)
}

fn add(rows: &mut Rows, pieces: &[(&str, u8, u32, bool)]) -> Vec<(String, usize)> {
    let (response, block) = answer(pieces);
    rows.add(&response, &block).unwrap();
    taken(rows.take(usize::MAX, RowBatch::new()))
}

fn taken(batch: RowBatch) -> Vec<(String, usize)> {
    batch.rows().map(|row| (String::from_utf8_lossy(row.key()).into_owned(), row.cells().len())).collect()
}

fn row(key: &str, cells: usize) -> (String, usize) {
    (key.to_owned(), cells)
}

#[test]
fn pieces_of_a_row_become_one_row() {
    let mut rows = Rows::whole();
    assert_eq!(add(&mut rows, &[("a", 0, 2, false), ("b", 0, 1, true)]), [row("a", 2)]);
    assert_eq!((rows.completed(), rows.place()), (1, Some(RowsPlace::After(b"a"))));
    assert_eq!(add(&mut rows, &[("b", 1, 3, true)]), []);
    assert_eq!(add(&mut rows, &[]), [], "a heartbeat changes nothing");
    assert_eq!(add(&mut rows, &[("b", 4, 1, false), ("c", 0, 1, false)]), [row("b", 5), row("c", 1)]);
    assert_eq!((rows.completed(), rows.place()), (2, Some(RowsPlace::After(b"c"))));
}

#[test]
fn a_row_that_might_have_gone_on_ends_with_the_next_row_or_the_region() {
    let mut rows = Rows::whole();
    assert_eq!(add(&mut rows, &[("a", 0, 1, true)]), []);
    assert_eq!(add(&mut rows, &[("b", 0, 1, true)]), [row("a", 1)]);
    rows.close_row();
    assert_eq!(taken(rows.take(usize::MAX, RowBatch::new())), [row("b", 1)]);
    assert_eq!(rows.completed(), 2);
}

#[test]
fn after_a_failure_the_open_row_is_read_again() {
    let mut rows = Rows::whole();
    assert_eq!(add(&mut rows, &[("a", 0, 1, false), ("b", 0, 4, true)]), [row("a", 1)]);
    rows.start_again();
    assert_eq!(rows.place(), Some(RowsPlace::After(b"a")));
    assert_eq!(add(&mut rows, &[("b", 0, 6, false)]), [row("b", 6)]);
}

#[test]
fn a_broken_block_leaves_only_whole_rows() {
    let mut rows = Rows::whole();
    let (response, block) = answer(&[("a", 0, 1, false), ("b", 0, 2, false), ("c", 0, 1, false)]);
    let length = block.len();
    assert!(rows.add(&response, &block[..length / 2]).is_err());
    assert_eq!(taken(rows.take(usize::MAX, RowBatch::new())), [row("a", 1)]);
}

#[test]
fn a_limit_cuts_the_rows() {
    let mut rows = Rows::whole();
    let (response, block) = answer(&[("a", 0, 1, false), ("b", 0, 1, false), ("c", 0, 1, true)]);
    rows.add(&response, &block).unwrap();
    assert_eq!(taken(rows.take(1, RowBatch::new())), [row("a", 1)]);
    assert_eq!(rows.completed(), 1);
}

#[test]
fn pieces_have_as_many_cells_as_asked_for() {
    let mut rows = Rows::in_pieces(2);
    // The server cut the second piece of `a` in two, because an answer was full.
    assert_eq!(add(&mut rows, &[("a", 0, 2, true), ("a", 2, 1, true)]), [row("a", 2)]);
    assert_eq!((rows.completed(), rows.place()), (0, Some(RowsPlace::Within(b"a"))));
    assert_eq!(add(&mut rows, &[("a", 3, 1, true)]), [row("a", 2)]);
    assert_eq!(add(&mut rows, &[("a", 4, 1, false), ("b", 0, 2, true)]), [row("a", 1), row("b", 2)]);
    assert_eq!((rows.completed(), rows.place()), (1, Some(RowsPlace::Within(b"b"))));
    rows.close_row();
    assert_eq!(taken(rows.take(usize::MAX, RowBatch::new())), []);
    assert_eq!((rows.completed(), rows.place()), (1, Some(RowsPlace::After(b"b"))));
}

#[test]
fn after_a_failure_within_a_row_its_given_cells_are_passed_over() {
    let mut rows = Rows::in_pieces(2);
    assert_eq!(add(&mut rows, &[("a", 0, 2, true), ("a", 2, 1, true)]), [row("a", 2)]);
    rows.start_again();
    assert_eq!(rows.place(), Some(RowsPlace::Within(b"a")));
    assert_eq!(
        add(&mut rows, &[("a", 0, 2, true), ("a", 2, 2, true), ("a", 4, 1, false)]),
        [row("a", 2), row("a", 1)]
    );
    assert_eq!((rows.completed(), rows.place()), (1, Some(RowsPlace::After(b"a"))));
}

#[test]
fn a_row_that_ended_where_a_failure_was_is_complete() {
    let mut rows = Rows::in_pieces(2);
    assert_eq!(add(&mut rows, &[("a", 0, 2, true)]), [row("a", 2)]);
    rows.start_again();
    assert_eq!(add(&mut rows, &[("a", 0, 2, false), ("b", 0, 1, false)]), [row("b", 1)]);
    assert_eq!((rows.completed(), rows.place()), (2, Some(RowsPlace::After(b"b"))));
}

#[test]
fn a_limit_counts_rows_and_not_pieces() {
    let mut rows = Rows::in_pieces(1);
    let (response, block) =
        answer(&[("a", 0, 1, true), ("a", 1, 1, false), ("b", 0, 1, true), ("c", 0, 1, false)]);
    rows.add(&response, &block).unwrap();
    assert_eq!(taken(rows.take(2, RowBatch::new())), [row("a", 1), row("a", 1), row("b", 1)]);
    assert_eq!(rows.completed(), 2);
}

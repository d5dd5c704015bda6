//! An answer as text, so that two can be compared and shown.

use rowkey_store::{CellView, Filter, Outcome, RowBatch, Scan, Store, StoreError, TableName};

/// The clock's times differ between stores, and so only count as later than all others.
const CLOCK: i64 = 1_000_000;

pub(crate) fn rows(batch: &RowBatch) -> String {
    let mut text = String::new();
    for row in batch.rows() {
        text.push_str(&format!("{} [", rowkey_core::escape::escape(row.key())));
        for cell in row.cells() {
            let shown = CellView { timestamp: cell.timestamp.min(CLOCK), ..cell };
            text.push_str(&format!("{shown:?} "));
        }
        text.push_str("]\n");
    }
    text
}

/// Which rule was broken; the words may differ.
fn refusal(error: &StoreError) -> String {
    let text = format!("{error:?}");
    let name = text.split([' ', '{', '(']).next().unwrap_or_default().to_owned();
    if name == "Backend" { text } else { format!("refused: {name}") }
}

pub(crate) fn outcome(outcome: &Result<Outcome, StoreError>) -> String {
    match outcome {
        Ok(outcome) => format!("{:?} {}", outcome.matched, rows(&outcome.rows)),
        Err(error) => refusal(error),
    }
}

pub(crate) fn scan(store: &dyn Store, table: &TableName, scan: &Scan) -> String {
    // Whether HBase finds a row that is shorter than a fuzzy pattern depends on the rows before it.
    let shortest = match &scan.filter {
        Some(Filter::FuzzyRow(keys)) => keys.iter().map(|fuzzy| fuzzy.key.len()).max().unwrap_or(0),
        _ => 0,
    };
    let read = || -> Result<RowBatch, StoreError> {
        let mut scanner = store.scan(table, scan)?;
        let (mut all, mut batch) = (RowBatch::new(), RowBatch::new());
        while scanner.next_batch(&mut batch)? {
            batch.rows().filter(|row| row.key().len() >= shortest).for_each(|row| all.push_row(row));
        }
        Ok(all)
    };
    read().map_or_else(|error| refusal(&error), |batch| rows(&batch))
}

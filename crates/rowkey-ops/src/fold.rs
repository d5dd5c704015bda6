//! Folds several rows with one key into one.
//!
//! Column by column, what was said last counts: a value, or a marker that takes it away. A store does the same for rows that
//! come one after the other, with one exception: a delete marker hides a value of its own time, even one that comes after
//! it. So rows are folded before they are written together.

use rowkey_store::{CellView, RowBatch, RowView};

/// Which cells a later row replaces.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Replaces {
    /// Those of the same column and time, as a store does. A value after a null is possible at one time only, that of the load:
    /// the data does not say it.
    SameTime {
        /// The time of cells that have none of their own.
        load_time: i64,
    },
    /// Those of the same column; of two rows the one with the later time is the later row.
    SameColumn,
}

/// A value after a null at the same time, which no read would see.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Clash {
    pub(crate) row: Vec<u8>,
    pub(crate) family: Vec<u8>,
    pub(crate) qualifier: Vec<u8>,
    pub(crate) time: i64,
}

impl Clash {
    pub(crate) fn new(row: &[u8], cell: &CellView<'_>) -> Self {
        let (family, qualifier) = (cell.family.to_vec(), cell.qualifier.to_vec());
        Self { row: row.to_vec(), family, qualifier, time: cell.timestamp }
    }
}

/// The rows of a batch with every key once; `None` if that is what the batch has.
pub(crate) fn fold(rows: &RowBatch, replaces: Replaces) -> Result<Option<RowBatch>, Clash> {
    let key = |at: &usize| rows.row(*at).map(|row| row.key());
    let time = |at: &usize| match replaces {
        Replaces::SameTime { .. } => None,
        Replaces::SameColumn => rows.row(*at).and_then(|row| row.newest()),
    };
    let mut order: Vec<usize> = (0..rows.len()).collect();
    // Stable, so that of rows with one key and time the last one stays last.
    order.sort_by(|a, b| key(a).cmp(&key(b)).then_with(|| time(a).cmp(&time(b))));
    if order.windows(2).all(|pair| pair.first().and_then(key) != pair.last().and_then(key)) {
        return Ok(None);
    }
    let (mut folder, mut folded) = (Folder::new(replaces), RowBatch::new());
    for row in order.iter().filter_map(|at| rows.row(*at)) {
        folder.add(row, &mut folded)?;
    }
    folder.finish(&mut folded);
    Ok(Some(folded))
}

/// Folds rows that come sorted by their keys.
pub(crate) struct Folder {
    replaces: Replaces,
    /// The last row, or what the last rows with one key come to.
    last: RowBatch,
    spare: RowBatch,
}

impl Folder {
    pub(crate) fn new(replaces: Replaces) -> Self {
        Self { replaces, last: RowBatch::new(), spare: RowBatch::new() }
    }

    /// Takes the next row; rows that are complete go to `out`.
    pub(crate) fn add(&mut self, row: RowView<'_>, out: &mut RowBatch) -> Result<(), Clash> {
        let Some(last) = self.last.row(0).filter(|last| last.key() == row.key()) else {
            self.finish(out);
            self.last.push_row(row);
            return Ok(());
        };
        self.spare.clear();
        self.spare.begin_row(row.key());
        for cell in last.cells() {
            match row.cells().find(|new| self.replaces.same(&cell, new)) {
                None => self.spare.push_cell(cell),
                Some(new) if self.replaces.hides(&cell, &new) => return Err(Clash::new(row.key(), &new)),
                Some(_) => {}
            }
        }
        row.cells().for_each(|cell| self.spare.push_cell(cell));
        std::mem::swap(&mut self.last, &mut self.spare);
        Ok(())
    }

    /// Hands the last row on.
    pub(crate) fn finish(&mut self, out: &mut RowBatch) {
        if let Some(last) = self.last.row(0) {
            out.push_row(last);
        }
        self.last.clear();
    }
}

impl Replaces {
    fn same(self, cell: &CellView<'_>, new: &CellView<'_>) -> bool {
        let column = (cell.family, cell.qualifier) == (new.family, new.qualifier);
        column && (matches!(self, Self::SameColumn) || cell.timestamp == new.timestamp)
    }

    fn hides(self, cell: &CellView<'_>, new: &CellView<'_>) -> bool {
        match self {
            Self::SameTime { load_time } => {
                cell.kind.is_marker() && !new.kind.is_marker() && cell.timestamp != load_time
            }
            Self::SameColumn => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rowkey_store::CellKind;

    /// `key column@time=value`, and `column@time` for a marker; rows are separated by `;`.
    fn batch(text: &str) -> RowBatch {
        let mut batch = RowBatch::new();
        for row in text.split(';') {
            let mut words = row.split_whitespace();
            batch.begin_row(words.next().unwrap().as_bytes());
            for word in words {
                let (place, value) =
                    word.split_once('=').map_or((word, None), |(place, value)| (place, Some(value)));
                let (column, time) = place.split_once('@').unwrap();
                batch.push_cell(CellView {
                    family: b"d",
                    qualifier: column.as_bytes(),
                    timestamp: time.parse().unwrap(),
                    kind: if value.is_some() { CellKind::Put } else { CellKind::DeleteColumn },
                    value: value.unwrap_or_default().as_bytes(),
                });
            }
        }
        batch
    }

    #[test]
    fn what_was_said_last_of_a_column_counts() {
        let at_one_time = Replaces::SameTime { load_time: 1 };
        assert!(fold(&batch("r a@1=x;s a@1=y"), at_one_time).unwrap().is_none());
        let rows = batch("r a@1=x b@1=x;s a@1;r a@1 c@1=z;r a@1=again");
        let folded = fold(&rows, at_one_time).unwrap().unwrap();
        assert_eq!(format!("{folded:?}"), "[r [d:b@1=x, d:c@1=z, d:a@1=again], s [d:a@1/DeleteColumn]]");
        // Other times are other versions.
        let folded = fold(&batch("r a@5=x;r a@7;r a@6=y;r a@5"), at_one_time).unwrap().unwrap();
        assert_eq!(format!("{folded:?}"), "[r [d:a@7/DeleteColumn, d:a@6=y, d:a@5/DeleteColumn]]");
        let clash = fold(&batch("r a@5;r a@5=x"), at_one_time).unwrap_err();
        assert_eq!((clash.qualifier.as_slice(), clash.time), (&b"a"[..], 5));
    }

    #[test]
    fn of_a_column_the_row_with_the_later_time_counts() {
        let folded = fold(&batch("r a@5=x b@5=x;r a@3=old b@3 c@3=z;r b@5"), Replaces::SameColumn);
        assert_eq!(format!("{:?}", folded.unwrap().unwrap()), "[r [d:c@3=z, d:a@5=x, d:b@5/DeleteColumn]]");
    }
}

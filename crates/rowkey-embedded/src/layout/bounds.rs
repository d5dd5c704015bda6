//! The keys of a keyspace between which the rows of a range lie.
//!
//! All cells of a row start with its packed form, and packed forms keep the order of rows, so a range of rows is
//! one range of keys: from the first cell of its first row to the last cell of its last.
//!
//! A bound may be longer than any row (the successor of the longest one, say); it is cut to the longest row key,
//! and takes that row in or leaves it out as the whole bound would.

use std::ops::Bound;

use rowkey_core::range::KeyRange;
use rowkey_store::MAX_ROW_LENGTH;

use super::packed;

/// Keys from the first, inclusive, to the second, exclusive; `None` is unbounded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CellRange {
    pub(crate) start: Option<Vec<u8>>,
    pub(crate) end: Option<Vec<u8>>,
}

impl CellRange {
    /// The cells of the rows in `rows`; `None` if no row can lie there.
    pub(crate) fn of_rows(rows: &KeyRange) -> Option<Self> {
        let start = match &rows.start {
            Bound::Unbounded => None,
            Bound::Included(row) if row.len() <= MAX_ROW_LENGTH => Some(first_cell(row)),
            Bound::Included(row) | Bound::Excluded(row) => Some(past_last_cell(row)),
        };
        let end = match &rows.end {
            Bound::Unbounded => None,
            Bound::Excluded(row) if row.len() <= MAX_ROW_LENGTH => Some(first_cell(row)),
            Bound::Included(row) | Bound::Excluded(row) => Some(past_last_cell(row)),
        };
        let empty = matches!((&start, &end), (Some(start), Some(end)) if start >= end);
        (!empty).then_some(Self { start, end })
    }

    /// The cells whose keys start with `prefix`, the packed form of a row, or of a row and a qualifier.
    pub(crate) fn of_prefix(prefix: &[u8]) -> Self {
        Self { start: Some(prefix.to_vec()), end: Some(past(prefix.to_vec())) }
    }

    /// The same range as the engine takes it.
    pub(crate) fn bounds(&self) -> (Bound<&[u8]>, Bound<&[u8]>) {
        (
            self.start.as_deref().map_or(Bound::Unbounded, Bound::Included),
            self.end.as_deref().map_or(Bound::Unbounded, Bound::Excluded),
        )
    }
}

fn first_cell(row: &[u8]) -> Vec<u8> {
    let mut key = Vec::with_capacity(row.len() + 2);
    packed::encode(row, &mut key);
    key
}

fn past_last_cell(row: &[u8]) -> Vec<u8> {
    past(first_cell(row.get(..MAX_ROW_LENGTH).unwrap_or(row)))
}

/// The first key past all keys that start with a packed form. Its last byte is an END code, below 80.
fn past(mut packed: Vec<u8>) -> Vec<u8> {
    if let Some(last) = packed.last_mut() {
        *last += 1;
    }
    packed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::cell::KeyBuffer;
    use crate::layout::packed::tests::zero_rich;
    use proptest::prelude::*;
    use rowkey_core::range::successor;

    fn bound() -> impl Strategy<Value = Bound<Vec<u8>>> {
        prop_oneof![
            Just(Bound::Unbounded),
            zero_rich().prop_map(Bound::Included),
            zero_rich().prop_map(Bound::Excluded)
        ]
    }

    fn holds(cells: &Option<CellRange>, key: &[u8]) -> bool {
        cells.as_ref().is_some_and(|cells| {
            cells.start.as_ref().is_none_or(|start| start.as_slice() <= key)
                && cells.end.as_ref().is_none_or(|end| key < end.as_slice())
        })
    }

    proptest! {
        #[test]
        fn a_cell_lies_in_the_range_exactly_if_its_row_does(
            start in bound(), end in bound(), row in zero_rich(), qualifier in zero_rich()
        ) {
            let range = KeyRange { start, end };
            let mut key = KeyBuffer::default();
            key.row(&row);
            let key = key.put(&qualifier, 5);
            prop_assert_eq!(holds(&CellRange::of_rows(&range), key), range.contains(&row));
        }
    }

    #[test]
    fn a_bound_longer_than_any_row_is_cut_and_keeps_its_meaning() {
        for filler in [0x00, 0x01, 0xFF] {
            let longest = vec![filler; MAX_ROW_LENGTH];
            let beyond = successor(&longest);
            let mut key = KeyBuffer::default();
            key.row(&longest);
            let key = key.put(b"q", 5);
            type Make = fn(Vec<u8>) -> Bound<Vec<u8>>;
            let kinds: [Make; 2] = [Bound::Included, Bound::Excluded];
            for kind in kinds {
                let from = KeyRange { start: kind(beyond.clone()), end: Bound::Unbounded };
                let to = KeyRange { start: Bound::Unbounded, end: kind(beyond.clone()) };
                assert!(!holds(&CellRange::of_rows(&from), key), "{filler}");
                assert!(holds(&CellRange::of_rows(&to), key), "{filler}");
            }
        }
    }
}

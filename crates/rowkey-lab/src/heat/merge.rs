//! Merges rows of a heat map that are shown together.
//!
//! The coldest neighbours first: a pair is as warm as both together in their hottest column. So what is hot keeps a row of
//! its own as long as there is anything colder to merge.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::HeatRow;

/// At most so many rows, neighbours merged.
pub(super) fn merge(rows: Vec<HeatRow>, most: usize) -> Vec<HeatRow> {
    let mut left = rows.len();
    let mut rows: Vec<Option<HeatRow>> = rows.into_iter().map(Some).collect();
    // The row before and behind each that is still there.
    let mut before: Vec<Option<usize>> = (0..rows.len()).map(|place| place.checked_sub(1)).collect();
    let mut behind: Vec<Option<usize>> =
        (0..rows.len()).map(|place| Some(place + 1).filter(|next| *next < rows.len())).collect();
    let pair = |rows: &[Option<HeatRow>], first: usize, second: usize| {
        let (a, b) = (rows[first].as_ref()?, rows[second].as_ref()?);
        let warmth = a.counts.iter().zip(&b.counts).map(|(a, b)| a + b).max()?;
        Some(Reverse((warmth, first, second)))
    };
    let mut pairs: BinaryHeap<Reverse<(u64, usize, usize)>> =
        (1..rows.len()).filter_map(|place| pair(&rows, place - 1, place)).collect();
    while left > most {
        let Some(coldest) = pairs.pop() else { break };
        let Reverse((_, first, second)) = coldest;
        // One of them was merged with another since.
        if behind[first] != Some(second) || pair(&rows, first, second) != Some(coldest) {
            continue;
        }
        let Some(gone) = rows[second].take() else { continue };
        if let Some(row) = &mut rows[first] {
            row.counts.iter_mut().zip(&gone.counts).for_each(|(sum, count)| *sum += count);
            row.merged += gone.merged;
        }
        left -= 1;
        behind[first] = behind[second];
        if let Some(next) = behind[first] {
            before[next] = Some(first);
            pairs.extend(pair(&rows, first, next));
        }
        pairs.extend(before[first].and_then(|previous| pair(&rows, previous, first)));
    }
    rows.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rows(counts: &[Vec<u64>]) -> Vec<HeatRow> {
        let row = |(place, counts): (usize, &Vec<u64>)| HeatRow {
            label: place.to_string(),
            start: vec![place as u8],
            merged: 1,
            border: false,
            counts: counts.clone(),
        };
        counts.iter().enumerate().map(row).collect()
    }

    #[test]
    fn hot_rows_stay_alone() {
        let mut counts = vec![vec![1, 1, 1]; 100];
        counts[40] = vec![500, 0, 0];
        counts[41] = vec![0, 400, 0];
        let merged = merge(rows(&counts), 10);
        assert_eq!(merged.len(), 10);
        let hot: Vec<(&str, usize)> = merged
            .iter()
            .filter(|row| row.counts.iter().max() > Some(&300))
            .map(|row| (row.label.as_str(), row.merged))
            .collect();
        assert_eq!(hot, [("40", 1), ("41", 1)]);
    }

    proptest! {
        #[test]
        fn nothing_gets_lost(counts in prop::collection::vec(prop::collection::vec(0u64..9, 3), 1..60), most in 1usize..20) {
            let merged = merge(rows(&counts), most);
            prop_assert_eq!(merged.len(), counts.len().min(most));
            prop_assert_eq!(merged.iter().map(|row| row.merged).sum::<usize>(), counts.len());
            for column in 0..3 {
                let before: u64 = counts.iter().map(|row| row[column]).sum();
                prop_assert_eq!(merged.iter().map(|row| row.counts[column]).sum::<u64>(), before);
            }
            prop_assert!(merged.is_sorted_by_key(|row| row.start.clone()));
        }
    }
}

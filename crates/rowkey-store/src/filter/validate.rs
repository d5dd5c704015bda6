//! Refuses filters that cannot be run.

use regex::{Regex, RegexBuilder};

use super::{Comparator, Filter};
use crate::StoreError;

impl Filter {
    /// Refuses what HBase refuses, and regular expressions that only Java understands.
    ///
    /// # Errors
    /// [`StoreError::InvalidFilter`].
    pub fn validate(&self) -> Result<(), StoreError> {
        let refuse = |problem: String| Err(StoreError::InvalidFilter { filter: self.name(), problem });
        match self {
            Self::Row(_, comparator)
            | Self::Family(_, comparator)
            | Self::Qualifier(_, comparator)
            | Self::Value(_, comparator)
            | Self::ColumnValue { comparator, .. } => comparator.validate(),
            Self::SingleColumnValue(column) | Self::SingleColumnValueExclude(column) => {
                column.comparator.validate()
            }
            Self::MultipleColumnPrefix(prefixes) => {
                let mut sorted: Vec<&[u8]> = prefixes.iter().map(Vec::as_slice).collect();
                sorted.sort_unstable();
                match sorted.windows(2).find(|pair| matches!(pair, [a, b] if a == b)) {
                    Some(_) => refuse("has a prefix twice".to_owned()),
                    None => Ok(()),
                }
            }
            Self::Timestamps { timestamps, .. } => match timestamps.iter().find(|time| **time < 0) {
                Some(time) => refuse(format!("has the negative timestamp {time}")),
                None => Ok(()),
            },
            Self::RandomRow(chance) if !(0.0..=1.0).contains(chance) => {
                refuse(format!("has the chance {chance}, and 0 to 1 is possible"))
            }
            Self::FuzzyRow(keys) => match keys.iter().find(|fuzzy| fuzzy.key.len() != fuzzy.any.len()) {
                Some(fuzzy) => refuse(format!(
                    "has a key of {} bytes with a mask of {}; each byte needs its place in the mask",
                    fuzzy.key.len(),
                    fuzzy.any.len()
                )),
                None => Ok(()),
            },
            Self::MultiRowRange(ranges) => {
                if ranges.is_empty() {
                    return refuse("has no range; at least 1 is needed".to_owned());
                }
                match ranges.iter().find(|range| range.is_empty()) {
                    Some(range) => refuse(format!("has the range {range}, in which no key can lie")),
                    None => Ok(()),
                }
            }
            Self::WhileMatch(filter) | Self::Skip(filter) => filter.validate(),
            Self::All(filters) | Self::One(filters) => filters.iter().try_for_each(Self::validate),
            _ => Ok(()),
        }
    }
}

impl Comparator {
    /// Refuses a regular expression that only Java understands.
    ///
    /// # Errors
    /// [`StoreError::InvalidFilter`].
    pub fn validate(&self) -> Result<(), StoreError> {
        match self {
            Self::Regex { pattern, ignore_case } => regex(pattern, *ignore_case).map(drop),
            _ => Ok(()),
        }
    }
}

/// A pattern as HBase uses it: found anywhere, `.` matches line ends.
pub(super) fn regex(pattern: &str, ignore_case: bool) -> Result<Regex, StoreError> {
    let built = RegexBuilder::new(pattern).dot_matches_new_line(true).case_insensitive(ignore_case).build();
    built.map_err(|error| StoreError::InvalidFilter {
        filter: "RegexStringComparator",
        problem: format!("has the pattern `{pattern}`, which is not understood: {error}"),
    })
}

#[cfg(test)]
mod tests {
    use super::super::{CompareOp, FuzzyKey};
    use super::*;
    use rowkey_core::range::KeyRange;

    #[test]
    fn what_cannot_be_is_refused_with_its_facts() {
        let regex = Comparator::Regex { pattern: "(?=a)".to_owned(), ignore_case: false };
        let fuzzy = FuzzyKey { key: b"ab".to_vec(), any: vec![true] };
        for (filter, part) in [
            (Filter::Value(CompareOp::Equal, regex), "(?=a)"),
            (Filter::MultipleColumnPrefix(vec![b"a".to_vec(), b"b".to_vec(), b"a".to_vec()]), "twice"),
            (Filter::Timestamps { timestamps: vec![1, -2], can_hint: false }, "-2"),
            (Filter::RandomRow(1.5), "1.5"),
            (Filter::FuzzyRow(vec![fuzzy]), "2 bytes with a mask of 1"),
            (Filter::MultiRowRange(vec![]), "no range"),
            (
                Filter::MultiRowRange(vec![KeyRange::half_open(Some(b"b".to_vec()), Some(b"a".to_vec()))]),
                "[b, a)",
            ),
        ] {
            for filter in [filter.clone(), Filter::Skip(Box::new(filter.clone())), Filter::One(vec![filter])]
            {
                let message = filter.validate().unwrap_err().to_string();
                assert!(message.contains(part), "{message}");
            }
        }
    }

    #[test]
    fn filters_that_judge_rows_are_found_inside_lists() {
        let cells = Filter::FirstKeyOnly;
        assert_eq!(cells.judge_of_rows(), None);
        assert_eq!(Filter::All(vec![cells.clone(), Filter::Page(1)]).judge_of_rows(), Some("PageFilter"));
        assert_eq!(Filter::Skip(Box::new(cells)).judge_of_rows(), Some("SkipFilter"));
    }
}

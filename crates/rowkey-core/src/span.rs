//! Spans of source text, for messages.

/// A stretch of a source text, in bytes: from `start` up to but not including `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Span {
    /// The offset of the first byte.
    pub start: usize,
    /// The offset one past the last byte; not below `start`.
    pub end: usize,
}

impl Span {
    /// The stretch from `start` to `end`.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end: end.max(start) }
    }

    /// The same stretch in a text that begins `offset` bytes earlier.
    pub fn shifted(self, offset: usize) -> Self {
        Self { start: self.start + offset, end: self.end + offset }
    }
}

impl From<std::ops::Range<usize>> for Span {
    fn from(range: std::ops::Range<usize>) -> Self {
        Self::new(range.start, range.end)
    }
}

/// The lines of a text, found once for many places in it.
#[derive(Debug, Clone)]
pub struct Lines<'s> {
    source: &'s str,
    /// Where each line begins.
    starts: Vec<usize>,
}

impl<'s> Lines<'s> {
    /// The lines of `source`.
    pub fn of(source: &'s str) -> Self {
        let ends = source.match_indices('\n').map(|(at, _)| at + 1);
        Self { source, starts: std::iter::once(0).chain(ends).collect() }
    }

    /// As [`line_and_column`].
    pub fn place(&self, offset: usize) -> (usize, usize) {
        let offset = offset.min(self.source.len());
        let line = self.starts.partition_point(|start| *start <= offset).max(1);
        let start = self.starts.get(line - 1).copied().unwrap_or_default();
        let before = self.source.get(start..offset).unwrap_or_default();
        (line, before.chars().count() + 1)
    }
}

/// Line and column of a byte offset, both from 1; a column counts characters.
pub fn line_and_column(source: &str, offset: usize) -> (usize, usize) {
    let before = source.get(..offset.min(source.len())).unwrap_or(source);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (line, column)
}

/// The known name nearest to `wrong`, if one is near enough to be a likely typo.
pub fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(&wrong.to_lowercase(), &name.to_lowercase()), name))
        .filter(|&(distance, name)| distance <= 1.max(name.chars().count().min(wrong.chars().count()) / 3))
        // Letters in the wrong order are the likeliest slip: `i46` means `i64` rather than `i16`.
        .min_by_key(|&(distance, name)| (distance, letters(wrong) != letters(name)))
        .map(|(_, name)| name)
}

fn letters(name: &str) -> Vec<char> {
    let mut letters: Vec<char> = name.to_lowercase().chars().collect();
    letters.sort_unstable();
    letters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one() {
        let text = "ab\nçd\n";
        assert_eq!(line_and_column(text, 0), (1, 1));
        assert_eq!(line_and_column(text, 5), (2, 2));
        assert_eq!(line_and_column(text, 99), (3, 1));
        let lines = Lines::of(text);
        for offset in [0, 1, 2, 3, 5, 6, 7, 99] {
            assert_eq!(lines.place(offset), line_and_column(text, offset), "{offset}");
        }
    }

    #[test]
    fn a_near_miss_finds_its_name_and_a_far_one_does_not() {
        assert_eq!(nearest("user_idd", ["user_id", "ts"]), Some("user_id"));
        assert_eq!(nearest("slat", ["salt", "desc"]), Some("salt"));
        assert_eq!(nearest("i46", ["i16", "i64"]), Some("i64"));
        assert_eq!(nearest("amount", ["user_id", "ts"]), None);
    }
}

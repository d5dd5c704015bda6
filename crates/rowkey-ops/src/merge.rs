//! Merges sorted sources: of rows, or of records of a sort.
//!
//! A tree of losers: each source plays at a leaf, each inner node keeps the loser of the match played there, and the
//! winner stands apart. When the winner moves on it plays again on its way to the root: one comparison a level, so
//! O(log n) a row, and nothing is allocated. A node holds the first sixteen bytes that count, as a number; key bytes are
//! touched only when two of these numbers are equal.
//!
//! Where one source gives many rows in a row (buckets by time rather than by hash), the best of the others is found
//! once, and until the source has passed it there is one comparison a row.
//!
//! **Law** (the tests below): the rows are those of all sources sorted by the bytes from `from` on, ties by the
//! whole key, falling if the direction is. Of equal keys, that of the earlier source comes first.

use std::cmp::Ordering;
use std::mem;

use rowkey_core::Order;

/// Rows in order, one under the cursor.
pub(crate) trait Source {
    type Error;

    /// The key of the row under the cursor; `None` past the last.
    fn key(&self) -> Option<&[u8]>;

    /// Goes to the next row; the first call goes to the first.
    fn advance(&mut self) -> Result<(), Self::Error>;
}

/// After so many rows of one source without a change, the best of the others is looked for.
const LONG_RUN: u32 = 6;

/// The rows of many sources as one.
pub(crate) struct Merge<S> {
    sources: Vec<S>,
    /// Node 1 is the root, node i has the children 2i and 2i + 1, source s plays at node n + s.
    losers: Vec<Head>,
    winner: Head,
    /// The best of the others, once the winner has won often.
    runner_up: Option<Head>,
    wins: u32,
    compare: Compare,
    started: bool,
}

/// The row under a source's cursor. The first bytes are complemented where keys fall: the smallest comes next.
#[derive(Debug, Clone, Copy)]
struct Head {
    first_bytes: u128,
    source: usize,
}

/// How keys compare.
#[derive(Debug, Clone, Copy)]
struct Compare {
    direction: Order,
    /// Bytes before this one only break ties.
    from: usize,
    /// Bytes before this one and behind `from` are the same in all rows.
    differs_from: usize,
}

impl<S: Source> Merge<S> {
    /// Merges by the bytes behind `from`. All keys have the same bytes from there up to `differs_from`.
    pub(crate) fn new(sources: Vec<S>, direction: Order, from: usize, differs_from: usize) -> Self {
        let nobody = Head { first_bytes: u128::MAX, source: usize::MAX };
        let differs_from = differs_from.max(from);
        Self {
            losers: vec![nobody; sources.len()],
            sources,
            winner: nobody,
            runner_up: None,
            wins: 0,
            compare: Compare { direction, from, differs_from },
            started: false,
        }
    }

    /// The source that stands on the next row; `None` at the end, and ever after.
    pub(crate) fn next(&mut self) -> Result<Option<&S>, S::Error> {
        if self.started {
            self.advance_winner()?;
        } else {
            self.start()?;
        }
        Ok(self.current())
    }

    /// The source of the row returned last.
    pub(crate) fn current(&self) -> Option<&S> {
        self.sources.get(self.winner.source).filter(|source| source.key().is_some())
    }

    /// All sources.
    pub(crate) fn sources(&self) -> &[S] {
        &self.sources
    }

    fn start(&mut self) -> Result<(), S::Error> {
        for source in &mut self.sources {
            source.advance()?;
        }
        self.started = true;
        if !self.sources.is_empty() {
            self.winner = self.play(1);
        }
        Ok(())
    }

    /// Plays all matches below a node; the depth is the tree's.
    fn play(&mut self, node: usize) -> Head {
        if node >= self.sources.len() {
            return self.head(node - self.sources.len());
        }
        let (mut winner, mut loser) = (self.play(2 * node), self.play(2 * node + 1));
        if self.is_before(loser, winner) {
            mem::swap(&mut winner, &mut loser);
        }
        if let Some(place) = self.losers.get_mut(node) {
            *place = loser;
        }
        winner
    }

    fn head(&self, source: usize) -> Head {
        let key = self.sources.get(source).and_then(Source::key);
        Head { first_bytes: key.map_or(u128::MAX, |key| self.compare.first_bytes(key)), source }
    }

    fn advance_winner(&mut self) -> Result<(), S::Error> {
        let Some(source) = self.sources.get_mut(self.winner.source) else { return Ok(()) };
        source.advance()?;
        let first_bytes = source.key().map_or(u128::MAX, |key| self.compare.first_bytes(key));
        let head = Head { first_bytes, source: self.winner.source };
        if let Some(runner_up) = self.runner_up {
            if self.is_before(head, runner_up) {
                self.winner = head;
                return Ok(());
            }
            self.runner_up = None;
            self.wins = 0;
        }
        let winner = self.replay(head);
        self.wins = if winner.source == self.winner.source { self.wins + 1 } else { 0 };
        self.winner = winner;
        if self.wins == LONG_RUN {
            self.runner_up = self.best_of_others();
        }
        Ok(())
    }

    /// From the leaf to the root: the smaller one moves up, the other stays.
    fn replay(&mut self, head: Head) -> Head {
        let mut winner = head;
        let mut node = usize::midpoint(head.source, self.sources.len());
        while node > 0
            && let Some(&loser) = self.losers.get(node)
        {
            if self.is_before(loser, winner) {
                if let Some(place) = self.losers.get_mut(node) {
                    *place = winner;
                }
                winner = loser;
            }
            node /= 2;
        }
        winner
    }

    /// The second of a tournament lost to the winner, so it stands on the winner's way.
    fn best_of_others(&self) -> Option<Head> {
        let mut node = usize::midpoint(self.winner.source, self.sources.len());
        let mut best: Option<Head> = None;
        while node > 0
            && let Some(&loser) = self.losers.get(node)
        {
            if best.is_none_or(|best| self.is_before(loser, best)) {
                best = Some(loser);
            }
            node /= 2;
        }
        best
    }

    #[inline]
    fn is_before(&self, a: Head, b: Head) -> bool {
        if a.first_bytes == b.first_bytes {
            self.whole_key_is_before(a, b)
        } else {
            a.first_bytes < b.first_bytes
        }
    }

    /// A source at its end is behind everything.
    #[cold]
    fn whole_key_is_before(&self, a: Head, b: Head) -> bool {
        let key = |head: Head| self.sources.get(head.source).and_then(Source::key);
        match (key(a), key(b)) {
            (Some(own), Some(other)) => self.compare.keys(own, other).then(a.source.cmp(&b.source)).is_lt(),
            (own, _) => own.is_some(),
        }
    }
}

impl Compare {
    #[inline]
    fn first_bytes(self, key: &[u8]) -> u128 {
        let rest = key.get(self.differs_from..).unwrap_or_default();
        let first = match rest.first_chunk::<16>() {
            Some(bytes) => u128::from_be_bytes(*bytes),
            None => rest
                .iter()
                .zip((0..16).rev())
                .fold(0, |sum, (&byte, place)| sum | u128::from(byte) << (8 * place)),
        };
        match self.direction {
            Order::Ascending => first,
            Order::Descending => !first,
        }
    }

    fn keys(self, a: &[u8], b: &[u8]) -> Ordering {
        let tails = (a.get(self.from..).unwrap_or_default(), b.get(self.from..).unwrap_or_default());
        let rising = tails.0.cmp(tails.1).then_with(|| a.cmp(b));
        match self.direction {
            Order::Ascending => rising,
            Order::Descending => rising.reverse(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::cell::Cell;
    use std::rc::Rc;

    /// Keys in a list; counts how often one is looked at for a comparison of whole keys.
    struct List {
        keys: Vec<Vec<u8>>,
        at: Option<usize>,
        looks: Rc<Cell<usize>>,
    }

    impl Source for List {
        type Error = ();

        fn key(&self) -> Option<&[u8]> {
            self.looks.set(self.looks.get() + 1);
            self.keys.get(self.at?).map(Vec::as_slice)
        }

        fn advance(&mut self) -> Result<(), ()> {
            self.at = Some(self.at.map_or(0, |at| at + 1));
            Ok(())
        }
    }

    fn merged(lists: &[Vec<Vec<u8>>], direction: Order, from: usize) -> (Vec<Vec<u8>>, usize) {
        let looks = Rc::new(Cell::new(0));
        let list = |keys: &Vec<Vec<u8>>| List { keys: keys.clone(), at: None, looks: Rc::clone(&looks) };
        let mut merge = Merge::new(lists.iter().map(list).collect(), direction, from, from);
        let mut found = Vec::new();
        while let Some(source) = merge.next().unwrap() {
            found.push(source.key().unwrap().to_vec());
        }
        assert!(merge.next().unwrap().is_none(), "past the end there is nothing");
        (found, looks.get())
    }

    /// Sorted lists, one for each of up to 40 buckets: the bucket's byte, then few bytes of few values, so that ties, prefixes
    /// and keys that end at the salt come up all the time, and sometimes more than the sixteen bytes of a head.
    fn lists() -> impl Strategy<Value = Vec<Vec<Vec<u8>>>> {
        let byte = || prop::sample::select(vec![0u8, 1, 0x61, 0xFF]);
        let tail = prop_oneof![
            prop::collection::vec(byte(), 0..5),
            prop::collection::vec(byte(), 0..3).prop_map(|end| [vec![0x61; 16], end].concat()),
        ];
        let list = prop::collection::btree_set(tail, 0..30);
        prop::collection::vec(list, 0..40).prop_map(|lists| {
            let salted = |(bucket, tails): (usize, std::collections::BTreeSet<Vec<u8>>)| {
                let salt = u8::try_from(bucket).unwrap();
                tails.into_iter().map(|tail| [vec![salt], tail].concat()).collect()
            };
            lists.into_iter().enumerate().map(salted).collect()
        })
    }

    proptest! {
        #[test]
        fn merging_is_sorting(lists in lists(), falling: bool) {
            let mut expected: Vec<Vec<u8>> = lists.concat();
            expected.sort_by(|a, b| a[1..].cmp(&b[1..]).then_with(|| a.cmp(b)));
            let (mut lists, mut direction) = (lists, Order::Ascending);
            if falling {
                expected.reverse();
                lists.iter_mut().for_each(|list| list.reverse());
                direction = Order::Descending;
            }
            prop_assert_eq!(merged(&lists, direction, 1).0, expected);
        }
    }

    fn numbered(bucket: u8, numbers: impl Iterator<Item = u32>) -> Vec<Vec<u8>> {
        numbers.map(|number| [&[bucket], number.to_be_bytes().as_slice()].concat()).collect()
    }

    /// 256 buckets take 8 matches a row, of which none needs the keys: they are looked at once to make the head, and once by
    /// the caller that gets the row.
    #[test]
    fn keys_that_differ_early_are_not_compared_as_bytes() {
        let lists: Vec<Vec<Vec<u8>>> =
            (0..=255).map(|bucket| numbered(bucket, (0..40).map(|n| n * 256 + u32::from(bucket)))).collect();
        let (found, looks) = merged(&lists, Order::Ascending, 1);
        assert_eq!(found.len(), 256 * 40);
        // Sources at their end are all alike, and are told apart by asking them: 8 matches for each source that ends.
        assert!(looks <= 3 * found.len() + 256 * 2 * 9, "{looks} looks at keys");
    }

    #[test]
    fn long_runs_of_one_source_come_whole() {
        let lists: Vec<Vec<Vec<u8>>> = (0..8)
            .map(|bucket| {
                numbered(bucket, (0..500).map(|n| u32::from(bucket) * 100 + n % 100 + n / 100 * 800))
            })
            .collect();
        let mut expected: Vec<Vec<u8>> = lists.concat();
        expected.sort_by(|a, b| a[1..].cmp(&b[1..]));
        assert_eq!(merged(&lists, Order::Ascending, 1).0, expected);
    }
}

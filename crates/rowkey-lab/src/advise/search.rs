//! Searches for the key, alone or with index tables, that costs least.
//!
//! Keys are measured one by one ([`super::measure`]), by two cores or more; tables and index tables are then put together by
//! arithmetic, all of them. In stages: the heads that queries suggest with the usual ways to spread them; all ways to spread
//! the best of these; all forms of the best of those. Exhaustively: the whole space.
//!
//! **Law** (`tests/advise.rs`): on generated and public data sets, what the stages find is within 10% of the best of the
//! whole space.

use std::collections::{BTreeMap, HashSet};
use std::convert::Infallible;

use rowkey_core::key::FieldId;
use rowkey_store::in_parallel;

use super::design::Forms;
use super::measure::{Bench, Measured, Unfit};
use super::price::{Cost, Role};
use super::space::{Choice, Ground};
use super::{AdviseError, Options};
use crate::unique;

/// So many of a stage go on to the next.
const BEAM: usize = 24;
/// Keys are measured in blocks of so many; between two blocks the search can be cancelled.
const BLOCK: usize = 32;
/// A table has at most so many index tables.
const MOST_INDEXES: usize = 4;
/// So many index keys are put together with every table.
const INDEX_KEYS: usize = 60;

/// A key that was measured.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    /// `None` for a key that the user gave.
    pub(super) choice: Option<Choice>,
    pub(super) measured: Measured,
    pub(super) complexity: usize,
}

/// A table with its index tables: places among the entries, and whether an index keeps copies.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Combination {
    pub(super) table: usize,
    pub(super) indexes: Vec<(usize, bool)>,
    pub(super) cost: Cost,
}

/// How far the search is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// The stage, from 1.
    pub stage: usize,
    /// Keys measured in it.
    pub done: usize,
    /// Keys to measure in it.
    pub of: usize,
}

/// The search and what it has seen.
pub(super) struct Search<'a> {
    pub(super) bench: Bench<'a>,
    pub(super) ground: Ground<'a>,
    pub(super) threads: usize,
    /// The share of operations that are writes.
    pub(super) writes: f64,
    pub(super) shares: Vec<f64>,
    pub(super) entries: Vec<Entry>,
    /// Keys that are out of the question, by reason.
    pub(super) unfit: BTreeMap<String, usize>,
    pub(super) looked_at: usize,
    /// Whether the search was cancelled.
    pub(super) stopped: bool,
    /// Whether tables may have index tables.
    pub(super) may_index: bool,
    seen: HashSet<String>,
    /// Index keys that no other beats.
    index_keys: Vec<(usize, bool)>,
}

impl<'a> Search<'a> {
    pub(super) fn new(bench: Bench<'a>, ground: Ground<'a>, options: &Options) -> Self {
        let shares = bench.asked.iter().map(|asked| asked.share).collect();
        Self {
            bench,
            ground,
            threads: options.threads.max(1),
            writes: options.writes.clamp(0.001, 0.999),
            shares,
            entries: Vec::new(),
            unfit: BTreeMap::new(),
            looked_at: 0,
            stopped: false,
            may_index: options.indexes,
            seen: HashSet::new(),
            index_keys: Vec::new(),
        }
    }

    /// Measures a key that the user gave; returns its index among the entries.
    pub(super) fn given(&mut self, source: &str) -> Result<usize, Unfit> {
        let measured = self.bench.measure(source, true)?;
        self.looked_at += 1;
        self.entries.push(Entry { choice: None, measured, complexity: 0 });
        Ok(self.entries.len() - 1)
    }

    /// Goes through the space in stages.
    pub(super) fn in_stages(&mut self, go_on: &mut dyn FnMut(Progress) -> bool) {
        let mut first = Vec::new();
        for head in self.ground.likely_heads() {
            for spread in self.ground.first_spreads(&head) {
                first.push(Choice { spread, ..Choice::plain(head.clone()) });
            }
        }
        self.measure(first, 1, go_on);

        let mut second = Vec::new();
        for choice in self.best() {
            for spread in self.ground.spreads(&choice.head) {
                second.push(Choice { spread, ..choice.clone() });
            }
            for coarse in self.ground.coarses(&choice.head) {
                second.push(Choice { coarse, ..choice.clone() });
            }
            if self.ground.may_fall(&choice.head) {
                second.push(Choice { falling: !choice.falling, ..choice });
            }
        }
        self.measure(second, 2, go_on);

        let mut third = Vec::new();
        for choice in self.best() {
            for forms in [Forms::Compact, Forms::Coded] {
                third.push(Choice { forms, ..choice.clone() });
            }
            // The spread may be another now.
            if self.ground.may_fall(&choice.head) {
                third.push(Choice { falling: !choice.falling, ..choice });
            }
        }
        self.measure(third, 3, go_on);
    }

    /// The choices that go on: the tables of the best designs, and the keys of their index tables.
    fn best(&mut self) -> Vec<Choice> {
        self.rank_index_keys();
        let best: Vec<Combination> = self.cheapest(|_| true).into_iter().take(BEAM).collect();
        let indexes = best.iter().flat_map(|design| design.indexes.iter().map(|(entry, _)| *entry));
        let places = unique(best.iter().map(|design| design.table).chain(indexes));
        places.into_iter().filter_map(|place| self.entries[place].choice.clone()).collect()
    }

    /// The best design with each of some keys, the one that costs least first.
    pub(super) fn cheapest(&self, is_one: impl Fn(&Entry) -> bool) -> Vec<Combination> {
        let own = (0..self.entries.len()).filter(|place| is_one(&self.entries[*place]));
        let mut all: Vec<Combination> =
            own.map(|table| self.best_with(table, self.writes, &self.shares)).collect();
        all.sort_by(|a, b| self.total(&a.cost).total_cmp(&self.total(&b.cost)));
        all
    }

    /// Measures choices that were not seen before.
    pub(super) fn measure(
        &mut self,
        choices: Vec<Choice>,
        stage: usize,
        go_on: &mut dyn FnMut(Progress) -> bool,
    ) {
        let mut new: Vec<(Choice, String, usize)> = Vec::new();
        for choice in choices {
            let design = self.ground.design(&choice, &[]);
            let source = design.render(self.ground.fields, self.ground.facts);
            if self.seen.insert(source.clone()) {
                new.push((choice, source, design.complexity()));
            }
        }
        let of = new.len();
        for (block, choices) in new.chunks(BLOCK).enumerate() {
            if self.stopped || !go_on(Progress { stage, done: block * BLOCK, of }) {
                self.stopped = true;
                return;
            }
            let results = each(choices, self.threads, |(_, source, _)| self.bench.measure(source, false));
            for ((choice, _, complexity), result) in choices.iter().zip(results) {
                self.looked_at += 1;
                match result {
                    Ok(measured) => {
                        let choice = Some(choice.clone());
                        self.entries.push(Entry { choice, measured, complexity: *complexity });
                    }
                    Err(unfit) => *self.unfit.entry(unfit.reason()).or_default() += 1,
                }
            }
        }
        self.index_keys.clear();
    }

    /// The table of an entry by itself.
    pub(super) fn table(&self, place: usize) -> Role<'_> {
        Role::table(&self.entries[place].measured, &self.bench.prices)
    }

    /// The index table of an entry, for a table.
    fn index(&self, (place, copies): (usize, bool), table: usize) -> Role<'_> {
        let measured = &self.entries[place].measured;
        let more_key = self.bytes_beside(measured, &self.entries[table].measured.key.named_fields());
        Role { more_key, ..self.role(measured, copies) }
    }

    /// An index table in its role.
    pub(super) fn role<'m>(&'m self, key: &'m Measured, copies: bool) -> Role<'m> {
        let copied = if copies { self.bytes_beside(key, &self.returned()) } else { 0.0 };
        Role { copied, copies, ..Role::table(key, &self.bench.prices) }
    }

    /// Everything that some query returns.
    fn returned(&self) -> Vec<FieldId> {
        let all = self.ground.fields.iter().map(|(field, _)| field);
        all.filter(|field| self.bench.asked.iter().any(|asked| asked.returns(*field))).collect()
    }

    /// Bytes of those fields that a key does not give back.
    fn bytes_beside(&self, key: &Measured, fields: &[FieldId]) -> f64 {
        let own = key.key.recoverable();
        let missing = fields.iter().filter(|field| !own.contains(field));
        missing.map(|field| self.ground.facts[field.0].mean_bytes()).sum()
    }

    /// A table with these index tables.
    pub(super) fn with(&self, table: usize, indexes: Vec<(usize, bool)>) -> Combination {
        let own: Vec<Role<'_>> = indexes.iter().map(|index| self.index(*index, table)).collect();
        Combination { table, cost: Cost::of(self.table(table), &own), indexes }
    }

    /// Keeps the index keys that no other beats in every query and in writing.
    pub(super) fn rank_index_keys(&mut self) {
        if !self.index_keys.is_empty() || !self.may_index {
            return;
        }
        let beaten = |own: &[f64], other: &[f64]| own.iter().zip(other).all(|(own, other)| other <= own);
        // A key that a rule warns of is only that of a table that there is already.
        let may_index = |entry: &Entry| entry.choice.is_some() && !entry.measured.warned;
        let places = (0..self.entries.len()).filter(|place| may_index(&self.entries[*place]));
        let mut kept: Vec<((usize, bool), Vec<f64>)> = Vec::new();
        for index in places.flat_map(|place| [(place, false), (place, true)]) {
            let role = self.index(index, index.0);
            let mut costs = role.as_index();
            if costs.iter().all(|cost| cost.is_infinite()) {
                continue;
            }
            costs.push(role.write(role.prices.entry));
            if !kept.iter().any(|(_, other)| beaten(&costs, other)) {
                kept.retain(|(_, other)| !beaten(other, &costs));
                kept.push((index, costs));
            }
        }
        // The best for each query and by their shares.
        let (writes, shares) = (self.writes, &self.shares);
        let write = |costs: &[f64]| writes * costs.last().copied().unwrap_or(0.0);
        let best = |most: usize, cost: &dyn Fn(&[f64]) -> f64| {
            let mut all: Vec<(f64, (usize, bool))> =
                kept.iter().map(|(index, costs)| (cost(costs), *index)).collect();
            all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            all.into_iter().take(most).map(|(_, index)| index)
        };
        let for_each = shares.iter().enumerate().flat_map(|(query, share)| {
            best(INDEX_KEYS / shares.len(), &|costs| (1.0 - writes) * share * costs[query] + write(costs))
        });
        let by_shares = best(INDEX_KEYS / 2, &|costs| {
            let reads: f64 = costs.iter().zip(shares).map(|(cost, share)| cost.min(1e12) * share).sum();
            write(costs) + (1.0 - writes) * reads
        });
        self.index_keys = unique(for_each.chain(by_shares));
    }

    /// What an operation costs, with the shares as they are.
    pub(super) fn total(&self, cost: &Cost) -> f64 {
        cost.total(self.writes, &self.shares)
    }

    /// Why there is no design: what every key was discarded for.
    pub(super) fn no_design(&self) -> AdviseError {
        let reasons: Vec<String> = self.unfit.iter().map(|(why, count)| format!("{why} ({count})")).collect();
        AdviseError::NoDesign { looked_at: self.looked_at, reasons: reasons.join(", ") }
    }

    /// The best index tables for a table.
    pub(super) fn best_with(&self, table: usize, writes: f64, shares: &[f64]) -> Combination {
        let keys: Vec<(usize, bool)> =
            self.index_keys.iter().copied().filter(|(place, _)| *place != table).collect();
        // Sums instead of costs: this is gone through for every pair of index tables.
        let alone = Cost::of(self.table(table), &[]);
        let of_index = |key: &(usize, bool)| {
            let role = self.index(*key, table);
            (role.write(role.prices.entry), role.as_index())
        };
        let indexes: Vec<(f64, Vec<f64>)> = keys.iter().map(of_index).collect();
        let total = |write: f64, second: &[f64], third: &[f64]| {
            let mut reads = 0.0;
            for (query, share) in shares.iter().enumerate() {
                let by = |costs: &[f64]| costs.get(query).copied().unwrap_or(f64::INFINITY);
                reads += share * by(&alone.reads).min(by(second)).min(by(third));
            }
            writes * write + (1.0 - writes) * reads
        };
        let mut best = (total(alone.write, &[], &[]), Vec::new());
        for (first, (write, reads)) in indexes.iter().enumerate() {
            let write = alone.write + write;
            let cost = total(write, reads, &[]);
            if cost < best.0 {
                best = (cost, vec![first]);
            }
            // Without its reads a second index table is no better than none.
            if writes * write >= best.0 {
                continue;
            }
            for (second, (more, others)) in indexes.iter().enumerate().skip(first + 1) {
                let cost = total(write + more, reads, others);
                if cost < best.0 {
                    best = (cost, vec![first, second]);
                }
            }
        }
        // Further ones are added one by one, the best first.
        while (2..MOST_INDEXES).contains(&best.1.len()) {
            let chosen = || best.1.iter().map(|at: &usize| &indexes[*at]);
            let reads_now =
                |query: usize| chosen().map(|(_, reads)| reads[query]).fold(f64::INFINITY, f64::min);
            let now: Vec<f64> = (0..shares.len()).map(reads_now).collect();
            let own: f64 = chosen().map(|(write, _)| write).sum();
            let write = alone.write + own;
            let with =
                |(at, (more, reads)): (usize, &(f64, Vec<f64>))| (total(write + more, &now, reads), at);
            let next = indexes.iter().enumerate().filter(|(at, _)| !best.1.contains(at)).map(with);
            match next.min_by(|a, b| a.0.total_cmp(&b.0)) {
                Some((cost, at)) if cost < best.0 => {
                    best.0 = cost;
                    best.1.push(at);
                }
                _ => break,
            }
        }
        let mut chosen: Vec<(usize, bool)> = best.1.iter().map(|at| keys[*at]).collect();
        loop {
            let design = self.with(table, chosen);
            // What was added later may answer all that an earlier one was taken for.
            let needless = (1..=design.indexes.len()).find(|place| !design.cost.by.contains(place));
            let Some(needless) = needless else { return design };
            chosen = design.indexes;
            chosen.remove(needless - 1);
        }
    }

    /// The best of all, when so many operations are writes and queries have these shares.
    pub(super) fn winner(&self, writes: f64, shares: &[f64]) -> Option<Combination> {
        let all = (0..self.entries.len()).map(|table| self.best_with(table, writes, shares));
        all.min_by(|a, b| a.cost.total(writes, shares).total_cmp(&b.cost.total(writes, shares)))
    }
}

/// What `work` makes of each, by so many threads.
pub(super) fn each<T: Sync, R: Send>(all: &[T], threads: usize, work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let Ok(made) = in_parallel(all, threads, |_, one| Ok::<R, Infallible>(work(one)));
    made
}

impl Unfit {
    /// The reason in a few words, for counting.
    pub fn reason(&self) -> String {
        match self {
            Self::Notation(why) => format!("the notation does not allow it: {why}"),
            Self::Rule(rule, _) => format!("rule {rule}"),
            Self::Record(_) => "a record has no key".to_owned(),
            Self::Duplicates(_) => "different records have the same key".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advise::measure::{Hot, Reading};
    use crate::advise::{Asking, Study};
    use rowkey_core::key::{Field, Fields};
    use rowkey_core::{KeySchema, Type, Value};

    /// Everything, if no index table helps.
    const ALL: f64 = 100_000.0;

    /// A key by which each query reads so many rows.
    fn entry(reads: [f64; 5]) -> Entry {
        let measured = Measured {
            source: "[a]".to_owned(),
            key: KeySchema::parse("[a: u64]").unwrap(),
            bytes: 8.0,
            hot: Hot { usual: 1.0, worst: 1.0 },
            splits: Vec::new(),
            reads: reads.map(|rows| Reading { rows, ..Reading::default() }).to_vec(),
            warned: false,
        };
        Entry { choice: None, measured, complexity: 0 }
    }

    fn study(numbers: impl Iterator<Item = i128>, options: &Options) -> Study {
        let ty = Type::from_name("u64").unwrap();
        let fields = Fields::new(vec![Field { name: "a".to_owned(), ty, nullable: false }]);
        let records = numbers.map(|number| vec![Value::Int(number)]).collect();
        let asking = Asking::parse("q", "30 a = 1\n30 a = 2\n25 a = 3\n8 a = 4\n7 a = 5").unwrap();
        Study::of_records("q", &fields, records, &asking.queries, None, options).unwrap()
    }

    #[test]
    fn a_key_that_loses_rows_is_no_candidate() {
        let options = Options { identity: Some(vec!["a".to_owned()]), ..Options::default() };
        let mut study = study((0..100).map(|number| number % 97), &options);
        assert_eq!(study.repeated, 3);
        let measured = |study: &Study, given| study.search(&options).bench.measure("[a]", given).map(|_| ());
        assert_eq!(measured(&study, false), Ok(()), "no key can tell them apart");
        study.repeated = 2;
        assert_eq!(measured(&study, false), Err(Unfit::Duplicates(3)));
        assert_eq!(measured(&study, true), Ok(()), "somebody has that table");
    }

    #[test]
    fn an_index_table_that_no_query_needs_any_more_is_left_out() {
        let options = Options::default();
        let study = study(0..100, &options);
        let mut search = study.search(&options);
        // The first two index tables are the best pair; what the first one answers, the last two answer better, and more.
        let reads = [
            [ALL; 5],
            [10.0, 10.0, ALL, ALL, ALL],
            [ALL, ALL, 10.0, ALL, ALL],
            [9.0, ALL, ALL, 10.0, ALL],
            [ALL, 9.0, ALL, ALL, 10.0],
        ];
        search.entries = reads.map(entry).to_vec();
        let mut best_of = |indexes: std::ops::RangeInclusive<usize>| {
            search.index_keys = indexes.map(|place| (place, true)).collect();
            let best = search.best_with(0, search.writes, &search.shares);
            (best.indexes.iter().map(|(place, _)| *place).collect::<Vec<_>>(), best.cost.by)
        };
        assert_eq!(best_of(1..=2), (vec![1, 2], vec![1, 1, 2, 0, 0]));
        assert_eq!(best_of(1..=3), (vec![1, 2, 3], vec![3, 1, 2, 3, 0]));
        assert_eq!(best_of(1..=4), (vec![2, 3, 4], vec![2, 3, 1, 2, 3]));
    }
}

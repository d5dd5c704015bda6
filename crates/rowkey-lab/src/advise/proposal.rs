//! Proposals, and the recommended one.
//!
//! A [`Proposal`] is a table with its index tables, measured as they would be made. The front has the designs that are the
//! best for some mixture of writes and queries and that no other beats in everything that counts: spread of writes, cost of
//! reads, length of keys, rows written for each record. The recommended one is chosen in `recommend`.

use std::collections::HashSet;

use rowkey_core::Table;
use rowkey_core::key::{FieldId, ValueStep};
use rowkey_core::table::Splits;

use super::design::Spread;
use super::family::{Families, families};
use super::favourites::{self, Rejected};
use super::known::{self, Known};
use super::measure::{Bench, Hot, Measured, Unfit};
use super::mind::{self, What};
use super::price::{self, Cost, Role};
use super::recommend::{self, Warning};
use super::search::{Combination, Entry, Search, each};
use super::space::Ground;
use super::{AdviseError, Options, Study, Watched, confidence, file, words};
use crate::simulate::count::millis;
use crate::simulate::{self, Cut, Design, Outcome, QueryCost};
use crate::workload::DrawnQueries;

/// So many designs are shown.
const SHOWN: usize = 7;

/// The designs to choose from.
#[derive(Debug, Clone)]
pub struct Advice {
    /// The recommended one first, then by cost.
    pub proposals: Vec<Proposal>,
    /// What would have to be different for another one to be recommended.
    pub changes: Vec<Change>,
    /// What is missing, was assumed, or should be known.
    pub notes: Vec<String>,
    /// How many records the data has, or is taken to have.
    pub rows: u64,
    /// How many of them were looked at for each design.
    pub sample: usize,
    /// How many keys were tried.
    pub looked_at: usize,
    /// Why keys were discarded, and how many.
    pub discarded: Vec<(String, usize)>,
    /// Whether the time was up before all were tried.
    pub stopped: bool,
    /// Designs that come up in every discussion and are not recommended.
    pub rejected: Vec<Rejected>,
    /// The queries with their shares.
    pub queries: Vec<(String, f64)>,
    /// The share of writes.
    pub writes: f64,
}

/// A table with its index tables.
#[derive(Debug, Clone, Default)]
pub struct Proposal {
    /// `A`, `B` and so on; the recommended one is A.
    pub name: String,
    /// Whether it is the given table, not a proposal.
    pub given: bool,
    /// The key of the table, in the notation.
    pub key: String,
    /// The index tables that go with it; none if the key answers all queries.
    pub indexes: Vec<IndexProposal>,
    /// What it costs.
    pub figures: Figures,
    /// What each query does.
    pub queries: Vec<QueryCost>,
    /// Where the table is cut.
    pub splits: Vec<Vec<u8>>,
    /// The columns in families.
    pub families: Families,
    /// What it is better and worse at than the recommended one, in one sentence.
    pub trade_off: String,
    /// The text of a table file with this design.
    pub file: String,
    /// The cost, taken apart.
    pub cost: Cost,
    /// The cost of an operation with the values of three seeds; of a design that is not shown, with those of one.
    pub totals: Vec<f64>,
    /// What else is known of it, if it is shown.
    pub known: Known,
    /// What `check` and `simulate` have against it with these records.
    pub warnings: Vec<Warning>,
}

/// An index table.
#[derive(Debug, Clone)]
pub struct IndexProposal {
    /// The name it gets in the table file.
    pub name: String,
    /// Its key, in the notation.
    pub key: String,
    /// The fields that it keeps copies of.
    pub columns: Vec<FieldId>,
    /// Where it is cut.
    pub splits: Vec<Vec<u8>>,
    /// Bytes of its keys, on average.
    pub bytes: f64,
    /// Bytes of the copies that an entry keeps, on average.
    pub copied: f64,
}

/// What a design costs: what the front is made of.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Figures {
    /// The busiest server over the mean, in the table where that is worst.
    pub hot: Hot,
    /// A read, on average by the shares of the queries, in rows of a scan.
    pub read: f64,
    /// Bytes of a key of the table, on average.
    pub key_bytes: f64,
    /// Rows written for each record, index entries included.
    pub writes: f64,
    /// An operation, on average.
    pub total: f64,
}

/// What would have to be different.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// Which share.
    pub what: What,
    /// What it is.
    pub now: f64,
    /// From where on the other design wins.
    pub at: f64,
    /// The design's name.
    pub proposal: String,
    /// The same as a sentence.
    pub text: String,
}

impl Study {
    pub(super) fn search(&self, options: &Options) -> Search<'_> {
        let (servers, regions) = (options.servers.max(1), self.regions(options));
        let bench = Bench {
            fields: &self.fields,
            sample: &self.sample,
            asked: &self.asked.queries,
            identity: &self.identity,
            repeated: self.repeated,
            servers,
            regions,
            times: self.time.map(|time| {
                let of = |record: &Vec<rowkey_core::Value<'static>>| record.get(time.0).and_then(millis);
                self.sample.records.iter().map(of).collect()
            }),
            prices: options.prices,
        };
        let ground = Ground {
            fields: &self.fields,
            facts: &self.facts,
            asked: &self.asked.queries,
            identity: &self.identity,
            time: self.time,
            servers,
            regions,
            max_buckets: options.max_buckets.unwrap_or(u32::MAX),
        };
        Search::new(bench, ground, options)
    }

    /// Searches, and proposes the best designs; `watch` is asked between blocks of keys whether to go on.
    ///
    /// # Errors
    /// When no key works.
    pub fn advise(
        &self,
        options: &Options,
        watch: &mut dyn FnMut(Watched) -> bool,
    ) -> Result<Advice, AdviseError> {
        if self.questions.is_empty() {
            return Err(AdviseError::NoQueries);
        }
        let mut search = self.search(options);
        let mut notes = self.notes.clone();
        let given = self.given.as_ref().and_then(|table| match given(&mut search, table) {
            Ok(combination) => Some(combination),
            Err(why) => {
                notes.push(format!("the key of the table file is not compared: {why}"));
                None
            }
        });
        let mut go_on = |progress| watch(Watched::Measuring(progress));
        if options.exhaustive {
            search.measure(search.ground.all(), 1, &mut go_on);
        } else {
            search.in_stages(&mut go_on);
        }
        search.rank_index_keys();
        let Some(least) = search.winner(search.writes, &search.shares) else {
            return Err(search.no_design());
        };
        let made = Maker { study: self, search: &search, options, given: given.as_ref() };
        let best = recommend::best(&made, &least);
        let mut proposals = made.front(&best, mind::winners(&search, &best.cost));
        confidence::draw_again(&made, proposals.iter_mut().collect());
        notes.extend(confidence::notes(&proposals));
        let rejected = proposals.first().map(|best| favourites::rejected(&made, best)).unwrap_or_default();
        let changes = changes(&proposals, &search, self);
        notes.extend(celebrities(&made, &best, proposals.first()));
        Ok(Advice {
            changes,
            notes,
            rows: self.sample.rows,
            sample: self.sample.records.len(),
            looked_at: search.looked_at,
            discarded: search.unfit.iter().map(|(why, count)| (why.clone(), *count)).collect(),
            stopped: search.stopped,
            queries: self.asked.queries.iter().map(|asked| (asked.query.name.clone(), asked.share)).collect(),
            writes: search.writes,
            rejected,
            proposals,
        })
    }

    /// The design that costs least among all of the candidate space and that no rule is against but for uneven values, how many keys there are, and why some of them
    /// are out of the question. For judging the search; it takes its time.
    ///
    /// # Errors
    /// When no key works.
    pub fn best_of_all(&self, options: &Options) -> Result<(Proposal, usize, Vec<String>), AdviseError> {
        let mut search = self.search(options);
        search.measure(search.ground.all(), 1, &mut |_| true);
        search.rank_index_keys();
        let made = Maker { study: self, search: &search, options, given: None };
        let mut cheapest = search.cheapest(|_| true).into_iter().filter_map(|best| made.make(&best));
        let is_sound = |best: &Proposal| best.warnings.iter().all(|warning| warning.is_uneven);
        let best = cheapest.find(is_sound).ok_or_else(|| search.no_design())?;
        Ok((best, search.looked_at, search.unfit.keys().cloned().collect()))
    }

    /// What a design costs with these records and queries; `None` if it cannot be simulated. For judging advice by other records than those it
    /// was made from.
    pub fn judge(&self, design: &Proposal, options: &Options) -> Option<f64> {
        let search = self.search(options);
        let maker = Maker { study: self, search: &search, options, given: None };
        maker.simulated(design, &self.asked, self.sample.rows).map(|(_, cost)| search.total(&cost))
    }
}

/// The given table, unchanged.
fn given(search: &mut Search<'_>, table: &Table) -> Result<Combination, Unfit> {
    let place = search.given(table.key.source())?;
    let mut indexes = Vec::new();
    for index in &table.indexes {
        indexes.push((search.given(index.key.source())?, !index.columns.is_empty()));
    }
    Ok(search.with(place, indexes))
}

/// Makes proposals of what the search found.
pub(super) struct Maker<'a> {
    pub(super) study: &'a Study,
    pub(super) search: &'a Search<'a>,
    pub(super) options: &'a Options,
    pub(super) given: Option<&'a Combination>,
}

impl Maker<'_> {
    /// The designs worth showing, named.
    fn front(&self, best: &Combination, winners: Vec<Combination>) -> Vec<Proposal> {
        let search = self.search;
        let mut all: Vec<Combination> = vec![best.clone()];
        all.extend(self.given.cloned());
        all.extend(winners);
        let must = all.len();
        for writes in [0.02, 0.98] {
            all.extend(search.winner(writes, &search.shares));
        }
        for query in 0..search.shares.len() {
            let mut shares = vec![0.0; search.shares.len()];
            shares[query] = 1.0;
            all.extend(search.winner(search.writes, &shares));
        }
        all.extend(self.shortest(best));
        let made = self.make_each(&all).into_iter().enumerate();
        let mut front: Vec<(bool, Proposal)> =
            made.filter_map(|(place, made)| Some((place < must, made?))).collect();
        let mut seen = HashSet::new();
        front.retain(|(_, made)| {
            let indexes: Vec<String> = made.indexes.iter().map(|index| index.key.clone()).collect();
            seen.insert((made.key.clone(), indexes))
        });
        let figures: Vec<Figures> = front.iter().map(|(_, made)| made.figures).collect();
        // None beats itself.
        front.retain(|(must, made)| *must || !figures.iter().any(|other| other.beats(&made.figures)));
        if let Some((_, rest)) = front.split_first_mut() {
            rest.sort_by(|(_, a), (_, b)| {
                b.given.cmp(&a.given).then(a.figures.total.total_cmp(&b.figures.total))
            });
        }
        let recommended = front.first().map(|(_, proposal)| proposal.clone());
        let mut shown: Vec<Proposal> = Vec::new();
        for (must, mut proposal) in front {
            let best = recommended.as_ref().filter(|_| !shown.is_empty());
            let (trade_off, gains) = words::trade_off(&proposal, best, self.study);
            if shown.len() < SHOWN && (must || gains) {
                proposal.trade_off = trade_off;
                shown.push(proposal);
            }
        }
        let letters = ('A'..='Z').map(String::from);
        let (study, asked) = (self.study, &self.study.asked);
        let profile = known::profile(&study.fields, &study.sample.records);
        for (proposal, letter) in shown.iter_mut().zip(letters) {
            proposal.name = letter;
            proposal.file = file::write(proposal, study, self.options);
            if let Some(table) = proposal.table() {
                proposal.known = Known::of(proposal, &table, study, &profile);
            }
            if study.sample.rows > study.sample.data_rows {
                let today = self.simulated(proposal, asked, study.sample.data_rows);
                proposal.known.later.read_today = today.map(|(_, cost)| cost.read(&self.search.shares));
            }
        }
        shown
    }

    /// The shortest key that spreads writes about as well as the best.
    fn shortest(&self, best: &Combination) -> Option<Combination> {
        let (search, entries) = (self.search, &self.search.entries);
        let limit = entries[best.table].measured.hot.usual.max(1.0) * 1.5;
        let bytes = |place: &usize| entries[*place].measured.bytes;
        let places = (0..entries.len()).filter(|place| entries[*place].measured.hot.usual <= limit);
        let shortest = places.min_by(|a, b| bytes(a).total_cmp(&bytes(b)))?;
        Some(search.best_with(shortest, search.writes, &search.shares))
    }

    pub(super) fn make_each(&self, combinations: &[Combination]) -> Vec<Option<Proposal>> {
        each(combinations, self.options.threads, |combination| self.make(combination))
    }

    /// A combination with everything that belongs to it, measured as it would be made.
    pub(super) fn make(&self, combination: &Combination) -> Option<Proposal> {
        let (study, search) = (self.study, self.search);
        let table = &search.entries[combination.table].measured;
        let mut measured: Vec<(Measured, bool)> = Vec::new();
        for (place, copies) in &combination.indexes {
            let index = &search.entries[*place];
            let mut key = index.measured.clone();
            if let Some(choice) = &index.choice {
                let design = search.ground.design(choice, &table.key.named_fields());
                key = search.bench.measure(&design.render(&study.fields, &study.facts), true).ok()?;
                // An entry must lead to its row.
                let back = key.key.recoverable();
                if !table.key.named_fields().iter().all(|field| back.contains(field)) {
                    return None;
                }
            }
            measured.push((key, *copies));
        }
        let roles: Vec<Role<'_>> = measured.iter().map(|(key, copies)| search.role(key, *copies)).collect();
        let cost = Cost::of(search.table(combination.table), &roles);
        let back = table.key.recoverable();
        let columns: Vec<FieldId> =
            study.fields.iter().map(|(field, _)| field).filter(|field| !back.contains(field)).collect();
        let mut proposal = Proposal {
            given: self.given == Some(combination),
            key: table.source.clone(),
            indexes: self.indexes(&roles, &cost),
            splits: table.splits.clone(),
            families: families(&columns, &study.asked.queries, &study.facts, table.bytes),
            cost,
            ..Proposal::default()
        };
        self.simulate(&mut proposal)?;
        Some(proposal)
    }

    /// The figures of a proposal: those that `simulate` gives for its table file. `None` if it cannot be simulated.
    fn simulate(&self, proposal: &mut Proposal) -> Option<()> {
        let (study, search) = (self.study, self.search);
        proposal.file = file::write(proposal, study, self.options);
        let table = proposal.table()?;
        proposal.known = Known::of_records(&table, study);
        let (outcome, cost) = self.simulated(proposal, &study.asked, study.sample.rows)?;
        let columns = study.sample.columns();
        proposal.warnings =
            recommend::warnings(&table, &study.sample.data(&study.fields, &columns), &outcome);
        proposal.queries = outcome.reads?.queries;
        proposal.figures = Figures {
            hot: Hot { usual: outcome.servers.mean_step, worst: outcome.servers.worst() },
            read: cost.read(&search.shares),
            key_bytes: outcome.key_bytes.mean,
            writes: 2.0 * outcome.tables.len() as f64 - 1.0,
            total: search.total(&cost),
        };
        proposal.totals = vec![proposal.figures.total];
        proposal.cost = cost;
        Some(())
    }

    /// What `simulate` says of the table file of a proposal, with these values for its queries and so many rows, and what that costs.
    pub(super) fn simulated(
        &self,
        proposal: &Proposal,
        asked: &DrawnQueries,
        rows: u64,
    ) -> Option<(Outcome, Cost)> {
        let (study, prices) = (self.study, &self.options.prices);
        let columns = study.sample.columns();
        let data = study.sample.data(&study.fields, &columns);
        let options = simulate::Options {
            time: study.time.map(|time| study.fields.get(time).name.clone()),
            servers: self.options.servers.max(1),
            records: Some(study.sample.data_rows),
            rows: Some(rows),
            prices: *prices,
            ..simulate::Options::default()
        };
        let moved = proposal.known.moved as f64 / study.sample.records.len().max(1) as f64;
        let design = Design::of_table(proposal.table()?, Cut::Own);
        let outcome = simulate::in_memory(&[design], &data, Some(asked), &options).ok()?.pop()?;
        let keys = outcome.indexes.iter().zip(&proposal.indexes);
        let entries = keys.map(|(own, index)| own.key_bytes.mean + index.copied);
        let bytes = std::iter::once(outcome.key_bytes.mean).chain(entries);
        let tables: Vec<(f64, f64)> = bytes.zip(outcome.tables.iter().map(|load| load.mean_step)).collect();
        let queries = &outcome.reads.as_ref()?.queries;
        let cost = Cost {
            // An update under another key is a delete, too.
            write: price::write(&tables, prices) * (1.0 + moved),
            reads: queries.iter().map(|query| query.cost).collect(),
            by: queries.iter().map(|query| query.by).collect(),
        };
        Some((outcome, cost))
    }

    fn indexes(&self, roles: &[Role<'_>], cost: &Cost) -> Vec<IndexProposal> {
        let study = self.study;
        let mut indexes: Vec<IndexProposal> = Vec::new();
        for (place, role) in (1..).zip(roles) {
            let back = role.key.key.recoverable();
            let answered = || study.asked.queries.iter().zip(&cost.by).filter(|(_, by)| **by == place);
            let is_returned = |field: &FieldId| answered().any(|(asked, _)| asked.returns(*field));
            let is_copied = |field: &FieldId| role.copies && !back.contains(field) && is_returned(field);
            let columns = study.fields.iter().map(|(field, _)| field).filter(is_copied).collect();
            let lead = role.key.key.value_steps().find_map(ValueStep::recovers);
            let by = lead.map_or("key", |field| study.fields.get(field).name.as_str());
            let mut name = format!("{}_by_{by}", self.options.table);
            while indexes.iter().any(|other| other.name == name) {
                name.push_str("_2");
            }
            let (key, splits) = (role.key.source.clone(), role.key.splits.clone());
            let (bytes, copied) = (role.key.bytes, role.copied);
            indexes.push(IndexProposal { name, key, columns, splits, bytes, copied });
        }
        indexes
    }
}

/// Writes a second that one region server takes: a rule of thumb for small rows on plain disks.
pub const SERVER_WRITES: f64 = 20_000.0;

impl Proposal {
    /// The table of its file.
    fn table(&self) -> Option<Table> {
        let mut table = Table::parse("advised.toml", &self.file).ok()?;
        if table.splits == Splits::None {
            // A table file that was given and does not say it: the store will have split the table.
            table.splits = Splits::Keys(self.splits.clone());
        }
        Some(table)
    }

    /// The cost of an operation, over the seeds it was simulated with.
    pub fn mean_total(&self) -> f64 {
        self.totals.iter().sum::<f64>() / self.totals.len().max(1) as f64
    }
}

impl Figures {
    /// Writes a second on the busiest of so many servers when so many records a second are written, index entries included.
    pub fn busiest_writes(&self, records: f64, servers: usize) -> f64 {
        records * self.writes / servers.max(1) as f64 * self.hot.usual.max(1.0)
    }

    /// Whether it is as good in everything and clearly better in something.
    fn beats(&self, other: &Self) -> bool {
        let own = [self.hot.usual, self.read, self.key_bytes, self.writes];
        let others = [other.hot.usual, other.read, other.key_bytes, other.writes];
        // Small differences are chance.
        let no_worse = own.iter().zip(&others).all(|(own, other)| *own <= other * 1.03);
        let better = own.iter().zip(&others).any(|(own, other)| *own < other * 0.97);
        no_worse && better
    }
}

/// From which shares on one of the shown designs costs less than the recommended one; of several the first.
fn changes(proposals: &[Proposal], search: &Search<'_>, study: &Study) -> Vec<Change> {
    let Some((best, others)) = proposals.split_first() else { return Vec::new() };
    let change = |(what, end): (What, f64)| {
        let now = mind::share(search, what);
        let crossings = others.iter().filter_map(|other| {
            Some((mind::crossing(search, what, &best.cost, &other.cost, end)?, &other.name))
        });
        let nearest = |(at, _): &(f64, &String)| (at - now).abs();
        let (at, proposal) = crossings.min_by(|a, b| nearest(a).total_cmp(&nearest(b)))?;
        let text = words::change(what, (now, at), proposal, study);
        Some(Change { what, now, at, proposal: proposal.clone(), text })
    };
    mind::scales(search).into_iter().filter_map(change).collect()
}

/// What becomes of values that many records have.
fn celebrities(maker: &Maker<'_>, best: &Combination, shown: Option<&Proposal>) -> Vec<String> {
    let search = maker.search;
    let note = |celebrity: &(FieldId, String, f64)| {
        let field = celebrity.0;
        let other = search.cheapest(|entry| {
            let begins_with_it = entry.choice.as_ref().is_some_and(|own| own.head.first() == Some(&field));
            begins_with_it && spreads(entry, field)
        });
        let other = other
            .first()
            .map(|other| (search.entries[other.table].measured.source.as_str(), search.total(&other.cost)));
        let is_spread = spreads(&search.entries[best.table], field);
        words::celebrity(maker.study, celebrity, is_spread, (search.total(&best.cost), other), shown)
    };
    maker.study.celebrities.iter().map(note).collect()
}

/// Whether the rows of one value of a field come into several regions.
fn spreads(entry: &Entry, field: FieldId) -> bool {
    let lead = entry.measured.key.value_steps().find_map(ValueStep::recovers);
    entry.choice.as_ref().is_some_and(|choice| match &choice.spread {
        Spread::Salt { by, .. } => by.iter().any(|own| *own != field),
        Spread::Within { .. } => true,
        Spread::Hash { of, .. } | Spread::Modulo { of, .. } => *of != field,
        Spread::None | Spread::Reverse => lead != Some(field),
    })
}

//! From a query to the rows to read, by one key.
//!
//! The condition is taken apart into what it says of each field ([`super::conjunct`]); the key is walked with that
//! ([`super::walk`]), as a whole or once for each side of an `or` across fields; the ranges are put in order
//! ([`super::piece`]), and the order is compared with the one asked for ([`super::order`]). A key can be walked in several
//! ways, and skip or not; each is a candidate, and the one with the lowest price is taken ([`super::price`]).

use super::conjunct::{Alternative, Conjunct, alternatives, conjuncts};
use super::guess::{Guess, SUPPOSED_ROWS};
use super::lists::Lists;
use super::order::{self, FieldOrder, Given};
use super::parse::Query;
use super::piece::{Arranged, FanOut, RankedRange, arrange};
use super::predicate::Predicate;
use super::price::{Prices, estimate};
use super::seek::{Seek, Slot};
use super::walk::{Known, TooMany, Walked};
use crate::key::{FieldId, KeySchema, ValueStep};
use crate::range::KeyRange;
use crate::remedy::Remedy;
use crate::types::Order;

/// More ranges than this are not opened for one query.
pub const MAX_FAN_OUT: usize = 1024;
/// More rows than this are not read one by one for one query.
pub const MAX_GETS: usize = 16_384;

/// How to read the rows of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Plan {
    /// By which table.
    pub via: Via,
    /// Which keys to read.
    pub access: Access,
    /// Rising keys, or falling ones.
    pub direction: Order,
    /// What must still be true of each row.
    pub residual: Predicate,
    /// The parts of the residual that a server can check as well, by comparing bytes.
    pub pushed: Vec<Predicate>,
    /// The order in which rows come without sorting.
    pub given: Vec<(FieldId, Order)>,
    /// What the rows must still be sorted by; empty if they come as asked for. Null is smaller than every value.
    pub sort: Vec<(FieldId, Order)>,
    /// At most so many rows.
    pub limit: Option<usize>,
    /// Whether no condition makes the ranges smaller than the table.
    pub whole_table: bool,
}

impl Plan {
    /// Whether a server can check all that the ranges leave open.
    pub fn checked_by_server(&self) -> bool {
        let open = match &self.residual {
            Predicate::And(parts) => parts.len(),
            _ if self.residual.is_true() => 0,
            _ => 1,
        };
        self.pushed.len() == open
    }
}

/// By which table rows are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Via {
    /// The table itself.
    Primary,
    /// An index table.
    Index {
        /// Its place among the table's index tables.
        index: usize,
        /// Whether it holds every field that is asked for, so that no row is read a second time.
        covered: bool,
    },
}

/// Which keys to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Access {
    /// None: the conditions contradict each other.
    Nothing,
    /// Single rows, in the order in which they are returned.
    Gets(Vec<Vec<u8>>),
    /// Ranges, one fan-out after another.
    Ranges(Vec<FanOut>),
}

impl Access {
    /// How many rows or ranges are asked for.
    pub fn len(&self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Gets(keys) => keys.len(),
            Self::Ranges(fan_outs) => fan_outs.iter().map(|fan_out| fan_out.ranges.len()).sum(),
        }
    }

    /// Whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What a plan may cost.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlanOptions {
    /// Whether reading the whole table is fine.
    pub full_scan: bool,
    /// Whether sorting all rows is fine, without a limit.
    pub sort: bool,
    /// The fields to return; `None` for all.
    pub columns: Option<Vec<FieldId>>,
    /// The table or index table to read by; `None` for the best. Pages of one query must all be read by the same.
    pub by: Option<String>,
    /// What the store takes for reading.
    pub prices: Prices,
}

/// A query that cannot be planned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// It would read the whole table.
    #[error(
        "the query would read the whole table: {why}; add a condition on `{leading}`, with which the key {key} begins, \
         or allow it with {}",
        Remedy::FullScan
    )]
    FullScan {
        /// Why the key is of no use.
        why: String,
        /// The first field of the key that a condition could use.
        leading: String,
        /// The notation of the key.
        key: String,
    },
    /// Rows do not come in that order.
    #[error(
        "rows do not come ordered by {asked}: with these conditions the key {key} gives {given}; order by that, bind \
         more fields, add a limit, or allow sorting with {}",
        Remedy::Sort
    )]
    Order {
        /// What was asked for.
        asked: String,
        /// What the key gives.
        given: String,
        /// The notation of the key.
        key: String,
    },
    /// Too many ranges.
    #[error(
        "the query needs {ranges} ranges, one for each value of {part}; the limit is {MAX_FAN_OUT}: bind {fields}, or \
         allow a full scan with {}",
        Remedy::FullScan
    )]
    FanOut {
        /// How many it needs.
        ranges: u64,
        /// The part of the key, as written.
        part: String,
        /// What it is computed from.
        fields: String,
    },
}

impl PlanError {
    /// What would allow the query.
    pub fn remedy(&self) -> Remedy {
        match self {
            Self::FullScan { .. } | Self::FanOut { .. } => Remedy::FullScan,
            Self::Order { .. } => Remedy::Sort,
        }
    }

    /// In a few words, where the key is named beside.
    pub(super) fn reason(&self) -> String {
        match self {
            Self::FullScan { why, .. } => format!("whole table: {why}"),
            Self::Order { given, .. } => format!("rows come by {given}"),
            Self::FanOut { ranges, part, .. } => format!("{ranges} ranges, one for each value of {part}"),
        }
    }
}

/// Plans a query over a key.
///
/// # Errors
/// When it would read the whole table without leave, needs too many ranges, or asks for an order that the key does
/// not give.
pub fn plan(key: &KeySchema, query: &Query, options: &PlanOptions) -> Result<Plan, PlanError> {
    let all = without_doubt(planned(key, query, options)?);
    let cost = |one: &Candidate| estimate(&one.plan, None, one.guess, None, &options.prices).cost;
    let best = all.into_iter().min_by(|a, b| cost(a).total_cmp(&cost(b)));
    Ok(best.expect("there is a candidate, or an error").plan)
}

/// Where nothing is known of the data, rows that are listed one by one are better than ranges that may hold many.
pub(super) fn without_doubt(mut all: Vec<Candidate>) -> Vec<Candidate> {
    if all.iter().any(|one| one.is_listed) {
        all.retain(|one| one.is_listed);
    }
    all
}

/// All plans of a query over a key that were thought of. Each gives the same rows.
///
/// # Errors
/// As [`plan`], when none is possible.
pub fn candidates(key: &KeySchema, query: &Query, options: &PlanOptions) -> Result<Vec<Plan>, PlanError> {
    Ok(planned(key, query, options)?.into_iter().map(|one| one.plan).collect())
}

/// A plan, and a guess at what it reads.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) plan: Plan,
    pub(super) guess: Guess,
    /// Whether it reads nothing but rows whose keys the query lists.
    pub(super) is_listed: bool,
}

/// All plans that are possible, at least one.
pub(super) fn planned(
    key: &KeySchema,
    query: &Query,
    options: &PlanOptions,
) -> Result<Vec<Candidate>, PlanError> {
    let conjuncts = conjuncts(&query.condition);
    let known = Known::new(key, &conjuncts, options);
    let mut ways = match whole(&known)? {
        Some(ways) => ways,
        None => {
            return Ok(vec![Candidate { plan: nothing(query), guess: Guess::default(), is_listed: true }]);
        }
    };
    if let (Some(sides), Some(first)) = (alternatives(&conjuncts), ways.first())
        && let Some(by_side) = by_alternative(&known, &sides, first)
    {
        ways.insert(0, by_side);
    }
    let mut refused = None;
    let mut all: Vec<Candidate> = Vec::with_capacity(ways.len());
    for way in ways {
        let (guess, is_listed) = (way.guess, way.is_gets() && !way.counted);
        match finish(&known, query, way) {
            Ok(plan) => all.push(Candidate { plan, guess, is_listed }),
            Err(error) => drop(refused.get_or_insert(error)),
        }
    }
    match refused.filter(|_| all.is_empty()) {
        Some(error) => Err(error),
        None => Ok(all),
    }
}

fn nothing(query: &Query) -> Plan {
    Plan {
        via: Via::Primary,
        access: Access::Nothing,
        direction: Order::Ascending,
        residual: Predicate::TRUE,
        pushed: Vec::new(),
        given: Vec::new(),
        sort: Vec::new(),
        limit: query.limit,
        whole_table: false,
    }
}

/// Ranges and what they mean, however they were found.
#[derive(Clone)]
pub(super) struct Ways {
    pub(super) arranged: Arranged,
    pub(super) used: Vec<usize>,
    pub(super) given: Given,
    pub(super) narrowed: bool,
    pub(super) guess: Guess,
    /// Whether ranges of numbers were taken for lists.
    pub(super) counted: bool,
}

impl Ways {
    /// A walk's ranges without skipping, and with skipping by more and more parts.
    fn all(known: &Known<'_>, lists: &Lists, walked: Walked) -> Vec<Self> {
        let Walked { pieces, used, stopped_at, narrowed, narrowed_by_seek, joined, heads } = walked;
        let arranged = arrange(pieces);
        let given =
            if arranged.by_rank { Given::by_rank(known.key, &known.sets, stopped_at) } else { Given::NONE };
        let seeks = || arranged.groups.iter().flatten().filter_map(|piece| piece.seek.as_ref());
        let slots = seeks().map(Seek::slots).max_by_key(|slots| slots.len()).unwrap_or_default();
        // The slot of the ranges themselves says something only where they became one.
        let says = |(place, slot): &(usize, &Slot)| !slot.is_open() && (*place > 0 || joined);
        let mut depths: Vec<usize> =
            slots.iter().enumerate().filter(says).map(|(place, _)| place + 1).rev().collect();
        if !joined {
            depths.push(0);
        }
        let deepest = seeks().max_by_key(|seek| seek.slots().len()).cloned();
        let one = |depth: usize| {
            let seek = deepest.as_ref().and_then(|seek| seek.first_slots(depth));
            Self {
                guess: known.guess(lists, stopped_at, heads, seek.as_ref()),
                arranged: arranged.skipping(depth),
                used: used.clone(),
                given: given.clone(),
                narrowed: narrowed || (narrowed_by_seek && seek.is_some()),
                counted: lists.counted,
            }
        };
        depths.into_iter().map(one).collect()
    }

    fn ranges(&self) -> usize {
        self.arranged.groups.iter().map(Vec::len).sum()
    }

    fn is_gets(&self) -> bool {
        self.arranged.groups.iter().flatten().all(|piece| piece.point().is_some())
    }
}

/// By what all conditions together say of each field, in all ways to walk.
fn whole(known: &Known<'_>) -> Result<Option<Vec<Ways>>, PlanError> {
    let mut ways = Vec::new();
    let mut refused = None;
    for lists in known.lists() {
        match known.walk(&lists) {
            Ok(None) => return Ok(None),
            Ok(Some(walked)) if lists.counted && !walked.is_gets() => {}
            Ok(Some(walked)) => ways.extend(Ways::all(known, &lists, walked)),
            Err(TooMany::Lists) => {}
            Err(TooMany::Buckets(error)) => drop(refused.get_or_insert(error)),
        }
    }
    match refused.filter(|_| ways.is_empty()) {
        Some(error) => Err(error),
        None => Ok(Some(ways)),
    }
}

/// By each side of the `or`s across fields; `None` if that is no better.
fn by_alternative(known: &Known<'_>, sides: &[Alternative], whole: &Ways) -> Option<Ways> {
    let mut pieces: Vec<RankedRange> = Vec::new();
    let mut used: Option<Vec<usize>> = None;
    let mut given: Option<Given> = None;
    let mut guess = Guess::default();
    for side in sides {
        let own = Known::new(known.key, &side.conjuncts, known.options);
        if own.is_impossible() {
            continue;
        }
        let first = own.lists().into_iter().find_map(|lists| Some((own.walk(&lists).ok()?, lists)))?;
        let (Some(walked), lists) = first else { continue };
        if !walked.narrowed && !walked.narrowed_by_seek {
            return None;
        }
        // A condition is used up if everything that this side takes from it is.
        let complete = |origin: &usize| {
            let own = side.origins.iter().enumerate().filter(|(_, from)| *from == origin);
            own.map(|(place, _)| place).all(|place| walked.used.contains(&place))
        };
        let here: Vec<usize> = (0..known.conjuncts.len()).filter(complete).collect();
        used = Some(match used {
            None => here,
            Some(before) => before.into_iter().filter(|origin| here.contains(origin)).collect(),
        });
        let order = Given::by_rank(known.key, &known.sets, walked.stopped_at);
        given = Some(given.map_or(order.clone(), |before| before.common(&order)));
        let (cheapest, skipped) = cheapest(&own, &lists, walked);
        pieces.extend(cheapest);
        guess.add(skipped);
    }
    let arranged = arrange(pieces);
    let given = if arranged.by_rank { given.unwrap_or(Given::NONE) } else { Given::NONE };
    let ways =
        Ways { arranged, used: used.unwrap_or_default(), given, narrowed: true, guess, counted: false };
    // An order that gets lost is dearer than a few rows more.
    let keeps_order = ways.given.by.len() >= whole.given.by.len() || ways.is_gets();
    (ways.ranges() <= MAX_FAN_OUT && (keeps_order || !whole.narrowed)).then_some(ways)
}

/// The pieces of a walk, skipping if that is supposed to be cheaper or is what keeps them small.
fn cheapest(known: &Known<'_>, lists: &Lists, walked: Walked) -> (Vec<RankedRange>, Guess) {
    let jump = f64::from(known.options.prices.jump);
    let must_skip = !walked.narrowed;
    let price = |ways: &Ways| SUPPOSED_ROWS * ways.guess.share + ways.guess.jumps * (1.0 + jump);
    let all = Ways::all(known, lists, walked).into_iter().filter(|ways| !must_skip || ways.narrowed);
    let best = all.min_by(|a, b| price(a).total_cmp(&price(b)));
    best.map_or((Vec::new(), Guess::default()), |best| {
        (best.arranged.groups.into_iter().flatten().collect(), best.guess)
    })
}

pub(super) fn finish(known: &Known<'_>, query: &Query, ways: Ways) -> Result<Plan, PlanError> {
    let (key, options) = (known.key, known.options);
    let ranges = ways.ranges();
    let left = |place: &usize| !ways.used.contains(place);
    let rest: Vec<&Conjunct> =
        (0..known.conjuncts.len()).filter(left).filter_map(|place| known.conjuncts.get(place)).collect();
    let asked = order::asked(&query.order_by, &known.sets);
    let single = ways.is_gets() && ranges <= 1;
    let direction = if single { Some(Order::Ascending) } else { ways.given.direction(&asked) };
    let sort: FieldOrder = if direction.is_some() { Vec::new() } else { asked.clone() };
    // Single rows are few enough to sort.
    if !sort.is_empty() && query.limit.is_none() && !options.sort && !ways.is_gets() {
        return Err(PlanError::Order {
            asked: order::describe(key, &query.order_by),
            given: order::describe(key, &ways.given.by),
            key: key.source().to_owned(),
        });
    }
    let bounded = query.limit.is_some() && rest.is_empty() && sort.is_empty();
    if !ways.narrowed && !bounded && !options.full_scan {
        let (leading, why) = (leading_field(key), full_scan_reason(known, &ways, &sort));
        return Err(PlanError::FullScan { why, leading, key: key.source().to_owned() });
    }
    let residual = match rest.as_slice() {
        [only] => only.predicate.clone(),
        all => Predicate::And(all.iter().map(|conjunct| conjunct.predicate.clone()).collect()),
    };
    let direction = direction.unwrap_or(Order::Ascending);
    let whole_table = !ways.narrowed;
    let given = turned(&ways.given.by, direction);
    let access = access(ways, direction);
    Ok(Plan {
        via: Via::Primary,
        access,
        direction,
        residual,
        pushed: Vec::new(),
        given,
        sort,
        limit: query.limit,
        whole_table,
    })
}

fn turned(order: &[(FieldId, Order)], direction: Order) -> FieldOrder {
    let turn = |order: Order| if direction == Order::Descending { order.reversed() } else { order };
    order.iter().map(|(field, order)| (*field, turn(*order))).collect()
}

fn access(ways: Ways, direction: Order) -> Access {
    let gets = ways.is_gets();
    let Arranged { mut groups, by_rank } = ways.arranged;
    if !by_rank {
        // Nothing is promised about their order, so they may all be read at once.
        let mut all: Vec<RankedRange> = groups.into_iter().flatten().collect();
        all.iter_mut().for_each(|piece| piece.fixed = 0);
        groups = vec![all];
    }
    if direction == Order::Descending {
        groups.reverse();
    }
    if gets {
        let mut keys = Vec::new();
        for mut group in groups {
            if direction == Order::Descending {
                group.reverse();
            }
            keys.extend(group.iter().filter_map(RankedRange::point).map(<[u8]>::to_vec));
        }
        return if keys.is_empty() { Access::Nothing } else { Access::Gets(keys) };
    }
    let fan_out = |group: Vec<RankedRange>| {
        let merge_from = match group.as_slice() {
            [_] => 0,
            several => several.first().map_or(0, |piece| piece.fixed),
        };
        let mut seeks = group.iter().map(|piece| piece.seek.clone());
        let first = seeks.next().flatten();
        let seek = seeks.try_fold(first, |all, one| match (all, one) {
            (Some(all), Some(one)) if all == one => Some(Some(all)),
            (Some(all), Some(one)) => Some(all.or(&one)),
            _ => None,
        });
        let seek = seek.flatten();
        // Keys at the ends of a range that cannot match are not even looked at.
        let within = |range: KeyRange| seek.as_ref().map_or(range.clone(), |seek| seek.within(&range));
        let ranges = group.into_iter().map(|piece| within(piece.range)).filter(|range| !range.is_empty());
        FanOut { ranges: ranges.collect(), merge_from, seek: seek.clone() }
    };
    let mut fan_outs: Vec<FanOut> = groups.into_iter().map(fan_out).collect();
    fan_outs.retain(|fan_out| !fan_out.ranges.is_empty());
    if fan_outs.is_empty() { Access::Nothing } else { Access::Ranges(fan_outs) }
}

/// The first field with which a range could begin.
pub(super) fn leading_field(key: &KeySchema) -> String {
    // Buckets can be listed, and a range begins behind each. What stands behind a digest begins none.
    let begins = |step: &&ValueStep| step.recovers().is_some() || step.bucket_count().is_none();
    let field = |step: &ValueStep| step.recovers().or_else(|| step.fields().first().copied());
    let first = key.value_steps().find(begins).and_then(field);
    let first = first.or_else(|| key.named_fields().first().copied());
    first.map_or_else(|| "a field".to_owned(), |id| key.fields().get(id).name.clone())
}

fn full_scan_reason(known: &Known<'_>, ways: &Ways, sort: &FieldOrder) -> String {
    let pieces = ways.arranged.groups.iter().flatten();
    if let Some(seek) = pieces.filter_map(|piece| piece.seek.as_ref()).next() {
        return format!("it would have to skip over every value of {}", seek.labels().join(""));
    }
    if known.conjuncts.is_empty() {
        return if sort.is_empty() {
            "there is no condition and no limit".to_owned()
        } else {
            "there is no condition, and rows do not come in the order asked for".to_owned()
        };
    }
    let leading = leading_field(known.key);
    let on_it = known.key.fields().id(&leading).is_some_and(|field| {
        known.conjuncts.iter().any(|conjunct| conjunct.predicate.fields().contains(&field))
    });
    if on_it {
        format!("what it says of `{leading}` has no range in the key")
    } else {
        "no condition is on a part at the beginning of the key".to_owned()
    }
}

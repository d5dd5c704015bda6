//! From a query to the rows to read, by one key.
//!
//! The condition is taken apart into what it says of each field ([`super::conjunct`]); the key is walked with that
//! ([`super::walk`]), as a whole or once for each side of an `or` across fields; the ranges are put in order
//! ([`super::piece`]), and the order is compared with the one asked for ([`super::order`]).

use super::conjunct::{Alternative, Conjunct, alternatives, conjuncts};
use super::order::{self, FieldOrder, Given};
use super::parse::Query;
use super::piece::{Arranged, FanOut, Piece, arrange};
use super::predicate::Predicate;
use super::walk::{Known, Walked};
use crate::key::{FieldId, KeySchema, ValueStep};
use crate::types::Order;

/// More ranges than this are not opened for one query.
pub const MAX_FAN_OUT: usize = 1024;

/// How to read the rows of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
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
}

/// A query that cannot be planned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// It would read the whole table.
    #[error(
        "the query would read the whole table: {why}; add a condition on `{leading}`, with which the key {key} begins, \
         or allow it with --full-scan"
    )]
    FullScan {
        /// Why the key is of no use.
        why: String,
        /// The first field of the key that a condition could use.
        leading: String,
        /// The key.
        key: String,
    },
    /// Rows do not come in that order.
    #[error(
        "rows do not come ordered by {asked}: with these conditions the key {key} gives {given}; order by that, bind \
         more fields, add a limit, or allow sorting with --sort"
    )]
    Order {
        /// What was asked for.
        asked: String,
        /// What the key gives.
        given: String,
        /// The key.
        key: String,
    },
    /// Too many ranges.
    #[error(
        "the query needs {ranges} ranges, one for each value of {part}; the limit is {MAX_FAN_OUT}: bind {fields}, or \
         allow a full scan with --full-scan"
    )]
    FanOut {
        /// How many it needs.
        ranges: u64,
        /// The part.
        part: String,
        /// What it is computed from.
        fields: String,
    },
    /// Too many values in lists.
    #[error(
        "the lists of the query make {ranges} ranges; the limit is {MAX_FAN_OUT}: shorten them, or allow it with \
         --full-scan"
    )]
    Lists {
        /// How many.
        ranges: usize,
    },
}

impl PlanError {
    /// In a few words, where the key is named beside.
    pub(super) fn reason(&self) -> String {
        match self {
            Self::FullScan { why, .. } => format!("whole table: {why}"),
            Self::Order { given, .. } => format!("rows come by {given}"),
            Self::FanOut { ranges, part, .. } => format!("{ranges} ranges, one for each value of {part}"),
            Self::Lists { ranges } => format!("{ranges} ranges by its lists"),
        }
    }
}

/// Plans a query over a key.
///
/// # Errors
/// When it would read the whole table without leave, needs too many ranges, or asks for an order that the key does
/// not give.
pub fn plan(key: &KeySchema, query: &Query, options: &PlanOptions) -> Result<Plan, PlanError> {
    plan_with_share(key, query, options).map(|(plan, _)| plan)
}

/// A plan, and a guess at the share of the table that it reads.
pub(super) fn plan_with_share(
    key: &KeySchema,
    query: &Query,
    options: &PlanOptions,
) -> Result<(Plan, f64), PlanError> {
    let conjuncts = conjuncts(&query.condition);
    let known = Known::new(key, &conjuncts, options);
    let Some(whole) = whole(&known)? else {
        let nothing = Plan {
            via: Via::Primary,
            access: Access::Nothing,
            direction: Order::Ascending,
            residual: Predicate::TRUE,
            pushed: Vec::new(),
            given: Vec::new(),
            sort: Vec::new(),
            limit: query.limit,
            whole_table: false,
        };
        return Ok((nothing, 0.0));
    };
    let ways = match alternatives(&conjuncts) {
        Some(sides) => by_alternative(&known, &sides, &whole).unwrap_or(whole),
        None => whole,
    };
    let share = ways.share;
    finish(&known, query, ways).map(|plan| (plan, share))
}

/// Ranges and what they mean, however they were found.
struct Ways {
    arranged: Arranged,
    used: Vec<usize>,
    given: Given,
    narrowed: bool,
    /// A guess at the share of the table.
    share: f64,
}

impl Ways {
    fn new(known: &Known<'_>, walked: Walked) -> Self {
        let arranged = arrange(walked.pieces);
        let given = if arranged.by_rank {
            Given::by_rank(known.key, &known.sets, walked.stopped_at)
        } else {
            Given::NONE
        };
        let share = known.share(walked.stopped_at);
        Self { arranged, used: walked.used, given, narrowed: walked.narrowed, share }
    }

    fn ranges(&self) -> usize {
        self.arranged.groups.iter().map(Vec::len).sum()
    }

    fn is_gets(&self) -> bool {
        self.arranged.groups.iter().flatten().all(|piece| piece.point().is_some())
    }
}

/// By what all conditions together say of each field.
fn whole(known: &Known<'_>) -> Result<Option<Ways>, PlanError> {
    Ok(known.walk()?.map(|walked| Ways::new(known, walked)))
}

/// By each side of the `or`s across fields; `None` if that is no better.
fn by_alternative(known: &Known<'_>, sides: &[Alternative], whole: &Ways) -> Option<Ways> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut used: Option<Vec<usize>> = None;
    let mut given: Option<Given> = None;
    let mut share = 0.0;
    for side in sides {
        let own = Known::new(known.key, &side.conjuncts, known.options);
        let Some(walked) = own.walk().ok()? else { continue };
        if !walked.narrowed {
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
        pieces.extend(walked.pieces);
        share += own.share(walked.stopped_at);
    }
    let arranged = arrange(pieces);
    let given = if arranged.by_rank { given.unwrap_or(Given::NONE) } else { Given::NONE };
    let ways = Ways { arranged, used: used.unwrap_or_default(), given, narrowed: true, share };
    // An order that gets lost is dearer than a few rows more.
    let keeps_order = ways.given.by.len() >= whole.given.by.len() || ways.is_gets();
    (ways.ranges() <= MAX_FAN_OUT && (keeps_order || !whole.narrowed)).then_some(ways)
}

fn finish(known: &Known<'_>, query: &Query, ways: Ways) -> Result<Plan, PlanError> {
    let (key, options) = (known.key, known.options);
    let ranges = ways.ranges();
    if ranges > MAX_FAN_OUT && !ways.is_gets() && !options.full_scan {
        return Err(PlanError::Lists { ranges });
    }
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
        let mut all: Vec<Piece> = groups.into_iter().flatten().collect();
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
            keys.extend(group.iter().filter_map(Piece::point).map(<[u8]>::to_vec));
        }
        return if keys.is_empty() { Access::Nothing } else { Access::Gets(keys) };
    }
    let fan_out = |group: Vec<Piece>| {
        let merge_from = match group.as_slice() {
            [_] => 0,
            several => several.first().map_or(0, |piece| piece.fixed),
        };
        let seek = group.first().and_then(|piece| piece.seek.clone());
        let seek = seek.filter(|seek| group.iter().all(|piece| piece.seek.as_ref() == Some(seek)));
        FanOut { ranges: group.into_iter().map(|piece| piece.range).collect(), merge_from, seek }
    };
    Access::Ranges(groups.into_iter().map(fan_out).collect())
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

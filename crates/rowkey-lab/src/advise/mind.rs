//! What would have to be different for another design to be the best.
//!
//! The cost of every design is linear in the share of a query, and in the share of writes. So there is one share at which
//! another design becomes cheaper than the recommended one, and it is computed: beginning at the end of the scale, the
//! crossing with the winner there is taken, then the crossing with the winner at that crossing, until none is nearer. These winners are made and
//! simulated; what is said is where the lines of the simulated designs cross.
//!
//! **Law** (`tests/advise.rs`): past the share that is named, the named design costs less; before it, the recommended one does.

use super::price::Cost;
use super::search::{Combination, Search};

/// What would have to change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// The share of writes among all operations.
    Writes,
    /// The share of a query among all queries.
    Query(usize),
}

/// Ends of the scale: nothing is asked always or never.
const ENDS: [f64; 2] = [0.001, 0.999];
/// What another design must save at the end of the scale to be worth a word.
const WORTH: f64 = 0.05;
/// What a nearer one must save: less is as good as nothing.
const EQUAL: f64 = 0.02;
/// Shares of a workload that are realistic enough to be mentioned.
const WORTH_SAYING: std::ops::RangeInclusive<f64> = 0.01..=0.99;
/// So many winners are looked at on the way.
const MOST: usize = 8;

/// Everything that can change, in both directions: what, and the end of its scale.
pub(super) fn scales(search: &Search<'_>) -> Vec<(What, f64)> {
    let queries = if search.shares.len() > 1 { search.shares.len() } else { 0 };
    let all = std::iter::once(What::Writes).chain((0..queries).map(What::Query));
    all.flat_map(|what| ENDS.map(|end| (what, end))).collect()
}

/// The share as it is.
pub(super) fn share(search: &Search<'_>, what: What) -> f64 {
    match what {
        What::Writes => search.writes,
        What::Query(query) => search.shares.get(query).copied().unwrap_or(0.0),
    }
}

/// The designs of the search that win where a share is another.
pub(super) fn winners(search: &Search<'_>, best: &Cost) -> Vec<Combination> {
    let found = scales(search).into_iter().filter_map(|(what, end)| turn(search, best, what, end));
    // At the very ends there is nothing to weigh any more.
    found.filter(|(at, _)| WORTH_SAYING.contains(at)).map(|(_, winner)| winner).collect()
}

/// A share from which on another design of the search is the best.
fn turn(search: &Search<'_>, best: &Cost, what: What, end: f64) -> Option<(f64, Combination)> {
    let mut found: Option<(f64, Combination)> = None;
    for step in 0..MOST {
        let at = found.as_ref().map_or(end, |(at, _)| *at);
        let (writes, shares) = weights(search, what, at);
        let winner = search.winner(writes, &shares)?;
        let worth = if step == 0 { WORTH } else { EQUAL };
        let Some(crossing) = crossed(search, what, (best, &winner.cost), at, worth) else { break };
        found = Some((crossing, winner));
    }
    found
}

/// The share between now and the end of the scale at which another design begins to cost less than the best; `None` if it does not, or hardly.
pub(super) fn crossing(search: &Search<'_>, what: What, best: &Cost, other: &Cost, end: f64) -> Option<f64> {
    crossed(search, what, (best, other), end, WORTH).filter(|at| WORTH_SAYING.contains(at))
}

fn crossed(
    search: &Search<'_>,
    what: What,
    (best, other): (&Cost, &Cost),
    end: f64,
    worth: f64,
) -> Option<f64> {
    let now = share(search, what);
    let total = |cost: &Cost, at: f64| {
        let (writes, shares) = weights(search, what, at);
        cost.total(writes, &shares)
    };
    // Two lines: how far the other one is below at the end, and above now. If it is not above, the best was taken for another reason.
    let (gain, above) = (total(best, end) - total(other, end), total(other, now) - total(best, now));
    let crosses = gain > worth * total(best, end) && above > 0.0;
    crosses.then(|| now + (end - now) * above / (above + gain))
}

/// The weights when one share is another; the other queries keep their proportions.
fn weights(search: &Search<'_>, what: What, at: f64) -> (f64, Vec<f64>) {
    match what {
        What::Writes => (at, search.shares.clone()),
        What::Query(query) => {
            let now = search.shares.get(query).copied().unwrap_or(0.0);
            let rest = if now < 1.0 { (1.0 - at) / (1.0 - now) } else { 0.0 };
            let share = |(place, share): (usize, &f64)| if place == query { at } else { share * rest };
            (search.writes, search.shares.iter().enumerate().map(share).collect())
        }
    }
}

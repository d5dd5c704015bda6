//! What would have to be different for another design to be the best?
//!
//! The cost of every design is linear in the share of a query, and in the share of writes. So there is one share at which
//! another design becomes cheaper than the recommended one, and it is computed: beginning at the end of the scale, the
//! crossing with the winner there is taken, then the crossing with the winner at that crossing, until none is nearer.
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

/// A share from which on another design is the best.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Turn {
    pub(super) what: What,
    /// The share as it is.
    pub(super) now: f64,
    /// The share at which the other design begins to win.
    pub(super) at: f64,
    pub(super) winner: Combination,
}

/// Ends of the scale: nothing is asked always or never.
const ENDS: [f64; 2] = [0.001, 0.999];
/// What another design must save at the end of the scale to be worth a word.
const WORTH: f64 = 0.05;
/// What a nearer one must save: less is as good as nothing.
const EQUAL: f64 = 0.02;
/// Shares that somebody may have.
const WORTH_SAYING: std::ops::RangeInclusive<f64> = 0.01..=0.99;
/// So many winners are looked at on the way.
const MOST: usize = 8;

/// All shares at which another design begins to win.
pub(super) fn turns(search: &Search<'_>, best: &Cost) -> Vec<Turn> {
    let queries = if search.shares.len() > 1 { search.shares.len() } else { 0 };
    let mut all: Vec<Turn> = Vec::new();
    for what in std::iter::once(What::Writes).chain((0..queries).map(What::Query)) {
        for end in ENDS {
            all.extend(turn(search, best, what, end));
        }
    }
    // At the very ends there is nothing to weigh any more.
    all.retain(|turn| WORTH_SAYING.contains(&turn.at));
    all
}

fn turn(search: &Search<'_>, best: &Cost, what: What, end: f64) -> Option<Turn> {
    let now = match what {
        What::Writes => search.writes,
        What::Query(query) => search.shares.get(query).copied()?,
    };
    let total = |cost: &Cost, at: f64| {
        let (writes, shares) = weights(search, what, at);
        cost.total(writes, &shares)
    };
    let winner = |at: f64| {
        let (writes, shares) = weights(search, what, at);
        search.winner(writes, &shares)
    };
    let mut found: Option<Turn> = None;
    let mut at = end;
    for step in 0..MOST {
        let candidate = winner(at)?;
        let gain = total(best, at) - total(&candidate.cost, at);
        let worth = if step == 0 { WORTH } else { EQUAL };
        if gain <= worth * total(best, at) {
            break;
        }
        // Two lines: how far the other one is below at `at`, and above now.
        let above = total(&candidate.cost, now) - total(best, now);
        if above <= 0.0 {
            // The recommended one was taken for being simpler; there is nothing to turn.
            break;
        }
        let crossing = now + (at - now) * above / (above + gain);
        found = Some(Turn { what, now, at: crossing, winner: candidate });
        at = crossing;
    }
    found
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

//! Which of the designs is recommended?
//!
//! The one that costs least with the weights as they are; if it sends its writes to few servers, one that spreads them and costs
//! hardly more; among those within two hundredths of it, the simplest. What somebody has already is simplest of all.

use super::search::{Combination, Search};

/// Designs that differ by less than this are equal, and the simpler one is better.
const EQUAL: f64 = 0.02;
/// A design whose busiest server takes so many times the mean of the writes is hot: it stops growing with the cluster, which its cost,
/// an average, does not show …
const HOT: f64 = 2.0;
/// … and one that is not hot is better if it costs no more than this above it.
const COOLER: f64 = 0.05;
/// An index table is worth that much simplicity.
const INDEX_COMPLEXITY: usize = 8;

/// The recommended one, by the one that costs least and, perhaps, the one that somebody has.
pub(super) fn best(search: &Search<'_>, least: &Combination, given: Option<&Combination>) -> Combination {
    let total = |combination: &Combination| combination.cost.total(search.writes, &search.shares);
    let with_each_key = (0..search.entries.len())
        .filter(|place| search.entries.get(*place).is_some_and(|entry| entry.choice.is_some()))
        .map(|table| search.best_with(table, search.writes, &search.shares));
    let mut all: Vec<Combination> = given.into_iter().cloned().chain(with_each_key).collect();
    let mut limit = total(least) * (1.0 + EQUAL);
    if is_hot(search, least) {
        let cool = all.iter().filter(|combination| !is_hot(search, combination));
        let cheapest = cool.map(&total).min_by(f64::total_cmp);
        if let Some(cheapest) = cheapest.filter(|cheapest| *cheapest <= total(least) * (1.0 + COOLER)) {
            all.retain(|combination| !is_hot(search, combination));
            limit = cheapest * (1.0 + EQUAL);
        }
    }
    all.retain(|combination| total(combination) <= limit);
    if let Some(given) = given.filter(|given| all.contains(given)) {
        return given.clone();
    }
    let complexity = |combination: &Combination| {
        let of = |place: usize| search.entries.get(place).map_or(0, |entry| entry.complexity);
        let indexes = combination.indexes.iter();
        of(combination.table) + indexes.map(|(place, _)| of(*place) + INDEX_COMPLEXITY).sum::<usize>()
    };
    all.into_iter()
        .min_by(|a, b| complexity(a).cmp(&complexity(b)).then_with(|| total(a).total_cmp(&total(b))))
        .unwrap_or_else(|| least.clone())
}

/// Whether some table of a design sends its writes to few servers.
fn is_hot(search: &Search<'_>, combination: &Combination) -> bool {
    let indexes = combination.indexes.iter().map(|(place, _)| *place);
    let mut places = std::iter::once(combination.table).chain(indexes);
    places.any(|place| search.entries.get(place).is_some_and(|entry| entry.measured.hot.usual >= HOT))
}

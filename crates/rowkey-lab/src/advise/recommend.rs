//! Which of the designs is recommended?
//!
//! The search ranks designs by what their tables cost one by one. The best of them are then made, as table files, and simulated; by those figures
//! the cheapest wins. If it sends its writes to few servers, one that spreads them and costs hardly more; among those within two
//! hundredths of it, one whose index tables are spread, then the simplest. The table that is there already is simplest of all. A design that a rule of `check` warns of, or that leaves regions
//! without a row, is recommended only if there is no other.

use rowkey_core::Table;
use rowkey_core::check::{Severity, check_table};

use super::design::Spread;
use super::proposal::{Maker, Proposal};
use super::search::Combination;

/// Designs that differ by less than this are equal, and the simpler one is better.
pub(super) const EQUAL: f64 = 0.02;
/// A design whose busiest server takes so many times the mean of the writes is hot: it stops growing with the cluster, which its cost,
/// an average, does not show …
pub(super) const HOT: f64 = 2.0;
/// … and one that is not hot is better if it costs no more than this above it.
pub(super) const COOLER: f64 = 0.05;
/// An index table is worth that much simplicity.
const INDEX_COMPLEXITY: usize = 8;
/// So many designs are made and simulated.
const MADE: usize = 24;
/// … and as many again, until so many of them are sound, or so many were made.
const SOUND: usize = 8;
const MOST_MADE: usize = 96;

/// The recommended one, by the one that costs least and, perhaps, the one that is there already.
pub(super) fn best(maker: &Maker<'_>, least: &Combination) -> Combination {
    let search = maker.search;
    let mut made: Vec<(Combination, Proposal)> = Vec::new();
    let mut sound = 0;
    let mut all: Vec<Combination> = maker.given.into_iter().cloned().collect();
    all.extend(search.cheapest(|entry| entry.choice.is_some()));
    for block in all.chunks(MADE).take(MOST_MADE / MADE) {
        // The cheapest may all have the same fault.
        if sound >= SOUND {
            break;
        }
        for (combination, proposal) in block.iter().zip(maker.make_each(block)) {
            if let Some(proposal) = proposal {
                sound += usize::from(is_sound(&proposal));
                made.push((combination.clone(), proposal));
            }
        }
    }
    if sound > 0 {
        made.retain(|(_, proposal)| proposal.given || is_sound(proposal));
    }
    let cost = |(_, proposal): &(Combination, Proposal)| proposal.figures.total;
    let cheapest = |made: &[(Combination, Proposal)]| made.iter().map(cost).min_by(f64::total_cmp);
    let is_hot = |(_, proposal): &(Combination, Proposal)| proposal.figures.hot.usual >= HOT;
    let Some(mut least_cost) = cheapest(&made) else { return least.clone() };
    if made.iter().find(|one| cost(one) <= least_cost).is_some_and(is_hot) {
        let cool: Vec<_> = made.iter().filter(|one| !is_hot(one)).cloned().collect();
        if let Some(cost) = cheapest(&cool).filter(|cost| *cost <= least_cost * (1.0 + COOLER)) {
            (made, least_cost) = (cool, cost);
        }
    }
    made.retain(|one| cost(one) <= least_cost * (1.0 + EQUAL));
    if let Some((given, _)) = made.iter().find(|(_, proposal)| proposal.given) {
        return given.clone();
    }
    let complexity = |(combination, _): &(Combination, Proposal)| {
        let of = |place: usize| search.entries[place].complexity;
        let indexes = combination.indexes.iter();
        of(combination.table) + indexes.map(|(place, _)| of(*place) + INDEX_COMPLEXITY).sum::<usize>()
    };
    // An entry is written twice, so values that all come at one end tomorrow hurt most in an index table that begins with them.
    let at_risk = |(combination, _): &(Combination, Proposal)| {
        let spread = |place: usize| search.entries[place].choice.as_ref().map(|choice| &choice.spread);
        let begins_with_a_field = |(place, _): &&(usize, bool)| {
            matches!(spread(*place), Some(Spread::None | Spread::Within { .. }))
        };
        combination.indexes.iter().filter(begins_with_a_field).count()
    };
    let simplest = made.iter().min_by(|a, b| {
        let by_words = (at_risk(a), complexity(a)).cmp(&(at_risk(b), complexity(b)));
        by_words.then_with(|| cost(a).total_cmp(&cost(b)))
    });
    simplest.map_or_else(|| least.clone(), |(combination, _)| combination.clone())
}

/// Whether our own rules have nothing against a design, and every region gets rows.
pub(super) fn is_sound(proposal: &Proposal) -> bool {
    against(proposal).is_none()
}

/// What our own rules have against a design; or that regions get no row.
pub(super) fn against(proposal: &Proposal) -> Option<String> {
    if proposal.figures.idle > 0 {
        return Some(format!(
            "{} of its {} regions get no row",
            proposal.figures.idle,
            proposal.splits.len() + 1
        ));
    }
    let issues =
        Table::parse("advised.toml", &proposal.file).map(|table| check_table(&table)).unwrap_or_default();
    let warned = issues.into_iter().find(|issue| issue.severity >= Severity::Warning)?;
    Some(format!("rule {}: {}", warned.rule.id, warned.message))
}

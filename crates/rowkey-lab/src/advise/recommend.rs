//! Chooses the recommended design.
//!
//! The search ranks designs by what their tables cost one by one. The best of them are then made, as table files, and simulated, those near the cheapest with
//! the values of three seeds; by the mean of these figures the cheapest wins, and among those within two hundredths of it one whose index tables
//! are spread, then the simplest. The table that is there already is simplest of all.
//!
//! What `check` and `simulate` have against a design with these records is a [`Warning`]. One with a warning is recommended only if all that were made have one; where
//! all that is wrong is that some values have more records than others, which its cost shows, also if every other costs over a twentieth more. Advice
//! names every warning of what it recommends.

use rowkey_core::Table;
use rowkey_core::check::{Severity, check_table_over};

use super::confidence::draw_again;
use super::design::Spread;
use super::proposal::{Maker, Proposal};
use super::search::Combination;
use crate::diagnose::{Name, diagnose_table};
use crate::model::Data;
use crate::simulate::Outcome;
use crate::verdict::facts_of;

/// Designs that differ by less than this are equal, and the simpler one is better.
pub(super) const EQUAL: f64 = 0.02;
/// A design without a warning is better than an uneven one if it costs no more than this above it: an average does not show that a table
/// stops growing with the cluster.
pub(super) const SOUNDER: f64 = 0.05;
/// Designs that cost so much more with the values of one seed are not simulated with those of others.
const NEAR: f64 = 0.1;
/// An index table is worth that much simplicity.
const INDEX_COMPLEXITY: usize = 8;
/// So many designs are made and simulated.
const MADE: usize = 24;
/// … and as many again, until so many of them are sound, or so many were made.
const SOUND: usize = 8;
const MOST_MADE: usize = 96;

/// What our own rules have against a design.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The rule of `check` or the verdict of `simulate`, and its reason.
    pub text: String,
    /// Whether it is only about values that have more records than others.
    pub is_uneven: bool,
}

/// What `check` and `simulate` have against a table with these records.
pub(super) fn warnings(table: &Table, data: &Data<'_>, outcome: &Outcome) -> Vec<Warning> {
    let issues = check_table_over(table, facts_of(table, data.columns).as_ref());
    let warned = issues.into_iter().filter(|issue| issue.severity >= Severity::Warning);
    let rules = warned.map(|issue| Warning {
        text: format!("rule {}: {}", issue.rule.id, issue.message),
        is_uneven: issue.rule.id == "skew",
    });
    let verdicts = diagnose_table(outcome, table, Some(data)).into_iter();
    let verdicts = verdicts.filter(|verdict| verdict.name.is_bad()).map(|verdict| Warning {
        text: format!("{}: {}", verdict.name.text(), verdict.message),
        is_uneven: matches!(verdict.name, Name::HotRange | Name::SingleKey),
    });
    rules.chain(verdicts).collect()
}

/// The recommended one, by the one that costs least and, perhaps, the one that is there already.
pub(super) fn best(maker: &Maker<'_>, least: &Combination) -> Combination {
    let search = maker.search;
    let mut made: Vec<(Combination, Proposal)> = Vec::new();
    let mut all: Vec<Combination> = maker.given.into_iter().cloned().collect();
    all.extend(search.cheapest(|entry| entry.choice.is_some()));
    let is_sound = |(_, proposal): &&(Combination, Proposal)| proposal.warnings.is_empty();
    for block in all.chunks(MADE).take(MOST_MADE / MADE) {
        // The cheapest may all have the same fault.
        if made.iter().filter(is_sound).count() >= SOUND {
            break;
        }
        let proposals = block.iter().cloned().zip(maker.make_each(block));
        made.extend(proposals.filter_map(|(combination, proposal)| Some((combination, proposal?))));
    }
    let wrong = |(_, proposal): &(Combination, Proposal)| {
        proposal.warnings.iter().filter(|warning| !warning.is_uneven).count()
    };
    let fewest = made.iter().map(wrong).min();
    made.retain(|one| Some(wrong(one)) == fewest);
    let cost = |(_, proposal): &(Combination, Proposal)| proposal.mean_total();
    let near = |made: &mut Vec<(Combination, Proposal)>, by: f64| {
        let least = made.iter().map(cost).fold(f64::INFINITY, f64::min);
        made.retain(|one| cost(one) <= least * (1.0 + by));
    };
    near(&mut made, NEAR);
    draw_again(maker, made.iter_mut().map(|(_, proposal)| proposal).collect());
    near(&mut made, SOUNDER);
    // A further index table would only take the heavy values from the table.
    let tables =
        made.iter().min_by(|a, b| cost(a).total_cmp(&cost(b))).map_or(0, |(own, _)| own.indexes.len());
    let is_sounder = |one: &(Combination, Proposal)| is_sound(&one) && one.0.indexes.len() <= tables;
    if made.iter().any(is_sounder) {
        made.retain(is_sounder);
    }
    near(&mut made, EQUAL);
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

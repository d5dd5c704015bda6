//! Why the usual key is not the best.
//!
//! Four designs come up in every discussion: the time first, a salt by what identifies a record, a hash in front, the id turned round. For each of
//! them that was looked at and is not recommended, the best of its kind is simulated and compared.

use super::design::Spread;
use super::proposal::{Maker, Proposal};
use super::search::Entry;
use super::{Study, recommend, words};

/// A favourite that is not recommended.
#[derive(Debug, Clone, PartialEq)]
pub struct Rejected {
    /// Such as `a hash in front`.
    pub what: &'static str,
    /// The key of the best of its kind.
    pub key: String,
    /// What an operation costs.
    pub cost: f64,
    /// Why it is not recommended.
    pub why: String,
}

/// Its name, and whether a key is of it.
type Kind = (&'static str, fn(&Entry, &Study) -> bool);

const KINDS: [Kind; 4] = [
    ("the time first", is_time_first),
    ("a salt by the identity", |entry, study| match spread(entry) {
        Some(Spread::Salt { by, .. }) => *by == study.identity,
        _ => false,
    }),
    ("a hash in front", |entry, _| matches!(spread(entry), Some(Spread::Hash { .. }))),
    ("the first field reversed", |entry, _| spread(entry) == Some(&Spread::Reverse)),
];

fn spread(entry: &Entry) -> Option<&Spread> {
    entry.choice.as_ref().map(|choice| &choice.spread)
}

fn is_time_first(entry: &Entry, study: &Study) -> bool {
    let lead = entry.measured.key.value_steps().next().and_then(rowkey_core::key::ValueStep::recovers);
    spread(entry) == Some(&Spread::None) && lead.is_some() && lead == study.time
}

/// The favourites beside the recommended design.
pub(super) fn rejected(maker: &Maker<'_>, best: &Proposal) -> Vec<Rejected> {
    let study = maker.study;
    let mut all = Vec::new();
    for (what, is_kind) in KINDS {
        let of_kind = maker.search.cheapest(|entry| is_kind(entry, study));
        let made = of_kind.first().and_then(|least| maker.make(least));
        let Some(made) = made.filter(|made| made.key != best.key) else { continue };
        let cost = made.figures.total;
        let why = match made.warnings.first() {
            Some(warning) => warning.text.clone(),
            None if cost <= best.figures.total * (1.0 + recommend::EQUAL) => {
                "costs about the same, and the recommended one is simpler or spreads writes better".to_owned()
            }
            None => words::trade_off(&made, Some(best), study).0,
        };
        all.push(Rejected { what, key: made.key, cost, why });
    }
    all
}

//! How certain the advice is.
//!
//! Values for `?` are drawn by chance. So designs that are nearly the best, and those that are shown, are simulated with the values of two more seeds, and it
//! is said when the difference between the first two is no larger than what chance does, or when another one wins with other values.

use super::proposal::{Maker, Proposal};
use super::recommend::{EQUAL, SOUNDER};
use super::search::each;
use super::words::percent;
use crate::workload::Workload;
use rowkey_core::remedy::Remedy;

/// So many seeds beside the one that was asked for.
const MORE: u64 = 2;

/// Adds what every design costs with the values of other seeds.
pub(super) fn draw_again(maker: &Maker<'_>, mut proposals: Vec<&mut Proposal>) {
    let (study, options) = (maker.study, maker.options);
    let workload = Workload { queries: study.questions.clone(), draws: options.draws.max(1) };
    let columns = study.sample.columns();
    let data = study.sample.data(&study.fields, &columns);
    for more in 1..=MORE {
        // The queries were read before, over the same fields.
        let Ok(asked) = workload.draw(&data, options.seed.wrapping_add(more)) else { return };
        let again = each(&proposals, options.threads, |proposal| {
            maker.simulated(proposal, &asked, study.sample.rows).map(|(_, cost)| maker.search.total(&cost))
        });
        for (proposal, again) in proposals.iter_mut().zip(again) {
            proposal.totals.push(again.unwrap_or(proposal.figures.total));
        }
    }
}

/// What follows from what designs cost with the values of several seeds; the first is the recommended one.
pub(super) fn notes(proposals: &[Proposal]) -> Vec<String> {
    let Some((best, others)) = proposals.split_first() else { return Vec::new() };
    let next = others.iter().min_by(|a, b| a.mean_total().total_cmp(&b.mean_total()));
    let Some(next) = next else { return Vec::new() };
    let ratio = next.mean_total() / best.mean_total();
    let by_seed = next.totals.iter().zip(&best.totals).map(|(next, best)| next / best);
    let noise = by_seed.map(|own| (own / ratio - 1.0).abs()).fold(0.0, f64::max);
    let apart = (ratio - 1.0).abs();
    if apart <= noise.max(EQUAL) {
        return vec![format!(
            "{} and {} cost the same within {}, with three draws of values; {} is recommended because it is simpler or spreads writes better",
            best.name,
            next.name,
            percent(apart.max(noise).max(0.01)),
            best.name
        )];
    }
    // Another one is better with other values; one with a warning must be that much better, as always.
    let wins = |other: &Proposal, seed: usize| {
        let at = |proposal: &Proposal| proposal.totals.get(seed).copied().unwrap_or(f64::NAN);
        let margin = if other.warnings.is_empty() { EQUAL } else { SOUNDER };
        let saved = 1.0 - at(other) / at(best);
        (saved > margin).then_some(saved)
    };
    let said = |seed: usize| {
        let winner = others.iter().filter_map(|other| Some((wins(other, seed)?, other)));
        let (saved, other) = winner.max_by(|a, b| a.0.total_cmp(&b.0))?;
        Some(format!(
            "with other values for the `?` ({} plus {seed}) {} costs {} less than {}: the advice depends on which values are asked \
             for",
            Remedy::Seed,
            other.name,
            percent(saved),
            best.name
        ))
    };
    (1..best.totals.len()).find_map(said).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::super::Warning;
    use super::*;

    #[test]
    fn it_is_said_when_two_are_equal_and_when_other_values_change_the_advice() {
        let proposal = |name: &str, totals: [f64; 3], warnings: Vec<Warning>| Proposal {
            name: name.to_owned(),
            totals: totals.to_vec(),
            warnings,
            ..Proposal::default()
        };
        let beside = |totals, warnings| {
            notes(&[proposal("A", [10.0; 3], Vec::new()), proposal("B", totals, warnings)]).join("\n")
        };
        let equal = beside([10.1, 10.0, 10.1], Vec::new());
        assert!(
            equal.starts_with("A and B cost the same within 1.0%, with three draws of values"),
            "{equal}"
        );
        let noisy = beside([12.0, 8.5, 12.0], Vec::new());
        assert!(noisy.starts_with("A and B cost the same within 22%"), "chance does more than that: {noisy}");
        let other = beside([14.65, 9.7, 14.65], Vec::new());
        assert!(
            other.starts_with(
                "with other values for the `?` (`seed` plus 1) B costs 3.0% less than A: the advice depends"
            ),
            "{other}"
        );
        let warning = Warning { text: "rule skew".to_owned(), is_uneven: true };
        assert_eq!(beside([14.65, 9.7, 14.65], vec![warning]), "", "it must be better by more than that");
        assert_eq!(beside([20.0; 3], Vec::new()), "");
    }
}

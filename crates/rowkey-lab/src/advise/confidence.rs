//! How sure is the advice?
//!
//! Values for `?` are drawn by chance. So the shown designs are simulated with the values of two more seeds, and it is said when the
//! difference between the first two is no larger than what chance does, or when another one wins with other values.

use super::proposal::{Maker, Proposal};
use super::recommend::{COOLER, EQUAL, HOT};
use super::words::percent;
use crate::workload::Workload;

/// So many seeds beside the one that was asked for.
const MORE: u64 = 2;

/// Adds what every design costs with the values of other seeds, and says what follows from that.
pub(super) fn judge_again(maker: &Maker<'_>, proposals: &mut [Proposal]) -> Vec<String> {
    let (study, options) = (maker.study, maker.options);
    let workload = Workload { queries: study.questions.clone(), draws: options.draws.max(1) };
    let columns = study.sample.columns();
    let data = study.sample.data(&study.fields, &columns);
    for more in 1..=MORE {
        // The queries were read before, over the same fields.
        let Ok(asked) = workload.draw(&data, options.seed.wrapping_add(more)) else { return Vec::new() };
        for proposal in &mut *proposals {
            let again = maker.simulated(proposal, &asked).map(|(_, cost)| maker.search.total(&cost));
            let total = again.unwrap_or(proposal.figures.total);
            proposal.totals.push(total);
        }
    }
    notes(proposals)
}

fn notes(proposals: &[Proposal]) -> Vec<String> {
    let Some((best, others)) = proposals.split_first() else { return Vec::new() };
    let mean =
        |proposal: &Proposal| proposal.totals.iter().sum::<f64>() / proposal.totals.len().max(1) as f64;
    let Some(next) = others.iter().min_by(|a, b| mean(a).total_cmp(&mean(b))) else { return Vec::new() };
    let ratio = mean(next) / mean(best);
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
    // Another one is better with other values; a hot one must be that much better, as always.
    let wins = |other: &Proposal, seed: usize| {
        let at = |proposal: &Proposal| proposal.totals.get(seed).copied().unwrap_or(f64::NAN);
        let margin = if other.figures.hot.usual >= HOT { COOLER } else { EQUAL };
        let saved = 1.0 - at(other) / at(best);
        (saved > margin).then_some(saved)
    };
    let said = |seed: usize| {
        let winner = others.iter().filter_map(|other| Some((wins(other, seed)?, other)));
        let (saved, other) = winner.max_by(|a, b| a.0.total_cmp(&b.0))?;
        Some(format!(
            "with other values for the `?` (--seed plus {seed}) {} costs {} less than {}: the advice depends on which values are asked \
             for",
            other.name,
            percent(saved),
            best.name
        ))
    };
    (1..best.totals.len()).find_map(said).into_iter().collect()
}

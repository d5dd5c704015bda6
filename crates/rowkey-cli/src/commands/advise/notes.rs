//! What must be known of the designs beside their figures.

use rowkey_lab::advise::{Advice, Options, Proposal, Study};

use super::print::plain;
use crate::output::grouped;

pub(super) fn notes(advice: &Advice, study: &Study, options: &Options) -> Vec<String> {
    let mut notes = Vec::new();
    if options.regions.is_none() && study.regions(options) == 1 {
        notes.push(format!(
            "all rows together have about {} KB, which one region holds: tables are not cut, and one server takes all writes; if the table will \
             grow, say --rows N, or how it is cut: --regions N",
            plain(study.bytes() / 1000.0)
        ));
    }
    if let Some(best) = advice.proposals.first() {
        let all: Vec<String> = advice.proposals.iter().map(|proposal| later(proposal, advice)).collect();
        notes.push(format!(
            "tested on the last {} records of the sample, which identity and forms were not made from: {}",
            grouped(best.known.later.records as u64),
            all.join("; ")
        ));
        // Another design would be recommended if it had none and cost about the same.
        notes.extend(best.warnings.iter().map(|warning| {
            format!(
                "every design that costs about the same has a fault; {} has this one: {}",
                best.name, warning.text
            )
        }));
    }
    notes
}

/// What becomes of the records that a design was not made from, and what reading costs today if the table will grow.
fn later(proposal: &Proposal, advice: &Advice) -> String {
    let later = &proposal.known.later;
    let kept = match (later.refused, later.lost) {
        (0, 0) => "keeps all".to_owned(),
        (refused, lost) => format!("refuses {refused} and loses {lost}"),
    };
    let grown = later.read_today.map(|today| {
        let (today, then) = (plain(today), plain(proposal.figures.read));
        format!(", and a read costs {today} today and {then} with {} rows", grouped(advice.rows))
    });
    format!(
        "{} {kept}, {:.0}% in its busiest region{}",
        proposal.name,
        later.busiest * 100.0,
        grown.unwrap_or_default()
    )
}

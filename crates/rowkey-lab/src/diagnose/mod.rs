//! Diagnoses how writes fall on a table, in one sentence.
//!
//! Plain tests over what a simulation counted, each with its number and its threshold:
//!
//! | name | number | threshold |
//! | --- | --- | --- |
//! | even | normalised entropy of the regions, over all and within steps | at least 0.95 |
//! | hot range | share of the busiest 1% of the regions (at least one) | at least 30%, and twice the fair share |
//! | single key | share of the rows that begin alike, up to the first field behind the salt | at least 10% |
//! | rising edge | rank correlation of the place of a write with its time | at least 0.8, or at most -0.8 |
//! | periodic | autocorrelation of the regions' writes at some distance | at least 0.5 |
//! | step | share of the variation that one change explains, from half to double | at least 60% |
//! | idle space | share of the regions without a row | at least 10% |
//!
//! What can be done about it says what to run next.
//!
//! **Law** (`tests/simulate/verdicts.rs`): traffic made to have a property is found to have it, and traffic without is not.

mod cure;
mod edge;
mod heavy;
mod series;

use rowkey_core::{KeySchema, Table};

use crate::heat::{clock, duration, grouped};
use crate::simulate::figures::ratio;
use crate::simulate::{Data, Outcome};

pub use cure::{Cure, Next};

const EVEN: f64 = 0.95;
const HOT_RANGE: f64 = 0.3;
const SINGLE_KEY: f64 = 0.1;
const EDGE: f64 = 0.8;
const PERIODIC: f64 = 0.5;
const STEP: f64 = 0.6;
const IDLE: f64 = 0.1;
/// One region must have so many times its fair share for an edge or a range to be hot.
const TIMES_FAIR: f64 = 2.0;

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Name {
    /// All regions take the same, all the time.
    Even,
    /// A few regions take much.
    HotRange,
    /// One beginning of keys takes much.
    SingleKey,
    /// Writes go to the newest keys, and these move on.
    RisingEdge,
    /// What comes comes again.
    Periodic,
    /// From some time on everything is different.
    Step,
    /// Regions that nothing is written to.
    IdleSpace,
}

impl Name {
    /// As people call it.
    pub fn text(self) -> &'static str {
        match self {
            Self::Even => "even",
            Self::HotRange => "hot range",
            Self::SingleKey => "single key",
            Self::RisingEdge => "rising edge",
            Self::Periodic => "periodic",
            Self::Step => "step",
            Self::IdleSpace => "idle space",
        }
    }

    /// Whether something should be done about it.
    pub fn is_bad(self) -> bool {
        matches!(self, Self::HotRange | Self::SingleKey | Self::RisingEdge | Self::IdleSpace)
    }
}

/// A verdict with its reason.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagnosis {
    /// What it is called.
    pub name: Name,
    /// The reason, with the facts.
    pub message: String,
    /// What was measured.
    pub number: f64,
    /// From where on it counts.
    pub threshold: f64,
    /// What to do about it.
    pub cure: Option<Cure>,
}

/// All verdicts about a table, and the bad ones about its index tables, which say which.
pub fn diagnose_table(outcome: &Outcome, table: &Table, sample: Option<&Data<'_>>) -> Vec<Diagnosis> {
    let mut found = diagnose(outcome, &table.key, sample);
    for (own, index) in outcome.indexes.iter().zip(&table.indexes) {
        let bad = diagnose(own, &index.key, sample).into_iter().filter(|diagnosis| diagnosis.name.is_bad());
        found.extend(bad.map(|diagnosis| Diagnosis {
            message: format!("index table `{}`: {}", index.name, diagnosis.message),
            ..diagnosis
        }));
    }
    found
}

/// All verdicts about the keys of one table, the bad ones first.
pub fn diagnose(outcome: &Outcome, key: &KeySchema, sample: Option<&Data<'_>>) -> Vec<Diagnosis> {
    let mut found = Vec::new();
    let regions = &outcome.regions;
    let hot_in_steps = regions.mean_step >= TIMES_FAIR;
    let edge = edge::correlation(&outcome.steps).filter(|rho| rho.abs() >= EDGE && hot_in_steps);
    if let Some(rho) = edge {
        let (way, which) = if rho > 0.0 { ("rises", "newest") } else { ("falls", "lowest") };
        let message = format!(
            "the place of a write {way} with time (rank correlation {rho:.2}, threshold {EDGE}): in each step the {which} of \
             {} regions take the writes, the busiest {:.1} times the mean",
            regions.count, regions.mean_step
        );
        let cure = Some(cure::of_edge(key, regions.count));
        found.push(Diagnosis { name: Name::RisingEdge, message, number: rho, threshold: EDGE, cure });
    }
    found.extend(hot_range(outcome, key, edge.is_some()));
    if edge.is_none() {
        found.extend(single_key(outcome, key, sample));
    }
    let idle = ratio(regions.idle as u64, regions.count as u64);
    if idle >= IDLE && regions.count > 1 && outcome.rows > regions.count as u64 {
        let message = format!(
            "{} of {} regions, {:.0}%, have no row at all (threshold {:.0}%)",
            regions.idle,
            regions.count,
            idle * 100.0,
            IDLE * 100.0
        );
        let cure = Some(cure::of_idle_space(key, regions.count));
        found.push(Diagnosis { name: Name::IdleSpace, message, number: idle, threshold: IDLE, cure });
    }
    found.extend(of_time(outcome));
    let even = regions.evenness.min(regions.evenness_in_steps);
    if even >= EVEN && regions.count > 1 && !found.iter().any(|diagnosis| diagnosis.name.is_bad()) {
        let message = format!(
            "{} regions share the writes, {even:.3} of the entropy that they could have at most (threshold {EVEN})",
            regions.count
        );
        found.push(Diagnosis { name: Name::Even, message, number: even, threshold: EVEN, cure: None });
    }
    found
}

/// A few regions take much, over all or, where nothing moves on, in each step.
fn hot_range(outcome: &Outcome, key: &KeySchema, edge: bool) -> Option<Diagnosis> {
    let regions = &outcome.regions;
    if regions.count < 2 {
        return None;
    }
    let few = regions.count.div_ceil(100);
    let top = |rows: &[u64]| {
        let mut sorted = rows.to_vec();
        sorted.sort_unstable_by(|a, b| b.cmp(a));
        ratio(sorted.iter().take(few).sum(), sorted.iter().sum())
    };
    let over_all = top(&regions.rows);
    let grouped = outcome.steps.grouped(&outcome.region_of, regions.count);
    let all: u64 = grouped.counts.iter().flatten().sum();
    let weigh = |counts: &Vec<u64>| ratio(counts.iter().sum(), all) * top(counts);
    let in_steps: f64 = grouped.counts.iter().map(weigh).sum();
    let (share, when) =
        if over_all >= in_steps || edge { (over_all, "over all") } else { (in_steps, "in each step") };
    let fair = few as f64 / regions.count as f64;
    if share < HOT_RANGE || share < TIMES_FAIR * fair {
        return None;
    }
    let message = format!(
        "the busiest {few} of {} regions take {:.0}% of the writes {when} (threshold {:.0}%, fair would be {:.1}%)",
        regions.count,
        share * 100.0,
        HOT_RANGE * 100.0,
        fair * 100.0
    );
    let cure = Some(cure::of_hot_range(key, regions.count));
    Some(Diagnosis { name: Name::HotRange, message, number: share, threshold: HOT_RANGE, cure })
}

fn single_key(outcome: &Outcome, key: &KeySchema, sample: Option<&Data<'_>>) -> Option<Diagnosis> {
    let heavy = heavy::heaviest(key, sample?)?;
    // A salt of few buckets has large ones; only what is more than its bucket's fair share is a heavy key.
    if heavy.share < SINGLE_KEY || heavy.share < TIMES_FAIR / outcome.regions.count.max(1) as f64 {
        return None;
    }
    let message = format!(
        "{:.0}% of the writes begin with {} (threshold {:.0}%), and no split point can part them evenly",
        heavy.share * 100.0,
        heavy.label,
        SINGLE_KEY * 100.0
    );
    let cure = Some(cure::of_single_key(key, outcome.regions.count));
    Some(Diagnosis { name: Name::SingleKey, message, number: heavy.share, threshold: SINGLE_KEY, cure })
}

/// What the writes do over time, wherever they fall.
fn of_time(outcome: &Outcome) -> Vec<Diagnosis> {
    let steps = outcome.steps.grouped(&outcome.region_of, outcome.regions.count);
    let series = series::Series::of(&steps);
    let peaks = || Some(cure::of_peaks(series.peak_rate(steps.step)));
    let mut found = Vec::new();
    if let Some((distance, correlation)) = series.period(PERIODIC) {
        let length = duration(distance as i64 * steps.step);
        let message = format!(
            "what happens comes again after {length} (autocorrelation {correlation:.2}, threshold {PERIODIC})"
        );
        let (cure, number) = (peaks(), correlation);
        found.push(Diagnosis { name: Name::Periodic, message, number, threshold: PERIODIC, cure });
    }
    if let Some(change) = series.change(STEP) {
        let at = steps.starts.first().map_or(0, |first| first + change.at as i64 * steps.step);
        let message = format!(
            "from {} on there are {} writes in {} instead of {} (that explains {:.0}% of the variation, threshold {:.0}%)",
            clock(at, steps.step),
            grouped(change.after.round() as u64),
            duration(steps.step),
            grouped(change.before.round() as u64),
            change.explained * 100.0,
            STEP * 100.0
        );
        let (cure, number) = (peaks(), change.explained);
        found.push(Diagnosis { name: Name::Step, message, number, threshold: STEP, cure });
    }
    found
}

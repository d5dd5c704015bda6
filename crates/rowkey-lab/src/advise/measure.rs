//! Measures one key on the records and queries.
//!
//! **Writes**: the records of the sample are routed to their regions and counted by time step, as `simulate` does it. **Reads**: each
//! query is planned with the values that were drawn for it, and [`crate::model`] says what the plan reads.
//!
//! A key is measured once, whether it is of a table or of an index table; [`super::price`] puts tables together by
//! arithmetic. That is what makes it possible to look at all combinations.

use rowkey_core::check::{Context, Severity, check_key};
use rowkey_core::key::{FieldId, Fields, KeySchema};
use rowkey_core::query::{PlanOptions, Prices, plan};

use super::sample::Sample;
pub use crate::model::Reading;
use crate::model::{CutTable, Fineness, Paper};
use crate::simulate::count;
use crate::workload::{AskedQuery, Drawn};

/// Regions are cut by one in so many records, the first; the others are written then.
const PAST: usize = 4;

/// Everything that keys are measured with.
#[derive(Debug, Clone)]
pub(super) struct Bench<'a> {
    pub(super) fields: &'a Fields,
    pub(super) sample: &'a Sample,
    pub(super) asked: &'a [AskedQuery],
    pub(super) identity: &'a [FieldId],
    /// Records that no key can tell from another.
    pub(super) repeated: usize,
    pub(super) servers: usize,
    pub(super) regions: usize,
    /// When each record of the sample is written.
    pub(super) times: Option<Vec<Option<i64>>>,
    pub(super) prices: Prices,
}

/// What was seen of a key.
#[derive(Debug, Clone)]
pub struct Measured {
    /// The key in the notation.
    pub source: String,
    /// The key of the table, compiled.
    pub key: KeySchema,
    /// Bytes of a key, on average.
    pub bytes: f64,
    /// The busiest server over the mean.
    pub hot: Hot,
    /// Where the table is cut.
    pub splits: Vec<Vec<u8>>,
    /// What each query reads.
    pub reads: Vec<Reading>,
    /// Whether a rule of `check` warns of it.
    pub warned: bool,
}

/// The busiest server over the mean: 1 is even, the number of servers is everything on one.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Hot {
    /// On average over the steps.
    pub usual: f64,
    /// In the worst step.
    pub worst: f64,
}

/// Why a key is out of the question.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// It is no key.
    #[error("it is no key: {0}")]
    Notation(String),
    /// A rule finds that it cannot work.
    #[error("rule {0}: {1}")]
    Rule(&'static str, String),
    /// A record has no key.
    #[error("{0}")]
    Record(String),
    /// Different records have the same key.
    #[error("{0} records of the sample have the key of another")]
    Duplicates(usize),
}

impl Bench<'_> {
    /// Measures a key; one that the user gave is measured even if a rule is against it.
    pub(super) fn measure(&self, source: &str, given: bool) -> Result<Measured, Unfit> {
        let key = KeySchema::with_fields(source, self.fields).map_err(|findings| {
            Unfit::Notation(findings.first().map(|finding| finding.problem.to_string()).unwrap_or_default())
        })?;
        let warned = if given { false } else { self.checked(&key)? };
        let columns = self.sample.columns();
        let data = self.sample.data(self.fields, &columns);
        let fine = Fineness { ranges: 0, folded: false, servers: self.servers, seed: 0 };
        let past = data.rows.div_ceil(PAST);
        let (part, encoded) = CutTable::of_key(&key, &data, (self.regions, past), fine);
        if let Some(refusal) = encoded.refusal {
            return Err(Unfit::Record(refusal));
        }
        let load = count::load(&part, &encoded, self.times.as_deref(), self.servers);
        let paper = Paper::new(&part, &encoded.keys, self.sample.scale());
        let duplicates = paper.duplicates();
        if duplicates > self.repeated && !given {
            return Err(Unfit::Duplicates(duplicates));
        }
        let hot = Hot { usual: load.mean_step, worst: load.worst() };
        let early = paper.early();
        let reads =
            self.asked.iter().map(|asked| self.reading(&key, &paper, early.as_ref(), asked)).collect();
        let (bytes, splits) = (paper.mean_key(), part.regions.splits().to_vec());
        Ok(Measured { source: source.to_owned(), bytes, hot, splits, reads, warned, key: key.clone() })
    }

    /// Whether a rule warns of a key.
    fn checked(&self, key: &KeySchema) -> Result<bool, Unfit> {
        let context = Context { declared: true, identity: Some(self.identity), ..Context::default() };
        let issues = check_key(key, &context);
        let warned = issues.iter().any(|issue| issue.severity >= Severity::Warning);
        let wrong = issues.into_iter().find(|issue| {
            // A lost row or a field that does not come back is no matter of price.
            issue.severity == Severity::Error || ["unique", "boundary"].contains(&issue.rule.id)
        });
        wrong.map_or(Ok(warned), |issue| Err(Unfit::Rule(issue.rule.id, issue.message)))
    }

    fn reading(
        &self,
        key: &KeySchema,
        paper: &Paper<'_>,
        early: Option<&Paper<'_>>,
        asked: &AskedQuery,
    ) -> Reading {
        let columns = asked.columns.clone();
        let options = PlanOptions { full_scan: true, sort: true, columns, ..PlanOptions::default() };
        let read = |drawn: &Drawn| {
            let plan = plan(key, &drawn.parsed, &options);
            let by = |paper: &Paper<'_>| match &plan {
                Ok(plan) => paper.read(key, plan, drawn, &self.prices, &mut |_, _| {}),
                // More ranges than there may be: everything is read.
                Err(_) => paper.all(drawn),
            };
            (by(paper), early.filter(|_| drawn.early.is_some()).map(by))
        };
        let draws: Vec<_> = asked.drawn.iter().map(read).collect();
        Reading::over_draws(&draws, paper.growth())
    }
}

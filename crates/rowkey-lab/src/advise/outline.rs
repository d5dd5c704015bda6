//! What the data alone says about keys, without queries.
//!
//! What tells records apart is known from the [`Study`]; the usual keys made of that are written as table files and simulated, so that their
//! figures are those of `rowkey simulate`. What a key costs to read depends on the queries: [`Outline::examples`] are some to begin with.

use rowkey_core::key::FieldId;

use super::identity;
use super::proposal::{Maker, Proposal};
use super::{AdviseError, Options, Study, Watched};

/// So many keys are shown.
const SHOWN: usize = 8;
/// So many fields are made examples of.
const SUBJECTS: usize = 2;

/// What data says without queries.
#[derive(Debug, Clone)]
pub struct Outline {
    /// Keys that tell records apart, those that spread writes first.
    pub keys: Vec<Proposal>,
    /// Queries that are usual for such fields.
    pub examples: Vec<String>,
}

impl Study {
    /// The usual keys of these records, and queries to think of.
    ///
    /// # Errors
    /// When no key works.
    pub fn outline(
        &self,
        options: &Options,
        watch: &mut dyn FnMut(Watched) -> bool,
    ) -> Result<Outline, AdviseError> {
        // In one region every key is even: which of them spread shows only over several, as `check --data` has them.
        let several =
            Options { regions: Some(self.regions(options).max(4 * options.servers)), ..options.clone() };
        let options = &several;
        let mut search = self.search(options);
        search.measure(search.ground.usual(), 1, &mut |progress| watch(Watched::Measuring(progress)));
        let maker = Maker { study: self, search: &search, options, given: None };
        let mut keys: Vec<Proposal> = (0..search.entries.len())
            .filter_map(|place| maker.make(&search.with(place, Vec::new())))
            .collect();
        if keys.is_empty() {
            return Err(search.no_design());
        }
        // Differences of a tenth are chance; then the shorter key is better.
        let order = |key: &Proposal| ((key.figures.hot.usual * 10.0).round(), key.figures.key_bytes);
        keys.sort_by(|a, b| order(a).partial_cmp(&order(b)).unwrap_or(std::cmp::Ordering::Equal));
        keys.truncate(SHOWN);
        Ok(Outline { keys, examples: self.examples() })
    }

    /// Queries over the fields that records are about, as they are usually asked.
    fn examples(&self) -> Vec<String> {
        let name = |field: FieldId| self.fields.get(field).name.as_str();
        let subjects = identity::subjects(&self.sample.records, &self.fields, &self.facts);
        let mut examples = Vec::new();
        for field in subjects.iter().copied().take(SUBJECTS) {
            examples.push(match self.time {
                Some(time) => format!("{} = ? order by {} desc limit 20", name(field), name(time)),
                None => format!("{} = ? limit 20", name(field)),
            });
        }
        if let (Some(field), Some(time)) = (subjects.first(), self.time) {
            let time = name(time);
            examples.push(format!("{} = ? and {time} >= ? and {time} < ?", name(*field)));
        }
        if let [field] = self.identity.as_slice() {
            examples.push(format!("{} = ?", name(*field)));
        }
        if let Some(time) = self.time.map(name) {
            examples.push(format!("{time} >= ? and {time} < ?"));
        }
        examples
    }
}

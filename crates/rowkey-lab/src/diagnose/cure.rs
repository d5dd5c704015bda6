//! Which command does something about it?

use rowkey_core::KeySchema;
use rowkey_core::check::salted;

use super::Cure;

/// How the simulation was called, so that a cure can be tried with the same data.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Situation {
    /// The arguments that say what is simulated: `--data orders.csv --time ts`, or `--traffic zipf`.
    pub feed: String,
    /// The data file, if there is one.
    pub data: Option<String>,
    /// The argument of the design: a key or a table file.
    pub design: String,
    /// How many regions the design has.
    pub regions: usize,
}

impl Situation {
    /// The same simulation with another key beside.
    fn beside(&self, key: &str) -> String {
        let regions = buckets(self);
        format!("rowkey simulate {} {} {} --regions {regions}", quoted(&self.design), quoted(key), self.feed)
    }

    fn advise(&self) -> String {
        let data = self.data.as_deref().unwrap_or("DATA");
        format!("rowkey advise --data {} --queries {}", quoted(data), quoted(&self.design))
    }
}

/// As many buckets as regions, within reason.
fn buckets(situation: &Situation) -> usize {
    situation.regions.clamp(4, 64)
}

pub(super) fn of_edge(key: &KeySchema, situation: &Situation) -> Cure {
    let text = "begin with what rows are looked up by, or with a salt, so that new rows go everywhere";
    with_salt(key, situation, text, "begin with what rows are looked up by")
}

pub(super) fn of_single_key(key: &KeySchema, situation: &Situation) -> Cure {
    let text = "salt by all fields, so that even one of them is spread; reading it back takes a range for each bucket";
    with_salt(key, situation, text, "spread it by a field that tells its rows apart")
}

pub(super) fn of_hot_range(key: &KeySchema, situation: &Situation) -> Cure {
    let text = match begins_with_bucket(key) {
        true => "the part in front does not spread these values: use a salt over what tells rows apart",
        false => "spread what is hot with a salt, or cut regions where the rows are",
    };
    with_salt(key, situation, text, "choose another key")
}

/// The same simulation with a salt in front, in the place of a bucket that does not spread; otherwise the advisor is asked.
fn with_salt(key: &KeySchema, situation: &Situation, text: &str, otherwise: &str) -> Cure {
    match salted(key, buckets(situation), None) {
        Some(cured) => Cure { text: text.to_owned(), command: situation.beside(&cured) },
        None => Cure { text: otherwise.to_owned(), command: situation.advise() },
    }
}

/// Whether the first part is a number of a bucket, meant to spread rows.
fn begins_with_bucket(key: &KeySchema) -> bool {
    key.value_steps().next().is_some_and(|step| step.is_bucket())
}

pub(super) fn of_idle_space(key: &KeySchema, situation: &Situation) -> Cure {
    if begins_with_bucket(key) {
        return of_hot_range(key, situation);
    }
    let (from, regions) = (quoted(key.source()), situation.regions);
    let command = match &situation.data {
        Some(data) => {
            format!("rowkey split sample --from {from} --data {} --regions {regions}", quoted(data))
        }
        None => format!("rowkey simulate {from} {} --regions {regions}", situation.feed),
    };
    Cure { text: "cut the table where its rows are".to_owned(), command }
}

pub(super) fn of_peaks(situation: &Situation, rate: f64) -> Cure {
    Cure {
        text: format!("size the cluster for the busiest time, {rate:.0} rows a second, not for the mean"),
        command: format!("rowkey size {} --rate {rate:.0}", quoted(&situation.design)),
    }
}

/// An argument as a shell takes it.
fn quoted(argument: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '/' | '-' | '=');
    if !argument.is_empty() && argument.chars().all(plain) {
        return argument.to_owned();
    }
    format!("'{}'", argument.replace('\'', "'\\''"))
}

//! A kind of data set: how its records are drawn, what makes them unique, what is asked, and which keys experts give it.
//!
//! Records come in the order in which they are written. The first are the **sample**, which an adviser may see; the
//! rest are written **later** by the same process, with what no sample shows: new names, ids with one more digit, times that
//! collide.

use rowkey_core::key::{Draw, Draws, Fields};
use rowkey_core::query::Query;
use rowkey_core::table::NamedQuery;
use rowkey_core::{FieldId, Value};

use crate::drawn;

pub(crate) type Record = Vec<Value<'static>>;

/// How often values are drawn for each query.
pub(crate) const DRAWS: usize = 48;
/// The servers that regions are assigned to.
pub(crate) const SERVERS: usize = 4;
/// The regions of a table, and the sizes of sample and later records.
pub(crate) const REGIONS: u32 = 16;
pub(crate) const SIZES: Sizes = Sizes { sample: 8_000, later: 4_000 };

/// One of the sixteen kinds.
pub(crate) struct Set {
    pub(crate) name: &'static str,
    pub(crate) fields: &'static [(&'static str, &'static str)],
    /// What makes a record unique, for good.
    pub(crate) identity: &'static [&'static str],
    /// Whether the adviser is told; otherwise it must find out, or ask.
    pub(crate) is_declared: bool,
    pub(crate) queries: &'static [ExpertQuery],
    /// The share of operations that are writes.
    pub(crate) writes: f64,
    pub(crate) regions: u32,
    pub(crate) sizes: Sizes,
    pub(crate) generate: fn(&mut Draws, Sizes) -> Vec<Record>,
    pub(crate) experts: &'static [Expert],
}

#[derive(Clone, Copy)]
pub(crate) struct Sizes {
    pub(crate) sample: usize,
    pub(crate) later: usize,
}

impl Sizes {
    pub(crate) fn all(self) -> usize {
        self.sample + self.later
    }
}

/// A query with the distribution of its parameters: they come from one record, drawn by lot from all of them.
pub(crate) struct ExpertQuery {
    pub(crate) text: &'static str,
    pub(crate) weight: u32,
    /// One for each `?`.
    pub(crate) parameters: &'static [Parameter],
}

/// A parameter, by the value of a field of the record that was drawn.
pub(crate) enum Parameter {
    /// The value itself: also the lower end of a range.
    Of(&'static str),
    /// So much more, in milliseconds for a time: the upper end.
    Past(&'static str, i64),
}

pub(crate) const fn asked(weight: u32, text: &'static str, parameters: &'static [Parameter]) -> ExpertQuery {
    ExpertQuery { text, weight, parameters }
}

/// A design by an expert, good or bad.
#[derive(Clone, Copy)]
pub(crate) struct Expert {
    pub(crate) key: &'static str,
    pub(crate) indexes: &'static [Index],
    pub(crate) outcome: Outcome,
    /// The regions it starts with, if not those of the set.
    pub(crate) regions: Option<u32>,
}

#[derive(Clone, Copy)]
pub(crate) struct Index {
    pub(crate) key: &'static str,
    /// Whether it keeps all columns, or leads to the row.
    pub(crate) copies: bool,
}

/// What becomes of the records.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    Keeps,
    /// Some rows replace others.
    Loses,
    /// Some records have no key.
    Refuses,
}

/// A design that keeps every record.
pub(crate) const fn keeps(key: &'static str) -> Expert {
    Expert { key, indexes: &[], outcome: Outcome::Keeps, regions: None }
}

pub(crate) const fn loses(key: &'static str) -> Expert {
    Expert { outcome: Outcome::Loses, ..keeps(key) }
}

pub(crate) const fn refuses(key: &'static str) -> Expert {
    Expert { outcome: Outcome::Refuses, ..keeps(key) }
}

impl Expert {
    pub(crate) const fn with(self, indexes: &'static [Index]) -> Self {
        Self { indexes, ..self }
    }

    pub(crate) const fn in_regions(self, regions: u32) -> Self {
        Self { regions: Some(regions), ..self }
    }
}

pub(crate) const fn copying(key: &'static str) -> Index {
    Index { key, copies: true }
}

pub(crate) const fn thin(key: &'static str) -> Index {
    Index { key, copies: false }
}

/// A set for one seed.
pub(crate) struct Drawn {
    pub(crate) fields: Fields,
    pub(crate) sample: Vec<Record>,
    pub(crate) later: Vec<Record>,
    /// The queries of the set with values, [`DRAWS`] of each.
    pub(crate) queries: Vec<Vec<Query>>,
}

impl Set {
    pub(crate) fn draw(&self, seed: u64) -> Drawn {
        let number = self.name.bytes().fold(0, |sum, byte| (sum * 31 + u64::from(byte)) % 1_000_003);
        let mut sample = (self.generate)(&mut Draws::new(seed, number), self.sizes);
        assert_eq!(sample.len(), self.sizes.all(), "{}", self.name);
        let fields = drawn::fields(self.fields);
        let mut draws = Draws::new(seed, number + 1);
        let queries = self.queries.iter().map(|asked| asked.draw(&sample, &fields, &mut draws)).collect();
        let later = sample.split_off(self.sizes.sample);
        Drawn { fields, sample, later, queries }
    }

    pub(crate) fn questions(&self) -> Vec<NamedQuery> {
        let question = |asked: &ExpertQuery| {
            let (name, text) = (asked.text.to_owned(), asked.text.to_owned());
            NamedQuery {
                name,
                condition: text,
                weight: asked.weight,
                columns: None,
                window: None,
                limit: None,
            }
        };
        self.queries.iter().map(question).collect()
    }

    pub(crate) fn identity(&self, fields: &Fields) -> Vec<FieldId> {
        self.identity.iter().map(|name| fields.id(name).expect("a field")).collect()
    }
}

impl ExpertQuery {
    fn draw(&self, records: &[Record], fields: &Fields, draws: &mut Draws) -> Vec<Query> {
        let one = |_| {
            let record = &records[draws.draw(records.len() as u32) as usize];
            let value = |name: &str| &record[fields.id(name).expect("a field").0];
            let text = |parameter: &Parameter| match parameter {
                Parameter::Of(field) => value(field).to_string(),
                Parameter::Past(field, width) => match value(field) {
                    Value::Time(at) => Value::Time(at + width).to_string(),
                    Value::Int(number) => (number + i128::from(*width)).to_string(),
                    other => panic!("{field} is {other:?}"),
                },
            };
            let texts: Vec<String> = self.parameters.iter().map(text).collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            Query::parse_with(self.text, fields, &texts).unwrap_or_else(|error| panic!("{error}"))
        };
        (0..DRAWS).map(one).collect()
    }
}

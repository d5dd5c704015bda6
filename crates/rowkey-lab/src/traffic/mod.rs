//! Generated traffic, for tables without data.
//!
//! Records made from a seed, a day of them: [`Pattern`] over the fields of any key (steady, bursts, Zipf users, a celebrity, a
//! clock that rises), or the example data of articles about row keys ([`articles`]), each with the keys that they
//! propose, before and after the cure.
//!
//! **Law** (below): a record depends on the seed and its number alone, so that any part can be made by any thread.
//!
//! ```
//! use rowkey_lab::traffic::{Pattern, Traffic};
//! let key = rowkey_core::KeySchema::parse("[user: u64][ts: timestamp desc]").unwrap();
//! let traffic = Traffic::of_pattern(Pattern::Zipf, key.fields(), Some("ts"), 1000, 7).unwrap();
//! assert_eq!(traffic.record(5)[0].kind(), Some(rowkey_core::types::Kind::Integer));
//! ```

pub mod articles;
mod pattern;
mod subjects;

use rowkey_core::batch::ColumnBuffer;
use rowkey_core::key::{Draws, Fields};
use rowkey_core::remedy::Remedy;
use rowkey_core::{FieldId, Value};

use crate::sample::lots::{buffers, push};

pub use articles::Article;
pub use pattern::Pattern;

/// When the day begins: 2025-01-01T00:00:00Z.
pub(crate) const START: i64 = 1_735_689_600_000;
/// How long it is.
pub(crate) const DAY: i64 = 86_400_000;

/// Fields that traffic cannot be made for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TrafficError {
    /// Nothing says when a record is written.
    #[error("traffic needs to know which field is the time; name one of {fields} with {}", Remedy::Time)]
    NoTime {
        /// The fields there are.
        fields: String,
    },
    /// A field that is not there.
    #[error("there is no field `{field}` to take the time from; the fields are {fields}")]
    UnknownTime {
        /// What was named.
        field: String,
        /// The fields there are.
        fields: String,
    },
}

type Make = Box<dyn Fn(u64, &mut Draws) -> Vec<Value<'static>> + Send + Sync>;

/// Records that can be made.
pub struct Traffic {
    /// Their fields.
    pub fields: Fields,
    /// The field that says when a record is written.
    pub time: FieldId,
    /// How many there are.
    pub records: u64,
    seed: u64,
    make: Make,
}

impl std::fmt::Debug for Traffic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { fields, time, records, seed, .. } = self;
        write!(f, "{records} records of {fields:?} by {time:?} from seed {seed}")
    }
}

impl Traffic {
    /// Traffic of a pattern over some fields; the time is the field named, else the first of a time type.
    ///
    /// # Errors
    /// When no field is the time.
    pub fn of_pattern(
        pattern: Pattern,
        fields: &Fields,
        time: Option<&str>,
        records: u64,
        seed: u64,
    ) -> Result<Self, TrafficError> {
        let time = time_field(fields, time)?;
        let make = pattern::maker(pattern, fields, time, records);
        Ok(Self { fields: fields.clone(), time, records, seed, make })
    }

    /// The example data of an article.
    pub fn of_article(article: Article, records: u64, seed: u64) -> Self {
        let (fields, time, make) = articles::maker(article, records);
        Self { fields, time, records, seed, make }
    }

    /// The record with a number.
    pub fn record(&self, number: u64) -> Vec<Value<'static>> {
        (self.make)(number, &mut Draws::new(self.seed, number))
    }

    /// Replaces the columns, one for each field, by so many records from a number on.
    pub fn fill(&self, first: u64, count: u64, columns: &mut [ColumnBuffer]) {
        columns.iter_mut().for_each(ColumnBuffer::clear);
        self.push(first..first + count, columns);
    }

    fn push(&self, numbers: impl Iterator<Item = u64>, columns: &mut [ColumnBuffer]) {
        numbers.for_each(|number| push(columns, &self.record(number)));
    }

    /// Empty columns for its fields.
    pub fn columns(&self) -> Vec<ColumnBuffer> {
        buffers(&self.fields)
    }

    /// All of it in memory.
    pub fn all(&self) -> Vec<ColumnBuffer> {
        self.some(self.records)
    }

    /// So many records, spread evenly over all of it, in memory.
    pub fn some(&self, count: u64) -> Vec<ColumnBuffer> {
        let mut columns = self.columns();
        let count = count.min(self.records);
        let number = |place| (u128::from(place) * u128::from(self.records) / u128::from(count)) as u64;
        self.push((0..count).map(number), &mut columns);
        columns
    }
}

fn time_field(fields: &Fields, named: Option<&str>) -> Result<FieldId, TrafficError> {
    use rowkey_core::types::Kind;
    let all = || fields.names().collect::<Vec<_>>().join(", ");
    if let Some(name) = named {
        return fields
            .id(name)
            .ok_or_else(|| TrafficError::UnknownTime { field: name.to_owned(), fields: all() });
    }
    let by_type = fields.iter().find(|(_, field)| field.ty.kind() == Kind::Time);
    let likely = |name: &str| matches!(name, "ts" | "time" | "timestamp" | "at");
    let by_name = || fields.iter().find(|(_, field)| likely(&field.name) && field.ty.kind() == Kind::Integer);
    let found = by_type.or_else(by_name).map(|(id, _)| id);
    found.ok_or_else(|| TrafficError::NoTime { fields: all() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rowkey_core::KeySchema;

    #[test]
    fn a_record_depends_on_seed_and_number_alone() {
        let key = KeySchema::parse("[user: u64][ts: timestamp][note]").unwrap();
        let make = |pattern, seed| Traffic::of_pattern(pattern, key.fields(), None, 1000, seed).unwrap();
        for pattern in Pattern::ALL {
            let (a, b) = (make(pattern, 1), make(pattern, 1));
            let whole: Vec<_> = (0..1000).map(|number| a.record(number)).collect();
            let backwards: Vec<_> = (0..1000).rev().map(|number| b.record(number)).collect();
            assert!(whole.iter().eq(backwards.iter().rev()), "{pattern:?}");
            let columns = a.all();
            assert_eq!(columns[0].column().value(17), whole[17][0]);
            if pattern != Pattern::Clock {
                assert_ne!(make(pattern, 2).record(3), whole[3], "{pattern:?}");
            }
        }
        for article in Article::ALL {
            let traffic = Traffic::of_article(article, 500, 3);
            assert_eq!(traffic.record(9), Traffic::of_article(article, 500, 3).record(9), "{article:?}");
            assert_eq!(traffic.all().first().map(ColumnBuffer::len), Some(500));
        }
    }

    #[test]
    fn without_a_time_it_says_what_is_missing() {
        let key = KeySchema::parse("[user: u64][note]").unwrap();
        let error = |time| Traffic::of_pattern(Pattern::Steady, key.fields(), time, 10, 0).unwrap_err();
        assert!(error(None).to_string().contains("user, note"), "{}", error(None));
        assert!(error(Some("at")).to_string().contains("no field `at`"));
    }
}

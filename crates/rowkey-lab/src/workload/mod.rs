//! The workload: the queries of a table, their frequency and their values.
//!
//! A query has `?` for what is given later; the parser says what each of them stands for ([`rowkey_core::query::Parameter`]). Values are
//! drawn from the data, once for all designs, so that they are asked for as often as they occur. What each drawn query returns is
//! counted by going through all records; that does not depend on the design.
//!
//! **Laws**: the same data, queries and seed give the same values, whichever command asks; a drawn query returns at least the record
//! that it was drawn from, unless it has a range with one end.

mod draw;

use rowkey_core::key::Fields;
use rowkey_core::query::{Comparison, Predicate, Query};
use rowkey_core::table::NamedQuery;
use rowkey_core::types::Order;
use rowkey_core::{FieldId, Findings};

use crate::simulate::Data;
use crate::unique;

/// Values are drawn so often for each query, unless told otherwise.
const DRAWS: usize = 32;
/// The rows of a query with `limit ?` that does not say how many.
pub const PAGE: u32 = 20;

/// Queries with their weights.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workload {
    /// Each with its condition and its weight.
    pub queries: Vec<NamedQuery>,
    /// How often values are drawn for each.
    pub draws: usize,
}

impl Workload {
    /// The queries of a table file or a file of queries.
    pub fn of(queries: &[NamedQuery]) -> Self {
        Self { queries: queries.to_vec(), draws: DRAWS }
    }

    /// Draws values for every query from the data, and counts what each returns.
    ///
    /// # Errors
    /// When a query cannot be read over the fields of the data.
    pub fn draw(&self, data: &Data<'_>, seed: u64) -> Result<DrawnQueries, WorkloadError> {
        let weights: f64 = self.queries.iter().map(|query| f64::from(query.weight)).sum();
        let mut lots = draw::Lots::new(data);
        let mut asked =
            DrawnQueries { fields: data.fields.clone(), queries: Vec::with_capacity(self.queries.len()) };
        for (number, query) in self.queries.iter().enumerate() {
            let unreadable = |source| WorkloadError::Query { name: query.name.clone(), source };
            let roles = Query::parameters(&query.condition, data.fields).map_err(unreadable)?;
            // Without a `?` there is nothing to draw twice.
            let times = if roles.is_empty() { 1 } else { self.draws.max(1) };
            let mut drawn = Vec::with_capacity(times);
            for (anchor, parameters) in lots.draw(query, &roles, times, (seed, number as u64)) {
                let given: Vec<&str> = parameters.iter().map(String::as_str).collect();
                let parsed = Query::parse_with(&query.condition, data.fields, &given).map_err(unreadable)?;
                let (matching, early) = draw::matching(&parsed, data);
                let early = (roles.is_empty() || anchor < data.early()).then_some(early);
                drawn.push(Drawn { parameters, parsed, matching, early });
            }
            let columns = columns(query, data.fields)?;
            let shape = drawn.first().map(|drawn| Shape::of(&drawn.parsed)).unwrap_or_default();
            let share = if weights > 0.0 { f64::from(query.weight) / weights } else { 0.0 };
            asked.queries.push(AskedQuery { query: query.clone(), share, columns, shape, drawn });
        }
        Ok(asked)
    }
}

/// Why a query cannot be asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkloadError {
    /// It cannot be read.
    #[error("query `{name}` cannot be read")]
    Query {
        /// Its name.
        name: String,
        /// What is wrong with it.
        source: Findings,
    },
    /// It returns a field that the data does not have.
    #[error("query `{query}` returns `{column}`, which the data does not have; it has {known}")]
    Column {
        /// Its name.
        query: String,
        /// The field that it returns.
        column: String,
        /// The fields of the data.
        known: String,
    },
}

/// The fields that a query returns; `None` for all.
fn columns(query: &NamedQuery, fields: &Fields) -> Result<Option<Vec<FieldId>>, WorkloadError> {
    let id = |column: &String| {
        fields.id(column).ok_or_else(|| WorkloadError::Column {
            query: query.name.clone(),
            column: column.clone(),
            known: fields.names().collect::<Vec<_>>().join(", "),
        })
    };
    query.columns.as_ref().map(|columns| columns.iter().map(id).collect()).transpose()
}

/// Queries with values.
#[derive(Debug, Clone)]
pub struct DrawnQueries {
    /// The fields that they are over.
    pub(crate) fields: Fields,
    pub(crate) queries: Vec<AskedQuery>,
}

impl DrawnQueries {
    /// Each query, as often as values were drawn for it.
    pub fn drawn(&self) -> impl Iterator<Item = (&NamedQuery, impl Iterator<Item = &Query>)> {
        self.queries.iter().map(|asked| (&asked.query, asked.drawn.iter().map(|drawn| &drawn.parsed)))
    }
}

/// A query with values in it.
#[derive(Debug, Clone)]
pub(crate) struct AskedQuery {
    pub(crate) query: NamedQuery,
    /// Its share of all queries, from 0 to 1.
    pub(crate) share: f64,
    /// The fields that it returns; `None` for all.
    pub(crate) columns: Option<Vec<FieldId>>,
    pub(crate) shape: Shape,
    pub(crate) drawn: Vec<Drawn>,
}

impl AskedQuery {
    pub(crate) fn returns(&self, field: FieldId) -> bool {
        self.columns.as_ref().is_none_or(|columns| columns.contains(&field))
    }
}

/// One set of values.
#[derive(Debug, Clone)]
pub(crate) struct Drawn {
    /// The values, as text; none if the query has no `?`.
    pub(crate) parameters: Vec<String>,
    pub(crate) parsed: Query,
    /// How many records of the data fulfil the condition.
    pub(crate) matching: usize,
    /// How many of the first half do, if the values come from there: what the query found when the table was half as large.
    pub(crate) early: Option<usize>,
}

impl Drawn {
    /// A query whose values were given, not drawn.
    pub(crate) fn given(query: &Query, data: &Data<'_>) -> Self {
        let (matching, _) = draw::matching(query, data);
        Self { parameters: Vec::new(), parsed: query.clone(), matching, early: None }
    }
}

/// What a query says of fields.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) equal: Vec<FieldId>,
    pub(crate) range: Vec<FieldId>,
    pub(crate) order: Vec<(FieldId, Order)>,
}

impl Shape {
    fn of(query: &Query) -> Self {
        let mut shape = Self { order: query.order_by.clone(), ..Self::default() };
        shape.add(&query.condition.pushed_down());
        (shape.equal, shape.range) = (unique(shape.equal), unique(shape.range));
        shape
    }

    fn add(&mut self, predicate: &Predicate) {
        match predicate {
            Predicate::And(all) | Predicate::Or(all) => all.iter().for_each(|one| self.add(one)),
            Predicate::Compare { field, comparison: Comparison::Equal, .. } => self.equal.push(*field),
            Predicate::In { .. } => self.equal.extend(predicate.fields()),
            other => self.range.extend(other.fields()),
        }
    }

    /// All fields that it names.
    pub(crate) fn fields(&self) -> Vec<FieldId> {
        unique(self.equal.iter().chain(&self.range).chain(self.order.iter().map(|(field, _)| field)).copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rowkey_core::KeySchema;
    use rowkey_core::batch::{Column, Values};

    fn query(text: &str) -> NamedQuery {
        NamedQuery {
            name: "q".to_owned(),
            condition: text.to_owned(),
            weight: 1,
            columns: None,
            window: None,
            limit: None,
        }
    }

    #[test]
    fn drawn_values_are_those_of_the_data() {
        let key = KeySchema::parse("[user: u64][ts: timestamp]").expect("a key");
        let users: Vec<u64> = (0..1000).map(|row| row % 10).collect();
        let times: Vec<i64> = (0..1000).map(|row| row * 1000).collect();
        let columns = [Column::new(Values::U64(&users)), Column::new(Values::Time(&times))];
        let data = Data { fields: key.fields(), columns: &columns, rows: 1000 };
        let queries = vec![query("user = ? and ts >= ? and ts < ? limit 5"), query("ts >= ? limit ?")];
        let workload = Workload { queries, draws: 20 };
        let asked = workload.draw(&data, 3).expect("a query");
        let [window, tail] = &asked.queries[..] else { panic!("two queries") };
        assert_eq!((window.drawn.len(), tail.drawn.len()), (20, 20));
        // A hundredth of the records is between the ends, and a tenth of those are of the user.
        assert!(window.drawn.iter().all(|drawn| (1..=2).contains(&drawn.matching)), "{window:?}");
        assert!(tail.drawn.iter().all(|drawn| (1..=101).contains(&drawn.matching)), "{tail:?}");
        assert_eq!(tail.drawn[0].parsed.limit, Some(PAGE as usize));
        assert_eq!(format!("{asked:?}"), format!("{:?}", workload.draw(&data, 3).expect("a query")));

        let minute =
            NamedQuery { window: Some(60_000), limit: Some(7), ..query("ts between ? and ? limit ?") };
        let asked = Workload { queries: vec![minute], draws: 9 }.draw(&data, 3).expect("a query");
        for drawn in &asked.queries[0].drawn {
            assert!((1..=61).contains(&drawn.matching), "{drawn:?}");
            assert_eq!(drawn.parsed.limit, Some(7));
        }
        let widest = asked.queries[0].drawn.iter().map(|drawn| drawn.matching).max();
        assert_eq!(widest, Some(61), "both ends of a minute, unless the data ends before");
    }
}

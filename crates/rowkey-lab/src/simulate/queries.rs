//! Which queries does a design have to answer, with which values?
//!
//! A query of a table file has `?` for what is given later. The values are drawn from the data, so that they are asked for as
//! often as they occur: a `?` that equals a field takes the value of a drawn record, the same record for the whole query;
//! the two bounds of a range are values of the field that are 1 to 10% of the records apart; `like ?` takes the beginning of
//! a text. What each drawn query returns is counted once, by going through all records; that does not depend on the design.

use rowkey::key::{Draw, Draws, Field, Fields};
use rowkey::query::Query;
use rowkey::table::NamedQuery;
use rowkey::types::Kind;
use rowkey::{FieldId, Value};

use super::{Data, SimulateError};

/// Values are drawn so often for each query, unless somebody says otherwise.
const DRAWS: usize = 32;

/// Queries with their weights.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Workload {
    /// The queries.
    pub queries: Vec<WeightedQuery>,
    /// How often values are drawn for each.
    pub draws: usize,
}

/// A query and how often it is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeightedQuery {
    /// What it is for.
    pub name: String,
    /// Condition, order and limit, with `?` for values.
    pub text: String,
    /// Its share among the queries.
    pub weight: u32,
}

impl Workload {
    /// The queries of a table file.
    pub fn of(queries: &[NamedQuery]) -> Self {
        let weighted = |query: &NamedQuery| WeightedQuery {
            name: query.name.clone(),
            text: query.condition.clone(),
            weight: query.weight,
        };
        Self { queries: queries.iter().map(weighted).collect(), draws: DRAWS }
    }

    /// Draws values for every query from the data, and counts what each returns.
    ///
    /// # Errors
    /// When a query cannot be read over the fields of the data.
    pub fn draw(&self, data: &Data<'_>, seed: u64) -> Result<Asked, SimulateError> {
        let mut asked = Asked { workload: self.clone(), fields: data.fields.clone(), drawn: Vec::new() };
        for (number, query) in self.queries.iter().enumerate() {
            let places = places(&query.text, data.fields);
            let mut draws = Draws::new(seed, number as u64);
            // Without a `?` there is nothing to draw twice.
            let times = if places.is_empty() { 1 } else { self.draws.max(1) };
            for _ in 0..times {
                let parameters = parameters(&places, data, &mut draws);
                let Some(parameters) = parameters else { continue };
                let given: Vec<&str> = parameters.iter().map(String::as_str).collect();
                let parsed = Query::parse_with(&query.text, data.fields, &given)
                    .map_err(|source| SimulateError::Query { name: query.name.clone(), source })?;
                let matching = matching(&parsed, data);
                asked.drawn.push(Drawn { query: number, parameters, parsed, matching });
            }
        }
        Ok(asked)
    }
}

/// Queries with values, and how many of the records each of them returns.
#[derive(Debug, Clone)]
pub struct Asked {
    /// Where they come from.
    pub workload: Workload,
    /// The fields that they are over.
    pub(crate) fields: Fields,
    pub(crate) drawn: Vec<Drawn>,
}

/// A query with values.
#[derive(Debug, Clone)]
pub(crate) struct Drawn {
    /// Its place in the workload.
    pub(crate) query: usize,
    pub(crate) parameters: Vec<String>,
    pub(crate) parsed: Query,
    /// How many records fulfil the condition.
    pub(crate) matching: usize,
}

impl Drawn {
    /// How many rows it returns.
    pub(crate) fn returned(&self) -> usize {
        self.parsed.limit.map_or(self.matching, |limit| self.matching.min(limit))
    }
}

fn matching(query: &Query, data: &Data<'_>) -> usize {
    let fields = query.condition.fields();
    let mut record = vec![Value::Null; data.fields.len()];
    let mut found = 0;
    for row in 0..data.rows {
        for field in &fields {
            if let (Some(slot), Some(column)) = (record.get_mut(field.0), data.columns.get(field.0)) {
                *slot = column.value(row);
            }
        }
        found += usize::from(query.condition.matches(&record) == Some(true));
    }
    found
}

/// What stands in the place of a `?`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The number behind `limit`.
    Limit,
    /// A field's value.
    Equal(FieldId),
    /// The lower end of a range.
    From(FieldId),
    /// The upper end of a range.
    To(FieldId),
    /// The beginning of a text.
    Like(FieldId),
    /// Nobody knows; anything.
    Unknown,
}

/// The places of the `?` in a query, from left to right.
fn places(text: &str, fields: &Fields) -> Vec<Place> {
    let tokens = tokens(text);
    let field = |word: &str| fields.id(word.trim_matches('"'));
    let at = |place: Option<usize>| place.and_then(|place| tokens.get(place)).copied().unwrap_or("");
    let mut places = Vec::new();
    let mut own: Option<FieldId> = None;
    for (place, token) in tokens.iter().enumerate() {
        own = field(token).or(own);
        if *token != "?" {
            continue;
        }
        let (before, after) = (at(place.checked_sub(1)), at(Some(place + 1)));
        let mirrored =
            matches!(after, "=" | "<" | "<=" | ">" | ">=").then(|| field(at(Some(place + 2)))).flatten();
        places.push(match (mirrored, own, before.to_ascii_lowercase().as_str()) {
            (_, _, "limit") => Place::Limit,
            (Some(field), ..) if after.starts_with('<') => Place::From(field),
            (Some(field), ..) if after.starts_with('>') => Place::To(field),
            (Some(field), ..) => Place::Equal(field),
            (None, Some(field), ">" | ">=" | "between") => Place::From(field),
            (None, Some(field), "<" | "<=") => Place::To(field),
            (None, Some(field), "like") => Place::Like(field),
            // `between ? and ?`
            (None, Some(field), "and") => Place::To(field),
            (None, Some(field), _) => Place::Equal(field),
            (None, None, _) => Place::Unknown,
        });
    }
    places
}

/// Words, signs and question marks; texts in quotes are one.
fn tokens(text: &str) -> Vec<&str> {
    let class = |c: char| match c {
        '<' | '>' | '=' | '!' => 1,
        c if c.is_alphanumeric() || matches!(c, '_' | '-' | '"' | '.') => 2,
        '\'' => 3,
        '?' => 4,
        _ => 0,
    };
    let mut tokens = Vec::new();
    let mut start: Option<(usize, i32)> = None;
    let mut quoted = false;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        let now = if quoted { 3 } else { class(c) };
        if let Some((from, before)) = start
            && (before != now || now == 4)
        {
            tokens.extend(text.get(from..at));
            start = None;
        }
        if start.is_none() && now != 0 {
            start = Some((at, now));
        }
        quoted ^= c == '\'';
    }
    tokens
}

/// Values for the places; `None` if a drawn record has none.
fn parameters(places: &[Place], data: &Data<'_>, draws: &mut Draws) -> Option<Vec<String>> {
    let rows = u32::try_from(data.rows).unwrap_or(u32::MAX);
    let record = if rows == 0 { return None } else { draws.draw(rows) as usize };
    let value = |field: &FieldId, row: usize| {
        let value = data.columns.get(field.0)?.value(row);
        if value.is_null() { None } else { Some(value) }
    };
    let mut ranges: Vec<(FieldId, Value<'_>, Value<'_>)> = Vec::new();
    let mut out = Vec::with_capacity(places.len());
    for place in places {
        out.push(match place {
            Place::Limit => "10".to_owned(),
            Place::Unknown => "1".to_owned(),
            Place::Equal(field) => value(field, record)?.to_string(),
            Place::Like(field) => {
                let Value::Text(text) = value(field, record)? else { return None };
                let start: String = text.chars().take(3).collect();
                format!("{start}%")
            }
            Place::From(field) | Place::To(field) => {
                let known = ranges.iter().find(|(known, ..)| known == field).cloned();
                let (low, high) = match known {
                    Some((_, low, high)) => (low, high),
                    None => {
                        let both =
                            places.contains(&Place::From(*field)) && places.contains(&Place::To(*field));
                        let (low, high) = bounds(data, *field, record, both, draws)?;
                        ranges.push((*field, low.clone(), high.clone()));
                        (low, high)
                    }
                };
                if matches!(place, Place::From(_)) { low.to_string() } else { high.to_string() }
            }
        });
    }
    Some(out)
}

/// The bounds of a range that the drawn record lies in: 1 to 10% of the records apart. One bound alone is the record's value.
fn bounds<'a>(
    data: &Data<'a>,
    field: FieldId,
    record: usize,
    both: bool,
    draws: &mut Draws,
) -> Option<(Value<'a>, Value<'a>)> {
    let column = data.columns.get(field.0)?;
    let own = column.value(record);
    if own.is_null() {
        return None;
    }
    if !both {
        return Some((own.clone(), own));
    }
    // A small sample is enough to tell how far apart values are.
    let mut near: Vec<Value<'a>> = Vec::with_capacity(201);
    for _ in 0..200 {
        let rows = u32::try_from(data.rows).unwrap_or(u32::MAX);
        near.push(column.value(draws.draw(rows) as usize));
    }
    near.retain(|value| !value.is_null());
    near.push(own.clone());
    near.sort_by(|a, b| a.compare(b).unwrap_or(std::cmp::Ordering::Equal));
    let place = near.iter().position(|value| *value == own)?;
    let width = 2 + draws.draw(19) as usize;
    let high = near.get((place + width).min(near.len() - 1)).cloned()?;
    Some((own.clone(), just_above(data.fields.get(field), high, &own)))
}

/// A bound above the value, so that `field < ?` has something to return.
fn just_above<'a>(field: &Field, high: Value<'a>, low: &Value<'_>) -> Value<'a> {
    match high {
        Value::Int(number) if high == *low && field.ty.kind() == Kind::Integer => Value::Int(number + 1),
        Value::Time(millis) if high == *low => Value::Time(millis + 1000),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rowkey::KeySchema;
    use rowkey::batch::{Column, Values};

    #[test]
    fn every_question_mark_finds_its_field() {
        let key = KeySchema::parse("[user: u64][ts: timestamp][name]").expect("a key");
        let fields = key.fields();
        let id = |name: &str| fields.id(name).expect("a field");
        let (user, ts, name) = (id("user"), id("ts"), id("name"));
        for (text, expected) in [
            ("user = ? limit ?", vec![Place::Equal(user), Place::Limit]),
            ("ts >= ? and ts<?", vec![Place::From(ts), Place::To(ts)]),
            ("ts between ? and ? and user=?", vec![Place::From(ts), Place::To(ts), Place::Equal(user)]),
            ("? <= ts and ? = user", vec![Place::From(ts), Place::Equal(user)]),
            (
                "user in (?,?) and name like ?",
                vec![Place::Equal(user), Place::Equal(user), Place::Like(name)],
            ),
            ("name = '? x' and \"user\" = ?", vec![Place::Equal(user)]),
        ] {
            assert_eq!(places(text, fields), expected, "{text}");
        }
    }

    #[test]
    fn drawn_values_are_those_of_the_data() {
        let key = KeySchema::parse("[user: u64][ts: timestamp]").expect("a key");
        let users: Vec<u64> = (0..1000).map(|row| row % 10).collect();
        let times: Vec<i64> = (0..1000).map(|row| row * 1000).collect();
        let columns = [Column::new(Values::U64(&users)), Column::new(Values::Time(&times))];
        let data = Data { fields: key.fields(), columns: &columns, rows: 1000 };
        let workload = Workload {
            queries: vec![WeightedQuery {
                name: "q".to_owned(),
                text: "user = ? and ts >= ? and ts < ? limit 5".to_owned(),
                weight: 1,
            }],
            draws: 20,
        };
        let asked = workload.draw(&data, 3).expect("a query");
        assert_eq!(asked.drawn.len(), 20);
        for drawn in &asked.drawn {
            assert!(drawn.matching >= 1 && drawn.matching <= 20, "{drawn:?}");
            assert!(drawn.returned() <= 5);
        }
        assert_eq!(format!("{asked:?}"), format!("{:?}", workload.draw(&data, 3).expect("a query")));
    }
}

//! Does a program give the keys, values and refusals of the core?
//!
//! The program reads requests, one JSON object per line, from its standard input, and answers each by one line on its standard
//! output, in any order:
//!
//! ```text
//! {"id":1,"table":"orders","op":"encode","record":{"user_id":"7","ts":"1735776000000","order_id":"b"}}
//! {"id":1,"key":"0700000000000000077ffffe6bdbb027ff62"}
//! {"id":2,"table":"orders","op":"decode","key":"07"}
//! {"id":2,"error":"too_short","at":"[user_id]"}
//! {"id":3,"table":"orders","op":"ranges","query":"recent","parameters":["7"]}
//! {"id":3,"ranges":[["070000000000000007","070000000000000008"]],"reverse":false}
//! ```
//!
//! [`Kit`] makes the requests of a table and judges the answers; the core is always right. The words of refusals are those of
//! [`rowkey_core::lowered`]; the place `at` is shown, and not judged.

pub mod wire;

use std::collections::BTreeMap;

use rowkey_core::escape::{from_hex, to_hex};
use rowkey_core::lowered::Codec;
use rowkey_core::query::{Parameter, TemplateError};
use rowkey_core::{KeySchema, Order, Type, Value};
use serde_json::{Map, Value as Json, json};

use crate::Design;
use crate::queries;
use crate::values::Values;
use crate::vectors::{self, Refusal};

/// Requests with the answers that are right.
#[derive(Debug, Clone, Default)]
pub struct Kit {
    /// By the request's `id`.
    cases: BTreeMap<u64, Case>,
    next: u64,
}

#[derive(Debug, Clone)]
struct Case {
    request: String,
    expected: Expected,
}

#[derive(Debug, Clone)]
enum Expected {
    Key(Vec<u8>),
    /// The fields that come back.
    Record(Vec<(String, Type, Value<'static>)>),
    Refusal(Refusal),
    Ranges {
        /// `None` for no end.
        ranges: Vec<(Vec<u8>, Option<Vec<u8>>)>,
        reverse: bool,
    },
}

/// An answer that is not right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The request.
    pub request: String,
    /// What the core answers.
    pub expected: String,
    /// What the program answered, or what is wrong with it.
    pub found: String,
}

/// How many answers were right, and the others.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Verdict {
    /// Answers that are the core's.
    pub right: usize,
    /// Answers that are not, missing ones too, in the order of the requests.
    pub differences: Vec<Difference>,
}

impl Kit {
    /// Adds requests for the keys of a table (or index table) of this name: so many records drawn from a seed are encoded, and
    /// their keys decoded, as they are and damaged.
    pub fn add(&mut self, name: &str, key: &KeySchema, records: usize, seed: u64) {
        let codec = Codec::of(key);
        let mut values = Values::new(seed);
        for number in 0..records as u64 {
            let vector = vectors::judge(key, values.record(&codec), number);
            let mut record = Map::new();
            for (field, value) in codec.fields.iter().zip(&vector.record) {
                if field.in_key {
                    record.insert(field.name.clone(), wire::json(value));
                }
            }
            let mut request = json!({ "id": 0, "table": name, "op": "encode", "record": record });
            if !vector.draws.is_empty() {
                request["draws"] = json!(vector.draws);
            }
            let key_bytes = vector.outcome.as_ref().ok().map(|(bytes, _)| bytes.clone());
            let expected = match vector.outcome {
                Ok((bytes, _)) => Expected::Key(bytes),
                Err(refusal) => Expected::Refusal(refusal),
            };
            self.push(request, expected);
            if let Some(bytes) = key_bytes {
                self.decode(name, key, &codec, &bytes);
                self.decode(name, key, &codec, &values.damaged(&bytes));
            }
        }
    }

    /// Adds requests for the ranges of the queries of a table, each with values drawn so many times. `keys` are the table's key and
    /// those of its index tables. Queries that have no ranges before their values are known are left out.
    pub fn add_queries(&mut self, design: &Design, keys: &[&KeySchema], times: usize, seed: u64) {
        let mut values = Values::new(seed);
        for (query, template) in queries::templates(design) {
            let place = queries::index(template).map_or(0, |index| index + 1);
            let Some(key) = keys.get(place) else { continue };
            for _ in 0..times {
                let mut given: Vec<Value<'static>> = Vec::new();
                for parameter in &template.parameters {
                    let before = given.last().cloned();
                    let value = match (parameter.role, parameter.field()) {
                        (Parameter::Pattern(_), _) => Value::Text("a%".into()),
                        (_, Some(field)) => near(&mut values, before, key.fields().get(field).ty),
                        (_, None) => Value::Int(values.below(100) as i128),
                    };
                    given.push(value);
                }
                let expected = match template.ranges(key, &given) {
                    Ok(groups) => Expected::Ranges {
                        ranges: groups.into_iter().flat_map(|group| group.ranges).collect(),
                        reverse: template.direction == Order::Descending,
                    },
                    Err(TemplateError::Bound { problem, .. }) => Expected::Refusal(problem.into()),
                    Err(_) => continue,
                };
                let given: Vec<Json> = given.iter().map(wire::json).collect();
                let request = json!({ "table": design.table, "op": "ranges", "query": query.name, "parameters": given });
                self.push(request, expected);
            }
        }
    }

    fn decode(&mut self, name: &str, key: &KeySchema, codec: &Codec, bytes: &[u8]) {
        let expected = match key.decode(bytes) {
            Err(error) => Expected::Refusal(error.into()),
            Ok(decoded) => {
                let fields = codec.fields.iter().zip(decoded.values).filter(|(field, _)| field.comes_back);
                let named = fields.map(|(field, value)| (field.name.clone(), field.ty, value.into_owned()));
                Expected::Record(named.collect())
            }
        };
        self.push(json!({ "id": 0, "table": name, "op": "decode", "key": to_hex(bytes) }), expected);
    }

    fn push(&mut self, mut request: Json, expected: Expected) {
        self.next += 1;
        request["id"] = self.next.into();
        self.cases.insert(self.next, Case { request: request.to_string(), expected });
    }

    /// The requests, a line each, without line ends.
    pub fn requests(&self) -> impl Iterator<Item = &str> {
        self.cases.values().map(|case| case.request.as_str())
    }

    /// How many requests there are.
    pub fn len(&self) -> usize {
        self.cases.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.cases.is_empty()
    }

    /// Judges answers, a line each.
    pub fn judge<'a>(&self, answers: impl IntoIterator<Item = &'a str>) -> Verdict {
        let mut given: BTreeMap<u64, &str> = BTreeMap::new();
        let mut verdict = Verdict::default();
        let mut odd = Vec::new();
        for line in answers {
            let id = serde_json::from_str::<Json>(line).ok().and_then(|answer| answer.get("id")?.as_u64());
            let known = id.filter(|id| self.cases.contains_key(id) && !given.contains_key(id));
            match known {
                Some(id) => {
                    given.insert(id, line);
                }
                None => odd.push(Difference {
                    request: String::new(),
                    expected: "one JSON object with the `id` of a request, once for each".to_owned(),
                    found: line.to_owned(),
                }),
            }
        }
        for (id, case) in &self.cases {
            let found = match given.get(id) {
                Some(line) if case.expected.is(line) => {
                    verdict.right += 1;
                    continue;
                }
                Some(line) => (*line).to_owned(),
                None => "no answer".to_owned(),
            };
            let expected = case.expected.shown(*id);
            verdict.differences.push(Difference { request: case.request.clone(), expected, found });
        }
        verdict.differences.append(&mut odd);
        verdict
    }
}

impl Expected {
    fn is(&self, line: &str) -> bool {
        let answer: Json = serde_json::from_str(line).unwrap_or_default();
        let text = |name: &str| answer.get(name).and_then(Json::as_str);
        match self {
            Self::Key(key) => text("key").and_then(from_hex).as_ref() == Some(key),
            Self::Refusal(refusal) => text("error") == Some(refusal.word),
            Self::Ranges { ranges, reverse } => {
                answer.get("ranges") == Some(&hex_of(ranges))
                    && answer.get("reverse").and_then(Json::as_bool) == Some(*reverse)
            }
            Self::Record(fields) => answer.get("record").and_then(Json::as_object).is_some_and(|record| {
                record.len() == fields.len()
                    && fields.iter().all(|(name, ty, value)| {
                        record.get(name).and_then(|json| wire::value(json, *ty)).as_ref() == Some(value)
                    })
            }),
        }
    }

    fn shown(&self, id: u64) -> String {
        let answer = match self {
            Self::Key(key) => json!({ "id": id, "key": to_hex(key) }),
            Self::Refusal(refusal) => json!({ "id": id, "error": refusal.word, "at": refusal.place }),
            Self::Ranges { ranges, reverse } => {
                json!({ "id": id, "ranges": hex_of(ranges), "reverse": reverse })
            }
            Self::Record(fields) => {
                let record: Map<String, Json> =
                    fields.iter().map(|(name, _, value)| (name.clone(), wire::json(value))).collect();
                json!({ "id": id, "record": record })
            }
        };
        answer.to_string()
    }
}

/// A value, often the same as another or a little more.
fn near(values: &mut Values, other: Option<Value<'static>>, ty: Type) -> Value<'static> {
    let drawn = values.value(ty);
    let more = i64::from(values.pick(&[0_i8, 1, 2, 40, -1]));
    match other {
        Some(Value::Time(millis)) if matches!(drawn, Value::Time(_)) && values.once_in(2) => {
            Value::Time(millis.saturating_add(more * ty.step()))
        }
        Some(Value::Int(number)) if matches!(drawn, Value::Int(_)) && values.once_in(2) => {
            let next = number + i128::from(more);
            let fits = ty.integer_range().is_some_and(|(min, max)| (min..=max).contains(&next));
            if fits { Value::Int(next) } else { drawn }
        }
        Some(same) if same.kind() == drawn.kind() && values.once_in(4) => match (&same, &drawn) {
            (Value::Int(_) | Value::Time(_) | Value::Float(_) | Value::Float32(_), _) => drawn,
            _ => same,
        },
        _ => drawn,
    }
}

fn hex_of(ranges: &[(Vec<u8>, Option<Vec<u8>>)]) -> Json {
    let one = |(start, stop): &(Vec<u8>, Option<Vec<u8>>)| {
        json!([to_hex(start), to_hex(stop.as_deref().unwrap_or_default())])
    };
    ranges.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_core_agrees_with_itself_and_nothing_else_does() {
        let key = KeySchema::parse("[salt(16, user)][user: u64][ts: timestamp desc][price: f64?][id]")
            .expect("a key");
        let mut kit = Kit::default();
        kit.add("orders", &key, 100, 1);
        let right: Vec<String> = kit.cases.iter().map(|(id, case)| case.expected.shown(*id)).collect();
        let verdict = kit.judge(right.iter().map(String::as_str));
        assert_eq!((verdict.right, verdict.differences.len()), (kit.len(), 0), "{:?}", verdict.differences);

        let wrong: Vec<String> =
            right.iter().map(|line| line.replace("\"key\":\"", "\"key\":\"00")).collect();
        let keys = right.iter().filter(|line| line.contains("\"key\"")).count();
        assert_eq!(kit.judge(wrong.iter().map(String::as_str)).differences.len(), keys);
        // Without the last, with one twice, and with a line that is none.
        let odd = right.iter().take(kit.len() - 1).chain(right.first()).map(String::as_str).chain(["hello"]);
        let differences = kit.judge(odd).differences;
        assert_eq!(differences.len(), 3, "{differences:?}");
        assert_eq!(differences.first().map(|first| first.found.as_str()), Some("no answer"));
    }
}

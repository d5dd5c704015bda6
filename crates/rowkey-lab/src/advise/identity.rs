//! Finds the fields that tell records apart, also those that are not in the data yet.
//!
//! That no two records of the data are alike in a field proves nothing: a time, or a user of many, may differ by luck and repeat tomorrow.
//! So an identity has a [`Basis`]:
//!
//! - **declared**: the table file or the caller says it;
//! - **numbered**: one field differs in every record, and that cannot be luck: it counts up with the records and is named like an id (a meter's reading
//!   rises too), or it is in no order and lies so densely that values drawn at random would have met, or it is a UUID that is not named after a person or
//!   thing that comes again. A time is none of these, however it is written;
//! - **assumed**: none of these. Then everything that describes what a record is about belongs to it, the time included; what is measured, long
//!   texts, and what follows from the rest do not. Advice says so and asks.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hasher};

use rowkey_core::Value;
use rowkey_core::key::{FieldId, Fields};
use rowkey_core::types::{Kind, Type};
use rowkey_core::value::{TimeUnit, likely_unit};

use super::facts::{FieldFacts, hash_into};
use crate::sample::lots::Row;

/// Values drawn at random would have met so often, if they lie densely.
const MEETINGS: f64 = 8.0;
/// A text that is longer on average says something, instead of naming it.
const LONG_TEXT: f64 = 24.0;
/// So many groups of records must agree in a field for it to follow from others.
const GROUPS: usize = 30;
/// With fewer records nothing is proved.
const FEW_RECORDS: usize = 100;

/// Words in names of fields that number something.
const NUMBERS: &str = "id key no num number seq sequence uuid guid offset line";
/// … with which their last word may end.
const NUMBER_ENDS: [&str; 3] = ["id", "key", "number"];
/// … that name a person or thing that comes again.
const COME_AGAIN: &str = "user customer cust account device host client member session tenant sensor meter phone caller callee owner author \
                          seller shop product item actor object person player driver vehicle visitor sender receiver";
/// Last words in names of texts that say something.
const SAY_SOMETHING: &str =
    "note notes comment message text body title description content url path agent referrer payload";

/// Why records are taken to stay apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// The caller or the table file says so.
    Declared,
    /// One field numbers them.
    Numbered,
    /// Nothing shows it.
    Assumed,
}

/// Sets of fields that may identify records, by some of them, the surest first; `asked` are the fields that queries name.
pub(super) fn sets(
    records: &[Row],
    fields: &Fields,
    facts: &[FieldFacts],
    asked: &[FieldId],
) -> Vec<(Vec<FieldId>, Basis)> {
    let known = Known { records, fields, facts, asked };
    let usable: Vec<FieldId> = fields.iter().map(|(id, _)| id).filter(|id| known.is_usable(*id)).collect();
    let mut numbering: Vec<FieldId> = usable.iter().copied().filter(|id| known.numbers(*id)).collect();
    numbering.sort_by_key(|id| (!asked.contains(id), !known.is_named_id(*id), *id));
    let mut sets: Vec<(Vec<FieldId>, Basis)> =
        numbering.into_iter().map(|id| (vec![id], Basis::Numbered)).collect();
    // What a record is about; then with what is measured; then everything.
    let about: Vec<FieldId> = usable.iter().copied().filter(|id| known.is_about(*id)).collect();
    let measured: Vec<FieldId> = usable.iter().copied().filter(|id| !known.is_long(*id)).collect();
    for set in [known.without_what_follows(about.clone()), about, measured, usable] {
        if !set.is_empty() && !sets.iter().any(|(known, _)| *known == set) {
            sets.push((set, Basis::Assumed));
        }
    }
    sets
}

/// What records are about and come again in others: what people ask for.
pub(super) fn subjects(records: &[Row], fields: &Fields, facts: &[FieldFacts]) -> Vec<FieldId> {
    let known = Known { records, fields, facts, asked: &[] };
    let comes_again = |id: &FieldId| repeated(records, &[*id]) > 0;
    let is_time = |id: &FieldId| fields.get(*id).ty.kind() == Kind::Time;
    let usable = fields.iter().map(|(id, _)| id).filter(|id| known.is_usable(*id) && !is_time(id));
    usable.filter(|id| known.is_about(*id)).filter(comes_again).collect()
}

struct Known<'a> {
    records: &'a [Row],
    fields: &'a Fields,
    facts: &'a [FieldFacts],
    asked: &'a [FieldId],
}

impl Known<'_> {
    fn facts(&self, field: FieldId) -> Option<&FieldFacts> {
        self.facts.get(field.0)
    }

    fn is_usable(&self, field: FieldId) -> bool {
        let ty = self.fields.get(field).ty;
        let differs = self.facts(field).is_some_and(|facts| !facts.is_constant() && facts.nulls == 0);
        differs && ty != Type::Bytes && ty.kind() != Kind::Float
    }

    /// Whether a word of its name, or the last one, is one of these.
    fn is_named(&self, field: FieldId, words: &str, only_last: bool) -> bool {
        let name = self.fields.get(field).name.to_ascii_lowercase();
        let mut own = name.split(|c: char| !c.is_alphanumeric()).rev();
        let is_one = |own: &str| words.split(' ').any(|word| word == own);
        if only_last { own.next().is_some_and(is_one) } else { own.any(is_one) }
    }

    /// Whether its name says that it numbers something.
    fn is_named_id(&self, field: FieldId) -> bool {
        let name = self.fields.get(field).name.to_ascii_lowercase();
        let last = name.rsplit(|c: char| !c.is_alphanumeric()).next();
        self.is_named(field, NUMBERS, false)
            || last.is_some_and(|word| NUMBER_ENDS.iter().any(|end| word.ends_with(end)))
    }

    /// Whether its name is that of a person or thing that comes again.
    fn is_named_after_one_that_comes_again(&self, field: FieldId) -> bool {
        let name = self.fields.get(field).name.to_ascii_lowercase();
        let without_id = name.strip_suffix("id");
        self.is_named(field, COME_AGAIN, false)
            || without_id.is_some_and(|name| COME_AGAIN.split(' ').any(|word| word == name))
    }

    /// A number that no query asks for and whose name is no name of a number or id is likely an amount.
    fn is_measured(&self, field: FieldId) -> bool {
        matches!(self.fields.get(field).ty.kind(), Kind::Integer | Kind::Numeric)
            && !self.asked.contains(&field)
            && !self.is_named_id(field)
    }

    /// Whether it is a text that says something, by its length or its name, and that no query asks for.
    fn is_long(&self, field: FieldId) -> bool {
        let is_text = self.fields.get(field).ty.kind() == Kind::Text && !self.asked.contains(&field);
        let is_named = || self.is_named(field, SAY_SOMETHING, true);
        is_text && (is_named() || self.facts(field).is_some_and(|facts| facts.mean_text() > LONG_TEXT))
    }

    /// Whether a record is about this, and not only has it.
    fn is_about(&self, field: FieldId) -> bool {
        let has_few_values = self.facts(field).is_some_and(|facts| facts.few().is_some());
        let asked = self.asked.contains(&field);
        !self.is_measured(field)
            && !self.is_long(field)
            && (asked || self.is_named_id(field) || !has_few_values)
    }

    /// Whether every record has a value of its own, and not by luck.
    fn numbers(&self, field: FieldId) -> bool {
        let values: Vec<&Value<'static>> =
            self.records.iter().filter_map(|record| record.get(field.0)).collect();
        let ty = self.fields.get(field).ty;
        if values.len() < FEW_RECORDS.min(self.records.len()) || repeated(self.records, &[field]) > 0 {
            return false;
        }
        let identifies = matches!(ty, Type::Octets(ty) if ty.identifies());
        if identifies || self.facts(field).is_some_and(|facts| facts.is_digest) {
            return values.len() >= FEW_RECORDS && !self.is_named_after_one_that_comes_again(field);
        }
        let Some(numbers) = numbers(&values) else { return false };
        if looks_like_a_time(&numbers) {
            return false;
        }
        // The records stand in the order of the time. A few neighbours may be in the wrong order, where many write at once.
        let rising = numbers.windows(2).filter(|pair| pair.first() < pair.last()).count();
        if rising * 100 >= (numbers.len() - 1) * 95 {
            return numbers.len() >= FEW_RECORDS && self.is_named_id(field);
        }
        let (low, high) = (numbers.iter().min(), numbers.iter().max());
        let span = low.zip(high).map_or(0.0, |(low, high)| (high - low) as f64 + 1.0);
        let count = numbers.len() as f64;
        count * count / (2.0 * span) >= MEETINGS
    }

    /// Leaves out fields that follow from the others, such as the user of a session.
    fn without_what_follows(&self, set: Vec<FieldId>) -> Vec<FieldId> {
        let is_time = |field: &FieldId| self.fields.get(*field).ty.kind() == Kind::Time;
        let mut kept = set.clone();
        for field in set.iter().rev().filter(|field| !is_time(field)) {
            let rest: Vec<FieldId> =
                kept.iter().copied().filter(|other| other != field && !is_time(other)).collect();
            if !rest.is_empty() && self.follows(*field, &rest) {
                kept.retain(|other| other != field);
            }
        }
        kept
    }

    fn follows(&self, field: FieldId, from: &[FieldId]) -> bool {
        let mut groups: HashMap<u64, (u64, usize)> = HashMap::new();
        for record in self.records {
            let value = hash_in(record, &[field]);
            let (first, count) = groups.entry(hash_in(record, from)).or_insert((value, 0));
            if *first != value {
                return false;
            }
            *count += 1;
        }
        groups.values().filter(|(_, count)| *count > 1).count() >= GROUPS
    }
}

/// The numbers of values: themselves, or what follows a beginning that all texts share. A time is none.
fn numbers<'v>(values: &[&'v Value<'static>]) -> Option<Vec<i128>> {
    let text = |value: &&'v Value<'static>| match value {
        Value::Text(text) => Some(text.as_ref()),
        _ => None,
    };
    if let Some(Value::Int(_)) = values.first() {
        let number = |value: &&Value<'static>| match value {
            Value::Int(number) => Some(*number),
            _ => None,
        };
        return values.iter().map(number).collect();
    }
    let texts: Vec<&str> = values.iter().map(text).collect::<Option<_>>()?;
    let digits = |text: &str| text.len() - text.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let first = texts.first()?;
    let prefix = first.get(..first.len() - digits(first))?;
    texts.iter().map(|text| text.strip_prefix(prefix)?.parse().ok()).collect()
}

/// Seconds, milliseconds, microseconds or nanoseconds of this age, or digits of a calendar and a clock.
fn looks_like_a_time(numbers: &[i128]) -> bool {
    let ages =
        [1, 1_000, 1_000_000, 1_000_000_000].map(|unit: i128| 1_000_000_000 * unit..4_200_000_000 * unit);
    ages.iter().any(|age| numbers.iter().all(|number| age.contains(number)))
        || numbers.iter().all(|number| is_of_a_calendar(*number))
}

/// `20240524`, and with `0930`, `093000` or `093000123` behind.
fn is_of_a_calendar(number: i128) -> bool {
    let seconds = match number.to_string().len() {
        8 => number * 1_000_000,
        12 => number * 100,
        14 => number,
        17 => number / 1_000,
        _ => return false,
    };
    let day = i64::try_from(seconds / 1_000_000).ok().and_then(likely_unit);
    let is_clock = seconds / 10_000 % 100 < 24 && seconds / 100 % 100 < 60 && seconds % 100 < 60;
    day == Some(TimeUnit::Date) && is_clock
}

/// How many records are like one before in these fields.
pub(super) fn repeated(records: &[Row], set: &[FieldId]) -> usize {
    let mut seen = HashSet::with_capacity(records.len());
    records.iter().filter(|record| !seen.insert(hash_in(record, set))).count()
}

pub(super) fn hash_in(record: &[Value<'static>], set: &[FieldId]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for field in set {
        hash_into(record.get(field.0).unwrap_or(&Value::Null), &mut hasher);
    }
    hasher.finish()
}

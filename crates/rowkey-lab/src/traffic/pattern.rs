//! Traffic over the fields of any key.

use rowkey_core::key::{Draw, Draws, Field, Fields};
use rowkey_core::types::{Kind, Octets};
use rowkey_core::{FieldId, Type, Value};

use super::subjects::{USERS, Zipf, fraction, scattered};
use super::{DAY, Make, START};

const HOUR: i64 = 3_600_000;
/// A burst lasts so long, once an hour, at ten times the rate.
const BURST: i64 = 300_000;
const RATE: f64 = 10.0;
/// A celebrity's share of the writes.
const CELEBRITY: f64 = 0.3;

/// How records come, and by whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pattern {
    /// All day alike, by 10,000 users alike.
    Steady,
    /// Five minutes of every hour ten times as many.
    Bursts,
    /// By users of whom a few write the most.
    Zipf,
    /// A third, nearly, by one user.
    Celebrity,
    /// One after another, at whole seconds, with ids that rise along.
    Clock,
}

impl Pattern {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Steady, Self::Bursts, Self::Zipf, Self::Celebrity, Self::Clock];
}

pub(super) fn maker(pattern: Pattern, fields: &Fields, time: FieldId, records: u64) -> Make {
    let own: Vec<(FieldId, Field)> = fields.iter().map(|(id, field)| (id, field.clone())).collect();
    // The first field that is not the time says who writes; every other one is new in each record.
    let subject = own.iter().map(|(id, _)| *id).find(|id| *id != time);
    let zipf = Zipf::new(if pattern == Pattern::Zipf { USERS } else { 0 });
    Box::new(move |number, draws| {
        let at = when(pattern, number, records, draws);
        let who = match pattern {
            Pattern::Zipf => zipf.draw(draws),
            Pattern::Celebrity if fraction(draws) < CELEBRITY => 0,
            Pattern::Steady | Pattern::Bursts | Pattern::Celebrity => u64::from(draws.draw(USERS)),
            Pattern::Clock => number,
        };
        let who = if pattern == Pattern::Clock { who } else { scattered(who, u64::from(USERS) * 10) };
        own.iter()
            .map(|(id, field)| match *id {
                id if id == time => time_value(field, at),
                id if Some(id) == subject => value(field, who),
                _ => value(field, number),
            })
            .collect()
    })
}

/// When a record comes.
fn when(pattern: Pattern, number: u64, records: u64, draws: &mut Draws) -> i64 {
    let place = (number as f64 + fraction(draws)) / records.max(1) as f64;
    match pattern {
        Pattern::Clock => START + ((number as f64 / records.max(1) as f64 * DAY as f64) as i64 / 1000) * 1000,
        Pattern::Bursts => {
            let hours = place * (DAY / HOUR) as f64;
            let (hour, within) = (hours.floor(), hours.fract());
            let busy = BURST as f64 * RATE;
            let share = busy / (busy + (HOUR - BURST) as f64);
            let millis = if within < share {
                within / share * BURST as f64
            } else {
                BURST as f64 + (within - share) / (1.0 - share) * (HOUR - BURST) as f64
            };
            START + hour as i64 * HOUR + millis as i64
        }
        _ => START + (place * DAY as f64) as i64,
    }
}

/// A time as the field has it: seconds where only those fit.
fn time_value(field: &Field, millis: i64) -> Value<'static> {
    match (field.ty.kind(), field.ty) {
        (Kind::Time, ty) => Value::Time(millis / ty.step() * ty.step()),
        (Kind::Integer, ty) => {
            let fits = ty.integer_range().is_none_or(|(_, max)| i128::from(millis) <= max);
            Value::Int(i128::from(if fits { millis } else { millis / 1000 }))
        }
        (Kind::Text, _) => Value::Text(Value::Time(millis).to_string().into()),
        _ => value(field, millis.unsigned_abs()),
    }
}

/// The value with a number.
pub(super) fn value(field: &Field, number: u64) -> Value<'static> {
    match field.ty.kind() {
        Kind::Integer => {
            let (min, max) = field.ty.integer_range().unwrap_or((0, i128::from(i64::MAX)));
            let room = max.saturating_sub(min.max(0)).saturating_add(1).max(1);
            Value::Int(min.max(0) + i128::from(number) % room)
        }
        Kind::Float if field.ty.is_single() => Value::Float32(number as f32),
        Kind::Float => Value::Float(number as f64),
        Kind::Numeric => match rowkey_core::value::read(&number.to_string(), field.ty) {
            Ok(value) => value.into_owned(),
            Err(_) => Value::Null,
        },
        Kind::Time => Value::Time(START + (number % 86_400_000) as i64),
        Kind::Bool => Value::Bool(number % 2 == 1),
        Kind::Octets(ty) => {
            let (high, low) = (scattered(number, u64::MAX), scattered(!number, u64::MAX));
            Value::Octets(Octets::of_number(ty, u128::from(high) << 64 | u128::from(low)))
        }
        Kind::Text => Value::Text(digits(field.ty, number).into()),
        Kind::Bytes => Value::Bytes(digits(field.ty, number).into_bytes().into()),
    }
}

/// Text that rises with the number.
fn digits(ty: Type, number: u64) -> String {
    let width = match ty {
        Type::Fixed(width) => width.into(),
        _ => 10,
    };
    let digits = format!("{number:0width$}");
    digits.get(digits.len() - width..).unwrap_or(&digits).to_owned()
}

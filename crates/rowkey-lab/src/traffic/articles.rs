//! The example data of five articles about row keys (`docs/sources.md`).
//!
//! Each comes with the keys that the article proposes: the one it warns of, its cures, and cures that do not work.

use rowkey_core::key::{Draw, Draws, Fields};
use rowkey_core::{FieldId, KeySchema, Value};

use super::subjects::{Zipf, fraction, scattered};
use super::{DAY, Make, START};

/// An article's example data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Article {
    /// Phone numbers as they are given out: a few beginnings, one of them most of the time.
    Phones,
    /// Messages with date, time and an id that rises.
    Messages,
    /// Orders of users, a few of whom order most.
    Orders,
    /// Log lines of three hosts at whole seconds.
    LogsFewHosts,
    /// Log lines of 2,000 hosts at whole seconds.
    LogsManyHosts,
    /// Log ids that begin with the time, for a salt of 1,000 buckets.
    Salt1000,
    /// Comments on films as they play, shown newest first; one film is a hit.
    Danmaku,
    /// Ids in steps of ten, for a salt by Java's hash.
    SteppedIds,
}

/// A key that an article proposes, and what it says of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Proposed {
    /// A name for tables.
    pub name: &'static str,
    /// The key in the notation.
    pub key: &'static str,
    /// Where its regions begin, if the article says; otherwise the caller chooses their number.
    pub splits: Option<&'static [&'static str]>,
}

const fn key(name: &'static str, key: &'static str) -> Proposed {
    Proposed { name, key, splits: None }
}

const DIGITS: Option<&[&str]> = Some(&["1", "2", "3", "4", "5", "6", "7", "8", "9"]);

impl Article {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Phones,
        Self::Messages,
        Self::Orders,
        Self::LogsFewHosts,
        Self::LogsManyHosts,
        Self::Salt1000,
        Self::Danmaku,
        Self::SteppedIds,
    ];

    /// The keys, the one that is warned of first.
    pub fn keys(self) -> &'static [Proposed] {
        match self {
            Self::Phones => PHONES,
            Self::Messages => MESSAGES,
            Self::Orders => ORDERS,
            Self::LogsFewHosts | Self::LogsManyHosts => LOGS,
            Self::Salt1000 => SALT_1000,
            Self::Danmaku => DANMAKU,
            Self::SteppedIds => STEPPED_IDS,
        }
    }
}

const PHONES: &[Proposed] = &[
    Proposed { name: "as it is", key: "[phone]", splits: DIGITS },
    Proposed { name: "reversed", key: "[reverse(phone)]", splits: DIGITS },
];
const MESSAGES: &[Proposed] = &[
    key("date first", "date:time:message_id"),
    key("id first", "message_id:date:time"),
    key("MD5 first", "md5(message_id).upper():date:time:message_id"),
];
const ORDERS: &[Proposed] = &[
    key("order first", "[order_id]"),
    key("user first", "[user_id][order_id]"),
    key("MD5 of user", "[md5(user_id).subStr(0,4)][user_id][order_id]"),
    key("user reversed", "[reverse(user_id)][order_id]"),
];
const LOGS: &[Proposed] = &[
    key("time first", "[ts][hostname: escaped][log_event]"),
    key("host first", "[hostname: escaped][log_event: escaped][ts]"),
    key("ts % 10", "[ts % 10][ts][hostname: escaped][log_event]"),
    key("salt of 10", "[salt(10, hostname, ts)][ts][hostname: escaped][log_event]"),
];
const SALT_1000: &[Proposed] = &[
    key("id as it is", "[id]"),
    key("salt of 1,000", "[java_hash(id) % 1000: decimal(3)][id]"),
    key("salt of 4", "[salt(4, id)][id]"),
];
const DANMAKU: &[Proposed] = &[
    key("newest first", "[Long.MAX_VALUE - ts][film][user]"),
    key("film, newest first", "[film][Long.MAX_VALUE - ts][user]"),
    key("salted, newest first", "[salt(16, film, user)][film][Long.MAX_VALUE - ts][user]"),
];
const STEPPED_IDS: &[Proposed] = &[
    key("id as it is", "[id]"),
    key("java_hash % 31", "[java_hash(id) % 31][id]"),
    key("salt of 31", "[salt(31, id)][id]"),
];

/// Fields, which one is the time, the last, and how records are made.
pub(super) fn maker(article: Article, records: u64) -> (Fields, FieldId, Make) {
    let all = records.max(1);
    // Evenly over the day, with a little chance.
    let when = move |number: u64, draws: &mut Draws| {
        START + ((number as f64 + fraction(draws)) / all as f64 * DAY as f64) as i64
    };
    let (key, make): (&str, Make) = match article {
        Article::Phones => (
            "[phone: decimal(11)][ts: timestamp]",
            Box::new(move |number, draws| {
                let begin = match draws.draw(100) {
                    0..60 => 1378,
                    60..75 => 1381,
                    75..85 => 1502,
                    85..93 => 1590,
                    _ => 1868,
                };
                let rest = scattered(number, 10_000_000);
                vec![int(begin * 10_000_000 + rest), Value::Time(when(number, draws))]
            }),
        ),
        Article::Messages => (
            "[date: text][time: text][message_id: text][ts: timestamp]",
            Box::new(move |number, draws| {
                let at = when(number, draws);
                let digits = digits(at);
                let (date, time) = digits.split_at(8);
                vec![text_of(date), text_of(time), text_of(100_000_000 + number), Value::Time(at)]
            }),
        ),
        Article::Orders => {
            let zipf = Zipf::new(100_000);
            let make: Make = Box::new(move |number, draws| {
                // Users are numbered as they join, so that the best ones are anywhere.
                let user = 10_000_000 + scattered(zipf.draw(draws), 2_000_000);
                let at = when(number, draws);
                let order = format!("{}{:07}", at / 1000, number % 10_000_000);
                vec![int(user), text_of(order), Value::Time(at)]
            });
            ("[user_id: decimal(8)][order_id: text][ts: timestamp]", make)
        }
        Article::LogsFewHosts | Article::LogsManyHosts => {
            let hosts = if article == Article::LogsFewHosts { 3 } else { 2_000 };
            let make: Make = Box::new(move |number, draws| {
                let host = format!("host{}", draws.draw(hosts) + 1);
                let event = ["login", "query", "error", "logout"][draws.draw(4) as usize];
                vec![text_of(host), text_of(event), Value::Time(when(number, draws) / 1000 * 1000)]
            });
            ("[hostname: text][log_event: text][ts: timestamp]", make)
        }
        Article::Salt1000 => (
            "[id: text][ts: timestamp]",
            Box::new(move |number, draws| {
                let at = when(number, draws);
                vec![text_of(format!("{}_{:04}", digits(at), number % 10_000)), Value::Time(at)]
            }),
        ),
        Article::Danmaku => (
            "[film: u64][user: u64][ts: timestamp]",
            Box::new(move |number, draws| {
                let film =
                    if draws.draw(100) < 40 { 1997 } else { scattered(draws.draw(5_000).into(), 90_000) };
                vec![int(film), int(draws.draw(1_000_000).into()), Value::Time(when(number, draws))]
            }),
        ),
        Article::SteppedIds => (
            "[id: text][ts: timestamp]",
            Box::new(move |number, draws| {
                let id = 100_000 + number * 10 % 900_000;
                vec![text_of(id), Value::Time(when(number, draws))]
            }),
        ),
    };
    let fields = KeySchema::parse(key).expect("the keys of this file can be read").fields().clone();
    let time = FieldId(fields.len() - 1);
    (fields, time, make)
}

/// A time as 14 digits, from the year to the second.
fn digits(at: i64) -> String {
    Value::Time(at).to_string().chars().filter(char::is_ascii_digit).take(14).collect()
}

fn int(number: u64) -> Value<'static> {
    Value::Int(number.into())
}

fn text_of(text: impl ToString) -> Value<'static> {
    Value::Text(text.to_string().into())
}

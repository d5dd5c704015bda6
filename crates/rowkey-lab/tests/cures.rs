//! The law of cures: what `check` proposes, applied, silences its rule and passes `simulate` over the same data.
//!
//! Random keys over fields of seven kinds (a rising id, a random id, users with and without a celebrity, a time, its date and its
//! time of day as text, a code of few values, free text), plain, salted, reversed, hashed or drawn, over records of these fields.
//! Every rewritten key that `check` offers, without data and with it,
//!
//! - raises its rule less often than the key did, in the same mode;
//! - refuses no record and loses none that the key kept;
//! - has no idle region and no server that takes twice the mean in its steps, if the rule is about spreading writes and the cure
//!   begins the key with another part; any other cure leaves both no worse than it found them.
//!
//! One exception, without data only: a cure that keeps the fields which the key hashes already can spread no better than they do,
//! and a key that does not tell records apart gives a salt nothing to hash. There the measured spread of exactly these fields must
//! be uneven, and `check` with the data must not propose them.

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

use std::collections::{BTreeMap, HashSet};
use std::io::Cursor;

use crate::drawn::{START, fields, int, text, zipf};
use rowkey_core::batch::{Column, ColumnBuffer};
use rowkey_core::check::{Context, DataFacts, Issue, SaltSpread, check_key};
use rowkey_core::key::{Draw, Draws, Fields};
use rowkey_core::{FieldId, KeySchema, Value};
use rowkey_lab::simulate::{Cut, Data, Design, Options, Outcome, in_memory};
use rowkey_lab::verdict::{Judged, Reading, facts};
use rowkey_ops::input::{Format, Source};

const ROWS: usize = 3000;
const CASES: u64 = 240;
const REGIONS: usize = 16;
const STEPS: i64 = 6;
/// Rules whose cure is to spread writes.
const SPREADING: [&str; 9] = [
    "rising-lead",
    "rising-writes",
    "skew",
    "stepped-buckets",
    "bucket-step",
    "hash-resonance",
    "random-unreadable",
    "suffix-no-spread",
    "dead-part",
];

const FIELDS: [(&str, &str); 8] = [
    ("seq", "u64"),
    ("event_id", "u64"),
    ("user", "u32"),
    ("ts", "timestamp"),
    ("date", "text"),
    ("time", "text"),
    ("code", "text"),
    ("note", "text"),
];

/// Records of all fields, in the order of their time.
struct Records {
    fields: Fields,
    rows: Vec<Vec<Value<'static>>>,
    csv: String,
    step: i64,
}

impl Records {
    fn draw(draws: &mut Draws) -> Self {
        let fields = fields(&FIELDS);
        let gap = i64::from([1, 250, 1000, 60_000][draws.draw(4) as usize]);
        let (codes, celebrity) = (2 + draws.draw(6), draws.draw(3) == 0);
        let mut rows = Vec::with_capacity(ROWS);
        let mut csv = FIELDS.map(|(name, _)| name).join(",") + "\n";
        for number in 0..ROWS as i64 {
            let ts = START + number * gap;
            let user = if celebrity && draws.draw(2) == 0 { 7 } else { zipf(draws, 2000) };
            let (event, code, note) = (draws.draw(u32::MAX), draws.draw(codes), draws.draw(1 << 20));
            let seconds = number * gap / 1000;
            let date = format!("2025-01-{:02}", seconds / 86_400 + 1);
            let time = format!("{:02}:{:02}:{:02}", seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
            let (code, note) = (format!("c{code}"), format!("n{note:x}"));
            csv += &format!("{},{event},{user},{ts},{date},{time},{code},{note}\n", number + 9_000_000);
            rows.push(vec![
                int(number + 9_000_000),
                int(event),
                int(user),
                Value::Time(ts),
                text(date),
                text(time),
                text(code),
                text(note),
            ]);
        }
        Self { fields, rows, csv, step: ROWS as i64 * gap / STEPS }
    }

    fn key(&self, source: &str) -> Option<KeySchema> {
        KeySchema::with_fields(source, &self.fields).ok()
    }

    fn facts(&self, key: &KeySchema) -> DataFacts {
        let source = Source::stream(Cursor::new(self.csv.clone().into_bytes()));
        let reading = Reading { threads: 1, ..Reading::default() };
        facts(source, (Format::Csv, "data"), &Judged::of_key(key), &reading, &mut |_| {}).unwrap()
    }

    fn simulate(&self, key: &KeySchema) -> Outcome {
        let mut buffers: Vec<ColumnBuffer> =
            self.fields.iter().map(|(_, field)| ColumnBuffer::new(field.ty)).collect();
        for row in &self.rows {
            for (buffer, value) in buffers.iter_mut().zip(row) {
                buffer.push(value).unwrap();
            }
        }
        let columns: Vec<Column<'_>> = buffers.iter().map(ColumnBuffer::column).collect();
        let data = Data { fields: &self.fields, columns: &columns, rows: ROWS };
        // A salt of four buckets spreads rows over four regions, not over sixteen.
        let first = key.value_steps().next().filter(|step| step.is_bucket());
        let buckets = first.and_then(|step| step.bucket_count()).map_or(REGIONS, |count| count as usize);
        let design = Design::of_schema(key.clone(), Cut::Regions(buckets.min(REGIONS)));
        let options = Options { time: Some("ts".to_owned()), step: Some(self.step), ..Options::default() };
        in_memory(&[design], &data, None, &options).unwrap().remove(0)
    }

    /// Rows that are left when all records are written.
    fn kept(&self, key: &KeySchema) -> usize {
        let mut seen = HashSet::new();
        for (number, row) in (0..).zip(&self.rows) {
            let mut out = Vec::new();
            if key.encode_with(row, &mut Draws::new(0, number), &mut out).is_ok() {
                seen.insert(out);
            }
        }
        seen.len()
    }
}

/// A key over some of the fields.
fn drawn_key(draws: &mut Draws) -> String {
    let mut order: Vec<usize> = (0..FIELDS.len()).collect();
    for at in (1..order.len()).rev() {
        order.swap(at, draws.draw(at as u32 + 1) as usize);
    }
    order.truncate(1 + draws.draw(4) as usize);
    let name = |at: usize| FIELDS[at].0;
    let any = |draws: &mut Draws| name(order[draws.draw(order.len() as u32) as usize]);
    let lead = match draws.draw(12) {
        0 => format!("[salt(16, {})]", any(draws)),
        1 => format!("[salt(4, {})]", any(draws)),
        2 => format!("[{} % 16]", any(draws)),
        3 => format!("[java_hash(str({})) % 62]", any(draws)),
        4 => format!("[java_hash({}) % 31]", any(draws)),
        5 => format!("[md5({})]", any(draws)),
        6 => format!("[md5({}).subStr(0,4)]", any(draws)),
        7 => "[random(4)]".to_owned(),
        8 => "[date(ts)]".to_owned(),
        9 => format!("[reverse(lpad(str({}), '0', 20))]", any(draws)),
        _ => String::new(),
    };
    let mut key = lead;
    for (place, at) in order.iter().enumerate() {
        let ty = if FIELDS[*at].1 == "text" && place + 1 < order.len() { ": escaped" } else { "" };
        let way = if ty.is_empty() && FIELDS[*at].1 != "text" && draws.draw(4) == 0 { " desc" } else { "" };
        key += &format!("[{}{ty}{way}]", name(*at));
    }
    if draws.draw(12) == 0 && !key.ends_with("note]") {
        key += &format!("[salt(8, {})]", any(draws));
    }
    key
}

fn issues(key: &KeySchema, data: Option<&DataFacts>) -> Vec<Issue> {
    check_key(key, &Context { declared: true, data, ..Context::default() })
}

fn count(issues: &[Issue], rule: &str) -> usize {
    issues.iter().filter(|issue| issue.rule.id == rule).count()
}

/// The measured spread of the fields that a key begins with, in the data of the key that it is a cure of.
fn spread<'f>(facts: &'f DataFacts, lead: &[FieldId]) -> Option<&'f SaltSpread> {
    facts
        .salts
        .iter()
        .find(|salt| salt.fields.len() == lead.len() && lead.iter().all(|id| salt.fields.contains(id)))
}

/// The part that a key begins with, as written.
fn begins(key: &KeySchema) -> &str {
    key.value_steps().next().unwrap().label()
}

fn lead(key: &KeySchema) -> Vec<FieldId> {
    key.value_steps().next().unwrap().fields()
}

/// What the cures of a rule came to.
#[derive(Debug, Default)]
struct Tried {
    applied: usize,
    refused: usize,
    excepted: usize,
}

#[test]
fn every_cure_silences_its_rule_and_passes_simulate() {
    let mut tried: BTreeMap<(&str, bool), Tried> = BTreeMap::new();
    let mut broken: Vec<String> = Vec::new();
    for case in 0..CASES {
        let mut draws = Draws::new(20, case);
        let (source, records) = (drawn_key(&mut draws), Records::draw(&mut draws));
        let Some(key) = records.key(&source) else { continue };
        let data = records.facts(&key);
        let (before, kept) = (records.simulate(&key), records.kept(&key));
        let with_data = issues(&key, Some(&data));
        for (facts, found) in [(None, issues(&key, None)), (Some(&data), with_data.clone())] {
            for issue in &found {
                let rule = issue.rule.id;
                let tried = tried.entry((rule, facts.is_some())).or_default();
                let Some(rewritten) = &issue.cure.rewritten else {
                    tried.refused += 1;
                    continue;
                };
                tried.applied += 1;
                let told = format!("case {case}, {rule}, data {}: {source} → {rewritten}", facts.is_some());
                let cured = records.key(rewritten).unwrap_or_else(|| panic!("{told}: no key"));
                let own = facts.map(|_| records.facts(&cured));
                let left = count(&issues(&cured, own.as_ref()), rule);
                let after = records.simulate(&cured);
                let figures =
                    |of: &Outcome| format!("{:.2}× and {} idle", of.servers.mean_step, of.regions.idle);
                let told = format!("{told}: {} before, {} after", figures(&before), figures(&after));
                let mut holds = |holds: bool, what: &str| {
                    if !holds {
                        broken.push(format!("{told}: {what}"));
                    }
                };
                holds(left < count(&found, rule), "it is still there");
                holds(after.refused <= before.refused, "records are refused");
                // What a random part keeps apart is chance.
                let random = key.value_steps().any(|step| step.is_random());
                holds(random || records.kept(&cured) >= kept, "rows are lost");
                let even = after.regions.idle == 0 && after.servers.mean_step < 2.0;
                let no_worse = after.regions.idle <= before.regions.idle
                    && after.servers.mean_step <= before.servers.mean_step * 1.05;
                let spreads = SPREADING.contains(&rule) && begins(&cured) != begins(&key);
                if even || (!spreads && no_worse) {
                    continue;
                }
                let hashed = lead(&cured);
                let own = key.value_steps().any(|step| step.fields() == hashed && step.recovers().is_none());
                let uneven = spread(&data, &hashed).is_some_and(|spread| !spread.is_even());
                let again = with_data.iter().any(|issue| issue.cure.rewritten.as_ref() == Some(rewritten));
                holds(
                    facts.is_none() && uneven && !again && (own || data.duplicates > 0),
                    "it does not spread",
                );
                tried.excepted += 1;
            }
        }
    }
    assert!(
        broken.is_empty(),
        "{} cures do not hold, the first:\n{}",
        broken.len(),
        broken[..broken.len().min(25)].join("\n")
    );
    for rule in SPREADING {
        let applied: usize = tried
            .iter()
            .filter(|((id, _), _)| *id == rule)
            .map(|(_, tried)| tried.applied - tried.excepted)
            .sum();
        assert!(applied > 0, "no cure of {rule} was tried: {tried:?}");
    }
}

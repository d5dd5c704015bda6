//! The law of plans, over random records and queries: exactly the rows of a filtered full scan, in the order asked for.

pub(crate) mod dice;
pub(crate) mod keys;
mod table;

use std::cmp::Ordering;
use std::collections::BTreeMap;

use dice::{Dice, Record};
use keys::KEYS;
use rowkey_core::key::Draws;
use rowkey_core::query::{
    Access, Comparison, FanOut, Plan, PlanOptions, Predicate, Query, SeekStep, candidates, plan,
};
use rowkey_core::{FieldId, KeyRange, KeySchema, Order, Value};

type Stored = BTreeMap<Vec<u8>, Record>;

/// The table: records that encode, by key, with the values that a reader gets back from it.
fn store(key: &KeySchema, records: Vec<Record>) -> Stored {
    let mut stored = Stored::new();
    for (number, mut record) in records.into_iter().enumerate() {
        let mut bytes = Vec::new();
        let mut draws = Draws::new(7, u64::try_from(number).expect("a small number"));
        if key.encode_with(&record, &mut draws, &mut bytes).is_ok() {
            let decoded = key.decode(&bytes).expect("what was encoded decodes");
            for field in key.recoverable() {
                record[field.0] = decoded.values[field.0].clone().into_owned();
            }
            stored.insert(bytes, record);
        }
    }
    stored
}

/// How two records compare in an order: null is smaller than every value.
fn compare(order: &[(FieldId, Order)], a: &[Value<'_>], b: &[Value<'_>]) -> Ordering {
    order
        .iter()
        .map(|(field, order)| {
            let (a, b) = (&a[field.0], &b[field.0]);
            let found = a.compare(b).unwrap_or_else(|| b.is_null().cmp(&a.is_null()));
            if *order == Order::Descending { found.reverse() } else { found }
        })
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}

/// The keys of a range in the direction of reading, without those that a skip scan leaps over.
fn scanned<'s>(stored: &'s Stored, range: &KeyRange, fan_out: &FanOut, direction: Order) -> Vec<&'s Vec<u8>> {
    let mut keys: Vec<&Vec<u8>> = stored.keys().filter(|key| range.contains(key)).collect();
    if direction == Order::Descending {
        keys.reverse();
    }
    let Some(seek) = &fan_out.seek else { return keys };
    let mut kept = Vec::new();
    let mut left = keys.as_slice();
    while let [key, rest @ ..] = left {
        left = rest;
        match seek.next(key, direction) {
            SeekStep::Match => kept.push(*key),
            SeekStep::Done => break,
            SeekStep::To(to) => {
                let ahead = |key: &&Vec<u8>| match direction {
                    Order::Ascending => key.as_slice() >= to.as_slice(),
                    Order::Descending => key.as_slice() < to.as_slice(),
                };
                assert!(direction == Order::Descending || to > **key, "a skip scan goes on");
                left = &left[left.iter().position(ahead).unwrap_or(left.len())..];
            }
        }
    }
    kept
}

/// The rows of a plan, as a reader merges them.
fn read<'s>(stored: &'s Stored, plan: &Plan) -> Vec<&'s Vec<u8>> {
    let mut found: Vec<&Vec<u8>> = Vec::new();
    match &plan.access {
        Access::Nothing => {}
        Access::Gets(keys) => {
            found.extend(keys.iter().filter_map(|key| stored.get_key_value(key)).map(|(key, _)| key));
        }
        Access::Ranges(fan_outs) => {
            for fan_out in fan_outs {
                let ranges = fan_out.ranges.iter();
                let mut rows: Vec<&Vec<u8>> =
                    ranges.flat_map(|range| scanned(stored, range, fan_out, plan.direction)).collect();
                if fan_out.ranges.len() > 1 {
                    rows.sort_by(|a, b| (&a[fan_out.merge_from..], a).cmp(&(&b[fan_out.merge_from..], b)));
                    if plan.direction == Order::Descending {
                        rows.reverse();
                    }
                }
                found.extend(rows);
            }
        }
    }
    found.retain(|key| plan.residual.matches(&stored[*key]) == Some(true));
    if !plan.sort.is_empty() {
        found.sort_by(|a, b| compare(&plan.sort, &stored[*a], &stored[*b]));
    }
    found
}

/// How often each kind of plan and condition came up.
#[derive(Default)]
struct Coverage(BTreeMap<&'static str, usize>);

impl Coverage {
    fn note(&mut self, what: &'static str) {
        *self.0.entry(what).or_default() += 1;
    }

    fn plan(&mut self, plan: &Plan) {
        match &plan.access {
            Access::Nothing => self.note("plan: nothing"),
            Access::Gets(keys) if keys.len() == 1 => self.note("plan: get"),
            Access::Gets(_) => self.note("plan: multi-get"),
            Access::Ranges(fan_outs) => {
                let (first, several) = (fan_outs.first().expect("a range"), fan_outs.len() > 1);
                self.note(if first.ranges.len() > 1 { "plan: merged fan-out" } else { "plan: ranges" });
                if several {
                    self.note("plan: one fan-out after another");
                }
                if first.seek.is_some() {
                    self.note("plan: skip scan");
                }
            }
        }
        for (what, is) in [
            ("plan: whole table", plan.whole_table),
            ("plan: reverse scan", plan.direction == Order::Descending),
            ("plan: residual", !plan.residual.is_true()),
            ("plan: sort", !plan.sort.is_empty()),
            ("plan: limit", plan.limit.is_some()),
        ] {
            if is {
                self.note(what);
            }
        }
    }

    /// A plan that was thought of, taken or not.
    fn candidate(&mut self, plan: &Plan) {
        let Access::Ranges(fan_outs) = &plan.access else { return };
        let seeks = || fan_outs.iter().filter_map(|fan_out| fan_out.seek.as_ref());
        if seeks().next().is_some() {
            self.note("candidate: skip scan");
        }
        if plan.direction == Order::Descending && seeks().next().is_some() {
            self.note("candidate: reverse skip scan");
        }
        if fan_outs
            .iter()
            .any(|one| one.seek.as_ref().is_some_and(|seek| seek.fuzzy(&one.ranges[0]).is_some()))
        {
            self.note("candidate: fuzzy pattern");
        }
    }

    fn condition(&mut self, predicate: &Predicate) {
        let mut kinds = Vec::new();
        kinds_of(predicate, &mut kinds);
        kinds.sort_unstable();
        kinds.dedup();
        kinds.into_iter().for_each(|kind| self.note(kind));
    }
}

fn kinds_of(predicate: &Predicate, kinds: &mut Vec<&'static str>) {
    let kind = match predicate {
        Predicate::And(parts) => {
            parts.iter().for_each(|part| kinds_of(part, kinds));
            "and"
        }
        Predicate::Or(parts) => {
            parts.iter().for_each(|part| kinds_of(part, kinds));
            "or"
        }
        Predicate::Not(inner) => {
            kinds_of(inner, kinds);
            match &**inner {
                Predicate::Like { .. } => "not like",
                Predicate::In { .. } => "not in",
                Predicate::IsNull { .. } => "is not null",
                _ => "not",
            }
        }
        Predicate::Compare { comparison, .. } => match comparison {
            Comparison::Equal => "=",
            Comparison::NotEqual => "<>",
            Comparison::Less => "<",
            Comparison::LessOrEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterOrEqual => ">=",
        },
        Predicate::In { .. } => "in",
        Predicate::Like { pattern, .. } => match (pattern.prefix(), pattern.suffix(), pattern.contained()) {
            (("", _), ("", _), Some(_)) => "like %x%",
            (("", _), _, _) => "like %x",
            _ => "like x%",
        },
        Predicate::IsNull { .. } => "is null",
        Predicate::Unknown => "null",
        new => panic!("{new:?} is a condition that no test names"),
    };
    kinds.push(kind);
}

#[test]
fn a_plan_gives_exactly_the_rows_of_a_filtered_full_scan_in_order() {
    let cases: u64 = std::env::var("PLAN_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(20_000);
    let first: u64 = std::env::var("PLAN_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut coverage = Coverage::default();
    let mut with_rows = 0;
    for seed in first..first + cases {
        let mut dice = Dice::new(seed);
        let source = dice.one_of(&KEYS);
        let key = KeySchema::parse(source).expect(source);
        let records = (0..dice.index(50)).map(|_| dice.record(&key)).collect();
        let stored = store(&key, records);
        let all: Vec<&Record> = stored.values().collect();
        let likely = if all.is_empty() { None } else { Some(*dice.one_of(&all)) };
        let query = dice.query(&key, likely);
        let shown = || format!("seed {seed}, key {source}: {}", query.condition.to_sql(key.fields()));

        let options = PlanOptions { full_scan: true, sort: true, ..PlanOptions::default() };
        let plan = plan(&key, &query, &options).unwrap_or_else(|error| panic!("{}: {error}", shown()));
        let candidates = candidates(&key, &query, &options).expect("there is one");
        assert!(candidates.contains(&plan), "{}", shown());
        let again = Query::parse(&query.condition.to_sql(key.fields()), key.fields());
        let again = again.unwrap_or_else(|error| panic!("{}: {error}", shown()));
        for record in stored.values() {
            let holds = query.condition.matches(record);
            assert_eq!(query.condition.pushed_down().matches(record), holds, "{}", shown());
            assert_eq!(again.condition.matches(record), holds, "{} printed", shown());
        }

        let holds = |record: &Record| query.condition.matches(record) == Some(true);
        let expected: Vec<&Vec<u8>> =
            stored.iter().filter(|(_, record)| holds(record)).map(|(key, _)| key).collect();
        for plan in &candidates {
            let found = read(&stored, plan);
            let mut same = found.clone();
            same.sort();
            assert_eq!(same, expected, "{}\n{plan:?}", shown());
            in_order(&stored, plan, &query, &found, &shown);
            patterns(plan, &found, &shown);
            coverage.candidate(plan);
        }
        // Pages of the plan, and of another one.
        let other = &candidates[usize::try_from(seed).expect("small") % candidates.len()];
        pages(&stored, other, &read(&stored, other), &shown);
        let found = read(&stored, &plan);
        if *other != plan {
            pages(&stored, &plan, &found, &shown);
        }
        coverage.plan(&plan);
        coverage.condition(&query.condition);
        with_rows += u64::from(!found.is_empty());
    }
    if cases < 5_000 {
        return;
    }
    println!("{cases} cases over {} keys; {with_rows} with rows", KEYS.len());
    for (what, count) in &coverage.0 {
        println!("{what}: {count} ({:.1}%)", 100.0 * *count as f64 / cases as f64);
        assert!(*count as u64 * 50 >= cases, "{what} came up in only {count} of {cases} cases");
    }
    assert_eq!(coverage.0.len(), 33, "every kind of plan and condition: {:?}", coverage.0.keys());
    assert!(with_rows * 2 >= cases, "only {with_rows} of {cases} queries returned rows");
}

/// A list of more values than there may be ranges.
#[test]
fn a_list_that_is_skipped_through_gives_exactly_its_rows() {
    let key = KeySchema::parse("[u: u16][t: u8][s]").unwrap();
    let record = |u: u16, t: u8| vec![Value::Int(u.into()), Value::Int(t.into()), Value::Text("s".into())];
    let records = (0..2200).flat_map(|u| [record(u, 1), record(u, 2)]).collect();
    let stored = store(&key, records);
    let even: Vec<String> = (0..2100).map(|half| (half * 2).to_string()).collect();
    let condition = format!("u in ({}) and t in (2, 3)", even.join(", "));
    let query = Query::parse(&condition, key.fields()).unwrap();
    let expected: Vec<&Vec<u8>> = stored
        .iter()
        .filter(|(_, record)| query.condition.matches(record) == Some(true))
        .map(|(key, _)| key)
        .collect();
    assert_eq!(expected.len(), 1100);
    for plan in candidates(&key, &query, &PlanOptions::default()).unwrap() {
        assert_eq!(plan.access.len(), 1);
        assert_eq!(read(&stored, &plan), expected);
    }
}

/// A server that gets the fuzzy patterns instead lets every row of the answer through.
fn patterns(plan: &Plan, found: &[&Vec<u8>], shown: &dyn Fn() -> String) {
    let Access::Ranges(fan_outs) = &plan.access else { return };
    for fan_out in fan_outs {
        for range in &fan_out.ranges {
            let Some(patterns) = fan_out.seek.as_ref().and_then(|seek| seek.fuzzy(range)) else { continue };
            for key in found.iter().filter(|key| range.contains(key)) {
                let fits = patterns.iter().any(|pattern| {
                    let bytes = pattern.bytes.iter().zip(&pattern.open).zip(key.iter());
                    bytes.into_iter().all(|((byte, open), own)| *open || byte == own)
                });
                assert!(fits, "{}\n{key:?} fits none of {patterns:?}\n{plan:?}", shown());
            }
        }
    }
}

/// Rows come in the order asked for, and in the one that the plan says.
fn in_order(stored: &Stored, plan: &Plan, query: &Query, found: &[&Vec<u8>], shown: &dyn Fn() -> String) {
    for pair in found.windows(2) {
        let (before, after) = (&stored[pair[0]], &stored[pair[1]]);
        for order in [&query.order_by, &plan.given] {
            // What the plan gives by itself holds unless something else was asked for.
            if order == &plan.given && !plan.sort.is_empty() {
                continue;
            }
            assert!(
                compare(order, before, after).is_le(),
                "{}\n{before:?} before {after:?} by {order:?}\n{plan:?}",
                shown()
            );
        }
    }
}

/// The rest behind each row is what comes behind it.
fn pages(stored: &Stored, plan: &Plan, found: &[&Vec<u8>], shown: &dyn Fn() -> String) {
    if !plan.sort.is_empty() {
        return;
    }
    for (at, key) in found.iter().enumerate() {
        let rest = read(stored, &plan.after(key));
        assert_eq!(rest, found[at + 1..], "{}\nbehind {key:?}\n{plan:?}\n{:?}", shown(), plan.after(key));
    }
}

//! The laws of query templates, over random keys, queries and values of their parameters: exactly the rows of a filtered full scan
//! in the order asked for, and the ranges of one of the planner's plans.

mod queries;

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::Bound;

use crate::plans::dice::{Dice, Record};
use crate::plans::keys::KEYS;
use queries::Made;
use rowkey_core::key::Draws;
use rowkey_core::query::{
    Access, Operand, Plan, PlanOptions, Query, QueryTemplate, TemplateError, TemplateGroup,
    TemplateParameter, TemplateSpan, candidates, plan, template_by_key,
};
use rowkey_core::range::successor;
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

/// The rows of groups of ranges, as a reader merges them.
fn read<'s>(stored: &'s Stored, template: &QueryTemplate, groups: &[TemplateGroup]) -> Vec<&'s Vec<u8>> {
    let mut found: Vec<&Vec<u8>> = Vec::new();
    for group in groups {
        let ranges: Vec<KeyRange> = group.key_ranges().collect();
        let mut rows: Vec<&Vec<u8>> =
            stored.keys().filter(|key| ranges.iter().any(|range| range.contains(key))).collect();
        rows.sort_by(|a, b| (&a[group.merge_from..], a).cmp(&(&b[group.merge_from..], b)));
        if template.direction == Order::Descending {
            rows.reverse();
        }
        found.extend(rows);
    }
    found
}

type Groups = Vec<Vec<(Vec<u8>, Option<Vec<u8>>)>>;

/// The ranges of a plan, each from its first key on.
fn of_plan(plan: &Plan) -> Groups {
    let half_open = |range: &KeyRange| {
        let end = match &range.end {
            Bound::Unbounded => None,
            Bound::Included(end) => Some(successor(end)),
            Bound::Excluded(end) => Some(end.clone()),
        };
        (range.first_key(), end)
    };
    // The empty key is no row.
    let holds_rows = |(_, end): &(Vec<u8>, Option<Vec<u8>>)| end.as_deref() != Some(&[0]);
    let mut groups: Groups = match &plan.access {
        Access::Nothing => Vec::new(),
        Access::Gets(keys) => keys.iter().map(|key| vec![half_open(&KeyRange::point(key))]).collect(),
        Access::Ranges(fan_outs) => {
            fan_outs.iter().map(|fan_out| fan_out.ranges.iter().map(half_open).collect()).collect()
        }
    };
    groups.iter_mut().for_each(|ranges| ranges.retain(holds_rows));
    groups.retain(|ranges| !ranges.is_empty());
    groups
}

/// The same of a template: ranges of single rows follow each other, as gets do.
fn of_template(groups: &[TemplateGroup], direction: Order) -> Groups {
    let is_row = |(start, stop): &(Vec<u8>, Option<Vec<u8>>)| stop.as_ref() == Some(&successor(start));
    if !groups.iter().flat_map(|group| &group.ranges).all(is_row) {
        return groups.iter().map(|group| group.ranges.clone()).collect();
    }
    let mut rows = Vec::new();
    for group in groups {
        let mut ranges = group.ranges.clone();
        if direction == Order::Descending {
            ranges.reverse();
        }
        rows.extend(ranges.into_iter().map(|range| vec![range]));
    }
    rows
}

/// All ranges, whatever their order.
fn sorted(groups: Groups) -> Vec<(Vec<u8>, Option<Vec<u8>>)> {
    let mut all: Vec<_> = groups.into_iter().flatten().collect();
    all.sort();
    all
}

/// What values say that their form does not.
fn more_than_form(
    key: &KeySchema,
    template: &QueryTemplate,
    values: &[Value<'static>],
) -> Option<&'static str> {
    let value = |operand: &Operand| match operand {
        Operand::Parameter(number) => values[*number].clone().with_one_zero(),
        Operand::Constant(value) => value.clone(),
    };
    let is_one = |span: &TemplateSpan| {
        let (Some(lower), Some(upper)) = (&span.lower, &span.upper) else { return false };
        let apart = i128::from(!lower.inclusive) + i128::from(!upper.inclusive);
        match (value(&lower.operand), value(&upper.operand)) {
            (Value::Int(low), Value::Int(high)) => high - low == apart,
            (Value::Time(low), Value::Time(high)) => i128::from(high) - i128::from(low) == apart,
            (low, high) => low.compare(&high) == Some(Ordering::Equal),
        }
    };
    let has_equal = |(_, operands): &(FieldId, Vec<Operand>)| {
        let all: Vec<Value<'static>> = operands.iter().map(value).collect();
        all.iter().enumerate().any(|(place, one)| all[..place].contains(one))
    };
    let is_last = |parameter: &TemplateParameter, value: &Value<'_>| {
        let range = parameter.field().and_then(|field| key.fields().get(field).ty.integer_range());
        matches!((range, value), (Some((min, max)), Value::Int(number)) if [min, max].contains(number))
            || matches!(value, Value::Time(i64::MIN | i64::MAX))
    };
    if template.spans.iter().any(is_one) {
        Some("a range of one value")
    } else if template.lists.iter().any(has_equal) {
        Some("a list of equal values")
    } else if template.parameters.iter().zip(values).any(|(parameter, value)| is_last(parameter, value)) {
        Some("the last value of a type")
    } else {
        None
    }
}

#[test]
fn a_template_reads_what_the_planner_reads() {
    let cases: u64 = std::env::var("TEMPLATE_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(5_000);
    let first: u64 = std::env::var("TEMPLATE_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let options = PlanOptions { full_scan: true, sort: true, ..PlanOptions::default() };
    let mut refused: BTreeMap<&str, u64> = BTreeMap::new();
    let mut outcomes: BTreeMap<&str, u64> = BTreeMap::new();
    let (mut made, mut with_rows) = (0, 0);
    for seed in first..first + cases {
        let mut dice = Dice::new(seed);
        let source = dice.one_of(&KEYS);
        let key = KeySchema::parse(source).expect(source);
        let records = (0..dice.index(50)).map(|_| dice.record(&key)).collect();
        let stored = store(&key, records);
        let all: Vec<&Record> = stored.values().collect();
        let likely = if all.is_empty() { None } else { Some((*dice.one_of(&all)).clone()) };
        let query = Made::new(&mut dice, &key, likely.as_ref());
        let template = match template_by_key(&key, &query.text, &options) {
            Ok(template) => template,
            Err(why) => {
                assert_ne!(why.reason(), "unreadable", "{}: {why}", query.text);
                *refused.entry(why.reason()).or_default() += 1;
                continue;
            }
        };
        made += 1;
        for _ in 0..6 {
            let values = query.values(&mut dice, &key, &all);
            let texts: Vec<String> = values.iter().map(ToString::to_string).collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let shown = || format!("seed {seed}, key {source}: {} with {texts:?}\n{template:?}", query.text);
            let bound = Query::parse_with(&query.text, key.fields(), &texts)
                .unwrap_or_else(|error| panic!("{}\n{error}", shown()));
            let groups = match template.ranges(&key, &values) {
                Ok(groups) => groups,
                Err(TemplateError::Bound { .. }) => {
                    *outcomes.entry("refused: a bound without bytes").or_default() += 1;
                    continue;
                }
                Err(other) => panic!("{other}"),
            };
            // The rows.
            let residual =
                queries::filled(template.residual.as_deref().unwrap_or("true"), &template, &values);
            let residual =
                Query::parse(&residual, key.fields()).unwrap_or_else(|e| panic!("{}\n{e}", shown()));
            let mut rows = read(&stored, &template, &groups);
            rows.retain(|key| residual.condition.matches(&stored[*key]) == Some(true));
            if !template.sort.is_empty() {
                rows.sort_by(|a, b| compare(&template.sort, &stored[*a], &stored[*b]));
            }
            for pair in rows.windows(2) {
                let order = compare(&bound.order_by, &stored[pair[0]], &stored[pair[1]]);
                assert!(
                    order.is_le(),
                    "{:?} comes before {:?}\n{}",
                    stored[pair[0]],
                    stored[pair[1]],
                    shown()
                );
            }
            let mut rows: Vec<&Vec<u8>> = rows;
            rows.sort();
            let holds = |record: &Record| bound.condition.matches(record) == Some(true);
            let expected: Vec<&Vec<u8>> =
                stored.iter().filter(|(_, record)| holds(record)).map(|(key, _)| key).collect();
            assert_eq!(rows, expected, "{}\n{groups:?}", shown());
            with_rows += u64::from(!rows.is_empty());
            // The plan.
            let own = of_template(&groups, template.direction);
            let same = |plan: &Plan| {
                let way = (plan.direction, &plan.sort) == (template.direction, &template.sort);
                of_plan(plan) == own && (way || own.is_empty())
            };
            let best = plan(&key, &bound, &options).unwrap_or_else(|error| panic!("{}\n{error}", shown()));
            let all = candidates(&key, &bound, &options).expect("there is one");
            let outcome = if same(&best) {
                "the planner's choice"
            } else if all.iter().any(same) {
                "another plan of the planner"
            } else if let Some(more) = more_than_form(&key, &template, &values) {
                more
            } else if all.iter().any(|plan| sorted(of_plan(plan)) == sorted(own.clone())) {
                // Of numbers in two's complement.
                "an order that only the values' signs give"
            } else if best.access == Access::Nothing {
                "a contradiction"
            } else if own.is_empty() {
                "past the last value of a type"
            } else {
                "OTHER"
            };
            if outcome == "OTHER" && std::env::var_os("TEMPLATE_SHOW").is_some() {
                println!("{}\nown {own:?} {:?} sort {:?}", shown(), template.direction, template.sort);
                println!("best {best:?}");
            }
            *outcomes.entry(outcome).or_default() += 1;
        }
    }
    println!("{cases} queries, {made} templates, {with_rows} runs with rows");
    println!("refused: {refused:#?}");
    println!("runs: {outcomes:#?}");
    assert_eq!(outcomes.get("OTHER"), None);
}

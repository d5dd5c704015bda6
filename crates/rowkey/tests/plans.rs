//! The law of plans, over random records and queries: exactly the rows of a filtered full scan, in the order asked for.
//!
//! Values come from small domains, so that equal fields, equal prefixes and bounds that hit a value exactly come up
//! all the time.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use proptest::prelude::*;
use rowkey::key::Draws;
use rowkey::query::{Access, Comparison, Condition, PlanError, PlanOptions, Query, plan};
use rowkey::types::{IntForm, Kind};
use rowkey::{FieldId, KeySchema, Order, Type, Value};

/// Shapes of keys: salts in several places, hashes, buckets, both orders, nulls, every boundary of text.
const KEYS: [&str; 31] = [
    "[s][0x00][a: u8]",
    "[salt(4, a)][a: u64][t: timestamp desc][s]",
    "[salt(4, s)][t: timestamp][s]",
    "[salt(3)][a: i16 desc][s: escaped]",
    "[a: u64][salt(3, s)][t: timestamp desc][s: escaped desc]",
    "x[salt(300, t)][t: timestamp][a: u8]",
    "[s]_[a: u32 desc]-[t: timestamp]",
    "[s: escaped][a: u64]",
    "[s: escaped desc][t: timestamp]",
    "[a: u8][b: bool desc][s]",
    "[a: long][t: timestamp]",
    "[t: timestamp desc][salt(5, t)][a: u64]",
    "[salt(2, a)][salt(2, s)][a: u64][s]",
    "['k'][a: i64][s]",
    "[s]",
    "[md5(s).subStr(0,1)][s]",
    "[md5(a).subStr(0,4)][a: u64][s]",
    "[a: u64][Long.MAX_VALUE - t][s]",
    "[a % 3][a][t: timestamp]",
    "[b][a][s] where b = (a + 1000) % 4",
    "[salt('cba', s)]-[s]_[a: u8]",
    "[random(3)][a: u64][s]",
    "[date(t)][t: timestamp][a: u8]",
    "[a / 2: i64][s: escaped][a: i64 desc]",
    "[100 - a: i64][s]",
    "[a: i16?][t: timestamp]",
    "[a: i16? desc nulls last][s: escaped?]",
    "[a: ordered(i32)][s]",
    "[s: ordered(text) desc][a: u8]",
    "[reverse(s): escaped][a: u64]",
    "[s][a: u8]",
];

fn schema(index: usize) -> KeySchema {
    KeySchema::parse(KEYS[index]).expect("the keys are valid")
}

fn value(ty: Type) -> BoxedStrategy<Value<'static>> {
    let int = |min: i128| (min..4).prop_map(Value::Int).boxed();
    match ty.kind() {
        Kind::Float | Kind::Numeric | Kind::Bytes | Kind::Uuid => {
            unreachable!("no key here has such a field")
        }
        Kind::Bool => any::<bool>().prop_map(Value::Bool).boxed(),
        Kind::Time => prop_oneof![(-2i64..4), Just(i64::MAX), Just(i64::MIN)].prop_map(Value::Time).boxed(),
        Kind::Text => {
            prop::collection::vec(prop::sample::select(vec!['\0', '\u{1}', 'a', 'b', '_', '\u{7f}']), 0..4)
                .prop_map(|chars| Value::Text(chars.into_iter().collect::<String>().into()))
                .boxed()
        }
        Kind::Integer => match ty {
            Type::Int(int_type) if int_type.form == IntForm::Unsigned => {
                let (_, max) = int_type.range();
                prop_oneof![int(0), (max - 2..=max).prop_map(Value::Int)].boxed()
            }
            _ => int(-4),
        },
    }
}

fn record(key: &KeySchema) -> impl Strategy<Value = Vec<Value<'static>>> + use<> {
    let strategies = key.fields().iter().map(|(_, field)| {
        let value = value(field.ty);
        if field.nullable { prop_oneof![1 => Just(Value::Null), 3 => value].boxed() } else { value }
    });
    strategies.collect::<Vec<_>>()
}

fn query(key: &KeySchema) -> impl Strategy<Value = Query> + use<> {
    use Comparison::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual};
    let comparisons =
        || prop::sample::select(vec![Equal, Equal, Equal, Greater, GreaterOrEqual, Less, LessOrEqual]);
    let conditions: Vec<_> = key
        .fields()
        .iter()
        .map(|(field, declared)| {
            let condition = (comparisons(), value(declared.ty))
                .prop_map(move |(comparison, value)| Condition { field, comparison, value });
            prop::collection::vec(condition, 0..3)
        })
        .collect();
    let directions = prop::sample::select(vec![Order::Ascending, Order::Descending]);
    let order = (0..key.fields().len(), directions).prop_map(|(field, order)| (FieldId(field), order));
    (conditions, prop::collection::vec(order, 0..3), prop::option::of(0..5usize))
        .prop_map(|(conditions, order_by, limit)| Query { conditions: conditions.concat(), order_by, limit })
}

/// How two records compare in an order.
fn compare(order: &[(FieldId, Order)], a: &[Value<'_>], b: &[Value<'_>]) -> Ordering {
    order
        .iter()
        .map(|(field, order)| {
            // Nulls have a place of their own, which no order by asks for.
            let found = a[field.0].compare(&b[field.0]).unwrap_or(Ordering::Equal);
            if *order == Order::Descending { found.reverse() } else { found }
        })
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}

type Stored = BTreeMap<Vec<u8>, Vec<Value<'static>>>;

/// The table: records that encode, by key.
fn store(key: &KeySchema, records: Vec<Vec<Value<'static>>>) -> Stored {
    let mut stored = Stored::new();
    for (number, record) in records.into_iter().enumerate() {
        let mut bytes = Vec::new();
        let mut draws = Draws::new(7, u64::try_from(number).expect("a small number"));
        if key.encode_with(&record, &mut draws, &mut bytes).is_ok() {
            stored.insert(bytes, record);
        }
    }
    stored
}

fn any_key() -> impl Strategy<Value = usize> {
    0..KEYS.len()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_plan_gives_exactly_the_rows_of_a_filtered_full_scan_in_order(
        (index, records, query) in any_key().prop_flat_map(|i| {
            (Just(i), prop::collection::vec(record(&schema(i)), 0..60), query(&schema(i)))
        })
    ) {
        let key = schema(index);
        let stored = store(&key, records);
        let plan = match plan(&key, &query, PlanOptions { full_scan: true }) {
            Ok(plan) => plan,
            Err(PlanError::Order { .. }) => return Ok(()),
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
        };

        let expected: Vec<&Vec<u8>> = stored
            .iter()
            .filter(|(_, record)| query.conditions.iter().all(|condition| condition.matches(record)))
            .map(|(key, _)| key)
            .collect();

        let ranges = match &plan.access {
            Access::Nothing => Vec::new(),
            Access::Get(key) => vec![rowkey::KeyRange::point(key)],
            Access::Ranges(ranges) => ranges.clone(),
        };
        let mut found: Vec<&Vec<u8>> = Vec::new();
        for range in &ranges {
            let inside = stored.iter().filter(|(key, _)| range.contains(key));
            let kept = inside.filter(|(_, record)| plan.residual.iter().all(|condition| condition.matches(record)));
            found.extend(kept.map(|(key, _)| key));
        }
        let unmerged = found.clone();
        found.sort_by(|a, b| (&a[plan.merge_from..], a).cmp(&(&b[plan.merge_from..], b)));
        if plan.direction == Order::Descending {
            found.reverse();
        }

        let mut same = unmerged;
        same.sort();
        prop_assert_eq!(same, expected, "the plan {:?} of {:?}", plan, query);
        for pair in found.windows(2) {
            let order = compare(&query.order_by, &stored[pair[0]], &stored[pair[1]]);
            prop_assert!(order.is_le(), "{:?} before {:?} by {:?}", stored[pair[0]], stored[pair[1]], query.order_by);
        }
    }
}

/// The planner must not only be right but also read no more than needed.
#[test]
fn ranges_are_as_narrow_as_the_conditions_allow() {
    let cases: [(&str, &str, &str); 12] = [
        (
            "[salt(16, u)][u: u64][t: u8 desc][o]",
            "u = 7",
            r"[\x07\x00\x00\x00\x00\x00\x00\x00\x07, \x07\x00\x00\x00\x00\x00\x00\x00\x08)",
        ),
        ("[u: u8][t: u8 desc][o]", "u = 7 and t >= 3 and t < 9", r"[\x07\xF7, \x07\xFD)"),
        ("[u: u8][t: u8 desc][o]", "u = 7 and t > 3 and t <= 9", r"[\x07\xF6, \x07\xFC)"),
        ("[u: u8][t: u8][o]", "u = 7 and t > 3 and t <= 9", r"[\x07\x04, \x07\x0A)"),
        ("[u: u8][o]", "u = 7 and o > 'a' and o <= 'b'", r"(\x07a, \x07b]"),
        ("[u: u8][o]", "u = 7 and o >= 'a'", r"[\x07a, \x08)"),
        ("[u: u8][o]", "u = 255", r"[\xFF, ∞)"),
        ("[u: u8][o]", "u = 7 and o = 'a'", r"get \x07a"),
        ("[h]_[t: u8]", "h = 'host1'", r"[host1_, host1`)"),
        ("[h: escaped][t: u8]", "h >= 'host1' and h < 'host2'", r"[host1\x00\x01, host2\x00\x01)"),
        ("[u: u8]", "u = 1 and u = 2", "nothing"),
        ("[salt(2, u)][t: u8][u: u8]", "t = 3", r"[\x00\x03, \x00\x04) [\x01\x03, \x01\x04)"),
    ];
    for (key, text, expected) in cases {
        let key = KeySchema::parse(key).unwrap();
        let query = Query::parse(text, key.fields()).unwrap();
        let plan = plan(&key, &query, PlanOptions::default()).unwrap();
        let shown = match plan.access {
            Access::Nothing => "nothing".to_owned(),
            Access::Get(key) => format!("get {}", rowkey::escape::escape(&key)),
            Access::Ranges(ranges) => ranges.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
        };
        assert_eq!(shown, expected, "{} {text}", key.source());
        assert_eq!(plan.residual, [], "{} {text}", key.source());
    }
}

#[test]
fn what_a_plan_may_not_do_it_refuses() {
    let refused = |key: &str, text: &str| {
        let key = KeySchema::parse(key).unwrap();
        let query = Query::parse(text, key.fields()).unwrap();
        plan(&key, &query, PlanOptions::default()).unwrap_err().to_string()
    };
    assert!(
        refused("[u: u8][o]", "o = 'a'")
            .starts_with("the query would read the whole table: no condition is on `u`")
    );
    assert!(
        refused("[u: u8][o]", "o = 'a' limit 5").contains("--full-scan"),
        "a limit does not bound a filtered scan"
    );
    assert!(
        refused("[u: u8][t: u8][o]", "u >= 1 order by t").contains("the key [u: u8][t: u8][o] gives u, t, o")
    );
    assert!(refused("[salt(5000, o)][u: u8][o]", "u = 1").contains("needs 5000 ranges"));
}

#[test]
fn contradictions_need_no_order_and_no_leave() {
    let key = KeySchema::parse("[salt(4, o)][t: timestamp desc][o]").unwrap();
    let query = Query::parse("t > 5 and t < 3 order by o", key.fields()).unwrap();
    assert_eq!(plan(&key, &query, PlanOptions::default()).unwrap().access, Access::Nothing);
}

#[test]
fn a_limit_without_conditions_is_no_full_scan() {
    let key = KeySchema::parse("[salt(4, o)][t: timestamp desc][o]").unwrap();
    let query = Query::parse("order by t desc limit 20", key.fields()).unwrap();
    let plan = plan(&key, &query, PlanOptions::default()).unwrap();
    assert!(matches!(&plan.access, Access::Ranges(ranges) if ranges.len() == 4));
    assert_eq!((plan.direction, plan.merge_from), (Order::Ascending, 1));
}

//! The laws of keys, over generated keys and records: round trip, order, uniqueness, and facts that are true.

#![expect(clippy::print_stdout, reason = "the coverage is printed for those who ask with --nocapture")]

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use crate::generator::{Case, FUNCTIONS, ROW_SALT, Random, case, record};
use rowkey_core::key::{Draws, Sorting, Step};
use rowkey_core::{Field, FieldId, Fields, KeySchema, Order, Type, Value, notation};

const CASES: u64 = 6000;
const RECORDS: usize = 12;

fn encode(key: &KeySchema, record: &[Value<'_>], number: u64) -> Option<Vec<u8>> {
    let mut bytes = vec![0xAB];
    match key.encode_with(record, &mut Draws::new(1, number), &mut bytes) {
        Ok(()) => Some(bytes.split_off(1)),
        Err(_) => {
            assert_eq!(bytes, [0xAB], "a refused record leaves nothing behind");
            None
        }
    }
}

/// The records of a case that have a key, with it.
fn encoded(random: &mut Random, key: &KeySchema) -> Vec<(Vec<Value<'static>>, Vec<u8>)> {
    let records = (0..RECORDS).map(|_| record(random, key));
    let numbered = records.enumerate().collect::<Vec<_>>();
    numbered
        .into_iter()
        .filter_map(|(number, record)| {
            let bytes = encode(key, &record, u64::try_from(number).expect("small"))?;
            Some((record, bytes))
        })
        .collect()
}

#[test]
fn the_laws_hold_for_generated_keys() {
    let mut coverage: BTreeMap<String, u64> = BTreeMap::new();
    let (mut keys, mut border_keys, mut records) = (0u64, 0u64, 0usize);
    for seed in 0..CASES {
        let mut random = Random::new(seed);
        let Case { key, used } = case(&mut random);
        let about = format!("seed {seed}, key {}", key.source());
        let rows = encoded(&mut random, &key);
        prints_back(&key, &about);
        for (record, bytes) in &rows {
            round_trip(&key, record, bytes, &about);
            lengths(&key, record, bytes, &about);
            keys += 1;
            border_keys += u64::from(has_border_byte(&key, bytes));
        }
        unique(&key, &rows, &about);
        for (a, b) in pairs(&rows) {
            sorted(&key, a, b, &about);
            together(&key, a, b, &about);
        }
        records += rows.len();
        used.into_iter().for_each(|name| *coverage.entry(name).or_default() += 1);
    }
    report(&coverage, keys, border_keys, records);
}

/// Every type and function in at least 2% of the cases; 20% of the keys with 00 or FF at a border of parts.
fn report(coverage: &BTreeMap<String, u64>, keys: u64, border_keys: u64, records: usize) {
    let expected = Type::all().map(|ty| ty.to_string());
    let expected = expected.chain(FUNCTIONS.iter().map(|(name, ..)| format!("{name}()")));
    let others = [ROW_SALT, "?", "desc", "nulls last"].map(str::to_owned);
    for name in expected.chain(others) {
        let cases = coverage.get(&name).copied().unwrap_or(0);
        println!("{name:20} {:5.1}% of cases", 100.0 * cases as f64 / CASES as f64);
        assert!(cases * 50 >= CASES, "{name} is in {cases} of {CASES} cases only");
    }
    println!(
        "{records} records; {:.1}% of keys with 00 or FF at a border",
        100.0 * border_keys as f64 / keys as f64
    );
    assert!(border_keys * 5 >= keys);
    assert!(records as u64 >= CASES * RECORDS as u64 / 2, "most records have a key");
}

fn prints_back(key: &KeySchema, about: &str) {
    let tree = notation::parse(key.source()).expect("it was parsed before");
    let printed = tree.to_string();
    let again =
        notation::parse(&printed).unwrap_or_else(|findings| panic!("{about}: {printed}: {findings:?}"));
    assert_eq!(again.to_string(), printed, "{about}");
    let compiled = KeySchema::with_fields(&printed, key.fields()).expect("the same key");
    assert_eq!(compiled.fingerprint(), key.fingerprint(), "{about}: {printed}");
}

fn round_trip(key: &KeySchema, record: &[Value<'_>], bytes: &[u8], about: &str) {
    let decoded = key.decode(bytes).unwrap_or_else(|error| panic!("{about}, {record:?}: {error}"));
    let back = key.recoverable();
    for (id, field) in key.fields().iter() {
        let expected = if back.contains(&id) { &record[id.0] } else { &Value::Null };
        assert_eq!(&decoded.values[id.0], expected, "{about}: {}", field.name);
        assert!(back.contains(&id) || !key.brings_back_exactly(id), "{about}: {}", field.name);
    }
    if key.unclear_boundary().is_none() {
        assert_eq!(decoded.spans.len(), key.steps().len(), "{about}");
        assert_eq!(decoded.spans.last().expect("a part").end, bytes.len(), "{about}");
    }
}

fn lengths(key: &KeySchema, record: &[Value<'_>], bytes: &[u8], about: &str) {
    let length = key.length();
    assert!(
        length.min <= bytes.len() && length.max.is_none_or(|max| bytes.len() <= max),
        "{about}: {length:?}"
    );
    if key.value_steps().all(|step| !step.is_random()) {
        assert_eq!(key.encoded_len(record), Some(bytes.len()), "{about}: {record:?}");
    }
}

/// Records that differ in a field that comes back never share a key.
fn unique(key: &KeySchema, rows: &[(Vec<Value<'static>>, Vec<u8>)], about: &str) {
    if !key.is_unique_by(&key.named_fields()) {
        return;
    }
    let mut seen: HashMap<&[u8], &Vec<Value<'static>>> = HashMap::new();
    for (record, bytes) in rows {
        if let Some(other) = seen.insert(bytes, record) {
            assert_eq!(other, record, "{about}: two records, one key");
        }
    }
}

type Row = (Vec<Value<'static>>, Vec<u8>);

fn pairs(rows: &[Row]) -> impl Iterator<Item = (&Row, &Row)> {
    rows.iter().enumerate().flat_map(move |(at, a)| rows.iter().skip(at + 1).map(move |b| (a, b)))
}

/// Rows sort by their parts from left to right, as the facts say, up to the first part of which the facts say nothing.
fn sorted(key: &KeySchema, (a, bytes_a): &Row, (b, bytes_b): &Row, about: &str) {
    for step in key.steps() {
        let Step::Value(step) = step else { continue };
        let equal = |id: &FieldId| a[id.0] == b[id.0];
        let same_inputs = !step.is_random() && step.fields().iter().all(equal);
        // An open end in the middle lets what follows show through, even after equal texts.
        if same_inputs {
            continue;
        }
        let expected = match step.sorting() {
            Sorting::Ordered(field, order) => match compare(&a[field.0], &b[field.0], order) {
                Some(expected) => expected,
                None => return, // null against a value: the part's own rule, held by the codec's tests
            },
            Sorting::Coarse(field, order) => match compare(&a[field.0], &b[field.0], order) {
                // Equal in steps: the parts that follow decide.
                Some(expected) if bytes_a.cmp(bytes_b) != expected => {
                    assert!(same_step(key, step, a, b), "{about}: {a:?} {b:?} by {}", step.label());
                    continue;
                }
                _ => return,
            },
            Sorting::Grouped(_) | Sorting::Lost => return,
        };
        assert_eq!(bytes_a.cmp(bytes_b), expected, "{about}: {a:?} {b:?} by {}", step.label());
        return;
    }
}

fn compare(a: &Value<'_>, b: &Value<'_>, order: Order) -> Option<Ordering> {
    let found = a.compare(b)?;
    Some(if order == Order::Descending { found.reverse() } else { found })
}

fn bytes_of_step(key: &KeySchema, step: &rowkey_core::key::ValueStep, row: &[u8]) -> Option<Vec<u8>> {
    let at = key.steps().iter().position(|other| matches!(other, Step::Value(value) if value == step))?;
    let span = *key.decode(row).ok()?.spans.get(at)?;
    Some(row[span.start..span.end].to_vec())
}

fn same_step(key: &KeySchema, step: &rowkey_core::key::ValueStep, a: &[Value<'_>], b: &[Value<'_>]) -> bool {
    let bytes = |record: &[Value<'_>]| encode(key, record, 0).and_then(|row| bytes_of_step(key, step, &row));
    bytes(a) == bytes(b)
}

/// Equal fields give equal bytes in every part that is not random: a salt keeps what it hashes together.
fn together(key: &KeySchema, (a, bytes_a): &Row, (b, bytes_b): &Row, about: &str) {
    for step in key.value_steps() {
        if step.is_random() || !step.fields().iter().all(|id| a[id.0] == b[id.0]) {
            continue;
        }
        let (of_a, of_b) = (bytes_of_step(key, step, bytes_a), bytes_of_step(key, step, bytes_b));
        if let (Some(of_a), Some(of_b)) = (of_a, of_b) {
            assert_eq!(of_a, of_b, "{about}: {}", step.label());
        }
    }
}

/// Whether a part begins or ends with a byte that a careless encoder would stumble over.
fn has_border_byte(key: &KeySchema, bytes: &[u8]) -> bool {
    let Ok(decoded) = key.decode(bytes) else { return false };
    decoded.spans.iter().any(|span| {
        let part = &bytes[span.start..span.end];
        [part.first(), part.last()].into_iter().flatten().any(|byte| matches!(byte, 0x00 | 0xFF))
    })
}

#[test]
fn damaged_keys_are_refused_or_mean_what_they_say() {
    for seed in 0..CASES {
        let mut random = Random::new(seed);
        let Case { key, .. } = case(&mut random);
        for (_, bytes) in encoded(&mut random, &key) {
            let mut damaged = bytes.clone();
            let at = random.below(damaged.len());
            match random.below(3) {
                0 => damaged[at] = random.pick(&[0, 1, 0x61, 0x7F, 0xFF]),
                1 => damaged.truncate(at),
                _ => damaged.insert(at, random.pick(&[0, 1, 0x61, 0xFF])),
            }
            let Ok(decoded) = key.decode(&damaged) else { continue };
            // What decodes whole, encodes to the same bytes.
            if key.not_recoverable().is_empty() && key.value_steps().all(|step| !step.is_random()) {
                let again = encode(&key, &decoded.values, 0);
                assert_eq!(again.as_ref(), Some(&damaged), "seed {seed}, key {}", key.source());
            }
        }
    }
}

/// Other writers fill a part with what its type takes, not with what the field's does.
#[test]
fn what_comes_back_is_a_value_of_the_field() {
    let with = |source: &str, ty: &str| {
        let ty = KeySchema::parse(&format!("[a: {ty}]")).expect(ty).fields().get(FieldId(0)).ty;
        let fields = Fields::new(vec![Field { name: "a".to_owned(), ty, nullable: false }]);
        KeySchema::with_fields(source, &fields).expect(source)
    };
    let cases = [
        ("[a: ordered(numeric)]", "ordered(numeric)", "i64", "12.5", "12"),
        ("[a: ordered(numeric)]", "ordered(numeric)", "u8", "256", "255"),
        ("[a: f64]", "f64", "f32", "0.1", "0.5"),
        ("[a: escaped]", "text", "fixed(4)", "abcde", "abcd"),
        ("[a: i64]", "i64", "decimal(2)", "100", "99"),
        (
            "[Long.MAX_VALUE - a]",
            "timestamp",
            "timestamp_s",
            "1970-01-01T00:00:01.001Z",
            "1970-01-01T00:00:01.000Z",
        ),
    ];
    for (source, writer, reader, too_much, right) in cases {
        let (writer, reader) = (with(source, writer), with(source, reader));
        let of = |text: &str| {
            let field = &writer.fields().get(FieldId(0));
            let mut bytes = Vec::new();
            writer.encode(&[rowkey_core::value::read(text, field.ty).expect(text)], &mut bytes).expect(text);
            bytes
        };
        assert!(reader.decode(&of(too_much)).is_err(), "{too_much} in {source}");
        let bytes = of(right);
        let back = reader.decode(&bytes).expect(right);
        assert_eq!(back.values[0].to_string(), right, "{source}");
        assert_eq!(encode(&reader, &back.values, 0).as_deref(), Some(&bytes[..]), "{source}");
    }
}

//! Do our bytes agree with those that the real HBase computed?
//!
//! `testdata/vectors` holds reference bytes from HBase's and Phoenix's own code.

use rowkey_core::escape::{escape, from_hex, to_hex, unescape};
use rowkey_core::internal::Murmur3;
use rowkey_core::key::{Draw, Draws};
use rowkey_core::range::prefix_end;
use rowkey_core::types::Kind;
use rowkey_core::value::read;
use rowkey_core::{FieldId, KeySchema, Type, Value};
use serde_json::Value as Json;

fn vectors(name: &str) -> Vec<Json> {
    let path = format!("{}/../../testdata/vectors/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    text.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
}

fn text<'a>(vector: &'a Json, key: &str) -> &'a str {
    vector[key].as_str().unwrap_or_else(|| panic!("{key} of {vector}"))
}

fn value<'a>(json: &'a Json, ty: Type) -> Value<'a> {
    match json {
        Json::Null => Value::Null,
        Json::String(text) => read(text, ty).expect("a value of the field's type"),
        Json::Bool(bool) => Value::Bool(*bool),
        Json::Number(number) => match ty.kind() {
            Kind::Time => Value::Time(number.as_i64().expect("a time")),
            Kind::Float => Value::Float(number.as_f64().expect("a number")),
            _ => Value::Int(number.as_i64().expect("a whole number").into()),
        },
        other => panic!("{other}"),
    }
}

#[test]
fn keys_have_the_reference_bytes_and_decode_to_their_records() {
    let mut checked = 0;
    for vector in vectors("keys") {
        let key = KeySchema::parse(text(&vector, "key")).unwrap_or_else(|findings| panic!("{findings}"));
        let fields = key.fields();
        let record: Vec<Value<'_>> =
            fields.iter().map(|(_, field)| value(&vector["record"][&field.name], field.ty)).collect();
        let mut bytes = Vec::new();
        key.encode(&record, &mut bytes).unwrap_or_else(|error| panic!("{vector}: {error}"));
        assert_eq!(to_hex(&bytes), text(&vector, "hex"), "{vector}");
        assert_eq!(key.encoded_len(&record), Some(bytes.len()), "{vector}");
        let back = key.recoverable();
        let expected: Vec<Value<'_>> = record
            .iter()
            .enumerate()
            .map(|(at, value)| if back.contains(&FieldId(at)) { value.clone() } else { Value::Null })
            .collect();
        let decoded = key.decode(&bytes).unwrap_or_else(|error| panic!("{vector}: {error}"));
        assert_eq!(decoded.values, expected, "{vector}");
        checked += 1;
    }
    assert_eq!(checked, 135);
}

/// The letter salts of the uniqueness list and the reference-guide notes, where the salt is drawn at random.
#[test]
fn letter_salts_are_those_of_the_texts() {
    for (letters, id, drawn, expected) in [
        ("abc", "abc001", 0, "a-abc001"),
        ("abc", "abc002", 1, "b-abc002"),
        ("abc", "abc003", 2, "c-abc003"),
        ("abcd", "foo0003", 0, "a-foo0003"),
        ("abcd", "foo0001", 1, "b-foo0001"),
        ("abcd", "foo0004", 2, "c-foo0004"),
        ("abcd", "foo0002", 3, "d-foo0002"),
        ("abcd", "foo0003", 2, "c-foo0003"),
    ] {
        struct Given(u32);
        impl Draw for Given {
            fn draw(&mut self, _: u32) -> u32 {
                self.0
            }
        }
        let key = KeySchema::parse(&format!("[random('{letters}')]-[id]")).unwrap();
        let mut bytes = Vec::new();
        key.encode_with(&[Value::Text(id.into())], &mut Given(drawn), &mut bytes).unwrap();
        assert_eq!(bytes, expected.as_bytes());
        assert_eq!(key.decode(&bytes).unwrap().values, [Value::Text(id.into())]);
    }
}

/// Keys of the articles in `docs/sources.md` compile as written.
#[test]
fn the_keys_of_the_texts_parse() {
    for key in [
        "[md5(user_id).subStr(0,4)][user_id][order_id]",
        "[md5(user_id).subStr(0, 4)][user_id][order_id]",
        "[reverse(user_id)][order_id]",
        "[bucket][timestamp][hostname][log_event] where bucket = timestamp % 16",
        "[user_id][order_id][random(100)]",
        "[rpad(column1,'x',20)][column2]",
        "[rpad(column1, 'x', 20)][column2]",
        "[column1][_][column2]",
        "[hostname][log_event][Long.MAX_VALUE - timestamp]",
        "[seller_id][timestamp][order_number]",
        "[order_number]",
        "[metric_type][event_timestamp]",
        "md5(message_id).upper():date:time:message_id",
        "[reverse(userId)][Long.Max_Value - timestamp]",
        "[java_hash(id) % 1000: decimal(3)][id]",
        "[md5(id).subStr(0,4)]-[id]",
        "[random(4)][timestamp: decimal(13)]",
        "[id % 5: decimal(1)][id]",
    ] {
        let parsed = KeySchema::parse(key).unwrap_or_else(|findings| panic!("{findings}"));
        let record: Vec<Value<'_>> = parsed
            .fields()
            .iter()
            .map(|(_, field)| match field.ty.kind() {
                Kind::Integer => Value::Int(1_432_425_600_123),
                _ => Value::Text("abc".into()),
            })
            .collect();
        let mut bytes = Vec::new();
        parsed
            .encode_with(&record, &mut Draws::new(1, 1), &mut bytes)
            .unwrap_or_else(|e| panic!("{key}: {e}"));
        parsed.decode(&bytes).unwrap_or_else(|error| panic!("{key}: {error}"));
    }
}

#[test]
fn murmur3_is_hbases() {
    for vector in vectors("hashes") {
        let mut hash = Murmur3::new(Murmur3::SEED);
        hash.update(text(&vector, "text").as_bytes());
        assert_eq!(i64::from(hash.finish()), vector["hbase_murmur3"].as_i64().unwrap(), "{vector}");
    }
}

#[test]
fn prefix_ends_are_hbases() {
    for vector in vectors("prefix_stop") {
        let end = prefix_end(&from_hex(text(&vector, "prefix")).unwrap());
        assert_eq!(to_hex(&end.unwrap_or_default()), text(&vector, "stop"), "{vector}");
    }
}

#[test]
fn keys_are_printed_as_hbase_prints_them_and_numbers_have_its_bytes() {
    for vector in vectors("bytes") {
        let bytes = from_hex(text(&vector, "hex")).unwrap();
        assert_eq!(escape(&bytes).to_string(), text(&vector, "printed"), "{vector}");
        assert_eq!(unescape(text(&vector, "printed")).unwrap(), bytes);
        let ty = text(&vector, "type");
        if ty == "long" || ty == "int" {
            let key = KeySchema::parse(&format!("[n: {ty}]")).unwrap();
            let value = read(text(&vector, "value"), key.fields().iter().next().unwrap().1.ty).unwrap();
            let mut ours = Vec::new();
            key.encode(&[value], &mut ours).unwrap();
            assert_eq!(ours, bytes, "{vector}");
        }
    }
}

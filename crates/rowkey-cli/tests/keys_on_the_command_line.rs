//! Keys described, encoded and decoded on the command line, without any store.

use std::io::Write;

use crate::program::{Run, Workplace, assert_error, finished, json};

fn run(arguments: &[&str]) -> Run {
    Workplace::new("orders").run(arguments)
}

#[test]
fn the_keys_of_the_texts_have_their_bytes() {
    for (key, values, expected) in [
        ("[md5(id).subStr(0,4)]-[id]", &["id=abc001"][..], "9bf0-abc001"),
        ("[reverse(phone)]", &["phone=13712345678"], "87654321731"),
        (
            "md5(message_id).upper():date:time:message_id",
            &["message_id=1231231", "date=230611", "time=063031"],
            "8D4646EB2D7067126EB08ADB0672F7BB:230611:063031:1231231",
        ),
        // The RowKey principles' own example: Java's remainder is negative, the notation's is not.
        ("[java_hash(id) % 1000: decimal(3)][id]", &["id=20150524002300_1232"], "79720150524002300_1232"),
        ("[bucket][ts: u64] where bucket = ts % 16", &["ts=1432425600123"], r"\x0B\x00\x00\x01M\x838\x14{"),
    ] {
        let mut arguments = vec!["encode", key];
        arguments.extend(values);
        let encoded = run(&arguments);
        assert_eq!((encoded.code, encoded.out.trim_end()), (0, expected), "{encoded:?}");
        let decoded = run(&["--json", "decode", key, expected]);
        assert_eq!(decoded.code, 0, "{decoded:?}");
        for value in values {
            let (name, text) = value.split_once('=').expect("field=value");
            let back = &json(&decoded.out)["record"][name];
            let back = back.as_str().map_or_else(|| back.to_string(), str::to_owned);
            assert_eq!(back, text, "{key}");
        }
    }
}

#[test]
fn a_table_file_is_a_key_too() {
    let place = Workplace::new("orders");
    let encoded = place.ok(&["encode", "orders.toml", "user_id=7", "ts=2025-01-02", "order_id=b", "--hex"]);
    assert_eq!(encoded, "0700000000000000077ffffe6bdbb027ff62\n");
    let decoded = place.ok(&["decode", "orders.toml", "--hex", encoded.trim_end()]);
    assert_eq!(decoded, "user_id=7 ts=2025-01-02T00:00:00.000Z order_id=b\n");
}

#[test]
fn records_come_from_csv_json_lines_and_standard_input() {
    let place = Workplace::new("orders");
    place.write("a.csv", "n,s\n1,x\n2,\n");
    place.write("a.jsonl", "{\"n\":1,\"s\":\"x\"}\n\n{\"s\":null,\"n\":2}\n");
    let expected = "\\x01\\x01x\n\\x02\\x00\n";
    for file in ["a.csv", "a.jsonl"] {
        assert_eq!(place.ok(&["encode", "[n: u8][s: text?]", "--from", file]), expected, "{file}");
    }
    let mut piped = place.start(&["encode", "[n: u8][s: text?]", "--from", "-", "--format", "jsonl"]);
    let mut input = piped.stdin.take().expect("a pipe");
    input.write_all(b"{\"n\":1,\"s\":\"x\"}\n{\"n\":2}").expect("the program reads");
    drop(input);
    assert_eq!(finished(&piped.wait_with_output().expect("it ends")).out, expected);

    place.write("keys.txt", expected);
    let decoded = place.ok(&["--json", "decode", "[n: u8][s: text?]", "--from", "keys.txt"]);
    let second = json(decoded.lines().nth(1).expect("two keys"));
    assert_eq!(second["record"], serde_json::json!({ "n": 2, "s": null }));
}

#[test]
fn random_parts_are_drawn_by_seed() {
    let draw = |seed: &str| {
        let place = Workplace::new("orders");
        place.write("a.csv", &format!("id\n{}", "x\n".repeat(50)));
        place.ok(&["encode", "[random('abcd')]-[id]", "--from", "a.csv", "--seed", seed])
    };
    assert_eq!(draw("1"), draw("1"));
    assert_ne!(draw("1"), draw("2"));
    assert!(["a-x", "b-x", "c-x", "d-x"].iter().all(|key| draw("1").contains(key)));
}

#[test]
fn mistakes_in_a_key_are_underlined_all_at_once() {
    let wrong = run(&["encode", "[rverse(a)][Long.MAX_VALUE-ts][b: u46][c * 2]", "a=1"]);
    assert_error(
        &wrong,
        &[
            "there is no function `rverse`",
            "did you mean `reverse`?",
            "a minus needs a blank on both sides",
            "there is no type `u46`",
            "did you mean `u64`?",
            "`c * 2` has no type of its own",
            "^^^^^^",
        ],
    );
    assert_error(&run(&["encode", "[user_id", "user_id=1"]), &["this bracket is never closed"]);
    assert_error(
        &run(&["encode", "[7][id]", "id=1"]),
        &["neither a field nor a text", "write ['7'] for the text"],
    );
}

#[test]
fn mistakes_in_values_are_told_all_at_once() {
    let wrong = run(&["encode", "[n: u8][t: timestamp][s]", "n=300", "t=soon", "x=1", "oops"]);
    assert_error(
        &wrong,
        &[
            "300 does not fit u8",
            "`soon` is not a time",
            "there is no field `x`",
            "`oops` is not field=value",
            "`s` (text) has no value",
        ],
    );
    assert_error(&run(&["encode", "[a]_[b: u8]", "a=x_y", "b=1"]), &["contains the delimiter `_`"]);
    assert_error(&run(&["encode", "[rpad(a, 'x', 5)]", "a=fax"]), &["already has the pad character `x`"]);
    assert_error(
        &run(&["encode", "[code(a, 'Taobao'='tb')]", "a=Tmall"]),
        &["`Tmall` has no code", "Taobao"],
    );
}

#[test]
fn a_key_of_another_schema_is_refused() {
    let wrong_salt = run(&["decode", "[salt(16, user)][user: u64]", r"\x03\x00\x00\x00\x00\x00\x00\x00\x07"]);
    assert_error(&wrong_salt, &["is 3, this record's is 7", "not written by this schema"]);
    assert_error(&run(&["decode", "[a: u16]", "abc"]), &["goes on after its last part"]);
    assert_error(&run(&["decode", "[a: u16]", "--hex", "0g"]), &["`0g` is not hex"]);
    let place = Workplace::new("orders");
    place.write("keys.txt", "ab\nc\n");
    let run = place.run(&["decode", "[a: u16]", "--from", "keys.txt"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("keys.txt, line 2"), "{run:?}");
}

#[test]
fn new_writes_a_file_that_can_be_used_and_never_over_another() {
    let place = Workplace::new("orders");
    for template in
        ["orders", "users", "phone", "messages", "logs", "time-series", "feed", "opentsdb", "phoenix"]
    {
        let file = format!("{template}-new.toml");
        place.ok(&["new", template, &file]);
        place.ok(&["create", &file]);
    }
    place.write("mine.toml", "mine");
    let refused = place.run(&["new", "orders", "mine.toml"]);
    assert_error(&refused, &["could not write mine.toml", "--force"]);
    assert_eq!(place.read("mine.toml"), "mine");
    place.ok(&["new", "orders", "mine.toml", "--force"]);
    assert_eq!(place.run(&["new", "nothing"]).code, 2);
}

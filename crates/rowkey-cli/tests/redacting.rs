//! With `--redact`, does nothing of the data reach the screen, and does its shape?

use std::collections::BTreeSet;

use crate::program::{self, Workplace, assert_error, json};
use rowkey_testing::orders;

const ROWS: u64 = 300;

fn place() -> Workplace {
    let place = Workplace::new("orders");
    place.write_orders(ROWS);
    place.ok(&["create", "orders.toml"]);
    place.ok(&["load", "orders.toml", "orders.csv"]);
    place
}

/// Everything by which a record could be known: its texts, its time, its number in hex, its amount.
fn secrets() -> Vec<String> {
    let mut secrets = vec!["2025-".to_owned(), "O000000".to_owned(), "4f303030".to_owned()];
    for order in orders::orders(ROWS, 1) {
        secrets.push(order.seller);
        // Short numbers come as lengths and counts, too.
        secrets.extend(Some(order.amount.to_string()).filter(|amount| amount.len() > 4));
    }
    secrets
}

/// The answer without the hashes that regions are named by, in which any number may occur.
fn without_hashes(answer: &str) -> String {
    let is_hash = |word: &&str| word.len() == 32 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let words = answer.split_inclusive(|letter: char| !letter.is_ascii_alphanumeric());
    words
        .filter(|word| !is_hash(&word.trim_end_matches(|letter: char| !letter.is_ascii_alphanumeric())))
        .collect()
}

#[test]
fn no_value_is_shown_and_every_name_is() {
    let place = place();
    let secrets = secrets();
    let commands: [(&[&str], &[&str]); 9] = [
        (&["query", "orders", "user_id = 7 order by ts desc limit 20"], &["user_id", "seller", "‹number›"]),
        (&["query", "orders", "user_id = 7 limit 3", "--csv"], &["order_id", "‹11 characters›"]),
        (&["scan", "orders", "--limit", "5"], &["key", "‹28 bytes›", "‹time›"]),
        (&["scan", "orders", "--raw-cells", "--limit", "5"], &["d:s", "‹28 bytes›"]),
        (
            &["count", "orders", "", "--group-by", "user_id", "--max", "amount", "--full-scan"],
            &["max(amount)", "‹number›"],
        ),
        (&["regions", "orders"], &["salt(16, user_id)=‹1 character›", "‹1 byte›"]),
        (
            &["explain", "orders", "user_id = 7 and seller = 'Oslo Toys' and order_id like 'O000000%'"],
            &["user_id = ‹number›", "seller = ‹9 characters›", "like ‹pattern›", "‹9 bytes› to ‹9 bytes›"],
        ),
        (
            &["explain", "orders", "user_id = 7 and ts = '2025-01-01' and order_id = 'O0000000001'"],
            &["get ‹28 bytes›"],
        ),
        (&["profile", "orders.csv"], &["seller", "‹number›"]),
    ];
    for (command, shown) in commands {
        for form in [&["--redact"][..], &["--redact", "--json"]] {
            if form.len() == 2 && command.contains(&"--csv") {
                continue;
            }
            let run = place.run(&[command, form].concat());
            assert_eq!(run.code, 0, "{command:?}: {run:?}");
            let (out, err) = (without_hashes(&run.out), without_hashes(&run.err));
            for secret in &secrets {
                assert!(
                    !out.contains(secret) && !err.contains(secret),
                    "{command:?} {form:?} shows {secret}:\n{out}{err}"
                );
            }
            for name in shown.iter().filter(|_| form.len() == 1) {
                assert!(run.out.contains(name), "{command:?} does not show {name}:\n{}", run.out);
            }
        }
    }
    let names = place.ok(&["--redact", "--json", "regions", "orders"]);
    assert!(!names.contains("orders,"), "a whole name has the start key: {names}");
    let without = place.ok(&["query", "orders", "user_id = 7 order by ts desc limit 20"]);
    assert!(secrets.iter().any(|secret| without.contains(secret)), "the secrets are in the answers");
}

#[test]
fn what_cannot_keep_the_promise_is_refused() {
    let place = place();
    for command in [
        &["decode", "orders", "abc"][..],
        &["shell", "-e", "list"],
        &["simulate", "orders.toml", "--data", "orders.csv"],
        &["check", "orders.toml", "--data", "orders.csv"],
        &["index", "verify", "orders"],
    ] {
        assert_error(&place.run(&[command, &["--redact"]].concat()), &["--redact is known to get, scan"]);
    }
    let paged = place.run(&["query", "orders", "user_id = 7 limit 3", "--page", "", "--redact"]);
    assert_error(&paged, &["a page token holds the key of a row"]);
    let file = place.run(&["describe", "orders", "--toml", "--redact"]);
    assert_error(&file, &["a table file holds split points and values of queries", "--toml or --redact"]);
    let described = json(&place.ok(&["describe", "orders", "--json", "--redact"]));
    let attributes = described["attributes"].as_object().expect("attributes");
    assert!(
        attributes.contains_key("ROWKEY_FINGERPRINT") && !attributes.contains_key("ROWKEY"),
        "{described}"
    );
}

/// A text and a number that occur nowhere else, and the text as hex.
const SECRETS: [&str; 3] = ["TOPSECRET", "918273645", "544f50534543524554"];

/// A table whose rows, and files whose good and bad records, hold the secrets.
fn secret_place() -> Workplace {
    let place = Workplace::new("orders");
    let table = |name: &str, key: &str, splits: &str| {
        format!(
            "[table]\nname = \"{name}\"\nkey = \"{key}\"\n{splits}\n[fields]\nid = \"text\"\nnote = \"text\"\nsize = \"i64?\"\n\
             [families.d]\ncolumns = {{ n = \"note\", s = \"size\" }}\n"
        )
    };
    place.write("texts.toml", &table("texts", "[id]", ""));
    place.write("dashed.toml", &table("dashed", "[id]-[salt(4, id)]", ""));
    place.write("twice.toml", &table("twice", "[id]", "splits = [\"TOPSECRET\", \"TOPSECRET\"]"));
    place.write("setting.toml", &table("setting", "[id]", "splits = \"TOPSECRET\""));
    // A table file with values in its splits and queries.
    let cut = table("cut", "[id]", "splits = [\"TOPSECRET\"]");
    place.write(
        "cut.toml",
        &format!("{cut}[[query]]\nname = \"the one\"\nwhere = \"id = 'TOPSECRET' and size > 918273645\"\n"),
    );
    place.write("broken.toml", "[table]\nname = \"TOPSECRET\nkey = TOPSECRET\n");
    place.write(
        "other.toml",
        &table("texts", "[size: i64][id]", "").replace("i64?", "i64").replace(", s = \"size\"", ""),
    );
    let good = "{\"id\": \"TOPSECRET\", \"note\": \"TOPSECRET!\", \"size\": 918273645}\n";
    place.write("good.jsonl", good);
    let bad = [
        ("type.jsonl", "{\"id\": \"a\", \"note\": \"b\", \"size\": \"TOPSECRET\"}\n"),
        ("range.jsonl", "{\"id\": \"a\", \"note\": \"b\", \"size\": \"918273645918273645918273645\"}\n"),
        ("member.jsonl", "{\"id\": \"a\", \"note\": \"b\", \"TOPSECRET\": 1}\n"),
        ("syntax.jsonl", "{\"id\": TOPSECRET}\n"),
        ("cell.csv", "id,note,size\na,b,TOPSECRET\n"),
        ("cells.csv", "id,note,size\na,b,1,TOPSECRET\n"),
        ("no_header.csv", "TOPSECRET,b,918273645\n"),
        ("quote.csv", "id,note,size\na,\"TOPSECRET,1\n"),
        ("not.parquet", "TOPSECRET TOPSECRET TOPSECRET"),
    ];
    bad.iter().for_each(|(name, text)| place.write(name, text));
    place.write("dash.jsonl", "{\"id\": \"TOPSECRET-1\", \"note\": \"b\"}\n");
    place.ok(&["create", "texts.toml"]);
    place.ok(&["create", "dashed.toml"]);
    place.ok(&["create", "cut.toml"]);
    place.ok(&["load", "texts", "good.jsonl"]);
    place.ok(&["shell", "-e", "create 'raw', 'd'", "-e", "put 'raw', 'TOPSECRET', 'd:n', 'TOPSECRET'"]);
    place
}

/// Commands with a secret in what they read; whether it appears without `--redact`.
const SECRET_CASES: [(bool, &[&str]); 84] = [
    (false, &["list"]),
    (false, &["describe", "texts"]),
    (false, &["describe", "cut"]),
    (true, &["describe", "cut", "--json"]),
    (true, &["describe", "cut", "--toml"]),
    (false, &["alter", "cut.toml"]),
    (false, &["alter", "texts.toml"]),
    (false, &["alter", "other.toml"]),
    (true, &["alter", "setting.toml"]),
    (false, &["drop", "texts"]),
    (false, &["truncate", "texts"]),
    (true, &["load", "texts", "type.jsonl"]),
    (true, &["load", "texts", "range.jsonl"]),
    (true, &["load", "texts", "member.jsonl"]),
    (false, &["load", "texts", "syntax.jsonl"]),
    (true, &["load", "texts", "cell.csv"]),
    (false, &["load", "texts", "cells.csv"]),
    (true, &["load", "texts", "no_header.csv"]),
    (false, &["load", "texts", "quote.csv"]),
    (false, &["load", "texts", "not.parquet"]),
    (true, &["load", "dashed", "dash.jsonl"]),
    (false, &["load", "texts", "good.jsonl", "--restart"]),
    (false, &["load", "texts", "type.jsonl", "--restart", "--skip-bad", "skipped.jsonl"]),
    (true, &["get", "texts", "id=TOPSECRET"]),
    (true, &["get", "texts", "TOPSECRET"]),
    (true, &["get", "texts", "TOPSECRET", "--csv"]),
    (true, &["get", "texts", "--hex", "TOPSECRET"]),
    (true, &["get", "texts", "TOPSECRET\\xZZ"]),
    (true, &["get", "texts", "TOPSECRET=1"]),
    (true, &["get", "texts", "size=TOPSECRET"]),
    (true, &["get", "texts", "size=918273645918273645918273645"]),
    (true, &["get", "texts", "id=no TOPSECRET"]),
    (true, &["get", "texts", "--TOPSECRET"]),
    (true, &["get", "dashed", "id=TOPSECRET-1"]),
    (true, &["scan", "texts"]),
    (true, &["scan", "texts", "--csv"]),
    (true, &["scan", "texts", "--raw-cells"]),
    (true, &["scan", "texts", "--start", "TOPSECRETz", "--stop", "TOPSECRETa"]),
    (true, &["scan", "texts", "--reverse", "--start", "TOPSECRETa", "--stop", "TOPSECRETz"]),
    (true, &["scan", "texts", "--prefix", "TOPSECRET\\xZZ"]),
    (true, &["scan", "raw", "--file", "dashed.toml"]),
    (true, &["query", "texts", "id = 'TOPSECRET'"]),
    (true, &["query", "texts", "note = 'TOPSECRET!'", "--full-scan"]),
    (false, &["query", "texts", "note = 'TOPSECRET!'"]),
    (true, &["query", "texts", "size = 'TOPSECRET'"]),
    (true, &["query", "texts", "size = 918273645918273645918273645"]),
    (true, &["query", "texts", "id = 918273645"]),
    (true, &["query", "texts", "TOPSECRET = 1"]),
    (true, &["query", "texts", "id = TOPSECRET"]),
    (true, &["query", "texts", "id = = 'TOPSECRET'"]),
    (true, &["query", "texts", "id = 'TOPSECRET"]),
    (true, &["query", "texts", "id = 'a' TOPSECRET"]),
    (true, &["query", "texts", "id ilike 'TOPSECRET'"]),
    (true, &["query", "texts", "size like 'TOPSECRET'"]),
    (true, &["query", "texts", "id = 'a' limit TOPSECRET"]),
    (true, &["query", "texts", "id = 'a' order by TOPSECRET"]),
    (true, &["query", "texts", "918273645"]),
    (true, &["explain", "texts", "id = 'TOPSECRET'"]),
    (true, &["explain", "texts", "id = 'TOPSECRET'", "--analyze"]),
    (true, &["explain", "texts", "size = 'TOPSECRET'"]),
    (true, &["explain", "texts", "id like 'TOPSECRET%' and size > 918273645"]),
    (true, &["explain", "texts", "(id = 'TOPSECRET'"]),
    (true, &["count", "texts", "--group-by", "note"]),
    (true, &["count", "texts", "--max", "size", "--min", "id"]),
    (true, &["count", "texts", "size = 'TOPSECRET'"]),
    (true, &["count", "texts", "TOPSECRET is null"]),
    (false, &["regions", "texts"]),
    (true, &["regions", "cut"]),
    (true, &["regions", "cut", "--hex"]),
    (true, &["regions", "cut", "--csv"]),
    (true, &["regions", "cut", "--ranges"]),
    (true, &["regions", "cut", "--ranges", "--hex"]),
    (true, &["regions", "cut", "--ranges", "--csv"]),
    (true, &["regions", "cut", "--ranges", "--json"]),
    (true, &["create", "twice.toml"]),
    (true, &["create", "setting.toml"]),
    (true, &["create", "broken.toml"]),
    (true, &["check", "setting.toml"]),
    (true, &["check", "[TOPSECRET"]),
    (false, &["profile", "good.jsonl"]),
    (true, &["profile", "no_header.csv"]),
    (true, &["profile", "type.jsonl", "--file", "texts.toml"]),
    (true, &["size", "texts.toml", "--rows", "10", "--data", "type.jsonl"]),
    (false, &["size", "texts.toml", "--rows", "10", "--data", "good.jsonl"]),
];

#[test]
fn no_secret_appears_in_answers_notes_or_errors() {
    let place = secret_place();
    let mut faults = Vec::new();
    for (appears, command) in SECRET_CASES {
        let shows = |run: &program::Run| {
            let all = format!("{}{}", run.out, run.err);
            SECRETS.iter().any(|secret| all.contains(secret))
        };
        for form in [&["--redact"][..], &["--redact", "--json"]] {
            if form.len() == 2 && command.contains(&"--csv") {
                continue;
            }
            let run = place.run(&[command, form].concat());
            if shows(&run) || run.code == 101 {
                faults.push(format!("{command:?} {form:?}: {run:?}"));
            }
        }
        let run = place.run(command);
        if shows(&run) != appears {
            faults.push(format!("{command:?} without --redact: {run:?}"));
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    let run = place.run(&["--redact", "load", "texts", "type.jsonl", "--restart"]);
    assert_error(
        &run,
        &["type.jsonl, line 1: field `size`", "‹9 characters›", "the load stopped at a bad line"],
    );
    let run = place.run(&["--redact", "query", "texts", "id = 'a' and size = 'TOPSECRET'"]);
    assert_error(&run, &["query:1:21: field `size`: `‹9 characters›` is not a whole number"]);
    // The file of bad records is data: its readers mend them, and it needs the same protection as the data itself.
    assert!(place.read("skipped.jsonl").contains("TOPSECRET"));
}

/// Commands that would show keys or values, and what they are given here.
const REFUSING: [&[&str]; 28] = [
    &["demo"],
    &["export", "texts", "--out", "x.csv"],
    &["remember", "texts", "--forget"],
    &["encode", "[id]", "id=1"],
    &["decode", "[id]", "a"],
    &["delete", "texts", "id = 'a'"],
    &["index", "build", "texts"],
    &["index", "verify", "texts"],
    &["index", "repair", "texts"],
    &["split", "hex", "--regions", "2"],
    &["split", "decimal", "--regions", "2"],
    &["split", "uniform", "--regions", "2"],
    &["split", "bytes", "--regions", "3"],
    &["split", "book-hex", "--regions", "2"],
    &["split", "key", "--from", "[id]", "--regions", "2"],
    &["split", "salt", "--from", "[id]"],
    &["split", "sample", "--from", "[id]", "--regions", "2"],
    &["split", "check", "[id]"],
    &["merge", "texts", "a", "b"],
    &["simulate", "[id]", "--data", "good.jsonl"],
    &["advise", "--data", "good.jsonl", "--queries", "queries.txt"],
    &["calibrate", "--rows", "20000"],
    &["shell", "-e", "list"],
    &["doctor"],
    &["generate", "python", "texts.toml"],
    &["man"],
    &["split", "texts", "--at", "a"],
    &["check", "[id]", "--data", "good.jsonl"],
];

#[test]
fn every_command_redacts_or_refuses_to() {
    let place = secret_place();
    for command in REFUSING {
        assert_error(&place.run(&[command, &["--redact"]].concat()), &["--redact is known to get, scan"]);
    }
    place.ok(&["man", "--out", "man1"]);
    let pages = std::fs::read_dir(place.path("man1")).expect("a folder");
    let commands: BTreeSet<String> = pages
        .map(|page| page.expect("a page").path().file_stem().expect("a name").to_string_lossy().into_owned())
        .collect();
    let has_a_case = |command: &str| {
        let starts = |words: &[&str]| {
            (1..=2).any(|count| words.get(..count).is_some_and(|words| words.join("-") == command))
        };
        // What `conform` asks is drawn by chance, and what stands behind its `--` is another program's.
        let without_data = ["new", "completions", "conform"];
        SECRET_CASES.iter().any(|(_, words)| starts(words))
            || REFUSING.iter().any(|words| starts(words))
            || without_data.contains(&command)
    };
    let of_others = |command: &str| commands.iter().any(|other| other.starts_with(&format!("{command}-")));
    let missing: Vec<&String> = commands
        .iter()
        .filter(|command| !of_others(command) && !has_a_case(command.trim_start_matches("rowkey-")))
        .collect();
    assert!(missing.is_empty(), "no case with --redact for {missing:?}");
}

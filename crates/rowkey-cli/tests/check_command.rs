//! `rowkey check` shows what is wrong, where, and what to write instead; its exit code serves CI.

use crate::program::{Workplace, json};

#[test]
fn a_key_is_checked_with_its_parts_underlined() {
    let place = Workplace::new("orders");
    let run = place.run(&["check", "[ts: timestamp desc][host][id: u64]"]);
    assert_eq!(run.code, 1, "{run:?}");
    for words in [
        "warning[rising-lead]: the key begins with `ts`, which is a time: it falls",
        "warning[boundary]: nothing ends `host`",
        "--> key:1:1",
        "1 | [ts: timestamp desc][host][id: u64]",
        "  | ^^^^^^^^^^^^^^^^^^^^",
        "  |                     ^^^^^^",
        "= write: [salt(16)][ts: timestamp desc][host][id: u64]",
        "= write: [ts: timestamp desc][host: escaped][id: u64]",
        "hint[length]: a key has 26 bytes",
    ] {
        assert!(run.out.contains(words), "`{words}` is not in:\n{}", run.out);
    }
    let (warning, hint) = (run.out.find("warning["), run.out.find("hint["));
    assert!(warning < hint, "the worst comes first:\n{}", run.out);
    assert!(run.err.contains("2 warnings, 1 hint; more with: rowkey check --explain rising-lead"), "{run:?}");
    assert!(!place.path("store").exists(), "no store was opened");
}

#[test]
fn guesses_are_labelled() {
    let run = Workplace::new("orders").run(&["check", "date:time:message_id"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.out.contains("`date`, which is a time, by its name"), "{}", run.out);
    assert!(run.out.contains("= note: a guess"), "{}", run.out);
}

#[test]
fn the_exit_code_tells_hints_from_warnings_from_errors() {
    let place = Workplace::new("orders");
    let code = |arguments: &[&str]| place.run(arguments).code;
    assert_eq!(code(&["check", "[salt(16, user)][user: u64]"]), 0);
    assert_eq!(code(&["check", "orders.toml"]), 0, "a hint is no failure");
    assert_eq!(code(&["check", "orders.toml", "--deny", "length"]), 1);
    assert_eq!(code(&["check", "orders.toml", "--deny", "unique,order", "--deny", "boundary"]), 0);
    assert_eq!(code(&["check", "[ts: timestamp][user: u64]"]), 1);
    assert_eq!(code(&["check", "[java_hash(id).rem(10): u8][id]"]), 1);
    assert_eq!(code(&["check", "[slat(16, a)]"]), 2);
    assert_eq!(code(&["check", "missing.toml"]), 2);
    assert_eq!(code(&["check"]), 2);
    assert_eq!(code(&["check", "orders.toml", "--deny", "lenght"]), 2);
}

#[test]
fn a_table_file_is_checked_whole_and_underlined_in_the_file() {
    let place = Workplace::new("orders");
    let file = place
        .read("orders.toml")
        .replace("[salt(16, user_id)]", "[salt(5, user_id): decimal(1)]")
        .replace("splits = \"salt\"", "splits = [\"1\", \"2\", \"3\"]")
        .replace("order by ts desc", "order by order_id")
        .replace("[families.d]", "[families.d]\nversions = 1000");
    place.write("bad.toml", &file);
    let run = place.run(&["check", "bad.toml"]);
    assert_eq!(run.code, 1, "{run:?}");
    for words in [
        "warning[salt-splits]: 5 values of `salt(5, user_id)` on 4 regions: they get 20 / 20 / 20 / 40% of the rows",
        "--> bad.toml:8:8",
        "warning[order]: \"a user's latest orders\": rows do not come ordered by order_id: the key gives ts desc, order_id",
        "warning[versions]: 1000 versions of a cell",
        "--> bad.toml:21:12",
    ] {
        assert!(run.out.contains(words), "`{words}` is not in:\n{}", run.out);
    }
}

#[test]
fn json_has_one_object_for_each_issue() {
    let place = Workplace::new("orders");
    let run = place.run(&["--json", "check", "[random(4)]-[id]"]);
    assert_eq!((run.code, run.err.as_str()), (1, ""), "{run:?}");
    let issue = json(run.out.lines().next().expect("an issue"));
    assert_eq!(issue["rule"], "random-unreadable");
    assert_eq!(issue["severity"], "warning");
    assert_eq!(issue["part"], "[random(4)]");
    assert_eq!(issue["span"], serde_json::json!([0, 11]));
    assert_eq!(issue["rewritten"], "[salt(4, id)][-][id]");
    assert_eq!(issue["guess"], false);
    assert!(issue["message"].is_string() && issue["cure"].is_string());
    assert_eq!(place.run(&["--json", "check", "[salt(4, id)][id: u32]"]).out, "");
}

#[test]
fn rules_are_explained() {
    let place = Workplace::new("orders");
    let story = place.ok(&["check", "--explain", "rising-lead"]);
    assert!(story.starts_with("## rising-lead") && story.contains("one region takes every write"), "{story}");
    let list = place.ok(&["check", "--explain"]);
    assert!(list.lines().count() > 20 && list.contains("unique "), "{list}");
    let run = place.run(&["check", "--explain", "rising-leed"]);
    assert_eq!(run.code, 2);
    for words in
        ["there is no rule `rising-leed`; did you mean `rising-lead`?", "the rules are unique, order,"]
    {
        assert!(run.err.contains(words), "{}", run.err);
    }
}

#[test]
fn no_template_raises_a_warning() {
    let place = Workplace::new("orders");
    for template in
        ["orders", "users", "phone", "messages", "logs", "time-series", "feed", "opentsdb", "phoenix"]
    {
        let file = format!("{template}-new.toml");
        place.ok(&["new", template, &file]);
        let run = place.run(&["check", &file]);
        assert_eq!(run.code, 0, "{template}: {}", run.out);
    }
}

#[test]
fn a_table_of_the_store_is_checked_too() {
    let place = Workplace::new("orders");
    place.ok(&["create", "orders.toml"]);
    let run = place.run(&["check", "orders"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.out.contains("hint[length]"), "{run:?}");
}

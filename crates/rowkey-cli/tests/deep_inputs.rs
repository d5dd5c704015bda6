//! Is nesting without end an error with its place and its limit, in every language that the program reads?

use crate::program::Workplace;

/// So deep that any parser which calls itself for each level runs out of stack.
const DEEP: usize = 100_000;

fn nested(open: &str, inner: &str, close: &str, depth: usize) -> String {
    format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
}

#[test]
fn nesting_without_end_is_refused_with_its_place() {
    let place = Workplace::new("orders");
    place.ok(&["create", "orders.toml"]);
    let filter = |text: String| format!("scan 'orders', FILTER => \"{text}\"\n");
    place.write("parentheses.rb", &filter(nested("(", "PageFilter(1)", ")", DEEP)));
    place.write("skips.rb", &filter(nested("SKIP ", "PageFilter(1)", "", DEEP)));
    place.write("lists.rb", &format!("put 'orders', {}\n", nested("[", "1", "]", DEEP)));
    place.write("hashes.rb", &format!("put 'orders', {}\n", nested("{'a' => ", "1", "}", DEEP)));
    place.write("variables.rb", &format!("x = [1]\n{}x\n", "x = [x]\n".repeat(DEEP)));
    place.write("list.toml", &format!("x = {}\n", nested("[", "", "]", DEEP)));
    place.write("table.toml", &format!("x = {}\n", nested("{a = ", "1", "}", DEEP)));
    place.write("dots.toml", &format!("{} = 1\n", vec!["a"; DEEP].join(".")));
    place.write("list.jsonl", &format!("{{\"order_id\": {}}}\n", nested("[", "", "]", DEEP)));
    place.write("object.jsonl", &format!("{{\"order_id\": {}}}\n", nested("{\"a\":", "1", "}", DEEP)));
    // An argument has at most 128 KiB.
    let condition = nested("(", "user_id = 1", ")", DEEP / 2);
    let not = nested("not ", "user_id = 1", "", DEEP / 4);
    let chain = vec!["user_id = 1"; DEEP / 20].join(" or ");
    let key = format!("[{}]", nested("md5(", "id", ")", DEEP / 5));
    let cases: [(&[&str], &[&str]); 15] = [
        (&["shell", "parentheses.rb"], &["parentheses.rb, line 1: the command failed"]),
        (&["shell", "skips.rb"], &["skips.rb, line 1: the command failed"]),
        (&["shell", "lists.rb"], &["line 1, column 79: lists and hashes are nested more than 64 deep"]),
        (&["shell", "hashes.rb"], &["lists and hashes are nested more than 64 deep"]),
        (&["shell", "variables.rb"], &["the command failed"]),
        (&["check", "list.toml"], &["list.toml:1:"]),
        (&["check", "table.toml"], &["table.toml:1:"]),
        (&["check", "dots.toml"], &["dots.toml:1:"]),
        (&["load", "orders", "list.jsonl"], &["list.jsonl, line 1"]),
        (&["load", "orders", "object.jsonl"], &["object.jsonl, line 1"]),
        (&["query", "orders", &condition], &["nested more than 40 deep", "query:1:41"]),
        (&["query", "orders", &not], &["nested more than 40 deep"]),
        (&["count", "orders", &condition], &["nested more than 40 deep"]),
        (&["query", "orders", &chain], &["more than 4096 conditions"]),
        (&["check", &key], &["the notation takes at most 4096"]),
    ];
    let mut faults = Vec::new();
    for (command, words) in cases {
        let run = place.run(command);
        let shown = |text: &str| text.chars().take(500).collect::<String>();
        if run.code != 2 || !words.iter().all(|word| run.err.contains(word)) {
            let name: Vec<String> = command.iter().map(|word| word.chars().take(30).collect()).collect();
            faults.push(format!("{name:?}: {} {} {}", run.code, shown(&run.out), shown(&run.err)));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    // A profile passes over what is nested.
    assert!(place.ok(&["profile", "object.jsonl"]).contains("nested: not read"));
    let told = place.run(&["shell", "parentheses.rb"]).out;
    assert!(told.contains("at byte 65 it is nested more than 64 deep"), "{}", &told[..told.len().min(500)]);
}

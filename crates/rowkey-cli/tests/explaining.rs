//! `rowkey explain`, and queries by every kind of condition, on the command line.

use crate::program::{Workplace, assert_error, json};

fn place() -> Workplace {
    let place = Workplace::new("orders");
    place.write_orders(3000);
    place.ok(&["create", "orders.toml"]);
    place.ok(&["load", "orders.toml", "orders.csv"]);
    place
}

#[test]
fn a_file_is_enough_and_a_refused_query_is_explained_too() {
    let place = Workplace::new("orders");
    let run = place.run(&["explain", "orders.toml", "amount > 100 order by amount"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.out.starts_with("full scan\n"), "{}", run.out);
    assert!(run.out.contains("`amount` is not in the key"), "{}", run.out);
    assert!(
        run.out.contains("an index table with the key [amount][user_id][ts desc][order_id]"),
        "{}",
        run.out
    );
    assert!(run.out.contains("refused: rows do not come ordered by amount"), "{}", run.out);
    assert!(!place.path("store").exists(), "no store is touched");

    let plan =
        json(&place.ok(&["--json", "explain", "orders.toml", "user_id = 7 and ts > ?", "--param", "5"]));
    assert_eq!(plan["shape"], "range");
    assert_eq!(plan["plan"]["step"], "range");
    assert_eq!(plan["plan"]["facts"]["regions"], serde_json::json!({ "count": 1, "of": 16 }));
    assert_eq!(plan["conditions"][1]["by_key"], true);

    let graph = place.ok(&["explain", "orders.toml", "user_id between 3 and 9", "--dot"]);
    assert!(graph.starts_with("digraph plan {") && graph.contains("n1 -> n0"), "{graph}");
}

/// A number for a time is milliseconds; only one that looks like a year is remarked upon.
#[test]
fn a_year_for_a_time_is_remarked_upon() {
    let place = Workplace::new("orders");
    let year = place.run(&["explain", "orders.toml", "user_id = 7 and ts > 1997"]);
    assert!(year.err.contains("1997 for `ts` is read as milliseconds since 1970"), "{year:?}");
    let day = place.run(&["explain", "orders.toml", "user_id = 7 and ts > '1997-01-01'"]);
    let hidden = place.run(&["--redact", "explain", "orders.toml", "user_id = 7 and ts > 1997"]);
    assert_eq!((day.err.as_str(), hidden.err.as_str()), ("", ""));
}

/// Programs get every range, where people get the first ones.
#[test]
fn every_range_is_there_for_programs() {
    let place = Workplace::new("orders");
    let query = "user_id between 3 and 9";
    let plan = json(&place.ok(&["--json", "explain", "orders.toml", query]));
    let ranges = plan["plan"]["inputs"].as_array().unwrap();
    assert_eq!(ranges.len(), 16, "{plan}");
    for (bucket, range) in ranges.iter().enumerate() {
        let (start, stop) = (&range["start"], &range["stop"]);
        assert_eq!(start["hex"], format!("{bucket:02x}0000000000000003"), "{range}");
        assert_eq!(stop["hex"], format!("{bucket:02x}000000000000000a"), "{range}");
        assert_eq!((&start["included"], &stop["included"]), (&true.into(), &false.into()), "{range}");
        assert_eq!((&start["fields"]["user_id"], &stop["fields"]["user_id"]), (&3.into(), &10.into()));
        assert!(start["text"].as_str().unwrap().contains("\\x00\\x00\\x03"), "{range}");
    }
    assert!(place.ok(&["explain", "orders.toml", query]).contains("… 13 more ranges"));
    let get =
        json(&place.ok(&["--json", "explain", "orders.toml", "user_id = 7 and ts = 5 and order_id = 'b'"]));
    assert_eq!(get["plan"]["key"]["fields"]["order_id"], "b", "{get}");
}

#[test]
fn running_a_plan_adds_figures() {
    let place = place();
    let plan = json(&place.ok(&["--json", "explain", "orders", "user_id in (7, 8) limit 3", "--analyze"]));
    assert_eq!(plan["plan"]["figures"]["rows_returned"], 3);
    assert!(plan["plan"]["figures"]["time_ms"].as_f64().unwrap() > 0.0, "{plan}");
    let read = &plan["plan"]["inputs"][0]["figures"];
    assert!(read["rows_read"].as_u64().unwrap() >= 3, "{plan}");
    let sample = place.ok(&["explain", "orders", "user_id = 7", "--data", "orders.csv"]);
    assert!(sample.contains("(by the data)"), "{sample}");
}

/// One engine: what `explain --data` says of a query is what `simulate` says, also where a sample stands for the data.
#[test]
fn data_gives_the_figures_of_a_simulation() {
    let place = Workplace::new("orders");
    place.write_orders(30_000);
    let index = "\n[[index]]\nname = \"by_seller\"\nkey = \"[salt(4, seller)][seller: escaped][user_id][ts][order_id]\"\n";
    let file = place.read("orders.toml").split("[[query]]").next().unwrap().to_owned() + index;
    let queries = [
        "user_id = 7",
        "user_id = 7 order by ts desc limit 5",
        "user_id between 3 and 9 limit 20",
        "amount > 500",
        "seller = 'Dublin Coffee' limit 10",
        "ts > '2025-03-01' limit 7",
    ];
    let named = |query: &&str| format!("\n[[query]]\nname = \"{query}\"\nwhere = \"{query}\"\n");
    place.write("orders.toml", &(file + &queries.iter().map(named).collect::<String>()));
    for seed in ["0", "7"] {
        let simulated =
            json(&place.ok(&["--json", "simulate", "orders.toml", "--data", "orders.csv", "--seed", seed]));
        for (query, expected) in queries.iter().zip(simulated["reads"]["queries"].as_array().unwrap()) {
            let asked = ["--json", "explain", "orders.toml", query, "--full-scan", "--sort"];
            let plan = json(&place.ok(&[&asked[..], &["--data", "orders.csv", "--seed", seed]].concat()));
            let figures = [&plan["estimated_rows"], &plan["estimated_cost"]];
            assert_eq!(figures, [&expected["rows_read"], &expected["cost"]], "{query}: {plan}");
            assert_eq!(plan["estimate_from_sample"], true, "{query}");
            let costs = plan["considered"].as_array().unwrap().iter().filter_map(|own| own["cost"].as_f64());
            assert!(costs.into_iter().any(|cost| Some(cost) == plan["estimated_cost"].as_f64()), "{plan}");
        }
    }
}

#[test]
fn conditions_of_every_kind_are_answered() {
    let place = place();
    let count =
        |query: &str| place.run(&["--json", "query", "orders", query, "--full-scan"]).out.lines().count();
    let (all, of_seven) = (count(""), count("user_id = 7"));
    assert_eq!(all, 3000);
    assert_eq!(count("user_id in (7, 8)"), of_seven + count("user_id = 8"));
    assert_eq!(count("user_id <> 7"), all - of_seven);
    assert_eq!(count("not (user_id = 7 or amount > 500)"), all - count("user_id = 7 or amount > 500"));
    assert_eq!(count("user_id = 7 and order_id like 'O%' and seller is not null"), of_seven);
    assert_eq!(count("seller like '%o%' and seller not like '%o%'"), 0);
    assert_eq!(count("amount is null"), 0);
}

#[test]
fn pages_joined_are_the_whole() {
    let place = place();
    let whole: Vec<String> = place
        .ok(&["--json", "query", "orders", "user_id between 3 and 5"])
        .lines()
        .map(str::to_owned)
        .collect();
    let query = "user_id between 3 and 5 limit 4";
    let (mut joined, mut token) = (Vec::new(), String::new());
    loop {
        let page = format!("--page={token}");
        let first = ["--json", "query", "orders", query, "--page"];
        let next = ["--json", "query", "orders", query, page.as_str()];
        // The last page may be empty.
        let run = place.run(if token.is_empty() { &first } else { &next });
        assert!(run.code <= 1, "{run:?}");
        let mut lines: Vec<String> = run.out.lines().map(str::to_owned).collect();
        let Some(last) = lines.pop_if(|line| line.contains("next_page")) else {
            joined.extend(lines);
            break;
        };
        joined.extend(lines);
        token = json(&last)["next_page"].as_str().unwrap().to_owned();
    }
    assert!(whole.len() > 8, "{} rows", whole.len());
    assert_eq!(joined, whole);
}

#[test]
fn mistakes_are_told_clearly() {
    let place = place();
    for (arguments, words) in [
        (&["query", "orders", "usr = 7"][..], "there is no field `usr`"),
        (&["query", "orders", "user_id = ?"], "expected a value for each `?`"),
        (
            &["query", "orders", "user_id like '7%'"],
            "expected a text field before `like`, but `user_id` is u64",
        ),
        (&["query", "orders", "amount > 5"], "the query would read the whole table"),
        (&["query", "orders", "user_id = 7 order by amount"], "allow sorting with --sort"),
        (&["query", "orders", "user_id = 7 limit 2", "--page=nonsense"], "page"),
        (&["explain", "orders", "amount > 5", "--analyze"], "the query would read the whole table"),
    ] {
        assert_error(&place.run(arguments), &[words]);
    }
}

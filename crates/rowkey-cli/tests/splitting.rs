//! `rowkey split`: points by algorithm, key and sample; what each region gets; tables cut by them.

use crate::program::{Workplace, assert_error, json};

fn lines(text: &str) -> Vec<&str> {
    text.lines().collect()
}

fn starts(place: &Workplace) -> Vec<String> {
    let out = place.ok(&["--json", "regions", "orders"]);
    out.lines().map(|line| json(line)["start"]["text"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn points_come_in_every_form() {
    let place = Workplace::new("orders");
    let split = |more: &[&str]| place.ok(&[&["split"], more].concat());
    assert_eq!(lines(&split(&["hex", "--regions", "4"])), ["40000000", "80000000", "c0000000"]);
    assert_eq!(lines(&split(&["decimal", "--regions", "2"])), ["50000000"]);
    assert_eq!(lines(&split(&["uniform", "--regions", "2", "--as", "hex"])), ["8000000000000000"]);
    assert_eq!(lines(&split(&["hex", "--start", "0", "--end", "ff", "--regions", "2"])), ["80"]);
    let book = ["book-hex", "--start", "0", "--end", "ff", "--regions", "2"];
    assert_eq!(lines(&split(&book)), ["000000000000007f"]);
    let bytes = ["bytes", "--start", "a", "--end", "f", "--regions", "4"];
    assert_eq!(lines(&split(&bytes)), ["a", "c", "f"]);
    let key = "u-[salt(4, u)][u]";
    assert_eq!(lines(&split(&["salt", "--from", key, "--as", "file"])), [r"u-\x01", r"u-\x02", r"u-\x03"]);
    let shell = split(&["key", "--from", "[md5(u)]", "--regions", "2", "--as", "shell"]);
    assert_eq!(shell, "create 't', 'd', SPLITS => ['8']\n");
    place.write(
        "orders.toml",
        &place.read("orders.toml").replace("[families.d]", "[families.d]\nttl = \"1d\""),
    );
    let shell = split(&["salt", "--from", "orders.toml", "--regions", "2", "--as", "shell"]);
    assert_eq!(shell, "create 'orders', {NAME => 'd', VERSIONS => 1, TTL => 86400}, SPLITS => ['\\x08']\n");
    let out = split(&["hex", "--regions", "3", "--as", "json"]);
    assert_eq!(json(lines(&out)[1])["text"], "aaaaaaaa");
    assert_eq!(place.ok(&["--json", "split", "hex", "--regions", "3"]), out);
    assert!(!place.path("store").exists(), "no store was opened");
}

#[test]
fn a_sample_is_cut_at_its_quantiles() {
    let place = Workplace::new("orders");
    place.write_orders(5000);
    let run =
        place.run(&["split", "sample", "--from", "[order_id]", "--data", "orders.csv", "--regions", "4"]);
    assert_eq!(run.code, 0, "{run:?}");
    // Order numbers are counted up, and a few letters are enough.
    assert_eq!(lines(&run.out).len(), 3, "{run:?}");
    assert!(run.err.contains("4 regions, each with 2"), "{run:?}");
    assert!(run.err.contains("5,000 of 5,000 records, 5,000 different keys"), "{run:?}");
    place.write("hits.csv", "page,hits\na,1\nb,1\nc,1\nd,97\n");
    let hits = ["split", "sample", "--from", "[page]", "--data", "hits.csv", "--regions", "2"];
    assert_eq!(place.ok(&hits), "c\n");
    let run = place.run(&[&hits[..], &["--weight", "requests=hits"]].concat());
    assert_eq!((run.code, run.out.as_str()), (0, "d\n"), "{run:?}");
    assert!(run.err.contains("key d alone has 97.0%, more than a region"), "{run:?}");
}

#[test]
fn the_lumpy_points_of_the_fourth_text_are_shown_and_cured() {
    let place = Workplace::new("orders");
    let bytes = "bytes 7 0000000000000000 ffffffffffffffff";
    let run = place.run(&["split", "check", "[md5(id)]", "--splits", bytes]);
    assert_eq!(run.code, 1, "{run:?}");
    for words in [
        "43.75%",
        "18.75%",
        "37.5%",
        "0%, no key reaches it",
        "not even: of 10 regions 7 get nothing (6 no key can reach), the fullest gets 43.75% (fair: 10%)",
        "cure: cut at 1999 333 4ccc 666 8 9999 b33 cccc e66",
        "rowkey split key --from '[md5(id)]' --regions 10",
    ] {
        assert!(run.out.contains(words), "`{words}` is not in:\n{}", run.out);
    }
    let run = place.run(&["--json", "split", "check", "[md5(id)]", "--splits", bytes]);
    let objects: Vec<_> = run.out.lines().map(json).collect();
    let shares: Vec<f64> =
        objects.iter().take(10).map(|region| region["share"].as_f64().expect("a share") * 100.0).collect();
    assert_eq!(shares, [0.0, 43.75, 18.75, 0.0, 0.0, 0.0, 0.0, 0.0, 37.5, 0.0]);
    assert_eq!((&objects[3]["reachable"], &objects[9]["reachable"]), (&false.into(), &true.into()));
    assert_eq!((&objects[10]["even"], &objects[10]["unreachable"]), (&false.into(), &6.into()));
    // Points with commas between are those of several `--at`.
    let listed = place.run(&["split", "check", "[md5(id)]", "--splits", "4, 8,c"]);
    assert!(listed.code == 0 && listed.out.contains("even: 4 regions"), "{listed:?}");
    assert_eq!(listed.out, place.ok(&["split", "check", "[md5(id)]", "--at", "4", "--at", "8", "--at", "c"]));
    let hex = place.ok(&["split", "check", "[md5(id)]", "--splits", "34,38,63", "--hex"]);
    assert!(hex.contains("even: 4 regions"), "{hex}");
    // The cure is even.
    let cured = place.ok(&["split", "key", "--from", "[md5(id)]", "--regions", "10"]);
    place.write("points.txt", &cured);
    let out = place.ok(&["split", "check", "[md5(id)]", "--splits-file", "points.txt"]);
    assert!(out.contains("even: 10 regions, the fullest with 10.01% of the rows"), "{out}");
    assert!(
        place.ok(&["split", "check", "orders.toml"]).contains("even: 16 regions"),
        "the file's own splits"
    );
}

#[test]
fn records_are_counted_where_the_key_says_nothing() {
    let place = Workplace::new("orders");
    place.write("names.csv", "name\nanna\nbea\ncarl\ndora\n");
    let at = ["split", "check", "[name]", "--at", "b", "--at", "c", "--at", "d"];
    let run = place.run(&at);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.out.contains("not known: how even 4 regions are is not in the key"), "{run:?}");
    let out = place.ok(&[&at[..], &["--data", "names.csv"]].concat());
    assert!(out.contains("in the data") && out.contains("even: 4 regions, the fullest with 25%"), "{out}");
    let run = place.run(&["split", "check", "[name]", "--at", "c", "--at", "x", "--data", "names.csv"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.out.contains("1 get nothing (0 no key can reach), the fullest gets 50%"), "{}", run.out);
    assert!(run.out.contains("rowkey split sample --from '[name]' --data DATA --regions 3"), "{}", run.out);
}

#[test]
fn a_table_is_made_and_cut_by_split_points() {
    let place = Workplace::new("orders");
    place.write_orders(2000);
    let apply = |regions: &str, more: &[&str]| {
        let arguments = ["split", "key", "--from", "orders.toml", "--regions", regions, "--apply"];
        place.run(&[&arguments[..], more].concat())
    };
    let run = apply("4", &["--dry-run"]);
    assert!(run.out.contains("would create table orders with 4 regions"), "{run:?}");
    assert!(!place.path("store").exists(), "a dry run makes no folder");
    assert_eq!(apply("4", &[]).code, 0);
    assert_eq!(starts(&place), ["", r"\x04", r"\x08", r"\x0C"]);
    place.ok(&["load", "orders.toml", "orders.csv"]);
    let run = apply("8", &[]);
    assert!(run.out.contains("cut table orders at 4 keys; 3 were there already"), "{run:?}");
    assert_eq!(starts(&place).len(), 8);
    assert_eq!(place.ok(&["count", "orders"]), "2000\n");
}

#[test]
fn a_live_table_is_told_what_to_split_and_merge() {
    let place = Workplace::new("orders");
    place.write_orders(20_000);
    place.ok(&["create", "orders.toml"]);
    place.ok(&["load", "orders.toml", "orders.csv"]);
    // Past the last bucket there is nothing.
    place.ok(&["split", "orders", "--at", r"\x20", "--at", r"\x30"]);
    let run = place.run(&["split", "check", "orders"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.out.contains("merge regions 16 to 18: no key can reach all but one of them"), "{}", run.out);
    let command = run.out.lines().find(|line| line.contains("rowkey merge orders")).expect("a command");
    let words: Vec<&str> = command.split_whitespace().skip(1).collect();
    place.ok(&words);
    assert_eq!(starts(&place).len(), 16);
    assert_eq!(place.ok(&["count", "orders"]), "20000\n");
}

#[test]
fn a_region_that_takes_the_writes_of_a_rising_key_is_not_told_to_be_split() {
    let place = Workplace::new("orders");
    let file = |name: &str, key: &str| {
        format!(
            "[table]\nname = \"{name}\"\nkey = \"{key}\"\n[fields]\nts = \"timestamp\"\nuser = \"u32\"\n[families.d]\n"
        )
    };
    let lines: String = (0..4000).map(|n| format!("{},{}\n", 1_700_000_000_000_u64 + n, n % 97)).collect();
    place.write("events.csv", &format!("ts,user\n{lines}"));
    let told = |name: &str, key: &str| {
        place.write("events.toml", &file(name, key));
        place.ok(&["create", "events.toml"]);
        for split in [r"\x00\x00\x00\x10", r"\x00\x00\x00\x20", r"\x00\x00\x00\x30"] {
            place.ok(&["split", name, "--at", split]);
        }
        place.ok(&["load", "events.toml", "events.csv"]);
        place.run(&["split", "check", name])
    };
    // Users 0 to 15, 16 to 31, 32 to 47, and all others: half of the rows and writes.
    let run = told("by_user", "[user][ts]");
    assert!(run.out.contains("split region 4: 2.0 times the mean requests (above 2)"), "{run:?}");
    let run = told("by_time", "[ts][user]");
    assert_eq!(run.code, 1, "{run:?}");
    for words in [
        "do not split region 4, which has 4.0 times the mean requests; one of its halves would take every new row: the key begins \
         with `ts`, which is a time: it rises, and the last of 4 regions takes every new row",
        "begin with what rows are looked up by, such as `user`, or with a salt",
        "[salt(4)][ts][user]",
    ] {
        assert!(run.out.contains(words), "`{words}` is not in:\n{}", run.out);
    }
    assert!(!run.out.contains("rowkey split by_time"), "{}", run.out);
}

#[test]
fn a_file_says_how_its_table_is_cut() {
    let place = Workplace::new("orders");
    place.write_orders(3000);
    let with = |splits: &str| {
        let file = place.read("orders.toml").replace("splits = \"salt\"", &format!("splits = \"{splits}\""));
        place.write("cut.toml", &file);
    };
    with("sample 6");
    assert_error(
        &place.run(&["create", "cut.toml"]),
        &["cut where sample data is", "rowkey create FILE --data DATA"],
    );
    assert_error(
        &place.run(&["create", "orders.toml", "--data", "orders.csv"]),
        &["says where the table is cut"],
    );
    let out = place.ok(&["create", "cut.toml", "--data", "orders.csv"]);
    assert!(out.contains("with 6 regions"), "{out}");
    let out = place.ok(&["explain", "cut.toml", "amount > 5", "--full-scan", "--data", "orders.csv"]);
    assert!(out.contains(" of 6\n"), "{out}");
    let place = Workplace::new("orders");
    let file = place.read("orders.toml").replace("splits = \"salt\"", "splits = \"uniform 8\"");
    place.write("cut.toml", &file);
    assert!(place.ok(&["create", "cut.toml"]).contains("with 8 regions"));
    let run = place.run(&["split", "check", "cut.toml"]);
    assert!(run.code == 1 && run.out.contains("the fullest gets 100%"), "{run:?}");
}

#[test]
fn what_cannot_be_split_is_refused_with_what_to_do() {
    let place = Workplace::new("orders");
    let refused =
        |more: &[&str], words: &[&str]| assert_error(&place.run(&[&["split"], more].concat()), words);
    refused(&["hex"], &["into how many regions? say so with --regions N"]);
    refused(&["hex", "--regions", "0"], &["ask for 1 to 65536"]);
    refused(&["key", "--regions", "4"], &["name one, or a table file, with --from"]);
    refused(
        &["key", "--from", "[name][id]", "--regions", "4"],
        &["which values `[name]` has is not known", "--data FILE"],
    );
    refused(
        &["key", "--from", "[id: u64]", "--regions", "4", "--range", "id=9"],
        &["write it as FIELD=LOW..HIGH"],
    );
    refused(
        &["key", "--from", "[id: u64]", "--regions", "4", "--range", "di=0..9"],
        &["there is no field `di`"],
    );
    refused(
        &["key", "--from", "[id: u64]", "--regions", "4", "--range", "id=9..0"],
        &["the smaller comes first"],
    );
    refused(&["salt", "--from", "[name]"], &["does not begin with a salt"]);
    refused(&["sample", "--from", "[name]", "--regions", "4"], &["a sample needs data"]);
    refused(
        &["sample", "--from", "[name]", "--regions", "4", "--data", "none.csv"],
        &["could not read none.csv"],
    );
    refused(&["bytes", "--regions", "4"], &["between which keys? give --start and --end"]);
    refused(
        &["bytes", "--start", "b", "--end", "a", "--regions", "4"],
        &["the end must lie after the start"],
    );
    refused(&["key", "--from", "[md5(u)]", "--regions", "4", "--apply"], &["--from must name a table file"]);
    refused(&["check", "[md5(u)]"], &["where is the table cut?"]);
    refused(
        &["check", "[md5(u)]", "--splits", "hax 4"],
        &["--splits 'hax 4' is not known", "commas between"],
    );
    refused(&["check", "[md5(u)]", "--splits", "4,8,4"], &["the split point 4 is given twice"]);
    refused(&["check", "[md5(u)]", "--splits", "4,,8"], &["a row key has 1 to 32767 bytes"]);
    refused(&["check", "[md5(u)]", "--at", "a", "--at", "a"], &["the split point a is given twice"]);
}

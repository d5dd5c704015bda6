//! `get`, `scan`, `count` and `delete` on the embedded store; the same on HBase is in `one_table_two_stores.rs`.

use crate::program::{Workplace, assert_error, json};
use rowkey_embedded::{EmbeddedStore, Options};
use rowkey_store::{Admin, Family, RowBatch, RowStore, TableDescriptor};
use rowkey_testing::orders;

const ROWS: u64 = 2000;

/// A table of orders.
fn orders_table() -> Workplace {
    let place = Workplace::new("orders");
    place.write_orders(ROWS);
    place.ok(&["create", "orders.toml"]);
    place.ok(&["load", "orders.toml", "orders.csv"]);
    place
}

fn fields(order: &orders::Order) -> [String; 3] {
    [
        format!("user_id={}", order.user_id),
        format!("ts={}", order.ts_text()),
        format!("order_id={}", order.order_id),
    ]
}

#[test]
fn a_row_is_got_by_its_fields_or_its_key_in_every_form() {
    let place = orders_table();
    let order = orders::orders(ROWS, 1).nth(7).expect("there are as many");
    let [user, ts, id] = fields(&order);
    let found = json(&place.ok(&["--json", "get", "orders", &user, &ts, &id]));
    assert_eq!(found["record"]["order_id"], order.order_id);
    assert_eq!(found["record"]["amount"], order.amount);
    let (hex, text) =
        (found["key"]["hex"].as_str().expect("hex"), found["key"]["text"].as_str().expect("text"));
    assert_eq!(json(&place.ok(&["--json", "get", "orders", text])), found);
    assert_eq!(json(&place.ok(&["--json", "get", "orders.toml", "--hex", "--key", hex])), found);

    let csv = place.ok(&["get", "orders", "--csv", "--columns", "amount,order_id", "--hex", hex]);
    assert_eq!(csv, format!("key,amount,order_id\n{hex},{},{}\n", order.amount, order.order_id));
    let shown = place.ok(&["get", "orders", text]);
    assert!(shown.contains(&order.seller) && shown.contains("seller"), "{shown}");

    let run = place.run(&["get", "orders", "--key", "nothing", "--key", text]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.err.contains("there is no row nothing in orders"), "{run:?}");
    let run = place.run(&["get", "orders", "nothing"]);
    assert_eq!(run.code, 1, "{run:?}");
}

#[test]
fn a_get_that_cannot_be_is_refused() {
    let place = orders_table();
    assert_error(&place.run(&["get", "orders"]), &["say which row: user_id=… ts=… order_id=…"]);
    let run = place.run(&["get", "orders", "user_id=7", "order_is=b"]);
    assert_error(
        &run,
        &[
            "a get needs every field of the key",
            "rowkey query",
            "there is no field `order_is`",
            "did you mean `order_id`?",
            "field `ts` (timestamp) has no value; add ts=…",
        ],
    );
    let run = place.run(&["get", "orders", "user_id=7", "some key"]);
    assert_error(&run, &["by its fields or by its key, not both", "--key"]);
    assert_error(&place.run(&["get", "orders", "--hex", "0g"]), &["`0g` is not hex"]);
    assert_error(&place.run(&["get", "orders", "--key", ""]), &["a row key has 1 to 32767 bytes"]);
    let run = place.run(&["get", "orders", "x", "--columns", "amont,id"]);
    assert_error(&run, &["there is no field `amont`; did you mean `amount`?", "there is no field `id`"]);
    assert_error(
        &place.run(&["get", "order", "x"]),
        &["there is no table `order`", "did you mean `orders`?"],
    );
}

fn keys(out: &str) -> Vec<String> {
    out.lines().map(|line| json(line)["key"]["hex"].as_str().expect("hex").to_owned()).collect()
}

#[test]
fn a_scan_reads_in_stored_order_forwards_and_backwards() {
    let place = orders_table();
    let all = keys(&place.ok(&["--json", "scan", "orders"]));
    assert_eq!(all.len() as u64, ROWS);
    assert!(all.is_sorted());
    let backwards = keys(&place.ok(&["--json", "scan", "orders", "--reverse"]));
    assert!(backwards.iter().eq(all.iter().rev()));

    let (a, b) = (&all[100], &all[120]);
    let part = keys(&place.ok(&["--json", "scan", "orders", "--hex", "--start", a, "--stop", b]));
    assert_eq!(part, all[100..120]);
    let part =
        keys(&place.ok(&["--json", "scan", "orders", "--hex", "--start", b, "--stop", a, "--reverse"]));
    assert!(part.iter().eq(all[101..=120].iter().rev()));
    let bucket = keys(&place.ok(&["--json", "scan", "orders", "--prefix", r"\x07"]));
    assert!(!bucket.is_empty() && bucket.iter().all(|key| key.starts_with("07")));
    assert_eq!(keys(&place.ok(&["--json", "scan", "orders", "--limit", "3"])), all[..3]);
    let csv = place.ok(&["scan", "orders", "--csv", "--limit", "2", "--columns", "order_id"]);
    assert_eq!((csv.lines().count(), csv.lines().next()), (3, Some("key,order_id")));
}

#[test]
fn raw_cells_are_shown_without_a_table_file() {
    let place = orders_table();
    let out = place.ok(&["--json", "scan", "orders", "--raw-cells", "--limit", "1"]);
    let cells: Vec<_> = out.lines().map(json).collect();
    assert_eq!(cells.len(), 2, "amount and seller");
    assert_eq!((&cells[0]["family"], &cells[0]["qualifier"]["text"]), (&"d".into(), &"a".into()));
    assert_eq!((&cells[1]["kind"], &cells[1]["qualifier"]["text"]), (&"Put".into(), &"s".into()));
    let key = cells[0]["key"]["hex"].as_str().expect("hex").to_owned();
    place.ok(&["delete", "orders", "--hex", "--key", &key, "--yes"]);
    let out = place.ok(&[
        "scan",
        "orders",
        "--raw-cells",
        "--deleted",
        "--hex",
        "--start",
        &key,
        "--limit",
        "1",
        "--csv",
    ]);
    assert!(out.starts_with("row,column,timestamp,kind,value\n"), "{out}");
    assert!(out.contains("DeleteFamily"), "{out}");
    assert_eq!(out.lines().count(), 1 + 3, "the marker and what it hides: {out}");
}

#[test]
fn a_scan_that_cannot_be_is_refused() {
    let place = orders_table();
    let run = place.run(&["scan", "orders", "--start", "b", "--stop", "a"]);
    assert_error(&run, &["the range [b, a) holds no key", "--start is the smaller key"]);
    let run = place.run(&["scan", "orders", "--start", "a", "--stop", "b", "--reverse"]);
    assert_error(&run, &["with --reverse, --start is the larger key"]);
    assert_error(&place.run(&["scan", "orders", "--csv", "--json"]), &["choose either --csv or --json"]);
    assert_error(&place.run(&["scan", "orders", "--prefix", r"\x0"]), &[r"\x0"]);
    assert_error(&place.run(&["scan", "orders", "--raw-cells", "--columns", "amount"]), &["leave one out"]);
    let run = place.run(&["scan", "orders", "--prefix", "a", "--start", "b"]);
    assert_error(&run, &["cannot be used with"]);
}

#[test]
fn figures_and_groups_are_those_of_a_loop() {
    let place = orders_table();
    let all: Vec<orders::Order> = orders::orders(ROWS, 1).collect();
    let sum: i64 = all.iter().map(|order| order.amount).sum();
    let figures = ["--sum", "amount", "--min", "amount,ts", "--max", "amount", "--avg", "amount"];
    let found = json(&place.ok(&[&["--json", "count", "orders"], figures.as_slice()].concat()));
    assert_eq!((&found["rows"], &found["sum"]["amount"]), (&ROWS.into(), &sum.into()), "{found}");
    let amounts = || all.iter().map(|order| order.amount);
    assert_eq!(found["min"]["amount"], amounts().min().expect("some"));
    assert_eq!(found["max"]["amount"], amounts().max().expect("some"));
    let mean = found["avg"]["amount"].as_f64().expect("a number");
    assert!((mean - sum as f64 / ROWS as f64).abs() < 1e-6, "{found}");
    // One field without groups may be asked of the store itself.
    let one = json(&place.ok(&["--json", "count", "orders", "--sum", "amount"]));
    assert_eq!(one["sum"]["amount"], sum);

    let mut groups: std::collections::BTreeMap<u64, (u64, i64)> = std::collections::BTreeMap::new();
    for order in &all {
        let (rows, sum) = groups.entry(order.user_id).or_default();
        (*rows, *sum) = (*rows + 1, *sum + order.amount);
    }
    let csv = place.ok(&["count", "orders", "--group-by", "user_id", "--sum", "amount", "--csv"]);
    let lines: Vec<String> =
        groups.iter().map(|(user, (rows, sum))| format!("{user},{rows},{sum}")).collect();
    assert_eq!(csv, format!("user_id,rows,sum(amount)\n{}\n", lines.join("\n")));
    let of_two = place.ok(&["--json", "count", "orders", "user_id in (7, 8)", "--group-by", "user_id"]);
    let of_two: Vec<_> = of_two.lines().map(json).collect();
    assert_eq!((of_two.len(), &of_two[0]["group"]["user_id"]), (2, &7.into()));
    assert_eq!(of_two[0]["rows"], groups[&7].0);
    assert!(place.ok(&["count", "orders", "--group-by", "seller"]).contains("Books"));

    let quoted = |text: &str| match text.contains([',', '"']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    };
    let mut pairs: std::collections::BTreeMap<(&str, u64), (u64, i64)> = std::collections::BTreeMap::new();
    for order in &all {
        let (rows, sum) = pairs.entry((order.seller.as_str(), order.user_id)).or_default();
        (*rows, *sum) = (*rows + 1, *sum + order.amount);
    }
    assert!(pairs.len() > groups.len(), "a pair is more than a user");
    let by = ["--group-by", "seller,user_id", "--sum", "amount"];
    let csv = place.ok(&[&["count", "orders", "--csv"], by.as_slice()].concat());
    let lines: Vec<String> = pairs
        .iter()
        .map(|((seller, user), (rows, sum))| format!("{},{user},{rows},{sum}", quoted(seller)))
        .collect();
    assert_eq!(csv, format!("seller,user_id,rows,sum(amount)\n{}\n", lines.join("\n")));
    let lines = place.ok(&[&["--json", "count", "orders"], by.as_slice()].concat());
    let ((seller, user), (rows, sum)) = pairs.iter().next().expect("a pair");
    let first = serde_json::json!({ "group": { "seller": seller, "user_id": user }, "rows": rows, "by": "rows",
                                    "sum": { "amount": sum } });
    assert_eq!(json(lines.lines().next().expect("a line")), first);

    let run = place.run(&["count", "orders", "--group-by", "user_ib"]);
    assert_error(&run, &["--group-by: there is no field `user_ib`; did you mean `user_id`?"]);
    let run = place.run(&["count", "orders", "--sum", "seller"]);
    let words = [
        "--sum: `seller` is text, and only numbers can be added up",
        "--group-by seller",
        "seller = \"i64\"",
    ];
    assert_error(&run, &words);
    let run = place.run(&["count", "orders", "--avg", "ts"]);
    assert_error(&run, &["--avg: `ts` is timestamp, and only numbers can be added up; --min and --max"]);
    assert!(!run.err.contains("i64"), "{run:?}");
    let run = place.run(&["--json", "count", "orders", "--csv", "--group-by", "seller"]);
    assert_error(&run, &["choose either --csv or --json"]);
    let nobody = ["count", "orders", "user_id = 987654321", "--sum", "amount", "--csv"];
    assert_eq!(place.ok(&nobody), "rows,sum(amount)\n0,\n");
}

#[test]
fn a_field_of_the_key_may_stand_in_a_column_too_and_both_must_agree() {
    let place = Workplace::new("orders");
    let file = place.read("orders.toml").replace("columns = { ", "columns = { u = \"user_id\", ");
    place.write("orders.toml", &file);
    place.write_orders(20);
    let checked = place.ok(&["check", "orders.toml"]);
    assert!(checked.contains("hint[stored-twice]: the column `d:u` repeats `user_id`"), "{checked}");
    place.ok(&["create", "orders.toml"]);
    place.ok(&["load", "orders", "orders.csv"]);
    let first = json(&place.ok(&["scan", "orders", "--limit", "1", "--json"]));
    let user = first["record"]["user_id"].as_u64().expect("a number");
    let cells = place.ok(&["scan", "orders", "--raw-cells", "--limit", "1", "--json"]);
    let copy = cells.lines().map(json).find(|cell| cell["qualifier"]["text"] == "u").expect("a cell");
    assert_eq!(copy["value"]["hex"], format!("{user:016x}"));
    let of_user = format!("user_id = {user}");
    let rows = place.ok(&["query", "orders", &of_user, "--json"]).lines().count();

    // Another program writes something else there.
    let key = first["key"]["text"].as_str().expect("a key").to_owned();
    let shell = |statement: &str| place.ok(&["shell", "-e", statement]);
    shell(&format!("put 'orders', \"{key}\", 'd:u', \"\\x00\\x00\\x00\\x00\\x00\\x00\\x03\\xE7\""));
    let run = place.run(&["query", "orders", &of_user, "--csv"]);
    assert_eq!(run.code, 2, "{run:?}");
    let said = format!("column d:u: `user_id` is 999 there, and {user} in the key");
    assert!(run.err.contains(&said), "{run:?}");
    let redacted = place.run(&["query", "orders", &of_user, "--csv", "--redact"]);
    assert!(redacted.code == 2 && !redacted.err.contains("999"), "{redacted:?}");
    let left = place.ok(&[
        "query",
        "orders",
        &format!("{of_user} or user_id > 0"),
        "--full-scan",
        "--json",
        "--skip-undecodable",
    ]);
    assert_eq!(left.lines().count(), 19);
    // Without a copy the key is enough.
    shell(&format!("deleteall 'orders', \"{key}\", 'd:u'"));
    assert_eq!(place.ok(&["query", "orders", &of_user, "--json"]).lines().count(), rows);
}

#[test]
fn rows_are_counted_with_and_without_a_condition() {
    let place = orders_table();
    assert_eq!(place.ok(&["count", "orders"]), format!("{ROWS}\n"));
    let of_user = orders::orders(ROWS, 1).filter(|order| order.user_id == 7).count();
    let counted = json(&place.ok(&["--json", "count", "orders.toml", "user_id = 7"]));
    assert_eq!(counted, serde_json::json!({ "table": "orders", "rows": of_user, "by": "keys" }));
    let by_rows = json(&place.ok(&["--json", "count", "orders", "user_id = 7 and amount > 0"]));
    assert_eq!(by_rows["by"], "rows");
    assert_eq!(place.ok(&["count", "orders", "user_id = 987654321"]), "0\n");
    let cheap = orders::orders(ROWS, 1).filter(|order| order.amount < 1000).count();
    assert_eq!(place.ok(&["count", "orders", "amount < 1000", "--full-scan"]), format!("{cheap}\n"));
}

#[test]
fn a_count_that_cannot_be_is_refused() {
    let place = orders_table();
    assert_error(&place.run(&["count", "nothing"]), &["there is no table `nothing`"]);
    assert_error(&place.run(&["count", "orders", "amount < 1000"]), &["--full-scan"]);
    assert_error(&place.run(&["count", "orders", "amont < 1000"]), &["amont", "did you mean `amount`?"]);
    assert_error(&place.run(&["count", "orders", "user_id = 'x'"]), &["user_id"]);
}

#[test]
fn a_delete_shows_what_it_finds_and_never_deletes_silently() {
    let place = orders_table();
    let of_user = orders::orders(ROWS, 1).filter(|order| order.user_id == 7).count() as u64;
    assert!(of_user > 1);
    let condition = "user_id = 7";
    let run = place.run(&["delete", "orders", condition, "--dry-run"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(run.out, format!("would delete {of_user} rows of orders\n"));
    assert!(
        run.err.contains("scan [")
            && run.err.contains(&format!("delete {of_user} rows of orders, found by:")),
        "{run:?}"
    );
    // There is no question: the standard input of the test is no terminal.
    assert_error(&place.run(&["delete", "orders", condition]), &["nothing was deleted", "--yes"]);
    assert_eq!(place.ok(&["count", "orders"]), format!("{ROWS}\n"));

    let deleted = json(&place.ok(&["--json", "delete", "orders", condition, "--yes"]));
    assert_eq!((&deleted["rows"], &deleted["deleted"]), (&of_user.into(), &of_user.into()));
    assert_eq!(place.ok(&["count", "orders"]), format!("{}\n", ROWS - of_user));
    let run = place.run(&["delete", "orders", condition, "--yes"]);
    assert_eq!((run.code, run.out.as_str()), (1, "would delete 0 rows of orders\n"), "{run:?}");
}

/// Cells may have a time that is still to come; they go too.
#[test]
fn rows_of_the_future_are_deleted_too() {
    let place = Workplace::new("orders");
    place.ok(&["create", "orders.toml"]);
    place.write(
        "orders.csv",
        "user_id,ts,order_id,seller,amount\n7,2999-01-01,a,shop,1\n7,2025-01-01,b,shop,2\n",
    );
    place.ok(&["load", "orders", "orders.csv"]);
    assert_eq!(place.ok(&["delete", "orders", "user_id = 7", "--yes"]), "deleted 2 rows of orders\n");
    assert_eq!(place.ok(&["count", "orders"]), "0\n");
}

#[test]
fn a_delete_that_cannot_be_is_refused() {
    let place = orders_table();
    assert_error(&place.run(&["delete", "orders"]), &["required"]);
    assert_error(&place.run(&["delete", "orders", "amount < 5", "--yes"]), &["--full-scan"]);
    assert_error(&place.run(&["delete", "orders", "user_id = 7", "--key", "a"]), &["cannot be used with"]);
    assert_error(&place.run(&["delete", "orders", "--hex", "--key", "zz", "--yes"]), &["`zz` is not hex"]);
    assert_error(
        &place.run(&["delete", "nothing", "user_id = 7", "--yes"]),
        &["there is no table `nothing`"],
    );
    assert_eq!(place.ok(&["count", "orders"]), format!("{ROWS}\n"));
}

/// A table as another program makes it, with a row that is not of the file too.
fn foreign_table(place: &Workplace) {
    let store = EmbeddedStore::open(&place.path("store"), Options::default()).expect("a new folder");
    let name = "legacy".parse().expect("a name");
    let families = vec![Family::new("d")];
    let table = TableDescriptor { name, families, attributes: Default::default() };
    store.create_table(&table, &[b"m".to_vec()]).expect("a new table");
    let mut rows = RowBatch::new();
    for (key, value) in [("apple|\0\0\0\x05", "first"), ("zebra|\0\0\0\x07", "second"), ("odd", "third")] {
        rows.begin_row(key.as_bytes());
        rows.cell(b"d", b"n", 1, value.as_bytes());
    }
    store.put_batch(&table.name, &rows).expect("good rows");
    place.write(
        "legacy.toml",
        "[table]\nname = \"described\"\nkey = \"[word]|[n: u32]\"\n[fields]\nword = \"text\"\nn = \"u32\"\n\
         note = \"text\"\n[families.d]\ncolumns = { n = \"note\" }\n",
    );
}

#[test]
fn a_table_that_rowkey_did_not_make_is_read_by_a_file_or_as_cells() {
    let place = Workplace::new("orders");
    foreign_table(&place);
    let got = place.ok(&[
        "get",
        "legacy",
        "--file",
        "legacy.toml",
        "word=zebra",
        "n=7",
        "--csv",
        "--columns",
        "note",
    ]);
    assert_eq!(got.lines().nth(1), Some(r"zebra|\x00\x00\x00\x07,second"));
    assert_eq!(place.ok(&["count", "legacy"]), "3\n");
    assert_eq!(place.ok(&["count", "legacy", "word = 'apple'", "--file", "legacy.toml"]), "1\n");
    assert_eq!(place.ok(&["scan", "legacy", "--raw-cells", "--csv"]).lines().count(), 4);
    let out = place.ok(&["--json", "regions", "legacy", "--file", "legacy.toml"]);
    assert_eq!(json(out.lines().nth(1).expect("two regions"))["start"]["text"], "m");

    let run = place.run(&["scan", "legacy", "--file", "legacy.toml"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.err.contains("odd") && run.err.contains("--skip-undecodable"), "{run:?}");
    assert!(run.out.contains("apple"), "what came before it is shown: {run:?}");
    let run = place.run(&["scan", "legacy", "--file", "legacy.toml", "--skip-undecodable", "--csv"]);
    assert_eq!((run.code, run.out.lines().count()), (0, 3), "{run:?}");
    assert!(run.err.contains("2 rows, and 1 row left out"), "{run:?}");

    assert_error(&place.run(&["scan", "legacy"]), &["was not made by rowkey", "--file"]);
    assert_error(&place.run(&["get", "legacy.toml", "--file", "legacy.toml", "x"]), &["leave out --file"]);
    assert_error(
        &place.run(&["scan", "legacy", "--file", "nothing.toml"]),
        &["could not read the table file nothing.toml"],
    );
    place.ok(&["create", "orders.toml"]);
    let run = place.run(&["scan", "orders", "--file", "legacy.toml"]);
    assert_error(&run, &["table `orders` was made with another key"]);
    let deleted = place.ok(&["delete", "legacy", "--file", "legacy.toml", "--key", "odd", "--yes"]);
    assert_eq!(deleted, "deleted 1 row of legacy\n");
    assert_eq!(place.ok(&["count", "legacy"]), "2\n");
}

/// Rows of a table with an index table come and go with their index rows.
#[test]
fn index_rows_are_loaded_and_deleted_with_their_rows() {
    let place = Workplace::new("orders");
    let index =
        "\n[[index]]\nname = \"by_seller\"\nkey = \"[seller: escaped][user_id][ts desc][order_id]\"\n";
    place.write("orders.toml", &format!("{}{index}", place.read("orders.toml")));
    place.write_orders(ROWS);
    place.ok(&["create", "orders.toml"]);
    let loaded = json(&place.ok(&["--json", "load", "orders", "orders.csv"]));
    assert_eq!((&loaded["rows"], &loaded["in_bulk"]), (&ROWS.into(), &false.into()));
    let counts = || (place.ok(&["count", "orders"]), place.ok(&["count", "by_seller"]));
    assert_eq!(counts(), (format!("{ROWS}\n"), format!("{ROWS}\n")));
    place.ok(&["delete", "orders", "user_id = 7", "--yes"]);
    let kept = || orders::orders(ROWS, 1).filter(|order| order.user_id != 7);
    let left = kept().count();
    assert_eq!(counts(), (format!("{left}\n"), format!("{left}\n")));

    // Found by the index, and without reading the whole table.
    let seller = kept().next().expect("some are left").seller;
    let condition = format!("seller = '{}'", seller.replace('\'', "''"));
    let of_seller = kept().filter(|order| order.seller == seller).count();
    assert_eq!(place.ok(&["count", "orders", &condition]), format!("{of_seller}\n"));
    let deleted = json(&place.ok(&["--json", "delete", "orders", &condition, "--yes"]));
    assert_eq!(deleted["deleted"], of_seller);
    let left = left - of_seller;
    assert_eq!(counts(), (format!("{left}\n"), format!("{left}\n")));
    assert_error(&place.run(&["scan", "by_seller"]), &["`by_seller` is an index table of table `orders`"]);
    place.ok(&["scan", "by_seller", "--raw-cells", "--limit", "1"]);
}

/// A table of numbers of every width, some of them loaded.
fn numbers_table() -> Workplace {
    let place = Workplace::new("orders");
    let file = "[table]\nname = \"n\"\nkey = \"[x]\"\n[fields]\nx = \"i64\"\nc = \"f32\"\nd = \"f64?\"\nt = \"timestamp?\"\n\
                [families.d]\ncolumns = { c = \"c\", d = \"d\", t = \"t\" }\n";
    place.write("n.toml", file);
    place.write(
        "n.csv",
        "x,c,d,t\n-5,0.1,0,9999-12-31\n-3,-0.25,-0,9999-12-31T23:59:59.999Z\n7,16777216,0.0,\n",
    );
    place.ok(&["create", "n.toml"]);
    place.ok(&["load", "n.toml", "n.csv"]);
    place
}

#[test]
fn a_number_of_32_bits_is_shown_and_found_as_it_was_written() {
    let place = numbers_table();
    let csv = place.ok(&["query", "n", "c = 0.1", "--full-scan", "--csv", "--columns", "x,c,t"]);
    assert!(csv.ends_with("-5,0.1,9999-12-31T00:00:00.000Z\n"), "{csv}");
    let line = place.ok(&["--json", "query", "n", "c in (0.1, 5)", "--full-scan"]);
    assert!(line.contains("\"c\":0.1,"), "{line}");
    assert_eq!(json(&line)["record"]["x"], -5);
    let late = place.ok(&["query", "n", "t > '9999-12-31'", "--full-scan", "--csv", "--columns", "x,t"]);
    assert!(late.ends_with("-3,9999-12-31T23:59:59.999Z\n"), "{late}");
    let groups = place.ok(&["count", "n", "--group-by", "d", "--csv"]);
    assert_eq!(groups.lines().count(), 2, "one group and the names: {groups}");
    for (value, words) in
        [("1e39", "does not fit f32"), ("16777217", "is not exact in f32"), ("inf", "is not a number")]
    {
        assert_error(&place.run(&["query", "n", &format!("c = '{value}'"), "--full-scan"]), &[words]);
        assert_error(&place.run(&["query", "n", "c = ?", "--param", value, "--full-scan"]), &[words]);
        place.write("bad.jsonl", &format!("{{\"x\":1,\"c\":\"{value}\"}}\n"));
        assert_error(&place.run(&["load", "n", "bad.jsonl"]), &[words]);
    }
    // Numbers of JSON, behind a byte order mark.
    place.write("more.jsonl", "\u{feff}{\"x\":8,\"c\":1.5,\"d\":-1.4718583457250971e-07}\n");
    place.ok(&["load", "n", "more.jsonl"]);
    let found =
        place.ok(&["query", "n", "d = -1.4718583457250971e-07", "--full-scan", "--csv", "--columns", "x"]);
    assert!(found.ends_with("8\n"), "{found}");
}

#[test]
fn a_condition_may_begin_with_a_minus() {
    let place = numbers_table();
    let rows = |condition: &str| place.ok(&["query", "n", condition, "--csv"]).lines().count() - 1;
    assert_eq!((rows("-3 < x"), rows("-3 = x"), rows("-3 >= x")), (1, 1, 2));
    assert_eq!(place.ok(&["count", "n", "-5.5 < c", "--full-scan"]).trim(), "3");
    assert!(place.ok(&["explain", "n", "-3 < x"]).contains("-3"));
    let run = place.run(&["delete", "n", "-3 < x", "--dry-run"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(place.run(&["get", "n", "-5"]).code, 1);
    assert_error(&place.run(&["query", "n", "--full-scna"]), &["there is no option `--full-scna`"]);
    assert_error(&place.run(&["count", "n", "--group", "d"]), &["there is no option `--group`"]);
    assert_error(&place.run(&["count", "n", "x = 1", "d"]), &["unexpected argument 'd'"]);
}

//! `rowkey doctor` on both stores, and what it says of the usual faults.

use crate::program::{Run, Workplace, assert_error, json};
use rowkey_embedded::{EmbeddedStore, Options};
use rowkey_testing::cluster;

/// The lines of a check: state, what was seen, what to do.
fn of(run: &Run, check: &str) -> Vec<(String, String, String)> {
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let lines = run.out.lines().map(json).filter(|line| line["check"] == check);
    lines.map(|line| (text(&line["state"]), text(&line["seen"]), text(&line["cure"]))).collect()
}

fn only(run: &Run, check: &str) -> (String, String, String) {
    let mut lines = of(run, check);
    assert_eq!(lines.len(), 1, "{check}: {run:?}");
    lines.remove(0)
}

fn states(run: &Run) -> Vec<String> {
    run.out.lines().map(|line| json(line)["state"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn a_folder_that_is_well() {
    let place = Workplace::new("orders");
    let run = place.run(&["doctor", "--json"]);
    assert_eq!((run.code, states(&run)), (0, vec!["ok".to_owned(); 4]), "{run:?}");
    assert!(!place.path("store").exists(), "doctor makes no folder");

    place.ok(&["create", "orders.toml"]);
    let run = place.run(&["doctor", "orders", "--json"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(only(&run, "store").1, "./store: a folder of format 3, 1 table, 16 regions");
    assert!(only(&run, "file").1.contains("[salt(16, user_id)][user_id][ts desc][order_id]"));
    assert_eq!(only(&run, "splits").1, "16 regions, 15 split points in the file");
    let text = place.run(&["doctor", "orders.toml"]);
    assert!(text.out.starts_with("ok       program   rowkey "), "{text:?}");
    assert!(text.err.ends_with("all is well\n"), "{text:?}");
}

#[test]
fn a_folder_that_cannot_be_used() {
    let place = Workplace::new("orders");
    place.ok(&["create", "orders.toml"]);
    let store = EmbeddedStore::open(&place.path("store"), Options::default()).expect("it opens");
    let run = place.run(&["doctor", "orders", "--json"]);
    let (state, seen, cure) = only(&run, "store");
    assert_eq!((run.code, state.as_str(), cure.as_str()), (1, "fault", "stop it or use another --store"));
    assert!(seen.contains(&format!("is in use by process {}", std::process::id())), "{seen}");
    assert!(of(&run, "table").is_empty(), "what cannot be looked at is left out: {run:?}");
    drop(store);

    place.write("store/FORMAT", "rowkey store format 9\n");
    let run = place.run(&["doctor", "--json"]);
    let (state, seen, cure) = only(&run, "store");
    assert_eq!((run.code, state.as_str(), cure.as_str()), (1, "fault", "use the newer rowkey that made it"));
    assert!(seen.ends_with("has format 9, and this rowkey reads formats up to 3"), "{seen}");

    let here = Workplace::new("orders").with_store(".");
    let run = here.run(&["doctor", "--json"]);
    assert!(only(&run, "store").1.contains("is not a rowkey store"), "{run:?}");
}

#[test]
fn little_space_is_told_with_the_limit() {
    let place = Workplace::new("orders");
    let run = place.run(&["doctor", "--json", "--min-free", "1000TB"]);
    let (state, seen, cure) = only(&run, "space");
    assert_eq!((run.code, state.as_str()), (1, "warning"), "{run:?}");
    assert!(seen.contains("GiB free of") && seen.contains(": below 1000.00 TiB"), "{seen}");
    assert!(cure.contains("--min-free"), "{cure}");
    assert_error(&place.run(&["doctor", "--min-free", "much"]), &["`much` is no size"]);
}

/// The same faults of a table, on either store.
fn a_table_that_differs(place: &Workplace) {
    let table = &place.table;
    place.ok(&["create", "orders.toml"]);
    let run = place.run(&["doctor", table, "--json"]);
    // Not the exit code: on a cluster that others use, a region may just be on its way.
    assert_eq!(only(&run, "families").0, "ok", "{run:?}");

    place.ok(&["merge", table, "--at", "\\x03"]);
    let run = place.run(&["doctor", table, "--json"]);
    let (state, seen, cure) = only(&run, "splits");
    assert_eq!((run.code, state.as_str()), (1, "warning"), "{run:?}");
    assert_eq!(seen, "15 regions, 15 split points in the file, of which 1 are no borders");
    assert_eq!(cure, format!("rowkey split {table} --at '\\x03'"));

    let alter = format!("alter '{table}', NAME => 'd', VERSIONS => 3");
    place.ok(&["shell", "-e", &alter]);
    let (state, seen, _) = only(&place.run(&["doctor", table, "--json"]), "families");
    assert_eq!((state.as_str(), seen.as_str()), ("fault", "`d` has versions 3, the file says 1"));

    let other = place.read("orders.toml").replace("[user_id][ts desc]", "[ts desc][user_id]");
    place.write("other.toml", &other);
    let (state, seen, cure) = only(&place.run(&["doctor", "other.toml", "--json"]), "file");
    assert!(state == "fault" && seen.contains("was made with another key"), "{seen}");
    assert!(cure.contains("a key cannot be changed"), "{cure}");

    place.ok(&["shell", "-e", &format!("disable '{table}'")]);
    let run = place.run(&["doctor", table, "--json"]);
    let (state, seen, cure) = only(&run, "table");
    assert_eq!((run.code, state.as_str()), (1, "fault"), "{run:?}");
    assert!(
        seen.contains("is disabled") && cure == format!("rowkey shell -e \"enable '{table}'\""),
        "{cure}"
    );

    place.ok(&["shell", "-e", &format!("drop '{table}'")]);
    let (state, seen, _) = only(&place.run(&["doctor", table, "--json"]), "table");
    assert!(state == "fault" && seen == format!("there is no table `{table}` in this store"), "{seen}");

    place.ok(&["shell", "-e", &format!("create '{table}', 'f'")]);
    let (state, _, cure) = only(&place.run(&["doctor", table, "--json"]), "file");
    assert!(state == "warning" && cure.contains("--file"), "{cure}");
    place.ok(&["shell", "-e", &format!("disable '{table}'"), "-e", &format!("drop '{table}'")]);
}

#[test]
fn a_table_of_a_folder_that_differs_from_its_file() {
    a_table_that_differs(&Workplace::new("orders"));
}

#[test]
fn a_cluster_that_is_well_and_a_table_that_differs() {
    let endpoints = cluster::shared();
    let place = Workplace::on_cluster("doctor", &endpoints.rpc_url);
    let by_zookeeper = Workplace::on_cluster("doctor", &endpoints.zookeeper_url);
    let run = by_zookeeper.run(&["doctor", "--json"]);
    assert!(only(&run, "version").1.starts_with("HBase 2."), "{run:?}");
    assert!(only(&run, "store").1.contains("answered by the master"), "{run:?}");
    assert_eq!(only(&run, "reach").0, "ok", "{run:?}");
    assert_eq!(only(&run, "clock").0, "ok", "{run:?}");
    a_table_that_differs(&place);
}

#[test]
fn a_cluster_that_cannot_be_reached() {
    let with = |url: &str| Workplace::new("orders").with_store(url);
    for (url, what) in
        [("hbase://127.0.0.1:1/hbase", "ZooKeeper"), ("hbase+rpc://127.0.0.1:1", "an HBase master")]
    {
        let run = with(url).run(&["doctor", "orders", "--json"]);
        let (state, seen, cure) = only(&run, "store");
        assert_eq!((run.code, state.as_str()), (1, "fault"), "{run:?}");
        assert!(seen.starts_with(&format!("could not reach {what} at 127.0.0.1:1")), "{seen}");
        assert_eq!(cure, "is it running, and is the address right?");
    }
    assert_error(&with("hbase://").run(&["doctor"]), &["names no host"]);
    assert_error(
        &with("./store").run(&["doctor", "missing.toml"]),
        &["could not read the table file missing.toml"],
    );
}

#[test]
fn deep_reads_all_of_a_folder_and_names_what_is_damaged() {
    let place = Workplace::new("orders");
    place.write_orders(500);
    place.ok(&["create", "orders.toml"]);
    place.ok(&["load", "orders.toml", "orders.csv"]);
    let (state, seen, _) = only(&place.run(&["doctor", "--deep", "--json"]), "deep");
    assert!(state == "ok" && seen.contains("cells are as they were written"), "{seen}");

    // The largest file holds the rows. The engine would not look at this byte before it reads the row.
    let tables = place.path("store/data/keyspaces/2/tables");
    let files = std::fs::read_dir(tables).expect("a table").map(|file| file.expect("readable").path());
    let file = files.max_by_key(|file| file.metadata().map_or(0, |file| file.len())).expect("a file");
    let mut bytes = std::fs::read(&file).expect("readable");
    let middle = bytes.len() / 3;
    bytes[middle] ^= 1;
    std::fs::write(&file, bytes).expect("writable");
    let run = place.run(&["doctor", "--deep", "--json"]);
    let (state, seen, cure) = only(&run, "deep");
    assert_eq!(
        (run.code, state.as_str(), cure.as_str()),
        (1, "fault", "restore the folder from a copy"),
        "{run:?}"
    );
    assert!(seen.contains("the store is damaged: file data/keyspaces/2/tables/"), "{seen}");
    let scan = place.run(&["count", "orders"]);
    assert_error(&scan, &["the store is damaged: file data/keyspaces/2/tables/", "has another checksum"]);
}

/// The store's last write is ahead of this machine's clock, as after a clock that went back.
#[test]
fn rows_are_deleted_and_loaded_again_after_the_clock_went_back() {
    let place = Workplace::new("orders");
    place.write_orders(50);
    // Cells get the time of the load.
    place.write("orders.toml", &place.read("orders.toml").replace("cell_time = \"ts\"", ""));
    place.ok(&["create", "orders.toml"]);
    let machine = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970");
    let later = i64::try_from(machine.as_millis()).expect("before the year 292 million") + 3 * 3_600_000;
    let store =
        EmbeddedStore::open(&place.path("store"), Options::default().clock(move || later)).expect("it opens");
    let mark = rowkey_store::Put::new("mark").cell("d", "q", "v");
    let table = "orders".parse().expect("a name");
    rowkey_store::RowStore::mutate(&store, &table, mark.into()).expect("written");
    let unmark = rowkey_store::Delete::row("mark");
    rowkey_store::RowStore::mutate(&store, &table, unmark.into()).expect("written");
    store.close().expect("closed");

    for _ in 0..2 {
        let loaded = place.run(&["load", "orders.toml", "orders.csv"]);
        assert!(loaded.code == 0 && loaded.err.contains("h ahead of this machine's clock"), "{loaded:?}");
        assert_eq!(place.all_order_ids().len(), 50);
        place.ok(&["delete", "orders", "user_id >= 0", "--full-scan", "--yes"]);
        assert_eq!(place.run(&["query", "orders.toml", "", "--full-scan"]).code, 1, "no row is left");
    }
    let (state, seen, cure) = only(&place.run(&["doctor", "--json"]), "opening");
    assert!(state == "warning" && seen.contains("h ahead of this machine's clock"), "{seen}");
    assert_eq!(cure, "see that the clock is right");
}

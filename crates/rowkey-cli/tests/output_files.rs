//! Whatever an output is called, no input changes, and no file that the program did not write.

#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::program::{Workplace, assert_error, finished};

/// Names by which an input can be reached.
fn names_of(place: &Workplace, input: &str) -> Vec<String> {
    let (soft, hard) = (format!("soft-{input}"), format!("hard-{input}"));
    std::os::unix::fs::symlink(input, place.path(&soft)).expect("a link");
    fs::hard_link(place.path(input), place.path(&hard)).expect("a link");
    vec![input.to_owned(), format!("./{input}"), soft, hard]
}

#[test]
fn no_output_overwrites_an_input_or_a_foreign_file() {
    let place = Workplace::new("orders");
    place.write_orders(300);
    place.ok(&["create", "orders.toml"]);
    place.write("letter.txt", "Dear reader,\n");
    let (data, table) = (place.read("orders.csv"), place.read("orders.toml"));
    let mut names = names_of(&place, "orders.csv");
    names.extend(names_of(&place, "orders.toml"));

    let outputs: [(&[&str], &[&str]); 5] = [
        (&["load", "orders.toml", "orders.csv", "--skip-bad"], &[]),
        (&["load", "orders.toml", "orders.csv", "--restart", "--skip-bad"], &[]),
        (&["simulate", "orders.toml", "--data", "orders.csv", "--time", "ts", "--png"], &["--force"]),
        (&["simulate", "orders.toml", "--data", "orders.csv", "--time", "ts", "--svg"], &["--force"]),
        (&["advise", "--data", "orders.csv", "--queries", "orders.toml", "--write"], &["--force"]),
    ];
    for (command, force) in outputs {
        for name in &names {
            for force in [&[][..], force] {
                let arguments: Vec<&str> =
                    command.iter().copied().chain([name.as_str()]).chain(force.iter().copied()).collect();
                let run = place.run(&arguments);
                assert_error(&run, &["is the same file as the input", "name another file"]);
            }
        }
        let run = place.run(&[command, &["letter.txt"]].concat());
        assert_eq!(run.code, 2, "{run:?}");
        assert!(run.err.contains("letter.txt"), "{run:?}");
    }
    for command in [["new", "orders"], ["new", "logs"]] {
        let run = place.run(&[command.as_slice(), &["letter.txt"]].concat());
        assert_error(&run, &["could not write letter.txt; to replace a file, add --force"]);
    }
    assert_eq!((place.read("orders.csv"), place.read("orders.toml")), (data, table));
    assert_eq!(place.read("letter.txt"), "Dear reader,\n");
}

#[test]
fn outputs_replace_their_own_kind_and_leave_no_draft() {
    let place = Workplace::new("orders");
    place.write_orders(300);
    let simulate = ["simulate", "orders.toml", "--data", "orders.csv", "--time", "ts"];
    for _ in 0..2 {
        place.ok(&[simulate.as_slice(), &["--png", "heat.png", "--svg", "heat.svg"]].concat());
        place.ok(&["man", "--out", "pages"]);
        place.ok(&["new", "orders", "new.toml", "--force"]);
    }
    place.write("pages/rowkey-load.1", "Dear reader,\n");
    assert_error(&place.run(&["man", "--out", "pages"]), &["rowkey-load.1 exists"]);
    // A link is replaced, and what it leads to stays.
    place.write("victim", "Dear reader,\n");
    std::os::unix::fs::symlink("victim", place.path("link.png")).expect("a link");
    let to_link = [simulate.as_slice(), &["--png", "link.png"]].concat();
    assert_error(&place.run(&to_link), &["add --force"]);
    place.ok(&[to_link.as_slice(), &["--force"]].concat());
    assert_eq!(place.read("victim"), "Dear reader,\n");
    assert!(fs::read(place.path("link.png")).expect("the picture").starts_with(b"\x89PNG"));
    for kind in ["/dev/null", "pages"] {
        let run = place.run(&[simulate.as_slice(), &["--png", kind, "--force"]].concat());
        assert_error(&run, &["must be a regular file"]);
    }
    let drafts: Vec<_> = fs::read_dir(place.path("."))
        .expect("a folder")
        .map(|file| file.expect("readable").file_name().into_string().expect("UTF-8"))
        .filter(|name| name.contains("draft"))
        .collect();
    assert!(drafts.is_empty(), "{drafts:?}");
}

/// What is in a folder, below it too: names and contents.
fn everything(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            found.extend(everything(&path));
        } else {
            let bytes = fs::read(&path).expect("a file");
            found.insert(path, bytes);
        }
    }
    found
}

/// Every option that names an output, with every name by which a store's own files can be reached: its own store, and another one.
#[test]
fn no_output_lies_inside_a_store() {
    let place = Workplace::new("orders").with_store("./other");
    place.write_orders(300);
    let index =
        "\n[[index]]\nname = \"by_seller\"\nkey = \"[seller: escaped][ts desc][user_id][order_id]\"\n";
    place.write("orders.toml", &format!("{}{index}", place.read("orders.toml")));
    place.ok(&["create", "orders.toml"]);
    let place = place.with_store("./store");
    place.ok(&["create", "orders.toml"]);
    place.ok(&["load", "orders", "orders.csv"]);
    std::os::unix::fs::symlink("store/data", place.path("way")).expect("a link");
    std::os::unix::fs::symlink("store/MANIFEST", place.path("link")).expect("a link");
    place.write("queries.txt", "user_id = 7\n");
    let outputs: [&[&str]; 12] = [
        &["export", "orders", "--format", "csv", "--force", "--out"],
        &["export", "orders", "--format", "csv", "--per-region", "--out"],
        &["load", "orders", "orders.csv", "--skip-bad"],
        &["load", "orders", "orders.csv", "--restart", "--skip-bad"],
        &["simulate", "orders.toml", "--data", "orders.csv", "--time", "ts", "--force", "--png"],
        &["simulate", "orders.toml", "--data", "orders.csv", "--time", "ts", "--force", "--svg"],
        &["advise", "--data", "orders.csv", "--queries", "queries.txt", "--force", "--write"],
        &["new", "orders", "--force"],
        &["new", "--from", "orders.csv", "--force", "--write"],
        &["demo", "orders", "--rows", "10", "--force", "--folder"],
        &["man", "--out"],
        &["index", "build", "orders", "--checkpoint"],
    ];
    let stores = ["store", "other"].map(|store| place.path(store));
    let before = stores.each_ref().map(|store| everything(store));
    let absolute = place.path("store/FORMAT").display().to_string();
    let names = [
        "store/MANIFEST",
        "./store/../store/data/lock",
        "way/lock",
        "link",
        "store",
        "store/new/folder",
        "new/../store/file",
        "other/FORMAT",
        &absolute,
    ];
    for command in outputs {
        for name in names {
            let run = place.run(&[command, &[name]].concat());
            assert_error(&run, &["is inside the store", "name a file or folder outside of it"]);
        }
    }
    // Refused before a store was opened: not a byte is another.
    assert!(stores.map(|store| everything(&store)) == before, "a store was changed");
    let query =
        place.command(&["query", "orders", "user_id = 7"]).env("ROWKEY_RECORD", "store/queries").output();
    let query = finished(&query.expect("the program starts"));
    assert_eq!(query.code, 0, "{query:?}");
    assert!(
        query.err.contains("warning: the query is not recorded") && query.err.contains("is inside the store"),
        "{query:?}"
    );
    assert!(!place.path("store/queries").exists() && !place.path("new").exists());
    assert_eq!(place.ok(&["count", "orders"]), "300\n");
    // Beside a store is not inside it.
    place.ok(&["export", "orders", "--out", "store.csv"]);
    place.ok(&["export", "orders", "--out", "store/../beside.csv"]);
}

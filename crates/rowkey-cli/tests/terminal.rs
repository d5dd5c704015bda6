//! What does the program do on a terminal, and what does NO_COLOR change?

use crate::program::terminal::on_a_terminal;
use crate::program::{Workplace, finished};

/// A progress bar moves the cursor; colours end in `m`.
fn has_colours(shown: &str) -> bool {
    shown.split("\x1b[").skip(1).any(|code| {
        let end = code.find(|letter: char| letter.is_ascii_alphabetic());
        end.is_some_and(|end| code[end..].starts_with('m'))
    })
}

/// Every command that has colours, in an answer or an error.
const COLOURED: [&[&str]; 4] = [
    &["check", "[ts: timestamp][user: u64]"],
    &["check", "[slat(16, user)][user]"],
    &["explain", "orders.toml", "user_id = 'seven'"],
    &["simulate", "[id]", "--traffic", "salt1000", "--records", "2000", "--heat"],
];

#[test]
fn colours_are_for_terminals_without_no_color() {
    let place = Workplace::new("orders");
    for arguments in COLOURED {
        let shown = on_a_terminal(&place, arguments, &[]);
        assert!(has_colours(&shown), "{arguments:?} has no colours: {shown}");
        let empty = on_a_terminal(&place, arguments, &[("NO_COLOR", "")]);
        assert!(has_colours(&empty), "an empty NO_COLOR is none: {empty}");
        let plain = on_a_terminal(&place, arguments, &[("NO_COLOR", "1")]);
        assert!(!has_colours(&plain), "{arguments:?} has colours: {plain:?}");
        assert!(!plain.is_empty());
        let piped = finished(&place.command(arguments).output().expect("the program starts"));
        assert!(!piped.out.contains('\x1b') && !piped.err.contains('\x1b'), "{piped:?}");
    }
}

#[test]
fn no_command_has_colours_with_no_color() {
    let place = Workplace::new("orders");
    place.write_orders(500);
    let commands: [&[&str]; 12] = [
        &["create", "orders.toml"],
        &["load", "orders", "orders.csv"],
        &["query", "orders", "user_id = 7 limit 3"],
        &["scan", "orders", "--limit", "3"],
        &["get", "orders", "user_id=7", "ts=2025-01-02", "order_id=b"],
        &["count", "orders"],
        &["regions", "orders"],
        &["explain", "orders", "user_id = 7"],
        &["profile", "orders.csv"],
        &["size", "orders.toml", "--rows", "1G"],
        &["doctor", "orders"],
        &["--help"],
    ];
    for arguments in commands {
        let shown = on_a_terminal(&place, arguments, &[("NO_COLOR", "1")]);
        assert!(!has_colours(&shown), "{arguments:?} has colours: {shown:?}");
    }
}

#[test]
fn doctor_knows_the_terminal() {
    let place = Workplace::new("orders");
    let shown = on_a_terminal(&place, &["doctor"], &[("NO_COLOR", "1"), ("LC_ALL", "C.UTF-8")]);
    assert!(shown.contains("no colours, because NO_COLOR is set; LC_ALL=C.UTF-8"), "{shown}");
    let shown = on_a_terminal(&place, &["doctor"], &[("LC_ALL", "C")]);
    assert!(shown.contains("warning  terminal  colours; LC_ALL=C"), "{shown}");
}

#[test]
fn there_is_a_man_page_for_every_command() {
    let place = Workplace::new("orders");
    let page = place.ok(&["man", "split", "key"]);
    assert!(page.contains(".TH rowkey-split-key 1") && page.contains("\\-\\-regions"), "{page}");
    assert!(place.ok(&["man"]).contains("rowkey\\-query(1)"));
    let told = place.ok(&["man", "--out", "man1"]);
    let pages = std::fs::read_dir(place.path("man1")).expect("a folder").count();
    assert!(pages > 30 && told.contains(&format!("wrote {pages} pages to man1")), "{told}");
    assert!(place.read("man1/rowkey-index-build.1").contains("rowkey index build"), "a page below a page");
    let run = place.run(&["man", "split", "kez"]);
    assert_eq!(
        (run.code, run.err.as_str()),
        (2, "error: there is no command `split kez`; `rowkey --help` lists them\n")
    );
}

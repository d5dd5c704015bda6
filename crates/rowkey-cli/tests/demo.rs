//! Does the demo end well, and show what it promises: a region that melts, and a better key?

use crate::program::{Workplace, assert_error, json};
use rowkey_testing::cluster;

/// Over a megabyte: a smaller table is not cut into regions.
const ROWS: &str = "8000";

/// What the tour said of one set, before and after.
fn assert_cured(out: &str, set: &str) {
    let (_, of_set) = out.split_once(&format!("── {set} ──")).expect("the set is shown");
    let steps: Vec<&str> = of_set.split("\n$ rowkey ").skip(1).collect();
    let commands: Vec<&str> =
        steps.iter().filter_map(|step| step.split_whitespace().next()).take(10).collect();
    let expected =
        ["check", "simulate", "advise", "simulate", "create", "load", "query", "explain", "query", "regions"];
    assert_eq!(commands, expected);
    assert!(steps[0].contains("warning[rising-lead]"), "{}", steps[0]);
    assert!(steps[1].contains("\nrising edge:"), "{}", steps[1]);
    assert!(steps[3].contains("\neven: "), "{}", steps[3]);
    assert!(steps[4].starts_with("create") && steps[4].contains(" regions in "), "{}", steps[4]);
    assert!(steps[5].contains("loaded 8,000 rows"), "{}", steps[5]);
    assert_eq!(
        steps[6]
            .matches(
                "
│"
            )
            .count(),
        6,
        "a header and five rows: {}",
        steps[6]
    );
    assert!(steps[7].contains("fan-out over ") && steps[7].contains("rows returned: 5"), "{}", steps[7]);
    assert!(steps[9].contains("writes"), "{}", steps[9]);
}

#[test]
fn the_tour_ends_well_and_leaves_pictures() {
    let place = Workplace::new("unused");
    let out = place.ok(&["demo", "--rows", ROWS]);
    assert_cured(&out, "orders");
    assert_cured(&out, "logs");
    for name in ["orders-before", "orders-after", "logs-before", "logs-after"] {
        let picture = std::fs::read(place.path(&format!("rowkey-demo/{name}.png"))).expect("the picture");
        assert!(picture.starts_with(b"\x89PNG"), "{name}");
    }
    assert!(!place.path("store").exists(), "a store of the user's is not touched");

    assert_error(&place.run(&["demo", "--rows", ROWS]), &["rowkey-demo/store is there already", "--force"]);
    let again = place.ok(&["demo", "--rows", ROWS, "--force"]);
    assert_eq!(again.lines().count(), out.lines().count());
}

#[test]
fn the_tour_runs_on_a_cluster_too() {
    let place = Workplace::on_cluster("unused", &cluster::shared().zookeeper_url);
    let drop = ["logs", "logs_by_ts", "orders", "orders_by_order_id"];
    let drop = drop.map(|table| format!("disable '{table}'\ndrop '{table}'\n")).concat();
    place.write("drop.txt", &drop);
    let out = place.ok(&["demo", "--rows", ROWS]);
    assert_cured(&out, "orders");
    assert_cured(&out, "logs");
    place.ok(&["shell", "drop.txt"]);
}

#[test]
fn a_set_is_data_with_its_table_file_and_the_next_command() {
    let place = Workplace::new("unused");
    place.ok(&["demo", "orders", "--rows", "1000", "--force"]);
    let out = place.ok(&["demo", "logs", "--rows", "1000", "--folder", "here"]);
    assert!(out.contains("made here/logs.csv: 1,000 logs"), "{out}");
    assert!(out.contains("next: rowkey check here/logs.toml --data here/logs.csv"), "{out}");
    assert_eq!(place.read("here/logs.csv").lines().count(), 1001);
    let check = place.run(&["check", "orders.toml", "--data", "orders.csv"]);
    assert_eq!(check.code, 1, "{check:?}");
    let said = json(place.ok(&["--json", "demo", "logs", "--rows", "10", "--folder", "there"]).trim());
    assert_eq!((said["rows"].as_u64(), said["data"].as_str()), (Some(10), Some("there/logs.csv")));
}

#[test]
fn what_is_there_is_not_replaced_and_mistakes_are_told() {
    let place = Workplace::new("unused");
    // The workplace has a file orders.toml of its own.
    let before = place.read("orders.toml");
    assert_error(&place.run(&["demo", "orders", "--rows", "10"]), &["orders.toml", "--force"]);
    assert_eq!(place.read("orders.toml"), before);
    assert!(!place.path("orders.csv").exists(), "nothing half-done stays");
    assert_error(&place.run(&["demo", "order"]), &["order", "orders", "logs"]);
    assert_error(&place.run(&["demo", "--rows", "0"]), &["0", "1..=100000000"]);
}

/// What is to be seen in a picture; how its file is packed depends on the processor.
fn pixels(png: &[u8]) -> Vec<u8> {
    let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().expect("a picture");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a small picture")];
    reader.next_frame(&mut pixels).expect("a whole picture");
    pixels
}

/// The README shows what the commands of the tour draw; `ROWKEY_BLESS=1` writes the pictures anew.
#[test]
fn the_pictures_of_the_readme_are_drawn_by_the_tour() {
    let place = Workplace::new("unused");
    place.ok(&["demo", "orders", "--force"]);
    let better = ["--queries", "orders.toml", "--writes", "80", "--write", "better.toml"];
    place.ok(&[&["advise", "--data", "orders.csv"][..], &better].concat());
    let images = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/images");
    for (table, name) in [("orders.toml", "orders-before.png"), ("better.toml", "orders-after.png")] {
        place.ok(&["simulate", table, "--data", "orders.csv", "--time", "ts", "--png", name]);
        let drawn = std::fs::read(place.path(name)).expect("the picture");
        let shown = images.join(name);
        if std::env::var_os("ROWKEY_BLESS").is_some() {
            std::fs::create_dir_all(&images).expect("docs is writable");
            std::fs::write(&shown, &drawn).expect("docs is writable");
        }
        let same = std::fs::read(&shown).is_ok_and(|shown| pixels(&shown) == pixels(&drawn));
        assert!(same, "docs/images/{name} is not what simulate draws; ROWKEY_BLESS=1 writes it anew");
    }
}

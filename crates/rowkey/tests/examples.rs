//! Every example runs and prints what it promises.

use std::path::PathBuf;
use std::process::Command;

/// What an example prints. Cargo builds examples before it runs tests, beside them.
fn run(example: &str, arguments: &[&str]) -> String {
    let mut folder: PathBuf = std::env::current_exe().expect("this test is a file");
    folder.pop();
    folder.pop();
    let program = folder.join("examples").join(example);
    let ran = Command::new(&program).args(arguments).output();
    let ran = ran.unwrap_or_else(|error| panic!("{}: {error}", program.display()));
    assert!(ran.status.success(), "{example}: {}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).expect("text")
}

#[test]
fn keys_come_back() {
    let printed = run("encode_and_decode", &[]);
    assert!(printed.contains("(7, Millis(1735776000000), \"a\") is \\x"), "{printed}");
}

#[test]
fn a_time_series_is_read_in_order() {
    let printed = run("time_series", &[]);
    let hours: Vec<&str> = printed.lines().filter(|line| line.starts_with("sensor 42")).collect();
    assert_eq!(hours, [20, 21, 22, 23].map(|hour| format!("sensor 42 at {hour}: 20 °C")), "{printed}");
    assert!(printed.ends_with("3 rows of all sensors\n"), "{printed}");
}

#[test]
fn an_index_table_follows_its_rows() {
    let printed = run("index_table", &[]);
    assert!(printed.contains("Index"), "{printed}");
    assert!(
        printed.contains("(9, Millis(3000), \"c\", \"ann\")\n(7, Millis(1000), \"a\", \"ann\")\n1 of ann\n"),
        "{printed}"
    );
}

#[test]
fn pages_are_the_whole() {
    let printed = run("paging", &[]);
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines[2], "[20, 21, 22, 23, 24]", "{printed}");
    assert_eq!(lines.len(), 3, "{printed}");
}

#[test]
fn a_store_of_ones_own_refuses_writes() {
    let printed = run("custom_store", &[]);
    assert!(printed.contains("(\"home\", 2, 15)"), "{printed}");
    assert!(printed.ends_with("a read-only store cannot write rows\n"), "{printed}");
}

#[cfg(feature = "hbase")]
#[test]
fn the_same_on_a_cluster() {
    let url = &rowkey_testing::cluster::shared().zookeeper_url;
    let printed = run("on_hbase", &[url]);
    assert!(printed.contains("(\"key\", 3)\n(\"region\", 6)\n(\"row\", 3)\n(\"salt\", 4)\n"), "{printed}");
    // And those of a folder.
    assert!(run("time_series", &[url]).ends_with("3 rows of all sensors\n"));
    assert!(run("paging", &[url]).contains("[20, 21, 22, 23, 24]"));
}

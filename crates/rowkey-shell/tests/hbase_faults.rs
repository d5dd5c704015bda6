//! Are the faults of HBase still there that `docs/hbase-faults.md` lists?
//!
//! Every `ruby` block of the page runs in HBase's own shell, and prints what stands behind `#` below its statements. `ROWKEY_BLESS=1`
//! writes the answers anew; read the change.

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

use regex::Regex;
use rowkey_hbase::HBaseStore;
use rowkey_store::Admin;
use rowkey_testing::cluster;
use rowkey_testing::hbase_shell::HBaseShell;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/hbase-faults.md");

/// The cells of an answer as `row family:qualifier=value`, and errors without their places.
fn short(answer: &str) -> Vec<String> {
    let cell = Regex::new(r"^ (\S+) +column=(\S+), timestamp=\S+, value=(.*)$").unwrap();
    let error = Regex::new(r"^(?:ERROR: |[\w:]+Error: |[\w:]+Exception: ).*?(\w+Exception)\b").unwrap();
    let line = |line: &str| match (cell.captures(line), error.captures(line)) {
        (Some(found), _) => Some(format!("# {} {}={}", &found[1], &found[2], found[3].trim_end())),
        (None, Some(found)) => Some(format!("# {}", &found[1])),
        _ if line.starts_with("ERROR") => Some(format!("# {}", line.trim_end())),
        _ => None,
    };
    let lines: Vec<String> = answer.lines().filter_map(line).collect();
    if answer.contains(" row(s)") && lines.is_empty() { vec!["# nothing".to_owned()] } else { lines }
}

#[test]
fn hbase_still_answers_as_the_page_of_its_faults_says() {
    let url = &cluster::shared().zookeeper_url;
    let store = HBaseStore::connect(url).unwrap();
    let mut shell = HBaseShell::start(url, &mut |line| println!("{line}")).unwrap();
    let page = std::fs::read_to_string(PAGE).unwrap();
    let (mut found, mut is_ruby, mut blocks) = (Vec::new(), false, 0);
    for line in page.lines() {
        let ends = is_ruby && line == "```";
        if ends {
            for table in store.list_tables().unwrap() {
                if table.to_string().starts_with("fault_") {
                    let _ = store.disable_table(&table);
                    store.drop_table(&table).unwrap();
                }
            }
        }
        is_ruby = (is_ruby || line == "```ruby") && !ends;
        blocks += usize::from(line == "```ruby");
        if is_ruby && line.starts_with("# ") {
            continue;
        }
        found.push(line.to_owned());
        if is_ruby && line != "```ruby" {
            let answer = shell.run(line).unwrap();
            if line.starts_with("scan ") || line.starts_with("get ") {
                found.extend(short(&answer));
            }
        }
    }
    assert!(blocks >= 5, "{blocks} blocks");
    let found = found.join("\n") + "\n";
    if std::env::var_os("ROWKEY_BLESS").is_some() {
        std::fs::write(PAGE, &found).unwrap();
    }
    for (said, found) in page.lines().zip(found.lines()) {
        assert_eq!(said, found, "docs/hbase-faults.md: ROWKEY_BLESS=1 writes it anew");
    }
    assert_eq!(page, found);
}

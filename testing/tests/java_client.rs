//! Does HBase's own client read the cluster that our helper started?

use rowkey_testing::cluster::shared;
use rowkey_testing::{Error, java};

/// Every cluster has this table, so nothing has to be written first.
const TABLE: &str = "hbase:meta";

#[test]
fn read_back_prints_five_words_a_cell() {
    let text = java::run(java::READ_BACK, &[shared().zookeeper_address(), TABLE]).unwrap();
    assert!(!text.is_empty());
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let [row, family, qualifier, timestamp, value] = words[..] else { panic!("{line}") };
        assert!(is_hex(row) && row != "-", "{line}");
        assert!(["info", "table", "rep_barrier", "ns"].contains(&family), "{line}");
        assert!(is_hex(qualifier) && is_hex(value), "{line}");
        assert!(timestamp.parse::<u64>().is_ok(), "{line}");
    }
}

#[test]
fn read_back_prints_the_ends_of_each_region() {
    let text = java::run(java::READ_BACK, &[shared().zookeeper_address(), TABLE, "--regions"]).unwrap();
    assert_eq!(text, "- -\n");
}

#[test]
fn a_program_that_fails_says_why() {
    let args = [shared().zookeeper_address(), "no_such_table_in_any_test"];
    let error = java::run(java::READ_BACK, &args).unwrap_err();
    assert!(matches!(&error, Error::Program { output, .. } if output.contains("TableNotFound")), "{error}");
}

fn is_hex(word: &str) -> bool {
    word == "-" || (word.len().is_multiple_of(2) && word.chars().all(|c| c.is_ascii_hexdigit()))
}

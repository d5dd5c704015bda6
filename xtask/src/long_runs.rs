//! Which tests are too long for every commit?
//!
//! The same tests as always, with larger numbers: `cargo xtask test --full` runs them after everything else. Each can be run by
//! itself by the command that is shown; CONTRIBUTING.md lists them, too.

use std::process::Command;

use crate::workspace;

/// A test with larger numbers.
pub(crate) struct LongRun {
    pub(crate) name: &'static str,
    pub(crate) minutes: u64,
    variable: (&'static str, &'static str),
    /// What follows `cargo test --release`.
    test: &'static str,
}

impl LongRun {
    pub(crate) fn command(&self) -> Command {
        let mut command = workspace::cargo();
        command.args(["test", "--release"]).args(self.test.split_whitespace()).args(["--", "--nocapture"]);
        command.env(self.variable.0, self.variable.1);
        println!("{}={} \\", self.variable.0, self.variable.1);
        command
    }
}

const fn long(
    name: &'static str,
    minutes: u64,
    variable: (&'static str, &'static str),
    test: &'static str,
) -> LongRun {
    LongRun { name, minutes, variable, test }
}

/// All of them; budgets are those of a machine of two cores, without the first release build.
pub(crate) const LONG_RUNS: &[LongRun] = &[
    long("1,000 kills of the store", 30, ("ROWKEY_TEST_KILLS", "1000"), "-p rowkey-embedded --test kill"),
    long(
        "a million increments",
        5,
        ("ROWKEY_TEST_INCREMENTS", "1000000"),
        "-p rowkey-embedded --test concurrency",
    ),
    long(
        "2,000 damaged stores",
        10,
        ("ROWKEY_TEST_DAMAGE", "2000"),
        "-p rowkey-embedded --test damage_classes",
    ),
    long("operations against the model", 15, ("PROPTEST_CASES", "1000"), "-p rowkey-embedded --test model"),
    long(
        "a million operations on both stores",
        60,
        ("ROWKEY_DIFFERENTIAL_OPERATIONS", "1000000"),
        "-p rowkey-hbase --test differential",
    ),
    long("a load on a bad network", 15, ("ROWKEY_FAULT_ROWS", "200000"), "-p rowkey-hbase --test faults"),
    long("10 million frames", 10, ("ROWKEY_FUZZ_RUNS", "10000000"), "-p rowkey-hbase --lib wire::fuzz"),
    long("600,000 plans", 10, ("PLAN_CASES", "600000"), "-p rowkey-core --test plans"),
    long(
        "2,000 conditions beside Phoenix",
        5,
        ("ROWKEY_PHOENIX_CONDITIONS", "2000"),
        "-p rowkey-ops --test phoenix_plans",
    ),
    long(
        "200 kills of index writers",
        10,
        ("ROWKEY_TEST_INDEX_KILLS", "200"),
        "-p rowkey-ops --test index_kill",
    ),
    long(
        "100 kills of loads in bulk with index tables",
        5,
        ("ROWKEY_TEST_BULK_KILLS", "100"),
        "-p rowkey-ops --test index_bulk",
    ),
    long("index tables, 4,000 cases", 10, ("PROPTEST_CASES", "4000"), "-p rowkey-ops --test index_laws"),
    long(
        "1,000 salted regions",
        5,
        ("ROWKEY_SALTED_REGIONS", "1000"),
        "-p rowkey-ops --test hbase the_queries",
    ),
    long(
        "100,000 records by every input",
        5,
        ("ROWKEY_SAME_RECORDS", "100000"),
        "-p rowkey-ops --test same_record --features parquet",
    ),
    long(
        "5,000 files of others",
        10,
        ("ROWKEY_FILES", "5000"),
        "-p rowkey-ops --test any_file --features parquet,zstd",
    ),
    long("nulls, 2,000 cases", 10, ("ROWKEY_NULL_CASES", "2000"), "-p rowkey-ops --test null_laws"),
    long(
        "even splits of a million",
        5,
        ("ROWKEY_SPLIT_RECORDS", "1000000"),
        "-p rowkey-core --test even_splits",
    ),
    long(
        "200 salted schemas of Phoenix",
        3,
        ("ROWKEY_PHOENIX_SCHEMAS", "200"),
        "-p rowkey-lab --test phoenix_keys",
    ),
    long("expert keys of all sets", 20, ("ROWKEY_EXPERTS", "all"), "-p rowkey-lab --test experts"),
    long("truth of a million", 30, ("ROWKEY_TRUTH_RECORDS", "1000000"), "-p rowkey-lab --test truth shares"),
    long(
        "200 queries of six designs",
        15,
        ("ROWKEY_TRUTH_QUERIES", "200"),
        "-p rowkey-lab --test truth reads",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_test_file_is_there() {
        for run in LONG_RUNS {
            let words: Vec<&str> = run.test.split_whitespace().collect();
            let (package, target) = (words[1], words[words.len().min(4) - 1]);
            let folder = workspace::root().join("crates").join(package);
            if words[2] == "--test" {
                let found = [format!("tests/{target}.rs"), format!("tests/{target}/main.rs")];
                assert!(found.iter().any(|file| folder.join(file).exists()), "{}: {found:?}", run.name);
            }
            let sources = Command::new("grep")
                .args(["-rlq", run.variable.0, "--include=*.rs"])
                .arg(&folder)
                .status()
                .unwrap();
            let known = run.variable.0.starts_with("PROPTEST") || sources.success();
            assert!(known, "{}: nobody reads {}", run.name, run.variable.0);
        }
    }
}

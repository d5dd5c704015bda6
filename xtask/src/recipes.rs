//! Cargo lines that prove or measure something, beside what `cargo xtask test` runs every time.
//!
//! `cargo xtask` lists them, `cargo xtask NAME` prints the lines of one, and `cargo xtask NAME --run` runs the first of them. Those with a
//! budget in minutes are run by `cargo xtask test --full` too, after everything else. What the lines name is looked up by
//! `crates/rowkey-cli/tests/pages`.

use std::process::Command;

use crate::workspace;

/// Lines to copy, the usual one first.
pub(crate) struct Recipe {
    pub(crate) name: &'static str,
    pub(crate) what: &'static str,
    pub(crate) lines: &'static [&'static str],
    /// What the first one takes on a machine of two cores without the build, if it is one of the long runs.
    pub(crate) minutes: Option<u64>,
}

const fn short(name: &'static str, what: &'static str, lines: &'static [&'static str]) -> Recipe {
    Recipe { name, what, lines, minutes: None }
}

const fn long(
    minutes: u64,
    name: &'static str,
    what: &'static str,
    lines: &'static [&'static str],
) -> Recipe {
    Recipe { name, what, lines, minutes: Some(minutes) }
}

/// The long runs.
pub(crate) fn long_runs() -> impl Iterator<Item = (&'static Recipe, u64)> {
    GROUPS.iter().flat_map(|(_, recipes)| *recipes).filter_map(|recipe| Some((recipe, recipe.minutes?)))
}

impl Recipe {
    /// The first line: variables that are set, `cargo`, and its arguments.
    pub(crate) fn command(&self) -> Command {
        let line = self.lines.first().copied().unwrap_or_default();
        let words = line.split_whitespace();
        let mut command = workspace::cargo();
        for word in words {
            match word.split_once('=') {
                Some((name, value)) if name.chars().all(|c| c.is_ascii_uppercase() || c == '_') => {
                    command.env(name, value);
                }
                _ if word == "cargo" => {}
                _ => drop(command.arg(word)),
            }
        }
        command
    }
}

/// All of them, by what they are about.
pub(crate) const GROUPS: &[(&str, &[Recipe])] = &[
    ("keys, plans and splits", KEYS),
    ("stores", STORES),
    ("index tables", INDEXES),
    ("files in and out", FILES),
    ("simulation, size and advice", LAB),
    ("the program and its pages", PROGRAM),
];

const KEYS: &[Recipe] = &[
    short("core", "unit tests and laws of the core", &["cargo test -p rowkey-core"]),
    short(
        "fuzz",
        "10 million texts and bytes: can any make keys, table files, row keys or queries panic?",
        &["cargo run --release -p rowkey-core --example fuzz -- 10000000"],
    ),
    long(
        10,
        "plans",
        "600,000 random queries: does a plan give what a filtered full scan gives? PLAN_SEED for others",
        &[
            "PLAN_CASES=600000 cargo test --release -p rowkey-core --test it plans:: -- --nocapture",
            "PLAN_CASES=600000 PLAN_SEED=1000000 cargo test --release -p rowkey-core --test it plans::",
        ],
    ),
    short(
        "plans-bless",
        "what is read for each query of testdata/plans.txt, written anew",
        &["ROWKEY_BLESS=1 cargo test -p rowkey-core --test it plans::"],
    ),
    long(
        5,
        "phoenix-plans",
        "2,000 conditions: do plans read more rows than Phoenix's skip scan?",
        &[
            "ROWKEY_PHOENIX_CONDITIONS=2000 cargo test --release -p rowkey-ops --test it phoenix_plans:: -- --nocapture",
            "cargo test -p rowkey-ops --test it phoenix_plans:: -- --nocapture",
        ],
    ),
    long(
        3,
        "phoenix-keys",
        "200 random schemas: are row keys of Phoenix's salted tables Phoenix's own, byte for byte?",
        &[
            "ROWKEY_PHOENIX_SCHEMAS=200 cargo test --release -p rowkey-lab --test it phoenix_keys:: -- --nocapture",
            "cargo test -p rowkey-lab --test it phoenix_keys:: -- --nocapture",
        ],
    ),
    long(
        5,
        "even-splits",
        "a million records each: every region filled by the key's own splits, beside `Bytes.split`",
        &[
            "ROWKEY_SPLIT_RECORDS=1000000 cargo test --release -p rowkey-core --test it even_splits:: -- --nocapture",
        ],
    ),
    long(
        10,
        "generated",
        "200 records and 4 queries of 1,000 random keys in Java, Go and Python: the same? ROWKEY_GENERATE_SEED for others",
        &[
            "ROWKEY_GENERATE_KEYS=1000 ROWKEY_GENERATE_RECORDS=200 cargo test --release -p rowkey-generate --test differential -- --nocapture",
            "cargo test -p rowkey-generate --test differential -- --nocapture",
        ],
    ),
    short(
        "queries-hbase",
        "the laws of running a plan, on a real HBase",
        &["cargo test -p rowkey-ops --test it hbase::"],
    ),
    long(
        5,
        "salted-regions",
        "the RowKey principles' query over 1,000 salted regions of HBase",
        &[
            "ROWKEY_SALTED_REGIONS=1000 cargo test --release -p rowkey-ops --test it hbase::the_queries -- --nocapture",
        ],
    ),
    short(
        "ordered-scan",
        "a salted table in order beside a plain scan, a serial merge and gets; --store URL for a cluster",
        &["cargo run --release -p rowkey-ops --example ordered_scan_bench"],
    ),
    short(
        "calibrate",
        "what a range, a get and a jump cost, for the planner's prices; --store URL for a cluster",
        &["cargo run --release -p rowkey-cli -- calibrate --rows 1000000 --dry-run"],
    ),
];

const STORES: &[Recipe] = &[
    short("embedded", "the embedded store alone", &["cargo test -p rowkey-embedded"]),
    short(
        "planted-faults",
        "does the conformance suite notice mistakes of a store?",
        &["cargo test -p rowkey-store --all-features --test planted_faults -- --nocapture"],
    ),
    long(
        30,
        "kills",
        "the embedded store under 1,000 kills",
        &["ROWKEY_TEST_KILLS=1000 cargo test --release -p rowkey-embedded --test it kill:: -- --nocapture"],
    ),
    long(
        10,
        "damage",
        "2,000 flipped bits, cut and deleted files of killed and closed stores: is any damage silent?",
        &[
            "ROWKEY_TEST_DAMAGE=2000 cargo test --release -p rowkey-embedded --test damage_classes -- --nocapture",
        ],
    ),
    long(
        5,
        "increments",
        "a million increments by 8 writers",
        &[
            "ROWKEY_TEST_INCREMENTS=1000000 cargo test --release -p rowkey-embedded --test it concurrency:: -- --nocapture",
        ],
    ),
    long(
        15,
        "model",
        "random operations against the model, longer",
        &["PROPTEST_CASES=1000 cargo test --release -p rowkey-embedded --test it model:: -- --nocapture"],
    ),
    short(
        "engine",
        "the embedded store against its bare engine; parts: scan, durable (64 writers beside one), batches (group beside buffered)",
        &[
            "cargo run --release -p rowkey-embedded --example bench",
            "cargo run --release -p rowkey-embedded --example bench scan 1000000",
            "cargo run --release -p rowkey-embedded --example bench durable",
            "cargo run --release -p rowkey-embedded --example bench batches",
        ],
    ),
    short(
        "memory",
        "the embedded store's memory and reopening, with goals: 10 and 5 million rows, 2 GB of disk; 500,000",
        &[
            "cargo run --release -p rowkey-embedded --example bench limits",
            "cargo run --release -p rowkey-embedded --example bench limits 500000",
        ],
    ),
    short(
        "load",
        "a load against the bare engine, by puts and in bulk",
        &["cargo run --release -p rowkey-ops --example load_bench"],
    ),
    short(
        "durable-hbase",
        "the embedded store against a real HBase on HDFS, with the same durability; needs the variables of `cargo xtask cluster --hdfs`",
        &["cargo run --release -p rowkey-hbase --example beside_embedded"],
    ),
    short("conformance", "conformance on a real HBase", &["cargo test -p rowkey-hbase --test conformance"]),
    long(
        60,
        "differential",
        "a million random operations on the embedded store and HBase; 4,000",
        &[
            "ROWKEY_DIFFERENTIAL_OPERATIONS=1000000 cargo test --release -p rowkey-hbase --test differential -- --nocapture",
            "cargo test -p rowkey-hbase --test differential",
        ],
    ),
    long(
        15,
        "bad-network",
        "a bad network and a moving cluster, 200,000 rows: every acknowledged row once; 20,000",
        &[
            "ROWKEY_FAULT_ROWS=200000 cargo test --release -p rowkey-hbase --test faults -- --nocapture",
            "cargo test -p rowkey-hbase --test faults -- --nocapture",
        ],
    ),
    long(
        10,
        "frames",
        "10 million frames: can a server's bytes make the client panic?",
        &["ROWKEY_FUZZ_RUNS=10000000 cargo test --release -p rowkey-hbase --lib wire::fuzz -- --nocapture"],
    ),
    short(
        "shell",
        "does the shell print what HBase's own prints? its jars are fetched once",
        &["cargo test -p rowkey-shell --test differential -- --nocapture"],
    ),
];

const INDEXES: &[Recipe] = &[
    short(
        "index-orders",
        "every order of two writers, each dying at every write",
        &["cargo test -p rowkey-ops --test it index_interleavings:: -- --nocapture"],
    ),
    long(
        10,
        "index-kills",
        "index tables under 200 kills",
        &[
            "ROWKEY_TEST_INDEX_KILLS=200 cargo test --release -p rowkey-ops --test it index_kill:: -- --nocapture",
        ],
    ),
    long(
        5,
        "index-bulk-kills",
        "index tables loaded in bulk under 100 kills",
        &[
            "ROWKEY_TEST_BULK_KILLS=100 cargo test --release -p rowkey-ops --test it index_bulk:: -- --nocapture",
        ],
    ),
    long(
        10,
        "index-laws",
        "random writes and crashes, 4,000 cases",
        &["PROPTEST_CASES=4000 cargo test --release -p rowkey-ops --test it index_laws:: -- --nocapture"],
    ),
];

const FILES: &[Recipe] = &[
    long(
        5,
        "same-record",
        "the same 100,000 records by every input",
        &[
            "ROWKEY_SAME_RECORDS=100000 cargo test --release -p rowkey-ops --features parquet --test it same_record:: -- --nocapture",
        ],
    ),
    long(
        10,
        "any-file",
        "5,000 CSV dialects, JSON layouts and Parquet files of pyarrow; 300 of each",
        &[
            "ROWKEY_FILES=5000 cargo test --release -p rowkey-ops --features parquet,zstd --test it any_file:: -- --nocapture",
            "cargo test -p rowkey-ops --features parquet,zstd --test it any_file:: -- --nocapture",
        ],
    ),
    long(
        10,
        "nulls",
        "nulls in every place, 2,000 cases",
        &["ROWKEY_NULL_CASES=2000 cargo test --release -p rowkey-ops --test it null_laws:: -- --nocapture"],
    ),
    short(
        "exports",
        "the law of exports: every type and format, loaded again",
        &["cargo test -p rowkey-ops --features parquet,zstd --test it exports::"],
    ),
    short(
        "public-flights",
        "flights as others publish them, from the raw file to answers: 336,776 as CSV, 20,000 as JSON, three million as Parquet",
        &["cargo test -p rowkey-cli --test it public_flights::"],
    ),
    short(
        "packed-files",
        "packed files beside `gzip -dc`, plain ones beside another build",
        &["cargo build --release -p rowkey-cli && python3 bench/files/run.py"],
    ),
    short(
        "input-speed",
        "how quickly do CSV, JSON Lines and Parquet become columns?",
        &["cargo run --release -p rowkey-ops --features parquet --example input_bench"],
    ),
    short(
        "profile-speed",
        "how quickly is data profiled, beside the plain csv crate?",
        &["cargo run --release -p rowkey-lab --example profile_bench"],
    ),
];

const LAB: &[Recipe] = &[
    short(
        "sizes",
        "cells, files and indexes as large as HBase's own",
        &["cargo test -p rowkey-lab --test it size::"],
    ),
    long(
        30,
        "truth-shares",
        "do simulated shares agree with a real HBase? a million records a design; 20,000",
        &[
            "ROWKEY_TRUTH_RECORDS=1000000 cargo test --release -p rowkey-lab --test it truth::shares -- --nocapture",
            "cargo test -p rowkey-lab --test it truth::shares",
        ],
    ),
    long(
        15,
        "truth-reads",
        "and what queries read? 200 queries on six designs, with how long requests take; 50",
        &[
            "ROWKEY_TRUTH_QUERIES=200 cargo test --release -p rowkey-lab --test it truth::reads -- --nocapture",
            "cargo test -p rowkey-lab --test it truth::reads",
        ],
    ),
    short(
        "simulate-speed",
        "`rowkey simulate` beside DuckDB, 20 million records",
        &["cargo build --release -p rowkey-cli && python3 bench/simulate/run.py"],
    ),
    short(
        "advice",
        "is the advice good? against the whole candidate space, on generated sets and TPC-H",
        &["cargo test -p rowkey-lab --test it advise:: -- --nocapture"],
    ),
    long(
        20,
        "experts",
        "what do keys by experts cost, counted on the embedded store? all sixteen sets with three seeds, and how near the advice comes; four sets",
        &[
            "ROWKEY_EXPERTS=all cargo test --release -p rowkey-lab --test it experts:: -- --nocapture",
            "cargo test -p rowkey-lab --test it experts:: -- --nocapture",
        ],
    ),
    short(
        "experts-bless",
        "the counts of testdata/experts.txt, written anew",
        &["ROWKEY_BLESS=1 cargo test --release -p rowkey-lab --test it experts::the_counts"],
    ),
    short(
        "experts-flights",
        "the same on flights that it downloads; needs Python's pip and npm",
        &["cargo run --release -p rowkey-lab --example advise_public_sets"],
    ),
    short(
        "advice-speed",
        "how long does advice on a million records take?",
        &["cargo run --release -p rowkey-lab --example advise_million"],
    ),
];

const PROGRAM: &[Recipe] = &[
    short(
        "licences",
        "may we depend on what we depend on? licences, sources and known holes by deny.toml; needs `cargo install cargo-deny`",
        &["cargo deny check"],
    ),
    short("program", "the program, end to end, on both stores", &["cargo test -p rowkey-cli"]),
    short(
        "pages",
        "are the commands and answers of README and docs/ true? all; one page; written anew",
        &[
            "cargo test -p rowkey-cli --test pages",
            "ROWKEY_PAGE=docs/size.md cargo test -p rowkey-cli --test pages",
            "ROWKEY_BLESS=1 cargo test -p rowkey-cli --test pages",
        ],
    ),
    short(
        "stories-bless",
        "what the pages of the stories show, written anew",
        &["ROWKEY_BLESS=1 cargo test -p rowkey-cli --test stories embedded"],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_split_into_variables_and_arguments() {
        let recipe =
            long(1, "a", "b", &["PLAN_CASES=7 cargo test -p rowkey-core --test it plans:: -- --nocapture"]);
        let command = recipe.command();
        let args: Vec<_> = command.get_args().collect();
        assert_eq!(args, ["test", "-p", "rowkey-core", "--test", "it", "plans::", "--", "--nocapture"]);
        assert_eq!(command.get_envs().next(), Some(("PLAN_CASES".as_ref(), Some("7".as_ref()))));
    }

    #[test]
    fn a_long_run_is_one_command_of_a_release_build() {
        assert!(long_runs().count() > 20);
        for (recipe, _) in long_runs() {
            let line = recipe.lines[0];
            assert!(line.contains("--release") && !line.contains("&&"), "{}: {line}", recipe.name);
        }
    }
}

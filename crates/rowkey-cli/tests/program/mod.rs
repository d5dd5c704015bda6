//! The program in a folder of its own, as a user runs it.

#![allow(dead_code, reason = "every test file uses its own part of this")]

pub(crate) mod terminal;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use rowkey_testing::orders::{self, Order};
use tempfile::TempDir;

/// A table file with a name of its own, so that tests can share a cluster.
pub(crate) struct Workplace {
    folder: TempDir,
    pub(crate) table: String,
    pub(crate) store: String,
}

/// What a run printed, and how it ended.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Workplace {
    /// A folder with `orders.toml` for a table of this name; the store is a folder beside it.
    pub(crate) fn new(table: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let source = include_str!("../../../../examples/orders/orders.toml");
        let named = source.replace("name = \"orders\"", &format!("name = \"{table}\""));
        std::fs::write(folder.path().join("orders.toml"), named).expect("the folder is writable");
        Self { folder, table: table.to_owned(), store: "./store".to_owned() }
    }

    /// The same on a cluster, with a table name that no other run uses.
    pub(crate) fn on_cluster(table: &str, url: &str) -> Self {
        let mut workplace = Self::new(&format!("{table}_{}", std::process::id()));
        workplace.store = url.to_owned();
        workplace
    }

    /// The same with another store.
    pub(crate) fn with_store(self, store: &str) -> Self {
        Self { store: store.to_owned(), ..self }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).expect("the folder is writable");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("the file is there")
    }

    /// Writes `rows` orders of seed 1 to `orders.csv`.
    pub(crate) fn write_orders(&self, rows: u64) {
        let mut csv = Vec::new();
        orders::write_csv(&mut csv, rows, 1).expect("writing to memory");
        std::fs::write(self.path("orders.csv"), csv).expect("the folder is writable");
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rowkey"));
        command.args(["--store", &self.store]).args(arguments).current_dir(self.folder.path());
        command.env_remove("ROWKEY_STORE").env_remove("ROWKEY_RECORD");
        command.env("XDG_CONFIG_HOME", self.path("config"));
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        finished(&self.command(arguments).output().expect("the program starts"))
    }

    /// Runs and insists on success.
    pub(crate) fn ok(&self, arguments: &[&str]) -> String {
        let run = self.run(arguments);
        assert_eq!(run.code, 0, "{arguments:?}: {run:?}");
        run.out
    }

    pub(crate) fn start(&self, arguments: &[&str]) -> Child {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("the program starts")
    }

    /// All order numbers in the table, in the order of the answer.
    pub(crate) fn all_order_ids(&self) -> Vec<String> {
        let out = self.ok(&["--json", "query", "orders.toml", "", "--full-scan"]);
        out.lines()
            .map(|line| json(line)["record"]["order_id"].as_str().expect("a text").to_owned())
            .collect()
    }
}

/// An error: exit code 2, nothing on standard output, and these words on standard error.
#[track_caller]
pub(crate) fn assert_error(run: &Run, words: &[&str]) {
    assert_eq!((run.code, run.out.as_str()), (2, ""), "{run:?}");
    for word in words {
        assert!(run.err.contains(word), "`{word}` is not in:\n{}", run.err);
    }
}

pub(crate) fn finished(output: &Output) -> Run {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("output is UTF-8");
    Run { code: output.status.code().unwrap_or(-1), out: text(&output.stdout), err: text(&output.stderr) }
}

pub(crate) fn json(line: &str) -> serde_json::Value {
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
}

/// A user's latest orders, newest first, as the program must answer them.
pub(crate) fn latest(rows: u64, user: u64, limit: usize) -> Vec<Order> {
    let mut own: Vec<Order> = orders::orders(rows, 1).filter(|order| order.user_id == user).collect();
    own.sort_by(|a, b| b.ts.cmp(&a.ts).then_with(|| a.order_id.cmp(&b.order_id)));
    own.truncate(limit);
    own
}

/// Whether every order of the data is there exactly once.
pub(crate) fn assert_all_once(mut found: Vec<String>, rows: u64) {
    found.sort();
    let mut expected: Vec<String> = orders::orders(rows, 1).map(|order| order.order_id).collect();
    expected.sort();
    assert_eq!(found.len(), expected.len());
    assert!(found == expected, "the same number of orders, but not the same orders");
}

/// Waits for something that another process does; how long is not what is tested.
pub(crate) fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    for _ in 0..60_000 {
        if done() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    panic!("{what} did not happen");
}

/// The rows that a checkpoint counts, if there is one.
pub(crate) fn checkpoint_rows(path: &Path) -> Option<u64> {
    let text = std::fs::read_to_string(path).ok()?;
    json(&text)["position"]["rows"].as_u64()
}

//! Where do the commands of a page run?
//!
//! In a new folder that has `orders.toml`, `orders.csv` (2,000 orders) and `examples/`, as the root of the repository has it; the
//! page of an example also finds the files beside it. `rowkey` is the program that was just built. A cluster that a page names is the tests' own.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard};

use rowkey_hbase::HBaseStore;
use rowkey_store::Admin;
use rowkey_testing::cluster::{self, Endpoints};

use crate::program::Workplace;
use crate::repository::Repository;

/// What pages call a cluster.
const ZOOKEEPER: &str = "hbase://zookeeper:2181/hbase";
const MASTER: &str = "hbase+rpc://master:16000";

/// Pages that use the cluster use the same names for their tables.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// A folder for the commands of one page.
pub(crate) struct PageFolder {
    files: Workplace,
    cluster: Option<OnCluster>,
}

struct OnCluster {
    endpoints: &'static Endpoints,
    page: String,
    _alone: MutexGuard<'static, ()>,
}

impl PageFolder {
    pub(crate) fn new(repository: &Repository, path: &str, page: &str) -> Self {
        let files = Workplace::new("orders");
        files.write_orders(2000);
        std::os::unix::fs::symlink(repository.root.join("examples"), files.path("examples")).expect("a link");
        if let Some((folder, _)) = path.strip_prefix("examples/").and_then(|rest| rest.rsplit_once('/')) {
            copy(&repository.root.join("examples").join(folder), &files.path(""));
        }
        let named = page.contains(ZOOKEEPER) || page.contains(MASTER);
        Self { files, cluster: named.then(|| OnCluster::new(page)) }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.files.path(name)
    }

    pub(crate) fn write(&self, name: &str, lines: &[&str]) {
        if let Some(folder) = Path::new(name).parent() {
            std::fs::create_dir_all(self.files.path("").join(folder)).expect("the folder is writable");
        }
        self.files.write(name, &(lines.join("\n") + "\n"));
    }

    /// Makes the data of a comment: `20000 orders in orders.csv`, or takes away what is there: `none`.
    pub(crate) fn provide(&self, what: &str) -> Result<(), String> {
        let words: Vec<&str> = what.split_whitespace().collect();
        if words == ["none"] {
            for file in ["orders.toml", "orders.csv"] {
                std::fs::remove_file(self.files.path(file)).expect("it is there from the beginning");
            }
            return Ok(());
        }
        let told = || {
            format!("`{what}`: there are `none`, `N orders in orders.csv` and `N seconds of a log in FILE`")
        };
        let count = words.first().and_then(|word| word.parse::<u64>().ok()).ok_or_else(told)?;
        match words[1..] {
            ["orders", "in", "orders.csv"] => self.files.write_orders(count),
            ["seconds", "of", "a", "log", "in", file] => self.files.write(file, &log(count)),
            _ => return Err(told()),
        }
        Ok(())
    }

    /// What a terminal would show, and the exit code.
    pub(crate) fn run(&self, command: &str) -> (i32, String) {
        let (mut reader, writer) = std::io::pipe().expect("a pipe");
        let mut shell = self.shell(command);
        // The order of both streams is that of a screen.
        shell.stdout(writer.try_clone().expect("a pipe")).stderr(writer);
        let mut child = shell.spawn().expect("sh starts");
        drop(shell);
        let mut shown = Vec::new();
        reader.read_to_end(&mut shown).expect("a pipe can be read");
        let code = child.wait().expect("it ends").code().unwrap_or(-1);
        (code, self.told(&String::from_utf8_lossy(&shown)))
    }

    /// Standard error and the exit code of a command whose standard output is closed.
    pub(crate) fn run_unread(&self, command: &str) -> (i32, String) {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = self.shell(command).stdout(writer).stderr(Stdio::piped()).output().expect("sh starts");
        (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stderr).into_owned())
    }

    fn shell(&self, command: &str) -> Command {
        let mut shell = Command::new("sh");
        let program = Path::new(env!("CARGO_BIN_EXE_rowkey")).parent().expect("it is in a folder");
        let path = std::env::var("PATH").unwrap_or_default();
        shell.args(["-c", &self.real(command)]).current_dir(self.files.path(""));
        shell.env("PATH", format!("{}:{path}", program.display())).env_remove("ROWKEY_STORE");
        shell.env("XDG_CONFIG_HOME", self.files.path("config")).env_remove("ROWKEY_RECORD");
        shell.stdin(Stdio::null());
        shell
    }

    fn real(&self, command: &str) -> String {
        let Some(cluster) = &self.cluster else { return command.to_owned() };
        command
            .replace(ZOOKEEPER, &cluster.endpoints.zookeeper_url)
            .replace(MASTER, &cluster.endpoints.rpc_url)
    }

    fn told(&self, shown: &str) -> String {
        let Some(cluster) = &self.cluster else { return shown.to_owned() };
        shown.replace(&cluster.endpoints.zookeeper_url, ZOOKEEPER).replace(&cluster.endpoints.rpc_url, MASTER)
    }
}

impl OnCluster {
    fn new(page: &str) -> Self {
        // A page that failed before is no reason for this one to fail.
        let alone = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let cluster = Self { endpoints: cluster::shared(), page: page.to_owned(), _alone: alone };
        cluster.drop_tables();
        cluster
    }

    /// Tables of the page's names, left by an earlier run or by this one.
    fn drop_tables(&self) {
        let store = HBaseStore::connect(&self.endpoints.zookeeper_url).expect("the cluster answers");
        for table in store.list_tables().expect("the cluster answers") {
            let name = table.to_string();
            if self
                .page
                .split(|letter: char| !(letter.is_alphanumeric() || "_:.".contains(letter)))
                .any(|word| word == name)
            {
                // A table may be disabled already.
                let _ = store.disable_table(&table);
                store.drop_table(&table).expect("the table can be dropped");
            }
        }
    }
}

impl Drop for OnCluster {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.drop_tables();
        }
    }
}

/// A line a second, from 40 hosts in turn.
fn log(seconds: u64) -> String {
    let lines = (0..seconds).map(|n| format!("{},h{}\n", 1_735_689_600_000 + n * 1000, n * 7 % 40));
    std::iter::once("ts,host\n".to_owned()).chain(lines).collect()
}

/// The files of a folder, so that nothing that a command writes ends in the repository.
fn copy(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).expect("the folder of the page").flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_file()) {
            std::fs::copy(entry.path(), to.join(entry.file_name())).expect("the folder is writable");
        }
    }
}

//! How quick is generated code beside code that someone writes by hand, in each language?
//!
//! ```text
//! given     [salt: u8][user_id: u64][ts: i64 desc][order_id]
//! computed  [salt(16, user_id)][user_id: u64][ts: i64 desc][order_id]
//! merged    the same with 64 buckets, whose rows in memory are merged
//! ```
//!
//! The code is generated here, built in a folder that goes, and run by a process for each language, which gets the records in a file.
//! Candidates of one language take turns in one run, and must give the same keys before anything is timed.

use std::cell::RefCell;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use rowkey_core::internal::fnv1a;
use rowkey_core::{KeySchema, Table as TableFile, Value};
use rowkey_generate::{Design, Origin, generate, language};
use rowkey_testing::artifacts;

use crate::elsewhere::Elsewhere;
use crate::jvm;
use crate::ratio::Table;
use crate::records::Records;

const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/generated");

/// What takes part, and how often.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    pub java: bool,
    pub go: bool,
    pub rounds: usize,
}

/// The name of a table, how its key begins, and the field that it has for it.
const TABLES: [(&str, &str, &str); 3] = [
    ("given", "[salt]", "salt = \"u8\"\n"),
    ("computed", "[salt(16, user_id)]", ""),
    ("merged", "[salt(64, user_id)]", ""),
];

/// A table of the report: the candidates' names, in their process and in words; the first is what the others are compared with.
struct Contest {
    title: &'static str,
    /// The table whose keys they make.
    table: &'static str,
    candidates: &'static [(&'static str, &'static str)],
    goals: &'static [Goal],
}

/// The time of one candidate as a multiple of another's, both by their places.
struct Goal {
    what: &'static str,
    of: usize,
    to: usize,
    bound: Bound,
}

enum Bound {
    AtMost(f64),
    /// The other way round: how many times as quick it is.
    TimesAsQuick(f64),
}

const JAVA: [Contest; 3] = [
    Contest {
        title: "Java, encode [salt][user_id][ts desc][order_id]",
        table: "given",
        candidates: &[
            ("given: by hand", "Bytes.toBytes + Bytes.add"),
            ("given: struct", "types.Struct of Raw*"),
            ("given: record", "generated, of a record"),
            ("given: values", "generated, of its values"),
        ],
        goals: &JAVA_GOALS,
    },
    Contest {
        title: "Java, encode [salt(16, user_id)][user_id][ts desc][order_id]",
        table: "computed",
        candidates: &[
            ("computed: by hand", "MurmurHash3 + Bytes.toBytes + Bytes.add"),
            ("computed: struct", "MurmurHash3 + types.Struct of Raw*"),
            ("computed: record", "generated, of a record"),
            ("computed: values", "generated, of its values"),
        ],
        goals: &JAVA_GOALS,
    },
    Contest {
        title: "Java, rows of 64 buckets merged",
        table: "merged",
        candidates: &[
            ("merge: hbasewd", "HBaseWD 0.1.0, DistributedScanner"),
            ("merge: generated", "generated"),
        ],
        goals: &[Goal { what: "generated, to HBaseWD", of: 1, to: 0, bound: Bound::TimesAsQuick(3.0) }],
    },
];

const JAVA_GOALS: [Goal; 2] = [
    Goal { what: "generated, of a record, to Bytes.add", of: 2, to: 0, bound: Bound::AtMost(1.0) },
    Goal { what: "generated, of a record, to types.Struct", of: 2, to: 1, bound: Bound::TimesAsQuick(3.0) },
];

const GO_GOALS: [Goal; 2] = [
    Goal { what: "generated, to append", of: 2, to: 0, bound: Bound::AtMost(1.3) },
    Goal { what: "generated, to append with the same checks", of: 2, to: 1, bound: Bound::AtMost(1.3) },
];

const GO: [Contest; 2] = [
    Contest {
        title: "Go, encode [salt][user_id][ts desc][order_id]",
        table: "given",
        candidates: &[
            ("given: by hand", "append by hand"),
            ("given: checked", "append by hand, and is it UTF-8 and short enough?"),
            ("given: generated", "generated, AppendKey"),
        ],
        goals: &GO_GOALS,
    },
    Contest {
        title: "Go, encode [salt(16, user_id)][user_id][ts desc][order_id]",
        table: "computed",
        candidates: &[
            ("computed: by hand", "murmur3 and append by hand"),
            ("computed: checked", "the same, and is it UTF-8 and short enough?"),
            ("computed: generated", "generated, AppendKey"),
        ],
        goals: &GO_GOALS,
    },
];

const PYTHON: [Contest; 2] = [
    Contest {
        title: "Python, encode [salt][user_id][ts desc][order_id]",
        table: "given",
        candidates: &[("given: by hand", "struct.pack by hand"), ("given: generated", "generated")],
        goals: &[Goal { what: "generated, to struct.pack", of: 1, to: 0, bound: Bound::AtMost(1.25) }],
    },
    Contest {
        title: "Python, encode [salt(16, user_id)][user_id][ts desc][order_id]",
        table: "computed",
        candidates: &[
            ("computed: by hand", "murmur3 and struct.pack by hand"),
            ("computed: generated", "generated"),
        ],
        goals: &[Goal { what: "generated, to struct.pack", of: 1, to: 0, bound: Bound::AtMost(1.25) }],
    },
];

/// Runs all tables and prints them.
///
/// # Errors
/// When a program cannot be built or started. A language whose compiler is not installed is left out, and that is printed.
pub fn run(options: Options) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|problem| format!("cannot make a folder: {problem}"))?;
    let folder = folder.path();
    let records = Records::new();
    write(&folder.join("records"), &as_lines(&records, usize::MAX))?;
    // Python is slower; a turn of few records is as long.
    write(&folder.join("few-records"), &as_lines(&records, FEW))?;
    println!(
        "{} records, {} rounds; a ratio is the median over rounds of candidate / first line\n",
        records.times.len(),
        options.rounds
    );
    let languages: [(bool, Build, &[Contest], usize); 3] = [
        (options.java, java, &JAVA, usize::MAX),
        (options.go, go, &GO, usize::MAX),
        (true, python, &PYTHON, FEW),
    ];
    for (wanted, build, contests, count) in languages {
        if !wanted {
            continue;
        }
        match build(folder).and_then(|mut command| Elsewhere::start("a candidate", &mut command)) {
            Ok(program) => {
                let program = RefCell::new(program);
                for contest in contests {
                    contest.run(&program, &records, count, options.rounds);
                }
            }
            Err(why) => println!("left out: {why}\n"),
        }
    }
    Ok(())
}

/// How many records Python gets.
const FEW: usize = 1024;

/// Builds the program of a language in a folder; the error says why there is none.
type Build = fn(&Path) -> Result<Command, String>;

impl Contest {
    fn run(&self, program: &RefCell<Elsewhere>, records: &Records, count: usize, rounds: usize) {
        let keys = keys(self.table, records, count);
        let (expected, bytes) = (fnv1a(&keys.concat()), keys.iter().map(Vec::len).sum::<usize>());
        let mut table = Table::new(self.title, keys.len());
        for &(name, words) in self.candidates {
            let found = program.borrow_mut().warm(name);
            assert!(found == expected, "`{name}` makes other keys than the core");
            let measure = move || program.borrow_mut().nanoseconds(name);
            table.elsewhere(words, bytes as f64 / keys.len() as f64, measure);
        }
        let report = table.run(rounds);
        println!("{report}");
        for goal in self.goals {
            println!("{}", goal.verdict(report.ratio(goal.of, goal.to)));
        }
        println!();
    }
}

impl Goal {
    fn verdict(&self, ratio: f64) -> String {
        let (shown, reached) = match self.bound {
            Bound::AtMost(most) => (format!("{ratio:.2} of its time; goal {most:.2}"), ratio <= most),
            Bound::TimesAsQuick(least) => {
                (format!("{:.2} times as quick; goal {least:.2}", 1.0 / ratio), 1.0 / ratio >= least)
            }
        };
        format!("{}: {shown} {}", self.what, if reached { "reached" } else { "missed" })
    }
}

/// The keys of a table, as the core makes them; those of `merged` as they are merged.
fn keys(table: &str, records: &Records, count: usize) -> Vec<Vec<u8>> {
    let key = schema(table);
    let encoded = records.iter().take(count).map(|(salt, user_id, ts, order_id)| {
        let rest = [Value::Int(user_id.into()), Value::Int(ts.into()), Value::Text(order_id.into())];
        let salt = (table == "given").then_some(Value::Int(salt.into()));
        let record: Vec<Value<'_>> = salt.into_iter().chain(rest).collect();
        let mut bytes = Vec::new();
        key.encode(&record, &mut bytes).expect("every record has a key");
        bytes
    });
    let mut keys: Vec<Vec<u8>> = encoded.collect();
    if table == "merged" {
        keys.sort_by(|a, b| a[1..].cmp(&b[1..]));
    }
    keys
}

fn file(table: &str) -> TableFile {
    let (name, bucket, field) =
        TABLES.into_iter().find(|(name, ..)| *name == table).expect("one of the tables");
    let text = format!(
        "[table]\nname = \"{name}\"\nkey = \"{bucket}[user_id][ts desc][order_id]\"\n\n[fields]\n{field}\
         user_id = \"u64\"\nts = \"i64\"\norder_id = \"text\"\n\n[families.d]\n"
    );
    TableFile::parse(name, &text).unwrap_or_else(|findings| panic!("{findings}"))
}

fn schema(table: &str) -> KeySchema {
    file(table).key
}

fn as_lines(records: &Records, count: usize) -> String {
    let mut text = String::new();
    for (salt, user_id, ts, order_id) in records.iter().take(count) {
        let _ = writeln!(text, "{salt}\t{user_id}\t{ts}\t{order_id}");
    }
    text
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    let problem = |problem| format!("cannot write {}: {problem}", path.display());
    fs::create_dir_all(path.parent().unwrap_or(path)).map_err(problem)?;
    fs::write(path, text).map_err(problem)
}

/// Writes the code of all tables in a language, without its test and the part for a client of HBase.
fn generated(name: &str, folder: &Path, wanted: impl Fn(&str) -> bool) -> Result<(), String> {
    let language = language(name).ok_or("no such language")?;
    for (table, ..) in TABLES {
        let origin = Origin { version: "0.0.0".to_owned(), file: format!("{table}.toml") };
        for file in generate(language, &Design::of(&file(table), origin))? {
            if wanted(&file.name) {
                write(&folder.join(&file.name), &file.text)?;
            }
        }
    }
    Ok(())
}

fn succeeded(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|problem| format!("{:?}: {problem}", command.get_program()))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.success() { Ok(()) } else { Err(format!("{:?} failed: {said}", command.get_program())) }
}

fn java(folder: &Path) -> Result<Command, String> {
    let mut tell = |line: &str| eprintln!("{line}");
    let hbase = artifacts::fetch(&mut tell).map_err(|problem| problem.to_string())?;
    let hbasewd = artifacts::fetch_hbasewd(&mut tell).map_err(|problem| problem.to_string())?;
    let (sources, classes) = (folder.join("java"), folder.join("classes"));
    generated("java", &sources, |name| name.ends_with("Key.java"))?;
    let entries = [classes.clone(), hbase.class_path_entry(), hbasewd.class_path_entry()];
    let path = std::env::join_paths(entries).map_err(|problem| problem.to_string())?;
    let mut javac = Command::new(jvm::tool("javac"));
    javac.args(["-nowarn", "-proc:none", "-d"]).arg(&classes).arg("-cp").arg(&path);
    javac.arg("-sourcepath").arg(&sources).arg(Path::new(SOURCES).join("GeneratedBench.java"));
    succeeded(&mut javac)?;
    let mut java = Command::new(jvm::java());
    java.args(jvm::OPENED).args(jvm::SMALL).arg("-cp").arg(&path).arg("GeneratedBench");
    java.arg(folder.join("records"));
    Ok(java)
}

fn go(folder: &Path) -> Result<Command, String> {
    let module = folder.join("go");
    generated("go", &module, |name| name.ends_with("/key.go"))?;
    write(&module.join("go.mod"), "module generated\n\ngo 1.21\n")?;
    let copied = fs::copy(Path::new(SOURCES).join("main.go"), module.join("main.go"));
    copied.map_err(|problem| format!("cannot copy main.go: {problem}"))?;
    let mut build = Command::new("go");
    build.current_dir(&module).env("GOPROXY", "off").args(["build", "-o", "bench", "."]);
    succeeded(&mut build)?;
    let mut program = Command::new(module.join("bench"));
    program.arg(folder.join("records"));
    Ok(program)
}

fn python(folder: &Path) -> Result<Command, String> {
    let modules = folder.join("python");
    generated("python", &modules, |name| name.ends_with("_key.py") && !name.starts_with("test_"))?;
    let mut program = Command::new("python3");
    succeeded(program.arg("--version"))?;
    let mut program = Command::new("python3");
    program
        .env("PYTHONPATH", &modules)
        .arg(Path::new(SOURCES).join("bench.py"))
        .arg(folder.join("few-records"));
    Ok(program)
}

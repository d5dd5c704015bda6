//! Measures what huge inputs and mistakes cost at most.
//!
//! Makes each input, runs the program on it and prints the table of `docs/limits.md`: what it answered, how long that took, and
//! the largest memory that the kernel saw (`VmHWM`, read while it runs; Linux only).

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::{Failure, Outcome, workspace};

/// An input and the command that reads it.
struct Bound {
    what: &'static str,
    /// What follows `rowkey`; `@FILE` is the content of a file.
    command: &'static [&'static str],
    /// Commands before it that are not measured.
    before: &'static [&'static [&'static str]],
    /// Writes the input.
    input: fn(&Path, u64) -> std::io::Result<()>,
    exit_code: i32,
}

const BOUNDS: &[Bound] = &[
    Bound {
        what: "a quote that nothing closes, in 1 GB of CSV",
        command: &["load", "orders", "open.csv"],
        before: &[&["create", "orders.toml"]],
        input: open_quote,
        exit_code: 2,
    },
    Bound {
        what: "a query with two `in` lists of 5,000 values each",
        command: &["query", "pairs", "@lists.txt"],
        before: &[&["create", "lists.toml"]],
        input: lists,
        exit_code: 1,
    },
    Bound {
        what: "5 million different values of a group, with the default limit",
        command: &["count", "groups", "--group-by", "k"],
        before: &[&["create", "groups.toml"], &["load", "groups", "groups.csv"]],
        input: groups,
        exit_code: 2,
    },
    Bound {
        what: "the same, allowed",
        command: &["count", "groups", "--group-by", "k", "--max-groups", "5000000"],
        before: &[&["create", "groups.toml"], &["load", "groups", "groups.csv"]],
        input: groups,
        exit_code: 0,
    },
    Bound {
        what: "a filter of 1,000,000 parentheses",
        command: &["shell", "deep.rb"],
        before: &[],
        input: deep_filter,
        exit_code: 2,
    },
    Bound {
        what: "a list in 1,000,000 lists",
        command: &["shell", "deep.rb"],
        before: &[],
        input: deep_list,
        exit_code: 2,
    },
    Bound {
        what: "a table file of 200,000 fields",
        command: &["create", "wide.toml"],
        before: &[],
        input: wide_table,
        exit_code: 0,
    },
    Bound {
        what: "a table file with 50 MB of comment",
        command: &["create", "orders.toml"],
        before: &[],
        input: long_comment,
        exit_code: 0,
    },
];

fn deep_filter(folder: &Path, parts: u64) -> std::io::Result<()> {
    let depth = 1_000_000 / usize::try_from(parts).unwrap_or(1);
    let filter = format!("{}PageFilter(1){}", "(".repeat(depth), ")".repeat(depth));
    fs::write(folder.join("deep.rb"), format!("create 't', 'f'\nscan 't', FILTER => \"{filter}\"\n"))
}

fn deep_list(folder: &Path, parts: u64) -> std::io::Result<()> {
    let depth = 1_000_000 / usize::try_from(parts).unwrap_or(1);
    fs::write(folder.join("deep.rb"), format!("put 't', {}1{}\n", "[".repeat(depth), "]".repeat(depth)))
}

fn wide_table(folder: &Path, parts: u64) -> std::io::Result<()> {
    let fields = 200_000 / parts;
    let declared: String = (0..fields).map(|at| format!("f{at} = \"i64\"\n")).collect();
    let columns: String = (0..fields).map(|at| format!("c{at} = \"f{at}\"\n")).collect();
    let head = "[table]\nname = \"wide\"\nkey = \"[id]\"\n[fields]\nid = \"text\"\n";
    fs::write(folder.join("wide.toml"), format!("{head}{declared}[families.d.columns]\n{columns}"))
}

fn long_comment(folder: &Path, parts: u64) -> std::io::Result<()> {
    let line = "# a comment of fifty bytes, again and again and on\n";
    let lines = 1_000_000 / usize::try_from(parts).unwrap_or(1);
    fs::write(folder.join("orders.toml"), format!("{}{ORDERS}", line.repeat(lines)))
}

const ORDERS: &str = include_str!("../../examples/orders/orders.toml");
const GROUPS: &str = "[table]\nname = \"groups\"\nkey = \"[k]\"\n[fields]\nk = \"u64\"\n[families.d]\n";

fn open_quote(folder: &Path, parts: u64) -> std::io::Result<()> {
    fs::write(folder.join("orders.toml"), ORDERS)?;
    let mut out = BufWriter::new(File::create(folder.join("open.csv"))?);
    out.write_all(b"user_id,ts,order_id,seller,amount\n7,1,a,Shop,1\n8,2,b,\"Shop,2\n")?;
    let line = b"9,3,c,Shop,3\n";
    for _ in 0..(1 << 30) / parts / line.len() as u64 {
        out.write_all(line)?;
    }
    out.flush()
}

fn lists(folder: &Path, parts: u64) -> std::io::Result<()> {
    let list: Vec<String> = (0..5000 / parts).map(|number| number.to_string()).collect();
    let list = list.join(", ");
    let table =
        "[table]\nname = \"pairs\"\nkey = \"[a][b]\"\n[fields]\na = \"u32\"\nb = \"u32\"\n[families.d]\n";
    fs::write(folder.join("lists.txt"), format!("a in ({list}) and b in ({list})"))?;
    fs::write(folder.join("lists.toml"), table)
}

fn groups(folder: &Path, parts: u64) -> std::io::Result<()> {
    fs::write(folder.join("groups.toml"), GROUPS)?;
    let mut out = BufWriter::new(File::create(folder.join("groups.csv"))?);
    writeln!(out, "k")?;
    for k in 0..5_000_000 / parts {
        writeln!(out, "{k}")?;
    }
    out.flush()
}

/// `cargo xtask bounds [--quick] [--program PATH]`: with a hundredth of the data, and with a program that is built already.
pub(crate) fn run(args: &[String]) -> Outcome {
    let (mut parts, mut program, mut rest) = (1, None, args);
    while let [option, behind @ ..] = rest {
        match (option.as_str(), behind) {
            ("--quick", _) => (parts, rest) = (100, behind),
            ("--program", [path, behind @ ..]) => (program, rest) = (Some(PathBuf::from(path)), behind),
            _ => {
                let message = "`cargo xtask bounds` takes `--quick` and `--program PATH`";
                return Err(Failure::new(format!("{message}, but got `{option}`")));
            }
        }
    }
    let program = match program {
        Some(program) => program.canonicalize().map_err(Failure::cannot("find the program"))?,
        None => workspace::release_build()?,
    };
    let folder = workspace::target().join("bounds");
    println!("| what | command | answer | time | memory |\n| --- | --- | --- | --- | --- |");
    for bound in BOUNDS {
        // What an earlier run left.
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).map_err(Failure::cannot("make a folder"))?;
        (bound.input)(&folder, parts).map_err(Failure::cannot("write the input"))?;
        for command in bound.before {
            measure(&program, &folder, command, Some(0))?;
        }
        // With less data some limits are not reached.
        let exit_code = (parts == 1).then_some(bound.exit_code);
        let measured = measure(&program, &folder, bound.command, exit_code)?;
        let command = bound.command.join(" ");
        let Measured { answer, time, memory } = measured;
        println!("| {} | `rowkey {command}` | {answer} | {time:.1} s | {memory} MB |", bound.what);
    }
    fs::remove_dir_all(&folder).map_err(Failure::cannot("remove the folder"))
}

struct Measured {
    answer: String,
    time: f64,
    memory: u64,
}

fn measure(
    program: &Path,
    folder: &Path,
    arguments: &[&str],
    exit_code: Option<i32>,
) -> Result<Measured, Failure> {
    let content = |argument: &&str| match argument.strip_prefix('@') {
        Some(file) => fs::read_to_string(folder.join(file)).unwrap_or_default(),
        None => (*argument).to_owned(),
    };
    let output = |name: &str| File::create(folder.join(name)).map_err(Failure::cannot("write an answer"));
    let started = Instant::now();
    let mut child = workspace::program(program)
        .args(["--store", "store"])
        .args(arguments.iter().map(content))
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(output("stdout")?)
        .stderr(output("stderr")?)
        .spawn()
        .map_err(Failure::cannot("run the program"))?;
    let status = PathBuf::from(format!("/proc/{}/status", child.id()));
    let mut memory = 0;
    let ended = loop {
        let seen = fs::read_to_string(&status).unwrap_or_default();
        let peak = seen.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let peak = peak.and_then(|peak| peak.trim().trim_end_matches(" kB").parse::<u64>().ok());
        memory = memory.max(peak.unwrap_or(0));
        match child.try_wait().map_err(Failure::cannot("wait for the program"))? {
            Some(ended) => break ended,
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    let time = started.elapsed().as_secs_f64();
    let text = |name: &str| fs::read_to_string(folder.join(name)).unwrap_or_default();
    if exit_code.is_some_and(|exit_code| ended.code() != Some(exit_code)) {
        let told = text("stderr");
        return Err(Failure::new(format!("`rowkey {}` ended with {ended}: {told}", arguments.join(" "))));
    }
    let (lines, error) = (text("stdout"), text("stderr"));
    let answer = match error.lines().find(|line| line.starts_with("error")) {
        Some(error) => error.split([';', ',']).take(2).collect::<Vec<_>>().join(","),
        None => format!("{} lines", lines.lines().count()),
    };
    Ok(Measured { answer, time, memory: memory / 1000 })
}

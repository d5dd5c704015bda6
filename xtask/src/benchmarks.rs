//! How quick is all of it, beside its rivals? One command runs every comparison and writes the page with the ratios.
//!
//! Each comparison is a program that lets its candidates take turns in one run and prints ratios; what it prints is what the page
//! shows, with the command that made it and the machine that it ran on. Absolute times mean nothing on another machine.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Instant;

use rowkey_testing::cluster::{Cluster, Options};

use crate::{Failure, Outcome, bench, workspace};

const PAGE: &str = "docs/benchmarks.md";

/// One program that compares.
struct Comparison {
    name: &'static str,
    question: &'static str,
    /// What is typed; `cargo` and `python3` run in the root of the workspace.
    command: &'static str,
    /// Instead of `command` with `--quick`.
    quick: &'static str,
    cluster: Wanted,
}

/// The cluster that a comparison wants, in `ROWKEY_TEST_HBASE`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    None,
    InAFolder,
    /// One that brings writes to the disk when it says so.
    OnHdfs,
}

impl Comparison {
    /// The package and the example that it runs, if it is one.
    fn example(&self) -> Option<(&'static str, &'static str)> {
        let after = |option: &str| {
            let mut words = self.command.split_whitespace().skip_while(|word| *word != option);
            words.nth(1)
        };
        Some((after("-p")?, after("--example")?))
    }
}

const COMPARISONS: [Comparison; 12] = [
    Comparison {
        name: "keys",
        question: "Encoding and decoding keys, beside code written by hand, other crates and HBase's own on a JVM",
        command: "cargo xtask bench keys",
        quick: "cargo xtask bench keys --rounds 11",
        cluster: Wanted::None,
    },
    Comparison {
        name: "generate",
        question: "Generated Java, Go and Python, beside code written by hand, HBase's types and HBaseWD",
        command: "cargo xtask bench generate",
        quick: "cargo xtask bench generate --rounds 11",
        cluster: Wanted::None,
    },
    Comparison {
        name: "store",
        question: "The embedded store beside its bare engine, with the same bytes and durability",
        command: "cargo run --release -p rowkey-embedded --example bench",
        quick: "cargo run --release -p rowkey-embedded --example bench 100000",
        cluster: Wanted::None,
    },
    Comparison {
        name: "store-hbase",
        question: "The embedded store beside a local HBase, with the same durability",
        command: "cargo run --release -p rowkey-hbase --example beside_embedded",
        quick: "",
        cluster: Wanted::OnHdfs,
    },
    Comparison {
        name: "hbase",
        question: "The HBase client beside HBase's own and gohbase",
        command: "cargo xtask bench hbase",
        quick: "cargo xtask bench hbase --rows 20000",
        cluster: Wanted::None,
    },
    Comparison {
        name: "load",
        question: "A load from CSV beside the bare engine",
        command: "cargo run --release -p rowkey-ops --example load_bench",
        quick: "cargo run --release -p rowkey-ops --example load_bench 100000 3",
        cluster: Wanted::None,
    },
    Comparison {
        name: "index",
        question: "What index tables cost to write, beside the plain table",
        command: "cargo xtask bench index --hbase",
        quick: "cargo xtask bench index --rows 100000 --rounds 1",
        cluster: Wanted::None,
    },
    Comparison {
        name: "ordered",
        question: "A salted table read in order, beside the plain scan of an unsalted one and a serial merge",
        command: "cargo run --release -p rowkey-ops --example ordered_scan_bench",
        quick: "cargo run --release -p rowkey-ops --example ordered_scan_bench -- --rows 100000 --rounds 3",
        cluster: Wanted::None,
    },
    Comparison {
        name: "ordered-hbase",
        question: "The same on HBase, three region servers",
        command: "cargo run --release -p rowkey-ops --example ordered_scan_bench -- --store $ROWKEY_TEST_HBASE --rounds 5",
        quick: "",
        cluster: Wanted::InAFolder,
    },
    Comparison {
        name: "profile",
        question: "Profiling CSV, beside reading it with the plain csv crate",
        command: "cargo run --release -p rowkey-lab --example profile_bench",
        quick: "cargo run --release -p rowkey-lab --example profile_bench",
        cluster: Wanted::None,
    },
    Comparison {
        name: "route",
        question: "Finding the region of a key, beside a binary search",
        command: "cargo run --release -p rowkey-lab --example route_bench",
        quick: "cargo run --release -p rowkey-lab --example route_bench",
        cluster: Wanted::None,
    },
    Comparison {
        name: "simulate",
        question: "Simulating a design on 20 million records, beside DuckDB (its Python package is fetched by pip)",
        command: "python3 bench/simulate/run.py",
        quick: "python3 bench/simulate/run.py --records 1000000",
        cluster: Wanted::None,
    },
];

/// Runs all comparisons and writes the page, or those named and writes their sections anew.
pub(crate) fn run(args: &[String]) -> Outcome {
    let quick = args.iter().any(|arg| arg == "--quick");
    let named: Vec<&str> = args.iter().map(String::as_str).filter(|arg| *arg != "--quick").collect();
    let known: Vec<&str> = COMPARISONS.iter().map(|comparison| comparison.name).collect();
    if let Some(unknown) = named.iter().find(|name| !known.contains(name)) {
        return Err(Failure::new(format!(
            "`cargo xtask bench all` has no comparison `{unknown}`; there are {}",
            known.join(", ")
        )));
    }
    let chosen: Vec<&Comparison> = COMPARISONS
        .iter()
        .filter(|comparison| named.is_empty() || named.contains(&comparison.name))
        .collect();
    println!("building all of them (release)");
    build(&chosen)?;
    let mut sections = Vec::new();
    for comparison in chosen {
        let command = if quick { comparison.quick } else { comparison.command };
        if command.is_empty() {
            println!("\n── {} ── left out by --quick", comparison.name);
            let left_out = format!("Left out by `--quick`: `{}`.", comparison.command);
            sections.push(format!("## {}\n\n{left_out}\n", comparison.question));
            continue;
        }
        println!("\n── {} ── {}\n$ {command}", comparison.name, comparison.question);
        let cluster = match comparison.cluster {
            Wanted::None => None,
            wanted => {
                let options = Options { on_hdfs: wanted == Wanted::OnHdfs, ..Options::default() };
                Some(Cluster::start_with(&options, &mut |_| {})?)
            }
        };
        let began = Instant::now();
        let said = said(command, cluster.as_ref())?;
        sections.push(section(comparison, command, &said, began.elapsed().as_secs()));
        if let Some(cluster) = cluster {
            cluster.stop()?;
        }
    }
    let path = workspace::root().join(PAGE);
    let page = if named.is_empty() {
        page(quick, &machine(), &sections)
    } else {
        let Ok(page) = std::fs::read_to_string(&path) else {
            println!("\nthere is no {PAGE} yet; a run of all comparisons writes it");
            return Ok(());
        };
        sections.iter().fold(page, |page, section| with_section(&page, section))
    };
    std::fs::write(&path, page).map_err(Failure::cannot(&format!("write {PAGE}")))?;
    println!("\nwrote {PAGE}");
    Ok(())
}

/// The page with a section in the place of the one that has its heading. What a comparison prints may have headings, too, so
/// a section ends where another comparison's begins.
fn with_section(page: &str, section: &str) -> String {
    let heading = section.lines().next().unwrap_or_default();
    let Some((before, rest)) = page.split_once(&format!("{heading}\n")) else {
        return format!("{page}\n{section}");
    };
    let others = COMPARISONS.iter().map(|comparison| format!("\n## {}\n", comparison.question));
    let end = others.filter_map(|other| rest.find(&other)).min().map_or(rest.len(), |at| at + 1);
    let after = rest.get(end..).unwrap_or_default();
    let blank = if after.is_empty() { "" } else { "\n" };
    format!("{before}{section}{blank}{after}")
}

/// Everything that will run, before anything runs: nothing compiles while something is measured.
fn build(chosen: &[&Comparison]) -> Outcome {
    for comparison in chosen {
        if bench::SUBJECTS.iter().any(|subject| comparison.command == format!("cargo xtask bench {subject}"))
        {
            bench::build()?;
            continue;
        }
        let mut cargo = workspace::cargo();
        cargo.args(["build", "--release"]);
        match comparison.example() {
            Some((package, example)) => cargo.args(["-p", package, "--example", example]),
            None => cargo.args(["-p", "rowkey-cli"]),
        };
        workspace::succeed(cargo)?;
    }
    Ok(())
}

/// What a command prints on standard output, shown as it comes.
fn said(line: &str, cluster: Option<&Cluster>) -> Result<String, Failure> {
    let url = cluster.map_or("", |cluster| &cluster.zookeeper_url);
    let mut words = line.split_whitespace().map(|word| if word == "$ROWKEY_TEST_HBASE" { url } else { word });
    let program = words.next().unwrap_or_default();
    let mut command = if program == "cargo" { workspace::cargo() } else { workspace::program(program) };
    command.args(words).stdout(Stdio::piped());
    if let Some(cluster) = cluster {
        command
            .env("ROWKEY_TEST_HBASE", &cluster.zookeeper_url)
            .env("ROWKEY_TEST_HBASE_RPC", &cluster.rpc_url);
    }
    let mut child = command.spawn().map_err(Failure::cannot(&format!("run `{line}`")))?;
    let mut text = String::new();
    if let Some(out) = child.stdout.take() {
        for line in BufReader::new(out).lines() {
            let line = line.map_err(Failure::cannot("read what a comparison prints"))?;
            println!("{line}");
            text.push_str(line.trim_end());
            text.push('\n');
        }
    }
    let status = child.wait().map_err(Failure::cannot(&format!("wait for `{line}`")))?;
    if status.success() {
        Ok(text)
    } else {
        Err(Failure::of_program(format!("`{line}` ended with {status}"), status.code()))
    }
}

fn section(comparison: &Comparison, command: &str, said: &str, seconds: u64) -> String {
    let commit = told("git", &["log", "-1", "--format=, at commit %h"]).unwrap_or_default();
    format!(
        "## {}\n\n`{command}` ({seconds} s{commit})\n\n```text\n{}\n```\n",
        comparison.question,
        said.trim_end().replace("```", "` ` `")
    )
}

fn page(quick: bool, machine: &str, sections: &[String]) -> String {
    let command = if quick {
        "cargo xtask bench all --quick` (fewer rows and rounds than without `--quick`)"
    } else {
        "cargo xtask bench all`"
    };
    format!(
        "# Benchmarks\n\nWritten by `{command}; every section is what the command in it printed. Candidates take turns in one run,\n\
         and the figures to read are ratios: absolute times belong to this machine alone.\n\n{machine}\n\n{}",
        sections.join("\n")
    )
}

/// What a program says, if it can be run and says something.
fn told(program: &str, args: &[&str]) -> Option<String> {
    let output = Command::new(program).args(args).output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned()).filter(|text| !text.is_empty())
}

/// What it ran on, as far as the system tells.
fn machine() -> String {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or(": unknown");
    let memory = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = memory.lines().find_map(|line| line.strip_prefix("MemTotal:")).unwrap_or("unknown");
    let gib = total.trim().trim_end_matches(" kB").parse::<u64>().map_or(0, |kib| kib / (1 << 20));
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let lines = [
        format!("{cores} cores of {}", model.trim_start_matches([' ', '\t', ':'])),
        format!("{gib} GiB of memory"),
        told("uname", &["-sr"]).unwrap_or_else(|| "an unknown system".to_owned()),
        told("rustc", &["--version"]).unwrap_or_default(),
        told("git", &["log", "-1", "--format=commit %h of %cs"]).unwrap_or_default(),
    ];
    lines
        .iter()
        .filter(|line| !line.is_empty())
        .map(|line| format!("- {line}"))
        .collect::<Vec<_>>()
        .join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_known_and_commands_name_what_exists() {
        assert!(run(&["nothing".to_owned()]).is_err());
        for comparison in &COMPARISONS {
            if let Some((package, example)) = comparison.example() {
                let file = workspace::root().join(format!("crates/{package}/examples/{example}.rs"));
                assert!(file.exists(), "{}", file.display());
            }
        }
        let examples = COMPARISONS.iter().filter(|comparison| comparison.example().is_some());
        assert_eq!(examples.count(), 7);
    }

    #[test]
    fn a_page_has_machine_command_and_figures() {
        let first = section(&COMPARISONS[0], "cargo xtask bench keys", "a 1.00\nb 2.00\n", 7);
        let page = page(true, &machine(), &[first]);
        for part in ["# Benchmarks", " cores of ", "`cargo xtask bench keys` (7 s", "b 2.00\n```\n"] {
            assert!(page.contains(part), "{part}: {page}");
        }
    }

    #[test]
    fn a_section_is_written_anew_in_its_place() {
        let of = |at: usize, said: &str| section(&COMPARISONS[at], "command", said, 7);
        let sections = [of(0, "a"), of(1, "b\n\n## a heading of its own\n"), of(2, "c")];
        let whole = page(true, &machine(), &sections);
        for section in &sections {
            assert_eq!(with_section(&whole, section), whole);
        }
        let anew = with_section(&whole, &of(1, "d"));
        assert_eq!(anew, page(true, &machine(), &[of(0, "a"), of(1, "d"), of(2, "c")]));
        let last = with_section(&whole, &of(2, "e"));
        assert!(last.ends_with(&of(2, "e")) && last.contains("a heading of its own"), "{last}");
    }
}

//! How quick is rowkey beside its rivals: its keys beside code written by hand, other crates and HBase's own code, and its
//! HBase client beside HBase's own and gohbase, and the code that it generates beside code written by hand?
//!
//! `cargo xtask bench keys`, `cargo xtask bench hbase` and `cargo xtask bench generate` run it. Machines are noisy, so what counts is a ratio: all candidates of a table take
//! turns in one run, and each is compared with the first in the same round ([`ratio`]).
//!
//! | question | module |
//! | --- | --- |
//! | how are candidates timed and compared? | [`ratio`], [`allocations`] |
//! | which records become keys? | [`records`] |
//! | who makes the keys, and who takes them apart? | [`keys`] |
//! | how does another process take its turn? | [`elsewhere`]; the JVM: [`jvm`], `java/KeyBench.java` |
//! | how does generated code compare? | [`generated`], `generated/` |
//! | how do clients of a cluster compare? | [`hbase`], `java/ClientBench.java`, `go/` |

mod allocations;
mod elsewhere;
mod generated;
mod hbase;
mod jvm;
mod keys;
mod ratio;
mod records;

use std::process::ExitCode;

const HELP: &str = "\
usage: cargo run --release --manifest-path bench/Cargo.toml -- keys [--no-java] [--rounds N]
       cargo run --release --manifest-path bench/Cargo.toml -- hbase [--rows N] [--rounds N] [--no-java] [--no-go]
       cargo run --release --manifest-path bench/Cargo.toml -- generate [--rounds N] [--no-java] [--no-go]

  --no-java   leave out HBase's own code, and generated Java, which need a JDK and Maven
  --no-go     leave out gohbase, and generated Go, which need Go
  --rows N    rows of the table (2000000)
  --rounds N  how often each candidate takes its turn (keys and generate: 201, hbase: 3)";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let done = match args.split_first() {
        // One of the candidates, started by the benchmark itself.
        Some((command, rest)) if command == "hbase-client" => hbase::ours::run(rest),
        _ => match Options::read(&args) {
            Ok(Some(options)) => options.run(),
            Ok(None) => {
                println!("{HELP}");
                Ok(())
            }
            Err(problem) => Err(format!("{problem}\n\n{HELP}")),
        },
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("bench: {problem}");
            ExitCode::from(2)
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Subject {
    Keys,
    HBase,
    Generated,
}

#[derive(Debug, Clone, Copy)]
struct Options {
    subject: Subject,
    java: bool,
    go: bool,
    rows: u64,
    rounds: Option<usize>,
}

impl Options {
    fn run(self) -> Result<(), String> {
        let Self { java, go, rows, .. } = self;
        match self.subject {
            Subject::Keys => keys::run(keys::Options { java, rounds: self.rounds.unwrap_or(201) }),
            Subject::Generated => {
                generated::run(generated::Options { java, go, rounds: self.rounds.unwrap_or(201) })
            }
            Subject::HBase => hbase::run(hbase::Size { rows, rounds: self.rounds.unwrap_or(3), java, go }),
        }
    }

    /// `None` when only help is asked for.
    fn read(args: &[String]) -> Result<Option<Self>, String> {
        let Some((command, rest)) = args.split_first() else { return Ok(None) };
        let subject = match command.as_str() {
            "keys" => Subject::Keys,
            "hbase" => Subject::HBase,
            "generate" => Subject::Generated,
            "help" | "--help" | "-h" => return Ok(None),
            unknown => return Err(format!("there is no table of `{unknown}`")),
        };
        let mut options = Self { subject, java: true, go: true, rows: 2_000_000, rounds: None };
        let mut rest = rest.iter();
        while let Some(option) = rest.next() {
            let mut number = || {
                let given = rest.next().map_or("", String::as_str);
                let number = given.replace('_', "").parse::<u64>().ok().filter(|&number| number > 0);
                number.ok_or(format!("{option} takes a positive number, but got `{given}`"))
            };
            match (option.as_str(), subject) {
                ("--no-java", _) => options.java = false,
                ("--no-go", Subject::HBase | Subject::Generated) => options.go = false,
                ("--rows", Subject::HBase) => options.rows = number()?,
                ("--rounds", _) => options.rounds = Some(number()? as usize),
                (unknown, _) => return Err(format!("there is no option `{unknown}`")),
            }
        }
        Ok(Some(options))
    }
}

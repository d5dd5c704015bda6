//! How quick are rowkey's keys, beside code written by hand, other crates, and HBase's own code on a JVM?
//!
//! `cargo xtask bench keys` runs it. Machines are noisy, so what counts is a ratio: all candidates of a table take
//! turns in one run, and each is compared with the first in the same round ([`ratio`]).
//!
//! | question | module |
//! | --- | --- |
//! | how are candidates timed and compared? | [`ratio`], [`allocations`] |
//! | which records become keys? | [`records`] |
//! | who makes the keys, and who takes them apart? | [`keys`] |
//! | how does the JVM take its turn? | [`jvm`], `java/KeyBench.java` |

mod allocations;
mod jvm;
mod keys;
mod ratio;
mod records;

use std::process::ExitCode;

const HELP: &str = "\
usage: cargo run --release --manifest-path bench/Cargo.toml -- keys [--no-java] [--rounds N]

  --no-java   leave out HBase's own code, which needs a JDK and Maven
  --rounds N  how often each candidate takes its turn (201)";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let options = match Options::read(&args) {
        Ok(Some(options)) => options,
        Ok(None) => {
            println!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Err(problem) => {
            eprintln!("bench: {problem}\n\n{HELP}");
            return ExitCode::from(2);
        }
    };
    match keys::run(options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("bench: {problem}");
            ExitCode::from(2)
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Options {
    java: bool,
    rounds: usize,
}

impl Options {
    /// `None` when only help is asked for.
    fn read(args: &[String]) -> Result<Option<Self>, String> {
        let mut options = Self { java: true, rounds: 201 };
        let Some((command, rest)) = args.split_first() else { return Ok(None) };
        match command.as_str() {
            "keys" => {}
            "help" | "--help" | "-h" => return Ok(None),
            unknown => return Err(format!("there is no table of `{unknown}`")),
        }
        let mut rest = rest.iter();
        while let Some(option) = rest.next() {
            match option.as_str() {
                "--no-java" => options.java = false,
                "--rounds" => {
                    let given = rest.next().map_or("", String::as_str);
                    let rounds = given.parse().ok().filter(|&rounds| rounds > 0);
                    options.rounds =
                        rounds.ok_or(format!("--rounds takes a positive number, but got `{given}`"))?;
                }
                unknown => return Err(format!("there is no option `{unknown}`")),
            }
        }
        Ok(Some(options))
    }
}

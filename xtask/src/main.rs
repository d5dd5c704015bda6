//! Which commands does a person need who has just cloned this repository?
//!
//! `cargo xtask test` is what the README and CI run, `cargo xtask demo` is the first thing to see, and `cargo xtask
//! cluster` is for trying things on a real HBase. Each is one file here. Plain `cargo test` works as well.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "talking to the person at the keyboard is its work"
)]

mod advice_faults;
mod against;
mod bench;
mod benchmarks;
mod bounds;
mod cluster;
mod demo;
mod execution_faults;
mod failure;
mod faults;
mod index_bench;
mod lines;
mod long_runs;
mod planning_faults;
mod stages;
mod stories;
mod test;
mod versions;
mod workspace;

use std::process::ExitCode;

use failure::{Failure, Outcome};

const HELP: &str = "\
usage: cargo xtask COMMAND

  test [--full]         format, lints, build, unit tests, integration tests on a real HBase, documentation;
                        --full adds the long runs: kills, fuzzing, laws, a million records
  demo [--rows 100000]  build rowkey and run `rowkey demo`: a hot key, a better one, its table created, loaded, queried
  bench keys            how quick keys are, beside hand-written code, other crates and HBase on a JVM [--no-java]
  bench hbase           how quick the HBase client is, beside HBase's own and gohbase [--rows N] [--no-java] [--no-go]
  bench against [REV]   puts, gets and openings of the embedded store beside another revision of it [--rounds N] [--only TEXT]
  bench index           what index tables cost to write, beside the plain table [--rows N] [--rounds N] [--hbase] [--old REV]
  bench all [NAME …]    every comparison, and docs/benchmarks.md with the ratios; some, and their sections [--quick]
  bounds [--quick]      what huge inputs and mistakes cost at most: the table of docs/limits.md [--program PATH]
  faults [SUITE]        plant mistakes, one by one, and see that the tests notice each; core, planning, execution or advice
  lines [REV]           lines of code of each crate, without comments, blank lines and tests; beside another revision
  stories [NAME …]      the lessons of docs/sources.md, run and measured [--hbase | --store URL] [--full] [--keep] [--list]
  versions [2.5.8 …]    create, load, scan and drop on other versions of HBase
  cluster [--hdfs]      start HBase for your own tries; runs until Ctrl-C or the end of standard input";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("xtask: {failure}");
            ExitCode::from(failure.code)
        }
    }
}

fn run(args: &[String]) -> Outcome {
    let Some((command, rest)) = args.split_first() else {
        println!("{HELP}");
        return Ok(());
    };
    match command.as_str() {
        "test" => test::run(rest),
        "demo" => demo::run(rest),
        "cluster" => cluster::run(rest),
        "bounds" => bounds::run(rest),
        "faults" => faults::run(rest),
        "lines" => lines::run(rest),
        "versions" => versions::run(rest),
        "bench" if rest.first().is_some_and(|subject| subject == "all") => benchmarks::run(&rest[1..]),
        "bench" if rest.first().is_some_and(|subject| subject == "against") => against::run(&rest[1..]),
        "bench" if rest.first().is_some_and(|subject| subject == "index") => index_bench::run(&rest[1..]),
        "bench" => bench::run(rest),
        "stories" => stories::run(rest),
        "help" | "--help" | "-h" => {
            println!("{HELP}");
            Ok(())
        }
        unknown => Err(Failure::new(format!("there is no command `{unknown}`\n\n{HELP}"))),
    }
}

//! The commands of `cargo xtask`.
//!
//! `cargo xtask` lists all of them ([`commands`]). `cargo xtask test` is what the README and CI run, `cargo xtask demo` is the first thing
//! to see, and `cargo xtask cluster` is for trying things on a real HBase. Each is one file here; what is only a line of cargo is a row of
//! [`recipes`]. Plain `cargo test` works as well.

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
mod commands;
mod demo;
mod dist;
mod execution_faults;
mod failure;
mod faults;
mod features;
mod index_bench;
mod lines;
mod planning_faults;
mod recipes;
mod stages;
mod stories;
mod test;
mod versions;
mod workspace;

use std::process::ExitCode;

use failure::{Failure, Outcome};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match commands::run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("xtask: {failure}");
            ExitCode::from(failure.code)
        }
    }
}

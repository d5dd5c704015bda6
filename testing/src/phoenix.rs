//! Runs Phoenix's own code for its answers.
//!
//! Its jars (by `testing/phoenix/pom.xml`) and small Java programs that ask them. Phoenix's driver without a connection
//! knows tables and rows as far as their keys and filters; no cluster takes part.

use crate::artifacts::{self, Artifacts};
use crate::java::{self, Program};
use crate::{Error, Result};

const POM: &str = include_str!("../phoenix/pom.xml");

/// SQL on standard input, one statement a line: the row key of each `UPSERT`, in hex, one a line.
const KEYS: Program = Program::new("PhoenixKeys", include_str!("../java/PhoenixKeys.java"));

/// SQL on standard input, one statement a line: for each `SELECT` the rows that Phoenix reads of the table created last, and its
/// seeks.
const READS: Program = Program::new("PhoenixReads", include_str!("../java/PhoenixReads.java"));

/// Phoenix's jars, from the cache or from Maven.
///
/// # Errors
///
/// As [`artifacts::fetch`].
pub fn artifacts(progress: &mut dyn FnMut(&str)) -> Result<Artifacts> {
    artifacts::fetch_pom("phoenix-5.2.1-hbase", POM, progress)
}

/// Runs a Java program with Phoenix's jars; `input` is its standard input.
///
/// # Errors
///
/// As [`java::run`].
pub fn run(program: Program, args: &[&str], input: &str) -> Result<String> {
    java::run_with(&artifacts(&mut |_| {})?, program, args, input)
}

/// The row keys, in hex, that Phoenix gives to the rows of the `UPSERT`s among these statements.
///
/// # Errors
///
/// As [`run`], with the statement that Phoenix refuses.
pub fn row_keys(statements: &[String]) -> Result<Vec<String>> {
    let upserts = statements.iter().filter(|statement| statement.starts_with("UPSERT")).count();
    let keys: Vec<String> = run(KEYS, &[], &statements.join("\n"))?.lines().map(str::to_owned).collect();
    if keys.len() == upserts {
        return Ok(keys);
    }
    let reason = format!("{} row keys came for {upserts} rows", keys.len());
    Err(Error::Command { command: "PhoenixKeys".to_owned(), reason })
}

/// How many rows Phoenix reads for each `SELECT` among these statements, of the rows `UPSERT`ed since the last `CREATE TABLE`.
///
/// # Errors
///
/// As [`run`], with the statement that Phoenix refuses.
pub fn rows_read(statements: &[String]) -> Result<Vec<usize>> {
    let selects = statements.iter().filter(|statement| statement.starts_with("SELECT")).count();
    let answers = run(READS, &[], &statements.join("\n"))?;
    let first = |line: &str| line.split_whitespace().next().and_then(|word| word.parse().ok());
    let read: Vec<usize> = answers.lines().filter_map(first).collect();
    if read.len() == selects {
        return Ok(read);
    }
    let reason = format!("{} answers came for {selects} queries", read.len());
    Err(Error::Command { command: "PhoenixReads".to_owned(), reason })
}

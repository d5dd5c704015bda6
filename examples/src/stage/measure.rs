//! What can a story measure with the program?

use std::ops::RangeInclusive;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use super::Stage;
use crate::reads::Reads;
use crate::spread::Spread;
use crate::{StoryError, Told};

impl Stage {
    /// The number of rows that a condition finds; all of them if it is empty.
    ///
    /// # Errors
    /// As [`Stage::rowkey`], or the answer is no number.
    pub fn count(&mut self, table: &str, condition: &str) -> Told<u64> {
        let arguments = ["count", table, condition];
        let given = if condition.is_empty() { 2 } else { 3 };
        let answer = self.rowkey(arguments.get(..given).unwrap_or(&arguments))?;
        answer.out.trim().parse().map_err(|_| answer.lacks(&answer.out, "a number"))
    }

    /// The rules that `rowkey check` reports, for a key or file and what else is given.
    ///
    /// # Errors
    /// As [`Stage::json`].
    pub fn rules(&mut self, arguments: &[&str]) -> Told<Vec<String>> {
        let arguments: Vec<&str> = ["check"].into_iter().chain(arguments.iter().copied()).collect();
        let issues = self.json(&arguments)?;
        Ok(issues.iter().filter_map(|issue| issue["rule"].as_str()).map(str::to_owned).collect())
    }

    /// The records that a `query`, `scan` or `get` prints.
    ///
    /// # Errors
    /// As [`Stage::json`].
    pub fn records(&mut self, arguments: &[&str]) -> Told<Vec<Value>> {
        let answers = self.json(arguments)?;
        Ok(answers.into_iter().map(|mut answer| answer["record"].take()).collect())
    }

    /// What a query of a table reads, by `rowkey explain --analyze`.
    ///
    /// # Errors
    /// As [`Stage::rowkey`], or the answer lacks the figures.
    pub fn reads(&mut self, arguments: &[&str]) -> Told<Reads> {
        let arguments: Vec<&str> =
            ["--json", "explain"].into_iter().chain(arguments.iter().copied()).chain(["--analyze"]).collect();
        let answer = self.rowkey(&arguments)?;
        let explained = answer.json()?;
        let plan = explained.first().map(|answer| &answer["plan"]);
        plan.and_then(Reads::of).ok_or_else(|| answer.lacks(&answer.out, "rows returned and read"))
    }

    /// How many of `written` writes went to each region, by the store's own counters, in the order of the keys.
    ///
    /// # Errors
    /// As [`Stage::rowkey`], or the counters do not add up to `written`.
    pub fn writes_by_region(&mut self, table: &str, written: u64) -> Told<Spread> {
        let mut tries = 300;
        loop {
            let answer = self.run(&["--json", "regions", table])?.expect(&[0], "0")?;
            let writes: Vec<u64> =
                answer.json()?.iter().map(|region| region["writes"].as_u64().unwrap_or(0)).collect();
            let counted = writes.iter().sum();
            if counted == written {
                self.show_command(&answer);
                return Ok(Spread(writes));
            }
            // The servers of HBase report their counters a moment later.
            tries -= 1;
            if tries == 0 || !self.on_hbase() {
                return Err(StoryError::Counters { table: table.to_owned(), counted, written });
            }
            thread::sleep(Duration::from_millis(100));
        }
    }

    /// What the regions of a table take on disk, by the store itself, as soon as it is within `expected`. HBase tells it in megabytes,
    /// a moment after a flush; what it tells in the end may be something else.
    ///
    /// # Errors
    /// As [`Stage::rowkey`].
    pub fn region_bytes(&mut self, table: &str, expected: RangeInclusive<u64>) -> Told<u64> {
        let mut tries = 100;
        loop {
            let answer = self.run(&["--json", "regions", table])?.expect(&[0], "0")?;
            let size = answer.json()?.iter().filter_map(|region| region["size"].as_u64()).sum();
            tries -= 1;
            if expected.contains(&size) || tries == 0 || !self.on_hbase() {
                self.show_command(&answer);
                return Ok(size);
            }
            thread::sleep(Duration::from_millis(100));
        }
    }
}

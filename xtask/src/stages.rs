//! Tells where a long run in stages is, and what took the time.
//!
//! A budget is what a stage should take on a machine of two cores with an empty target folder. Past it there is a
//! warning, never a failure: a slow machine is not a bug.

use std::fmt::Write;
use std::time::{Duration, Instant};

use crate::Outcome;

/// A run of numbered stages.
pub(crate) struct Stages {
    count: usize,
    done: Vec<Done>,
    started: Instant,
}

struct Done {
    name: &'static str,
    budget: Duration,
    took: Duration,
    failed: bool,
}

impl Stages {
    pub(crate) fn new(count: usize) -> Self {
        Self { count, done: Vec::new(), started: Instant::now() }
    }

    /// Runs one stage and says how long it took.
    pub(crate) fn run(
        &mut self,
        name: &'static str,
        budget_minutes: u64,
        work: impl FnOnce() -> Outcome,
    ) -> Outcome {
        let label = format!("[{}/{}] {name}", self.done.len() + 1, self.count);
        let budget = Duration::from_secs(60 * budget_minutes);
        println!("{label} … (budget {budget_minutes} min)");
        let started = Instant::now();
        let outcome = work();
        let took = started.elapsed();
        let end = if outcome.is_ok() { "done" } else { "FAILED" };
        println!("{label} … {end} in {} (budget {budget_minutes} min)", duration(took));
        if took > budget {
            println!("warning: {name} took longer than its budget");
        }
        self.done.push(Done { name, budget, took, failed: outcome.is_err() });
        outcome
    }

    /// All stages so far, and the total.
    pub(crate) fn table(&self) -> String {
        let mut table = String::from("\nstage                          time    budget\n");
        for Done { name, budget, took, failed } in &self.done {
            let note = match (failed, took > budget) {
                (true, _) => "  FAILED",
                (false, true) => "  over budget",
                (false, false) => "",
            };
            let _ = writeln!(table, "{name:<24}{:>11}{:>10}{note}", duration(*took), duration(*budget));
        }
        let budget = self.done.iter().map(|done| done.budget).sum();
        let _ =
            write!(table, "{:<24}{:>11}{:>10}", "total", duration(self.started.elapsed()), duration(budget));
        table
    }
}

fn duration(time: Duration) -> String {
    let seconds = time.as_secs();
    match (seconds / 60, seconds % 60) {
        (0, _) if seconds < 10 => format!("{:.1} s", time.as_secs_f64()),
        (0, seconds) => format!("{seconds} s"),
        (minutes, 0) => format!("{minutes} min"),
        (minutes, seconds) => format!("{minutes} min {seconds} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Failure;

    #[test]
    fn durations_are_written_as_people_say_them() {
        let shown = [0.5, 41.2, 60.0, 125.0].map(|seconds| duration(Duration::from_secs_f64(seconds)));
        assert_eq!(shown, ["0.5 s", "41 s", "1 min", "2 min 5 s"]);
    }

    #[test]
    fn the_table_names_what_failed_and_what_was_over_budget() {
        let mut stages = Stages::new(3);
        stages.run("good", 1, || Ok(())).unwrap();
        stages.run("slow", 0, || Ok(())).unwrap();
        stages.run("bad", 1, || Err(Failure::new("no"))).unwrap_err();
        let table = stages.table();
        let line = |name: &str| table.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
        assert!(line("good").ends_with("1 min"), "{table}");
        assert!(line("slow").ends_with("over budget"), "{table}");
        assert!(line("bad").ends_with("FAILED"), "{table}");
        assert!(line("total").ends_with("2 min"), "{table}");
    }
}

//! The report of all turns.

use super::candidate::{Candidate, Turn};

/// One kind of work, done by all.
pub struct Job {
    pub title: String,
    pub names: Vec<&'static str>,
    /// Of each candidate, round by round; the first is ours.
    pub turns: Vec<Vec<Turn>>,
}

/// What ours should reach.
#[derive(Debug, Clone, Copy)]
pub struct Goal {
    /// Of the faster rival's rate.
    pub throughput: f64,
    /// Of Java's processor time, at most.
    pub cpu_of_java: Option<f64>,
}

pub fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len().saturating_sub(1) / 2).copied().unwrap_or(f64::NAN)
}

fn verdict(reached: bool) -> &'static str {
    if reached { "reached" } else { "MISSED" }
}

impl Job {
    /// Median over the rounds of something that is worked out within a round.
    fn over_rounds(&self, figure: impl Fn(usize) -> f64) -> f64 {
        let rounds = self.turns.first().map_or(0, Vec::len);
        median((0..rounds).map(figure).collect())
    }

    /// Operations a second of ours.
    pub fn rate_of_first(&self) -> f64 {
        self.over_rounds(|round| self.turns[0][round].rate())
    }

    /// Prints a table and how the goals fared.
    pub fn show(&self, goal: Goal) {
        println!("## {}\n", self.title);
        println!("| client  | operations/s | ours to it | client CPU, µs/operation | ours to it |");
        println!("| ------- | -----------: | ---------: | -----------------------: | ---------: |");
        for (name, turns) in self.names.iter().zip(&self.turns) {
            let rate = median(turns.iter().map(Turn::rate).collect());
            let cpu = median(turns.iter().map(Turn::cpu).collect());
            let of = self.over_rounds(|round| self.turns[0][round].rate() / turns[round].rate());
            let cpu_of = self.over_rounds(|round| self.turns[0][round].cpu() / turns[round].cpu());
            println!("| {name:<7} | {rate:>12.0} | {of:>10.2} | {cpu:>24.2} | {cpu_of:>10.2} |");
        }
        println!();
        if self.turns.len() > 1 {
            let fastest =
                |round: usize| self.turns[1..].iter().map(|turns| turns[round].rate()).fold(0.0, f64::max);
            let ratio = self.over_rounds(|round| self.turns[0][round].rate() / fastest(round));
            let reached = verdict(ratio >= goal.throughput);
            println!("throughput: {ratio:.2} of the faster rival; goal {} {reached}", goal.throughput);
        }
        let java = self.names.iter().position(|name| *name == "Java");
        if let (Some(limit), Some(java)) = (goal.cpu_of_java, java) {
            let ratio = self.over_rounds(|round| self.turns[0][round].cpu() / self.turns[java][round].cpu());
            println!("processor: {ratio:.2} of Java's; goal {limit} {}", verdict(ratio <= limit));
        }
        println!();
    }
}

/// The peak of each client's memory, over all jobs.
pub fn memory(candidates: &[Candidate]) {
    println!("## memory\n\n| client  | peak, MB | ours to it |\n| ------- | -------: | ---------: |");
    let ours = candidates.first().map_or(f64::NAN, Candidate::peak_megabytes);
    for candidate in candidates {
        let peak = candidate.peak_megabytes();
        println!("| {:<7} | {peak:>8.1} | {:>10.2} |", candidate.name, ours / peak);
    }
    if let Some(java) = candidates.iter().find(|candidate| candidate.name == "Java") {
        let ratio = ours / java.peak_megabytes();
        println!("\nmemory: {ratio:.2} of Java's; goal 0.1 {}\n", verdict(ratio <= 0.1));
    }
}

pub fn in_flight(how: &str, one: f64, many: f64, goal: f64) {
    let ratio = many / one;
    println!(
        "gets {how}: {one:.0}/s with 1 in flight, {many:.0}/s with 64: {ratio:.1} times; goal {goal} {}",
        verdict(ratio >= goal)
    );
}

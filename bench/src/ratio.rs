//! Compares candidates on a machine that is never quiet.
//!
//! They take turns: in a round each does its work once, for a good part of a millisecond, and its time is divided by the time of
//! the first candidate in the same round. What disturbs the machine disturbs neighbours alike, so the median of these
//! ratios holds still where nanoseconds do not. Each round begins with another candidate, so that nobody always
//! runs behind the same one.

use std::fmt;
use std::time::{Duration, Instant};

use crate::allocations::counted;

/// A turn takes at least so long: enough for the clock, and short enough that most turns are over before another process
/// of a busy machine gets the core; the median leaves the others out.
const TURN: Duration = Duration::from_micros(400);

/// Candidates for the same work; the first is what the others are compared with.
pub struct Table<'a> {
    title: String,
    keys: usize,
    candidates: Vec<Candidate<'a>>,
}

struct Candidate<'a> {
    name: String,
    bytes_per_key: f64,
    allocations_per_key: Option<f64>,
    work: Work<'a>,
}

enum Work<'a> {
    /// One pass over all keys, and how many passes a turn takes.
    Here { pass: Box<dyn FnMut() + 'a>, passes: u32 },
    /// Somebody else measures: nanoseconds for a key.
    Elsewhere(Box<dyn FnMut() -> f64 + 'a>),
}

impl<'a> Table<'a> {
    /// An empty table; every pass makes or reads `keys` keys.
    pub fn new(title: impl Into<String>, keys: usize) -> Self {
        Self { title: title.into(), keys, candidates: Vec::new() }
    }

    /// Adds a candidate of this process, which must keep its result from being optimised away.
    pub fn here(&mut self, name: &str, bytes_per_key: f64, mut pass: impl FnMut() + 'a) {
        // Warm: caches are filled and buffers have grown.
        pass();
        let allocations_per_key = Some(counted(&mut pass) as f64 / self.keys as f64);
        let mut passes = 1;
        while took(|| (0..passes).for_each(|_| pass())) < TURN {
            passes *= 2;
        }
        let work = Work::Here { pass: Box::new(pass), passes };
        self.candidates.push(Candidate { name: name.into(), bytes_per_key, allocations_per_key, work });
    }

    /// Adds a candidate of another process, which says how many nanoseconds a key took.
    pub fn elsewhere(&mut self, name: &str, bytes_per_key: f64, measure: impl FnMut() -> f64 + 'a) {
        let work = Work::Elsewhere(Box::new(measure));
        let name = name.into();
        self.candidates.push(Candidate { name, bytes_per_key, allocations_per_key: None, work });
    }

    /// Lets all take their turns.
    pub fn run(mut self, rounds: usize) -> Report {
        let count = self.candidates.len();
        let mut times = vec![Vec::with_capacity(rounds); count];
        for round in 0..rounds {
            for at in (0..count).map(|place| (place + round) % count) {
                times[at].push(self.candidates[at].turn(self.keys));
            }
        }
        let first = times.first().cloned().unwrap_or_default();
        let lines = self.candidates.into_iter().zip(times).map(|(candidate, times)| {
            let ratios = times.iter().zip(&first).map(|(time, first)| time / first).collect();
            let [low, ratio, high] = quartiles(ratios);
            let [_, nanoseconds, _] = quartiles(times.clone());
            let Candidate { name, bytes_per_key, allocations_per_key, .. } = candidate;
            Line { name, bytes_per_key, nanoseconds, ratio, low, high, allocations_per_key, times }
        });
        Report { title: self.title, lines: lines.collect() }
    }
}

impl Candidate<'_> {
    /// Nanoseconds for a key.
    fn turn(&mut self, keys: usize) -> f64 {
        match &mut self.work {
            Work::Here { pass, passes } => {
                let time = took(|| (0..*passes).for_each(|_| pass()));
                time.as_nanos() as f64 / f64::from(*passes) / keys as f64
            }
            Work::Elsewhere(measure) => measure(),
        }
    }
}

fn took(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

/// The lower quartile, the median and the upper quartile.
fn quartiles(mut figures: Vec<f64>) -> [f64; 3] {
    figures.sort_by(f64::total_cmp);
    let last = figures.len().saturating_sub(1);
    [last / 4, last / 2, last - last / 4].map(|at| figures.get(at).copied().unwrap_or(f64::NAN))
}

/// What a table came to; prints as Markdown.
pub struct Report {
    title: String,
    lines: Vec<Line>,
}

struct Line {
    name: String,
    bytes_per_key: f64,
    nanoseconds: f64,
    ratio: f64,
    low: f64,
    high: f64,
    allocations_per_key: Option<f64>,
    /// Of each round.
    times: Vec<f64>,
}

impl Report {
    /// The time of one candidate as a multiple of another's, both by their places: the median over the rounds.
    pub fn ratio(&self, of: usize, to: usize) -> f64 {
        let (Some(of), Some(to)) = (self.lines.get(of), self.lines.get(to)) else { return f64::NAN };
        let [_, ratio, _] = quartiles(of.times.iter().zip(&to.times).map(|(of, to)| of / to).collect());
        ratio
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name_width = self.lines.iter().map(|line| line.name.chars().count()).max().unwrap_or(0);
        writeln!(f, "## {}\n", self.title)?;
        writeln!(
            f,
            "| {:<name_width$} | bytes/key | ns/key | ratio    | middle half      | allocations/key |",
            ""
        )?;
        writeln!(
            f,
            "| {:-<name_width$} | --------: | -----: | -------: | ---------------: | --------------: |",
            ""
        )?;
        for line in &self.lines {
            let middle = format!("{:.2} to {:.2}", line.low, line.high);
            let allocations = line.allocations_per_key.map_or("–".into(), |count| format!("{count:.2}"));
            writeln!(
                f,
                "| {:<name_width$} | {:>9.1} | {:>6.2} | {:>7.2}x | {middle:>16} | {allocations:>15} |",
                line.name, line.bytes_per_key, line.nanoseconds, line.ratio
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;

    #[test]
    fn quartiles_are_taken_from_sorted_figures() {
        assert_eq!(quartiles(vec![5.0, 1.0, 4.0, 2.0, 3.0]), [2.0, 3.0, 4.0]);
        assert_eq!(quartiles(vec![7.0]), [7.0; 3]);
    }

    #[test]
    fn ratios_are_to_the_first_candidate_of_the_same_round() {
        let mut table = Table::new("a", 1);
        let (mut slow, mut quick) = ([1.0, 10.0, 100.0].iter(), [2.0, 20.0, 200.0].iter());
        table.elsewhere("first", 1.0, move || *slow.next().unwrap());
        table.elsewhere("second", 1.0, move || *quick.next().unwrap());
        let report = table.run(3);
        let figures: Vec<(f64, f64)> =
            report.lines.iter().map(|line| (line.nanoseconds, line.ratio)).collect();
        assert_eq!(figures, [(10.0, 1.0), (20.0, 2.0)]);
        assert_eq!((report.ratio(0, 1), report.ratio(1, 0)), (0.5, 2.0));
        assert!(report.ratio(0, 2).is_nan());
    }

    #[test]
    fn allocations_of_a_pass_are_divided_among_its_keys() {
        let mut table = Table::new("a", 4);
        table.here("one", 1.0, || drop(black_box(vec![black_box(0_u8); 3])));
        let shown = table.run(1).to_string();
        assert!(shown.contains(" 0.25 |"), "{shown}");
    }
}

//! What do keys by experts cost, counted on the embedded store, and how near does the advice come?
//!
//! Sixteen kinds of data sets, each with at least eight designs that an expert could propose, good and bad. The counts are
//! in `testdata/experts.txt`; `ROWKEY_BLESS=1` writes it anew. Every run measures some of the sets again and asks for advice on one, on all of them
//! with `ROWKEY_EXPERTS=all cargo test --release -p rowkey-lab --test it experts:: -- --nocapture`.

pub(crate) mod counting;
pub(crate) mod design;
mod measure;
mod people;
mod price;
mod report;
mod series;
pub(crate) mod set;
mod things;

use std::collections::HashSet;
use std::path::PathBuf;
use std::time::Instant;

use rowkey_core::Table;
use rowkey_core::table::Splits;
use rowkey_lab::advise::{Options, Proposal, Study};
use set::{Drawn, Expert, Outcome, REGIONS, SERVERS, Set};

const SEEDS: [u64; 3] = [1, 2, 3];
/// The sets of every run, with the first seed.
const QUICK: [&str; 4] = ["iot", "ticks", "chat", "tiny"];
/// The set that advice is asked for in every run.
const ADVISED: &str = "uuids";
/// What is recommended may cost so many times what the best expert's design does.
const WITHIN: f64 = 1.10;

fn all_sets() -> impl Iterator<Item = Set> {
    series::SETS.into_iter().chain(people::SETS).chain(things::SETS)
}

fn is_set(variable: &str) -> bool {
    std::env::var_os(variable).is_some()
}

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/experts.txt")
}

#[test]
fn the_sets_are_what_they_say() {
    let sets: Vec<Set> = all_sets().collect();
    assert_eq!(sets.len(), 16);
    for set in &sets {
        assert!(set.experts.len() >= 8, "{}: {} experts", set.name, set.experts.len());
        let drawn = set.draw(SEEDS[0]);
        let identity = set.identity(&drawn.fields);
        let mut seen = HashSet::new();
        for record in drawn.sample.iter().chain(&drawn.later) {
            let own: Vec<String> = identity.iter().map(|field| record[field.0].to_string()).collect();
            assert!(seen.insert(own), "{}: {record:?}", set.name);
        }
    }
}

#[test]
fn the_counts_of_the_experts_are_those_of_the_file() {
    let is_blessing = is_set("ROWKEY_BLESS");
    let everything = is_blessing || is_set("ROWKEY_EXPERTS");
    let file = std::fs::read_to_string(path()).unwrap_or_default();
    let (mut blocks, mut changed) = (Vec::new(), Vec::new());
    for set in all_sets().filter(|set| everything || QUICK.contains(&set.name)) {
        let (mut block, start) = (report::heading(&set), Instant::now());
        for seed in if everything { &SEEDS[..] } else { &SEEDS[..1] } {
            for line in measured(&set, *seed) {
                if !file.contains(&line) {
                    changed.push(format!("{}: {}", set.name, line.trim_end()));
                }
                block.push_str(&line);
            }
        }
        if !file.contains(&report::heading(&set)) {
            changed.push(format!("the heading of {}", set.name));
        }
        println!("{}: measured in {:.1} s", set.name, start.elapsed().as_secs_f64());
        blocks.push(block);
    }
    let made = report::file(&blocks);
    for set in all_sets().filter(|set| everything || QUICK.contains(&set.name)) {
        for seed in if everything { &SEEDS[..] } else { &SEEDS[..1] } {
            let (expert, cost) = report::best(&made, &set, *seed).expect("a design that keeps all");
            println!("{} {seed}: {cost:.2} by {}", set.name, report::described(expert));
        }
    }
    if is_blessing {
        std::fs::write(path(), made).expect("the file can be written");
        return;
    }
    assert!(
        changed.is_empty(),
        "not in testdata/experts.txt; ROWKEY_BLESS=1 writes it anew:\n{}",
        changed.join("\n")
    );
}

/// The lines of a set and seed.
fn measured(set: &Set, seed: u64) -> Vec<String> {
    let drawn = set.draw(seed);
    let mut returned: Option<Vec<u64>> = None;
    let mut lines = Vec::new();
    for (place, expert) in set.experts.iter().enumerate() {
        let counts = measure::measure(&drawn, &design::table(set, &drawn, expert));
        let name = format!("{}: {}", set.name, report::described(expert));
        let seen = match (counts.lost, counts.refused) {
            (0, 0) => Outcome::Keeps,
            (_, 0) => Outcome::Loses,
            _ => Outcome::Refuses,
        };
        assert_eq!(seen, expert.outcome, "{name}: {} lost, {} refused", counts.lost, counts.refused);
        if seen == Outcome::Keeps {
            // Whatever the design, the answers are the same.
            let own: Vec<u64> =
                counts.queries.iter().map(|all| all.iter().map(|counted| counted.returned).sum()).collect();
            assert_eq!(*returned.get_or_insert_with(|| own.clone()), own, "{name}");
        }
        lines.push(report::line(set, place, seed, &counts));
    }
    lines
}

#[test]
fn the_recommended_design_is_within_a_tenth_of_the_best_expert() {
    let file = std::fs::read_to_string(path()).expect("ROWKEY_BLESS=1 writes it");
    let seeds = if is_set("ROWKEY_EXPERTS") { &SEEDS[..] } else { &SEEDS[..1] };
    let (mut seen, mut wrong) = (0, Vec::new());
    println!("{:<17} seed   cost  best  ratio  lost refused  recommended", "set");
    for set in all_sets().filter(is_wanted) {
        for seed in seeds {
            let (expert, best) = report::best(&file, &set, *seed).expect("the set is in the file");
            let advised = Advised::of(&set, *seed, best);
            println!("{}", advised.line);
            println!("{:>58} {}", "best expert:", report::described(expert));
            if !advised.is_good() {
                wrong.push(advised.line);
            }
            seen += 1;
        }
    }
    assert!(seen > 0, "ROWKEY_EXPERTS is `all` or names of sets, with commas between them");
    assert!(
        wrong.is_empty(),
        "over a tenth dearer than the best expert, or rows lost or refused:\n{}",
        wrong.join("\n")
    );
}

/// `ROWKEY_EXPERTS` is `all` or names of sets, with commas between them; without it a quick set is looked at.
fn is_wanted(set: &Set) -> bool {
    let wanted = std::env::var("ROWKEY_EXPERTS").unwrap_or_else(|_| ADVISED.to_owned());
    wanted == "all" || wanted.split(',').any(|name| name == set.name)
}

/// What is recommended from the sample alone, measured as the experts are. The ratio means something only where
/// nothing is lost or refused: rows that are not there cost nothing to read.
struct Advised {
    ratio: f64,
    lost: u64,
    refused: u64,
    line: String,
}

impl Advised {
    fn of(set: &Set, seed: u64, best: f64) -> Self {
        let drawn = set.draw(seed);
        let proposal = recommended(set, &drawn, seed)
            .unwrap_or_else(|error| panic!("{} {seed}: no advice: {error}", set.name));
        let mut table =
            Table::parse("advised.toml", &proposal.file).unwrap_or_else(|findings| panic!("{findings}"));
        // A file that was given has no split points; the proposal says where it is cut.
        table.splits = Splits::Keys(proposal.splits.clone());
        design::cut_indexes(&mut table, &drawn.sample, set.regions);
        let counts = measure::measure(&drawn, &table);
        let cost = price::cost(set, &counts);
        let (ratio, lost, refused) = (cost / best, counts.lost, counts.refused);
        let mut key = proposal.key.clone();
        for index in &proposal.indexes {
            let copies = if index.columns.is_empty() { "" } else { " with copies" };
            key.push_str(&format!(" + {}{copies}", index.key));
        }
        let name = set.name;
        let line = format!(
            "{name:<17} {seed:>4} {cost:>6.1} {best:>5.1} {ratio:>6.2} {lost:>5} {refused:>7}  {key}"
        );
        Self { ratio, lost, refused, line }
    }

    fn is_good(&self) -> bool {
        self.ratio <= WITHIN && self.lost == 0 && self.refused == 0
    }
}

fn recommended(set: &Set, drawn: &Drawn, seed: u64) -> Result<Proposal, String> {
    // The experts' tables are cut, however small they are; only a table that is meant to be tiny is cut by its size.
    let regions = (set.name != "tiny").then_some(REGIONS as usize);
    let (table, servers, writes) = ("t".to_owned(), SERVERS, set.writes);
    let options = Options { table, servers, regions, writes, seed, ..Options::default() };
    // The identity is said by a table file, which needs a key: the identity itself.
    let parts: String = set.identity.iter().map(|name| format!("[{name}{}]", ending(set, name))).collect();
    let naive = Expert { key: parts.leak(), indexes: &[], outcome: Outcome::Keeps, regions: None };
    let given = set.is_declared.then(|| design::table(set, drawn, &naive));
    let (records, questions) = (drawn.sample.clone(), set.questions());
    let advice = Study::of_records(set.name, &drawn.fields, records, &questions, given.as_ref(), &options)
        .and_then(|study| study.advise(&options, &mut |_| true))
        .map_err(|error| error.to_string())?;
    advice.proposals.into_iter().next().ok_or("no proposal".to_owned())
}

/// Text needs an end, but as the last part.
fn ending(set: &Set, name: &str) -> &'static str {
    let is_text = set.fields.contains(&(name, "text"));
    if is_text && set.identity.last() != Some(&name) { ": escaped" } else { "" }
}

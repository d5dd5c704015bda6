//! `testdata/experts.txt`: one line for each set, design and seed.

use std::fmt::Write as _;

use super::measure::{Counts, QueryCounts};
use super::price::cost;
use super::set::{DRAWS, Expert, Outcome, Set};

const HEAD: &str = "\
# What keys by experts do on the embedded store, counted. Made by crates/rowkey-lab/tests/experts; read every change.
#
# cost      of an operation, in rows of a scan, by the prices of tests/experts/price.rs
# lost      records that were taken and are not there; refused: records that have no key
# of each query, summed over its draws:
#   by      which table answers: 0 is the table, 1 its first index table
#   rows    read by scans and gets; back: of these, against the order of keys
#   ranges  opened; gets: rows asked for by key; jumps: of a skip scan; looked: rows that index entries led to
# of each table, behind the queries: writes of the busiest server in each of ten steps / all writes, bytes of a key
";

/// The file, from a block for each set.
pub(crate) fn file(blocks: &[String]) -> String {
    format!("{HEAD}# {DRAWS} draws of each query\n{}", blocks.concat())
}

/// What is said of a set before its lines.
pub(crate) fn heading(set: &Set) -> String {
    let told = if set.is_declared { "declared" } else { "not declared" };
    let mut out = format!(
        "\nset {}: {} records and {} later; identity {} ({told}); {:.0}% writes\n",
        set.name,
        set.sizes.sample,
        set.sizes.later,
        set.identity.join(", "),
        set.writes * 100.0
    );
    for (number, asked) in set.queries.iter().enumerate() {
        let _ = writeln!(out, "  q{} {:>3}%  {}", number + 1, asked.weight, asked.text);
    }
    for (place, expert) in set.experts.iter().enumerate() {
        let _ = writeln!(out, "  {}  {}", letter(place), described(expert));
    }
    let mut columns = format!("{:>5} {:>6} {:>10} {:>6} {:>8}", "seed", "design", "cost", "lost", "refused");
    for number in 1..=set.queries.len() {
        let _ = write!(columns, "  | q{number} {}", QUERY_COLUMNS);
    }
    let _ = writeln!(out, "{columns}  | tables");
    out
}

const QUERY_COLUMNS: &str = "by    rows   back ranges  gets jumps looked sorted returned";

/// The line of a design and a seed.
pub(crate) fn line(set: &Set, place: usize, seed: u64, counts: &Counts) -> String {
    let mut out = format!(
        "{seed:>5} {:>6} {:>10.2} {:>6} {:>8}",
        letter(place),
        cost(set, counts),
        counts.lost,
        counts.refused
    );
    for by_table in &counts.queries {
        let shown: Vec<String> = by_table.iter().map(query).collect();
        let _ = write!(out, "  |    {}", shown.join(" + "));
    }
    let tables = counts
        .tables
        .iter()
        .map(|table| format!("{}/{} {:.1} B", table.busiest, table.writes, table.mean_key()));
    let _ = writeln!(out, "  | {}", tables.collect::<Vec<_>>().join(", "));
    out
}

fn query(counts: &QueryCounts) -> String {
    let QueryCounts { by, rows, backwards, ranges, gets, jumps, lookups, sorted, returned } = counts;
    format!(
        "{by:>2} {rows:>7} {backwards:>6} {ranges:>6} {gets:>5} {jumps:>5} {lookups:>6} {sorted:>6} {returned:>8}"
    )
}

pub(crate) fn letter(place: usize) -> char {
    char::from(b'a' + place as u8)
}

/// Key, index tables, and what is wrong with it.
pub(crate) fn described(expert: &Expert) -> String {
    let mut out = expert.key.to_owned();
    for index in expert.indexes {
        let _ = write!(out, " + {}{}", index.key, if index.copies { " with copies" } else { "" });
    }
    if let Some(regions) = expert.regions {
        let _ = write!(out, ", {regions} region");
    }
    match expert.outcome {
        Outcome::Keeps => {}
        Outcome::Loses => out.push_str(" (loses rows)"),
        Outcome::Refuses => out.push_str(" (refuses records)"),
    }
    out
}

/// The cheapest design of a set and seed that keeps every record, and its cost, by the file.
pub(crate) fn best<'s>(file: &str, set: &'s Set, seed: u64) -> Option<(&'s Expert, f64)> {
    let heading = format!("set {}:", set.name);
    let block = file.lines().skip_while(|line| !line.starts_with(&heading)).skip(1);
    let block = block.take_while(|line| !line.starts_with("set "));
    let design = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().take(3).collect();
        let [of, letter, cost] = words[..] else { return None };
        let place = usize::from(*letter.as_bytes().first()?).checked_sub(usize::from(b'a'))?;
        let is_seed = of.parse() == Ok(seed);
        Some((set.experts.get(place).filter(|_| is_seed)?, cost.parse::<f64>().ok()?))
    };
    let kept = block.filter_map(design).filter(|(expert, _)| expert.outcome == Outcome::Keeps);
    kept.min_by(|a, b| a.1.total_cmp(&b.1))
}

//! The tables of upper and lower case, for keys that need them: those of the core, not those of the Python that runs.

use crate::case_tables::{self, CaseTable, Ranges};

/// The constants that a runtime mentions.
pub(super) fn tables(runtime: &str) -> String {
    let mut out = String::new();
    for (name, table) in [("_UPPER", case_tables::upper()), ("_LOWER", case_tables::lower())] {
        if runtime.contains(name) {
            let runs = table.runs.iter().map(|run| {
                let sign = if run.delta < 0 { "-" } else { "" };
                format!("{:x},{:x},{:x},{sign}{:x}", run.first, run.last, run.step, run.delta.unsigned_abs())
            });
            let runs = strings(runs.collect());
            out.push_str(&format!("\n\n{name} = _case_table(\n{runs}{})\n", strings(several(table))));
        }
    }
    for (name, ranges) in [("_CASED", case_tables::cased()), ("_CASE_IGNORABLE", case_tables::ignored())] {
        if runtime.contains(name) {
            out.push_str(&format!(
                "\n\n{name} = _points(\n{})\n",
                strings(pairs(ranges)).replace("\",\n", "\"\n")
            ));
        }
    }
    out
}

fn several(table: &CaseTable) -> Vec<String> {
    let one = |(from, to): &(char, String)| {
        let points = std::iter::once(*from).chain(to.chars()).map(|point| format!("{:x}", u32::from(point)));
        points.collect::<Vec<_>>().join(",")
    };
    table.several.iter().map(one).collect()
}

fn pairs(ranges: &Ranges) -> Vec<String> {
    ranges.iter().map(|(first, last)| format!("{first:x},{last:x}")).collect()
}

/// An argument of words, as neighbouring texts of a line each.
fn strings(words: Vec<String>) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(line) if line.len() + word.len() < 76 => {
                line.push_str(&word);
                line.push(' ');
            }
            _ => lines.push(format!("{word} ")),
        }
    }
    if lines.is_empty() {
        lines.push(String::new());
    }
    let last = lines.len() - 1;
    let end = |at: usize| if at == last { "," } else { "" };
    lines.iter().enumerate().map(|(at, line)| format!("    \"{line}\"{}\n", end(at))).collect()
}

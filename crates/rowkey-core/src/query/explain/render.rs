//! An explanation as text and as a graph.

use std::fmt;

use super::super::price::Estimate;
use super::super::seek::FuzzyPattern;
use super::{Explanation, Figure, PlanStep, StepKind, counted};

/// More ranges than this are not listed one by one.
const LISTED: usize = 4;

/// The first of many inputs, with a word on the rest.
fn listed(step: &PlanStep) -> (&[PlanStep], Option<String>) {
    let all = &step.inputs;
    let shown = if all.len() > LISTED { LISTED - 1 } else { all.len() };
    let (first, rest) = all.split_at(shown);
    let noun = match rest.first().map(|step| step.kind) {
        None => return (first, None),
        Some(StepKind::Get) => "get",
        Some(_) if all.iter().any(|step| step.kind == StepKind::Merge) => "fan-out",
        Some(_) => "range",
    };
    (first, Some(format!("… {}", counted(rest.len(), &format!("more {noun}")))))
}

impl fmt::Display for Explanation {
    /// As a tree, with what became of each condition below it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.shape)?;
        step(f, &self.root, "", "")?;
        writeln!(f, "order: {}", self.order)?;
        let Estimate { rows, cost, counted } = self.estimate;
        match counted {
            true => writeln!(f, "rows to read: about {rows:.0}, cost {cost:.0} (by the data)")?,
            false => writeln!(f, "rows to read: about {rows:.0} (guessed)")?,
        }
        for condition in &self.conditions {
            let mark = if condition.by_key { "by key" } else { "by row" };
            write!(f, "{mark}: {}", condition.condition)?;
            if let Some(why) = &condition.why {
                write!(f, ": {why}")?;
            }
            writeln!(f)?;
            if let Some(cure) = &condition.cure {
                writeln!(f, "        {cure} would make it a range")?;
            }
        }
        for considered in &self.considered {
            match &considered.outcome {
                Ok(estimate) => writeln!(
                    f,
                    "{}: about {:.0} rows, cost {:.0}",
                    considered.name, estimate.rows, estimate.cost
                )?,
                Err(why) => writeln!(f, "{}: {why}", considered.name)?,
            }
        }
        Ok(())
    }
}

fn step(f: &mut fmt::Formatter<'_>, this: &PlanStep, first: &str, rest: &str) -> fmt::Result {
    writeln!(f, "{first}{}", this.text)?;
    let branch = if this.inputs.is_empty() { "  " } else { "│ " };
    let worth_telling =
        |(name, _): &&(&'static str, Figure)| !matches!(*name, "range" | "key" | "by" | "condition");
    for (name, value) in this.facts.iter().filter(worth_telling).chain(&this.figures) {
        writeln!(f, "{rest}{branch}{name}: {value}")?;
    }
    let (inputs, more) = listed(this);
    for (place, input) in inputs.iter().enumerate() {
        let last = place + 1 == inputs.len() && more.is_none();
        let (here, below) = if last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        step(f, input, &format!("{rest}{here}"), &format!("{rest}{below}"))?;
    }
    match more {
        Some(more) => writeln!(f, "{rest}└─ {more}"),
        None => Ok(()),
    }
}

impl Explanation {
    /// As a graph in Graphviz's language.
    pub fn to_dot(&self) -> String {
        let mut out =
            String::from("digraph plan {\n  rankdir = BT;\n  node [shape = box, fontname = monospace];\n");
        let mut next = 0;
        node(&mut out, &self.root, &mut next);
        out.push_str("}\n");
        out
    }
}

/// Writes a step and those below it; returns its number.
fn node(out: &mut String, step: &PlanStep, next: &mut usize) -> usize {
    let own = *next;
    *next += 1;
    let mut lines = vec![step.text.clone()];
    lines.extend(step.facts.iter().chain(&step.figures).map(|(name, value)| format!("{name}: {value}")));
    let label = lines.join("\n").replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\l");
    out.push_str(&format!("  n{own} [label = \"{label}\\l\"];\n"));
    let (inputs, more) = listed(step);
    let more = more.map(|text| PlanStep { text, ..PlanStep::default() });
    for input in inputs.iter().chain(&more) {
        let from = node(out, input, next);
        out.push_str(&format!("  n{from} -> n{own};\n"));
    }
    own
}

impl fmt::Display for FuzzyPattern {
    /// Escaped, with `?` for every open byte.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (byte, open) in self.bytes.iter().zip(&self.open) {
            if *open { f.write_str("?")? } else { write!(f, "{}", crate::escape::escape(&[*byte]))? }
        }
        Ok(())
    }
}

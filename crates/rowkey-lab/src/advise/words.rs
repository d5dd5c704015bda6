//! The wording of advice.

use rowkey_core::key::FieldId;

use super::Study;
use super::mind::What;
use super::proposal::{Figures, Proposal};
use crate::heat::grouped;
use crate::simulate::QueryCost;

/// What a design is better and worse at than the recommended one; and whether it is better at anything.
pub(super) fn trade_off(own: &Proposal, recommended: Option<&Proposal>, study: &Study) -> (String, bool) {
    let Some(best) = recommended else {
        return (summary(own, study), true);
    };
    let (mut better, mut worse) = (Vec::new(), Vec::new());
    let Figures { hot, key_bytes, writes, .. } = own.figures;
    let other = best.figures;
    if hot.usual < other.hot.usual * 0.9 {
        better.push(format!(
            "spreads writes better ({:.1} instead of {:.1} times the mean)",
            hot.usual, other.hot.usual
        ));
    } else if hot.usual > other.hot.usual * 1.1 {
        worse.push(format!("the busiest server takes {:.1} times the mean of the writes", hot.usual));
    }
    if writes != other.writes {
        let list = if writes < other.writes { &mut better } else { &mut worse };
        list.push(format!("writes {} for a record instead of {}", noun(writes, "row"), plain(other.writes)));
    }
    // What each query costs more, by its share.
    let queries = own.queries.iter().zip(&best.queries).zip(&study.asked.queries);
    let mut reads: Vec<(f64, String)> = queries
        .map(|((query, of_best), asked)| {
            let difference = asked.share * (query.cost - of_best.cost);
            (difference, format!("“{}” {}", asked.query.name, read(query, of_best)))
        })
        .collect();
    reads.sort_by(|a, b| a.0.total_cmp(&b.0));
    let noticeable = |(difference, _): &&(f64, String)| difference.abs() > 0.03 * other.read.max(1.0);
    let text = |(_, text): &(f64, String)| text.clone();
    better.extend(reads.first().filter(|read| read.0 < 0.0).filter(noticeable).map(text));
    worse.extend(reads.last().filter(|read| read.0 > 0.0).filter(noticeable).map(text));
    if key_bytes <= other.key_bytes - 1.0 {
        better.push(format!("keys are {} shorter", noun(other.key_bytes - key_bytes, "byte")));
    } else if key_bytes >= other.key_bytes + 1.0 {
        worse.push(format!("keys are {} longer", noun(key_bytes - other.key_bytes, "byte")));
    }
    let gains = !better.is_empty();
    let text = match (better.is_empty(), worse.is_empty()) {
        (true, true) => "as good as the recommended one in every figure".to_owned(),
        (false, true) => {
            format!("{}; but the recommended one is simpler, and costs about the same", better.join(", "))
        }
        (true, false) => format!("gains nothing with these weights: {}", worse.join(", ")),
        (false, false) => format!("{}, but {}", better.join(", "), worse.join(", ")),
    };
    (text, gains)
}

/// What a query reads, beside what it reads in the recommended design.
fn read(query: &QueryCost, of_best: &QueryCost) -> String {
    let (own, best) = (&query.reading, &of_best.reading);
    if query.reads_all() {
        "reads the whole table".to_owned()
    } else if (own.rows - best.rows).abs() >= 1.0 && query.by == of_best.by {
        format!("reads {} instead of {}", noun(own.rows, "row"), plain(best.rows))
    } else if (query.opened() - of_best.opened()).abs() >= 0.5 {
        format!("opens {} instead of {}", noun(query.opened(), "range"), plain(of_best.opened()))
    } else {
        format!("costs {} instead of {}", plain(query.cost), plain(of_best.cost))
    }
}

/// What the recommended design does.
fn summary(own: &Proposal, study: &Study) -> String {
    let spread = if own.splits.is_empty() {
        "keeps all rows in one region".to_owned()
    } else if own.figures.hot.usual <= 1.5 && own.warnings.is_empty() {
        "spreads writes evenly".to_owned()
    } else {
        format!("lets the busiest server take {:.1} times the mean of the writes", own.figures.hot.usual)
    };
    let whole = own.queries.iter().zip(&study.asked.queries).filter(|(query, _)| query.reads_all());
    let whole: Vec<String> = whole.map(|(_, asked)| format!("“{}”", asked.query.name)).collect();
    let reads = if whole.is_empty() {
        "answers every query by reading a part of the table".to_owned()
    } else {
        format!("reads the whole table for {}, which an index table would not repay", whole.join(" and "))
    };
    let tables = match own.indexes.len() {
        0 => String::new(),
        1 => ", with one index table".to_owned(),
        more => format!(", with {more} index tables"),
    };
    format!("{spread} and {reads}{tables}")
}

/// What would have to be different.
pub(super) fn change(what: What, (now, at): (f64, f64), name: &str, study: &Study) -> String {
    let direction = if at < now { "under" } else { "over" };
    let (at, now) = (percent(at), percent(now));
    match what {
        What::Writes => {
            format!("if writes were {direction} {at} of the operations (now {now}), {name} would win")
        }
        What::Query(query) => {
            let query = study.asked.queries.get(query).map_or("", |asked| asked.query.name.as_str());
            format!("if “{query}” were {direction} {at} of the queries (now {now}), {name} would win")
        }
    }
}

/// What becomes of a value that many records have.
pub(super) fn celebrity(
    study: &Study,
    (field, value, share): &(FieldId, String, f64),
    is_spread: bool,
    (cost, other): (f64, Option<(&str, f64)>),
    shown: Option<&Proposal>,
) -> String {
    let name = &study.fields.get(*field).name;
    let who = format!("`{name}` {value} has {} of all records", percent(*share));
    if is_spread {
        let key = shown.map_or("", |proposal| proposal.key.as_str());
        return format!("{who}: {key} spreads them over several regions");
    }
    let hot = shown.map_or(0.0, |proposal| proposal.figures.hot.usual);
    match other {
        Some((key, other)) if other > cost => format!(
            "{who}: they stay together, because a salt within `{name}` costs {} more than it saves: {key} would cost {:.1} an operation \
             instead of {:.1}, although the busiest server takes {hot:.1} times the mean",
            percent(other / cost - 1.0),
            other,
            cost
        ),
        Some((key, _)) => {
            format!("{who}: they stay together; {key} would spread them at about the same cost")
        }
        None => {
            format!("{who}: they stay together; nothing else tells their rows apart that a salt could be of")
        }
    }
}

/// A share for people.
pub(super) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent >= 10.0 { format!("{percent:.0}%") } else { format!("{percent:.1}%") }
}

/// A number for people: three digits, thousands apart.
pub(super) fn plain(number: f64) -> String {
    if number < 9.95 {
        let text = format!("{number:.1}");
        return text.strip_suffix(".0").map_or(text.clone(), str::to_owned);
    }
    grouped(number.round_ties_even() as u64)
}

fn noun(number: f64, noun: &str) -> String {
    let number = plain(number);
    if number == "1" { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

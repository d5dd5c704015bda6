//! Advice for people.

use rowkey_lab::advise::{Advice, Lead, Proposal, SERVER_WRITES, Study};
use rowkey_lab::profile::FieldProfile;

use crate::args::Advise;
use crate::commands::profile::{distinct, most_often};
use crate::output::{Cell, Output, Rows, cell, counted, grouped, number};

pub(super) fn print(
    advice: &Advice,
    study: &Study,
    arguments: &Advise,
    output: &mut Output,
) -> anyhow::Result<()> {
    let mut names = vec!["", "key and index tables", "busiest", "a read", "key", "written", "cost"];
    if arguments.rate.is_some() {
        names.insert(3, "writes/s");
    }
    let mut rows = Rows::new(names);
    for proposal in &advice.proposals {
        let mut keys = vec![proposal.key.clone()];
        for index in &proposal.indexes {
            let copies = if index.columns.is_empty() { "" } else { " with copies" };
            keys.push(format!("  {}{copies}: {}", index.name, index.key));
        }
        let figures = &proposal.figures;
        let mut row = vec![
            cell(named(proposal)),
            Cell::lines(keys),
            number(format!("{:.1}×", figures.hot.usual)),
            number(plain(figures.read)),
            number(format!("{} B", plain(figures.key_bytes))),
            number(format!("{}×", plain(figures.writes))),
            number(plain(figures.total)),
        ];
        if let Some(writes) = busiest_writes(proposal, arguments) {
            row.insert(3, number(plain(writes)));
        }
        rows.add(row);
    }
    output.rows(&rows)?;
    output.text(
        "busiest: the busiest server over the mean of the writes; a read and cost (of an operation): in rows of a scan; written: rows \
         for each record\n",
    )?;
    for proposal in &advice.proposals {
        output.text(&format!("{}: {}", proposal.name, proposal.trade_off))?;
    }
    if let Some(best) = advice.proposals.first() {
        output.text("\nA is recommended. Its queries:")?;
        let mut rows = Rows::new(["query", "share", "by", "ranges", "rows read", "returned"]);
        for (query, (name, share)) in best.queries.iter().zip(&advice.queries) {
            let by = match query.by.checked_sub(1).and_then(|place| best.indexes.get(place)) {
                Some(index) => index.name.clone(),
                None => "the table".to_owned(),
            };
            let read = if query.reads_all() { "all".to_owned() } else { plain(query.reading.rows) };
            let sorted = if query.sorted { ", sorted" } else { "" };
            rows.add([
                cell(name),
                number(format!("{:.0}%", share * 100.0)),
                cell(by),
                number(plain(query.opened())),
                number(format!("{read}{sorted}")),
                number(plain(query.reading.returned)),
            ]);
        }
        output.rows(&rows)?;
        known(advice, study, output)?;
        let families = &best.families;
        if families.groups.len() > 1 {
            let groups: Vec<String> =
                families.groups.iter().map(|group| study.names(group).join(", ")).collect();
            output.text(&format!(
                "\nTwo families, {}: queries read {:.0}% fewer bytes.",
                groups.join(" and "),
                families.saved * 100.0
            ))?;
        }
    }
    if !advice.changes.is_empty() {
        output.text("\nWhat would change that:")?;
        for change in &advice.changes {
            output.text(&format!("- {}", change.text))?;
        }
    }
    if !advice.rejected.is_empty() {
        output.text("\nWhy not the usual ones:")?;
        for other in &advice.rejected {
            output.text(&format!(
                "- {}, {} (cost {}): {}",
                other.what,
                other.key,
                plain(other.cost),
                other.why
            ))?;
        }
    }
    output.text("\nTo know:")?;
    let tried = counted(advice.looked_at, "key");
    let (records, sample) = (study.sample.data_rows, advice.sample as u64);
    let part = if records > sample { format!("{} of ", grouped(sample)) } else { String::new() };
    let counted = if part.is_empty() {
        ""
    } else {
        "; busiest and key are counted over all of them, costs over the sample"
    };
    output.text(&format!("- {tried} tried with {part}{} records{counted}", grouped(records)))?;
    if !advice.discarded.is_empty() {
        let reasons: Vec<String> =
            advice.discarded.iter().map(|(why, count)| format!("{count} by: {why}")).collect();
        output.text(&format!("- discarded as wrong: {}", reasons.join("; ")))?;
    }
    if let Some(warning) = advice.proposals.first().and_then(|best| too_many_writes(best, arguments)) {
        output.text(&format!("- {warning}"))?;
    }
    if advice.stopped {
        output.text("- the time was up before all were tried; more with --time-limit")?;
    }
    for note in &advice.notes {
        output.text(&format!("- {note}"))?;
    }
    Ok(())
}

/// Writes a second on the busiest server, if it was said how many records are written.
pub(super) fn busiest_writes(proposal: &Proposal, arguments: &Advise) -> Option<f64> {
    let rate = arguments.rate? as f64;
    Some(proposal.figures.busiest_writes(rate, arguments.servers as usize))
}

fn too_many_writes(best: &Proposal, arguments: &Advise) -> Option<String> {
    let writes = busiest_writes(best, arguments).filter(|writes| *writes > SERVER_WRITES)?;
    Some(format!(
        "the busiest of {} takes {} writes a second with {}, and as a rule of thumb one region server takes {}: more --servers, or fewer index \
         tables (--no-index)",
        counted(arguments.servers, "server"),
        plain(writes),
        best.name,
        plain(SERVER_WRITES)
    ))
}

/// What is known of each design beside its cost: a row for each fact, a column for each design.
fn known(advice: &Advice, study: &Study, output: &mut Output) -> anyhow::Result<()> {
    let names = advice.proposals.iter().map(named);
    let mut rows = Rows::new(std::iter::once("what is known of".to_owned()).chain(names));
    let mut row = |name: &str, fact: &dyn Fn(&Proposal) -> String| {
        let facts = advice.proposals.iter().map(|proposal| cell(fact(proposal)));
        rows.add(std::iter::once(cell(name)).chain(facts));
    };
    let shown = output.shown;
    let lead = |proposal: &Proposal, fact: &dyn Fn(&Lead, &FieldProfile) -> String| {
        let lead = proposal.known.lead.as_ref();
        let lead = lead.and_then(|lead| Some((lead, study.profile.fields.get(lead.field.0)?)));
        let fact = lead.map(|(lead, field)| fact(lead, field));
        fact.filter(|fact| !fact.is_empty()).unwrap_or_else(|| "none".to_owned())
    };
    row("first field", &|own| lead(own, &|_, field| field.name.clone()));
    row("  distinct values", &|own| lead(own, &|_, field| distinct(field)));
    row("  most frequent", &|own| lead(own, &|_, field| most_often(field, shown)));
    row("  order", &|own| lead(own, &|lead, _| lead.trend.name().to_owned()));
    row("  keys rise with it", &|own| lead(own, &|lead, _| if lead.rises { "yes" } else { "no" }.to_owned()));
    let shares = |shares: [f64; 3]| shares.map(|share| format!("{:.0}", share * 100.0)).join("/") + "%";
    row("regions of a read", &|own| shares(touched(own, advice)));
    row("regions of a write", &|own| shares(own.known.writes_touch));
    row("calls of a read", &|own| plain(of_a_read(own, advice).calls));
    row("rows of a read", &|own| plain(of_a_read(own, advice).rows));
    row("bytes of a read", &|own| bytes(of_a_read(own, advice).bytes));
    row("bytes of a row", &|own| {
        own.known.row_bytes.iter().map(|own| plain(*own)).collect::<Vec<_>>().join(" + ")
    });
    row("storage", &|own| bytes(own.known.storage));
    row("updates that change the key", &|own| match own.known.again {
        0 => "none seen".to_owned(),
        again => {
            format!("{:.0}% of {}", own.known.moved as f64 * 100.0 / again as f64, grouped(again as u64))
        }
    });
    output.rows(&rows)?;
    Ok(output.text(&format!(
        "regions: the shares that touch one, several and all; a read: in the mean of the queries; storage: of {} rows, uncompressed, entries \
         included; an update: a record of the sample with the {} of one before, which leaves the old row behind if its key is another",
        grouped(advice.rows),
        study.names(&study.identity).join(", ")
    ))?)
}

/// A design's letter, and whether it is the table that was given.
fn named(proposal: &Proposal) -> String {
    format!("{}{}", proposal.name, if proposal.given { " (yours)" } else { "" })
}

/// What a read takes, in the mean of the queries.
pub(super) struct OfARead {
    pub(super) calls: f64,
    pub(super) rows: f64,
    pub(super) bytes: f64,
}

pub(super) fn of_a_read(proposal: &Proposal, advice: &Advice) -> OfARead {
    let mut read = OfARead { calls: 0.0, rows: 0.0, bytes: 0.0 };
    let queries = proposal.queries.iter().zip(&proposal.known.read_bytes).zip(&advice.queries);
    for ((query, bytes), (_, share)) in queries {
        read.calls += share * query.calls();
        read.rows += share * query.reading.rows;
        read.bytes += share * bytes;
    }
    read
}

/// The shares of reads that touch one region, several, and all.
pub(super) fn touched(proposal: &Proposal, advice: &Advice) -> [f64; 3] {
    let mut sum = [0.0; 3];
    for (query, (_, share)) in proposal.queries.iter().zip(&advice.queries) {
        sum.iter_mut().zip(query.touched).for_each(|(sum, own)| *sum += share * own);
    }
    sum
}

fn bytes(number: f64) -> String {
    let units = ["B", "KB", "MB", "GB", "TB"];
    let (mut number, mut unit) = (number, 0);
    while number >= 1000.0 && unit + 1 < units.len() {
        number /= 1000.0;
        unit += 1;
    }
    format!("{} {}", plain(number), units.get(unit).unwrap_or(&"B"))
}

/// A number for people: one digit behind the point when it is small, thousands apart when it is large.
pub(super) fn plain(number: f64) -> String {
    if number < 9.95 {
        let text = format!("{number:.1}");
        return text.strip_suffix(".0").map_or(text.clone(), str::to_owned);
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "rounded, positive, far from the limits"
    )]
    grouped(number.round() as u64)
}

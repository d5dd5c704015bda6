//! Advice for people.

use comfy_table::CellAlignment;
use rowkey_lab::advise::{Advice, Proposal, SERVER_WRITES, Study};

use crate::args::Advise;
use crate::output::{Output, counted, grouped, lines_cell, table, text_cell};

pub(super) fn print(
    advice: &Advice,
    study: &Study,
    arguments: &Advise,
    output: &mut Output,
) -> anyhow::Result<()> {
    let number = |text: String| text_cell(text).set_alignment(CellAlignment::Right);
    let mut names = vec!["", "key and index tables", "busiest", "a read", "key", "written", "cost"];
    if arguments.rate.is_some() {
        names.insert(3, "writes/s");
    }
    let mut rows = table(&names);
    for proposal in &advice.proposals {
        let mut keys = vec![proposal.key.clone()];
        for index in &proposal.indexes {
            let copies = if index.columns.is_empty() { "" } else { " with copies" };
            keys.push(format!("  {}{copies}: {}", index.name, index.key));
        }
        let figures = &proposal.figures;
        let mut row = vec![
            text_cell(format!("{}{}", proposal.name, if proposal.given { " (yours)" } else { "" })),
            lines_cell(keys),
            number(format!("{:.1}×", figures.hot.usual)),
            number(plain(figures.read)),
            number(format!("{} B", plain(figures.key_bytes))),
            number(format!("{}×", plain(figures.writes))),
            number(plain(figures.total)),
        ];
        if let Some(writes) = busiest_writes(proposal, arguments) {
            row.insert(3, number(plain(writes)));
        }
        rows.add_row(row);
    }
    output.text(&rows.to_string())?;
    output.text(
        "busiest: the busiest server over the mean of the writes; a read and cost (of an operation): in rows of a scan; written: rows \
         for each record\n",
    )?;
    for proposal in &advice.proposals {
        output.text(&format!("{}: {}", proposal.name, proposal.trade_off))?;
    }
    if let Some(best) = advice.proposals.first() {
        output.text("\nA is recommended. Its queries:")?;
        let mut rows = table(&["query", "share", "by", "ranges", "rows read", "returned"]);
        for (query, (name, share)) in best.queries.iter().zip(&advice.queries) {
            let by = match query.by.checked_sub(1).and_then(|place| best.indexes.get(place)) {
                Some(index) => index.name.clone(),
                None => "the table".to_owned(),
            };
            let read = if query.reads_all() { "all".to_owned() } else { plain(query.reading.rows) };
            let sorted = if query.sorted { ", sorted" } else { "" };
            rows.add_row(vec![
                text_cell(name),
                number(format!("{:.0}%", share * 100.0)),
                text_cell(by),
                number(plain(query.opened())),
                number(format!("{read}{sorted}")),
                number(plain(query.reading.returned)),
            ]);
        }
        output.text(&rows.to_string())?;
        known(best, advice, study, output)?;
        let families = &best.families;
        if families.groups.len() > 1 {
            let names = |group: &Vec<rowkey_core::FieldId>| {
                group
                    .iter()
                    .map(|field| study.fields.get(*field).name.as_str())
                    .collect::<Vec<_>>()
                    .join(", ")
            };
            let groups: Vec<String> = families.groups.iter().map(names).collect();
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
    let sample = if advice.rows > advice.sample as u64 {
        format!("{} of ", grouped(advice.sample as u64))
    } else {
        String::new()
    };
    output.text(&format!("- {tried} tried with {sample}{} records", grouped(advice.rows)))?;
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
        counted(arguments.servers as usize, "server"),
        plain(writes),
        best.name,
        plain(SERVER_WRITES)
    ))
}

/// What is known of a design beside its cost, in a few lines.
fn known(best: &Proposal, advice: &Advice, study: &Study, output: &mut Output) -> anyhow::Result<()> {
    let mut rows = table(&["", "what is known of A"]);
    let mut row = |name: &str, text: String| {
        rows.add_row(vec![text_cell(name), text_cell(text)]);
    };
    if let Some(lead) = &best.known.lead {
        let rises = if lead.rises { "; keys rise with it" } else { "" };
        row(
            "first field",
            format!(
                "{}: {} in the sample, the most frequent has {:.1}% of the records, order {}{rises}",
                study.fields.get(lead.field).name,
                counted(usize::try_from(lead.distinct).unwrap_or(usize::MAX), "value"),
                lead.most_frequent * 100.0,
                lead.trend.name()
            ),
        );
    }
    let [one, several, all] = touched(best, advice).map(|share| share * 100.0);
    row(
        "regions of a read",
        format!("one in {one:.0}% of the reads, several in {several:.0}%, all in {all:.0}%"),
    );
    let shares = || advice.queries.iter().map(|(_, share)| share);
    let mean = |figures: &mut dyn Iterator<Item = f64>| {
        figures.zip(shares()).map(|(own, share)| own * share).sum::<f64>()
    };
    let rows_read = mean(&mut best.queries.iter().map(|query| query.reading.rows));
    let bytes_read = mean(&mut best.known.read_bytes.iter().copied());
    row("a read", format!("{} rows, {}, in the mean of the queries", plain(rows_read), bytes(bytes_read)));
    let each: Vec<String> = best.known.row_bytes.iter().map(|own| format!("{} B", plain(*own))).collect();
    row(
        "storage",
        format!(
            "{} for {} records, uncompressed ({} a row)",
            bytes(best.known.storage),
            grouped(advice.rows),
            each.join(" + ")
        ),
    );
    if best.known.again > 0 {
        let fields: Vec<&str> =
            study.identity.iter().map(|field| study.fields.get(*field).name.as_str()).collect();
        row(
            "updates",
            format!(
                "{} of the sample come again with the same {}; {:.0}% of them change the key, and the old row must be deleted",
                counted(best.known.again, "record"),
                fields.join(", "),
                best.known.moved as f64 * 100.0 / best.known.again as f64
            ),
        );
    }
    Ok(output.text(&rows.to_string())?)
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

//! The figures of designs, side by side or as JSON.

use rowkey_core::Order;
use rowkey_core::Value as RowValue;
use rowkey_lab::simulate::{Growth, Load, Options, Outcome, Reads};
use serde_json::{Value, json};

use super::{Told, Verdict};
use crate::output::{Output, Rows, cell, counted_rows, grouped, key_json};

pub(super) fn print(
    told: &[Told],
    options: &Options,
    records: u64,
    output: &mut Output,
) -> anyhow::Result<()> {
    told.iter().try_for_each(|design| output.object(|| object(design, options, records)))?;
    output.rows(&side_by_side(told, options))?;
    for design in told {
        let name = if told.len() > 1 { format!("{}: ", design.outcome.name) } else { String::new() };
        for verdict in &design.verdicts {
            output.text(&verdict_text(&name, verdict))?;
        }
        if design.verdicts.is_empty() && design.outcome.regions.count > 1 {
            output.text(&format!("{name}neither hot nor even: see the figures"))?;
        }
        if let (Some(reason), refused @ 1..) = (&design.outcome.refusal, design.outcome.refused) {
            output.note(&format!(
                "{name}{} without a key by this design, the first because: {reason}",
                counted_rows(refused)
            ));
        }
        if let Some(asked) = design.outcome.steps.asked.filter(|asked| *asked != design.outcome.steps.step) {
            let step = design.outcome.steps.step / 1000;
            output.note(&format!(
                "{name}steps of {} s would be too many; they are {step} s long",
                asked / 1000
            ));
        }
    }
    output.note(&format!(
        "{} in steps of {}; regions are assigned to {} servers round-robin; the worst step has at least 20 rows for each of them",
        counted_rows(records),
        told.first().map_or_else(String::new, |design| length(design.outcome.steps.step)),
        options.servers
    ));
    Ok(())
}

fn verdict_text(name: &str, Verdict { diagnosis, command }: &Verdict) -> String {
    let cure = diagnosis.cure.as_ref().zip(command.as_ref());
    let cure = cure.map_or_else(String::new, |(cure, command)| format!("\n  {}:\n  {command}", cure.text));
    format!("{name}{}: {}{cure}", diagnosis.name.text(), diagnosis.message)
}

/// A row for each figure, a column for each design.
fn side_by_side(told: &[Told], options: &Options) -> Rows {
    let names = told.iter().map(|design| design.outcome.name.as_str());
    let mut rows = Rows::new(std::iter::once("").chain(names));
    let mut row = |name: &str, figure: &dyn Fn(&Told) -> String| {
        let figures: Vec<String> = told.iter().map(figure).collect();
        if figures.iter().any(|figure| !figure.is_empty()) {
            rows.add(std::iter::once(cell(name)).chain(figures.iter().map(cell)));
        }
    };
    if told.iter().any(|design| design.outcome.key != design.outcome.name) {
        row("key", &|design| design.outcome.key.clone());
    }
    row("rows", &|design| grouped(design.outcome.rows));
    row("regions, idle", &|design| {
        let regions = &design.outcome.regions;
        format!("{}, {}", grouped(regions.count as u64), grouped(regions.idle as u64))
    });
    let servers = format!("hot spot of {} servers: over all", options.servers);
    row(&servers, &|design| times(design.outcome.servers.hot_spot));
    row("  in the worst step", &|design| worst(&design.outcome.servers));
    row("hot spot of regions: over all", &|design| times(design.outcome.regions.hot_spot));
    row("  in the worst step", &|design| worst(&design.outcome.regions));
    row("Gini of regions", &|design| format!("{:.2}", design.outcome.regions.gini));
    row("key bytes: mean, longest", &|design| {
        format!("{:.1}, {}", design.outcome.key_bytes.mean, design.outcome.key_bytes.max)
    });
    row("order kept", &|design| order(&design.outcome));
    let reads = |figure: fn(&Reads) -> String| {
        move |design: &Told| design.outcome.reads.as_ref().map(figure).unwrap_or_default()
    };
    row("ranges a query", &reads(|reads| format!("{:.1}", reads.ranges_per_query)));
    row("regions a query", &reads(|reads| format!("{:.1}", reads.regions_per_query)));
    row("rows read for each returned", &reads(|reads| format!("{:.1}", reads.rows_read_per_row)));
    row("queries that read everything", &reads(|reads| format!("{:.0}%", reads.full_scans * 100.0)));
    row("hot spot of reads", &reads(|reads| times(reads.hot_spot)));
    let growth = |figure: fn(&Growth) -> String| {
        move |design: &Told| design.growth.as_ref().map(figure).unwrap_or_default()
    };
    row("grown: regions, splits", &growth(|grown| format!("{}, {}", grown.regions, grown.splits.len())));
    row(
        "  written, rewritten",
        &growth(|grown| format!("{}, {}", megabytes(grown.bytes_written), megabytes(grown.bytes_rewritten))),
    );
    row(
        "  minutes on one server",
        &growth(|grown| format!("{:.0} of {:.0}", grown.minutes_on_one_server, grown.minutes)),
    );
    row("  hot spot in the worst step", &growth(|grown| worst(&grown.servers)));
    rows
}

fn times(factor: f64) -> String {
    format!("{factor:.2} ×")
}

fn worst(load: &Load) -> String {
    let at = |at: i64| RowValue::Time(at).to_string().get(..16).unwrap_or_default().replace('T', " ");
    load.worst_step.map_or_else(
        || "no step with enough rows".to_owned(),
        |step| format!("{} at {}", times(step.hot_spot), at(step.at)),
    )
}

fn megabytes(bytes: u64) -> String {
    format!("{} MB", grouped(bytes / 1_000_000))
}

fn order(outcome: &Outcome) -> String {
    if outcome.order.is_empty() {
        return "none".to_owned();
    }
    let one = |(field, order): &(String, Order)| match order {
        Order::Ascending => field.clone(),
        Order::Descending => format!("{field} desc"),
    };
    outcome.order.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn length(millis: i64) -> String {
    match millis {
        0..1_000 => format!("{millis} ms"),
        1_000..60_000 => format!("{} s", millis / 1_000),
        60_000..3_600_000 => format!("{} min", millis / 60_000),
        3_600_000..86_400_000 => format!("{} h", millis / 3_600_000),
        _ => format!("{} d", millis / 86_400_000),
    }
}

fn object(told: &Told, options: &Options, records: u64) -> Value {
    let outcome = &told.outcome;
    let regions: Vec<Value> = outcome
        .region_loads
        .iter()
        .map(|region| {
            json!({
                "start": key_json(&region.start),
                "server": region.server, "rows": region.rows, "share": region.share,
            })
        })
        .collect();
    let order: Vec<Value> = outcome
        .order
        .iter()
        .map(|(field, order)| json!({ "field": field, "descending": *order == Order::Descending }))
        .collect();
    json!({
        "design": outcome.name,
        "argument": told.argument,
        "key": outcome.key,
        "records": records,
        "rows": outcome.rows,
        "refused": outcome.refused,
        "refusal": outcome.refusal,
        "step_ms": outcome.steps.step,
        "servers": load(&outcome.servers),
        "regions": load(&outcome.regions),
        "region_loads": regions,
        "key_bytes": { "mean": outcome.key_bytes.mean, "max": outcome.key_bytes.max },
        "order": order,
        "reads": outcome.reads.as_ref().map(reads),
        "growth": told.growth.as_ref().map(grown),
        "verdicts": told.verdicts.iter().map(verdict).collect::<Vec<_>>(),
        "server_count": options.servers,
        "seed": options.seed,
    })
}

fn load(load: &Load) -> Value {
    let worst = load.worst_step.map(|step| {
        json!({ "at_ms": step.at, "hot_spot": step.hot_spot, "busiest": step.busiest, "rows": step.rows })
    });
    json!({
        "count": load.count, "idle": load.idle, "hot_spot": load.hot_spot, "worst_step": worst,
        "mean_step_hot_spot": load.mean_step, "gini": load.gini, "evenness": load.evenness,
        "evenness_in_steps": load.evenness_in_steps, "rows": load.rows,
    })
}

fn reads(reads: &Reads) -> Value {
    let queries: Vec<Value> = reads
        .queries
        .iter()
        .map(|query| {
            json!({
                "name": query.name, "weight": query.weight, "ranges": query.ranges(), "regions": query.reading.regions,
                "rows_read": query.reading.rows, "rows_returned": query.reading.returned, "cost": query.cost,
                "full_scan": query.full_scan(), "sorted": query.sorted, "refused": query.refused,
            })
        })
        .collect();
    json!({
        "ranges_per_query": reads.ranges_per_query, "regions_per_query": reads.regions_per_query,
        "rows_read_per_row": reads.rows_read_per_row, "full_scans": reads.full_scans, "sorted": reads.sorted,
        "hot_spot": reads.hot_spot, "queries": queries,
    })
}

fn grown(growth: &Growth) -> Value {
    json!({
        "regions": growth.regions, "splits": growth.splits.len(), "bytes_written": growth.bytes_written,
        "bytes_rewritten": growth.bytes_rewritten, "minutes": growth.minutes,
        "minutes_on_one_server": growth.minutes_on_one_server, "servers": load(&growth.servers),
    })
}

fn verdict(Verdict { diagnosis, command }: &Verdict) -> Value {
    let cure = diagnosis.cure.as_ref().map(|cure| json!({ "text": cure.text, "command": command }));
    json!({
        "name": diagnosis.name.text(), "message": diagnosis.message, "number": diagnosis.number,
        "threshold": diagnosis.threshold, "cure": cure,
    })
}

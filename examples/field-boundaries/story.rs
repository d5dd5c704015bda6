//! Where does one field of a key end and the next begin?

use serde_json::Value;

use crate::{Stage, Told};

/// Hosts of which one begins as another does; `host1` with `2x` and `host12` with `x` are the same letters.
const HOSTS: [&str; 4] = ["host1", "host12", "host2", "other"];

/// So many events of each host, besides the two that collide.
fn records(events: u64) -> Vec<String> {
    let mut lines: Vec<String> = vec!["host1,2x".to_owned(), "host12,x".to_owned()];
    for host in HOSTS {
        lines.extend((0..events).map(|event| format!("{host},e{event:06}")));
    }
    lines
}

/// The host of each row, without repetitions, in the order of the rows.
fn hosts(records: &[Value]) -> Vec<&str> {
    let mut hosts: Vec<&str> = records.iter().filter_map(|record| record["host"].as_str()).collect();
    hosts.dedup();
    hosts
}

pub(crate) fn story(stage: &mut Stage) -> Told {
    let events = stage.scaled(100, 20_000);
    stage.write_csv("events.csv", "host,event", records(events))?;
    run_together(stage, events)?;
    for (name, text) in [
        ("escaped.toml", include_str!("escaped.toml")),
        ("delimiter.toml", include_str!("delimiter.toml")),
        ("padded.toml", include_str!("padded.toml")),
    ] {
        ended(stage, name, text, events)?;
    }
    refused(stage)
}

/// Without a boundary.
fn run_together(stage: &mut Stage, events: u64) -> Told {
    let one = stage.show(&["encode", "[host][event]", "host=host1", "event=2x"])?;
    let other = stage.show(&["encode", "[host][event]", "host=host12", "event=x"])?;
    stage.claim("two records, one key", one.out.trim(), one.out == other.out);
    let (file, table) = stage.table_file("table.toml", include_str!("table.toml"))?;
    let rules = stage.rules(&[&file])?;
    stage.claim("check", rules.join(", "), rules.iter().any(|rule| rule == "boundary"));
    stage.create_and_load(&file, &table, "events.csv")?;
    let rows = stage.count(&table, "")?;
    stage.claim_is(
        "rows of all records",
        format!("{rows} of {}", 4 * events + 2),
        format!("{} of {}", 4 * events + 1, 4 * events + 2),
    );
    let found = stage.records(&["scan", &table, "--start", "host1", "--stop", "host2"])?;
    let foreign = found.iter().filter(|record| record["host"] == "host12").count() as u64;
    stage.claim(
        "the guide's scan, from host1 to host2",
        format!("{} rows, {foreign} of them of host12", found.len()),
        foreign == events + 1 && found.len() as u64 == 2 * events + 1,
    );
    Ok(())
}

/// With one: a query reads the rows of its host only.
fn ended(stage: &mut Stage, name: &str, text: &str, events: u64) -> Told {
    let (file, table) = stage.table_file(name, text)?;
    let rules = stage.rules(&[&file])?;
    stage.claim("check", rules.join(", "), rules.iter().all(|rule| rule != "boundary"));
    stage.create_and_load(&file, &table, "events.csv")?;
    let reads = stage.reads(&[&table, "host = 'host1'"])?;
    stage.claim("rows of host1", reads, (reads.returned, reads.read) == (events + 1, events + 1));
    let found = stage.records(&["scan", &table])?;
    let order = hosts(&found);
    let kept = name == "escaped.toml";
    let says = if kept { "the order of the texts" } else { "host12 before host1" };
    let sorted = order.is_sorted();
    stage.claim(
        &format!("order of the hosts in `{name}`"),
        format!("{}: {says}", order.join(" ")),
        sorted == kept,
    );
    Ok(())
}

/// What neither the delimiter nor the pad can hold.
fn refused(stage: &mut Stage) -> Told {
    let in_text = stage.fails(&["encode", "[host][_][event]", "host=web_1", "event=x"])?;
    stage.claim("a host with the delimiter in it", "refused", in_text.err.contains('_'));
    let padded = stage.fails(&["encode", "[rpad(host, 'x', 20)][event]", "host=linux", "event=x"])?;
    stage.claim("a host that ends with the pad", "refused", padded.err.contains("collide"));
    let any = stage.show(&["encode", "[host: escaped][event]", "host=linux_1", "event=x"])?;
    stage.claim("either of them, escaped", "two bytes more", any.out.trim() == "linux_1\\x00\\x01x");
    Ok(())
}

//! What stays of a cell whose time to live is over?

use crate::{Stage, Told};

/// A time that has not come yet, so that its cell has not expired: 2096-10-02.
const AHEAD: u64 = 4_000_000_000_000;

pub(crate) fn story(stage: &mut Stage) -> Told {
    by_the_shell(stage)?;
    by_a_file(stage)
}

/// The values of a scan, newest first.
fn values(shown: &str) -> Vec<&str> {
    shown.lines().filter_map(|line| line.split_once("value=").map(|(_, value)| value)).collect()
}

fn by_the_shell(stage: &mut Stage) -> Told {
    let (kept, gone) = (stage.table("kept"), stage.table("gone"));
    stage.shell(&format!(
        "create '{kept}', {{NAME => 'f', VERSIONS => 5, MIN_VERSIONS => 2, TTL => 86400}}"
    ))?;
    stage.shell(&format!("create '{gone}', {{NAME => 'f', VERSIONS => 5, TTL => 86400}}"))?;
    for table in [&kept, &gone] {
        let put = |number: u64| format!("put '{table}', 'r', 'f:q', 'v{number}', {}", 1000 * number);
        stage.shell(&(1..=4).map(put).collect::<Vec<_>>().join("; "))?;
    }
    let scan = |table: &str| format!("scan '{table}', {{VERSIONS => 10}}");
    let seen = stage.shell(&scan(&gone))?;
    stage.claim("four values of 1970 with a day to live", "none can be read", values(&seen).is_empty());
    let seen = stage.shell(&scan(&kept))?;
    stage.claim("the same with MIN_VERSIONS 2", values(&seen).join(", "), values(&seen) == ["v4", "v3"]);

    stage.shell(&format!("put '{kept}', 'r', 'f:q', 'new', {AHEAD}"))?;
    let seen = stage.shell(&scan(&kept))?;
    stage.claim("with one that has not expired", values(&seen).join(", "), values(&seen) == ["new", "v4"]);
    let raw = format!("scan '{kept}', {{RAW => true, VERSIONS => 10}}");
    let seen = stage.shell(&raw)?;
    stage.claim("in the store before a compaction", values(&seen).len(), values(&seen).len() == 5);
    let seen = stage.shell(&format!("flush '{kept}'; major_compact '{kept}'; {raw}"))?;
    stage.claim("and after it", values(&seen).join(", "), values(&seen) == ["new", "v4"]);
    Ok(())
}

/// Many devices, of which some have been silent for years.
fn by_a_file(stage: &mut Stage) -> Told {
    let devices = stage.scaled(200, 20_000);
    let state = |number: u64| {
        let (device, turn) = (number % devices, number / devices);
        format!("{device},{},state {turn}", 1000 * (1 + turn))
    };
    stage.write_csv("states.csv", "device,ts,state", (0..4 * devices).map(state))?;
    let (file, table) = stage.table_file("table.toml", include_str!("table.toml"))?;
    stage.create_and_load(&file, &table, "states.csv")?;
    let rows = stage.count(&table, "")?;
    stage.claim_is("devices that have been silent since 1970 and still answer", rows, devices);
    let found = stage.records(&["get", &table, "device=7", "--columns", "device,state"])?;
    let newest = found.first().is_some_and(|record| record["state"] == "state 3");
    stage.claim("with", "the newest state", newest);
    Ok(())
}

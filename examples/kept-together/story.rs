//! Can a hash spread keys and still keep those together that belong together?

use std::collections::BTreeMap;

use rowkey_testing::random::Random;

use crate::{Stage, Told};

/// How many transfers have both their rows in one region. The regions are cut at the salts, so the first byte of a key tells.
fn together(stage: &mut Stage, table: &str) -> Told<u64> {
    let mut salts: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    for row in stage.json(&["query", table, "", "--full-scan"])? {
        let transfer = row["record"]["transfer"].as_u64().unwrap_or_default();
        let salt = row["key"]["hex"].as_str().and_then(|hex| hex.get(..2)).unwrap_or_default();
        salts.entry(transfer).or_default().push(salt.to_owned());
    }
    Ok(salts.values().filter(|sides| sides.len() == 2 && sides.first() == sides.last()).count() as u64)
}

pub(crate) fn story(stage: &mut Stage) -> Told {
    let transfers = stage.scaled(2000, 100_000);
    let mut random = Random::new(1);
    let lines: Vec<String> = (0..transfers)
        .flat_map(|transfer| {
            let (from, to, cents) = (random.below(500), random.below(500), 1 + random.below(100_000));
            [format!("{transfer},from,{from},-{cents}"), format!("{transfer},to,{to},{cents}")]
        })
        .collect();
    stage.write_csv("transfers.csv", "transfer,side,account,cents", lines)?;
    let one = "transfer = 1234";

    let (file, table) = stage.table_file("apart.toml", include_str!("apart.toml"))?;
    stage.create_and_load(&file, &table, "transfers.csv")?;
    let spread = stage.writes_by_region(&table, 2 * transfers)?;
    stage.claim("writes by region, salted by the whole key", &spread, spread.largest() < 0.09);
    let pairs = together(stage, &table)?;
    stage.claim(
        "transfers with both rows in one region, salted by the whole key",
        format!("{pairs} of {transfers}"),
        pairs < transfers / 10,
    );
    let reads = stage.reads(&[&table, one])?;
    stage.claim("a transfer, salted by the whole key", reads, (reads.returned, reads.ranges) == (2, 16));

    let (file, table) = stage.table_file("table.toml", include_str!("table.toml"))?;
    stage.create_and_load(&file, &table, "transfers.csv")?;
    let spread = stage.writes_by_region(&table, 2 * transfers)?;
    stage.claim("writes by region, salted by the transfer", &spread, spread.largest() < 0.09);
    let pairs = together(stage, &table)?;
    stage.claim(
        "transfers with both rows in one region, salted by the transfer",
        format!("{pairs} of {transfers}"),
        pairs == transfers,
    );
    let reads = stage.reads(&[&table, one])?;
    let exact = (reads.returned, reads.read, reads.ranges) == (2, 2, 1);
    stage.claim("a transfer, salted by the transfer", reads, exact);
    Ok(())
}

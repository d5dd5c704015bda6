//! Does a random number at the end of a key spread anything?

use rowkey_testing::random::Random;

use crate::{Stage, Told};

const USERS: u64 = 50;
/// One user in three orders is this one.
const CELEBRITY: u64 = 42;

/// Orders with numbers that rise, as lines of CSV.
fn orders(first: u64, count: u64, seed: u64) -> Vec<String> {
    let mut random = Random::new(seed);
    let user = |random: &mut Random| match random.below(3) {
        0 => CELEBRITY,
        _ => 1 + random.below(USERS),
    };
    (first..first + count).map(|order| format!("{},{order},order {order}", user(&mut random))).collect()
}

pub(crate) fn story(stage: &mut Stage) -> Told {
    let count = stage.scaled(2000, 200_000);
    let header = "user_id,order_id,words";
    let today = orders(count, count, 2);
    // Yesterday nobody was famous.
    let mut random = Random::new(1);
    let yesterday = (0..count).map(|order| format!("{},{order},order {order}", 1 + random.below(USERS)));
    stage.write_csv("yesterday.csv", header, yesterday)?;
    stage.write_csv("today.csv", header, today.iter().cloned())?;
    stage.write_csv("again.csv", header, today.iter().rev().cloned())?;

    let (plain_file, plain) = stage.table_file("table.toml", include_str!("table.toml"))?;
    let (suffix_file, suffix) = stage.table_file("suffix.toml", include_str!("suffix.toml"))?;
    let rules = stage.rules(&[&suffix_file])?;
    stage.claim(
        "check, of the suffix",
        rules.join(", "),
        rules.iter().any(|rule| rule == "suffix-no-spread"),
    );
    let mut spreads = Vec::new();
    for (file, table) in [(&plain_file, &plain), (&suffix_file, &suffix)] {
        stage.show(&["create", file, "--data", "yesterday.csv"])?;
        stage.show(&["load", table, "today.csv", "--seed", "1"])?;
        spreads.push(stage.writes_by_region(table, count)?);
    }
    let [without, with] = spreads.as_slice() else { return Ok(()) };
    stage.claim("writes by region, no suffix", without, without.largest() > 0.4);
    stage.claim("writes by region, with the suffix", with, with == without);

    for table in [&plain, &suffix] {
        stage.show(&["load", table, "again.csv", "--seed", "2"])?;
    }
    let (rows, doubled) = (stage.count(&plain, "")?, stage.count(&suffix, "")?);
    stage.claim_is("rows after all orders came again, no suffix", rows, count);
    stage.claim("rows after all orders came again, with the suffix", doubled, doubled > count * 19 / 10);

    let order = |line: &str| line.split(',').take(2).map(str::to_owned).collect::<Vec<_>>();
    let [user, order] =
        today.first().map(|line| order(line)).unwrap_or_default().try_into().unwrap_or_default();
    let (user_field, order_field) = (format!("user_id={user}"), format!("order_id={order}"));
    let found = stage.records(&["get", &plain, &user_field, &order_field])?;
    stage.claim("a Get of one order, no suffix", format!("{} row", found.len()), found.len() == 1);
    let refused = stage.fails(&["get", &suffix, &user_field, &order_field])?;
    stage.claim("a Get of one order, with the suffix", "refused", refused.err.contains("random"));
    let reads = stage.reads(&[&suffix, &format!("user_id = {user} and order_id = {order}")])?;
    stage.claim("the order by a query, with the suffix", reads, reads.gets == 100);
    Ok(())
}

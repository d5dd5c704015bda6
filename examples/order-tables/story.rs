//! How do three tables of the same orders stay in step?

use rowkey_testing::random::Random;

use crate::{Stage, StoryError, Told};

/// 2025-01-01T00:00:00Z.
const START: u64 = 1_735_689_600_000;
const DAY: u64 = 86_400_000;

struct Order {
    buyer: u64,
    seller: u64,
    ts: u64,
    number: u64,
}

impl Order {
    fn line(&self, state: &str) -> String {
        let Self { buyer, seller, ts, number } = self;
        format!("{buyer},{seller},{ts},{number},{state},{}", 100 * (number % 90))
    }
}

/// Orders of 12 buyers and 10 sellers in thirty days; numbers rise with time.
fn orders(count: u64) -> Vec<Order> {
    let mut random = Random::new(17);
    let order = |number: u64| {
        let ts = START + number * 30 * DAY / count;
        Order { buyer: 1 + random.below(12), seller: 1 + random.below(10), ts, number: 100_000 + number }
    };
    (0..count).map(order).collect()
}

pub(crate) fn story(stage: &mut Stage) -> Told {
    let count = stage.scaled(500, 50_000);
    let orders = orders(count);
    let header = "buyer,seller,ts,number,state,amount";
    stage.write_csv("orders.csv", header, orders.iter().map(|order| order.line("paid")))?;
    stage.write_csv("sent.csv", header, orders.iter().take(100).map(|order| order.line("sent")))?;
    let (file, table) = stage.table_file("table.toml", include_str!("table.toml"))?;
    stage.create_and_load(&file, &table, "orders.csv")?;
    written(stage, &table, count)?;
    three_ways(stage, &table, &orders)?;
    in_step(stage, &table)?;
    out_of_step(stage, &table, &orders)
}

/// What the two index tables cost to write: an entry each for every row.
fn written(stage: &mut Stage, table: &str, count: u64) -> Told {
    let found = stage.json(&["index", "verify", table])?;
    let entries: u64 = found.iter().filter_map(|index| index["entries"].as_u64()).sum();
    stage.claim_is("entries written beside the rows of the plain table", entries, 2 * count);
    Ok(())
}

/// Each of the guide's queries reads what it returns.
fn three_ways(stage: &mut Stage, table: &str, orders: &[Order]) -> Told {
    let week = "ts >= '2025-01-06' and ts < '2025-01-13'";
    let within = |order: &&Order| (START + 5 * DAY..START + 12 * DAY).contains(&order.ts);
    let of_buyer = orders.iter().filter(within).filter(|order| order.buyer == 7).count() as u64;
    let of_seller = orders.iter().filter(within).filter(|order| order.seller == 3).count() as u64;
    let reads = stage.reads(&[table, &format!("buyer = 7 and {week}")])?;
    stage.claim(
        "a buyer's week",
        reads,
        (reads.returned, reads.read, reads.ranges) == (of_buyer, of_buyer, 1),
    );
    let columns = ["--columns", "ts,number,state,amount"];
    let seller = format!("seller = 3 and {week}");
    let found = stage.records(&["query", table, &seller, columns[0], columns[1]])?;
    stage.claim_is("a seller's week, from the copies of its index table", found.len() as u64, of_seller);
    let reads = stage.reads(&[table, "number = 100123"])?;
    stage.claim("one order by its number", reads, reads.returned == 1 && reads.ranges == 1);
    Ok(())
}

/// Every write and delete goes to all three.
fn in_step(stage: &mut Stage, table: &str) -> Told {
    stage.show(&["load", table, "sent.csv"])?;
    let sent = stage.records(&[
        "query",
        table,
        "seller in (1,2,3,4,5,6,7,8,9,10) and state = 'sent'",
        "--columns",
        "number",
    ])?;
    stage.claim_is("orders sent, by the sellers' table", sent.len(), 100);
    stage.show(&["delete", table, "number = 100123", "--yes"])?;
    let gone = stage.records(&["query", table, "number = 100123"])?;
    stage.claim("a deleted order, by its number", "gone", gone.is_empty());
    let verified = differences(stage, table)?;
    stage.claim_is("differences between the three tables", verified, 0);
    Ok(())
}

/// A program that knows only the buyers' table deletes an order there, as three puts and a crash would leave it.
fn out_of_step(stage: &mut Stage, table: &str, orders: &[Order]) -> Told {
    let order =
        orders.get(200).ok_or_else(|| StoryError::Claims { claims: vec!["there are 200 orders".into()] })?;
    let key = stage.show(&[
        "encode",
        table,
        &format!("buyer={}", order.buyer),
        &format!("ts={}", order.ts),
        &format!("number={}", order.number),
    ])?;
    stage.shell(&format!("deleteall '{table}', \"{}\"", key.out.trim()))?;
    let found = stage.records(&["query", table, &format!("number = {}", order.number)])?;
    stage.claim(
        "an order deleted behind the index tables' back",
        "not found by its number",
        found.is_empty(),
    );
    let left = differences(stage, table)?;
    stage.claim_is("what verify finds: an entry too many in both", left, 2);
    stage.rowkey(&["index", "repair", table, "--min-age", "0"])?;
    let left = differences(stage, table)?;
    stage.claim_is("differences after repair", left, 0);
    Ok(())
}

/// What `rowkey index verify` counts, of all index tables.
fn differences(stage: &mut Stage, table: &str) -> Told<u64> {
    let found = stage.json(&["index", "verify", table])?;
    let kinds = ["missing", "dangling", "stale", "wrong_copies"];
    Ok(found.iter().flat_map(|index| kinds.map(|kind| index[kind].as_u64().unwrap_or(0))).sum())
}

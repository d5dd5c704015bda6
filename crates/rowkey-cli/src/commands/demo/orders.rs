//! The orders of TPC-H, as sample data.
//!
//! They are TPC-H's, with its customers, clerks, priorities and prices. TPC-H deals keys and dates by chance and has no time of
//! day; a shop numbers its orders as they come in. So they are sorted by date, get a time of day, and are numbered.

use std::io::{self, Write};

use rowkey_core::Value;
use rowkey_core::key::{Draw, Draws};
use tpchgen::distribution::Distributions;
use tpchgen::generators::OrderGenerator;
use tpchgen::text::TextPool;

/// Orders of TPC-H's scale factor 1.
const OF_SCALE_ONE: f64 = 1_500_000.0;
/// TPC-H's comments are cut from a text of its grammar; ours are not used, so that a small text will do.
const TEXT: i32 = 1 << 20;
const DAY: u32 = 86_400_000;

const HEADER: &str = "user_id,ts,order_id,clerk,priority,amount";

struct Order {
    ts: i64,
    user_id: i64,
    clerk: String,
    priority: String,
    amount: i64,
}

pub(super) fn write(out: &mut impl Write, rows: u32, seed: u64) -> io::Result<()> {
    let mut orders = made(rows, seed);
    orders.sort_by_key(|order| order.ts);
    writeln!(out, "{HEADER}")?;
    for (number, Order { ts, user_id, clerk, priority, amount }) in (1u64..).zip(&orders) {
        let ts = Value::Time(*ts);
        writeln!(out, "{user_id},{ts},O{number:010},{clerk},{priority},{amount}")?;
    }
    Ok(())
}

fn made(rows: u32, seed: u64) -> Vec<Order> {
    let distributions = Distributions::static_default();
    let text = TextPool::new(TEXT, distributions);
    // The generator rounds its number of orders; what is too many is cut off. It has no scale for a handful.
    let scale = (f64::from(rows) / OF_SCALE_ONE * 1.01).max(0.001);
    let generator = OrderGenerator::new_with_distributions_and_text_pool(scale, 1, 1, distributions, &text);
    let orders = generator.iter().take(rows as usize).zip(0..);
    let one = |(order, number): (tpchgen::generators::Order<'_>, u64)| {
        let time_of_day = Draws::new(seed, number).draw(DAY);
        Order {
            ts: i64::from(order.o_orderdate.to_unix_epoch()) * i64::from(DAY) + i64::from(time_of_day),
            user_id: order.o_custkey,
            clerk: order.o_clerk.to_string(),
            priority: order.o_orderpriority.to_owned(),
            amount: order.o_totalprice.0,
        }
    };
    orders.map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn csv(rows: u32, seed: u64) -> Vec<String> {
        let mut out = Vec::new();
        write(&mut out, rows, seed).unwrap();
        String::from_utf8(out).unwrap().lines().map(str::to_owned).collect()
    }

    #[test]
    fn there_are_as_many_as_asked_for_and_time_and_numbers_rise() {
        for rows in [1, 17, 1_500, 20_000] {
            let lines = csv(rows, 1);
            assert_eq!((lines.len(), lines[0].as_str()), (rows as usize + 1, HEADER));
            let column = |at: usize| lines[1..].iter().map(move |line| line.split(',').nth(at).unwrap());
            assert!(column(1).is_sorted() && column(2).is_sorted());
            assert_eq!(column(2).next_back(), Some(format!("O{rows:010}").as_str()));
            assert!(lines.iter().all(|line| line.split(',').count() == 6), "no value needs quotes");
        }
    }

    #[test]
    fn the_same_seed_makes_the_same_orders() {
        assert_eq!(csv(500, 1), csv(500, 1));
        assert_ne!(csv(500, 1), csv(500, 2));
    }
}

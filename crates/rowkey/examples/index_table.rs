//! Orders by user, and by seller through an index table that is written with every order.
//!
//! `cargo run -p rowkey --example index_table [FOLDER or hbase://…]`

#![expect(clippy::print_stdout, reason = "an example prints")]

mod place;

use rowkey::{Client, Millis, Table};

const ORDERS: &str = r#"
[table]
name = "orders_by_both"
key = "[salt(4, user_id)][user_id][ts desc][order_id]"
splits = "salt"

[fields]
user_id = "u64"
ts = "timestamp"
order_id = "text"
seller = "escaped"

[families.d]
columns = { s = "seller" }

[[index]]
name = "orders_by_seller"
key = "[salt(4, seller)][seller][ts desc][user_id][order_id]"
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let place = place::from_arguments()?;
    let client = Client::open(place.name())?;
    let table = Table::parse("orders.toml", ORDERS)?;
    let orders = client.open_or_create(table)?.typed::<(u64, Millis, &str, &str)>()?;
    orders.put(&[
        (7, Millis(1000), "a", "ann"),
        (8, Millis(2000), "b", "bob"),
        (9, Millis(3000), "c", "ann"),
    ])?;

    let by_seller = "seller = 'ann' order by ts desc";
    println!("{:?}", orders.handle().plan(by_seller)?.via);
    for row in orders.query(by_seller)? {
        println!("{:?}", row?.get()?);
    }
    // An order that is written again moves its entry along.
    orders.put(&[(7, Millis(1000), "a", "bob")])?;
    println!("{} of ann", orders.query(by_seller)?.count());
    Ok(client.close()?)
}

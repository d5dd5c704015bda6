//! Makes keys and nothing else: no store, no table.
//!
//! `cargo run -p rowkey --example encode_and_decode`

#![expect(clippy::print_stdout, reason = "an example prints")]

use rowkey::escape::escape;
use rowkey::{KeySchema, Millis};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let key = KeySchema::parse("[salt(16, user_id)][user_id: u64][ts: timestamp desc][order_id]")?;
    let orders = key.typed::<(u64, Millis, &str)>()?;
    let mut bytes = Vec::new();
    for order in [(7, Millis(1_735_776_000_000), "a"), (7, Millis(1_735_862_400_000), "b")] {
        bytes.clear();
        orders.encode(&order, &mut bytes)?;
        assert_eq!(orders.decode(&bytes)?, order);
        println!("{order:?} is {}", escape(&bytes));
    }
    println!("the order of its keys is {}", key.fingerprint());
    Ok(())
}

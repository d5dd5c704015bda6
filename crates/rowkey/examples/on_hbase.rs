//! The same on a cluster: a table cut into regions, its servers, and a query over all of them.
//!
//! `cargo run -p rowkey --features hbase --example on_hbase -- hbase://zookeeper:2181/hbase`

#![expect(clippy::print_stdout, reason = "an example prints")]

use rowkey::{Client, QueryRequest, Table};

const WORDS: &str = r#"
[table]
name = "rowkey_example_words"
key = "[salt(3, word)][word]"
splits = "salt"

[fields]
word = "text"
length = "u32"

[families.d]
columns = { l = "length" }
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Some(url) = std::env::args().nth(1) else {
        println!(
            "which cluster? for example: hbase://zookeeper:2181/hbase; `cargo xtask cluster` starts one"
        );
        return Ok(());
    };
    let client = Client::open(&url)?;
    let words = client.open_or_create(Table::parse("words.toml", WORDS)?)?.typed::<(&str, u32)>()?;
    words.put(&[("salt", 4), ("region", 6), ("row", 3), ("key", 3)])?;
    for region in client.store().regions(&words.handle().table().name.parse()?)? {
        println!("{} on {}", region.range, region.server.unwrap_or_default());
    }
    for row in words.query(QueryRequest::new("order by word").full_scan())? {
        println!("{:?}", row?.get()?);
    }
    client.drop_table("rowkey_example_words")?;
    Ok(client.close()?)
}

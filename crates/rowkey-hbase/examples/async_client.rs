//! Many gets in flight on one connection: the asynchronous client from end to end.
//!
//! ```text
//! cargo run -p rowkey-hbase --example async_client -- hbase://localhost:2181/hbase
//! ```
#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;
use std::time::Instant;

use rowkey_hbase::HBaseClient;
use rowkey_store::{Family, Get, Increment, RowBatch, Scan, TableDescriptor, TableName};
use tokio::task::JoinSet;

fn main() -> Result<(), Box<dyn Error>> {
    let url = std::env::args().nth(1).unwrap_or_else(|| "hbase://localhost:2181/hbase".to_owned());
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(run(&url))
}

async fn run(url: &str) -> Result<(), Box<dyn Error>> {
    let client = HBaseClient::connect(url).await?;
    let name: TableName = format!("async_example_{}", std::process::id()).parse()?;
    let families = vec![Family::new("d")];
    let table = TableDescriptor { name: name.clone(), families, attributes: Default::default() };
    client.create_table(&table, &[b"user5".to_vec()]).await?;

    let mut rows = RowBatch::new();
    for user in 0..1000 {
        rows.begin_row(format!("user{user:03}").as_bytes());
        rows.cell(b"d", b"name", 1, format!("name of {user}").as_bytes());
    }
    client.put_batch(&name, &rows).await?;

    // A clone for each task; all of them share the connections.
    let started = Instant::now();
    let mut gets = JoinSet::new();
    for user in 0..1000 {
        let (client, name) = (client.clone(), name.clone());
        gets.spawn(async move {
            let mut row = RowBatch::new();
            client.get(&name, &Get::new(format!("user{user:03}")), &mut row).await
        });
    }
    let mut found = 0;
    while let Some(got) = gets.join_next().await {
        found += usize::from(got??);
    }
    println!("{found} of 1000 gets at once in {:.1?}", started.elapsed());

    let counted = client.run(&name, &Increment::new("user007").add("d", "visits", 1).into()).await?;
    println!("after an increment: {:?}", counted.rows);

    let mut stream = client.scan(&name, &Scan { limit: Some(3), ..Scan::prefix(b"user49") }).await?;
    let mut batch = RowBatch::new();
    while stream.next(&mut batch).await? {
        println!("scanned: {batch:?}");
    }
    client.drop_table(&name).await?;
    Ok(())
}

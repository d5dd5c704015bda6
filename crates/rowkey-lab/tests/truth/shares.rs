//! Each region's share of the writes: the same records under the same keys, written to tables with the same splits, by HBase's own
//! counters beside the simulated one.

use std::time::{Duration, Instant};

use rowkey_core::batch::{BatchEncoder, Column, ColumnBuffer, KeyBatch, Seed};
use rowkey_hbase::HBaseStore;
use rowkey_lab::simulate::{Cut, Data, Design, Options, Outcome, in_memory};
use rowkey_lab::traffic::{Article, Traffic};
use rowkey_store::{Admin, Family, LATEST_TIMESTAMP, RowBatch, Store, TableDescriptor, TableName};
use rowkey_testing::cluster;

use super::POINTS;

/// At least eight designs: rising, falling, by user, salted, hashed, reversed, by a remainder that spreads nothing.
const DESIGNS: [(Article, usize, usize); 10] = [
    (Article::Messages, 0, 8),
    (Article::Messages, 2, 8),
    (Article::Phones, 0, 10),
    (Article::Phones, 1, 10),
    (Article::Orders, 1, 6),
    (Article::Orders, 2, 6),
    (Article::LogsManyHosts, 2, 10),
    (Article::Salt1000, 2, 4),
    (Article::Danmaku, 0, 6),
    (Article::SteppedIds, 1, 31),
];

fn records() -> u64 {
    std::env::var("ROWKEY_TRUTH_RECORDS").ok().and_then(|text| text.parse().ok()).unwrap_or(20_000)
}

#[test]
fn hbase_counts_the_shares_that_were_simulated() {
    let store = HBaseStore::connect(&cluster::shared().zookeeper_url).unwrap();
    let mut largest = 0.0f64;
    for (article, number, regions) in DESIGNS {
        let traffic = Traffic::of_article(article, records(), 11);
        let buffers = traffic.all();
        let columns: Vec<Column<'_>> = buffers.iter().map(ColumnBuffer::column).collect();
        let data = Data { fields: &traffic.fields, columns: &columns, rows: buffers[0].len() };
        let proposed = article.keys()[number];
        let cut = match proposed.splits {
            Some(keys) => Cut::Keys(keys.iter().map(|key| key.as_bytes().to_vec()).collect()),
            None => Cut::Regions(regions),
        };
        let design = Design::of_key(proposed.key, &traffic.fields, cut).unwrap();
        let options = Options { time: Some("ts".to_owned()), ..Options::default() };
        let outcome = in_memory(std::slice::from_ref(&design), &data, None, &options).unwrap().remove(0);
        let table: TableName =
            format!("truth_{}_{}_{number}", std::process::id(), format!("{article:?}").to_lowercase())
                .parse()
                .unwrap();
        let counted = written(&store, &table, &design, &data, &outcome);
        let difference = outcome
            .region_loads
            .iter()
            .zip(&counted)
            .map(|(simulated, counted)| (simulated.share - counted).abs() * 100.0)
            .fold(0.0, f64::max);
        println!(
            "{article:?}, {}: {} regions, largest difference {difference:.2} points",
            proposed.name,
            counted.len()
        );
        assert!(
            difference <= POINTS,
            "{article:?} {}: {:?} beside {counted:?}",
            proposed.key,
            outcome.region_loads
        );
        largest = largest.max(difference);
        store.drop_table(&table).unwrap();
    }
    println!(
        "{} records a design, {} designs, largest difference {largest:.2} points",
        records(),
        DESIGNS.len()
    );
}

/// Writes the records to a new table with the simulated splits; each region's share of the writes, by HBase.
fn written(
    store: &dyn Store,
    table: &TableName,
    design: &Design,
    data: &Data<'_>,
    outcome: &Outcome,
) -> Vec<f64> {
    let splits: Vec<Vec<u8>> =
        outcome.region_loads.iter().skip(1).map(|region| region.start.clone()).collect();
    let descriptor = TableDescriptor {
        name: table.clone(),
        families: vec![Family::new("d")],
        attributes: Default::default(),
    };
    store.create_table(&descriptor, &splits).unwrap();
    let mut keys = KeyBatch::new();
    let seed = Seed { seed: 0, first_record: 0 };
    // The key's fields are the data's, in the same order.
    BatchEncoder::new(&design.table.key).encode_with(data.columns, seed, &mut keys).unwrap();
    let all: Vec<&[u8]> = keys.iter().collect();
    for chunk in all.chunks(5_000) {
        let mut rows = RowBatch::new();
        for key in chunk {
            rows.begin_row(key);
            rows.cell(b"d", b"v", LATEST_TIMESTAMP, b"x");
        }
        store.put_batch(table, &rows).unwrap();
    }
    // Servers report their counters every few seconds; the answer is there when all writes are.
    let until = Instant::now() + Duration::from_secs(120);
    loop {
        let writes: Vec<u64> = store.regions(table).unwrap().iter().map(|region| region.writes).collect();
        let sum: u64 = writes.iter().sum();
        if sum >= all.len() as u64 {
            assert_eq!(writes.len(), splits.len() + 1);
            return writes.iter().map(|count| *count as f64 / sum as f64).collect();
        }
        assert!(Instant::now() < until, "HBase counted {sum} of {} writes", all.len());
        std::thread::sleep(Duration::from_millis(500));
    }
}

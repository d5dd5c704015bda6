//! How a table grows from one region.

use rowkey_core::batch::{Column, ColumnBuffer};
use rowkey_lab::simulate::{Cut, Data, Design, Growth, GrowthOptions, Options, grow, in_memory};
use rowkey_lab::traffic::{Article, Traffic};
use rowkey_store::SplitPolicy;

/// 30,000 rows of 100 kB in a day: 3 GB.
fn grown(key: &str, max_file_size: u64) -> Growth {
    let traffic = Traffic::of_article(Article::Salt1000, 30_000, 1);
    let buffers = traffic.all();
    let columns: Vec<Column<'_>> = buffers.iter().map(ColumnBuffer::column).collect();
    let data = Data { fields: &traffic.fields, columns: &columns, rows: 30_000 };
    let design = Design::of_key(key, &traffic.fields, Cut::Keys(Vec::new())).unwrap();
    let options =
        Options { time: Some("ts".to_owned()), ranges: 256, step: Some(600_000), ..Options::default() };
    let outcome = in_memory(&[design], &data, None, &options).unwrap().remove(0);
    assert_eq!(outcome.regions.count, 1);
    let policy = SplitPolicy { max_file_size, ..SplitPolicy::default() };
    grow(&outcome, &GrowthOptions { policy, row_bytes: 100_000.0, servers: 4 })
}

#[test]
fn a_table_splits_early_on_every_server_and_then_only_when_full() {
    let salted = grown("[salt(16, id)][id]", 10 << 30);
    // One split on the first server; then its second region moves and is alone there, and splits in its turn.
    let first = salted.splits.first().unwrap();
    assert!(first.bytes > 256 << 20 && first.bytes < 300 << 20, "{first:?}");
    assert!(salted.regions >= 4 && salted.regions <= 8, "{} regions", salted.regions);
    assert_eq!(salted.splits.len() + 1, salted.regions);
    assert_eq!(salted.bytes_written, 3_000_000_000);
    assert_eq!(salted.bytes_rewritten, salted.splits.iter().map(|split| split.bytes).sum::<u64>());
    // 256 MB of 3 GB in a day: about two hours.
    assert!((110.0..=160.0).contains(&salted.minutes_on_one_server), "{}", salted.minutes_on_one_server);
    assert_eq!(salted.minutes, 1440.0);

    let small = grown("[salt(16, id)][id]", 300 << 20);
    let rewritten = |growth: &Growth| growth.bytes_rewritten as f64 / growth.bytes_written as f64;
    assert!(small.regions > salted.regions && rewritten(&small) > rewritten(&salted));
}

#[test]
fn a_rising_key_is_on_one_server_however_often_it_splits() {
    let rising = grown("[id]", 300 << 20);
    assert!(rising.regions > 6);
    assert_eq!(rising.minutes_on_one_server, rising.minutes);
    assert_eq!(rising.servers.worst(), 4.0);
    let salted = grown("[salt(16, id)][id]", 300 << 20);
    assert!(salted.minutes_on_one_server < salted.minutes / 4.0);
}

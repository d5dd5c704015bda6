//! A stream gives what memory gives, however many threads read it.

use std::fmt::Write as _;
use std::io::Cursor;

use rowkey_core::Table;
use rowkey_core::batch::{Column, ColumnBuffer};
use rowkey_lab::simulate::{
    Cut, Data, Design, Feed, Options, Outcome, Streamed, Workload, in_memory, needs_sample, stream,
};
use rowkey_lab::traffic::{Article, Traffic};
use rowkey_ops::input::{Batches, Format, Source};

fn designs(article: Article, traffic: &Traffic) -> Vec<Design> {
    let cut = Cut::Regions(6);
    article.keys().iter().map(|key| Design::of_key(key.key, &traffic.fields, cut.clone()).unwrap()).collect()
}

fn options(traffic: &Traffic) -> Options {
    let time = Some(traffic.fields.get(traffic.time).name.clone());
    Options { time, servers: 3, ranges: 40, folded: true, ..Options::default() }
}

/// The same records as CSV.
fn csv(traffic: &Traffic) -> String {
    let mut out = traffic.fields.names().collect::<Vec<_>>().join(",");
    for number in 0..traffic.records {
        let values: Vec<String> = traffic.record(number).iter().map(ToString::to_string).collect();
        write!(out, "\n{}", values.join(",")).unwrap();
    }
    out
}

fn by_stream(
    designs: &[Design],
    feed: Feed<'_>,
    data: &Data<'_>,
    options: &Options,
    threads: usize,
) -> Streamed {
    stream(designs, feed, data, None, options, threads, &mut |_| ()).unwrap()
}

fn assert_same(a: &Outcome, b: &Outcome) {
    assert_eq!(
        (a.rows, &a.steps, &a.ranges, &a.folded),
        (b.rows, &b.steps, &b.ranges, &b.folded),
        "{}",
        a.key
    );
    assert_eq!((&a.servers, &a.regions, a.key_bytes), (&b.servers, &b.regions, b.key_bytes), "{}", a.key);
    assert_eq!((&a.region_loads, a.refused), (&b.region_loads, b.refused), "{}", a.key);
}

#[test]
fn memory_files_and_traffic_give_the_same_figures() {
    for article in [Article::Orders, Article::Danmaku, Article::Messages] {
        // More than a block of CSV and a batch of traffic.
        let traffic = Traffic::of_article(article, 30_000, 4);
        let buffers = traffic.all();
        let columns: Vec<Column<'_>> = buffers.iter().map(ColumnBuffer::column).collect();
        let data = Data { fields: &traffic.fields, columns: &columns, rows: 30_000 };
        let (designs, options) = (designs(article, &traffic), options(&traffic));
        let expected = in_memory(&designs, &data, None, &options).unwrap();
        let csv = csv(&traffic);
        for threads in [1, 3] {
            let source = Source::stream(Cursor::new(csv.clone().into_bytes()));
            let batches = Batches::open(source, Format::Csv, &traffic.fields, "data.csv").unwrap();
            for feed in [Feed::Records(Box::new(batches)), Feed::Traffic(&traffic)] {
                let streamed = by_stream(&designs, feed, &data, &options, threads);
                assert_eq!(streamed.records, 30_000);
                for (streamed, expected) in streamed.outcomes.iter().zip(&expected) {
                    assert_same(streamed, expected);
                }
            }
        }
    }
}

#[test]
fn records_that_do_not_fit_are_counted_and_left_out() {
    let key =
        rowkey_core::KeySchema::parse("[user: u64][code(kind, 'a'='1', 'b'='2')][ts: timestamp]").unwrap();
    let fields = key.fields().clone();
    let design = Design::of_schema(key, Cut::Keys(vec![vec![0, 0, 0, 0, 0, 0, 0, 5]]));
    let csv = "user,kind,ts\n1,a,2025-01-01\nnobody,a,2025-01-01\n7,z,2025-01-02\n8,b,2025-01-02\n";
    let source = Source::stream(Cursor::new(csv.as_bytes()));
    let batches = Batches::open(source, Format::Csv, &fields, "data.csv").unwrap();
    let nothing = Data { fields: &fields, columns: &[], rows: 0 };
    let options = Options { time: Some("ts".to_owned()), ..Options::default() };
    assert!(!needs_sample(std::slice::from_ref(&design), &options));
    let streamed = by_stream(&[design], Feed::Records(Box::new(batches)), &nothing, &options, 2);
    let outcome = &streamed.outcomes[0];
    assert_eq!((streamed.records, streamed.refused.count, outcome.rows, outcome.refused), (3, 1, 2, 1));
    assert!(outcome.refusal.as_deref().unwrap().contains('z'), "{:?}", outcome.refusal);
    assert_eq!(outcome.regions.rows, [1, 1]);
}

#[test]
fn queries_are_planned_and_charged_to_the_regions_that_they_touch() {
    let file = r#"
[table]
name = "orders"
key = "[salt(8, user_id)][user_id][ts desc][order_id]"
splits = "salt"
[fields]
user_id = "decimal(8)"
order_id = "text"
ts = "timestamp"
note = "text?"
[families.d]
columns = { n = "note" }
[[index]]
name = "orders_by_id"
key = "[order_id: escaped][user_id][ts desc]"
[[query]]
name = "a user's latest"
where = "user_id = ? order by ts desc limit 20"
weight = 8
[[query]]
name = "one order"
where = "order_id = ?"
weight = 1
[[query]]
name = "a time"
where = "ts >= ? and ts < ?"
weight = 1
"#;
    let table = Table::parse("orders.toml", file).unwrap();
    let workload = Workload::of(&table.queries);
    let traffic = Traffic::of_article(Article::Orders, 10_000, 4);
    let design = Design::of_table(table, Cut::Own);
    let nothing = Data { fields: &traffic.fields, columns: &[], rows: 0 };
    let options = Options { time: Some("ts".to_owned()), servers: 4, ..Options::default() };
    let feed = Feed::Traffic(&traffic);
    let streamed = stream(&[design], feed, &nothing, Some(&workload), &options, 2, &mut |_| ()).unwrap();
    assert_eq!(streamed.sampled, 10_000);
    let outcome = &streamed.outcomes[0];
    // Every record is written to the table and to its index table.
    assert_eq!(outcome.servers.rows.iter().sum::<u64>(), 20_000);
    let reads = outcome.reads.as_ref().unwrap();
    let [latest, one, time] = reads.queries.as_slice() else { panic!("{reads:?}") };
    assert_eq!((latest.ranges(), latest.reading.regions, latest.full_scan()), (1.0, 1.0, false));
    assert!((latest.reading.rows - latest.reading.returned).abs() < 1e-9, "{latest:?}");
    // An index entry, then its row, for the note.
    assert_eq!((one.ranges(), one.reading.rows, one.reading.returned), (1.0, 2.0, 1.0));
    // The time is behind the user: every bucket, skipping from user to user.
    assert!(time.full_scan() && time.reading.rows > 3.0 * time.reading.returned, "{time:?}");
    assert_eq!(time.reading.regions, 8.0);
    assert!((reads.full_scans - 0.1).abs() < 1e-9);
}

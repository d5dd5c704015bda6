//! Rows of a salted table come as if it were not salted: the law of plans, through a real store.

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

use rowkey_core::query::{PlanOptions, Query, plan};
use rowkey_core::{Order, Table, Value};
use rowkey_embedded::{Durability, EmbeddedStore, Options};
use rowkey_ops::query::Record;
use rowkey_ops::record::RowWriter;
use rowkey_ops::{create, query};
use rowkey_store::{RowBatch, RowStore};

const TABLE: &str = r#"
[table]
name = "events"
key = "[salt(7, id)][host: escaped][ts desc][id]"
splits = "salt"

[fields]
host = "text"
ts = "timestamp"
id = "text"
level = "u8"
note = "text?"

[families.d]
columns = { l = "level" }

[families.n]
columns = { n = "note" }
"#;

struct Fixture {
    store: EmbeddedStore,
    table: Table,
    records: Vec<Vec<Value<'static>>>,
    _folder: tempfile::TempDir,
}

/// 2,000 events of 9 hosts; `host1` and `host12` among them, and times that repeat.
fn place() -> Fixture {
    let folder = tempfile::tempdir().unwrap();
    let options = Options::default().durability(Durability::Buffered);
    let store = EmbeddedStore::open(folder.path(), options).unwrap();
    let table = Table::parse("events.toml", TABLE).unwrap();
    assert_eq!(create::create(&store, &table).unwrap(), 7);
    let (mut writer, mut batch, mut records) =
        (RowWriter::new(&table).cell_time(1), RowBatch::new(), Vec::new());
    for number in 0..2000i128 {
        let hosts = ["host1", "host12", "host2", "h", "", "host1\0", "ü", "z", "host"];
        let host = hosts[usize::try_from(number * number % 9).unwrap()];
        let time = i64::try_from(number * 7919 % 300).unwrap() * 1000;
        let record = vec![
            Value::Text(host.into()),
            Value::Time(time),
            Value::Text(format!("e{number}").into()),
            Value::Int(number % 5),
            if number % 3 == 0 { Value::Null } else { Value::Text(format!("note {number}").into()) },
        ];
        writer.write(u64::try_from(number).unwrap(), &record, &mut batch).unwrap();
        records.push(record);
    }
    let open = create::open(&store, &table).unwrap();
    store.put_batch(&open.name, &batch).unwrap();
    Fixture { store, table, records, _folder: folder }
}

fn run(place: &Fixture, text: &str) -> (Vec<Record>, u64, usize) {
    let query = Query::parse(text, place.table.key.fields()).unwrap();
    let plan =
        plan(&place.table.key, &query, &PlanOptions { full_scan: true, ..PlanOptions::default() }).unwrap();
    let ranges = plan.access.len();
    let open = create::open(&place.store, &place.table).unwrap();
    let mut rows = query::run(&place.store, &open.name, &place.table, &plan).unwrap();
    let found: Vec<Record> = rows.by_ref().map(Result::unwrap).collect();
    (found, rows.rows_read(), ranges)
}

/// The answer by brute force: filter, then sort by the order asked for and by the key's logical order.
fn expected(place: &Fixture, text: &str) -> Vec<Vec<Value<'static>>> {
    let query = Query::parse(text, place.table.key.fields()).unwrap();
    let matching = |record: &&Vec<Value<'static>>| query.condition.matches(record) == Some(true);
    let mut found: Vec<Vec<Value<'static>>> = place.records.iter().filter(matching).cloned().collect();
    let id = |name| place.table.key.fields().id(name).unwrap();
    let logical =
        [(id("host"), Order::Ascending), (id("ts"), Order::Descending), (id("id"), Order::Ascending)];
    let reverse = query
        .order_by
        .iter()
        .any(|asked| logical.iter().any(|given| given.0 == asked.0 && given.1 != asked.1));
    found.sort_by(|a, b| {
        let orders = logical.iter().map(|(field, order)| {
            let order_of_values = a[field.0].compare(&b[field.0]).unwrap();
            if (*order == Order::Descending) == reverse { order_of_values } else { order_of_values.reverse() }
        });
        orders.into_iter().find(|order| order.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
    });
    found.truncate(query.limit.unwrap_or(usize::MAX));
    found
}

#[test]
fn salted_rows_come_in_logical_order() {
    let place = place();
    for text in [
        "",
        "limit 30",
        "host = 'host1'",
        "host = 'host1' order by ts desc limit 20",
        "host = 'host1' order by ts limit 20",
        "host = 'host1' and ts >= 100000 and ts < 200000",
        "host = 'host1' and ts > 100000 and ts <= 200000 order by ts",
        "host >= 'host1' and host < 'host2'",
        "host = 'nobody'",
        "host = '' and level = 3",
        "level = 3 limit 10",
        "host = 'z' and note = 'note 7'",
        "order by host desc, ts limit 5",
        "limit 0",
    ] {
        let (found, _, _) = run(&place, text);
        let values: Vec<_> = found.into_iter().map(|record| record.values).collect();
        assert_eq!(values, expected(&place, text), "{text}");
    }
}

#[test]
fn a_limit_reads_no_more_than_it_must() {
    let place = place();
    let (found, read, ranges) = run(&place, "host = 'host1' order by ts desc limit 20");
    assert_eq!((found.len(), ranges), (20, 7));
    // A share of 20 for each of the 7 ranges and one more row, then twice that for those that gave theirs.
    assert!(read <= 7 * 4 + 20 * 2, "{read} rows read");
}

#[test]
fn a_bound_salt_is_one_bucket_and_a_whole_key_one_get() {
    let place = place();
    let (found, read, ranges) = run(&place, "id = 'e4' and host = 'host1\0' and ts = 176000");
    assert_eq!((found.len(), read, ranges), (0, 0, 1));
    let first = &place.records[4];
    let text = format!("id = 'e4' and host = '{}' and ts = '{}'", first[0], first[1]);
    let (found, read, ranges) = run(&place, &text);
    assert_eq!((found.len(), read, ranges), (1, 1, 1));
    assert_eq!(found[0].values, *first);
}

#[test]
fn a_row_of_another_schema_is_an_error_that_names_it() {
    let place = place();
    let open = create::open(&place.store, &place.table).unwrap();
    let mut foreign = RowBatch::new();
    foreign.begin_row(b"\x03not ours");
    foreign.cell(b"d", b"l", 1, b"\x01");
    place.store.put_batch(&open.name, &foreign).unwrap();
    let query = Query::parse("", place.table.key.fields()).unwrap();
    let plan =
        plan(&place.table.key, &query, &PlanOptions { full_scan: true, ..PlanOptions::default() }).unwrap();
    let rows = query::run(&place.store, &open.name, &place.table, &plan).unwrap();
    let error = rows.filter_map(Result::err).next().unwrap();
    assert!(error.to_string().contains(r"key \x03not ours"), "{error}");
}

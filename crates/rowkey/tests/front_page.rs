//! The front page's example on both stores, and what a library user may do wrong.

#![expect(clippy::unwrap_used, reason = "a test")]

use rowkey::remedy::Remedy;
use rowkey::store::StoreError;
use rowkey::{Client, Error, Millis, QueryRequest, Table, Value};

fn table(name: &str) -> Table {
    let file = format!(
        r#"
        [table]
        name = "{name}"
        key = "[salt(16, user_id)][user_id][ts desc][order_id]"
        splits = "salt"

        [fields]
        user_id = "u64"
        ts = "timestamp"
        order_id = "text"
        amount = "i64?"

        [families.d]
        columns = {{ a = "amount" }}
        "#
    );
    Table::parse("orders.toml", &file).expect("a table file")
}

type Order<'a> = (u64, Millis, &'a str, Option<i64>);

fn walk(place: &str, name: &str) {
    let client = Client::open(place).expect("a store");
    let _ = client.drop_table(name);
    let orders = client.open_or_create(table(name)).unwrap().typed::<Order<'_>>().unwrap();
    let written = [
        (7, Millis(1000), "a", Some(950)),
        (7, Millis(2000), "b", Some(5)),
        (8, Millis(2000), "c", Some(120)),
    ];
    orders.put(&written).unwrap();
    // A null takes the value away, also right after it was written.
    orders.put(&[(7, Millis(2000), "b", None)]).unwrap();

    let latest = "user_id = 7 order by ts desc limit 20";
    let found: Vec<_> = orders.query(latest).unwrap().map(Result::unwrap).collect();
    let found: Vec<Order<'_>> = found.iter().map(|row| row.get().unwrap()).collect();
    assert_eq!(found, [(7, Millis(2000), "b", None), (7, Millis(1000), "a", Some(950))]);
    // And a value comes back right after a null.
    orders.put(&[(7, Millis(2000), "b", Some(6))]).unwrap();
    let first = orders.query(latest).unwrap().next().unwrap().unwrap();
    assert_eq!(first.get().unwrap().3, Some(6));

    // The same without types, by the name of a table that is there.
    let handle = client.table(name).unwrap();
    let record = [Value::Int(9), Value::Time(5), Value::Text("d".into()), Value::Null];
    handle.put(&[record]).unwrap();
    let refused = handle.query("amount > 5").err().expect("it would read the whole table");
    assert_eq!(refused.remedy(), Some(Remedy::FullScan));
    assert!(refused.to_string().ends_with("or allow it with `full_scan`"), "{refused}");
    let all = QueryRequest::new("order by user_id limit 3").full_scan();
    let mut rows = handle.query(all.clone()).unwrap();
    let users: Vec<Value<'_>> = rows.by_ref().map(|record| record.unwrap().values[0].clone()).collect();
    assert_eq!(users, [Value::Int(7), Value::Int(7), Value::Int(8)]);
    let token = rows.next_page().expect("one row is left");
    let rest: Vec<_> = handle.query(all.after(&token)).unwrap().map(Result::unwrap).collect();
    assert_eq!(rest[0].values[0], Value::Int(9));
    handle.delete(&rest).unwrap();
    let parameters =
        QueryRequest::new("user_id = ? and ts = ?").parameters(&["9", "1970-01-01T00:00:00.005Z"]);
    assert_eq!(handle.query(parameters).unwrap().count(), 0);

    client.drop_table(name).unwrap();
    assert!(matches!(
        client.table(name),
        Err(Error::Table(rowkey::ops::create::TableError::Store(StoreError::TableNotFound { .. })))
    ));
    client.close().unwrap();
}

#[test]
fn in_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    walk(folder.path().to_str().unwrap(), "orders");
}

#[cfg(feature = "hbase")]
#[test]
fn on_a_cluster() {
    walk(&rowkey_testing::cluster::shared().zookeeper_url, "facade_orders");
}

#[test]
fn wrong_ways_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let client = Client::open(folder.path().to_str().unwrap()).unwrap();
    let handle = client.create(table("orders")).unwrap();
    let says = |error: Error, words: &[&str]| {
        let told = rowkey::store::with_causes(&error);
        assert!(words.iter().all(|word| told.contains(word)), "{told}");
    };
    says(
        handle.clone().typed::<(u64, Millis)>().unwrap_err(),
        &["4 fields", "user_id, ts, order_id, amount"],
    );
    says(handle.clone().typed::<(u64, u64, &str, i64)>().unwrap_err(), &["`ts`", "u64"]);
    says(client.create(table("orders")).unwrap_err(), &["orders", "exists already"]);
    says(handle.query("amount = 5").err().unwrap(), &["whole table", "user_id"]);
    says(handle.query("usr_id = 7").err().unwrap(), &["usr_id", "user_id"]);
    let short = [[Value::Int(-1), Value::Time(0), Value::Text("x".into()), Value::Null]];
    says(handle.put(&short).unwrap_err(), &["record 0 of 1", "nothing was written", "-1"]);
    let orders = handle.typed::<(u64, Millis, &str, i64)>().unwrap();
    orders.handle().put(&[[Value::Int(1), Value::Time(0), Value::Text("x".into()), Value::Null]]).unwrap();
    let row = orders.query("user_id = 1").unwrap().next().unwrap().unwrap();
    says(row.get().unwrap_err(), &["amount", "null"]);
}

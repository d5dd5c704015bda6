//! Rows through an index table are those of a filtered scan of the table, in the index's order, page by page, also after rows have
//! moved and gone.

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

use rowkey_core::query::{Plan, PlanOptions, Query, Via, plan, plan_table};
use rowkey_core::{Table, Value};
use rowkey_embedded::{Durability, EmbeddedStore, Options};
use rowkey_ops::create;
use rowkey_ops::index::IndexedWriter;
use rowkey_ops::query::{self, QueryOptions, Record, TokenError, page_by};
use rowkey_ops::record::RowWriter;
use rowkey_store::{Put, RowBatch, RowStore};

const TABLE: &str = r#"
[table]
name = "orders"
key = "[salt(4, user)][user][id]"

[fields]
user = "u32"
id = "u32"
seller = "text"
amount = "i64"
note = "text?"

[families.d]
columns = { s = "seller", a = "amount", n = "note" }

[[index]]
name = "orders_by_seller"
key = "[salt(3, id)][seller: escaped][id desc][user]"
columns = ["amount"]
"#;

fn record(user: u32, id: u32, seller: &str, amount: i64) -> Vec<Value<'static>> {
    vec![
        Value::Int(user.into()),
        Value::Int(id.into()),
        Value::Text(seller.to_owned().into()),
        Value::Int(amount.into()),
        if id.is_multiple_of(2) { Value::Null } else { Value::Text(format!("n{id}").into()) },
    ]
}

struct Shop {
    store: EmbeddedStore,
    table: Table,
    records: Vec<Vec<Value<'static>>>,
    _folder: tempfile::TempDir,
}

/// 600 orders of 5 sellers; then every seventh moves to another seller and every eleventh goes.
fn shop() -> Shop {
    let folder = tempfile::tempdir().unwrap();
    let store =
        EmbeddedStore::open(folder.path(), Options::default().durability(Durability::Buffered)).unwrap();
    let table = Table::parse("orders.toml", TABLE).unwrap_or_else(|findings| panic!("{findings}"));
    create::create(&store, &table).unwrap();
    let open = create::open(&store, &table).unwrap();
    let writer = IndexedWriter::new(&store, &table, &open);
    let sellers = ["ann", "bob", "", "bo", "zoe"];
    let seller = |id: u32| sellers[usize::try_from(id * id % 5).unwrap()];
    let mut records: Vec<Vec<Value<'static>>> =
        (0..600u32).map(|id| record(id % 37, id, seller(id), i64::from(id % 90) - 40)).collect();
    let put = |records: &[Vec<Value<'static>>], time: i64| {
        let (mut rows, mut batch) =
            (RowWriter::new(&table).cell_time(time).deleting_nulls(), RowBatch::new());
        records.iter().for_each(|record| rows.write(0, record, &mut batch).unwrap());
        writer.put(&batch).unwrap();
        batch.rows().map(|row| row.key().to_vec()).collect::<Vec<_>>()
    };
    let keys = put(&records, 1000);
    let moved: Vec<Vec<Value<'static>>> = (0..600u32)
        .filter(|id| id % 7 == 0)
        .map(|id| record(id % 37, id, seller(id + 1), i64::from(id)))
        .collect();
    put(&moved, 2000);
    for new in moved {
        let Value::Int(id) = new[1] else { unreachable!() };
        records[usize::try_from(id).unwrap()] = new;
    }
    let gone: Vec<Vec<u8>> = keys.iter().step_by(11).cloned().collect();
    writer.delete(&gone).unwrap();
    let records =
        records.into_iter().enumerate().filter(|(at, _)| at % 11 != 0).map(|(_, row)| row).collect();
    Shop { store, table, records, _folder: folder }
}

impl Shop {
    fn plan(&self, text: &str, covered: bool) -> (Query, Plan) {
        let query = Query::parse(text, self.table.key.fields()).unwrap();
        let options = PlanOptions { full_scan: true, sort: true, ..PlanOptions::default() };
        let mut plan = plan(&self.table.indexes[0].key, &query, &options).unwrap();
        plan.via = Via::Index { index: 0, covered };
        (query, plan)
    }

    fn run(&self, plan: &Plan, options: &QueryOptions) -> (Vec<Record>, query::Counters, Option<String>) {
        let name = self.table.name.parse().unwrap();
        let mut rows = query::run_with(&self.store, &name, &self.table, plan, options).unwrap();
        let found = rows.by_ref().map(Result::unwrap).collect();
        (found, rows.counters(), rows.next_page())
    }

    /// By seller, newest first.
    fn expected(
        &self,
        query: &Query,
        seen: impl Fn(&[Value<'static>]) -> Vec<Value<'static>>,
    ) -> Vec<Vec<Value<'static>>> {
        let mut found: Vec<&Vec<Value<'static>>> =
            self.records.iter().filter(|record| query.condition.matches(record) == Some(true)).collect();
        found.sort_by(|a, b| a[2].compare(&b[2]).unwrap().then(b[1].compare(&a[1]).unwrap()));
        found.truncate(query.limit.unwrap_or(usize::MAX));
        found.into_iter().map(|record| seen(record)).collect()
    }
}

const QUERIES: [&str; 6] = [
    "seller = 'bob'",
    "seller = 'bo' limit 7",
    "seller = 'ann' and amount > 0 limit 5",
    "seller >= 'b' and user < 20",
    "seller = 'nobody'",
    "",
];

#[test]
fn rows_through_an_index_are_those_of_the_table() {
    let shop = shop();
    for text in QUERIES {
        let (query, plan) = shop.plan(text, false);
        let (found, counters, _) = shop.run(&plan, &QueryOptions::default());
        let values: Vec<_> = found.iter().map(|record| record.values.clone()).collect();
        assert_eq!(values, shop.expected(&query, <[_]>::to_vec), "{text}");
        assert!(found.is_empty() || counters.looked_up.rows > 0, "{counters:?}");
        for record in found {
            let mut key = Vec::new();
            shop.table.key.encode(&record.values, &mut key).unwrap();
            assert_eq!(record.key, key, "the key is that of the table, not of the index");
        }
    }
}

#[test]
fn an_index_that_has_all_that_is_asked_for_is_read_alone() {
    let shop = shop();
    for text in QUERIES {
        let (query, plan) = shop.plan(text, true);
        let (found, counters, _) = shop.run(&plan, &QueryOptions::default());
        let values: Vec<_> = found.into_iter().map(|record| record.values[..4].to_vec()).collect();
        assert_eq!(values, shop.expected(&query, |record| record[..4].to_vec()), "{text}");
        assert_eq!(counters.looked_up.rows, 0, "{text}: {counters:?}");
    }
}

#[test]
fn pages_through_an_index_are_the_whole() {
    let shop = shop();
    for text in ["seller = 'bob'", "amount > 0", "amount > 0 order by amount desc"] {
        let (_, plan) = shop.plan(text, false);
        let (whole, ..) = shop.run(&plan, &QueryOptions::default());
        assert!(whole.len() > 20);
        let (mut joined, mut page) = (Vec::new(), None);
        loop {
            let mut limited = plan.clone();
            limited.limit = Some(9);
            let (found, _, next) = shop.run(&limited, &QueryOptions { page, ..QueryOptions::default() });
            joined.extend(found);
            page = next;
            if page.is_none() {
                break;
            }
        }
        assert_eq!(joined, whole, "{text}");
    }
}

#[test]
fn index_rows_of_another_schema_are_named_or_counted() {
    let shop = shop();
    let mut foreign = RowBatch::new();
    foreign.begin_row(b"\x01not ours");
    foreign.cell(b"d", b"x", 1, b"");
    let index = shop.table.indexes[0].name.parse().unwrap();
    shop.store.put_batch(&index, &foreign).unwrap();
    let (query, plan) = shop.plan("", false);
    let name = shop.table.name.parse().unwrap();
    let error = query::run(&shop.store, &name, &shop.table, &plan).unwrap().find_map(Result::err).unwrap();
    assert!(error.to_string().contains(r"\x01not ours"), "{error}");
    let options = QueryOptions { skip_undecodable: true, ..QueryOptions::default() };
    let (found, counters, _) = shop.run(&plan, &options);
    assert_eq!(found.len(), shop.expected(&query, <[_]>::to_vec).len());
    assert_eq!(counters.undecodable, 1);
}

impl Shop {
    /// The plan by the index table, as the planner makes it, with what a server may check.
    fn planned(&self, text: &str, by: Option<&str>) -> Plan {
        let query = Query::parse(text, self.table.key.fields()).unwrap();
        let options = PlanOptions { full_scan: true, by: by.map(str::to_owned), ..PlanOptions::default() };
        plan_table(&self.table, &query, &options).unwrap().plan
    }

    /// What a writer leaves that announces another amount for an order and dies before it changes the order.
    fn announce(&self, record: &[Value<'static>], amount: i64) {
        let mut key = Vec::new();
        self.table.indexes[0].key.encode(record, &mut key).unwrap();
        let mark = [b"P".as_slice(), &[0; 24], &[1]].concat();
        let later = i64::MAX / 2;
        let put = Put::new(key).cell_at("d", "_", later, mark);
        let put = put.cell_at("d", "a", later, amount.to_be_bytes().as_slice());
        self.store.mutate(&self.table.indexes[0].name.parse().unwrap(), put.into()).unwrap();
    }
}

#[test]
fn a_server_checks_copies_and_leaves_out_no_row_that_is_not_verified() {
    let shop = shop();
    let of_bob: Vec<_> =
        shop.records.iter().filter(|record| record[2] == Value::Text("bob".into())).collect();
    // Every third of bob's orders was about to get the amount 3.
    of_bob.iter().step_by(3).for_each(|record| shop.announce(record, 3));
    let index = Some("orders_by_seller");
    let mut dropped_at_server = 0;
    for amount in -40..600 {
        let text = format!("seller = 'bob' and amount = {amount}");
        let plan = shop.planned(&text, index);
        assert!(matches!(plan.via, Via::Index { .. }) && plan.pushed.len() == 1, "{plan:?}");
        let with = QueryOptions { server_filters: Some(true), ..QueryOptions::default() };
        let without = QueryOptions { server_filters: Some(false), ..QueryOptions::default() };
        let ((found, counters, _), (all, more, _)) = (shop.run(&plan, &with), shop.run(&plan, &without));
        let expected: Vec<_> = of_bob
            .iter()
            .filter(|record| record[3] == Value::Int(amount))
            .map(|record| &record[..])
            .collect();
        assert_eq!(found, all, "{text}");
        assert_eq!(found.len(), expected.len(), "{text}");
        assert!(found.iter().all(|record| expected.contains(&&record.values[..])), "{text}");
        dropped_at_server += more.read.rows - counters.read.rows;
    }
    assert!(dropped_at_server > 600 * 40, "{dropped_at_server}");
}

/// An index that becomes ready between two pages makes another plan the best one.
#[test]
fn a_page_is_read_by_the_table_that_the_page_before_was_read_by() {
    let mut shop = shop();
    let text = "seller = 'bob' and amount > 0 limit 9";
    let ready = shop.table.clone();
    for (first, then) in [(&ready, &ready), (&ready, &Table { indexes: Vec::new(), ..ready.clone() })] {
        // The first page by the one, the others where both are to be had.
        for by in [Some("orders"), None] {
            shop.table = first.clone();
            let plan = shop.planned(text, by);
            let mut unlimited = plan.clone();
            unlimited.limit = None;
            let (whole, ..) = shop.run(&unlimited, &QueryOptions::default());
            let (mut joined, _, mut page) = shop.run(&plan, &QueryOptions::default());
            shop.table = then.clone();
            while let Some(token) = page {
                let by = match page_by(&shop.table, &token) {
                    Ok(by) => by,
                    Err(error) => {
                        assert_eq!((error, shop.table.indexes.len()), (TokenError::Index, 0));
                        joined.clone_from(&whole);
                        break;
                    }
                };
                let plan = shop.planned(text, Some(&by));
                let (found, _, next) =
                    shop.run(&plan, &QueryOptions { page: Some(token), ..QueryOptions::default() });
                joined.extend(found);
                page = next;
            }
            assert!(whole.len() > 20);
            assert_eq!(joined, whole, "{by:?}");
        }
    }
}

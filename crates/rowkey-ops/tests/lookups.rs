//! Rows through an index table are those of a filtered scan of the table, in the index's order, page by page, also after rows have
//! moved and gone.

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

use rowkey::query::{Plan, PlanOptions, Query, Via, plan};
use rowkey::{Table, Value};
use rowkey_embedded::{Durability, EmbeddedStore, Options};
use rowkey_ops::create;
use rowkey_ops::index::IndexedWriter;
use rowkey_ops::query::{self, QueryOptions, Record};
use rowkey_ops::record::RowWriter;
use rowkey_store::{RowBatch, Store};

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
        let (mut rows, mut batch) = (RowWriter::new(&table).cell_time(time), RowBatch::new());
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
        let plan = plan(&self.table.indexes[0].key, &query, &options).unwrap();
        (query, Plan { via: Via::Index { index: 0, covered }, ..plan })
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
            let limited = Plan { limit: Some(9), ..plan.clone() };
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

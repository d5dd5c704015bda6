//! Tables of every shape of key, with random records and queries, and what a store must answer.

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

#[path = "../../../rowkey-core/tests/plans/dice.rs"]
mod dice;
#[path = "../../../rowkey-core/tests/plans/keys.rs"]
mod keys;

use std::cmp::Ordering;
use std::fmt::Write as _;

use rowkey_core::query::{Choice, PlanOptions, Query, plan_table};
use rowkey_core::{FieldId, KeySchema, Order, Table, Value};
use rowkey_ops::query::{self, QueryOptions, Record as Row};
use rowkey_ops::record::RowWriter;
use rowkey_ops::{create, record};
use rowkey_store::{RowBatch, Scan, Store, TableName};

pub(crate) use dice::Dice;
pub(crate) use keys::KEYS;

/// The table of a key: what does not come back from the key is a column, and so is a field of its own.
fn table(name: &str, source: &str) -> Table {
    let key = KeySchema::parse(source).expect(source);
    let mut text = format!("[table]\nname = \"{name}\"\nkey = \"{source}\"\n\n[fields]\n");
    for (_, field) in key.fields().iter() {
        let null = if field.nullable { "?" } else { "" };
        let _ = writeln!(text, "{} = \"{}{null}\"", field.name, field.ty);
    }
    text.push_str("note = \"text?\"\n\n[families.d]\ncolumns = { n = \"note\"");
    for (number, field) in key.not_recoverable().into_iter().enumerate() {
        let _ = write!(text, ", c{number} = \"{}\"", key.fields().get(field).name);
    }
    text.push_str(" }\n");
    Table::parse(name, &text).unwrap_or_else(|findings| panic!("{findings}\n{text}"))
}

/// A table of a store and what is in it.
pub(crate) struct Shape<'s> {
    store: &'s dyn Store,
    name: TableName,
    table: Table,
    /// As a full scan reads them.
    rows: Vec<Row>,
}

impl<'s> Shape<'s> {
    /// Makes and fills a table.
    pub(crate) fn new(
        store: &'s dyn Store,
        name: &str,
        source: &str,
        dice: &mut Dice,
        records: usize,
    ) -> Self {
        let table = table(name, source);
        create::create(store, &table).unwrap();
        let name: TableName = table.name.parse().unwrap();
        let mut writer = RowWriter::new(&table).seed(7);
        let mut batch = RowBatch::new();
        for number in 0..records {
            let record = dice.record(&table.key);
            // What has no key is in no table.
            let _ = writer.write(number as u64, &record, &mut batch);
        }
        if !batch.is_empty() {
            store.put_batch(&name, &batch).unwrap();
        }
        let (mut rows, mut batch) = (Vec::new(), RowBatch::new());
        let mut scanner = store.scan(&name, &Scan::prefix(b"")).unwrap();
        while scanner.next_batch(&mut batch).unwrap() {
            for row in batch.rows() {
                let values = record::read(&table, row).unwrap().into_iter().map(Value::into_owned).collect();
                rows.push(Row { key: row.key().to_vec(), values });
            }
        }
        drop(scanner);
        Self { store, name, table, rows }
    }

    /// Random queries give what a filtered full scan gives, in the order asked for, whole and by pages. Returns how many
    /// returned rows.
    pub(crate) fn queries_give_what_a_filtered_scan_gives(&self, dice: &mut Dice, queries: usize) -> usize {
        (0..queries).filter(|_| self.query_gives_what_a_filtered_scan_gives(dice)).count()
    }

    fn query_gives_what_a_filtered_scan_gives(&self, dice: &mut Dice) -> bool {
        let likely = if self.rows.is_empty() { None } else { Some(&dice.one_of(&self.rows).values) };
        let query = dice.query(&self.table.key, likely);
        let shown =
            || format!("{}: {}", self.table.key.source(), query.condition.to_sql(self.table.key.fields()));
        let options = PlanOptions { full_scan: true, sort: true, ..PlanOptions::default() };
        let whole = Query { limit: None, ..query.clone() };
        let Choice { plan, .. } = plan_table(&self.table, &whole, &options).unwrap();
        let rows = query::run(self.store, &self.name, &self.table, &plan);
        let found: Vec<Row> =
            rows.unwrap().map(|row| row.unwrap_or_else(|error| panic!("{}: {error}", shown()))).collect();

        let holds = |row: &&Row| query.condition.matches(&row.values) == Some(true);
        let expected: Vec<&Row> = self.rows.iter().filter(holds).collect();
        let mut same: Vec<&Row> = found.iter().collect();
        same.sort_by(|a, b| a.key.cmp(&b.key));
        assert_eq!(same, expected, "{}", shown());
        let ordered = |pair: &[Row]| compare(&query.order_by, &pair[0].values, &pair[1].values).is_le();
        assert!(found.windows(2).all(ordered), "{}: {found:?} by {:?}", shown(), query.order_by);

        let paged = Query { limit: Some(1 + dice.index(4)), ..query.clone() };
        let Choice { plan, .. } = plan_table(&self.table, &paged, &options).unwrap();
        let (mut joined, mut token) = (Vec::new(), None);
        loop {
            let options = QueryOptions { page: token, ..QueryOptions::default() };
            let mut rows = query::run_with(self.store, &self.name, &self.table, &plan, &options).unwrap();
            joined.extend(rows.by_ref().map(Result::unwrap));
            token = rows.next_page();
            if token.is_none() || joined.len() > self.rows.len() {
                break;
            }
        }
        let ordered = joined.windows(2).all(ordered);
        joined.sort_by(|a, b| a.key.cmp(&b.key));
        assert_eq!(joined.iter().collect::<Vec<_>>(), expected, "pages of {}", shown());
        assert!(ordered, "pages of {}", shown());
        !expected.is_empty()
    }

    pub(crate) fn drop_table(self) {
        create::drop(self.store, &self.table).unwrap();
    }
}

/// Null is smaller than every value.
fn compare(order: &[(FieldId, Order)], a: &[Value<'_>], b: &[Value<'_>]) -> Ordering {
    let mut all = order.iter().map(|(field, order)| {
        let (a, b) = (&a[field.0], &b[field.0]);
        let found = a.compare(b).unwrap_or_else(|| b.is_null().cmp(&a.is_null()));
        if *order == Order::Descending { found.reverse() } else { found }
    });
    all.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

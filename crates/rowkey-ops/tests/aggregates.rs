//! Aggregates by region are those of a loop over the rows, whatever the regions.

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

use rowkey_core::query::{Plan, PlanOptions, Query, plan};
use rowkey_core::{FieldId, Table, Value};
use rowkey_embedded::{Durability, EmbeddedStore, Options};
use rowkey_ops::aggregate::{self, AggregateOptions, By, Figures, Groups};
use rowkey_ops::create;
use rowkey_ops::query::{self, Cancel, QueryError};
use rowkey_ops::record::RowWriter;
use rowkey_store::conformance::model::Model;
use rowkey_store::{RowBatch, RowStore, Store, TableName};

const TABLE: &str = r#"
[table]
name = "events"
key = "[salt(6, id)][host: escaped][ts desc][id]"
splits = "salt"

[fields]
host = "text"
ts = "timestamp"
id = "u32"
level = "u8"
size = "i64?"
ratio = "f64?"

[families.d]
columns = { l = "level", s = "size", r = "ratio" }
"#;

const QUERIES: [&str; 9] = [
    "",
    "host = 'a'",
    "host in ('a', 'c') and ts >= 20000",
    "level > 2",
    "host = 'b' and size < 0",
    "host = 'nobody'",
    "host = 'a' and host = 'b'",
    "level = 1 order by ts limit 17",
    "id = 7 and host = 'b' and ts = 7000",
];

struct Fixture<'s> {
    store: &'s dyn Store,
    name: TableName,
    table: Table,
}

fn fill(store: &dyn Store) -> Fixture<'_> {
    let table = Table::parse("events.toml", TABLE).unwrap_or_else(|findings| panic!("{findings}"));
    create::create(store, &table).unwrap();
    let (mut writer, mut batch) = (RowWriter::new(&table).cell_time(1), RowBatch::new());
    for id in 0..500i64 {
        let host = ["a", "b", "c", "d"][usize::try_from(id * id % 4 + id % 2).unwrap()];
        let record = [
            Value::Text(host.into()),
            Value::Time(id % 50 * 1000),
            Value::Int(id.into()),
            Value::Int((id % 5).into()),
            if id % 3 == 0 { Value::Null } else { Value::Int((i128::from(id) - 250) << 40) },
            // Sums of these are exact, in whatever order they are added.
            if id % 4 == 0 { Value::Null } else { Value::Float(f64::from(i32::try_from(id).unwrap()) / 4.0) },
        ];
        writer.write(0, &record, &mut batch).unwrap();
    }
    let name: TableName = table.name.parse().unwrap();
    store.put_batch(&name, &batch).unwrap();
    Fixture { store, name, table }
}

impl Fixture<'_> {
    fn plan(&self, text: &str) -> Plan {
        let query = Query::parse(text, self.table.key.fields()).unwrap();
        let options = PlanOptions { full_scan: true, sort: true, ..PlanOptions::default() };
        plan(&self.table.key, &query, &options).unwrap()
    }

    fn rows(&self, plan: &Plan) -> Vec<Vec<Value<'static>>> {
        let rows = query::run(self.store, &self.name, &self.table, plan).unwrap();
        rows.map(|record| record.unwrap().values).collect()
    }

    fn field(&self, name: &str) -> FieldId {
        self.table.key.fields().id(name).unwrap()
    }

    fn holds(&self) {
        let options = AggregateOptions::default();
        for text in QUERIES {
            let plan = self.plan(text);
            let rows = self.rows(&plan);
            let place = (self.store, &self.name, &self.table);
            let (counted, by) = aggregate::count(place.0, place.1, place.2, &plan, &options).unwrap();
            assert_eq!(counted, u64::try_from(rows.len()).unwrap(), "{text}");
            let has_columns = ["level", "size", "id = 7"].iter().any(|word| text.contains(word));
            assert_eq!(by, if has_columns { By::Rows } else { By::Keys }, "{text}");
            for field in ["size", "ratio", "host", "ts", "level"].map(|name| self.field(name)) {
                let mut expected = Figures::default();
                rows.iter().for_each(|row| expected.add(&row[field.0]));
                let found = aggregate::of_field(place.0, place.1, place.2, &plan, field, &options).unwrap();
                assert_eq!(found, (expected, By::Rows), "{text}");
                let (host, level) = (self.field("host"), self.field("level"));
                for by in [&[][..], &[host], &[level, host]] {
                    let mut groups = Groups::default();
                    for row in &rows {
                        let of = |field: &FieldId| &row[field.0];
                        groups.add(by.iter().map(of), [field, level].iter().map(of));
                    }
                    let asked = (by, &[field, level][..]);
                    let found =
                        aggregate::group_by(place.0, place.1, place.2, &plan, asked, &options).unwrap();
                    assert_eq!(found, groups.into_sorted(), "{text} by {by:?}");
                }
            }
            let ids = aggregate::fold(place.0, place.1, place.2, &plan, &options, Vec::new, |ids, row| {
                ids.push(row[2].to_string());
            });
            let mut ids = ids.unwrap().concat();
            let mut expected: Vec<String> = rows.iter().map(|row| row[2].to_string()).collect();
            ids.sort();
            expected.sort();
            assert_eq!(ids, expected, "{text}");
        }
    }
}

fn holds_while_regions_change(store: &dyn Store) {
    let place = fill(store);
    place.holds();
    let regions = store.regions(&place.name).unwrap();
    store.split_region(&place.name, &regions[2].name, Some(b"\x02b")).unwrap();
    store.merge_regions(&place.name, &[regions[4].name.clone(), regions[5].name.clone()]).unwrap();
    place.holds();
}

#[test]
fn aggregates_are_those_of_the_rows_in_memory() {
    holds_while_regions_change(&Model::default());
}

#[test]
fn aggregates_are_those_of_the_rows_on_the_embedded_store() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options::default().durability(Durability::Buffered);
    holds_while_regions_change(&EmbeddedStore::open(folder.path(), options).unwrap());
}

#[test]
fn every_region_has_a_state_of_its_own_in_key_order() {
    let store = Model::default();
    let place = fill(&store);
    let plan = place.plan("");
    let options = AggregateOptions::default();
    let first =
        aggregate::fold(&store, &place.name, &place.table, &plan, &options, || 0u32, |rows, _| *rows += 1);
    let found = first.unwrap();
    assert_eq!((found.len(), found.iter().sum::<u32>()), (6, 500));
}

#[test]
fn rows_of_another_schema_are_named_or_left_out_and_a_cancelled_count_ends() {
    let store = Model::default();
    let place = fill(&store);
    let mut foreign = RowBatch::new();
    foreign.begin_row(b"\x03not ours");
    foreign.cell(b"d", b"l", 1, b"\x01");
    store.put_batch(&place.name, &foreign).unwrap();
    for text in ["", "level > 2"] {
        let plan = place.plan(text);
        let count =
            |options: &AggregateOptions| aggregate::count(&store, &place.name, &place.table, &plan, options);
        let error = count(&AggregateOptions::default()).unwrap_err();
        assert!(error.to_string().contains(r"key \x03not ours"), "{error}");
        let skip = AggregateOptions { skip_undecodable: true, ..AggregateOptions::default() };
        assert_eq!(count(&skip).unwrap().0, if text.is_empty() { 500 } else { 200 });
        let cancel = Cancel::new();
        cancel.cancel();
        let cancelled = AggregateOptions { cancel, ..AggregateOptions::default() };
        assert!(matches!(count(&cancelled), Err(QueryError::Cancelled)));
    }
}

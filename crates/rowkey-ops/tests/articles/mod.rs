//! The queries that the five articles ask for (`docs/sources.md`), on any store.

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

use rowkey_core::query::{Choice, PlanOptions, Query, plan_table};
use rowkey_core::{Table, Value};
use rowkey_ops::index::IndexedWriter;
use rowkey_ops::record::RowWriter;
use rowkey_ops::{create, query};
use rowkey_store::{RowBatch, Store};

/// A made and filled table.
pub(crate) struct Story<'s> {
    store: &'s dyn Store,
    table: Table,
}

impl<'s> Story<'s> {
    pub(crate) fn new(store: &'s dyn Store, file: &str, records: Vec<Vec<Value<'static>>>) -> Self {
        let table = Table::parse("story.toml", file).unwrap_or_else(|findings| panic!("{findings}"));
        create::create(store, &table).unwrap();
        let open = create::open(store, &table).unwrap();
        let mut writer = RowWriter::new(&table);
        for chunk in records.chunks(5000) {
            let mut batch = RowBatch::new();
            for (number, record) in (0..).zip(chunk) {
                writer.write(number, record, &mut batch).unwrap();
            }
            if table.indexes.is_empty() {
                store.put_batch(&open.name, &batch).unwrap();
            } else {
                IndexedWriter::new(store, &table, &open).put(&batch).unwrap();
            }
        }
        Self { store, table }
    }

    /// What a field has in the rows of a query, how many ranges or gets that took, and how many rows were read.
    pub(crate) fn ask(&self, text: &str, field: &str) -> (Vec<String>, usize, u64) {
        let parsed = Query::parse(text, self.table.key.fields()).unwrap();
        let Choice { plan, .. } = plan_table(&self.table, &parsed, &PlanOptions::default()).unwrap();
        let name = self.table.name.parse().unwrap();
        let mut rows = query::run(self.store, &name, &self.table, &plan).unwrap();
        let field = self.table.key.fields().id(field).unwrap();
        let values = rows.by_ref().map(|row| row.unwrap().values[field.0].to_string()).collect();
        (values, plan.access.len(), rows.rows_read())
    }

    pub(crate) fn drop_table(self) {
        create::drop(self.store, &self.table).unwrap();
    }
}

fn text(text: impl Into<String>) -> Value<'static> {
    Value::Text(text.into().into())
}

/// The RowKey principles: a log whose ids begin with the time, salted over many regions, read in time order.
pub(crate) fn a_time_range_over_salted_regions(store: &dyn Store, name: &str, buckets: u32, rows: u32) {
    let file = format!(
        "[table]\nname = \"{name}\"\nkey = \"[java_hash(id) % {buckets}: decimal(3)][id]\"\nsplits = \"salt\"\n\
         [fields]\nid = \"text\"\nline = \"text\"\n[families.d]\ncolumns = {{ l = \"line\" }}\n"
    );
    // One line every 37 minutes from 2014-12-01 on, some of them before and behind the range.
    let id = |number: u32| {
        let minutes = i64::from(number) * 37 * 250_000 / i64::from(rows);
        let time = 1_417_392_000_000 + minutes * 60_000;
        let at = Value::Time(time).to_string();
        let digits: String = at.chars().filter(char::is_ascii_digit).take(14).collect();
        format!("{digits}_{number:06}")
    };
    let records = (0..rows).map(|number| vec![text(id(number)), text(format!("line {number}"))]).collect();
    let story = Story::new(store, &file, records);
    let (found, ranges, _) = story.ask("id >= '201501010000' and id < '20150524000000' order by id", "id");
    let mut expected: Vec<String> = (0..rows).map(id).collect();
    expected.retain(|id| ("201501010000"..="20150523999999_9").contains(&id.as_str()));
    expected.sort();
    assert_eq!(found, expected);
    assert_eq!(ranges, usize::try_from(buckets).unwrap());
    assert!(found.len() > 100 && found.len() < usize::try_from(rows).unwrap(), "{} rows", found.len());
    let (one, gets, read) = story.ask(&format!("id = '{}'", id(rows / 2)), "line");
    assert_eq!((one, gets, read), (vec![format!("line {}", rows / 2)], 1, 1), "a Get stays a Get");
    story.drop_table();
}

/// A user's newest actions, and his actions in a period, under a descending time.
pub(crate) fn a_users_newest_actions(store: &dyn Store, name: &str) {
    let file = format!(
        "[table]\nname = \"{name}\"\nkey = \"[reverse(user)][0x00][Long.MAX_VALUE - at][action]\"\n\
         [fields]\nuser = \"text\"\nat = \"timestamp\"\naction = \"text\"\n[families.d]\n"
    );
    let action = |number: i64| {
        vec![text(format!("u{}", number % 12)), Value::Time(number * 1000), text(format!("a{number}"))]
    };
    let story = Story::new(store, &file, (0..600).map(action).collect());
    let own = |numbers: &mut dyn Iterator<Item = i64>| -> Vec<String> {
        numbers.filter(|number| number % 12 == 1).map(|number| format!("a{number}")).collect()
    };
    let (newest, ranges, read) = story.ask("user = 'u1' limit 20", "action");
    assert_eq!(newest, own(&mut (0..600).rev())[..20]);
    assert_eq!(ranges, 1);
    assert!(read <= 20, "{read} rows read for 20");
    let (period, ..) = story.ask("user = 'u1' and at >= 100000 and at < 300000", "action");
    assert_eq!(period, own(&mut (100..300).rev()));
    let (oldest, ..) = story.ask("user = 'u1' order by at limit 3", "action");
    assert_eq!(oldest, ["a1", "a13", "a25"]);
    story.drop_table();
}

/// Hosts from host1 up to but not including host2: host12 is between them as a text, and no part of host1.
pub(crate) fn hosts_between(store: &dyn Store, name: &str) {
    for key in ["[host: escaped][at]", "[host][0x00][at]", "[host]_[at]"] {
        let file = format!(
            "[table]\nname = \"{name}\"\nkey = \"{key}\"\n[fields]\nhost = \"text\"\nat = \"timestamp\"\n[families.d]\n"
        );
        let hosts = ["host", "host1", "host12", "host2", "host21", "host3"];
        let records = hosts.iter().flat_map(|host| (0..3).map(|at| vec![text(*host), Value::Time(at)]));
        let story = Story::new(store, &file, records.collect());
        let (one, ranges, read) = story.ask("host = 'host1'", "host");
        assert_eq!((one, ranges, read), (vec!["host1".to_owned(); 3], 1, 3), "{key}: host1 without host12");
        let (mut between, ..) = story.ask("host >= 'host1' and host < 'host2'", "host");
        between.sort();
        between.dedup();
        assert_eq!(between, ["host1", "host12"], "{key}");
        story.drop_table();
    }
}

/// Words that end in "ing", by an index on the reversed word.
pub(crate) fn words_by_their_ends(store: &dyn Store, name: &str) {
    let file = format!(
        "[table]\nname = \"{name}\"\nkey = \"[word]\"\n[fields]\nword = \"text\"\nlength = \"u32\"\n[families.d]\n\
         columns = {{ l = \"length\" }}\n[[index]]\nname = \"{name}_by_end\"\nkey = \"[reverse(word)]\"\n"
    );
    let words = ["sing", "string", "ring", "ingot", "ring road", "king", "kind", "ing"];
    let record = |word: &&str| vec![text(*word), Value::Int(i128::try_from(word.len()).unwrap())];
    let story = Story::new(store, &file, words.iter().map(record).collect());
    let (mut found, ranges, read) = story.ask("word like '%ing'", "word");
    found.sort();
    assert_eq!(found, ["ing", "king", "ring", "sing", "string"]);
    assert_eq!((ranges, read), (1, 5), "a range of the index, and nothing more");
    story.drop_table();
}

/// A seller's orders in a time range, a buyer's, and one order by its number, from one declaration.
pub(crate) fn orders_three_ways(store: &dyn Store, name: &str) {
    let file = format!(
        "[table]\nname = \"{name}\"\nkey = \"[salt(4, buyer)][buyer][at desc][number]\"\nsplits = \"salt\"\n\
         [fields]\nbuyer = \"u64\"\nat = \"timestamp\"\nnumber = \"text\"\nseller = \"u64\"\namount = \"i64\"\n\
         [families.d]\ncolumns = {{ s = \"seller\", a = \"amount\" }}\n\
         [[index]]\nname = \"{name}_by_seller\"\nkey = \"[seller][at desc][buyer][number]\"\ncolumns = [\"amount\"]\n\
         [[index]]\nname = \"{name}_by_number\"\nkey = \"[number: escaped][buyer][at desc]\"\n"
    );
    let order = |number: i128| {
        let at = i64::try_from(number).unwrap() * 1000;
        let id = text(format!("N{number:04}"));
        vec![Value::Int(number % 17), Value::Time(at), id, Value::Int(number % 5), Value::Int(number * 10)]
    };
    let story = Story::new(store, &file, (0..400).map(order).collect());
    let numbers = |wanted: &dyn Fn(i128) -> bool| -> Vec<String> {
        (0..400).rev().filter(|number| wanted(*number)).map(|number| format!("N{number:04}")).collect()
    };
    let (sold, ranges, read) =
        story.ask("seller = 3 and at >= 100000 and at < 200000 order by at desc", "number");
    assert_eq!(sold, numbers(&|number| number % 5 == 3 && (100..200).contains(&number)));
    assert_eq!((ranges, read), (1, 20));
    let (bought, ranges, _) = story.ask("buyer = 7 order by at desc limit 10", "number");
    assert_eq!(bought, numbers(&|number| number % 17 == 7)[..10]);
    assert_eq!(ranges, 1);
    let (one, ranges, read) = story.ask("number = 'N0123'", "amount");
    assert_eq!((one, ranges, read), (vec!["1230".to_owned()], 1, 1));
    story.drop_table();
}

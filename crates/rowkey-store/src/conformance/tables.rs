//! Operations on whole tables.

use rowkey_core::range::KeyRange;

use super::byte_rows::{Table, first_batch};
use super::rows::{Rows, descriptor, family, fresh_name, keys};
use crate::{Delete, Family, Get, RowBatch, Scan, Store, StoreError, TruncateSplits};

/// What `describe` returns is what `create` was given.
pub(crate) fn create_keeps_families_and_attributes(store: &dyn Store) {
    let mut table = descriptor(&["a", "d"]);
    if let Some(family) = table.families.last_mut() {
        family.versions = 3;
        family.min_versions = 1;
        family.ttl_seconds = Some(86_400);
        family.attributes.insert("BLOCKSIZE".to_owned(), "32768".to_owned());
    }
    table.attributes.insert("ROWKEY".to_owned(), "[table]\nname = \"größe\"\n".to_owned());
    let made = Table::from(store, &table, &[]);
    let found = store.describe(&made.name).expect("the table exists");
    assert_eq!(found.name, table.name);
    assert_eq!(found.attributes.get("ROWKEY"), table.attributes.get("ROWKEY"));
    assert_eq!(found.families.len(), 2);
    for (found, given) in found.families.iter().zip(&table.families) {
        assert_eq!(
            (&found.name, found.versions, found.min_versions, found.ttl_seconds),
            (&given.name, given.versions, given.min_versions, given.ttl_seconds)
        );
    }
    assert_eq!(found.families[1].attributes.get("BLOCKSIZE").map(String::as_str), Some("32768"));
}

/// A second table of the same name is refused, and the first keeps its rows.
pub(crate) fn creating_an_existing_table_is_refused(store: &dyn Store) {
    let table = descriptor(&["d"]);
    let made = Table::from(store, &table, &[]);
    made.put(b"r", &[("d", "q", 1, "v")]).expect("a good row");
    refused!(store.create_table(&table, &[]), TableExists);
    assert_eq!(made.get(b"r"), "[r [d:q@1=v]]");
}

/// No family, no table.
pub(crate) fn a_table_needs_a_family(store: &dyn Store) {
    let table = descriptor(&[]);
    refused!(store.create_table(&table, &[]), NoFamilies);
    assert!(matches!(store.describe(&table.name), Err(StoreError::TableNotFound { .. })));
}

/// After a drop the name is free, and a new table of that name is empty.
pub(crate) fn a_dropped_table_is_gone_and_can_be_made_again(store: &dyn Store) {
    let table = descriptor(&["d"]);
    let first = Table::from(store, &table, &["m"]);
    first.put_rows(&keys(&["a", "z"]));
    store.drop_table(&first.name).expect("the table exists");
    assert!(matches!(store.describe(&first.name), Err(StoreError::TableNotFound { .. })));
    let second = Table::from(store, &table, &["m"]);
    assert_eq!(second.scan(&Scan::new(KeyRange::all())), Vec::<Vec<u8>>::new());
}

/// Each call says which table is missing.
pub(crate) fn every_call_on_an_unknown_table_is_refused(store: &dyn Store) {
    let name = fresh_name();
    let mut batch = RowBatch::new();
    batch.begin_row(b"r");
    batch.cell(b"d", b"q", 1, b"v");
    let errors = [
        store.describe(&name).err(),
        store.drop_table(&name).err(),
        store.put_batch(&name, &batch).err(),
        store.get(&name, &Get::new("r"), &mut RowBatch::new()).err(),
        first_batch(store, &name, &Scan::new(KeyRange::all())).err(),
        store.regions(&name).err(),
        store.batch(&name, &[Delete::row("r").into()]).err(),
        store.is_enabled(&name).err(),
        store.disable_table(&name).err(),
        store.enable_table(&name).err(),
        store.truncate_table(&name, TruncateSplits::Keep).err(),
        store.split_region(&name, "r", None).err(),
        store.merge_regions(&name, &["r".to_owned(), "s".to_owned()]).err(),
        store.flush(&name).err(),
        store.major_compact(&name).err(),
        store.alter_table(&crate::TableDescriptor { name: name.clone(), ..descriptor(&["d"]) }).err(),
    ];
    for (call, error) in errors.iter().enumerate() {
        assert!(matches!(error, Some(StoreError::TableNotFound { .. })), "call {call}: {error:?}");
    }
}

pub(crate) fn families_that_cannot_be_are_refused(store: &dyn Store) {
    let good = descriptor(&["d"]);
    for bad in [
        Family { versions: 0, ..Family::new("d") },
        Family { versions: 2, min_versions: 3, ..Family::new("d") },
        Family { ttl_seconds: Some(0), ..Family::new("d") },
        Family::new("a:b"),
        Family::new(""),
    ] {
        let table = crate::TableDescriptor { families: vec![bad], ..good.clone() };
        refused!(store.create_table(&table, &[]), InvalidFamily);
    }
    assert!(!store.table_exists(&good.name).expect("the store answers"));
}

pub(crate) fn tables_are_listed_by_name(store: &dyn Store) {
    let mut tables = [descriptor(&["d"]), descriptor(&["d"])];
    tables.sort_by(|a, b| a.name.cmp(&b.name));
    let made = tables.each_ref().map(|table| Rows::of(store, table, &[]));
    let listed = store.list_tables().expect("the store answers");
    assert!(listed.is_sorted(), "{listed:?}");
    assert!(tables.iter().all(|table| listed.contains(&table.name)), "{listed:?}");
    assert!(store.table_exists(&made[0].table).expect("the store answers"));
    drop(made);
    assert!(!store.table_exists(&tables[0].name).expect("the store answers"));
}

pub(crate) fn a_table_is_in_the_namespace_of_its_name(store: &dyn Store) {
    let t = Rows::own(store, &["d"], &[]);
    let tables = store.tables_of_namespace("default").expect("it is always there");
    assert!(tables.contains(&t.table) && tables.is_sorted(), "{tables:?}");
    let namespaces = store.list_namespaces().expect("the store answers");
    let default = store.describe_namespace("default").expect("it is always there");
    assert!(
        namespaces.contains(&default) && namespaces.is_sorted_by_key(|known| &known.name),
        "{namespaces:?}"
    );
    refused!(store.describe_namespace("no_such_namespace"), NamespaceNotFound);
    refused!(store.tables_of_namespace("no_such_namespace"), NamespaceNotFound);
}

pub(crate) fn a_disabled_table_takes_no_reads_and_writes(store: &dyn Store) {
    let t = Rows::own(store, &["d"], &["m"]);
    t.put("r", "d:q@5=v");
    assert!(store.is_enabled(&t.table).expect("the table exists"));
    store.disable_table(&t.table).expect("the table is enabled");
    assert!(!store.is_enabled(&t.table).expect("the table exists"));
    let mut batch = RowBatch::new();
    batch.begin_row(b"s");
    batch.cell(b"d", b"q", 5, b"v");
    let errors = [
        store.put_batch(&t.table, &batch).err(),
        store.get(&t.table, &Get::new("r"), &mut RowBatch::new()).err(),
        first_batch(store, &t.table, &Scan::new(KeyRange::all())).err(),
        t.run(Delete::row("r")).err(),
    ];
    for (call, error) in errors.iter().enumerate() {
        assert!(matches!(error, Some(StoreError::TableDisabled { .. })), "call {call}: {error:?}");
    }
    store.enable_table(&t.table).expect("the table is disabled");
    assert_eq!(t.scan(), "r d:q@5=v");
}

pub(crate) fn a_table_is_not_enabled_or_disabled_twice(store: &dyn Store) {
    let t = Rows::own(store, &["d"], &[]);
    refused!(store.enable_table(&t.table), TableNotDisabled);
    store.disable_table(&t.table).expect("the table is enabled");
    refused!(store.disable_table(&t.table), TableNotEnabled);
}

pub(crate) fn a_disabled_table_can_be_described_and_dropped(store: &dyn Store) {
    let t = Rows::own(store, &["d"], &["m"]);
    store.disable_table(&t.table).expect("the table is enabled");
    assert_eq!(store.describe(&t.table).expect("the table exists").families.len(), 1);
    store.drop_table(&t.table).expect("the table exists");
    assert!(!store.table_exists(&t.table).expect("the store answers"));
}

pub(crate) fn a_truncated_table_is_empty_and_keeps_its_splits(store: &dyn Store) {
    let t = Rows::own(store, &["d"], &["c", "m"]);
    t.put("a", "d:q@5=v");
    t.put("z", "d:q@5=v");
    store.truncate_table(&t.table, TruncateSplits::Keep).expect("the table exists");
    assert_eq!((t.raw().as_str(), t.ranges().as_str()), ("", "(-∞, c) [c, m) [m, ∞)"));
    t.put("a", "d:q@3=new");
    assert_eq!(t.scan(), "a d:q@3=new");
}

pub(crate) fn a_truncated_table_can_lose_its_splits(store: &dyn Store) {
    let t = Rows::own(store, &["d"], &["c", "m"]);
    t.put("a", "d:q@5=v");
    store.truncate_table(&t.table, TruncateSplits::Drop).expect("the table exists");
    assert_eq!((t.raw().as_str(), t.ranges().as_str()), ("", "(-∞, ∞)"));
    assert_eq!(store.describe(&t.table).expect("the table exists").families[0].versions, 3);
}

pub(crate) fn a_disabled_table_is_enabled_after_a_truncation(store: &dyn Store) {
    let t = Rows::own(store, &["d"], &[]);
    t.put("a", "d:q@5=v");
    store.disable_table(&t.table).expect("the table is enabled");
    store.truncate_table(&t.table, TruncateSplits::Keep).expect("the table exists");
    assert!(store.is_enabled(&t.table).expect("the table exists"));
    assert_eq!(t.scan(), "");
}

pub(crate) fn an_altered_table_has_new_settings_and_keeps_its_rows(store: &dyn Store) {
    let t = Rows::of(store, &descriptor(&["d"]), &["m"]);
    t.put("r", "d:q@3=a d:q@5=b");
    assert_eq!(t.versions("r"), "d:q@5=b");
    let mut table = store.describe(&t.table).expect("the table exists");
    table.families[0].versions = 5;
    table.attributes.insert("ROWKEY".to_owned(), "text".to_owned());
    store.alter_table(&table).expect("a good change");
    let found = store.describe(&t.table).expect("the table exists");
    assert_eq!(found.families[0].versions, 5);
    assert_eq!(found.attributes.get("ROWKEY").map(String::as_str), Some("text"));
    t.put("r", "d:q@7=c");
    assert!(t.versions("r").starts_with("d:q@7=c d:q@5=b"));
    assert_eq!(t.ranges(), "(-∞, m) [m, ∞)");
}

pub(crate) fn a_family_can_be_added_and_removed(store: &dyn Store) {
    let t = Rows::own(store, &["d"], &[]);
    t.put("r", "d:q@5=v");
    let mut table = store.describe(&t.table).expect("the table exists");
    table.families.push(family("e", 1));
    store.alter_table(&table).expect("a good change");
    t.put("r", "e:q@5=w");
    assert_eq!(t.get("r"), "d:q@5=v e:q@5=w");
    table.families.pop();
    store.alter_table(&table).expect("a good change");
    assert_eq!(t.get("r"), "d:q@5=v");
    refused!(t.run(t.put_of("r", "e:q@5=w")), UnknownFamily);
    table.families.push(family("e", 1));
    store.alter_table(&table).expect("a good change");
    assert_eq!(t.get("r"), "d:q@5=v", "a family that comes back is empty");
}

pub(crate) fn a_table_cannot_be_altered_into_one_that_cannot_be(store: &dyn Store) {
    let t = Rows::own(store, &["d"], &[]);
    let mut table = store.describe(&t.table).expect("the table exists");
    table.families.clear();
    refused!(store.alter_table(&table), NoFamilies);
    table.families = vec![Family { versions: 0, ..Family::new("d") }];
    refused!(store.alter_table(&table), InvalidFamily);
    assert_eq!(store.describe(&t.table).expect("the table exists").families[0].versions, 3);
}

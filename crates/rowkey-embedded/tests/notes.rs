//! Do notes stay with a table's contents, and go with them?

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

use crate::tables::{create, descriptor, name, open, rows};
use rowkey_store::{Admin, Note, RowBatch, RowStore, Scanner, Store, StoreError, TableName, TruncateSplits};

const NOTE: &str = "load:1";

fn noted(store: &dyn Store, table: &TableName) -> bool {
    match store.note(table, NOTE).unwrap() {
        Note::Kept(note) => note == b"how far",
        Note::Missing => false,
        Note::NotOffered => panic!("this store keeps notes"),
    }
}

fn note(store: &dyn Store, table: &TableName) {
    store.set_note(table, NOTE, Some(b"how far")).unwrap();
    assert!(noted(store, table));
}

#[test]
fn a_note_stays_over_a_reopen_and_goes_with_the_contents() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let (table, other) = (create(&store, "t", &["a", "b"], &["m"]), create(&store, "u", &["a"], &[]));
    assert!(!noted(&store, &table));
    note(&store, &table);
    assert!(!noted(&store, &other), "of another table");
    assert_eq!(store.note(&table, "load:2").unwrap(), Note::Missing);
    store.close().unwrap();
    let store = open(folder.path());
    assert!(noted(&store, &table));
    // Rows and settings come and go without it.
    store.put_batch(&table, &rows(&[("r", &[("a", "q", 1, "v")])])).unwrap();
    let region = store.regions(&table).unwrap().remove(0).name;
    store.split_region(&table, &region, Some(b"c")).unwrap();
    store.alter_table(&descriptor("t", &["a", "b", "c"])).unwrap();
    store.disable_table(&table).unwrap();
    assert!(noted(&store, &table));
    assert!(matches!(store.set_note(&table, NOTE, None), Err(StoreError::TableDisabled { .. })));
    store.enable_table(&table).unwrap();
    store.major_compact(&table).unwrap();
    assert!(noted(&store, &table));
    store.set_note(&table, NOTE, None).unwrap();
    assert!(!noted(&store, &table));

    note(&store, &table);
    store.alter_table(&descriptor("t", &["a", "b"])).unwrap();
    assert!(!noted(&store, &table), "the cells of a family are gone");
    for splits in [TruncateSplits::Keep, TruncateSplits::Drop] {
        note(&store, &table);
        store.truncate_table(&table, splits).unwrap();
        assert!(!noted(&store, &table), "{splits:?}");
    }
    note(&store, &table);
    store.drop_table(&table).unwrap();
    create(&store, "t", &["a", "b"], &[]);
    assert!(!noted(&store, &table), "a table of the same name");
    assert!(matches!(store.note(&name("none"), NOTE), Err(StoreError::TableNotFound { .. })));
}

struct Once(Option<RowBatch>);

impl Scanner for Once {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<bool, StoreError> {
        *batch = self.0.take().unwrap_or_default();
        Ok(!batch.is_empty())
    }
}

/// An empty table of several families gets another id when it is loaded in bulk, and is still the same.
#[test]
fn a_bulk_load_keeps_the_notes() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    for (table, families) in [("one", ["a"].as_slice()), ("two", &["a", "b"])] {
        let table = create(&store, table, families, &[]);
        note(&store, &table);
        let mut rows = Once(Some(rows(&[("r", &[("a", "q", 1, "v")])])));
        assert!(store.bulk_load_pays(&table).unwrap());
        assert_eq!(store.bulk_load(&table, &mut rows).unwrap(), 1);
        assert!(noted(&store, &table));
    }
    store.close().unwrap();
    assert!(noted(&open(folder.path()), &name("two")));
}

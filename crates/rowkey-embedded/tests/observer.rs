//! Who hears of changes, and when?

mod tables;

use std::error::Error;
use std::sync::{Arc, Mutex};

use rowkey_embedded::{Durability, EmbeddedStore, Observer, Options};
use rowkey_store::{CheckAndMutate, Condition, Delete, Get, Mutation, Operation, Put, RowStore, TableName};
use tables::{chain, create, dump, rows};

/// Notes what it hears, and refuses rows that begin with `no`.
#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

impl Notes {
    fn note(&self, when: &str, table: &TableName, mutation: &Mutation) {
        let kind = match mutation {
            Mutation::Put(_) => "put",
            Mutation::Delete(_) => "delete",
            Mutation::Increment(_) => "increment",
            Mutation::Append(_) => "append",
        };
        let row = String::from_utf8_lossy(mutation.row()).into_owned();
        self.0.lock().expect("no panic").push(format!("{when} {kind} {table} {row}"));
    }

    fn take(&self) -> String {
        std::mem::take(&mut *self.0.lock().expect("no panic")).join(", ")
    }
}

impl Observer for Notes {
    fn before(&self, table: &TableName, mutation: &Mutation) -> Result<(), Box<dyn Error + Send + Sync>> {
        if mutation.row().starts_with(b"no") {
            return Err("this row is not wanted".into());
        }
        self.note("before", table, mutation);
        Ok(())
    }

    fn after(&self, table: &TableName, mutation: &Mutation) {
        self.note("after", table, mutation);
    }
}

#[test]
fn an_observer_hears_before_and_after_and_may_refuse() {
    let folder = tempfile::tempdir().unwrap();
    let notes = Arc::new(Notes::default());
    let options =
        Options::default().durability(Durability::Buffered).observer(Arc::clone(&notes) as Arc<dyn Observer>);
    let store = EmbeddedStore::open(folder.path(), options).unwrap();
    let table = create(&store, "t", &["d"], &[]);

    store.put_batch(&table, &rows(&[("a", &[("d", "q", 5, "v")]), ("b", &[("d", "q", 5, "v")])])).unwrap();
    assert_eq!(notes.take(), "before put t a, before put t b, after put t a, after put t b");

    let refused =
        store.put_batch(&table, &rows(&[("c", &[("d", "q", 5, "v")]), ("no", &[("d", "q", 5, "v")])]));
    let message = chain(&refused.unwrap_err());
    assert_eq!(message, "could not change table `t`: the observer refused: this row is not wanted");
    assert_eq!(notes.take(), "before put t c");

    let absent = Condition::Absent { family: b"d".to_vec(), qualifier: b"q".to_vec() };
    let operations: Vec<Operation> = vec![
        Delete::row("a").into(),
        Put::new("no").cell("d", "q", "v").into(),
        CheckAndMutate::new(absent, Put::new("b").cell("d", "q", "never")).into(),
        Get::new("b").into(),
    ];
    let results = store.batch(&table, &operations).unwrap();
    assert!(results[0].is_ok() && results[1].is_err());
    assert_eq!(results[2].as_ref().unwrap().matched, Some(false));
    assert_eq!(results[3].as_ref().unwrap().rows.len(), 1);
    // A check that does not hold changes nothing, so there is no "after".
    assert_eq!(notes.take(), "before delete t a, before put t b, after delete t a");
    assert_eq!(dump(&store, &table), "[b [d:q@5=v]]");
}

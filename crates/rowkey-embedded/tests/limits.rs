//! What is refused, with which facts, and is nothing written then?

use crate::tables::{chain, create, descriptor, dump, open};
use rowkey_embedded::EmbeddedError;
use rowkey_store::{Admin, Columns, Family, Get, MAX_ROW_LENGTH, RowBatch, RowStore, StoreError};

fn cell(row: &[u8], qualifier: &[u8], value: &[u8]) -> RowBatch {
    let mut batch = RowBatch::new();
    batch.begin_row(b"good");
    batch.cell(b"d", b"q", 1, b"v");
    batch.begin_row(row);
    batch.cell(b"d", qualifier, 1, value);
    batch
}

/// The embedded store's own error below a refusal.
fn own(error: &StoreError) -> Option<&EmbeddedError> {
    std::error::Error::source(error)?.downcast_ref()
}

#[test]
fn a_qualifier_that_does_not_fit_beside_its_row_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let table = create(&store, "t", &["d"], &[]);
    let worst: Vec<u8> = (0..MAX_ROW_LENGTH).map(|at| u8::from(at % 2 == 1)).collect();
    for (row, fits) in [(worst.as_slice(), 16_373), (b"r", 65_535 - 9 - 2 - 3)] {
        let refused = store.put_batch(&table, &cell(row, &vec![b'q'; fits + 1], b"v")).unwrap_err();
        let facts = matches!(own(&refused), Some(EmbeddedError::QualifierLength { length, key_length: 65_536, .. })
            if *length == fits + 1);
        assert!(facts, "{}", chain(&refused));
        assert_eq!(dump(&store, &table), "[]");

        let qualifier = vec![b'q'; fits];
        store.put_batch(&table, &cell(row, &qualifier, b"v")).unwrap();
        for (qualifier, there) in [(qualifier.clone(), true), (vec![b'q'; 70_000], false)] {
            let columns = Columns::Only(vec![(b"d".to_vec(), Some(qualifier))]);
            let get = Get { columns, ..Get::new(row) };
            assert_eq!(store.get(&table, &get, &mut RowBatch::new()).unwrap(), there);
        }
        store.drop_table(&table).unwrap();
        create(&store, "t", &["d"], &[]);
    }
}

#[test]
fn a_cell_over_ten_mebibytes_is_refused_as_in_hbase() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let table = create(&store, "t", &["d"], &[]);
    let largest = (10 << 20) - 24 - 3;
    let refused = store.put_batch(&table, &cell(b"r", b"q", &vec![7; largest + 1])).unwrap_err();
    let message = chain(&refused);
    assert!(
        message.contains("a cell of 10485761 bytes in row r is over HBase's default limit of 10485760 bytes"),
        "{message}"
    );
    assert_eq!(dump(&store, &table), "[]");
    store.put_batch(&table, &cell(b"r", b"q", &vec![7; largest])).unwrap();
}

#[test]
fn families_and_split_points_that_cannot_be_leave_no_table() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let mut table = descriptor("t", &["d"]);
    table.families.push(Family { min_versions: 3, versions: 2, ..Family::new("e") });
    let message = chain(&store.create_table(&table, &[]).unwrap_err());
    assert_eq!(
        message,
        "family `e` of table `t` keeps 3 versions at least but 2 at most; lower min_versions or raise versions"
    );
    let table = descriptor("t", &["d"]);
    let too_long = store.create_table(&table, &[vec![b'x'; MAX_ROW_LENGTH + 1]]);
    assert!(matches!(too_long, Err(StoreError::RowKeyLength { .. })), "{too_long:?}");
    assert!(store.describe(&table.name).is_err());
    create(&store, "t", &["d"], &[]);
}

#[test]
fn a_get_of_a_row_key_that_cannot_be_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let table = create(&store, "t", &["d"], &[]);
    for row in [vec![], vec![b'x'; MAX_ROW_LENGTH + 1]] {
        let refused = store.get(&table, &Get::new(row), &mut RowBatch::new());
        assert!(matches!(refused, Err(StoreError::RowKeyLength { .. })), "{refused:?}");
    }
}

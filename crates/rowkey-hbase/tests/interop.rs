//! Does HBase's own Java client read what this one wrote, and the other way round?

use rowkey_core::range::KeyRange;
use rowkey_hbase::HBaseStore;
use rowkey_store::{
    ALL_VERSIONS, Admin, Append, Delete, Family, Increment, Put, RowBatch, RowStore, Scan, TableDescriptor,
    TableName,
};
use rowkey_testing::{cluster, java};

fn hex(bytes: &[u8]) -> String {
    if bytes.is_empty() { "-".to_owned() } else { bytes.iter().map(|byte| format!("{byte:02x}")).collect() }
}

/// All versions as this client reads them, one line a cell, as `ReadBack --raw` prints them.
fn cells(store: &HBaseStore, table: &TableName, raw: bool) -> Vec<String> {
    let scan = Scan { raw, versions: ALL_VERSIONS, ..Scan::new(KeyRange::all()) };
    let mut scanner = store.scan(table, &scan).expect("a good scan");
    let (mut batch, mut found) = (RowBatch::new(), Vec::new());
    while scanner.next_batch(&mut batch).expect("a good scan") {
        for row in batch.rows() {
            for cell in row.cells() {
                let family = String::from_utf8_lossy(cell.family).into_owned();
                let (qualifier, value) = (hex(cell.qualifier), hex(cell.value));
                let (time, kind) = (cell.timestamp, cell.kind);
                found.push(format!("{} {family} {qualifier} {time} {value} {kind}", hex(row.key())));
            }
        }
    }
    found
}

/// Binary keys, all versions, and a marker of every kind, written by `WriteRows.java`.
#[test]
fn this_client_reads_what_javas_own_wrote() {
    let endpoints = cluster::shared();
    let store = HBaseStore::connect(&endpoints.zookeeper_url).expect("the test cluster answers");
    let name: TableName = format!("interop_java_{}", std::process::id()).parse().expect("a valid name");
    let family = |name: &str| Family { versions: 5, ..Family::new(name) };
    let families = vec![family("a"), family("d")];
    let table = TableDescriptor { name: name.clone(), families, attributes: Default::default() };
    store.create_table(&table, &[vec![0x40], vec![0x80, 0xFF]]).expect("a new table");
    java::run(java::WRITE_ROWS, &[endpoints.zookeeper_address(), &name.to_string()]).expect("Java writes");

    let (mut raw, mut plain) = (Vec::new(), Vec::new());
    for number in 0..=255u8 {
        let row = hex(&[number, 0, 0xFF, b',']);
        let value = |time: u8| hex(&[time, 0xFF, 0]);
        raw.push(format!("{row} a - 1 - DeleteFamily"));
        raw.push(format!("{row} a 71 4 - Delete"));
        raw.extend((1..=4).rev().map(|time| format!("{row} a 71 {time} {} Put", value(time))));
        raw.push(format!("{row} d - 3 - DeleteFamilyVersion"));
        raw.push(format!("{row} d - 3 - Put"));
        raw.push(format!("{row} d 00{number:02x} 5 - DeleteColumn"));
        raw.push(format!("{row} d 00{number:02x} 5 {number:02x} Put"));
        plain.extend([3, 2].map(|time| format!("{row} a 71 {time} {} Put", value(time))));
    }
    assert_eq!(cells(&store, &name, true), raw);
    assert_eq!(cells(&store, &name, false), plain);
    store.drop_table(&name).expect("the table exists");
}

#[test]
fn javas_own_client_reads_every_cell() {
    let endpoints = cluster::shared();
    let store = HBaseStore::connect(&endpoints.zookeeper_url).expect("the test cluster answers");
    let name: TableName = format!("interop_{}", std::process::id()).parse().expect("a valid name");
    let families = vec![Family::new("a"), Family::new("d")];
    let table = TableDescriptor { name: name.clone(), families, attributes: Default::default() };
    store.create_table(&table, &[vec![0x40], vec![0x80, 0xFF]]).expect("a new table");

    let mut batch = RowBatch::new();
    for number in 0..=255u8 {
        batch.begin_row(&[number, 0, 0xFF, b',']);
        batch.cell(b"a", b"", i64::from(number), b"");
        batch.cell(b"d", &[0, number], 1_700_000_000_000, &[number, 0xFF, 0]);
    }
    store.put_batch(&name, &batch).expect("good rows");

    let mut expected = Vec::new();
    for row in batch.rows() {
        for cell in row.cells() {
            let family = String::from_utf8_lossy(cell.family).into_owned();
            let (qualifier, value) = (hex(cell.qualifier), hex(cell.value));
            expected.push(format!("{} {family} {qualifier} {} {value}", hex(row.key()), cell.timestamp));
        }
    }
    let seen =
        java::run(java::READ_BACK, &[endpoints.zookeeper_address(), &name.to_string()]).expect("Java reads");
    assert_eq!(seen.lines().collect::<Vec<_>>(), expected);
    store.drop_table(&name).expect("the table exists");
}

/// All versions and delete markers, as this client and Java's own see them in a raw scan.
#[test]
fn javas_own_client_sees_the_same_markers_and_versions() {
    let endpoints = cluster::shared();
    let store = HBaseStore::connect(&endpoints.rpc_url).expect("the test cluster answers");
    let name: TableName = format!("interop_raw_{}", std::process::id()).parse().expect("a valid name");
    let family = |name: &str| Family { versions: 5, ..Family::new(name) };
    let families = vec![family("a"), family("d")];
    let table = TableDescriptor { name: name.clone(), families, attributes: Default::default() };
    store.create_table(&table, &[vec![0x80]]).expect("a new table");
    for row in [&[0u8, 0xFF][..], b"r", &[0x80], &[0xFF, 0]] {
        let put = (1..=6).fold(Put::new(row), |put, time| put.cell_at("a", "q", time, [0xFF, 0, 7]));
        let put =
            put.cell_at("d", "", 3, "").cell_at("d", "p", 4, "x").cell_at("d", "n", 1, 5i64.to_be_bytes());
        store.mutate(&name, put.into()).expect("a good put");
        let delete = Delete::row(row).version("a", "q", 6).column_at("d", "p", 9).family_version("d", 3);
        store.mutate(&name, delete.family_at("a", 2).into()).expect("a good delete");
        store.mutate(&name, Increment::new(row).add("d", "n", 37).into()).expect("a good increment");
        store.mutate(&name, Append::new(row).add("d", "s", "text").into()).expect("a good append");
    }
    store.mutate(&name, Delete::row_at("r", 20).into()).expect("a good delete");

    let ours = cells(&store, &name, true);
    let args = [endpoints.zookeeper_address(), &name.to_string(), "--raw"];
    let theirs = java::run(java::READ_BACK, &args).expect("Java reads");
    assert_eq!(theirs.lines().collect::<Vec<_>>(), ours);
    for kind in ["Delete", "DeleteColumn", "DeleteFamily", "DeleteFamilyVersion", "Put"] {
        assert!(ours.iter().any(|cell| cell.ends_with(&format!(" {kind}"))), "no {kind} among {ours:?}");
    }
    store.drop_table(&name).expect("the table exists");
}

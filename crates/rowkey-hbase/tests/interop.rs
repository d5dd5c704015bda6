//! Does HBase's own Java client read what this one wrote?

use rowkey_hbase::HBaseStore;
use rowkey_store::{Family, RowBatch, Store, TableDescriptor, TableName};
use rowkey_testing::{cluster, java};

fn hex(bytes: &[u8]) -> String {
    if bytes.is_empty() { "-".to_owned() } else { bytes.iter().map(|byte| format!("{byte:02x}")).collect() }
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

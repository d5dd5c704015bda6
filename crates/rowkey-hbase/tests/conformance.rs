//! Does a real HBase, through this client, answer as the suite says?

use std::sync::OnceLock;

use rowkey_hbase::HBaseStore;

/// One store for all cases, as a program would have it: they share connections, caches and threads.
fn store() -> &'static HBaseStore {
    static STORE: OnceLock<HBaseStore> = OnceLock::new();
    STORE.get_or_init(|| {
        let url = &rowkey_testing::cluster::shared().zookeeper_url;
        HBaseStore::connect(url).expect("the test cluster answers")
    })
}

rowkey_store::conformance_suite!(store);

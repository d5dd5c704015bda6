//! Does a secured HBase, through this client, answer as the suite says?

use std::sync::OnceLock;

use rowkey_hbase::HBaseStore;
use rowkey_testing::secured;

/// Kerberos with everything sealed, without TLS.
mod privacy {
    use super::*;

    fn store() -> &'static HBaseStore {
        static STORE: OnceLock<HBaseStore> = OnceLock::new();
        STORE.get_or_init(|| {
            let secured = secured::shared();
            let url = format!("{}?{}&protection=privacy", secured.cluster.zookeeper_url, secured.kerberos());
            HBaseStore::connect(&url).expect("the secured cluster answers")
        })
    }

    rowkey_store::conformance_suite!(store);
}

/// Kerberos for who we are, and TLS below it.
mod tls {
    use super::*;

    fn store() -> &'static HBaseStore {
        static STORE: OnceLock<HBaseStore> = OnceLock::new();
        STORE.get_or_init(|| {
            let secured = secured::shared();
            let (kerberos, tls) = (secured.kerberos(), secured.tls());
            let url = format!("{}?{kerberos}&{tls}&protection=authentication", secured.cluster.zookeeper_url);
            HBaseStore::connect(&url).expect("the secured cluster answers")
        })
    }

    rowkey_store::conformance_suite!(store);
}

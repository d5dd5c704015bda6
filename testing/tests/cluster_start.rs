//! Does a cluster that cannot start say why?

use rowkey_testing::Error;
use rowkey_testing::cluster::{Cluster, Options};

#[test]
fn the_words_of_the_jvm_are_in_the_error() {
    let error = Cluster::start(&Options { region_servers: 1, heap_mb: 1, ..Options::default() }).unwrap_err();
    assert!(matches!(&error, Error::Start { reason, .. } if reason.contains("heap")), "{error}");
}

#[test]
fn a_cluster_without_region_servers_is_refused_at_once() {
    let error =
        Cluster::start(&Options { region_servers: 0, heap_mb: 512, ..Options::default() }).unwrap_err();
    assert!(error.to_string().contains("at least 1"), "{error}");
}

//! Phoenix answers without a cluster.

use rowkey_testing::phoenix::row_keys;

#[test]
fn phoenix_gives_the_row_key_of_an_upsert() {
    let sql = [
        "CREATE TABLE t (a VARCHAR NOT NULL, b BIGINT NOT NULL, v INTEGER CONSTRAINT pk PRIMARY KEY (a, b DESC)) SALT_BUCKETS=16",
        "UPSERT INTO t VALUES ('abc', 7, 1)",
    ];
    let keys = row_keys(&sql.map(str::to_owned)).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(keys, ["08616263007ffffffffffffff8"]);
}

#[test]
fn a_statement_that_phoenix_refuses_is_named() {
    let error = row_keys(&["CREATE TABEL t".to_owned()]).expect_err("no such statement");
    assert!(error.to_string().contains("CREATE TABEL t"), "{error}");
}

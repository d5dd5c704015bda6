//! The program on a cluster with Kerberos and TLS, by the cluster's own configuration.

use crate::program::{Run, Workplace, assert_error, json};
use rowkey_testing::secured;

fn line(run: &Run, check: &str) -> serde_json::Value {
    let found = run.out.lines().map(json).find(|line| line["check"] == check);
    found.unwrap_or_else(|| panic!("no {check} in {run:?}"))
}

#[test]
fn the_clusters_own_configuration_is_enough() {
    let secured = secured::shared();
    let place = Workplace::new(&format!("by_conf_{}", std::process::id())).with_store("hbase://");
    place.write_orders(500);
    for (protection, tls) in [("privacy", "false"), ("authentication", "true")] {
        let settings = [("hbase.client.netty.tls.enabled", tls), ("hbase.client.operation.timeout", "60000")];
        secured.write_site(&place.path("."), protection, &settings).expect("it is written");
        let run = |arguments: &[&str]| {
            let mut command = place.command(arguments);
            command.args(["--conf", "hbase-site.xml"]).env("KRB5_CONFIG", secured.kdc.conf());
            let run = crate::program::finished(&command.output().expect("the program starts"));
            assert_eq!(run.code, 0, "{run:?}");
            run
        };
        run(&["create", "orders.toml"]);
        run(&["load", "orders.toml", "orders.csv"]);
        assert!(run(&["count", "orders.toml", "", "--full-scan"]).out.contains("500"));
        run(&["drop", "orders.toml", "--yes"]);
        let doctor = run(&["doctor", "--json"]);
        let seen = line(&doctor, "login")["seen"].as_str().expect("a text").to_owned();
        assert!(seen.starts_with("admin@ROWKEY.TEST (admin"), "{seen}");
        assert!(seen.contains(&format!("protection is {protection}")), "{seen}");
        assert_eq!(seen.contains("TLS 1."), tls == "true", "{seen}");
        assert!(seen.contains("the ticket ends at 20"), "{seen}");
    }
}

#[test]
fn settings_can_be_added_to_a_configuration() {
    let secured = secured::shared();
    let place = Workplace::new("by_conf").with_store("hbase://?principal=guest&protection=integrity");
    secured
        .write_site(&place.path("."), "privacy", &[("hbase.client.netty.tls.enabled", "false")])
        .expect("it is written");
    let mut command = place.command(&["doctor", "--json"]);
    command.env("KRB5_CONFIG", secured.kdc.conf()).env("HBASE_CONF_DIR", place.path("."));
    let doctor = crate::program::finished(&command.output().expect("the program starts"));
    let store = line(&doctor, "store");
    assert_eq!((doctor.code, store["state"].as_str()), (1, Some("fault")), "{doctor:?}");
    // The keytab of the configuration is another's.
    assert!(
        store["seen"].as_str().is_some_and(|seen| seen.contains("no usable key of guest@ROWKEY.TEST")),
        "{doctor:?}"
    );
}

#[test]
fn what_cannot_be_used_is_named_with_its_cure() {
    let secured = secured::shared();
    let run = |store: &str, arguments: &[&str]| {
        let place = Workplace::new("orders").with_store(store);
        place.write("hbase-site.xml", "<configuration>\n<property>\n");
        let mut command = place.command(arguments);
        command.env("KRB5_CONFIG", secured.kdc.conf());
        crate::program::finished(&command.output().expect("the program starts"))
    };
    let url = |query: &str| format!("{}?{query}", secured.cluster.zookeeper_url);
    let cases = [
        (url("auth=simple"), "asks for authentication", "set `auth=kerberos`"),
        (url("auth=kerberos&cache=FILE:/nowhere/cc"), "there is no ticket in FILE:/nowhere/cc", "`kinit`"),
        (url("tls=true&ca=/nowhere/ca.pem"), "could not use /nowhere/ca.pem for TLS", "cannot be read"),
    ];
    for (store, seen, cure) in cases {
        assert_error(&run(&store, &["list"]), &[seen, cure]);
    }
    let conf = ["list", "--conf", "hbase-site.xml"];
    let early = "hbase-site.xml is not a configuration of Hadoop, line 3: it ends too early";
    assert_error(&run("hbase://", &conf), &[early]);
    assert_error(&run("./store", &conf), &["are two places; leave one out"]);
}

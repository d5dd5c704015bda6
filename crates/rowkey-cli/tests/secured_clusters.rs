//! The program on a cluster with Kerberos and TLS, by the cluster's own configuration.

use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use crate::program::{Run, Workplace, assert_error, json};
use krb5::{CacheName, KdcClient, Keytab, Krb5Conf, Principal};
use rowkey_testing::secured::{self, Secured};

/// Held by tests that make tables or look at all of them, as `doctor` does.
static TABLES: Mutex<()> = Mutex::new(());

fn line(run: &Run, check: &str) -> serde_json::Value {
    let found = run.out.lines().map(json).find(|line| line["check"] == check);
    found.unwrap_or_else(|| panic!("no {check} in {run:?}"))
}

#[test]
fn the_clusters_own_configuration_is_enough() {
    let secured = secured::shared();
    let _alone = TABLES.lock().unwrap_or_else(PoisonError::into_inner);
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

const PAGE: &str = include_str!("../../../docs/secured-clusters.md");

/// As `kinit` does.
fn log_in(secured: &Secured, cache: &Path) {
    let conf = Krb5Conf::load([secured.kdc.conf()]).expect("a configuration");
    let kdc = KdcClient::from_config(&conf, "ROWKEY.TEST").expect("it names a KDC");
    let admin = Principal::parse("admin@ROWKEY.TEST").expect("a principal");
    let keytab = Keytab::load(&secured.admin).expect("a keytab");
    kdc.kinit_with_keytab(&admin, &keytab, &CacheName::File(cache.to_owned())).expect("a ticket");
}

#[test]
fn commands_of_the_page_work() {
    let secured = secured::shared();
    let _alone = TABLES.lock().unwrap_or_else(PoisonError::into_inner);
    let place = Workplace::new("orders").with_store(&secured.cluster.zookeeper_url);
    place.write_orders(200);
    secured
        .write_site(&place.path("."), "privacy", &[("hbase.client.netty.tls.enabled", "false")])
        .expect("it is written");
    let cache = place.path("cache");
    log_in(secured, &cache);
    let run = |line: &str| {
        let mut command = Command::new("sh");
        command.args(["-c", &line.replacen("rowkey", "\"$ROWKEY\"", 1)]).current_dir(place.path("."));
        command.env("ROWKEY", env!("CARGO_BIN_EXE_rowkey")).env("XDG_CONFIG_HOME", place.path("config"));
        command.env("KRB5_CONFIG", secured.kdc.conf()).env("KRB5CCNAME", &cache).env_remove("ROWKEY_STORE");
        let run = crate::program::finished(&command.output().expect("sh starts"));
        assert_eq!(run.code, 0, "{line}: {run:?}");
        run.out
    };
    let (folder, admin) = (place.path(".").display().to_string(), secured.admin.display().to_string());
    let (ca, client) = (secured.ca.display().to_string(), secured.client.display().to_string());
    let by_ticket = format!("--store '{}?auth=kerberos'", secured.cluster.zookeeper_url);
    run(&format!("rowkey create orders.toml {by_ticket}"));
    let fences = PAGE.split("```text\n").skip(1).filter_map(|behind| behind.split("```").next());
    let commands = fences.flat_map(str::lines).filter(|line| line.starts_with("rowkey "));
    let mut count = 0;
    for line in commands {
        // The tests' cluster wants both, so a ticket goes with the certificate.
        let meant = line
            .replace("/etc/hbase/conf", &folder)
            .replace("hbase://zk1,zk2,zk3/hbase", &secured.cluster.zookeeper_url)
            .replace("hbase://zk1/hbase", &secured.cluster.zookeeper_url)
            .replace("anna@EXAMPLE.COM", "admin@ROWKEY.TEST")
            .replace("/etc/anna.keytab", &admin)
            .replace("?tls=true", "?auth=kerberos&tls=true")
            .replace("/etc/hbase/ca.pem", &ca)
            .replace("/etc/hbase/anna.pem", &client)
            .replace("/etc/hbase/anna.key", &client);
        run(&meant);
        count += 1;
    }
    assert_eq!(count, 5, "the page has so many");
    let counted = run(&format!("rowkey count orders '' --full-scan {by_ticket}"));
    assert!(counted.contains("200"), "{counted}");
    run(&format!("rowkey drop orders --yes {by_ticket}"));
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

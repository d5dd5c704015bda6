//! Is everything there under every protection, and nothing to be seen from outside?

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use krb5::{CacheName, KdcClient, Keytab, Krb5Conf, Principal};
use rowkey_core::range::KeyRange;
use rowkey_hbase::{ClusterUrl, HBaseStore, HostPort, Options, Protection};
use rowkey_store::{
    Admin, Family, Get, Put, RowBatch, RowStore, Scan, TableDescriptor, TableName, with_causes,
};
use rowkey_testing::{java, secured};

fn open(query: &str) -> HBaseStore {
    let url = format!("{}?{query}", secured::shared().cluster.zookeeper_url);
    HBaseStore::connect(&url).unwrap_or_else(|error| panic!("{url}: {}", with_causes(&error)))
}

fn named(name: &str) -> TableName {
    format!("secured_{name}_{}", std::process::id()).parse().expect("a valid name")
}

fn create(store: &HBaseStore, name: &TableName) {
    let families = vec![Family::new("d")];
    let table = TableDescriptor { name: name.clone(), families, attributes: Default::default() };
    store.create_table(&table, &[b"m".to_vec()]).expect("a new table");
}

#[test]
fn every_protection_with_and_without_tls_through_both_registries() {
    let secured = secured::shared();
    let (kerberos, tls) = (secured.kerberos(), secured.tls());
    for protection in Protection::ALL {
        for tls in ["", &tls] {
            for url in [&secured.cluster.zookeeper_url, &secured.cluster.rpc_url] {
                let url = format!("{url}?{kerberos}&protection={protection}&{tls}");
                let store = HBaseStore::connect(&url)
                    .unwrap_or_else(|error| panic!("{url}: {}", with_causes(&error)));
                let agreed = store.secured().expect("it is connected");
                assert_eq!(
                    (agreed.user.as_str(), agreed.protection),
                    ("admin@ROWKEY.TEST", Some(protection))
                );
                assert_eq!(agreed.tls.is_some(), !tls.is_empty(), "{url}");
                assert!(agreed.ticket_ends.is_some());
            }
        }
    }
    // Without a word about it, the strongest.
    let store = open(&kerberos);
    assert_eq!(store.secured().expect("it is connected").protection, Some(Protection::Privacy));
    let who = store.who_am_i().expect("it answers").expect("it knows");
    assert!(who.user.starts_with("admin") && who.by == "KERBEROS", "{who:?}");
}

/// Requests and answers of several megabytes go through tokens of 64 kB.
#[test]
fn large_rows_come_back_whole() {
    let kerberos = secured::shared().kerberos();
    for protection in ["integrity", "privacy"] {
        let store = open(&format!("{kerberos}&protection={protection}"));
        let table = named(&format!("large_{protection}"));
        create(&store, &table);
        let mut written = RowBatch::new();
        for row in 0..4u8 {
            written.begin_row(&[b'k' + row]);
            written.cell(b"d", b"q", 7, &vec![row; 3_000_000]);
        }
        store.put_batch(&table, &written).expect("good rows");
        let mut scanner = store.scan(&table, &Scan::new(KeyRange::all())).expect("a good scan");
        let (mut batch, mut read) = (RowBatch::new(), RowBatch::new());
        while scanner.next_batch(&mut batch).expect("a good scan") {
            batch.rows().for_each(|row| read.push_row(row));
        }
        assert!(read == written, "{protection}");
        store.drop_table(&table).expect("it is there");
    }
}

#[test]
fn java_reads_what_we_wrote_and_we_read_what_java_wrote() {
    let secured = secured::shared();
    let folder = tempfile::tempdir().expect("a folder");
    let zookeeper = secured.cluster.endpoints();
    for (protection, tls) in [("privacy", "false"), ("authentication", "true")] {
        secured
            .write_site(folder.path(), protection, &[("hbase.client.netty.tls.enabled", tls)])
            .expect("it is written");
        let java = |program, table: &TableName| {
            let args = [zookeeper.zookeeper_address(), &table.to_string()];
            java::run_configured(folder.path(), &secured.java_options(), program, &args)
                .expect("Java comes in")
        };
        let with_tls = if tls == "true" { secured.tls() } else { String::new() };
        let store = open(&format!("{}&protection={protection}&{with_tls}", secured.kerberos()));
        let ours = named(&format!("ours_{protection}"));
        create(&store, &ours);
        for row in ["a", "z"] {
            store.batch(&ours, &[Put::new(row).cell("d", "q", row).into()]).expect("a good put");
        }
        let lines: Vec<String> = java(java::READ_BACK, &ours).lines().map(str::to_owned).collect();
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert!(lines[0].starts_with("61 d 71 ") && lines[0].ends_with(" 61"), "{lines:?}");
        assert!(lines[1].starts_with("7a d 71 ") && lines[1].ends_with(" 7a"), "{lines:?}");

        let javas = named(&format!("javas_{protection}"));
        let families = vec![Family::new("a"), Family::new("d")];
        let table = TableDescriptor { name: javas.clone(), families, attributes: Default::default() };
        store.create_table(&table, &[]).expect("a new table");
        java(java::WRITE_ROWS, &javas);
        let mut scanner = store.scan(&javas, &Scan::new(KeyRange::all())).expect("a good scan");
        let (mut batch, mut rows) = (RowBatch::new(), 0);
        while scanner.next_batch(&mut batch).expect("a good scan") {
            rows += batch.len();
        }
        assert_eq!(rows, 256, "{protection}");
        store.drop_table(&ours).expect("it is there");
        store.drop_table(&javas).expect("it is there");
    }
}

/// Stands before a server and writes down what goes by.
fn recorder(server: HostPort, seen: Arc<Mutex<Vec<u8>>>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("it is bound").port();
    std::thread::spawn(move || {
        for near in listener.incoming().flatten() {
            let Ok(far) = TcpStream::connect((server.host.as_str(), server.port)) else { continue };
            let ways = [(near.try_clone(), far.try_clone()), (far.try_clone(), near.try_clone())];
            for (from, to) in ways {
                let (Ok(mut from), Ok(mut to)) = (from, to) else { continue };
                let seen = Arc::clone(&seen);
                std::thread::spawn(move || {
                    let mut buffer = [0; 16 << 10];
                    while let Ok(read @ 1..) = from.read(&mut buffer) {
                        seen.lock().expect("nobody panics with it").extend_from_slice(&buffer[..read]);
                        if to.write_all(&buffer[..read]).is_err() {
                            break;
                        }
                    }
                    let _ = to.shutdown(std::net::Shutdown::Write);
                });
            }
        }
    });
    port
}

/// How many of a thousand known values are in what goes over the network when they are written and read.
fn values_in_the_open(query: &str) -> usize {
    let direct = open(&secured::shared().kerberos());
    let servers = direct.cluster_status().expect("it is well").servers;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let url: ClusterUrl =
        format!("{}?{query}", secured::shared().cluster.zookeeper_url).parse().expect("a good URL");
    let mut options = Options::from_url(&url);
    for server in servers {
        let (host, port) = server.server.rsplit_once(':').expect("an address");
        let server = HostPort { host: host.to_owned(), port: port.parse().expect("a port") };
        let port = recorder(server.clone(), Arc::clone(&seen));
        options.addresses.insert(server, HostPort { host: "127.0.0.1".to_owned(), port });
    }
    let store = HBaseStore::connect_with(&url, options).expect("the recorder lets everything through");
    let table = named("open");
    create(&direct, &table);
    let value = |number: u32| format!("known-value-{:08}", number.wrapping_mul(2_654_435_761) % 100_000_000);
    let mut rows = RowBatch::new();
    for number in 0..1000 {
        rows.begin_row(format!("row{number}").as_bytes());
        rows.cell(b"d", b"q", 7, value(number).as_bytes());
    }
    store.put_batch(&table, &rows).expect("good rows");
    let mut scanner = store.scan(&table, &Scan::new(KeyRange::all())).expect("a good scan");
    let (mut batch, mut read) = (RowBatch::new(), 0);
    while scanner.next_batch(&mut batch).expect("a good scan") {
        read += batch.len();
    }
    assert_eq!(read, 1000);
    drop((scanner, store));
    direct.drop_table(&table).expect("it is there");
    let seen = seen.lock().expect("nobody panics with it");
    assert!(seen.len() > 30_000, "the recorder saw {} bytes", seen.len());
    let found: std::collections::HashSet<&[u8]> =
        seen.windows(20).filter(|window| window.starts_with(b"known-value-")).collect();
    (0..1000).filter(|number| found.contains(value(*number).as_bytes())).count()
}

#[test]
fn what_is_private_is_not_in_a_capture() {
    let secured = secured::shared();
    let (kerberos, tls) = (secured.kerberos(), secured.tls());
    // The recorder sees what there is to see.
    assert_eq!(values_in_the_open(&format!("{kerberos}&protection=authentication")), 1000);
    assert_eq!(values_in_the_open(&format!("{kerberos}&protection=privacy")), 0);
    assert_eq!(values_in_the_open(&format!("{kerberos}&protection=authentication&{tls}")), 0);
}

/// What `kinit` leaves behind is enough, and stays as it is.
#[test]
fn tickets_of_a_cache() {
    let secured = secured::shared();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("cache");
    let conf = Krb5Conf::load([secured.kdc.conf()]).expect("a configuration");
    let kdc = KdcClient::from_config(&conf, "ROWKEY.TEST").expect("it names a KDC");
    let guest = Principal::parse("guest@ROWKEY.TEST").expect("a principal");
    let keytab = Keytab::load(&secured.guest).expect("a keytab");
    kdc.kinit_with_keytab(&guest, &keytab, &CacheName::File(file.clone())).expect("a ticket");
    let before = std::fs::read(&file).expect("it is there");

    let query = format!("cache=FILE:{}&krb5conf={}", file.display(), secured.kdc.conf().display());
    let store = open(&query);
    assert_eq!(store.secured().expect("it is connected").user, "guest@ROWKEY.TEST");
    assert!(std::fs::read(&file).expect("it is there") == before, "the cache was written");
}

/// A client goes on when its tickets end: connections outlive them, and new ones get new tickets.
#[test]
fn tickets_of_a_keytab_are_replaced_when_they_end() {
    let secured = secured::shared();
    let conf = secured.kdc.configuration("short.conf", "7s").expect("it is written");
    let keytab = secured.admin.display();
    let store = open(&format!("auth=kerberos&principal=admin&keytab={keytab}&krb5conf={}", conf.display()));
    let table = named("short");
    create(&store, &table);
    let ends = store.secured().expect("it is connected").ticket_ends.expect("it has a ticket");
    let now = || {
        i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).expect("now").as_millis()).expect("now")
    };
    assert!(ends - now() <= 8_000, "a ticket of {} ms", ends - now());
    let mut put = 0u32;
    while now() < ends + 1000 {
        let row = put.to_be_bytes();
        store.batch(&table, &[Put::new(row).cell("d", "q", "x").into()]).expect("a good put");
        put += 1;
        std::thread::sleep(Duration::from_millis(50));
    }
    // A server that nobody has spoken to yet.
    let server = secured.cluster.start_region_server().expect("it starts");
    let mut row = RowBatch::new();
    // Other tests ask for the balancer, which may take the region away again.
    let was_asked = (0..20).any(|_| {
        let region = store.regions(&table).expect("regions").remove(0);
        store.move_region(&table, &region.name, Some(&server)).expect("it moves");
        assert!(store.get(&table, &Get::new(0u32.to_be_bytes()), &mut row).expect("a good get"));
        store.regions(&table).expect("regions").remove(0).server.as_deref() == Some(server.as_str())
    });
    assert!(was_asked, "the region never stayed at {server}");
    store.drop_table(&table).expect("it is there");
}

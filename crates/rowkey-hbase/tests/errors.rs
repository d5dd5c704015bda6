//! What is said when a cluster cannot be used, and how soon?

use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::{Duration, Instant};

use rowkey_core::range::KeyRange;
use rowkey_hbase::HBaseStore;
use rowkey_store::{
    Admin, Family, Get, RowBatch, RowStore, Scan, StoreError, TableDescriptor, TableName, with_causes,
};
use rowkey_testing::cluster;

/// The words of a connect that fails, and that it failed in time.
fn refusal(url: &str, limit: Duration) -> String {
    let started = Instant::now();
    let error = HBaseStore::connect(url).expect_err("nothing to connect to");
    assert!(started.elapsed() < limit, "{url}: {:?}", started.elapsed());
    with_causes(&error)
}

const SOON: Duration = Duration::from_secs(5);

/// A server that reads a little, says `answer` to everyone, and then nothing more.
fn server(answer: &'static [u8]) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("it is bound").port();
    std::thread::spawn(move || {
        let mut guests = Vec::new();
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 64]);
            let _ = stream.write_all(answer);
            guests.push(stream);
        }
    });
    port
}

/// A port where nothing listens.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("it is bound").port()
}

#[test]
fn nobody_there() {
    let port = free_port();
    let words = refusal(&format!("hbase://127.0.0.1:{port}/hbase"), SOON);
    assert!(words.starts_with(&format!("could not reach ZooKeeper at 127.0.0.1:{port}")), "{words}");
    assert!(words.contains("refused"), "{words}");

    let words = refusal(&format!("hbase+rpc://127.0.0.1:{port}"), SOON);
    assert!(words.starts_with(&format!("could not reach an HBase master at 127.0.0.1:{port}")), "{words}");

    let other = free_port();
    let words = refusal(&format!("hbase://127.0.0.1:{port},127.0.0.1:{other}"), SOON);
    assert!(
        words.starts_with(&format!("none of 127.0.0.1:{port}, 127.0.0.1:{other} could be asked")),
        "{words}"
    );
}

#[test]
fn somebody_there_who_says_nothing() {
    let port = server(b"");
    for url in [
        format!("hbase://127.0.0.1:{port}/hbase?timeout=700ms"),
        format!("hbase+rpc://127.0.0.1:{port}?timeout=700ms"),
    ] {
        let words = refusal(&url, SOON);
        assert!(words.contains(&format!("127.0.0.1:{port}")), "{words}");
        assert!(words.contains("timed out") || words.contains("did not answer"), "{words}");
    }
}

#[test]
fn a_server_of_another_protocol() {
    let port = server(b"HTTP/1.1 400 Bad Request\r\n\r\n");
    let words = refusal(&format!("hbase://127.0.0.1:{port}/hbase"), SOON);
    assert!(words.starts_with(&format!("127.0.0.1:{port} does not answer like ZooKeeper")), "{words}");
    let words = refusal(&format!("hbase+rpc://127.0.0.1:{port}"), SOON);
    assert!(words.starts_with(&format!("127.0.0.1:{port} does not answer like an HBase master")), "{words}");
    assert!(words.ends_with("looks like a web server"), "{words}");

    let port = server(&[0, 0, 0, 12, 0xFF, 0xFF, 0xFF, 0xFF, 1, 2, 3, 4, 5, 6, 7, 8]);
    for scheme in ["hbase", "hbase+rpc"] {
        let words = refusal(&format!("{scheme}://127.0.0.1:{port}?timeout=2s"), SOON);
        assert!(words.contains("does not answer like"), "{words}");
    }
}

#[test]
fn a_server_that_wants_tls_or_kerberos() {
    let alert = server(&[0x15, 3, 3, 0, 2, 2, 0x28]);
    let words = refusal(&format!("hbase+rpc://127.0.0.1:{alert}"), SOON);
    assert!(words.contains("it takes only TLS, and we came without; set `tls=true`"), "{words}");

    // Length, header length, call id -1, exception: class and stack trace.
    let kerberos = server(
        b"\0\0\0\x5e\x5d\x08\xff\xff\xff\xff\x0f\x12\x55\x0a\x37org.apache.hadoop.hbase.security.AccessDeniedException.\
          \x12\x1aAuthentication is required",
    );
    let words = refusal(&format!("hbase+rpc://127.0.0.1:{kerberos}"), SOON);
    assert!(words.contains("asks for authentication (Authentication is required)"), "{words}");
    assert!(words.contains("set `auth=kerberos` in the cluster's URL"), "{words}");
}

#[test]
fn a_wrong_znode() {
    let url = format!("hbase://{}/elsewhere", cluster::shared().zookeeper_address());
    let words = refusal(&url, SOON);
    assert!(words.starts_with("znode /elsewhere/meta-region-server is missing"), "{words}");
    assert!(words.contains("is the parent znode right?"), "{words}");
}

#[test]
fn a_url_that_is_none() {
    let words = refusal("hbase://host:port/hbase", SOON);
    assert_eq!(words, "port `port` of host `host` is not a number from 1 to 65535");
}

#[test]
fn a_missing_table_or_namespace() {
    let store = HBaseStore::connect(&cluster::shared().zookeeper_url).expect("the test cluster answers");
    let started = Instant::now();
    let table: TableName = "errors_no_such_table".parse().expect("a valid name");
    let mut batch = RowBatch::new();
    let missing = [
        store.get(&table, &Get::new("r"), &mut batch).err(),
        store.put_batch(&table, &RowBatch::new()).err(),
        store
            .scan(&table, &Scan::new(KeyRange::all()))
            .and_then(|mut scan| scan.next_batch(&mut batch))
            .err(),
    ];
    for error in missing {
        assert!(matches!(error, Some(StoreError::TableNotFound { .. })), "{error:?}");
    }

    let descriptor = TableDescriptor {
        name: "no_such_namespace:t".parse().expect("a valid name"),
        families: vec![Family::new("d")],
        attributes: Default::default(),
    };
    let words = with_causes(&store.create_table(&descriptor, &[]).expect_err("no namespace, no table"));
    assert!(words.starts_with("could not create table `no_such_namespace:t` with 1 regions: "), "{words}");
    assert!(words.contains("NamespaceNotFoundException: no_such_namespace"), "{words}");
    assert!(started.elapsed() < SOON);
}

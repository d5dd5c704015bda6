//! What is said when TLS fails, and what to do about it, by servers that fail in one way each.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rowkey_hbase::HBaseStore;
use rowkey_store::with_causes;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::version::{TLS12, TLS13};
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned, SupportedProtocolVersion};

use crate::files::{file, named};

const BOTH: [&SupportedProtocolVersion; 2] = [&TLS12, &TLS13];

/// A server of TLS that shows a certificate of `testdata/tls`, asks for one of `ca.pem` if told so, and hangs up after
/// the first bytes inside TLS.
fn server(shown: &str, asks: bool, version: &'static SupportedProtocolVersion) -> u16 {
    let certificate =
        CertificateDer::from_pem_file(file(&format!("{shown}.cert.pem"))).expect("a certificate");
    let key = PrivateKeyDer::from_pem_file(file(&format!("{shown}.key.pem"))).expect("a key");
    let provider = Arc::new(ring::default_provider());
    let config = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_protocol_versions(&[version])
        .expect("a known version");
    let config = if asks {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_file(file("ca.pem")).expect("the CA")).expect("a CA");
        let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
        config.with_client_cert_verifier(verifier.build().expect("a verifier"))
    } else {
        config.with_no_client_auth()
    };
    let config = Arc::new(config.with_single_cert(vec![certificate], key).expect("they belong together"));
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("it is bound").port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let connection = ServerConnection::new(Arc::clone(&config)).expect("a good configuration");
            let mut stream = StreamOwned::new(connection, stream);
            // A refused client learns why before the connection ends.
            let _ = stream.read(&mut [0; 64]);
            let _ = stream.conn.complete_io(&mut stream.sock);
            let _ = stream.sock.shutdown(std::net::Shutdown::Write);
        }
    });
    port
}

/// The words of a connect that fails, and soon.
fn refusal(port: u16, query: &str) -> String {
    let started = Instant::now();
    let url = format!("hbase+rpc://127.0.0.1:{port}?{query}");
    let error = HBaseStore::connect(&url).expect_err("no HBase is there");
    assert!(started.elapsed() < Duration::from_secs(9), "{url}: {:?}", started.elapsed());
    with_causes(&error)
}

fn good() -> String {
    format!("ca={}&cert={}&key={}", named("ca.pem"), named("client.cert.pem"), named("client.key.pem"))
}

#[test]
fn a_good_handshake_leads_to_the_servers_own_failure() {
    for version in BOTH {
        let port = server("server", true, version);
        let words = refusal(port, &format!("{}&timeout=1s", good()));
        assert!(words.ends_with("broke before the answer came: unexpected end of file"), "{words}");
    }
}

#[test]
fn a_wrong_authority() {
    for version in BOTH {
        let port = server("server", false, version);
        let words = refusal(port, &format!("ca={}", named("other-ca.pem")));
        assert!(
            words.starts_with(&format!("could not agree on TLS with 127.0.0.1:{port}: it shows")),
            "{words}"
        );
        assert!(words.contains("no authority of ") && words.contains("other-ca.pem"), "{words}");
        assert!(words.ends_with("name the PEM file of the right authority with `ca=`"), "{words}");
    }
}

#[test]
fn a_wrong_host_name() {
    for version in BOTH {
        let port = server("elsewhere", false, version);
        let words = refusal(port, &good());
        assert!(
            words.contains("a certificate for DnsName(\"elsewhere.example\"), not for `127.0.0.1`"),
            "{words}"
        );
        assert!(words.contains("have one issued for that name"), "{words}");
    }
}

#[test]
fn a_certificate_out_of_its_time() {
    for version in BOTH {
        let words = refusal(server("expired", false, version), &good());
        assert!(
            words.contains("expired at 2024-02-01T00:00:00") && words.contains("must renew it"),
            "{words}"
        );
        let words = refusal(server("future", false, version), &good());
        assert!(words.contains("is not valid yet at 2125-01-01T00:00:00"), "{words}");
    }
}

#[test]
fn a_client_certificate_that_is_missing() {
    for version in BOTH {
        let words = refusal(server("server", true, version), &format!("ca={}", named("ca.pem")));
        assert!(words.contains("asks for a client certificate; name its PEM file with `cert=`"), "{words}");
    }
}

#[test]
fn a_client_certificate_that_is_refused() {
    for version in BOTH {
        for (own, alert) in [("stranger", "UnknownCA"), ("expired", "CertificateExpired")] {
            let (cert, key) = (named(&format!("{own}.cert.pem")), named(&format!("{own}.key.pem")));
            let words = refusal(
                server("server", true, version),
                &format!("ca={}&cert={cert}&key={key}", named("ca.pem")),
            );
            assert!(words.contains("refuses our client certificate"), "{words}");
            assert!(words.contains(&format!("{own}.cert.pem ({alert})")), "{words}");
        }
    }
}

#[test]
fn a_server_that_takes_only_tls() {
    for version in BOTH {
        let port = server("server", false, version);
        let words = refusal(port, "");
        assert_eq!(
            words,
            format!(
                "could not agree on TLS with 127.0.0.1:{port}: it takes only TLS, and we came without; set `tls=true` in the \
                 cluster's URL, with `ca=FILE` if its certificate is signed by an authority of your own"
            )
        );
    }
}

/// As HBase's own does: plaintext is closed without a byte, and not even an alert comes.
#[test]
fn a_server_that_takes_only_tls_and_hangs_up_in_silence() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("it is bound").port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut start = [0; 64];
            let read = stream.read(&mut start).unwrap_or(0);
            if start[..read].starts_with(&[0x16, 3]) {
                let _ = stream.write_all(&[0x15, 3, 3, 0, 2, 2, 40]);
            }
        }
    });
    let words = refusal(port, "");
    assert!(words.contains("it takes only TLS, and we came without"), "{words}");
}

#[test]
fn a_server_without_tls() {
    for answer in [&b""[..], b"HTTP/1.1 400 Bad Request\r\n\r\n", &[0, 0, 0, 12, 1, 2, 3, 4, 5, 6, 7, 8, 9]] {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("it is bound").port();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let _ = stream.read(&mut [0; 4096]);
                let _ = stream.write_all(answer);
            }
        });
        let words = refusal(port, "tls=true");
        assert!(words.contains("it does not speak TLS; leave `tls=true` out"), "{answer:?}: {words}");
    }
}

#[test]
fn files_that_cannot_be_used() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).expect("it is written");
        crate::files::escaped(&path.display().to_string())
    };
    let key = std::fs::read(file("client.key.pem")).expect("it is there");
    let says = |query: &str, expected: &[&str]| {
        let words = refusal(1, query);
        assert!(words.starts_with("could not use ") && words.contains(" for TLS (`"), "{words}");
        expected.iter().for_each(|part| assert!(words.contains(part), "{part}: {words}"));
        // No line of a key is ever told.
        let lines = std::str::from_utf8(&key).expect("it is text").lines().filter(|line| !line.contains('-'));
        lines.for_each(|line| assert!(!words.contains(line), "{words}"));
    };
    let (cert, own_key) = (named("client.cert.pem"), named("client.key.pem"));
    says("ca=/nowhere/ca.pem", &["`ca=`", "it cannot be read", "No such file"]);
    let jks = write("trust.jks", &[0xFE, 0xED, 0xFE, 0xED, 0, 0, 0, 2]);
    says(&format!("ca={jks}"), &["key store of Java (JKS)", "keytool -importkeystore"]);
    let p12 = write("trust.p12", &[0x30, 0x82, 9, 9, 2, 1, 3, 0x30]);
    says(&format!("ca={p12}"), &["looks like PKCS12", "openssl pkcs12 -in FILE -nodes -out FILE.pem"]);
    let der = write("ca.der", &[0x30, 0x82, 1, 1, 0x30, 0x82]);
    says(&format!("ca={der}"), &["looks like DER", "openssl x509 -inform der"]);
    says(&format!("ca={own_key}"), &["it has no `-----BEGIN CERTIFICATE-----` in it"]);
    says(&format!("cert={cert}"), &["`key=`", "it has no `-----BEGIN PRIVATE KEY-----` in it"]);
    says(&format!("key={own_key}"), &["`key=`", "it is a key without a certificate"]);
    says(
        &format!("cert={cert}&key={}", named("server.key.pem")),
        &["`key=`", "its key is not the key of certificate", "client.cert.pem"],
    );
    let encrypted = write(
        "encrypted.pem",
        b"-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n",
    );
    says(&format!("cert={cert}&key={encrypted}"), &["has a password", "openssl pkcs8 -in FILE"]);
    let cut = write("cut.pem", &key[..key.len() / 2]);
    says(&format!("cert={cert}&key={cut}"), &["its PEM does not decode; was it cut off?"]);
    let empty = write("empty.pem", b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");
    says(&format!("cert={cert}&key={empty}"), &["openssl ec -in FILE"]);
}

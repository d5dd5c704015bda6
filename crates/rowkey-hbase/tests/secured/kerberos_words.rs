//! What is said when somebody may not come in, or may not do something, and what to do about it.

use std::io::{Read, Write};
use std::net::TcpListener;

use krb5::{KerberosContext, Keytab};
use rowkey_hbase::HBaseStore;
use rowkey_store::{Admin, Family, Get, RowBatch, RowStore, TableDescriptor, TableName, with_causes};
use rowkey_testing::secured;

use crate::files::named;

fn refusal(query: &str) -> String {
    let url = format!("{}?{query}", secured::shared().cluster.zookeeper_url);
    with_causes(&HBaseStore::connect(&url).expect_err("nobody may come in like this"))
}

#[test]
fn somebody_who_does_not_say_who_they_are() {
    let words = refusal("user=admin");
    assert!(words.contains("asks for authentication") && words.contains("set `auth=kerberos`"), "{words}");
}

#[test]
fn a_service_that_the_kdc_does_not_know() {
    let words = refusal(&format!("{}&service=hbase/elsewhere", secured::shared().kerberos()));
    assert!(words.starts_with("could not log in to localhost:"), "{words}");
    assert!(words.contains("does not know the server's principal hbase/elsewhere@ROWKEY.TEST"), "{words}");
    assert!(words.contains("`hbase.regionserver.kerberos.principal`): set `service=`"), "{words}");
}

#[test]
fn a_service_that_is_not_the_servers() {
    let words = refusal(&format!("{}&service=guest", secured::shared().kerberos()));
    assert!(words.contains("it refused the ticket for guest@ROWKEY.TEST (GSS initiate failed"), "{words}");
    assert!(words.contains("is that the server's principal (`service=`)"), "{words}");
}

#[test]
fn a_key_that_is_too_old() {
    let secured = secured::shared();
    let other = secured.kdc.keytab("replaced").expect("a new principal");
    let mut keys = Keytab::load(&other).expect("a keytab").keys().to_vec();
    let mut keytab = Keytab::new();
    for key in &mut keys {
        key.key.iter_mut().for_each(|byte| *byte ^= 0x55);
        keytab.add(key.clone());
    }
    keytab.save(&other).expect("it is written");
    let (file, conf) = (other.display(), secured.kdc.conf());
    let words = refusal(&format!("auth=kerberos&keytab={file}&krb5conf={}", conf.display()));
    assert!(words.contains("the KDC knows another key of replaced@ROWKEY.TEST than keytab"), "{words}");
    assert!(words.ends_with("have the keytab exported again"), "{words}");
}

#[test]
fn real_certificates_that_do_not_do() {
    let secured = secured::shared();
    let kerberos = secured.kerberos();
    let ca = secured.ca.display();
    let words = refusal(&format!("{kerberos}&ca={ca}"));
    assert!(words.contains("it asks for a client certificate"), "{words}");
    let stranger = format!("cert={}&key={}", named("stranger.cert.pem"), named("stranger.key.pem"));
    let words = refusal(&format!("{kerberos}&ca={ca}&{stranger}"));
    assert!(words.contains("it refuses our client certificate"), "{words}");
    let words = refusal(&format!("{kerberos}&ca={}", named("other-ca.pem")));
    assert!(words.contains("a certificate that no authority of"), "{words}");
}

#[test]
fn a_table_that_somebody_may_not_read() {
    let secured = secured::shared();
    let url = |query: &str| format!("{}?{query}", secured.cluster.zookeeper_url);
    let admin = HBaseStore::connect(&url(&secured.kerberos())).expect("admin comes in");
    let name: TableName = format!("forbidden_{}", std::process::id()).parse().expect("a valid name");
    let families = vec![Family::new("d")];
    let table = TableDescriptor { name: name.clone(), families, attributes: Default::default() };
    admin.create_table(&table, &[]).expect("a new table");

    let (keytab, conf) = (secured.guest.display(), secured.kdc.conf());
    let guest = url(&format!("keytab={keytab}&krb5conf={}", conf.display()));
    let guest = HBaseStore::connect(&guest).unwrap_or_else(|error| panic!("{}", with_causes(&error)));
    let error = guest.get(&name, &Get::new("row"), &mut RowBatch::new()).expect_err("a guest");
    let words = with_causes(&error);
    let expected = format!(
        "may not READ table `{name}`; an administrator can grant it in HBase's shell: grant 'guest', 'R', '{name}'"
    );
    assert!(words.contains("guest") && words.contains(&expected), "{words}");
    let mut rows = RowBatch::new();
    rows.begin_row(b"row");
    rows.cell(b"d", b"q", 1, b"");
    let words = with_causes(&guest.put_batch(&name, &rows).expect_err("a guest"));
    assert!(words.contains(&format!("may not WRITE table `{name}`")), "{words}");
    let words = with_causes(&guest.drop_table(&name).expect_err("a guest"));
    assert!(words.contains(" may not "), "{words}");
    admin.drop_table(&name).expect("it is there");
}

/// A server that does as `answer` says with the preamble and the first token.
fn server(answer: impl Fn(&[u8], &mut std::net::TcpStream) + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("it is bound").port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut start = [0; 10];
            if stream.read_exact(&mut start).is_err() {
                continue;
            }
            assert_eq!(start[..6], *b"HBas\0\x51");
            let mut token = vec![0; u32::from_be_bytes(start[6..].try_into().expect("4 bytes")) as usize];
            stream.read_exact(&mut token).expect("the whole token");
            answer(&token, &mut stream);
        }
    });
    let kerberos = secured::shared().kerberos();
    format!("hbase+rpc://localhost:{port}?{kerberos}&timeout=3s")
}

fn words(url: &str) -> String {
    with_causes(&HBaseStore::connect(url).expect_err("this server leads to nothing"))
}

#[test]
fn a_server_that_is_not_secured() {
    let url = server(|_, stream| {
        let _ = stream.write_all(&[0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xA8]);
        // Whoever goes on in the plain, does so with the header and no second preamble.
        let mut header = [0; 5];
        if stream.read_exact(&mut header).is_ok() {
            assert!(header[..3] == [0, 0, 0], "{header:?}");
            let _ = stream.write_all(&u32::MAX.to_be_bytes());
        }
    });
    let refused = words(&url);
    assert!(refused.contains("it is not secured: it would believe any name"), "{refused}");
    assert!(refused.contains("`fallback=simple`"), "{refused}");
    let allowed = words(&format!("{url}&fallback=simple"));
    assert!(allowed.contains("does not answer like an HBase master"), "{allowed}");
}

fn framed(bytes: &[u8]) -> Vec<u8> {
    [&u32::try_from(bytes.len()).expect("short").to_be_bytes()[..], bytes].concat()
}

/// A server with the cluster's key that offers `layers`, after its token was changed by `change`.
fn knowing_server(layers: u8, change: fn(&mut Vec<u8>)) -> String {
    let keytab = secured::shared().kdc.folder().join("hbase_localhost.keytab");
    server(move |token, stream| {
        let keytab = Keytab::load(&keytab).expect("the servers' keytab");
        let (context, mut reply) = KerberosContext::accept_token(&keytab, token).expect("a good token");
        change(&mut reply);
        stream.write_all(&[&[0; 4][..], &framed(&reply)].concat()).expect("it listens");
        let mut empty = [1; 4];
        if stream.read_exact(&mut empty).is_err() {
            return;
        }
        assert_eq!(empty, [0; 4], "an empty token");
        let tokens = context.per_message_tokens().expect("it is established");
        let offer = tokens
            .emit_wrap_unsealed(u64::from(context.acceptor_seq), &[layers, 1, 0, 0], 0)
            .expect("an offer");
        stream.write_all(&[&[0; 4][..], &framed(&offer)].concat()).expect("it listens");
    })
}

#[test]
fn no_common_protection() {
    let url = knowing_server(1, |_| ());
    let refused = words(&format!("{url}&protection=privacy"));
    assert!(refused.contains("it offers protection by authentication, and we accept privacy"), "{refused}");
    assert!(
        refused.contains("set `protection=` to what the cluster has in `hbase.rpc.protection`"),
        "{refused}"
    );
}

#[test]
fn a_server_that_cannot_prove_who_it_is() {
    let url = knowing_server(7, |reply| *reply.last_mut().expect("it is not empty") ^= 1);
    let refused = words(&url);
    assert!(refused.contains("it does not prove that it is hbase/localhost@ROWKEY.TEST"), "{refused}");
}

#[test]
fn a_server_that_refuses_or_talks_of_something_else() {
    let url = server(|_, stream| {
        let class = framed(b"javax.security.sasl.SaslException");
        let message = framed(b"GSS initiate failed [Caused by Clock skew too great]\n\tat a.b.C");
        let _ = stream.write_all(&[&[0, 0, 0, 1][..], &class, &message].concat());
    });
    let refused = words(&url);
    assert!(refused.contains("(GSS initiate failed [Caused by Clock skew too great])"), "{refused}");
    let url = server(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
    });
    let refused = words(&url);
    assert!(
        refused.contains("its answer to a token is not one (its status is neither 0 nor 1)"),
        "{refused}"
    );
}

//! Are caches, keytabs and configurations that cannot be used named, with what to do?

use super::*;
use std::fs;

use krb5::EncType;
use krb5::acceptor::ServiceKey;
use rowkey_store::with_causes;

struct Scene {
    folder: tempfile::TempDir,
    settings: Kerberos,
}

impl Scene {
    /// A realm whose KDC is a closed port.
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let conf = folder.path().join("krb5.conf");
        let text = format!(
            "[libdefaults]\n default_realm = HERE\n dns_lookup_kdc = false\n udp_preference_limit = 1\n[realms]\n \
             HERE = {{\n  kdc = 127.0.0.1:{port}\n }}\n"
        );
        fs::write(&conf, text).unwrap();
        let settings = Kerberos { krb5_conf: Some(conf), ..Kerberos::default() };
        Self { folder, settings }
    }

    fn file(&self, name: &str, bytes: &[u8]) -> std::path::PathBuf {
        let file = self.folder.path().join(name);
        fs::write(&file, bytes).unwrap();
        file
    }

    fn words(&self) -> String {
        let login = Login::new(&self.settings);
        with_causes(&login.ticket(&self.settings.service, "Server").unwrap_err())
    }
}

fn keytab(principal: &str) -> Vec<u8> {
    let mut keytab = Keytab::new();
    keytab.add(ServiceKey::new(principal, "HERE", 1, EncType::from_i32(18).unwrap(), vec![0xA7; 32]));
    keytab.to_bytes()
}

/// A cache of version 4 with one ticket, as `kinit` writes it.
fn cache(ended: u32) -> Vec<u8> {
    let counted = |text: &[u8]| [&u32::try_from(text.len()).unwrap().to_be_bytes()[..], text].concat();
    let principal = |parts: &[&[u8]]| {
        let mut bytes = [1u32.to_be_bytes(), u32::try_from(parts.len()).unwrap().to_be_bytes()].concat();
        bytes.extend(counted(b"HERE"));
        parts.iter().for_each(|part| bytes.extend(counted(part)));
        bytes
    };
    let mut bytes = vec![5, 4, 0, 0];
    bytes.extend(principal(&[b"anna"]));
    bytes.extend(principal(&[b"anna"]));
    bytes.extend(principal(&[b"krbtgt", b"HERE"]));
    bytes.extend(18u16.to_be_bytes());
    bytes.extend(counted(&[0xA7; 32]));
    [ended - 60, ended - 60, ended, 0].iter().for_each(|time: &u32| bytes.extend(time.to_be_bytes()));
    bytes.push(0);
    bytes.extend([0; 12]);
    // A ticket: version, realm, name, and an encrypted part.
    let ticket = b"\x61\x37\x30\x35\xa0\x03\x02\x01\x05\xa1\x06\x1b\x04HERE\xa2\x19\x30\x17\xa0\x03\x02\x01\x02\xa1\x10\x30\x0e\
                   \x1b\x06krbtgt\x1b\x04HERE\xa3\x0b\x30\x09\xa0\x03\x02\x01\x12\xa2\x02\x04\x00";
    bytes.extend(counted(ticket));
    bytes.extend(counted(b""));
    bytes
}

#[test]
fn no_cache() {
    let mut scene = Scene::new();
    let name = format!("FILE:{}", scene.folder.path().join("none").display());
    scene.settings.cache = Some(name.clone());
    assert_eq!(
        scene.words(),
        format!(
            "there is no ticket in {name}; log in with `kinit`, or name a keytab with `keytab=` and yourself with `principal=`"
        )
    );
}

#[test]
fn a_cache_of_a_kind_that_cannot_be_read() {
    let mut scene = Scene::new();
    scene.settings.cache = Some("KEYRING:persistent:1000".to_owned());
    let words = scene.words();
    assert!(words.starts_with("tickets in KEYRING:persistent:1000 cannot be read from here"), "{words}");
    assert!(words.contains("`kinit -c FILE:/tmp/krb5cc_rowkey` puts them into a file"), "{words}");
}

#[test]
fn an_expired_cache() {
    let mut scene = Scene::new();
    let file = scene.file("cc", &cache(1_700_000_000));
    scene.settings.cache = Some(file.display().to_string());
    let words = scene.words();
    let expected = format!("the ticket of anna@HERE in {} expired at 2023-11-14T22:13:20", file.display());
    assert!(words.starts_with(&expected), "{words}");
    assert!(words.contains("get another with `kinit anna@HERE`"), "{words}");
}

#[test]
fn a_cache_of_somebody_else() {
    let mut scene = Scene::new();
    scene.settings.cache = Some(scene.file("cc", &cache(1_700_000_000)).display().to_string());
    scene.settings.principal = Some("bert".to_owned());
    let words = scene.words();
    assert!(words.contains("are anna@HERE's, not bert@HERE's; log in with `kinit bert@HERE`"), "{words}");
}

#[test]
fn a_damaged_cache() {
    let mut scene = Scene::new();
    for bytes in [&b""[..], b"no cache", b"\x05\x04\0"] {
        scene.settings.cache = Some(scene.file("cc", bytes).display().to_string());
        let words = scene.words();
        assert!(words.contains("cannot be read; `kdestroy` and `kinit` make them anew: "), "{words}");
    }
}

#[test]
fn a_keytab_that_cannot_be_used() {
    let mut scene = Scene::new();
    scene.settings.keytab = Some("/nowhere/anna.keytab".into());
    let words = scene.words();
    assert!(words.starts_with("keytab /nowhere/anna.keytab cannot be read: No such file"), "{words}");
    // The last one claims an entry of the most negative length that there is.
    for bytes in [&b""[..], b"no keytab", b"\x05\x02\0\0\0\x20abc", b"\x05\x02\x80\0\0\0abc"] {
        scene.settings.keytab = Some(scene.file("keytab", bytes));
        assert!(
            scene.words().ends_with("cannot be read: it is not a keytab"),
            "{bytes:?}: {}",
            scene.words()
        );
    }
    scene.settings.keytab = Some(scene.file("keytab", &keytab("anna")));
    scene.settings.principal = Some("bert".to_owned());
    let words = scene.words();
    assert!(
        words.contains("has no usable key of bert@HERE, only of anna@HERE; `klist -kte FILE`"),
        "{words}"
    );
}

#[test]
fn a_kdc_that_is_down() {
    let mut scene = Scene::new();
    scene.settings.keytab = Some(scene.file("keytab", &keytab("anna")));
    let words = scene.words();
    assert!(words.starts_with("no KDC of realm HERE answers; is it up"), "{words}");
    assert!(words.contains("refused"), "{words}");
}

#[test]
fn a_wrong_realm() {
    let mut scene = Scene::new();
    scene.settings.keytab = Some(scene.file("keytab", &keytab("anna")));
    let conf = scene.settings.krb5_conf.clone().unwrap();
    let text = fs::read_to_string(&conf).unwrap();
    fs::write(&conf, text.replace(" HERE = {", " ELSEWHERE = {")).unwrap();
    let words = scene.words();
    let expected = format!("no KDC of realm HERE is known to {}; is the realm right?", conf.display());
    assert!(words.starts_with(&expected), "{words}");
}

#[test]
fn a_configuration_that_is_none() {
    let mut scene = Scene::new();
    scene.settings.krb5_conf = Some("/nowhere/krb5.conf".into());
    assert!(scene.words().starts_with("the configuration of Kerberos in /nowhere/krb5.conf cannot be used"));
    scene.settings.krb5_conf = Some(scene.file("empty.conf", b"[libdefaults]\n dns_lookup_kdc = false\n"));
    scene.settings.keytab = Some(scene.file("keytab", &keytab("anna")));
    scene.settings.principal = Some("anna".to_owned());
    let words = scene.words();
    assert!(words.starts_with("`anna` has no realm, and ") && words.ends_with("write anna@REALM"), "{words}");
}

#[test]
fn refusals_of_a_kdc_have_words() {
    let (us, service) = (Principal::parse("anna@HERE").unwrap(), Principal::parse("hbase/a@HERE").unwrap());
    let configuration = Configuration { conf: Krb5Conf::empty(), file: "krb5.conf".to_owned() };
    let keytab = Some(Path::new("anna.keytab"));
    let attempted = Attempted { us: &us, service: &service, keytab, configuration: &configuration };
    let cases = [
        (6, "the KDC does not know anna@HERE; are name and realm right?"),
        (7, "the KDC does not know the server's principal hbase/a@HERE; "),
        (14, "the KDC gives anna@HERE no ticket of a kind that we speak"),
        (24, "the KDC knows another key of anna@HERE than keytab anna.keytab"),
        (37, "the clocks of this machine and of the KDC or server differ"),
        (12, "the KDC gave no ticket for hbase/a@HERE: KDC error 12 (KDC_ERR_POLICY)"),
    ];
    for (code, expected) in cases {
        let words = with_causes(&attempted.failed(ClientError::Kdc { code, text: None }));
        assert!(words.starts_with(expected), "{code}: {words}");
    }
}

#[test]
fn no_secret_is_printed() {
    let mut scene = Scene::new();
    scene.settings.keytab = Some(scene.file("keytab", &keytab("anna")));
    let login = Login::new(&scene.settings);
    let problem = login.ticket("hbase/_HOST", "server").unwrap_err();
    let printed = format!("{login:?} {login:#?} {problem:?} {}", with_causes(&problem));
    for secret in ["a7a7a7", "A7A7A7", "167, 167", "0xa7"] {
        assert!(!printed.contains(secret), "{printed}");
    }
}

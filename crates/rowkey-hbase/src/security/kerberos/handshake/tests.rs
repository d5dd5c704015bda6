//! Are replies of a server understood, and is everything else refused?

use super::*;
use proptest::prelude::*;

fn framed(bytes: &[u8]) -> Vec<u8> {
    [&u32::try_from(bytes.len()).unwrap().to_be_bytes()[..], bytes].concat()
}

#[test]
fn replies_are_tokens_refusals_or_a_way_back() {
    let token = [&[0; 4][..], &framed(b"token"), b"more"].concat();
    assert_eq!(decode(&token).unwrap(), Some((Reply::Token(b"token".to_vec()), 13)));
    assert_eq!(decode(b"\0\0\0\0\xff\xff\xff\xa8").unwrap(), Some((Reply::Simple, 8)));
    let refusal = [
        &[0, 0, 0, 1][..],
        &framed(b"javax.security.sasl.SaslException"),
        &framed(b"GSS initiate failed\n\tat"),
    ]
    .concat();
    let message = "GSS initiate failed".to_owned();
    assert_eq!(decode(&refusal).unwrap(), Some((Reply::Refused { message }, refusal.len())));
    for whole in [&token[..13], &refusal] {
        for length in 0..whole.len() {
            assert_eq!(decode(&whole[..length]).unwrap(), None, "{length} bytes");
        }
    }
}

#[test]
fn other_bytes_are_refused() {
    for bytes in
        [&b"HTTP/1.1"[..], b"\0\0\0\0\xff\xff\xff\xff", b"\0\0\0\0\x7f\0\0\0", b"\0\0\0\x01\xff\0\0\0"]
    {
        assert!(matches!(decode(bytes), Err(KerberosProblem::Foreign { .. })), "{bytes:?}");
    }
}

#[test]
fn the_first_protection_of_ours_that_is_offered_is_taken() {
    use Protection::{Authentication, Integrity, Privacy};
    let chosen = |layers: u8, accepted: &[Protection]| choose(&[layers, 1, 0, 0], accepted).unwrap();
    assert_eq!(chosen(7, &Protection::ALL), (Privacy, 65_536));
    assert_eq!(chosen(3, &Protection::ALL).0, Integrity);
    assert_eq!(chosen(7, &[Authentication, Privacy]).0, Authentication);
    let words = choose(&[1, 0, 0, 0], &[Privacy, Integrity]).unwrap_err().to_string();
    assert_eq!(
        words,
        "it offers protection by authentication, and we accept privacy, integrity; set `protection=` to what the cluster \
         has in `hbase.rpc.protection`"
    );
    let words = choose(&[0x40, 0, 0, 0], &[Privacy]).unwrap_err().to_string();
    assert!(words.contains("by nothing that we know"), "{words}");
    assert!(matches!(choose(b"", &[Privacy]), Err(KerberosProblem::Foreign { .. })));
}

fn runs() -> u32 {
    let runs = std::env::var("ROWKEY_FUZZ_RUNS").ok().and_then(|text| text.replace('_', "").parse().ok());
    runs.unwrap_or(2000)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(runs()) })]

    #[test]
    fn no_reply_panics(
        start in prop::sample::select(vec![&b"\0\0\0\0"[..], b"\0\0\0\x01", b"\0\0\0\0\0\0\0", b""]),
        bytes in prop::collection::vec(any::<u8>(), 0..100)
    ) {
        let reply = [start, &bytes].concat();
        if let Ok(Some((_, length))) = decode(&reply) {
            prop_assert!(length <= reply.len());
        }
        let _ = choose(&reply, &Protection::ALL);
    }
}

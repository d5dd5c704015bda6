//! Does only what the other side has sealed come out, in its order?

use super::*;
use krb5::token::Role;
use proptest::prelude::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const KEY: [u8; 32] = [7; 32];
const FIRST: u64 = 0x3FFF_FFFE;

fn tokens(role: Role) -> PerMessageTokens<ContextKey> {
    PerMessageTokens::new(ContextKey::new(18, &KEY).unwrap(), role, true)
}

/// What a server seals, and how we open it.
fn server(private: bool) -> (Sealer, Opener) {
    (
        Sealer { tokens: tokens(Role::Acceptor), private, next: FIRST },
        Opener { tokens: tokens(Role::Initiator), private, next: FIRST },
    )
}

fn framed(token: &[u8]) -> Vec<u8> {
    [&u32::try_from(token.len()).unwrap().to_be_bytes()[..], token].concat()
}

fn run<T>(test: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(test)
}

/// All that comes out of a stream.
fn read(stream: &[u8], opener: Opener) -> Result<Vec<u8>, WrapProblem> {
    let mut opened = Vec::new();
    match run(Opening::new(stream, opener).read_to_end(&mut opened)) {
        Ok(_) => Ok(opened),
        Err(error) => Err(error.into_inner().unwrap().downcast_ref::<WrapProblem>().unwrap().clone()),
    }
}

#[test]
fn what_one_side_writes_the_other_reads() {
    for private in [false, true] {
        let (sealer, opener) = server(private);
        let sent: Vec<u8> = (0..300_000u32).map(|number| number as u8).collect();
        let received = run(async {
            // Less room than a token takes, so that writing has to wait.
            let (near, far) = tokio::io::duplex(1000);
            let mut writing = Sealing::new(near, sealer, 65_536);
            let mut reading = Opening::new(far, opener);
            let bytes = sent.clone();
            let write = tokio::spawn(async move {
                writing.write_all(&bytes[..10]).await.unwrap();
                writing.flush().await.unwrap();
                writing.write_all(&bytes[10..]).await.unwrap();
                writing.shutdown().await.unwrap();
            });
            let mut received = Vec::new();
            reading.read_to_end(&mut received).await.unwrap();
            write.await.unwrap();
            received
        });
        assert!(received == sent);
    }
}

#[test]
fn what_is_changed_left_out_repeated_or_moved_is_refused() {
    for private in [false, true] {
        let (mut sealer, _) = server(private);
        let sealed: Vec<Vec<u8>> =
            [&b"first"[..], b"", b"third"].iter().map(|bytes| framed(&sealer.seal(bytes).unwrap())).collect();
        let opener = || server(private).1;
        assert_eq!(read(&sealed.concat(), opener()), Ok(b"firstthird".to_vec()));

        let orders: [&[usize]; 5] = [&[1], &[0, 0], &[0, 2], &[1, 0], &[0, 1, 1]];
        for order in orders {
            let stream: Vec<u8> = order.iter().flat_map(|at| sealed[*at].clone()).collect();
            assert!(matches!(read(&stream, opener()), Err(WrapProblem::Order { .. })), "{order:?}");
        }
        for at in 4..sealed[0].len() {
            let mut changed = sealed[0].clone();
            changed[at] ^= 1;
            let problem = read(&changed, opener());
            assert!(matches!(problem, Err(WrapProblem::Changed { .. })), "byte {at}: {problem:?}");
        }
        for length in 1..sealed[0].len() {
            assert_eq!(read(&sealed[0][..length], opener()), Err(WrapProblem::CutOff), "{length} bytes");
        }
        // Our own token, sent back to us.
        let mut own = Sealer { tokens: tokens(Role::Initiator), private, next: FIRST };
        let own = framed(&own.seal(b"first").unwrap());
        assert!(matches!(read(&own, opener()), Err(WrapProblem::Changed { .. })));
    }
}

#[test]
fn a_stream_in_the_plain_is_not_taken_for_a_sealed_one() {
    // What can be read was not made private, though it is genuine.
    let open = framed(&server(false).0.seal(b"plain").unwrap());
    assert!(matches!(read(&open, server(true).1), Err(WrapProblem::Changed { .. })));
    let problem = read(b"HTTP/1.1 400 Bad Request", server(true).1);
    assert!(matches!(problem, Err(WrapProblem::TooLong { length: 1_213_486_160, .. })), "{problem:?}");
}

#[test]
fn what_is_private_is_not_in_the_stream() {
    let sealed = |private: bool| server(private).0.seal(b"a value that nobody shall see").unwrap();
    let holds = |bytes: &[u8]| bytes.windows(5).any(|window| window == b"value");
    assert!(holds(&sealed(false)) && !holds(&sealed(true)));
}

fn runs() -> u32 {
    let runs = std::env::var("ROWKEY_FUZZ_RUNS").ok().and_then(|text| text.replace('_', "").parse().ok());
    runs.unwrap_or(2000)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(runs()) })]

    #[test]
    fn no_bytes_panic_or_take_memory(bytes in prop::collection::vec(any::<u8>(), 0..200), private: bool) {
        let mut buffer = BytesMut::from(&bytes[..]);
        let _ = cut(&mut buffer);
        prop_assert!(buffer.capacity() <= bytes.len() + (5 << 20));
        prop_assert!(server(private).1.open(&bytes).is_err());
    }

    /// Near enough to a real token that all of its checks are reached: nothing comes out but what was sealed.
    #[test]
    fn no_change_of_a_token_is_believed(
        at in 0usize..80, byte in any::<u8>(), length in 0usize..80, more in any::<u8>(), private: bool
    ) {
        let real = server(private).0.seal(b"sixteen bytes or so").unwrap();
        let mut changed = real.clone();
        changed.resize(length.max(1), more);
        let at = at % changed.len();
        changed[at] = byte;
        let opened = server(private).1.open(&changed);
        match opened {
            // How far the bytes of a token are rotated is not sealed; by a multiple of their number they are the same.
            Ok(opened) => prop_assert_eq!(&opened[..], b"sixteen bytes or so"),
            Err(_) => prop_assert!(changed != real),
        }
    }

    #[test]
    fn a_stream_may_be_cut_anywhere(parts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..50), 0..5)) {
        let (mut sealer, opener) = server(true);
        let stream: Vec<u8> = parts.iter().flat_map(|part| framed(&sealer.seal(part).unwrap())).collect();
        let mut source = Drops(stream, 0, 3);
        let mut opened = Vec::new();
        run(Opening::new(&mut source, opener).read_to_end(&mut opened)).unwrap();
        prop_assert_eq!(opened, parts.concat());
    }
}

/// A reader that gives a few bytes at a time.
struct Drops(Vec<u8>, usize, usize);

impl AsyncRead for Drops {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let end = (self.1 + self.2).min(self.0.len());
        into.put_slice(&self.0[self.1..end]);
        self.1 = end;
        Poll::Ready(Ok(()))
    }
}

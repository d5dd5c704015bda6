//! Do calls find their answers, and do failures find their calls?

use super::*;
use crate::client::options::Options;
use crate::wire::frame::PREAMBLE;
use crate::wire::messages::common::NameStringPair;
use crate::wire::messages::rpc::{RequestHeader, ResponseHeader};
use tokio::net::{TcpListener, TcpStream};

fn run<T>(test: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap().block_on(test)
}

/// A server that reads the greeting and `calls` requests, and then does as `answer` says.
async fn server<F: Future<Output = ()> + Send + 'static>(
    calls: usize,
    answer: impl FnOnce(TcpStream, Vec<(u32, Bytes)>) -> F + Send + 'static,
) -> Connection {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut preamble = [0; 6];
        stream.read_exact(&mut preamble).await.unwrap();
        assert_eq!(preamble, PREAMBLE);
        let mut buffer = BytesMut::new();
        let mut frames = Vec::new();
        while frames.len() < calls + 1 {
            stream.read_buf(&mut buffer).await.unwrap();
            while let Some(frame) = frame::decode_frame(&mut buffer, MAX_FRAME).unwrap() {
                frames.push(frame);
            }
        }
        let requests = frames.drain(1..).map(|mut frame| {
            let header = RequestHeader::decode_length_delimited(&mut frame).unwrap();
            (header.call_id.unwrap(), frame)
        });
        answer(stream, requests.collect()).await;
    });
    let server = HostPort { host: "127.0.0.1".to_owned(), port };
    let dialer = Dialer::new(&Options::default()).unwrap();
    Connection::open(&server, &server, Service::Client, &dialer, Duration::from_secs(5)).await.unwrap()
}

fn pair(name: &str) -> NameStringPair {
    NameStringPair { name: name.to_owned(), value: "x".repeat(100) }
}

/// Asks for an echo.
async fn echo(connection: &Connection, name: &str, timeout: Duration) -> Result<String, HBaseError> {
    let question = pair(name);
    let call = Call::new("Echo", &question, timeout).region(b"t,,1.");
    connection.call::<NameStringPair>(call).await.map(|(answer, _)| answer.name)
}

const LONG: Duration = Duration::from_secs(5);

#[test]
fn answers_in_any_order_find_their_calls() {
    run(async {
        let connection = server(20, |mut stream, mut requests| async move {
            requests.reverse();
            for (id, body) in requests {
                let header = ResponseHeader { call_id: Some(id), ..ResponseHeader::default() };
                let frame = [&header.encode_length_delimited_to_vec()[..], &body].concat();
                stream.write_all(&u32::try_from(frame.len()).unwrap().to_be_bytes()).await.unwrap();
                stream.write_all(&frame).await.unwrap();
            }
            std::future::pending().await
        });
        let connection = Arc::new(connection.await);
        let calls: Vec<_> = (0..20)
            .map(|number| {
                let connection = Arc::clone(&connection);
                tokio::spawn(async move { echo(&connection, &number.to_string(), LONG).await.unwrap() })
            })
            .collect();
        for (number, call) in calls.into_iter().enumerate() {
            assert_eq!(call.await.unwrap(), number.to_string());
        }
    });
}

#[test]
fn a_broken_connection_fails_every_waiting_call_and_every_later_one() {
    run(async {
        let connection = Arc::new(server(3, |stream, _| async move { drop(stream) }).await);
        let calls: Vec<_> = (0..3)
            .map(|_| {
                let connection = Arc::clone(&connection);
                tokio::spawn(async move { echo(&connection, "lost", LONG).await })
            })
            .collect();
        for call in calls {
            let outcome = call.await.unwrap();
            assert!(matches!(outcome, Err(HBaseError::ConnectionLost { .. })), "{outcome:?}");
        }
        assert!(!connection.is_open());
        assert!(matches!(echo(&connection, "late", LONG).await, Err(HBaseError::ConnectionLost { .. })));
    });
}

#[test]
fn a_silent_server_is_left_after_the_timeout() {
    run(async {
        let connection = server(1, |stream, _| async move {
            std::future::pending::<()>().await;
            drop(stream);
        });
        let connection = connection.await;
        let outcome = echo(&connection, "anybody?", Duration::from_millis(100)).await;
        assert!(matches!(outcome, Err(HBaseError::Timeout { .. })), "{outcome:?}");
        assert!(!connection.is_open(), "a new call must not wait on it again");
    });
}

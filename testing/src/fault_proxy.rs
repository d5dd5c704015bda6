//! A proxy that makes the network between a client and a server fail.
//!
//! A [`FaultProxy`] stands before one server. It reads whole frames (a length of four bytes, then that many), and some of
//! them it spoils: it passes half of one on and hangs up ([cut](Faults::cut_every)), passes half on and goes silent with
//! the connection open ([stall](Faults::stall_every)), swallows one ([drop](Faults::drop_every)), or holds one back
//! ([delay](Faults::delay)). Both directions alike, so a request may never arrive, or be done and its answer be lost.
//! What it did is [counted](Done).
//!
//! Which frames are spoiled follows from their number and nothing else. A connection's introduction passes unharmed: its
//! loss would be another protocol, not a bad network.
//!
//! Delays keep their order and hold up nothing else: a frame is on its way while the next one is read.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// `HBas`, a version, a kind of authentication: what a client says before its first frame.
const PREAMBLE: usize = 6;

/// How bad the network is. A rate of 0 is never, of 1 is every frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Faults {
    /// One frame of so many is passed on by half, and then both ends are hung up.
    pub cut_every: u64,
    /// One frame of so many is passed on by half, and nothing after it, with the connection left open.
    pub stall_every: u64,
    /// One frame of so many is not passed on.
    pub drop_every: u64,
    /// One frame of so many comes late …
    pub delay_every: u64,
    /// … by so much.
    pub delay: Duration,
}

/// What a proxy has done so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Done {
    /// Connections that were passed on to the server.
    pub connections: u64,
    /// Frames read from either side.
    pub frames: u64,
    /// Frames cut in the middle.
    pub cut: u64,
    /// Frames after whose half there was silence.
    pub stalled: u64,
    /// Frames swallowed.
    pub dropped: u64,
    /// Frames held back.
    pub delayed: u64,
}

impl std::ops::AddAssign for Done {
    fn add_assign(&mut self, other: Self) {
        self.connections += other.connections;
        self.frames += other.frames;
        self.cut += other.cut;
        self.stalled += other.stalled;
        self.dropped += other.dropped;
        self.delayed += other.delayed;
    }
}

/// A running proxy; dropping it hangs up all connections.
#[derive(Debug)]
pub struct FaultProxy {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    target: SocketAddr,
    faults: Mutex<Faults>,
    done: Mutex<Done>,
    frames: AtomicU64,
    streams: Mutex<Vec<TcpStream>>,
    closed: AtomicBool,
}

/// What happens to a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Pass(Duration),
    Cut,
    Stall,
    Drop,
}

impl FaultProxy {
    /// Listens on a free port of the loopback address for the server at `target`.
    ///
    /// # Errors
    ///
    /// The system's, if there is no port.
    pub fn start(target: SocketAddr, faults: Faults) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            target,
            faults: Mutex::new(faults),
            done: Mutex::default(),
            frames: AtomicU64::new(0),
            streams: Mutex::default(),
            closed: AtomicBool::new(false),
        });
        let accepting = Arc::clone(&shared);
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                if accepting.closed.load(Ordering::SeqCst) {
                    return;
                }
                // A client whose server is away finds its connection closed, as without a proxy.
                let _ = accepting.connect(client);
            }
        });
        Ok(Self { address, shared })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Makes the network better or worse from the next frame on.
    pub fn set(&self, faults: Faults) {
        *lock(&self.shared.faults) = faults;
    }

    /// What it has done so far.
    pub fn done(&self) -> Done {
        *lock(&self.shared.done)
    }
}

impl Drop for FaultProxy {
    fn drop(&mut self) {
        self.shared.closed.store(true, Ordering::SeqCst);
        for stream in lock(&self.shared.streams).drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
        // Wakes the thread that accepts, which then sees that it is over.
        let _ = TcpStream::connect(self.address);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    fn connect(self: &Arc<Self>, client: TcpStream) -> io::Result<()> {
        let server = TcpStream::connect(self.target)?;
        for stream in [&client, &server] {
            stream.set_nodelay(true)?;
        }
        lock(&self.streams).extend([client.try_clone()?, server.try_clone()?]);
        lock(&self.done).connections += 1;
        // A client introduces itself by the preamble and one frame.
        self.pump(client.try_clone()?, server.try_clone()?, PREAMBLE, 1);
        self.pump(server, client, 0, 0);
        Ok(())
    }

    /// Passes frames from one side to the other, by two threads: one reads and decides, one waits and writes.
    fn pump(self: &Arc<Self>, mut from: TcpStream, mut to: TcpStream, preamble: usize, unharmed: u64) {
        let (send, receive) = mpsc::channel();
        let shared = Arc::clone(self);
        thread::spawn(move || {
            let _ = shared.read_frames(&mut from, &send, preamble, unharmed);
        });
        thread::spawn(move || {
            // Whichever side fails or ends, the other one learns of it.
            let _ = write_frames(&mut to, &receive);
            let _ = to.shutdown(Shutdown::Both);
        });
    }

    fn read_frames(
        &self,
        from: &mut TcpStream,
        send: &Sender<(Instant, Vec<u8>)>,
        preamble: usize,
        unharmed: u64,
    ) -> io::Result<()> {
        let mut bytes = vec![0; preamble];
        from.read_exact(&mut bytes)?;
        let _ = send.send((Instant::now(), bytes));
        for number in 0.. {
            let frame = read_frame(from)?;
            let fate = if number < unharmed { Fate::Pass(Duration::ZERO) } else { self.fate() };
            match fate {
                Fate::Pass(delay) => {
                    if send.send((Instant::now() + delay, frame)).is_err() {
                        return from.shutdown(Shutdown::Both);
                    }
                }
                Fate::Drop => {}
                Fate::Cut | Fate::Stall => {
                    let half = frame.get(..frame.len() / 2).unwrap_or_default().to_vec();
                    let _ = send.send((Instant::now(), half));
                    if fate == Fate::Stall {
                        // Reads on, so that the sender notices nothing either.
                        io::copy(from, &mut io::sink())?;
                    }
                    return from.shutdown(Shutdown::Both);
                }
            }
        }
        Ok(())
    }

    fn fate(&self) -> Fate {
        let number = self.frames.fetch_add(1, Ordering::Relaxed);
        let faults = *lock(&self.faults);
        let mut done = lock(&self.done);
        done.frames += 1;
        // Every kind of fault draws for itself, or a rate would hide the ones after it.
        let hits = |salt: u64, every: u64| every > 0 && scatter(number ^ salt << 48).is_multiple_of(every);
        if hits(1, faults.cut_every) {
            done.cut += 1;
            Fate::Cut
        } else if hits(2, faults.stall_every) {
            done.stalled += 1;
            Fate::Stall
        } else if hits(3, faults.drop_every) {
            done.dropped += 1;
            Fate::Drop
        } else if hits(4, faults.delay_every) {
            done.delayed += 1;
            Fate::Pass(faults.delay)
        } else {
            Fate::Pass(Duration::ZERO)
        }
    }
}

fn write_frames(to: &mut TcpStream, frames: &Receiver<(Instant, Vec<u8>)>) -> io::Result<()> {
    for (when, frame) in frames {
        thread::sleep(when.saturating_duration_since(Instant::now()));
        to.write_all(&frame)?;
    }
    Ok(())
}

/// A frame with its length before it.
fn read_frame(from: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let mut frame = length.to_vec();
    let rest = u64::from(u32::from_be_bytes(length));
    if from.take(rest).read_to_end(&mut frame)? as u64 != rest {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(frame)
}

/// Spreads consecutive numbers (the finaliser of `SplitMix64`).
fn scatter(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ mixed >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server that sends every byte back.
    fn echo() -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                thread::spawn(move || {
                    let mut back = stream.try_clone().unwrap();
                    // The preamble is no frame, and an answer has none.
                    stream.read_exact(&mut [0; PREAMBLE]).unwrap();
                    let _ = io::copy(&mut stream, &mut back);
                });
            }
        });
        address
    }

    fn frame(number: u8) -> Vec<u8> {
        [&8_u32.to_be_bytes()[..], &[number; 8]].concat()
    }

    /// A client that has introduced itself by frame 0 and read it back.
    fn client(proxy: &FaultProxy) -> TcpStream {
        let mut stream = TcpStream::connect(proxy.address()).unwrap();
        stream.write_all(b"HBas\0P").unwrap();
        stream.write_all(&frame(0)).unwrap();
        stream
    }

    fn received(stream: &mut TcpStream, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        stream.read_exact(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn a_good_network_passes_everything_in_order() {
        let proxy = FaultProxy::start(echo(), Faults::default()).unwrap();
        let mut stream = client(&proxy);
        let sent: Vec<u8> = (1..100).flat_map(frame).collect();
        stream.write_all(&sent).unwrap();
        assert_eq!(received(&mut stream, sent.len() + 12), [frame(0), sent].concat());
        let done = proxy.done();
        // The introduction is counted only on its way back.
        assert_eq!((done.connections, done.frames, done.cut), (1, 99 + 100, 0));
    }

    #[test]
    fn a_cut_frame_arrives_by_half_and_ends_the_connection() {
        let proxy = FaultProxy::start(echo(), Faults::default()).unwrap();
        let mut stream = client(&proxy);
        assert_eq!(received(&mut stream, 12), frame(0));
        proxy.set(Faults { cut_every: 1, ..Faults::default() });
        stream.write_all(&frame(1)).unwrap();
        let mut rest = Vec::new();
        // The half that reached the server is no frame, and is not passed back.
        let _ = stream.read_to_end(&mut rest);
        assert_eq!((rest.len(), proxy.done().cut), (0, 1));
    }

    #[test]
    fn a_dropped_frame_is_missed_and_the_next_one_is_not() {
        let proxy = FaultProxy::start(echo(), Faults::default()).unwrap();
        let mut stream = client(&proxy);
        assert_eq!(received(&mut stream, 12), frame(0));
        proxy.set(Faults { drop_every: 1, ..Faults::default() });
        stream.write_all(&frame(1)).unwrap();
        while proxy.done().dropped == 0 {
            thread::yield_now();
        }
        proxy.set(Faults { delay_every: 1, delay: Duration::from_millis(1), ..Faults::default() });
        stream.write_all(&frame(2)).unwrap();
        assert_eq!(received(&mut stream, 12), frame(2));
        assert_eq!((proxy.done().dropped, proxy.done().delayed), (1, 2));
    }

    #[test]
    fn after_a_stall_the_connection_is_open_and_silent() {
        let proxy = FaultProxy::start(echo(), Faults::default()).unwrap();
        let mut stream = client(&proxy);
        assert_eq!(received(&mut stream, 12), frame(0));
        proxy.set(Faults { stall_every: 1, ..Faults::default() });
        stream.write_all(&frame(1)).unwrap();
        stream.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
        let silence = stream.read(&mut [0; 1]).unwrap_err().kind();
        assert!(matches!(silence, io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut), "{silence}");
        assert_eq!(proxy.done().stalled, 1);
    }
}

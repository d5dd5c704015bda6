//! Stamps: the write of a row that a cell belongs to.
//!
//! Every write of a row of an indexed table has a [`Stamp`]: a time that is above the stamp it replaces, and a nonce that
//! no other write has. The data row keeps the stamp of its last write in the cell `_` of its first family, 24 bytes; an
//! entry keeps the stamp of the write that made it, behind one byte for its [`State`]:
//!
//! ```text
//! data row   _ = stamp (8) asked time (8) nonce (8)
//! entry      _ = P, U or V (1) stamp (8) cell time of the data row (8) nonce (8) one byte a copy: 1 if it is there
//! ```
//!
//! All numbers are big-endian. Nothing relies on clocks that agree: a stamp that does not become the newest of its row or
//! entry is noticed by its writer, who takes a higher one.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Gives times for stamps, in milliseconds since 1970.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// How far stamps may run ahead of the clock when there are more than one a millisecond.
const MAX_LEAD: i64 = 8;

/// One write of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// The timestamp of the write's entries.
    pub(crate) at: i64,
    /// In a data row the time that the caller gave its cells; in an entry the time that they have.
    pub(crate) cells: i64,
    /// Tells it from every other write.
    pub(crate) nonce: u64,
}

impl Stamp {
    /// Its bytes.
    const LENGTH: usize = 24;

    /// The value of the data row's cell.
    pub(crate) fn bytes(self) -> Vec<u8> {
        [self.at.to_be_bytes(), self.cells.to_be_bytes(), self.nonce.to_be_bytes()].concat()
    }

    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let (numbers, rest) = bytes.as_chunks::<8>();
        match numbers {
            [at, cells, nonce] if rest.is_empty() => Some(Self {
                at: i64::from_be_bytes(*at),
                cells: i64::from_be_bytes(*cells),
                nonce: u64::from_be_bytes(*nonce),
            }),
            _ => None,
        }
    }
}

/// Whether an entry can be trusted without its data row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// A put has announced it, and was not seen through: the data row decides. Its writer never removes it.
    Pending,
    /// The writer that marked it may remove it: the data row decides.
    Unverified,
    /// The data row had this entry and these copies when it was marked, and has them until the mark is taken back.
    Verified,
}

/// The letter with which the mark of a verified entry begins.
pub(crate) const VERIFIED: u8 = b'V';

/// The cell `_` of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) state: State,
    pub(crate) stamp: Stamp,
}

impl Mark {
    /// The value of the entry's cell; `copies` has a byte for each copy.
    pub(crate) fn bytes(self, copies: &[u8]) -> Vec<u8> {
        let letter = match self.state {
            State::Pending => b'P',
            State::Unverified => b'U',
            State::Verified => VERIFIED,
        };
        [&[letter], self.stamp.bytes().as_slice(), copies].concat()
    }

    /// The mark, and which copies are there.
    pub(crate) fn read(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let (letter, rest) = bytes.split_first()?;
        let state = match *letter {
            b'P' => State::Pending,
            b'U' => State::Unverified,
            VERIFIED => State::Verified,
            _ => return None,
        };
        let (stamp, copies) = rest.split_at_checked(Stamp::LENGTH)?;
        Some((Self { state, stamp: Stamp::read(stamp)? }, copies))
    }
}

/// The clock of this process: never goes back, never gives a time twice, and waits rather than run ahead.
pub(crate) fn process_clock() -> Clock {
    Arc::new(|| {
        static LAST: AtomicI64 = AtomicI64::new(0);
        loop {
            let (now, last) = (now(), LAST.load(Ordering::Relaxed));
            let next = now.max(last + 1);
            if next > now + MAX_LEAD {
                std::thread::sleep(Duration::from_millis(1));
            } else if LAST.compare_exchange(last, next, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
                return next;
            }
        }
    })
}

/// How far stamps are ahead of the machine's clock, because a store's are.
static AHEAD: AtomicI64 = AtomicI64::new(0);

/// Lets stamps begin where a store's writes are: the machine's clock may have been set back since the last one.
pub(crate) fn catch_up(write_time: i64) {
    let ahead = write_time.saturating_sub(now());
    if ahead > 0 {
        AHEAD.fetch_add(ahead, Ordering::Relaxed);
    }
}

/// Milliseconds since 1970 that only rise, even if the machine's clock is set back.
pub(crate) fn now() -> i64 {
    static START: OnceLock<(Instant, Duration)> = OnceLock::new();
    let (started, at) = START
        .get_or_init(|| (Instant::now(), SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()));
    let machine = i64::try_from((*at + started.elapsed()).as_millis()).unwrap_or(i64::MAX / 2);
    machine.saturating_add(AHEAD.load(Ordering::Relaxed))
}

/// A number that no other write has, in this process or another.
pub(crate) fn nonce() -> u64 {
    static NEXT: OnceLock<AtomicU64> = OnceLock::new();
    let next = NEXT.get_or_init(|| {
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let start = format!("{}-{}", since_1970.as_nanos(), std::process::id());
        AtomicU64::new(rowkey_core::internal::fnv1a(start.as_bytes()))
    });
    next.fetch_add(1, Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_and_marks_come_back_from_their_bytes() {
        let stamp = Stamp { at: 1_700_000_000_123, cells: -1, nonce: u64::MAX };
        assert_eq!(Stamp::read(&stamp.bytes()), Some(stamp));
        for state in [State::Pending, State::Unverified, State::Verified] {
            let mark = Mark { state, stamp };
            assert_eq!(Mark::read(&mark.bytes(&[1, 0])), Some((mark, &[1, 0][..])));
        }
        for wrong in [&b""[..], b"U", &[0; 23], &[0; 26], &[b'U'; 20]] {
            assert_eq!((Stamp::read(wrong), Mark::read(wrong)), (None, None), "{wrong:?}");
        }
    }

    #[test]
    fn the_process_clock_never_gives_a_time_twice() {
        let clock = process_clock();
        let times: Vec<i64> = (0..50).map(|_| clock()).collect();
        assert!(times.is_sorted_by(|a, b| a < b), "{times:?}");
        assert_ne!(nonce(), nonce());
    }
}

//! Options of the embedded store.

use std::fmt;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// When is a write safe?
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Durability {
    /// With the operating system when the call returns: survives `kill -9`, may be lost when the power goes.
    Buffered,
    /// On disk when the call returns; calls of many threads at the same time share one fdatasync. Others may read what a
    /// call has written a moment before it is on disk.
    #[default]
    Group,
    /// On disk when the call returns, and before others can read it, by one fdatasync per call.
    Sync,
}

/// Milliseconds since 1970.
pub(crate) type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// Settings of a store, all with defaults.
///
/// ```
/// use rowkey_embedded::{Durability, Options};
/// let for_a_test = Options::default().durability(Durability::Buffered).clock(|| 1_700_000_000_000);
/// # let _ = for_a_test;
/// ```
#[derive(Clone)]
pub struct Options {
    pub(crate) durability: Durability,
    pub(crate) clock: Clock,
    pub(crate) cache_bytes: u64,
}

impl Options {
    /// When a write is safe. Default: [`Durability::Group`].
    #[must_use]
    pub fn durability(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self
    }

    /// What time it is, in milliseconds since 1970: the timestamp of writes that carry none, the time to live of
    /// cells, and the ids of new regions. Default: the system's clock. A time below 0 counts as 0.
    #[must_use]
    pub fn clock(mut self, clock: impl Fn() -> i64 + Send + Sync + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// How many bytes of blocks read from disk stay in memory. Default: 64 MiB.
    #[must_use]
    pub fn cache_bytes(mut self, bytes: u64) -> Self {
        self.cache_bytes = bytes;
        self
    }

    pub(crate) fn now(&self) -> i64 {
        (self.clock)().max(0)
    }
}

impl Default for Options {
    fn default() -> Self {
        Self { durability: Durability::default(), clock: Arc::new(system_clock), cache_bytes: 64 << 20 }
    }
}

fn system_clock() -> i64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX)
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { durability, clock: _, cache_bytes } = self;
        f.debug_struct("Options")
            .field("durability", durability)
            .field("cache_bytes", cache_bytes)
            .finish_non_exhaustive()
    }
}

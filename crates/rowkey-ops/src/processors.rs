//! The number of processors that this process may use.

use std::sync::OnceLock;

/// At least one. Asking takes the system longer than a small query takes, so it is asked once.
pub fn processors() -> usize {
    static PROCESSORS: OnceLock<usize> = OnceLock::new();
    *PROCESSORS.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

//! Does a real HBase count what the simulation counts?
//!
//! `shares`: how writes fall on regions, for ten designs of made-up traffic. `reads`: six designs of one table of orders, the recommended
//! one among them; what each query reads and asks for, how writes fall on regions, and how long requests take.
//!
//! The test command does some of it; all of it, with the figures of docs/simulate.md:
//! `ROWKEY_TRUTH_RECORDS=1000000 cargo test --release -p rowkey-lab --test it truth::shares -- --nocapture` and
//! `ROWKEY_TRUTH_QUERIES=200 cargo test --release -p rowkey-lab --test it truth::reads -- --nocapture`.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test that fails says where, and prints what it counts"
)]

mod orders;
mod reads;
mod shares;
mod tried;

use crate::experts::{counting, design, set};

/// A share may differ by so many points.
const POINTS: f64 = 5.0;

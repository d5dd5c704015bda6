//! Does a real HBase count what the simulation counts?
//!
//! `shares`: how writes fall on regions, for ten designs of made-up traffic. `reads`: six designs of one table of orders, the recommended
//! one among them; what each query reads and asks for, how writes fall on regions, and how long requests take.
//!
//! The test command does some of it; all of it, with the figures of docs/simulate.md:
//! `ROWKEY_TRUTH_RECORDS=1000000 cargo test --release -p rowkey-lab --test truth shares -- --nocapture` and
//! `ROWKEY_TRUTH_QUERIES=200 cargo test --release -p rowkey-lab --test truth reads -- --nocapture`.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test that fails says where, and prints what it counts"
)]

#[path = "../experts/counting.rs"]
mod counting;
#[path = "../experts/design.rs"]
mod design;
#[path = "../drawn/mod.rs"]
mod drawn;
mod orders;
mod reads;
#[path = "../experts/set.rs"]
#[allow(dead_code, reason = "the experts' own queries and outcomes are not asked for")]
mod set;
mod shares;
mod tried;

/// A share may differ by so many points.
const POINTS: f64 = 5.0;

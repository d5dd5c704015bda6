//! The laws of keys, batches, checks, splits and plans.
//!
//! One program for all of them, which is made quicker than one for each: `cargo test -p rowkey-core --test it NAME::`
//! runs the tests of a file.

mod batches;
mod check;
mod even_splits;
mod generated;
mod generator;
mod lowered;
mod plans;
mod splits;
mod templates;
mod typed;
mod vectors;

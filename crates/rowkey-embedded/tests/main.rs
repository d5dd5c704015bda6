//! The embedded store from outside.
//!
//! `damage_classes` is a program of its own, because it counts the panics of its whole process.
//!
//! One program for all of them, which is made quicker than one for each: `cargo test -p rowkey-embedded --test it NAME::`
//! runs the tests of a file.

mod bulk;
mod concurrency;
mod conformance;
mod counts;
mod damage;
mod engine_faults;
mod fixtures;
mod folders;
mod full_disk;
mod kill;
mod limits;
mod model;
mod notes;
mod operations;
mod ownership;
mod reclaim;
mod regions;
mod reopen;
mod tables;
mod together;

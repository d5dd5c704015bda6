//! Facts, simulations and advice, against plain loops over the data and against HBase.
//!
//! One program for all of them, which is made quicker than one for each: `cargo test -p rowkey-lab --test it NAME::`
//! runs the tests of a file.

mod advise;
mod cures;
mod drawn;
mod experts;
mod phoenix_keys;
mod profile;
mod sample;
mod simulate;
mod size;
mod truth;
mod verdict;

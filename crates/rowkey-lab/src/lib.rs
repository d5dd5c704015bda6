//! Judges the design of a row key, and finds the best one.
//!
//! Proof instead of folklore: from sample data and the list of queries to figures and pictures. Everything here works on
//! records as they come, in one pass and in bounded memory; nothing here prints.

pub mod advise;
pub mod diagnose;
pub mod heat;
pub mod key_sample;
pub mod model;
pub mod profile;
pub mod rebalance;
pub mod route;
pub mod sample;
pub mod simulate;
pub mod size;
pub mod traffic;
pub mod verdict;
pub mod workload;

use std::collections::HashSet;
use std::hash::Hash;

/// Each of them once, where it first stands.
pub(crate) fn unique<T: Clone + Eq + Hash>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut seen = HashSet::new();
    all.into_iter().filter(|one| seen.insert(one.clone())).collect()
}

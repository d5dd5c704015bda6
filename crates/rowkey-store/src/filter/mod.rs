//! Which of the cells that it could return does a read want?
//!
//! [`Filter`] is a description, by HBase's names and with HBase's meaning; it travels to a cluster as it is, and the
//! embedded store evaluates it here.
//!
//! Not here: columns and time ranges of a read, which are cheaper than filters that do the same.

mod comparator;
mod description;
mod validate;

pub use comparator::{BitOp, Comparator, CompareOp};
pub use description::{Filter, FuzzyKey, PageStart, SingleColumn};

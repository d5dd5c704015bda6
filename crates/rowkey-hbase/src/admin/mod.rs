//! Work on tables and regions, which the master does.
//!
//! `tables`, `region_work` and `compaction` ask for it, `procedures` wait until it is done and tell the [`watcher`]; `descriptor`
//! translates settings of tables, `status` reports what servers and regions hold.

pub(crate) mod compaction;
pub(crate) mod descriptor;
pub(crate) mod procedures;
pub(crate) mod region_work;
pub(crate) mod status;
pub(crate) mod tables;
pub(crate) mod watcher;

//! Work on tables, namespaces, snapshots and regions, which the master does.
//!
//! `tables`, `namespaces`, `snapshots`, `region_work` and `compaction` ask for it, `procedures` wait until it is done and tell the [`watcher`];
//! `chores` are what the master does by itself; `descriptor`
//! translates settings of tables, `status` reports what servers and regions hold.

#![expect(clippy::missing_errors_doc, reason = "one section for all methods of the client, on the type")]

pub(crate) mod chores;
pub(crate) mod compaction;
pub(crate) mod descriptor;
pub(crate) mod namespaces;
pub(crate) mod procedures;
pub(crate) mod region_work;
pub(crate) mod snapshots;
pub(crate) mod status;
pub(crate) mod tables;
pub(crate) mod watcher;

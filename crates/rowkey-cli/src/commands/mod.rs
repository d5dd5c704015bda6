//! One file for each command.

pub(crate) mod advise;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod count;
pub(crate) mod create;
pub(crate) mod decode;
pub(crate) mod delete;
pub(crate) mod doctor;
pub(crate) mod encode;
pub(crate) mod explain;
pub(crate) mod figures;
pub(crate) mod get;
pub(crate) mod index;
pub(crate) mod load;
pub(crate) mod man;
pub(crate) mod merge;
pub(crate) mod new;
pub(crate) mod profile;
pub(crate) mod query;
pub(crate) mod regions;
pub(crate) mod scan;
pub(crate) mod shell;
pub(crate) mod simulate;
pub(crate) mod size;
pub(crate) mod split;
pub(crate) mod splits;

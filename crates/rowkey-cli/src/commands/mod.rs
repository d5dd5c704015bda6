//! One file for each command.

pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod create;
pub(crate) mod decode;
pub(crate) mod encode;
pub(crate) mod load;
pub(crate) mod new;
pub(crate) mod query;
pub(crate) mod regions;

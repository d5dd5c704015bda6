//! The rules, by what they are about. Each is a constant with its story and a function that finds it.

pub(super) mod bucket;
pub(super) mod data;
pub(super) mod identity;
pub(in crate::check) mod lead;
pub(super) mod number;
pub(super) mod phoenix;
pub(super) mod price;
pub(super) mod query;
pub(super) mod split;
pub(super) mod table;
pub(super) mod text;

//! What is in a table file?
//!
//! A table file (TOML) names a table, its key, the types of its fields, and where the fields that are not in the
//! key are kept. [`Table::parse`] reads it whole: either a [`Table`] in which everything goes together, or all
//! findings at once, each with its place.
//!
//! Quirk: `[[index]]` and the split algorithms beyond `"salt"` and a list of keys are refused in this version with
//! words that say so; `[[query]]` is read and kept for the commands that will use it.

mod columns;
mod family;
mod file;
mod section;

pub use columns::Column;
pub use family::FamilySpec;

use crate::key::{FieldId, KeySchema, Step};

/// A table: its key, fields, columns and regions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// The text of the file, which is stored with the table.
    pub source: String,
    /// `orders` or `namespace:orders`.
    pub name: String,
    /// The key; its fields are the fields of the table, in the order of the file.
    pub key: KeySchema,
    /// What makes a record unique.
    pub identity: Vec<FieldId>,
    /// Where the table is cut when it is created.
    pub splits: Splits,
    /// The field that gives cells their timestamps.
    pub cell_time: Option<FieldId>,
    /// The column families.
    pub families: Vec<FamilySpec>,
    /// The columns, by family and qualifier.
    pub columns: Vec<Column>,
    /// The queries that the table is made for.
    pub queries: Vec<NamedQuery>,
}

/// Where a new table is cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Splits {
    /// Not at all: one region.
    None,
    /// One region for each bucket of the leading salt.
    Salt,
    /// At these keys.
    Keys(Vec<Vec<u8>>),
}

/// A query that the table is made for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedQuery {
    /// What it is for.
    pub name: String,
    /// Condition, order and limit, with `?` for what is given later.
    pub condition: String,
    /// Its share among the queries.
    pub weight: u32,
}

impl Table {
    /// The keys at which a new table is cut: n of them make n + 1 regions.
    pub fn split_points(&self) -> Vec<Vec<u8>> {
        match &self.splits {
            Splits::None => Vec::new(),
            Splits::Keys(keys) => keys.clone(),
            Splits::Salt => leading_salt(&self.key).map(salt_splits).unwrap_or_default(),
        }
    }
}

/// The salt that a key begins with, and the fixed bytes before it.
fn leading_salt(key: &KeySchema) -> Option<(Vec<u8>, u32, usize)> {
    match key.steps() {
        [Step::Salt { buckets, width, .. }, ..] => Some((Vec::new(), *buckets, *width)),
        [Step::Literal(before), Step::Salt { buckets, width, .. }, ..] => {
            Some((before.clone(), *buckets, *width))
        }
        _ => None,
    }
}

/// One split point before each bucket but the first.
fn salt_splits((before, buckets, width): (Vec<u8>, u32, usize)) -> Vec<Vec<u8>> {
    (1..buckets)
        .map(|bucket| {
            let mut split = before.clone();
            crate::key::push_salt(bucket, width, &mut split);
            split
        })
        .collect()
}

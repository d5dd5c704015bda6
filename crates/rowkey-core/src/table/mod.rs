//! The table file.
//!
//! A table file (TOML) names a table, its key, the types of its fields, and where the fields that are not in the
//! key are kept. [`Table::parse`] reads it whole: either a [`Table`] in which everything goes together, or all
//! findings at once, each with its place.
//!
//! Quirk: where a table with `splits = "sample 32"` is cut is not known from its file alone; [`Table::split_points`] has
//! none then, and the caller takes the points of a sample ([`crate::split::from_sample`]).

mod columns;
mod family;
mod file;
mod index;
mod queries;
mod section;

pub use columns::Column;
pub use family::FamilySpec;
pub use index::Index;
pub use queries::QueryFile;

use crate::key::{FieldId, KeySchema, Step, ValueStep};
use crate::split;

/// A table: its key, fields, columns and regions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// The text of the file, which is stored with the table.
    pub source: String,
    /// `orders` or `namespace:orders`.
    pub name: String,
    /// The key; its fields are the fields of the table, in the order of the file.
    pub key: KeySchema,
    /// The fields that make a record unique; all fields of the key by default.
    pub identity: Vec<FieldId>,
    /// Where the table is cut when it is created.
    pub splits: Splits,
    /// The field that gives cells their timestamps; `None` for the time of the write.
    pub cell_time: Option<FieldId>,
    /// The column families, in the order of the file.
    pub families: Vec<FamilySpec>,
    /// The columns, by family and qualifier.
    pub columns: Vec<Column>,
    /// The columns of fields that come back from the key too, as other programs may have them: written beside the key, and compared
    /// with it when a row is read. Nothing is looked for there.
    pub copies: Vec<Column>,
    /// The index tables, in the order of the file.
    pub indexes: Vec<Index>,
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
    /// By one of HBase's algorithms, into so many regions.
    By(&'static split::Algorithm, u32),
    /// At the quantiles of sample data, into so many regions.
    Sample(u32),
    /// At these keys.
    Keys(Vec<Vec<u8>>),
}

impl Splits {
    /// The keys at which a new table of this key is cut; none if a sample decides.
    fn points(&self, key: &KeySchema) -> Vec<Vec<u8>> {
        // How many regions there may be was checked when the file was read.
        match self {
            Self::None | Self::Sample(_) => Vec::new(),
            Self::By(algorithm, regions) => algorithm.points(*regions).unwrap_or_default(),
            Self::Keys(keys) => keys.clone(),
            Self::Salt => leading_bucket(key).map(bucket_splits).unwrap_or_default(),
        }
    }
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
    /// The fields that it returns; `None` for all.
    pub columns: Option<Vec<String>>,
    /// How long the range of a time is whose ends are `?`, in milliseconds; as the data has it if left out.
    pub window: Option<i64>,
    /// The number of rows for `limit ?`.
    pub limit: Option<u32>,
}

impl Table {
    /// All columns that a row can have.
    pub fn stored_columns(&self) -> impl Iterator<Item = &Column> + Clone {
        self.columns.iter().chain(&self.copies)
    }

    /// The keys at which a new table is cut: n of them make n + 1 regions. None if a sample decides
    /// ([`Table::sampled_regions`]).
    pub fn split_points(&self) -> Vec<Vec<u8>> {
        self.splits.points(&self.key)
    }

    /// The fields of each family's columns.
    pub fn family_fields(&self) -> Vec<Vec<FieldId>> {
        let of = |family: &FamilySpec| {
            let own = self.columns.iter().filter(|column| column.family == family.name);
            own.map(|column| column.field).collect()
        };
        self.families.iter().map(of).collect()
    }

    /// Into how many regions sample data shall cut a new table, if that is what its file says.
    pub fn sampled_regions(&self) -> Option<u32> {
        match self.splits {
            Splits::Sample(regions) => Some(regions),
            _ => None,
        }
    }
}

/// The salt or bucket that a key begins with, and the fixed bytes before it.
pub fn leading_bucket(key: &KeySchema) -> Option<(&[u8], &ValueStep)> {
    let (before, step) = match key.steps() {
        [Step::Value(step), ..] => (&[][..], step),
        [Step::Literal(before), Step::Value(step), ..] => (before.as_slice(), step),
        _ => return None,
    };
    step.is_bucket().then_some((before, step))
}

/// One split point before each bucket but the first.
fn bucket_splits((before, step): (&[u8], &ValueStep)) -> Vec<Vec<u8>> {
    let mut splits: Vec<Vec<u8>> = (0..step.bucket_count().unwrap_or(0))
        .filter_map(|bucket| Some([before, &step.bucket_bytes(bucket)?].concat()))
        .collect();
    splits.sort();
    splits.drain(..splits.len().min(1));
    splits
}

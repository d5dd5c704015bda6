//! The design and the conditions of a simulation.

use rowkey_core::key::{Fields, KeySchema};
use rowkey_core::table::Splits;
use rowkey_core::{Findings, Table};

/// A table whose rows are written and read in thought.
#[derive(Debug, Clone)]
pub struct Design {
    /// What people call it.
    pub name: String,
    /// Its key, index tables and queries.
    pub table: Table,
    /// Its regions.
    pub cut: Cut,
}

/// Where the regions of a design begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cut {
    /// Where the table file says.
    Own,
    /// At these keys.
    Keys(Vec<Vec<u8>>),
    /// So many regions: where the key itself says ([`rowkey_core::split::for_key`]: a salt, a bucket, a hash), otherwise at the
    /// quantiles of the data's keys, the best possible with the data known in advance.
    Regions(usize),
}

impl Design {
    /// A key by itself, over the fields of the data.
    ///
    /// # Errors
    /// All findings about the key.
    pub fn of_key(source: &str, fields: &Fields, cut: Cut) -> Result<Self, Findings> {
        let key = KeySchema::with_fields(source, fields)
            .map_err(|findings| Findings::new("key", source, findings))?;
        Ok(Self::of_schema(key, cut))
    }

    /// A compiled key by itself.
    pub fn of_schema(key: KeySchema, cut: Cut) -> Self {
        let table = Table {
            source: String::new(),
            name: "design".to_owned(),
            identity: key.named_fields(),
            splits: Splits::None,
            cell_time: None,
            families: Vec::new(),
            columns: Vec::new(),
            copies: Vec::new(),
            indexes: Vec::new(),
            queries: Vec::new(),
            key,
        };
        Self { name: table.key.source().to_owned(), table, cut }
    }

    /// A table file's table.
    pub fn of_table(table: Table, cut: Cut) -> Self {
        Self { name: table.name.clone(), table, cut }
    }
}

//! Which cells of one family does a read return?
//!
//! [`FamilyRead`] is what a get or a scan wants of a family: the columns, and what it may see of their versions.
//! [`RowWalk`] takes the cells of one row as they lie in the keyspace and adds those that are wanted and visible to a
//! batch. Gets and scans differ only in how they reach the cells.

use fjall::{Keyspace, UserKey};
use rowkey_store::{Columns, RowBatch, StoreError};

use crate::EmbeddedError;
use crate::layout::cell::{self, KeyDamage};
use crate::layout::packed;
use crate::table::{OpenFamily, Table};
use crate::visible::{Verdict, Visibility};

/// How many versions of a column a read returns: the newest. More can be asked for when the trait can.
const VERSIONS: u32 = 1;

/// What a read wants of one family.
pub(crate) struct FamilyRead {
    pub(crate) keyspace: Keyspace,
    pub(crate) wanted: Wanted,
    name: String,
    visibility: Visibility,
}

/// The columns of a family that a read wants.
pub(crate) enum Wanted {
    /// Every column.
    All,
    /// These, by their packed qualifiers, sorted.
    Only(Vec<Vec<u8>>),
}

impl Wanted {
    fn contains(&self, packed: &[u8]) -> bool {
        match self {
            Self::All => true,
            Self::Only(columns) => columns.binary_search_by(|column| column.as_slice().cmp(packed)).is_ok(),
        }
    }
}

/// What a read of `columns` that began at `now` wants of each family that it touches, in the order of families.
pub(crate) fn families(table: &Table, columns: &Columns, now: i64) -> Result<Vec<FamilyRead>, StoreError> {
    if let Columns::Only(columns) = columns {
        for (family, _) in columns {
            table.descriptor.require_family(family)?;
        }
    }
    let touched = table.families.iter().filter(|open| columns.touches_family(open.family.name.as_bytes()));
    Ok(touched
        .map(|open| FamilyRead {
            keyspace: open.keyspace.clone(),
            wanted: wanted(open, columns),
            name: open.family.name.clone(),
            visibility: Visibility::new(&open.family, now, VERSIONS),
        })
        .collect())
}

fn wanted(open: &OpenFamily, columns: &Columns) -> Wanted {
    let Columns::Only(columns) = columns else {
        return Wanted::All;
    };
    let of_family = columns.iter().filter(|(family, _)| family == open.family.name.as_bytes());
    let mut packed_qualifiers = Vec::new();
    for (_, qualifier) in of_family {
        let Some(qualifier) = qualifier else {
            return Wanted::All;
        };
        let mut packed = Vec::with_capacity(qualifier.len() + 2);
        packed::encode(qualifier, &mut packed);
        packed_qualifiers.push(packed);
    }
    packed_qualifiers.sort();
    packed_qualifiers.dedup();
    Wanted::Only(packed_qualifiers)
}

impl FamilyRead {
    /// The error for a key that names no cell.
    pub(crate) fn damaged(&self, key: &[u8], source: KeyDamage) -> EmbeddedError {
        EmbeddedError::DamagedKey { keyspace: self.keyspace.name().to_string(), key: key.to_vec(), source }
    }
}

/// The way through the cells of one row, column by column, version by version.
#[derive(Default)]
pub(crate) struct RowWalk {
    row_end: usize,
    /// The last cell's key, and where its qualifier ends.
    last: Option<(UserKey, usize)>,
    /// How many versions of the current column were judged.
    nth: u32,
    /// Nothing more of the current column is returned.
    over: bool,
    qualifier: Vec<u8>,
}

impl RowWalk {
    /// Starts a row whose packed form has `row_end` bytes.
    pub(crate) fn begin(&mut self, row_end: usize) {
        self.row_end = row_end;
        self.last = None;
        self.over = false;
    }

    /// Whether nothing more of the column of the last cell will be returned.
    pub(crate) fn column_is_over(&self) -> bool {
        self.over
    }

    /// Takes the row's next cell, and adds it to `batch` if the read returns it.
    pub(crate) fn offer(
        &mut self,
        read: &FamilyRead,
        key: UserKey,
        value: &[u8],
        batch: &mut RowBatch,
    ) -> Result<(), EmbeddedError> {
        let parts = cell::parse(&key, self.row_end).map_err(|damage| read.damaged(&key, damage))?;
        let column = key.get(self.row_end..parts.qualifier_end).unwrap_or_default();
        let same_column = match &self.last {
            Some((last, end)) => last.get(self.row_end..*end) == Some(column),
            None => false,
        };
        if !same_column {
            self.nth = 0;
            self.over = !read.wanted.contains(column);
        }
        if !self.over {
            self.nth += 1;
            match read.visibility.judge(self.nth, parts.timestamp) {
                Verdict::NoMore => self.over = true,
                Verdict::Visible => {
                    self.qualifier.clear();
                    cell::decode_qualifier(&key, self.row_end, &mut self.qualifier)
                        .map_err(|damage| read.damaged(&key, damage))?;
                    batch.cell(read.name.as_bytes(), &self.qualifier, parts.timestamp, value);
                }
            }
        }
        self.last = Some((key, parts.qualifier_end));
        Ok(())
    }
}

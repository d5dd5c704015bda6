//! Everything that a program needs to know of a table, as plain data.

use rowkey_core::lowered::{Codec, CodecField};
use rowkey_core::table::Column;
use rowkey_core::types::{IntForm, Kind, OctetsType};
use rowkey_core::{FieldId, KeySchema, Table, Type};

use crate::QueryDesign;
use crate::vectors::Vectors;

/// A table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Design {
    /// Where it comes from.
    pub origin: Origin,
    /// The name of the table, with its namespace: `orders` or `shop:orders`.
    pub table: String,
    /// The key. Its fields are those of a record, in the order of the file; one that the key does not name may be null, because a
    /// row need not have its column.
    pub codec: Codec,
    /// The column families, in the order of the file. The first has the cell `_` ([`ColumnDesign::EMPTY_ROW`]).
    pub families: Vec<String>,
    /// The columns of fields that do not come back from the key, then those of fields that do (which are written too, and must be
    /// equal when a row is read).
    pub columns: Vec<ColumnDesign>,
    /// The field whose time the cells of a row get; `None` for the time of the write.
    pub cell_time: Option<FieldId>,
    /// The keys at which a new table is cut. Empty as well if `splits = "sample …"`, which takes data.
    pub splits: Vec<Vec<u8>>,
    /// The salt or bucket that the key begins with: ordered reads ask every one of them, and merge.
    pub bucket: Option<Bucket>,
    /// The index tables.
    pub indexes: Vec<IndexDesign>,
    /// The queries, in the order of the file.
    pub queries: Vec<QueryDesign>,
    /// Records, keys and refusals that the generated code must agree with.
    pub vectors: Vectors,
}

/// Where generated code comes from, for the line at its top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The version of rowkey.
    pub version: String,
    /// The name of the table file, without its folder.
    pub file: String,
}

/// A column and the field that it keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnDesign {
    /// The column family.
    pub family: String,
    /// The name within the family.
    pub qualifier: String,
    /// The field; null has no cell.
    pub field: FieldId,
    /// How its value becomes bytes.
    pub form: ColumnForm,
    /// Whether the field comes back from the key too.
    pub is_copy: bool,
}

impl ColumnDesign {
    /// The qualifier of the empty cell, in the first family, of a record whose columns are all null, so that its row exists.
    pub const EMPTY_ROW: &'static str = Column::EMPTY_ROW_QUALIFIER;
}

/// How a value of a column becomes bytes: HBase's `Bytes`. All numbers are big-endian. A cell of another length is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnForm {
    /// A whole number, or a time in milliseconds, of so many bytes in two's complement; unsigned where it says so. A number that does
    /// not fit is `out_of_range` (a `decimal(19)` and longer may not fit its 8 bytes).
    Integer {
        /// 1, 2, 4 or 8.
        bytes: usize,
        /// Whether it is unsigned.
        is_unsigned: bool,
    },
    /// IEEE 754 of 4 or 8 bytes, with NaN and -0.0.
    Float(usize),
    /// `ff` for true, `00` for false. Read, every byte but `00` is true.
    Bool,
    /// As they are.
    Octets(OctetsType),
    /// UTF-8; of `fixed(n)` too, whose length is not checked.
    Text,
    /// As they are.
    Bytes,
    /// A decimal number as its text: digits with an optional minus and point, no exponent, no zeros behind the last digit.
    Numeric,
}

/// The salt or bucket that a key begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bucket {
    /// The literal before it.
    pub before: Vec<u8>,
    /// The bytes of every bucket, all of one length, by its number.
    pub buckets: Vec<Vec<u8>>,
}

impl Bucket {
    /// The bytes of a bucket, if buckets are their own numbers, big-endian.
    pub(crate) fn counted_width(&self) -> Option<usize> {
        let width = self.buckets.first().map_or(0, Vec::len);
        let counts = self.buckets.iter().enumerate().all(|(number, bytes)| {
            let number = (number as u128).to_be_bytes();
            number.get(16 - width.min(16)..) == Some(bytes.as_slice())
        });
        counts.then_some(width)
    }
}

/// An index table. An entry has the index key of a record and these cells:
///
/// - `_` in the table's first family, the mark: `P` (the data row decides whether it counts; readers look it up), the time of the
///   write (8 bytes, milliseconds), the cell time of the data row (8; the same if it has none of its own), a random number (8), and
///   for each column a byte, 1 if the entry has it.
/// - the columns, as in the data row.
///
/// All cells of an entry have the time of the write as timestamp. A program puts the entry first, then the row, then deletes the
/// entry that the row had before, if it had another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexDesign {
    /// Its name, with its namespace.
    pub table: String,
    /// Its key, over the fields of the table.
    pub codec: Codec,
    /// The columns that it keeps copies of.
    pub columns: Vec<ColumnDesign>,
    /// Where a new one is cut.
    pub splits: Vec<Vec<u8>>,
    /// The salt or bucket that its key begins with.
    pub bucket: Option<Bucket>,
}

/// The most buckets that are listed: reads of more are not one scan for each.
const MOST_BUCKETS: u32 = 4096;

impl Design {
    /// The design of a key by itself, whose records have no columns.
    pub fn of_key(key: &KeySchema, name: &str, origin: Origin) -> Self {
        Self {
            origin,
            table: name.to_owned(),
            codec: codec(key),
            families: Vec::new(),
            columns: Vec::new(),
            cell_time: None,
            splits: Vec::new(),
            bucket: bucket(key),
            indexes: Vec::new(),
            queries: Vec::new(),
            vectors: Vectors::of(key),
        }
    }

    /// The design of a table file.
    pub fn of(table: &Table, origin: Origin) -> Self {
        let columns: Vec<ColumnDesign> =
            table.stored_columns().map(|column| column_design(table, column)).collect();
        let indexes = table.indexes.iter().map(|index| IndexDesign {
            table: index.name.clone(),
            codec: codec(&index.key),
            columns: index
                .columns
                .iter()
                .filter_map(|field| columns.iter().find(|column| column.field == *field))
                .cloned()
                .collect(),
            splits: index.split_points(),
            bucket: bucket(&index.key),
        });
        Self {
            families: table.families.iter().map(|family| family.name.clone()).collect(),
            indexes: indexes.collect(),
            columns,
            cell_time: table.cell_time,
            splits: table.split_points(),
            queries: table.queries.iter().map(|query| QueryDesign::of(table, query)).collect(),
            ..Self::of_key(&table.key, &table.name, origin)
        }
    }

    /// The fields of a record.
    pub fn fields(&self) -> &[CodecField] {
        &self.codec.fields
    }
}

/// A key, in whose records fields of other columns may be null.
fn codec(key: &KeySchema) -> Codec {
    let mut codec = Codec::of(key);
    for field in &mut codec.fields {
        field.nullable |= !field.in_key;
    }
    codec
}

fn bucket(key: &KeySchema) -> Option<Bucket> {
    let (before, step) = rowkey_core::table::leading_bucket(key)?;
    let count = step.bucket_count().filter(|count| *count <= MOST_BUCKETS)?;
    let buckets = (0..count).map(|number| step.bucket_bytes(number)).collect::<Option<_>>()?;
    Some(Bucket { before: before.to_vec(), buckets })
}

fn column_design(table: &Table, column: &Column) -> ColumnDesign {
    ColumnDesign {
        family: column.family.clone(),
        qualifier: column.qualifier.clone(),
        field: column.field,
        form: column_form(table.key.fields().get(column.field).ty),
        is_copy: table.copies.contains(column),
    }
}

/// As [`rowkey_core::column`] has it.
fn column_form(ty: Type) -> ColumnForm {
    match (ty, ty.kind()) {
        (Type::Int(int), _) => {
            ColumnForm::Integer { bytes: int.bytes, is_unsigned: int.form == IntForm::Unsigned }
        }
        (Type::Ordered(_), Kind::Integer) => {
            let high = ty.integer_range().map_or(i128::MAX, |(_, high)| high);
            let bits = 128 - high.leading_zeros() as usize;
            ColumnForm::Integer { bytes: bits.div_ceil(8), is_unsigned: false }
        }
        (_, Kind::Integer | Kind::Time) => ColumnForm::Integer { bytes: 8, is_unsigned: false },
        (_, Kind::Float) => ColumnForm::Float(if ty.is_single() { 4 } else { 8 }),
        (_, Kind::Bool) => ColumnForm::Bool,
        (_, Kind::Octets(own)) => ColumnForm::Octets(own),
        (_, Kind::Text) => ColumnForm::Text,
        (_, Kind::Bytes) => ColumnForm::Bytes,
        (_, Kind::Numeric) => ColumnForm::Numeric,
    }
}

//! The fields that a Parquet file declares.
//!
//! It names its columns and says what they hold; its statistics, where the writer left them, say more: whether there are
//! nulls at all (most writers call every column optional), and between which numbers a column lies.

use std::fs::File;

use ::parquet::basic::Repetition;
use ::parquet::file::metadata::ParquetMetaData;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::file::statistics::Statistics;
use rowkey_core::Type;
use rowkey_core::ordered::OrderedType;

use super::holds::Holds;
use super::{guarded, said};
use crate::input::error::InputError;
use crate::input::{DeclaredField, DeclaredNulls};

/// The columns of a file, with the types that their fields would have.
pub(in crate::input) fn declared_fields(file: File, label: &str) -> Result<Vec<DeclaredField>, InputError> {
    let unreadable = |message| InputError::Parquet { data: label.to_owned(), message };
    let file = guarded(|| SerializedFileReader::new(file)).map_err(|error| unreadable(said(&error)))?;
    let metadata = file.metadata();
    let schema = metadata.file_metadata().schema_descr();
    let columns = schema.root_schema().get_fields().iter().enumerate().map(|(root, column)| {
        let leaf = (0..schema.num_columns()).find(|&leaf| schema.get_column_root_idx(leaf) == root);
        let (holds, info) = (Holds::of(column), column.get_basic_info());
        let required = info.has_repetition() && info.repetition() == Repetition::REQUIRED;
        let nulls = match leaf.and_then(|leaf| nulls(metadata, leaf)) {
            _ if required => DeclaredNulls::None,
            Some(0) => DeclaredNulls::None,
            Some(_) => DeclaredNulls::Some,
            None => DeclaredNulls::NotSaid,
        };
        let range = leaf.and_then(|leaf| range(metadata, leaf));
        DeclaredField {
            name: column.name().to_owned(),
            holds: holds.to_string(),
            ty: ty(&holds, range),
            nulls,
            range,
        }
    });
    Ok(columns.collect())
}

fn ty(holds: &Holds, range: Option<(i64, i64)>) -> Option<Type> {
    Type::from_name(match holds {
        Holds::Bool => "bool",
        Holds::Signed if range.is_some_and(|(min, _)| min >= 0) => "u64",
        Holds::Signed => "i64",
        Holds::Unsigned => "u64",
        Holds::Float => "f64",
        Holds::Decimal(_) => return Some(Type::Ordered(OrderedType::Numeric)),
        Holds::Text | Holds::Nothing => "text",
        Holds::Bytes => "bytes",
        Holds::Uuid => "uuid",
        Holds::Date | Holds::Time(_) => "timestamp",
        Holds::Nested | Holds::Other(_) => return None,
    })
}

/// How many nulls a column has, if all of its groups say.
fn nulls(metadata: &ParquetMetaData, leaf: usize) -> Option<u64> {
    let statistics = metadata.row_groups().iter().map(|group| group.columns().get(leaf)?.statistics());
    statistics.map(|statistics| statistics?.null_count_opt()).sum()
}

/// The smallest and the largest signed number of a column, if all of its groups say.
fn range(metadata: &ParquetMetaData, leaf: usize) -> Option<(i64, i64)> {
    let mut range: Option<(i64, i64)> = None;
    for group in metadata.row_groups() {
        let (min, max) = match group.columns().get(leaf)?.statistics()? {
            Statistics::Int32(own) => ((*own.min_opt()?).into(), (*own.max_opt()?).into()),
            Statistics::Int64(own) => (*own.min_opt()?, *own.max_opt()?),
            _ => return None,
        };
        range = Some(range.map_or((min, max), |(least, most)| (least.min(min), most.max(max))));
    }
    range
}

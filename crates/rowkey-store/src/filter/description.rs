//! The filters, and what each lets through.

use std::ops::Bound;

use rowkey_core::range::KeyRange;

use super::{Comparator, CompareOp};

/// A filter by HBase's name and with HBase's meaning.
///
/// A filter sees the cells of a row in their order, family by family, after everything else that decides what a read
/// sees (see [`crate::Get`]) but the read's own number of versions.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Filter {
    /// Rows whose key starts with these bytes.
    Prefix(Vec<u8>),
    /// Rows whose key compares so.
    Row(CompareOp, Comparator),
    /// Cells whose family compares so.
    Family(CompareOp, Comparator),
    /// Cells whose qualifier compares so.
    Qualifier(CompareOp, Comparator),
    /// Cells whose value compares so.
    Value(CompareOp, Comparator),
    /// Rows in which one column's value compares so.
    SingleColumnValue(SingleColumn),
    /// The same, and the column itself is not returned.
    SingleColumnValueExclude(SingleColumn),
    /// The cells of one column whose value compares so, and no other cells.
    ColumnValue {
        /// The column's family.
        family: Vec<u8>,
        /// The column's qualifier.
        qualifier: Vec<u8>,
        /// How the value is compared.
        op: CompareOp,
        /// With what.
        comparator: Comparator,
    },
    /// Cells whose qualifier starts with these bytes.
    ColumnPrefix(Vec<u8>),
    /// Cells whose qualifier starts with one of these.
    MultipleColumnPrefix(Vec<Vec<u8>>),
    /// Cells whose qualifier lies between two.
    ColumnRange {
        /// Where the qualifiers begin.
        min: Bound<Vec<u8>>,
        /// Where the qualifiers end.
        max: Bound<Vec<u8>>,
    },
    /// Some columns of each row, counted over all families: `limit` of them.
    ColumnPagination {
        /// How many columns.
        limit: u32,
        /// From where on.
        start: PageStart,
    },
    /// The first so many columns of the first row that has more; it is meant for gets, because a scan ends there.
    ColumnCountGet(u32),
    /// The first cell of each row.
    FirstKeyOnly,
    /// Cells without their values.
    KeyOnly {
        /// Instead of nothing, return the value's length as four bytes, big-endian.
        length_as_value: bool,
    },
    /// So many rows of each region: every region counts by itself.
    Page(u64),
    /// Rows up to and including this one; the scan ends after it.
    InclusiveStop(Vec<u8>),
    /// Each row with this chance, from 0 to 1.
    RandomRow(f32),
    /// Cells with one of these timestamps.
    Timestamps {
        /// Milliseconds since 1970, in any order.
        timestamps: Vec<i64>,
        /// Whether the scan may skip to the next timestamp. Faster, but older delete markers may be passed over.
        can_hint: bool,
    },
    /// Rows that fit one of these patterns.
    FuzzyRow(Vec<FuzzyKey>),
    /// Rows that lie in one of these ranges. They are sorted and joined; an empty list is refused.
    MultiRowRange(Vec<KeyRange>),
    /// As the filter inside, but the scan ends with the first thing that it leaves out.
    WhileMatch(Box<Filter>),
    /// As the filter inside, but a row of which it leaves out a single cell is left out whole.
    Skip(Box<Filter>),
    /// What all of these let through. Without any, everything.
    All(Vec<Filter>),
    /// What at least one of these lets through. Without any, everything.
    One(Vec<Filter>),
}

/// HBase's name of each filter: said once, listed in `NAMES`.
macro_rules! names {
    ($($filter:pat => $name:literal,)*) => {
        impl Filter {
            /// HBase's names, each once.
            pub const NAMES: &[&str] = &[$($name),*];

            /// HBase's name for it.
            pub fn name(&self) -> &'static str {
                match self {
                    $($filter => $name,)*
                }
            }
        }
    };
}

names! {
    Self::Prefix(_) => "PrefixFilter",
    Self::Row(..) => "RowFilter",
    Self::Family(..) => "FamilyFilter",
    Self::Qualifier(..) => "QualifierFilter",
    Self::Value(..) => "ValueFilter",
    Self::SingleColumnValue(_) => "SingleColumnValueFilter",
    Self::SingleColumnValueExclude(_) => "SingleColumnValueExcludeFilter",
    Self::ColumnValue { .. } => "ColumnValueFilter",
    Self::ColumnPrefix(_) => "ColumnPrefixFilter",
    Self::MultipleColumnPrefix(_) => "MultipleColumnPrefixFilter",
    Self::ColumnRange { .. } => "ColumnRangeFilter",
    Self::ColumnPagination { .. } => "ColumnPaginationFilter",
    Self::ColumnCountGet(_) => "ColumnCountGetFilter",
    Self::FirstKeyOnly => "FirstKeyOnlyFilter",
    Self::KeyOnly { .. } => "KeyOnlyFilter",
    Self::Page(_) => "PageFilter",
    Self::InclusiveStop(_) => "InclusiveStopFilter",
    Self::RandomRow(_) => "RandomRowFilter",
    Self::Timestamps { .. } => "TimestampsFilter",
    Self::FuzzyRow(_) => "FuzzyRowFilter",
    Self::MultiRowRange(_) => "MultiRowRangeFilter",
    Self::WhileMatch(_) => "WhileMatchFilter",
    Self::Skip(_) => "SkipFilter",
    Self::All(_) | Self::One(_) => "FilterList",
}

impl Filter {
    /// The name of a filter in it that judges whole rows, which a scan in pieces of rows cannot have.
    pub fn judge_of_rows(&self) -> Option<&'static str> {
        match self {
            Self::SingleColumnValue(_)
            | Self::SingleColumnValueExclude(_)
            | Self::Page(_)
            | Self::RandomRow(_)
            | Self::WhileMatch(_)
            | Self::Skip(_) => Some(self.name()),
            Self::All(filters) | Self::One(filters) => filters.iter().find_map(Self::judge_of_rows),
            _ => None,
        }
    }
}

/// What is asked of one column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SingleColumn {
    /// The column's family.
    pub family: Vec<u8>,
    /// The column's qualifier.
    pub qualifier: Vec<u8>,
    /// How its value is compared.
    pub op: CompareOp,
    /// With what.
    pub comparator: Comparator,
    /// Whether a row without the column is left out; HBase lets it through.
    pub filter_if_missing: bool,
    /// Whether only the newest version counts; otherwise any version that fits is enough.
    pub latest_version_only: bool,
}

impl SingleColumn {
    /// As HBase does by default: rows without the column are let through, and only the newest version counts.
    pub fn new(
        family: impl Into<Vec<u8>>,
        qualifier: impl Into<Vec<u8>>,
        op: CompareOp,
        comparator: Comparator,
    ) -> Self {
        Self {
            family: family.into(),
            qualifier: qualifier.into(),
            op,
            comparator,
            filter_if_missing: false,
            latest_version_only: true,
        }
    }
}

/// Where a page of columns starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageStart {
    /// After so many columns.
    Offset(u32),
    /// At this qualifier.
    Qualifier(Vec<u8>),
}

/// A pattern for row keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FuzzyKey {
    /// The bytes; where any byte will do, what stands here does not matter.
    pub key: Vec<u8>,
    /// For each byte whether any will do. A row may be longer than the pattern.
    pub any: Vec<bool>,
}

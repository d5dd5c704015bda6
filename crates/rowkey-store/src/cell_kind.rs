//! The kind of a cell: a value, or a marker that hides others.

use std::fmt;

/// What a cell is. The names and codes are HBase's.
///
/// A marker hides puts of its own family (and, but for those of a family, of its own column) whose timestamp is not
/// above its own, or exactly its own, whenever they were written: also before, and also after the marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CellKind {
    /// A value.
    Put,
    /// Hides the version of its column with exactly its timestamp.
    Delete,
    /// Hides every column's version with exactly its timestamp.
    DeleteFamilyVersion,
    /// Hides all versions of its column up to its timestamp.
    DeleteColumn,
    /// Hides all versions of all columns up to its timestamp.
    DeleteFamily,
}

impl CellKind {
    /// Every kind.
    pub const ALL: [Self; 5] =
        [Self::Put, Self::Delete, Self::DeleteFamilyVersion, Self::DeleteColumn, Self::DeleteFamily];

    /// HBase's type code. At one timestamp of one column, cells sort from the largest code to the smallest.
    pub fn code(self) -> u8 {
        match self {
            Self::Put => 4,
            Self::Delete => 8,
            Self::DeleteFamilyVersion => 10,
            Self::DeleteColumn => 12,
            Self::DeleteFamily => 14,
        }
    }

    /// The kind of a type code; `None` for a code that no stored cell has.
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.code() == code)
    }

    /// Whether it hides other cells.
    pub fn is_marker(self) -> bool {
        self != Self::Put
    }

    /// Whether it hides cells of a whole family. Such a marker has an empty qualifier.
    pub fn is_of_family(self) -> bool {
        matches!(self, Self::DeleteFamily | Self::DeleteFamilyVersion)
    }
}

impl fmt::Display for CellKind {
    /// HBase's word for it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Put => "Put",
            Self::Delete => "Delete",
            Self::DeleteFamilyVersion => "DeleteFamilyVersion",
            Self::DeleteColumn => "DeleteColumn",
            Self::DeleteFamily => "DeleteFamily",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_tells_its_kind() {
        for kind in CellKind::ALL {
            assert_eq!(CellKind::from_code(kind.code()), Some(kind));
        }
        for code in [0, 255, 5, 3] {
            assert_eq!(CellKind::from_code(code), None);
        }
    }
}

//! The bytes of a row, and the cost of one letter of a name.

use rowkey_core::Table;
use rowkey_core::table::Column;

use super::cell;
use super::lengths::{ColumnLength, Lengths};

/// The bytes of a row.
#[derive(Debug, Clone, PartialEq)]
pub struct RowSize {
    /// Its cells, in the order of the table file.
    pub cells: Vec<CellSize>,
    /// The mean length of its key.
    pub key: f64,
}

/// The mean bytes of one column's cell.
#[derive(Debug, Clone, PartialEq)]
pub struct CellSize {
    /// The name of the cell's family.
    pub family: String,
    /// The name within the family.
    pub qualifier: String,
    /// The length of the row key before it.
    pub key: f64,
    /// The length of the value.
    pub value: f64,
    /// The share of rows that have the cell.
    pub present: f64,
    /// How many versions of it are kept, on average.
    pub versions: f64,
}

impl RowSize {
    /// The row of a table with values of these lengths, with so many versions of each cell.
    pub fn of(table: &Table, lengths: &Lengths, versions: f64) -> Self {
        let cell = |family: &str, qualifier: &str, length: &ColumnLength| CellSize {
            family: family.to_owned(),
            qualifier: qualifier.to_owned(),
            key: lengths.key,
            value: length.value,
            present: length.present,
            versions,
        };
        let columns = table.stored_columns().zip(&lengths.columns);
        let mut cells: Vec<CellSize> =
            columns.map(|(column, length)| cell(&column.family, &column.qualifier, length)).collect();
        if lengths.empty_rows > 0.0
            && let Some(family) = table.families.first()
        {
            let length = ColumnLength { value: 0.0, present: lengths.empty_rows };
            cells.push(cell(&family.name, Column::EMPTY_ROW_QUALIFIER, &length));
        }
        Self { cells, key: lengths.key }
    }

    /// On disk, not compressed and not encoded.
    pub fn bytes(&self) -> f64 {
        self.cells.iter().map(CellSize::per_row).sum()
    }

    /// Of these, the values themselves.
    pub fn values(&self) -> f64 {
        self.cells.iter().map(|cell| cell.value * cell.weight()).sum()
    }

    /// Of these, the row key, which stands in every cell.
    pub fn keys(&self) -> f64 {
        self.cells.iter().map(|cell| cell.key * cell.weight()).sum()
    }

    /// How many cells it has, versions counted.
    pub fn cell_count(&self) -> f64 {
        self.cells.iter().map(CellSize::weight).sum()
    }

    /// What a region's memstore counts for it.
    pub fn in_memory(&self) -> f64 {
        self.cells.iter().map(CellSize::in_memory).sum()
    }

    /// What a region's memstore counts for it in each family, in the order in which they come.
    pub fn in_memory_by_family(&self) -> Vec<(&str, f64)> {
        let mut families: Vec<(&str, f64)> = Vec::new();
        for cell in &self.cells {
            match families.iter_mut().find(|(name, _)| *name == cell.family) {
                Some((_, bytes)) => *bytes += cell.in_memory(),
                None => families.push((&cell.family, cell.in_memory())),
            }
        }
        families
    }

    /// How many cells of a row carry the name of a family: so many bytes does one letter of it cost.
    pub fn family_letter(&self, family: &str) -> f64 {
        self.cells.iter().filter(|cell| cell.family == family).map(CellSize::weight).sum()
    }
}

impl CellSize {
    /// The bytes of the cell.
    pub fn bytes(&self) -> f64 {
        cell::OVERHEAD as f64 + self.key + (self.family.len() + self.qualifier.len()) as f64 + self.value
    }

    /// How many of it a row has; so many bytes does one letter of its qualifier cost.
    pub fn weight(&self) -> f64 {
        self.present * self.versions
    }

    /// The bytes that a row has of it.
    pub fn per_row(&self) -> f64 {
        self.bytes() * self.weight()
    }

    fn in_memory(&self) -> f64 {
        // The mean of rounded lengths lies close to the rounded mean.
        cell::in_memory(self.bytes().round() as usize) as f64 * self.weight()
    }
}

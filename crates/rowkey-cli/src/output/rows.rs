//! Rows of an answer as data: what a table shows of them, and what CSV has.

use std::fmt::Display;

use comfy_table::{Cell as TableCell, CellAlignment};
use rowkey_core::visible::visible;

/// Rows with the names of their columns.
pub(crate) struct Rows {
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
    /// Whether others were printed before these.
    is_continued: bool,
}

pub(crate) struct Column {
    name: String,
    /// What it is called in CSV, if not the same.
    in_csv: Option<&'static str>,
    /// Whether a table leaves it out.
    only_csv: bool,
    /// Whether a table leaves it out where no row has a value.
    is_optional: bool,
}

impl From<&str> for Column {
    fn from(name: &str) -> Self {
        name.to_owned().into()
    }
}

impl From<String> for Column {
    fn from(name: String) -> Self {
        Self { name, in_csv: None, only_csv: false, is_optional: false }
    }
}

impl Column {
    /// A column that a table leaves out where no row has a value.
    pub(crate) fn optional(name: &str) -> Self {
        Self { is_optional: true, ..name.into() }
    }

    /// A column of CSV alone.
    pub(crate) fn only_csv(name: &str) -> Self {
        Self { only_csv: true, ..name.into() }
    }

    /// The same with another name in CSV.
    pub(crate) fn in_csv(self, name: &'static str) -> Self {
        Self { in_csv: Some(name), ..self }
    }
}

/// A cell of a row.
pub(crate) struct Cell {
    /// What a table shows, line by line; a line end in one of them is data.
    lines: Vec<String>,
    /// What CSV has, if not the same.
    exact: Option<String>,
    is_right: bool,
}

impl Cell {
    /// A cell of several lines.
    pub(crate) fn lines(lines: impl IntoIterator<Item = String>) -> Self {
        Self { lines: lines.into_iter().collect(), exact: None, is_right: false }
    }

    /// The same with another text in CSV, where figures are not rounded and keys stand alone.
    pub(crate) fn exact(self, exact: impl Display) -> Self {
        Self { exact: Some(exact.to_string()), ..self }
    }

    /// The same without a text in CSV if there is no value.
    pub(crate) fn exact_if(self, exact: Option<impl Display>) -> Self {
        self.exact(exact.map(|exact| exact.to_string()).unwrap_or_default())
    }

    fn text(&self) -> &str {
        self.exact.as_deref().or(self.lines.first().map(String::as_str)).unwrap_or_default()
    }

    fn laid_out(&self) -> TableCell {
        let lines: Vec<_> = self.lines.iter().map(|line| visible(line)).collect();
        let alignment = if self.is_right { CellAlignment::Right } else { CellAlignment::Left };
        TableCell::new(lines.join("\n")).set_alignment(alignment)
    }
}

/// A cell of text.
pub(crate) fn cell(text: impl Display) -> Cell {
    Cell::lines([text.to_string()])
}

/// A cell of a number, which stands to the right.
pub(crate) fn number(text: impl Display) -> Cell {
    Cell { is_right: true, ..cell(text) }
}

impl Rows {
    pub(crate) fn new(columns: impl IntoIterator<Item = impl Into<Column>>) -> Self {
        let columns = columns.into_iter().map(Into::into).collect();
        Self { columns, rows: Vec::new(), is_continued: false }
    }

    /// One more row, a cell for each column.
    pub(crate) fn add(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(cells.into_iter().collect());
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn is_continued(&self) -> bool {
        self.is_continued
    }

    /// Takes away the rows that were printed.
    pub(super) fn go_on(&mut self) {
        self.rows.clear();
        self.is_continued = true;
    }

    /// The columns that a table shows, and its cells.
    pub(super) fn laid_out(&self) -> (Vec<&str>, Vec<Vec<TableCell>>) {
        let has_value = |place: usize| {
            self.rows.iter().any(|row| row.get(place).is_some_and(|own| !own.text().is_empty()))
        };
        let is_shown = |(place, column): &(usize, &Column)| {
            !column.only_csv && (!column.is_optional || has_value(*place))
        };
        let shown: Vec<(usize, &Column)> = self.columns.iter().enumerate().filter(is_shown).collect();
        let cells = |row: &Vec<Cell>| {
            shown.iter().filter_map(|(place, _)| row.get(*place)).map(Cell::laid_out).collect()
        };
        (
            shown.iter().map(|(_, column)| column.name.as_str()).collect(),
            self.rows.iter().map(cells).collect(),
        )
    }

    /// The lines of CSV, with the names of the columns in front unless others were printed before.
    pub(super) fn lines(&self) -> impl Iterator<Item = Vec<&str>> {
        let header = (!self.is_continued)
            .then(|| self.columns.iter().map(|column| column.in_csv.unwrap_or(&column.name)).collect());
        header.into_iter().chain(self.rows.iter().map(|row| row.iter().map(Cell::text).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_leaves_out_what_is_for_csv_and_what_no_row_has() {
        let columns = [
            Column::from("a"),
            Column::optional("b"),
            Column::only_csv("c"),
            Column::optional("d").in_csv("d_exact"),
        ];
        let mut rows = Rows::new(columns);
        rows.add([cell("1"), cell("none").exact(""), cell("3"), number("4.0").exact_if(Some(4.03))]);
        assert_eq!(rows.laid_out().0, ["a", "d"]);
        let lines: Vec<Vec<&str>> = rows.lines().collect();
        assert_eq!(lines, [["a", "b", "c", "d_exact"], ["1", "", "3", "4.03"]]);
        rows.go_on();
        assert_eq!(rows.lines().count(), 0);
    }
}

//! Why did a load stop?

use std::path::PathBuf;

use rowkey::key::EncodeError;
use rowkey::value::ReadError;
use rowkey_store::StoreError;

/// Why a load stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The data cannot be read.
    #[error("could not read {}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The first line does not name the fields of the table.
    #[error("{data}, line 1: {}; the fields are {}", header_problems(unknown, missing, twice), fields.join(", "))]
    Header {
        /// The data.
        data: String,
        /// Columns that are no field.
        unknown: Vec<String>,
        /// Fields without a column.
        missing: Vec<String>,
        /// Columns that come twice.
        twice: Vec<String>,
        /// The fields of the table.
        fields: Vec<String>,
    },
    /// A line that is no record of the table.
    #[error("{data}, line {line}: {}", join(problems))]
    Line {
        /// The data.
        data: String,
        /// The line, from 1.
        line: u64,
        /// Everything that is wrong with it.
        problems: Vec<LineProblem>,
    },
    /// The store refused or failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The checkpoint cannot be read or written.
    #[error("could not keep the checkpoint {}; is the folder of the data writable?", path.display())]
    Checkpoint {
        /// The checkpoint.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
}

/// What is wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LineProblem {
    /// Too few or too many cells.
    #[error("it has {found} cells where the first line has {expected}")]
    CellCount {
        /// What the first line has.
        expected: u64,
        /// What it has.
        found: u64,
    },
    /// Not CSV in UTF-8.
    #[error("{message}")]
    Csv {
        /// What the CSV reader says.
        message: String,
    },
    /// A cell that is no value of its field.
    #[error("field `{field}`: {problem}")]
    Cell {
        /// The field.
        field: String,
        /// What is wrong.
        problem: ReadError,
    },
    /// A record that has no key or no bytes.
    #[error(transparent)]
    Encode(#[from] EncodeError),
}

fn join(problems: &[LineProblem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

fn header_problems(unknown: &[String], missing: &[String], twice: &[String]) -> String {
    let names =
        |names: &[String]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let mut problems = Vec::new();
    if !unknown.is_empty() {
        problems.push(format!("no field is called {}", names(unknown)));
    }
    if !missing.is_empty() {
        problems.push(format!("there is no column for {}", names(missing)));
    }
    if !twice.is_empty() {
        problems.push(format!("the column {} comes twice", names(twice)));
    }
    problems.join("; ")
}

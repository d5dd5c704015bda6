//! Filters: which of the cells that it could return a read wants.
//!
//! [`Filter`] is a description, by HBase's names and with HBase's meaning; it travels to a cluster as it is, and the
//! embedded store evaluates it here: [`RunningFilter`] is a filter at work on the rows of one region.
//!
//! The protocol is HBase's. For each row: may it be passed over by its key alone; then each cell that the read could
//! return, family by family, is judged by a [`Verdict`], which also says how far to go on; then the row as a whole is
//! judged; then the filter is made ready for the next row. A verdict of "next row" ends the family, not the row.
//!
//! - `description`, `comparator`, `validate`: what filters there are.
//! - `rows`, `columns`, `values`, `wrappers`, `lists`: what each does, by what it looks at.
//! - `running`: the way of a row through a filter.
//!
//! Not here: columns and time ranges of a read, which are cheaper than filters that do the same.
//!
//! Quirks: HBase's filters may tell a scan to which row to skip; ours only say that the row is over. The rows returned
//! are the same. HBase's own faults with such skips are listed in `docs/hbase-faults.md` and not copied.

mod columns;
mod comparator;
mod description;
mod lists;
mod rows;
mod running;
mod validate;
mod values;
mod wrappers;

pub use comparator::{BitOp, Comparator, CompareOp};
pub use description::{Filter, FuzzyKey, PageStart, SingleColumn};
pub use running::{RunningFilter, ValueForm, Verdict};

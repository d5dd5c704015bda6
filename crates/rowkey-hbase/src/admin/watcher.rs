//! Progress of long work of the master.
//!
//! The master tells of a procedure only that it runs. What can be counted is the regions of the table that have a server, in
//! `hbase:meta`; that is done only if a watcher is set.

use std::fmt;
use std::sync::Arc;

use rowkey_store::TableName;

/// Something that the master does for this client, at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Procedure {
    /// The request that began it, as HBase calls it: `CreateTable`.
    pub method: &'static str,
    /// The table that it is about.
    pub table: TableName,
    /// The master's number for it.
    pub number: u64,
    /// Regions of the table that have a server, and all; `None` if they were not counted.
    pub regions: Option<(usize, usize)>,
    /// Whether it is over, well or not. Nothing is told of it afterwards.
    pub ended: bool,
}

/// `creating table orders: 12 of 64 regions open`.
impl fmt::Display for Procedure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let doing = match self.method {
            "CreateTable" => "creating",
            "DeleteTable" => "dropping",
            "truncateTable" => "truncating",
            "ModifyTable" => "altering",
            "EnableTable" => "enabling",
            "DisableTable" => "disabling",
            "SplitRegion" => "splitting a region of",
            "MergeTableRegions" => "merging regions of",
            other => return write!(f, "{other} on table {} (procedure {})", self.table, self.number),
        };
        write!(f, "{doing} table {}", self.table)?;
        match self.regions {
            Some((open, all)) if all > 0 => write!(f, ": {open} of {all} regions have a server"),
            _ => Ok(()),
        }
    }
}

type Told = dyn Fn(&Procedure) + Send + Sync;

/// The callback for the progress of procedures; none by default.
#[derive(Clone, Default)]
pub struct Watcher(Option<Arc<Told>>);

impl Watcher {
    /// Calls `tell` when a procedure begins, some times a second while it runs, and when it has ended. It must not block.
    pub fn new(tell: impl Fn(&Procedure) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(tell)))
    }

    pub(crate) fn is_there(&self) -> bool {
        self.0.is_some()
    }

    pub(crate) fn tell(&self, procedure: &Procedure) {
        if let Some(tell) = &self.0 {
            tell(procedure);
        }
    }
}

impl fmt::Debug for Watcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_there() { "Watcher(somebody)" } else { "Watcher(nobody)" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_procedure_says_what_it_does_and_how_far_it_is() {
        let table: TableName = "orders".parse().unwrap();
        let procedure =
            Procedure { method: "CreateTable", table, number: 7, regions: Some((12, 64)), ended: false };
        assert_eq!(procedure.to_string(), "creating table orders: 12 of 64 regions have a server");
        let uncounted = Procedure { regions: None, ..procedure.clone() };
        assert_eq!(uncounted.to_string(), "creating table orders");
        let other = Procedure { method: "FlushTable", ..procedure };
        assert_eq!(other.to_string(), "FlushTable on table orders (procedure 7)");
    }
}

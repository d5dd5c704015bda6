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
    /// The table that it is about; `None` for a namespace.
    pub table: Option<TableName>,
    /// The master's number for it; `None` while it waits to be begun again.
    pub number: Option<u64>,
    /// What it waits for before the master can begin it.
    pub waits_for: Option<Wait>,
    /// Regions of the table that have a server, and all; `None` if they were not counted.
    pub regions: Option<(usize, usize)>,
    /// Whether it is over, well or not. Nothing is told of it afterwards.
    pub ended: bool,
}

/// Why the master does not begin to split or merge regions yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Wait {
    /// A region is in transition: it moves, or has just been split or merged, and is open on no server.
    Transition,
    /// A region still reads files of the regions that it was split or merged from.
    Compaction,
}

impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Transition => "waiting for a region in transition to open",
            Self::Compaction => "waiting for a compaction after an earlier split or merge",
        })
    }
}

/// `creating table orders: 12 of 64 regions have a server`.
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
            "Snapshot" => "taking a snapshot of",
            "RestoreSnapshot" => "restoring",
            other => {
                f.write_str(other)?;
                if let Some(table) = &self.table {
                    write!(f, " on table {table}")?;
                }
                return self.number.map_or(Ok(()), |number| write!(f, " (procedure {number})"));
            }
        };
        f.write_str(doing)?;
        if let Some(table) = &self.table {
            write!(f, " table {table}")?;
        }
        match (self.waits_for, self.regions) {
            (Some(wait), _) => write!(f, ": {wait}"),
            (None, Some((open, all))) if all > 0 => write!(f, ": {open} of {all} regions have a server"),
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
        f.write_str(if self.is_there() { "Watcher(set)" } else { "Watcher(none)" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_procedure_says_what_it_does_and_how_far_it_is() {
        let table: TableName = "orders".parse().unwrap();
        let procedure = Procedure {
            method: "CreateTable",
            table: Some(table),
            number: Some(7),
            waits_for: None,
            regions: Some((12, 64)),
            ended: false,
        };
        assert_eq!(procedure.to_string(), "creating table orders: 12 of 64 regions have a server");
        let uncounted = Procedure { regions: None, ..procedure.clone() };
        assert_eq!(uncounted.to_string(), "creating table orders");
        let waits = Procedure {
            method: "SplitRegion",
            number: None,
            waits_for: Some(Wait::Transition),
            ..procedure.clone()
        };
        assert_eq!(
            waits.to_string(),
            "splitting a region of table orders: waiting for a region in transition to open"
        );
        let other = Procedure { method: "FlushTable", ..procedure };
        assert_eq!(other.to_string(), "FlushTable on table orders (procedure 7)");
    }
}

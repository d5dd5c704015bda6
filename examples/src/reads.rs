//! What did a query read, to return what it returned?

use std::fmt;

use serde_json::Value;

/// The figures of `rowkey explain --analyze`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reads {
    /// Rows returned.
    pub returned: u64,
    /// Rows read, of all ranges.
    pub read: u64,
    /// Ranges and gets.
    pub ranges: u64,
}

impl Reads {
    /// Of a plan as JSON.
    pub(crate) fn of(plan: &Value) -> Option<Self> {
        let mut reads = Self { returned: 0, read: 0, ranges: 0 };
        reads.add(plan);
        reads.returned = plan["figures"]["rows_returned"].as_u64()?;
        Some(reads)
    }

    fn add(&mut self, step: &Value) {
        if let Some(rows) = step["figures"]["rows_read"].as_u64() {
            self.read += rows;
            self.ranges += 1;
        }
        step["inputs"].as_array().into_iter().flatten().for_each(|input| self.add(input));
    }
}

impl fmt::Display for Reads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { returned, read, ranges } = self;
        write!(f, "{returned} returned, {read} read, {ranges} range{}", if *ranges == 1 { "" } else { "s" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_added_up() {
        let scan = serde_json::json!({ "figures": { "rows_read": 20 }, "inputs": [] });
        let plan = serde_json::json!({ "figures": { "rows_returned": 30 }, "inputs": [scan, scan] });
        let reads = Reads::of(&plan).unwrap();
        assert_eq!(reads.to_string(), "30 returned, 40 read, 2 ranges");
        assert_eq!(Reads::of(&scan), None);
    }
}

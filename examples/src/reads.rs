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
    /// Ranges scanned.
    pub ranges: u64,
    /// Rows asked for by their keys.
    pub gets: u64,
}

impl Reads {
    /// Of a plan as JSON.
    pub(crate) fn of(plan: &Value) -> Option<Self> {
        let mut reads = Self { returned: 0, read: 0, ranges: 0, gets: 0 };
        reads.add(plan);
        reads.returned = plan["figures"]["rows_returned"].as_u64()?;
        Some(reads)
    }

    fn add(&mut self, step: &Value) {
        if let Some(rows) = step["figures"]["rows_read"].as_u64() {
            self.read += rows;
            match step["step"].as_str() {
                Some("get") => self.gets += 1,
                Some("gets") => self.gets += step["inputs"].as_array().map_or(0, Vec::len) as u64,
                // A fan-out is one step over many ranges.
                _ => self.ranges += step["facts"]["ranges"].as_u64().unwrap_or(1),
            }
        }
        step["inputs"].as_array().into_iter().flatten().for_each(|input| self.add(input));
    }
}

impl fmt::Display for Reads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} returned, {} read", self.returned, self.read)?;
        for (count, what) in
            [(self.ranges, "range"), (self.gets, "get")].into_iter().filter(|(count, _)| *count > 0)
        {
            write!(f, ", {count} {what}{}", if count == 1 { "" } else { "s" })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_added_up() {
        let scan = serde_json::json!({ "figures": { "rows_read": 20 }, "inputs": [] });
        let merge = serde_json::json!({ "facts": { "ranges": 4 }, "figures": { "rows_read": 5 } });
        let plan = serde_json::json!({ "figures": { "rows_returned": 30 }, "inputs": [scan, merge] });
        let reads = Reads::of(&plan).unwrap();
        assert_eq!(reads.to_string(), "30 returned, 25 read, 5 ranges");
        let figures = serde_json::json!({ "rows_returned": 1, "rows_read": 1 });
        let gets = serde_json::json!({ "step": "gets", "figures": figures, "inputs": [{}, {}] });
        assert_eq!(Reads::of(&gets).unwrap().to_string(), "1 returned, 1 read, 2 gets");
        assert_eq!(Reads::of(&scan), None);
    }
}

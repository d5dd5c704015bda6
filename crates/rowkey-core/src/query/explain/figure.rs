//! A fact or figure of a step, for people and for programs.

use std::fmt;
use std::time::Duration;

/// The value of a fact or a measured figure.
#[derive(Debug, Clone, PartialEq)]
pub enum Figure {
    /// Words.
    Text(String),
    /// A number of rows, ranges or calls.
    Count(u64),
    /// A number out of a total.
    Part {
        /// How many.
        count: u64,
        /// Of how many.
        of: u64,
    },
    /// A quotient; `None` if the divisor is 0.
    Ratio(Option<f64>),
    /// Elapsed time.
    Time(Duration),
    /// What was read in each region.
    Regions(Vec<RegionRows>),
}

/// Rows of one region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegionRows {
    /// Where the region starts, as it may be shown; nothing for a table's first.
    pub start: String,
    /// Rows that the store read there.
    pub read: u64,
    /// Rows that came from there.
    pub received: u64,
}

/// More regions than this are not listed for people.
const LISTED: usize = 4;

impl Figure {
    /// So many.
    pub(super) fn count(number: usize) -> Self {
        Self::Count(number.try_into().unwrap_or(u64::MAX))
    }
}

impl fmt::Display for Figure {
    /// Numbers with a comma before every three digits, times in milliseconds.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Count(number) => f.write_str(&grouped(*number)),
            Self::Part { count, of } => write!(f, "{} of {}", grouped(*count), grouped(*of)),
            Self::Ratio(Some(ratio)) => write!(f, "{ratio:.2}"),
            Self::Ratio(None) => f.write_str("none"),
            Self::Time(time) => write!(f, "{:.1} ms", time.as_secs_f64() * 1000.0),
            Self::Regions(regions) => {
                for (place, region) in regions.iter().take(LISTED).enumerate() {
                    let comma = if place > 0 { ", " } else { "" };
                    let start = if region.start.is_empty() { "the first" } else { &region.start };
                    write!(f, "{comma}{} in {start}", grouped(region.read))?;
                }
                match regions.len().saturating_sub(LISTED) {
                    0 => Ok(()),
                    more => write!(f, ", and {more} more"),
                }
            }
        }
    }
}

fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_printed_for_people() {
        let printed = [0, 999, 1000, 1_234_567].map(|number| Figure::Count(number).to_string());
        assert_eq!(printed, ["0", "999", "1,000", "1,234,567"]);
        let region = |start: &str, read| RegionRows { start: start.to_owned(), read, received: 0 };
        let mut regions = vec![region("", 1000), region(r"\x08", 7)];
        assert_eq!(Figure::Regions(regions.clone()).to_string(), r"1,000 in the first, 7 in \x08");
        regions.extend([region("c", 1), region("d", 2), region("e", 3)]);
        assert!(Figure::Regions(regions).to_string().ends_with("2 in d, and 1 more"));
        assert_eq!(Figure::Part { count: 3, of: 1024 }.to_string(), "3 of 1,024");
        assert_eq!(Figure::Ratio(Some(1.5)).to_string(), "1.50");
        assert_eq!(Figure::Time(Duration::from_micros(1250)).to_string(), "1.2 ms");
    }
}

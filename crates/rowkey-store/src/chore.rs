//! What a store does with regions by itself.

use std::fmt;

/// Work that HBase's master does again and again, if it is switched on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Chore {
    /// Regions are moved until every server has its share.
    Balancer,
    /// Regions that are too large are split, and those that are too small merged.
    Normalizer,
}

impl fmt::Display for Chore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Balancer => "the balancer",
            Self::Normalizer => "the normalizer",
        })
    }
}

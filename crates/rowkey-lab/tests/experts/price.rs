//! From counts to the cost of an operation, in rows of a scan. The prices are the planner's: counts stay when these change.

use rowkey_core::query::Prices;

use super::measure::{Counts, QueryCounts, TableCounts};
use super::set::{DRAWS, SERVERS, Set};

const PRICES: Prices = Prices::EMBEDDED;
/// Puts of an index entry, as in `advise/price.rs`.
const ENTRY_PUTS: f64 = 2.0;

/// The mean cost of an operation of the set.
pub(crate) fn cost(set: &Set, counts: &Counts) -> f64 {
    let all: u32 = set.queries.iter().map(|asked| asked.weight).sum();
    let queries = set.queries.iter().zip(&counts.queries);
    let reads = queries.map(|(asked, by_table)| {
        let sum: f64 = by_table.iter().map(|counted| read(counted, &counts.tables[counted.by])).sum();
        sum / DRAWS as f64 * f64::from(asked.weight) / f64::from(all)
    });
    set.writes * write(&counts.tables) + (1.0 - set.writes) * reads.sum::<f64>()
}

fn read(counts: &QueryCounts, table: &TableCounts) -> f64 {
    let percent = |percent: u32| f64::from(percent) / 100.0;
    let rows = counts.rows as f64 + percent(PRICES.backwards_percent) * counts.backwards as f64;
    rows * PRICES.row(table.mean_key())
        + f64::from(PRICES.range) * counts.ranges as f64
        + f64::from(PRICES.get) * (counts.gets + counts.lookups) as f64
        + f64::from(PRICES.jump) * counts.jumps as f64
        + percent(PRICES.sort_percent) * counts.sorted as f64
}

fn write(tables: &[TableCounts]) -> f64 {
    let put = |table: &TableCounts| {
        f64::from(PRICES.put) * table.busiest_over_mean() * PRICES.row(table.mean_key())
    };
    let (table, indexes) = tables.split_first().expect("a table");
    // A row of a table with index tables is read before it is written.
    let besides = if indexes.is_empty() { 0.0 } else { f64::from(PRICES.put) };
    put(table) + besides + indexes.iter().map(|index| ENTRY_PUTS * put(index)).sum::<f64>()
}

impl TableCounts {
    /// From 1, all servers the same, to [`SERVERS`], all on one.
    pub(crate) fn busiest_over_mean(&self) -> f64 {
        if self.writes == 0 { 1.0 } else { (self.busiest * SERVERS as u64) as f64 / self.writes as f64 }
    }

    pub(crate) fn mean_key(&self) -> f64 {
        self.key_bytes as f64 / self.rows.max(1) as f64
    }
}

//! From counts to the cost of an operation, in rows of a scan. The only place with prices: counts stay when these change.

use rowkey::query::Prices;

use super::measure::{Counts, QueryCounts, TableCounts};
use super::set::{DRAWS, SERVERS, Set};

/// As in `advise/price.rs`.
struct PriceList {
    reading: Prices,
    /// Bytes of key that make a row cost one more.
    bytes_of_a_row: f64,
    /// What reading against the order of keys costs more.
    backwards: f64,
    sort: f64,
    put: f64,
    /// Puts of an index entry.
    entry_puts: f64,
    /// What a row of a table with index tables costs besides.
    indexed: f64,
}

const PRICES: PriceList = PriceList {
    reading: Prices::EMBEDDED,
    bytes_of_a_row: 100.0,
    backwards: 0.3,
    sort: 0.5,
    put: 4.0,
    entry_puts: 2.0,
    indexed: 4.0,
};

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
    let rows = counts.rows as f64 + PRICES.backwards * counts.backwards as f64;
    rows * row(table)
        + f64::from(PRICES.reading.range) * counts.ranges as f64
        + f64::from(PRICES.reading.get) * (counts.gets + counts.lookups) as f64
        + f64::from(PRICES.reading.jump) * counts.jumps as f64
        + PRICES.sort * counts.sorted as f64
}

fn write(tables: &[TableCounts]) -> f64 {
    let put = |table: &TableCounts| PRICES.put * table.busiest_over_mean() * row(table);
    let (table, indexes) = tables.split_first().expect("a table");
    let besides = if indexes.is_empty() { 0.0 } else { PRICES.indexed };
    put(table) + besides + indexes.iter().map(|index| PRICES.entry_puts * put(index)).sum::<f64>()
}

fn row(table: &TableCounts) -> f64 {
    1.0 + table.mean_key() / PRICES.bytes_of_a_row
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

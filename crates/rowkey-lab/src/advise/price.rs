//! The cost of a design.
//!
//! Everything is counted in one unit, **a row read by a scan**, so that writes and reads can be put together. The prices of
//! reading are those by which a query is planned on a store in a folder ([`Prices`]).
//!
//! | what | price |
//! | --- | --- |
//! | a row read by a scan | 1, and 1 more for each 100 bytes of key, which every cell repeats |
//! | the same against the order of keys | 1.3 times as much |
//! | opening a range | 8 |
//! | a jump of a skip scan | 20 |
//! | a row asked for by its key, also one that an index found | 7 |
//! | a row that must be sorted | 0.5 |
//! | a row written | 4, times how much busier the busiest server is than the mean |
//! | an entry of an index table | 4, times how much busier the busiest server of the index table is than the mean |
//!
//! A query is answered by the table or index table that does it cheapest. The cost of a design is a share for writes and
//! a share for reads; it is linear in the weights of the queries, which is why [`super::mind`] can say at which weight
//! another design wins.

use rowkey_core::query::Prices;

use super::measure::{Measured, Reading};

/// One table of a design: which key, and what it keeps beside it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Role<'a> {
    pub(super) key: &'a Measured,
    /// Bytes that every key has beside what it was measured with.
    pub(super) more_key: f64,
    /// Bytes of copies that every row has.
    pub(super) copied: f64,
    /// Of an index table: whether it keeps what the queries return.
    pub(super) copies: bool,
    pub(super) prices: &'a Prices,
}

impl<'a> Role<'a> {
    /// A table that has what it was measured with.
    pub(super) fn table(key: &'a Measured, prices: &'a Prices) -> Self {
        Self { key, more_key: 0.0, copied: 0.0, copies: false, prices }
    }

    fn bytes(&self) -> f64 {
        self.key.bytes + self.more_key
    }

    /// What each query costs by the table.
    fn as_table(&self) -> Vec<f64> {
        self.key.reads.iter().map(|reading| reading.cost(self.bytes(), false, self.prices)).collect()
    }

    /// What each query costs by the index table; more than anything where that is no place to look.
    pub(super) fn as_index(&self) -> Vec<f64> {
        let cost = |reading: &Reading| match reading.whole_table == 0.0 {
            true => reading.cost(self.bytes(), !self.copies, self.prices),
            false => f64::INFINITY,
        };
        self.key.reads.iter().map(cost).collect()
    }

    /// What a row costs here, or an entry, by its price.
    pub(super) fn write(&self, price: u32) -> f64 {
        written(price, self.bytes() + self.copied, self.key.hot.usual, self.prices)
    }
}

/// What writing a row costs that has so many bytes, where the busiest server is so much busier than the mean.
fn written(price: u32, bytes: f64, busiest: f64, prices: &Prices) -> f64 {
    f64::from(price) * busiest.max(1.0) * prices.row(bytes)
}

/// What writing a record costs: its row and its entries. For each table the bytes of a key, with copies, and how much busier its busiest server is
/// than the mean.
pub(super) fn write(tables: &[(f64, f64)], prices: &Prices) -> f64 {
    let each = std::iter::once(prices.put).chain(std::iter::repeat(prices.entry));
    each.zip(tables).map(|(price, (bytes, busiest))| written(price, *bytes, *busiest, prices)).sum()
}

/// What a design costs, taken apart.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Cost {
    /// A write.
    pub write: f64,
    /// Each query.
    pub reads: Vec<f64>,
    /// By which table each query is answered: 0 is the table, 1 its first index table.
    pub by: Vec<usize>,
}

impl Cost {
    /// The cost of a table with index tables.
    pub(super) fn of(table: Role<'_>, indexes: &[Role<'_>]) -> Self {
        let entries = indexes.iter().map(|index| index.write(index.prices.entry));
        let write = table.write(table.prices.put) + entries.sum::<f64>();
        let mut reads = table.as_table();
        let mut by = vec![0; reads.len()];
        for (place, index) in (1..).zip(indexes) {
            for ((read, by), own) in reads.iter_mut().zip(&mut by).zip(index.as_index()) {
                if own < *read {
                    (*read, *by) = (own, place);
                }
            }
        }
        Self { write, reads, by }
    }

    /// The mean cost of a read, when each query has its share.
    pub fn read(&self, shares: &[f64]) -> f64 {
        self.reads.iter().zip(shares).map(|(cost, share)| cost * share).sum()
    }

    /// The mean cost of an operation, of which so many are writes.
    pub fn total(&self, writes: f64, shares: &[f64]) -> f64 {
        writes * self.write + (1.0 - writes) * self.read(shares)
    }
}

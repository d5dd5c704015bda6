//! The prices of a store, one by one.

use rowkey_core::query::Prices;

/// One of the figures in [`Prices`] that can be measured.
#[derive(Debug, Clone, Copy)]
pub struct Price {
    /// As in the file of kept prices.
    pub name: &'static str,
    /// What it is for, with its unit if that is not rows of a scan.
    pub what: &'static str,
    /// A smaller one is not believed.
    pub least: u32,
    /// A larger one is not believed.
    pub most: u32,
    /// `None` where the store has no such price.
    pub get: fn(&Prices) -> Option<u32>,
    pub(super) set: fn(&mut Prices, u32),
}

/// All that are measured, in the order of [`Prices`].
pub static LIST: [Price; 7] = [
    Price {
        name: "range",
        what: "opening a range",
        least: 1,
        most: 10_000,
        get: |prices| Some(prices.range),
        set: |prices, price| prices.range = price,
    },
    Price {
        name: "get",
        what: "a row by its key",
        least: 1,
        most: 10_000,
        get: |prices| Some(prices.get),
        set: |prices, price| prices.get = price,
    },
    Price {
        name: "jump",
        what: "a jump of a skip scan",
        least: 1,
        most: 100_000,
        get: |prices| Some(prices.jump),
        set: |prices, price| prices.jump = price,
    },
    Price {
        name: "server_jump",
        what: "a jump at the server",
        least: 1,
        most: 100_000,
        get: |prices| prices.server_jump,
        set: |prices, price| prices.server_jump = Some(price),
    },
    Price {
        name: "sort_percent",
        what: "sorting a row, %",
        least: 1,
        most: 1_000,
        get: |prices| Some(prices.sort_percent),
        set: |prices, price| prices.sort_percent = price,
    },
    Price {
        name: "backwards_percent",
        what: "reading backwards, % more",
        least: 0,
        most: 10_000,
        get: |prices| Some(prices.backwards_percent),
        set: |prices, price| prices.backwards_percent = price,
    },
    Price {
        name: "put",
        what: "writing a row",
        least: 1,
        most: 1_000,
        get: |prices| Some(prices.put),
        set: |prices, price| prices.put = price,
    },
];

impl Price {
    /// The price of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        LIST.iter().find(|price| price.name == name)
    }
}

impl PartialEq for Price {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_price_is_set_where_it_is_read_and_the_built_in_ones_are_within_the_limits() {
        for price in &LIST {
            let mut prices = Prices::HBASE;
            (price.set)(&mut prices, 777);
            for other in &LIST {
                let expected = if other == price { Some(777) } else { (other.get)(&Prices::HBASE) };
                assert_eq!((other.get)(&prices), expected, "{} by {}", other.name, price.name);
            }
            for built_in in [Prices::EMBEDDED, Prices::HBASE] {
                let own = (price.get)(&built_in);
                assert!(own.is_none_or(|own| (price.least..=price.most).contains(&own)), "{}", price.name);
            }
            assert_eq!(Price::named(price.name), Some(price));
        }
    }
}

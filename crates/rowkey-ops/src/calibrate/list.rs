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
pub static LIST: [Price; 8] = [
    price("range", "opening a range", (1, 10_000), |p| Some(p.range), |p, price| p.range = price),
    price("get", "a row by its key", (1, 10_000), |p| Some(p.get), |p, price| p.get = price),
    price("jump", "a jump of a skip scan", (1, 100_000), |p| Some(p.jump), |p, price| p.jump = price),
    price(
        "server_jump",
        "a jump at the server",
        (1, 100_000),
        |p| p.server_jump,
        |p, price| p.server_jump = Some(price),
    ),
    price(
        "sort_percent",
        "sorting a row, %",
        (1, 1_000),
        |p| Some(p.sort_percent),
        |p, price| p.sort_percent = price,
    ),
    price(
        "backwards_percent",
        "reading backwards, % more",
        (0, 10_000),
        |p| Some(p.backwards_percent),
        |p, price| p.backwards_percent = price,
    ),
    price("put", "writing a row", (1, 1_000), |p| Some(p.put), |p, price| p.put = price),
    price("entry", "an index entry with it", (1, 10_000), |p| Some(p.entry), |p, price| p.entry = price),
];

const fn price(
    name: &'static str,
    what: &'static str,
    (least, most): (u32, u32),
    get: fn(&Prices) -> Option<u32>,
    set: fn(&mut Prices, u32),
) -> Price {
    Price { name, what, least, most, get, set }
}

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

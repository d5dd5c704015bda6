//! Generated orders of a shop, for demos and tests.
//!
//! - **time** rises over the same 90 days whatever the number of rows, with jitter: the rising lead that heats one region;
//! - **users** are skewed: about one for 20 orders, and user 7 is always the busiest;
//! - **sellers** are 200 names, some beyond ASCII, one with a comma and quotes;
//! - **amounts** are cents, and a refund is negative.
//!
//! The law: the same rows and seed give the same orders, on every machine. Order `n` depends on nothing but rows, seed
//! and `n`, so tests can ask for the expected rows instead of parsing the CSV again.

use std::io::{self, Write};

use crate::random::Random;

/// 2025-01-01T00:00:00.000Z in milliseconds.
const START: u64 = 1_735_689_600_000;
const SPAN: u64 = 90 * 24 * 3600 * 1000;
const MIN_USERS: u64 = 10;
const BUSIEST_USER: u64 = 7;

const PLACES: [&str; 20] = [
    "Amsterdam",
    "Århus",
    "Bergen",
    "Cádiz",
    "Dublin",
    "Győr",
    "Hamburg",
    "Kraków",
    "Lisboa",
    "London",
    "Łódź",
    "Málaga",
    "Nagoya",
    "Oslo",
    "Porto",
    "São Paulo",
    "Zürich",
    "Αθήνα",
    "北京",
    "大阪",
];
const TRADES: [&str; 10] =
    ["Books", "Cameras", "Coffee", "Furniture", "Games", "Garden", "Music", "Outdoor", "Shoes", "Toys"];
const AWKWARD_SELLER: &str = "Miller, Sons & \"Partners\"";

/// The first line of the CSV.
pub const HEADER: &str = "user_id,ts,order_id,seller,amount";

/// One order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// From 1; about one user for 20 orders, never fewer than 10 to choose from.
    pub user_id: u64,
    /// Milliseconds since 1970, UTC; never falls from one order to the next.
    pub ts: i64,
    /// Unique: `O` and ten digits.
    pub order_id: String,
    /// One of 200 names.
    pub seller: String,
    /// Cents; negative is a refund.
    pub amount: i64,
}

impl Order {
    /// The time as in the CSV: RFC 3339, UTC, milliseconds.
    pub fn ts_text(&self) -> String {
        rfc3339(self.ts.unsigned_abs())
    }
}

/// The orders of a seed, first to last.
pub fn orders(rows: u64, seed: u64) -> impl Iterator<Item = Order> {
    (0..rows).map(move |number| order(number, rows, seed))
}

/// Writes the orders of a seed as CSV with a header.
///
/// # Errors
///
/// Whatever `out` answers.
pub fn write_csv(out: &mut impl Write, rows: u64, seed: u64) -> io::Result<()> {
    writeln!(out, "{HEADER}")?;
    for order in orders(rows, seed) {
        let Order { user_id, order_id, amount, .. } = &order;
        writeln!(out, "{user_id},{},{order_id},{},{amount}", order.ts_text(), quoted(&order.seller))?;
    }
    Ok(())
}

fn order(number: u64, rows: u64, seed: u64) -> Order {
    let mut random = Random::new(seed.rotate_left(32) ^ number.wrapping_mul(0xD1B5_4A32_D192_ED03));
    let since_start = (u128::from(number) * u128::from(SPAN) / u128::from(rows)) as u64;
    let ts = START + since_start + random.below((SPAN / rows).max(1));
    let refund = random.below(25) == 0;
    // the product of two draws: many small orders, few large ones
    let cents = 100 + (random.below(400) * random.below(500)) as i64;
    Order {
        user_id: user(&mut random, (rows / 20).max(MIN_USERS)),
        ts: ts as i64,
        order_id: format!("O{:010}", number + 1),
        seller: seller(random.below(200)),
        amount: if refund { -cents } else { cents },
    }
}

/// Rank 0 is the busiest; the square of an even draw gives it 1/sqrt(users) of all orders and the last one half of
/// an even share. Ranks are scattered over the ids, so that busy users are not neighbours in a key.
fn user(random: &mut Random, users: u64) -> u64 {
    let draw = random.next() >> 32;
    let rank = (u128::from((draw * draw) >> 32) * u128::from(users)) >> 32;
    const PRIME: u128 = 2_654_435_761;
    1 + ((u128::from(BUSIEST_USER - 1) + rank * PRIME) % u128::from(users)) as u64
}

fn seller(number: u64) -> String {
    match (PLACES.get(number as usize / TRADES.len()), TRADES.get(number as usize % TRADES.len())) {
        (Some(place), Some(trade)) if number != 0 => format!("{place} {trade}"),
        _ => AWKWARD_SELLER.to_owned(),
    }
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        return format!("\"{}\"", text.replace('"', "\"\""));
    }
    text.to_owned()
}

/// Written out, so that this crate checks the product's time parser instead of sharing it.
fn rfc3339(millis: u64) -> String {
    let (days, in_day) = (millis / 86_400_000, millis % 86_400_000);
    // years begin in March here, so that the leap day is the last day of a year
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (seconds, milli) = (in_day / 1000, in_day % 1000);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{HashMap, HashSet};

    fn csv(rows: u64, seed: u64) -> String {
        let mut out = Vec::new();
        write_csv(&mut out, rows, seed).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_same_seed_gives_the_same_bytes_and_another_seed_others() {
        assert_eq!(csv(1000, 1), csv(1000, 1));
        assert_ne!(csv(1000, 1), csv(1000, 2));
    }

    #[test]
    fn the_first_orders_never_change() {
        // documents and golden files show these; a change here changes them all
        let first: Vec<String> = csv(1000, 1).lines().take(3).map(str::to_owned).collect();
        assert_eq!(
            first,
            [
                "user_id,ts,order_id,seller,amount",
                "33,2025-01-01T01:39:18.762Z,O0000000001,Århus Books,60979",
                "6,2025-01-01T03:30:59.321Z,O0000000002,Lisboa Coffee,19189",
            ]
        );
    }

    #[test]
    fn order_ids_are_unique_and_time_rises_over_ninety_days() {
        for rows in [1, 10, 1000, 20_000] {
            let all: Vec<Order> = orders(rows, 5).collect();
            assert_eq!(all.iter().map(|o| &o.order_id).collect::<HashSet<_>>().len() as u64, rows);
            assert!(all.is_sorted_by_key(|o| o.ts));
            let (first, last) = (&all[0], &all[all.len() - 1]);
            assert!(first.ts_text().starts_with("2025-01-") || rows == 1, "{}", first.ts_text());
            assert!((last.ts as u64) < START + SPAN);
            assert!(rows < 1000 || last.ts_text().starts_with("2025-03-3"), "{}", last.ts_text());
        }
        assert_eq!(orders(0, 5).count(), 0);
    }

    #[test]
    fn user_seven_is_the_busiest_of_about_one_user_for_twenty_orders() {
        for (rows, seed) in [(1000, 1), (1000, 2), (100_000, 1)] {
            let mut by_user: HashMap<u64, u64> = HashMap::new();
            for order in orders(rows, seed) {
                *by_user.entry(order.user_id).or_default() += 1;
            }
            let busiest = by_user.iter().max_by_key(|(_, count)| **count).unwrap();
            assert_eq!(*busiest.0, 7);
            assert!(*busiest.1 > 100, "{busiest:?}");
            let (users, wanted) = (by_user.len() as u64, rows / 20);
            assert!(users * 10 >= wanted * 9 && users <= wanted, "{users} of {wanted}");
        }
    }

    #[test]
    fn sellers_and_amounts_hold_the_awkward_cases() {
        let all: Vec<Order> = orders(10_000, 1).collect();
        let sellers: HashSet<&str> = all.iter().map(|o| o.seller.as_str()).collect();
        assert_eq!(sellers.len(), 200);
        assert!(sellers.contains(AWKWARD_SELLER));
        assert!(sellers.iter().any(|name| !name.is_ascii()));
        assert!(all.iter().any(|o| o.amount < 0) && all.iter().all(|o| o.amount != 0));
        assert!(csv(10_000, 1).contains(",\"Miller, Sons & \"\"Partners\"\"\","));
    }

    #[test]
    fn times_are_written_in_utc_with_milliseconds() {
        assert_eq!(rfc3339(START), "2025-01-01T00:00:00.000Z");
        assert_eq!(rfc3339(1_709_210_096_789), "2024-02-29T12:34:56.789Z");
        assert_eq!(rfc3339(0), "1970-01-01T00:00:00.000Z");
    }
}

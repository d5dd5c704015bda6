//! The records that become keys.
//!
//! Orders: a user, a time within some years, and an order id of 10 to 14 letters and digits. They are made, not read,
//! from one seed; `java/KeyBench.java` makes the same ones, and the checksum of its keys says so.

use rowkey_core::batch::{Column, Strings, Values};
use rowkey_core::internal::Murmur3;

/// So many records fit a first or second level cache: encoding is measured, not memory.
pub const RECORDS: usize = 8192;

/// Records as columns, because that is what a batch comes as. Others take one place of each.
pub struct Records {
    /// The salt of `salt(16, user_id)`, for the tables in which nobody pays for a hash.
    pub salts: Vec<u8>,
    /// Who ordered.
    pub user_ids: Vec<u64>,
    /// When, in milliseconds since 1970.
    pub times: Vec<i64>,
    /// The order ids; they lie one after another in memory.
    pub order_ids: Vec<&'static str>,
    /// The same for a batch: numbers of 64 bits, and texts as places in one arena.
    batch: Batch,
}

#[derive(Default)]
struct Batch {
    salts: Vec<i64>,
    text: &'static str,
    starts: Vec<u32>,
    ends: Vec<u32>,
}

impl Records {
    /// The records, the same ones every time.
    pub fn new() -> Self {
        let mut random = SplitMix64(2026);
        let mut records = Self {
            salts: Vec::new(),
            user_ids: Vec::new(),
            times: Vec::new(),
            order_ids: Vec::new(),
            batch: Batch::default(),
        };
        let (mut text, mut ends) = (String::new(), Vec::new());
        for _ in 0..RECORDS {
            let user_id = random.next() % 1_000_000_000;
            records.salts.push(salt(user_id));
            records.user_ids.push(user_id);
            records.times.push(1_600_000_000_000 + (random.next() % 200_000_000_000).cast_signed());
            for _ in 0..10 + random.next() % 5 {
                let digit = u32::try_from(random.next() % 36).unwrap_or(0);
                text.extend(char::from_digit(digit, 36));
            }
            ends.push(text.len());
        }
        // Once in the life of this program, so that slices of it can be columns beside it.
        let text: &'static str = text.leak();
        let mut start = 0;
        for end in ends {
            records.order_ids.push(&text[start..end]);
            records.batch.starts.push(start as u32);
            records.batch.ends.push(end as u32);
            start = end;
        }
        records.batch.salts = records.salts.iter().map(|&salt| salt.into()).collect();
        records.batch.text = text;
        records
    }

    /// Salt, user, time and order id as columns of a batch.
    pub fn columns(&self) -> [Column<'_>; 4] {
        let Batch { salts, text, starts, ends } = &self.batch;
        let order_ids = Strings::text(text.as_bytes(), starts, ends).expect("places in the text");
        [
            Column::new(Values::I64(salts)),
            Column::new(Values::U64(&self.user_ids)),
            Column::new(Values::I64(&self.times)),
            Column::new(Values::Text(order_ids)),
        ]
    }

    /// One record after another: salt, user, time, order id.
    pub fn iter(&self) -> impl Iterator<Item = (u8, u64, i64, &'static str)> {
        let numbers = self.salts.iter().zip(&self.user_ids).zip(&self.times);
        numbers.zip(&self.order_ids).map(|(((&salt, &user), &time), &order)| (salt, user, time, order))
    }
}

fn salt(user_id: u64) -> u8 {
    let mut hash = Murmur3::new(Murmur3::SEED);
    hash.update(&user_id.to_be_bytes());
    u8::try_from(hash.finish().rem_euclid(16)).unwrap_or(0)
}

/// The generator of Java's `SplittableRandom`; ten lines in any language.
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        // One bit less, so that Java's signed numbers are the same.
        (mixed ^ (mixed >> 31)) >> 1
    }
}

//! The users of generated traffic, and how often each writes.

use rowkey_core::key::{Draw, Draws};

/// So many users there are.
pub(super) const USERS: u32 = 10_000;

/// A number below 1, by 32 random bits.
pub(super) fn fraction(draws: &mut Draws) -> f64 {
    f64::from(draws.draw(u32::MAX)) / f64::from(u32::MAX)
}

/// Users of whom the r-th writes r^-1.1 as often as the first.
pub(super) struct Zipf {
    /// The share of the first so many users.
    up_to: Vec<f64>,
}

impl Zipf {
    pub(super) fn new(users: u32) -> Self {
        let mut sum = 0.0;
        let mut up_to: Vec<f64> = (1..=users)
            .map(|rank| {
                sum += f64::from(rank).powf(-1.1);
                sum
            })
            .collect();
        up_to.iter_mut().for_each(|share| *share /= sum);
        Self { up_to }
    }

    /// A user, from 0 on.
    pub(super) fn draw(&self, draws: &mut Draws) -> u64 {
        let at = fraction(draws);
        self.up_to.partition_point(|share| *share < at).min(self.up_to.len().saturating_sub(1)) as u64
    }
}

/// A number that looks random and is always the same for the same number: ids do not follow the order of frequency.
pub(super) fn scattered(number: u64, below: u64) -> u64 {
    let mixed = (number ^ (number >> 30)).wrapping_add(0x9E37_79B9).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (mixed ^ (mixed >> 31)) % below.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_zipf_writes_twice_as_often_as_the_second() {
        let zipf = Zipf::new(1000);
        let mut counts = vec![0u32; 1000];
        for number in 0..100_000 {
            counts[zipf.draw(&mut Draws::new(5, number)) as usize] += 1;
        }
        let ratio = f64::from(counts[0]) / f64::from(counts[1]);
        assert!((1.9..2.5).contains(&ratio), "{ratio}");
        assert!(counts[0] > 10_000 && counts[999] < 200);
    }
}

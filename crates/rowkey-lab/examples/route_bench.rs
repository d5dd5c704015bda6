//! How long does it take to find the region of a key?
//!
//! `cargo run --release -p rowkey-lab --example route_bench`: random keys of 17 bytes (a salt, a user, a time) among 256 and
//! 4,096 regions, by the router and by a binary search over the split points, in turns.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

use std::hint::black_box;
use std::time::Instant;

use rowkey_core::batch::KeyBatch;
use rowkey_core::key::{Draw, Draws};
use rowkey_lab::route::Router;

const KEYS: u64 = 1 << 16;

fn main() {
    for (name, salts) in [("salted keys", 256u32), ("keys that begin alike in 6 bytes", 1)] {
        for regions in [256u32, 4096] {
            let mut keys = KeyBatch::new();
            let key = |number: u64| {
                let mut draws = Draws::new(1, number);
                let mut key = Vec::with_capacity(17);
                key.push(draws.draw(salts) as u8);
                key.extend(u64::from(draws.draw(1 << 24)).to_be_bytes());
                key.extend(number.to_be_bytes());
                key
            };
            (0..KEYS).for_each(|number| keys.push(&key(number)).expect("they fit"));
            let splits: Vec<Vec<u8>> = (1..u64::from(regions)).map(|split| key(KEYS + split)).collect();
            let router = Router::new(&splits);
            let (mut routed, mut best, mut searched) = (Vec::new(), f64::MAX, f64::MAX);
            for _ in 0..20 {
                let began = Instant::now();
                routed.clear();
                routed.extend(black_box(&keys).iter().map(|key| router.region(key) as u32));
                best = best.min(began.elapsed().as_nanos() as f64 / KEYS as f64);
                let began = Instant::now();
                let sum: usize = keys
                    .iter()
                    .map(|key| router.splits().partition_point(|split| split.as_slice() <= key))
                    .sum();
                black_box(sum);
                searched = searched.min(began.elapsed().as_nanos() as f64 / KEYS as f64);
            }
            println!("{name}, {regions} regions: router {best:.1} ns, binary search {searched:.1} ns a key");
        }
    }
}

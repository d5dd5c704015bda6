//! Sets in which an id leads: orders, rising ids, UUIDs, a small catalogue.

use rowkey_core::Value;
use rowkey_core::key::{Draw, Draws};

use super::set::Parameter::{Of, Past};
use super::set::{REGIONS, Record, SIZES, Set, Sizes, asked, copying, keeps, loses, refuses, thin};
use crate::drawn::{START, int, text, zipf};

pub(crate) const SETS: [Set; 4] = [ORDERS, RISING_IDS, UUIDS, TINY];

const HOUR: i64 = 3_600_000;

/// By user, by seller, by number and by period. Later there are new users, and sellers with `_` in their names.
const ORDERS: Set = Set {
    name: "orders",
    fields: &[
        ("user_id", "u64"),
        ("ts", "timestamp"),
        ("order_id", "u64"),
        ("seller", "text"),
        ("amount", "i64"),
    ],
    identity: &["order_id"],
    is_declared: true,
    queries: &[
        asked(50, "user_id = ? order by ts desc limit 20", &[Of("user_id")]),
        asked(25, "seller = ? order by ts desc limit 20", &[Of("seller")]),
        asked(20, "order_id = ?", &[Of("order_id")]),
        asked(5, "ts >= ? and ts < ?", &[Of("ts"), Past("ts", HOUR)]),
    ],
    writes: 0.4,
    regions: REGIONS,
    sizes: SIZES,
    generate: orders,
    experts: &[
        keeps("[user_id][ts desc][order_id]").with(&[
            copying("[seller: escaped][ts desc][user_id][order_id]"),
            copying("[salt(4, order_id)][order_id][user_id][ts]"),
        ]),
        keeps("[user_id][ts desc][order_id]").with(&[
            copying("[seller: escaped][ts desc][user_id][order_id]"),
            thin("[salt(16, order_id)][order_id][user_id][ts]"),
        ]),
        keeps("[user_id][ts desc][order_id]").with(&[
            copying("[seller: escaped][ts desc][user_id][order_id]"),
            thin("[salt(16, order_id)][order_id][user_id][ts]"),
            copying("[salt(4, order_id)][ts][user_id][order_id]"),
        ]),
        keeps("[salt(4, order_id)][ts][order_id]").with(&[
            copying("[user_id][ts desc][order_id]"),
            copying("[seller: escaped][ts desc][order_id]"),
            thin("[salt(16, order_id)][order_id][ts]"),
        ]),
        keeps("[salt(16, order_id)][order_id]").with(&[
            copying("[user_id][ts desc][order_id]"),
            copying("[seller: escaped][ts desc][order_id]"),
        ]),
        keeps("[salt(16, order_id)][order_id]").with(&[
            copying("[user_id][ts desc][order_id]"),
            copying("[seller: escaped][ts desc][order_id]"),
            copying("[salt(4, order_id)][ts][order_id]"),
        ]),
        keeps("[reverse(order_id: decimal(12))]").with(&[
            copying("[user_id][ts desc][order_id]"),
            thin("[seller: escaped][ts desc][order_id]"),
            thin("[salt(4, order_id)][ts][order_id]"),
        ]),
        keeps("[seller: escaped][ts desc][order_id]").with(&[
            copying("[user_id][ts desc][order_id][seller]"),
            thin("[salt(16, order_id)][order_id][ts][seller]"),
        ]),
        keeps("[user_id][ts desc][order_id]")
            .with(&[copying("[seller: escaped][ts desc][user_id][order_id]")]),
        keeps("[user_id][ts desc][order_id]"),
        keeps("[order_id]").with(&[copying("[user_id][ts desc][order_id]")]),
        refuses("[seller][_][ts desc][order_id]"),
    ],
};

fn orders(draws: &mut Draws, sizes: Sizes) -> Vec<Record> {
    let record = |row: usize| {
        let is_later = row >= sizes.sample;
        let user = if is_later && draws.draw(4) == 0 { 600 + draws.draw(200) } else { zipf(draws, 600) };
        let mark = if is_later && draws.draw(4) == 0 { '_' } else { '-' };
        let seller = format!("shop{mark}{}", zipf(draws, 120));
        let at = START + row as i64 * 60_000 + i64::from(draws.draw(50_000));
        let amount = draws.draw(10_000);
        vec![int(user), Value::Time(at), int(1_000_000 + row as i128), text(seller), int(amount)]
    };
    (0..sizes.all()).map(record).collect()
}

/// The first id with eight digits is a quarter into the later records.
const RISING_IDS: Set = Set {
    name: "rising ids",
    fields: &[("id", "u64"), ("ts", "timestamp"), ("name", "text"), ("state", "text")],
    identity: &["id"],
    is_declared: true,
    queries: &[
        asked(85, "id = ?", &[Of("id")]),
        asked(15, "id >= ? and id < ?", &[Of("id"), Past("id", 100)]),
    ],
    writes: 0.5,
    regions: REGIONS,
    sizes: SIZES,
    generate: rising_ids,
    experts: &[
        keeps("[id]"),
        keeps("[id desc]"),
        keeps("[salt(2, id)][id]"),
        keeps("[salt(4, id)][id]"),
        keeps("[salt(8, id)][id]"),
        keeps("[salt(16, id)][id]"),
        keeps("[id % 4][id]"),
        keeps("[id % 16][id]"),
        keeps("[md5(id).bytes(2)][id]"),
        keeps("[reverse(id: decimal(12))]"),
        keeps("[salt(4, ts)][ts][id]"),
        refuses("[reverse(id: decimal(7))]"),
        loses("[md5(id).bytes(1)][id % 1000: u16]"),
    ],
};

fn rising_ids(draws: &mut Draws, sizes: Sizes) -> Vec<Record> {
    let first = 10_000_000 - (sizes.sample + sizes.later / 4) as i128;
    let record = |row: usize| {
        let at = START + row as i64 * 5_000 + i64::from(draws.draw(4_000));
        let name = format!("name{}", draws.draw(100_000));
        let state = ["new", "paid", "sent"][draws.draw(3) as usize];
        vec![int(first + row as i128), Value::Time(at), text(name), text(state)]
    };
    (0..sizes.all()).map(record).collect()
}

/// Nothing but gets by a random id.
const UUIDS: Set = Set {
    name: "uuids",
    fields: &[("id", "uuid"), ("ts", "timestamp"), ("owner", "u32"), ("body", "text")],
    identity: &["id"],
    is_declared: true,
    queries: &[asked(100, "id = ?", &[Of("id")])],
    writes: 0.5,
    regions: REGIONS,
    sizes: SIZES,
    generate: uuids,
    experts: &[
        keeps("[id]"),
        keeps("[salt(4, id)][id]"),
        keeps("[salt(16, id)][id]"),
        keeps("[md5(id).bytes(2)][id]"),
        keeps("[md5(id).subStr(0, 4)][id]"),
        keeps("[id][ts]"),
        keeps("[salt(16, id)][ts][id]"),
        keeps("[owner][id]").with(&[copying("[id][owner]")]),
        keeps("[ts][id]").with(&[thin("[id][ts]")]),
        loses("[salt(4, ts)][ts]"),
    ],
};

fn uuids(draws: &mut Draws, sizes: Sizes) -> Vec<Record> {
    let record = |row: usize| {
        let mut id = [0; 16];
        id.iter_mut().for_each(|byte| *byte = draws.draw(256) as u8);
        (id[6], id[8]) = (id[6] & 0x0f | 0x40, id[8] & 0x3f | 0x80);
        // Two at a time, later.
        let row = if row < sizes.sample { row } else { row / 2 * 2 };
        let at = START + row as i64 * 700;
        let (owner, body) = (draws.draw(2_000), format!("body {}", draws.draw(1_000_000)));
        vec![Value::uuid(id), Value::Time(at), int(owner), text(body)]
    };
    (0..sizes.all()).map(record).collect()
}

/// A catalogue that fits into one region and is mostly read.
const TINY: Set = Set {
    name: "tiny",
    fields: &[("sku", "text"), ("category", "text"), ("name", "text"), ("price", "i64")],
    identity: &["sku"],
    is_declared: true,
    queries: &[
        asked(70, "sku = ?", &[Of("sku")]),
        asked(30, "category = ? order by sku limit 50", &[Of("category")]),
    ],
    writes: 0.05,
    regions: 4,
    sizes: Sizes { sample: 2_000, later: 500 },
    generate: tiny,
    experts: &[
        keeps("[sku]"),
        keeps("[sku]").in_regions(1),
        keeps("[sku]").with(&[copying("[category: escaped][sku]")]),
        keeps("[sku]").with(&[thin("[category: escaped][sku]")]),
        keeps("[sku]").in_regions(1).with(&[copying("[category: escaped][sku]")]),
        keeps("[category: escaped][sku]"),
        keeps("[category: escaped][sku]").in_regions(1),
        keeps("[category: escaped][sku]").with(&[copying("[sku: escaped][category]")]),
        keeps("[category: escaped][sku]").with(&[thin("[sku: escaped][category]")]),
        keeps("[category: escaped][sku]").in_regions(1).with(&[copying("[sku: escaped][category]")]),
        keeps("[category: escaped][sku]").with(&[copying("[salt(4, sku)][sku: escaped][category]")]),
        keeps("[salt(4, sku)][sku]").with(&[copying("[category: escaped][sku]")]),
        keeps("[salt(16, sku)][sku]"),
        keeps("[salt(16, category)][category: escaped][sku]"),
        refuses("[category][_][sku]"),
        refuses("[sku: fixed(8)]"),
    ],
};

fn tiny(draws: &mut Draws, sizes: Sizes) -> Vec<Record> {
    const CATEGORIES: [&str; 12] = [
        "bath", "books", "garden", "games", "kitchen", "lamps", "music", "office", "pets", "shoes", "tools",
        "toys",
    ];
    let record = |row: usize| {
        let is_later = row >= sizes.sample;
        let category = if is_later && draws.draw(10) == 0 {
            "gift_cards"
        } else {
            CATEGORIES[zipf(draws, CATEGORIES.len() as u32) as usize]
        };
        // Articles are added in no order of their numbers.
        let sku =
            if is_later { format!("bundle_{row}") } else { format!("sku{:05}", row * 7_919 % sizes.sample) };
        let name = format!("article {}", draws.draw(100_000));
        vec![text(sku), text(category), text(name), int(draws.draw(5_000))]
    };
    (0..sizes.all()).map(record).collect()
}

//! Orders of users and sellers, what is asked of them, and six designs.

use rowkey_core::key::{Draw, Draws};
use rowkey_core::query::Prices;
use rowkey_core::table::{NamedQuery, Splits};
use rowkey_core::{Table, Value};
use rowkey_lab::advise::{Options, Study};

use super::design;
use super::set::{Drawn, Expert, Record, Set, Sizes, copying, keeps, thin};
use crate::drawn::{START, int, text, zipf};

pub(crate) const SEED: u64 = 20;
/// As the cluster of the tests has.
pub(crate) const SERVERS: usize = 3;
/// The share of operations that are writes.
pub(crate) const WRITES: f64 = 0.3;
const REGIONS: u32 = 9;
/// Advice is made of one in so many records.
const ADVISED_ONE_IN: usize = 4;
const HOUR: i64 = 3_600_000;

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
    queries: &[],
    writes: WRITES,
    regions: REGIONS,
    sizes: Sizes { sample: 0, later: 0 },
    generate: orders,
    experts: &[
        // The newest region takes all writes; the newest orders of a seller are found by going back.
        keeps("[ts][order_id]"),
        // Rising, a day after another: users are found by skipping over days.
        keeps("[date(ts): fixed(8)][user_id][ts desc][order_id]"),
        keeps("[md5(user_id).bytes(2)][user_id][ts desc][order_id]"),
        keeps("[user_id][ts desc][order_id]").with(&[
            thin("[seller: escaped][ts desc][user_id][order_id]"),
            thin("[salt(9, order_id)][order_id][user_id][ts]"),
        ]),
        keeps("[salt(9, order_id)][order_id]").with(&[
            copying("[user_id][ts desc][order_id]"),
            copying("[seller: escaped][ts desc][order_id]"),
        ]),
    ],
};

/// 20 minutes between orders, so that 20,000 take most of a year.
fn orders(draws: &mut Draws, sizes: Sizes) -> Vec<Record> {
    let record = |row: usize| {
        let user = zipf(draws, 800);
        let seller = format!("shop-{}", zipf(draws, 150));
        let at = START + row as i64 * 1_200_000 + i64::from(draws.draw(1_000_000));
        vec![int(user), Value::Time(at), int(1_000_000 + row as i128), text(seller), int(draws.draw(10_000))]
    };
    (0..sizes.all()).map(record).collect()
}

/// So many orders.
pub(crate) fn drawn(records: usize) -> Drawn {
    Set { sizes: Sizes { sample: records, later: 0 }, ..ORDERS }.draw(SEED)
}

pub(crate) fn questions() -> Vec<NamedQuery> {
    let asked = |name: &str, weight: u32, condition: &str, window: Option<i64>| NamedQuery {
        name: name.to_owned(),
        condition: condition.to_owned(),
        weight,
        columns: None,
        window,
        limit: None,
    };
    vec![
        asked("one order", 30, "order_id = ?", None),
        asked("newest of a user", 35, "user_id = ? order by ts desc limit 20", None),
        asked("month of a user", 15, "user_id = ? and ts >= ? and ts < ?", Some(30 * 24 * HOUR)),
        asked("newest of a seller", 15, "seller = ? order by ts desc limit 20", None),
        asked("hours of all", 5, "ts >= ? and ts < ?", Some(6 * HOUR)),
    ]
}

/// Each design with a name: the recommended one, then the experts'.
pub(crate) fn designs(drawn: &Drawn, prefix: &str) -> Vec<(String, Table)> {
    let mut all = vec![(String::new(), recommended(drawn, &format!("{prefix}_a")))];
    for (place, expert) in ORDERS.experts.iter().enumerate() {
        let name = format!("{prefix}_{}", char::from(b'b' + place as u8));
        all.push((String::new(), named(drawn, expert, &name)));
    }
    for (label, table) in &mut all {
        *label = table.key.source().to_owned();
        for index in &table.indexes {
            let copies = if index.columns.is_empty() { "" } else { " with copies" };
            label.push_str(&format!(" + {}{copies}", index.key.source()));
        }
    }
    all
}

/// The table of an expert under a name of its own.
fn named(drawn: &Drawn, expert: &Expert, name: &str) -> Table {
    let made = design::table(&ORDERS, drawn, expert);
    let source =
        made.source.replace("\"t\"", &format!("\"{name}\"")).replace("\"t_by_", &format!("\"{name}_by_"));
    let mut table = Table::parse("expert.toml", &source).unwrap_or_else(|findings| panic!("{findings}"));
    // A key is cut before the data is known: by its first quarter.
    let past = &drawn.sample[..drawn.sample.len() / 4];
    table.splits = Splits::Keys(design::points(&table.key, past, REGIONS));
    design::cut_indexes(&mut table, past, REGIONS);
    table
}

fn recommended(drawn: &Drawn, name: &str) -> Table {
    let options = Options {
        table: name.to_owned(),
        servers: SERVERS,
        regions: Some(REGIONS as usize),
        writes: WRITES,
        identity: Some(ORDERS.identity.iter().map(|&field| field.to_owned()).collect()),
        seed: SEED,
        draws: 12,
        prices: Prices::HBASE,
        ..Options::default()
    };
    let records = drawn.sample.iter().step_by(ADVISED_ONE_IN).cloned().collect();
    let study = Study::of_records("orders", &drawn.fields, records, &questions(), None, &options).unwrap();
    let advice = study.advise(&options, &mut |_| true).unwrap();
    Table::parse("advised.toml", &advice.proposals[0].file).unwrap_or_else(|findings| panic!("{findings}"))
}

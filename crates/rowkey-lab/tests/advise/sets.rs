//! Records and queries whose best design is found by trying all designs.

use rowkey_core::key::{Draw, Draws, Fields};
use rowkey_core::table::NamedQuery;
use rowkey_core::{FieldId, Value};

use crate::drawn::{START, fields, int, text, zipf};

/// Records, and what is asked of them.
pub(crate) struct Set {
    pub(crate) name: &'static str,
    pub(crate) fields: Fields,
    pub(crate) records: Vec<Vec<Value<'static>>>,
    pub(crate) questions: Vec<NamedQuery>,
}

impl Set {
    fn new(name: &'static str, declared: &[(&str, &str)], questions: &[(&str, u32)]) -> Self {
        let question = |(text, weight): &(&str, u32)| NamedQuery {
            name: (*text).to_owned(),
            condition: (*text).to_owned(),
            weight: *weight,
            columns: None,
            window: None,
            limit: None,
        };
        let fields = fields(declared);
        Self { name, fields, records: Vec::new(), questions: questions.iter().map(question).collect() }
    }

    pub(crate) fn id(&self, name: &str) -> FieldId {
        self.fields.id(name).expect("a field")
    }
}

/// The fields of an order.
const ORDER: [(&str, &str); 4] =
    [("user_id", "u64"), ("ts", "timestamp"), ("order_id", "u64"), ("amount", "i64")];

/// A shop: orders come in the order of time and are read by user.
pub(crate) fn orders(rows: u32, seed: u64) -> Set {
    let mut set = Set::new(
        "orders by user",
        &ORDER,
        &[("user_id = ? order by ts desc limit 20", 90), ("user_id = ? and ts >= ? and ts < ?", 10)],
    );
    let mut draws = Draws::new(seed, 1);
    for row in 0..rows {
        let user = int(zipf(&mut draws, 400));
        let time = Value::Time(START + i64::from(row) * 60_000 + i64::from(draws.draw(50_000)));
        set.records.push(vec![user, time, int(1_000_000 + row), int(draws.draw(10_000))]);
    }
    set
}

/// The same shop, read by periods.
pub(crate) fn orders_by_period(rows: u32, seed: u64) -> Set {
    let Set { records, .. } = orders(rows, seed);
    let set = Set::new("orders by period", &ORDER, &[("ts >= ? and ts < ? order by ts", 100)]);
    Set { records, ..set }
}

/// The same shop, which sellers ask too.
pub(crate) fn orders_by_seller(rows: u32, seed: u64) -> Set {
    let mut set = Set::new(
        "orders by user and seller",
        &[
            ("user_id", "u64"),
            ("ts", "timestamp"),
            ("order_id", "u64"),
            ("seller", "text"),
            ("amount", "i64"),
        ],
        &[("user_id = ? order by ts desc limit 20", 70), ("seller = ? order by ts desc limit 20", 30)],
    );
    let mut draws = Draws::new(seed, 2);
    for row in 0..rows {
        let user = int(draws.draw(500));
        let time = Value::Time(START + i64::from(row) * 60_000);
        let seller = text(format!("shop{}", draws.draw(120)));
        set.records.push(vec![user, time, int(1_000_000 + row), seller, int(draws.draw(10_000))]);
    }
    set
}

/// Log lines of a few hosts, read by host and time.
pub(crate) fn logs(rows: u32, seed: u64) -> Set {
    let mut set = Set::new(
        "logs of few hosts",
        &[("host", "text"), ("ts", "timestamp"), ("line", "u64"), ("level", "text")],
        &[("host = ? and ts >= ? and ts < ?", 80), ("ts >= ? and ts < ?", 20)],
    );
    let mut draws = Draws::new(seed, 3);
    for row in 0..rows {
        let host = text(format!("web{:02}", draws.draw(4)));
        let level = ["info", "warning", "error"][zipf(&mut draws, 3) as usize];
        set.records.push(vec![
            host,
            Value::Time(START + i64::from(row) * 900),
            int(row),
            text(level.to_owned()),
        ]);
    }
    set
}

/// Measurements of sensors, every one at the same whole seconds.
pub(crate) fn sensors(rows: u32, seed: u64) -> Set {
    let mut set = Set::new(
        "sensors",
        &[("sensor", "u32"), ("ts", "timestamp"), ("value", "f64")],
        &[("sensor = ? and ts >= ? and ts < ?", 95), ("ts >= ? and ts < ?", 5)],
    );
    let mut draws = Draws::new(seed, 4);
    for row in 0..rows {
        let (sensor, step) = (row % 60, row / 60);
        let value = f64::from(draws.draw(1000)) / 10.0;
        set.records.push(vec![
            int(sensor),
            Value::Time(START + i64::from(step) * 10_000),
            Value::Float(value),
        ]);
    }
    set
}

/// A feed in which one user has two of five posts.
pub(crate) fn celebrity(rows: u32, seed: u64) -> Set {
    let mut set = Set::new(
        "a celebrity",
        &[("user_id", "u64"), ("ts", "timestamp"), ("post_id", "u64")],
        &[("user_id = ? order by ts desc limit 20", 100)],
    );
    let mut draws = Draws::new(seed, 5);
    for row in 0..rows {
        let user = if draws.draw(5) < 2 { 7 } else { 100 + draws.draw(800) };
        set.records.push(vec![int(user), Value::Time(START + i64::from(row) * 1_700), int(row)]);
    }
    set
}

/// Articles without any time, read by number and by category.
pub(crate) fn catalogue(rows: u32, seed: u64) -> Set {
    let mut set = Set::new(
        "a catalogue without a time",
        &[("category", "text"), ("sku", "text"), ("price", "i64")],
        &[("sku = ?", 60), ("category = ? order by sku limit 50", 40)],
    );
    let mut draws = Draws::new(seed, 6);
    for row in 0..rows {
        let category = ["garden", "kitchen", "bath", "office", "toys"][zipf(&mut draws, 5) as usize];
        set.records.push(vec![
            text(category.to_owned()),
            text(format!("sku{row:06}")),
            int(draws.draw(5000)),
        ]);
    }
    set
}

/// Phone numbers, given out one after another.
pub(crate) fn phones(rows: u32, seed: u64) -> Set {
    let mut set = Set::new(
        "rising phone numbers",
        &[("phone", "u64"), ("name", "text"), ("since", "timestamp")],
        &[("phone = ?", 100)],
    );
    let mut draws = Draws::new(seed, 7);
    for row in 0..rows {
        let phone = 13_800_000_000u64 + u64::from(row) * 3;
        let name = text(format!("name{}", draws.draw(100_000)));
        set.records.push(vec![int(phone), name, Value::Time(START + i64::from(row) * 5_000)]);
    }
    set
}

/// TPC-H's orders.
pub(crate) fn tpch_orders(rows: usize) -> Set {
    use tpchgen::distribution::Distributions;
    use tpchgen::generators::OrderGenerator;
    use tpchgen::text::TextPool;
    let mut set = Set::new(
        "TPC-H orders",
        &[
            ("orderkey", "u64"),
            ("custkey", "u64"),
            ("status", "text"),
            ("totalprice", "i64"),
            ("orderdate", "timestamp"),
            ("priority", "text"),
            ("clerk", "text"),
        ],
        &[
            ("orderkey = ?", 50),
            ("custkey = ? order by orderdate desc limit 10", 40),
            ("orderdate >= ? and orderdate < ?", 10),
        ],
    );
    let distributions = Distributions::static_default();
    let pool = TextPool::new(1 << 20, distributions);
    let orders = OrderGenerator::new_with_distributions_and_text_pool(0.01, 1, 1, distributions, &pool);
    for order in orders.iter().take(rows) {
        let day = i64::from(order.o_orderdate.to_unix_epoch());
        set.records.push(vec![
            int(order.o_orderkey),
            int(order.o_custkey),
            text(order.o_orderstatus.to_string()),
            int(order.o_totalprice.0),
            Value::Time(day * 86_400_000),
            text(order.o_orderpriority.to_owned()),
            text(order.o_clerk.to_string()),
        ]);
    }
    set
}

/// TPC-H's line items.
pub(crate) fn tpch_line_items(rows: usize) -> Set {
    use tpchgen::distribution::Distributions;
    use tpchgen::generators::LineItemGenerator;
    use tpchgen::text::TextPool;
    let mut set = Set::new(
        "TPC-H line items",
        &[
            ("orderkey", "u64"),
            ("linenumber", "u8"),
            ("partkey", "u64"),
            ("suppkey", "u64"),
            ("shipdate", "timestamp"),
            ("shipmode", "text"),
        ],
        &[("orderkey = ?", 60), ("suppkey = ? order by shipdate desc limit 20", 40)],
    );
    let distributions = Distributions::static_default();
    let pool = TextPool::new(1 << 20, distributions);
    let items = LineItemGenerator::new_with_distributions_and_text_pool(0.01, 1, 1, distributions, &pool);
    for item in items.iter().take(rows) {
        let day = i64::from(item.l_shipdate.to_unix_epoch());
        set.records.push(vec![
            int(item.l_orderkey),
            int(item.l_linenumber),
            int(item.l_partkey),
            int(item.l_suppkey),
            Value::Time(day * 86_400_000),
            text(item.l_shipmode.to_owned()),
        ]);
    }
    set
}

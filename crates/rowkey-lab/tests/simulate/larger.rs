//! What do queries read when the table is much larger than the data?

use rowkey_core::batch::{Column, Values};
use rowkey_core::key::{Field, Fields};
use rowkey_core::table::NamedQuery;
use rowkey_core::types::Type;
use rowkey_lab::simulate::{Cut, Data, Design, Options, Reads, Workload, in_memory};

const DAY: i64 = 86_400_000;

/// Clicks of 40 days: sessions of ten, by a hundred users who come again and again.
fn reads(key: &str, rows: Option<u64>) -> Reads {
    let field = |name: &str, ty: &str| Field {
        name: name.to_owned(),
        ty: Type::from_name(ty).unwrap(),
        nullable: false,
    };
    let fields = Fields::new(vec![
        field("session", "u64"),
        field("user", "u64"),
        field("ts", "timestamp"),
        field("n", "u64"),
    ]);
    let records = 8_000u64;
    let sessions: Vec<u64> = (0..records).map(|row| row / 10).collect();
    let users: Vec<u64> = sessions.iter().map(|session| session.wrapping_mul(7919) % 100).collect();
    let times: Vec<i64> = (0..records as i64).map(|row| 1_735_689_600_000 + row * 40 * DAY / 8_000).collect();
    let numbers: Vec<u64> = (0..records).collect();
    let columns = [
        Column::new(Values::U64(&sessions)),
        Column::new(Values::U64(&users)),
        Column::new(Values::Time(&times)),
        Column::new(Values::U64(&numbers)),
    ];
    let data = Data { fields: &fields, columns: &columns, rows: 8_000 };
    let query = |text: &str, window: Option<i64>| NamedQuery {
        name: text.to_owned(),
        condition: text.to_owned(),
        weight: 1,
        columns: None,
        window,
        limit: None,
    };
    let queries = [
        query("session = ?", None),
        query("user = ?", None),
        query("n > 0", None),
        query("ts >= ? and ts < ?", Some(DAY)),
        query("user = ? order by ts desc limit 20", None),
    ];
    let asked = Workload::of(&queries).draw(&data, 1).unwrap();
    let design = Design::of_key(key, &fields, Cut::Regions(4)).unwrap();
    let options = Options { rows, ..Options::default() };
    in_memory(&[design], &data, Some(&asked), &options).unwrap().remove(0).reads.unwrap()
}

#[test]
fn what_grows_with_the_table_grows_and_what_does_not_stays() {
    let rows = |reads: &Reads, query: usize| reads.queries[query].reading.rows;
    let near = |what: &str, figure: f64, expected: f64| {
        assert!((figure / expected - 1.0).abs() < 0.15, "{what}: {figure}, not {expected}");
    };
    let (now, later) =
        (reads("[session][user][ts][n]", None), reads("[session][user][ts][n]", Some(800_000)));
    near("a session", rows(&later, 0), rows(&now, 0));
    near("all rows", rows(&later, 2), 100.0 * rows(&now, 2));

    let (now, later) = (reads("[user][ts][n]", None), reads("[user][ts][n]", Some(800_000)));
    near("a user", rows(&later, 1), 100.0 * rows(&now, 1));
    near("the latest of a user", rows(&later, 4), 20.0);

    let (now, later) = (reads("[ts][n]", None), reads("[ts][n]", Some(800_000)));
    near("a day", rows(&later, 3), rows(&now, 3));

    // A day in front of the session: one jump for each day, a hundred times as many.
    let key = format!("[ts / {DAY}: u32][session][ts][n]");
    let (now, later) = (reads(&key, None), reads(&key, Some(800_000)));
    let jumps = |reads: &Reads| reads.queries[0].reading.jumps;
    assert!(jumps(&now) > 20.0 && jumps(&later) > 40.0 * jumps(&now), "{} {}", jumps(&now), jumps(&later));
}

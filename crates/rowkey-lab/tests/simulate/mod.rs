//! What articles say about keys, in figures.

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

mod growth;
mod heat;
mod larger;
mod streams;
mod verdicts;

use rowkey_core::batch::{Column, ColumnBuffer};
use rowkey_lab::simulate::{Cut, Data, Design, Options, Outcome, in_memory};
use rowkey_lab::traffic::{Article, Pattern, Traffic};

/// The figures of keys over the records of some traffic.
fn figures(traffic: &Traffic, keys: &[(&str, Cut)], servers: usize) -> Vec<Outcome> {
    let buffers = traffic.all();
    let columns: Vec<Column<'_>> = buffers.iter().map(ColumnBuffer::column).collect();
    let data = Data { fields: &traffic.fields, columns: &columns, rows: buffers[0].len() };
    let designs: Vec<Design> = keys
        .iter()
        .map(|(key, cut)| {
            Design::of_key(key, &traffic.fields, cut.clone()).unwrap_or_else(|findings| panic!("{findings}"))
        })
        .collect();
    let time = traffic.fields.get(traffic.time).name.clone();
    let options = Options { time: Some(time), servers, ..Options::default() };
    in_memory(&designs, &data, None, &options).unwrap()
}

fn between(what: &str, figure: f64, from: f64, to: f64) {
    assert!((from..=to).contains(&figure), "{what} is {figure}, not between {from} and {to}");
}

#[test]
fn a_rising_key_is_n_times_the_mean_on_one_region_and_a_salt_of_4_gives_each_a_quarter() {
    let traffic = Traffic::of_article(Article::Salt1000, 40_000, 1);
    let regions = Cut::Regions;
    let [rising, salted] = figures(&traffic, &[("[id]", regions(16)), ("[salt(4, id)][id]", regions(4))], 16)
        .try_into()
        .unwrap();
    between("the rising key's worst step", rising.regions.worst(), 15.9, 16.0);
    between("its mean step", rising.regions.mean_step, 12.0, 16.0);
    // It would not show in the whole day.
    between("its whole day", rising.regions.hot_spot, 1.0, 1.1);
    for region in &salted.region_loads {
        between("a quarter", region.share, 0.24, 0.26);
    }
    between("the salted key's worst step", salted.regions.worst(), 1.0, 1.4);
    assert_eq!((rising.regions.idle, salted.regions.idle), (0, 0));
}

#[test]
fn a_remainder_of_whole_seconds_and_java_hash_of_stepped_ids_spread_nothing() {
    let logs = Traffic::of_article(Article::LogsManyHosts, 20_000, 1);
    let [modulo, salt] = figures(
        &logs,
        &[
            ("[ts % 10][ts][hostname: escaped][log_event]", Cut::Regions(10)),
            ("[salt(10, hostname, ts)][ts][hostname: escaped][log_event]", Cut::Regions(10)),
        ],
        10,
    )
    .try_into()
    .unwrap();
    assert_eq!((modulo.regions.hot_spot, modulo.regions.idle), (10.0, 9));
    between("a real salt", salt.regions.hot_spot, 1.0, 1.1);

    let ids = Traffic::of_article(Article::SteppedIds, 20_000, 1);
    let [java, murmur] = figures(
        &ids,
        &[("[java_hash(id) % 31][id]", Cut::Regions(31)), ("[salt(31, id)][id]", Cut::Regions(31))],
        31,
    )
    .try_into()
    .unwrap();
    // 31 divides every term but the last: the bucket is the last digit, which is 0.
    assert_eq!((java.regions.hot_spot, java.regions.idle), (31.0, 30));
    between("a real salt", murmur.regions.hot_spot, 1.0, 1.25);
}

#[test]
fn phone_numbers_are_cured_by_turning_them_round() {
    let traffic = Traffic::of_article(Article::Phones, 20_000, 1);
    let digits: Vec<Vec<u8>> = (b'1'..=b'9').map(|digit| vec![digit]).collect();
    let cut = Cut::Keys(digits);
    let [plain, reversed] =
        figures(&traffic, &[("[phone]", cut.clone()), ("[reverse(phone)]", cut)], 5).try_into().unwrap();
    assert_eq!((plain.regions.hot_spot, plain.regions.idle), (10.0, 9));
    assert_eq!(plain.servers.hot_spot, 5.0);
    between("reversed", reversed.regions.hot_spot, 1.0, 1.1);
    assert_eq!((plain.key_bytes.mean, plain.key_bytes.max), (11.0, 11));
}

#[test]
fn every_record_is_counted_once_whatever_the_design() {
    for article in Article::ALL {
        let traffic = Traffic::of_article(article, 3_000, 9);
        let keys: Vec<(&str, Cut)> = article.keys().iter().map(|key| (key.key, Cut::Regions(8))).collect();
        for outcome in figures(&traffic, &keys, 3) {
            assert_eq!((outcome.rows, outcome.refused), (3_000, 0), "{article:?} {}", outcome.key);
            assert_eq!(outcome.steps.totals().iter().sum::<u64>(), 3_000);
            assert_eq!(outcome.servers.rows.iter().sum::<u64>(), 3_000);
            let shares: f64 = outcome.region_loads.iter().map(|region| region.share).sum();
            assert!((shares - 1.0).abs() < 1e-9);
        }
    }
}

#[test]
fn a_celebrity_heats_a_key_that_begins_with_the_user() {
    let key = rowkey_core::KeySchema::parse("[user: u64][ts: timestamp]").unwrap();
    let make = |pattern| Traffic::of_pattern(pattern, key.fields(), None, 20_000, 5).unwrap();
    let user = ("[user: u64][ts: timestamp]", Cut::Regions(10));
    let within = ("[salt(10, user, ts)][user: u64][ts: timestamp]", Cut::Regions(10));
    let celebrity = figures(&make(Pattern::Celebrity), &[user.clone(), within.clone()], 10);
    // The regions were cut where the rows are, but the newest of the celebrity all go to one of them.
    between("the celebrity's region", celebrity[0].regions.worst(), 2.9, 5.0);
    between("salted within the user", celebrity[1].regions.worst(), 1.0, 1.6);
    let steady = figures(&make(Pattern::Steady), &[user, within], 10);
    between("steady users", steady[0].regions.worst(), 1.0, 1.6);
    assert_eq!(steady[0].order.first().map(|(field, _)| field.as_str()), Some("user"));
}

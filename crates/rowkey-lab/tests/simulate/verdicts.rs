//! Traffic made to have a property is found to have it.

use rowkey_core::KeySchema;
use rowkey_core::batch::{Column, ColumnBuffer};
use rowkey_lab::diagnose::{Diagnosis, Name, Next, diagnose};
use rowkey_lab::simulate::{Cut, Data, Design, Options, in_memory};
use rowkey_lab::traffic::{Article, Pattern, Traffic};

fn verdicts(traffic: &Traffic, key: &str, cut: Cut) -> Vec<Diagnosis> {
    let buffers = traffic.all();
    let columns: Vec<Column<'_>> = buffers.iter().map(ColumnBuffer::column).collect();
    let data = Data { fields: &traffic.fields, columns: &columns, rows: buffers[0].len() };
    let design = Design::of_key(key, &traffic.fields, cut).unwrap();
    let time = traffic.fields.get(traffic.time).name.clone();
    let options = Options { time: Some(time), ..Options::default() };
    let outcome = in_memory(std::slice::from_ref(&design), &data, None, &options).unwrap().remove(0);
    let found = diagnose(&outcome, &design.table.key, Some(&data));
    for diagnosis in &found {
        assert!(diagnosis.number.abs() >= diagnosis.threshold, "{diagnosis:?}");
        assert_eq!(diagnosis.cure.is_some(), diagnosis.name != Name::Even);
    }
    found
}

fn names(found: &[Diagnosis]) -> Vec<Name> {
    found.iter().map(|diagnosis| diagnosis.name).collect()
}

#[test]
fn each_property_is_found_and_no_other() {
    let ids = Traffic::of_article(Article::Salt1000, 20_000, 1);
    assert_eq!(names(&verdicts(&ids, "[id]", Cut::Regions(12))), [Name::RisingEdge]);
    assert_eq!(names(&verdicts(&ids, "[salt(12, id)][id]", Cut::Regions(12))), [Name::Even]);

    let films = Traffic::of_article(Article::Danmaku, 20_000, 1);
    let newest = verdicts(&films, "[Long.MAX_VALUE - ts][film][user]", Cut::Regions(12));
    assert_eq!(names(&newest), [Name::RisingEdge]);
    assert!(newest[0].number < -0.9 && newest[0].message.contains("falls"), "{}", newest[0].message);
    let hit = verdicts(&films, "[film][ts][user]", Cut::Regions(12));
    assert!(names(&hit).contains(&Name::SingleKey), "{hit:?}");
    assert!(hit.iter().any(|found| found.message.contains("film=1997")), "{hit:?}");
    assert!(
        !names(&verdicts(&films, "[salt(12, film, user)][film][ts][user]", Cut::Regions(12)))
            .contains(&Name::SingleKey)
    );

    let logs = Traffic::of_article(Article::LogsManyHosts, 20_000, 1);
    let modulo = verdicts(&logs, "[ts % 10][ts][hostname: escaped][log_event]", Cut::Regions(10));
    assert_eq!(names(&modulo), [Name::HotRange, Name::IdleSpace]);
    assert_eq!((modulo[0].number, modulo[1].number), (1.0, 0.9));

    let key = KeySchema::parse("[user: u64][ts: timestamp]").unwrap();
    let bursts = Traffic::of_pattern(Pattern::Bursts, key.fields(), None, 100_000, 1).unwrap();
    let found = verdicts(&bursts, "[salt(8, user, ts)][user: u64][ts: timestamp]", Cut::Regions(8));
    assert_eq!(names(&found), [Name::Periodic, Name::Even]);
    assert!(found[0].message.contains("after 1 h"), "{}", found[0].message);
}

#[test]
fn the_cure_of_a_rising_edge_is_even() {
    let ids = Traffic::of_article(Article::Salt1000, 20_000, 1);
    let found = verdicts(&ids, "[id]", Cut::Regions(12));
    let next = &found[0].cure.as_ref().unwrap().next;
    let Next::Beside { key, regions: 12 } = next else { panic!("{next:?}") };
    assert_eq!(names(&verdicts(&ids, key, Cut::Regions(12))), [Name::Even], "{key}");
}

//! Is the advice good?

mod sets;

use rowkey_lab::advise::{Advice, Options, Study};
use sets::Set;

fn options(seed: u64) -> Options {
    Options { table: "t".to_owned(), draws: 8, seed, sample: 100_000, ..Options::default() }
}

fn study(set: &Set, options: &Options) -> Study {
    Study::of_records(set.name, &set.fields, set.records.clone(), &set.questions, None, options)
        .unwrap_or_else(|error| panic!("{}: {error}", set.name))
}

fn advise(study: &Study, options: &Options) -> Advice {
    study.advise(options, &mut |_| true).unwrap_or_else(|error| panic!("{error}"))
}

fn show(name: &str, advice: &Advice) {
    println!("== {name}: {} keys tried, {:?}", advice.looked_at, advice.discarded);
    for proposal in &advice.proposals {
        let f = &proposal.figures;
        println!(
            "  {} total {:.1} hot {:.2}/{:.2} read {:.1} bytes {:.1} writes {} {}",
            proposal.name, f.total, f.hot.usual, f.hot.worst, f.read, f.key_bytes, f.writes, proposal.key
        );
        for index in &proposal.indexes {
            println!("      index {} {} {:?}", index.name, index.key, index.columns);
        }
        println!("      {}", proposal.trade_off);
    }
    advice.changes.iter().for_each(|change| println!("  * {}", change.text));
    advice.notes.iter().for_each(|note| println!("  - {note}"));
}

fn all_sets() -> Vec<Set> {
    vec![
        sets::orders(3_000, 1),
        sets::orders_by_seller(3_000, 1),
        sets::logs(3_000, 1),
        sets::sensors(3_000, 1),
        sets::celebrity(3_000, 1),
        sets::catalogue(3_000, 1),
        sets::phones(3_000, 1),
        sets::tpch_orders(3_000),
        sets::tpch_line_items(3_000),
    ]
}

#[test]
fn what_is_recommended_is_within_a_tenth_of_the_best_of_the_whole_space() {
    for set in all_sets() {
        let start = std::time::Instant::now();
        // Advice by some draws, judged by others.
        let advice = advise(&study(&set, &options(1)), &options(1));
        let in_stages = start.elapsed();
        show(set.name, &advice);
        let judge = study(&set, &options(2));
        let best = advise(&judge, &Options { exhaustive: true, ..options(2) });
        let cost = |advice: &Advice| {
            let first = &advice.proposals[0];
            let indexes: Vec<(&str, bool)> =
                first.indexes.iter().map(|index| (index.key.as_str(), !index.columns.is_empty())).collect();
            judge.judge(&first.key, &indexes, &options(2)).unwrap()
        };
        let (own, least) = (cost(&advice), cost(&best));
        println!(
            "{}: {own:.2} against {least:.2} ({} keys in {in_stages:?}, {} in {:?}): {}",
            set.name,
            advice.looked_at,
            best.looked_at,
            start.elapsed(),
            best.proposals[0].key
        );
        assert!(own <= least * 1.10, "{}: {own} against {least}: {}", set.name, best.proposals[0].key);
    }
}

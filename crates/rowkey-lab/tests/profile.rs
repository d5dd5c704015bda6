//! Profiles: exact figures are those of a plain loop, shuffled data has the same, and no data breaks it.

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

use std::collections::{BTreeMap, HashSet};
use std::io::Cursor;

use rowkey_core::Value;
use rowkey_core::key::{Draw, Draws, Field, Fields};
use rowkey_lab::profile::{FieldProfile, Identifies, Profile, Trend, profile};
use rowkey_lab::sample::guess_fields;
use rowkey_ops::input::{Format, Source};

fn run(text: &[u8], format: Format, threads: usize) -> Profile {
    let source = Source::stream(Cursor::new(text.to_vec()));
    let (guess, source) = guess_fields(source, format, "data").unwrap();
    let nullable = guess.fields.iter().map(|(_, field)| Field { nullable: true, ..field.clone() });
    let fields = Fields::new(nullable.collect());
    profile(source, (format, "data"), &fields, None, threads, &mut |_| {}).unwrap()
}

fn csv(text: &str) -> Profile {
    run(text.as_bytes(), Format::Csv, 2)
}

fn field<'p>(profile: &'p Profile, name: &str) -> &'p FieldProfile {
    profile.fields.iter().find(|field| field.name == name).unwrap()
}

/// Lines of five fields: a number that identifies, a few words, a time in whole seconds with gaps, a float, many texts.
fn lines(count: u32, seed: u64) -> Vec<String> {
    let mut draws = Draws::new(seed, 0);
    (0..count)
        .map(|id| {
            let word = ["red", "green", "blue", "violet"][draws.draw(4).min(draws.draw(4)) as usize];
            let time = 1_700_000_000_000_u64 + u64::from(draws.draw(1_000_000)) * 1000;
            let float = if draws.draw(10) == 0 { String::new() } else { format!("{}.5", draws.draw(1000)) };
            format!("{id},{word},{time},{float},t{}", draws.draw(1_000_000))
        })
        .collect()
}

fn data(lines: &[String]) -> String {
    format!("id,word,at,x,text\n{}\n", lines.join("\n"))
}

#[test]
fn exact_figures_are_those_of_a_plain_loop() {
    for count in [1, 2, 100, 30_000] {
        let lines = lines(count, u64::from(count));
        let profile = csv(&data(&lines));
        assert_eq!((profile.records, profile.refused.count), (count.into(), 0));
        let cells: Vec<Vec<&str>> = lines.iter().map(|line| line.split(',').collect()).collect();
        for (column, name) in ["id", "word", "at", "x", "text"].into_iter().enumerate() {
            let found = field(&profile, name);
            let values: Vec<&str> =
                cells.iter().map(|line| line[column]).filter(|cell| !cell.is_empty()).collect();
            assert_eq!(
                (found.values, found.nulls),
                (values.len() as u64, u64::from(count) - values.len() as u64)
            );
            let distinct: HashSet<&str> = values.iter().copied().collect();
            assert_eq!(found.distinct.exact, distinct.len() <= 4096, "{name}");
            let error =
                (found.distinct.count as f64 - distinct.len() as f64).abs() / distinct.len().max(1) as f64;
            assert!(error <= if found.distinct.exact { 0.0 } else { 0.03 }, "{name}: {:?}", found.distinct);
            if let Some(lengths) = found.lengths {
                let all: Vec<usize> = values.iter().map(|value| value.len()).collect();
                assert_eq!(
                    (lengths.min, lengths.max),
                    (*all.iter().min().unwrap(), *all.iter().max().unwrap())
                );
                let mean = all.iter().sum::<usize>() as f64 / all.len() as f64;
                assert!((lengths.mean - mean).abs() < 1e-9);
            }
            let mut counts = BTreeMap::<&str, u64>::new();
            values.iter().for_each(|value| *counts.entry(value).or_default() += 1);
            for hitter in &found.hitters {
                let text = if name == "at" { unmillis(&hitter.value) } else { hitter.value.to_string() };
                let exact = counts[text.as_str()];
                assert!(
                    hitter.count <= exact && exact - hitter.count <= found.hitters_error,
                    "{name} {text}"
                );
            }
            if distinct.len() <= 1000 && count > 100 {
                assert_eq!(found.hitters_error, 0, "{name}: exact");
                assert_eq!(found.hitters[0].count, *counts.values().max().unwrap(), "{name}");
            }
        }
        let at = field(&profile, "at");
        if count > 100 {
            assert_eq!((at.step, at.multiple_of), (Some(1000), Some(1000)));
            assert_eq!(field(&profile, "id").step, Some(1));
            assert_eq!((field(&profile, "id").trend, at.trend), (Trend::Rising, Trend::Neither));
            let (least, most) = at.bounds.clone().unwrap();
            let times = cells.iter().map(|line| line[2].parse::<i64>().unwrap());
            assert_eq!(
                (least, most),
                (Value::Time(times.clone().min().unwrap()), Value::Time(times.max().unwrap()))
            );
            assert_eq!(field(&profile, "id").identifies, Identifies::Yes);
            assert_eq!(field(&profile, "word").identifies, Identifies::No);
        }
        // Entropy of the first byte of the words, by hand.
        let mut first = BTreeMap::<u8, f64>::new();
        cells.iter().for_each(|line| *first.entry(line[1].as_bytes()[0]).or_default() += 1.0);
        let bits: f64 = first.values().map(|n| n / f64::from(count)).map(|share| -share * share.log2()).sum();
        assert!((field(&profile, "word").entropy[0] - bits).abs() < 1e-9);
        assert_eq!(field(&profile, "id").entropy.len(), 8, "the bytes of a u64 in a key");
        assert_eq!(field(&profile, "id").entropy[0], 0.0, "no id is so large");
    }
}

fn unmillis(value: &Value<'_>) -> String {
    match value {
        Value::Time(millis) => millis.to_string(),
        other => other.to_string(),
    }
}

/// The figures that do not depend on the order of the data.
fn unordered(profile: &Profile) -> Vec<impl PartialEq + std::fmt::Debug> {
    let figures = |field: &FieldProfile| {
        let bits: Vec<u64> = field.entropy.iter().map(|bits| (bits * 1e9).round() as u64).collect();
        let exact = (field.hitters_error == 0).then(|| field.hitters.clone());
        (
            field.name.clone(),
            field.values,
            field.nulls,
            field.distinct,
            field.lengths,
            exact,
            bits,
            field.step,
            field.bounds.clone(),
        )
    };
    profile.fields.iter().map(figures).collect()
}

#[test]
fn shuffled_and_divided_data_has_the_same_figures() {
    let mut lines = lines(40_000, 3);
    let sorted = csv(&data(&lines));
    for threads in [1, 4] {
        assert_eq!(run(data(&lines).as_bytes(), Format::Csv, threads), sorted, "{threads} threads");
    }
    for seed in 0..3 {
        let mut draws = Draws::new(seed, 1);
        for last in (1..lines.len()).rev() {
            lines.swap(last, draws.draw(last as u32 + 1) as usize);
        }
        let shuffled = csv(&data(&lines));
        assert_eq!(unordered(&shuffled), unordered(&sorted), "seed {seed}");
        assert_eq!(field(&shuffled, "id").trend, Trend::Neither);
    }
    // A bad line makes its block go record by record, which changes nothing else.
    lines.insert(20_000, "not,a,record".to_owned());
    let with_bad = csv(&data(&lines));
    assert_eq!(with_bad.refused.count, 1);
    assert!(with_bad.refused.first[0].contains("data, line 20002: it has 3 cells"), "{:?}", with_bad.refused);
    assert_eq!(unordered(&with_bad), unordered(&sorted));
}

#[test]
fn a_trend_is_told_from_a_saw_tooth_and_late_times() {
    let trend = |values: &mut dyn Iterator<Item = u32>| {
        let cells: Vec<String> = values.map(|value| value.to_string()).collect();
        csv(&format!("v\n{}\n", cells.join("\n"))).fields[0].trend
    };
    assert_eq!(trend(&mut (0..50_000)), Trend::Rising);
    assert_eq!(trend(&mut (0..50_000).map(|n| n / 10)), Trend::Rising);
    assert_eq!(trend(&mut (0..50_000).rev()), Trend::Falling);
    assert_eq!(trend(&mut (0..200_000).map(|n| n % 1000)), Trend::Neither, "a saw-tooth");
    assert_eq!(trend(&mut (0..200_000).map(|n| if n % 40 == 0 { n / 2 } else { n })), Trend::MostlyRising);
    assert_eq!(
        trend(&mut (0..200_000).map(|n| 400_000 - if n % 40 == 0 { n / 2 } else { n })),
        Trend::MostlyFalling
    );
    assert_eq!(trend(&mut (0..5000).map(|_| 7)), Trend::Constant);
    assert_eq!(trend(&mut (0..1)), Trend::Unknown);
}

#[test]
fn pairs_that_identify_are_found() {
    let lines: String = (0..2500).map(|n| format!("{},{},x\n", n / 50, n % 50)).collect();
    let profile = csv(&format!("a,b,c\n{lines}"));
    assert_eq!(profile.identifying_pairs, [(0, 1, Identifies::Yes)]);
    let lines: String = (0..90_000).map(|n| format!("{},{},x\n", n / 300, n % 300)).collect();
    let profile = csv(&format!("a,b,c\n{lines}"));
    assert_eq!(profile.identifying_pairs, [(0, 1, Identifies::Likely)], "too many to be sure");
    // Fields without anything in common that hardly ever meet twice: a few hundred records are not told apart.
    let mixed = |n: u64, salt: u64| {
        (n.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ salt).wrapping_mul(0xD6E8_FEB8_6659_FD93) >> 33
    };
    let lines: String =
        (0..20_000).map(|n| format!("{},{}\n", mixed(n, 1) % 500, mixed(n, 77) % 9000)).collect();
    assert_eq!(csv(&format!("a,b\n{lines}")).identifying_pairs, [], "that may be chance");
}

#[test]
fn a_value_that_comes_often_among_many_is_found() {
    let lines: String = (0..100_000)
        .map(|n| if n % 20 == 0 { "celebrity\n".to_owned() } else { format!("u{n}\n") })
        .collect();
    let user = csv(&format!("user\n{lines}")).fields.remove(0);
    assert_eq!(user.hitters[0].value, Value::Text("celebrity".into()));
    assert!(user.hitters[0].count <= 5000 && 5000 - user.hitters[0].count <= user.hitters_error, "{user:?}");
    assert!(user.hitters_error < 1000, "{}", user.hitters_error);
    assert_eq!((user.hitters.len(), user.identifies), (1, Identifies::No));
}

#[test]
fn odd_data_has_a_profile_too() {
    let empty = csv("a,b\n");
    assert_eq!((empty.records, empty.fields.len()), (0, 2));
    assert_eq!((empty.fields[0].trend, empty.fields[0].identifies), (Trend::Unknown, Identifies::No));
    assert!(empty.fields[0].entropy.is_empty());

    let nulls = csv("a,b\n,1\n,2\n,3\n");
    assert_eq!((nulls.fields[0].nulls, nulls.fields[0].distinct.count, nulls.records), (3, 0, 3));
    assert_eq!(nulls.fields[1].identifies, Identifies::Yes);

    let one = csv("a\nsame\nsame\nsame\n");
    assert_eq!((one.fields[0].distinct.count, one.fields[0].trend), (1, Trend::Constant));
    assert_eq!(one.fields[0].hitters[0].count, 3);
    assert!(one.fields[0].entropy.iter().all(|bits| *bits == 0.0));

    let huge = "x".repeat(3_000_000);
    let long = csv(&format!("a,b\n{huge},1\ny,2\n"));
    assert_eq!(long.fields[0].lengths.map(|own| (own.min, own.max)), Some((1, 3_000_000)));
    assert_eq!(long.fields[0].entropy.len(), 32);

    let json = run(b"{\"a\":1,\"b\":\"x\"}\n{\"b\":\"y\"}\nnonsense\n", Format::JsonLines, 2);
    assert_eq!((json.records, json.refused.count, json.fields[0].nulls), (2, 1, 1));
}

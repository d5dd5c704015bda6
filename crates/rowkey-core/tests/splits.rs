//! Do split points fall where HBase puts them, and do they spread what keys can be?

use rowkey_core::escape::{from_hex, to_hex};
use rowkey_core::split::{self, Ranges, Share, SplitError};
use rowkey_core::{KeySchema, Value};
use serde_json::Value as Json;

fn hexes(points: &[Vec<u8>]) -> Vec<String> {
    points.iter().map(|point| to_hex(point)).collect()
}

fn texts(points: &[Vec<u8>]) -> Vec<String> {
    points.iter().map(|point| String::from_utf8(point.clone()).expect("text")).collect()
}

fn key(source: &str) -> KeySchema {
    KeySchema::parse(source).unwrap_or_else(|findings| panic!("{findings}"))
}

#[test]
fn points_are_those_of_hbase() {
    let path = format!("{}/../../testdata/vectors/splits.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut checked = 0;
    for line in text.lines() {
        let vector: Json = serde_json::from_str(line).expect("each line is JSON");
        let list = |key: &str| -> Vec<String> {
            let list = vector[key].as_array().unwrap_or_else(|| panic!("{key} of {vector}"));
            list.iter().map(|text| text.as_str().expect("text").to_owned()).collect()
        };
        let number = |key: &str| u32::try_from(vector[key].as_u64().expect("a number")).expect("small");
        let bytes = |key: &str| vector[key].as_str().expect("text").as_bytes().to_vec();
        match vector["algorithm"].as_str().expect("a name") {
            "HexStringSplit" => assert_eq!(hexes(&split::hex(number("regions")).unwrap()), list("splits")),
            "DecimalStringSplit" => {
                assert_eq!(hexes(&split::decimal(number("regions")).unwrap()), list("splits"))
            }
            "UniformSplit" => assert_eq!(hexes(&split::uniform(number("regions")).unwrap()), list("splits")),
            "Bytes.split" => {
                let points = split::bytes_split(&bytes("start"), &bytes("end"), number("between")).unwrap();
                assert_eq!(hexes(&points), list("keys"), "{vector}");
            }
            other => panic!("{other}"),
        }
        checked += 1;
    }
    assert_eq!(checked, 52);
}

#[test]
fn the_books_hex_splits_have_sixteen_digits() {
    let points = split::book_hex("0000000000000000", "ffffffffffffffff", 4).unwrap();
    assert_eq!(texts(&points), ["3fffffffffffffff", "7ffffffffffffffe", "bffffffffffffffd"]);
    assert_eq!(texts(&split::book_hex("0", "ff", 2).unwrap()), ["000000000000007f"]);
}

#[test]
fn what_cannot_be_cut_is_refused() {
    let refused = |points: Result<Vec<Vec<u8>>, SplitError>| points.unwrap_err().to_string();
    assert!(refused(split::hex(0)).contains("ask for 1 to 65536"));
    assert!(refused(split::bytes_split(b"b", b"a", 3)).contains("the end must lie after the start"));
    assert!(refused(split::bytes_split(b"a", b"a\0", 3)).contains("the end must lie after the start"));
    assert!(refused(split::book_hex("0", "fg", 3)).contains("`fg` is not a number of base 16"));
    assert!(refused(split::digits_between("0", "9", 10, 11)).contains("fewer numbers from 0 to 9"));
    for one in [split::hex(1), split::decimal(1), split::uniform(1), split::book_hex("0", "f", 1)] {
        assert_eq!(one, Ok(Vec::new()));
    }
}

#[test]
fn a_key_says_where_to_cut() {
    for (source, regions, expected) in [
        ("[salt(4, u)][u]", 4, &["01", "02", "03"][..]),
        ("[salt(4, u)][u]", 2, &["02"]),
        ("[salt(300, u)][u]", 3, &["0064", "00c8"]),
        ("[md5(u).subStr(0,4)][u]", 4, &["34", "38", "63"]),
        ("[md5(u).upper()][u]", 4, &["34", "38", "43"]),
        ("[md5(u).subStr(0,1)][u]", 3, &["35", "62"]),
        ("[md5(u)]", 3, &["353535", "616161"]),
        ("[md5(u).bytes(4)][u]", 4, &["40", "80", "c0"]),
        ("u-[md5(u).subStr(0,4)]", 2, &["752d38"]),
        ("[u: decimal(11)]", 4, &["3235", "35", "3735"]),
        ("[reverse(u: decimal(11))]", 2, &["35"]),
        ("[u % 5: decimal(1)][u]", 5, &["31", "32", "33", "34"]),
        ("[salt('dcba', u)][u]", 4, &["62", "63", "64"]),
        ("[t % 4: u8 desc][t]", 4, &["fd", "fe", "ff"]),
        ("[salt(4, u)][md5(u)]", 8, &["0038", "01", "0138", "02", "0238", "03", "0338"]),
        (
            "[salt(4, u)]-[md5(u).subStr(0,2)][u]",
            8,
            &["002d38", "01", "012d38", "02", "022d38", "03", "032d38"],
        ),
        ("[murmur3(u): i32][u]", 4, &["40", "80", "c0"]),
        ("[murmur3(u): int][u]", 4, &["40", "80", "c0"]),
        ("[crc32(u): u32 desc][u]", 2, &["80"]),
        (
            "[random(4)][salt(4, u)][u]",
            16,
            &[
                "0001", "0002", "0003", "01", "0101", "0102", "0103", "02", "0201", "0202", "0203", "03",
                "0301", "0302", "0303",
            ],
        ),
    ] {
        let points =
            split::for_key(&key(source), regions).unwrap_or_else(|error| panic!("{source}: {error}"));
        assert_eq!(hexes(&points), expected, "{source}");
        let shares = split::shares(&key(source), &points);
        assert_eq!(split::is_even(&shares), Some(true), "{source}: {shares:?}");
    }
}

#[test]
fn a_key_that_does_not_say_enough_is_refused_with_what_to_do() {
    for (source, regions, expected) in [
        ("[name][id]", 4, "which values `[name]` has is not known; give sample data (`split::from_sample`)"),
        ("[id: u64]", 4, "or the range of the field's values (`split::Ranges` id=0..1000000)"),
        ("[salt(16, id)][id: u64]", 64, "the parts before have 16 values, and which values `[id: u64]` has"),
        ("[salt(5, id)][id]", 4, "its 5 values would leave one region with 40.0% of the rows"),
        ("[md5(u).subStr(0,2)][md5(u)]", 512, "the parts before have 256 values"),
        ("[date(ts)][ts]", 4, "(`split::Ranges` ts=0..1000000)"),
        ("[name: escaped?]", 2, "it begins with a part of unknown values"),
    ] {
        let error = split::for_key(&key(source), regions).expect_err(source).to_string();
        assert!(error.contains(expected), "{source}: {error}");
    }
}

#[test]
fn ranges_of_fields_are_used() {
    let within = |source: &str, field: &str, low: i128, high: i128, regions: u32| {
        let key = key(source);
        let mut ranges = Ranges::new();
        ranges.set(key.fields().id(field).expect("a field"), low, high);
        let points =
            split::for_key_within(&key, &ranges, regions).unwrap_or_else(|error| panic!("{source}: {error}"));
        let shares = split::shares_within(&key, &ranges, &points);
        assert_eq!(split::is_even(&shares), Some(true), "{source}: {shares:?}");
        hexes(&points)
    };
    assert_eq!(within("[id: u32]", "id", 0, 999, 4), ["000000fa", "000001f4", "000002ee"]);
    assert_eq!(within("[id: u32 desc]", "id", 0, 999, 2), ["fffffe0c"]);
    assert_eq!(
        within("[id: long]", "id", 0, 0xffff, 2),
        ["0000000000008000".to_owned()].map(|hex| hex[..14].to_owned())
    );
    assert_eq!(within("[Long.MAX_VALUE - id]", "id", 0, 0xffff, 2), ["7fffffffffff80"]);
    assert_eq!(within("[id: decimal(6)]", "id", 0, 1999, 2), ["303031"]);
    let day = 86_400_000;
    let (low, high) = (1_735_689_600_000, 1_735_689_600_000 + 30 * day - 1);
    assert_eq!(
        texts(
            &within("[date(ts)][u]", "ts", low, high, 3)
                .iter()
                .map(|hex| from_hex(hex).unwrap())
                .collect::<Vec<_>>()
        ),
        ["20250111", "20250121"]
    );
    let days = within("[date(ts)][md5(u)]", "ts", low, high, 60);
    let days: Vec<String> =
        days.iter().map(|hex| String::from_utf8(from_hex(hex).unwrap()).unwrap()).collect();
    assert_eq!(&days[..4], ["202501018", "20250102", "202501028", "20250103"]);
    assert_eq!(within("[ts: timestamp_s][u]", "ts", 0, 4_294_967_295_000, 4), ["40", "80", "c0"]);
    assert_eq!(
        within("[salt(4, id)][id: u16]", "id", 0, 65_535, 8),
        ["0080", "01", "0180", "02", "0280", "03", "0380"]
    );
}

/// Shares are those of a count over all values of the field, whatever is derived from it.
#[test]
fn derived_parts_come_as_often_as_the_values_of_their_field() {
    // Half a second of one day and a second and a half of the next; numbers that begin and end within ten.
    let midnight = 1_735_689_600_000;
    let cases = [
        ("[date(f)][f: timestamp]", midnight - 500, midnight + 1499),
        ("[date(f)]-[f: timestamp]", midnight - 500, midnight + 1499),
        ("[date(f)][f: timestamp desc]", midnight - 500, midnight + 1499),
        ("[date(f) desc][f: timestamp desc]", midnight - 500, midnight + 1499),
        ("[f / 10: u32][f: u32]", 7, 2013),
        ("[f / 100: long]", 7, 213),
        ("[f / 10: u32][f % 10: u8]", 7, 2013),
        ("[Long.MAX_VALUE - f]", 7, 2013),
        ("[f: u16 desc]", 7, 2013),
        ("[f / 700: u8][f: u16]", 0, 2013),
    ];
    let (mut known, mut cut) = (0, 0);
    for (source, low, high) in cases {
        let key = key(source);
        let field = key.fields().id("f").expect("the field");
        let mut ranges = Ranges::new();
        ranges.set(field, low, high);
        let value = |number: i128| match key.fields().get(field).ty.kind() {
            rowkey_core::types::Kind::Time => Value::Time(i64::try_from(number).expect("a time")),
            _ => Value::Int(number),
        };
        let encode = |number: i128| {
            let mut bytes = Vec::new();
            key.encode(&[value(number)], &mut bytes).unwrap_or_else(|error| panic!("{source}: {error}"));
            bytes
        };
        let keys: Vec<Vec<u8>> = (low..=high).map(encode).collect();
        let counted = |splits: &[Vec<u8>]| {
            let mut counts = vec![0_u32; splits.len() + 1];
            keys.iter().for_each(|key| counts[splits.partition_point(|split| split <= key)] += 1);
            counts.into_iter().map(|count| f64::from(count) / keys.len() as f64).collect::<Vec<f64>>()
        };
        for seed in 0..60_usize {
            let mut splits: Vec<Vec<u8>> = (1..4)
                .map(|nth| {
                    let key = &keys[(seed * 7919 + nth * 104_729) % keys.len()];
                    key[..1 + (seed * 31 + nth) % key.len()].to_vec()
                })
                .collect();
            splits.sort();
            splits.dedup();
            for (share, counted) in split::shares_within(&key, &ranges, &splits).iter().zip(counted(&splits))
            {
                match share {
                    Share::Known(share) => {
                        known += 1;
                        assert!(
                            (share - counted).abs() < 1e-9,
                            "{source} at {splits:?}: {share}, not {counted}"
                        );
                    }
                    Share::AtMost(most) => assert!(counted <= most + 1e-9, "{source} at {splits:?}"),
                    Share::Unreachable => assert!(counted < 1e-12, "{source} at {splits:?}"),
                }
            }
        }
        for regions in [2, 3, 5, 8] {
            let Ok(points) = split::for_key_within(&key, &ranges, regions) else { continue };
            cut += 1;
            let fullest = 1.25 / f64::from(regions) + 1e-9;
            assert!(
                counted(&points).iter().all(|share| *share > 0.0 && *share <= fullest),
                "{source}, {regions}"
            );
        }
    }
    assert!(known > 900 && cut > 20, "{known} shares, {cut} tables");
    // 4% and 96%, not half and half.
    let key = key("[date(t)][t: timestamp]");
    let mut ranges = Ranges::new();
    ranges.set(key.fields().id("t").expect("a field"), midnight - 3_600_000, midnight + 82_799_999);
    let shares = split::shares_within(&key, &ranges, &[b"20250101".to_vec()]);
    assert_eq!(shares, [Share::Known(1.0 / 24.0), Share::Known(1.0 - 1.0 / 24.0)]);
    assert_eq!(split::is_even(&shares), Some(false));
}

#[test]
fn the_lumpy_points_of_the_fourth_text() {
    let splits = split::bytes_split(b"0000000000000000", b"ffffffffffffffff", 7).unwrap();
    assert_eq!(splits.len(), 9);
    let shares = split::shares(&key("[md5(u).subStr(0,16)]"), &splits);
    let percent: Vec<f64> = shares.iter().map(|share| share.known().unwrap() * 100.0).collect();
    // The last region is not proved empty: sixteen times f reaches it.
    assert_eq!(
        percent.iter().map(|share| (share * 100.0).round() / 100.0).collect::<Vec<_>>(),
        [0.0, 43.75, 18.75, 0.0, 0.0, 0.0, 0.0, 0.0, 37.5, 0.0]
    );
    let unreachable: Vec<bool> = shares.iter().map(|share| *share == Share::Unreachable).collect();
    assert_eq!(unreachable, [true, false, false, true, true, true, true, true, false, false]);
}

#[test]
fn what_is_known_of_a_region_is_said_and_no_more() {
    let shares = |source: &str, splits: &[&[u8]]| {
        split::shares(&key(source), &splits.iter().map(|split| split.to_vec()).collect::<Vec<_>>())
    };
    // Inside a bucket of unknown texts.
    assert_eq!(
        shares("[salt(4, u)][u]", &[b"\x01", b"\x01m", b"\x02"]),
        [Share::Known(0.25), Share::AtMost(0.25), Share::AtMost(0.25), Share::Known(0.5)]
    );
    // Bytes that no bucket has.
    assert_eq!(
        shares("[salt(4, u)][u]", &[b"\x02", b"\x04"]),
        [Share::Known(0.5), Share::Known(0.5), Share::Unreachable]
    );
    // A literal, and what lies before and behind it.
    assert_eq!(
        shares("u-[md5(u)]", &[b"u", b"u-", b"u-8", b"u.", b"v"]),
        [
            Share::Unreachable,
            Share::Unreachable,
            Share::Known(0.5),
            Share::Known(0.5),
            Share::Unreachable,
            Share::Unreachable
        ]
    );
    // Numbers of unknown range: proof, but no share.
    assert_eq!(
        shares("[bool: bool][u]", &[b"\x01", b"\x02"]),
        [Share::AtMost(1.0), Share::AtMost(1.0), Share::Unreachable]
    );
    assert_eq!(shares("[date(t)][u]", &[b"2", b"a"])[2], Share::Unreachable);
    // The second part of a digest that is not cut short.
    assert_eq!(shares("[salt(2, u)][u]", &[]), [Share::Known(1.0)]);
    let value = [Value::Text("x".into())];
    assert!(key("[salt(2, u)][u]").encode(&value, &mut Vec::new()).is_ok());
}

//! Do splits by the key, or by a sample, fill every region, where `Bytes.split` does not?
//!
//! Random records of every kind of key, each routed to the regions of both. `ROWKEY_SPLIT_RECORDS=1000000` for the full
//! run; `--nocapture` shows the regions side by side.

use rowkey_core::split::{self, Ranges, Share};
use rowkey_core::{KeySchema, Value};

/// A region may be so far from even.
const TOLERANCE: f64 = 0.15;

/// Chance, the same in every run.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, count: u64) -> u64 {
        self.next() % count
    }

    /// A name of one to four syllables, of which some come more often.
    fn name(&mut self) -> String {
        const SYLLABLES: [&str; 12] =
            ["an", "na", "ma", "ri", "jo", "hen", "pe", "ter", "xu", "wei", "so", "fie"];
        let count = 2 + self.below(4);
        (0..count)
            .map(|_| {
                let place = self.below(12).min(self.below(12));
                SYLLABLES[usize::try_from(place).expect("a place in a short list")]
            })
            .collect()
    }
}

struct Case {
    name: &'static str,
    key: &'static str,
    regions: u32,
    record: fn(&mut Chance, u64) -> Vec<Value<'static>>,
    /// What is declared of the first field.
    range: Option<(i128, i128)>,
    by_sample: bool,
    /// Whether `Bytes.split` leaves regions empty there.
    lumpy: bool,
}

fn number(chance: &mut Chance, _: u64) -> Vec<Value<'static>> {
    vec![Value::Int(chance.below(10_000_000_000).into())]
}

fn text(chance: &mut Chance, at: u64) -> Vec<Value<'static>> {
    vec![Value::Text(format!("{}{at}", chance.name()).into())]
}

const DAY: i64 = 86_400_000;
const NEW_YEAR: i64 = 1_735_689_600_000;

const CASES: &[Case] = &[
    Case {
        name: "hex",
        key: "[md5(u).subStr(0,8)]-[u]",
        regions: 16,
        record: text,
        range: None,
        by_sample: false,
        lumpy: true,
    },
    Case {
        name: "decimal",
        key: "[n: decimal(10)]",
        regions: 16,
        record: number,
        range: None,
        by_sample: false,
        lumpy: true,
    },
    Case {
        name: "text",
        key: "[name]",
        regions: 16,
        record: text,
        range: None,
        by_sample: true,
        lumpy: true,
    },
    Case {
        name: "salted",
        key: "[salt(16, u)][u: u64]",
        regions: 16,
        record: number,
        range: None,
        by_sample: false,
        lumpy: false,
    },
    Case {
        name: "salted letters",
        key: "[salt('aeiou', u)]-[u]",
        regions: 5,
        record: text,
        range: None,
        by_sample: false,
        lumpy: false,
    },
    Case {
        name: "hashed",
        key: "[md5(u).bytes(4)][u]",
        regions: 16,
        record: text,
        range: None,
        by_sample: false,
        lumpy: false,
    },
    Case {
        name: "reversed",
        key: "[reverse(phone: decimal(11))]",
        regions: 16,
        record: |_, at| vec![Value::Int(i128::from(at) + 13_800_000_000)],
        range: None,
        by_sample: false,
        lumpy: true,
    },
    Case {
        name: "composite",
        key: "[salt(4, u)][md5(u).subStr(0,4)][u]",
        regions: 32,
        record: text,
        range: None,
        by_sample: false,
        lumpy: true,
    },
    Case {
        name: "descending",
        key: "[crc32(u): u32 desc][u]",
        regions: 10,
        record: text,
        range: None,
        by_sample: false,
        lumpy: false,
    },
    Case {
        name: "number of a range",
        key: "[n: i64][salt(4, n)]",
        regions: 12,
        record: |chance, _| vec![Value::Int(i128::from(chance.below(2001)) - 1000)],
        range: Some((-1000, 1000)),
        by_sample: false,
        lumpy: false,
    },
    Case {
        name: "date and hash",
        key: "[date(ts)][md5(u)]",
        regions: 60,
        record: |chance, at| {
            let ts =
                NEW_YEAR + i64::try_from(chance.below(30 * 86_400_000)).expect("a month of milliseconds");
            let mut record = vec![Value::Time(ts)];
            record.extend(text(chance, at));
            record
        },
        range: Some((NEW_YEAR as i128, (NEW_YEAR + 30 * DAY - 1) as i128)),
        by_sample: false,
        lumpy: true,
    },
];

fn records() -> u64 {
    std::env::var("ROWKEY_SPLIT_RECORDS").map_or(60_000, |text| text.parse().expect("a number of records"))
}

fn keys(case: &Case, key: &KeySchema, count: u64) -> Vec<Vec<u8>> {
    let mut chance = Chance(7);
    (0..count)
        .map(|at| {
            let mut bytes = Vec::new();
            let record = (case.record)(&mut chance, at);
            key.encode(&record, &mut bytes).unwrap_or_else(|error| panic!("{}: {error}", case.name));
            bytes
        })
        .collect()
}

fn counted(keys: &[Vec<u8>], splits: &[Vec<u8>]) -> Vec<u64> {
    let mut counts = vec![0; splits.len() + 1];
    for key in keys {
        counts[splits.partition_point(|split| split <= key)] += 1;
    }
    counts
}

#[test]
fn every_region_gets_its_part() {
    let count = records();
    println!(
        "{count} records each; the least and the fullest region in percent of a fair share, and how many are empty"
    );
    println!("{:18} {:38} {:>7}   {:<19}   {}", "", "key", "regions", "by the key", "Bytes.split");
    for case in CASES {
        let key = KeySchema::parse(case.key).unwrap_or_else(|findings| panic!("{findings}"));
        let mut ranges = Ranges::new();
        if let Some((low, high)) = case.range {
            ranges.set(key.named_fields()[0], low, high);
        }
        let keys = keys(case, &key, count);
        let splits = if case.by_sample {
            let sample = keys.iter().step_by(5).map(|key| (key, 1));
            split::from_sample(sample, case.regions).unwrap().points
        } else {
            split::for_key_within(&key, &ranges, case.regions)
                .unwrap_or_else(|error| panic!("{}: {error}", case.name))
        };
        let (first, last) = (keys.iter().min().unwrap(), keys.iter().max().unwrap());
        let mut lumpy = split::bytes_split(first, last, case.regions - 1).unwrap();
        lumpy.pop();
        lumpy.remove(0);

        let own = counted(&keys, &splits);
        let fair = count as f64 / f64::from(case.regions);
        assert_eq!(own.len(), case.regions as usize, "{}", case.name);
        for (region, rows) in own.iter().enumerate() {
            let off = *rows as f64 / fair - 1.0;
            assert!(off.abs() <= TOLERANCE, "{}: region {region} has {rows} rows, fair is {fair}", case.name);
        }
        let theirs = counted(&keys, &lumpy);
        let empty = theirs.iter().filter(|rows| **rows == 0).count();
        assert_eq!(empty > 0, case.lumpy, "{}: {theirs:?}", case.name);
        let range = |counts: &[u64]| {
            let percent = |rows: Option<&u64>| (*rows.unwrap() as f64 / fair * 100.0).round();
            format!("{:>3} … {:<4}", percent(counts.iter().min()), percent(counts.iter().max()))
        };
        println!(
            "{:18} {:38} {:>7}   {}, 0 empty   {}, {empty:>2} empty",
            case.name,
            case.key,
            case.regions,
            range(&own),
            range(&theirs)
        );

        for (splits, rows) in [(&splits, &own), (&lumpy, &theirs)] {
            shares_are_what_random_records_get(
                case,
                &split::shares_within(&key, &ranges, splits),
                rows,
                count,
            );
        }
    }
}

/// What is called unreachable is empty, what is called a share is one, and a bound is kept.
fn shares_are_what_random_records_get(case: &Case, shares: &[Share], rows: &[u64], count: u64) {
    assert_eq!(shares.len(), rows.len());
    // Six standard deviations, and a few records for the smallest.
    let slack = |share: f64| 6.0 * (share * (1.0 - share) / count as f64).sqrt() + 5.0 / count as f64;
    for (share, rows) in shares.iter().zip(rows) {
        let seen = *rows as f64 / count as f64;
        match share {
            Share::Unreachable => assert_eq!(*rows, 0, "{}: {shares:?}", case.name),
            Share::Known(share) => {
                // Days at the ends of a range, and the rounding of a range of numbers, are not exactly even.
                assert!(
                    (seen - share).abs() <= slack(*share) + 0.02 * share,
                    "{}: {seen} is not {share}",
                    case.name
                );
            }
            Share::AtMost(most) => {
                assert!(seen <= most + slack(*most), "{}: {seen} is above {most}", case.name)
            }
        }
    }
    let known: Option<f64> = shares.iter().map(|share| share.known()).sum();
    assert!(known.is_none_or(|sum| (sum - 1.0).abs() < 1e-9), "{}: {known:?}", case.name);
}

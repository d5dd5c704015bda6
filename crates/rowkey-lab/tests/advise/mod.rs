//! Is the advice good?

mod later;
mod one_engine;
mod sets;
mod sure;

use crate::drawn;
use std::collections::HashSet;

use rowkey_core::check::{Severity, check_table};
use rowkey_core::key::{Field, Fields};
use rowkey_core::{Table, Type};
use rowkey_lab::advise::identity::Basis;
use rowkey_lab::advise::mind::What;
use rowkey_lab::advise::{Advice, Asking, Data, Options, Proposal, Study};
use rowkey_ops::input::{Format, Source};
use sets::Set;

fn options(seed: u64) -> Options {
    Options {
        table: "t".to_owned(),
        draws: 6,
        seed,
        sample: 100_000,
        regions: Some(16),
        ..Options::default()
    }
}

fn study(set: &Set, options: &Options) -> Study {
    Study::of_records(set.name, &set.fields, set.records.clone(), &set.questions, None, options)
        .unwrap_or_else(|error| panic!("{}: {error}", set.name))
}

fn advise(study: &Study, options: &Options) -> Advice {
    study.advise(options, &mut |_| true).unwrap_or_else(|error| panic!("{error}"))
}

fn encoded(table: &Table, record: &[rowkey_core::Value<'static>]) -> Vec<u8> {
    let mut key = Vec::new();
    table.key.encode(record, &mut key).expect("a key");
    key
}

fn shown(name: &str, advice: &Advice) -> String {
    let mut out = format!("== {name}: {} keys tried, {:?}\n", advice.looked_at, advice.discarded);
    for proposal in &advice.proposals {
        let f = &proposal.figures;
        out.push_str(&format!(
            "  {} total {:.1} hot {:.2}/{:.2} read {:.1} bytes {:.1} writes {} {}\n",
            proposal.name, f.total, f.hot.usual, f.hot.worst, f.read, f.key_bytes, f.writes, proposal.key
        ));
        for index in &proposal.indexes {
            out.push_str(&format!("      index {} {} {:?}\n", index.name, index.key, index.columns));
        }
        out.push_str(&format!("      {}\n", proposal.trade_off));
    }
    advice.changes.iter().for_each(|change| out.push_str(&format!("  * {}\n", change.text)));
    advice.notes.iter().for_each(|note| out.push_str(&format!("  - {note}\n")));
    out
}

fn all_sets() -> Vec<Set> {
    vec![
        sets::orders(1_500, 1),
        sets::orders_by_seller(1_500, 1),
        sets::logs(1_500, 1),
        sets::sensors(1_500, 1),
        sets::celebrity(1_500, 1),
        sets::catalogue(1_500, 1),
        sets::phones(1_500, 1),
        sets::tpch_orders(1_500),
        sets::tpch_line_items(1_500),
    ]
}

#[test]
fn what_is_recommended_is_within_a_tenth_of_the_best_of_the_whole_space() {
    for set in all_sets() {
        // Advice by some draws, judged by others.
        let advice = advise(&study(&set, &options(1)), &options(1));
        println!("{}", shown(set.name, &advice));
        let judge = study(&set, &options(2));
        let (best, keys, unfit) =
            judge.best_of_all(&options(2)).unwrap_or_else(|error| panic!("{}: {error}", set.name));
        assert!(!unfit.iter().any(|why| why.contains("notation")), "not every design is a key: {unfit:?}");
        let own = judge.judge(&advice.proposals[0], &options(2)).unwrap();
        let least = judge.judge(&best, &options(2)).unwrap();
        println!("{}: {own:.2} against {least:.2}, {} and {keys} keys", set.name, advice.looked_at);
        assert!(own <= least * 1.10, "{}: {own} against {least}: {}", set.name, best.file);
    }
}

#[test]
fn the_same_seed_gives_the_same_advice() {
    let set = sets::orders_by_seller(1_500, 3);
    let text = |threads: usize| {
        let options = Options { threads, ..options(7) };
        let advice = advise(&study(&set, &options), &options);
        let proposals: Vec<&str> = advice.proposals.iter().map(|proposal| proposal.file.as_str()).collect();
        let changes: Vec<&str> = advice.changes.iter().map(|change| change.text.as_str()).collect();
        (proposals.join("\n"), changes.join("\n"), advice.looked_at)
    };
    assert_eq!(text(1), text(3));
}

#[test]
fn every_table_file_has_the_key_that_was_measured_and_no_rule_is_against_it() {
    for set in [sets::orders_by_seller(2_000, 1), sets::logs(2_000, 1), sets::catalogue(2_000, 1)] {
        let advice = advise(&study(&set, &options(1)), &options(1));
        for (place, proposal) in advice.proposals.iter().enumerate() {
            let table = Table::parse("advised.toml", &proposal.file)
                .unwrap_or_else(|findings| panic!("{}: {findings}\n{}", set.name, proposal.file));
            assert_eq!(table.key.source(), proposal.key);
            assert_eq!(table.split_points(), proposal.splits, "{}", proposal.key);
            let keys: Vec<&str> = table.indexes.iter().map(|index| index.key.source()).collect();
            assert_eq!(keys, proposal.indexes.iter().map(|index| index.key.as_str()).collect::<Vec<_>>());
            let errors: Vec<String> = check_table(&table)
                .into_iter()
                .filter(|issue| {
                    issue.severity == Severity::Error || (place == 0 && issue.severity == Severity::Warning)
                })
                .map(|issue| issue.message)
                .collect();
            assert!(errors.is_empty(), "{}: {errors:?}\n{}", set.name, proposal.file);
            // Every record has a key of its own, and comes back from the row.
            let mut keys = HashSet::new();
            for record in &set.records {
                assert!(keys.insert(encoded(&table, record)), "{}: {record:?}", proposal.key);
            }
        }
    }
}

#[test]
fn past_the_share_that_is_named_the_named_design_costs_less() {
    let mut seen = 0;
    for set in [sets::orders_by_seller(2_000, 1), sets::logs(2_000, 1), sets::tpch_orders(2_000)] {
        let advice = advise(&study(&set, &options(1)), &options(1));
        let shares: Vec<f64> = advice.queries.iter().map(|(_, share)| *share).collect();
        for change in &advice.changes {
            let other = advice.proposals.iter().find(|proposal| proposal.name == change.proposal).unwrap();
            let total = |proposal: &Proposal, at: f64| match change.what {
                What::Writes => proposal.cost.total(at, &shares),
                What::Query(query) => {
                    let rest = (1.0 - at) / (1.0 - shares[query]);
                    let share =
                        |(place, share): (usize, &f64)| if place == query { at } else { share * rest };
                    let shares: Vec<f64> = shares.iter().enumerate().map(share).collect();
                    proposal.cost.total(advice.writes, &shares)
                }
            };
            // The named design is measured as it would be made, with all fields of the table in its index keys: that
            // moves the crossing a little.
            let beyond = change.at + (change.at - change.now) * 0.1;
            let before = change.now + (change.at - change.now) * 0.9;
            let (best, beyond) = (&advice.proposals[0], beyond.clamp(0.0, 1.0));
            assert!(total(other, beyond) < total(best, beyond) * 1.01, "{}: {}", set.name, change.text);
            assert!(total(best, before) < total(other, before) * 1.01, "{}: {}", set.name, change.text);
            seen += 1;
        }
    }
    assert!(seen >= 3, "{seen} changes");
}

#[test]
fn a_celebrity_is_salted_within_or_it_is_said_why_not() {
    let set = sets::celebrity(4_000, 1);
    // Mostly writes: her posts must not all go to one region.
    let writes = Options { writes: 0.95, ..options(1) };
    let advice = advise(&study(&set, &writes), &writes);
    let best = &advice.proposals[0];
    let table = Table::parse("t", &best.file).unwrap();
    let hers: HashSet<usize> = set
        .records
        .iter()
        .filter(|record| record[0].to_string() == "7")
        .map(|record| {
            let key = encoded(&table, record);
            table.split_points().partition_point(|split| *split <= key)
        })
        .collect();
    assert!(hers.len() >= 4, "{} has them in {hers:?}", best.key);
    assert!(best.figures.hot.usual < 2.0, "{:?}", best.figures);
    let note = advice.notes.iter().find(|note| note.contains("`user_id` 7 has")).unwrap();
    assert!(note.contains("40%") || note.contains("39%") || note.contains("41%"), "{note}");
    assert!(note.contains("spreads them over several regions"), "{note}");
    // Mostly reads: more ranges for each of them are no better than a hot region, and it is said so.
    let reads = Options { writes: 0.02, ..options(1) };
    let advice = advise(&study(&set, &reads), &reads);
    let note = advice.notes.iter().find(|note| note.contains("`user_id` 7 has")).unwrap();
    assert!(note.contains("they stay together"), "{note}");
}

#[test]
fn it_says_what_is_missing() {
    let set = sets::catalogue(1_000, 1);
    let notes = advise(&study(&set, &options(1)), &options(1)).notes.join("\n");
    assert!(
        notes.contains("no field is a time: records are taken to be written in the order of the file"),
        "{notes}"
    );

    let mut constant = sets::orders(1_000, 1);
    constant.records.iter_mut().for_each(|record| record[3] = rowkey_core::Value::Int(5));
    let notes = advise(&study(&constant, &options(1)), &options(1)).notes.join("\n");
    assert!(notes.contains("`amount` has one value in all records"), "{notes}");

    // An asked field with one value is no reason to fail.
    constant.records.iter_mut().for_each(|record| record[0] = rowkey_core::Value::Int(5));
    let advice = advise(&study(&constant, &options(1)), &options(1));
    assert!(!advice.proposals[0].key.contains("[user_id]"), "{}", advice.proposals[0].key);

    let fails = |set: &Set| {
        let records = set.records.clone();
        let study = Study::of_records("orders.csv", &set.fields, records, &set.questions, None, &options(1));
        let error = study.expect_err("it cannot work");
        let chain = std::iter::successors(Some(&error as &dyn std::error::Error), |error| error.source());
        chain.map(ToString::to_string).collect::<Vec<_>>().join(": ")
    };
    let mut empty = sets::orders(0, 1);
    assert!(fails(&empty).contains("orders.csv has no record"), "{}", fails(&empty));
    let first = sets::orders(1, 1).records[0].clone();
    empty.records = vec![first; 50];
    assert!(fails(&empty).contains("no field of orders.csv tells records apart"), "{}", fails(&empty));

    let mut unknown = sets::orders(100, 1);
    unknown.questions[0].condition = "seller = ? order by ts".to_owned();
    let error = fails(&unknown);
    assert!(
        error.contains("there is no field `seller`; the fields are user_id, ts, order_id, amount"),
        "{error}"
    );
    unknown.questions[0].condition = "user_id = 7 and ? is null".to_owned();
    assert!(fails(&unknown).contains("the name of a field"), "{}", fails(&unknown));
    unknown.questions.clear();
    let nothing_asked = study(&unknown, &options(1)).advise(&options(1), &mut |_| true);
    let error = nothing_asked.expect_err("no query").to_string();
    assert!(error.contains("there is no query"), "{error}");

    // Records that nothing tells apart are advised on, and it is said.
    let mut twice = sets::orders(200, 1);
    let again = twice.records.clone();
    twice.records.extend(again);
    let study = study(&twice, &options(1));
    assert!(
        study.notes.iter().any(|note| note.contains("add a field that numbers them")),
        "{:?}",
        study.notes
    );
    assert!(!advise(&study, &options(1)).proposals.is_empty());
}

#[test]
fn columns_that_queries_read_apart_get_families_of_their_own() {
    let mut set = sets::orders(1_000, 1);
    let mut fields: Vec<Field> = set.fields.iter().map(|(_, field)| field.clone()).collect();
    fields.push(Field { name: "comment".to_owned(), ty: Type::Text, nullable: false });
    set.fields = Fields::new(fields);
    set.records.iter_mut().for_each(|record| record.push(rowkey_core::Value::Text("x".repeat(500).into())));
    let names = |names: &[&str]| Some(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
    set.questions[0].columns = names(&["ts", "amount"]);
    set.questions[1].columns = names(&["comment"]);
    let advice = advise(&study(&set, &options(1)), &options(1));
    let families = &advice.proposals[0].families;
    assert_eq!(families.groups, [vec![set.id("amount")], vec![set.id("comment")]], "{families:?}");
    assert!(families.saved > 0.25, "{families:?}");
    assert!(advice.proposals[0].file.contains("[families.e]"), "{}", advice.proposals[0].file);
    set.questions[1].columns = None;
    set.questions[0].columns = None;
    let advice = advise(&study(&set, &options(1)), &options(1));
    assert_eq!(advice.proposals[0].families.groups.len(), 1);
}

#[test]
fn a_table_that_is_good_already_is_recommended_and_a_bad_one_is_not() {
    let set = sets::orders(2_000, 1);
    let file = |key: &str| {
        format!(
            "[table]\nname = \"orders\"\nkey = \"{key}\"\nidentity = [\"order_id\"]\n[fields]\nuser_id = \"u64\"\nts = \"timestamp\"\n\
             order_id = \"u64\"\namount = \"i64\"\n[families.d]\nttl = \"30d\"\ncolumns = {{ a = \"amount\" }}\n"
        )
    };
    let with = |key: &str| {
        let table = Table::parse("orders.toml", &file(key)).unwrap();
        let study = Study::of_records(
            "t",
            &set.fields,
            set.records.clone(),
            &set.questions,
            Some(&table),
            &options(1),
        );
        let study = study.unwrap();
        advise(&study, &options(1))
    };
    let first = with("[ts][order_id][user_id]");
    let yours = first.proposals.iter().find(|proposal| proposal.given).unwrap();
    assert!(yours.name != "A" && yours.figures.total > 2.0 * first.proposals[0].figures.total, "{yours:?}");
    assert!(first.proposals[0].file.contains("ttl = \"30d\""), "{}", first.proposals[0].file);
    let again = with(&first.proposals[0].key);
    assert!(again.proposals[0].given, "{}", again.proposals[0].key);
}

/// The period alone would be read best by a key that begins with the time, and a salt costs it little.
#[test]
fn of_two_designs_that_cost_about_the_same_the_one_that_spreads_writes_is_recommended() {
    let set = sets::orders_by_period(40_000, 1);
    let advice = advise(&study(&set, &options(1)), &options(1));
    let shown = shown(set.name, &advice);
    let hot = |proposal: &&Proposal| proposal.figures.hot.usual > 3.5;
    let hottest = advice.proposals.iter().find(hot).unwrap_or_else(|| panic!("{shown}"));
    let recommended = &advice.proposals[0];
    assert!(hottest.figures.total < recommended.figures.total, "otherwise it is no test: {shown}");
    assert!(recommended.figures.hot.usual < 2.0, "{shown}");
    // What may be spent to open more ranges than one.
    assert!(recommended.figures.total <= 1.05 * hottest.figures.total, "{shown}");
}

#[test]
fn a_key_that_a_rule_warns_of_is_not_recommended_however_cheap_it_is() {
    let mut set = sets::orders_by_period(4_000, 1);
    set.questions[0].window = Some(300_000);
    let reads = Options { writes: 0.02, ..options(1) };
    let advice = advise(&study(&set, &reads), &reads);
    let (best, shown) = (&advice.proposals[0], shown(set.name, &advice));
    let is_cheaper = |own: &&Proposal| own.figures.total * 1.05 < best.figures.total;
    let cheaper = advice.proposals.iter().find(is_cheaper).unwrap_or_else(|| panic!("no test: {shown}"));
    assert!(cheaper.warnings.iter().any(|warning| warning.text.starts_with("rule rising-lead: ")), "{shown}");
    assert_eq!(best.warnings, [], "{shown}");
}

/// 400 readings of so many meters, of which each has a time and a figure.
fn readings(meters: i64, named: [&str; 2], of: impl Fn(i64) -> [i64; 2]) -> Study {
    let fields = drawn::fields(&[("meter", "u32"), (named[0], "u64"), (named[1], "u64")]);
    let record = |row: i64| {
        let [at, figure] = of(row);
        vec![drawn::int(row % meters), drawn::int(at), drawn::int(figure)]
    };
    let records: Vec<Vec<rowkey_core::Value<'static>>> = (0..400).map(record).collect();
    let asking =
        Asking::parse("q", &format!("meter = ? and {0} >= ? and {0} < ?", named[0])).expect("a query");
    Study::of_records("meters", &fields, records, &asking.queries, None, &options(1)).expect("a study")
}

#[test]
fn what_differs_by_luck_or_is_a_time_does_not_identify_records() {
    // A minute apart, as milliseconds and as digits of a calendar, down to the day, the minute, the second and the millisecond.
    let minute = |row: i64| 202_401_010_000 + row / 60 * 100 + row % 60;
    let day = |row: i64| (2000 + row / 300) * 10_000 + (1 + row % 300 / 25) * 100 + 1 + row % 25;
    let of: [&dyn Fn(i64) -> i64; 5] =
        [&|row| drawn::START + row * 60_000, &day, &minute, &|row| minute(row) * 100 + row % 7, &|row| {
            minute(row) * 100_000 + row * 31 % 1000
        }];
    for (form, of) in of.into_iter().enumerate() {
        let study = readings(5, ["at_no", "reading"], |row| [of(row), row * 2_654_435_761 % 1_000_003]);
        assert_eq!(study.basis, Basis::Assumed, "{form}: {:?}", study.notes);
        assert!(study.identity.contains(&study.fields.id("meter").unwrap()), "{:?}", study.identity);
    }
    // 24:00 is no time.
    let study =
        readings(5, ["at_no", "reading"], |row| [minute(row) + 2_400, row * 2_654_435_761 % 1_000_003]);
    assert_eq!(study.basis, Basis::Numbered, "otherwise it is no test: {:?}", study.notes);
}

#[test]
fn what_counts_up_identifies_records_only_under_the_name_of_an_id() {
    let study =
        |name: &str| readings(1, ["at", name], |row| [drawn::START + row / 2 * 60_000, 7_000 + row * 3]);
    let total = study("total");
    assert_eq!(total.basis, Basis::Assumed, "a second meter has the same totals: {:?}", total.notes);
    assert!(total.notes.iter().any(|note| note.contains("question: what makes a record unique?")));
    for name in ["reading_id", "seq", "readingkey", "reading_number"] {
        let study = study(name);
        assert_eq!((study.basis, study.identity.len()), (Basis::Numbered, 1), "{name}: {:?}", study.notes);
    }
}

#[test]
fn a_small_table_is_not_cut() {
    let set = sets::orders_by_seller(2_000, 1);
    let by_size = |rows| Options { regions: None, rows, ..options(1) };
    let advice = advise(&study(&set, &by_size(None)), &by_size(None));
    let shown = shown(set.name, &advice);
    assert!(advice.proposals.iter().all(|proposal| proposal.splits.is_empty()), "{shown}");
    assert!(!advice.proposals[0].file.contains("splits"), "{shown}");
    assert!(advice.proposals[0].indexes.iter().all(|index| index.splits.is_empty()), "{shown}");
    let advice = advise(&study(&set, &by_size(Some(1_000_000))), &by_size(Some(1_000_000)));
    assert!(advice.proposals[0].splits.len() > 2, "{}", advice.proposals[0].key);
}

#[test]
fn designs_are_tested_on_records_that_they_were_not_made_from() {
    // A shelf number would fit two bytes, until the last quarter of the records.
    let fields = drawn::fields(&[("shelf", "u64"), ("ts", "timestamp"), ("id", "u64")]);
    let with = |late: i64| {
        let record = |row: i64| {
            let shelf = if row >= 1_500 { late + row % 50 } else { row * 7 % 50 };
            vec![drawn::int(shelf), rowkey_core::Value::Time(drawn::START + row * 1_000), drawn::int(row)]
        };
        let asking = Asking::parse("q", "shelf = ? order by ts desc limit 20").unwrap();
        let options = Options { rows: Some(2_000_000), ..options(1) };
        let records = (0..2_000).map(record).collect();
        let study = Study::of_records("shelves", &fields, records, &asking.queries, None, &options).unwrap();
        advise(&study, &options)
    };
    let narrowed = |advice: &Advice| advice.proposals.iter().any(|own| own.key.contains("[shelf: u"));
    let same = with(0);
    assert!(narrowed(&same), "otherwise it is no test: {}", shown("shelves", &same));
    for proposal in &same.proposals {
        let later = &proposal.known.later;
        assert_eq!((later.records, later.refused, later.lost), (500, 0, 0), "{}", proposal.key);
        assert!(later.busiest >= 1.0 / 32.0 && later.busiest <= 1.0, "{later:?}");
        assert!(later.read_today.is_some_and(|today| today <= proposal.figures.read * 1.01), "{later:?}");
    }
    assert!(!narrowed(&with(70_000)), "{}", shown("shelves", &with(70_000)));
}

#[test]
fn another_seed_gives_the_same_advice_or_it_is_said_that_two_are_equal() {
    for set in [sets::orders_by_seller(2_000, 1), sets::logs(2_000, 1), sets::celebrity(2_000, 1)] {
        let mut seen = HashSet::new();
        let mut said = 0;
        for seed in 1..=5 {
            let advice = advise(&study(&set, &options(seed)), &options(seed));
            let best = &advice.proposals[0];
            assert_eq!(best.totals.len(), 3);
            let indexes: Vec<&str> = best.indexes.iter().map(|index| index.key.as_str()).collect();
            println!("{} {seed}: {} {indexes:?} {:.2}", set.name, best.key, best.mean_total());
            seen.insert(format!("{} {indexes:?}", best.key));
            let is_said = |note: &&String| {
                note.contains("cost the same within") || note.contains("with other values for the `?`")
            };
            said += usize::from(advice.notes.iter().any(|note| is_said(&note)));
        }
        assert!(seen.len() == 1 || said == 5, "{}: {said} of 5 say so: {seen:?}", set.name);
    }
}

#[test]
fn an_id_that_comes_again_outside_the_sample_does_not_identify_records() {
    let fields = drawn::fields(&[("id", "u64"), ("user", "u32"), ("at", "timestamp")]);
    let mut csv = "id,user,at\n".to_owned();
    for row in 0..20_000 {
        let id = if row == 17_000 { 9_000 } else { row };
        csv.push_str(&format!("{id},{},{}\n", row % 50, drawn::START + row * 1_000));
    }
    let open = || Ok(Source::stream(std::io::Cursor::new(csv.clone().into_bytes())));
    let data = Data { open: &open, format: Format::Csv, label: "rows.csv", threads: 2 };
    let asking = Asking::parse("q", "user = ? order by at desc limit 20").unwrap();
    let options = Options { sample: 500, ..options(1) };
    let study = Study::read(&data, &fields, &asking.queries, None, &options, &mut |_| true).unwrap();
    let id = fields.id("id").unwrap();
    let sampled: std::collections::BTreeSet<String> =
        study.sample.records.iter().map(|record| record[id.0].to_string()).collect();
    assert_eq!(sampled.len(), 500, "otherwise it is no test");
    assert_eq!(study.basis, Basis::Assumed, "{:?}", study.notes);
    assert!(study.identity.len() > 1 && study.identity.contains(&id), "{:?}", study.identity);
}

#[test]
fn the_best_so_far_is_proposed_when_the_time_is_up() {
    let set = sets::orders_by_seller(1_000, 1);
    let study = study(&set, &options(1));
    let mut blocks = 0;
    let advice = study.advise(&options(1), &mut |_| {
        blocks += 1;
        blocks <= 1
    });
    let advice = advice.unwrap();
    assert!(advice.stopped && advice.looked_at <= 32, "{}", advice.looked_at);
    assert!(!advice.proposals.is_empty());
}

#[test]
fn a_file_is_read_twice_and_its_sample_does_not_depend_on_threads() {
    let set = sets::celebrity(30_000, 1);
    let mut csv = "user_id,ts,post_id\n".to_owned();
    for record in &set.records {
        csv.push_str(&format!("{},{},{}\n", record[0], record[1], record[2]));
    }
    let open = || Ok(Source::stream(std::io::Cursor::new(csv.clone().into_bytes())));
    let read = |threads: usize| {
        let data = Data { open: &open, format: Format::Csv, label: "feed.csv", threads };
        let options = Options { sample: 1_000, ..options(1) };
        Study::read(&data, &set.fields, &set.questions, None, &options, &mut |_| true).unwrap()
    };
    let (one, three) = (read(1), read(3));
    assert_eq!((one.sample.rows, one.sample.records.len()), (30_000, 1_000));
    let shown = |study: &Study| format!("{:?}", study.sample.records);
    assert_eq!(shown(&one), shown(&three));
    // Counted on all records, not on the sample.
    let hers = set.records.iter().filter(|record| record[0].to_string() == "7").count();
    let (_, value, share) = &one.celebrities[0];
    assert_eq!((value.as_str(), (share * 30_000.0).round() as usize), ("7", hers));
    assert_eq!(one.identity, [set.id("post_id")]);
}

//! Samples: the same choice whatever the threads, every record as likely as the others; guesses that read what was seen.

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

use std::io::Cursor;

use rowkey_core::Value;
use rowkey_core::value::read;
use rowkey_lab::sample::{
    Guess, GuessError, LiveOptions, Sample, SampleOptions, Sure, guess_fields, key_over, of_table, read_table,
};
use rowkey_ops::input::{Format, Source};

fn stream(text: &str) -> Source {
    Source::stream(Cursor::new(text.to_owned().into_bytes()))
}

fn guess(text: &str, format: Format) -> Result<Guess, GuessError> {
    guess_fields(stream(text), format, "data").map(|(guess, _)| guess)
}

fn sample(text: &str, records: usize, seed: u64, threads: usize) -> Sample {
    let (guess, source) = guess_fields(stream(text), Format::Csv, "data").unwrap();
    let options = SampleOptions { records, seed, threads, only: None };
    Sample::read(source, Format::Csv, &guess.fields, "data", &options).unwrap()
}

fn ids(sample: &Sample) -> Vec<i128> {
    let columns = sample.columns();
    let id = |row| match columns[0].value(row) {
        Value::Int(id) => id,
        other => panic!("{other:?}"),
    };
    (0..sample.len()).map(id).collect()
}

fn lines(count: usize) -> String {
    let mut text = String::from("id,at,word\n");
    (0..count).for_each(|id| text += &format!("{id},2025-01-02 00:00:00,word {}\n", id % 7));
    text
}

#[test]
fn the_choice_is_the_same_whatever_the_number_of_threads() {
    // Several blocks, and a block with a bad line, which is gone through by itself.
    let mut text = lines(60_000);
    text.insert_str(text.len() / 2 / 30 * 30, "");
    let middle = text[text.len() / 2..].find('\n').unwrap() + text.len() / 2 + 1;
    text.insert_str(middle, "bad,line\n");
    let one = sample(&text, 500, 7, 1);
    assert_eq!((one.len(), one.total, one.refused.count), (500, 60_000, 1));
    assert!(one.refused.first[0].contains("it has 2 cells where the first line has 3"), "{:?}", one.refused);
    for threads in [2, 5] {
        assert_eq!(ids(&sample(&text, 500, 7, threads)), ids(&one), "{threads} threads");
    }
    assert!(ids(&one).is_sorted(), "in the order of the data");
    assert_ne!(ids(&sample(&text, 500, 8, 2)), ids(&one), "another seed, another choice");
}

#[test]
fn all_records_are_kept_if_they_are_few() {
    let few = sample(&lines(100), 100, 0, 2);
    assert_eq!(ids(&few), (0..100).collect::<Vec<_>>());
    assert_eq!(few.columns()[2].value(8), Value::Text("word 1".into()));
    let none = sample(&lines(0), 100, 0, 2);
    assert!(none.is_empty() && none.total == 0);
    assert_eq!(sample(&lines(100), 0, 0, 2).len(), 0);
}

#[test]
fn every_record_is_as_likely_as_the_others() {
    let text = lines(200);
    let (mut chosen, mut neighbours) = ([0_u32; 200], 0);
    for seed in 0..400 {
        let ids = ids(&sample(&text, 50, seed, 1));
        ids.iter().for_each(|&id| chosen[id as usize] += 1);
        neighbours += ids.windows(2).filter(|two| two[0] + 1 == two[1]).count();
    }
    // 50 * 49 / 200 in each, whatever becomes of the record before.
    assert!((4_500..5_300).contains(&neighbours), "{neighbours}");
    // 100 times each is expected, with a deviation of 8.7; five of those is far out.
    let (least, most) = (chosen.iter().min().unwrap(), chosen.iter().max().unwrap());
    assert!(*least > 56 && *most < 144, "{least} to {most}");
    let halves = chosen.split_at(100);
    let sums = (halves.0.iter().sum::<u32>(), halves.1.iter().sum::<u32>());
    assert!(sums.0.abs_diff(sums.1) < 700, "{sums:?}");
}

#[test]
fn only_the_fields_asked_for_are_read() {
    let text = "id,at,word\n1,2025-01-01,a\n2,never,b\n";
    let (mut guess, source) = guess_fields(stream(text), Format::Csv, "data").unwrap();
    assert_eq!(
        guess.fields.iter().map(|(_, field)| field.ty.to_string()).collect::<Vec<_>>(),
        ["u64", "text", "text"]
    );
    let id = guess.fields.id("id").unwrap();
    guess.fields = rowkey_fields(&[("id", "u64"), ("at", "timestamp"), ("word", "text")]);
    let options = SampleOptions { only: Some(vec![id]), ..SampleOptions::default() };
    let sample = Sample::read(source, Format::Csv, &guess.fields, "data", &options).unwrap();
    assert_eq!((ids(&sample), sample.refused.count), (vec![1, 2], 0), "`never` was not looked at");
    assert_eq!(sample.columns()[2].value(0), Value::Null);
}

fn rowkey_fields(fields: &[(&str, &str)]) -> rowkey_core::Fields {
    let field = |(name, ty): &(&str, &str)| rowkey_core::key::Field {
        name: (*name).to_owned(),
        ty: rowkey_core::Type::from_name(ty).unwrap(),
        nullable: false,
    };
    rowkey_core::Fields::new(fields.iter().map(field).collect())
}

#[test]
fn a_guessed_type_reads_every_value_that_was_looked_at() {
    let columns: [&[&str]; 9] = [
        &["1", "18446744073709551615", "0"],
        &["-1", "5", "9223372036854775807"],
        &["1.5", "2", "-1e3"],
        &["2024-01-01", "2024-01-01T00:00:00Z", "2024-01-01 10:11:12"],
        &["1700000000000", "946684800000", "4102444799999"],
        &["true", "false", "true"],
        &["123e4567-e89b-12d3-a456-426614174000", "00000000-0000-0000-0000-000000000000", ""],
        &["007", "7", "x"],
        &["", "", ""],
    ];
    let mut csv = (0..columns.len()).map(|number| format!("c{number}")).collect::<Vec<_>>().join(",") + "\n";
    for row in 0..3 {
        csv += &(columns.map(|values| values[row]).join(",") + "\n");
    }
    let guess = guess(&csv, Format::Csv).unwrap();
    let types: Vec<String> = guess.fields.iter().map(|(_, field)| field.ty.to_string()).collect();
    assert_eq!(types, ["u64", "i64", "f64", "timestamp", "timestamp", "bool", "uuid", "text", "text"]);
    let nullable: Vec<bool> = guess.fields.iter().map(|(_, field)| field.nullable).collect();
    assert_eq!(nullable, [false, false, false, false, false, false, true, false, true]);
    assert_eq!((guess.evidence[4].sure, guess.evidence[8].sure), (Sure::Likely, Sure::NoValue));
    for ((_, field), values) in guess.fields.iter().zip(columns) {
        for value in values.iter().filter(|value| !value.is_empty()) {
            assert!(read(value, field.ty).is_ok(), "{value} as {}", field.ty);
        }
    }
}

#[test]
fn json_lines_are_guessed_by_their_values() {
    let lines = "{\"n\":1,\"f\":1.5,\"t\":1700000000000,\"s\":\"a\",\"b\":true,\"l\":[1]}\n\n\
                 {\"n\":2,\"f\":2,\"t\":1700000001000,\"s\":\"\",\"b\":null,\"x\":\"2025-01-01\"}\n";
    let guess = guess(lines, Format::JsonLines).unwrap();
    let shown: Vec<String> = guess
        .fields
        .iter()
        .map(|(id, f)| {
            format!(
                "{} {}{} {}",
                f.name,
                f.ty,
                if f.nullable { "?" } else { "" },
                guess.evidence[id.0].readable
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            "n u64 true",
            "f f64 true",
            "t timestamp true",
            "s text true",
            "b bool? true",
            "l text? false",
            "x timestamp? true"
        ]
    );
}

#[test]
fn data_without_names_is_told() {
    let error = |text: &str, format| guess(text, format).unwrap_err().to_string();
    for (text, words) in [
        ("", "data is empty"),
        ("7,2025-01-01,abc\n8,2025-01-02,def\n", "line 1: `7` is a value and no name"),
        (",,\n1,2,3\n", "is empty and no name"),
        ("a\0b,c\n", "holds control characters"),
    ] {
        assert!(error(text, Format::Csv).contains(words), "{text:?}: {}", error(text, Format::Csv));
    }
    assert!(error("", Format::JsonLines).contains("at least one record"));
    assert!(error("[1]\n", Format::JsonLines).contains("line 1: not a JSON object"));
    let garbage = Source::stream(Cursor::new((0..=255_u8).rev().collect::<Vec<u8>>()));
    let error = guess_fields(garbage, Format::Csv, "data").err().unwrap().to_string();
    assert!(error.contains("not UTF-8"), "{error}");
    // A blank name, and one that comes twice, have a name that is told.
    let named = guess("a,,a\n1,2,3\n", Format::Csv).unwrap();
    assert_eq!(named.fields.names().collect::<Vec<_>>(), ["a", "column_2", "a_2"]);
    assert!(
        named.said.concat().contains("`` is the field column_2, `a` is the field a_2"),
        "{:?}",
        named.said
    );
    let parquet = guess_fields(stream("PAR1"), Format::Parquet, "data").err().unwrap().to_string();
    assert!(parquet.contains("save it to a file"), "{parquet}");
}

#[test]
fn a_file_is_looked_at_all_over() {
    // Whole numbers for 8 MB, then texts.
    let mut text = String::from("id\n");
    (0..1_000_000).for_each(|id| text += format!("{id:07}8\n").trim_start_matches('0'));
    (0..600_000).for_each(|id| text += &format!("x{id:06}\n"));
    let mut file = tempfile::tempfile().unwrap();
    std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
    let (guess, mut again) = guess_fields(Source::file(file), Format::Csv, "data").unwrap();
    assert_eq!(guess.fields.get(guess.fields.id("id").unwrap()).ty.to_string(), "text");
    let mut read_again = String::new();
    std::io::Read::read_to_string(&mut again, &mut read_again).unwrap();
    assert!(read_again == text, "the data comes back from its beginning");
}

#[test]
fn a_key_is_compiled_over_what_the_data_has() {
    let guess = guess("ts,user,word\n5,7,a\n6,8,b\n", Format::Csv).unwrap();
    let key = key_over("[salt(4, user)][user][ts desc]", &guess.fields).unwrap();
    assert_eq!(key.length().min, 17);
    let key = key_over("[ts: timestamp][user]", &guess.fields).unwrap();
    let ty = |name| key.fields().get(key.fields().id(name).unwrap()).ty.to_string();
    assert_eq!(
        (ty("ts"), ty("user")),
        ("timestamp".to_owned(), "u64".to_owned()),
        "the key's own type is right"
    );
    let error = key_over("[usr]", &guess.fields).unwrap_err().to_string();
    assert!(
        error.contains("there is no field `usr`; the fields are ts, user, word; did you mean `user`?"),
        "{error}"
    );
    assert!(key_over("[ts: timestamp][ts: uuid]", &guess.fields).is_err());
}

#[test]
fn a_live_table_is_sampled_by_its_own_schema() {
    use rowkey_store::{RowBatch, RowStore};
    let folder = tempfile::tempdir().unwrap();
    let store =
        rowkey_embedded::EmbeddedStore::open(folder.path(), rowkey_embedded::Options::default()).unwrap();
    let file = "[table]\nname = \"t\"\nkey = \"[salt(4, id)][id]\"\nsplits = \"salt\"\n[fields]\nid = \"u64\"\nword = \"text\"\n\
                [families.d]\ncolumns = { w = \"word\" }\n";
    let table = rowkey_core::Table::parse("t.toml", file).unwrap();
    rowkey_ops::create::create(&store, &table).unwrap();
    let name = table.name.parse().unwrap();
    let mut rows = RowBatch::new();
    let mut writer = rowkey_ops::record::RowWriter::new(&table);
    for id in 0..3000_u64 {
        writer.write(id, &[Value::Int(id.into()), Value::Text(format!("w{id}").into())], &mut rows).unwrap();
    }
    rows.begin_row(b"\xFFstranger");
    rows.cell(b"d", b"w", 1, b"x");
    store.put_batch(&name, &rows).unwrap();

    let options = SampleOptions { records: 100, ..SampleOptions::default() };
    let mut asked = Vec::new();
    let live = LiveOptions { batch_rows: 100, ..LiveOptions::default() };
    let sample = of_table(&store, &name, &table, (live, &options), &mut |rows| asked.push(rows)).unwrap();
    assert_eq!((sample.len(), sample.total, sample.refused.count), (100, 3000, 1));
    assert!(asked.len() >= 30 && asked.is_sorted() && asked.last() == Some(&3001), "{asked:?}");
    let columns = sample.columns();
    let Value::Int(id) = columns[0].value(5) else { panic!() };
    assert_eq!(columns[1].value(5), Value::Text(format!("w{id}").into()));

    let mut seen = 0;
    let tenth = LiveOptions { share: 0.1, ..LiveOptions::default() };
    read_table(&store, &name, &table, tenth, &mut |_| seen += 1, &mut |_| {}).unwrap();
    assert!((150..600).contains(&seen), "a tenth of 3000 is about 300, not {seen}");
    let missing = "missing".parse().unwrap();
    let error = of_table(&store, &missing, &table, (live, &options), &mut |_| {}).unwrap_err().to_string();
    assert!(error.contains("table missing could not be read after 0 rows"), "{error}");
}

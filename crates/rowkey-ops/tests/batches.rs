//! The law of batches of records: all cores show what one would have shown, in the same order, up to the same error.

use std::io::Cursor;

use rowkey_core::batch::{BatchEncoder, Column, KeyBatch};
use rowkey_core::escape::escape;
use rowkey_core::key::{Draw, Draws, EncodeError};
use rowkey_core::{KeySchema, Value};
use rowkey_ops::input::{BatchSink, BatchWork, Batches, Format, Position, Records, Source};

struct Encoder<'k>(BatchEncoder<'k>, KeyBatch);

impl BatchWork for Encoder<'_> {
    type Made = Vec<String>;

    fn batch(&mut self, columns: &[Column<'_>]) -> Option<Vec<String>> {
        self.0.encode(columns, &mut self.1).ok()?;
        Some(self.1.iter().map(|key| escape(key).to_string()).collect())
    }
}

struct Keys<'k> {
    key: &'k KeySchema,
    keys: Vec<String>,
    batches: usize,
    positions: Vec<u64>,
}

impl BatchSink<Vec<String>> for Keys<'_> {
    fn made(&mut self, made: Vec<String>, after: Position) -> std::io::Result<()> {
        self.keys.extend(made);
        self.batches += 1;
        self.positions.push(after.byte);
        Ok(())
    }

    fn record(&mut self, values: &[Value<'_>]) -> Result<(), EncodeError> {
        let mut bytes = Vec::new();
        self.key.encode(values, &mut bytes)?;
        self.keys.push(escape(&bytes).to_string());
        Ok(())
    }
}

fn one_by_one(key: &KeySchema, text: &str, format: Format) -> (Vec<String>, Option<String>) {
    let source = Source::stream(Cursor::new(text.to_owned().into_bytes()));
    let mut sink = Keys { key, keys: Vec::new(), batches: 0, positions: Vec::new() };
    let mut records = match Records::open(source, format, key.fields(), "data") {
        Ok(records) => records,
        Err(error) => return (Vec::new(), Some(error.to_string())),
    };
    loop {
        match records.next(|_, values| sink.record(values)) {
            Ok(true) => {}
            Ok(false) => return (sink.keys, None),
            Err(error) => return (sink.keys, Some(error.to_string())),
        }
    }
}

/// The keys, the error, and how many batches were read a column at a time.
fn by_all_cores(key: &KeySchema, text: &str, format: Format) -> (Vec<String>, Option<String>, usize) {
    let source = Source::stream(Cursor::new(text.to_owned().into_bytes()));
    let mut sink = Keys { key, keys: Vec::new(), batches: 0, positions: Vec::new() };
    let run = match Batches::open(source, format, key.fields(), "data") {
        Ok(batches) => {
            let work = || Encoder(BatchEncoder::new(key), KeyBatch::new());
            batches.run(3, work, &mut sink).map_err(|error| error.to_string())
        }
        Err(error) => Err(error.to_string()),
    };
    assert!(sink.positions.is_sorted(), "progress goes on");
    (sink.keys, run.err(), sink.batches)
}

/// A cell with whatever CSV can hold; without quotes, lines are read another way.
fn cell(draws: &mut Draws, plain: bool) -> String {
    match draws.draw(8) {
        0..4 if plain => String::new(),
        4 | 6 if plain => "a b;c\td".to_owned(),
        0 => "\"a,b\"".to_owned(),
        1 => "\"line\nend\"".to_owned(),
        2 => "\"say \"\"yes\"\"\"".to_owned(),
        3 => "5\" pipe".to_owned(),
        4 => "\"\"\"\"".to_owned(),
        5 => "\u{e9}\u{4e2d}".to_owned(),
        6 => "\"x\"y".to_owned(),
        _ => format!("id{}", draws.draw(1_000_000)),
    }
}

#[test]
fn all_cores_read_what_one_reads() {
    let key = KeySchema::parse("[salt(16, n)][n: u64][t: timestamp desc][s: escaped][o: u32?]").unwrap();
    let (mut good, mut bad) = (0, 0);
    for seed in 0..60 {
        let mut draws = Draws::new(seed, 0);
        let plain = seed % 3 == 0;
        let mut text = String::from("s,n,o,t\n");
        // Several blocks of a quarter of a megabyte; in half of the cases one line is wrong somewhere.
        let lines = 1 + draws.draw(40_000);
        let wrong_line = (seed % 2 == 0).then(|| draws.draw(lines));
        for line in 0..lines {
            let (n, t) = (draws.draw(u32::MAX), 1_000_000_000_000 + u64::from(draws.draw(u32::MAX)));
            let o = if draws.draw(3) == 0 { String::new() } else { draws.draw(9).to_string() };
            let s = cell(&mut draws, plain);
            let end = if draws.draw(9) == 0 && !plain { "\r\n" } else { "\n" };
            match wrong_line {
                Some(wrong) if wrong == line => match draws.draw(6) {
                    4 => text.push_str(&format!("\"open,{n},{o},{t}{end}")),
                    5 => text.push_str(&format!("a\rb,{n},{o},{t}{end}")),
                    0 => text.push_str(&format!("{s},{n},{o}{end}")),
                    1 => text.push_str(&format!("{s},minus,{o},{t}{end}")),
                    2 => text.push_str(&format!("{s},{n},99999999999,{t}{end}")),
                    _ => text.push_str(&format!("{s},{n},{o},{t},{t}{end}")),
                },
                _ => text.push_str(&format!("{s},{n},{o},{t}{end}")),
            }
            if draws.draw(50) == 0 {
                text.push('\n');
            }
        }
        if draws.draw(2) == 0 {
            text.truncate(text.trim_end().len());
        }
        let (keys, problem) = one_by_one(&key, &text, Format::Csv);
        let (found, found_problem, batches) = by_all_cores(&key, &text, Format::Csv);
        assert_eq!(found_problem, problem, "seed {seed}");
        assert_eq!(found, keys, "seed {seed}");
        match problem {
            None => {
                good += 1;
                assert!(batches > 0, "seed {seed}: read by columns");
            }
            Some(_) => bad += 1,
        }
    }
    assert!(good >= 20 && bad >= 20, "{good} good, {bad} bad");
}

#[test]
fn json_lines_are_read_by_all_cores_too() {
    let key = KeySchema::parse("[n: u64][s]").unwrap();
    let mut text: String = (0..30_000).map(|n| format!("{{\"n\":{n},\"s\":\"a\\n{n}\"}}\n")).collect();
    let (keys, problem) = one_by_one(&key, &text, Format::JsonLines);
    let (found, found_problem, batches) = by_all_cores(&key, &text, Format::JsonLines);
    assert_eq!((&found, &found_problem), (&keys, &problem));
    assert_eq!(keys.len(), 30_000);
    assert!(batches > 2, "{batches}");

    text.push_str("{\"n\":-1,\"s\":\"\"}\n{}\n");
    let (keys, problem) = one_by_one(&key, &text, Format::JsonLines);
    let (found, found_problem, _) = by_all_cores(&key, &text, Format::JsonLines);
    assert_eq!((found, &found_problem), (keys, &problem));
    assert!(problem.unwrap().starts_with("data, line 30001: field `n`"));
}

#[test]
fn whatever_a_line_of_json_holds_all_cores_read_what_one_reads() {
    let key = "[u: u64][i: i16][f: f64][d: ordered(numeric)][t: timestamp][b: bool][x: uuid][s: escaped?][e: bytes]";
    let key = KeySchema::parse(key).unwrap();
    let fits: [(&str, &[&str]); 9] = [
        ("u", &["0", "18446744073709551615", r#""7""#]),
        ("i", &["-32768", "32767", "0", r#""-1""#]),
        ("f", &["1", "-1", "1.5", "1e300", "18446744073709551616", r#""0.25""#]),
        ("d", &["12", "-3", r#""1.50""#]),
        ("t", &["0", "-5", "1700000000000", r#""2024-02-29 12:00:00""#, r#""7""#]),
        ("b", &["true", "false", r#""1""#]),
        ("x", &[r#""123e4567-e89b-12d3-a456-426614174000""#]),
        ("s", &[r#""""#, r#""a\u00e9\n""#, "\"\u{4e2d}\"", "null"]),
        ("e", &[r#""\\x00z""#, r#""plain""#]),
    ];
    let misfits =
        ["null", "-1", "65536", "1.5", "1e999", "true", r#""x""#, "[]", r#"{"a":1}"#, "99999999999999999999"];
    let mut seen = (0, 0);
    for seed in 0..400_u64 {
        let mut draws = Draws::new(seed, 0);
        let mut pick = |list: &[&'static str]| list[draws.draw(list.len() as u32) as usize];
        let mut lines: Vec<String> = Vec::new();
        for line in 0..30 {
            let mut cells: Vec<String> =
                fits.iter().map(|(name, values)| format!("\"{name}\": {}", pick(values))).collect();
            // Names need not come in one order, and a field that may be null may be missing.
            cells.rotate_left(usize::from(line % 7 == 6) * 3);
            if line % 5 == 4 {
                cells.retain(|cell| !cell.starts_with("\"s\""));
            }
            lines.push(format!("{{{}}}", cells.join(", ")));
        }
        if seed % 4 > 0 {
            let place = 1 + (seed % 29) as usize;
            let (name, value) = (fits[(seed / 4 % 9) as usize].0, pick(&misfits));
            let line = lines[place].trim_end_matches('}').to_owned();
            lines[place] = match seed % 9 {
                0 => format!("{line}, \"{name}\": {value}}}"),
                1 => format!("{line}, \"new\": 1}}"),
                2 => format!("{line}}} x"),
                3 => "[1]".to_owned(),
                4 => "  ".to_owned(),
                5 => format!("{{\"{name}\": {value}}}"),
                _ => {
                    // A good record but for one cell.
                    let from = lines[0].find(&format!("\"{name}\": ")).unwrap() + 5;
                    let end = from + lines[0][from..].find([',', '}']).unwrap();
                    format!("{}{value}{}", &lines[0][..from], &lines[0][end..])
                }
            };
        }
        let text = lines.join("\n");
        let (keys, problem) = one_by_one(&key, &text, Format::JsonLines);
        let (found, found_problem, batches) = by_all_cores(&key, &text, Format::JsonLines);
        assert_eq!(found_problem, problem, "seed {seed}: {text}");
        assert_eq!(found, keys, "seed {seed}: {text}");
        if seed % 4 == 0 {
            assert_eq!((keys.len(), batches), (30, 1), "seed {seed}: read by columns");
        }
        if problem.is_none() { seen.0 += 1 } else { seen.1 += 1 }
    }
    assert!(seen.0 > 100 && seen.1 > 100, "{seen:?}");
}

#[test]
fn data_without_records_and_a_wrong_first_line_are_told_alike() {
    let key = KeySchema::parse("[n: u64][s]").unwrap();
    for text in [
        "",
        "n,s",
        "n,s\n",
        "n,s\n\n\n",
        "n\n1\n",
        "n,s,x\n",
        "n,n,s\n",
        "\"n\",\"s\"\n1,a",
        "\u{feff}n,s\n1,a\n",
    ] {
        let (keys, problem) = one_by_one(&key, text, Format::Csv);
        let (found, found_problem, _) = by_all_cores(&key, text, Format::Csv);
        assert_eq!((found, found_problem), (keys, problem), "{text:?}");
    }
}

/// A reader that fails after some lines.
struct Failing(Cursor<Vec<u8>>);

impl std::io::Read for Failing {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self.0.read(buffer)? {
            0 => Err(std::io::Error::other("the disk is gone")),
            read => Ok(read),
        }
    }
}

#[test]
fn a_read_that_fails_ends_the_reading_with_its_words() {
    let key = KeySchema::parse("[n: u64]").unwrap();
    let text = format!("n\n{}", "1\n".repeat(400_000));
    let source = Source::stream(Failing(Cursor::new(text.into_bytes())));
    let mut sink = Keys { key: &key, keys: Vec::new(), batches: 0, positions: Vec::new() };
    let batches = Batches::open(source, Format::Csv, key.fields(), "data").unwrap();
    let work = || Encoder(BatchEncoder::new(&key), KeyBatch::new());
    let problem = batches.run(2, work, &mut sink).unwrap_err().to_string();
    assert!(problem.contains("the disk is gone"), "{problem}");
    assert!(sink.keys.len() > 100_000, "what came before was handed on");
}

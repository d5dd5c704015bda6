//! Data as others write it: what is guessed is told, and what cannot be read is refused with its cure.

use std::io::Write;

use crate::program::{self, Workplace, assert_error, finished, json};

const AIRPORTS: &str = "Airport Name;id;opened_at;elevation;\nA, B;1;1375228800;3;x\nC;2;1375315200;NA;y\n";

fn place() -> Workplace {
    let place = Workplace::new("orders");
    place.write("airports.csv", AIRPORTS);
    place
}

fn piped(place: &Workplace, arguments: &[&str], bytes: &[u8]) -> program::Run {
    let mut child = place.start(arguments);
    child.stdin.take().expect("a pipe").write_all(bytes).expect("it reads");
    finished(&child.wait_with_output().expect("it ends"))
}

#[test]
fn what_is_guessed_is_told_once_with_what_says_otherwise() {
    let place = place();
    let run = place.run(&["profile", "airports.csv"]);
    assert_eq!(run.code, 0, "{run:?}");
    for words in [
        "airports.csv is read as CSV with `;` between cells (guessed; --delimiter says otherwise)",
        "`NA` is read as null (guessed; --null 'NA' says so to load",
        "`Airport Name` is the field Airport_Name, `` is the field column_5",
        "`opened_at` is read as seconds since 1970",
    ] {
        assert_eq!(run.err.matches(words).count(), 1, "{words}: {run:?}");
    }
    let told =
        ["profile", "airports.csv", "--delimiter", ";", "--null", "NA", "--time-format", "opened_at=s"];
    let renamed = ["--rename", "Airport Name=name", "--rename", "=sign"];
    let run = place.run(&[&told[..], &renamed].concat());
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
    assert!(run.out.contains("name") && run.out.contains("sign"), "{run:?}");
}

#[test]
fn standard_input_is_looked_at() {
    let place = place();
    let lines = b"{\"id\":1,\"x\":\"a\"}\n{\"id\":2,\"x\":null}\n";
    let run = piped(&place, &["--json", "profile", "-"], lines);
    assert_eq!((run.code, json(&run.out)["records"].as_u64()), (0, Some(2)), "{run:?}");
    let array = b"[\n {\"id\":1},\n {\"id\":2},\n {\"id\":\"x\"}]";
    let run = piped(&place, &["encode", "[id: u64]", "--from", "-", "--hex"], array);
    assert_eq!(run.out, "0000000000000001\n0000000000000002\n", "{run:?}");
    assert!(run.err.contains("standard input, object 3: field `id`: `x` is not a whole number"), "{run:?}");
    let run = piped(&place, &["encode", "[id: u64]", "--from", "-"], b"");
    assert_error(&run, &["standard input is empty"]);
}

#[test]
fn a_table_file_is_made_of_data_alone() {
    let place = Workplace::new("orders");
    place.write_orders(3000);
    let out = place.ok(&["new", "--from", "orders.csv", "--write", "mine.toml"]);
    assert!(out.contains("wrote mine.toml"), "{out}");
    let text = place.read("mine.toml");
    for words in [
        "# What the data cannot say:",
        "rowkey load mine.toml orders.csv",
        "user_id = \"u64\"",
        "identity = [",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    place.ok(&["create", "mine.toml"]);
    let loaded = place.ok(&["load", "mine.toml", "orders.csv"]);
    assert!(loaded.starts_with("loaded 3,000 rows into orders"), "{loaded}");
    assert_eq!(place.ok(&["count", "orders"]).trim(), "3000");

    // Nested values, nulls and odd names come with what a load needs to be told.
    place.write(
        "events.json",
        "[{\"When It Was\":1700000000,\"tags\":[1],\"v\":null},{\"When It Was\":1700000001,\"v\":2}]",
    );
    let text = place.ok(&["new", "--from", "events.json", "--time-format", "When_It_Was=s"]);
    for words in [
        "--ignore-columns=tags",
        "--time-format 'When_It_Was=s'",
        "When_It_Was = \"timestamp\"",
        "v = \"u64?\"",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert_error(
        &place.run(&["new", "--from", "orders.csv", "--write", "mine.toml"]),
        &["mine.toml", "--force"],
    );
}

#[test]
fn packed_and_several_files_are_loaded() {
    let place = Workplace::new("orders");
    place.write_orders(4000);
    let csv = place.read("orders.csv");
    let (names, rows) = csv.split_once('\n').expect("names");
    let lines: Vec<&str> = rows.lines().collect();
    for (number, part) in lines.chunks(1500).enumerate() {
        place.write(&format!("part-{number}.csv"), &format!("{names}\n{}\n", part.join("\n")));
    }
    let packed = std::process::Command::new("gzip").arg(place.path("part-1.csv")).status();
    assert!(packed.expect("gzip").success());
    place.ok(&["create", "orders.toml"]);
    let out = place.ok(&["load", "orders.toml", &place.path("part-*").display().to_string()]);
    assert!(out.starts_with("loaded 4,000 rows into orders"), "{out}");
    program::assert_all_once(place.all_order_ids(), 4000);
    assert!(!place.path("part-0.csv.rowkey-load").exists());
}

#[test]
fn wrong_ways_are_answered_with_the_right_one() {
    let place = place();
    place.write_orders(10);
    place.ok(&["create", "orders.toml"]);
    place.write("empty.csv", "");
    std::fs::create_dir(place.path("folder")).expect("a folder");
    std::fs::write(place.path("x.csv"), b"\xFD7zXZ\0rest").expect("a file");
    std::fs::write(place.path("utf16.csv"), b"\xFF\xFEi\0d\0").expect("a file");
    std::fs::write(place.path("broken.csv.gz"), b"\x1F\x8B\x08\x00rest").expect("a file");
    place.write("latin.csv", "id\n1\n");
    std::fs::write(place.path("latin.csv"), b"id,name\n1,\xE9\n").expect("a file");
    place.write("twice.csv", "user_id,user_id\n1,2\n");
    place.write("array.jsonl", "[{\"user_id\":1}]");
    place.write("seconds.csv", "ts\n1700000000\n");
    place.write("fine.csv", "ts\n2024-05-24T00:00:00.123456Z\n");
    place.write("na.csv", "elevation\nNA\n");
    let cases: &[(&[&str], &[&str])] = &[
        (&["load", "orders.toml", "empty.csv"], &["empty.csv is empty", "a line of names"]),
        (&["load", "orders.toml", "folder"], &["folder is a folder", "'folder/*.csv'"]),
        (&["load", "orders.toml", "nothing-*.csv"], &["no file is called nothing-*.csv"]),
        (&["load", "orders.toml", "x.csv"], &["compressed with xz", "xz -dc"]),
        (&["load", "orders.toml", "utf16.csv"], &["UTF-16", "iconv -f UTF-16"]),
        (&["profile", "broken.csv.gz"], &["gzip data"]),
        (&["encode", "[id: u64][name]", "--from", "latin.csv"], &["line 2", "not UTF-8", "iconv -f LATIN1"]),
        (
            &["load", "orders.toml", "airports.csv", "--delimiter", ","],
            &["no field is called", "--delimiter ';'"],
        ),
        (&["load", "orders.toml", "twice.csv"], &["the column `user_id` comes twice", "--ignore-columns"]),
        (&["encode", "[user_id: u64]", "--from", "array.jsonl", "--format", "jsonl"], &["--format json"]),
        (
            &["encode", "[ts: timestamp]", "--from", "seconds.csv"],
            &["seconds since 1970", "1970-01-20", "--time-format s"],
        ),
        (&["encode", "[ts: timestamp]", "--from", "fine.csv"], &["whole millisecond", "--truncate-times"]),
        (&["encode", "[ts: timestamp]", "ts=20240524"], &["a date as a number", "--time-format yyyyMMdd"]),
        (&["query", "orders", "ts > 1700000000"], &["seconds since 1970"]),
        (&["encode", "[elevation: u64]", "--from", "na.csv"], &["--null 'NA'"]),
        (
            &["encode", "[elevation: u64]", "--from", "na.csv", "--null", "NA"],
            &["field `elevation` is null", "u64?"],
        ),
        (
            &["load", "orders.toml", "airports.csv", "--rename", "x=y"],
            &["--rename names `x`, which is no column", "`Airport Name`"],
        ),
        (&["load", "orders.toml", "orders.csv", "--time-format", "amount=s"], &["`amount`", "type i64"]),
        (&["load", "orders.toml", "orders.csv", "--time-format", "seconds"], &["is not known", "yyyyMMdd"]),
        (&["load", "orders.toml", "orders.csv", "--time-zone", "Europe/Berlin"], &["no offset", "+02:00"]),
        (&["load", "orders.toml", "orders.csv", "--delimiter", ",,"], &["one character"]),
        (&["encode", "[id: u64]", "--from", "array.jsonl", "--null", "NA"], &["--null is for CSV"]),
        (
            &["query", "orders", "select * from orders where user_id = 7"],
            &["behind `where`", "\"user_id = 7\""],
        ),
        (
            &["query", "orders", "where user_id = 7 limit 3"],
            &["leave out `where`", "\"user_id = 7 limit 3\""],
        ),
        (&["check", "orders.csv"], &["orders.csv is no table file", "rowkey new --from orders.csv"]),
        (&["create", "orders.csv"], &["orders.csv is no table file", "rowkey new --from orders.csv"]),
    ];
    for (arguments, words) in cases {
        assert_error(&place.run(arguments), words);
    }
}

#[test]
fn dates_as_numbers_are_shown_as_days() {
    let place = Workplace::new("orders");
    place.write("day.csv", "day,id\n20130101,1\n20130102,2\n20130103,3\n");
    let simulate =
        ["simulate", "[day: u64][id: u64]", "--data", "day.csv", "--time", "day", "--regions", "2"];
    let run = place.run(&[&["--json"], &simulate[..]].concat());
    assert_eq!(run.code, 0, "{run:?}");
    assert!(!run.out.contains("1970"), "{run:?}");
    assert_eq!(run.err.matches("`day` is read as a date as a number").count(), 1, "{run:?}");
    let heat = place.ok(&[&simulate[..], &["--heat"]].concat());
    for words in ["day≥2013-01-01T", "01-01 00:00", "01-03 00:00"] {
        assert!(heat.contains(words), "{words}: {heat}");
    }
    let heat = place.ok(&[&simulate[..], &["--heat", "--step", "1d"]].concat());
    assert!(heat.contains("2013-01-01 2013-01-03"), "{heat}");
}

#[test]
fn names_with_blanks_are_advised_on() {
    let place = Workplace::new("orders");
    let lines: String = (0..300).map(|n| format!("name {},2013-01-0{},{n}\n", n % 40, n % 9 + 1)).collect();
    place.write("airports.csv", &format!("Airport Name,Opened At,elev (ft)\n{lines}"));
    place.write("queries.txt", "10 Airport_Name = ? order by Opened_At desc limit 5\n");
    let advise = ["advise", "--data", "airports.csv", "--queries", "queries.txt", "--write", "airports.toml"];
    let run = place.run(&advise);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(run.err.matches("`Airport Name` is the field Airport_Name").count(), 1, "{run:?}");
    assert!(run.out.contains("[Airport_Name"), "{run:?}");
    place.ok(&["create", "airports.toml"]);
    let rename = ["--rename", "Airport Name=Airport_Name", "--rename", "Opened At=Opened_At"];
    let load = ["load", "airports.toml", "airports.csv", "--rename", "elev (ft)=elev_ft"];
    place.ok(&[&load[..], &rename].concat());
    assert_eq!(place.ok(&["count", "airports.toml", "Airport_Name = 'name 3'", "--full-scan"]), "8\n");
}

#[test]
fn a_column_that_comes_twice_is_profiled_under_a_name_of_its_own() {
    let place = Workplace::new("orders");
    place.write("twice.csv", "user_id,x,user_id\n1,a,7\n2,b,7\n");
    let run = place.run(&["--json", "profile", "twice.csv"]);
    assert_eq!(run.code, 0, "{run:?}");
    let told = "column `user_id` is the field user_id_2 (--rename 'COLUMN=FIELD' says otherwise)";
    assert_eq!(run.err.matches(told).count(), 1, "{run:?}");
    let profile = json(&run.out);
    let fields: Vec<_> = profile["fields"].as_array().expect("fields").iter().collect();
    let distinct =
        |name: &str| fields.iter().find(|field| field["name"] == name).map(|field| field["distinct"].clone());
    assert_eq!((distinct("user_id"), distinct("user_id_2")), (Some(2.into()), Some(1.into())), "{profile}");
}

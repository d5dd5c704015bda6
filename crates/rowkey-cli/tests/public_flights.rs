//! The first hour at work: flights as others publish them, from the raw file to answers, unedited.
//!
//! Every answer is compared with what a few lines of Rust or Python find in the same file.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use crate::program::{Workplace, json};
use rowkey_testing::{public_sets, python};

/// A record of the raw file: its cells by the names of their columns.
type Flight = HashMap<String, String>;

const QUERIES: &str = "60 carrier = ? and flight = ? order by time_hour desc limit 20\n\
                       30 origin = ? and time_hour >= ? and time_hour < ?\n\
                       10 tailnum = ? order by time_hour desc limit 20\n";

/// The file has neither quotes nor commas in cells.
fn flights(csv: &str) -> Vec<Flight> {
    let mut lines = csv.lines();
    let names: Vec<&str> = lines.next().expect("a line of names").split(',').collect();
    let record = |line: &str| {
        names.iter().zip(line.split(',')).map(|(name, cell)| ((*name).to_owned(), cell.to_owned())).collect()
    };
    lines.map(record).collect()
}

/// A value as the file has it, from how the program prints it.
fn raw(text: &str) -> String {
    match text.strip_suffix(".000Z") {
        Some(time) => format!("{time}Z"),
        None if text.is_empty() => "NA".to_owned(),
        None => text.to_owned(),
    }
}

fn shown(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::Null => raw(""),
        serde_json::Value::String(text) => raw(text),
        other => other.to_string(),
    }
}

/// The records of an answer.
fn answered(place: &Workplace, condition: &str) -> Vec<Flight> {
    let out = place.ok(&["--json", "query", "flights", condition]);
    let record = |line: &str| {
        let fields = json(line)["record"].as_object().expect("a record").clone();
        fields.into_iter().map(|(name, value)| (name, shown(&value))).collect()
    };
    out.lines().map(record).collect()
}

/// What tells a flight apart.
fn identity(flight: &Flight) -> Vec<&str> {
    ["time_hour", "carrier", "flight", "origin", "dest"].map(|name| flight[name].as_str()).to_vec()
}

#[test]
fn flights_from_new_york_from_the_raw_file_to_answers() {
    let sets = public_sets::fetch(&mut |line| println!("{line}")).expect("pip and npm bring the flights");
    let csv = sets.new_york.to_str().expect("a path of text");
    let all = flights(&std::fs::read_to_string(csv).expect("the file is there"));
    let place = Workplace::new("unused");
    place.write("queries.txt", QUERIES);

    let profile = json(&place.ok(&["--json", "profile", csv]));
    assert_eq!(profile["records"].as_u64(), Some(all.len() as u64));
    for field in profile["fields"].as_array().expect("fields") {
        let name = field["name"].as_str().expect("a name");
        let nulls = all.iter().filter(|flight| flight[name] == "NA").count() as u64;
        assert_eq!(field["nulls"].as_u64(), Some(nulls), "{name}: {field}");
    }

    place.ok(&["new", "--from", csv, "--write", "guessed.toml"]);
    let checked = place.run(&["check", "guessed.toml", "--data", csv, "--null", "NA"]);
    assert!(checked.code < 2 && !checked.out.contains("error"), "{checked:?}");

    let identity_fields = "carrier,flight,origin,dest,time_hour";
    let advise = ["advise", "--data", csv, "--null", "NA", "--queries", "queries.txt", "--sample", "4000"];
    let write = ["--identity", identity_fields, "--table", "flights", "--write", "flights.toml"];
    place.ok(&[&advise[..], &write].concat());
    place.ok(&["create", "flights.toml"]);
    let loaded = json(&place.ok(&["--json", "load", "flights.toml", csv, "--null", "NA"]));
    assert_eq!((loaded["rows"].as_u64(), loaded["replaced"].as_u64()), (Some(all.len() as u64), Some(0)));

    // Each query, asked for a value that many flights have, and one that few have.
    for (name, condition, limit, matching) in [
        (
            "a flight",
            "carrier = 'UA' and flight = 15 order by time_hour desc limit 20",
            Some(20),
            (|f: &Flight| f["carrier"] == "UA" && f["flight"] == "15") as fn(&Flight) -> bool,
        ),
        ("a plane", "tailnum = 'N14228' order by time_hour desc limit 20", Some(20), |f| {
            f["tailnum"] == "N14228"
        }),
        (
            "a day of an airport",
            "origin = 'LGA' and time_hour >= '2013-03-10' and time_hour < '2013-03-11'",
            None,
            |f| f["origin"] == "LGA" && f["time_hour"].starts_with("2013-03-10T"),
        ),
    ] {
        let mut found = answered(&place, condition);
        let mut expected: Vec<Flight> = all.iter().filter(|flight| matching(flight)).cloned().collect();
        expected
            .sort_by(|a, b| b["time_hour"].cmp(&a["time_hour"]).then_with(|| identity(a).cmp(&identity(b))));
        if let Some(limit) = limit {
            // Flights of the hour where the limit cuts may be these or those.
            let times =
                |flights: &[Flight]| flights.iter().map(|f| f["time_hour"].clone()).collect::<Vec<_>>();
            assert_eq!(times(&found), times(&expected[..limit.min(expected.len())]), "{name}");
            assert!(found.iter().all(|flight| expected.contains(flight)), "{name}");
        } else {
            found.sort_by(|a, b| {
                b["time_hour"].cmp(&a["time_hour"]).then_with(|| identity(a).cmp(&identity(b)))
            });
            assert_eq!(found, expected, "{name}");
        }
        assert!(!found.is_empty(), "{name}: nothing to compare");
    }

    let counted = place.ok(&["--json", "count", "flights", "--group-by", "origin,carrier"]);
    let groups: BTreeMap<(String, String), u64> = counted
        .lines()
        .map(json)
        .filter(|line| line.get("group").is_some())
        .map(|line| {
            let text = |name: &str| line["group"][name].as_str().expect("a text").to_owned();
            ((text("origin"), text("carrier")), line["rows"].as_u64().expect("a number"))
        })
        .collect();
    let mut expected: BTreeMap<(String, String), u64> = BTreeMap::new();
    for flight in &all {
        *expected.entry((flight["origin"].clone(), flight["carrier"].clone())).or_default() += 1;
    }
    assert_eq!(groups, expected);

    place.ok(&["export", "flights", "--out", "back.csv"]);
    let mut back = flights(&place.read("back.csv"));
    back.iter_mut().flat_map(Flight::values_mut).for_each(|cell| *cell = raw(cell));
    let mut all = all;
    back.sort_by(|a, b| identity(a).cmp(&identity(b)));
    all.sort_by(|a, b| identity(a).cmp(&identity(b)));
    assert!(back == all, "what is exported is not what was loaded");
}

/// Reads the file in its own way; prints the rows, how many differ, the flights by origin, and the dates of a route's latest. What was
/// exported from it has the same flights, each once.
const JUDGE: &str = r#"
import datetime, json, pyarrow, pyarrow.compute, pyarrow.parquet, sys
path, exported, (origin, destination) = sys.argv[1], sys.argv[2], sys.argv[3:]
types = {"date": pyarrow.timestamp("ms"), "delay": pyarrow.int64(), "distance": pyarrow.int64(),
         "origin": pyarrow.string(), "destination": pyarrow.string()}
if path.endswith(".parquet"):
    flights = pyarrow.parquet.read_table(path)
else:
    flights = json.load(open(path))
    for flight in flights:
        flight["date"] = datetime.datetime.strptime(flight["date"], "%Y/%m/%d %H:%M")
    flights = pyarrow.Table.from_pylist(flights)
def each_once(table):
    table = pyarrow.table({name: table[name].cast(type) for name, type in types.items()})
    table = table.group_by(list(types), use_threads=False).aggregate([]).select(list(types))
    return table.sort_by([(name, "ascending") for name in types])
different, back = each_once(flights), pyarrow.parquet.read_table(exported)
field = pyarrow.compute.field
route = different.filter((field("origin") == origin) & (field("destination") == destination))
route = route.sort_by([("date", "descending")])["date"].slice(0, 20).to_pylist()
origins = different.group_by("origin").aggregate([("origin", "count")]).to_pylist()
print(json.dumps({
    "same": back.num_rows == different.num_rows and each_once(back).equals(different),
    "rows": flights.num_rows,
    "different": different.num_rows,
    "origins": {origin["origin"]: origin["origin_count"] for origin in origins},
    "route": [date.strftime("%Y-%m-%dT%H:%M:%S.000Z") for date in route],
}))
"#;

#[test]
fn three_million_flights_of_the_united_states_from_parquet_to_answers() {
    let sets = public_sets::fetch(&mut |line| println!("{line}")).expect("pip and npm bring the flights");
    walk_the_united_states(&sets.three_million, &[]);
}

#[test]
fn flights_of_the_united_states_from_json_to_answers() {
    let sets = public_sets::fetch(&mut |line| println!("{line}")).expect("pip and npm bring the flights");
    walk_the_united_states(&sets.twenty_thousand, &["--time-format", "date=yyyy/MM/dd HH:mm"]);
}

fn walk_the_united_states(file: &Path, reading: &[&str]) {
    let data = file.to_str().expect("a path of text");
    let place = Workplace::new("unused");
    let with = |arguments: &[&str]| place.ok(&[arguments, reading].concat());
    let profile = json(&with(&["--json", "profile", data]));
    with(&["new", "--from", data, "--write", "guessed.toml"]);
    // Nothing tells flights apart but all of their fields.
    place.write("queries.txt", "origin = ? and destination = ? order by date desc limit 20\n");
    let identity = ["--identity", "date,origin,destination,delay,distance", "--table", "flights"];
    let advise =
        ["advise", "--data", data, "--queries", "queries.txt", "--sample", "4000", "--write", "flights.toml"];
    with(&[&advise[..], &identity].concat());
    let checked = place.run(&[&["check", "flights.toml", "--data", data][..], reading].concat());
    assert!(checked.code < 2, "{checked:?}");
    place.ok(&["create", "flights.toml"]);
    let loaded = json(&with(&["--json", "load", "flights.toml", data]));
    place.ok(&["export", "flights", "--out", "back.parquet"]);
    let mut judge = python::with_pyarrow(&mut |_| ()).expect("pip brings pyarrow");
    let back = place.path("back.parquet").display().to_string();
    let judged = judge.args(["-c", JUDGE, data, &back, "LAS", "PHX"]).output().expect("Python runs");
    assert!(judged.status.success(), "{judged:?}");
    let judged = json(&String::from_utf8(judged.stdout).expect("text"));
    assert_eq!(judged["same"], true, "what is exported is not what was loaded");
    assert_eq!((&profile["records"], &loaded["rows"]), (&judged["rows"], &judged["rows"]));
    let counted = json(&place.ok(&["--json", "count", "flights"]));
    assert_eq!(counted["rows"], judged["different"], "{counted}");
    let route = "origin = 'LAS' and destination = 'PHX' order by date desc limit 20";
    let dates: Vec<serde_json::Value> = place
        .ok(&["--json", "query", "flights", route])
        .lines()
        .map(|line| json(line)["record"]["date"].clone())
        .collect();
    assert_eq!(serde_json::Value::from(dates), judged["route"]);
    let groups: serde_json::Map<String, serde_json::Value> = place
        .ok(&["--json", "count", "flights", "--group-by", "origin"])
        .lines()
        .map(json)
        .filter_map(|line| Some((line["group"]["origin"].as_str()?.to_owned(), line["rows"].clone())))
        .collect();
    assert_eq!(serde_json::Value::from(groups), judged["origins"]);
}

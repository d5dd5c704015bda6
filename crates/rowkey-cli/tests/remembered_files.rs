//! A table that rowkey did not make, whose file was given once.

use crate::program::{Workplace, assert_error, json};
use rowkey_testing::cluster;

const CLICKS: &str = "[table]\nname = \"any\"\nkey = \"[user]-[day]\"\n\n[fields]\nuser = \"text\"\nday = \"text\"\n\
                      note = \"text?\"\n\n[families.d]\ncolumns = { n = \"note\" }\n";

fn walk(place: &Workplace) {
    let clicks = format!("clicks_{}", std::process::id());
    let put = |row: &str| format!("put '{clicks}', '{row}', 'd:n', 'x'");
    place.ok(&[
        "shell",
        "-e",
        &format!("create '{clicks}', 'd'"),
        "-e",
        &put("u7-20250102"),
        "-e",
        &put("u8-20250103"),
    ]);
    place.ok(&["create", "orders.toml"]);
    place.write("clicks.toml", CLICKS);
    place.write("wrong.toml", &CLICKS.replace("[user]-[day]", "[user: escaped][day]"));
    let query = ["--json", "query", clicks.as_str(), "user = 'u7'"];
    assert_error(&place.run(&query), &["rowkey remember TABLE FILE", "was not made by rowkey"]);

    assert_error(
        &place.run(&["remember", &clicks, "wrong.toml"]),
        &["are not what wrong.toml says", "--force"],
    );
    assert_error(&place.run(&query), &["rowkey remember"]);
    assert_error(
        &place.run(&["remember", &place.table, "clicks.toml"]),
        &["rowkey made table", "rowkey alter"],
    );
    assert_error(&place.run(&["remember", "clicks_x", "clicks.toml"]), &["there is no table `clicks_x`"]);
    assert_error(&place.run(&["--no-config", "remember", &clicks, "clicks.toml"]), &["--no-config"]);

    let kept = json(&place.ok(&["--json", "remember", &clicks, "clicks.toml"]));
    assert_eq!(kept["rows"].as_u64(), Some(2));
    #[cfg(unix)]
    {
        let path = place.path("").join(kept["kept"].as_str().expect("a path"));
        let mode =
            std::os::unix::fs::PermissionsExt::mode(&path.metadata().expect("it is there").permissions());
        assert_eq!(mode & 0o077, 0, "others may read it");
    }
    // A copy is replaced by another, and what rowkey did not write is neither replaced nor removed.
    place.ok(&["remember", &clicks, "clicks.toml"]);
    let copy = place.path("").join(kept["kept"].as_str().expect("a path"));
    let own = std::fs::read(&copy).expect("the copy");
    std::fs::write(&copy, "Dear reader,\n").expect("a file");
    for command in [&["remember", clicks.as_str(), "clicks.toml"][..], &["remember", &clicks, "--forget"]] {
        assert_error(&place.run(command), &["exists and was not written by this command"]);
        assert_eq!(std::fs::read_to_string(&copy).expect("it is there"), "Dear reader,\n");
    }
    std::fs::write(&copy, own).expect("a file");
    // The copy counts, not where it came from.
    place.write("clicks.toml", "");
    let found = json(&place.ok(&query));
    assert_eq!((&found["record"]["user"], &found["record"]["day"]), (&"u7".into(), &"20250102".into()));
    for reading in [
        &["scan", clicks.as_str()][..],
        &["count", &clicks, "user = 'u8'"],
        &["get", &clicks, "user=u7", "day=20250102"],
        &["explain", &clicks, "user = 'u7'"],
        &["regions", &clicks],
        &["profile", &clicks],
        &["decode", &clicks, "u7-20250102"],
        &["encode", &clicks, "user=u7", "day=20250102"],
        &["export", &clicks, "--out", "-", "--format", "csv"],
    ] {
        place.ok(reading);
        let ignoring = place.run(&[&["--no-config"], reading].concat());
        assert!(
            ignoring.code == 2 || matches!(reading[0], "regions" | "scan" | "count" | "profile"),
            "{ignoring:?}"
        );
    }
    for judging in [&["check", clicks.as_str()][..], &["split", "check", &clicks]] {
        let run = place.run(judging);
        assert!(run.code < 2, "{run:?}");
    }
    let described = json(&place.ok(&["--json", "describe", &clicks]));
    assert_eq!(described["remembered_file"], kept["kept"]);
    place.write("more.csv", "user,day,note\nu9,20250104,z\nu7,20250105,\n");
    let loaded = json(&place.ok(&["--json", "load", &clicks, "more.csv"]));
    assert_eq!(loaded["rows"], 2, "{loaded}");
    assert_eq!(json(&place.ok(&["--json", "query", &clicks, "user = 'u9'"]))["record"]["note"], "z");
    assert_eq!(place.ok(&["--json", "query", &clicks, "user = 'u7'"]).lines().count(), 2);
    place.ok(&["simulate", &clicks, "--data", "more.csv", "--regions", "2"]);

    assert_eq!(place.run(&["remember", &clicks, "--forget"]).code, 0);
    assert_eq!(place.run(&["remember", &clicks, "--forget"]).code, 1);
    assert_error(&place.run(&query), &["rowkey remember"]);
    load_with_a_file(place, &clicks);
    place.ok(&["drop", &clicks, "--yes"]);
}

/// A load by `--file`, its errors, and its checkpoint, which knows the table by its contents alone.
fn load_with_a_file(place: &Workplace, clicks: &str) {
    place.write("clicks.toml", CLICKS);
    let own_name = CLICKS.replace("\"any\"", &format!("\"{clicks}\""));
    place.write("own.toml", &own_name);
    let index = "\n[[index]]\nname = \"by_day\"\nkey = \"[day: escaped][user]\"\n";
    place.write("indexed.toml", &format!("{CLICKS}{index}"));
    place.write("families.toml", &format!("{CLICKS}\n[families.e]\n"));
    for (arguments, words) in [
        (
            &["more.csv"][..],
            &["name one with --file", "rowkey remember TABLE FILE", "was not made by rowkey"][..],
        ),
        (
            &["more.csv", "--file", "indexed.toml"],
            &["cannot have the index table `by_day`", "take [[index]] out"],
        ),
        (&["more.csv", "--file", "families.toml"], &["no family `e`", "it has d"]),
        (
            &["more.csv", "--file", "wrong.toml"],
            &["are not what wrong.toml says", "rowkey remember", "--force"],
        ),
    ] {
        assert_error(&place.run(&[&["load", clicks], arguments].concat()), words);
    }
    let named = place.run(&["load", "own.toml", "more.csv"]);
    assert_error(&named, &[&format!("{clicks} --file own.toml"), "was not made by rowkey"]);

    let load = ["--json", "load", clicks, "days.csv", "--file", "clicks.toml"];
    let bad = "user,day,note\nv1,20250201,a\nv2,20250202,b,c\n";
    let good = "user,day,note\nv1,20250201,a\nv2,20250202,b\n";
    place.write("days.csv", bad);
    let stopped = place.run(&load);
    assert_error(&stopped, &["1 row before it", "load", clicks, "days.csv --file clicks.toml"]);
    place.write("days.csv", good);
    let loaded = json(&place.ok(&load));
    assert_eq!((&loaded["rows"], &loaded["resumed_at_line"]), (&2.into(), &3.into()), "{loaded}");

    // Another table of the same name has nothing of it.
    place.write("days.csv", bad);
    assert_eq!(place.run(&load).code, 2);
    place.ok(&["drop", clicks, "--yes"]);
    place.ok(&["shell", "-e", &format!("create '{clicks}', 'd'")]);
    place.write("days.csv", good);
    let loaded = json(&place.ok(&load));
    assert_eq!((&loaded["rows"], &loaded["resumed_at_line"]), (&2.into(), &serde_json::Value::Null));
    let count = place.ok(&["count", clicks, "user like 'v%'", "--file", "clicks.toml"]);
    assert_eq!(count, "2\n");
}

#[test]
fn in_a_folder() {
    walk(&Workplace::new("orders"));
}

#[test]
fn on_a_cluster() {
    walk(&Workplace::on_cluster("remembering", &cluster::shared().zookeeper_url));
}

//! `rowkey alter` on a folder and on a cluster: what can be changed is, what cannot is told, and nothing is half-done.

use crate::program::{Workplace, assert_error, json};
use rowkey_testing::cluster;

const FILE: &str = r#"
[table]
name = "NAME"
key = "[id]"

[fields]
id = "u32"
amount = "i64"
note = "text?"

[families.d]
columns = { a = "amount" }

[families.e]
columns = { n = "note" }
"#;

fn place(table: &str, store: &str) -> Workplace {
    let place = Workplace::new(table).with_store(store);
    place.write("t.toml", &FILE.replace("NAME", table));
    place.write("rows.csv", "id,amount,note\n1,5,x\n2,6,\n");
    place.ok(&["create", "t.toml"]);
    place.ok(&["load", "t.toml", "rows.csv"]);
    place
}

/// Writes the file with changes.
fn change(place: &Workplace, changes: &[(&str, &str)]) {
    let mut file = FILE.replace("NAME", &place.table);
    for (before, after) in changes {
        assert!(file.contains(before), "{before}");
        file = file.replace(before, after);
    }
    place.write("changed.toml", &file);
}

fn altered(place: &Workplace) {
    let table = place.table.as_str();
    let stored = || place.ok(&["describe", table, "--toml"]);
    let before = (stored(), place.ok(&["--json", "describe", table]));
    assert_eq!(place.ok(&["alter", "t.toml", "--yes"]), format!("table {table} is already so\n"));

    // What cannot ever be changed.
    for (changes, words) in [
        (&[("key = \"[id]\"", "key = \"[id desc]\"")][..], &["the key cannot change", "[id desc]"][..]),
        (&[("id = \"u32\"", "id = \"u64\"")], &["cannot"]),
        (&[("\"i64\"", "\"i32\"")], &["field `amount` cannot become i32", "those of i64"]),
        (&[("{ a =", "{ amount =")], &["field `amount` cannot move from column d:a to d:amount"]),
        (&[("\"text?\"", "\"text\"")], &["field `note` must be able to be null", "\"text?\""]),
        (
            &[
                ("[families.d]", "[families.d]\nversions = 3"),
                ("\n[families.e]\ncolumns = { n = \"note\" }\n", ""),
                ("note = \"text?\"\n", ""),
            ],
            &["family e is not in the file; --drop-family e"],
        ),
        (
            &[
                ("columns = { a = \"amount\" }", "columns = { a = \"amount\", m = \"more\" }"),
                ("note =", "more = \"u8\"\nnote ="),
            ],
            &["field `more` must be able to be null", "u8?"],
        ),
    ] {
        change(place, changes);
        assert_error(
            &place.run(&["alter", "changed.toml", "--yes"]),
            &[&["was not changed"], words].concat(),
        );
        assert!((stored(), place.ok(&["--json", "describe", table])) == before, "{changes:?}");
    }

    // What can: families and their settings, columns, nulls, comments, all at once.
    let changes = [
        ("[table]", "# a comment\n[table]"),
        ("amount = \"i64\"", "amount = \"i64?\"\nmore = \"u8?\""),
        (
            "[families.d]\ncolumns = { a = \"amount\" }",
            "[families.d]\nversions = 3\nttl = \"30d\"\ncompression = \"gz\"\ncolumns = { a = \"amount\", m = \"more\" }",
        ),
        ("[families.e]", "[families.f]\n\n[families.e]"),
    ];
    change(place, &changes);
    assert_error(&place.run(&["alter", "changed.toml"]), &["no terminal to ask at", "--yes"]);
    let dry = json(&place.ok(&["--json", "alter", "changed.toml", "--dry-run"]));
    assert_eq!(dry["altered"], false);
    assert!((stored(), place.ok(&["--json", "describe", table])) == before);
    let run = place.run(&["alter", "changed.toml", "--yes"]);
    assert_eq!(
        (run.code, run.out.as_str()),
        (0, format!("made 6 changes of table {table}\n").as_str()),
        "{run:?}"
    );
    for line in [
        "family d: versions 1 -> 3",
        "family d: ttl forever -> 2592000 s",
        "family f is added",
        "column d:m is added",
        "field `amount` can be null",
        "COMPRESSION",
    ] {
        assert!(run.err.contains(line), "{line}: {run:?}");
    }
    assert_eq!(stored().trim_end(), place.read("changed.toml").trim_end());
    let families = json(&place.ok(&["--json", "describe", table]))["families"].clone();
    let family =
        |name: &str| families.as_array().and_then(|all| all.iter().find(|one| one["name"] == name)).cloned();
    let d = family("d").expect("it is there");
    assert_eq!(
        (&d["versions"], &d["ttl_seconds"], &d["attributes"]["COMPRESSION"]),
        (&3.into(), &2_592_000.into(), &"GZ".into())
    );
    assert!(family("f").is_some());
    assert_eq!(place.ok(&["query", table, "id = 1", "--csv"]), "id,amount,more,note\n1,5,,x\n");
    place.write("more.csv", "id,amount,more,note\n3,,9,\n");
    place.ok(&["load", table, "more.csv"]);
    assert_eq!(place.ok(&["query", table, "id = 3", "--csv"]), "id,amount,more,note\n3,,9,\n");

    // A family goes only by name, with its cells.
    let gone = [changes.as_slice(), &[("[families.f]\n\n", "")]].concat();
    change(place, &gone);
    assert_error(&place.run(&["alter", "changed.toml", "--yes"]), &["--drop-family f"]);
    assert_error(
        &place.run(&["alter", "changed.toml", "--yes", "--drop-family", "d"]),
        &["the file still has it"],
    );
    assert_error(&place.run(&["alter", "changed.toml", "--yes", "--drop-family", "x"]), &["no such family"]);
    place.ok(&["alter", "changed.toml", "--yes", "--drop-family", "f"]);
    assert!(!place.ok(&["describe", table]).contains("family f:"));

    // Attributes of the table, also of one that rowkey did not make.
    place.ok(&["alter", table, "--set", "MAX_FILESIZE=21474836480", "--yes"]);
    assert!(place.ok(&["describe", table]).contains("attribute MAX_FILESIZE: 21474836480"));
    place.ok(&["alter", table, "--unset", "MAX_FILESIZE", "--yes"]);
    assert!(!place.ok(&["describe", table]).contains("MAX_FILESIZE"));
    assert_error(&place.run(&["alter", table, "--unset", "ROWKEY", "--yes"]), &["rowkey's own"]);
    assert_error(&place.run(&["alter", table, "--yes"]), &["describe", "--toml"]);
    assert_eq!(place.ok(&["count", table]), "3\n");
}

#[test]
fn tables_of_a_folder() {
    altered(&place("altered", "./store"));
}

#[test]
fn tables_of_a_cluster() {
    let table = format!("altered_{}", std::process::id());
    let place = place(&table, &cluster::shared().zookeeper_url);
    altered(&place);
    place.ok(&["drop", &table, "--yes"]);
}

#[test]
fn a_table_with_index_tables_keeps_its_lifetime() {
    let place = Workplace::new("orders");
    let file = include_str!("../../../examples/orders-index/orders.toml");
    place.write("orders.toml", file);
    place.ok(&["create", "orders.toml"]);
    let family = file.lines().find(|line| line.starts_with("[families.")).expect("a family");
    place.write("orders.toml", &file.replace(family, &format!("{family}\nttl = \"30d\"")));
    assert_error(&place.run(&["alter", "orders.toml", "--yes"]), &["rows and entries must end together"]);
    place.write("orders.toml", &file.replace(family, &format!("[families.a]\n\n{family}")));
    assert_error(
        &place.run(&["alter", "orders.toml", "--yes"]),
        &["family d must stay the first of the file"],
    );
    place.write("orders.toml", &file.replace(family, &format!("{family}\nin_memory = true")));
    assert!(place.ok(&["alter", "orders.toml", "--yes"]).contains("made 1 change"));
    assert_error(
        &place.run(&["alter", "orders_by_seller", "--set", "A=b", "--yes"]),
        &["index table of orders"],
    );
    place.ok(&["index", "verify", "orders"]);
}

//! `rowkey generate` and `rowkey conform`: files that stay, what is refused, and a program that is wrong.

use crate::program::{Workplace, assert_error};

fn place() -> Workplace {
    Workplace::new("orders")
}

const GENERATE: [&str; 5] = ["generate", "python", "orders.toml", "--out", "made"];

fn checked(place: &Workplace) -> (i32, String) {
    let run = place.run(&[&GENERATE[..], &["--check"]].concat());
    (run.code, run.out)
}

#[test]
fn the_same_file_gives_the_same_text_and_a_newer_one_replaces_it() {
    let place = place();
    assert_eq!(checked(&place).0, 1, "nothing is there yet");
    let out = place.ok(&GENERATE);
    assert!(
        out.lines().all(|line| line.starts_with("wrote made/")) && out.contains("made/orders_key.py"),
        "{out}"
    );
    assert!(place.ok(&GENERATE).lines().all(|line| line.starts_with("unchanged made/")));
    assert_eq!(checked(&place), (0, String::new()));

    let changed = place.read("orders.toml").replace("salt(16,", "salt(32,");
    place.write("orders.toml", &changed);
    let (code, told) = checked(&place);
    assert!(code == 1 && told.contains("made/orders_key.py is not what the table file gives now"), "{told}");
    place.ok(&GENERATE);
    assert_eq!(checked(&place).0, 0);
}

#[test]
fn a_file_that_was_changed_is_kept() {
    let place = place();
    place.ok(&GENERATE);
    let mine = place.read("made/orders_key.py") + "# mine\n";
    place.write("made/orders_key.py", &mine);
    place.write("orders.toml", &place.read("orders.toml").replace("salt(16,", "salt(32,"));
    assert_error(
        &place.run(&GENERATE),
        &["nothing was written", "made/orders_key.py was changed", "--force"],
    );
    assert_eq!(place.read("made/orders_key.py"), mine);
    let (code, told) = checked(&place);
    assert!(code == 1 && told.contains("made/orders_key.py was changed since it was generated"), "{told}");
    place.ok(&[&GENERATE[..], &["--force"]].concat());
    assert_eq!(checked(&place).0, 0);

    // Something that rowkey never wrote.
    place.write("made/orders_key.py", "print()\n");
    assert_error(&place.run(&GENERATE), &["made/orders_key.py"]);
}

#[test]
fn a_query_without_a_function_is_told() {
    let place = place();
    let more = "\n[[query]]\nname = \"large ones\"\nwhere = \"amount > ?\"\n";
    place.write("orders.toml", &(place.read("orders.toml") + more));
    for language in ["java", "go", "python"] {
        let run = place.run(&["generate", language, "orders.toml", "--out", language]);
        assert!(run.code == 0 && run.err.contains("no function for the query \"large ones\": "), "{run:?}");
        assert!(!run.err.contains("latest orders"), "{run:?}");
    }
}

#[test]
fn names_of_a_language_are_no_names_of_its_code() {
    let place = place();
    let keywords = "[table]\nname = \"class\"\nkey = \"[import: u32][func: escaped][None]\"\n\n[fields]\nimport = \"u32\"\n\
                    func = \"text\"\nNone = \"text\"\nself = \"i64\"\n\n[families.d]\ncolumns = { r = \"self\" }\n\n\
                    [[query]]\nname = \"def\"\nwhere = \"import = ? and func = ?\"\n";
    place.write("orders.toml", keywords);
    place.ok(&[&GENERATE[..], &["--conform"]].concat());
    let run = place.run(&["conform", "orders.toml", "--records", "20", "--", "python3", "made/conform.py"]);
    assert_eq!(run.code, 0, "{run:?}");
}

#[test]
fn what_cannot_be_generated_is_told() {
    let place = place();
    assert_error(
        &place.run(&["generate", "pyhton", "orders.toml"]),
        &["pyhton", "java, go, python", "did you mean `python`?"],
    );
    place.write("wrong.toml", &place.read("orders.toml").replace("salt(16,", "slat(16,"));
    let run = place.run(&["generate", "go", "wrong.toml", "--out", "made"]);
    assert_error(&run, &["no function `slat`", "did you mean `salt`?"]);
    assert!(!place.path("made").exists());
    place.write("made", "a file");
    assert_error(&place.run(&GENERATE), &["made"]);
    assert_error(
        &place.run(&["generate", "java", "nothing.toml"]),
        &["could not read the table file nothing.toml"],
    );
}

#[test]
fn a_program_is_asked_and_judged() {
    let place = place();
    place.ok(&[&GENERATE[..], &["--conform"]].concat());
    let run = place.run(&["conform", "orders.toml", "--", "python3", "made/conform.py"]);
    assert!(run.code == 0 && run.err.contains("answers are rowkey's"), "{run:?}");

    // A salt by the remainder of another hash.
    let wrong = place.read("orders.toml").replace("salt(16, user_id)", "user_id % 16");
    place.write("orders.toml", &wrong);
    let run = place.run(&["conform", "orders.toml", "--records", "50", "--", "python3", "made/conform.py"]);
    assert!(run.code == 1 && run.out.contains("\nexpected ") && run.err.contains(" are not"), "{run:?}");

    let deaf = place.run(&["conform", "[user: u64]", "--records", "3", "--", "true"]);
    assert!(deaf.code == 1 && deaf.out.contains("no answer"), "{deaf:?}");
    assert_error(
        &place.run(&["conform", "[user: u64]", "--", "no-such-program"]),
        &["could not start `no-such-program`"],
    );
    assert_error(&place.run(&["conform", "[user: u64]", "--", "false"]), &["`false` failed"]);
}

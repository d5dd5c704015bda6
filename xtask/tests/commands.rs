//! What xtask prints for a command that it does not have.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may panic as the test may")]

use std::process::{Command, Output};

fn xtask(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_xtask")).args(args).output().unwrap()
}

#[test]
fn without_a_command_it_prints_the_list() {
    let output = xtask(&[]);
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    for command in ["test", "demo [--rows 100000]", "cluster", "dist", "bench keys", "kills", "pages"] {
        assert!(text.contains(&format!("\n  {command}")), "{text}");
    }
}

#[test]
fn an_unknown_command_or_argument_is_an_error_that_names_it() {
    for args in
        [&["tset"][..], &["test", "tset"], &["demo", "tset"], &["cluster", "tset"], &["bench", "tset"]]
    {
        let output = xtask(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(String::from_utf8(output.stderr).unwrap().contains("`tset`"), "{args:?}");
    }
}

#[test]
fn a_line_of_cargo_is_printed_by_its_name() {
    let output = xtask(&["increments"]);
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("ROWKEY_TEST_INCREMENTS=1000000 cargo test "), "{text}");
    assert_eq!(xtask(&["increments", "tset"]).status.code(), Some(2));
}

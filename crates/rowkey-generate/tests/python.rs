//! Generated Python runs without a warning, passes its vectors, is as black leaves it and has the types that it says it has, for every table
//! file of this repository.
//!
//! black and mypy come from pip, once; without Python, or without them, the tests say so and look at nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rowkey_core::Table;
use rowkey_generate::{Design, Origin, generate, language};
use rowkey_testing::python;

/// Writes the modules of all tables of the examples and the templates, and gives their number.
fn put_all(folder: &Path) -> usize {
    let python = language("python").expect("a language");
    let mut count = 0;
    for path in table_files() {
        let text = fs::read_to_string(&path).expect("a table file");
        // Some are wrong on purpose, and one is Cargo's.
        let Ok(table) = Table::parse("a table file", &text) else { continue };
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let mut design = Design::of(&table, Origin { version: "0.0.0".to_owned(), file: name });
        design.table = format!("shop:table_{count}");
        for file in generate(python, &design).expect("code") {
            fs::write(folder.join(&file.name), &file.text).expect("written");
        }
        count += 1;
    }
    assert!(count > 40, "{count}");
    count
}

fn table_files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    let mut folders = vec![root.join("examples"), root.join("crates/rowkey-cli/templates")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "toml") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// What it prints, and whether it succeeds.
fn ran(command: &mut Command) -> (bool, String) {
    let output = command.output().expect("it starts");
    let told = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    (output.status.success(), told)
}

#[test]
fn every_table_file_passes_its_vectors_without_a_warning() {
    if Command::new("python3").arg("--version").output().is_err() {
        eprintln!("there is no Python: generated Python is not looked at");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let count = put_all(folder.path());
    // The helpers for happybase need nothing of it until they are called.
    let imports: String = (0..count).map(|number| format!("import table_{number}_happybase\n")).collect();
    fs::write(folder.path().join("test_helpers.py"), imports).expect("written");
    let mut tests = Command::new("python3");
    tests.args(["-W", "error", "-B", "-m", "unittest", "discover", "--pattern", "test_*.py"]);
    let (passed, told) = ran(tests.current_dir(folder.path()));
    assert!(passed && told.contains("\nOK"), "{told}");
}

#[test]
fn the_formatter_of_python_would_change_nothing() {
    let mut black = match python::with_black(&mut |_| {}) {
        Ok(black) => black,
        Err(why) => {
            eprintln!("whether generated Python is formatted is not looked at: {why}");
            return;
        }
    };
    let folder = tempfile::tempdir().expect("a folder");
    put_all(folder.path());
    black.args(["-m", "black", "--quiet", "--diff", "--check", "."]).current_dir(folder.path());
    let (same, told) = ran(&mut black);
    let lines: Vec<&str> = told.lines().take(60).collect();
    assert!(same, "{}", lines.join("\n"));
}

#[test]
fn the_types_hold() {
    let mut mypy = match python::with_mypy(&mut |_| {}) {
        Ok(mypy) => mypy,
        Err(why) => {
            eprintln!("whether generated Python has the right types is not looked at: {why}");
            return;
        }
    };
    let folder = tempfile::tempdir().expect("a folder");
    put_all(folder.path());
    let own =
        fs::read_dir(folder.path()).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    let own: Vec<_> = own.filter(|name| !name.to_string_lossy().starts_with("test_")).collect();
    mypy.args(["-m", "mypy", "--strict", "--cache-dir", "/dev/null"]).args(own).current_dir(folder.path());
    let (right, told) = ran(&mut mypy);
    let lines: Vec<&str> = told.lines().take(30).collect();
    assert!(right, "{}", lines.join("\n"));
}

//! Counts the lines of code of each crate: what is in `crates/*/src` without comments, blank lines and tests.
//!
//! A test is an item behind `#[cfg(test)]`, in the file or in a file of its own. A line that has code and a comment is code.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::against::check_out;
use crate::{Failure, Outcome, workspace};

/// `cargo xtask lines [REVISION]`: beside another revision, if one is named.
pub(crate) fn run(args: &[String]) -> Outcome {
    let here = count(workspace::root())?;
    let (there, name) = match args {
        [] => (BTreeMap::new(), None),
        [revision] => {
            let folder = workspace::target().join("against").join(revision);
            check_out(revision, &folder)?;
            (count(&folder)?, Some(revision))
        }
        _ => return Err(Failure::new("`cargo xtask lines` takes one revision at most")),
    };
    let crates: Vec<&String> =
        here.keys().chain(there.keys().filter(|name| !here.contains_key(*name))).collect();
    let line = |name: &str, now: usize, before: usize| match args.is_empty() {
        true => println!("{name:<18} {now:>7}"),
        false => println!("{name:<18} {before:>7} {now:>7} {:>+7}", now as i64 - before as i64),
    };
    if let Some(revision) = name {
        println!("{:<18} {revision:>7} {:>7}", "lines of code", "now");
    }
    for name in crates {
        line(name, here.get(name).copied().unwrap_or(0), there.get(name).copied().unwrap_or(0));
    }
    line("all", here.values().sum(), there.values().sum());
    Ok(())
}

/// Lines of code by crate.
fn count(root: &Path) -> Result<BTreeMap<String, usize>, Failure> {
    let mut crates = BTreeMap::new();
    for entry in fs::read_dir(root.join("crates"))? {
        let entry = entry?;
        let source = entry.path().join("src");
        if source.is_dir() {
            crates.insert(entry.file_name().to_string_lossy().into_owned(), folder(&source)?);
        }
    }
    Ok(crates)
}

fn folder(path: &Path) -> Result<usize, Failure> {
    let mut sum = 0;
    let mut tests: Vec<String> = Vec::new();
    let mut entries: Vec<_> = fs::read_dir(path)?.collect::<Result<_, _>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries.iter().filter(|entry| entry.path().extension().is_some_and(|end| end == "rs")) {
        let (lines, test_modules) = code(&fs::read_to_string(entry.path())?);
        let stem = entry.path().file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let own = matches!(stem.as_str(), "lib" | "main" | "mod");
        tests.extend(
            test_modules.into_iter().map(|module| if own { module } else { format!("{stem}/{module}") }),
        );
        sum += lines;
    }
    // Files of tests were counted with the others.
    for test in &tests {
        let file = path.join(format!("{test}.rs"));
        if file.parent() == Some(path)
            && let Ok(text) = fs::read_to_string(&file)
        {
            sum -= code(&text).0;
        }
    }
    for entry in entries.iter().filter(|entry| entry.path().is_dir()) {
        let name = entry.file_name().to_string_lossy().into_owned();
        if tests.contains(&name) {
            continue;
        }
        sum += folder(&entry.path())?;
        for test in tests.iter().filter_map(|test| test.strip_prefix(&format!("{name}/"))) {
            if let Ok(text) = fs::read_to_string(entry.path().join(format!("{test}.rs"))) {
                sum -= code(&text).0;
            }
        }
    }
    Ok(sum)
}

/// Lines of code of a file, and its modules of tests that are files of their own.
fn code(text: &str) -> (usize, Vec<String>) {
    let (mut lines, mut tests) = (0, Vec::new());
    let mut rest = text.lines();
    while let Some(line) = rest.next() {
        let line = line.trim();
        if line.is_empty() || line.starts_with("//") {
            continue;
        }
        if line != "#[cfg(test)]" {
            lines += 1;
            continue;
        }
        // The item behind it: up to a semicolon, or to the end of its braces.
        let mut depth = 0_i64;
        for line in rest.by_ref() {
            let item = line.trim();
            if item.starts_with("#[") || item.starts_with("//") {
                continue;
            }
            if depth == 0
                && let Some(module) = item
                    .trim_start_matches("pub(crate) ")
                    .strip_prefix("mod ")
                    .and_then(|m| m.strip_suffix(';'))
            {
                tests.push(module.to_owned());
                break;
            }
            // Ends as rustfmt writes them: a closing brace stands where its item begins.
            let opens = item.ends_with('{') || item.ends_with('(') || item.ends_with('[');
            let closes = item.starts_with('}') || item.starts_with(')') || item.starts_with(']');
            depth += i64::from(opens) - i64::from(closes);
            if depth <= 0 {
                break;
            }
        }
    }
    (lines, tests)
}

#[cfg(test)]
mod tests {
    use super::code;

    #[test]
    fn comments_blanks_and_tests_are_no_code() {
        let text = "//! Page.\n\nuse a;\n/// Doc.\nfn f() { // why\n    g();\n}\n\n#[cfg(test)]\nmod tests {\n    fn t() {\n        h();\n    }\n}\n\nfn last() {}\n";
        assert_eq!(code(text), (5, Vec::new()));
        assert_eq!(code("#[cfg(test)]\nmod tests;\nmod other;\n"), (1, vec!["tests".to_owned()]));
        assert_eq!(code("#[cfg(test)]\nuse a::{b};\nuse c;\n"), (1, Vec::new()));
    }
}

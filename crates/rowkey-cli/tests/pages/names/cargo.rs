//! Do the packages, tests, examples and features of a `cargo` line exist?

use super::Known;
use crate::repository::Repository;

/// What is wrong with the words behind `cargo`.
pub(crate) fn faults(repository: &Repository, known: &Known, words: &[&str]) -> Vec<String> {
    let words: Vec<&str> =
        words.iter().copied().take_while(|word| !["--", "&&", "#", "|"].contains(word)).collect();
    if let ["xtask", command, rest @ ..] = words.as_slice() {
        return of_xtask(repository, command, rest);
    }
    let mut faults = Vec::new();
    let mut folder = None;
    let mut pairs = words.iter().copied().zip(words.iter().copied().skip(1));
    if let Some((_, package)) = pairs.find(|(option, _)| ["-p", "--package"].contains(option)) {
        folder = folder_of(repository, package);
        if folder.is_none() {
            return vec![format!("there is no package {package}")];
        }
    }
    let folder = folder.unwrap_or_default();
    let mut filters = Vec::new();
    let mut words = words.iter().copied().skip(1);
    while let Some(word) = words.next() {
        let exists = |kind: &str, name: &str| {
            let manifest = || repository.text(&format!("{folder}Cargo.toml"));
            [format!("{folder}{kind}/{name}.rs"), format!("{folder}{kind}/{name}/main.rs")]
                .iter()
                .any(|file| repository.has(file))
                || manifest().contains(&format!("[[{}]]\nname = \"{name}\"\n", &kind[..kind.len() - 1]))
        };
        match word {
            "--test" | "--example" => {
                let (kind, name) = (format!("{}s", &word[2..]), words.next().unwrap_or_default());
                if !exists(&kind, name) {
                    faults.push(format!("there is no {folder}{kind}/{name}.rs"));
                }
            }
            "--features" => {
                let manifest = repository.text(&format!("{folder}Cargo.toml"));
                let missing = words
                    .next()
                    .unwrap_or_default()
                    .split(',')
                    .filter(|name| !manifest.contains(&format!("\n{name} = [")));
                faults.extend(missing.map(|name| format!("{folder}Cargo.toml has no feature {name}")));
            }
            "--path" | "--manifest-path" => {
                let path = words.next().unwrap_or_default();
                if !repository.has(path) {
                    faults.push(format!("there is no {path}"));
                }
            }
            "-p" | "--package" => drop(words.next()),
            word if word.starts_with('-') => {}
            filter => filters.push(filter),
        }
    }
    for part in filters.iter().flat_map(|filter| filter.split("::")) {
        if !known.in_some_source(part) {
            faults.push(format!("no test is called {part}"));
        }
    }
    faults
}

/// Its commands are those of its list.
fn of_xtask(repository: &Repository, command: &str, rest: &[&str]) -> Vec<String> {
    let lists = ["commands", "recipes"].map(|file| repository.text(&format!("xtask/src/{file}.rs"))).concat();
    let names = [format!("\"{command}\""), format!("\"{command} ")];
    if !names.iter().any(|name| lists.contains(name)) {
        return vec![format!("there is no `cargo xtask {command}`")];
    }
    let files = repository.files.iter().filter(|file| file.starts_with("xtask/src/"));
    let sources: String = files.map(|file| repository.text(file)).collect();
    let options = rest.iter().filter(|word| word.starts_with("--"));
    options
        .filter(|option| !sources.contains(**option))
        .map(|option| format!("`cargo xtask {command}` has no {option}"))
        .collect()
}

/// `crates/rowkey-cli/` of a package.
fn folder_of(repository: &Repository, package: &str) -> Option<String> {
    let manifests = repository.files.iter().filter(|file| file.ends_with("Cargo.toml"));
    let name = format!("[package]\nname = \"{package}\"");
    let is_named = |file: &&String| repository.text(file).contains(&name);
    manifests
        .filter(|file| is_named(file))
        .find_map(|file| file.strip_suffix("Cargo.toml").map(str::to_owned))
}

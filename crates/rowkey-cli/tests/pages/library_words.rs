//! Do the libraries speak of this program?
//!
//! Their errors name a `Remedy`, and the program says which option or command that is (`src/remedies.rs`). So no text of a library
//! has an option or a command of it; comments and tests may.

use crate::repository::Repository;

const LIBRARIES: [&str; 7] = ["", "-core", "-store", "-embedded", "-hbase", "-ops", "-lab"];

/// Pages and files that are made for the program, with the words of their readers.
const FOR_THE_PROGRAM: [&str; 4] = [
    // docs/rules.md, and what its rules say there.
    "crates/rowkey-core/src/check/rule.rs",
    "crates/rowkey-core/src/check/rules/split.rs",
    // The first line of a file says what it is for, or what made it.
    "crates/rowkey-ops/src/recording.rs",
    "crates/rowkey-lab/src/advise/file.rs",
];

/// Texts of libraries with words of the program.
pub(crate) fn faults(repository: &Repository, commands: &[&str]) -> Vec<String> {
    let of_libraries = LIBRARIES.iter().flat_map(|library| {
        let folder = format!("crates/rowkey{library}/src/");
        repository.files.iter().filter(move |file| file.starts_with(&folder) && file.ends_with(".rs"))
    });
    let of_libraries: Vec<&String> =
        of_libraries.filter(|file| !FOR_THE_PROGRAM.contains(&file.as_str())).collect();
    assert!(of_libraries.len() > 400, "{}", of_libraries.len());
    let words = |file: &&String| {
        let found = words_of_the_program(&repository.text(file), commands);
        found.into_iter().map(|found| format!("{file}: {found}")).collect::<Vec<_>>()
    };
    of_libraries.iter().flat_map(words).collect()
}

/// Options and commands in the code of a file. Rust has no `--`, so what looks like an option stands in a text.
fn words_of_the_program(source: &str, commands: &[&str]) -> Vec<String> {
    let code = source.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let lines = code.lines().map(str::trim_start).filter(|line| !line.starts_with("//"));
    let text: String =
        lines.map(|line| line.strip_suffix('\\').map_or(format!("{line}\n"), str::to_owned)).collect();
    let is_of_a_word = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let word_behind = |at: usize| text.get(at..).unwrap_or_default().split(|c| !is_of_a_word(c)).next();
    let before = |at: usize| text.get(..at).and_then(|before| before.chars().next_back());
    let options = text.match_indices("--").filter_map(|(at, _)| {
        let option =
            word_behind(at).filter(|word| word[2..].starts_with(|c: char| c.is_ascii_lowercase()))?;
        (!before(at).is_some_and(is_of_a_word)).then(|| option.to_owned())
    });
    let calls = text.match_indices("rowkey ").filter_map(|(at, found)| {
        let command = word_behind(at + found.len()).filter(|word| commands.contains(word))?;
        Some(format!("rowkey {command}"))
    });
    options.chain(calls).collect()
}

#[test]
fn words_of_the_program_are_found_in_texts_and_not_in_comments() {
    let source = "// see --store\n    #[error(\"no table; \\\n        check --store\")]\nlet a = \"`rowkey split sample`\";\n\
                  let b = \"rowkey wrote it -- long ago, a--b\";\n#[cfg(test)]\nmod tests { \"--sort\" }";
    assert_eq!(words_of_the_program(source, &["split"]), ["--store", "rowkey split"]);
}

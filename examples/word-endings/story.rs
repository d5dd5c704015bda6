//! Can words be found by their ending, if a scan takes only beginnings?

use crate::{Stage, Told};

const BEGINNINGS: [&str; 12] = ["", "be", "con", "de", "en", "for", "im", "out", "pre", "re", "sub", "un"];
const STEMS: [&str; 20] = [
    "act", "bind", "call", "draw", "fill", "gain", "hold", "join", "keep", "lift", "mark", "note", "pack",
    "read", "sort", "tend", "turn", "view", "warn", "yield",
];
const ENDINGS: [&str; 8] = ["", "able", "ed", "er", "ing", "ness", "s", "less"];

/// Made of parts, so that any number of them has the same share of endings.
fn words(many: u64) -> Vec<String> {
    let parts = BEGINNINGS.iter().flat_map(|beginning| STEMS.iter().map(move |stem| (beginning, stem)));
    let words: Vec<String> = parts
        .flat_map(|(beginning, stem)| ENDINGS.iter().map(move |ending| format!("{beginning}{stem}{ending}")))
        .collect();
    let rounds = many.div_ceil(words.len() as u64);
    let of_round = |round: u64| {
        let word =
            move |word: &String| if round == 0 { word.clone() } else { format!("{}{word}", letters(round)) };
        words.iter().map(word).collect::<Vec<_>>()
    };
    (0..rounds).flat_map(of_round).collect()
}

/// A number in letters.
fn letters(mut number: u64) -> String {
    let mut text = String::new();
    while number > 0 {
        text.push(char::from(b'a' + u8::try_from(number % 26).unwrap_or(0)));
        number /= 26;
    }
    text
}

pub(crate) fn story(stage: &mut Stage) -> Told {
    let words = words(stage.scaled(1920, 192_000));
    let all = words.len() as u64;
    stage.write_csv(
        "words.csv",
        "word,uses",
        words.iter().enumerate().map(|(nth, word)| format!("{word},{nth}")),
    )?;
    let count = |matches: fn(&str) -> bool| words.iter().filter(|word| matches(word)).count() as u64;
    let (beginning, ending) = ("word like 'pre%'", "word like '%ing'");
    let (with_pre, with_ing) = (count(|word| word.starts_with("pre")), count(|word| word.ends_with("ing")));

    let (file, table) = stage.table_file("plain.toml", include_str!("plain.toml"))?;
    stage.create_and_load(&file, &table, "words.csv")?;
    let reads = stage.reads(&[&table, beginning])?;
    let exact = (reads.returned, reads.read, reads.ranges) == (with_pre, with_pre, 1);
    stage.claim("words that begin with pre", reads, exact);
    let refused = stage.fails(&["query", &table, ending])?;
    stage.claim(
        "words that end with ing",
        "not without reading everything",
        refused.err.contains("--full-scan"),
    );
    let reads = stage.reads(&[&table, ending, "--full-scan"])?;
    stage.claim(
        "words that end with ing, reading everything",
        reads,
        (reads.returned, reads.read) == (with_ing, all),
    );

    let (file, table) = stage.table_file("table.toml", include_str!("table.toml"))?;
    stage.create_and_load(&file, &table, "words.csv")?;
    let found = stage.records(&["query", &table, ending, "--sort"])?;
    stage.claim_is("words that end with ing, by the index table", found.len() as u64, with_ing);
    let reads = stage.reads(&[&table, "word like '%ing'"])?;
    stage.claim("what that reads", reads, (reads.returned, reads.ranges) == (with_ing, 1));
    let refused = stage.fails(&["query", &table, "word like '%tur%'"])?;
    stage.claim(
        "words with tur in the middle",
        "not without reading everything",
        refused.err.contains("--full-scan"),
    );
    Ok(())
}

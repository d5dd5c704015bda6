//! Do the commands of the pages answer what the pages say?
//!
//! Each block of ```` ```console ```` is run in a folder with the orders example: a line with `$ ` is a command, the lines below
//! it are its answer. ```` ```toml NAME ```` writes a file. `ROWKEY_BLESS=1` writes the answers anew; read the change.

mod program;

use program::Workplace;

/// What a page says, with the answers of the program in it.
fn answered(place: &Workplace, page: &str) -> String {
    let mut out = String::new();
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        out.push_str(line);
        out.push('\n');
        if let Some(name) = line.strip_prefix("```toml ") {
            let mut file = String::new();
            while let Some(line) = lines.next_if(|line| *line != "```") {
                file.push_str(line);
                file.push('\n');
            }
            place.write(name, &file);
            out.push_str(&file);
        }
        if line != "```console" {
            continue;
        }
        while let Some(line) = lines.next_if(|line| *line != "```") {
            // The old answers are left out.
            if let Some(command) = line.strip_prefix("$ rowkey ") {
                out.push_str(line);
                out.push('\n');
                out.push_str(&answer(place, command));
            }
        }
    }
    out
}

fn answer(place: &Workplace, command: &str) -> String {
    let (command, code) = match command.split_once("    # exit code ") {
        Some((command, code)) => (command, code.trim().parse().expect("an exit code")),
        None => (command, 0),
    };
    let words = words(command);
    let run = place.run(&words.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(run.code, code, "{command}: {run:?}");
    // Errors are the answer where there is no other.
    let text = if run.out.is_empty() { run.err } else { run.out };
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// The words of a command, of which some are in single quotes.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = command.trim();
    while !rest.is_empty() {
        let (word, after) = match rest.strip_prefix('\'') {
            Some(quoted) => quoted.split_once('\'').expect("a closing quote"),
            None => rest.split_once(' ').unwrap_or((rest, "")),
        };
        words.push(word.to_owned());
        rest = after.trim_start();
    }
    words
}

fn assert_page(name: &str) {
    let place = Workplace::new("orders");
    place.write_orders(2000);
    let path = format!("{}/../../docs/{name}", env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let answered = answered(&place, &page);
    if std::env::var_os("ROWKEY_BLESS").is_some() {
        std::fs::write(&path, &answered).expect("the page can be written");
    }
    for (line, (said, found)) in page.lines().zip(answered.lines()).enumerate() {
        assert_eq!(said, found, "docs/{name}, line {}: ROWKEY_BLESS=1 writes it anew", line + 1);
    }
    assert_eq!(page.lines().count(), answered.lines().count(), "docs/{name}: ROWKEY_BLESS=1 writes it anew");
}

#[test]
fn the_page_of_splits() {
    assert_page("splits.md");
}

#[test]
fn the_page_of_sizes() {
    assert_page("size.md");
}

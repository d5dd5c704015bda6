//! Does anything from data, files or servers act on a terminal?
//!
//! Every command gets keys, values, names, files and arguments full of what terminals obey and of what no one sees, and runs on a
//! terminal and into a pipe. On a terminal only our own style codes may come out, on standard error no code at all. The commands
//! are those of clap's definition, so that a new one needs a case here.

use std::collections::BTreeSet;
use std::path::Path;

use crate::program::terminal::on_a_terminal;
use crate::program::{Workplace, finished, json};
use rowkey_core::visible::is_hidden;

/// A window title, a colour that rowkey never uses, C1's own CSI, an overwritten line, DEL, bidirectional marks, and characters
/// without a mark.
const HOSTILE: &str = "evil\u{1b}]0;title\u{7}\u{1b}[38;5;199m\u{9b}2J\u{85}\rGONE\u{7f}\u{8}\u{202e}\u{2066}\u{200b}\u{200f}\u{feff}\u{2028}\u{ad}\u{e0041}";

/// Names of files and tables, which cannot hold a slash.
fn hostile_file(ending: &str) -> String {
    format!("{HOSTILE}.{ending}")
}

/// A table of texts whose rows are hostile, in the store; bad and good data in files.
fn place() -> Workplace {
    let place = Workplace::new("orders");
    // TOML takes everything raw but ASCII's own control characters.
    let split = quoted(&format!("m{HOSTILE}")).replace('\u{7f}', "\\u007f");
    let table = format!(
        "[table]\nname = \"texts\"\nkey = \"[id]\"\nsplits = [{split}]\n[fields]\nid = \"text\"\nnote = \"text\"\nsize = \"i64?\"\n\
         [families.d]\ncolumns = {{ n = \"note\", s = \"size\" }}\n\
         [[index]]\nname = \"by_note\"\nkey = \"[note: escaped][id]\"\n"
    );
    place.write("texts.toml", &table);
    place.write(&hostile_file("toml"), &table);
    place.write(
        "numbers.toml",
        &table.replace("id = \"text\"", "id = \"u64\"").replace(&format!("splits = [{split}]"), ""),
    );
    let line = |id: &str, size: &str| {
        format!("{{\"id\": {}, \"note\": {}, \"size\": {size}}}\n", quoted(id), quoted(HOSTILE))
    };
    let good = format!("{}{}", line(HOSTILE, "1"), line(&format!("z{HOSTILE}"), "2"));
    place.write("good.jsonl", &good);
    place.write(&hostile_file("jsonl"), &good);
    place.write("ids.jsonl", &format!("{{\"id\": {}}}\n", quoted(HOSTILE)));
    place.write("bad.jsonl", &line("a", &quoted(HOSTILE)));
    place.write("names.jsonl", &format!("{{{}: 1}}\n", quoted(HOSTILE)));
    place.write("cells.csv", &format!("id,note,size\n\"{HOSTILE}\",\"x\",\"{HOSTILE}\"\n"));
    place.write("header.csv", &format!("id,note,\"{HOSTILE}\"\n1,2,3\n"));
    place.write("bad.toml", &format!("[table]\nname = \"t\"\nkey = \"[no{HOSTILE}]\"\n"));
    place.write("broken.toml", &format!("# {HOSTILE}\n[table\n"));
    place.write("script.rb", &format!("scan 'no{HOSTILE}'\n"));
    place.write("broken.rb", &format!("scan '{HOSTILE}' ]\n"));
    place.write("queries.txt", &format!("10 size = '{HOSTILE}'\n"));
    place.write("keys.txt", &format!("{HOSTILE}\n"));
    place.ok(&["create", "texts.toml"]);
    place.ok(&["load", "texts", "good.jsonl"]);
    let put = format!("put 'raw', \"{HOSTILE}\", 'd:n', \"{HOSTILE}\"");
    place.ok(&["shell", "-e", "create 'raw', 'd'", "-e", &put]);
    place
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("a text is JSON")
}

/// What a run of a case must show.
#[derive(Clone, Copy, PartialEq)]
enum Shows {
    /// The hostile text, escaped.
    Escaped,
    /// It has none to show.
    Nothing,
}
use Shows::{Escaped, Nothing};

fn cases() -> Vec<(Shows, Vec<String>)> {
    let bad = HOSTILE;
    let (toml, jsonl) = (hostile_file("toml"), hostile_file("jsonl"));
    let condition = format!("note = '{bad}'");
    let wrong = format!("size = '{bad}'");
    let broken = format!("size = = '{bad}'");
    let unknown = format!("\"{bad}\" = 1");
    let assigned = format!("id={bad}");
    let wrongly = format!("size={bad}");
    let folder = format!("no such folder/{bad}");
    let filter = format!("scan 'texts', {{FILTER => \"{bad}\"}}");
    let statement = format!("put 'texts', \"{bad}\", 'd:n', \"{bad}\"");
    let literal = format!("['{bad}'][id]");
    let field = format!("[{bad}]");
    let all: Vec<(Shows, Vec<&str>)> = vec![
        (Nothing, vec!["demo", "logs", "--rows", "10"]),
        (Escaped, vec!["demo", bad]),
        (Escaped, vec!["new", bad]),
        (Nothing, vec!["list"]),
        (Escaped, vec!["describe", bad]),
        (Escaped, vec!["describe", "texts", "--toml"]),
        (Escaped, vec!["describe", "texts", "--json"]),
        (Escaped, vec!["remember", bad, "texts.toml"]),
        (Escaped, vec!["remember", "raw", bad]),
        (Escaped, vec!["remember", "raw", "bad.toml"]),
        (Escaped, vec!["remember", "raw", "broken.toml"]),
        (Escaped, vec!["remember", "raw", "numbers.toml"]),
        (Escaped, vec!["remember", "raw", &toml]),
        (Escaped, vec!["remember", "raw", &toml, "--json"]),
        (Nothing, vec!["describe", "raw"]),
        (Nothing, vec!["remember", "raw", "--forget"]),
        (Escaped, vec!["remember", bad, "--forget"]),
        (Escaped, vec!["alter", bad, "--set", "A=b", "--yes"]),
        (Escaped, vec!["truncate", bad, "--yes"]),
        (Escaped, vec!["drop", bad, "--yes"]),
        (Nothing, vec!["new", "orders"]),
        (Escaped, vec!["check", &field]),
        (Nothing, vec!["check", &literal]),
        (Escaped, vec!["check", "bad.toml"]),
        (Escaped, vec!["check", "broken.toml"]),
        (Escaped, vec!["check", &toml]),
        (Escaped, vec!["check", "--explain", bad]),
        (Escaped, vec!["check", "[id][nosuch]", "--data", "header.csv"]),
        (Escaped, vec!["check", "[id]", "--data", "header.csv"]),
        (Escaped, vec!["check", "texts.toml", "--data", "bad.jsonl"]),
        (Escaped, vec!["encode", "[id]", &assigned]),
        (Escaped, vec!["encode", "[size: i64]", &wrongly]),
        (Escaped, vec!["encode", "[id]", bad]),
        (Escaped, vec!["encode", "[id]", "--from", "ids.jsonl", "--json"]),
        (Escaped, vec!["encode", "[id]", "--from", "ids.jsonl"]),
        (Escaped, vec!["encode", "[id]", "--from", "names.jsonl"]),
        (Escaped, vec!["decode", "[id]", bad]),
        (Escaped, vec!["decode", "[id]", bad, bad]),
        (Escaped, vec!["decode", "[id]", "--from", "keys.txt"]),
        (Escaped, vec!["decode", "[id]", "--from", "keys.txt", "--json"]),
        (Escaped, vec!["decode", "[id: u64]", bad]),
        (Nothing, vec!["create", &toml]),
        (Escaped, vec!["create", bad]),
        (Escaped, vec!["create", "bad.toml"]),
        (Escaped, vec!["load", "texts", "bad.jsonl"]),
        (Escaped, vec!["load", "texts", "names.jsonl"]),
        (Escaped, vec!["load", "texts", "cells.csv"]),
        (Escaped, vec!["load", "texts", "header.csv"]),
        (Nothing, vec!["load", "texts", "good.jsonl"]),
        (Escaped, vec!["load", bad, &jsonl]),
        (Escaped, vec!["load", "texts", "--format", "csv", &jsonl]),
        (Escaped, vec!["load", "texts", "bad.jsonl", "--skip-bad", &folder]),
        (Escaped, vec!["get", "texts", &assigned]),
        (Escaped, vec!["get", "texts", &assigned, "--csv"]),
        (Escaped, vec!["get", "texts", &assigned, "--json"]),
        (Escaped, vec!["get", "texts", &assigned, "--vertical"]),
        (Escaped, vec!["get", "texts", &assigned, "--wide"]),
        (Escaped, vec!["get", bad, "id=1"]),
        (Escaped, vec!["get", "texts", &wrongly]),
        (Escaped, vec!["scan", "texts"]),
        (Escaped, vec!["scan", "texts", "--csv"]),
        (Escaped, vec!["scan", "texts", "--json"]),
        (Escaped, vec!["scan", "texts", "--vertical"]),
        (Escaped, vec!["scan", "texts", "--wide"]),
        (Escaped, vec!["scan", "texts", "--raw-cells"]),
        (Escaped, vec!["scan", "texts", "--raw-cells", "--csv"]),
        (Escaped, vec!["scan", "texts", "--columns", bad]),
        (Escaped, vec!["scan", bad]),
        (Escaped, vec!["export", "texts", "--out", "-", "--format", "csv"]),
        (Escaped, vec!["export", "texts", "--out", "-", "--format", "jsonl"]),
        (Escaped, vec!["export", bad, "--out", "x.csv"]),
        (Escaped, vec!["query", "texts", &condition]),
        (Escaped, vec!["query", "texts", &condition, "--csv"]),
        (Escaped, vec!["query", "texts", &condition, "--json"]),
        (Escaped, vec!["query", "texts", &condition, "--vertical"]),
        (Escaped, vec!["query", "texts", &condition, "--wide"]),
        (Escaped, vec!["query", "texts", &wrong]),
        (Escaped, vec!["query", "texts", &broken]),
        (Escaped, vec!["query", "texts", &unknown]),
        (Escaped, vec!["query", bad, "id = 'a'"]),
        (Escaped, vec!["explain", "texts", &condition]),
        (Escaped, vec!["explain", "texts", &condition, "--json"]),
        (Escaped, vec!["explain", "texts", &condition, "--analyze"]),
        (Escaped, vec!["explain", "texts", &broken]),
        (Escaped, vec!["count", "texts", "--group-by", "note"]),
        (Escaped, vec!["count", "texts", "--group-by", "note", "--csv"]),
        (Escaped, vec!["count", "texts", "--group-by", bad]),
        (Escaped, vec!["count", "texts", &wrong]),
        (Escaped, vec!["index", "build", "texts", bad]),
        (Nothing, vec!["index", "build", "texts"]),
        (Escaped, vec!["index", "verify", bad]),
        (Escaped, vec!["index", "repair", bad]),
        (Escaped, vec!["index", "help", bad]),
        (Escaped, vec!["regions", bad]),
        (Escaped, vec!["regions", "texts"]),
        (Escaped, vec!["regions", "texts", "--csv"]),
        (Escaped, vec!["regions", "texts", "--json"]),
        (Escaped, vec!["regions", "texts", "--ranges"]),
        (Escaped, vec!["regions", "texts", "--ranges", "--csv"]),
        (Escaped, vec!["regions", "texts", "--ranges", "--json"]),
        (Escaped, vec!["split", "texts", "--at", bad, "--dry-run"]),
        (Escaped, vec!["split", bad, "--at", "x"]),
        (Escaped, vec!["split", "hex", "--regions", bad]),
        (Escaped, vec!["split", "hex", "--regions", "2", "--start", bad, "--end", "z"]),
        (Escaped, vec!["split", "decimal", "--regions", "2", "--start", bad, "--end", "z"]),
        (Nothing, vec!["split", "uniform", "--regions", "2", "--start", bad, "--end", "z"]),
        (Escaped, vec!["split", "bytes", "--regions", "3", "--start", "z", "--end", bad]),
        (Escaped, vec!["split", "book-hex", "--regions", "2", "--start", bad, "--end", "z"]),
        (Escaped, vec!["split", "salt", "--from", &field]),
        (Escaped, vec!["split", "key", "--from", &field, "--regions", "4"]),
        (Escaped, vec!["split", "sample", "--from", "texts.toml", "--data", "bad.jsonl", "--regions", "2"]),
        (Escaped, vec!["split", "check", "[id]", "--at", bad]),
        (Escaped, vec!["size", "texts.toml", "--rows", "10", "--data", "header.csv"]),
        (Escaped, vec!["size", bad, "--rows", "10"]),
        (Escaped, vec!["merge", "texts", bad, bad]),
        (Nothing, vec!["profile", "good.jsonl"]),
        (Escaped, vec!["profile", "good.jsonl", "--json"]),
        (Escaped, vec!["profile", "header.csv"]),
        (Nothing, vec!["profile", &jsonl]),
        (Nothing, vec!["simulate", "[id]", "--data", "good.jsonl", "--heat", "--regions", "2"]),
        (Escaped, vec!["simulate", "[id]", "--data", "header.csv"]),
        (Escaped, vec!["simulate", &literal, "--data", "good.jsonl"]),
        (Escaped, vec!["advise", "--data", "good.jsonl", "--queries", "queries.txt"]),
        (Nothing, vec!["advise", "--data", "good.jsonl"]),
        (Escaped, vec!["advise", "--data", "header.csv", "--queries", "queries.txt"]),
        (Escaped, vec!["calibrate", "--rows", bad]),
        (Escaped, vec!["calibrate", "--forget", "--store", bad]),
        (Escaped, vec!["shell", "script.rb"]),
        (Nothing, vec!["shell", "broken.rb"]),
        (Escaped, vec!["shell", "-e", &statement, "-e", "scan 'texts'"]),
        (Nothing, vec!["shell", "-e", &filter]),
        (Nothing, vec!["shell", "-e", bad]),
        (Escaped, vec!["doctor", bad]),
        (Escaped, vec!["doctor", "--store", bad]),
        (Escaped, vec!["completions", bad]),
        (Nothing, vec!["completions", "bash"]),
        (Escaped, vec!["man", bad]),
        (Nothing, vec!["man", "query"]),
        (Escaped, vec!["generate", bad, "texts.toml"]),
        (Escaped, vec!["generate", "python", bad]),
        (Escaped, vec!["generate", "go", "bad.toml"]),
        (Escaped, vec!["generate", "java", "texts.toml", "--out", bad]),
        (Nothing, vec!["generate", "python", &toml, "--out", "made"]),
        (Escaped, vec!["conform", &field, "--", "cat"]),
        (Escaped, vec!["conform", "[id]", "--", bad]),
        (Escaped, vec!["delete", "texts", &condition, "--dry-run"]),
        (Escaped, vec!["delete", "texts", &wrong]),
        (Escaped, vec!["delete", bad, "id = 'a'"]),
        (Escaped, vec![bad]),
    ];
    all.into_iter().map(|(shows, words)| (shows, words.into_iter().map(str::to_owned).collect())).collect()
}

/// The command that a case is of, as its man page is called.
fn command_of(words: &[String], commands: &BTreeSet<String>) -> String {
    let names = (0..=words.len().min(2)).map(|count| {
        let words = words.iter().take(count).map(String::as_str);
        std::iter::once("rowkey").chain(words).collect::<Vec<_>>().join("-")
    });
    names.rev().find(|name| commands.contains(name)).expect("the program itself has a page")
}

/// All commands, by the man pages that are made of clap's definition.
fn commands(place: &Workplace) -> BTreeSet<String> {
    place.ok(&["man", "--out", "man1"]);
    let pages = std::fs::read_dir(place.path("man1")).expect("a folder");
    let stem = |path: &Path| path.file_stem().expect("a name").to_string_lossy().into_owned();
    pages.map(|page| stem(&page.expect("a page").path())).collect()
}

/// What is left of a terminal's bytes without line ends, styles, and the moves of a progress bar.
fn foreign(shown: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, piece) in shown.split('\u{1b}').enumerate() {
        let rest = if at == 0 {
            piece
        } else {
            own_code(piece).unwrap_or_else(|| {
                found.push(format!("ESC {:?}", piece.chars().take(12).collect::<String>()));
                piece
            })
        };
        let hidden = rest.chars().filter(|c| is_hidden(*c) && !matches!(c, '\n' | '\r' | '\t'));
        found.extend(hidden.map(|c| format!("{c:?}")));
        if rest.contains("\rGONE") {
            found.push("a line written over".to_owned());
        }
    }
    found
}

/// The text after one of our own codes: a style, or the cursor of a progress bar.
fn own_code(piece: &str) -> Option<&str> {
    let rest = piece.strip_prefix('[')?;
    let end = rest.find(|c: char| !(c.is_ascii_digit() || c == ';' || c == '?'))?;
    let (parameters, rest) = rest.split_at(end);
    let is_own = match rest.chars().next()? {
        'm' => parameters != "38;5;199",
        'A' | 'B' | 'G' | 'J' | 'K' => true,
        'h' | 'l' => parameters.starts_with('?'),
        _ => false,
    };
    is_own.then(|| &rest[1..])
}

fn is_escaped(shown: &str) -> bool {
    // As HBase shows bytes, in JSON, in JSON of TOML, a name that is no name, and what is left where clap takes style codes out.
    let forms = [
        r"\x1B]0;title\x07",
        r"\u001b]0;title\u0007",
        r"\\u001b]0;title\\u0007",
        r"\u{1b}]0;title\u{7}",
        r"evil\xC2\x9B2J",
    ];
    forms.iter().any(|form| shown.contains(form))
}

#[test]
fn every_command_shows_hostile_data_escaped() {
    let place = place();
    let commands = commands(&place);
    let mut seen = BTreeSet::new();
    let mut faults = Vec::new();
    for (shows, words) in cases() {
        seen.insert(command_of(&words, &commands));
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let hostile_variables = [("LC_ALL", HOSTILE), ("COLUMNS", "400")];
        let shown = on_a_terminal(&place, &words, &hostile_variables);
        let piped =
            finished(&place.command(&words).env("LC_ALL", HOSTILE).output().expect("the program starts"));
        let in_errors: Vec<char> =
            piped.err.chars().filter(|c| is_hidden(*c) && !matches!(c, '\n' | '\t')).collect();
        let words: Vec<String> = words.iter().map(|word| word.replace(HOSTILE, "EVIL")).collect();
        let foreign = foreign(&shown);
        if !foreign.is_empty() {
            faults.push(format!("{words:?} on a terminal: {foreign:?} in {shown:?}"));
        }
        if !in_errors.is_empty() {
            faults.push(format!("{words:?}, standard error: {in_errors:?} in {:?}", piped.err));
        }
        if shows == Escaped && !is_escaped(&shown) {
            faults.push(format!("{words:?} does not show the hostile text: {shown:?}"));
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    let missing: Vec<&String> = commands
        .iter()
        .filter(|command| {
            !seen.contains(*command)
                && !commands.iter().any(|other| other.starts_with(&format!("{command}-")))
        })
        .collect();
    assert!(missing.is_empty(), "no case with hostile data for {missing:?}");
}

#[test]
fn json_on_a_terminal_and_data_in_a_pipe_mean_what_is_stored() {
    let place = place();
    let on_terminal = on_a_terminal(&place, &["scan", "texts", "--json", "--limit", "1"], &[]);
    assert_eq!(json(on_terminal.trim())["record"]["note"], HOSTILE);
    let piped = place.ok(&["scan", "texts", "--json", "--limit", "1"]);
    assert_eq!(json(&piped)["record"]["note"], HOSTILE);
    assert!(piped.contains('\u{202e}'), "JSON in a pipe has no more escapes than it needs");
    let csv = place.ok(&["scan", "texts", "--csv", "--limit", "1", "--columns", "note"]);
    assert!(csv.contains(HOSTILE), "CSV in a pipe is exact: {csv:?}");
}

/// Only the output layer's screen writes to the streams, so that no command can go around the escapes.
#[test]
fn one_file_writes_to_the_streams() {
    fn sources(folder: &Path, found: &mut Vec<(String, String)>) {
        for entry in std::fs::read_dir(folder).expect("a folder of sources") {
            let path = entry.expect("a file").path();
            if path.is_dir() {
                sources(&path, found);
            } else {
                let text = std::fs::read_to_string(&path).expect("a source text");
                found.push((path.display().to_string(), text));
            }
        }
    }
    let mut found = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    let writes = |text: &str| {
        ["io::stdout()", "io::stderr()", "println!", "print!("].iter().any(|call| text.contains(call))
    };
    let writers: Vec<&String> = found.iter().filter(|(_, text)| writes(text)).map(|(path, _)| path).collect();
    assert!(writers.len() == 1 && writers[0].ends_with("screen.rs"), "{writers:?}");
}

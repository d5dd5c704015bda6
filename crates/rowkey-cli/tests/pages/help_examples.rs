//! Are the examples of every `--help` true, and do they stay quiet when their output is closed?
//!
//! The examples of a command are run one after another, in a folder with the files that they name and, but for `new` and
//! `create`, the loaded table. What stands behind a pipe is left out, unless it is rowkey.

use std::collections::HashSet;

use crate::names::help::{Commands, help};
use crate::place::PageFolder;
use crate::repository::Repository;

/// The lines below `Example:` that call the program.
fn examples(command: &str) -> Vec<String> {
    let help = help(command);
    let Some((_, below)) = help.split_once("\nExample:\n") else { return Vec::new() };
    below.lines().filter(|line| line.starts_with("  ")).map(|line| line.trim().to_owned()).collect()
}

/// Files that the examples name.
fn furnish(place: &PageFolder) {
    place.provide("500 orders in orders.csv").expect("data that there is");
    let index =
        "\n[[index]]\nname = \"orders_by_seller\"\nkey = \"[seller: escaped][ts desc][user_id][order_id]\"\n";
    let table = std::fs::read_to_string(place.path("orders.toml")).expect("the table file");
    place.write("orders.toml", &[&table, index]);
    let order = "7,2025-01-02T00:00:00Z,b,s1,100";
    let orders = std::fs::read_to_string(place.path("orders.csv")).expect("the orders");
    place.write("orders.csv", &[orders.trim_end(), order]);
    place.write("users.csv", &["user", "7", "8"]);
    place.write("names.csv", &["name", "ada", "grace", "hedy", "ida", "joan", "mary", "rosa", "sofia"]);
    place.write(
        "names.toml",
        &[
            "[table]",
            "name = \"names\"",
            "key = \"[name]\"",
            "splits = \"sample 4\"",
            "[fields]",
            "name = \"text\"",
        ],
    );
    place.write(
        "names.toml",
        &[&std::fs::read_to_string(place.path("names.toml")).expect("just written"), "[families.d]"],
    );
    let pages = (0..64).map(|n| format!("page{n:02},{}", n % 7 + 1)).collect::<Vec<_>>().join("\n");
    place.write("pages.csv", &["url,hits", &pages]);
    let fields =
        ["[table]", "name = \"pages\"", "key = \"[url]\"", "[fields]", "url = \"text\"", "hits = \"u32\""];
    place.write("pages.toml", &[&fields.join("\n"), "[families.d]", "columns = { h = \"hits\" }"]);
    place.write(
        "queries.txt",
        &["80 user_id = ? order by ts desc limit 20", "20 seller = ? order by ts desc limit 20"],
    );
    place.write(
        "queries.log",
        &["user_id = 7 order by ts desc limit 20", "seller = 's1' limit 5", "user_id = 8 limit 20"],
    );
    place.write("script.txt", &["create 'help_examples', 'f'", "list"]);
    place.write(
        "keys.txt",
        &["\\x07\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x07\\x7F\\xFF\\xFEk\\xDB\\xB0'\\xFFb"],
    );
    place.write("events.jsonl", &["{\"id\": 1}", "{\"id\": 2}"]);
    // Those whose names have no comma in them.
    let lines = orders.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let mut lines = lines.filter(|cells| cells.len() == 5);
    let names = lines.next().expect("the names of the fields");
    parquet::write(&place.path("orders.parquet"), &names, &lines.collect::<Vec<_>>());
    prepare(place, "gzip -k orders.csv events.jsonl");
}

fn prepare(place: &PageFolder, command: &str) {
    let (code, shown) = place.run(command);
    assert_eq!(code, 0, "{command}: {shown}");
}

/// The folder for the examples of a command.
fn place(repository: &Repository, command: &str, examples: &[String]) -> PageFolder {
    let place = PageFolder::new(repository, "", &format!("{} orders help_examples", examples.join("\n")));
    furnish(&place);
    match command {
        "" | "new" => prepare(&place, "rm orders.toml"),
        "demo" => prepare(&place, "rm orders.toml orders.csv"),
        "create" => {}
        _ => {
            for store in ["", "--store hbase://zookeeper:2181/hbase"] {
                if store.is_empty() || examples.iter().any(|example| example.contains(store)) {
                    prepare(
                        &place,
                        &format!(
                            "rowkey create orders.toml {store} && rowkey load orders orders.csv {store}"
                        ),
                    );
                }
            }
        }
    }
    if command == "merge" {
        prepare(&place, "rowkey split orders --at '\\x07\\x80'");
    }
    place
}

/// The example as it can be run here: regions have other names, and other programs may not be there.
fn runnable(place: &PageFolder, example: &str) -> String {
    let (own, piped) = example.split_once(" | ").unwrap_or((example, ""));
    let mut line = if piped.starts_with("rowkey") { example.to_owned() } else { own.to_owned() };
    let is_region = |word: &&str| word.len() == 32 && word.chars().all(|digit| digit.is_ascii_hexdigit());
    let named: Vec<&str> = example.split_whitespace().filter(is_region).collect();
    if !named.is_empty() {
        let (_, regions) = place.run("rowkey regions orders --csv 2>/dev/null");
        // table,start,id.<md5>. of bucket 7 and the next: user 7 has many rows.
        let names = regions.lines().skip(8).filter_map(|line| line.split('.').find(|word| is_region(word)));
        for (name, real) in named.into_iter().zip(names) {
            line = line.replace(name, real);
        }
    }
    if line.starts_with("rowkey demo") {
        // As much as the example says is for people who wait.
        line = line.replace(" --rows 1000000", "") + " --rows 2000";
    }
    // Nothing may be written outside of the folder.
    line.replace("~/", "./home/").replace(" /tmp/", " ./tmp/")
}

#[test]
fn every_command_has_an_example_and_every_example_works() {
    let repository = Repository::read();
    let commands = Commands::ask();
    let (mut faults, mut seen) = (Vec::new(), HashSet::new());
    for command in commands.names() {
        let mut examples = examples(command);
        if examples.is_empty() {
            faults.push(format!("rowkey {command} --help has no example"));
        }
        // Some stand in several places.
        examples.retain(|example| seen.insert(example.clone()));
        if examples.is_empty() {
            continue;
        }
        let place = place(&repository, command, &examples);
        prepare(&place, "mkdir -p home/.local/share/bash-completion/completions");
        for example in &examples {
            let line = runnable(&place, example);
            let (code, shown) = place.run(&line);
            if !(0..=1).contains(&code) || shown.contains("error: ") {
                faults.push(format!("{line}\nends with exit code {code}:\n{shown}"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

/// As with `| head -1`, but sure to be closed before the first line; one example of each command.
#[test]
fn a_pipe_that_nobody_reads_is_no_error() {
    let repository = Repository::read();
    let commands = Commands::ask();
    let mut faults = Vec::new();
    for command in commands.names() {
        let examples: Vec<String> =
            examples(command).into_iter().filter(|line| !line.contains('>')).take(1).collect();
        let place = place(&repository, command, &examples);
        for example in &examples {
            let line = runnable(&place, example);
            let (code, told) = place.run_unread(&line);
            if !(0..=1).contains(&code) || told.contains("error") || told.contains("panicked") {
                faults.push(format!("{line}\nends with exit code {code}:\n{told}"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

mod parquet {
    use std::fs::File;
    use std::path::Path;
    use std::sync::Arc;

    use parquet::data_type::{ByteArray, ByteArrayType};
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;

    /// Columns of text.
    pub(super) fn write(path: &Path, names: &[&str], rows: &[Vec<&str>]) {
        let fields: String = names.iter().map(|name| format!("required binary {name} (utf8); ")).collect();
        let schema = parse_message_type(&format!("message rows {{ {fields}}}")).expect("a schema");
        let file = File::create(path).expect("the folder is writable");
        let mut writer = SerializedFileWriter::new(file, Arc::new(schema), Arc::default()).expect("a writer");
        let mut group = writer.next_row_group().expect("a group");
        for index in 0..names.len() {
            let values: Vec<ByteArray> =
                rows.iter().filter_map(|row| row.get(index).copied().map(ByteArray::from)).collect();
            let mut column = group.next_column().expect("a column").expect("a column for each name");
            column.typed::<ByteArrayType>().write_batch(&values, None, None).expect("values fit");
            column.close().expect("it can be written");
        }
        group.close().expect("it can be written");
        writer.close().expect("it can be written");
    }
}

//! Generated Java compiles without a warning, passes its vectors and is as google-java-format leaves it, for every table file of this
//! repository.
//!
//! `OrdersTable.java` is compiled against the few classes of HBase's client that it names (`tests/java/client.txt`), or
//! against the jars in the folder `ROWKEY_HBASE_JARS`. `ROWKEY_JAVA_FOLDER` is a folder to generate into, which stays.
//! Without a JDK the tests say so and look at nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rowkey_core::Table;
use rowkey_generate::{Design, Origin, generate, language};
use rowkey_testing::java;

/// The classes of HBase's client, each behind a line `==> PATH`.
const CLIENT: &str = include_str!("java/client.txt");

/// What is asked of Java in particular, of the code for [`TRAPS_TABLE`].
const TRAPS: &str = include_str!("java/Traps.java.txt");

const TRAPS_TABLE: &str = r#"
[table]
name = "traps"
key = "[number][time][wide][narrow: ordered(f32)][name]"

[fields]
number = "u64"
time = "timestamp"
wide = "f64"
narrow = "f32"
name = "text"

[families.d]
"#;

#[test]
fn every_table_file_compiles_and_passes_its_vectors() {
    let probe = Command::new("javac").arg("-version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if probe.is_err() {
        eprintln!("there is no JDK: generated Java is not looked at");
        return;
    }
    let temporary = tempfile::tempdir().expect("a folder");
    let folder =
        std::env::var_os("ROWKEY_JAVA_FOLDER").map_or_else(|| temporary.path().to_owned(), PathBuf::from);
    let java = language("java").expect("a language");
    let mut tests = String::new();
    let mut count = 0;
    for (name, table) in tables() {
        let mut design = Design::of(&table, Origin { version: "0.0.0".to_owned(), file: name });
        design.table = format!("shop:table_{count}");
        for file in generate(java, &design).expect("code") {
            write(&folder.join(&file.name), &file.text);
        }
        let same = generate(java, &design).expect("code");
        assert_eq!(same, generate(java, &design).expect("the same code"));
        tests.push_str(&format!("    Table{count}KeyTest.main(args);\n"));
        count += 1;
    }
    assert!(count > 40, "{count}");
    let table = Table::parse("traps.toml", TRAPS_TABLE).expect("a table file");
    let design = Design::of(&table, Origin { version: "0.0.0".to_owned(), file: "traps.toml".to_owned() });
    for file in generate(java, &design).expect("code") {
        write(&folder.join(&file.name), &file.text);
    }
    write(&folder.join("Traps.java"), TRAPS);
    let all = format!(
        "final class All {{\n  public static void main(String[] args) {{\n{tests}    Traps.main(args);\n  }}\n}}\n"
    );
    write(&folder.join("All.java"), &all);
    let jars = std::env::var("ROWKEY_HBASE_JARS").map(|folder| format!("{folder}/*"));
    if jars.is_err() {
        for class in CLIENT.split("==> ").skip(1) {
            let (path, text) = class.split_once('\n').expect("a path and a text");
            write(&folder.join(path), text);
        }
    }
    let sources =
        files_below(&folder).into_iter().filter(|path| path.extension().is_some_and(|end| end == "java"));
    // Real jars have warnings of their own: annotations that are not there.
    let lint = if jars.is_ok() { "-Xlint:all,-options,-classfile,-path" } else { "-Xlint:all,-options" };
    fs::create_dir_all(folder.join("classes")).expect("made");
    let mut javac = Command::new("javac");
    javac.args([
        "--release",
        "8",
        "-Werror",
        "-d",
        "classes",
        "-cp",
        jars.as_deref().unwrap_or("classes"),
        lint,
    ]);
    ran(javac.args(sources).current_dir(&folder));
    let told =
        ran(Command::new("java").args(["-XX:+UseSerialGC", "-cp", "classes", "All"]).current_dir(&folder));
    assert!(told.contains("no trap"), "{told}");
    assert_eq!(told.matches(", 0 failed").count(), count, "{told}");
}

#[test]
fn the_formatter_of_java_would_change_nothing() {
    let mut format = match java::google_java_format() {
        Ok(format) => format,
        Err(why) => {
            eprintln!("whether generated Java is formatted is not looked at: {why}");
            return;
        }
    };
    let folder = tempfile::tempdir().expect("a folder");
    let java = language("java").expect("a language");
    let mut files = Vec::new();
    for (count, (name, table)) in tables().enumerate() {
        let mut design = Design::of(&table, Origin { version: "0.0.0".to_owned(), file: name });
        design.table = format!("shop:table_{count}");
        for file in generate(java, &design).expect("code") {
            let path = folder.path().join(&file.name);
            write(&path, &file.text);
            files.push((path, file.text));
        }
    }
    ran(format.arg("--replace").args(files.iter().map(|(path, _)| path)));
    let mut changed = String::new();
    for (path, before) in &files {
        let after = fs::read_to_string(path).expect("a file");
        if let Some((before, after)) =
            before.lines().zip(after.lines()).find(|(before, after)| before != after)
        {
            let name = path.file_name().expect("a name").to_string_lossy();
            changed.push_str(&format!("{name}\n  generated {before}\n  formatted {after}\n"));
        }
    }
    assert!(changed.is_empty(), "the formatter would change lines; the first of each file:\n{changed}");
}

/// The tables of the examples and the templates, with the names of their files.
fn tables() -> impl Iterator<Item = (String, Table)> {
    table_files().into_iter().filter_map(|path| {
        let text = fs::read_to_string(&path).expect("a table file");
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        // Some are wrong on purpose, and one is Cargo's.
        Some((name, Table::parse("a table file", &text).ok()?))
    })
}

/// The table files of the examples and the templates.
fn table_files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = files_below(&root.join("examples"));
    files.extend(files_below(&root.join("crates/rowkey-cli/templates")));
    files.retain(|path| path.extension().is_some_and(|end| end == "toml"));
    files
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { files.extend(files_below(&path)) } else { files.push(path) }
    }
    files.sort();
    files
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    fs::write(path, text).expect("written");
}

/// What a command that succeeds prints.
fn ran(command: &mut Command) -> String {
    let output = command.output().expect("it starts");
    let told = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{told}");
    told
}

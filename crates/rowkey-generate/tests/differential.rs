//! Generated programs give the core's keys, values and refusals, for keys drawn at random and every table file of this repository.
//!
//! `ROWKEY_GENERATE_KEYS`, `ROWKEY_GENERATE_RECORDS` and `ROWKEY_GENERATE_QUERIES` say how many keys, and records and queries of each; `ROWKEY_GENERATE_SEED` draws others. A language whose
//! compiler is not installed is left out, and the test says so. What a language has no function for is printed with its reason.

#![expect(clippy::print_stderr, reason = "a language that is left out is told to whoever looks")]

#[expect(dead_code, reason = "records are drawn by the kit")]
#[path = "../../rowkey-core/tests/generator/mod.rs"]
mod generator;

#[path = "../../rowkey-core/tests/plans/dice.rs"]
#[expect(dead_code, reason = "queries are made with parameters")]
mod dice;
mod plans {
    pub(crate) use super::dice;
}
#[path = "../../rowkey-core/tests/templates/queries.rs"]
#[expect(dead_code, reason = "values are drawn by the kit")]
mod queries;

use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use generator::{Random, case};
use rowkey_core::key::{Field, Fields};
use rowkey_core::{KeySchema, Table, Type};
use rowkey_generate::conform::Kit;
use rowkey_generate::{Design, Origin, QueryDesign, generate, language};

/// Queries that were once wrong in some language: constants without an address, wide numbers, no parameter in any query, null.
const ODD_QUERIES: [(&str, &[&str]); 6] = [
    (
        "[a: uuid][b: ipv6]",
        &[
            "a >= '00000000-0000-0000-0000-000000000001' and a < 'ffffffff-0000-0000-0000-000000000000'",
            "a = ? and b between '::1' and 'ff::'",
            "a > ?",
        ],
    ),
    (
        "[a: decimal(30)][b: ordered(numeric)]",
        &[
            "a > ? and a <= ?",
            "a < 5 limit 3",
            "a = ? and b >= ? and b < ?",
            "a = 7 and b > 1.5",
            "a = ? and b <= ?",
        ],
    ),
    ("[a: u64][b]", &["a >= 5", "a = 18446744073709551615"]),
    (
        "[a: f64?][b: f32?]",
        &["a is null", "a is null and b = ?", "b is null and a in (?, 0.5)", "a = ? or a is null"],
    ),
    (
        "[range: u32][range_end: ipv4][max: uuid]",
        &["range_end > ? and range = ?", "range in (?, 5) and max = ?"],
    ),
    (
        "[a: u64?][md5(b).bytes(2)][c: bool]",
        &["a is null", "a is null or a = ?", "a = ? and b is null and c = true"],
    ),
];

/// How many tables share one program.
const TOGETHER: usize = 100;

#[test]
fn python_agrees_with_the_core() {
    agrees("python", &["python3", "--version"], |folder| {
        let mut command = command(folder, &["python3", "-W", "error", "conform.py"]);
        command.env("PYTHONDONTWRITEBYTECODE", "1");
        command
    });
}

#[test]
fn java_agrees_with_the_core() {
    agrees("java", &["javac", "-version"], |folder| {
        let sources =
            files_below(folder).into_iter().filter(|path| path.extension().is_some_and(|end| end == "java"));
        // The classes for HBase's client need its jars.
        let sources = sources.filter(|path| !path.to_string_lossy().ends_with("Table.java"));
        let mut javac =
            command(folder, &["javac", "--release", "8", "-Xlint:all,-options", "-Werror", "-d", "classes"]);
        ran(javac.args(sources));
        command(folder, &["java", "-XX:+UseSerialGC", "-cp", "classes", "Conform"])
    });
}

#[test]
fn go_agrees_with_the_core() {
    agrees("go", &["go", "version"], |folder| {
        ran(&mut command(folder, &["go", "build", "-o", "answer", "./conform"]));
        command(folder, &["./answer"])
    });
}

/// A key under the name of its table.
struct Named {
    name: String,
    key: KeySchema,
    /// The keys of its index tables.
    indexes: Vec<KeySchema>,
    design: Design,
}

/// Generates, builds by `build`, which gives the program, and asks it.
fn agrees(name: &str, probe: &[&str], build: impl Fn(&Path) -> Command) {
    let folder = tempfile::tempdir().expect("a folder");
    if command(folder.path(), probe).stdout(Stdio::null()).stderr(Stdio::null()).status().is_err() {
        eprintln!("{name} is left out: there is no {}", probe.first().unwrap_or(&""));
        return;
    }
    let language = language(name).expect("a language");
    let (records, seed) = (setting("ROWKEY_GENERATE_RECORDS", 40), setting("ROWKEY_GENERATE_SEED", 0));
    let all = tables(seed);
    let mut refused = Vec::new();
    let (mut all_queries, mut templates, mut queries, mut without) = (0, 0, 0, Vec::new());
    for (number, some) in all.chunks(TOGETHER).enumerate() {
        let folder = folder.path().join(number.to_string());
        let (mut kit, mut designs) = (Kit::default(), Vec::new());
        for table in some {
            match generate(language, &table.design) {
                Ok(files) => files.iter().for_each(|file| write(&folder.join(&file.name), &file.text)),
                Err(reason) => {
                    refused.push(format!("{}: {reason}", table.key.source()));
                    continue;
                }
            }
            designs.push(&table.design);
            let keys: Vec<&KeySchema> = std::iter::once(&table.key).chain(&table.indexes).collect();
            let mut asked = table.design.clone();
            asked.queries.retain(|query| {
                let why = language.query_refusal(&table.design, query);
                if let (Some(why), Ok(_)) = (&why, &query.template) {
                    without.push(format!("{}: {why}", query.source));
                }
                templates += usize::from(query.template.is_ok());
                all_queries += 1;
                why.is_none()
            });
            queries += asked.queries.len();
            kit.add_queries(&asked, &keys, 10, seed);
            kit.add(&table.name, &table.key, usize::try_from(records).expect("a small number"), seed);
        }
        let files = language.conform(&designs).expect("a program that answers");
        files.iter().for_each(|file| write(&folder.join(&file.name), &file.text));
        let answers = ask(build(&folder), &kit);
        let verdict = kit.judge(answers.iter().map(String::as_str));
        let shown: Vec<String> = verdict
            .differences
            .iter()
            .take(8)
            .map(|wrong| {
                let short = |text: &str| text.chars().take(600).collect::<String>();
                let about = some
                    .iter()
                    .find(|table| wrong.request.contains(&format!("\"table\":\"{}\"", table.name)));
                let key = about.map_or(String::new(), |table| {
                    let asked = |query: &&QueryDesign| {
                        wrong.request.contains(&format!("\"query\":\"{}\"", query.name))
                    };
                    let query = table.design.queries.iter().find(asked).map(|query| query.source.as_str());
                    format!("{:?} {:?}", table.key.source(), query.unwrap_or_default())
                });
                format!(
                    "{key}\n  {}\n  expected {}\n  found    {}",
                    short(&wrong.request),
                    short(&wrong.expected),
                    short(&wrong.found)
                )
            })
            .collect();
        let wrong = verdict.differences.len();
        let kept = if wrong > 0 { folder.display().to_string() } else { String::new() };
        assert_eq!(
            wrong,
            0,
            "{wrong} of {} answers of {name} are wrong ({kept}):\n{}",
            kit.len(),
            shown.join("\n")
        );
        eprintln!("{name}: {} tables, {} answers", designs.len(), verdict.right);
    }
    eprintln!(
        "{name}: of {all_queries} queries {templates} can be planned before their values are known; {queries} of these have \
         functions, {} have none",
        without.len()
    );
    without.iter().take(10).for_each(|why| eprintln!("  {why}"));
    assert!(refused.is_empty(), "no code for {} keys in {name}:\n{}", refused.len(), refused.join("\n"));
}

fn setting(name: &str, usual: u64) -> u64 {
    std::env::var(name).map_or(usual, |text| text.parse().unwrap_or_else(|_| panic!("{name} is a number")))
}

/// Keys drawn at random, keys whose names are a program's own, and all table files.
fn tables(seed: u64) -> Vec<Named> {
    let drawn = (0..setting("ROWKEY_GENERATE_KEYS", 60))
        .map(|number| case(&mut Random::new(seed * 1_000_000 + number)).key);
    let odd = [
        "[class: u32][func: i64?][def: text?]_[self: escaped][this: f64]",
        "[record: u8][key: escaped][int: i16][long: long][String: escaped][encode: u8][decode: u8][len: bool]",
        "[salt(16)][import: uuid][range: ipv4][type: ipv6][None: timestamp desc][byte: bytes]",
    ];
    let odd = odd.into_iter().map(|source| KeySchema::parse(source).expect(source));
    let keys = drawn.chain(odd).chain([with_every_field()]).enumerate().map(|(number, key)| {
        let name = format!("t{number}");
        let mut design = Design::of_key(&key, &name, origin("random.toml"));
        let mut dice = dice::Dice::new(number as u64);
        let queries = (0..setting("ROWKEY_GENERATE_QUERIES", 4)).map(|number| {
            let made = queries::Made::new(&mut dice, &key, None);
            QueryDesign::of_key(&key, &format!("q{number}"), &made.text)
        });
        design.queries = queries.collect();
        Named { name, key, indexes: Vec::new(), design }
    });
    let odd = ODD_QUERIES.iter().enumerate().map(|(number, (source, queries))| {
        let (key, name) = (KeySchema::parse(source).expect(source), format!("odd{number}"));
        let mut design = Design::of_key(&key, &name, origin("odd.toml"));
        let queries = queries.iter().enumerate();
        design.queries =
            queries.map(|(number, query)| QueryDesign::of_key(&key, &format!("q{number}"), query)).collect();
        Named { name, key, indexes: Vec::new(), design }
    });
    keys.chain(odd).chain(files()).collect()
}

/// Fields of every type, hashed together.
fn with_every_field() -> KeySchema {
    let fields = Type::all().enumerate().map(|(number, ty)| Field {
        name: format!("f{number}"),
        ty,
        nullable: number % 3 == 0,
    });
    let fields: Vec<Field> = fields.collect();
    let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    let source = format!("[salt(1000, {0})][md5({0}).subStr(4,9)][xxh3({0}): u64]", names.join(", "));
    KeySchema::with_fields(&source, &Fields::new(fields)).expect("a key")
}

/// Every table file of the examples and templates, each with its index tables.
fn files() -> Vec<Named> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut paths = files_below(&root.join("examples"));
    paths.extend(files_below(&root.join("crates/rowkey-cli/templates")));
    paths.retain(|path| path.extension().is_some_and(|end| end == "toml"));
    let mut tables = Vec::new();
    for (number, path) in paths.iter().enumerate() {
        let text = std::fs::read_to_string(path).expect("a table file");
        // Some are wrong on purpose, and one is Cargo's.
        let Ok(table) = Table::parse("a table file", &text) else { continue };
        let mut design = Design::of(&table, origin("a.toml"));
        design.table = format!("file{number}");
        for (index, of) in design.indexes.iter_mut().enumerate() {
            of.table = format!("file{number}_index{index}");
        }
        let indexes = table.indexes.iter().map(|index| index.key.clone()).collect();
        tables.push(Named { name: design.table.clone(), key: table.key.clone(), indexes, design });
    }
    assert!(tables.len() > 40, "{}", tables.len());
    tables
}

fn origin(file: &str) -> Origin {
    Origin { version: "0.1.0".to_owned(), file: file.to_owned() }
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { found.extend(files_below(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    std::fs::write(path, text).expect("written");
}

fn command(folder: &Path, words: &[&str]) -> Command {
    let (program, rest) = words.split_first().expect("a program");
    let mut command = Command::new(program);
    command.args(rest).current_dir(if folder.is_dir() { folder } else { Path::new(".") });
    command
}

fn ran(command: &mut Command) {
    let output = command.output().expect("it starts");
    let told = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{:?}:\n{}", command.get_program(), String::from_utf8_lossy(&told));
}

fn ask(mut command: Command, kit: &Kit) -> Vec<String> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    let (input, answers) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
    let lines = std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut input = BufWriter::new(input);
            let _ = kit.requests().try_for_each(|request| writeln!(input, "{request}"));
        });
        BufReader::new(answers).lines().collect::<Result<Vec<_>, _>>().expect("lines")
    });
    assert!(child.wait().expect("it ends").success(), "the program failed");
    lines
}

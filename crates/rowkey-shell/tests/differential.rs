//! Does our shell print what HBase's own shell prints?
//!
//! The scripts of `scripts.txt` run through HBase's shell (2.4.17, one JRuby process), through ours on the same cluster, and
//! through ours on the embedded store. Times are masked, and so is what names a machine or a run. What differs for a
//! reason is in [`EXPECTED`], each with the reason, which docs/shell.md repeats; everything else must be equal.
//!
//! `ROWKEY_SHELL_SCRIPT=name cargo test -p rowkey-shell --test differential` runs the scripts whose names hold a text (and
//! the first one, which makes their tables).

use std::io::Write;

use regex::Regex;
use rowkey_embedded::{EmbeddedStore, Options};
use rowkey_hbase::HBaseStore;
use rowkey_shell::language::parse;
use rowkey_shell::{Session, Settings};
use rowkey_store::Store;
use rowkey_testing::cluster;
use rowkey_testing::hbase_shell::HBaseShell;

const SCRIPTS: &str = include_str!("scripts.txt");

/// Statements that print something else, and why.
const EXPECTED: &[(&str, &str)] = &[
    ("^show_filters", "HBase lists filters in no order; DependentColumnFilter is not in rowkey's stores"),
    (
        r"^(get|exists|drop) '[ax] [by]'|^scan 'a/b'|^create '[.-]x'|^describe 'a:b:c'|^put 'x\?'",
        "names are refused in words that say the rule",
    ),
    ("'no number'", "HBase answers with a class of JRuby"),
    (r"SPLITS => \['a', 'a'\]|SPLITS => \[''\]", "split points are refused in words that name the point"),
    ("^snapshot 'SH_none'|^restore_snapshot 'SH_none'|^move 'SH_none'", "HBase answers with a Java class"),
    ("^get_splits 'SH_none'", "HBase prints one region for a table that is not there"),
];

struct Script {
    name: String,
    statements: Vec<String>,
}

fn scripts() -> Vec<Script> {
    let mut scripts: Vec<Script> = Vec::new();
    for line in SCRIPTS.lines() {
        if let Some(name) = line.strip_prefix("=== ") {
            scripts.push(Script { name: name.to_owned(), statements: Vec::new() });
        } else if let (Some(script), false) = (scripts.last_mut(), line.trim().is_empty()) {
            match (line.strip_prefix("  "), script.statements.last_mut()) {
                (Some(more), Some(statement)) => *statement = format!("{statement}\n{more}"),
                _ => script.statements.push(line.to_owned()),
            }
        }
    }
    scripts
}

/// A shell that statements can be given to.
trait Shell {
    fn print(&mut self, statement: &str) -> String;
}

impl Shell for HBaseShell {
    fn print(&mut self, statement: &str) -> String {
        self.run(statement).expect("HBase's shell answers")
    }
}

impl Shell for Session {
    fn print(&mut self, statement: &str) -> String {
        let mut out = Vec::new();
        match parse(statement) {
            Ok(statements) => {
                for statement in &statements {
                    self.run(statement, &mut out).expect("a vector takes everything");
                }
            }
            Err(error) => writeln!(out, "SyntaxError: {error}").expect("a vector takes everything"),
        }
        String::from_utf8_lossy(&out).into_owned()
    }
}

/// What differs from run to run, or only in form.
struct Mask(Vec<(Regex, &'static str)>);

impl Mask {
    fn new() -> Self {
        let rules = [
            (r"Took \d+\.\d+ seconds *", "Took N seconds"),
            // Times of the clock; the scripts' own are long ago.
            (r"timestamp=20[2-9]\d-[^,\n]*", "timestamp=NOW"),
            // Where HBase shows a Java class and where in it, only the words count.
            (r"(?m)^\tat .*\n", ""),
            (r"(?m)^ERROR: (?:org|java)\.[\w.$]+(?:Exception|Error): ", "ERROR: "),
            // Settings that HBase 2.6 adds by itself.
            (
                r", \{TABLE_ATTRIBUTES => \{METADATA => \{'hbase.store.file-tracker.impl' => 'DEFAULT'\}\}\}",
                "",
            ),
            (r", METADATA => \{'hbase.store.file-tracker.impl' => 'DEFAULT'\}", ""),
            (r", METADATA => \{'INDEX_BLOCK_ENCODING' => 'NONE'\}", ""),
            (r"\d+ servers, 0 dead, [\d.]+ average load", "N servers, 0 dead, N average load"),
            (r"\(20[2-9]\d-[^)]*\)", "(NOW)"),
            // The compressions that a build of HBase knows.
            (r"is not supported. Use one of .*", "is not supported. Use one of THESE"),
            // HBase's server answers with the whole description of the table.
            (r"Column family \S+ does not exist in region .*", "UNKNOWN FAMILY"),
            (r"Unknown column family! Valid column names: .*", "UNKNOWN FAMILY"),
        ];
        Self(rules.into_iter().map(|(rule, by)| (Regex::new(rule).expect("a rule is right"), by)).collect())
    }

    fn apply(&self, prefix: &str, text: &str) -> String {
        let text = text.replace(prefix, "SH");
        self.0.iter().fold(text, |text, (rule, by)| rule.replace_all(&text, *by).into_owned())
    }
}

/// What a session prints, without the times that commands took.
fn printed(session: &mut Session, statement: &str) -> String {
    let printed = session.print(statement);
    printed.lines().filter(|line| !line.starts_with("Took ")).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_region_is_moved_to_every_server_and_read() {
    let store = HBaseStore::connect(&cluster::shared().zookeeper_url).unwrap();
    let status = rowkey_store::Admin::status(&store).unwrap();
    let mut session = Session::new(Box::new(store), Settings::default());
    let table = format!("move_{}", std::process::id());
    printed(&mut session, &format!("create '{table}', 'f'; put '{table}', 'r', 'f:a', 'value', 5"));
    let name = table.parse().unwrap();
    let region = |session: &Session| session.store().regions(&name).unwrap().remove(0);
    for server in &status.servers {
        let wanted = region(&session).encoded_name().to_owned();
        assert_eq!(printed(&mut session, &format!("move '{wanted}', '{server}'")), "");
        assert_eq!(region(&session).server.as_ref(), Some(server));
        assert!(printed(&mut session, &format!("get '{table}', 'r'")).contains("value=value"));
    }
    let wanted = region(&session).name;
    let refused = printed(&mut session, &format!("move '{wanted}', 'nowhere,1,1'"));
    assert!(refused.contains("ERROR: nowhere,1,1 is no live server of this store"), "{refused}");
    printed(&mut session, &format!("disable '{table}'; drop '{table}'"));
}

#[test]
fn the_embedded_store_says_what_it_cannot_do() {
    let folder = tempfile::tempdir().unwrap();
    let store = EmbeddedStore::open(folder.path(), Options::default()).unwrap();
    let mut session = Session::new(Box::new(store), Settings::default());
    printed(&mut session, "create 't', 'f'; create 'ns:t', 'f'");
    for (statement, words) in [
        ("create_namespace 'n'", "cannot create namespaces: one is there as soon as it has a table"),
        ("drop_namespace 'ns'", "cannot drop namespaces: one is gone with its last table"),
        ("snapshot 't', 's'", "cannot take snapshots"),
        ("clone_snapshot 's', 'u'", "cannot clone snapshots"),
        ("restore_snapshot 's'", "cannot restore snapshots"),
        ("delete_snapshot 's'", "cannot delete snapshots"),
        ("balancer", "cannot balance regions"),
        ("balance_switch true", "cannot balance or normalize regions"),
        ("normalizer_enabled", "cannot balance or normalize regions"),
        ("normalize", "cannot normalize regions"),
    ] {
        let answer = printed(&mut session, statement);
        assert!(answer.contains(&format!("ERROR: the embedded store {words}")), "{statement}: {answer}");
    }
    assert_eq!(printed(&mut session, "list_namespace"), "NAMESPACE\ndefault\nns\n2 row(s)");
    assert_eq!(printed(&mut session, "list_namespace_tables 'ns'"), "TABLE\nt\n1 row(s)");
    assert_eq!(printed(&mut session, "list_snapshots"), "SNAPSHOT  TABLE + CREATION TIME\n0 row(s)");
}

#[test]
fn scripts_print_the_same_in_hbases_shell_and_in_ours_on_both_stores() {
    let scripts = scripts();
    let (all, errors) = (scripts.len(), scripts.iter().filter(|s| s.name.starts_with("error")).count());
    assert!(all >= 62 && errors >= 15, "{all} scripts, {errors} with errors");
    for script in &scripts {
        assert!(script.statements.len() >= 8, "{} has {} statements", script.name, script.statements.len());
    }
    let wanted = std::env::var("ROWKEY_SHELL_SCRIPT").ok();
    let run: Vec<&Script> = scripts
        .iter()
        .filter(|script| {
            let ends = ["setup", "teardown"].contains(&script.name.as_str());
            ends || wanted.as_ref().is_none_or(|wanted| script.name.contains(wanted.as_str()))
        })
        .collect();

    let url = cluster::shared().zookeeper_url.clone();
    let folder = tempfile::tempdir().unwrap();
    let embedded = EmbeddedStore::open(folder.path(), Options::default()).unwrap();
    let on = |store: Box<dyn Store>| Session::new(store, Settings::default());
    let mut theirs = HBaseShell::start(&url, &mut |line| println!("{line}")).unwrap();
    let mut ours = on(Box::new(HBaseStore::connect(&url).unwrap()));
    let mut alone = on(Box::new(embedded));

    // Names of one length, so that columns are equally wide.
    let (their_prefix, our_prefix) =
        (format!("a{:07}", std::process::id()), format!("b{:07}", std::process::id()));
    let (mask, mut differences, mut statements, mut told) = (Mask::new(), Vec::new(), 0, 0);
    let reasons: Vec<(Regex, &str)> =
        EXPECTED.iter().map(|(rule, why)| (Regex::new(rule).unwrap(), *why)).collect();
    for script in run {
        for statement in &script.statements {
            statements += 1;
            let expected = mask.apply(&their_prefix, &theirs.print(&statement.replace("SH", &their_prefix)));
            let typed = statement.replace("SH", &our_prefix);
            let shells: [(&str, &mut Session); 2] = [("on HBase", &mut ours), ("embedded", &mut alone)];
            // What the embedded store does not have.
            let stores = if script.name.starts_with("cluster") { 1 } else { 2 };
            for (place, shell) in shells.into_iter().take(stores) {
                let got = mask.apply(&our_prefix, &shell.print(&typed));
                if got == expected {
                    continue;
                }
                if reasons.iter().any(|(rule, _)| rule.is_match(statement)) {
                    told += 1;
                    continue;
                }
                differences.push(format!(
                    "--- {} | {place} | {statement}\nHBase's shell:\n{expected}\nours:\n{got}",
                    script.name
                ));
            }
        }
    }
    println!("{statements} statements, {told} answers differ for a reason that is listed");
    assert!(differences.is_empty(), "{} differ:\n{}", differences.len(), differences.join("\n"));
}

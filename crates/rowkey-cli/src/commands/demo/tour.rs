//! The tour of `rowkey demo`: what rowkey can do, command by command.
//!
//! Every step is a command line that is shown, read by the same parser as what a person types, and run. So the tour cannot show
//! what the program does not do, and each step can be repeated by hand.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Parser;
use serde_json::json;

use super::{Made, shown};
use crate::args::{Arguments, Demo, DemoSet};
use crate::output::{Output, grouped};
use crate::{Answer, open_store};

const FOLDER: &str = "rowkey-demo";

pub(super) fn run(arguments: &Demo, store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    let folder = arguments.folder.clone().unwrap_or_else(|| PathBuf::from(FOLDER));
    // A cluster is used as it is; a folder is the demo's own, so that nothing of a user's is touched.
    let own_store = folder.join("store");
    let store =
        if open_store::is_cluster(store) { store.to_owned() } else { own_store.display().to_string() };
    make_room(&own_store, arguments.force)?;

    let mut pictures = Vec::new();
    for set in DemoSet::ALL {
        let made = Made::write(set, &folder, arguments)?;
        let say = format!(
            "── {} ──\n{} {} in {}; {} describes the table, and its key is {}\n",
            set.name(),
            grouped(made.rows.into()),
            set.name(),
            shown(&made.data),
            shown(&made.table),
            made.key,
        );
        output.line(&say, || json!({ "set": set.name(), "data": made.data, "rows": made.rows }))?;
        let tour =
            Tour { set, folder: &folder, store: &store, data: shown(&made.data), table: shown(&made.table) };
        for step in tour.steps() {
            step.run(output)?;
        }
        pictures.extend([tour.file("before.png"), tour.file("after.png")]);
    }
    let say = format!(
        "That was it. Heat maps, regions by time: {}.\n\
         Next: `rowkey advise --help` for your own data, `rowkey new orders orders.toml` for a table file to begin with,\n\
         `rowkey shell --store {store}` to look around.",
        pictures.join(", ")
    );
    output.line(&say, || json!({ "pictures": pictures, "store": store }))?;
    Ok(Answer::Yes)
}

/// Removes an earlier demo's store, with `--force` only.
fn make_room(store: &Path, force: bool) -> anyhow::Result<()> {
    if !store.exists() {
        return Ok(());
    }
    if !force {
        bail!(
            "{} is there already, from an earlier demo; add --force to replace it, or --folder for another place",
            store.display()
        );
    }
    fs::remove_dir_all(store).with_context(|| format!("could not delete {}", store.display()))
}

/// A command of the tour.
struct TourStep {
    why: &'static str,
    words: Vec<String>,
    /// A command may answer no, as a check that finds something does.
    may_say_no: bool,
}

impl TourStep {
    fn run(&self, output: &mut Output) -> anyhow::Result<()> {
        let line = command_line(&self.words);
        output.line(&format!("# {}\n$ {line}", self.why), || json!({ "why": self.why, "command": line }))?;
        let arguments = Arguments::try_parse_from(&self.words)?;
        let answer = crate::run(&arguments, output).with_context(|| format!("`{line}` failed"))?;
        if answer == Answer::No && !self.may_say_no {
            bail!("`{line}` found nothing, but the demo's data has what it asks for");
        }
        output.line("", || json!({ "done": line }))?;
        Ok(())
    }
}

struct Tour<'t> {
    set: DemoSet,
    folder: &'t Path,
    store: &'t str,
    data: String,
    table: String,
}

impl Tour<'_> {
    fn file(&self, end: &str) -> String {
        shown(&self.folder.join(format!("{}-{end}", self.set.name())))
    }

    fn steps(&self) -> Vec<TourStep> {
        let (data, table, better) = (self.data.as_str(), self.table.as_str(), self.file("better.toml"));
        let (before, after) = (self.file("before.png"), self.file("after.png"));
        let better = better.as_str();
        let step = |why, words: &[&str]| TourStep {
            why,
            words: std::iter::once("rowkey").chain(words.iter().copied()).map(str::to_owned).collect(),
            may_say_no: false,
        };
        let on_store = |why, words: &[&str]| step(why, &[words, &["--store", self.store]].concat());
        let (in_order, by_lead) = self.queries();
        vec![
            TourStep {
                may_say_no: true,
                ..step(
                    "what is wrong with the first key that comes to mind?",
                    &["check", table, "--data", data],
                )
            },
            step(
                "how hot does it get? sixteen regions on four servers, the records written one by one",
                &["simulate", table, "--data", data, "--time", "ts", "--heat", "--png", &before],
            ),
            step(
                "which key would be better, for these records and the queries in the file?",
                &[
                    "advise",
                    "--data",
                    data,
                    "--queries",
                    table,
                    "--writes",
                    self.writes(),
                    "--write",
                    better,
                    "--force",
                ],
            ),
            step(
                "the same simulation with it",
                &["simulate", better, "--data", data, "--time", "ts", "--heat", "--png", &after],
            ),
            on_store("make its table, cut into regions beforehand", &["create", better]),
            on_store("load it", &["load", self.set.name(), data]),
            on_store(
                "read it in the order of time, as if it were not salted",
                &["query", self.set.name(), in_order],
            ),
            on_store("what did that read?", &["explain", self.set.name(), in_order, "--analyze"]),
            on_store("and the other query", &["query", self.set.name(), by_lead]),
            on_store("where the rows are", &["regions", self.set.name()]),
        ]
    }

    /// How many of 100 operations are writes: a shop's orders are written more than read, and logs are searched.
    fn writes(&self) -> &'static str {
        match self.set {
            DemoSet::Orders => "80",
            DemoSet::Logs => "60",
        }
    }

    /// One across the whole table in the order of time, one by what is looked up.
    fn queries(&self) -> (&'static str, &'static str) {
        match self.set {
            DemoSet::Orders => {
                ("ts >= '1997-06-01' and ts < '1997-07-01' order by ts limit 5", "order_id = 'O0000000042'")
            }
            DemoSet::Logs => (
                "ts >= '2025-03-01T12:00:00Z' order by ts limit 5",
                "host = 'web-42' order by ts desc limit 5",
            ),
        }
    }
}

/// A command as a person would type it.
fn command_line(words: &[String]) -> String {
    let plain = |word: &str| word.chars().all(|c| c.is_ascii_alphanumeric() || "-_./:=".contains(c));
    let shown = words.iter().map(|word| if plain(word) { word.clone() } else { format!("\"{word}\"") });
    shown.collect::<Vec<_>>().join(" ")
}

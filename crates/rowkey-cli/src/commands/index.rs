//! `rowkey index build|verify|repair TABLE [INDEX…]`

use std::path::PathBuf;

use anyhow::{Context, bail};
use rowkey_core::Table;
use rowkey_core::escape::{escape, to_hex};
use rowkey_ops::create::{self, OpenTable};
use rowkey_ops::index::{
    self, BuildOptions, CompareOptions, CompareProgress, Difference, IndexReport, tables,
};
use rowkey_store::Store;
use serde_json::{Value, json};

use crate::args::{HowToCompare, IndexBuild, IndexCommand, OfIndexes, quoted};
use crate::output::{Output, Rows, Spinner, cell, counted, counted_rows, grouped, key_json, number};
use crate::{Answer, interrupt, open_store, table_argument};

/// A table whose index tables are worked on.
struct Indexed {
    store: Box<dyn Store>,
    table: Table,
    open: OpenTable,
    /// The numbers of the index tables that are meant.
    chosen: Vec<usize>,
}

pub(crate) fn run(command: &IndexCommand, store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    match command {
        IndexCommand::Build(build) => run_build(build, store, output),
        IndexCommand::Verify(verify) => {
            let indexed = Indexed::open(&verify.of, store, false)?;
            let reports = compare(index::verify, "comparing", &indexed, &verify.how, store)?;
            print(&reports, &verify.how, "verify", output)?;
            let differences: u64 = reports.iter().map(IndexReport::differences).sum();
            if differences == 0 {
                output.note("nothing differs");
                return Ok(Answer::Yes);
            }
            let hint = format!("rowkey --store {} index repair{}", quoted(store), verify.of.words());
            output.note(&format!("{}; mend with: {hint}", counted(differences, "difference")));
            Ok(Answer::No)
        }
        IndexCommand::Repair(repair) => {
            let indexed = Indexed::open(&repair.of, store, false)?;
            let reports = compare(index::repair, "mending", &indexed, &repair.how, store)?;
            print(&reports, &repair.how, "repair", output)?;
            let mended: u64 = reports.iter().map(|report| report.differences() + report.unfinished).sum();
            output.note(&format!("mended {}", counted(mended, "difference")));
            Ok(Answer::Yes)
        }
    }
}

impl Indexed {
    /// Opens the table; with `add`, index tables that only the file has are made first.
    fn open(of: &OfIndexes, store: &str, add: bool) -> anyhow::Result<Self> {
        let file = table_argument::file(&of.table)?;
        let opened = open_store::open(store)?;
        let table = table_argument::own_table(file, &of.table, &*opened)?;
        if table.indexes.is_empty() {
            bail!(
                "table `{}` has no index tables; add an [[index]] to its file, then: rowkey index build FILE",
                table.name
            );
        }
        if add {
            tables::add(&*opened, &table)?;
        }
        let open = create::open(&*opened, &table)?;
        let number = |name: &String| {
            let found = table.indexes.iter().position(|index| index.name == *name);
            found.with_context(|| {
                let names: Vec<&str> = table.indexes.iter().map(|index| index.name.as_str()).collect();
                format!("table `{}` has no index table `{name}`; it has {}", table.name, names.join(", "))
            })
        };
        let chosen = match of.indexes.as_slice() {
            [] => (0..table.indexes.len()).collect(),
            names => names.iter().map(number).collect::<anyhow::Result<Vec<usize>>>()?,
        };
        Ok(Self { store: opened, table, open, chosen })
    }

    fn names(&self) -> Vec<String> {
        let index = |number: &usize| self.table.indexes.get(*number);
        self.chosen.iter().filter_map(index).map(|index| index.name.clone()).collect()
    }
}

fn run_build(arguments: &IndexBuild, store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    let indexed = Indexed::open(&arguments.of, store, true)?;
    let name = indexed.open.name.to_string().replace(':', "_");
    let checkpoint =
        arguments.checkpoint.clone().unwrap_or_else(|| PathBuf::from(format!("{name}.rowkey-build")));
    let options = BuildOptions {
        checkpoint: Some(checkpoint),
        store_name: open_store::name(store),
        restart: arguments.restart,
        cancel: interrupt::cancels(),
        ..BuildOptions::default()
    };
    let Indexed { store: opened, table, open, chosen } = &indexed;
    let built = Spinner::during("building", |spinner| {
        index::build(&**opened, table, open, chosen, &options, &mut |done| spinner.show(done.rows))
    });
    let built = match built {
        Err(index::IndexError::Interrupted { rows }) => bail!(
            "the build was interrupted; {} have their entries. Go on with: {}",
            counted_rows(rows),
            arguments.words(store)
        ),
        built => built?,
    };
    if let Some(before) = built.resumed {
        output.note(&format!("resumed, {} were done before", counted_rows(before)));
    }
    if built.begun_anew {
        output.note("began anew: the checkpoint does not hold for what the index tables have now");
    }
    let names = indexed.names();
    let text = format!("built {} from {} of {}", names.join(", "), counted_rows(built.rows), table.name);
    output.line(&text, || {
        json!({ "table": table.name, "indexes": names, "rows": built.rows, "resumed_rows": built.resumed, "begun_anew": built.begun_anew })
    })?;
    Ok(Answer::Yes)
}

/// Both ways of comparing have the same shape.
type Compare = fn(
    &dyn Store,
    &Table,
    &OpenTable,
    &[usize],
    CompareOptions,
    &mut (dyn FnMut(CompareProgress) + Send),
) -> Result<Vec<IndexReport>, index::IndexError>;

fn compare(
    compare: Compare,
    what: &'static str,
    indexed: &Indexed,
    how: &HowToCompare,
    store: &str,
) -> anyhow::Result<Vec<IndexReport>> {
    // One process holds a folder, so there are no other writers.
    let seconds = how.min_age.unwrap_or(if store.contains("://") { 60 } else { 0 });
    let options = CompareOptions { first: how.first, min_age: i64::from(seconds) * 1000 };
    let Indexed { store, table, open, chosen } = indexed;
    Ok(Spinner::during(what, |spinner| {
        let mut progress = |done: CompareProgress| spinner.show(done.rows + done.entries);
        compare(&**store, table, open, chosen, options, &mut progress)
    })?)
}

fn print(reports: &[IndexReport], how: &HowToCompare, did: &str, output: &mut Output) -> anyhow::Result<()> {
    let header = ["index", "rows", "entries", "missing", "dangling", "stale", "wrong copies", "unfinished"];
    let mut rows = Rows::new(header);
    for report in reports {
        output.object(|| report_json(report, did))?;
        let numbers = [
            report.rows,
            report.entries,
            report.missing,
            report.dangling,
            report.stale,
            report.wrong_copies,
            report.unfinished,
        ];
        rows.add(std::iter::once(cell(&report.index)).chain(numbers.map(grouped).map(number)));
    }
    output.rows(&rows)?;
    for report in reports {
        for Difference { kind, entry, row, .. } in &report.first {
            let text = |key: &[u8]| if how.hex { to_hex(key) } else { escape(key).to_string() };
            output.text(&format!(
                "{}: {}, entry {}, row {}",
                report.index,
                kind.word(),
                text(entry),
                text(row)
            ))?;
        }
        if report.in_flight > 0 {
            let count = counted(report.in_flight, "index row");
            output.note(&format!(
                "{}: {count} of writes that may be under way were left alone; see --min-age",
                report.index
            ));
        }
    }
    Ok(())
}

fn report_json(report: &IndexReport, did: &str) -> Value {
    let difference = |difference: &Difference| json!({ "kind": difference.kind.word(), "entry": key_json(&difference.entry), "row": key_json(&difference.row) });
    let first: Vec<Value> = report.first.iter().map(difference).collect();
    json!({
        "did": did,
        "index": report.index,
        "rows": report.rows,
        "entries": report.entries,
        "missing": report.missing,
        "dangling": report.dangling,
        "stale": report.stale,
        "wrong_copies": report.wrong_copies,
        "unfinished": report.unfinished,
        "in_flight": report.in_flight,
        "first": first,
    })
}

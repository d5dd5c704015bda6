//! `rowkey calibrate`

use std::path::Path;

use rowkey_core::query::Prices;
use rowkey_ops::calibrate::{self, CalibrateOptions, Figure, Kept, Measured, Progress};
use serde_json::{Value, json};

use crate::args::Calibrate;
use crate::output::{Output, Rows, Spinner, cell, counted, grouped, number};
use crate::public::public;
use crate::{Answer, interrupt, open_store, settings};

pub(crate) fn run(arguments: &Calibrate, store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    if settings::are_ignored() && !arguments.dry_run {
        return Err(public("--no-config leaves kept prices alone; with calibrate, write --dry-run instead"));
    }
    if arguments.forget {
        return forget(store, output);
    }
    let opened = match arguments.dry_run {
        true => open_store::open(store)?,
        false => open_store::open_or_make(store)?,
    };
    let (file, id) = settings::place(store, &*opened)?;
    if !arguments.dry_run {
        // Before the work, and again when the file is written.
        Kept::check(&file)?;
    }
    let built_in = settings::built_in(store);
    let options = CalibrateOptions {
        rows: arguments.rows as usize,
        rounds: arguments.rounds as usize,
        cancel: interrupt::cancels(),
    };
    let measured = Spinner::during("measuring", |spinner| {
        calibrate::measure(&*opened, &built_in, &options, &mut |progress| {
            spinner.tell(&match progress {
                Progress::Writing(rows, of) => {
                    format!("writing rows, {} of {}", grouped(rows as u64), grouped(of as u64))
                }
                Progress::Round(round, of) => format!("round {round} of {of}"),
                Progress::Removing => "removing the scratch tables".to_owned(),
            });
        })
    })?;
    let kept = (!arguments.dry_run).then_some(file.as_path());
    if let Some(file) = kept {
        settings::make_folder(file)?;
        let kept = Kept::new(&measured);
        let kept = match &id {
            Some(id) => kept.of_cluster(id, store),
            None => kept,
        };
        kept.write(file)?;
    }
    print(&measured, &built_in, store, kept, output)?;
    Ok(Answer::Yes)
}

/// Goes back to the built-in prices; a folder need not be opened for that.
fn forget(store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    let file = if open_store::is_cluster(store) {
        settings::place(store, &*open_store::open(store)?)?.0
    } else {
        settings::in_folder(store)
    };
    let forgotten = Kept::forget(&file)?;
    let told = if forgotten {
        format!("removed {}: plans are made by the built-in prices", file.display())
    } else {
        format!("no prices of {store} were kept")
    };
    output.line(&told, || json!({ "store": store, "forgotten": forgotten }))?;
    Ok(if forgotten { Answer::Yes } else { Answer::No })
}

fn print(
    measured: &Measured,
    built_in: &Prices,
    store: &str,
    kept: Option<&Path>,
    output: &mut Output,
) -> anyhow::Result<()> {
    output.object(|| as_json(measured, built_in, store, kept))?;
    let mut rows = Rows::new(["in rows of a scan", "built in", "measured", "half of the rounds"]);
    for Figure { price, low, high, taken, .. } in &measured.figures {
        rows.add([
            cell(price.what),
            number((price.get)(built_in).map(|own| own.to_string()).unwrap_or_default()),
            number(taken),
            number(format!("{low:.1} to {high:.1}")),
        ]);
    }
    output.rows(&rows)?;
    output.text(&format!(
        "a row of a scan took {:.2} µs, over {} a table",
        measured.row_micros,
        counted(measured.rows, "row")
    ))?;
    for figure in measured.figures.iter().filter(|figure| figure.was_clamped()) {
        let (least, most) = (figure.price.least, figure.price.most);
        output.text(&format!(
            "{} was measured as {:.1}, which is not believed: prices are from {least} to {most}; measure again with more --rows, when \
             nothing else runs",
            figure.price.what, figure.median
        ))?;
    }
    match kept {
        Some(file) => {
            output.note(&format!("kept in {}; rowkey calibrate --forget goes back", file.display()))
        }
        None => output.note("nothing was kept"),
    }
    Ok(())
}

fn as_json(measured: &Measured, built_in: &Prices, store: &str, kept: Option<&Path>) -> Value {
    let prices: Vec<Value> = measured
        .figures
        .iter()
        .map(|figure| {
            json!({
                "name": figure.price.name,
                "built_in": (figure.price.get)(built_in),
                "price": figure.taken,
                "median": figure.median,
                "low": figure.low,
                "high": figure.high,
                "clamped": figure.was_clamped(),
            })
        })
        .collect();
    json!({
        "store": store,
        "rows": measured.rows,
        "row_micros": measured.row_micros,
        "prices": prices,
        "kept": kept,
    })
}

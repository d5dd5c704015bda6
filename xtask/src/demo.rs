//! What does a first look at rowkey show? A table made from a file, loaded, queried, and its regions.

use std::fs::{self, File};
use std::io::{BufWriter, Write};

use rowkey_testing::orders;

use crate::{Failure, Outcome, workspace};

const TABLE_FILE: &str = "examples/orders/orders.toml";
const QUERY: &str = "user_id = 7 order by ts desc limit 20";
const DEFAULT_ROWS: u64 = 100_000;
const SEED: u64 = 1;

/// Builds `rowkey`, makes sample orders and runs the commands of the README on a fresh store.
pub(crate) fn run(args: &[String]) -> Outcome {
    let rows = rows(args)?;
    println!("building rowkey (release)");
    let status = workspace::cargo()
        .args(["build", "--release", "--package", "rowkey-cli"])
        .status()
        .map_err(Failure::cannot("run cargo"))?;
    if !status.success() {
        return Err(Failure::of_program(
            "`cargo build --release --package rowkey-cli` failed",
            status.code(),
        ));
    }

    let folder = workspace::target().join("demo");
    let (data, store) = (folder.join("orders.csv"), folder.join("store"));
    fs::create_dir_all(&folder).map_err(Failure::cannot(&format!("create {}", folder.display())))?;
    if store.exists() {
        fs::remove_dir_all(&store).map_err(Failure::cannot(&format!("delete {}", store.display())))?;
    }
    write_orders(&data, rows).map_err(Failure::cannot(&format!("write {}", data.display())))?;
    println!("made {}: {rows} orders\n", workspace::typed(&data));

    let (data, store) = (workspace::typed(&data), workspace::typed(&store));
    rowkey(&["--store", store, "create", TABLE_FILE])?;
    rowkey(&["--store", store, "load", TABLE_FILE, data])?;
    rowkey(&["--store", store, "query", TABLE_FILE, QUERY])?;
    rowkey(&["--store", store, "regions", TABLE_FILE])
}

fn rows(args: &[String]) -> Result<u64, Failure> {
    let text = match args {
        [] => return Ok(DEFAULT_ROWS),
        [option, value] if option == "--rows" => value.as_str(),
        [option] if option.starts_with("--rows=") => &option["--rows=".len()..],
        _ => {
            return Err(Failure::new(format!(
                "`cargo xtask demo` takes `--rows NUMBER` only, but got `{}`",
                args.join(" ")
            )));
        }
    };
    // the number of an order has ten digits
    match text.replace(['_', ','], "").parse() {
        Ok(rows) if (1..=9_999_999_999).contains(&rows) => Ok(rows),
        _ => Err(Failure::new(format!(
            "`--rows {text}` is not a number from 1 to 9999999999; try --rows 100000"
        ))),
    }
}

fn write_orders(path: &std::path::Path, rows: u64) -> std::io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    orders::write_csv(&mut out, rows, SEED)?;
    out.flush()
}

/// Shows a command as a person would type it, and runs it.
fn rowkey(args: &[&str]) -> Outcome {
    let line = command_line(args);
    println!("$ {line}");
    let program = workspace::target().join("release").join("rowkey");
    let status = workspace::program(&program)
        .args(args)
        .status()
        .map_err(Failure::cannot(&format!("run {}", program.display())))?;
    println!();
    if !status.success() {
        return Err(Failure::of_program(format!("`{line}` ended with {status}"), status.code()));
    }
    Ok(())
}

fn command_line(args: &[&str]) -> String {
    let plain = |arg: &str| arg.chars().all(|c| c.is_ascii_alphanumeric() || "-_./:=".contains(c));
    let shown = args.iter().map(|arg| if plain(arg) { (*arg).to_owned() } else { format!("\"{arg}\"") });
    std::iter::once("rowkey".to_owned()).chain(shown).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(args: &[&str]) -> Option<u64> {
        rows(&args.iter().map(ToString::to_string).collect::<Vec<_>>()).ok()
    }

    #[test]
    fn rows_are_read_in_both_forms_and_refused_otherwise() {
        assert_eq!(parse(&[]), Some(100_000));
        assert_eq!(parse(&["--rows", "1000"]), Some(1000));
        assert_eq!(parse(&["--rows=1_000_000"]), Some(1_000_000));
        for wrong in [&["--rows"][..], &["--rows", "0"], &["--rows", "many"], &["1000"], &["--seed", "1"]] {
            assert_eq!(parse(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn a_command_is_shown_as_it_would_be_typed() {
        let shown = command_line(&["--store", "target/demo/store", "query", TABLE_FILE, "user_id = 7"]);
        assert_eq!(
            shown,
            "rowkey --store target/demo/store query examples/orders/orders.toml \"user_id = 7\""
        );
    }
}

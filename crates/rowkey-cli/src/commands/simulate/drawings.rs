//! Heat maps of designs, all on one scale.

use std::path::{Path, PathBuf};

use rowkey_lab::heat::{HeatMap, MAX_ROWS, RowsBy, is_picture, png, svg};
use rowkey_lab::simulate::Design;
use rowkey_ops::output_file::{self, Existing};

use super::Told;
use crate::args::Simulate;
use crate::output::{Output, Paint, Painted, is_terminal};
use crate::table_argument::{replacing, with_force};

/// Lines of a map on a terminal.
const LINES: usize = 32;
/// Characters of a line where there is no terminal.
const WIDTH: usize = 100;

/// Sees that the pictures can be written, before the work that they show.
pub(super) fn check(arguments: &Simulate, designs: usize) -> anyhow::Result<()> {
    let inputs = inputs(arguments);
    let existing = replacing(arguments.force, Existing::Own(is_picture));
    for file in arguments.png.iter().chain(&arguments.svg) {
        for number in 0..designs {
            with_force(output_file::check(&numbered(file, number, designs), existing, &inputs))?;
        }
    }
    Ok(())
}

/// Everything that may be read; what is a key or the name of a table is no file.
fn inputs(arguments: &Simulate) -> Vec<&Path> {
    let designs = arguments.designs.iter().map(Path::new);
    let data = arguments.data.iter().map(PathBuf::as_path);
    designs.chain(data).chain(arguments.queries.as_deref()).collect()
}

pub(super) fn draw(
    arguments: &Simulate,
    told: &[Told],
    designs: &[Design],
    output: &mut Output,
) -> anyhow::Result<()> {
    let by = match (arguments.folded, arguments.ranges) {
        (true, _) => RowsBy::Folded,
        (false, Some(_)) => RowsBy::Range,
        (false, None) => RowsBy::Region,
    };
    let maps = |most: usize| {
        let map = |(told, design): (&Told, &Design)| HeatMap::of(&told.outcome, &design.table.key, by, most);
        let mut maps: Vec<HeatMap> = told.iter().zip(designs).map(map).collect();
        let brightest = maps.iter().map(|map| map.max).max().unwrap_or(0);
        maps.iter_mut().for_each(|map| map.max = brightest);
        maps
    };
    if arguments.heat {
        let (width, paint) = screen();
        for map in maps(LINES) {
            output.painted(&Painted::heat(&map, width, paint))?;
        }
    }
    if arguments.png.is_none() && arguments.svg.is_none() {
        return Ok(());
    }
    let maps = maps(MAX_ROWS);
    for (number, map) in maps.iter().enumerate() {
        if let Some(file) = &arguments.png {
            write(arguments, &numbered(file, number, maps.len()), &png(map)?, output)?;
        }
        if let Some(file) = &arguments.svg {
            write(arguments, &numbered(file, number, maps.len()), svg(map).as_bytes(), output)?;
        }
    }
    Ok(())
}

fn write(arguments: &Simulate, file: &Path, bytes: &[u8], output: &Output) -> anyhow::Result<()> {
    let existing = replacing(arguments.force, Existing::Own(is_picture));
    with_force(output_file::write(file, existing, &inputs(arguments), |out| out.write_all(bytes)))?;
    output.note(&format!("wrote {}", file.display()));
    Ok(())
}

/// `heat.png` for one design, `heat-1.png`, `heat-2.png` for several.
fn numbered(file: &Path, number: usize, of: usize) -> PathBuf {
    if of == 1 {
        return file.to_owned();
    }
    let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let extension = file.extension().map_or_else(String::new, |ext| format!(".{}", ext.to_string_lossy()));
    file.with_file_name(format!("{stem}-{}{extension}", number + 1))
}

/// How wide the screen is, and what it can show.
fn screen() -> (usize, Paint) {
    let named = |name: &str| std::env::var(name).unwrap_or_default();
    if !is_terminal() || !named("NO_COLOR").is_empty() || named("TERM") == "dumb" {
        return (WIDTH, Paint::Plain);
    }
    let width = named("COLUMNS").parse().unwrap_or(WIDTH);
    let paint = match named("COLORTERM").as_str() {
        "truecolor" | "24bit" => Paint::True,
        _ => Paint::Indexed,
    };
    (width, paint)
}

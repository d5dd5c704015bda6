//! Measures the embedded store beside another revision.
//!
//! `xtask/probe/store.rs` is built twice, against `rowkey-embedded` of a revision of git and of the working tree. The two programs take turns,
//! a process for each measurement, and the figure is the median of the ratios of neighbours: both see the same weather.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::{Failure, Outcome, workspace};

/// The last revision before the store checked its own files.
const DEFAULT: &str = "730542d";
/// At least as quick as this, of the other revision.
const GOAL: f64 = 0.95;
const PROBE: &str = "xtask/probe/store.rs";

/// A measurement: its name, what prepares a folder, and what is timed.
struct Measure {
    name: &'static str,
    prepare: Option<&'static str>,
    /// Whether both programs work on a folder that each prepares once.
    keep: bool,
    timed: &'static str,
}

const fn measure(
    name: &'static str,
    prepare: Option<&'static str>,
    keep: bool,
    timed: &'static str,
) -> Measure {
    Measure { name, prepare, keep, timed }
}

/// `@` is the folder.
const MEASURES: [Measure; 8] = [
    measure("put of one row, buffered", None, false, "put @ buffered 1 200000"),
    measure("put of 100 rows, buffered", None, false, "put @ buffered 100 4000"),
    measure("put of one row, group", None, false, "put @ group 1 200"),
    measure("put of 100 rows, group", None, false, "put @ group 100 200"),
    measure("get of one row", Some("fill @ 200000 close"), true, "get @ 200000 100000"),
    measure("open after a close", Some("fill @ 200000 close"), true, "open @"),
    measure("open after a kill, 2 MB of journal", Some("fill @ 10000 kill"), false, "open @"),
    measure("open after a kill, 40 MB of journal", Some("fill @ 200000 kill"), false, "open @"),
];

/// `cargo xtask bench against [REVISION] [--rounds N] [--only TEXT]`.
pub(crate) fn run(args: &[String]) -> Outcome {
    let (mut revision, mut rounds, mut only) = (DEFAULT.to_owned(), 15, "");
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        if arg == "--rounds" {
            let number = args.next().and_then(|number| number.parse().ok());
            rounds = number.ok_or_else(|| Failure::new("`--rounds` needs a number"))?;
        } else if arg == "--only" {
            only = args.next().ok_or_else(|| Failure::new("`--only` needs a part of a name"))?;
        } else {
            revision.clone_from(arg);
        }
    }
    let place = workspace::target().join("against");
    let old = place.join(&revision);
    check_out(&revision, &old)?;
    let programs = [build("probe-old", &old, &place)?, build("probe-new", workspace::root(), &place)?];
    println!("\nworking tree beside {revision}, medians of {rounds} rounds; above 1 is quicker");
    let mut slow = 0;
    for measure in MEASURES.iter().filter(|measure| measure.name.contains(only)) {
        let (ratio, [old, new]) = compare(measure, &programs, rounds, &place)?;
        let verdict = if ratio >= GOAL { "" } else { "  below the goal of 0.95" };
        slow += usize::from(ratio < GOAL);
        println!("{:<36} {ratio:>5.2}  ({} -> {}){verdict}", measure.name, shown(old), shown(new));
        io::stdout().flush()?;
    }
    if slow == 0 { Ok(()) } else { Err(Failure::new(format!("{slow} measurements are below {GOAL}"))) }
}

fn shown(nanoseconds: f64) -> String {
    match nanoseconds {
        ..1e6 => format!("{:.2} us", nanoseconds / 1e3),
        _ => format!("{:.2} ms", nanoseconds / 1e6),
    }
}

/// The files of a revision, without a second checkout of git's.
pub(crate) fn check_out(revision: &str, folder: &Path) -> Outcome {
    if folder.join("Cargo.toml").exists() {
        return Ok(());
    }
    fs::create_dir_all(folder)?;
    let mut archive = workspace::program("git");
    archive.args(["archive", revision]).stdout(Stdio::piped());
    let mut archive = archive.spawn().map_err(Failure::cannot("run git"))?;
    let files = archive.stdout.take().ok_or_else(|| Failure::new("git archive gave nothing"))?;
    let unpacked = workspace::program("tar").arg("x").arg("-C").arg(folder).stdin(files).status()?;
    let archived = archive.wait()?;
    if archived.success() && unpacked.success() {
        return Ok(());
    }
    fs::remove_dir_all(folder)?;
    Err(Failure::new(format!("git has no revision `{revision}`")))
}

/// The program of a revision, built if it is not there yet.
pub(crate) fn program_of(revision: &str) -> Result<PathBuf, Failure> {
    let place = workspace::target().join("against");
    let folder = place.join(revision);
    check_out(revision, &folder)?;
    let target = place.join(format!("{revision}-target"));
    let mut cargo = workspace::cargo();
    cargo.current_dir(&folder).args(["build", "--release", "--bin", "rowkey", "--target-dir"]).arg(&target);
    workspace::succeed(cargo)?;
    Ok(target.join("release/rowkey"))
}

/// Builds the probe against the crates below `root`.
fn build(name: &str, root: &Path, place: &Path) -> Result<PathBuf, Failure> {
    let package = place.join(name);
    fs::create_dir_all(package.join("src"))?;
    fs::copy(workspace::root().join(PROBE), package.join("src/main.rs"))?;
    fs::copy(workspace::root().join("Cargo.lock"), package.join("Cargo.lock"))?;
    let crates = root.join("crates").display().to_string();
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n\
         rowkey-embedded = {{ path = {:?} }}\nrowkey-store = {{ path = {:?} }}\n\n[profile.release]\ndebug = false\n",
        format!("{crates}/rowkey-embedded"),
        format!("{crates}/rowkey-store"),
    );
    fs::write(package.join("Cargo.toml"), manifest)?;
    let target = place.join("target");
    let mut cargo = workspace::cargo();
    cargo.args(["build", "--release", "--offline", "--manifest-path"]).arg(package.join("Cargo.toml"));
    cargo.arg("--target-dir").arg(&target);
    workspace::succeed(cargo)?;
    Ok(target.join("release").join(name))
}

fn compare(
    measure: &Measure,
    programs: &[PathBuf; 2],
    rounds: usize,
    place: &Path,
) -> Result<(f64, [f64; 2]), Failure> {
    let folders = [place.join("store-old"), place.join("store-new")];
    let prepare = |which: usize| -> Outcome {
        if folders[which].exists() {
            fs::remove_dir_all(&folders[which])?;
        }
        measure.prepare.map_or(Ok(()), |command| call(&programs[which], command, &folders[which]).map(drop))
    };
    if measure.keep {
        prepare(0)?;
        prepare(1)?;
    }
    let (mut ratios, mut times) = (Vec::new(), [Vec::new(), Vec::new()]);
    for round in 0..rounds {
        let mut pair = [0.0; 2];
        // Who is first changes, so that neither gains by it.
        for which in if round % 2 == 0 { [0, 1] } else { [1, 0] } {
            if !measure.keep {
                prepare(which)?;
            }
            let printed = call(&programs[which], measure.timed, &folders[which])?;
            let time = printed.trim().parse::<f64>();
            pair[which] = time.map_err(|_| Failure::new(format!("the probe printed {printed:?}")))?;
            times[which].push(pair[which]);
        }
        ratios.push(pair[0] / pair[1]);
    }
    folders.iter().filter(|folder| folder.exists()).try_for_each(fs::remove_dir_all)?;
    let [old, new] = &mut times;
    Ok((median(&mut ratios), [median(old), median(new)]))
}

fn call(program: &Path, command: &str, folder: &Path) -> Result<String, Failure> {
    let folder = folder.display().to_string();
    let arguments = command.split(' ').map(|word| if word == "@" { folder.as_str() } else { word });
    let output = workspace::program(program).args(arguments).stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err(Failure::of_program("the probe failed", output.status.code()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

//! Plants faults in the code, and checks that the tests notice each.
//!
//! Each fault, of the core (below), of planning ([`crate::planning_faults`]) and of running queries
//! ([`crate::execution_faults`]), and of advice ([`crate::advice_faults`]), is planted, alone, into a copy of the
//! workspace; the tests of its crate must then fail. A fault that no test notices breaks a law that no test checks.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::advice_faults::ADVICE_FAULTS;
use crate::execution_faults::EXECUTION_FAULTS;
use crate::planning_faults::PLANNING_FAULTS;
use crate::{Failure, Outcome, workspace};

/// A mistake that a person could make: where, what stands there, and what stands there instead.
pub(crate) struct Fault {
    name: &'static str,
    file: &'static str,
    right: &'static str,
    wrong: &'static str,
}

/// The faults of a crate, and the runs of its tests of which one must notice them.
struct Suite {
    package: &'static str,
    tests: &'static [&'static [&'static str]],
    faults: &'static [Fault],
}

const SUITES: [(&str, Suite); 4] = [
    ("core", Suite { package: "rowkey-core", tests: &[&["--lib", "--tests"]], faults: &FAULTS }),
    (
        "planning",
        Suite {
            package: "rowkey-core",
            tests: &[&["--lib"], &["--test", "it", "plans::"]],
            faults: &PLANNING_FAULTS,
        },
    ),
    (
        "execution",
        Suite {
            package: "rowkey-ops",
            tests: &[&["--lib"], &["--test", "it", "--", "pages::", "aggregates::", "lookups::"]],
            faults: &EXECUTION_FAULTS,
        },
    ),
    (
        "advice",
        Suite {
            package: "rowkey-lab",
            tests: &[
                &["--lib"],
                &[
                    "--test",
                    "it",
                    "--",
                    "sample::",
                    "profile::",
                    "simulate::",
                    "verdict::",
                    "cures::",
                    "advise::",
                    "experts::",
                ],
            ],
            faults: &ADVICE_FAULTS,
        },
    ),
];

pub(crate) const fn fault(
    name: &'static str,
    file: &'static str,
    right: &'static str,
    wrong: &'static str,
) -> Fault {
    Fault { name, file, right, wrong }
}

const FAULTS: [Fault; 32] = [
    fault("complement forgotten", "codec.rs", "*byte = !*byte", "*byte = *byte"),
    fault(
        "terminator wrong",
        "codec.rs",
        "TERMINATOR: [u8; 2] = [0x00, 0x01]",
        "TERMINATOR: [u8; 2] = [0x00, 0x02]",
    ),
    fault(
        "zero escaped wrong",
        "codec.rs",
        "ESCAPED_ZERO: [u8; 2] = [0x00, 0xFF]",
        "ESCAPED_ZERO: [u8; 2] = [0x00, 0xFE]",
    ),
    fault(
        "sign bit kept",
        "codec/number.rs",
        "IntForm::SignFlipped => (smallest, 0)",
        "IntForm::SignFlipped => (smallest, 1 << (bits - 1))",
    ),
    fault(
        "numbers of a column not checked",
        "codec/number.rs",
        "n.wrapping_sub(self.min).cast_unsigned()) <= span",
        "n.wrapping_sub(self.min).cast_unsigned()) < u64::MAX",
    ),
    fault(
        "negative floats not flipped",
        "codec.rs",
        "(bits.cast_signed() >> 63).cast_unsigned() | 1 << 63",
        "1 << 63",
    ),
    fault("prefix end off by one", "range.rs", "*byte += 1", "*byte += 2"),
    fault("successor too large", "range.rs", "next.push(0)", "next.push(1)"),
    fault("murmur seed 0", "hash.rs", "SEED: u32 = u32::MAX", "SEED: u32 = 0"),
    fault(
        "negative hashes fold",
        "hash.rs",
        "rest + u64::from(self.negative & (hash >> 31).cast_unsigned())",
        "rest + u64::from(self.negative & 0)",
    ),
    fault(
        "salt over the wrong fields",
        "key/compile.rs",
        ".named_fields()\n        .into_iter()\n        .map(",
        ".named_fields()\n        .into_iter()\n        .skip(1)\n        .map(",
    ),
    fault("nulls last sort first", "key/encode.rs", "NULL_LAST: u8 = 0x02", "NULL_LAST: u8 = 0x00"),
    fault(
        "bytes reversed, not characters",
        "key/eval.rs",
        "if text.is_ascii() {\n        return;\n    }\n    let mut at",
        "if !text.is_empty() {\n        return;\n    }\n    let mut at",
    ),
    fault(
        "pad inside text accepted",
        "key/eval.rs",
        "if at_padded_end == Some(&pad) {",
        "if at_padded_end == Some(&pad) && width == 0 {",
    ),
    fault("delimiter inside text accepted", "key/encode.rs", "if early {", "if early && text.is_empty() {"),
    fault(
        "reverse time off by one",
        "key/decode.rs",
        "Value::Int(i128::from(i64::MAX) - integer(&value)?)",
        "Value::Int(i128::from(i64::MAX) - integer(&value)? - 1)",
    ),
    fault(
        "numbers not padded",
        "key/eval.rs",
        "if rest == 0 && out.len() - start >= width {",
        "if rest == 0 && width < 99 {",
    ),
    fault(
        "reverse time taken for rising",
        "key/facts.rs",
        "Node::FromLongMax(node) => monotone(node).map(reversed)",
        "Node::FromLongMax(node) => monotone(node)",
    ),
    fault(
        "open end taken for an end",
        "key/compile.rs",
        "Step::Value(_) => Boundary::Unclear,",
        "Step::Value(_) => Boundary::KeyEnd,",
    ),
    fault(
        "wrong salts accepted",
        "key/decode.rs",
        "Ok(()) if scratch == found => {}",
        "Ok(()) if scratch.len() == found.len() => {}",
    ),
    fault(
        "wrong salts accepted, where the key is a usual one",
        "key/program.rs",
        "is_some_and(|bytes| bytes.get(..number.width) == found)",
        "is_some_and(|bytes| bytes.get(..number.width).is_some() == found.is_some())",
    ),
    fault(
        "a key that goes on is taken, where it is a usual one",
        "key/program.rs",
        "at == key.len() && ",
        "at <= key.len() && ",
    ),
    fault(
        "a batch writes a step after a text at the wrong place",
        "batch/write.rs",
        "(ends, before.wrapping_sub(fixed as u32))",
        "(ends, before.wrapping_sub(fixed as u32).wrapping_sub(1))",
    ),
    fault(
        "a batch lets a text spill over what follows",
        "batch/write.rs",
        "(Some(strings), _) => copy_strings(arena, cursor, distance, strings),",
        "(Some(strings), _) => spill_strings(arena, cursor, distance, strings),",
    ),
    fault(
        "a batch takes a neighbouring digit of a digest",
        "batch/pieces.rs",
        "(4 * (31 - at))",
        "(4 * (30 - at.min(30)))",
    ),
    fault(
        "a batch draws the same for all records",
        "batch/encode.rs",
        "(0..records.rows as u64).map(|row| first_record.wrapping_add(row))",
        "(0..records.rows as u64).map(|row| first_record.wrapping_add(row.min(0)))",
    ),
    fault(
        "a batch does not look for delimiters",
        "batch/pieces.rs",
        "if strings.any_has(*first) {",
        "if strings.any_has(*first) && delimiter.len() > 64 {",
    ),
    fault(
        "wrong salts accepted, where a key is bound to types",
        "typed/layout.rs",
        "Some([found]) => *found == word as u8,",
        "Some([found]) => *found == word as u8 || *found > 0,",
    ),
    fault(
        "a key that goes on is taken, where it is bound to types",
        "typed/layout.rs",
        "if layout.tail == Tail::Nothing { 0 }",
        "if layout.tail == Tail::Nothing { 1 }",
    ),
    fault(
        "a hex digit taken for a letter",
        "batch/pieces.rs",
        "(digits + EACH * 6) >> 4 & EACH",
        "(digits + EACH * 7) >> 4 & EACH",
    ),
    fault(
        "the end of a short message lost",
        "md5_lanes.rs",
        "rest | MARK << (8 * (length - 8))",
        "rest | MARK << (8 * (length.min(14) - 8))",
    ),
    fault(
        "not all of a text is looked at",
        "utf8.rs",
        "(u64::from_be_bytes(*first) | u64::from_be_bytes(*last)) & HIGH == 0",
        "(u64::from_be_bytes(*first) | u64::from_be_bytes(*first)) & HIGH == 0 && last.len() == 8",
    ),
];

/// Plants every fault in turn, or those of one suite, or of it those with a text in their names, and runs the tests of its
/// crate.
pub(crate) fn run(args: &[String]) -> Outcome {
    let (args, part) = match args {
        [suite, part] => (std::slice::from_ref(suite), part.as_str()),
        all => (all, ""),
    };
    let suites: Vec<&Suite> = match args {
        [] => SUITES.iter().map(|(_, suite)| suite).collect(),
        [name] if SUITES.iter().any(|(known, _)| known == name) => {
            SUITES.iter().filter(|(known, _)| known == name).map(|(_, suite)| suite).collect()
        }
        [unknown, ..] => {
            return Err(Failure::new(format!(
                "`cargo xtask faults` takes `core`, `planning`, `execution`, `advice` or nothing, then a part of a fault's name, but got `{unknown}`"
            )));
        }
    };
    let copy = workspace::target().join("faults").join("copy");
    let mut missed = Vec::new();
    let faults = suites.iter().flat_map(|suite| suite.faults.iter().map(move |fault| (*suite, fault)));
    let faults: Vec<(&Suite, &Fault)> = faults.filter(|(_, fault)| fault.name.contains(part)).collect();
    let all = faults.len();
    for (index, (suite, fault)) in faults.into_iter().enumerate() {
        fresh_copy(&copy).map_err(Failure::cannot(&format!("copy the workspace to {}", copy.display())))?;
        plant(&copy, suite, fault)?;
        let compiles = tests_pass(&copy, suite, &["--no-run"])?;
        if !compiles {
            return Err(Failure::new(format!(
                "the fault `{}` does not compile; mend it where it is listed",
                fault.name
            )));
        }
        let noticed = !tests_pass(&copy, suite, &[])?;
        println!("[{}/{all}] {}: {}", index + 1, fault.name, if noticed { "noticed" } else { "MISSED" });
        if !noticed {
            missed.push(fault.name);
        }
    }
    if missed.is_empty() {
        println!("all {all} faults are noticed");
        return Ok(());
    }
    Err(Failure::new(format!("no test notices: {}", missed.join(", "))))
}

fn fresh_copy(copy: &Path) -> std::io::Result<()> {
    if copy.join("crates").exists() {
        // Only the crates of the suites are ever changed.
        for (_, Suite { package, .. }) in &SUITES {
            let changed = copy.join("crates").join(package);
            fs::remove_dir_all(&changed)?;
            copy_folder(&workspace::root().join("crates").join(package), &changed)?;
        }
        return Ok(());
    }
    for name in ["Cargo.toml", "Cargo.lock", "clippy.toml"] {
        fs::create_dir_all(copy)?;
        fs::copy(workspace::root().join(name), copy.join(name))?;
    }
    for name in ["crates", "testdata", "testing", "xtask", "examples"] {
        copy_folder(&workspace::root().join(name), &copy.join(name))?;
    }
    Ok(())
}

fn copy_folder(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

fn plant(copy: &Path, suite: &Suite, fault: &Fault) -> Outcome {
    let (path, text) = planted(copy, suite, fault)?;
    fs::write(&path, text).map_err(Failure::cannot(&format!("write {}", path.display())))
}

/// The file of a fault in a copy of the workspace, and its text with the fault in it.
fn planted(copy: &Path, suite: &Suite, fault: &Fault) -> Result<(PathBuf, String), Failure> {
    let path = copy.join("crates").join(suite.package).join("src").join(fault.file);
    let text = fs::read_to_string(&path).map_err(Failure::cannot(&format!("read {}", path.display())))?;
    match text.matches(fault.right).count() {
        1 => Ok((path, text.replace(fault.right, fault.wrong))),
        count => Err(Failure::new(format!(
            "the fault `{}` cannot be planted: `{}` is in {} {count} times, and must be there once; mend it where it is listed",
            fault.name, fault.right, fault.file
        ))),
    }
}

/// Whether the tests of a suite pass in the copy.
fn tests_pass(copy: &Path, suite: &Suite, more: &[&str]) -> Result<bool, Failure> {
    for run in suite.tests {
        let mut tests = workspace::cargo();
        tests.current_dir(copy).args(["test", "--quiet", "--package", suite.package]).args(more).args(*run);
        tests.env("CARGO_TARGET_DIR", workspace::target().join("faults").join("target"));
        tests.stdout(Stdio::null()).stderr(Stdio::null());
        if !tests.status().map_err(Failure::cannot("run cargo"))?.success() {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Code that is moved or rewritten takes its faults along.
    #[test]
    fn every_fault_can_be_planted() {
        let all = SUITES.iter().flat_map(|(_, suite)| suite.faults.iter().map(move |fault| (suite, fault)));
        let stale = all.filter_map(|(suite, fault)| planted(workspace::root(), suite, fault).err());
        let stale: Vec<String> = stale.map(|failure| failure.to_string()).collect();
        assert!(stale.is_empty(), "{}", stale.join("\n"));
    }
}

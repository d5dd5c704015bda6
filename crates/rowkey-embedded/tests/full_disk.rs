//! What happens when the disk takes no more?
//!
//! The operating system itself refuses a write of the engine in the middle of the work: in one test behind a limit on the size
//! of files, set by the shell, in the other because a small file system is full, which is mounted in a name space of its own. The
//! writing child must get an error, not a panic, and everything that was acknowledged before it must be there when the folder is
//! opened again with room.

#![cfg(unix)]

use std::path::Path;
use std::process::{Command, Output};

use crate::tables::{chain, create, name, open, scan};
use rowkey_core::range::KeyRange;
use rowkey_embedded::{Durability, EmbeddedStore, Options};
use rowkey_store::{Admin, RowBatch, RowStore, Scan};

const FOLDER: &str = "ROWKEY_TEST_FULL_FOLDER";

fn batch(number: usize) -> RowBatch {
    let mut batch = RowBatch::new();
    for row in 0..10 {
        batch.begin_row(format!("{number:06}-{row}").as_bytes());
        // Bytes that do not compress.
        let byte = |at: usize| (at.wrapping_mul(2_654_435_761).wrapping_add(number * 7919) >> 11) as u8;
        let value: Vec<u8> = (row * 10_000..row * 10_000 + 10_000).map(byte).collect();
        batch.cell(b"a", b"q", 1, &value);
        batch.cell(b"d", b"q", 1, &value);
    }
    batch
}

/// Not a test of its own: the process that runs out of space. It prints how far it got, and the error.
#[test]
fn child_that_fills_its_disk() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let options = Options::default().durability(Durability::Group);
    let store = EmbeddedStore::open(Path::new(&folder), options).unwrap();
    if store.describe(&name("t")).is_err() {
        create(&store, "t", &["a", "d"], &["000100"]);
    }
    for number in 0..2000 {
        if let Err(error) = store.put_batch(&name("t"), &batch(number)) {
            let message = chain(&error).replace('\n', " ");
            // The store stays refusing, and says so.
            let again = chain(&store.put_batch(&name("t"), &batch(number)).unwrap_err()).replace('\n', " ");
            println!("\nrefused {number} {message}\nagain {again}");
            return;
        }
    }
    println!("\nnever refused");
}

#[test]
fn a_full_disk_is_an_error_and_what_was_acknowledged_stays() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    create(&store, "t", &["a", "d"], &["000100"]);
    store.close().unwrap();

    let program = std::env::current_exe().unwrap();
    // 20 MiB: the journal has 64 set aside already, and writes behind the limit fail. They fail instead of ending the
    // process, because the signal is ignored.
    let script =
        "trap '' XFSZ; ulimit -f 40960; exec \"$0\" --exact full_disk::child_that_fills_its_disk --nocapture";
    let output =
        Command::new("sh").args(["-c", script]).arg(program).env(FOLDER, folder.path()).output().unwrap();
    check_acknowledged(folder.path(), refused(&output));
}

/// How many batches the child wrote before it was refused, with an error that says what failed.
fn refused(output: &Output) -> usize {
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text
        .lines()
        .find(|line| line.starts_with("refused "))
        .unwrap_or_else(|| panic!("{text} {}", String::from_utf8_lossy(&output.stderr)));
    let (number, message) =
        line.strip_prefix("refused ").and_then(|rest| rest.split_once(' ')).expect("a number and a message");
    assert!(message.starts_with("could not write to table `t`: the storage engine failed"), "{message}");
    let again = text.lines().find_map(|line| line.strip_prefix("again ")).expect("the second refusal");
    assert!(again.contains("could not write to table `t`"), "{again}");

    number.parse().expect("a number")
}

/// Opens the folder with room: what was acknowledged is there, and the store takes what was refused.
fn check_acknowledged(folder: &Path, written: usize) {
    let store = open(folder);
    let found = scan(&store, &name("t"), &Scan::new(KeyRange::all())).expect("the store is whole");
    let mut expected = RowBatch::new();
    (0..written).for_each(|number| batch(number).rows().for_each(|row| expected.push_row(row)));
    assert!(written > 0 && found.len() >= expected.len(), "{written} batches, {} rows", found.len());
    assert!(expected.rows().zip(found.rows()).all(|(a, b)| a.key() == b.key() && a.cells().eq(b.cells())));
    // The batch that was refused is there whole or not at all.
    assert!([expected.len(), expected.len() + 10].contains(&found.len()), "{} rows", found.len());
    store.put_batch(&name("t"), &batch(written)).expect("there is room");
}

const SMALL_DISK: &str = "ROWKEY_TEST_SMALL_DISK";
const MIB: usize = 24;

/// Not a test of its own: what stands on the small disk is checked after it was made larger.
#[test]
fn child_that_finds_room_again() {
    let (Some(folder), Ok(written)) = (std::env::var_os(SMALL_DISK), std::env::var("ROWKEY_TEST_WRITTEN"))
    else {
        return;
    };
    check_acknowledged(Path::new(&folder), written.parse().unwrap());
    println!("\nall is there");
}

/// Not a test of its own: it runs in a mount name space that ends with it, with a file system of [`MIB`] MiB.
#[test]
fn child_with_a_small_disk() {
    let (Some(disk), Err(_)) = (std::env::var_os(SMALL_DISK), std::env::var("ROWKEY_TEST_WRITTEN")) else {
        return;
    };
    let mount = |how: &[&str]| {
        Command::new("mount").args(how).arg(&disk).status().is_ok_and(|status| status.success())
    };
    if !mount(&["-t", "tmpfs", "-o", &format!("size={MIB}m"), "tmpfs"]) {
        println!("\nno mount");
        return;
    }
    let folder = Path::new(&disk).join("store");
    let run = |test: &str, variables: &[(&str, &std::ffi::OsStr)]| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["--exact", &format!("full_disk::{test}"), "--nocapture"])
            .env_remove(SMALL_DISK)
            .envs(variables.iter().copied());
        command.output().unwrap()
    };
    let filled = run("child_that_fills_its_disk", &[(FOLDER, folder.as_os_str())]);
    let written = refused(&filled);
    let text = String::from_utf8_lossy(&filled.stdout).into_owned();
    // Either the journal met the end of the disk, or a worker of the engine did, and the next write is told so.
    let is_named =
        text.contains("No space left on device") || text.contains("see that the disk is well and has");
    assert!(is_named, "the cause is named: {text}");
    assert!(mount(&["-o", "remount,size=1g"]), "the disk grows");
    let number = written.to_string();
    let checked = run(
        "child_that_finds_room_again",
        &[(SMALL_DISK, folder.as_os_str()), ("ROWKEY_TEST_WRITTEN", number.as_ref())],
    );
    let text = String::from_utf8_lossy(&checked.stdout);
    assert!(text.contains("all is there"), "{text} {}", String::from_utf8_lossy(&checked.stderr));
    println!("\n{written} batches acknowledged and found");
}

#[test]
fn a_full_file_system_is_an_error_and_what_was_acknowledged_stays() {
    let disk = tempfile::tempdir().unwrap();
    let output = Command::new("unshare")
        .args(["--map-root-user", "--mount"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "full_disk::child_with_a_small_disk", "--nocapture"])
        .env(SMALL_DISK, disk.path())
        .output();
    let text = output.as_ref().map(|output| {
        format!("{} {}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
    });
    match text {
        Ok(text) if text.contains("batches acknowledged and found") => {}
        Ok(text) if text.contains("no mount") || !text.contains("child_with_a_small_disk") => {
            println!("not tested: no file system can be mounted in a name space of its own here: {text}");
        }
        Ok(text) => panic!("{text}"),
        Err(error) => println!("not tested: unshare cannot be run here: {error}"),
    }
}

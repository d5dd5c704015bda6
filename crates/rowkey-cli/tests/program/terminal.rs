//! The program on a terminal.

use std::fs::File;
use std::io::Read;
use std::process::Stdio;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use super::Workplace;

/// Runs the program on a wide terminal of its own; what appears on it.
pub(crate) fn on_a_terminal(place: &Workplace, arguments: &[&str], set: &[(&str, &str)]) -> String {
    on_a_terminal_of(500, place, arguments, set)
}

/// The same on a terminal with so many columns.
pub(crate) fn on_a_terminal_of(
    columns: u16,
    place: &Workplace,
    arguments: &[&str],
    set: &[(&str, &str)],
) -> String {
    let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&controller).and_then(|()| unlockpt(&controller)).expect("our own terminal");
    let name = ptsname(&controller, Vec::new()).expect("it has a name").into_string().expect("an ASCII path");
    let terminal = File::options().read(true).write(true).open(name).expect("it opens");
    let size = Winsize { ws_row: 50, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&terminal, size).expect("our own terminal");
    let mut command = place.command(arguments);
    command.env_remove("NO_COLOR").env("TERM", "xterm-256color").envs(set.iter().copied());
    command.stdin(Stdio::null()).stdout(terminal.try_clone().expect("a handle")).stderr(terminal);
    let mut child = command.spawn().expect("the program starts");
    // Only the program holds the terminal now, so that reading ends with it.
    drop(command);
    let mut shown = Vec::new();
    // The other end is closed: an error on Linux, nothing more to read elsewhere.
    let _ = File::from(controller).read_to_end(&mut shown);
    child.wait().expect("it ends");
    String::from_utf8_lossy(&shown).into_owned()
}

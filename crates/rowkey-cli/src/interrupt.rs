//! Stops the running command on Ctrl-C and SIGTERM.
//!
//! One rule for all commands. The first signal asks a command that has safe points ([`cancels`]) to stop at the next one: a query behind
//! a whole row, a load or a build behind a batch that its checkpoint knows, a delete behind a batch, a calibration before it removes its tables, a script of the shell behind a
//! statement. It then says what was done and how to go on. Any other command ends at once and leaves no draft of an output; so does
//! every command at the second signal. The exit code is 130 for Ctrl-C and 143 for SIGTERM: 128 and the signal's number.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use rowkey_ops::query::Cancel;

struct Watch {
    cancel: Cancel,
    /// Whether the command stops by itself.
    has_safe_points: AtomicBool,
    /// The signal that came; 0 for none.
    signal: AtomicI32,
}

static WATCH: LazyLock<Watch> = LazyLock::new(|| Watch {
    cancel: Cancel::new(),
    has_safe_points: AtomicBool::new(false),
    signal: AtomicI32::new(0),
});

/// Listens to signals from now on; `ended` says what becomes of a command without safe points. Where no thread can be started for
/// it, signals go on ending the process without a word.
#[cfg(unix)]
pub(crate) fn watch(ended: &'static str) {
    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    let (ready, is_ready) = std::sync::mpsc::sync_channel(1);
    let listen = move || {
        let Ok(mut signals) = Signals::new([SIGINT, SIGTERM]) else { return };
        let _ = ready.send(());
        for signal in signals.forever() {
            hear(signal, ended);
        }
    };
    if std::thread::Builder::new().name("signals".to_owned()).spawn(listen).is_ok() {
        let _ = is_ready.recv();
    }
}

/// Elsewhere Ctrl-C ends the process.
#[cfg(not(unix))]
pub(crate) fn watch(_ended: &'static str) {}

#[cfg(unix)]
fn hear(signal: i32, ended: &str) {
    let is_first = WATCH.signal.swap(signal, Ordering::SeqCst) == 0;
    if is_first && WATCH.has_safe_points.load(Ordering::SeqCst) {
        WATCH.cancel.cancel();
        crate::output::tell("interrupted: stopping at the next safe point; a second time ends at once\n");
        return;
    }
    rowkey_ops::output_file::remove_drafts();
    crate::output::tell(&format!("error: interrupted; {}\n", if is_first { ended } else { "ended at once" }));
    std::process::exit(128 + signal);
}

/// What a signal cancels from now on, instead of ending the process.
pub(crate) fn cancels() -> Cancel {
    WATCH.has_safe_points.store(true, Ordering::SeqCst);
    WATCH.cancel.clone()
}

/// Lets signals end the process again, and forgets a Ctrl-C that was for the work before; `false` if the process is to end.
pub(crate) fn back_to_the_prompt() -> bool {
    WATCH.has_safe_points.store(false, Ordering::SeqCst);
    let signal = WATCH.signal.load(Ordering::SeqCst);
    if signal != 0 && signal != INTERRUPT {
        return false;
    }
    WATCH.signal.store(0, Ordering::SeqCst);
    WATCH.cancel.reset();
    true
}

/// SIGINT.
const INTERRUPT: i32 = 2;

/// The exit code of a command that failed after a signal.
pub(crate) fn exit_code() -> Option<u8> {
    match WATCH.signal.load(Ordering::SeqCst) {
        0 => None,
        signal => u8::try_from(128 + signal).ok(),
    }
}

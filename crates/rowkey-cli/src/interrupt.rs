//! What does Ctrl-C do?
//!
//! While a query runs it cancels it: the scanners and threads of the query end, rows that came are printed whole, and the
//! exit code is 130, as shells have it for a program that was interrupted. A second Ctrl-C ends the process at once. A command
//! that does not ask for [`cancels`] ends at the first.

use std::sync::OnceLock;

use rowkey_ops::query::{Cancel, QueryError};

/// 128 and the number of the signal.
pub(crate) const EXIT_CODE: u8 = 130;

/// What Ctrl-C cancels from now on.
pub(crate) fn cancels() -> Cancel {
    static CANCEL: OnceLock<Cancel> = OnceLock::new();
    let install = || {
        let cancel = Cancel::new();
        let pressed = cancel.clone();
        // Where no handler can be set, Ctrl-C goes on ending the process, which is good enough.
        drop(ctrlc::set_handler(move || {
            if pressed.is_cancelled() {
                std::process::exit(EXIT_CODE.into());
            }
            pressed.cancel();
        }));
        cancel
    };
    CANCEL.get_or_init(install).clone()
}

/// Whether a command ended because of it.
pub(crate) fn is_cause_of(error: &anyhow::Error) -> bool {
    let mut causes = error.chain().filter_map(|cause| cause.downcast_ref::<QueryError>());
    causes.any(|cause| matches!(cause, QueryError::Cancelled))
}

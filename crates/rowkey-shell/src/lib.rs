//! HBase's shell: its commands and its output, on any store.
//!
//! ```text
//!  text ──language──▶ statements ──session──▶ a command ──▶ trait Store
//!                                               └──screen──▶ what HBase's shell would print
//! ```
//!
//! A statement is what people type at HBase's prompt: `create 't', 'f', {SPLITS => ['1', '2']}`. HBase's shell is JRuby, so
//! anything that Ruby can do works there; here it is the commands with their strings, numbers, lists and hashes, and
//! variables that hold a table or a value ([`language`]).
//!
//! **Law** (`tests/differential.rs`): the same scripts print the same through HBase's own shell and through this one, on a
//! cluster and on the embedded store, but for times and the differences listed in `docs/shell.md`.
//!
//! Beyond HBase: `scan 't', {DECODE => true}` shows keys and values as the table's fields, and `explain scan …` says what a
//! scan would read.
//!
//! ```
//! use rowkey_shell::language::{Argument, Statement, Value, parse};
//! let parsed = parse("get 't', 'r1', {COLUMN => 'f:a'}").unwrap();
//! let Statement::Call(call) = &parsed[0] else { panic!("a command") };
//! assert_eq!((call.command.as_str(), call.arguments.len()), ("get", 3));
//! assert_eq!(call.arguments[0], Argument::Value(Value::from("t")));
//! ```
//!
//! Not here: reading lines from a terminal, which is the program's.

mod cells;
mod commands;
mod completion;
mod constants;
mod describe;
mod error;
mod filter_text;
pub mod language;
mod options;
mod screen;
mod session;

pub use completion::complete;
pub use error::ShellError;
pub use filter_text::{FilterTextError, parse_filter};
pub use session::{Ended, Session, Settings};

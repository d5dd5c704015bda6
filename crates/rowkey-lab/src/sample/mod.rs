//! Undescribed data: its fields, and a sample of its records.
//!
//! [`guess_fields`] finds the names and types of a CSV, JSON Lines or Parquet file without a table file, and says how sure
//! it is. [`key_over`] compiles a key over them. [`Sample`] holds N records, chosen by a seed, each as likely as the others,
//! typed by the fields; [`of_table`] takes them from a live table.
//!
//! ```
//! use rowkey_lab::sample::{Sample, SampleOptions, guess_fields};
//! use rowkey_ops::input::{Format, Source};
//! let csv = "user,at,note\n7,2025-01-02,hi\n8,2025-01-03,\n";
//! let source = Source::stream(std::io::Cursor::new(csv));
//! let (guess, source) = guess_fields(source, Format::Csv, "notes.csv").unwrap();
//! let types: Vec<String> = guess.fields.iter().map(|(_, field)| field.ty.to_string()).collect();
//! assert_eq!(types, ["u64", "timestamp", "text"]);
//! let options = SampleOptions { records: 1, ..SampleOptions::default() };
//! let sample = Sample::read(source, Format::Csv, &guess.fields, "notes.csv", &options).unwrap();
//! assert_eq!((sample.total, sample.len()), (2, 1));
//! ```
//!
//! **Laws** (`tests/sample.rs`): see [`Sample`]; a guessed type reads every value that was looked at.

mod guess;
mod key;
mod live;
pub(crate) mod lots;
pub(crate) mod refusals;
pub(crate) mod reservoir;
mod shape;

pub use guess::{Evidence, Guess, GuessError, guess_fields};
pub use key::key_over;
pub use live::{LiveError, LiveOptions, of_table, read_table};
pub use refusals::Refusals;
pub use reservoir::{Sample, SampleOptions};
pub use shape::Sure;

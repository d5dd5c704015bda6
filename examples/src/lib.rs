//! What five articles about row keys teach, run and measured (`docs/sources.md` introduces them).
//!
//! One folder per lesson: `README.md` says what the articles say, what was measured and where they are wrong; `table.toml` is the
//! table; `story.rs` makes the data from a seed, runs the program `rowkey` and claims what the page says. [`STORIES`] is the
//! list, a [`Stage`] is what a story runs on, a [`Page`] is its README.
//!
//! **Law**: every claim holds on the embedded store and on a real HBase, and the page shows exactly what the embedded run
//! printed (`crates/rowkey-cli/tests/stories.rs`).
//!
//! Not here: rates as claims. They are printed, never compared.

mod error;
mod figure;
mod page;
mod program;
mod reads;
mod spread;
mod stage;
mod stories;
mod table_file;

pub use error::{StoryError, Told};
pub use figure::Figure;
pub use page::{HEADINGS, Page};
pub use program::Answer;
pub use reads::Reads;
pub use spread::Spread;
pub use stage::{Scale, Setting, Stage};
pub use stories::{Run, STORIES, Story};

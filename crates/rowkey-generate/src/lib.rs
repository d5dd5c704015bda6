//! Code of other languages from a table file: the same bytes, values and refusals as the core.
//!
//! [`Design::of`] is everything that a program needs to know of a table, as plain data; a [`Language`] prints it. Nothing is decided
//! in a printer: what the data means is said in [`rowkey_core::lowered`], and `tests/` hold every language to it.
//!
//! A new language is one folder and one line of [`LANGUAGES`].
//!
//! *Boundary*: it reads and writes no files.

pub mod case_tables;
pub mod conform;
mod design;
mod go;
mod java;
pub mod names;
mod python;
mod queries;
mod seal;
pub mod values;
pub mod vectors;

pub use design::{Bucket, ColumnDesign, ColumnForm, Design, IndexDesign, Origin};
pub use queries::QueryDesign;
pub use seal::is_untouched;

/// A language that code can be printed in.
pub trait Language: Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// The files for a table, in the order in which a reader wants them. The same design gives the same text. Each begins with
    /// [`Origin::line`] in a comment.
    ///
    /// # Errors
    /// What the language cannot do, in words that end "… cannot be generated in LANGUAGE: REASON".
    fn files(&self, design: &Design) -> Result<Vec<File>, String>;

    /// Why a query of a table has no function in its files; `None` if it has one.
    fn query_refusal(&self, design: &Design, query: &QueryDesign) -> Option<String>;

    /// More files: one program that answers requests of the conformance kit ([`conform`]) for the code of [`Language::files`] of all
    /// these tables, which stands beside it. Java's main class is `Conform`; Go's program is package `conform` of the module
    /// `generated`, which has the tables' packages (`go run ./conform`); Python's is `conform.py`.
    ///
    /// # Errors
    /// As [`Language::files`].
    fn conform(&self, designs: &[&Design]) -> Result<Vec<File>, String>;
}

/// The files of a table, each with the checksum that tells whether it was changed since ([`is_untouched`]).
///
/// # Errors
/// What the language cannot do.
pub fn generate(language: &dyn Language, design: &Design) -> Result<Vec<File>, String> {
    language.files(design).map(sealed)
}

/// The files of the program that answers the conformance kit, beside those of [`generate`].
///
/// # Errors
/// What the language cannot do.
pub fn generate_conform(language: &dyn Language, designs: &[&Design]) -> Result<Vec<File>, String> {
    language.conform(designs).map(sealed)
}

fn sealed(files: Vec<File>) -> Vec<File> {
    files.into_iter().map(|file| File { text: seal::sealed(&file.text), ..file }).collect()
}

/// A file that was generated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its name, with folders before it where the language wants some: `orders/key.go`.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// All languages, in the order in which they are listed.
pub const LANGUAGES: [&dyn Language; 3] = [&java::Java, &go::Go, &python::Python];

/// The language of a name.
pub fn language(name: &str) -> Option<&'static dyn Language> {
    LANGUAGES.into_iter().find(|language| language.name() == name)
}

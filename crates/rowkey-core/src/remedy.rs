//! What a caller can change about an error, as data.
//!
//! A library does not know who reads its errors, so they name no option and no command of a program. They name a
//! [`Remedy`]: `remedy()` of an error gives it to a caller that acts by itself, and the message has the name of the Rust
//! setting or function. A program that calls these things otherwise says so once with [`speak`], and every message has
//! its words:
//!
//! ```
//! use rowkey_core::remedy::{Remedy, speak};
//!
//! assert_eq!(Remedy::FullScan.to_string(), "`full_scan`");
//! speak(|remedy| (remedy == Remedy::FullScan).then_some("--full-scan"));
//! assert_eq!(Remedy::FullScan.to_string(), "--full-scan");
//! assert_eq!(Remedy::Sort.to_string(), "`sort`");
//! ```

use std::fmt;
use std::sync::OnceLock;

macro_rules! remedies {
    ($($(#[$doc:meta])* $name:ident = $words:literal,)*) => {
        /// A setting to change or a function to call. The facts that belong to it are in the error that offers it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Remedy {
            $($(#[$doc])* $name,)*
        }

        impl Remedy {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The name in Rust.
            fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $words,)*
                }
            }
        }
    };
}

remedies! {
    /// Allow a plan to read the whole table.
    FullScan = "`full_scan`",
    /// Allow a plan to sort all rows.
    Sort = "`sort`",
    /// Allow more groups in memory.
    MaxGroups = "`max_groups`",
    /// Check which store is opened.
    Store = "which store is opened",
    /// Open a store in another folder.
    OtherStore = "another folder",
    /// Open a store in a folder without files.
    NewStore = "an empty or new folder",
    /// Give sample data to cut a table by.
    SampleData = "`split::from_sample`",
    /// Say which values a field has.
    ValueRange = "`split::Ranges`",
    /// Find split points by sample data.
    SplitSample = "`split::from_sample`",
    /// Create a table with split points made from data.
    CreateWithData = "`create::create_at`",
    /// Read the table file that is stored with a table.
    Describe = "`create::stored`",
    /// Build index tables.
    BuildIndex = "`index::build`",
    /// Allow a family to be removed.
    DropFamily = "`drop_families`",
    /// Say how times are written.
    TimeFormat = "`times`",
    /// Cut times off after the millisecond.
    TruncateTimes = "`TimeFormat::truncating`",
    /// Say which cells mean null.
    Null = "`nulls`",
    /// Say what stands between two cells.
    Delimiter = "`delimiter`",
    /// Say which format the data has or shall have.
    Format = "`format`",
    /// Say how the data is compressed.
    Unpack = "`compression`",
    /// Say which column a field has.
    Rename = "`renames`",
    /// Leave columns out.
    IgnoreColumns = "`ignored`",
    /// Allow longer records.
    MaxRecord = "`max_record`",
    /// Hand over the data as a stream instead of a file.
    LoadStream = "a stream",
    /// Begin an interrupted load anew.
    Restart = "`restart`",
    /// Write null and the empty text alike.
    EmptyCells = "`empty_cells`",
    /// Write a file for each region.
    PerRegion = "`export::to_folder`",
    /// Replace an export that is there.
    Force = "an empty folder",
    /// Measure prices.
    Calibrate = "`calibrate::measure`",
    /// Remove measured prices.
    ForgetPrices = "`Kept::forget`",
    /// Use the built-in prices.
    BuiltInPrices = "the built-in prices",
    /// Examine the store.
    Doctor = "a check of the store",
    /// Name the field that says when a record is written.
    Time = "`time`",
    /// Say how many rows there will be.
    Rows = "`rows`",
    /// Name the table.
    Table = "`table`",
    /// Name the fields that make a record unique.
    Identity = "`identity`",
    /// Name the fields that get no new values.
    Closed = "`closed`",
    /// Choose other random draws.
    Seed = "`seed`",
}

static WORDS: OnceLock<fn(Remedy) -> Option<&'static str>> = OnceLock::new();

/// Sets the words of the program for all messages from now on. The first call counts; where `words` gives `None`, the
/// name in Rust stays.
pub fn speak(words: fn(Remedy) -> Option<&'static str>) {
    let _: Result<(), _> = WORDS.set(words);
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = WORDS.get().and_then(|words| words(*self));
        f.write_str(words.unwrap_or_else(|| self.name()))
    }
}

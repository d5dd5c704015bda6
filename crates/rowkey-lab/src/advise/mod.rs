//! Advice: the best design of a row key for given records and queries.
//!
//! ```text
//!  data ──gather──► facts, sample, identity ─┐
//!  queries ──draw──► values for each `?` ────┼──► choices ──measure──► keys ──price──► tables with index tables
//!                                            │                                              │
//!                                            └─────────── front, recommendation, what would change it ◄──┘
//! ```
//!
//! - [`facts`], `gather`, `sample`, `identity`: what the data says. `questions`: what is asked of it.
//! - [`design`], `space`: keys as lists of choices, and which there are.
//! - [`measure`], [`price`]: what one key does, and what tables made of them cost. `search`: the least.
//! - `recommend`: the best of them; `confidence`: how sure that is; `favourites`: why not the usual ones; `known`: what else there is to know. `outline`: what can be said before anything is asked. `proposal`, `words`, [`mind`]: what people see. `family`, `file`: the table file.
//!
//! **Laws** (`tests/advise`): what is recommended costs at most a tenth more than the best of the whole candidate space; what `check` and `simulate` have
//! against a design with the same records is known of it;
//! it tells all records apart; the table file that is written can be read and has the key that was measured; the same seed
//! gives the same advice.
//!
//! Not here: what no data shows. The prices are fixed, writes are taken to come in the order of the time field, and
//! tomorrow's records to be like those of the data.

mod confidence;
pub mod design;
pub mod facts;
mod family;
mod favourites;
mod file;
mod gather;
pub mod identity;
mod known;
mod log;
pub mod measure;
pub mod mind;
mod outline;
pub mod price;
mod proposal;
mod questions;
mod recommend;
mod sample;
mod search;
mod space;
mod study;
mod words;

use std::io;

use rowkey_core::query::Prices;
use rowkey_core::remedy::Remedy;
use rowkey_ops::input::{BatchError, InputError, Position};

use crate::model::NoGrowth;
use crate::workload::WorkloadError;

pub use family::Families;
pub use favourites::Rejected;
pub use gather::Data;
pub use known::{Known, Later, Lead};
pub use log::{LogError, QueryLog};
pub use outline::Outline;
pub use proposal::{Advice, Change, Figures, IndexProposal, Proposal, SERVER_WRITES};
pub use questions::Asking;
pub use recommend::Warning;
pub use sample::Sample;
pub use search::Progress;
pub use study::Study;

/// How to advise.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The name of the table.
    pub table: String,
    /// How many servers the regions are assigned to, round-robin; at least 1.
    pub servers: usize,
    /// How many regions the table is cut into; by its size and the servers if left out.
    pub regions: Option<usize>,
    /// The share of operations that are writes, from 0 to 1.
    pub writes: f64,
    /// How many records stand for all.
    pub sample: usize,
    /// How often values are drawn for each query.
    pub draws: usize,
    /// What chance is made of.
    pub seed: u64,
    /// How many threads measure.
    pub threads: usize,
    /// The field that says when a record is written, if it is not to be guessed.
    pub time: Option<String>,
    /// How many rows the table will have, if not as many as the data.
    pub rows: Option<u64>,
    /// For how many years the table will grow as the data did, instead of `rows`.
    pub years: Option<f64>,
    /// The fields that make a record unique, if the caller says them.
    pub identity: Option<Vec<String>>,
    /// Fields that will never have other values than those of the data.
    pub closed: Vec<String>,
    /// Whether index tables may be proposed.
    pub indexes: bool,
    /// The most buckets that a salt, a remainder or a hash in front may have.
    pub max_buckets: Option<u32>,
    /// Whether the whole candidate space is gone through.
    pub exhaustive: bool,
    /// What reading and writing cost.
    pub prices: Prices,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            table: "advised".to_owned(),
            servers: 4,
            regions: None,
            writes: 0.5,
            sample: 20_000,
            draws: 32,
            seed: 0,
            threads: 2,
            time: None,
            rows: None,
            years: None,
            identity: None,
            closed: Vec::new(),
            indexes: true,
            max_buckets: None,
            exhaustive: false,
            prices: Prices::EMBEDDED,
        }
    }
}

/// Progress of the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Watched {
    /// The data is read, for the first or the second time.
    Reading(Position),
    /// Keys are measured.
    Measuring(Progress),
}

/// Why there is no advice.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AdviseError {
    /// The data cannot be opened.
    #[error("could not read {data}")]
    Open {
        /// The name of the data: a path, or `standard input`.
        data: String,
        /// The error of the operating system.
        #[source]
        cause: io::Error,
    },
    /// The data cannot be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A record of the data is none.
    #[error(transparent)]
    Read(Box<BatchError>),
    /// There is nothing to learn from.
    #[error(
        "{data} has no record: advice needs some of the records that the table will hold, a few thousand are enough"
    )]
    NoRecords {
        /// The name of the data: a path, or `standard input`.
        data: String,
    },
    /// Nothing is asked.
    #[error(
        "there is no query: a key is only good or bad for what is asked of it; write the queries into the file, one per line, such as \
         `user_id = ? order by ts desc limit 20`, or as [[query]]"
    )]
    NoQueries,
    /// A query over fields that are not there, or that is none.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    /// All records are alike.
    #[error(
        "no field of {data} tells records apart: {fields} have one value each in all {rows} records; give data with more than one \
         record's worth of values"
    )]
    AllAlike {
        /// The name of the data: a path, or `standard input`.
        data: String,
        /// Its fields.
        fields: String,
        /// How many records.
        rows: u64,
    },
    /// A setting names a field that is not there.
    #[error("{setting} names `{field}`, which is no field of the data; the fields are {known}")]
    Field {
        /// The setting that names the field.
        setting: Remedy,
        /// What was named.
        field: String,
        /// The fields of the data, separated by commas.
        known: String,
    },
    /// The time is no field, or no time.
    #[error("the time cannot be taken from `{field}`: {why}; name a field of type timestamp, one of {known}")]
    Time {
        /// What was named.
        field: String,
        /// What is wrong with it.
        why: String,
        /// The fields that could be.
        known: String,
    },
    /// Growth by years without times.
    #[error(transparent)]
    Years(#[from] NoGrowth),
    /// No key of the space works.
    #[error("none of the {looked_at} keys that were tried works with these records: {reasons}")]
    NoDesign {
        /// How many.
        looked_at: usize,
        /// Why not, counted.
        reasons: String,
    },
}

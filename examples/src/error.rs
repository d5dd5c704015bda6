//! Why does a story not come to its end?

use rowkey_store::{StoreError, TableNameError};

/// How a story, or a step of it, ended.
pub type Told<T = ()> = Result<T, StoryError>;

/// A step of a story that could not be done, or claims that do not hold.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoryError {
    /// The program ended otherwise than the story expects.
    #[error("`{command}` ended with {code} instead of {expected}:\n{out}{err}")]
    Exit {
        /// As it would be typed.
        command: String,
        /// Its exit code; -1 for a signal.
        code: i32,
        /// What the story expects.
        expected: &'static str,
        /// Standard output.
        out: String,
        /// Standard error.
        err: String,
    },
    /// The program could not be started.
    #[error("could not start {program}; build it with `cargo build -p rowkey-cli`")]
    Start {
        /// Its path.
        program: String,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A file of the story could not be written.
    #[error("could not write {path}")]
    Write {
        /// Which.
        path: String,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The program printed something that is no JSON, or lacks what the story needs of it.
    #[error("`{command}` answered `{line}`, which lacks {needed}")]
    Answer {
        /// As it would be typed.
        command: String,
        /// What it printed.
        line: String,
        /// What was looked for.
        needed: String,
    },
    /// A table file that has no name to make unique.
    #[error("the table file {path} has no line `name = \"…\"` below [table]")]
    Nameless {
        /// Which.
        path: String,
    },
    /// The counters of a table never showed what was written.
    #[error("the regions of {table} counted {counted} writes of {written}; did a region move meanwhile?")]
    Counters {
        /// Which table.
        table: String,
        /// The sum of its regions.
        counted: u64,
        /// What was written.
        written: u64,
    },
    /// The cluster could not be reached.
    #[error(transparent)]
    Cluster(#[from] rowkey_hbase::HBaseError),
    /// A story gave a table a name that cannot be.
    #[error(transparent)]
    Name(#[from] TableNameError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Claims of the story do not hold.
    #[error("{} claims do not hold:\n  {}", claims.len(), claims.join("\n  "))]
    Claims {
        /// Each with its figure.
        claims: Vec<String>,
    },
}

use rowkey_core::Findings;
use rowkey_core::query::PlanError;
use rowkey_core::remedy::Remedy;
use rowkey_core::typed::{BindError, TypedDecodeError};
use rowkey_ops::create::TableError;
use rowkey_ops::put::PutError;
use rowkey_ops::query::{QueryError, TokenError};
use rowkey_store::{StoreError, TableNameError};

/// Why something could not be done. The message of a variant without words of its own is that of the error inside.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A place that no feature of this build opens.
    #[error(
        "cannot open `{place}`: this program was built without the feature `{feature}` of the crate rowkey; add it to Cargo.toml"
    )]
    Feature {
        /// What was to be opened.
        place: String,
        /// The feature that opens it.
        feature: &'static str,
    },
    /// A URL of no store.
    #[error("`{place}` is not the URL of a store; write {}", crate::stores::url_forms())]
    Scheme {
        /// The URL.
        place: String,
    },
    /// No store is at a place, and none was to be made.
    #[error("there is no store in {place}")]
    Missing {
        /// Where it should be.
        place: String,
    },
    /// A store that could not be opened.
    #[error("could not open the store {place}")]
    Open {
        /// The folder, or the URL of the cluster.
        place: String,
        /// Why.
        #[source]
        problem: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A key, table file or query that cannot be read, with every place that is wrong.
    #[error(transparent)]
    Text(#[from] Findings),
    /// A name that no table can have.
    #[error(transparent)]
    Name(#[from] TableNameError),
    /// A table that does not fit its file, or is not there.
    #[error(transparent)]
    Table(#[from] TableError),
    /// Rust types that do not hold the fields of a table.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// A value that its Rust type does not hold.
    #[error(transparent)]
    Value(#[from] TypedDecodeError),
    /// Records that were not written.
    #[error(transparent)]
    Put(#[from] PutError),
    /// A query that has no plan, such as one that would read the whole table.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A page token of another query.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// A query that stopped.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// The store refused or failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Error {
    /// What would help, if it is a setting or a function: `full_scan` for a query that would read the whole table.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::Plan(error) => Some(error.remedy()),
            Self::Table(error) => error.remedy(),
            Self::Put(error) => error.remedy(),
            Self::Query(error) => error.remedy(),
            Self::Store(error) => error.remedy(),
            _ => None,
        }
    }

    #[cfg(any(feature = "embedded", feature = "hbase"))]
    pub(crate) fn open(place: &str, problem: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Open { place: place.to_owned(), problem: problem.into() }
    }
}

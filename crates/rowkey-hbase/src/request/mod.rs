//! Reads and writes of rows: how a request is written, sent to the regions that it is for, tried again, and answered.
//!
//! `mutation`, `filter`, `columns` write requests and `results`, `rows`, `cursor` read answers; `rules` refuses what a server would
//! refuse. `get`, `put` (loads), `alone` and `batch` (everything else on rows), `scan` with `region_scanner`, `endpoint` and `aggregate`
//! are one operation each; `row_call` asks the region of a row, `retry` says what comes after a failure.

#![expect(clippy::missing_errors_doc, reason = "one section for all methods of the client, on the type")]

pub(crate) mod aggregate;
pub(crate) mod alone;
pub(crate) mod batch;
pub(crate) mod columns;
pub(crate) mod cursor;
pub(crate) mod endpoint;
pub(crate) mod filter;
pub(crate) mod get;
pub(crate) mod mutation;
pub(crate) mod plan;
pub(crate) mod put;
pub(crate) mod region_scanner;
pub(crate) mod results;
pub(crate) mod retry;
pub(crate) mod row_call;
pub(crate) mod rows;
pub(crate) mod rules;
pub(crate) mod scan;

//! Which messages call code that runs on region servers (HBase's coprocessor endpoints)?

use super::client::Scan;
use super::common::{NameBytesPair, RegionSpecifier};

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct CoprocessorServiceCall {
    /// A row of the region; the region itself is named beside it.
    #[prost(bytes = "vec", required, tag = "1")]
    pub(crate) row: Vec<u8>,
    #[prost(string, required, tag = "2")]
    pub(crate) service_name: String,
    #[prost(string, required, tag = "3")]
    pub(crate) method_name: String,
    #[prost(bytes = "vec", required, tag = "4")]
    pub(crate) request: Vec<u8>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct CoprocessorServiceRequest {
    #[prost(message, required, tag = "1")]
    pub(crate) region: RegionSpecifier,
    #[prost(message, required, tag = "2")]
    pub(crate) call: CoprocessorServiceCall,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct CoprocessorServiceResponse {
    /// The answer's bytes, by the name of their Java class.
    #[prost(message, optional, tag = "2")]
    pub(crate) value: Option<NameBytesPair>,
}

/// What every method of the aggregate service takes.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct AggregateRequest {
    #[prost(string, required, tag = "1")]
    pub(crate) interpreter_class_name: String,
    #[prost(message, required, tag = "2")]
    pub(crate) scan: Scan,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct AggregateResponse {
    #[prost(bytes = "vec", repeated, tag = "1")]
    pub(crate) first_part: Vec<Vec<u8>>,
    #[prost(bytes = "vec", optional, tag = "2")]
    pub(crate) second_part: Option<Vec<u8>>,
}

/// A number in a message of its own.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct LongMsg {
    #[prost(int64, required, tag = "1")]
    pub(crate) long_msg: i64,
}

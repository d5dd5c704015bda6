//! Which messages change rows, alone or many at once (HBase's ClientService)?

use super::client::{Get, ResultProto};
use super::common::{NameBytesPair, RegionSpecifier, TimeRange};
use super::filter::{Comparator, Filter};

/// A change of one row; its cells travel in the cell block and name the row. Without cells, the row is named here.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct MutationProto {
    #[prost(bytes = "vec", optional, tag = "1")]
    pub(crate) row: Option<Vec<u8>>,
    #[prost(int32, optional, tag = "2")]
    pub(crate) mutate_type: Option<i32>,
    #[prost(uint64, optional, tag = "4")]
    pub(crate) timestamp: Option<u64>,
    #[prost(message, optional, tag = "7")]
    pub(crate) time_range: Option<TimeRange>,
    #[prost(int32, optional, tag = "8")]
    pub(crate) associated_cell_count: Option<i32>,
    #[prost(uint64, optional, tag = "9")]
    pub(crate) nonce: Option<u64>,
}

impl MutationProto {
    pub(crate) const APPEND: i32 = 0;
    pub(crate) const INCREMENT: i32 = 1;
    pub(crate) const PUT: i32 = 2;
    pub(crate) const DELETE: i32 = 3;
}

/// What a row must be like.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Condition {
    #[prost(bytes = "vec", required, tag = "1")]
    pub(crate) row: Vec<u8>,
    #[prost(bytes = "vec", optional, tag = "2")]
    pub(crate) family: Option<Vec<u8>>,
    #[prost(bytes = "vec", optional, tag = "3")]
    pub(crate) qualifier: Option<Vec<u8>>,
    #[prost(int32, optional, tag = "4")]
    pub(crate) compare_type: Option<i32>,
    #[prost(message, optional, tag = "5")]
    pub(crate) comparator: Option<Comparator>,
    #[prost(message, optional, tag = "6")]
    pub(crate) time_range: Option<TimeRange>,
    #[prost(message, optional, tag = "7")]
    pub(crate) filter: Option<Filter>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Action {
    #[prost(uint32, optional, tag = "1")]
    pub(crate) index: Option<u32>,
    #[prost(message, optional, tag = "2")]
    pub(crate) mutation: Option<MutationProto>,
    #[prost(message, optional, tag = "3")]
    pub(crate) get: Option<Get>,
}

/// Actions on one region, each for itself, or (`atomic`, or with a condition) all of one row at once.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct RegionAction {
    #[prost(message, required, tag = "1")]
    pub(crate) region: RegionSpecifier,
    #[prost(bool, optional, tag = "2")]
    pub(crate) atomic: Option<bool>,
    #[prost(message, repeated, tag = "3")]
    pub(crate) action: Vec<Action>,
    #[prost(message, optional, tag = "4")]
    pub(crate) condition: Option<Condition>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct MultiRequest {
    #[prost(message, repeated, tag = "1")]
    pub(crate) region_action: Vec<RegionAction>,
    #[prost(uint64, optional, tag = "2")]
    pub(crate) nonce_group: Option<u64>,
}

/// A change of one row, alone.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct MutateRequest {
    #[prost(message, required, tag = "1")]
    pub(crate) region: RegionSpecifier,
    #[prost(message, required, tag = "2")]
    pub(crate) mutation: MutationProto,
    #[prost(uint64, optional, tag = "4")]
    pub(crate) nonce_group: Option<u64>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct MutateResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) result: Option<ResultProto>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ResultOrException {
    #[prost(uint32, optional, tag = "1")]
    pub(crate) index: Option<u32>,
    #[prost(message, optional, tag = "2")]
    pub(crate) result: Option<ResultProto>,
    #[prost(message, optional, tag = "3")]
    pub(crate) exception: Option<NameBytesPair>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct RegionActionResult {
    #[prost(message, repeated, tag = "1")]
    pub(crate) result_or_exception: Vec<ResultOrException>,
    #[prost(message, optional, tag = "2")]
    pub(crate) exception: Option<NameBytesPair>,
    /// Whether the condition held.
    #[prost(bool, optional, tag = "3")]
    pub(crate) processed: Option<bool>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct MultiResponse {
    #[prost(message, repeated, tag = "1")]
    pub(crate) region_action_result: Vec<RegionActionResult>,
}

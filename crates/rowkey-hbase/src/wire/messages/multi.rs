//! Messages that change rows, alone or many at once (HBase's ClientService).

use super::client::{Get, ResultProto};
use super::common::{NameBytesPair, RegionSpecifier, TimeRange};
use super::filter::{Comparator, Filter};

messages! {
    /// A change of one row; its cells travel in the cell block and name the row. Without cells, the row is named here.
    MutationProto {
        1: optional bytes row: Option<Vec<u8>>,
        2: optional int32 mutate_type: Option<i32>,
        4: optional uint64 timestamp: Option<u64>,
        7: optional message time_range: Option<TimeRange>,
        8: optional int32 associated_cell_count: Option<i32>,
        9: optional uint64 nonce: Option<u64>,
    }
}

impl MutationProto {
    pub(crate) const APPEND: i32 = 0;
    pub(crate) const INCREMENT: i32 = 1;
    pub(crate) const PUT: i32 = 2;
    pub(crate) const DELETE: i32 = 3;
}

messages! {
    /// What a row must be like.
    Condition {
        1: required bytes row: Vec<u8>,
        2: optional bytes family: Option<Vec<u8>>,
        3: optional bytes qualifier: Option<Vec<u8>>,
        4: optional int32 compare_type: Option<i32>,
        5: optional message comparator: Option<Comparator>,
        6: optional message time_range: Option<TimeRange>,
        7: optional message filter: Option<Filter>,
    }

    Action {
        1: optional uint32 index: Option<u32>,
        2: optional message mutation: Option<MutationProto>,
        3: optional message get: Option<Get>,
    }

    /// Actions on one region, each for itself, or (`atomic`, or with a condition) all of one row at once.
    RegionAction {
        1: required message region: RegionSpecifier,
        2: optional bool atomic: Option<bool>,
        3: repeated message action: Vec<Action>,
        4: optional message condition: Option<Condition>,
    }

    MultiRequest {
        1: repeated message region_action: Vec<RegionAction>,
        2: optional uint64 nonce_group: Option<u64>,
    }

    /// A change of one row, alone.
    MutateRequest {
        1: required message region: RegionSpecifier,
        2: required message mutation: MutationProto,
        4: optional uint64 nonce_group: Option<u64>,
    }

    MutateResponse {
        1: optional message result: Option<ResultProto>,
    }

    ResultOrException {
        1: optional uint32 index: Option<u32>,
        2: optional message result: Option<ResultProto>,
        3: optional message exception: Option<NameBytesPair>,
    }

    RegionActionResult {
        1: repeated message result_or_exception: Vec<ResultOrException>,
        2: optional message exception: Option<NameBytesPair>,
        /// Whether the condition held.
        3: optional bool processed: Option<bool>,
    }

    MultiResponse {
        1: repeated message region_action_result: Vec<RegionActionResult>,
    }
}

//! Messages that call code on region servers (HBase's coprocessor endpoints).

use super::client::Scan;
use super::common::{NameBytesPair, RegionSpecifier};

messages! {
    CoprocessorServiceCall {
        /// A row of the region; the region itself is named beside it.
        1: required bytes row: Vec<u8>,
        2: required string service_name: String,
        3: required string method_name: String,
        4: required bytes request: Vec<u8>,
    }

    CoprocessorServiceRequest {
        1: required message region: RegionSpecifier,
        2: required message call: CoprocessorServiceCall,
    }

    CoprocessorServiceResponse {
        /// The answer's bytes, by the name of their Java class.
        2: optional message value: Option<NameBytesPair>,
    }

    /// What every method of the aggregate service takes.
    AggregateRequest {
        1: required string interpreter_class_name: String,
        2: required message scan: Scan,
    }

    AggregateResponse {
        1: repeated bytes first_part: Vec<Vec<u8>>,
    }

    /// A number in a message of its own.
    LongMsg {
        1: required int64 long_msg: i64,
    }

    /// Who is calling, as `TokenProvider` says.
    WhoAmIResponse {
        1: optional string username: Option<String>,
        2: optional string auth_method: Option<String>,
    }
}

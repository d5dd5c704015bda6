//! Messages that open a connection and frame a call.

messages! {
    /// The name that a client gives itself; simple authentication believes it.
    UserInformation {
        1: required string effective_user: String,
    }

    /// The version of HBase that a client behaves as; servers answer old clients differently.
    VersionInfo {
        1: required string version: String,
        2: required string url: String,
        3: required string revision: String,
        4: required string user: String,
        5: required string date: String,
        6: required string src_checksum: String,
        7: optional uint32 version_major: Option<u32>,
        8: optional uint32 version_minor: Option<u32>,
    }

    /// The first message on a connection.
    ConnectionHeader {
        1: optional message user_info: Option<UserInformation>,
        2: optional string service_name: Option<String>,
        3: optional string cell_block_codec_class: Option<String>,
        5: optional message version_info: Option<VersionInfo>,
    }

    CellBlockMeta {
        1: optional uint32 length: Option<u32>,
    }

    ExceptionResponse {
        1: optional string exception_class_name: Option<String>,
        2: optional string stack_trace: Option<String>,
        5: optional bool do_not_retry: Option<bool>,
    }

    RequestHeader {
        1: optional uint32 call_id: Option<u32>,
        3: optional string method_name: Option<String>,
        4: optional bool request_param: Option<bool>,
        5: optional message cell_block_meta: Option<CellBlockMeta>,
        6: optional uint32 priority: Option<u32>,
        /// Milliseconds after which the client no longer waits.
        7: optional uint32 timeout: Option<u32>,
    }

    ResponseHeader {
        1: optional uint32 call_id: Option<u32>,
        2: optional message exception: Option<ExceptionResponse>,
        3: optional message cell_block_meta: Option<CellBlockMeta>,
    }
}

//! Which messages open a connection and frame a call?

/// The name that a client gives itself; simple authentication believes it.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct UserInformation {
    #[prost(string, required, tag = "1")]
    pub(crate) effective_user: String,
}

/// The version of HBase that a client behaves as; servers answer old clients differently.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct VersionInfo {
    #[prost(string, required, tag = "1")]
    pub(crate) version: String,
    #[prost(string, required, tag = "2")]
    pub(crate) url: String,
    #[prost(string, required, tag = "3")]
    pub(crate) revision: String,
    #[prost(string, required, tag = "4")]
    pub(crate) user: String,
    #[prost(string, required, tag = "5")]
    pub(crate) date: String,
    #[prost(string, required, tag = "6")]
    pub(crate) src_checksum: String,
    #[prost(uint32, optional, tag = "7")]
    pub(crate) version_major: Option<u32>,
    #[prost(uint32, optional, tag = "8")]
    pub(crate) version_minor: Option<u32>,
}

/// The first message on a connection.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ConnectionHeader {
    #[prost(message, optional, tag = "1")]
    pub(crate) user_info: Option<UserInformation>,
    #[prost(string, optional, tag = "2")]
    pub(crate) service_name: Option<String>,
    #[prost(string, optional, tag = "3")]
    pub(crate) cell_block_codec_class: Option<String>,
    #[prost(message, optional, tag = "5")]
    pub(crate) version_info: Option<VersionInfo>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct CellBlockMeta {
    #[prost(uint32, optional, tag = "1")]
    pub(crate) length: Option<u32>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ExceptionResponse {
    #[prost(string, optional, tag = "1")]
    pub(crate) exception_class_name: Option<String>,
    #[prost(string, optional, tag = "2")]
    pub(crate) stack_trace: Option<String>,
    #[prost(bool, optional, tag = "5")]
    pub(crate) do_not_retry: Option<bool>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct RequestHeader {
    #[prost(uint32, optional, tag = "1")]
    pub(crate) call_id: Option<u32>,
    #[prost(string, optional, tag = "3")]
    pub(crate) method_name: Option<String>,
    #[prost(bool, optional, tag = "4")]
    pub(crate) request_param: Option<bool>,
    #[prost(message, optional, tag = "5")]
    pub(crate) cell_block_meta: Option<CellBlockMeta>,
    #[prost(uint32, optional, tag = "6")]
    pub(crate) priority: Option<u32>,
    /// Milliseconds after which the client no longer waits.
    #[prost(uint32, optional, tag = "7")]
    pub(crate) timeout: Option<u32>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ResponseHeader {
    #[prost(uint32, optional, tag = "1")]
    pub(crate) call_id: Option<u32>,
    #[prost(message, optional, tag = "2")]
    pub(crate) exception: Option<ExceptionResponse>,
    #[prost(message, optional, tag = "3")]
    pub(crate) cell_block_meta: Option<CellBlockMeta>,
}

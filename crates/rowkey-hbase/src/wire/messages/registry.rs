//! Which messages tell where the cluster is (HBase's ClientMetaService, and its znodes)?

use super::common::{RegionInfo, ServerName};

/// A request without fields.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Empty {}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct GetActiveMasterResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) server_name: Option<ServerName>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct RegionLocationProto {
    #[prost(message, required, tag = "1")]
    pub(crate) region_info: RegionInfo,
    #[prost(message, optional, tag = "2")]
    pub(crate) server_name: Option<ServerName>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct GetMetaRegionLocationsResponse {
    #[prost(message, repeated, tag = "1")]
    pub(crate) meta_locations: Vec<RegionLocationProto>,
}

/// What the znodes `master` and `meta-region-server` hold: both have a server as their first field.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ServerZnode {
    #[prost(message, required, tag = "1")]
    pub(crate) server: ServerName,
}

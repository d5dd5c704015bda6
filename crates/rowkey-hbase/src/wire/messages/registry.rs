//! Messages that locate the cluster (HBase's ClientMetaService, and its znodes).

use super::common::{RegionInfo, ServerName};

messages! {
    /// A request without fields.
    Empty {}

    GetActiveMasterResponse {
        1: optional message server_name: Option<ServerName>,
    }

    RegionLocationProto {
        1: required message region_info: RegionInfo,
        2: optional message server_name: Option<ServerName>,
    }

    GetMetaRegionLocationsResponse {
        1: repeated message meta_locations: Vec<RegionLocationProto>,
    }

    /// What the znodes `master` and `meta-region-server` hold: both have a server as their first field.
    ServerZnode {
        1: required message server: ServerName,
    }
}

//! Which service of a server is a connection for, and how does it introduce itself?

use prost::Message;

use crate::wire::cell_block::CODEC_CLASS;
use crate::wire::frame::PREAMBLE;
use crate::wire::messages::rpc::{ConnectionHeader, UserInformation, VersionInfo};

/// The services of an HBase server that we call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Service {
    /// Rows, on region servers.
    Client,
    /// Region figures, on region servers.
    Admin,
    /// Tables, on the active master.
    Master,
    /// Where everything is, on every master.
    ClientMeta,
}

impl Service {
    fn name(self) -> &'static str {
        match self {
            Self::Client => "ClientService",
            Self::Admin => "AdminService",
            Self::Master => "MasterService",
            Self::ClientMeta => "ClientMetaService",
        }
    }

    /// Who should be there.
    pub(crate) fn role(self) -> &'static str {
        match self {
            Self::Client | Self::Admin => "an HBase region server",
            Self::Master | Self::ClientMeta => "an HBase master",
        }
    }
}

/// What a client says first under simple authentication. A server answers nothing to that unless it objects.
pub(crate) fn greeting(service: Service, user: &str) -> Vec<u8> {
    [&PREAMBLE[..], &header(service, user)].concat()
}

/// The connection's header. Under Kerberos `user` is the whole principal: the server takes a short name for another user, and refuses it.
pub(crate) fn header(service: Service, user: &str) -> Vec<u8> {
    let header = ConnectionHeader {
        user_info: Some(UserInformation { effective_user: user.to_owned() }),
        service_name: Some(service.name().to_owned()),
        cell_block_codec_class: Some(CODEC_CLASS.to_owned()),
        // Without a version a server takes us for a client of HBase 0.9x and answers scans accordingly.
        version_info: Some(VersionInfo {
            version: "2.6.1".to_owned(),
            version_major: Some(2),
            version_minor: Some(6),
            ..VersionInfo::default()
        }),
    };
    let header = header.encode_to_vec();
    let length = u32::try_from(header.len()).expect("a header is short").to_be_bytes();
    [&length[..], &header].concat()
}

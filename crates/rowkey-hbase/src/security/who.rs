//! Who are we, in the words of the cluster?

use rowkey_core::escape::escape;

use crate::client::HBaseClient;
use crate::connection::Call;
use crate::connection::service::Service;
use crate::error::HBaseError;
use crate::regions::meta::META_REGION;
use crate::wire::messages::common::RegionSpecifier;
use crate::wire::messages::endpoint::{
    CoprocessorServiceCall, CoprocessorServiceRequest, CoprocessorServiceResponse, WhoAmIResponse,
};
use prost::Message;

/// Who we are to a cluster, as it says itself.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WhoAmI {
    /// The user's name.
    pub user: String,
    /// How the user was made sure of, such as `KERBEROS`.
    pub by: String,
}

impl HBaseClient {
    /// Asks the server of `hbase:meta`, if it has HBase's `TokenProvider`; `None` if it has not.
    pub async fn who_am_i(&self) -> Result<Option<WhoAmI>, HBaseError> {
        let meta = self.meta_region().await?;
        let server = meta.server.as_ref().ok_or(HBaseError::NotReady { what: "server for hbase:meta" })?;
        let request = CoprocessorServiceRequest {
            region: RegionSpecifier::named(META_REGION),
            call: CoprocessorServiceCall {
                row: Vec::new(),
                service_name: "AuthenticationService".to_owned(),
                method_name: "WhoAmI".to_owned(),
                request: Vec::new(),
            },
        };
        let connection = self.connection(server, Service::Client).await?;
        let call = Call::new("ExecService", &request, self.options().call_timeout).region(META_REGION);
        let answer = match connection.call::<CoprocessorServiceResponse>(call).await {
            Ok((answer, _)) => answer,
            Err(failure) if failure.is_remote("UnknownProtocolException") => return Ok(None),
            Err(failure) => return Err(failure),
        };
        let answer = answer.value.and_then(|value| value.value).unwrap_or_default();
        let answer = WhoAmIResponse::decode(&answer[..]).map_err(|source| HBaseError::Endpoint {
            service: "AuthenticationService".to_owned(),
            region: escape(META_REGION).to_string(),
            source: Box::new(source),
        })?;
        Ok(answer.username.map(|user| WhoAmI { user, by: answer.auth_method.unwrap_or_default() }))
    }
}

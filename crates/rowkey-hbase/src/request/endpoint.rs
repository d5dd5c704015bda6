//! Coprocessor endpoints: a call for every region.
//!
//! A coprocessor endpoint is a service that region servers offer on each region. It is called by its name on all regions
//! of a range at once, and the answers come back in key order.
//!
//! **Law**: the parts of the range that the answers stand for have no gap and no overlap. A region that was split or
//! merged meanwhile is asked again for exactly the part that is missing; so a request is made anew for each part.

use std::sync::Arc;

use rowkey_core::escape::escape;
use rowkey_core::range::{KeyRange, bound_key};
use rowkey_store::{Direction, TableName};
use tokio::task::JoinSet;

use crate::client::HBaseClient;
use crate::connection::Call;
use crate::error::{HBaseError, Retry};
use crate::regions::RegionLocation;
use crate::request::cursor::Cursor;
use crate::request::retry::Attempts;
use crate::wire::messages::common::RegionSpecifier;
use crate::wire::messages::endpoint::{
    CoprocessorServiceCall, CoprocessorServiceRequest, CoprocessorServiceResponse,
};

/// A method of a coprocessor endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// The protobuf service: its plain name for HBase's own, its full name otherwise.
    pub service: String,
    /// The method's name in the service.
    pub method: String,
}

/// What an endpoint answered on one region.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RegionAnswer {
    /// The region's name, escaped.
    pub region: String,
    /// The part of the range asked for that lies in the region.
    pub range: KeyRange,
    /// The answer, a protobuf message of the method's type.
    pub answer: Vec<u8>,
}

/// A region, and the part of the range to be asked there.
type RegionPart = (Arc<RegionLocation>, KeyRange);

impl HBaseClient {
    /// Calls an endpoint on every region that holds keys of `range`; `request` makes the message for a part of it.
    pub async fn call_endpoint(
        self: &Arc<Self>,
        table: &TableName,
        range: &KeyRange,
        endpoint: &Endpoint,
        request: impl Fn(&KeyRange) -> Vec<u8>,
    ) -> Result<Vec<RegionAnswer>, HBaseError> {
        let mut attempts = self.attempts();
        let mut missing = vec![range.clone()];
        let mut answers = Vec::new();
        loop {
            let mut failure = match self.ask_parts(table, &mut missing, endpoint, &request, &attempts).await {
                Ok(found) => {
                    answers.extend(found.answers);
                    found.failure
                }
                Err(failure) => Some(failure),
            };
            match failure.take() {
                None => break,
                Some(failure) => attempts.again(self.explain(table, failure).await).await?,
            }
        }
        answers.sort_by(|a, b| start_of(&a.range).cmp(start_of(&b.range)));
        Ok(answers)
    }

    /// Asks all regions of `missing`, and leaves there what was not answered.
    async fn ask_parts(
        self: &Arc<Self>,
        table: &TableName,
        missing: &mut Vec<KeyRange>,
        endpoint: &Endpoint,
        request: &impl Fn(&KeyRange) -> Vec<u8>,
        attempts: &Attempts,
    ) -> Result<Answered, HBaseError> {
        let parts = attempts.bound(self.parts(table, missing)).await?;
        missing.clear();
        let mut calls = JoinSet::new();
        for part in parts {
            let call = CoprocessorServiceCall {
                row: start_of(&part.1).to_vec(),
                service_name: endpoint.service.clone(),
                method_name: endpoint.method.clone(),
                request: request(&part.1),
            };
            let timeout = attempts.call_timeout(self.options().call_timeout);
            calls.spawn(Arc::clone(self).ask_part(part, call, timeout));
        }
        let mut asked = Answered::default();
        while let Some(answer) = calls.join_next().await {
            let (part, answer) = answer.map_err(|_| HBaseError::Closed)?;
            match answer {
                Ok(answer) => asked.answers.push(answer),
                Err(failure) if failure.retry() == Retry::GiveUp => return Err(failure),
                Err(failure) => {
                    missing.push(part);
                    asked.failure = Some(failure);
                }
            }
        }
        Ok(asked)
    }

    async fn parts(&self, table: &TableName, ranges: &[KeyRange]) -> Result<Vec<RegionPart>, HBaseError> {
        let mut parts = Vec::new();
        for range in ranges {
            let Some(mut cursor) = Cursor::new(range, Direction::Forward) else {
                // Nothing to ask, but an unknown table is still an error.
                self.locate(table, &crate::regions::RegionPlace::At(Vec::new())).await?;
                continue;
            };
            loop {
                let region = self.locate(table, &cursor.place()).await?;
                let part = region.range().intersect(range);
                let more = cursor.after_region(&region);
                if !part.is_empty() {
                    parts.push((region, part));
                }
                if !more {
                    break;
                }
            }
        }
        Ok(parts)
    }

    async fn ask_part(
        self: Arc<Self>,
        (region, part): RegionPart,
        call: CoprocessorServiceCall,
        timeout: std::time::Duration,
    ) -> (KeyRange, Result<RegionAnswer, HBaseError>) {
        let request = CoprocessorServiceRequest { region: RegionSpecifier::named(&region.name), call };
        let asked = async {
            let connection = self.connection_to(&region).await?;
            let call = Call::new("ExecService", &request, timeout).region(&region.name);
            let (answer, _) = connection.call::<CoprocessorServiceResponse>(call).await?;
            Ok(RegionAnswer {
                region: escape(&region.name).to_string(),
                range: part.clone(),
                answer: answer.value.and_then(|value| value.value).unwrap_or_default(),
            })
        };
        let answer = self.watching(&region, asked).await;
        (part, answer)
    }
}

/// What one attempt brought.
#[derive(Default)]
struct Answered {
    answers: Vec<RegionAnswer>,
    /// Why some parts have no answer.
    failure: Option<HBaseError>,
}

fn start_of(range: &KeyRange) -> &[u8] {
    bound_key(&range.start).unwrap_or_default()
}

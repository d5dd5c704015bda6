//! Single operations, without the batching of several.
//!
//! Each is a request of its own (`Get`, `Mutate`), which costs a server and us less than a `Multi` of one. What changes a row by
//! several mutations, or under a condition, goes as a batch (`batch`).
//!
//! **Law**: the result is the one that a batch of this operation has.

use bytes::Bytes;
use rowkey_store::{Mutation, Operation, Outcome, TableName};

use crate::client::HBaseClient;
use crate::error::HBaseError;
use crate::request::batch::operation_bytes;
use crate::request::mutation;
use crate::request::row_call::{RowCall, ToRegion};
use crate::wire::messages::common::RegionSpecifier;
use crate::wire::messages::multi::{MutateRequest, MutateResponse};

impl HBaseClient {
    /// Does one operation; `None` if it must go as a batch.
    pub(crate) async fn alone(
        &self,
        table: &TableName,
        operation: &Operation,
    ) -> Option<Result<Outcome, HBaseError>> {
        match operation {
            Operation::Get(get) => {
                let mut outcome = Outcome::default();
                Some(self.get(table, get, &mut outcome.rows).await.map(|_| outcome))
            }
            Operation::Mutate(mutation) => Some(self.mutate(table, operation, mutation).await),
            Operation::MutateRow(_) | Operation::CheckAndMutate(_) => None,
        }
    }

    async fn mutate(
        &self,
        table: &TableName,
        operation: &Operation,
        mutation: &Mutation,
    ) -> Result<Outcome, HBaseError> {
        self.require(table, |known| known.validate_operation(operation)).await?;
        let bytes = operation_bytes(operation)?;
        let mut cells = Vec::with_capacity(bytes);
        // The same nonce at every attempt: a server that has done it already does not do it again.
        let mutation = mutation::encode(mutation, self.next_nonce(), &mut cells);
        let call = RowCall {
            method: "Mutate",
            table,
            row: operation.row(),
            request: MutateRequest {
                region: RegionSpecifier::default(),
                mutation,
                nonce_group: Some(self.nonce_group()),
            },
            cells: Bytes::from(cells),
            operation: Some(operation),
        };
        let answer = self.ask_row::<_, MutateResponse>(call).await?;
        let mut outcome = Outcome::default();
        answer.add_row(operation.row(), answer.message.result.as_ref(), &mut outcome.rows)?;
        Ok(outcome)
    }
}

impl ToRegion for MutateRequest {
    fn aim_at(&mut self, region: RegionSpecifier) {
        self.region = region;
    }
}

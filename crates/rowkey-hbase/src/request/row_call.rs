//! A call to the region of one row, with retries.
//!
//! Where the row is and how its server is reached is usually known, and then nothing is waited for but the answer, which has
//! a time limit of its own. Only the search for a region or a connection is bounded here.

use std::sync::Arc;

use bytes::Bytes;
use prost::Message;
use rowkey_store::{Operation, RowBatch, TableName};

use crate::client::HBaseClient;
use crate::connection::{Call, Connection};
use crate::error::HBaseError;
use crate::regions::{RegionLocation, RegionPlace};
use crate::request::results;
use crate::wire::cell_block::CellReader;
use crate::wire::messages::client::ResultProto;
use crate::wire::messages::common::RegionSpecifier;

/// A request that names its region.
pub(crate) trait ToRegion: Message {
    /// Sends it to another region.
    fn aim_at(&mut self, region: RegionSpecifier);
}

/// A question about one row.
pub(crate) struct RowCall<'a, Q> {
    pub(crate) method: &'static str,
    pub(crate) table: &'a TableName,
    pub(crate) row: &'a [u8],
    pub(crate) request: Q,
    /// The cells that go beside the request.
    pub(crate) cells: Bytes,
    /// What it is part of, if a failure can be explained by that.
    pub(crate) operation: Option<&'a Operation>,
}

/// An answer, the cells beside it, and where it came from.
pub(crate) struct RowAnswer<R> {
    pub(crate) message: R,
    pub(crate) cells: Bytes,
    pub(crate) connection: Arc<Connection>,
}

impl<R> RowAnswer<R> {
    /// Adds the row of the answer to the end of `into`; `false` if it has none.
    pub(crate) fn add_row(
        &self,
        row: &[u8],
        result: Option<&ResultProto>,
        into: &mut RowBatch,
    ) -> Result<bool, HBaseError> {
        let Some(result) = result else { return Ok(false) };
        results::add_row(row, result, &mut CellReader::new(&self.cells), into)
            .map_err(|error| self.connection.misread(error))
    }
}

impl HBaseClient {
    /// Asks the region that holds a row, again and again while that helps.
    pub(crate) async fn ask_row<Q: ToRegion, R: Message + Default>(
        &self,
        call: RowCall<'_, Q>,
    ) -> Result<RowAnswer<R>, HBaseError> {
        let RowCall { method, table, row, mut request, cells, operation } = call;
        let place = RegionPlace::At(row.to_vec());
        let mut attempts = self.attempts();
        loop {
            let attempt = async {
                let (region, connection) = attempts.bound(self.reach(table, &place)).await?;
                request.aim_at(RegionSpecifier::named(&region.name));
                let timeout = attempts.call_timeout(self.options().call_timeout);
                let call = Call::new(method, &request, timeout).region(&region.name).cells(cells.clone());
                let (message, cells) = self.watching(&region, connection.call::<R>(call)).await?;
                Ok(RowAnswer { message, cells, connection })
            };
            match attempt.await {
                Ok(answer) => return Ok(answer),
                Err(failure) => attempts.again(self.explain_item(table, operation, failure).await).await?,
            }
        }
    }

    /// The region at a place, and a connection to its server.
    async fn reach(
        &self,
        table: &TableName,
        place: &RegionPlace,
    ) -> Result<(Arc<RegionLocation>, Arc<Connection>), HBaseError> {
        let region = self.locate(table, place).await?;
        let connection = self.watching(&region, self.connection_to(&region)).await?;
        Ok((region, connection))
    }
}

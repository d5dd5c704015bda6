//! Point reads.

use bytes::Bytes;
use rowkey_store::{Get, RowBatch, TableName};

use crate::client::HBaseClient;
use crate::error::HBaseError;
use crate::request::columns::wire_columns;
use crate::request::filter;
use crate::request::row_call::{RowCall, ToRegion};
use crate::request::scan::ALL_FAMILIES_AT_ONCE;
use crate::wire::messages::client::{self, GetRequest, GetResponse};
use crate::wire::messages::common::{RegionSpecifier, TimeRange};

/// A get as a server reads it; columns of no family at all must not get here, because they would mean all.
pub(crate) fn to_wire(get: &Get) -> client::Get {
    client::Get {
        row: get.row.clone(),
        column: wire_columns(&get.columns).unwrap_or_default(),
        filter: get.filter.as_ref().map(filter::to_wire),
        time_range: TimeRange::from_store(get.time_range),
        max_versions: Some(get.versions),
        load_column_families_on_demand: Some(ALL_FAMILIES_AT_ONCE),
    }
}

impl HBaseClient {
    /// Reads one row and adds it to the end of `into`; `false` if there is none.
    pub async fn get(&self, table: &TableName, get: &Get, into: &mut RowBatch) -> Result<bool, HBaseError> {
        self.require(table, |known| known.validate_get(get)).await?;
        if wire_columns(&get.columns).is_none() {
            self.locate_retrying(table).await?;
            return Ok(false);
        }
        let request = GetRequest { region: RegionSpecifier::default(), get: to_wire(get) };
        let call =
            RowCall { method: "Get", table, row: &get.row, request, cells: Bytes::new(), operation: None };
        let answer = self.ask_row::<_, GetResponse>(call).await?;
        answer.add_row(&get.row, answer.message.result.as_ref(), into)
    }
}

impl ToRegion for GetRequest {
    fn aim_at(&mut self, region: RegionSpecifier) {
        self.region = region;
    }
}

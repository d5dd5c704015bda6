//! How is one row read?

use rowkey_store::{Get, RowBatch, TableName};

use crate::client::Client;
use crate::columns::wire_columns;
use crate::connection::Call;
use crate::error::HBaseError;
use crate::filter;
use crate::regions::Place;
use crate::results;
use crate::scan::ALL_FAMILIES_AT_ONCE;
use crate::wire::cell_block::CellReader;
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

impl Client {
    /// Reads one row and adds it to the end of `into`; `false` if there is none.
    pub(crate) async fn get(
        &self,
        table: &TableName,
        get: &Get,
        into: &mut RowBatch,
    ) -> Result<bool, HBaseError> {
        self.require(table, |known| known.validate_get(get)).await?;
        if wire_columns(&get.columns).is_none() {
            self.locate_retrying(table).await?;
            return Ok(false);
        }
        let place = Place::At(get.row.clone());
        let get = to_wire(get);
        let mut attempts = self.attempts();
        loop {
            let attempt = async {
                let region = self.locate(table, &place).await?;
                let request = GetRequest { region: RegionSpecifier::named(&region.name), get: get.clone() };
                let timeout = attempts.call_timeout(self.options().call_timeout);
                let answer = async {
                    let connection = self.connection_to(&region).await?;
                    let call = Call::new("Get", &request, timeout).region(&region.name);
                    let (answer, cells) = connection.call::<GetResponse>(call).await?;
                    let result = answer.result.unwrap_or_default();
                    results::add_row(&get.row, &result, &mut CellReader::new(&cells), into)
                        .map_err(|error| connection.misread(error))
                };
                self.watching(&region, answer).await
            };
            match attempts.bound(attempt).await {
                Ok(found) => return Ok(found),
                Err(failure) => attempts.again(self.explain(table, failure).await).await?,
            }
        }
    }
}

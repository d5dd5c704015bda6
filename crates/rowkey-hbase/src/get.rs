//! How is one row read?

use rowkey_store::{Get, RowBatch, TableName, validate_row};

use crate::client::Client;
use crate::columns::wire_columns;
use crate::connection::Call;
use crate::error::HBaseError;
use crate::regions::Place;
use crate::wire::cell_block::CellReader;
use crate::wire::messages::client::{self, GetRequest, GetResponse};
use crate::wire::messages::common::RegionSpecifier;

impl Client {
    /// Reads one row and adds it to the end of `into`; `false` if there is none.
    pub(crate) async fn get(
        &self,
        table: &TableName,
        get: &Get,
        into: &mut RowBatch,
    ) -> Result<bool, HBaseError> {
        validate_row(&get.row)?;
        self.require_families(table, &get.columns).await?;
        let Some(column) = wire_columns(&get.columns) else {
            return Ok(false);
        };
        let place = Place::At(get.row.clone());
        let get = client::Get { row: get.row.clone(), column, max_versions: Some(1) };
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
                    let count = answer.result.and_then(|result| result.associated_cell_count).unwrap_or(0);
                    add_row(&get.row, count, &cells, into).map_err(|error| {
                        HBaseError::protocol(connection.server(), "an HBase region server", error)
                    })
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

fn add_row(
    row: &[u8],
    count: i32,
    cells: &[u8],
    into: &mut RowBatch,
) -> Result<bool, crate::wire::cell_block::CellBlockError> {
    if count <= 0 {
        return Ok(false);
    }
    let mut reader = CellReader::new(cells);
    into.begin_row(row);
    for _ in 0..count {
        match reader.next_cell() {
            Ok(cell) => into.cell(cell.family, cell.qualifier, cell.timestamp, cell.value),
            Err(error) => {
                into.pop_row();
                return Err(error);
            }
        }
    }
    Ok(true)
}

//! The regions of a table, with what their servers report of them.

use std::collections::HashMap;
use std::sync::Arc;

use rowkey_core::escape::escape;
use rowkey_store::{Region, StoreError, TableName};
use tokio::task::JoinSet;

use crate::client::HBaseClient;
use crate::connection::Call;
use crate::connection::service::Service;
use crate::error::HBaseError;
use crate::regions::RegionLocation;
use crate::registry::url::HostPort;
use crate::wire::messages::common::TableNameProto;
use crate::wire::messages::server::{GetRegionLoadRequest, GetRegionLoadResponse, RegionLoad};

impl HBaseClient {
    /// The table's regions in key order, with the figures of their servers where those answer.
    pub async fn regions(&self, table: &TableName) -> Result<Vec<Region>, HBaseError> {
        let regions = self.all_regions(table).await?;
        let loads = self.read_loads(table, &regions).await;
        Ok(regions.iter().map(|region| with_load(region, loads.get(&region.name))).collect())
    }

    /// The table's regions in key order, as `hbase:meta` has them now.
    pub(crate) async fn all_regions(
        &self,
        table: &TableName,
    ) -> Result<Vec<Arc<RegionLocation>>, HBaseError> {
        let mut attempts = self.attempts();
        let (state, regions) = loop {
            let read = async { Ok((self.read_table_state(table).await?, self.read_regions(table).await?)) };
            match attempts.bound(read).await {
                Ok(found) => break found,
                Err(failure) => attempts.again(failure).await?,
            }
        };
        if state.is_none() && regions.is_empty() {
            return Err(StoreError::TableNotFound { table: table.clone() }.into());
        }
        Ok(regions)
    }

    /// What the servers say of the table's regions. Figures are a courtesy: a server that does not answer is
    /// left out.
    pub(crate) async fn read_loads(
        &self,
        table: &TableName,
        regions: &[Arc<RegionLocation>],
    ) -> HashMap<Vec<u8>, RegionLoad> {
        let mut servers: Vec<HostPort> = regions.iter().filter_map(|region| region.server.clone()).collect();
        servers.sort();
        servers.dedup();
        let request = Arc::new(GetRegionLoadRequest { table_name: Some(TableNameProto::from(table)) });
        let timeout = self.options().call_timeout;
        let mut asked = JoinSet::new();
        for server in servers {
            if let Ok(connection) = self.connection(&server, Service::Admin).await {
                let request = Arc::clone(&request);
                asked.spawn(async move {
                    connection
                        .call::<GetRegionLoadResponse>(Call::new("GetRegionLoad", &*request, timeout))
                        .await
                });
            }
        }
        let mut loads = HashMap::new();
        while let Some(answer) = asked.join_next().await {
            if let Ok(Ok((answer, _))) = answer {
                loads.extend(
                    answer.region_loads.into_iter().map(|load| (load.region_specifier.value.clone(), load)),
                );
            }
        }
        loads
    }
}

fn with_load(region: &RegionLocation, load: Option<&RegionLoad>) -> Region {
    let megabytes = |load: &RegionLoad| {
        u64::from(load.storefile_size_mb.unwrap_or(0)) + u64::from(load.mem_store_size_mb.unwrap_or(0))
    };
    Region {
        name: escape(&region.name).to_string(),
        range: region.range(),
        server: region.server.as_ref().map(HostPort::to_string),
        size: load.map(|load| megabytes(load) << 20),
        locality_percent: load.and_then(|load| load.data_locality).map(percent),
        reads: load.and_then(|load| load.read_requests_count).unwrap_or(0),
        writes: load.and_then(|load| load.write_requests_count).unwrap_or(0),
    }
}

/// A share from 0 to 1 in whole percent.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a number between 0 and 100 after clamp, which also takes NaN to 0"
)]
fn percent(share: f32) -> u8 {
    (share * 100.0).clamp(0.0, 100.0).round() as u8
}

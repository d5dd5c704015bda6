//! Flushes and compactions.
//!
//! Region servers do both, region by region. A compaction is only asked for; its end is seen in the region's state.

use std::sync::Arc;

use rowkey_store::TableName;

use crate::client::HBaseClient;
use crate::connection::Call;
use crate::connection::service::Service;
use crate::error::{HBaseError, Retry};
use crate::regions::{RegionLocation, RegionPlace};
use crate::request::retry::Attempts;
use crate::wire::messages::common::RegionSpecifier;
use crate::wire::messages::registry::Empty;
use crate::wire::messages::server::{
    CompactRegionRequest, FlushRegionRequest, GetRegionInfoRequest, GetRegionInfoResponse,
};

impl HBaseClient {
    /// Writes what waits in memory to files, in every region of a table.
    pub async fn flush(&self, table: &TableName) -> Result<(), HBaseError> {
        self.require_enabled(table).await?;
        for region in self.all_regions(table).await? {
            self.flush_region(&region).await?;
        }
        Ok(())
    }

    /// Has the files of every region of a table merged, and waits for the end.
    pub async fn compact(&self, table: &TableName) -> Result<(), HBaseError> {
        self.compact_table(table, false).await
    }

    /// Removes what no read can see, and waits for the end.
    pub async fn major_compact(&self, table: &TableName) -> Result<(), HBaseError> {
        self.compact_table(table, true).await
    }

    async fn compact_table(&self, table: &TableName, major: bool) -> Result<(), HBaseError> {
        self.require_enabled(table).await?;
        let regions = self.all_regions(table).await?;
        if major {
            // What is still in memory would keep what it hides.
            for region in &regions {
                self.flush_region(region).await?;
            }
        }
        for region in &regions {
            self.compact_region(region, major).await?;
        }
        self.wait_for_compaction(table, &regions).await
    }

    async fn require_enabled(&self, table: &TableName) -> Result<(), HBaseError> {
        if self.is_enabled(table).await? {
            return Ok(());
        }
        Err(rowkey_store::StoreError::TableDisabled { table: table.clone() }.into())
    }

    pub(crate) async fn flush_region(&self, region: &RegionLocation) -> Result<(), HBaseError> {
        let request = |region: &RegionLocation| FlushRegionRequest {
            region: RegionSpecifier::named(&region.name),
            write_flush_wal_marker: Some(false),
        };
        self.ask_server_of::<Empty, _>("FlushRegion", region, request).await.map(drop)
    }

    pub(crate) async fn compact_region(
        &self,
        region: &RegionLocation,
        major: bool,
    ) -> Result<(), HBaseError> {
        let request = |region: &RegionLocation| CompactRegionRequest {
            region: RegionSpecifier::named(&region.name),
            major: Some(major),
        };
        self.ask_server_of::<Empty, _>("CompactRegion", region, request).await.map(drop)
    }

    /// Waits until no compaction of these regions is under way.
    pub(crate) async fn wait_for_compaction(
        &self,
        table: &TableName,
        regions: &[Arc<RegionLocation>],
    ) -> Result<(), HBaseError> {
        let mut attempts = Attempts::within(self.options().procedure_timeout);
        let request = |region: &RegionLocation| GetRegionInfoRequest {
            region: RegionSpecifier::named(&region.name),
            compaction_state: Some(true),
        };
        for region in regions {
            loop {
                let answer: GetRegionInfoResponse =
                    match self.ask_server_of("GetRegionInfo", region, request).await {
                        Ok(answer) => answer,
                        // Split or merged meanwhile: there is nothing left to wait for.
                        Err(failure) if failure.retry() == Retry::Relocate => break,
                        Err(failure) => return Err(failure),
                    };
                if answer.compaction_state.unwrap_or(0) == 0 {
                    break;
                }
                if !attempts.wait_at_most(std::time::Duration::from_millis(200)).await {
                    return Err(HBaseError::CompactionRuns { table: table.clone() });
                }
            }
        }
        Ok(())
    }

    /// Asks the server that holds a region something about it; if the region has moved, its new server.
    pub(crate) async fn ask_server_of<R, Q>(
        &self,
        method: &'static str,
        region: &RegionLocation,
        request: impl Fn(&RegionLocation) -> Q,
    ) -> Result<R, HBaseError>
    where
        R: prost::Message + Default,
        Q: prost::Message,
    {
        let mut attempts = self.attempts();
        let mut at = Arc::new(region.clone());
        loop {
            let asked = async {
                let server = at.server.as_ref().ok_or_else(|| HBaseError::NotAssigned {
                    region: rowkey_core::escape::escape(&at.name).to_string(),
                })?;
                let connection = self.connection(server, Service::Admin).await?;
                let timeout = attempts.call_timeout(self.options().call_timeout);
                let message = request(&at);
                connection.call::<R>(Call::new(method, &message, timeout).region(&at.name)).await
            };
            let failure = match attempts.bound(asked).await {
                Ok((answer, _)) => return Ok(answer),
                Err(failure) => failure,
            };
            self.note_failure(&at, &failure);
            let relocate = matches!(failure.retry(), Retry::Relocate | Retry::Reconnect);
            attempts.again(failure).await?;
            if relocate
                && let Ok(found) = self.locate(&region.table, &RegionPlace::At(region.start.clone())).await
            {
                at = found;
            }
        }
    }
}

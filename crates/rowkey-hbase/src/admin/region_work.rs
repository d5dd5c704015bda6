//! Splitting, merging and moving regions.
//!
//! The master does it in procedures, and refuses to begin one in two cases that pass by themselves ([`Wait`]): the work is
//! tried again until its time is over, and the watcher is told.
//!
//! - A region is in transition: open on no server, because it moves or is just being split or merged.
//! - A region that has just come out of a split or a merge still reads its parents' files and cannot be split or merged until a
//!   compaction has rewritten them; such a region is compacted. That may take two minutes on a cluster with HBase's default
//!   settings: so often its servers put the old files away (`hbase.hfile.compaction.discharger.interval`).

use std::sync::Arc;

use rowkey_core::escape::escape;
use rowkey_store::filter::Filter;
use rowkey_store::{RowBatch, Scan, StoreError, TableName};

use crate::admin::watcher::{Procedure, Wait};
use crate::client::HBaseClient;
use crate::error::HBaseError;
use crate::regions::RegionLocation;
use crate::registry::address;
use crate::registry::url::HostPort;
use crate::request::retry::Attempts;
use crate::wire::messages::common::{RegionInfo, RegionSpecifier, ServerName, TableNameProto};
use crate::wire::messages::master::{
    MergeTableRegionsRequest, MoveRegionRequest, RunCatalogScanResponse, SplitTableRegionRequest,
};
use crate::wire::messages::registry::Empty;

impl HBaseClient {
    /// Cuts a region in two, at a key or in the middle of its keys.
    pub async fn split_region(
        self: &Arc<Self>,
        table: &TableName,
        region: &str,
        at: Option<&[u8]>,
    ) -> Result<(), HBaseError> {
        let region = self.region_named(table, region).await?;
        let inside =
            |at: &[u8]| at > region.start.as_slice() && (region.end.is_empty() || at < region.end.as_slice());
        if let Some(split) = at.filter(|at| !inside(at)) {
            return Err(StoreError::SplitOutside { split: split.to_vec(), range: region.range() }.into());
        }
        if at.is_none() {
            // A server finds the middle in its files only.
            self.flush_region(&region).await?;
        }
        let mut split_row = at.map(<[u8]>::to_vec);
        let mut attempts = Attempts::within(self.options().procedure_timeout);
        loop {
            let request = SplitTableRegionRequest {
                region_info: region_info(&region)?,
                split_row: split_row.clone(),
                nonce_group: Some(self.nonce_group()),
                nonce: Some(self.next_nonce()),
            };
            let failure = match self.run_procedure("SplitRegion", &request, table).await {
                Ok(()) => break,
                Err(failure) => failure,
            };
            if split_row.is_none() && has_no_middle(&failure) {
                split_row = Some(self.middle_row(table, &region).await?);
                continue;
            }
            let work = Work { method: "SplitRegion", table, regions: std::slice::from_ref(&region) };
            self.settle(&work, failure, &mut attempts).await?;
        }
        self.forget_region(&region);
        Ok(())
    }

    /// Makes one region of neighbours.
    pub async fn merge_regions(
        self: &Arc<Self>,
        table: &TableName,
        regions: &[String],
    ) -> Result<(), HBaseError> {
        let mut merged = Vec::with_capacity(regions.len());
        for region in regions {
            merged.push(self.region_named(table, region).await?);
        }
        merged.sort_by(|a, b| a.start.cmp(&b.start));
        let neighbours =
            merged.windows(2).all(|pair| matches!(pair, [a, b] if !a.end.is_empty() && a.end == b.start));
        if merged.len() < 2 || !neighbours {
            return Err(StoreError::NotNeighbours { table: table.clone(), regions: regions.to_vec() }.into());
        }
        let work = Work { method: "MergeTableRegions", table, regions: &merged };
        let mut attempts = Attempts::within(self.options().procedure_timeout);
        loop {
            let request = MergeTableRegionsRequest {
                region: merged.iter().map(|region| RegionSpecifier::encoded(region.hash())).collect(),
                forcible: Some(false),
                nonce_group: Some(self.nonce_group()),
                nonce: Some(self.next_nonce()),
            };
            match self.run_procedure(work.method, &request, table).await {
                Ok(()) => break,
                Err(failure) => self.settle(&work, failure, &mut attempts).await?,
            }
        }
        for region in &merged {
            self.forget_region(region);
        }
        Ok(())
    }

    /// Moves a region to a server, or to one that the master chooses. Returns when the region is open there.
    pub async fn move_region(
        &self,
        table: &TableName,
        region: &str,
        to: Option<&str>,
    ) -> Result<(), HBaseError> {
        let region = self.region_named(table, region).await?;
        let dest_server_name = match to {
            Some(server) => Some(self.server_named(server).await?),
            None => None,
        };
        let request = MoveRegionRequest { region: RegionSpecifier::encoded(region.hash()), dest_server_name };
        let _: Empty = self.ask_master("MoveRegion", &request, &mut self.attempts()).await?;
        self.forget_region(&region);
        Ok(())
    }

    /// The whole name of a live server: a move needs the time it was started too.
    async fn server_named(&self, server: &str) -> Result<ServerName, HBaseError> {
        let status = self.read_cluster_status().await?;
        let mut live = status.live_servers.into_iter().map(|live| live.server);
        let is_it = |name: &ServerName| {
            address(name).is_some_and(|HostPort { host, port }| {
                let start = name.start_code.unwrap_or(0);
                server == format!("{host}:{port}") || server == format!("{host},{port},{start}")
            })
        };
        Ok(live.find(is_it).ok_or_else(|| StoreError::ServerNotFound { server: server.to_owned() })?)
    }

    /// A region of a table by the name that [`rowkey_store::Region`] has.
    pub(crate) async fn region_named(
        &self,
        table: &TableName,
        name: &str,
    ) -> Result<Arc<RegionLocation>, HBaseError> {
        let regions = self.all_regions(table).await?;
        let found = regions.into_iter().find(|region| escape(&region.name).to_string() == name);
        let missing = || StoreError::RegionNotFound { table: table.clone(), region: name.to_owned() };
        Ok(found.ok_or_else(missing)?)
    }

    /// After a failure: if it is one that passes, does what helps and waits for the next attempt.
    async fn settle(
        &self,
        work: &Work<'_>,
        failure: HBaseError,
        attempts: &mut Attempts,
    ) -> Result<(), HBaseError> {
        let mut seen = Procedure {
            method: work.method,
            table: Some(work.table.clone()),
            number: None,
            waits_for: wait_of(&failure),
            regions: None,
            ended: false,
        };
        let watcher = &self.options().watcher;
        if seen.waits_for.is_some() {
            watcher.tell(&seen);
        }
        let settled = match seen.waits_for {
            None => Err(failure),
            Some(Wait::Transition) => self.settle_transition(work, failure, attempts).await,
            Some(Wait::Compaction) => self.settle_files(work, failure, attempts).await,
        };
        if settled.is_err() {
            (seen.waits_for, seen.ended) = (None, true);
            watcher.tell(&seen);
        }
        settled
    }

    async fn settle_transition(
        &self,
        work: &Work<'_>,
        failure: HBaseError,
        attempts: &mut Attempts,
    ) -> Result<(), HBaseError> {
        // The regions of a disabled table stay closed.
        if !self.is_enabled(work.table).await? {
            return Err(failure);
        }
        if attempts.wait().await { Ok(()) } else { Err(attempts.gave_up(failure)) }
    }

    async fn settle_files(
        &self,
        work: &Work<'_>,
        failure: HBaseError,
        attempts: &mut Attempts,
    ) -> Result<(), HBaseError> {
        if attempts.is_first() {
            for region in work.regions {
                // If it cannot be done, the next attempt tells.
                let _ = self.compact_region(region, true).await;
            }
        }
        self.wait_for_compaction(work.table, work.regions).await?;
        if failure.remote_words().contains(MERGED_BEFORE) {
            let _: RunCatalogScanResponse =
                self.ask_master("RunCatalogScan", &Empty {}, &mut self.attempts()).await?;
        }
        if attempts.wait().await { Ok(()) } else { Err(attempts.gave_up(failure)) }
    }

    /// The row in the middle of a region that is too small for its server to know.
    async fn middle_row(
        self: &Arc<Self>,
        table: &TableName,
        region: &RegionLocation,
    ) -> Result<Vec<u8>, HBaseError> {
        let keys = Filter::All(vec![Filter::FirstKeyOnly, Filter::KeyOnly { length_as_value: false }]);
        let scan = Scan { filter: Some(keys), ..Scan::new(region.range()) };
        let mut rows = Vec::new();
        let mut batch = RowBatch::new();
        for mut stream in self.start_scans(table, std::slice::from_ref(&scan)) {
            while stream.next(&mut batch).await? {
                rows.extend(batch.rows().map(|row| row.key().to_vec()));
            }
        }
        let middle = (rows.len() >= 2).then(|| rows.swap_remove(rows.len() / 2));
        let none = || StoreError::NoSplitPoint { table: table.clone(), range: region.range() };
        Ok(middle.ok_or_else(none)?)
    }
}

/// A split or a merge that is tried.
struct Work<'a> {
    method: &'static str,
    table: &'a TableName,
    regions: &'a [Arc<RegionLocation>],
}

const MERGED_BEFORE: &str = "merge qualifier";

/// What a failure of HBase 2 says has to pass first.
fn wait_of(failure: &HBaseError) -> Option<Wait> {
    const FILES: [&str; 3] = [MERGED_BEFORE, "NOT splittable", "not mergeable"];
    // `RegionStateNode.checkOnline`, `SplitTableRegionProcedure`, `MergeTableRegionsProcedure` and `AssignmentManagerUtil`.
    const TRANSITION: [&str; 4] =
        ["is not OPEN; state=", "FAILED because state=", "that are NOT online", "is currently in transition"];
    // A region in one of these states does not open again.
    const FOR_GOOD: [&str; 4] = ["state=SPLIT", "state=MERGED", "state=FAILED_OPEN", "state=FAILED_CLOSE"];
    let words = failure.remote_words();
    let has = |texts: &[&str]| texts.iter().any(|text| words.contains(text));
    let is_passing = words.contains("state=SPLITTING") || !has(&FOR_GOOD);
    if has(&FILES) {
        Some(Wait::Compaction)
    } else {
        (has(&TRANSITION) && is_passing).then_some(Wait::Transition)
    }
}

/// A server that finds no middle, or finds it at the region's first key, says so in one of these ways.
fn has_no_middle(failure: &HBaseError) -> bool {
    let words = failure.remote_words();
    words.contains("bestSplitPoint = null") || words.contains("equal to startkey")
}

/// A region as the master wants it described.
fn region_info(region: &RegionLocation) -> Result<RegionInfo, HBaseError> {
    let unreadable = || HBaseError::RegionName { region: escape(&region.name).to_string() };
    Ok(RegionInfo {
        region_id: region.id().ok_or_else(unreadable)?,
        table_name: TableNameProto::from(&region.table),
        start_key: Some(region.start.clone()),
        end_key: Some(region.end.clone()),
        ..RegionInfo::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::remote::RemoteException;

    #[test]
    fn failures_that_pass_are_told_from_those_that_do_not() {
        let server = HostPort { host: "master".to_owned(), port: 16000 };
        let cases = [
            ("1588230740 is not OPEN; state=OPENING", Some(Wait::Transition)),
            ("1588230740 is not OPEN; state=SPLITTING_NEW", Some(Wait::Transition)),
            ("Unable to merge regions that are NOT online: 1588230740", Some(Wait::Transition)),
            ("Split t,,1.a. FAILED because state=CLOSING; expected [OPEN]", Some(Wait::Transition)),
            (
                "The parent region state=SPLITTING, location=a,1,2, table=t, region=a is currently in transition, give up",
                Some(Wait::Transition),
            ),
            ("1588230740 is not OPEN; state=SPLIT", None),
            ("1588230740 is not OPEN; state=MERGED", None),
            ("a, b has a merge qualifier", Some(Wait::Compaction)),
            ("abc NOT splittable", Some(Wait::Compaction)),
            ("Region not splittable because bestSplitPoint = null", None),
            ("Split region t failed due to split switch off", None),
        ];
        for (message, wait) in cases {
            let exception = RemoteException::new(
                "org.apache.hadoop.hbase.DoNotRetryIOException".to_owned(),
                message,
                true,
            );
            assert_eq!(wait_of(&HBaseError::remote(&server, None, exception)), wait, "{message}");
        }
    }
}

//! Reading `hbase:meta`: a table's regions and their servers.
//!
//! `hbase:meta` is a table of one region: a row per region, keyed by the region's name `table,start,id.hash.`,
//! with the region itself in `info:regioninfo` and its server in `info:server`; and a row per table, keyed by
//! the table's name, with its state in `table:state`.
//!
//! Regions that were split or taken offline stay in `hbase:meta` for a while and are skipped.

use std::ops::Bound;
use std::sync::Arc;

use prost::Message;
use rowkey_store::{Direction, MAX_ROW_LENGTH, RowBatch, RowView, TableName};

use crate::client::HBaseClient;
use crate::connection::service::Service;
use crate::connection::{Call, Connection};
use crate::error::HBaseError;
use crate::regions::{RegionLocation, RegionPlace};
use crate::registry::url::HostPort;
use crate::request::cursor::Cursor;
use crate::request::region_scanner::{RegionScanner, ScanSettings};
use crate::request::rows::Rows;
use crate::wire::cell_block::CellReader;
use crate::wire::messages::client::{self, Column, Get, GetRequest, GetResponse};
use crate::wire::messages::common::{RegionInfo, RegionSpecifier, TableState};

/// The name of the only region of `hbase:meta`.
pub(crate) const META_REGION: &[u8] = b"hbase:meta,,1";
const META_BATCH: u32 = 500;
const META_ANSWER: u64 = 2 << 20;

impl HBaseClient {
    /// All regions of a table in key order.
    pub(crate) async fn read_regions(
        &self,
        table: &TableName,
    ) -> Result<Vec<Arc<RegionLocation>>, HBaseError> {
        let (start, stop) = (Bound::Included(first_of(table)), Bound::Excluded(past_the_last(table)));
        let cursor = Cursor::between(start, stop, Direction::Forward);
        let mut regions = self.scan_meta(table, &cursor, false, None).await?;
        regions.sort_by(|a, b| a.start.cmp(&b.start));
        Ok(regions)
    }

    /// The region at one place of a table, if `hbase:meta` has it.
    pub(crate) async fn read_region(
        &self,
        table: &TableName,
        place: &RegionPlace,
    ) -> Result<Option<Arc<RegionLocation>>, HBaseError> {
        let (start, stop) = (Bound::Excluded(search_key(table, place)), Bound::Included(first_of(table)));
        let cursor = Cursor::between(start, stop, Direction::Reverse);
        let regions = self.scan_meta(table, &cursor, true, Some(1)).await?;
        Ok(regions.into_iter().find(|region| place.is_in(region)))
    }

    async fn scan_meta(
        &self,
        table: &TableName,
        cursor: &Cursor,
        reversed: bool,
        limit: Option<usize>,
    ) -> Result<Vec<Arc<RegionLocation>>, HBaseError> {
        let columns = vec![Column { family: b"info".to_vec(), qualifier: Vec::new() }];
        let scan = client::Scan {
            column: columns,
            reversed: Some(reversed),
            max_versions: Some(1),
            max_result_size: Some(META_ANSWER),
            ..client::Scan::default()
        };
        let settings = ScanSettings { scan, batch_rows: META_BATCH, in_pieces: false, counts: false };
        let meta = self.meta_region().await?;
        let outcome = async {
            let mut scanner = RegionScanner::new(self.connection_to(&meta).await?, Arc::clone(&meta));
            let mut rows = Rows::whole();
            loop {
                let piece = scanner.next(&settings, cursor, limit, self.options().call_timeout).await?;
                rows.add(&piece.response, &piece.cells)
                    .map_err(|error| scanner.connection().misread(error))?;
                if !piece.more_in_region() {
                    rows.close_row();
                    return Ok(rows.take(usize::MAX, RowBatch::new()));
                }
            }
        };
        let rows = self.watching(&meta, outcome).await?;
        Ok(rows.rows().filter_map(|row| parse_region(table, row)).map(Arc::new).collect())
    }

    /// Whether a table is enabled, disabled, or between; `None` if `hbase:meta` does not know the table.
    pub(crate) async fn read_table_state(&self, table: &TableName) -> Result<Option<i32>, HBaseError> {
        let request = GetRequest {
            region: RegionSpecifier::named(META_REGION),
            get: Get {
                row: table.to_string().into_bytes(),
                column: vec![Column { family: b"table".to_vec(), qualifier: vec![b"state".to_vec()] }],
                max_versions: Some(1),
                ..Get::default()
            },
        };
        let meta = self.meta_region().await?;
        let outcome = async {
            let connection = self.connection_to(&meta).await?;
            let call = Call::new("Get", &request, self.options().call_timeout).region(META_REGION);
            let (answer, cells) = connection.call::<GetResponse>(call).await?;
            let count = answer.result.and_then(|result| result.associated_cell_count).unwrap_or(0);
            if count == 0 {
                return Ok(None);
            }
            let cell = CellReader::new(&cells).next_cell().map_err(|error| connection.misread(error))?;
            let state = TableState::decode(cell.value).map_err(|error| connection.misread(error))?;
            Ok(Some(state.state))
        };
        self.watching(&meta, outcome).await
    }

    /// A connection to a region's server.
    pub(crate) async fn connection_to(&self, region: &RegionLocation) -> Result<Arc<Connection>, HBaseError> {
        let server = region.server.as_ref().ok_or_else(|| HBaseError::NotAssigned {
            region: rowkey_core::escape::escape(&region.name).to_string(),
        })?;
        self.connection(server, Service::Client).await.map_err(|failure| match failure {
            HBaseError::Unreachable { address, source, .. } => {
                let region = rowkey_core::escape::escape(&region.name).to_string();
                HBaseError::RegionUnreachable { region, server: address, source }
            }
            other => other,
        })
    }
}

/// The key before all regions of a table.
fn first_of(table: &TableName) -> Vec<u8> {
    format!("{table},,").into_bytes()
}

/// The first key past all regions of a table. `hbase:meta` is sorted by table, start key and id, not by bytes, and a
/// name with a blank at its end is the next one that could be.
fn past_the_last(table: &TableName) -> Vec<u8> {
    format!("{table} ,,").into_bytes()
}

/// The key from which the region at a place comes next, reading backwards.
fn search_key(table: &TableName, place: &RegionPlace) -> Vec<u8> {
    let table_name = table.to_string();
    // No region starts at a key so long that the region's name would be no row key any more.
    let longest = MAX_ROW_LENGTH - table_name.len() - 3;
    let key = place.key().get(..longest).unwrap_or(place.key());
    match place {
        // Just past the regions that start at the key: ids are digits, and the colon comes after those.
        RegionPlace::At(_) => [table_name.as_bytes(), b",", key, b",:"].concat(),
        RegionPlace::Before(_) => [table_name.as_bytes(), b",", key, b","].concat(),
        RegionPlace::Last => past_the_last(table),
    }
}

/// A row of `hbase:meta`; `None` for regions that hold no rows any more.
fn parse_region(table: &TableName, row: RowView<'_>) -> Option<RegionLocation> {
    let info = row.value(b"info", b"regioninfo")?.strip_prefix(b"PBUF")?;
    let info = RegionInfo::decode(info).ok()?;
    let gone = info.offline.unwrap_or(false) || info.split.unwrap_or(false);
    let ours = info.table_name.qualifier == table.qualifier().as_bytes()
        && info.table_name.namespace == table.namespace().as_bytes();
    if gone || !ours {
        return None;
    }
    Some(RegionLocation {
        table: table.clone(),
        name: row.key().to_vec(),
        start: info.start_key.unwrap_or_default(),
        end: info.end_key.unwrap_or_default(),
        server: row.value(b"info", b"server").and_then(parse_server),
    })
}

fn parse_server(text: &[u8]) -> Option<HostPort> {
    let (host, port) = std::str::from_utf8(text).ok()?.rsplit_once(':')?;
    let port = port.parse().ok().filter(|&port| port > 0)?;
    (!host.is_empty()).then(|| HostPort { host: host.to_owned(), port })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::messages::common::TableNameProto;

    fn book_row(split: bool, server: &str) -> Option<RegionLocation> {
        let table: TableName = "ns:t".parse().unwrap();
        let info = RegionInfo {
            region_id: 7,
            table_name: TableNameProto::from(&table),
            start_key: Some(b"a".to_vec()),
            end_key: Some(Vec::new()),
            split: Some(split),
            ..RegionInfo::default()
        };
        let mut batch = RowBatch::new();
        batch.begin_row(b"ns:t,a,7.abc.");
        batch.cell(b"info", b"regioninfo", 1, &[b"PBUF", info.encode_to_vec().as_slice()].concat());
        batch.cell(b"info", b"server", 1, server.as_bytes());
        parse_region(&table, batch.row(0).unwrap())
    }

    #[test]
    fn the_longest_row_can_be_searched() {
        let table: TableName = "ns:t".parse().unwrap();
        for key in [vec![1; MAX_ROW_LENGTH], vec![1; 5]] {
            for place in [RegionPlace::At(key.clone()), RegionPlace::Before(key.clone()), RegionPlace::Last] {
                assert!(search_key(&table, &place).len() <= MAX_ROW_LENGTH);
            }
        }
        assert_eq!(search_key(&table, &RegionPlace::At(b"k".to_vec())), b"ns:t,k,:");
    }

    #[test]
    fn a_row_of_the_book_is_a_region() {
        let region = book_row(false, "host:16020").unwrap();
        assert_eq!(
            (region.name.as_slice(), region.range().to_string().as_str()),
            (&b"ns:t,a,7.abc."[..], "[a, ∞)")
        );
        assert_eq!(region.server, Some(HostPort { host: "host".to_owned(), port: 16020 }));
        assert_eq!(book_row(false, "").unwrap().server, None, "not assigned");
        assert_eq!(book_row(true, "host:16020"), None, "split");
    }
}
